#!/bin/sh
# Builds and runs the consumer with find_package(cond).   use_cmake.sh PREFIX LIBDIR CC VERSION
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf consumer
cmake -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$1" -DCMAKE_C_COMPILER="$3"
cmake --build consumer
./consumer/consumer "$4"
