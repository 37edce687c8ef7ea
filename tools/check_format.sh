#!/bin/sh
# Says where the sources differ from .clang-format, and which do not say in a comment at their top what
# they are; --fix rewrites the former instead.
set -eu
cd "$(dirname "$0")/.."
mode='--dry-run --Werror'
[ "${1-}" != --fix ] || mode=-i
sources=$(find include src baselines cli mpi test examples bench \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) 2>/dev/null | sort)
status=0
for source in $sources; do
    read -r first <"$source"
    case $first in
    //* | /\**) ;;
    *)
        echo "$source: no comment at its top says what it is"
        status=1
        ;;
    esac
done
# shellcheck disable=SC2086
clang-format $mode $sources
exit $status
