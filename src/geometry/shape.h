// Rigid shapes with a pose: the signed distance of a point and bounding boxes. A pose is position
// [m] and unit quaternion: (x, y, z, qw, qx, qy, qz).
#ifndef COND_GEOMETRY_SHAPE_H
#define COND_GEOMETRY_SHAPE_H

#include "cond/status.h"

// The form of a shape in collision detection. (CondShapeKind is the kind that a scene gives.)
typedef enum CondShapeForm {
    COND_FORM_PLANE = 0,    // the half-space z <= 0
    COND_FORM_SPHERE = 1,   // radius
    COND_FORM_CAPSULE = 2,  // radius around the segment |z| <= half[2] on the z axis
    COND_FORM_BOX = 3,      // |x_i| <= half[i]
    COND_FORM_CYLINDER = 4, // x^2 + y^2 <= radius^2, |z| <= half[2]
    COND_FORM_CONVEX = 5,   // a closed convex triangle mesh
    COND_FORM_MESH = 6,     // any closed triangle mesh
} CondShapeForm;

struct CondMeshSurface;

typedef struct CondShape {
    CondShapeForm form;
    double radius;  // sphere, capsule, cylinder [m]
    double half[3]; // half edges of the box; half[2]: half length of capsule and cylinder [m]
    double margin;  // the surface lies this far outside the form, with rounded edges [m], >= 0
    const struct CondMeshSurface* mesh_surface; // convex and mesh; not owned
} CondShape;

// The position of a query point relative to a surface: query point = point + gap normal.
typedef struct CondProbe {
    double gap;       // signed distance [m], negative inside
    double normal[3]; // outward, world: the gradient of gap
    double point[3];  // closest point of the surface, world [m]
} CondProbe;

// 1 for spheres, capsules and cylinders.
static inline int cond_shape_is_round(const CondShape* shape)
{
    return shape->form == COND_FORM_SPHERE || shape->form == COND_FORM_CAPSULE ||
           shape->form == COND_FORM_CYLINDER;
}

// COND_BAD_ARGUMENT, with a message that names the field, if a size is invalid.
CondStatus cond_shape_check(const CondShape* shape, CondError* error);

// Gap, normal and closest point of a world point. Where several surface points are equally near
// (centre, medial axis), the first face or the first axis is taken: the same input gives the same
// normal.
void cond_shape_probe(const CondShape* shape, const double pose[7], const double point[3],
                      CondProbe* probe);

// The same for a point that is tracked over time. Deep inside, where the nearest face may
// alternate, the face most along last_normal (world, from the last step) is kept while it is at
// most a tenth deeper than the nearest; on an axis or centre last_normal itself is used. The gap is
// then that of the kept face. last_normal may be NULL.
void cond_shape_probe_again(const CondShape* shape, const double pose[7], const double point[3],
                            const double* last_normal, CondProbe* probe);

// The same for a point inside, or less than a thousandth of the size outside, that may leave only
// in certain directions: through the nearest face whose normal (world) is allowed. A corner exactly
// on the rim of a face counts as on it, regardless of rounding. On entry `probe` holds the result
// of cond_shape_probe. Returns 0, with the probe unchanged, if there is no such face, and for
// spheres, capsules and planes.
typedef int (*CondNormalAllowed)(void* user, const double normal[3]);
int cond_shape_probe_allowed(const CondShape* shape, const double pose[7], const double point[3],
                             CondNormalAllowed allowed, void* user, CondProbe* probe);

// The smallest axis-aligned box, margin included: low[3], high[3]. A plane has infinite sides.
void cond_shape_bound(const CondShape* shape, const double pose[7], double box[6]);

#endif
