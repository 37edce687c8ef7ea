// The stages of the three methods of stepping, as functions of the attempt. Each leaves its result
// in the attempt or in the simulation; the state changes in the last alone.
#include "step/stages.h"

#include "base/parallel.h"
#include "correct/correction.h"
#include "impact/impact.h"
#include "sim/tuning.h"

#include <math.h>

static CondStatus begin(CondSim* sim, CondAttempt* attempt)
{
    cond_watch_begin(sim);
    attempt->late = attempt->round = attempt->retreats = attempt->at_iterate = 0;
    attempt->verdict = (CondVerdict){.status = COND_OK};
    attempt->info = (CondStepInfo){.substeps = 1};
    attempt->penetration = NAN;
    return cond_sim_begin(sim, attempt->from);
}

static CondStatus load_forces(CondSim* sim, CondAttempt* attempt)
{
    cond_sim_control_middle(sim, attempt->from);
    return cond_sim_load_forces(sim, attempt->from);
}

static CondStatus load_matrix(CondSim* sim, CondAttempt* attempt)
{
    (void)attempt;
    return cond_sim_load_matrix(sim);
}

static CondStatus collide(CondSim* sim, CondAttempt* attempt)
{
    return cond_sim_find_contacts(sim, attempt->from);
}

static CondStatus choose_theta(CondSim* sim, CondAttempt* attempt)
{
    return cond_integrator_choose(sim, attempt);
}

static CondStatus assemble(CondSim* sim, CondAttempt* attempt)
{
    CondStatus status = attempt->at_iterate ? cond_integrator_resume(sim, attempt->from)
                                            : cond_sim_pose(sim, attempt->from);
    return status ? status : cond_held_reduce(sim);
}

static CondStatus start(CondSim* sim, CondAttempt* attempt)
{
    return cond_sim_start(sim, attempt->from);
}

static CondStatus nodalize(CondSim* sim, CondAttempt* attempt)
{
    (void)attempt;
    CondStatus status = cond_held_reduce(sim);
    return status ? status : cond_solver_prepare(sim->solver, cond_held_problem(sim));
}

// The integrator judges a solve that has failed; it may go back to where it came from.
static CondStatus solve(CondSim* sim, CondAttempt* attempt)
{
    CondVerdict* verdict = &attempt->verdict;
    verdict->last = (CondSolveInfo){.status = COND_OK};
    verdict->solved = cond_sim_solve_problem(sim, &verdict->last);
    attempt->penetration = NAN;
    if (verdict->solved >= 0)
        cond_solve_info_add(&attempt->info.solve, &verdict->last);
    return COND_OK;
}

static CondStatus iterate(CondSim* sim, CondAttempt* attempt)
{
    CondVerdict* verdict = &attempt->verdict;
    CondStatus status = cond_integrator_next(sim, attempt->from, verdict->solved,
                                             &attempt->info.solve, &verdict->next);
    if (status < 0 && verdict->solved < 0)
        cond_solve_info_add(&attempt->info.solve, &verdict->last);
    if (status < 0 || verdict->next != COND_NEXT_DONE)
        return status < 0 ? status : COND_OK;
    verdict->status = status;
    cond_sim_note_relaxed(sim);
    return COND_OK;
}

// An answer that misses the tolerance says little about the end of the step.
static CondStatus recheck(CondSim* sim, CondAttempt* attempt)
{
    CondVerdict* verdict = &attempt->verdict;
    verdict->n_violated = 0;
    if (verdict->status != COND_OK)
        return COND_OK;
    CondStatus status = cond_sim_look_at_end(sim, attempt->from);
    return status ? status : cond_sim_find_violated(sim, attempt->from, &verdict->n_violated);
}

static CondStatus integrate(CondSim* sim, CondAttempt* attempt)
{
    CondStatus status = cond_sim_make_next(sim, attempt->from);
    return status < 0 || !isnan(attempt->penetration)
               ? status
               : cond_sim_collide_next(sim, &attempt->penetration);
}

static CondStatus strike(CondSim* sim, CondAttempt* attempt)
{
    attempt->verdict.impact = COND_OK;
    if (!sim->model->settings.impact)
        return COND_OK;
    int any = attempt->candidates.n > 0;
    double before = any ? cond_sim_kinetic(sim, &sim->at_end, sim->next->v) : 0.0;
    attempt->verdict.impact = cond_sim_impact(sim, attempt->from, &attempt->info.impact);
    if (any)
        attempt->info.work_impact = cond_sim_kinetic(sim, &sim->at_end, sim->next->v) - before;
    return attempt->verdict.impact;
}

