// With contacts that last, the midpoint rule is
//     M (v - v_k)/(t/2) = f(q_m, v) + J_m' lambda,     v_{k+1} = 2 v - v_k,     law on J_m v +
//     gap/t
// where q_m = update(q_k, v, t/2) and J_m belongs to the points that touch there: on a rim, others
// than at q_k. As d gap/dt = J_n(q) v, the gap at the end of the step is kept to the third order in
// t, and the contacts do the work that t lambda' J_m v says. What is left of J v at q_{k+1}, of the
// second order, is taken out by the impact stage there (impact/impact.c), as RATTLE does.
#include "integrate/persistent.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "integrate/balance.h"
#include "integrate/tuning.h"
#include "linear/cholesky.h"
#include "linear/dense_rows.h"
#include "math/vec3.h"
#include "model/fem.h"
#include "model/rod.h"
#include "potential/attachment.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

// 1 where the settings allow for it: the impact stage takes part, and answers are exact.
static int is_asked(const CondSim* sim)
{
    const CondSceneSettings* settings = &sim->model->settings;
    return sim->attempt.contacts_last && settings->impact != COND_IMPACT_OFF &&
           isinf(settings->kv) && settings->solver.stop == COND_STOP_CERTIFICATE;
}

void cond_persistent_find_able(const CondSim* sim, int* able)
{
    int asked = is_asked(sim);
    for (int b = 0; b < sim->model->n_body; b++)
        able[b] = asked;
    for (int i = 0; i < sim->next->n_weld; i++)
        if (sim->next->weld[i].active && cond_weld_is_led(&sim->next->weld[i]))
            able[cond_weld_body(&sim->next->weld[i])] = 0;
}

int cond_persistent_may_be_barred(const CondSim* sim)
{
    return sim->attempt.moved && sim->attempt.contacts_last && sim->substeps.to;
}

int cond_persistent_any(const CondSim* sim)
{
    for (int b = 0; b < sim->model->n_body; b++)
        if (sim->groups->persistent[b])
            return 1;
    return 0;
}

void cond_persistent_agree(CondSim* sim)
{
    const CondGroups* groups = sim->groups;
    int n_body = sim->model->n_body, *all = groups->fails; // is free
    for (int g = 0; g < groups->n; g++)
        all[g] = groups->touched[g];
    for (int b = 0; b < n_body; b++)
        all[groups->of[b]] &= groups->persistent[b];
    for (int b = 0; b < n_body; b++)
        groups->persistent[b] = all[groups->of[b]];
}

// 1 for a contact of a marked body.
static int lasts(const CondSim* sim, const CondCandidate* candidate)
{
    const int* persistent = sim->groups->persistent;
    int other = candidate->point[1].body;
    return persistent[candidate->point[0].body] || (other >= 0 && persistent[other]);
}

// Adds side s of a candidate: the force of its last step to f, and its velocity along the normal.
static double add_side(const CondSim* sim, const CondState* state, const CondCandidate* candidate,
                       int s, const double force[3], double* f)
{
    const CondKinematics* now = &sim->at_start;
    double world[3], sign = s == 0 ? 1.0 : -1.0, along = 0.0, *J = now->columns;
    int* coordinate = now->list;
    int n = cond_kinematics_point(now, &candidate->point[s], world, NULL, NULL);
    int node = cond_kinematics_is_node(sim->model, &candidate->point[s]);
    cond_kinematics_point(now, &candidate->point[s], world, coordinate, node ? NULL : J);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            double entry = sign * (node ? i == k : J[i * n + k]);
            f[coordinate[k]] += entry * force[i];
            along += candidate->frame[i] * entry * state->v[coordinate[k]];
        }
    return along;
}

// What a body moves at once where a contact stops one of its points: nodes and links answer to the
// rest of their body in time only.
static double struck_mass(const CondSim* sim, const CondPoint* point)
{
    const CondBody* body = &sim->model->body[point->body];
    double inverse = 0.0;
    if (body->kind == COND_BODY_ROD)
        return body->rod->mass[point->link];
    if (body->kind != COND_BODY_SOFT)
        return cond_newton_mass(body, &sim->at_start);
    for (int k = 0; k < point->n_node; k++)
        inverse += point->local[k] * point->local[k] / body->fem->mass[point->node[k]];
    return 1.0 / inverse;
}

