// Building an articulated body: links and shapes one by one, their checks, and the numbering of
// coordinates with mimic joints resolved.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "linear/cholesky.h"
#include "math/quat.h"
#include "model/articulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_articulation_create(const CondContext* context, CondArticulation** articulation,
                                    CondError* error)
{
    CondContext kept = cond_context_or_default(context);
    *articulation = NULL;
    CondArticulation* a = cond_allocate(&kept, 1, sizeof *a);
    if (!a)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for an articulated body");
    cond_arena_begin(&kept, &a->arena);
    a->base_orientation[0] = 1.0;
    *articulation = a;
    return COND_OK;
}

void cond_articulation_destroy(CondArticulation* a)
{
    if (!a)
        return;
    CondContext context = a->arena.context;
    cond_arena_release(&a->arena);
    cond_release(&context, a);
}

CondLink cond_link_default(void)
{
    CondLink link = {.parent = -1,
                     .kind = COND_LINK_FIXED,
                     .orientation = {1.0, 0.0, 0.0, 0.0},
                     .axis = {1.0, 0.0, 0.0},
                     .lower = -INFINITY,
                     .upper = INFINITY,
                     .velocity = INFINITY,
                     .effort = INFINITY,
                     .effort_back = INFINITY,
                     .mimic = -1,
                     .multiplier = 1.0,
                     .coordinate = -1,
                     .scale = 1.0,
                     .ball = -1};
    return link;
}

CondLinkShape cond_link_shape_default(void)
{
    CondLinkShape shape = {.orientation = {1.0, 0.0, 0.0, 0.0},
                           .colour = {-1.0f, -1.0f, -1.0f, -1.0f},
                           .skin = {.friction = {NAN, NAN}, .restitution = NAN}};
    return shape;
}

static int finite(int n, const double* x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

int cond_link_is_pose(const double position[3], const double q[4])
{
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return finite(3, position) &&
           fabs(square - 1.0) < COND_SINGLE_PRECISION; // false for NaN as well
}

// 1 for joints whose axis counts.
static int has_axis(CondLinkJointKind kind)
{
    return kind != COND_LINK_FIXED && kind != COND_LINK_SPHERICAL && kind != COND_LINK_FLOATING;
}

CondStatus cond_link_check_joint(const CondLink* link, CondError* error)
{
    CondStatus bad = COND_BAD_ARGUMENT;
    const char* name = link->joint;
    if (!cond_link_is_pose(link->position, link->orientation))
        return cond_error_set(error, bad, "joint '%s': its origin is not a pose", name);
    if (link->kind == COND_LINK_FIXED)
        return COND_OK;
    double length = has_axis(link->kind) ? vec3_norm(link->axis) : 1.0;
    if (!isfinite(length) || !(length > COND_INPUT_ROUNDING))
        return cond_error_set(error, bad, "joint '%s': the axis is zero or not finite", name);
    if (!(link->lower <= link->upper))
        return cond_error_set(error, bad, "joint '%s': lower limit %g is above upper limit %g",
                              name, link->lower, link->upper);
    if (!(link->velocity >= 0.0))
        return cond_error_set(error, bad, "joint '%s': velocity limit %g is negative", name,
                              link->velocity);
    if (!(link->effort >= 0.0))
        return cond_error_set(error, bad, "joint '%s': effort limit %g is negative", name,
                              link->effort);
    if (!(link->effort_back >= 0.0))
        return cond_error_set(error, bad,
                              "joint '%s': effort limit %g against its axis is negative", name,
                              link->effort_back);
    if (!(link->damping >= 0.0) || isinf(link->damping))
        return cond_error_set(error, bad, "joint '%s': damping %g is negative or not finite", name,
                              link->damping);
    const char* word[] = {"friction", "armature", "stiffness"};
    double value[] = {link->friction, link->armature, link->stiffness};
    for (int i = 0; i < 3; i++)
        if (!(value[i] >= 0.0) || isinf(value[i]))
            return cond_error_set(error, bad, "joint '%s': %s %g is negative or not finite", name,
                                  word[i], value[i]);
    if (!isfinite(link->spring_rest))
        return cond_error_set(error, bad, "joint '%s': the rest of its spring is not finite", name);
    if (!isfinite(link->multiplier) || !isfinite(link->offset))
        return cond_error_set(error, bad, "joint '%s': mimic numbers are not finite", name);
    return COND_OK;
}

CondStatus cond_link_check_inertia(const CondLink* link, CondError* error)
{
    CondStatus bad = COND_BAD_ARGUMENT;
    const char* name = link->name;
    const double* I = link->inertia;
    if (!isfinite(link->mass) || !finite(3, link->com) || !finite(9, I))
        return cond_error_set(error, bad, "link '%s': mass or inertia is not finite", name);
    if (link->mass < 0.0)
        return cond_error_set(error, bad, "link '%s': mass %g is negative", name, link->mass);
    double trace = I[0] + I[4] + I[8], largest = 0.0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(I[i]));
    if (link->mass == 0.0) {
        if (largest > 0.0)
            return cond_error_set(error, bad, "link '%s': inertia without mass", name);
        return COND_OK;
    }
    for (int i = 0; i < 3; i++)
        if (fabs(I[3 * i + (i + 1) % 3] - I[3 * ((i + 1) % 3) + i]) > COND_ROUNDING * largest)
            return cond_error_set(error, bad, "link '%s': inertia is not symmetric", name);
    // The factorisation tells: pivots are positive exactly for a positive definite matrix. The
    // shift keeps out what is singular but for rounding.
    double L[9], T[9];
    for (int i = 0; i < 9; i++) {
        L[i] = I[i] - (i % 4 == 0 ? COND_PRODUCT_ROUNDING * trace : 0.0);
        // The triangle inequality of the principal moments says that tr(I)/2 - I, the second
        // moments of the mass, is positive semi-definite.
        T[i] = (i % 4 == 0 ? (0.5 + COND_INPUT_ROUNDING) * trace : 0.0) - I[i];
    }
    if (cond_cholesky_factor(3, L))
        return cond_error_set(error, bad, "link '%s': inertia is not positive definite", name);
    if (cond_cholesky_factor(3, T))
        return cond_error_set(error, bad,
                              "link '%s': principal moments of inertia break the triangle "
                              "inequality, no mass distribution has them",
                              name);
    return COND_OK;
}

