#!/bin/sh
# The programs of a GPU machine with the emulated device. `steps`, `deep` and `scenes` make each run
# twice, in orders of blocks, warps and lanes that are drawn anew, and ask for the same bits; what
# the others print must be the same in three orders.
#     emulated.sh verbs|elements|memory|steps|deep|scenes CUDA_TEST CUDA_SCENE SCENES
set -eu
what=$1 test=$2 scene=$3 scenes=$4

run()
{
    case $what in
    verbs) "$test" verbs 5000 ;;
    elements) "$test" elements 9 ;;
    memory) # what the table of the device takes, the first arrays of a body, and so on
        for bytes in 100000 700000 900000 1400000 2000000 2600000; do
            COND_EMULATED_MEMORY=$bytes "$test" memory
        done
        ;;
    deep) "$test" deep ;; # the fewest levels of which one block makes some alone
    steps) "$test" steps 18 ;; # the fewest nodes with which Newton's method runs on the device
    scenes)
        "$scene" "$scenes/ball.yaml" 1
        "$scene" "$scenes/mat.yaml" 1 solver.multilevel=on
        "$scene" "$scenes/shaker.yaml" 2
        "$scene" "$scenes/hills.yaml" 2
        ;;
    esac
}

case $what in
steps | deep | scenes | memory)
    COND_EMULATED_ORDER=7 run
    exit
    ;;
esac
for order in forward reverse 7; do
    if ! COND_EMULATED_ORDER=$order run >"$what-$order.txt" 2>&1; then
        cat "$what-$order.txt"
        exit 1
    fi
    # Times differ.
    sed '/ calls .* each/d' "$what-$order.txt" >"$what-$order.same"
    if ! diff "$what-forward.same" "$what-$order.same"; then
        echo "the order $order changes what the kernels compute"
        exit 1
    fi
done
cat "$what-forward.txt"
