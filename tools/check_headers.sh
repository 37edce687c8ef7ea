#!/bin/sh
# Compiles each public header alone, twice in one file so that its guard is tried too, as C17 and
# as C++17.
set -eu
cd "$(dirname "$0")/../include"
flags='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I.'
for header in cond/*.h; do
    echo "$header"
    text=$(printf '#include "%s"\n#include "%s"' "$header" "$header")
    # shellcheck disable=SC2086
    echo "$text" | ${CC:-gcc} -std=c17 $flags -x c -
    # shellcheck disable=SC2086
    echo "$text" | ${CXX:-g++} -std=c++17 $flags -x c++ -
done
