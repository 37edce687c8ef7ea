// Rigid shapes with a pose: the signed distance of a point and bounding boxes. A pose is position
// [m] and unit quaternion: (x, y, z, qw, qx, qy, qz).
#ifndef COND_GEOMETRY_SHAPE_H
#define COND_GEOMETRY_SHAPE_H

#include "cond/status.h"

// A form is what collision sees. (The shape kinds of a scene are what a user writes.)
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
    double margin;  // the surface lies this far outside the form, edges rounded [m], >= 0
    const struct CondMeshSurface* mesh_surface; // convex and mesh; not owned
} CondShape;

// Where a point lies relative to a surface. Always point_asked = point + gap normal.
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

// COND_BAD_ARGUMENT and a message that names the field, where a size makes no sense.
CondStatus cond_shape_check(const CondShape* shape, CondError* error);

// Gap, normal and closest point of a world point. Where several surface points are equally near
// (centre, medial axis), the first face or the first axis is taken: the same input gives the same
// normal.
void cond_shape_probe(const CondShape* shape, const double pose[7], const double point[3],
                      CondProbe* probe);

// The same for a point followed in time. Deep inside, where the nearest face is about to change,
// the face most along last_normal (world, from the last step) is kept while it lies at most a tenth
// deeper than the nearest; on an axis or centre last_normal is used as it is. The gap then belongs
// to the face kept. last_normal may be NULL.
void cond_shape_probe_again(const CondShape* shape, const double pose[7], const double point[3],
                            const double* last_normal, CondProbe* probe);

// The same for a point inside, or less than a thousandth of the size outside, that may leave in
// certain directions only: through the nearest face whose normal (world) is allowed. A corner that
// stands exactly on the rim of a face is on it, whatever rounding says. `probe` holds what the
// plain probe found. 0 when there is no such face, and for spheres, capsules and planes; the probe
// is then left as it is.
typedef int (*CondNormalAllowed)(void* user, const double normal[3]);
int cond_shape_probe_allowed(const CondShape* shape, const double pose[7], const double point[3],
                             CondNormalAllowed allowed, void* user, CondProbe* probe);

// The smallest axis-aligned box, margin included: low[3], high[3]. A plane has infinite sides.
void cond_shape_bound(const CondShape* shape, const double pose[7], double box[6]);

#endif
