// Triangle mesh, convex or not: the distance to its nearest face, with the sign of the side.
#include "base/error.h"
#include "geometry/shape_ops.h"
#include "geometry/shell.h"
#include "math/vec3.h"

#include <string.h>

static CondStatus trimesh_check(const CondShape* shape, CondError* error)
{
    return shape->shell ? COND_OK : cond_error_set(error, COND_BAD_ARGUMENT, "a mesh has no faces");
}

static double trimesh_probe(const CondShape* shape, const double x[3], const double* last,
                            double normal[3])
{
    CondShellPoint nearest;
    (void)last; // the nearest face of a mesh moves with the point: there is nothing to choose
    cond_shell_nearest(shape->shell, x, &nearest);
    memcpy(normal, nearest.normal, sizeof nearest.normal);
    return nearest.gap;
}

const CondShapeOps COND_MESH_OPS = {COND_FORM_MESH, trimesh_check, trimesh_probe,
                                    cond_shell_support};
