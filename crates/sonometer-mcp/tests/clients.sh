#!/bin/sh
# Tests `sonometer mcp` with the official clients: the package `mcp` of PyPI and `@modelcontextprotocol/sdk` of npm, over standard input and over HTTP.
# Installs them into environments of their own below `target`; what cannot be installed is skipped with a notice.
#
#     crates/sonometer-mcp/tests/clients.sh [COMMAND]
#
# COMMAND is the command `sonometer`, also as `SONOMETER_COMMAND`; without it, it is built with nothing but this server.
set -eu
cd "$(dirname "$0")/../../.."

command=${1:-${SONOMETER_COMMAND:-}}
if [ -z "$command" ]; then
    cargo build --quiet --package sonometer-cli --no-default-features --features mcp
    command=${CARGO_TARGET_DIR:-target}/debug/sonometer
fi
passed=0
failed=0

# run NAME PROGRAM…: the last line of the program is how many checks it made.
run() {
    name=$1
    shift
    if said=$("$@" "$command"); then
        echo "$said"
        passed=$((passed + ${said##* }))
    else
        echo "$said"
        echo "failed: $name"
        failed=$((failed + 1))
    fi
}

python=target/packages/mcp/bin/python
if ! [ -x "$python" ]; then
    python3 -m venv target/packages/mcp 2>/dev/null || rm -rf target/packages/mcp
fi
if [ -x "$python" ] && { "$python" -c 'import mcp.client.client' 2>/dev/null || "$python" -m pip install --quiet 'mcp>=2.3,<3'; }; then
    run "the Python client" "$python" crates/sonometer-mcp/tests/clients.py
else
    echo "skipped: the Python client of MCP (python3 has no venv, or pip could not install mcp)"
fi

node=target/packages/mcp-node
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "skipped: the TypeScript client of MCP (there is no node)"
elif [ -d "$node/node_modules/@modelcontextprotocol/sdk" ] ||
    { mkdir -p "$node" && npm install --prefix "$node" --silent --no-audit --no-fund '@modelcontextprotocol/sdk@^1.32' >/dev/null; }; then
    # Modules are looked for beside the program.
    cp crates/sonometer-mcp/tests/clients.mjs "$node/"
    run "the TypeScript client" node "$node/clients.mjs"
else
    echo "skipped: the TypeScript client of MCP (npm could not install @modelcontextprotocol/sdk)"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
