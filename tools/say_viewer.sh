#!/bin/sh
# Says how a recording can be looked at, or why it cannot:   say_viewer.sh BUILD RECORDING
page=$1/share/cond/viewer.html
if [ -s "$page" ]; then
    printf 'To see the recording move:\n\n    %s/bin/cond view %s\n' "$1" "$2"
    exit 0
fi
printf 'The recording is %s. The viewer cannot show it yet, for its page could not be built:\n\n' "$2"
if [ -s "$page.missing" ]; then
    sed -n "1s/^The viewer's page was not built: /    /p" "$page.missing"
else
    printf '    Node.js, npm or libmicrohttpd is missing\n'
fi
printf '\nWith Node.js, npm and a network at hand, ./demo builds it and goes on from here. Until then\n'
printf 'ParaView opens the recording, and h5py reads it (docs/recording.md).\n'
