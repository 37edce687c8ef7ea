// The core of a convex shape: the shape without what rounds it.
#include "geometry/core.h"

#include "geometry/mesh_surface.h"
#include "math/quat.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

void cond_core_make(const CondShape* shape, const double pose[7], const double origin[3],
                    CondCore* core)
{
    *core = (CondCore){
        .form = shape->form, .round = shape->margin, .mesh_surface = shape->mesh_surface};
    quat_matrix(pose + 3, core->R);
    for (int i = 0; i < 3; i++)
        core->p[i] = pose[i] - origin[i];
    memcpy(core->half, shape->half, sizeof core->half);
    if (shape->form == COND_FORM_SPHERE || shape->form == COND_FORM_CAPSULE)
        core->round += shape->radius;
    else
        core->disc = shape->radius;
    if (shape->form != COND_FORM_BOX)
        core->half[0] = core->half[1] = 0.0;
    if (shape->form == COND_FORM_SPHERE)
        core->half[2] = 0.0;
    core->size = 2.0 * (vec3_norm(core->half) + core->disc + core->round);
    if (shape->mesh_surface)
        core->size = shape->mesh_surface->size + 2.0 * core->round;
}

void cond_core_between(const double p[3], const double q[3], CondCore* line)
{
    double d[3], F[9];
    *line = (CondCore){.form = COND_FORM_CAPSULE};
    for (int i = 0; i < 3; i++) {
        d[i] = q[i] - p[i];
        line->p[i] = 0.5 * (p[i] + q[i]);
    }
    line->size = vec3_norm(d);
    line->half[2] = 0.5 * line->size;
    for (int i = 0; i < 3; i++)
        d[i] /= line->size;
    mat3_frame(d, d, F);
    for (int i = 0; i < 3; i++) {
        line->R[3 * i] = F[3 + i];
        line->R[3 * i + 1] = F[6 + i];
        line->R[3 * i + 2] = d[i];
    }
}

static void corner_support(const CondMeshSurface* mesh_surface, const double d[3], double x[3])
{
    const double* best = mesh_surface->vertex;
    double most = -INFINITY;
    for (int k = 0; k < mesh_surface->poly.n_corner; k++) {
        const double* v = mesh_surface->vertex + 3 * (size_t)mesh_surface->poly.corner[k];
        double along = vec3_dot(d, v);
        if (along > most) {
            most = along;
            best = v;
        }
    }
    memcpy(x, best, 3 * sizeof *x);
}

static void local_support(const CondCore* core, const double d[3], int flip, double x[3])
{
    const double tie = flip ? -1.0 : 1.0;
    switch (core->form) {
    case COND_FORM_CONVEX:
    case COND_FORM_MESH:
        corner_support(core->mesh_surface, d, x);
        return;
    case COND_FORM_CYLINDER: {
        double across = scalar_length(d[0], d[1]);
        x[0] = across > 0.0 ? core->disc * d[0] / across : tie * core->disc;
        x[1] = across > 0.0 ? core->disc * d[1] / across : 0.0;
        x[2] = (d[2] != 0.0 ? d[2] : tie) > 0.0 ? core->half[2] : -core->half[2];
        return;
    }
    default:
        for (int i = 0; i < 3; i++)
            x[i] = (d[i] != 0.0 ? d[i] : tie) > 0.0 ? core->half[i] : -core->half[i];
    }
}

void cond_core_support(const CondCore* core, const double d[3], int flip, double x[3])
{
    double local[3], at[3];
    mat3_multiply_transposed(core->R, d, local);
    local_support(core, local, flip, at);
    cond_core_place(core, at, x);
}

double cond_cores_apart(const CondCore* a, const CondCore* b, const double n[3], double x[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double pa[3], pb[3];
    cond_core_support(a, back, 0, pa);
    cond_core_support(b, n, 1, pb);
    for (int i = 0; i < 3; i++)
        x[i] = pa[i] - pb[i];
    return vec3_dot(n, x);
}
