#!/bin/sh
# Load with random kills, pauses and jumps of the clock on both stores; the ledger must have what clients were answered. The
# quick form takes less than a minute; an hour on each store: SOAK_SECONDS=3600.
#
#     [SOAK_SECONDS=15] [SOAK_SEED=…] [SOAK_PAUSE=0] [SOAK_CALM=2.5] crates/sonometer-server/tests/soak.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
. crates/sonometer-server/tests/common/served.sh
# Without it the clocks stay, and the script below says so.
.ci/install-packages libfaketime || true

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
