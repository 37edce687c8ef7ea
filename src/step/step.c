// One time step as a list of stages: which run in what order, and what sends a step back. What a
// stage does is in files of its own.
#include "correct/correction.h"
#include "impact/impact.h"
#include "integrate/persistent.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

#include "base/definition.h"
#include "base/timer.h"
#include "strategy/solver.h"

#include <math.h>
#include <string.h>

static void start_clock(CondSim* sim)
{
    sim->clock.last = cond_seconds();
}

// Counts the time since the last stage. After any but the last, which has changed the state, a step
// can be cancelled.
static CondStatus count(CondSim* sim, CondStage stage, CondStatus status)
{
    double now = cond_seconds();
    sim->clock.stage = stage;
    sim->clock.seconds[stage] += now - sim->clock.last;
    sim->clock.last = now;
    int ends = status >= 0 && stage != COND_STAGE_COMMIT && cond_cancelled(&sim->arena.context);
    return ends ? COND_CANCELLED : status;
}

// Runs a stage. Where its status is negative the step ends with it.
#define STAGE(stage, call)                                                                         \
    do {                                                                                           \
        status = count(sim, stage, call);                                                          \
        if (status < 0)                                                                            \
            return status;                                                                         \
    } while (0)

// ---- stages that can be called one by one

CondStatus cond_sim_forces(CondSim* sim, const CondState* state)
{
    CondStatus status = COND_OK;
    if (!sim->stepping) // the caller looks at all
        cond_sleep_forget(sim);
    start_clock(sim);
    STAGE(COND_STAGE_FORCES, cond_sim_begin(sim, state));
    STAGE(COND_STAGE_FORCES, cond_sim_load_forces(sim, state));
    return COND_OK;
}

CondStatus cond_sim_matrix(CondSim* sim)
{
    CondStatus status = COND_OK;
    start_clock(sim);
    STAGE(COND_STAGE_MATRIX, cond_sim_load_matrix(sim));
    return COND_OK;
}

CondStatus cond_sim_collide(CondSim* sim, const CondState* state)
{
    CondStatus status = COND_OK;
    start_clock(sim);
    STAGE(COND_STAGE_COLLIDE, cond_sim_find_contacts(sim, state));
    return COND_OK;
}

// Back to the forces, with the contacts that were found: another theta moves the time at which
// forces are taken. Newton's method has moved the place.
static CondStatus load_again(CondSim* sim, const CondState* state)
{
    CondStatus status = COND_OK;
    cond_sim_control_middle(sim, state);
    STAGE(COND_STAGE_FORCES, cond_sim_load_forces(sim, state));
    STAGE(COND_STAGE_MATRIX, cond_sim_load_matrix(sim));
    return COND_OK;
}

CondStatus cond_sim_assemble(CondSim* sim, const CondState* state)
{
    CondStatus status = COND_OK;
    int changed = 0;
    if (!sim->attempt.loaded)
        return COND_BAD_ARGUMENT;
    start_clock(sim);
    STAGE(COND_STAGE_ASSEMBLE, cond_sim_choose(sim, state, 0, &changed));
    if (changed && (status = load_again(sim, state)))
        return status;
    STAGE(COND_STAGE_ASSEMBLE, cond_sim_pose(sim, state));
    STAGE(COND_STAGE_ASSEMBLE, cond_held_reduce(sim));
    return COND_OK;
}

static CondStatus nodalize(CondSim* sim)
{
    if (sim->attempt.nodalized)
        return COND_OK;
    CondStatus status = cond_held_reduce(sim);
    if (!status)
        status = cond_solver_prepare(sim->solver, cond_held_problem(sim));
    sim->attempt.nodalized = !status;
    return status;
}

CondStatus cond_sim_nodalize(CondSim* sim)
{
    CondStatus status = COND_OK;
    start_clock(sim);
    STAGE(COND_STAGE_NODALIZE, nodalize(sim));
    return COND_OK;
}

// Solves the problem, and others for as long as the integrator poses them: at Newton's next
// iterate, or with another theta, back from the forces on.
static CondStatus solve(CondSim* sim, const CondState* state, CondNext next, CondSolveInfo* info)
{
    CondStatus status = COND_OK;
    while (next != COND_NEXT_DONE) {
        CondSolveInfo one = {.status = COND_OK};
        if (next == COND_NEXT_FORCES) {
            if ((status = load_again(sim, state)))
                return status;
            STAGE(COND_STAGE_ASSEMBLE, cond_sim_pose(sim, state));
            STAGE(COND_STAGE_SOLVE, cond_sim_start(sim, state));
        }
        STAGE(COND_STAGE_NODALIZE, nodalize(sim));
        CondStatus solved = count(sim, COND_STAGE_SOLVE, cond_sim_solve_problem(sim, &one));
        if (solved >= 0)
            cond_solve_info_add(info, &one);
        status =
            count(sim, COND_STAGE_MATRIX, cond_integrator_next(sim, state, solved, info, &next));
        if (status < 0 && solved < 0)
            cond_solve_info_add(info, &one);
        if (status < 0)
            return status;
    }
    cond_sim_note_relaxed(sim);
    return status;
}

