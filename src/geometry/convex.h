// A convex solid given by its closed triangle mesh.
#ifndef COND_GEOMETRY_CONVEX_H
#define COND_GEOMETRY_CONVEX_H

#include "geometry/mesh_surface.h"

typedef CondMeshSurface CondConvex;

// Copies the mesh. If all triangles face inward, all are reversed. COND_BAD_ARGUMENT when the mesh
// is not closed, not oriented the same way all over, has a triangle without area, or a vertex is in
// front of the plane of a face by more than 1e-6 of the size.
CondStatus cond_convex_create(const CondContext* context, int n_vertex, const double* vertex,
                              int n_face, const int* face, CondConvex** out, CondError* error);

#endif
