#!/bin/sh
# Checks every installed scene with the installed tool.   use_tool.sh PREFIX LIBDIR CC VERSION
set -eu
for scene in "$1"/share/cond/scenes/*.yaml; do
    "$1/bin/cond" check "$scene"
done
