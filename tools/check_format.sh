#!/bin/sh
# Says where the sources differ from .clang-format; --fix rewrites them instead.
set -eu
cd "$(dirname "$0")/.."
mode='--dry-run --Werror'
[ "${1-}" != --fix ] || mode=-i
# shellcheck disable=SC2086
find include src baselines cli mpi test examples bench \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) 2>/dev/null | sort |
    xargs clang-format $mode
