#!/bin/sh
# Builds and runs a program that reads files, and one with the core alone, with pkg-config.
#     use_pkgconfig.sh PREFIX LIBDIR CC VERSION
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export PKG_CONFIG_PATH="$1/$2/pkgconfig"
# The flags are words of their own, so they stay without quotes.
# shellcheck disable=SC2046
"$3" -std=c17 "$here/consumer.c" -o consumer $(pkg-config --cflags --libs cond_io)
LD_LIBRARY_PATH="$1/$2" ./consumer "$4"
# shellcheck disable=SC2046
"$3" -std=c17 "$here/../../examples/core.c" -o core $(pkg-config --cflags --libs cond)
LD_LIBRARY_PATH="$1/$2" ./core
if ldd core | grep -E 'hdf5|yaml|xml|openblas|lapack|libz'; then
    echo "the core stands on more than OpenMP and libm"
    exit 1
fi
