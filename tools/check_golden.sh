#!/usr/bin/env bash
# Holds the bits of all scenes that ship with COND against each other: made by gcc and clang, optimised
# with 1, 2, 3, 4, 7 and 16 threads (more than there are processors), and with --all also not optimised with 4 (test/golden/golden.c). Where the machine's libm is the one
# that test/golden/hashes.txt was made with, against those as well.
#     tools/check_golden.sh [--all]    builds what is missing and compares
#     tools/check_golden.sh --update   also keeps the hashes, after a change that is meant to change bits
set -eu
export LC_ALL=C OMP_WAIT_POLICY=passive
cd "$(dirname "$0")/.."
kept=test/golden/hashes.txt
work=build/golden
mkdir -p "$work"

presets="release clang"
[ "${1-}" != --all ] || presets="$presets debug debug-clang"
for preset in $presets; do
    [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
    cmake --build --preset "$preset" --parallel "$(nproc)" --target golden
done

# materials.yaml is a library that other scenes read.
scenes=$(ls scenes/*.yaml | grep -v '/materials.yaml$')
make() # PRESET THREADS
{
    # shellcheck disable=SC2086
    "build/$1/bin/golden" "$2" $scenes >"$work/$1.txt"
}
make release 1,2,3,4,7,16
make clang 1,2,3,4,7,16
if [ "${1-}" = --all ]; then
    make debug 4 &
    first=$!
    make debug-clang 4
    wait "$first"
fi

status=0
for preset in ${presets#release }; do
    if ! diff "$work/release.txt" "$work/$preset.txt"; then
        echo "$preset makes other bits than release"
        status=1
    fi
done
if [ "${1-}" = --update ]; then
    cp "$work/release.txt" "$kept"
elif [ "$(head -n 1 "$kept")" != "$(head -n 1 "$work/release.txt")" ]; then
    echo "the libm of this machine is not the one the kept hashes were made with: they are left aside"
elif ! diff "$kept" "$work/release.txt"; then
    echo "other bits than those of $kept; where that is meant: tools/check_golden.sh --update"
    status=1
fi
[ "$status" -ne 0 ] || echo "$(($(wc -l <"$work/release.txt") - 1)) scenes: the same bits in all builds"
exit "$status"
