// What leads the bodies in a step: joint targets and attachments.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "potential/attachment.h"
#include "potential/motor.h"
#include "potential/trajectory.h"
#include "sim/sim.h"

#include <string.h>

// One step of inverse kinematics from the present targets along the trajectory, whose velocity is
// fed forward over the step. The kinematics it works on is that of the targets, not of the robot,
// which lags behind.
static void follow(CondSim* sim, const CondTrajectory* trajectory, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondBody* body = &model->body[trajectory->body];
    const CondArticulation* arm = body->arm;
    double t = sim->attempt.time_step;
    double* q = sim->at_start.columns; // n_q <= n_dof + 1 <= 6 max_point_dof
    size_t base = (size_t)(arm->n_q - arm->n_joint), joints = (size_t)arm->n_joint;
    CondIkSettings settings = cond_ik_settings_default();
    CondIkFrame frame = {.link = trajectory->link, .orientation = {1.0, 0.0, 0.0, 0.0}};
    CondIkTarget target = cond_trajectory_at(trajectory, state->time);
    CondIkInfo info;
    memcpy(frame.position, trajectory->point, sizeof frame.position);
    memcpy(q, state->q + body->q_begin, base * sizeof *q);
    memcpy(q + base, state->target + body->target_begin, joints * sizeof *q);
    cond_ik_step(sim->targets.ik[trajectory->body], &settings, &frame, &target, t, q, NULL, &info);
    memcpy(sim->next->target + body->target_begin, q + base, joints * sizeof *q);
}

// Two arrays in shares.
typedef struct SameLoop {
    const double *a, *b;
    int n, parts;
    int* differs; // of each share                                           (COND_LOOP_PARTS)
} SameLoop;

static void compare(const void* data, int begin, int end)
{
    const SameLoop* loop = data;
    for (int part = begin; part < end; part++) {
        int first = cond_team_first(loop->n, part, loop->parts),
            last = cond_team_first(loop->n, part + 1, loop->parts);
        loop->differs[part] =
            memcmp(loop->a + first, loop->b + first, (size_t)(last - first) * sizeof *loop->a) != 0;
    }
}

static int are_same(int n, const double* a, const double* b, int threads)
{
    int differs[COND_LOOP_PARTS], any = 0;
    SameLoop loop = {a, b, n, cond_loop_parts((size_t)n), differs};
    cond_parallel(loop.parts, cond_threads((size_t)n, threads), compare, &loop);
    for (int part = 0; part < loop.parts; part++)
        any |= differs[part];
    return !any;
}

// 1 where all that the energies depend on is the same in both.
static int is_same(const CondState* a, const CondState* b, int threads)
{
    size_t weld = (size_t)b->n_weld * sizeof *b->weld;
    return a->time == b->time && a->n_weld == b->n_weld && are_same(b->n_q, a->q, b->q, threads) &&
           are_same(b->n_dof, a->v, b->v, threads) &&
           memcmp(a->target, b->target, (size_t)b->n_target * sizeof *b->target) == 0 &&
           (b->n_weld == 0 || memcmp(a->weld, b->weld, weld) == 0);
}

CondStatus cond_sim_control(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    sim->energy.resumed =
        sim->energy.known && is_same(sim->next, state, model->settings.solver.threads);
    sim->energy.known = 0;
    sim->attempt.begun = state->time;
    CondStatus status = cond_state_copy_by(sim->next, state, model->settings.solver.threads);
    if (status)
        return status;
    double t = sim->attempt.time_step;
    memcpy(sim->next->target, state->command, (size_t)model->n_target * sizeof(double));
    for (int i = 0; i < model->n_trajectory; i++) {
        const CondTrajectory* trajectory = &model->trajectory[i];
        if (trajectory->link >= 0)
            follow(sim, trajectory, state);
        else if (trajectory->joint >= 0)
            sim->next->target[model->body[trajectory->body].target_begin + trajectory->joint] =
                cond_trajectory_target(trajectory, state->time + t);
    }
    memcpy(sim->next->command, sim->next->target, (size_t)model->n_target * sizeof(double));
    for (int i = 0; i < model->n_target; i++)
        sim->targets.rate[i] =
            (sim->next->target[i] - state->target[i]) / t + state->motor[i].speed;
    double slack = COND_INPUT_ROUNDING * t;
    cond_trajectory_guide(&sim->at_start, state->time); // where attachments are made
    for (int i = 0; i < sim->next->n_weld; i++) {
        CondWeld* weld = &sim->next->weld[i];
        if (weld->attachment < 0)
            continue; // the user makes and releases it
        int due =
            state->time >= weld->what.start - slack && state->time < weld->what.end_time - slack;
        if (due && !weld->active && !weld->waits && !cond_weld_is_off(state, weld))
            cond_weld_make(&sim->at_start, weld);
        else if (!due)
            weld->active = weld->waits = 0;
    }
    cond_sim_control_middle(sim, state);
    return COND_OK;
}

double cond_sim_control_theta(const CondSim* sim)
{
    for (int i = 0; i < sim->next->n_weld; i++) {
        const CondWeld* weld = &sim->next->weld[i];
        if (weld->active && cond_weld_is_led(weld))
            return sim->theta[cond_weld_body(weld)];
    }
    return cond_sim_theta(sim);
}

void cond_sim_control_middle(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    double time = state->time + cond_sim_control_theta(sim) * sim->attempt.time_step;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int n = body->kind == COND_BODY_ROBOT ? body->arm->n_joint : 0;
        for (int i = body->target_begin; i < body->target_begin + n; i++)
            sim->targets.middle[i] =
                state->target[i] + sim->theta[b] * (sim->next->target[i] - state->target[i]);
    }
    cond_trajectory_guide(&sim->at_start, time);
    cond_trajectory_guide(&sim->at_end, time);
}

CondStatus cond_sim_add_controls(CondSim* sim, const CondKinematics* kinematics, CondCoupled which,
                                 const double* step, CondAssembly* assembly, double* f)
{
    const CondModel* model = sim->model;
    CondStatus status = COND_OK;
    int given = (which & COND_COUPLED_GIVEN) && model->n_kind[COND_BODY_ROBOT] > 0;
    for (int b = 0; b < model->n_body && given && !status; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        cond_joint_rows_set_base(sim, b);
        cond_motor_add(kinematics, body, sim->next->motor + body->target_begin,
                       sim->targets.middle + body->target_begin,
                       sim->targets.rate + body->target_begin, step ? step[b] : 0.0,
                       sim->rows.motor + body->target_begin, sim->rows.base + body->target_begin,
                       assembly, f);
    }
    for (int i = 0; i < sim->next->n_weld && !status; i++) {
        const CondWeld* weld = &sim->next->weld[i];
        CondCoupled kind = cond_weld_is_led(weld) ? COND_COUPLED_GIVEN : COND_COUPLED_OWN;
        int acts = !(which & COND_COUPLED_DAMPED) || cond_weld_is_damped(weld);
        if (weld->active && acts && (which & kind))
            status = cond_weld_add(kinematics, weld, step ? step[cond_weld_body(weld)] : 0.0,
                                   assembly, f);
    }
    return status;
}