// Two unit vectors across the axis, right-handed with it: x and y, turned as z is to become it.
static void across(const double axis[3], double along[6])
{
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    // q = (1 + z.axis, z x axis), not normalised; half a turn about x where the axis is -z.
    double q[4] = {1.0 + axis[2], -axis[1], axis[0], 0.0}, R[9];
    if (q[0] < COND_ROUNDING) {
        q[0] = 0.0;
        q[1] = 1.0;
        q[2] = 0.0;
    }
    quat_normalize(q);
    quat_matrix(q, R);
    mat3_multiply(R, x, along);
    mat3_multiply(R, y, along + 3);
}

// How a joint of its kind moves; the axis is a unit vector.
static void set_motion(CondLink* link)
{
    static const int slides[] = {0, 0, 0, 1, 0, 2, 3}, turns[] = {0, 1, 1, 0, 3, 1, 3};
    link->n_slide = slides[link->kind];
    link->n_turn = turns[link->kind];
    if (link->kind == COND_LINK_PRISMATIC)
        memcpy(link->along, link->axis, sizeof link->axis);
    if (link->kind == COND_LINK_PLANAR)
        across(link->axis, link->along);
    for (int i = 0; i < 9 && link->kind == COND_LINK_FLOATING; i++)
        link->along[i] = i % 4 == 0;
}

CondStatus cond_articulation_add_link(CondArticulation* a, const CondLink* link, CondError* error)
{
    CondStatus bad = COND_BAD_ARGUMENT;
    if (a->n_link == 0 ? link->parent != -1 : link->parent < 0 || link->parent >= a->n_link)
        return cond_error_set(error, bad, "link '%s': its parent must come before it", link->name);
    if (cond_articulation_find_link(a, link->name) >= 0)
        return cond_error_set(error, bad, "there are two links named '%s'", link->name);
    if (a->n_link > 0 && link->joint[0] && cond_articulation_find_joint(a, link->joint) >= 0)
        return cond_error_set(error, bad, "there are two joints named '%s'", link->joint);
    CondStatus status = a->n_link > 0 ? cond_link_check_joint(link, error) : COND_OK;
    if (status == COND_OK)
        status = cond_link_check_inertia(link, error);
    if (status != COND_OK)
        return status;
    if (COND_RESERVE(&a->arena, a->link, a->n_link + 1))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for link '%s'", link->name);
    CondLink* kept = &a->link[a->n_link];
    *kept = *link;
    kept->coordinate = -1;
    if (a->n_link == 0)
        kept->kind = COND_LINK_FIXED;
    if (kept->kind == COND_LINK_FIXED)
        kept->mimic = -1;
    if (has_axis(kept->kind)) {
        double length = vec3_norm(link->axis);
        for (int i = 0; i < 3; i++)
            kept->axis[i] /= length;
    }
    if (kept->kind != COND_LINK_REVOLUTE && kept->kind != COND_LINK_PRISMATIC) {
        kept->lower = -INFINITY;
        kept->upper = INFINITY;
    }
    set_motion(kept);
    quat_normalize(kept->orientation);
    a->n_link++;
    return COND_OK;
}

