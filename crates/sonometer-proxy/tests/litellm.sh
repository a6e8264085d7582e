#!/bin/sh
# Tests the endpoint for LiteLLM's generic guardrail API with the package `litellm` of PyPI: its client, its code for streams, and its
# proxy server as a whole.
# Installs it into an environment of its own below `target`; skipped with a notice where that is not possible.
#
#     crates/sonometer-proxy/tests/litellm.sh [COMMAND]
#
# COMMAND is the command `sonometer`, also as `SONOMETER_COMMAND`; without it, it is built with nothing but the proxy.
set -eu
cd "$(dirname "$0")/../../.."

command=${1:-${SONOMETER_COMMAND:-}}
if [ -z "$command" ]; then
    cargo build --quiet --package sonometer-cli --no-default-features --features proxy
    command=${CARGO_TARGET_DIR:-target}/debug/sonometer
fi
environment=target/packages/litellm
if ! [ -x "$environment/bin/python" ]; then
    python3 -m venv "$environment" 2>/dev/null || { echo "skipped: the endpoint for LiteLLM (python3 has no venv)"; exit 0; }
fi
if ! "$environment/bin/python" -c 'import litellm.proxy._types' 2>/dev/null; then
    # One version: to find the newest whose parts go together takes pip minutes. Most of its 700 MB are never imported, nor compiled here.
    "$environment/bin/pip" install --quiet --no-compile 'litellm[proxy]==1.108.7' ||
        { echo "skipped: the endpoint for LiteLLM (pip could not install litellm)"; exit 0; }
fi
# Its table of prices is in the package; without this it is fetched.
LITELLM_LOCAL_MODEL_COST_MAP=True "$environment/bin/python" crates/sonometer-proxy/tests/litellm_client.py "$command"
"$environment/bin/python" crates/sonometer-proxy/tests/litellm_server.py "$command"
echo "2 passed, 0 failed"
