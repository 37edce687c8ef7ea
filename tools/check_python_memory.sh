#!/usr/bin/env bash
# Uses the Python package at random under the address and undefined behaviour sanitizers, and looks for memory of the
# library that nobody refers to at the end.     check_python_memory.sh SECONDS [SEED [PYTHON]]
# PYTHON: one with cffi and NumPy; by default that of tools/check_python.sh.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
seconds=${1:?usage: check_python_memory.sh SECONDS [SEED [PYTHON]]}
seed=${2:-0}
python=${3:-$PWD/build/python-check/test-env/bin/python}
cmake --preset sanitize -DCOND_PYTHON=ON -DPython_EXECUTABLE="$python" >/dev/null
cmake --build --preset sanitize --parallel "$(nproc)" --target python >/dev/null
log=build/logs/python-memory
mkdir -p build/logs
rm -f "$log".*
# Python itself is not instrumented: its own memory at the end is no leak of ours.
status=0
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" PYTHONMALLOC=malloc \
    PYTHONPATH=build/sanitize/python OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive \
    ASAN_OPTIONS="detect_leaks=1:exitcode=0:log_path=$log:fast_unwind_on_malloc=1:malloc_context_size=12" \
    UBSAN_OPTIONS="print_stacktrace=1" "$python" python/tests/random_use.py "$seconds" "$seed" || status=$?
if [ "$status" -ne 0 ]; then
    echo "ended with status $status"
    cat "$log".* 2>/dev/null || true
    exit 1
fi
# A leak is ours where one of the innermost frames is in the module.
awk '
    /^(Direct|Indirect) leak/ { text = $0; ours = 0; depth = 0; next }
    /^    #/ { text = text "\n" $0; if (depth++ < 8 && / in (cond_|_cffi_f_cond_)|_cond\.abi3\.so/) ours = 1; next }
    /^$/ { if (ours) { print text; found++ } ours = 0; text = "" }
    /ERROR: AddressSanitizer/ { print; found++ }
    END { exit found > 0 }' /dev/null $(ls "$log".* 2>/dev/null) || { echo "memory of the library was lost"; exit 1; }
echo "no error, nothing lost"
