// Finishing an articulated body: mimics are resolved, coordinates and columns of motion numbered.
#include "base/error.h"
#include "math/quat.h"
#include "model/articulation.h"

#include <stdio.h>
#include <string.h>

// joint position = scale * (position of the joint at the end of the mimic chain) + shift:
//     q_i = m_i q_j + o_i,  q_j = m_j q_k + o_j   gives   q_i = m_i m_j q_k + (o_i + m_i o_j)
static CondStatus resolve_mimic(CondArticulation* a, int i, int* end, CondError* error)
{
    CondLink* link = &a->link[i];
    link->scale = 1.0;
    link->shift = 0.0;
    int at = i;
    for (int step = 0; a->link[at].mimic >= 0; step++) {
        const CondLink* follower = &a->link[at];
        if (step == a->n_link)
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "joint '%s': joints mimic each other in a circle", link->joint);
        const CondLink* leader = follower->mimic < a->n_link ? &a->link[follower->mimic] : NULL;
        if (!leader || leader->kind == COND_LINK_FIXED)
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "joint '%s': the joint it mimics does not move", follower->joint);
        if (leader->n_slide + leader->n_turn > 1 || follower->n_slide + follower->n_turn > 1)
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "joint '%s': only joints of one coordinate follow each other",
                                  follower->joint);
        link->shift += link->scale * follower->offset;
        link->scale *= follower->multiplier;
        at = follower->mimic;
    }
    *end = at;
    return COND_OK;
}

// Takes into the limits of a coordinate that scale q + shift stays within those of the link. Limits
// of a follower that leave no room do not count: files give them the wrong sign, or none.
static void restrict_limits(CondJointCoordinate* c, const CondLink* link)
{
    double square = link->scale * link->scale, stiffness = c->stiffness + square * link->stiffness;
    // sum k_i s_i (s_i q + shift_i - rest_i) = k (q - rest)
    if (stiffness > 0.0)
        c->spring_rest = (c->stiffness * c->spring_rest +
                          link->scale * link->stiffness * (link->spring_rest - link->shift)) /
                         stiffness;
    c->stiffness = stiffness;
    c->damping += square * link->damping;
    c->friction += fabs(link->scale) * link->friction;
    c->armature += square * link->armature;
    if (link->scale == 0.0)
        return;
    double a = (link->lower - link->shift) / link->scale;
    double b = (link->upper - link->shift) / link->scale;
    double lower = fmax(c->lower, fmin(a, b)), upper = fmin(c->upper, fmax(a, b));
    c->velocity = fmin(c->velocity, link->velocity / fabs(link->scale));
    if (lower >= upper)
        return;
    c->lower = lower;
    c->upper = upper;
}

// 1 where some link beyond this one has mass.
static int bears_mass(const CondArticulation* a, int link)
{
    for (int i = link + 1; i < a->n_link; i++) {
        int at = i;
        while (at > link)
            at = a->link[at].parent;
        if (at == link && a->link[i].mass > 0.0)
            return 1;
    }
    return 0;
}

// A rigid part is a link with a moving joint, or link 0, and all that is fixed to it. When each
// part that moves carries mass, every velocity v != 0 moves some mass: M is positive definite. A
// part may do without where its maker vouches for that (carried).
CondStatus cond_articulation_weigh(CondArticulation* a, CondError* error)
{
    for (int i = 0; i < a->n_link; i++) {
        CondLink* link = &a->link[i];
        int moves = (link->coordinate >= 0 && link->scale != 0.0) || link->ball >= 0;
        link->part = i == 0 || moves ? i : a->link[link->parent].part;
        link->part_mass = 0.0;
        a->link[link->part].part_mass += link->mass;
    }
    for (int i = a->floating ? 0 : 1; i < a->n_link; i++) {
        if (a->link[i].part != i || a->link[i].part_mass > 0.0 ||
            (a->link[i].carried && bears_mass(a, i)))
            continue;
        a->fault = i;
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "link '%s' moves but neither it nor what is fixed to it has an "
                              "inertia",
                              a->link[i].name);
    }
    return COND_OK;
}

// Coordinates, balls and columns of motion, link by link.
static void count(CondArticulation* a)
{
    a->n_joint = a->n_ball = a->n_column = 0;
    for (int i = 1; i < a->n_link; i++) {
        CondLink* link = &a->link[i];
        int own = link->n_slide + (link->n_turn == 1);
        link->coordinate = own > 0 && link->mimic < 0 ? a->n_joint : -1;
        a->n_joint += link->coordinate < 0 ? 0 : own;
        link->ball = link->n_turn == 3 ? a->n_ball++ : -1;
        link->column = a->n_column;
        a->n_column += link->n_slide + link->n_turn;
    }
    a->n_dof = (a->floating ? 6 : 0) + 3 * a->n_ball + a->n_joint;
    a->n_q = (a->floating ? 7 : 0) + 4 * a->n_ball + a->n_joint;
}

