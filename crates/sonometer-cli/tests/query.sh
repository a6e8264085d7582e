#!/bin/sh
# Tests SQL in the command (`sonometer query`). Runs only when asked, since it compiles DataFusion: many minutes.
#
#     SONOMETER_QUERY=1 crates/sonometer-cli/tests/query.sh [--release]
set -eu
cd "$(dirname "$0")/../../.."

if [ "${SONOMETER_QUERY:-}" != 1 ]; then
    echo "skipped: SQL in the command (compiles DataFusion for many minutes; ask with SONOMETER_QUERY=1)"
    exit 0
fi
cargo test -p sonometer-arrow --features datafusion "$@" --test functions
cargo test -p sonometer-cli --no-default-features --features query,stores "$@" --test query