// How many entries of size a kind uses; -1 for a kind that does not exist.
static int n_size(CondLinkShapeKind kind)
{
    switch (kind) {
    case COND_LINK_SPHERE:
        return 1;
    case COND_LINK_CAPSULE:
    case COND_LINK_CYLINDER:
        return 2;
    case COND_LINK_BOX:
    case COND_LINK_MESH:
        return 3;
    }
    return -1;
}

static CondStatus check_shape(const CondArticulation* a, const CondLinkShape* shape,
                              CondError* error)
{
    CondStatus bad = COND_BAD_ARGUMENT;
    if (shape->link < 0 || shape->link >= a->n_link)
        return cond_error_set(error, bad, "a shape names link %d of %d", shape->link, a->n_link);
    const char* name = a->link[shape->link].name;
    int n = n_size(shape->kind);
    if (n < 0 || !cond_link_is_pose(shape->position, shape->orientation))
        return cond_error_set(error, bad, "link '%s': a shape's kind or pose is wrong", name);
    for (int i = 0; i < n; i++) {
        int positive = shape->size[i] > 0.0;
        if (shape->kind == COND_LINK_MESH) // a negative scale mirrors
            positive = shape->size[i] != 0.0;
        if (shape->kind == COND_LINK_CAPSULE && i == 1) // length 0 is a sphere
            positive = shape->size[i] >= 0.0;
        if (!positive || !isfinite(shape->size[i]))
            return cond_error_set(error, bad, "link '%s': a shape has the impossible size %g", name,
                                  shape->size[i]);
    }
    if (shape->kind == COND_LINK_MESH && !(shape->file && shape->file[0]))
        return cond_error_set(error, bad, "link '%s': a mesh without a file", name);
    return COND_OK;
}

// The shape as the articulation keeps it.
static CondStatus keep_shape(CondArticulation* a, const CondLinkShape* shape, CondLinkShape* kept,
                             CondError* error)
{
    char* file = NULL;
    if (shape->kind == COND_LINK_MESH) {
        file = cond_arena_allocate(&a->arena, strlen(shape->file) + 1, 1);
        if (!file)
            return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a file name");
        memcpy(file, shape->file, strlen(shape->file) + 1);
    }
    *kept = *shape;
    kept->file = file;
    quat_normalize(kept->orientation);
    return COND_OK;
}

CondStatus cond_articulation_add_shape(CondArticulation* a, const CondLinkShape* shape,
                                       CondError* error)
{
    CondStatus status = check_shape(a, shape, error);
    if (!status && COND_RESERVE(&a->arena, a->shape, a->n_shape + 1))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a shape");
    if (!status)
        status = keep_shape(a, shape, &a->shape[a->n_shape], error);
    a->n_shape += !status;
    return status;
}

CondStatus cond_articulation_add_visual(CondArticulation* a, const CondLinkShape* shape,
                                        CondError* error)
{
    CondStatus status = check_shape(a, shape, error);
    if (!status && COND_RESERVE(&a->arena, a->visual, a->n_visual + 1))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a shape");
    if (!status)
        status = keep_shape(a, shape, &a->visual[a->n_visual], error);
    a->n_visual += !status;
    return status;
}

CondStatus cond_articulation_warn(CondArticulation* a, const char* format, ...)
{
    if (COND_RESERVE(&a->arena, a->warning, a->n_warning + 1))
        return COND_OUT_OF_MEMORY;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a->warning[a->n_warning], sizeof *a->warning, format, arguments);
    va_end(arguments);
    a->n_warning++;
    return COND_OK;
}

CondStatus cond_articulation_disable(CondArticulation* articulation, int a, int b)
{
    if (COND_RESERVE(&articulation->arena, articulation->disabled, articulation->n_disabled + 1))
        return COND_OUT_OF_MEMORY;
    articulation->disabled[articulation->n_disabled][0] = a;
    articulation->disabled[articulation->n_disabled++][1] = b;
    return COND_OK;
}

int cond_articulation_find_link(const CondArticulation* a, const char* name)
{
    for (int i = 0; i < a->n_link; i++)
        if (strcmp(a->link[i].name, name) == 0)
            return i;
    return -1;
}

int cond_articulation_find_joint(const CondArticulation* a, const char* name)
{
    for (int i = 1; i < a->n_link; i++)
        if (strcmp(a->link[i].joint, name) == 0)
            return i;
    return -1;
}

int cond_articulation_find_coordinate(const CondArticulation* a, const char* name)
{
    for (int i = 0; i < a->n_joint; i++)
        if (strcmp(a->coordinate[i].name, name) == 0)
            return i;
    return -1;
}
