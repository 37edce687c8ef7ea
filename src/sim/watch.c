// A run has run away when it holds more energy than anything could have given it,
//
//     kinetic + elastic energy  >  1000 (supply + what gravity has set free),
//
// with the supply what was there at the start and all that was put in since: the work of forces, of
// motors, attachments and the user's hand, and what the user changed between two steps. Counting is
// generous, by sizes of work and not by their signs, because a factor of a thousand is asked for;
// but no count grows faster than the motion, whose energy grows with its square, so that a runaway
// cannot pay for itself. Gravity has set free what lies between its energy at the start and the
// least since then, so that a thing that falls from a table is no runaway.
#include "sim/watch.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "body/body.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "model/model_copy.h"
#include "potential/attachment.h"
#include "potential/motor.h"
#include "potential/potential.h"
#include "potential/trajectory.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cond_watch_create(CondSim* sim)
{
    const CondModel* model = sim->model;
    sim->watch.least_size = INFINITY;
    sim->watch.total_mass = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        sim->watch.total_mass += model->body[b].mass;
        sim->watch.least_size = fmin(sim->watch.least_size, model->body[b].size);
    }
}

void cond_watch_begin(CondSim* sim)
{
    sim->watch.message[0] = '\0';
}

static CondStatus accuse(CondSim* sim, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sim->watch.message, sizeof sim->watch.message, format, arguments);
    va_end(arguments);
    return COND_DIVERGED;
}

static const char* name_of(const CondSim* sim, int body)
{
    return body >= 0 ? sim->model->body[body].name : "";
}

// First entry that is not finite; n: none.
static int find_odd(int n, const double* x)
{
    int i = 0;
    while (i < n && isfinite(x[i]))
        i++;
    return i;
}

// Accuses the body to which an odd coordinate belongs; what: the numbers in v are.
static void accuse_coordinates(CondSim* sim, const double* q, const double* v, const char* what)
{
    for (int b = 0; b < sim->model->n_body; b++) {
        const CondBody* body = &sim->model->body[b];
        int odd_q = q && find_odd(body->n_q, q + body->q_begin) < body->n_q;
        if (!odd_q && find_odd(body->n_dof, v + body->dof_begin) == body->n_dof)
            continue;
        accuse(sim, "body '%s': its %s is not finite", body->name, odd_q ? "configuration" : what);
        return;
    }
}

int cond_watch_finds_finite(CondSim* sim)
{
    const CondState* next = sim->next;
    if (find_odd(next->n_q, next->q) == next->n_q && find_odd(next->n_dof, next->v) == next->n_dof)
        return 1;
    accuse_coordinates(sim, next->q, next->v, "velocity");
    return 0;
}

static double gravity_energy(const CondKinematics* kinematics, const double* v)
{
    const CondModel* model = kinematics->model;
    const double* g = model->settings.gravity;
    double energy = 0.0;
    for (int b = 0; b < model->n_body && vec3_norm(g) > 0.0; b++) {
        const CondBody* body = &model->body[b];
        const CondBodyOps* ops = cond_body_ops(body->kind);
        if (body->kind == COND_BODY_ROBOT) { // whose pose is that of its base
            energy += ops->potential(body, kinematics, g);
            continue;
        }
        CondPose pose = ops->pose(body, kinematics->q + body->q_begin, v + body->dof_begin);
        energy -= body->mass * vec3_dot(g, pose.position);
    }
    return energy;
}

static double deepest_candidate(const CondCandidateList* list)
{
    double deepest = 0.0;
    // Not by fmax, which may return either zero where a gap is 0.
    for (int c = 0; c < list->n; c++)
        if (-list->candidate[c].gap > deepest)
            deepest = -list->candidate[c].gap;
    return deepest;
}

// What overlaps at the start may set free: the springs of the penalty method do, and
// position-based dynamics turns a distance into a velocity within one of its substeps.
static double overlap_energy(const CondSim* sim, double deepest)
{
    const CondSceneSettings* settings = &sim->model->settings;
    double energy = 0.0, h = settings->time_step / settings->pbd_substeps;
    if (settings->method == COND_STEP_PBD)
        return 0.5 * sim->watch.total_mass * (deepest / h) * (deepest / h);
    for (int c = 0; c < sim->attempt.candidates.n && settings->method == COND_STEP_PENALTY; c++) {
        double depth = fmax(-sim->attempt.candidates.candidate[c].gap, 0.0);
        energy += 0.5 * settings->penalty_stiffness * depth * depth;
    }
    return energy;
}

// At the start there is the energy of the state, and to each body what gravity gives it over its
// own size: bodies at rest have none, and may be lifted by what solves them to a tolerance.
static void begin_account(const CondSim* sim, const CondState* state, const CondStepInfo* info,
                          CondAccount* account)
{
    const CondModel* model = sim->model;
    double g = vec3_norm(model->settings.gravity);
    account->begun = 1;
    account->values = sim->values->values;
    account->energy = info->kinetic_before + info->potential_before;
    account->height = account->lowest = gravity_energy(&sim->at_start, state->v);
    account->penetration = deepest_candidate(&sim->attempt.candidates);
    account->supply = fmax(account->energy - account->height, 0.0);
    account->supply += overlap_energy(sim, account->penetration);
    for (int b = 0; b < model->n_body; b++)
        account->supply +=
            model->body[b].mass * (g * model->body[b].size + COND_MILLIMETRE * COND_MILLIMETRE);
}