static CondStatus make_room(CondArticulation* a, CondError* error)
{
    CondArena* arena = &a->arena;
    cond_arena_drop(arena, a->coordinate);
    cond_arena_drop(arena, a->ball);
    cond_arena_drop(arena, a->column_dof);
    cond_arena_drop(arena, a->damping);
    cond_arena_drop(arena, a->armature);
    cond_arena_drop(arena, a->friction);
    a->coordinate = cond_arena_allocate(arena, (size_t)a->n_joint, sizeof *a->coordinate);
    a->ball = cond_arena_allocate(arena, (size_t)a->n_ball, sizeof *a->ball);
    a->column_dof = cond_arena_allocate(arena, (size_t)a->n_column, sizeof *a->column_dof);
    a->damping = cond_arena_allocate(arena, (size_t)a->n_dof, sizeof *a->damping);
    a->armature = cond_arena_allocate(arena, (size_t)a->n_dof, sizeof *a->armature);
    a->friction = cond_arena_allocate(arena, (size_t)(a->n_dof - a->n_joint), sizeof *a->friction);
    if (!a->coordinate || !a->ball || !a->column_dof || !a->damping || !a->armature || !a->friction)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for %d joints", a->n_joint);
    return COND_OK;
}

// The coordinates of a joint that follows no other, and its ball.
static void describe(CondArticulation* a, int i)
{
    static const char* const part[2][4] = {{"x", "y", "angle", ""}, {"x", "y", "z", ""}};
    const CondLink* link = &a->link[i];
    int n = link->coordinate < 0 ? 0 : link->n_slide + (link->n_turn == 1);
    for (int k = 0; k < n; k++) {
        CondJointCoordinate* c = &a->coordinate[link->coordinate + k];
        *c = (CondJointCoordinate){.link = i,
                                   .slides = k < link->n_slide,
                                   .lower = link->lower,
                                   .upper = link->upper,
                                   .velocity = link->velocity,
                                   .effort = link->effort,
                                   .effort_back = link->effort_back};
        snprintf(c->name, sizeof c->name, "%s%s%s", link->joint, n > 1 ? "." : "",
                 n > 1 ? part[link->kind == COND_LINK_FLOATING][k] : "");
    }
    if (link->ball >= 0)
        a->ball[link->ball] = i;
}

// Which entry of v each column of a link's motion belongs to.
static void number_columns(CondArticulation* a, const CondLink* link)
{
    int balls = cond_articulation_ball_v(a), joints = balls + 3 * a->n_ball;
    for (int k = 0; k < link->n_slide + link->n_turn; k++) {
        int turns = link->n_turn == 3 && k >= link->n_slide;
        a->column_dof[link->column + k] =
            turns ? balls + 3 * link->ball + k - link->n_slide : joints + link->coordinate + k;
    }
}

static CondStatus finish_joint(CondArticulation* a, int i, CondError* error)
{
    CondLink* link = &a->link[i];
    int end = i;
    CondStatus status = resolve_mimic(a, i, &end, error);
    if (status)
        return status;
    link->coordinate = a->link[end].coordinate;
    number_columns(a, link);
    int n = link->coordinate < 0 ? 0 : link->n_slide + (link->n_turn == 1);
    for (int k = 0; k < n; k++)
        restrict_limits(&a->coordinate[link->coordinate + k], link);
    return COND_OK;
}

// Balls have what their joint has, about every axis; a floating base what link 0 has, along too.
static void set_passive(CondArticulation* a)
{
    int ball = cond_articulation_ball_v(a), joint = ball + 3 * a->n_ball;
    for (int i = 0; i < joint; i++) {
        const CondLink* link = &a->link[i < ball ? 0 : a->ball[(i - ball) / 3]];
        a->damping[i] = link->damping;
        a->armature[i] = link->armature;
        a->friction[i] = link->friction;
    }
    for (int i = 0; i < a->n_joint; i++) {
        a->damping[joint + i] = a->coordinate[i].damping;
        a->armature[joint + i] = a->coordinate[i].armature;
    }
}

CondStatus cond_articulation_finish(CondArticulation* a, CondError* error)
{
    a->fault = -1;
    if (a->n_link == 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "an articulated body without links");
    if (!cond_link_is_pose(a->base_position, a->base_orientation))
        return cond_error_set(error, COND_BAD_ARGUMENT, "the base has no pose");
    quat_normalize(a->base_orientation);
    count(a);
    CondStatus status = make_room(a, error);
    for (int i = 1; i < a->n_link && !status; i++)
        describe(a, i);
    for (int i = 1; i < a->n_link && !status; i++) {
        if (a->link[i].kind != COND_LINK_FIXED)
            status = finish_joint(a, i, error);
        if (status)
            a->fault = i;
    }
    if (status)
        return status;
    set_passive(a);
    return cond_articulation_weigh(a, error);
}
