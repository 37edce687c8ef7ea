#!/bin/sh
# Makes the viewer's page: build_viewer.sh OUT.html
#
# A page that was made from the same sources stays: then neither npm nor a network is needed.
# Otherwise, without a network, npm cannot fetch what the page is made of. That is no reason to
# refuse the tool, so this warns and makes nothing; with COND_VIEWER=required in the environment it
# fails.
set -u
out=$1
cd "$(dirname "$0")/../viewer" || exit 1

# Says what went wrong, in the log and to those who ask later (tools/say_viewer.sh).
give_up()
{
    echo "The viewer's page was not built: $1" | tee "$out.missing" >&2
    rm -f "$out" "$out.sources"
    [ "${COND_VIEWER-}" = required ] && exit 1
    exit 0
}

# A page is what its sources make it: the hash of all of them, with their names.
sources=$(find src build.mjs package.json package-lock.json tsconfig.json -type f | LC_ALL=C sort |
    xargs sha256sum) || give_up "its sources cannot be read"
if [ -s "$out" ] && [ "$sources" = "$(cat "$out.sources" 2>/dev/null)" ]; then
    touch "$out"
    echo "$out: made from the same sources before"
    exit 0
fi

# The packages' own scripts are not run: what they would do is not needed here.
if ! cmp -s package-lock.json node_modules/.cond-lock; then
    command -v npm >/dev/null || give_up "npm is not installed"
    log=$(npm ci --ignore-scripts --no-audit --no-fund --loglevel=error 2>&1) ||
        give_up "npm could not fetch its packages (no network?): $log"
    cp package-lock.json node_modules/.cond-lock
fi
log=$(node_modules/.bin/tsc --noEmit 2>&1) || give_up "$log"
log=$(node build.mjs "$out" 2>&1) || give_up "$log"
printf '%s\n' "$sources" >"$out.sources"
rm -f "$out.missing"
echo "$log"
