// A step of extended position-based dynamics: contacts are found once, then every substep predicts,
// corrects each constraint once, and reads the velocities off the poses
// (src/baseline_step/pbd_solve.c). Robots are not simulated: their joints go where their targets
// are.
#include "base/error.h"
#include "base/memory.h"
#include "baseline_step/pbd.h"
#include "body/body.h"
#include "math/quat.h"
#include "model/rod.h"
#include "potential/potential.h"
#include "potential/trajectory.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static CondStatus refuse(const CondModel* model, CondError* error)
{
    if (model->n_spring > 0)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "step.method pbd knows no springs; an attachment may serve");
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind == COND_BODY_SOFT)
            return cond_error_set(error, COND_NOT_SUPPORTED,
                                  "step.method pbd knows no soft bodies ('%s')", body->name);
        if (body->kind == COND_BODY_ROBOT && body->arm->floating)
            return cond_error_set(error, COND_NOT_SUPPORTED,
                                  "step.method pbd moves robots as their joint targets say; the "
                                  "base of '%s' floats",
                                  body->name);
        if (body->kind == COND_BODY_ROBOT && body->arm->n_ball > 0)
            return cond_error_set(error, COND_NOT_SUPPORTED,
                                  "step.method pbd moves robots as their joint targets say; joint "
                                  "'%s' of '%s' turns freely",
                                  body->arm->link[body->arm->ball[0]].joint, body->name);
    }
    return COND_OK;
}

// I^-1; zero where there is no inertia.
static void invert(const double I[9], double inverse[9])
{
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2}, column[3] = {0.0, 0.0, 0.0};
        mat3_solve(I, unit, column);
        for (int i = 0; i < 3; i++)
            inverse[3 * i + j] = column[i];
    }
}

static int n_link_of(const CondBody* body)
{
    if (body->kind == COND_BODY_ROD)
        return body->rod->n_link;
    return body->kind == COND_BODY_ROBOT ? 0 : 1;
}

static void make_link(const CondBody* body, int part, CondPbdLink* link)
{
    double mass = body->mass;
    link->body = body->index;
    link->part = part;
    if (body->kind == COND_BODY_RIGID)
        memcpy(link->inertia, body->inertia, sizeof link->inertia);
    if (body->kind == COND_BODY_ROD) {
        mass = body->rod->mass[part];
        link->damping = body->rod->mass_damping;
        for (int i = 0; i < 3; i++)
            link->inertia[4 * i] = body->rod->inertia[3 * part + i];
    }
    link->inverse_mass = 1.0 / mass;
    invert(link->inertia, link->inverse_inertia);
}

// K and D as the rod itself has them (src/model/rod.c).
static void make_joint(const CondRod* rod, int i, int first, CondPbdJoint* joint)
{
    double L = 0.5 * (rod->length[i] + rod->length[i + 1]);
    joint->end[0].link = first + i;
    joint->end[1].link = first + i + 1;
    joint->end[0].local[2] = 0.5 * rod->length[i];
    joint->end[1].local[2] = -0.5 * rod->length[i + 1];
    memcpy(joint->rest, rod->rest + 6 * (size_t)i, sizeof joint->rest);
    for (int k = 0; k < 6; k++) {
        joint->stiffness[k] = rod->stiffness[k] / L;
        joint->damping[k] = rod->stiffness_damping * joint->stiffness[k];
    }
}

