#!/bin/sh
# Tests a real recogniser of speech: PocketSphinx with its model of English, from Debian's packages, which it installs where it
# may. Says `skipped: …` where they cannot be had.
#
#     crates/sonometer-ingest/tests/pocketsphinx.sh
set -eu
cd "$(dirname "$0")/../../.."

is_there() { command -v pocketsphinx_continuous >/dev/null && [ -d /usr/share/pocketsphinx/model/en-us/en-us ]; }
if ! is_there && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    install="apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends pocketsphinx pocketsphinx-en-us"
    $install >/dev/null 2>&1 || { apt-get update -qq && $install; } >/dev/null 2>&1 || true
fi
if ! is_there; then
    echo "skipped: PocketSphinx (Debian's pocketsphinx and pocketsphinx-en-us are not there and cannot be installed)"
    exit 0
fi
# By the workspace, so that what has been built for all tests is taken.
cargo test --workspace --test audio --test sound pocketsphinx -- --ignored
