#!/bin/sh
# Lets schemathesis, which makes requests of the OpenAPI document, look for answers that are not as documented. Installs it into
# a folder of its own under `target`, starts a server on loopback and stops it again. `skipped: …` where it cannot be installed;
# the last line is the sum.
#
#     [EXAMPLES=25] [SEED=20260101] [SECONDS_AT_MOST=90] crates/sonometer-server/tests/schemathesis.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
command=${1:-}
if [ -z "$command" ]; then
    # By the workspace, so that what has been built for all tests is taken.
    cargo test --quiet --workspace --test serve --no-run
    command=$target/debug/sonometer
fi
command=$(realpath "$command")
tools=$target/schemathesis
if [ ! -x "$tools/bin/openapi-spec-validator" ]; then
    if ! python3 -m venv "$tools" || ! "$tools/bin/pip" install --quiet schemathesis==4.32.5 openapi-spec-validator==0.9.0; then
        rm -rf "$tools"
        echo "skipped: schemathesis (it cannot be installed)"
        echo "0 passed, 0 failed"
        exit 0
    fi
fi

folder=$(mktemp -d)
cd "$folder"
# The server makes it later than it is first read, on a busy machine.
: >out
"$command" serve --listen 127.0.0.1:0 --database db.sqlite --first-token token >out 2>err &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
address=""
for _ in $(seq 3000); do
    address=$(sed -n 's/^listening on //p' out)
    if [ -n "$address" ] || ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 0.1
done
[ -n "$address" ] || { cat err; exit 1; }
"$command" admin --database db.sqlite account first --quota 1000000000 --per-minute 1000000000 >/dev/null

passed=0
failed=0
# Runs what follows the name, and counts.
holds() {
    what=$1
    shift
    if "$@"; then
        echo "$what: ok"
        passed=$((passed + 1))
    else
        echo "$what: FAILED"
        failed=$((failed + 1))
    fi
}
document() {
    python3 -c 'import sys, urllib.request; open("openapi.json", "wb").write(urllib.request.urlopen(sys.argv[1]).read())' \
        "$address/openapi.json" && "$tools/bin/openapi-spec-validator" openapi.json
}
# Takes the schema of a stream for that of each event, which stands beside it.
by_event() {
    python3 - <<'PYTHON'
import json

document = json.load(open("openapi.json"))
stream = document["paths"]["/api/v1/sense/stream"]["post"]["responses"]["200"]["content"]["text/event-stream"]
stream["schema"] = stream.pop("x-item-schema")
json.dump(document, open("by_event.json", "w"))
PYTHON
}
# One worker: several are no quicker under Python's lock, and in Python 3.11 `ast.parse`, which schemathesis calls while it
# makes requests, fails by chance when two threads are in it (python/cpython#106905).
requests() {
    PYTHONPATH=$root/crates/sonometer-server/tests PYTHONDONTWRITEBYTECODE=1 SCHEMATHESIS_HOOKS=schemathesis_hooks \
        "$tools/bin/schemathesis" --config-file "$root/crates/sonometer-server/tests/schemathesis.toml" run by_event.json --url "$address" \
        --header "Authorization: Bearer $(cat token)" --checks all --exclude-checks use_after_free --max-examples "${EXAMPLES:-25}" --seed "${SEED:-20260101}" \
        --max-time "${SECONDS_AT_MOST:-90}" --request-timeout 120 --continue-on-failure --workers 1 --no-color >said 2>&1
    status=$?
    # A body that is too large is shown whole.
    cut -c1-400 said
    return "$status"
}
nothing_failed() { ! grep '"level":"ERROR"' err; }

holds "the document is OpenAPI 3.1" document
by_event
holds "schemathesis" requests
holds "the ledger" "$command" admin --database db.sqlite check
holds "the log is without errors" nothing_failed
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