// The springs between the bodies and what leads them.
static double lead_energy(const CondKinematics* kinematics, const CondState* state)
{
    const CondModel* model = kinematics->model;
    double energy = 0.0;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            energy += cond_motor_energy(kinematics, &model->body[b],
                                        state->motor + model->body[b].target_begin,
                                        state->target + model->body[b].target_begin);
    for (int i = 0; i < state->n_weld; i++)
        if (state->weld[i].active)
            energy += cond_weld_energy(kinematics, &state->weld[i]);
    return energy;
}

// Targets that move stretch the springs of motors and attachments, and pull at the dampers of
// motors.
static double lead_work(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    double before = lead_energy(&sim->at_start, state), work;
    cond_trajectory_guide(&sim->at_start, sim->next->time);
    work = fabs(lead_energy(&sim->at_start, sim->next) - before);
    cond_trajectory_guide(&sim->at_start, state->time);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        const double* v = sim->next->v_hat + body->dof_begin + body->n_dof - body->arm->n_joint;
        for (int j = 0; j < body->arm->n_joint; j++) {
            double rate = sim->targets.rate[body->target_begin + j];
            const CondMotor* motor = &sim->next->motor[body->target_begin + j];
            work += sim->attempt.time_step * (motor->damping * fabs(rate) * fabs(rate - v[j]) +
                                              fabs(motor->torque) * fabs(v[j]));
        }
    }
    return work;
}

// 1 where a body moves as it is told, whatever acts on it: the robots of position-based dynamics.
static int is_driven(const CondModel* model, int body)
{
    return body >= 0 && model->settings.method == COND_STEP_PBD &&
           model->body[body].kind == COND_BODY_ROBOT;
}

// Of forces and the user's hand, and of contacts with what is driven.
static double force_work(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    double work = 0.0, *f = sim->work;
    memset(f, 0, (size_t)model->n_dof * sizeof *f);
    cond_force_add(&sim->at_start, state, sim->attempt.time_step, f);
    cond_hooks_add_forces(sim, &sim->at_start, NULL, NULL, f); // as in the step, which took them
    for (int i = 0; i < model->n_dof; i++)
        work += sim->attempt.time_step * fabs(f[i] * sim->next->v_hat[i]);
    if (sim->pull.stiffness > 0.0 && sim->pull.end[0].body >= 0)
        work += fabs(cond_spring_energy(&sim->at_end, &sim->pull) -
                     cond_spring_energy(&sim->at_start, &sim->pull));
    if (model->settings.method != COND_STEP_PBD)
        return work;
    memset(f, 0, (size_t)model->n_dof * sizeof *f);
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        cond_contact_add_force(&sim->attempt.assembly.contact[c], 1.0, sim->attempt.impulse + 3 * c,
                               f);
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; i < model->body[b].n_dof && is_driven(model, b); i++) {
            int at = model->body[b].dof_begin + i;
            work += fabs(f[at] * sim->next->v[at]);
        }
    return work;
}

// Of the driven bodies and of what is held; needs M v in sim->work, where the kinetic energy leaves
// it.
static double driven_energy(const CondSim* sim)
{
    const CondModel* model = sim->model;
    double energy = 0.0;
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; i < model->body[b].n_dof; i++) {
            int at = model->body[b].dof_begin + i;
            if (is_driven(model, b) || sim->held.flag[at])
                energy += 0.5 * sim->next->v[at] * sim->work[at];
        }
    return energy;
}

// Accuses a body that is deeper in another one than at the start by more than its own size. What
// the step's own measure says is looked at again: the position may have been corrected since.
static CondStatus watch_depth(CondSim* sim, const CondStepInfo* info)
{
    const CondWatch* watch = &sim->watch;
    double deepest, start = sim->next->account.penetration;
    if (!(info->penetration > start + watch->least_size))
        return COND_OK;
    CondStatus status = cond_sim_collide_next(sim, &deepest);
    for (int c = 0; c < sim->attempt.end.n && !status; c++) {
        const CondCandidate* candidate = &sim->attempt.end.candidate[c];
        for (int side = 0; side < 2; side++) {
            int b = candidate->point[side].body;
            if (b >= 0 && -candidate->gap > start + sim->model->body[b].size)
                return accuse(sim,
                              "body '%s': %.3g m deep in what it touches, with a size of %.3g m "
                              "and %.3g m at the start",
                              name_of(sim, b), -candidate->gap, sim->model->body[b].size, start);
        }
    }
    return status;
}

