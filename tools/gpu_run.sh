#!/usr/bin/env bash
# What a machine with a GPU is asked: the test program, compute-sanitizer on small cases, times of a solve by kernels,
# and `cond bench gpu`. Unpacks build/gpu/bundle.tar.xz (tools/gpu_bundle.sh) and leaves its logs in the folder OUT.
#     OUT=FOLDER tools/gpu_run.sh [SECONDS]                 all of it in about so many seconds (180)
set -u
cd "$(dirname "$0")/.."
out=${OUT:-build/gpu/out}
limit=${1:-180}
start=$(date +%s)
mkdir -p "$out"
rm -rf /tmp/cond-gpu
mkdir -p /tmp/cond-gpu
tar -C /tmp/cond-gpu -xJf build/gpu/bundle.tar.xz ||
    python3 -c 'import tarfile; tarfile.open("build/gpu/bundle.tar.xz").extractall("/tmp/cond-gpu")'
cd /tmp/cond-gpu/bundle || exit 1
export COND_VIEWER=off

# Runs a program of the bundle for at most so many seconds, and not beyond the limit: seconds, name, program, arguments.
run() {
    left=$((limit - $(date +%s) + start))
    most=$1 name=$2
    shift 2
    [ "$left" -gt 3 ] || { echo "no time left for $name"; return; }
    [ "$most" -lt "$left" ] || most=$left
    from=$(date +%s)
    timeout "$most" ${before-} ${loader-} "$@" >part.log 2>&1
    echo "== $name: exit $?, $(($(date +%s) - from)) s" | tee -a "$out/run.log"
    cat part.log >>"$out/run.log"
    tail -n "${lines:-12}" part.log
}

loader="./lib/ld-linux-x86-64.so.2 --library-path ./lib"
native=$loader # sanitizers want a program that starts by itself
! ./cond_cuda_test verbs 1 >/dev/null 2>&1 || native=
nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader 2>/dev/null | tee "$out/run.log"
lines=40 run 25 elements ./cond_cuda_test elements
run 15 verbs ./cond_cuda_test verbs
lines=20 run 20 steps ./cond_cuda_test steps
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
if [ -n "$sanitizer" ]; then
    loader=$native
    before="$sanitizer --tool memcheck --error-exitcode 9" run 20 memcheck-elements ./cond_cuda_test elements 24
    before="$sanitizer --tool memcheck --error-exitcode 9" run 20 memcheck-steps ./cond_cuda_test steps 24
    before="$sanitizer --tool racecheck --error-exitcode 9" run 15 racecheck-elements ./cond_cuda_test elements 12
    loader="./lib/ld-linux-x86-64.so.2 --library-path ./lib"
fi
lines=80 run 30 times-1M ./cond_cuda_test times 408
run 50 bench ./cond bench gpu --scenes "lying 15k,lying 150k,lying 1M" --threads 16 --json "$out/bench.json"
run 60 bench-3M ./cond bench gpu --scenes "lying 3M" --steps 1 --threads 16 --json "$out/bench-3M.json"
