#!/bin/sh
# cond-mpi over 1, 2, 3 and 4 ranks of this machine: the certificate and the velocities of one rank, a rank
# that dies, checkpoints for another number of ranks, and what is refused.
# usage: mpi_ranks.sh COND_MPI COND SCENES SOURCE
set -eu
tool=$1 cond=$2 scenes=$3 source=$4
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ranks()
{
    n=$1
    shift
    mpirun --oversubscribe --mca mpi_yield_when_idle 1 --mca btl self,vader -n "$n" "$tool" "$@"
}

fail()
{
    echo "FAILED: $1"
    exit 1
}

# A number of a JSON file is at most a bound.
at_most()
{
    value=$(sed -n "s/^ \"$2\": \([-0-9.e+]*\),*\$/\1/p" "$1")
    echo "$1 $2 $value"
    awk -v x="$value" -v most="$3" 'BEGIN { exit !(x != "" && x + 0 <= most + 0) }' || fail "$1: $2 is $value, not $3"
}

# The same steps from the same state, both at 1e-10.
compare()
{
    n=$1 name=$2 scene=$3
    shift 3
    ranks "$n" run "$scene" --tol 1e-10 --compare --json "$work/$name$n.json" "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "$name over $n ranks"
    }
    at_most "$work/$name$n.json" certificate 1e-10
    at_most "$work/$name$n.json" difference 1e-6
}

for n in 1 3; do
    ranks "$n" solve "$source/test/data/fclib/LMGC_GFC3D-i00501-4-00000.hdf5" --json "$work/solve$n.json" >/dev/null
    at_most "$work/solve$n.json" dynamics 1e-8
    at_most "$work/solve$n.json" contact 1e-8
done

"$cond" run "$scenes/ball.yaml" --steps 45 --threads 1 --save "$work/ball.state" >/dev/null 2>&1
"$cond" run "$source/mpi/scenes/softballs.yaml" --steps 5 --threads 1 --save "$work/softballs.state" >/dev/null 2>&1
compare 4 mat "$scenes/mat.yaml" --steps 1
compare 2 ball "$scenes/ball.yaml" --resume "$work/ball.state" --steps 1
compare 3 softballs "$source/mpi/scenes/softballs.yaml" --resume "$work/softballs.state" --steps 1

# A rank dies: the run ends, says so, and what was saved is whole; three ranks go on from there.
ranks 2 run "$scenes/ball.yaml" --steps 100000 --save "$work/dies.state" --save-every 1 >"$work/log" 2>&1 &
run=$!
for try in $(seq 1 300); do
    [ ! -s "$work/dies.state" ] || break
    sleep 0.1
done
victim=$(pgrep -f "$work/dies.state" | tail -n 1)
kill -9 "$victim"
wait "$run" && fail "a run whose rank died ended well"
grep -q "a rank has died; .*dies.state holds the state after" "$work/log" || {
    cat "$work/log"
    fail "nothing was said of the checkpoint"
}
ranks 3 run "$scenes/ball.yaml" --resume "$work/dies.state" --steps 1 --tol 1e-6 --json "$work/resumed.json" >/dev/null
at_most "$work/resumed.json" certificate 1e-6

# What it cannot do has a name.
ranks 2 run "$scenes/cable.yaml" --steps 1 >"$work/log" 2>&1 && fail "a rod was not refused"
grep -q "bodies.cable: rods are not spread over ranks" "$work/log" || {
    cat "$work/log"
    fail "a rod was refused without its name"
}
echo "all of it holds"
