// How far all is clear (clearance.h): frames, bounds on how far their points have gone, and how
// wide the next search looks.
#include "collide/clearance.h"

#include "base/memory.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int is_served(CondBodyKind kind)
{
    return kind == COND_BODY_RIGID || kind == COND_BODY_PARTICLE || kind == COND_BODY_ROBOT;
}

// Grows the frame of a body or link to hold something at a distance from its origin. Those of a
// body come one after the other.
static void hold(CondClearance* clearance, int body, int link, double radius)
{
    int i = 0;
    while (i < clearance->n &&
           (clearance->frame[i].body != body || clearance->frame[i].link != link))
        i++;
    if (i == clearance->n)
        clearance->frame[clearance->n++] = (CondClearFrame){body, link, 0.0};
    clearance->frame[i].radius = fmax(clearance->frame[i].radius, radius);
}

// The farthest corner of its box from the origin of its body or link.
static double solid_radius(const CondSolid* solid)
{
    double pose[7], box[6], corner[3];
    memcpy(pose, solid->position, sizeof solid->position);
    memcpy(pose + 3, solid->orientation, sizeof solid->orientation);
    cond_shape_bound(&solid->shape, pose, box);
    for (int i = 0; i < 3; i++)
        corner[i] = fmax(fabs(box[i]), fabs(box[3 + i]));
    return vec3_norm(corner);
}

void cond_clearance_renew(const CondModel* model, CondClearance* clearance)
{
    clearance->known = clearance->n = 0;
    clearance->wider = 2.0;
    clearance->wait = clearance->patience = 0;
    clearance->found = 1;
    for (int k = 0; k < model->n_feature && clearance->serves; k++) {
        const CondFeature* feature = &model->feature[k];
        int body = feature->point.body;
        if (body >= 0)
            hold(clearance, body,
                 model->body[body].kind == COND_BODY_ROBOT ? feature->point.link : 0,
                 vec3_norm(feature->point.local) + feature->radius);
    }
    for (int i = 0; i < model->n_solid && clearance->serves; i++) {
        const CondSolid* solid = &model->solid[i];
        int body = solid->body;
        hold(clearance, body, model->body[body].kind == COND_BODY_ROBOT ? solid->part : 0,
             solid_radius(solid));
    }
}

CondStatus cond_clearance_create(const CondContext* context, const CondModel* model,
                                 CondClearance* clearance)
{
    size_t most = (size_t)model->n_body, n_body = (size_t)model->n_body;
    cond_arena_begin(context, &clearance->arena);
    clearance->serves = 1;
    for (int b = 0; b < model->n_body; b++) {
        clearance->serves &= is_served(model->body[b].kind);
        most += model->body[b].kind == COND_BODY_ROBOT ? (size_t)model->body[b].arm->n_link : 0;
    }
    most = clearance->serves ? most : 0;
    clearance->frame = cond_arena_allocate(&clearance->arena, most, sizeof *clearance->frame);
    clearance->pose = cond_arena_allocate(&clearance->arena, most, 7 * sizeof(double));
    clearance->reach = cond_arena_allocate(&clearance->arena, n_body, sizeof(double));
    clearance->asked = cond_arena_allocate(&clearance->arena, n_body, sizeof(double));
    if (!clearance->frame || !clearance->pose || !clearance->reach || !clearance->asked)
        return COND_OUT_OF_MEMORY;
    cond_clearance_renew(model, clearance);
    return COND_OK;
}

void cond_clearance_destroy(CondClearance* clearance)
{
    cond_arena_release(&clearance->arena);
}

// Where a frame is.                                                           q: NULL of a particle
static void find_pose(const CondKinematics* kinematics, const CondClearFrame* frame,
                      const double** p, const double** q)
{
    const CondBody* body = &kinematics->model->body[frame->body];
    if (body->kind == COND_BODY_ROBOT) {
        *p = kinematics->arm[frame->body].work->position + 3 * (size_t)frame->link;
        *q = kinematics->arm[frame->body].work->orientation + 4 * (size_t)frame->link;
        return;
    }
    *p = kinematics->q + body->q_begin;
    *q = body->kind == COND_BODY_RIGID ? *p + 3 : NULL;
}

// How far a point of a frame may have gone:
//     |p1 - p0| <= |x1 - x0| + 2 sin(angle/2) r,    2 sin(angle/2) <= 2 |q1 - q0|
// for unit quaternions of the same sign: the chord between them is 2 sin(angle/4).
static double way_of(const CondKinematics* kinematics, const CondClearFrame* frame,
                     const double pose[7])
{
    const double *p, *q;
    double d[3], turn = 0.0;
    find_pose(kinematics, frame, &p, &q);
    for (int i = 0; i < 3; i++)
        d[i] = p[i] - pose[i];
    for (int i = 0; i < 4 && q; i++)
        turn += (q[i] - pose[3 + i]) * (q[i] - pose[3 + i]);
    return vec3_norm(d) + 2.0 * sqrt(turn) * frame->radius;
}

// Both of two bodies move, as do two links of one body, whose reach counts once.
int cond_clearance_holds(const CondClearance* clearance, const CondKinematics* kinematics,
                         const double* reach)
{
    for (int i = 0; i < clearance->n && clearance->known; i++) {
        const CondClearFrame* frame = &clearance->frame[i];
        double way = way_of(kinematics, frame, clearance->pose + 7 * (size_t)i);
        double used = (reach ? reach[frame->body] : 0.0) + 2.0 * way;
        if (!(used < clearance->reach[frame->body]))
            return 0;
    }
    return clearance->known;
}

const double* cond_clearance_ask(CondClearance* clearance, const CondModel* model,
                                 const double* reach)
{
    if (!clearance->serves || clearance->found)
        return NULL;
    if (clearance->wait > 0) {
        clearance->wait--;
        return NULL;
    }
    for (int b = 0; b < model->n_body; b++) {
        clearance->asked[b] = clearance->wider * reach[b];
        if (!(reach[b] > 0.0)) // nothing is gained
            return NULL;
    }
    return clearance->asked;
}

// Twice the reach is used up within a step: where there is something within it, a wider search does
// not pay, and the next one waits for twice as many steps.
static void look_nearer(CondClearance* clearance)
{
    clearance->wider *= 0.5;
    if (clearance->wider >= 2.0)
        return;
    clearance->wider = 2.0;
    clearance->patience += clearance->patience < INT_MAX / 2 ? clearance->patience + 1 : 0;
    clearance->wait = clearance->patience;
}

void cond_clearance_answer(CondClearance* clearance, const CondKinematics* kinematics)
{
    const CondModel* model = kinematics->model;
    clearance->known = !clearance->found;
    if (clearance->found) {
        look_nearer(clearance);
        return;
    }
    clearance->patience = 0;
    // From near to far: among many bodies a search that is much too wide finds thousands of pairs.
    clearance->wider = fmin(2.0 * clearance->wider, COND_CLEAR_WIDEST);
    memcpy(clearance->reach, clearance->asked, (size_t)model->n_body * sizeof *clearance->reach);
    for (int i = 0; i < clearance->n; i++) {
        const double *p, *q;
        double* pose = clearance->pose + 7 * (size_t)i;
        find_pose(kinematics, &clearance->frame[i], &p, &q);
        memcpy(pose, p, 3 * sizeof *pose);
        memset(pose + 3, 0, 4 * sizeof *pose);
        if (q)
            memcpy(pose + 3, q, 4 * sizeof *pose);
    }
}
