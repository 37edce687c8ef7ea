// Rays against shapes, triangles and trees of boxes.
#include "geometry/ray.h"
#include "base/tuning.h"

#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static void point_on(const CondRay* ray, double t, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = ray->origin[k] + t * ray->direction[k];
}

static CondRayHit no_hit(void)
{
    return (CondRayHit){.distance = INFINITY};
}

// A convex set lies behind the plane through its nearest point across the normal n there, so the
// ray, which meets that plane at t + gap/(-n . d), meets the set no earlier; and never where it
// moves away from the plane. For a flat face the first step arrives, for a round one Newton's
// method does. Of any other set only the distance itself is safe to go.
static CondRayHit approach(const CondRay* ray, double limit, const CondShape* shape,
                           const double pose[7], int convex)
{
    double t = 0.0;
    for (int k = 0; k < (convex ? COND_SEARCH_STEPS : COND_MARCH_STEPS) && t <= limit; k++) {
        CondProbe probe;
        double x[3];
        point_on(ray, t, x);
        cond_shape_probe(shape, pose, x, &probe);
        double closing = -vec3_dot(probe.normal, ray->direction);
        if (probe.gap <= COND_ROUNDING * (1.0 + t)) {
            CondRayHit hit = {.distance = t};
            memcpy(hit.normal, probe.normal, sizeof hit.normal);
            return hit;
        }
        if (convex && closing <= 0.0)
            return no_hit();
        t += convex ? probe.gap / closing : probe.gap;
    }
    return no_hit();
}

// Moeller and Trumbore: origin + t d = a + u (b - a) + v (c - a) by Cramer's rule.
double cond_ray_triangle(const CondRay* ray, const double a[3], const double b[3],
                         const double c[3])
{
    const double edge = -COND_ROUNDING; // a ray through an edge hits one of its triangles
    double e1[3], e2[3], p[3], q[3], from[3];
    for (int k = 0; k < 3; k++) {
        e1[k] = b[k] - a[k];
        e2[k] = c[k] - a[k];
        from[k] = ray->origin[k] - a[k];
    }
    vec3_cross(ray->direction, e2, p);
    vec3_cross(from, e1, q);
    double det = vec3_dot(e1, p);
    if (det == 0.0)
        return INFINITY; // along the triangle
    double u = vec3_dot(from, p) / det, v = vec3_dot(ray->direction, q) / det;
    double t = vec3_dot(e2, q) / det;
    return u >= edge && v >= edge && u + v <= 1.0 - edge && t >= 0.0 ? t : INFINITY;
}

// Where the ray enters a box; INFINITY where it does not.
static double enter_box(const CondRay* ray, const double box[6])
{
    double from = 0.0, to = INFINITY;
    for (int k = 0; k < 3; k++) {
        double d = ray->direction[k], low = box[k] - ray->origin[k],
               high = box[3 + k] - ray->origin[k];
        if (d == 0.0) {
            if (low > 0.0 || high < 0.0)
                return INFINITY;
            continue;
        }
        from = fmax(from, fmin(low / d, high / d));
        to = fmin(to, fmax(low / d, high / d));
    }
    return from <= to * (1.0 + COND_ROUNDING) ? from : INFINITY;
}

int cond_ray_tree(const CondRay* ray, const CondTree* tree, CondTreeDistance measure, void* user,
                  double* distance)
{
    int best = -1, n = tree->n > 0 ? 2 * tree->n - 1 : 0;
    for (int i = 0; i < n;) {
        const CondTreeNode* node = &tree->node[i];
        if (enter_box(ray, node->box) * (1.0 - COND_ROUNDING) > *distance) {
            i = node->next;
            continue;
        }
        if (node->primitive >= 0) {
            double found = measure(user, node->primitive);
            if (found < *distance || (found == *distance && best >= 0 && node->primitive < best)) {
                *distance = found;
                best = node->primitive;
            }
        }
        i++;
    }
    return best;
}

// A ray in the axes of a mesh.
typedef struct MeshRay {
    CondRay ray;
    const CondMeshSurface* surface;
} MeshRay;

static double measure_face(void* user, int face)
{
    const MeshRay* m = user;
    const int* corner = m->surface->face + 3 * (size_t)face;
    const double* x = m->surface->vertex;
    return cond_ray_triangle(&m->ray, x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                             x + 3 * (size_t)corner[2]);
}

static CondRayHit meet_mesh(const CondRay* ray, double limit, const CondShape* shape,
                            const double pose[7])
{
    CondProbe probe;
    CondRayHit hit = {.distance = 0.0};
    cond_shape_probe(shape, pose, ray->origin, &probe);
    if (probe.gap <= 0.0) {
        memcpy(hit.normal, probe.normal, sizeof hit.normal);
        return hit;
    }
    MeshRay local = {.surface = shape->mesh_surface};
    double R[9], from[3];
    quat_matrix(pose + 3, R);
    for (int k = 0; k < 3; k++)
        from[k] = ray->origin[k] - pose[k];
    mat3_multiply_transposed(R, from, local.ray.origin);
    mat3_multiply_transposed(R, ray->direction, local.ray.direction);
    hit.distance = nextafter(limit, INFINITY);
    int face =
        cond_ray_tree(&local.ray, &shape->mesh_surface->tree, measure_face, &local, &hit.distance);
    if (face < 0)
        return no_hit();
    mat3_multiply(R, shape->mesh_surface->plane + 4 * (size_t)face, hit.normal);
    return hit;
}

CondRayHit cond_ray_shape(const CondRay* ray, double limit, const CondShape* shape,
                          const double pose[7])
{
    if (shape->form == COND_FORM_MESH && shape->margin == 0.0)
        return meet_mesh(ray, limit, shape, pose);
    return approach(ray, limit, shape, pose, shape->form <= COND_FORM_CONVEX);
}
