#!/bin/sh
# Builds and runs the consumer with pkg-config.   use_pkgconfig.sh PREFIX LIBDIR CC VERSION
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export PKG_CONFIG_PATH="$1/$2/pkgconfig"
# The flags are words of their own, so they stay without quotes.
# shellcheck disable=SC2046
"$3" -std=c17 "$here/consumer.c" -o consumer $(pkg-config --cflags --libs cond)
LD_LIBRARY_PATH="$1/$2" ./consumer "$4"