CondStatus cond_pbd_create(const CondModel* model, CondPbd* pbd, CondError* error)
{
    const CondContext* m = &model->arena.context;
    CondStatus status = refuse(model, error);
    if (status)
        return status;
    cond_arena_begin(m, &pbd->arena);
    pbd->link_begin =
        cond_arena_allocate(&pbd->arena, (size_t)model->n_body, sizeof *pbd->link_begin);
    for (int b = 0; b < model->n_body && pbd->link_begin; b++) {
        pbd->link_begin[b] = pbd->n_link;
        pbd->n_link += n_link_of(&model->body[b]);
    }
    for (int b = 0; b < model->n_body; b++)
        pbd->n_joint += model->body[b].kind == COND_BODY_ROD ? model->body[b].rod->n_link - 1 : 0;
    pbd->link = cond_arena_allocate(&pbd->arena, (size_t)pbd->n_link, sizeof *pbd->link);
    pbd->joint = cond_arena_allocate(&pbd->arena, (size_t)pbd->n_joint, sizeof *pbd->joint);
    if (!pbd->link_begin || !pbd->link || !pbd->joint)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    int made = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int k = 0; k < n_link_of(body); k++)
            make_link(body, k, &pbd->link[pbd->link_begin[b] + k]);
        for (int k = 0; body->kind == COND_BODY_ROD && k + 1 < body->rod->n_link; k++)
            make_joint(body->rod, k, pbd->link_begin[b], &pbd->joint[made++]);
    }
    return COND_OK;
}

void cond_pbd_destroy(CondPbd* pbd)
{
    cond_arena_release(&pbd->arena);
}

// Poses, velocities and outside forces f (n_dof) of all links at the start of the step. Angular
// coordinates are in body axes.
static void load_links(const CondModel* model, const CondState* state, const double* f,
                       CondPbd* pbd)
{
    for (int k = 0; k < pbd->n_link; k++) {
        CondPbdLink* link = &pbd->link[k];
        const CondBody* body = &model->body[link->body];
        int turns = body->kind != COND_BODY_PARTICLE;
        const double* q = state->q + body->q_begin + 7 * link->part;
        int at = body->dof_begin + 6 * link->part;
        double R[9];
        memcpy(link->x, q, sizeof link->x);
        memcpy(link->v, state->v + at, sizeof link->v);
        memcpy(link->force, f + at, sizeof link->force);
        memset(link->torque, 0, sizeof link->torque);
        memset(link->w, 0, sizeof link->w);
        memset(link->q, 0, sizeof link->q);
        link->q[0] = 1.0;
        if (!turns)
            continue;
        memcpy(link->q, q + 3, sizeof link->q);
        quat_matrix(link->q, R);
        mat3_multiply(R, state->v + at + 3, link->w);
        memcpy(link->torque, f + at + 3, sizeof link->torque);
    }
}

static void store_links(const CondModel* model, const CondPbd* pbd, CondState* next)
{
    for (int k = 0; k < pbd->n_link; k++) {
        const CondPbdLink* link = &pbd->link[k];
        const CondBody* body = &model->body[link->body];
        double* q = next->q + body->q_begin + 7 * link->part;
        double* v = next->v + body->dof_begin + 6 * link->part;
        double R[9];
        memcpy(q, link->x, sizeof link->x);
        memcpy(v, link->v, sizeof link->v);
        if (body->kind == COND_BODY_PARTICLE)
            continue;
        memcpy(q + 3, link->q, sizeof link->q);
        quat_matrix(link->q, R);
        mat3_multiply_transposed(R, link->w, v + 3);
    }
}

// Joints go to their targets.
static void move_robots(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        for (int i = 0; i < body->n_q; i++) {
            double from = state->q[body->q_begin + i], to = next->target[body->target_begin + i];
            next->q[body->q_begin + i] = to;
            next->v[body->dof_begin + i] = (to - from) / model->settings.time_step;
        }
    }
    cond_kinematics_set(&sim->at_end, next->q);
    cond_trajectory_guide(&sim->at_end, state->time + model->settings.time_step);
}