// The energy that a contact takes at once where it closes in this step.
static double strike_energy(const CondSim* sim, const CondCandidate* candidate, double speed)
{
    double mass = INFINITY;
    if (!(speed > 0.0 && candidate->gap < sim->attempt.time_step * speed))
        return 0.0;
    for (int s = 0; s < 2; s++)
        if (candidate->point[s].body >= 0)
            mass = fmin(mass, struck_mass(sim, &candidate->point[s]));
    return 0.5 * mass * speed * speed;
}

// Of a robot, whose motors are stiff and answer within the step: the change of its velocity is
//     A dv = f - (A - M/h) v_k,
// and 1/2 dv' M dv is lost. Motors that take more than that by their damping lead the motion
// anyway.
static double robot_loss(CondSim* sim, const CondState* state, const CondBody* body,
                         const double* f, double* dv)
{
    const CondArticulation* arm = body->arm;
    const CondMotor* motor = sim->next->motor + body->target_begin;
    const double *v = state->v + body->dof_begin,
                 *M = cond_kinematics_mass(&sim->at_start, body->index);
    int n = body->n_dof, first = n - arm->n_joint;
    double h = sim->length[body->index], *A = sim->balance->robot,
           *product = sim->balance->p + body->dof_begin, loss = 0.0, damped = 0.0;
    memcpy(A, sim->attempt.assembly.block[body->index].values, (size_t)n * (size_t)n * sizeof *A);
    for (int j = 0; j < arm->n_joint; j++)
        damped += motor[j].damping * v[first + j] * v[first + j];
    cond_rows_multiply(n, n, A, v, product);
    for (int i = 0; i < n; i++)
        dv[i] = f[i] - product[i];
    cond_rows_multiply(n, n, M, v, product);
    for (int i = 0; i < n; i++)
        dv[i] += product[i] / h;
    if (cond_cholesky_factor(n, A))
        return 0.0;
    cond_cholesky_solve(n, A, dv);
    cond_rows_multiply(n, n, M, dv, product);
    for (int i = 0; i < n; i++)
        loss += 0.5 * dv[i] * product[i];
    return loss - sim->attempt.time_step * damped;
}

// Of each group, the energy t^2/2 F' M^-1 F that implicit Euler would lose, with F the forces of
// this step and the contact forces of the last one; less COND_LASTING_STRUCK times that of impacts.
static void estimate_losses(CondSim* sim, const CondState* state, double* loss)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    double *f = sim->balance->v, *a = sim->work, t = sim->attempt.time_step;
    memcpy(f, sim->f, (size_t)model->n_dof * sizeof *f);
    memset(loss, 0, (size_t)groups->n * sizeof *loss);
    for (int c = 0, k = 0; c < sim->attempt.candidates.n; c++) { // both lists ascend with the key
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        double force[3] = {0.0}, speed = 0.0;
        if (!lasts(sim, candidate))
            continue;
        while (k < state->n_memory && cond_key_less(state->memory[k].key, candidate->key))
            k++;
        if (k < state->n_memory && cond_key_equal(state->memory[k].key, candidate->key))
            mat3_multiply_transposed(candidate->frame, state->memory[k].lambda, force);
        for (int s = 0; s < 2; s++)
            if (candidate->point[s].body >= 0)
                speed -= add_side(sim, state, candidate, s, force, f);
        double struck = COND_LASTING_STRUCK * strike_energy(sim, candidate, speed);
        for (int s = 0; s < 2; s++)
            if (cond_group_of_side(groups, candidate, s) >= 0)
                loss[cond_group_of_side(groups, candidate, s)] -= struck;
    }
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (!groups->persistent[b])
            continue;
        if (body->kind == COND_BODY_ROBOT) {
            loss[groups->of[b]] += robot_loss(sim, state, body, f + body->dof_begin, a);
            continue;
        }
        cond_body_ops(body->kind)->accelerate(body, &sim->at_start, f + body->dof_begin, a);
        for (int i = 0; i < body->n_dof; i++)
            loss[groups->of[b]] += 0.5 * t * t * f[body->dof_begin + i] * a[i];
    }
}

