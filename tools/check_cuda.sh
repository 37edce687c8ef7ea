#!/usr/bin/env bash
# Compiles the CUDA sources with nvcc from PyPI, links the tool with them, and sees that it runs on a machine
# without a device: `cond --version` says so, and --device cuda is refused. Says one line and does nothing where
# PyPI cannot be reached. What is downloaded (370 MB) stays in build/cuda-env.
#     tools/check_cuda.sh [PYTHON]
set -eu
export LC_ALL=C PIP_DISABLE_PIP_VERSION_CHECK=1
cd "$(dirname "$0")/.."
python=${1:-/usr/bin/python3}
env=$PWD/build/cuda-env
packages="nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl"

if [ ! -f "$env/packages" ] || [ "$(cat "$env/packages")" != "$packages" ]; then
    rm -rf "$env"
    "$python" -m venv "$env"
    # shellcheck disable=SC2086
    if ! "$env/bin/pip" install --quiet $packages; then
        rm -rf "$env"
        echo "The CUDA sources are left out: PyPI cannot be reached"
        exit 0
    fi
    echo "$packages" >"$env/packages"
fi
nvcc=$(find "$env" -path '*/bin/nvcc' | head -n 1)
"$nvcc" --version | tail -n 1

build=build/cuda
LDFLAGS="${LDFLAGS-} -fuse-ld=lld" cmake --preset release -B "$build" -DCOND_CUDA=ON -DCOND_TESTS=OFF \
    -DCOND_NVCC="$nvcc" >"$build.log" 2>&1 || { tail -n 20 "$build.log"; exit 1; }
cmake --build "$build" --parallel "$(nproc)" --target cond_cli cond_cuda_test
"$build/bin/cond" --version
if "$build/bin/cond" --version | grep -q '^cuda none'; then
    if "$build/bin/cond" run ball --steps 1 --quiet --device cuda 2>"$build.log"; then
        echo "--device cuda runs without a device"
        exit 1
    fi
    grep 'solver.device: cuda' "$build.log"
fi
"$build/bin/cond" run ball --steps 2 --device auto
