#!/bin/sh
# Lets schemathesis, which makes requests of the OpenAPI document, look for answers that are not as documented. Installs it into
# a folder of its own under `target`, starts a server on loopback and stops it again. `skipped: …` where it cannot be installed;
# the last line is the sum.
#
#     [EXAMPLES=25] [SEED=20260101] [SECONDS_AT_MOST=90] crates/sonometer-server/tests/schemathesis.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
. crates/sonometer-server/tests/common/served.sh
tools=$target/schemathesis
if [ ! -x "$tools/bin/openapi-spec-validator" ]; then
    if ! python3 -m venv "$tools" || ! "$tools/bin/pip" install --quiet schemathesis==4.32.5 openapi-spec-validator==0.9.0; then
        rm -rf "$tools"
        echo "skipped: schemathesis (it cannot be installed)"
        echo "0 passed, 0 failed"
        exit 0
    fi
fi

serve
"$command" admin --database db.sqlite account first --quota 1000000000 --per-minute 1000000000 >/dev/null

valid() { document && "$tools/bin/openapi-spec-validator" openapi.json; }
# Schemathesis takes the schema of a stream for that of each event, which the document has as `x-item-schema`.
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
        --max-time "${SECONDS_AT_MOST:-90}" --request-timeout 120 --continue-on-failure --workers 1 --no-color
}

holds "the document is OpenAPI 3.1" valid
by_event
holds "schemathesis" requests
ends_well
