#!/bin/sh
# Makes two clients of the OpenAPI document, by openapi-python-client and by openapi-typescript, and uses them as callers do: types
# are checked (`mypy --strict`, `tsc --strict`), then they sense, in batches, as a stream, as a job and in a dive against a server
# on loopback. Tries the page of the interface in Chromium as well. What the generators need is installed into a folder under
# `target`; what cannot be had is skipped by name, and the last line is the sum.
#
#     crates/sonometer-server/tests/clients.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
clients=$root/crates/sonometer-server/tests/clients
. crates/sonometer-server/tests/common/served.sh
tools=$target/clients
mkdir -p "$tools"

python=$tools/python/bin
if [ ! -e "$tools/python/ready" ]; then
    rm -rf "$tools/python"
    # shellcheck disable=SC2015 # no `else`
    python3 -m venv "$tools/python" && "$python/pip" install --quiet openapi-python-client==0.29.1 ruff==0.17.6 mypy==2.4.1 \
        httpx==0.28.1 attrs==26.1.0 && touch "$tools/python/ready" || python=
fi
node=$tools/node
if ! command -v npm >/dev/null; then
    node=
elif [ ! -e "$node/ready" ]; then
    rm -rf "$node"
    mkdir "$node"
    echo '{"private":true,"type":"module"}' >"$node/package.json"
    # shellcheck disable=SC2015 # no `else`
    (cd "$node" && npm install --silent --no-audit --no-fund --save-exact openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3 \
        @types/node@20 playwright-core@1.56.1) && touch "$node/ready" || node=
fi

serve
token=$(cat token)
document

generated_python() {
    # The generator knows no media type of figures; they are text.
    printf 'content_type_overrides:\n  application/openmetrics-text: text/plain\n' >config.yaml
    PATH=$python:$PATH openapi-python-client generate --path openapi.json --config config.yaml --output-path client --fail-on-warning
}
# The generator's own code is not read: it calls two variables alike, one of them of another type.
types_python() { cp "$clients/uses_it.py" . && MYPYPATH=client "$python/mypy" --strict --follow-imports=silent uses_it.py; }
uses_python() { PYTHONPATH=client "$python/python" uses_it.py "$address" "$token"; }
generated_typescript() {
    mkdir typescript && cp "$clients/uses_it.ts" "$clients/tries_it.mjs" typescript && ln -s "$node/node_modules" "$node/package.json" typescript &&
        "$node/node_modules/.bin/openapi-typescript" openapi.json --output typescript/description.d.ts
}
types_typescript() {
    cd typescript && "$node/node_modules/.bin/tsc" --strict --noUncheckedIndexedAccess --target es2022 --module nodenext uses_it.ts && cd ..
}
uses_typescript() { node typescript/uses_it.js "$address" "$token"; }
tries() { node typescript/tries_it.mjs "$address" "$token"; }

if [ -n "$python" ]; then
    holds "openapi-python-client" generated_python
    holds "its types" types_python
    holds "its client" uses_python
else
    echo "skipped: openapi-python-client (it cannot be installed)"
fi
if [ -n "$node" ]; then
    holds "openapi-typescript" generated_typescript
    holds "its types with openapi-fetch" types_typescript
    holds "openapi-fetch" uses_typescript
    if [ -x /usr/bin/chromium ] || "$root/.ci/install-packages" chromium; then
        holds "the page in Chromium" tries
    else
        echo "skipped: the page in a browser (no /usr/bin/chromium, and it could not be installed)"
    fi
else
    echo "skipped: openapi-typescript (it cannot be installed)"
fi
ends_well
