#!/bin/sh
# Tests the proxy with the packages `openai` and `anthropic` of PyPI, before a provider on this machine that replays recorded streams.
# Installs them into an environment of their own below `target`; skipped with a notice where that is not possible.
# The last line is the sum.
#
#     crates/sonometer-proxy/tests/packages.sh [COMMAND]
#
# COMMAND is the command `sonometer`, also as `SONOMETER_COMMAND`; without it, it is built with nothing but the proxy.
set -eu
cd "$(dirname "$0")/../../.."

command=${1:-${SONOMETER_COMMAND:-}}
if [ -z "$command" ]; then
    cargo build --quiet --package sonometer-cli --no-default-features --features proxy
    command=${CARGO_TARGET_DIR:-target}/debug/sonometer
fi
environment=target/packages/python
if ! [ -x "$environment/bin/python" ]; then
    python3 -m venv "$environment" 2>/dev/null || { echo "skipped: the proxy with real packages (python3 has no venv)"; exit 0; }
fi
if ! "$environment/bin/python" -c 'import openai, anthropic' 2>/dev/null; then
    "$environment/bin/pip" install --quiet 'openai>=3,<4' 'anthropic>=2,<3' ||
        { echo "skipped: the proxy with real packages (pip could not install openai and anthropic)"; exit 0; }
fi
exec "$environment/bin/python" crates/sonometer-proxy/tests/packages.py "$command"