static void matrix_quat(const double R[9], double q[4])
{
    // The largest component first, so that nothing small is divided by.
    double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = t[i] > t[best] ? i : best;
    double s = sqrt(1.0 + t[best]);
    if (best == 0) {
        q[0] = 0.5 * s;
        q[1] = 0.5 * (R[7] - R[5]) / s;
        q[2] = 0.5 * (R[2] - R[6]) / s;
        q[3] = 0.5 * (R[3] - R[1]) / s;
        return;
    }
    int i = best - 1, j = best % 3, k = (best + 1) % 3; // the axis and the next two
    q[best] = 0.5 * s;
    q[0] = 0.5 * (R[3 * k + j] - R[3 * j + k]) / s;
    q[1 + j] = 0.5 * (R[3 * j + i] + R[3 * i + j]) / s;
    q[1 + k] = 0.5 * (R[3 * k + i] + R[3 * i + k]) / s;
}

static void make_end(const CondSim* sim, const CondFrame* frame, CondPbdEnd* end)
{
    const CondPoint* point = &frame->point;
    memset(end, 0, sizeof *end);
    end->link = -1;
    if (point->body >= 0 && n_link_of(&sim->model->body[point->body]) > 0) {
        int rod = sim->model->body[point->body].kind == COND_BODY_ROD;
        end->link = sim->pbd->link_begin[point->body] + (rod ? point->link : 0);
        memcpy(end->local, point->local, sizeof end->local);
        return;
    }
    double R[2][9], to[4];
    cond_kinematics_frame(&sim->at_start, frame, end->from, R[0], NULL, NULL);
    cond_kinematics_frame(&sim->at_end, frame, end->to, R[1], NULL, NULL);
    matrix_quat(R[0], end->turn);
    matrix_quat(R[1], to);
    quat_between(end->turn, to, end->turns);
}

// The attachments and contacts of the step.
static CondStatus make_constraints(CondSim* sim)
{
    CondPbd* pbd = sim->pbd;
    const CondState* next = sim->next;
    if (COND_RESERVE(&pbd->arena, pbd->weld, next->n_weld) ||
        COND_RESERVE(&pbd->arena, pbd->contact, sim->attempt.candidates.n))
        return COND_OUT_OF_MEMORY;
    pbd->n_weld = 0;
    for (int i = 0; i < next->n_weld; i++) {
        if (!next->weld[i].active)
            continue;
        CondPbdWeld* weld = &pbd->weld[pbd->n_weld++];
        memset(weld, 0, sizeof *weld);
        weld->weld = i;
        for (int end = 0; end < 2; end++)
            make_end(sim, &next->weld[i].what.end[end], &weld->end[end]);
    }
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        CondPbdContact* contact = &pbd->contact[c];
        double p[2][3];
        memset(contact, 0, sizeof *contact);
        for (int end = 0; end < 2; end++) {
            CondFrame frame = {.point = sim->attempt.candidates.candidate[c].point[end],
                               .patch = -1};
            make_end(sim, &frame, &contact->end[end]);
            cond_kinematics_point(&sim->at_start, &frame.point, p[end], NULL, NULL);
        }
        for (int i = 0; i < 3; i++)
            contact->apart[i] = p[0][i] - p[1][i];
    }
    return COND_OK;
}

CondStatus cond_pbd_solve(CondSim* sim, CondSolveInfo* info)
{
    CondPbd* pbd = sim->pbd;
    const CondSceneSettings* settings = &sim->model->settings;
    const CondCandidate* candidate = sim->attempt.candidates.candidate;
    const CondWeld* held = sim->next->weld;
    int n = settings->pbd_substeps;
    double t = settings->time_step, h = t / n, slow = 2.0 * h * vec3_norm(settings->gravity);
    for (int k = 0; k < n; k++) {
        double before = (double)k / n, share = (double)(k + 1) / n;
        if (cond_cancelled(&sim->arena.context))
            return COND_CANCELLED;
        for (int c = 0; c < sim->attempt.candidates.n; c++)
            cond_pbd_approach(pbd, &pbd->contact[c], &candidate[c], before, t);
        cond_pbd_predict(pbd, settings->gravity, h);
        for (int i = 0; i < pbd->n_joint; i++)
            cond_pbd_solve_joint(pbd, &pbd->joint[i], h);
        for (int i = 0; i < pbd->n_weld; i++)
            cond_pbd_solve_weld(pbd, &pbd->weld[i], &held[pbd->weld[i].weld], share, h);
        for (int c = 0; c < sim->attempt.candidates.n; c++)
            cond_pbd_solve_contact(pbd, &pbd->contact[c], &candidate[c], before, share, h);
        cond_pbd_velocities(pbd, h);
        for (int i = 0; i < pbd->n_joint; i++)
            cond_pbd_damp_joint(pbd, &pbd->joint[i], h);
        for (int i = 0; i < pbd->n_weld; i++)
            cond_pbd_damp_weld(pbd, &pbd->weld[i], &held[pbd->weld[i].weld], share, t, h);
        for (int c = 0; c < sim->attempt.candidates.n; c++)
            cond_pbd_restore(pbd, &pbd->contact[c], &candidate[c], share, t, slow);
    }
    info->iterations = n;
    return COND_OK;
}

