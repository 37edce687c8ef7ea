#!/bin/sh
# Makes the meshes of scenes/hertz.yaml anew, with gmsh.
set -eu
cd "$(dirname "$0")/../scenes"
for n in 2 3 4 6; do
    gmsh -3 -nt 1 -v 2 -setnumber n "$n" -bin -format msh22 hertz.geo -o "hertz_$n.msh"
done
