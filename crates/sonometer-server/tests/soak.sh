#!/bin/sh
# Load with random kills, pauses and jumps of the clock on both stores; what clients were told must be what the ledger has. The
# quick form takes less than a minute; an hour on each store: SOAK_SECONDS=3600.
#
#     [SOAK_SECONDS=15] [SOAK_SEED=…] crates/sonometer-server/tests/soak.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
command=${1:-}
if [ -z "$command" ]; then
    # By the workspace, so that what has been built for all tests is taken.
    cargo test --quiet --workspace --test serve --no-run
    command=${CARGO_TARGET_DIR:-target}/debug/sonometer
fi
# Without it the clocks stay, and the script below says so.
.ci/install-packages libfaketime || true

passed=0
failed=0
# Shows what a run says, and counts it; `skipped: …` alone is no run.
run() {
    if "$@" crates/sonometer-server/tests/soak.py "$command" "${SOAK_SECONDS:-15}" "${SOAK_SEED:-$(date +%s)}" >"$said"; then
        if grep -q ' passed, ' "$said"; then passed=$((passed + 1)); fi
    else
        failed=$((failed + 1))
    fi
    cat "$said"
}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
trap 'exit 1' INT TERM
run env
run crates/sonometer-server/tests/postgres.sh
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
