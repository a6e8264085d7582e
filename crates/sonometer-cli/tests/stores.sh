#!/bin/sh
# Tests tables in object stores on a stand-in for S3, moto, which this script installs into an environment of its own, starts on
# loopback and stops again. Says `skipped: …` where it cannot be had.
#
# Runs only when asked: with its features, half of what the command depends on is compiled anew, some minutes.
#
#     SONOMETER_STORES=1 crates/sonometer-cli/tests/stores.sh [--release]
set -eu
cd "$(dirname "$0")/../../.."

skip() {
    echo "skipped: object stores ($1)"
    exit 0
}
[ "${SONOMETER_STORES:-}" = 1 ] || skip "compiles for some minutes; ask with SONOMETER_STORES=1"
command -v python3 >/dev/null || skip "there is no python3"
work=${CARGO_TARGET_DIR:-target}/stores
server="$work/env/bin/moto_server"
# Apache-2.0; the version that the tests ran with.
wanted=5.2.5
if ! "$work/env/bin/python" -m pip show moto 2>/dev/null | grep -qx "Version: $wanted"; then
    mkdir -p "$work"
    python3 -m venv "$work/env" || skip "Python has no venv here"
    "$work/env/bin/python" -m pip install --quiet --disable-pip-version-check "moto[server]==$wanted" >"$work/pip.log" 2>&1 ||
        skip "moto[server] $wanted cannot be installed, see $work/pip.log"
fi

folder=$(mktemp -d)
moto=""
stop() {
    [ -z "$moto" ] || kill "$moto" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$server" --host 127.0.0.1 --port "$port" >"$folder/log" 2>&1 &
moto=$!
ready=""
for _ in $(seq 300); do
    if python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/moto-api/', timeout=1)" 2>/dev/null; then
        ready=1
        break
    fi
    kill -0 "$moto" 2>/dev/null || break
    sleep 0.2
done
[ -n "$ready" ] || { cat "$folder/log" >&2; exit 1; }

SONOMETER_TEST_S3="127.0.0.1:$port" cargo test -p sonometer-cli --no-default-features --features stores "$@" --test stores