// 1 for bodies that motors or frames in space lead.
static int drives(const CondSim* sim, int b)
{
    const CondBody* body = &sim->model->body[b];
    const CondMotor* motor = sim->next->motor + body->target_begin;
    int driven = !sim->groups->able[b];
    if (body->kind == COND_BODY_ROBOT)
        for (int i = 0; i < body->arm->n_joint; i++)
            driven |= motor[i].stiffness > 0.0 || motor[i].damping > 0.0;
    return driven;
}

// What such bodies hold or push by deformable ones moves as they do: of these groups no contact
// lasts. groups.fails is free.
static void leave_driven(CondSim* sim)
{
    const CondGroups* groups = sim->groups;
    const CondCandidateList* list = &sim->attempt.candidates;
    int* driven = groups->fails;
    memset(driven, 0, (size_t)groups->n * sizeof *driven);
    for (int b = 0; b < sim->model->n_body; b++)
        driven[groups->of[b]] |= drives(sim, b);
    for (int c = 0; c < list->n; c++) {
        int one = list->candidate[c].point[0].body, other = list->candidate[c].point[1].body;
        if (one < 0 || other < 0)
            continue;
        driven[groups->of[one]] |= drives(sim, other);
        driven[groups->of[other]] |= drives(sim, one);
    }
    for (int b = 0; b < sim->model->n_body; b++)
        if (driven[groups->of[b]] && groups->deforms[groups->of[b]])
            groups->persistent[b] = 0;
    for (int b = 0; b < sim->model->n_body; b++)
        groups->able[b] = groups->persistent[b];
}

// 1 where a group has more to lose than what rests or hardly changes its motion.
static int is_worth(const CondSim* sim, int g, double loss)
{
    const CondGroups* groups = sim->groups;
    return loss > COND_LASTING_RATE * sim->attempt.time_step * groups->before[g] &&
           loss > COND_AUTO_NOISE * groups->fall[g];
}

void cond_persistent_choose(CondSim* sim, const CondState* state)
{
    const CondGroups* groups = sim->groups;
    double *loss = groups->excess, *change = sim->newton.work;
    memcpy(groups->persistent, groups->able, (size_t)sim->model->n_body * sizeof(int));
    leave_driven(sim);
    cond_persistent_agree(sim);
    if (!cond_persistent_any(sim))
        return;
    estimate_losses(sim, state, loss);
    for (int i = 0; i < sim->model->n_dof; i++)
        change[i] = 2.0 * (state->v[i] - state->v_hat[i]);
    cond_balance_kinetic(sim, &sim->at_start, change, groups->kinetic);
    cond_balance_kinetic(sim, &sim->at_start, state->v, groups->before);
    for (int b = 0; b < sim->model->n_body; b++) {
        int g = groups->of[b];
        groups->persistent[b] &=
            is_worth(sim, g, groups->deforms[g] ? groups->kinetic[g] : loss[g]);
    }
}

int cond_persistent_reconsider(CondSim* sim, const CondState* state)
{
    const CondGroups* groups = sim->groups;
    double *change = sim->work, *unable = groups->excess;
    int any = 0;
    for (int g = 0; g < groups->n; g++)
        any |= groups->deforms[g] && groups->touched[g] && groups->euler[g];
    if (!any)
        return 0;
    for (int i = 0; i < sim->model->n_dof; i++)
        change[i] = sim->attempt.v_hat[i] - state->v[i];
    cond_balance_kinetic(sim, &sim->at_start, change, groups->kinetic);
    cond_balance_kinetic(sim, &sim->at_start, state->v, groups->before);
    any = 0;
    memset(unable, 0, (size_t)groups->n * sizeof *unable);
    for (int b = 0; b < sim->model->n_body; b++)
        unable[groups->of[b]] += !groups->able[b];
    for (int b = 0; b < sim->model->n_body; b++) {
        int g = groups->of[b];
        if (unable[g] > 0.0 || !groups->touched[g] || !groups->deforms[g] || groups->newton[g] ||
            !is_worth(sim, g, groups->kinetic[g]))
            continue;
        any |= groups->euler[g];
        groups->euler[g] = 0;
        groups->persistent[b] = 1;
    }
    return any;
}