// Impulses of contacts and wrenches of attachments, as means over the step.
static CondStatus read_forces(CondSim* sim)
{
    const CondPbd* pbd = sim->pbd;
    double t = sim->model->settings.time_step;
    int n = 3 * sim->attempt.candidates.n, n_weld = sim->next->n_weld;
    if (cond_sim_reserve_forces(sim, sim->attempt.candidates.n) ||
        COND_RESERVE(&sim->arena, sim->readings.wrench, 6 * n_weld))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        sim->attempt.impulse[i] = pbd->contact[i / 3].impulse[i % 3];
        sim->attempt.lambda[i] = sim->attempt.impulse[i] / t;
    }
    memset(sim->readings.wrench, 0, 6 * (size_t)n_weld * sizeof *sim->readings.wrench);
    for (int i = 0; i < pbd->n_weld; i++)
        for (int k = 0; k < 6; k++)
            sim->readings.wrench[6 * pbd->weld[i].weld + k] = pbd->weld[i].impulse[k] / t;
    sim->readings.n_wrench = n_weld;
    return COND_OK;
}

CondStatus cond_pbd_forces(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondSceneSettings* settings = &model->settings;
    double* outside = sim->attempt.v_hat; // free until the end of the step
    cond_kinematics_set(&sim->at_start, state->q);
    cond_sim_set_theta(sim, cond_sim_theta(sim));
    CondStatus status = cond_sim_control(sim, state);
    if (status)
        return status;
    memset(outside, 0, (size_t)model->n_dof * sizeof *outside);
    cond_force_add(&sim->at_start, state, sim->attempt.time_step, outside);
    load_links(model, state, outside, sim->pbd);
    for (int b = 0; b < model->n_body; b++) { // the reach of the contacts asks for f
        const CondBody* body = &model->body[b];
        cond_body_ops(body->kind)
            ->bias(body, &sim->at_start, state->v + body->dof_begin, settings->time_step,
                   settings->gravity, sim->f + body->dof_begin);
    }
    for (int i = 0; i < model->n_dof; i++)
        sim->f[i] += outside[i];
    return COND_OK;
}

CondStatus cond_pbd_assemble(CondSim* sim, const CondState* state)
{
    cond_assembly_begin(&sim->attempt.assembly, &sim->at_start, sim->length, sim->f);
    CondStatus status = cond_assembly_finish(&sim->attempt.assembly, &sim->at_start, NULL,
                                             &sim->attempt.candidates, INFINITY);
    if (status)
        return status;
    move_robots(sim, state);
    return make_constraints(sim);
}

CondStatus cond_pbd_advance(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    store_links(model, sim->pbd, next);
    if (!cond_watch_finds_finite(sim))
        return COND_DIVERGED;
    memcpy(next->v_hat, next->v, (size_t)model->n_dof * sizeof(double));
    memcpy(sim->attempt.v_hat, next->v, (size_t)model->n_dof * sizeof(double));
    cond_kinematics_set(&sim->at_end, next->q);
    return read_forces(sim);
}
