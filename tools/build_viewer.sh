#!/bin/sh
# Makes the viewer's page: build_viewer.sh OUT.html
#
# Without a network npm cannot fetch what the page is made of. That is no reason to refuse the tool,
# so this warns and makes nothing; with COND_VIEWER=required in the environment it fails.
set -u
out=$1
cd "$(dirname "$0")/../viewer" || exit 1

give_up()
{
    echo "The viewer's page was not built: $1" >&2
    rm -f "$out"
    [ "${COND_VIEWER-}" = required ] && exit 1
    exit 0
}

# One build at a time fetches; the folder is shared by all of them.
if ! cmp -s package-lock.json node_modules/.cond-lock; then
    log=$(npm ci --no-audit --no-fund --loglevel=error 2>&1) || give_up "npm ci failed: $log"
    cp package-lock.json node_modules/.cond-lock
fi
log=$(node_modules/.bin/tsc --noEmit 2>&1) || give_up "$log"
log=$(node build.mjs "$out" 2>&1) || give_up "$log"
echo "$log"
