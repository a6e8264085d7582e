#!/bin/sh
# Tests a real recogniser of speech: PocketSphinx with its model of English, from Debian's packages, which it installs where it
# may. Says `skipped: …` where they cannot be had.
#
#     crates/sonometer-ingest/tests/pocketsphinx.sh
set -eu
cd "$(dirname "$0")/../../.."

is_there() { command -v pocketsphinx_continuous >/dev/null && [ -d /usr/share/pocketsphinx/model/en-us/en-us ]; }
if ! is_there && ! { .ci/install-packages pocketsphinx pocketsphinx-en-us && is_there; }; then
    echo "skipped: PocketSphinx (Debian's pocketsphinx and pocketsphinx-en-us are not there and cannot be installed)"
    exit 0
fi
# By the workspace, so that what has been built for all tests is taken.
cargo test --workspace --test audio --test sound pocketsphinx -- --ignored
