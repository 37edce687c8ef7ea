#!/bin/sh
# Uninstalls and finds nothing left.   uninstall.sh PREFIX CMAKE MANIFEST SCRIPT
set -eu
touch "$1/bin/other" # somebody else's
"$2" "-DMANIFEST=$3" -P "$4"
rm "$1/bin/other" # it is still there
left=$(find "$1" -type f -o -type l -o -name cond)
if [ -n "$left" ]; then
    echo "left behind:"
    echo "$left"
    exit 1
fi
"$2" "-DMANIFEST=$3" -P "$4" # again: nothing to do, and no fault
