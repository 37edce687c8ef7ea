// The table of retries: what the verdict on an attempt asks for, how the attempt changes, and which
// results are made again. docs/pipeline.md has the same table.
#include "step/stages.h"

#include "integrate/persistent.h"
#include "law/certificate.h"

// ---- conditions

static int has_other_theta(const CondSim* sim)
{
    return sim->attempt.verdict.other_theta;
}

static int iterates(const CondSim* sim)
{
    return sim->attempt.verdict.next == COND_NEXT_SOLVE;
}

static int retreats(const CondSim* sim)
{
    return sim->attempt.verdict.next == COND_NEXT_FORCES;
}

static int violates(const CondSim* sim)
{
    return sim->attempt.verdict.n_violated > 0;
}

// The answer at hand has the coarse tolerance only, which serves to see which contacts join.
static int is_coarse(const CondSim* sim)
{
    const CondAttempt* attempt = &sim->attempt;
    const CondVerdict* verdict = &attempt->verdict;
    double residual = cond_certificate_residual(&attempt->info.solve.certificate);
    int coarse = verdict->coarse_solve && residual > sim->model->settings.solver.tolerance;
    return verdict->status == COND_OK && attempt->budget.coarse_tolerance > 0.0 &&
           (coarse || verdict->coarse_iterate);
}

static int impact_misses(const CondSim* sim)
{
    const CondAttempt* attempt = &sim->attempt;
    return attempt->verdict.impact == COND_NOT_CONVERGED && cond_persistent_may_be_barred(sim);
}

// A step as a whole goes on with what its impact and its correction leave; a substep does not.
static int misses(const CondSim* sim)
{
    const CondAttempt* attempt = &sim->attempt;
    CondStatus status = attempt->verdict.status;
    if (!attempt->divides)
        return 0;
    if (attempt->n_substep > 1)
        return status != COND_OK && status != COND_OUT_OF_MEMORY && status != COND_CANCELLED;
    return status == COND_NOT_CONVERGED && !(attempt->done & COND_RESULT(INTEGRATE)) &&
           attempt->info.solve.solved_by != COND_BY_OTHER;
}

static int misses_and_divides(const CondSim* sim)
{
    return misses(sim) && 2 * sim->attempt.n_substep <= sim->model->settings.substeps;
}

static int has_more_substeps(const CondSim* sim)
{
    const CondAttempt* attempt = &sim->attempt;
    return attempt->verdict.status == COND_OK && attempt->substep + 1 < attempt->n_substep;
}

// ---- changes

static CondStatus go_back_to_start(CondSim* sim, CondAttempt* attempt)
{
    (void)sim;
    attempt->retreats++;
    attempt->at_iterate = 0;
    return COND_OK;
}

// The problem is solved again from the answer at hand.
static CondStatus join(CondSim* sim, CondAttempt* attempt)
{
    attempt->info.added += attempt->verdict.n_violated;
    attempt->late = 1;
    attempt->retreats = attempt->at_iterate = 0;
    return attempt->verdict.n_violated > 0 ? cond_sim_join_violated(sim, attempt->from) : COND_OK;
}

static CondStatus add_violated(CondSim* sim, CondAttempt* attempt)
{
    attempt->round++;
    attempt->info.rounds++;
    return join(sim, attempt);
}

// Half of the rounds are left at least, and what the coarse answer passes over joins too.
static CondStatus refine(CondSim* sim, CondAttempt* attempt)
{
    int half = sim->model->settings.rounds / 2;
    attempt->round = attempt->round < half ? attempt->round : half;
    attempt->budget.coarse_tolerance = 0.0;
    CondStatus status = cond_sim_find_violated(sim, attempt->from, &attempt->verdict.n_violated);
    return status < 0 ? status : join(sim, attempt);
}

// The work of the attempt counts, though nothing of it stands.
static CondStatus begin_again(CondSim* sim, CondAttempt* attempt, int n_substep)
{
    cond_sim_add_attempt(&attempt->made, &attempt->vain);
    cond_sim_add_attempt(&attempt->info, &attempt->vain);
    attempt->vain.attempts++;
    return cond_substeps_begin(sim, n_substep);
}

static CondStatus bar(CondSim* sim, CondAttempt* attempt)
{
    attempt->contacts_last = 0;
    attempt->divides = cond_step_divides(&sim->model->settings);
    return begin_again(sim, attempt, attempt->n_substep);
}

static CondStatus divide(CondSim* sim, CondAttempt* attempt)
{
    return begin_again(sim, attempt, 2 * attempt->n_substep);
}

static CondStatus use_all_methods(CondSim* sim, CondAttempt* attempt)
{
    attempt->divides = 0;
    return begin_again(sim, attempt, 1);
}

static CondStatus go_on(CondSim* sim, CondAttempt* attempt)
{
    (void)attempt;
    return cond_substeps_next(sim);
}

// ---- the table

#define LOAD (COND_RESULT(FORCES) | COND_RESULT(MATRIX) | COND_RESULT(ASSEMBLE))
#define SOLVE (COND_RESULT(NODALIZE) | COND_RESULT(SOLVE) | COND_RESULT(ITERATE))
#define ALL COND_ALL_RESULTS

static const CondRetry RETRIES[] = {
    {"another theta", "once a solve", COND_RESULT(THETA), has_other_theta, NULL, LOAD, "seconds"},
    {"next Newton iterate", "`step.newton_iterations`; auto: 12", COND_RESULT(ITERATE), iterates,
     NULL, SOLVE, "newton_iterations"},
    {"implicit Euler of a group", "twice a group", COND_RESULT(ITERATE), retreats, go_back_to_start,
     LOAD | COND_RESULT(START) | SOLVE, "solve"},
    {"violated contacts", "`step.rounds`", COND_RESULT(RECHECK), violates, add_violated,
     COND_RESULT(THETA) | COND_RESULT(ASSEMBLE) | SOLVE | COND_RESULT(RECHECK), "rounds, added"},
    {"finer answer", "once", COND_RESULT(RECHECK), is_coarse, refine,
     COND_RESULT(THETA) | COND_RESULT(ASSEMBLE) | SOLVE | COND_RESULT(RECHECK), "solve"},
    {"no lasting contacts", "once", COND_RESULT(IMPACT), impact_misses, bar, ALL, "attempts"},
    {"smaller substeps", "`step.substeps`", ALL, misses_and_divides, divide, ALL, "attempts"},
    {"all methods", "once", ALL, misses, use_all_methods, ALL, "attempts"},
    {"next substep", "`step.substeps`", COND_RESULT(COMMIT), has_more_substeps, go_on, ALL,
     "substeps"},
};
enum { N_RETRY = sizeof RETRIES / sizeof RETRIES[0] };

const CondRetry* cond_retries(int* n)
{
    *n = N_RETRY;
    return RETRIES;
}

const CondRetry* cond_retry_find(const CondSim* sim, CondResult after)
{
    for (int r = 0; r < N_RETRY; r++)
        if (RETRIES[r].after & 1u << after && RETRIES[r].holds(sim))
            return &RETRIES[r];
    return NULL;
}
