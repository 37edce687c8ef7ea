#!/bin/sh
# The Debian packages that COND needs, and why.
#
#   install_packages.sh list demo|check      prints the missing ones, one "package  reason" a line
#   install_packages.sh install demo|check   installs the missing ones
#
# `list` prints every package where dpkg is not there to ask; the reader then installs what the
# distribution calls by these names.
set -eu
export LC_ALL=C

needed()
{
    cat <<'LIST'
cmake             configures the build
ninja-build       runs the build
gcc               C compiler with OpenMP
libc6-dev         C library headers
pkg-config        finds the libraries below
libhdf5-dev       reads and writes contact problems (FCLib) and trajectories
libyaml-dev       reads scenes
libjansson-dev    writes JSON
libxml2-dev       reads robots (URDF) and meshes (VTU)
libqhull-dev      convex hulls of meshes that are not closed
zlib1g-dev        reads compressed meshes (VTU)
gnuplot-nox       draws the plots of reports
libmicrohttpd-dev  serves the viewer on this machine
nodejs            builds the viewer's page
npm               fetches what the page is made of
LIST
    [ "$1" = check ] || return 0
    cat <<'LIST'
g++               checks that the headers serve C++
libassimp-dev     reads meshes of robots in COLLADA, glTF and PLY
libsuitesparse-dev  sparse factorisation, for the solvers COND is compared with
libopenblas-dev   dense linear algebra, for the same
clang             second compiler
libomp-dev        OpenMP for clang
lld               links the tests in a quarter of the time
libclang-rt-dev   clang's sanitizers
clang-format      checks the format of the sources
valgrind          finds memory errors
libcmocka-dev     unit tests
chromium          draws pictures, and tries the viewer
ffmpeg            makes films of pictures
libsiconos-numerics-dev  another solver to be timed beside, and a referee
libbullet-dev     another engine to be compared with on piles of bodies
python3-venv      builds and tests the Python package in environments of its own
python3-dev       headers of Python, for the package's module
python3-h5py      reads recordings as others do
python3-vtk9      reads recordings as ParaView does
openmpi-bin       starts sweeps and environments over ranks
libopenmpi-dev    their messages, and those of cond-mpi
petsc-dev         linear systems of cond-mpi over ranks
libmetis-dev      deals out the meshes of cond-mpi
slurmctld         hands out the sweeps of the tests as job arrays
slurmd            runs them, two node daemons on this machine
slurm-client      submits them
LIST
}

installed()
{
    # Node.js may come from elsewhere, with npm in it.
    case $1 in
    nodejs | npm) command -v "$(echo "$1" | sed s/js$//)" >/dev/null && return 0 ;;
    esac
    case $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) in
    installed*) return 0 ;;
    esac
    return 1
}

list()
{
    needed "$1" | while read -r package reason; do
        if ! command -v dpkg-query >/dev/null || ! installed "$package"; then
            printf '%-16s  %s\n' "$package" "$reason"
        fi
    done
}

install()
{
    packages=$(list "$1" | while read -r package reason; do echo "$package"; done)
    [ -n "$packages" ] || return 0
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get update -q || echo "apt-get update failed; trying with the lists at hand"
    # The package names are words of their own, so they stay without quotes.
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 $packages
}

case "${1-} ${2-}" in
"list demo" | "list check") list "$2" ;;
"install demo" | "install check") install "$2" ;;
*)
    echo "usage: install_packages.sh list|install demo|check" >&2
    exit 1
    ;;
esac