const CondCandidateList* cond_persistent_list(const CondSim* sim)
{
    return sim->attempt.moved ? &sim->attempt.middle : &sim->attempt.candidates;
}

int cond_persistent_is_moved(const CondSim* sim, int c)
{
    return sim->attempt.moved && sim->attempt.middle.candidate[c].moved;
}

int cond_persistent_find(const CondCandidateList* list, const CondCandidate* candidate, int* from)
{
    while (*from < list->n && cond_key_less(list->candidate[*from].key, candidate->key))
        ++*from;
    int same = *from < list->n && cond_key_equal(list->candidate[*from].key, candidate->key);
    return same && vec3_dot(list->candidate[*from].frame, candidate->frame) > COND_ALIGNED ? *from
                                                                                           : -1;
}

static void find_reach(const void* loop, int b)
{
    const CondSim* sim = loop;
    const CondBody* body = &sim->model->body[b];
    sim->reach[b] = sim->groups->persistent[b]
                        ? COND_MICROMETRE + sim->attempt.time_step *
                                                cond_body_ops(body->kind)
                                                    ->speed(body, &sim->at_end,
                                                            sim->attempt.v_hat + body->dof_begin)
                        : 0.0;
}

CondStatus cond_persistent_move(CondSim* sim, const CondState* state)
{
    const CondCandidateList* list = &sim->attempt.candidates;
    if (cond_candidates_reserve(&sim->attempt.middle, list->n))
        return COND_OUT_OF_MEMORY;
    cond_newton_pose(sim, state);
    sim->at_end.begin = NULL;
    cond_each_body(sim->model, COND_COORDINATE_WORK, find_reach, sim);
    sim->collider.wanted = sim->groups->persistent; // no others are moved
    CondStatus status = cond_sim_detect(sim, &sim->at_end, &sim->attempt.end);
    sim->collider.wanted = NULL;
    if (status)
        return status;
    for (int c = 0, from = 0; c < list->n; c++) {
        CondCandidate* candidate = &sim->attempt.middle.candidate[c];
        *candidate = list->candidate[c];
        int at =
            lasts(sim, candidate) ? cond_persistent_find(&sim->attempt.end, candidate, &from) : -1;
        if (at < 0)
            continue;
        memcpy(candidate->point, sim->attempt.end.candidate[at].point, sizeof candidate->point);
        memcpy(candidate->frame, sim->attempt.end.candidate[at].frame, sizeof candidate->frame);
        candidate->moved = 1;
    }
    sim->attempt.middle.n = list->n;
    sim->attempt.moved = 1;
    return COND_OK;
}

void cond_persistent_end(CondSim* sim, const CondCandidate* candidate)
{
    int nodes = 0; // and links: one of them that is struck is no impact of the body
    for (int s = 0; s < 2; s++)
        nodes |= candidate->point[s].body >= 0 &&
                 cond_body_deforms(&sim->model->body[candidate->point[s].body]);
    for (int s = 0; s < 2 && sim->attempt.moved && !nodes; s++)
        if (candidate->point[s].body >= 0)
            sim->groups->persistent[candidate->point[s].body] = 0;
}

void cond_persistent_widen(CondSim* sim)
{
    for (int b = 0; b < sim->model->n_body && sim->attempt.moved; b++)
        if (sim->groups->persistent[b])
            sim->reach[b] = COND_NEARLY * sim->model->body[b].size;
}

void cond_persistent_drop(CondSim* sim)
{
    for (int c = 0; c < sim->attempt.candidates.n && sim->attempt.moved; c++)
        if (!lasts(sim, &sim->attempt.candidates.candidate[c]))
            sim->attempt.middle.candidate[c] = sim->attempt.candidates.candidate[c];
    sim->attempt.moved &= cond_persistent_any(sim);
}
