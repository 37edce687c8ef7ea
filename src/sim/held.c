// Prescribed coordinates: what exact attachments hold, and bodies that are switched off; they leave
// the problems of the step.
#include "sim/held.h"
#include "base/tuning.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "potential/trajectory.h"
#include "problem/block.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

CondStatus cond_held_create(CondSim* sim)
{
    CondHeld* held = &sim->held;
    size_t n = (size_t)sim->model->n_dof;
    held->flag = cond_arena_allocate(&sim->arena, n, sizeof *held->flag);
    held->rate = cond_arena_allocate(&sim->arena, n, sizeof *held->rate);
    held->end = cond_arena_allocate(&sim->arena, n, sizeof *held->end);
    held->force = cond_arena_allocate(&sim->arena, n, sizeof *held->force);
    cond_arena_begin(&sim->arena.context, &held->reduction.arena);
    return held->flag && held->rate && held->end && held->force ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_held_destroy(CondSim* sim)
{
    cond_reduction_destroy(&sim->held.reduction);
}

// A frame as it is told to be: where, how turned, and how it moves.
typedef struct Told {
    double position[3], R[9], velocity[3], angular[3];
} Told;

// The end of an attachment that has no body, at a time.
static Told lead_at(const CondModel* model, const CondFrame* frame, double time)
{
    Told told = {.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    if (frame->guide > 0) {
        CondIkTarget at = cond_trajectory_at(&model->trajectory[frame->guide - 1], time);
        memcpy(told.position, at.position, sizeof at.position);
        memcpy(told.velocity, at.velocity, sizeof at.velocity);
        memcpy(told.angular, at.angular, sizeof at.angular);
        quat_matrix(at.orientation, told.R);
    } else {
        memcpy(told.position, frame->point.local, sizeof told.position);
    }
    return told;
}

static void transpose(const double A[9], double B[9])
{
    for (int i = 0; i < 9; i++)
        B[i] = A[3 * (i % 3) + i / 3];
}

// The held end's own frame: seen from the lead it is where it was when the attachment was made.
static Told follow(const CondWeld* weld, int end, const Told* lead)
{
    double turn[9], arm[3], spin[3];
    Told told = *lead;
    quat_matrix(weld->turn, turn);
    if (end == 1) { // R0 = R1 turn, p0 = p1 + R1 anchor, with end 0 the lead
        double back[9];
        transpose(turn, back);
        memcpy(turn, back, sizeof turn);
    }
    mat3_product(lead->R, turn, told.R);
    mat3_multiply(end == 0 ? lead->R : told.R, weld->anchor, arm);
    for (int i = 0; i < 3; i++)
        arm[i] = end == 0 ? arm[i] : -arm[i];
    vec3_cross(lead->angular, arm, spin);
    for (int i = 0; i < 3; i++) {
        told.position[i] += arm[i];
        told.velocity[i] += spin[i];
    }
    return told;
}

static void hold(CondHeld* held, int coordinate, double rate, double end)
{
    held->n += !held->flag[coordinate];
    held->flag[coordinate] = 1;
    held->rate[coordinate] = rate;
    held->end[coordinate] = end;
}

// What is where it shall be but for rounding rests there.
static double way(double from, double to)
{
    return fabs(to - from) > COND_PRODUCT_ROUNDING * (fabs(to) + fabs(from)) ? to - from : 0.0;
}

static void hold_place(CondHeld* held, const double x[3], const Told* told, double t, int at)
{
    for (int i = 0; i < 3; i++)
        hold(held, at + i, way(x[i], told->position[i]) / t, told->velocity[i]);
}

// Something rigid at q = (x, quaternion), with the coordinates from `at` on, whose point r is told.
static void hold_rigid(CondHeld* held, const CondWeld* weld, int end, const double* q,
                       const Told* told, double t, int at)
{
    double R[9], back[9], local[9], turn[3], arm[3], spin[3];
    const double* r = weld->what.end[end].point.local;
    Told centre = *told;
    if (weld->what.turns) {
        mat3_multiply(told->R, r, arm);
        vec3_cross(told->angular, arm, spin);
        for (int i = 0; i < 3; i++) {
            centre.position[i] -= arm[i];
            centre.velocity[i] -= spin[i];
        }
        quat_matrix(q + 3, R);
        transpose(R, back);
        mat3_product(back, told->R, local); // R_{k+1} = R_k exp(t w), w in its own axes
        cond_rotation_log(local, turn);
        mat3_multiply_transposed(told->R, told->angular, spin);
        for (int i = 0; i < 3; i++)
            hold(held, at + 3 + i, vec3_norm(turn) > COND_PRODUCT_ROUNDING ? turn[i] / t : 0.0,
                 spin[i]);
    }
    hold_place(held, q, &centre, t, at);
}

// The nodes of a patch move with the lead as they lie: x <- p1 + R1 R0' (x - p0).
static void hold_patch(CondHeld* held, const CondModel* model, const CondPatch* patch,
                       const double* q, const Told lead[2], double t)
{
    const CondBody* body = &model->body[patch->body];
    for (int k = 0; k < patch->n_node; k++) {
        const double* x = q + body->q_begin + (ptrdiff_t)3 * patch->node[k];
        double r[3], own[3], arm[3], spin[3];
        Told node = lead[1];
        for (int i = 0; i < 3; i++)
            r[i] = x[i] - lead[0].position[i];
        mat3_multiply_transposed(lead[0].R, r, own);
        mat3_multiply(lead[1].R, own, arm);
        vec3_cross(lead[1].angular, arm, spin);
        for (int i = 0; i < 3; i++) {
            node.position[i] += arm[i];
            node.velocity[i] += spin[i];
        }
        hold_place(held, x, &node, t, body->dof_begin + 3 * patch->node[k]);
    }
}

static void hold_weld(CondSim* sim, const CondState* state, const CondWeld* weld)
{
    const CondModel* model = sim->model;
    int end = weld->what.end[0].point.body >= 0 ? 0 : 1;
    const CondFrame *frame = &weld->what.end[end], *other = &weld->what.end[1 - end];
    const CondBody* body = &model->body[frame->point.body];
    double t = sim->attempt.time_step;
    Told lead[2] = {lead_at(model, other, state->time), lead_at(model, other, state->time + t)};
    if (body->kind == COND_BODY_SOFT) {
        hold_patch(&sim->held, model, &model->patch[frame->patch], state->q, lead, t);
        return;
    }
    Told told = follow(weld, end, &lead[1]);
    int part = body->kind == COND_BODY_ROD ? frame->point.link : 0;
    const double* q = state->q + body->q_begin + (ptrdiff_t)7 * part;
    int at = body->dof_begin + 6 * part;
    if (body->kind == COND_BODY_PARTICLE)
        hold_place(&sim->held, q, &told, t, at);
    else
        hold_rigid(&sim->held, weld, end, q, &told, t, at);
}

void cond_held_begin(CondSim* sim, const CondState* state)
{
    CondHeld* held = &sim->held;
    if (held->n > 0)
        memset(held->flag, 0, (size_t)sim->model->n_dof * sizeof *held->flag);
    held->n = 0;
    for (int b = 0; b < sim->model->n_body; b++)
        for (int i = 0; state->off[b] && i < sim->model->body[b].n_dof; i++)
            hold(held, sim->model->body[b].dof_begin + i, 0.0, 0.0);
    for (int i = 0; i < sim->next->n_weld; i++)
        if (sim->next->weld[i].active && cond_weld_is_exact(&sim->next->weld[i]))
            hold_weld(sim, state, &sim->next->weld[i]);
}

const CondProblem* cond_held_problem(const CondSim* sim)
{
    return sim->held.n > 0 ? &sim->held.reduction.problem : &sim->attempt.assembly.problem;
}

CondStatus cond_held_reduce(CondSim* sim)
{
    return sim->held.n > 0 ? cond_problem_reduce(&sim->attempt.assembly.problem, sim->held.flag,
                                                 sim->held.rate, &sim->held.reduction)
                           : COND_OK;
}

int cond_held_some(const CondSim* sim, int body)
{
    const CondBody* one = &sim->model->body[body];
    return sim->held.n > 0 &&
           memchr(sim->held.flag + one->dof_begin, 1, (size_t)one->n_dof) != NULL;
}

int cond_held_whole(const CondSim* sim, int body)
{
    const CondBody* one = &sim->model->body[body];
    return sim->held.n > 0 &&
           memchr(sim->held.flag + one->dof_begin, 0, (size_t)one->n_dof) == NULL;
}

// 1 where nothing moves a point but what is told.
static int is_told(const CondSim* sim, const CondKinematics* kinematics, const CondPoint* point)
{
    double world[3];
    if (point->body < 0)
        return 1;
    if (!cond_held_some(sim, point->body))
        return 0;
    int n = cond_kinematics_point(kinematics, point, world, kinematics->list, kinematics->columns);
    for (int k = 0; k < n; k++)
        if (!sim->held.flag[kinematics->list[k]])
            return 0;
    return 1;
}

static int is_off(const CondSim* sim, const CondCandidate* candidate)
{
    return cond_state_is_off(sim->next, candidate->point[0].body) ||
           cond_state_is_off(sim->next, candidate->point[1].body);
}

void cond_held_filter(const CondSim* sim, const CondKinematics* kinematics, CondCandidateList* list)
{
    int kept = 0;
    if (sim->held.n == 0)
        return;
    for (int c = 0; c < list->n; c++)
        if (!is_off(sim, &list->candidate[c]) &&
            (!is_told(sim, kinematics, &list->candidate[c].point[0]) ||
             !is_told(sim, kinematics, &list->candidate[c].point[1])))
            list->candidate[kept++] = list->candidate[c];
    list->n = kept;
}

static void put(const CondSim* sim, const double* given, double* v)
{
    for (int i = 0; i < sim->model->n_dof && sim->held.n > 0; i++)
        v[i] = sim->held.flag[i] ? given[i] : v[i];
}

void cond_held_put_rate(const CondSim* sim, double* v)
{
    put(sim, sim->held.rate, v);
}

void cond_held_put_end(const CondSim* sim, double* v)
{
    put(sim, sim->held.end, v);
}

void cond_held_forces(CondSim* sim)
{
    const CondProblem* problem = &sim->attempt.assembly.problem;
    double* f = sim->held.force;
    if (sim->held.n == 0)
        return;
    cond_problem_multiply_by(problem, sim->attempt.v_hat, f, sim->model->settings.solver.threads);
    for (int i = 0; i < problem->n_dof; i++)
        f[i] -= problem->b[i];
    for (int c = 0; c < sim->attempt.candidates.n;
         c++) // bounds of joints hold on to nothing that is held
        cond_contact_add_force(&problem->contact[c], -1.0 / sim->attempt.time_step,
                               sim->attempt.impulse + (ptrdiff_t)3 * c, f);
}

// wrench += force f at x, about a point.
static void add_force(const double f[3], const double x[3], const double about[3], double wrench[6])
{
    double r[3] = {x[0] - about[0], x[1] - about[1], x[2] - about[2]}, torque[3];
    vec3_cross(r, f, torque);
    for (int i = 0; i < 3; i++) {
        wrench[i] += f[i];
        wrench[3 + i] += torque[i];
    }
}

void cond_held_wrench(const CondSim* sim, const CondWeld* weld, double wrench[6])
{
    const CondModel* model = sim->model;
    int end = weld->what.end[0].point.body >= 0 ? 0 : 1;
    const CondFrame* frame = &weld->what.end[end];
    const CondBody* body = &model->body[frame->point.body];
    const double* q = sim->at_start.q + body->q_begin;
    const double* f = sim->held.force + body->dof_begin;
    double position[3], R[9], torque[3];
    memset(wrench, 0, 6 * sizeof *wrench);
    cond_kinematics_frame(&sim->at_start, frame, position, R, NULL, NULL);
    if (body->kind == COND_BODY_SOFT) {
        const CondPatch* patch = &model->patch[frame->patch];
        for (int k = 0; k < patch->n_node; k++)
            add_force(f + (ptrdiff_t)3 * patch->node[k], q + (ptrdiff_t)3 * patch->node[k],
                      position, wrench);
    } else {
        int part = body->kind == COND_BODY_ROD ? frame->point.link : 0;
        f += (ptrdiff_t)6 * part;
        add_force(f, q + (ptrdiff_t)7 * part, position, wrench);
        if (weld->what.turns) {
            mat3_multiply(R, f + 3, torque);
            for (int i = 0; i < 3; i++)
                wrench[3 + i] += torque[i];
        }
    }
    if (end == 0)
        return;
    // End 0 is the lead, which feels the opposite, about its own origin.
    Told lead = lead_at(model, &weld->what.end[0], sim->next->time - sim->attempt.time_step);
    double force[3] = {-wrench[0], -wrench[1], -wrench[2]}, about[6] = {0.0};
    add_force(force, position, lead.position, about);
    for (int i = 0; i < 3; i++)
        about[3 + i] -= wrench[3 + i];
    memcpy(wrench, about, sizeof about);
}
