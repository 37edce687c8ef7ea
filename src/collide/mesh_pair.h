// Closed triangle meshes that are not convex, against planes, convex shapes and each other.
#ifndef COND_COLLIDE_MESH_PAIR_H
#define COND_COLLIDE_MESH_PAIR_H

#include "collide/pair.h"

// The corners of a mesh within `far` of a plane: the lowest ones as one manifold, and the others.
CondStatus cond_mesh_on_plane(const CondCore* mesh, const double n[3], double offset, double far,
                              double small, CondManifold* part, CondManifold* manifold);

// Writes the contacts of a convex core with a mesh to work->manifold. A flat face of the mesh makes
// contact along its own normal, a convex edge along a normal between those of its faces, a corner
// along one between those of its edges. flip: the mesh is side 0.
CondStatus cond_mesh_meets_core(CondPairWork* work, const CondCore* mesh, const CondCore* core,
                                const CondShape* shape, int flip, double far, double small);
// Two meshes: corners of each on the faces of the other, and edges across edges.
CondStatus cond_mesh_meets_mesh(CondPairWork* work, const CondCore* a, const CondCore* b,
                                double far, double small);

#endif