CondStatus cond_watch_motion(CondSim* sim, const CondState* state, const CondStepInfo* info)
{
    CondAccount* account = &sim->next->account;
    double before = info->kinetic_before + info->potential_before;
    double after = info->kinetic_after + info->potential_after;
    if (!isfinite(before) || !isfinite(after) || !isfinite(info->penetration))
        return accuse(sim, "%s is not finite",
                      isfinite(info->penetration) ? "the energy" : "the penetration");
    if (!account->begun || account->values != sim->values->values)
        begin_account(sim, state, info, account);
    cond_held_begin(sim, state); // where only a part of this model was stepped
    sim->watch.energy = after - driven_energy(sim);
    if (fabs(before - account->energy) >
        COND_INPUT_ROUNDING * fabs(before)) // the user has changed the state
        account->supply += fabs(before - account->energy);
    account->supply += lead_work(sim, state) + force_work(sim, state);
    account->energy = after;
    double height = gravity_energy(&sim->at_end, sim->next->v);
    account->lowest = fmin(account->lowest, height);
    sim->watch.energy -= height;
    return watch_depth(sim, info);
}

// How fast an end of an attachment moves by itself, world axes.
static void end_rate(const CondSim* sim, const CondFrame* frame, double rate[6])
{
    const CondKinematics* kinematics = &sim->at_start;
    cond_kinematics_frame_rate(kinematics, frame, rate);
    if (frame->patch >= 0 || !is_driven(sim->model, frame->point.body))
        return;
    double position[3], R[9], *J = kinematics->frame_columns;
    int n = cond_kinematics_frame(kinematics, frame, position, R, kinematics->frame_list, J);
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < n; j++)
            rate[k] += J[k * n + j] * sim->next->v[kinematics->frame_list[j]];
}

static double hold_work(const CondSim* sim)
{
    double work = 0.0;
    for (int i = 0; i < sim->readings.n_wrench; i++) {
        const CondWeld* weld = &sim->next->weld[i];
        const double* wrench = sim->readings.wrench + 6 * (size_t)i;
        double force = vec3_norm(wrench), torque = vec3_norm(wrench + 3), rate[6];
        for (int end = 0; end < 2 && weld->active; end++) {
            end_rate(sim, &weld->what.end[end], rate);
            work += sim->attempt.time_step *
                    (force * (vec3_norm(rate) + vec3_norm(rate + 3) * vec3_norm(weld->anchor)) +
                     torque * vec3_norm(rate + 3));
        }
    }
    return work;
}

// The body with the most kinetic and elastic energy.
static int most_energetic(CondSim* sim)
{
    static const double nothing[3] = {0.0, 0.0, 0.0};
    const CondModel* model = sim->model;
    int most = -1;
    double best = -INFINITY;
    cond_kinematics_set(&sim->at_end, sim->next->q);
    cond_sim_kinetic(sim, &sim->at_end, sim->next->v);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double energy = cond_body_ops(body->kind)->potential(body, &sim->at_end, nothing);
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
            energy += 0.5 * sim->next->v[i] * sim->work[i];
        if (energy > best && !is_driven(model, b) && !cond_held_whole(sim, b)) {
            best = energy;
            most = b;
        }
    }
    return most;
}

static CondStatus watch_readings(CondSim* sim)
{
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        if (find_odd(3, sim->attempt.lambda + 3 * c) < 3 ||
            find_odd(3, sim->attempt.impulse + 3 * c) < 3)
            return accuse(sim, "body '%s': the force of one of its contacts is not finite",
                          name_of(sim, sim->attempt.candidates.candidate[c].point[0].body));
    for (int i = 0; i < sim->readings.n_wrench; i++)
        if (find_odd(6, sim->readings.wrench + 6 * (size_t)i) < 6)
            return accuse(sim, "body '%s': the force of an attachment on it is not finite",
                          name_of(sim, sim->next->weld[i].what.end[0].point.body));
    for (int i = 0; i < sim->model->n_sensor; i++) {
        const CondSensorReading* reading = &sim->readings.reading[i];
        if (find_odd(3, reading->force) < 3 || find_odd(3, reading->torque) < 3 ||
            find_odd(3, reading->position) < 3 || find_odd(9, reading->axes) < 9)
            return accuse(sim, "sensor '%s': what it reads is not finite",
                          sim->model->sensor[i].name);
    }
    return COND_OK;
}

CondStatus cond_watch_forces(CondSim* sim)
{
    CondAccount* account = &sim->next->account;
    CondStatus status = watch_readings(sim);
    if (status)
        return status;
    account->supply += hold_work(sim);
    double allowed = account->supply + account->height - account->lowest;
    if (sim->watch.energy <= COND_RUNAWAY * allowed)
        return COND_OK;
    return accuse(sim, "body '%s': the energy has become %.3g J, where %.3g J were there or put in",
                  name_of(sim, most_energetic(sim)), sim->watch.energy, allowed);
}

void cond_watch_blame(CondSim* sim)
{
    // What came out is odd everywhere; what went in tells more.
    const double* stage[] = {sim->f, sim->attempt.assembly.b, sim->attempt.v_hat};
    static const char* const what[] = {"force", "momentum", "velocity"};
    for (int k = 0; k < 3 && !*sim->watch.message; k++)
        accuse_coordinates(sim, NULL, stage[k], what[k]);
    if (!*sim->watch.message)
        accuse(sim, "the contact problem has no finite answer");
}
