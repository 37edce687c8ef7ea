#!/usr/bin/env bash
# Packs what a machine with a GPU needs to run tools/gpu_run.sh, and nothing else has to be there: the tool and the
# test program with CUDA, their shared libraries and the loader. Makes build/gpu/bundle.tar.xz from build/cuda, which
# tools/check_cuda.sh builds; the file must stay below 64 MiB.
#     tools/gpu_bundle.sh
set -eu
cd "$(dirname "$0")/.."
build=build/cuda
cmake --build "$build" --parallel "$(nproc)" --target cond_cli cond_cuda_test
rm -rf build/gpu
mkdir -p build/gpu/bundle/lib
for program in cond cond_cuda_test; do
    strip -o "build/gpu/bundle/$program" "$build/bin/$program"
    ldd "$build/bin/$program" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }'
done | sort -u | xargs -I{} cp -L {} build/gpu/bundle/lib/
cp -r scenes build/gpu/bundle/scenes
tar -C build/gpu -cf - bundle | xz -T0 -6 >build/gpu/bundle.tar.xz
rm -rf build/gpu/bundle
ls -l build/gpu/bundle.tar.xz
