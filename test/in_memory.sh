#!/bin/sh
# in_memory.sh COMMAND...: runs it in a folder of its own in memory, where there is one, for tests that
# write thousands of small files; the folder is gone afterwards.
if [ -d /dev/shm ] && folder=$(mktemp -d /dev/shm/cond-test-XXXXXX 2>/dev/null); then
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 143' HUP INT TERM
    cd "$folder" || exit 1
fi
"$@"
