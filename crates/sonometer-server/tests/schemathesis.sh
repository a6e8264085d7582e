#!/bin/sh
# Lets schemathesis, which makes requests of the OpenAPI document, look for answers that are not as documented. Installs it into
# a folder of its own under `target`, starts a server on loopback and stops it again.
#
#     crates/sonometer-server/tests/schemathesis.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-target}
command=${1:-}
if [ -z "$command" ]; then
    cargo build --quiet -p sonometer-cli
    command=$target/debug/sonometer
fi
tools=$target/schemathesis
if [ ! -x "$tools/bin/schemathesis" ]; then
    if ! python3 -m venv "$tools" || ! "$tools/bin/pip" install --quiet schemathesis==4.32.5; then
        rm -rf "$tools"
        echo "skipped: schemathesis (it cannot be installed)"
        exit 0
    fi
fi

folder=$(mktemp -d)
"$command" serve --listen 127.0.0.1:0 --database "$folder/db.sqlite" --first-token "$folder/token" >"$folder/out" 2>"$folder/err" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
address=""
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$folder/out")
    [ -n "$address" ] && break
    sleep 0.1
done
[ -n "$address" ] || { cat "$folder/err"; exit 1; }
"$command" admin --database "$folder/db.sqlite" account first --quota 1000000000 --per-minute 1000000000 >/dev/null

"$tools/bin/schemathesis" --config-file crates/sonometer-server/tests/schemathesis.toml run "$address/openapi.json" \
    --header "Authorization: Bearer $(cat "$folder/token")" --checks all --max-examples "${EXAMPLES:-25}" \
    --seed "${SEED:-20260101}" --continue-on-failure --workers 2
"$command" admin --database "$folder/db.sqlite" check
if grep -q '"level":"ERROR"' "$folder/err"; then
    grep '"level":"ERROR"' "$folder/err" | head
    exit 1
fi