CondStatus cond_sim_solve(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondStatus status = COND_OK;
    start_clock(sim);
    memset(info, 0, sizeof *info);
    STAGE(COND_STAGE_SOLVE, cond_sim_start(sim, state));
    cond_integrator_begin(sim);
    return solve(sim, state, COND_NEXT_SOLVE, info);
}

// The same with contacts that have joined the problem since it was solved, from that answer on.
static CondStatus solve_again(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondStatus status = COND_OK;
    CondNext next = COND_NEXT_SOLVE;
    int changed = 0;
    cond_integrator_begin(sim);
    switch (sim->model->settings.integrator) {
    case COND_INTEGRATOR_THETA: // motors may have left the matrix
        if (!sim->rows.joined)
            break;
        if ((status = load_again(sim, state)))
            return status;
        STAGE(COND_STAGE_ASSEMBLE, cond_sim_pose(sim, state));
        break;
    case COND_INTEGRATOR_AUTO:
        STAGE(COND_STAGE_ASSEMBLE, cond_sim_choose(sim, state, 1, &changed));
        if (cond_auto_iterates(sim)) {
            cond_sim_control_middle(sim, state);
            STAGE(COND_STAGE_MATRIX, cond_auto_resume(sim, state));
            break;
        }
        if ((status = load_again(sim, state)))
            return status;
        STAGE(COND_STAGE_ASSEMBLE, cond_sim_pose(sim, state));
        break;
    default:
        STAGE(COND_STAGE_MATRIX, cond_integrator_next(sim, state, COND_OK, info, &next));
        sim->newton.size = INFINITY; // what has joined may raise a residual that was nothing
    }
    return next == COND_NEXT_DONE ? status : solve(sim, state, next, info);
}

// 1 where the answer at hand was made roughly, to see which contacts join.
static int is_draft(const CondSim* sim, const CondSolveInfo* info)
{
    double tolerance = sim->model->settings.solver.tolerance;
    int rough = cond_certificate_residual(&info->certificate) > tolerance && sim->attempt.coarse;
    return sim->attempt.rough && (rough || sim->newton.drafted);
}

// Rounds go on from drafts while contacts join. Where none does any more, or may, the draft is
// brought to the tolerance, with what drafts pass over and the answer will not, and looked at once
// more, with half of the rounds left at least.
static CondStatus sim_recheck_whole(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    CondStatus status = COND_OK, worst = info->solve.status;
    int half = sim->model->settings.rounds / 2;
    start_clock(sim);
    for (int round = 0;;) {
        int n = 0, sound = worst == COND_OK;
        STAGE(COND_STAGE_COLLIDE, cond_sim_look_at_end(sim, state));
        STAGE(COND_STAGE_COLLIDE, cond_sim_find_violated(sim, state, round, sound, &n));
        if (n == 0 && !is_draft(sim, &info->solve))
            return status > worst ? status : worst;
        int ends = n == 0; // the drafts
        if (ends) {
            round = round < half ? round : half;
            sim->attempt.rough = 0;
            STAGE(COND_STAGE_COLLIDE, cond_sim_find_violated(sim, state, round, sound, &n));
        }
        if (n > 0) {
            round += !ends; // which are followed by a solve in any case
            info->rounds += !ends;
            info->added += n;
            STAGE(COND_STAGE_ASSEMBLE, cond_sim_join_violated(sim, state));
        }
        worst = solve_again(sim, state, &info->solve);
        if (worst < 0)
            return worst;
    }
}

CondStatus cond_sim_recheck_sized(CondSim* sim, const CondState* state, CondStepInfo* info,
                                  size_t size)
{
    COND_SIZED(CondStatus, CondStepInfo, info, size, sim_recheck_whole(sim, state, it));
}

// What was measured since the last step was handed over.
static void hand_over_seconds(CondSim* sim, CondStepInfo* info)
{
    for (int k = 0; k < COND_N_STAGE; k++) {
        info->seconds[k] += sim->clock.seconds[k];
        sim->clock.seconds[k] = 0.0;
    }
}

// The end of every step by every method.
static CondStatus commit(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStatus status = count(sim, COND_STAGE_COMMIT, cond_sim_commit(sim, state, info));
    hand_over_seconds(sim, info);
    return status;
}

