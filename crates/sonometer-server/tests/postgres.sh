#!/bin/sh
# Runs the tests of the service on a real PostgreSQL: one that this script starts on loopback, from Debian's package, in a
# folder of its own, and stops again. Says `skipped: …` where it cannot be had.
#
#     crates/sonometer-server/tests/postgres.sh [command …]
set -eu
cd "$(dirname "$0")/../../.."

installed() { bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1) && [ -n "$bin" ]; }
if ! installed && ! { .ci/install-packages postgresql && installed; }; then
    echo "skipped: PostgreSQL (Debian's package postgresql is not there and cannot be installed)"
    exit 0
fi
# PostgreSQL does not run as root.
as=""
if [ "$(id -u)" = 0 ]; then
    if ! id postgres >/dev/null 2>&1; then
        echo "skipped: PostgreSQL (there is no user postgres to run it)"
        exit 0
    fi
    as="runuser -u postgres --"
fi

folder=$(mktemp -d)
[ -n "$as" ] && chown postgres "$folder"
stop() {
    # A test that failed may have left it frozen.
    sh "$folder/signal" -CONT 2>/dev/null || true
    (cd / && $as "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop) >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM

(cd / && $as "$bin/initdb" -D "$folder/data" -U sonometer -A trust -E UTF8 --locale=C.UTF-8 >/dev/null)
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 900
END
start="cd / && $as $bin/pg_ctl -D $folder/data -w -t 600 -l $folder/log start >/dev/null"
# Not one of those that the system gives to whoever asks for any: it must be free again after a crash.
started=""
for _ in $(seq 20); do
    port=$(python3 -c 'import random; print(random.randrange(10000, 30000))')
    echo "port = $port" >>"$folder/data/postgresql.conf"
    if sh -c "$start"; then
        started=1
        break
    fi
done
[ -n "$started" ] || { cat "$folder/log" >&2; exit 1; }

SONOMETER_TEST_POSTGRES="postgres://sonometer@127.0.0.1:$port/postgres"
SONOMETER_TEST_PSQL="$bin/psql"
# Kills all its processes, as a failing machine would, and starts it again. Those that outlive the first keep its memory, and
# nothing starts as long as one of them is there.
cat >"$folder/crash" <<END
first=\$(head -n 1 $folder/data/postmaster.pid)
all="\$first \$(cat /proc/\$first/task/*/children)"
kill -9 \$all
for process in \$all; do
    # What is dead and was not yet fetched by its parent (Z) keeps nothing.
    while grep -qs '^State:.[^Z]' /proc/\$process/status; do sleep 0.1; done
done
rm -f $folder/data/postmaster.pid
for attempt in \$(seq 300); do
    ($start) && exit 0
    sleep 1
done
cat $folder/log >&2
exit 1
END
SONOMETER_TEST_CRASH="sh $folder/crash"
SONOMETER_TEST_STOP="cd / && $as $bin/pg_ctl -D $folder/data -m immediate -w stop >/dev/null"
SONOMETER_TEST_START="$start"
# Stops all its processes without ending them: nothing is answered, and no connection is closed.
cat >"$folder/signal" <<END
first=\$(head -n 1 $folder/data/postmaster.pid)
kill "\$1" \$first \$(cat /proc/\$first/task/*/children)
END
SONOMETER_TEST_FREEZE="sh $folder/signal -STOP"
SONOMETER_TEST_THAW="sh $folder/signal -CONT"
export SONOMETER_TEST_POSTGRES SONOMETER_TEST_PSQL SONOMETER_TEST_CRASH SONOMETER_TEST_STOP SONOMETER_TEST_START
export SONOMETER_TEST_FREEZE SONOMETER_TEST_THAW
if [ $# -gt 0 ]; then
    "$@"
else
    # By the workspace, so that what has been built for all tests is taken.
    cargo test --workspace --test contract --test serve
    cargo test --workspace --test contract -- --ignored
    cargo test --workspace --test serve -- --ignored
fi
