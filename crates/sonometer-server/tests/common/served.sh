# What the scripts beside it share: the command, a service on loopback, and checks that are counted. Read with `.` from the root
# of the repository, where `$1` is the first argument of the script, or `SONOMETER_COMMAND` the command.
# shellcheck shell=sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
command=${1:-${SONOMETER_COMMAND:-}}
if [ -z "$command" ]; then
    # By the workspace, so that what has been built for all tests is taken.
    cargo test --quiet --workspace --test serve --no-run
    command=$target/debug/sonometer
fi
command=$(realpath "$command")

# Starts a service in a folder of its own and goes there; it ends with the script. Sets `folder` and `address`; the file `token`
# holds its token, `err` its log.
serve() {
    folder=$(mktemp -d)
    cd "$folder"
    # The server makes it later than it is first read, on a busy machine.
    : >out
    "$command" serve --listen 127.0.0.1:0 --database db.sqlite --first-token token >out 2>err &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
    trap 'exit 1' INT TERM
    address=""
    for _ in $(seq 3000); do
        address=$(sed -n 's/^listening on //p' out)
        if [ -n "$address" ] || ! kill -0 "$server" 2>/dev/null; then break; fi
        sleep 0.1
    done
    [ -n "$address" ] || { cat err; exit 1; }
}

# Writes the document of the interface to openapi.json.
document() {
    python3 -c 'import sys, urllib.request; open("openapi.json", "wb").write(urllib.request.urlopen(sys.argv[1]).read())' "$address/openapi.json"
}

passed=0
failed=0
# Runs what follows the name, and counts. What it says is shown if it fails, the first 400 characters of each line.
holds() {
    what=$1
    shift
    if "$@" >said 2>&1; then
        echo "$what: ok"
        passed=$((passed + 1))
    else
        cut -c1-400 said
        echo "$what: FAILED"
        failed=$((failed + 1))
    fi
}

nothing_failed() { ! grep '"level":"ERROR"' err; }

# What must hold after all requests; then the sum.
ends_well() {
    holds "the ledger" "$command" admin --database db.sqlite check
    holds "the log is without errors" nothing_failed
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