// Joints that began the step beyond their limits are led back first; what the links meet on that
// way is looked at. What the correction pushes there is led back after it, by what is left.
static CondStatus correct(CondSim* sim, CondAttempt* attempt)
{
    const CondSceneSettings* settings = &sim->model->settings;
    CondStepInfo* info = &attempt->info;
    double share = settings->correction_rate * attempt->time_step;
    CondStatus status = COND_OK;
    if (settings->position_correction) {
        double led = cond_joint_rows_lead_back(sim, share);
        if (led > COND_NANOMETRE)
            status = cond_sim_collide_next(sim, &attempt->penetration);
        info->penetration = attempt->penetration;
        if (status >= 0)
            status = cond_sim_correct(sim, info->penetration, share, &info->correction,
                                      &info->corrected, NULL);
        if (status < 0)
            return status;
        cond_joint_rows_lead_back(sim, led < share ? INFINITY : share);
        cond_impact_settle(sim);
    }
    info->penetration = attempt->penetration;
    return status;
}

static CondStatus finish(CondSim* sim, CondAttempt* attempt)
{
    (void)attempt;
    return cond_sim_finish_next(sim);
}

// The work of the rows of joints: of dry friction, of limits, and of motors at their bounds.
static void add_row_work(const CondSim* sim, CondStepInfo* info)
{
    const CondAttempt* attempt = &sim->attempt;
    for (int r = 0, c = attempt->candidates.n; r < sim->rows.n; r++, c++) {
        const CondJointRow* row = &sim->rows.row[r];
        double work = attempt->time_step * cond_joint_row_sign(row->kind) *
                      attempt->v_hat[row->coordinate] * attempt->lambda[3 * (ptrdiff_t)c];
        *(row->kind == COND_ROW_FRICTION ? &info->work_friction
          : row->kind == COND_ROW_MOTOR  ? &info->work_given
                                         : &info->work_impact) += work;
    }
}

// The work t (u - phi)' lambda of all contacts, u by v_hat: along the surfaces that of friction,
// and along the normals of what closes a gap. Forces that stop what is struck in the step, in the
// place of which the impact stage has put its own, have done it with it.
typedef struct WorkLoop {
    const CondSim* sim;
    int n_part;
    double (*work)[2]; // of each part: impact, friction               (n_part)
} WorkLoop;

static void add_works(const void* data, int first, int last)
{
    const WorkLoop* loop = data;
    const CondSim* sim = loop->sim;
    const CondAttempt* attempt = &sim->attempt;
    double t = attempt->time_step;
    int n = attempt->candidates.n;
    for (int part = first; part < last; part++) {
        double* work = loop->work[part];
        work[0] = work[1] = 0.0;
        for (int c = cond_team_first(n, part, loop->n_part);
             c < cond_team_first(n, part + 1, loop->n_part); c++) {
            const CondContact* contact = &attempt->assembly.contact[c];
            const double *lambda = attempt->lambda + 3 * (ptrdiff_t)c, *phi = contact->phi;
            double u[3];
            cond_contact_velocity(contact, attempt->v_hat, u);
            double slip = t * ((u[1] - phi[1]) * lambda[1] + (u[2] - phi[2]) * lambda[2]);
            int struck =
                cond_impact_is_exact(sim, attempt->candidates.candidate[c].point[0].body) &&
                cond_impact_strikes(sim, attempt->from, c);
            work[0] += t * (u[0] - phi[0]) * lambda[0];
            work[!struck] += slip;
        }
    }
}

static void add_contact_work(const CondSim* sim, CondStepInfo* info)
{
    double part[COND_LOOP_PARTS][2];
    size_t work = COND_CONTACT_WORK * (size_t)sim->attempt.candidates.n;
    WorkLoop loop = {sim, cond_loop_parts(work), part};
    cond_parallel(loop.n_part, cond_threads(work, sim->model->settings.solver.threads), add_works,
                  &loop);
    for (int k = 0; k < loop.n_part; k++) {
        info->work_impact += part[k][0];
        info->work_friction += part[k][1];
    }
}

static CondStatus commit(CondSim* sim, CondAttempt* attempt)
{
    if (sim->model->settings.method == COND_STEP_VELOCITY) {
        add_contact_work(sim, &attempt->info);
        add_row_work(sim, &attempt->info);
    }
    CondStatus status = cond_sim_commit(sim, attempt->from, attempt->to, &attempt->info);
    int counts = attempt->n_substep > 1 && !status && attempt->verdict.status == COND_OK;
    return counts ? cond_substeps_take(sim) : status;
}

// What the baselines find where they have moved everything.
static CondStatus arrive(CondSim* sim, CondAttempt* attempt)
{
    CondStatus status = cond_sim_arrive(sim, attempt->from);
    return status ? status : cond_sim_collide_next(sim, &attempt->info.penetration);
}

