#!/bin/sh
# Tests whisper.cpp as part of the command and of the library. That builds C++, which takes minutes, so it is done only where it
# is asked for: SONOMETER_WHISPER=1. What it needs it installs from Debian where it may; `skipped: …` where it cannot be had.
# No model is fetched: the tests make theirs.
#
#     SONOMETER_WHISPER=1 crates/sonometer-ingest/tests/whisper.sh
set -eu
cd "$(dirname "$0")/../../.."

if [ "${SONOMETER_WHISPER:-}" != 1 ]; then
    echo "skipped: whisper (set SONOMETER_WHISPER=1; builds C++ with cmake and clang)"
    exit 0
fi
# libclang, in the places where bindgen looks.
is_there() {
    command -v cmake >/dev/null && command -v c++ >/dev/null || return 1
    [ -z "${LIBCLANG_PATH:-}" ] || return 0
    for library in /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* /usr/lib64/libclang*.so*; do
        [ ! -e "$library" ] || return 0
    done
    return 1
}
if ! is_there && ! { .ci/install-packages cmake make g++ libclang-dev && is_there; }; then
    echo "skipped: whisper (cmake, a compiler of C++ or libclang is not there and cannot be installed)"
    exit 0
fi
cargo test --package sonometer-ingest --no-default-features --features whisper --test audio whisper
cargo test --package sonometer-cli --no-default-features --features whisper --test sound whisper
