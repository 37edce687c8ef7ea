#!/bin/sh
# The emulated device finds each of the faults of faults.cu.
#     faults.sh PROGRAM
set -u
program=$1
failed=0

finds() # FAULT MESSAGE
{
    said=$("$program" "$1" 2>&1)
    status=$?
    case $said in
    *"$2"*) ;;
    *) status=0 ;;
    esac
    if [ "$status" -eq 0 ]; then
        echo "$1 is not found: $said"
        failed=1
    fi
}

finds barrier "waits for its block"
finds exit "has ended"
finds collective "not all of which come"
finds grid "not cooperative"
finds overrun "a kernel or a copy reads or writes memory of the device"
finds host "the host reads or writes memory of the device"
finds pointer "of the host"
finds wait "sum"
forward=$(COND_EMULATED_ORDER=forward "$program" order)
reverse=$(COND_EMULATED_ORDER=reverse "$program" order)
if [ "$forward" = "$reverse" ]; then
    echo "order is not found: $forward"
    failed=1
fi
exit "$failed"