static CondStatus begin_baseline(CondSim* sim, CondAttempt* attempt)
{
    (void)sim;
    attempt->verdict = (CondVerdict){.status = COND_OK};
    attempt->info = (CondStepInfo){.substeps = 1};
    attempt->info.solve.certificate.worst_contact = -1;
    return COND_OK;
}

static CondStatus load_penalty(CondSim* sim, CondAttempt* attempt)
{
    return cond_penalty_forces(sim, attempt->from);
}

static CondStatus collide_penalty(CondSim* sim, CondAttempt* attempt)
{
    return cond_penalty_contacts(sim, attempt->from);
}

static CondStatus advance_penalty(CondSim* sim, CondAttempt* attempt)
{
    (void)attempt;
    return cond_penalty_advance(sim);
}

static CondStatus load_pbd(CondSim* sim, CondAttempt* attempt)
{
    return cond_pbd_forces(sim, attempt->from);
}

static CondStatus assemble_pbd(CondSim* sim, CondAttempt* attempt)
{
    return cond_pbd_assemble(sim, attempt->from);
}

static CondStatus solve_pbd(CondSim* sim, CondAttempt* attempt)
{
    return cond_pbd_solve(sim, &attempt->info.solve);
}

static CondStatus advance_pbd(CondSim* sim, CondAttempt* attempt)
{
    (void)attempt;
    return cond_pbd_advance(sim);
}

static const CondStepStage VELOCITY[COND_N_RESULT] = {
    [COND_RESULT_BEGIN] = {COND_STAGE_FORCES, begin},
    [COND_RESULT_FORCES] = {COND_STAGE_FORCES, load_forces},
    [COND_RESULT_MATRIX] = {COND_STAGE_MATRIX, load_matrix},
    [COND_RESULT_COLLIDE] = {COND_STAGE_COLLIDE, collide},
    [COND_RESULT_THETA] = {COND_STAGE_ASSEMBLE, choose_theta},
    [COND_RESULT_ASSEMBLE] = {COND_STAGE_ASSEMBLE, assemble},
    [COND_RESULT_START] = {COND_STAGE_SOLVE, start},
    [COND_RESULT_NODALIZE] = {COND_STAGE_NODALIZE, nodalize},
    [COND_RESULT_SOLVE] = {COND_STAGE_SOLVE, solve},
    [COND_RESULT_ITERATE] = {COND_STAGE_MATRIX, iterate},
    [COND_RESULT_RECHECK] = {COND_STAGE_COLLIDE, recheck},
    [COND_RESULT_INTEGRATE] = {COND_STAGE_INTEGRATE, integrate},
    [COND_RESULT_IMPACT] = {COND_STAGE_IMPACT, strike},
    [COND_RESULT_CORRECT] = {COND_STAGE_CORRECT, correct},
    [COND_RESULT_FINISH] = {COND_STAGE_INTEGRATE, finish},
    [COND_RESULT_COMMIT] = {COND_STAGE_COMMIT, commit},
};

// Contacts are forces.
static const CondStepStage PENALTY[COND_N_RESULT] = {
    [COND_RESULT_BEGIN] = {COND_STAGE_FORCES, begin_baseline},
    [COND_RESULT_FORCES] = {COND_STAGE_FORCES, load_penalty},
    [COND_RESULT_COLLIDE] = {COND_STAGE_COLLIDE, collide_penalty},
    [COND_RESULT_INTEGRATE] = {COND_STAGE_INTEGRATE, advance_penalty},
    [COND_RESULT_FINISH] = {COND_STAGE_COLLIDE, arrive},
    [COND_RESULT_COMMIT] = {COND_STAGE_COMMIT, commit},
};

// Contacts are found once, and all is solved by the substeps of the method.
static const CondStepStage PBD[COND_N_RESULT] = {
    [COND_RESULT_BEGIN] = {COND_STAGE_FORCES, begin_baseline},
    [COND_RESULT_FORCES] = {COND_STAGE_FORCES, load_pbd},
    [COND_RESULT_COLLIDE] = {COND_STAGE_COLLIDE, collide},
    [COND_RESULT_ASSEMBLE] = {COND_STAGE_ASSEMBLE, assemble_pbd},
    [COND_RESULT_SOLVE] = {COND_STAGE_SOLVE, solve_pbd},
    [COND_RESULT_INTEGRATE] = {COND_STAGE_INTEGRATE, advance_pbd},
    [COND_RESULT_FINISH] = {COND_STAGE_COLLIDE, arrive},
    [COND_RESULT_COMMIT] = {COND_STAGE_COMMIT, commit},
};

const CondStepStage* cond_step_stages(CondStepMethod method)
{
    return method == COND_STEP_PENALTY ? PENALTY : method == COND_STEP_PBD ? PBD : VELOCITY;
}