// Joints that began the step beyond their limits. What the links meet on that way is looked at
// where it is no rounding. *left: how far the correction may be led back, which has no part in
// that.
static CondStatus lead_joints_back(CondSim* sim, double share, double* left)
{
    static const double ROUNDING = 1e-9; // [rad, m]
    double way = cond_joint_rows_lead_back(sim, share);
    *left = way < share ? INFINITY : share;
    return way > ROUNDING ? cond_sim_collide_next(sim, &sim->attempt.penetration) : COND_OK;
}

static CondStatus sim_integrate_whole(CondSim* sim, CondState* state, CondStepInfo* info)
{
    const CondSceneSettings* settings = &sim->model->settings;
    CondStatus status = COND_OK, worst = COND_OK;
    start_clock(sim);
    STAGE(COND_STAGE_INTEGRATE, cond_sim_make_next(sim, state));
    if (!sim->attempt.checked)
        STAGE(COND_STAGE_COLLIDE, cond_sim_collide_next(sim, &sim->attempt.penetration));
    if (settings->impact) {
        STAGE(COND_STAGE_IMPACT, cond_sim_impact(sim, state, &info->impact));
        if (status && cond_persistent_may_be_barred(sim)) {
            sim->attempt.persistent =
                COND_PERSISTENT_BARRED; // back to the forces, by cond_sim_step
            return status;
        }
        worst = status;
    }
    double share = settings->correction_rate * sim->attempt.time_step, left = share;
    if (settings->position_correction)
        STAGE(COND_STAGE_CORRECT, lead_joints_back(sim, share, &left));
    info->penetration = sim->attempt.penetration;
    if (settings->position_correction) {
        STAGE(COND_STAGE_CORRECT, cond_sim_correct(sim, info->penetration, share, &info->correction,
                                                   &info->corrected, NULL));
        worst = status > worst ? status : worst;
        cond_joint_rows_lead_back(sim, left); // what the correction has pushed there
        cond_impact_settle(sim);
    }
    STAGE(COND_STAGE_INTEGRATE, cond_sim_finish_next(sim));
    status = commit(sim, state, info);
    return status < 0 ? status : worst;
}

CondStatus cond_sim_integrate_sized(CondSim* sim, CondState* state, CondStepInfo* info, size_t size)
{
    COND_SIZED(CondStatus, CondStepInfo, info, size, sim_integrate_whole(sim, state, it));
}

// ---- a whole step

static CondStatus make_velocity(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    CondStatus status = cond_sim_forces(sim, state);
    if (!status)
        status = cond_sim_matrix(sim);
    if (!status)
        status = cond_sim_collide(sim, state);
    if (!status)
        status = cond_sim_assemble(sim, state);
    if (!status)
        status = cond_sim_solve(sim, state, &info->solve);
    return status ? status : cond_sim_recheck(sim, state, info);
}

CondStatus cond_sim_attempt(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    sim->attempt.rough = cond_sim_may_go_on(sim);
    sim->attempt.spared = 0;
    CondStatus status = make_velocity(sim, state, info);
    sim->attempt.rough = 0;
    return status;
}

// 1 where a smaller step may come next.
static int is_divisible(const CondSceneSettings* settings)
{
    return settings->substeps > 1 && settings->solver.fallback &&
           settings->solver.stop == COND_STOP_CERTIFICATE;
}

// By velocities, in parts where that is needed.
static CondStatus try_velocity(CondSim* sim, CondState* state, CondStepInfo* out)
{
    int divisible = is_divisible(&sim->model->settings);
    sim->attempt.divisible = divisible;
    CondStatus worst = cond_sim_attempt(sim, state, out);
    sim->attempt.divisible = 0;
    if (worst == COND_NOT_CONVERGED && divisible && out->solve.solved_by != COND_BY_OTHER) {
        int spared = sim->attempt.spared;
        CondStatus status = cond_sim_step_in_parts(sim, state, out);
        if (status != COND_NOT_CONVERGED)
            return status;
        if (spared) { // nothing else is left: by all methods
            CondStepInfo first = *out;
            *out = (CondStepInfo){.substeps = 1};
            worst = cond_sim_attempt(sim, state, out);
            cond_sim_add_attempt(&first, out);
        }
    }
    if (worst < 0)
        return worst;
    cond_watch_begin(sim); // of a part that was made in vain
    CondStatus status = cond_sim_integrate(sim, state, out);
    return status < 0 || status > worst ? status : worst;
}

// Where the impact stage misses with contacts that last, none does in a second attempt: implicit
// Euler needs no such stage.
CondStatus cond_sim_step_velocity(CondSim* sim, CondState* state, CondStepInfo* out)
{
    int64_t step = state->step;
    sim->attempt.persistent = COND_PERSISTENT_TRIED;
    CondStatus status = try_velocity(sim, state, out);
    if (status >= 0 && state->step == step) { // parts may have made it without them already
        CondStepInfo first = *out;
        *out = (CondStepInfo){.substeps = 1};
        cond_watch_begin(sim);
        status = try_velocity(sim, state, out);
        cond_sim_add_attempt(&first, out);
    }
    sim->attempt.persistent = COND_PERSISTENT_FREE;
    return status;
}

