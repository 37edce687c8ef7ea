#!/bin/sh
# Builds and runs a program with find_package(cond): one that reads files, and one with the core alone,
# for which none of what libcond_io stands on is looked for.   use_cmake.sh PREFIX LIBDIR CC VERSION
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build() # COMPONENTS LIBRARY SOURCE
{
    rm -rf consumer
    cmake -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
        -DCOMPONENTS="$1" -DLIBRARY="$2" -DSOURCE="$3"
    cmake --build consumer
}
prefix=$1
cc=$3
build io cond::io "$here/consumer.c"
./consumer/consumer "$4"
build core cond::cond "$here/../../examples/core.c"
./consumer/consumer
if grep -q HDF5 consumer/CMakeCache.txt; then
    echo "the core alone looked for HDF5"
    exit 1
fi
