// Triangle mesh, convex or not: the distance to its nearest face, with the sign of the side.
#include "base/error.h"
#include "geometry/mesh_surface.h"
#include "geometry/shape_ops.h"
#include "math/vec3.h"

#include <string.h>

static CondStatus trimesh_check(const CondShape* shape, CondError* error)
{
    return shape->mesh_surface ? COND_OK
                               : cond_error_set(error, COND_BAD_ARGUMENT, "a mesh has no faces");
}

static double trimesh_probe(const CondShape* shape, const double x[3], const double* last,
                            double normal[3])
{
    CondMeshSurfacePoint nearest;
    (void)last; // the nearest face of a mesh moves with the point: there is nothing to choose
    cond_mesh_surface_nearest(shape->mesh_surface, x, &nearest);
    memcpy(normal, nearest.normal, sizeof nearest.normal);
    return nearest.gap;
}

const CondShapeOps COND_MESH_OPS = {COND_FORM_MESH, trimesh_check, trimesh_probe,
                                    cond_mesh_surface_support};
