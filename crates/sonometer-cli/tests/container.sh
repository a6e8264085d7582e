#!/bin/sh
# The container file: its second stage is built by buildah with the command that is given, on a base of Debian's own packages in the
# place of the image that it names, since no registry of images is asked here. Then the service runs in it as its file says: as
# nobody, on a root that cannot be written, without capabilities. What compiles the command in the first stage is not run.
#
#     SONOMETER_CONTAINER=1 crates/sonometer-cli/tests/container.sh [the sonometer command]
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
skip() {
    echo "skipped: the container ($1)"
    echo "0 passed, 0 failed"
    exit 0
}
[ "${SONOMETER_CONTAINER:-}" = 1 ] || skip "set SONOMETER_CONTAINER=1; it installs buildah, bubblewrap and debootstrap"
[ "$(id -u)" = 0 ] || skip "needs root"
.ci/install-packages buildah bubblewrap debootstrap || skip "see above"
command=${1:-}
if [ -z "$command" ]; then
    cargo test --quiet --workspace --test serve --no-run
    command=$target/debug/sonometer
fi
command=$(realpath "$command")
bwrap --ro-bind / / true 2>/dev/null || skip "bubblewrap may make no namespaces here"

work=$target/container
mkdir -p "$work"
if [ ! -e "$work/base.tar" ]; then
    rm -rf "$work/base"
    debootstrap --variant=minbase bookworm "$work/base" http://deb.debian.org/debian >"$work/base.log" 2>&1 || skip "no base; see $work/base.log"
    tar -C "$work/base" --exclude=./dev -cf "$work/base.part" . && mv "$work/base.part" "$work/base.tar"
    rm -rf "$work/base"
fi
printf '[storage]\ndriver = "vfs"\nrunroot = "%s/run"\ngraphroot = "%s/storage"\n' "$work" "$work" >"$work/storage.conf"
export CONTAINERS_STORAGE_CONF="$work/storage.conf" BUILDAH_ISOLATION=chroot
passed=0
failed=0
# Runs what follows the name, and counts.
holds() {
    what=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        echo "$what: ok"
        passed=$((passed + 1))
    else
        cut -c1-400 "$work/said"
        echo "$what: FAILED"
        failed=$((failed + 1))
    fi
}

base=docker.io/library/debian:bookworm-slim
if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
    made=$(buildah from scratch)
    buildah add --quiet "$made" "$work/base.tar" / >/dev/null
    buildah commit --quiet "$made" "$base" >/dev/null
    buildah rm "$made" >/dev/null
fi
rm -rf "$work/first"
mkdir -p "$work/first/usr/local/bin"
strip -o "$work/first/usr/local/bin/sonometer" "$command"
# From the second FROM on; what it copies from the first stage comes from the folder above.
awk '/^FROM/ { stage++ } stage >= 2' docs/deploy/Containerfile >"$work/Containerfile"
built() {
    buildah bud --quiet --format docker --pull-never --build-context "build=$work/first" -f "$work/Containerfile" -t sonometer "$work/first"
}
holds "the second stage" built
[ "$failed" = 0 ] || { echo "$passed passed, $failed failed"; exit 1; }

# The folder of the root, and what the image says is to be run, as variables of the shell.
container=$(buildah from --pull-never sonometer)
image=$(buildah mount "$container")
state=$(mktemp -d)
trap 'buildah rm "$container" >/dev/null; rm -rf "$state"' EXIT
buildah inspect --type image sonometer >"$work/image.json"
python3 - "$work/image.json" >"$state/inside.sh" <<'PYTHON'
import json
import shlex
import sys

docker = json.load(open(sys.argv[1]))["Docker"]["config"]
assert docker["User"] == "65534:65534", docker["User"]
words = docker["Healthcheck"]["Test"]
assert words[0] == "CMD", words
print("export", *(shlex.quote(pair) for pair in docker["Env"]))
print("serve() { exec", shlex.join(docker["Entrypoint"] + docker["Cmd"]), "; }")
print("healthy() {", shlex.join(words[1:]), "; }")
PYTHON
cat >>"$state/inside.sh" <<'INSIDE'
set -u
fail() { echo "FAILED: $*"; cat out err; exit 1; }
[ "$(id -u):$(id -g)" = 65534:65534 ] || fail "runs as $(id)"
if healthy 2>/dev/null; then fail "healthy before it runs"; fi
serve >out 2>err &
served=$!
for _ in $(seq 600); do healthy 2>/dev/null && break; sleep 0.1; done
healthy || fail "not healthy"
for path in / /usr/local/bin /etc; do
    if touch "$path/new" 2>/dev/null; then fail "$path can be written"; fi
done
token=$(cat first-token)
[ -n "$token" ] && [ "$(stat -c %a first-token)" = 600 ] || fail "the token is not private"
if grep -q "$token" out err; then fail "the token was printed"; fi
kill -TERM "$served" || fail "it ended"
wait
INSIDE
# A root that cannot be written, nobody, no capabilities and a network of its own, as the file says at its head.
runs() {
    bwrap --ro-bind "$image" / --dev /dev --proc /proc --tmpfs /tmp --bind "$state" /var/lib/sonometer --chdir /var/lib/sonometer \
        --unshare-all --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent --clearenv /bin/bash inside.sh
}
holds "it runs as nobody on a root that cannot be written" runs
no_secret() { ! grep -rqE 'sono_(test|live)_' "$work/image.json"; }
holds "the image holds no token" no_secret
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