// What the baselines find where they have moved everything.
static CondStatus end_baseline(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStatus status = COND_OK;
    STAGE(COND_STAGE_INTEGRATE, cond_sim_arrive(sim, state));
    STAGE(COND_STAGE_COLLIDE, cond_sim_collide_next(sim, &info->penetration));
    return commit(sim, state, info);
}

// The penalty baseline: contacts are forces.
static CondStatus step_penalty(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStatus status = COND_OK;
    info->solve.certificate.worst_contact = -1;
    start_clock(sim);
    STAGE(COND_STAGE_FORCES, cond_penalty_forces(sim, state));
    STAGE(COND_STAGE_COLLIDE, cond_penalty_contacts(sim, state));
    STAGE(COND_STAGE_INTEGRATE, cond_penalty_advance(sim));
    return end_baseline(sim, state, info);
}

// The position-based baseline: contacts are found once, and all is solved by its substeps.
static CondStatus step_pbd(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStatus status = COND_OK;
    info->solve.certificate.worst_contact = -1;
    start_clock(sim);
    STAGE(COND_STAGE_FORCES, cond_pbd_forces(sim, state));
    STAGE(COND_STAGE_COLLIDE, cond_sim_find_contacts(sim, state));
    STAGE(COND_STAGE_ASSEMBLE, cond_pbd_assemble(sim, state));
    STAGE(COND_STAGE_SOLVE, cond_pbd_solve(sim, &info->solve));
    STAGE(COND_STAGE_INTEGRATE, cond_pbd_advance(sim));
    return end_baseline(sim, state, info);
}

static CondStatus sim_step_whole(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStepInfo own;
    CondStepInfo* out = info ? info : &own;
    memset(out, 0, sizeof *out);
    out->substeps = 1;
    cond_watch_begin(sim);
    if (cond_cancelled(&sim->arena.context))
        return out->status = COND_CANCELLED;
    if ((out->status = cond_events_begin(sim, state)))
        return out->status;
    sim->stepping = 1;
    if (sim->model->settings.method == COND_STEP_PENALTY)
        out->status = step_penalty(sim, state, out);
    else if (sim->model->settings.method == COND_STEP_PBD)
        out->status = step_pbd(sim, state, out);
    else
        out->status =
            sim->sleep ? cond_sleep_step(sim, state, out) : cond_sim_step_velocity(sim, state, out);
    CondSim* maker = cond_sleep_maker(sim);
    hand_over_seconds(maker, out);
    sim->stepping = 0;
    if (out->status == COND_DIVERGED && !*sim->watch.message) {
        cond_watch_blame(maker);
        memcpy(sim->watch.message, maker->watch.message, sizeof sim->watch.message);
    }
    if (out->status >= 0) {
        out->deepest = sim->attempt.deepest;
        if (cond_sim_is_too_deep(maker))
            out->status = COND_TOO_DEEP;
    }
    if (out->status >= 0)
        cond_events_end(sim, state);
    sim->clock.stage = maker->clock.stage;
    cond_sim_tell(sim, out);
    cond_hooks_tell(sim, state, out);
    return out->status;
}

CondStatus cond_sim_step_sized(CondSim* sim, CondState* state, CondStepInfo* info, size_t size)
{
    COND_SIZED(CondStatus, CondStepInfo, info, size, sim_step_whole(sim, state, it));
}

#undef STAGE

int cond_sim_n_contact(const CondSim* sim)
{
    cond_sleep_gather(sim);
    return sim->attempt.candidates.n;
}

// The link that a point is on.
static int part_of(const CondModel* model, const CondPoint* point)
{
    CondBodyKind kind = cond_model_body_kind(model, point->body);
    return kind == COND_BODY_ROBOT || kind == COND_BODY_ROD ? point->link : 0;
}

CondContactInfo cond_candidate_info(const CondModel* model, const CondCandidate* candidate)
{
    CondContactInfo info = {.body = candidate->point[0].body,
                            .other = candidate->point[1].body,
                            .plane = candidate->plane,
                            .gap = candidate->gap,
                            .restitution = candidate->restitution,
                            .part = part_of(model, &candidate->point[0]),
                            .other_part = part_of(model, &candidate->point[1])};
    memcpy(info.friction, candidate->friction, sizeof info.friction);
    memcpy(info.position, candidate->position, sizeof info.position);
    memcpy(info.frame, candidate->frame, sizeof info.frame);
    return info;
}
