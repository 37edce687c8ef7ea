// The strategy: a constant table of stages, each a method with the problems it serves.
#include "strategy/strategy.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "law/tuning.h"
#include "newton/tuning.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static int is_certified(const CondStrategy* s)
{
    return s->asked.stop == COND_STOP_CERTIFICATE;
}

// Problems that nothing else serves, and whoever asks for it.
static int serves_vfpi(const CondStrategy* s)
{
    return !s->soft && (!s->small || s->asked.accelerator != COND_ACCELERATOR_NEWTON);
}

static int serves_soft(const CondStrategy* s)
{
    return s->soft;
}

static int serves_small(const CondStrategy* s)
{
    return s->small;
}

// Its dozens of factorisations must not be dear ones.
static int serves_interior(const CondStrategy* s)
{
    return s->small && s->newton.factored.price <= COND_MOST_PRODUCTS;
}

static const CondSolverStage stages[] = {
    {COND_BY_VFPI, serves_vfpi, cond_stage_vfpi},
    {COND_BY_NEWTON, serves_soft, cond_stage_newton},
    {COND_BY_FACTORED_NEWTON, serves_small, cond_stage_factored_newton},
    {COND_BY_INTERIOR_POINT, serves_interior, cond_stage_interior_point},
};
enum { N_STAGE = sizeof stages / sizeof stages[0] };

CondCertificateData cond_strategy_certificate_data(const CondStrategy* s)
{
    return cond_vfpi_certificate_data(&s->vfpi);
}

void cond_strategy_set_matrix(void* work, CondDeviceMatrix* matrix)
{
    ((CondStrategy*)work)->newton.soft.matrix = matrix;
}

// A on the host, which all but Newton's method on a device read.
static CondStatus fetch(CondStrategy* s, const CondProblem* problem)
{
    return cond_device_matrix_fetch(s->newton.soft.matrix, problem);
}

// 1 where stage k is to be run.
static int serves(const CondStrategy* s, int k)
{
    return !(s->left_out >> stages[k].name & 1) && stages[k].serves(s);
}

static CondStatus run_stages(CondStrategy* s, CondSolveInfo* info)
{
    CondStatus status = COND_NOT_CONVERGED;
    double least = fmax(s->coarse, is_certified(s) ? 4.0 * DBL_EPSILON : 0.0);
    s->settings.tolerance = s->vfpi.settings.tolerance = fmax(s->asked.tolerance, least);
    for (int k = 0; k < N_STAGE && status == COND_NOT_CONVERGED; k++)
        if (serves(s, k)) {
            if (cond_cancelled(&s->context))
                return COND_CANCELLED;
            info->solved_by = stages[k].name;
            s->diverged = 0;
            status = stages[k].name == COND_BY_NEWTON ? COND_OK : fetch(s, s->vfpi.nodal.problem);
            if (status)
                return status;
            status = stages[k].run(s, info);
        }
    int short_of = is_certified(s) && status == COND_OK && s->best.residual > s->asked.tolerance;
    s->outcome.is_coarse = s->coarse > 0.0 && short_of;
    return short_of && !s->outcome.is_coarse ? COND_NOT_CONVERGED : status;
}

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    CondStrategy* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = *context;
    s->asked = s->settings = *settings;
    s->tolerance = settings->tolerance;
    s->interior.arena.context = *context;
    s->view.threads = settings->threads;
    s->view.arena.context = *context;
    s->best.threads = s->start.threads = s->central.threads = settings->threads;
    s->proximal.centre.threads = s->proximal.next.threads = settings->threads;
    cond_vfpi_create(context, settings, &s->vfpi);
    cond_direct_create(context, &s->direct);
    cond_semismooth_create(context, settings, &s->newton);
    return s;
}

static void destroy(void* work)
{
    CondStrategy* s = work;
    if (!s)
        return;
    CondContext m = s->context;
    cond_nodal_destroy(&s->view);
    cond_vfpi_destroy(&s->vfpi);
    cond_direct_destroy(&s->direct);
    cond_semismooth_destroy(&s->newton);
    cond_interior_point_destroy(&s->interior);
    cond_proximal_point_destroy(&s->proximal);
    cond_working_set_destroy(&s->set);
    cond_answer_destroy(&s->best);
    cond_answer_destroy(&s->start);
    cond_answer_destroy(&s->central);
    cond_release(&m, s->work);
    cond_release(&m, s);
}

static const double* history(const void* work, int* n)
{
    const CondStrategy* s = work;
    *n = s->vfpi.history.n;
    return s->vfpi.history.length;
}

static void reset(void* work)
{
    cond_surrogate_forget(&((CondStrategy*)work)->vfpi.W);
}

// 1: most coordinates belong to rods.
static int has_rods(const CondProblem* problem)
{
    int count = 0;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_TRIDIAGONAL)
            count += problem->block[b].n_dof;
    return 2 * count > problem->n_dof;
}

// What serves the problem within the budget.
static CondStatus plan(CondStrategy* s, const CondProblem* problem, CondSolveBudget budget)
{
    CondStatus status = COND_OK;
    s->soft = s->stale = 0;
    s->rods = has_rods(problem);
    cond_semismooth_plan(&s->newton);
    s->small = is_certified(s) && s->asked.fallback;
    if (is_certified(s) && s->asked.accelerator == COND_ACCELERATOR_NEWTON)
        status = cond_back_end_iterative.serves(&s->newton, problem, &s->soft);
    s->large = s->small && !s->soft && !s->rods && problem->n_contact > 0 &&
               problem->n_dof > COND_TINY_PROBLEM;
    s->last_resort = budget.last_resort;
    s->coarse = s->large ? budget.coarse_tolerance : 0.0;
    // Of intervals no start is fine enough: what it leaves would add up (stages.c).
    s->looks =
        s->small && !s->soft && problem->n_contact > 0 && (s->large || !s->vfpi.nodal.bounded);
    s->selects = s->large && !s->vfpi.nodal.bounded && !budget.all_contacts &&
                 s->asked.accelerator == COND_ACCELERATOR_NEWTON;
    if (!status && !s->soft)
        status = fetch(s, problem);
    if (!status && s->selects)
        status = cond_working_set_begin(&s->set, &s->context, problem);
    if (!status && s->looks)
        status =
            cond_reserve(&s->context, &s->work, &s->cap_work, 2 * problem->n_dof, sizeof *s->work);
    return status;
}

// The certificate of the best pair, with all contacts.
static void judge(CondStrategy* s, CondSolveInfo* info)
{
    CondCertificateData data = cond_strategy_certificate_data(s);
    data.u = s->selects ? s->set.u : NULL;
    s->best.certificate = cond_certificate_compute(&data, s->best.v, s->best.lambda, s->work);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    info->products++;
}

// 1 where the start is an answer already: nothing need be laid out for it. One that has the coarse
// tolerance, but does not obey the dynamics, is brought on by one step at least: a point of
// linearisation that moves by little must give another velocity.
static int starts_well(CondStrategy* s, CondSolveInfo* info)
{
    judge(s, info);
    double residual = s->best.residual, tolerance = s->asked.tolerance;
    s->stale =
        residual > tolerance && residual <= s->coarse && s->best.certificate.dynamics > tolerance;
    if (s->stale || residual > fmax(tolerance, s->coarse))
        return 0;
    s->outcome.is_coarse = residual > tolerance;
    return 1;
}

// Memory for a problem that is larger than any that was factored, where its start is the answer:
// later ones of its size may ask for steps, and for no more memory.
static CondStatus rehearse(CondStrategy* s, const CondProblem* problem, int* products)
{
    CondCertificate certificate = s->best.certificate;
    double residual = s->best.residual;
    if (problem->n_dof <= s->met[0] && problem->n_contact <= s->met[1])
        return COND_OK;
    CondStatus status = cond_stage_rehearse(s, products);
    cond_answer_copy(problem, &s->start, &s->best);
    s->best.certificate = certificate;
    s->best.residual = residual;
    return status < 0 ? status : COND_OK;
}

// Notes the size of a problem that was factored more than once.
static void note_size(CondStrategy* s, const CondProblem* problem)
{
    s->met[0] = problem->n_dof > s->met[0] ? problem->n_dof : s->met[0];
    s->met[1] = problem->n_contact > s->met[1] ? problem->n_contact : s->met[1];
}

// The contacts that bear, until no other is violated. COND_NOT_CONVERGED: the stages may go on from
// the best pair, with all contacts; *missed: these alone have no answer within the budget.
static CondStatus run_selected(CondStrategy* s, CondSolveBudget budget, CondSolveInfo* info,
                               int* missed)
{
    const CondNodal* nodal = &s->vfpi.nodal;
    const CondProblem* problem = nodal->problem;
    CondCertificate begun = s->best.certificate;
    CondSolverSettings settings = s->asked;
    settings.tolerance = s->tolerance;
    *missed = 0;
    while (isfinite(s->best.residual) && cond_working_set_join(&s->set, nodal, &s->best) > 0 &&
           cond_working_set_pays(&s->set, problem)) {
        CondSolveInfo own = {.certificate.worst_contact = -1}, before = *info;
        CondSolveOutcome outcome = {0, 0};
        CondStatus status =
            cond_working_set_solve(&s->set, &settings, problem, budget, &s->best, &own, &outcome);
        *info = own;
        info->virtual_nodes = before.virtual_nodes;
        cond_solve_info_add_work(&before, &own, info);
        if (status < 0)
            return status;
        judge(s, info);
        double residual = s->best.residual;
        s->outcome.has_left_out |= outcome.has_left_out;
        s->outcome.is_coarse = residual > s->asked.tolerance && residual <= s->coarse;
        if (residual <= fmax(s->asked.tolerance, s->coarse)) {
            if (status == COND_NOT_CONVERGED) // by its scale, not by that of all
                info->solved_by = COND_BY_INTERIOR_POINT;
            return COND_OK;
        }
        *missed = !cond_working_set_is_violated(&s->set, problem);
        if (*missed)
            break;
    }
    if (!(s->best.residual <= cond_certificate_residual(&begun)))
        cond_answer_set(problem, s->start.v, s->start.lambda, &begun, &s->best);
    return COND_NOT_CONVERGED;
}

// A start that balances none of the forces does not say which contacts open.
static CondStatus run(CondStrategy* s, CondSolveBudget budget, CondSolveInfo* info)
{
    int missed = 0, selects = s->selects && s->best.certificate.dynamics < 1.0;
    CondStatus status = selects ? run_selected(s, budget, info, &missed) : COND_NOT_CONVERGED;
    return status == COND_NOT_CONVERGED && !(missed && !budget.last_resort) ? run_stages(s, info)
                                                                            : status;
}

// Where the answer comes from, and whether it is one.
static CondStatus conclude(const CondStrategy* s, CondStatus status, CondSolveInfo* info)
{
    if (is_certified(s) && status != COND_OK)
        info->solved_by = COND_BY_NONE;
    else if (is_certified(s) && info->iterations + info->passes == 0)
        info->solved_by = COND_BY_START;
    info->restarts = s->vfpi.accelerator.restarts;
    info->certificate = s->best.certificate;
    if (!isfinite(s->best.residual) || (status && s->diverged)) // NaN in phi leaves v finite
        return COND_DIVERGED;
    return status;
}

int cond_strategy_is_direct(const void* work, const CondProblem* problem)
{
    const CondStrategy* s = work;
    return is_certified(s) && s->asked.fallback && s->asked.reuse <= 1 &&
           s->asked.accelerator == COND_ACCELERATOR_NEWTON &&
           !(s->left_out >> COND_BY_FACTORED_NEWTON & 1) && cond_direct_serves(problem);
}

// COND_NOT_CONVERGED: the stages go on from v.
static CondStatus solve_direct(CondStrategy* s, const CondProblem* problem, double* v,
                               CondSolveInfo* info)
{
    s->vfpi.history.n = s->vfpi.history.failed = 0;
    CondStatus status = cond_direct_solve(&s->direct, problem, s->asked.tolerance, v, info);
    info->solved_by = info->passes > 0 ? COND_BY_FACTORED_NEWTON : COND_BY_START;
    return status;
}

CondStatus cond_strategy_solve(void* work, const CondNodal* view, CondSolveBudget budget, double* v,
                               double* lambda, CondSolveInfo* info, CondSolveOutcome* outcome)
{
    CondStrategy* s = work;
    const CondProblem* problem = view->problem;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY; // until something is known
    s->asked.tolerance = budget.tolerance > 0.0 ? budget.tolerance : s->tolerance;
    *outcome = s->outcome = (CondSolveOutcome){0, 0};
    if (cond_strategy_is_direct(s, problem)) {
        CondStatus direct = fetch(s, problem);
        if (!direct)
            direct = solve_direct(s, problem, v, info);
        if (direct != COND_NOT_CONVERGED)
            return direct;
    }
    if (view->bare) {
        CondStatus built = cond_nodal_build(&s->view, problem, s->asked.kv_scale);
        if (built)
            return built;
        view = &s->view;
    }
    CondStatus status = cond_vfpi_begin(&s->vfpi, view, info);
    if (!status)
        status = cond_answer_reserve(&s->context, problem, &s->best);
    if (!status)
        status = cond_answer_reserve(&s->context, problem, &s->start);
    if (!status)
        status = plan(s, problem, budget);
    if (status)
        return status;
    info->virtual_nodes = s->vfpi.nodal.n_virtual;
    cond_answer_set(problem, v, lambda, NULL, &s->best);
    cond_answer_copy(problem, &s->best, &s->start);
    int ready = s->looks && starts_well(s, info);
    status = ready ? rehearse(s, problem, &info->products) : run(s, budget, info);
    if (status >= 0 && (ready || info->passes > 1))
        note_size(s, problem);
    *outcome = s->outcome;
    if (status < 0)
        return status;
    status = conclude(s, status, info);
    cond_parallel_copy(problem->n_dof, s->best.v, v, s->asked.threads);
    cond_parallel_copy(3 * problem->n_contact, s->best.lambda, lambda, s->asked.threads);
    return status;
}

CondStatus cond_strategy_solve_alone(void* work, const CondNodal* view, CondSolveBudget budget,
                                     double* v, double* lambda, CondSolveInfo* info,
                                     CondSolveOutcome* outcome)
{
    CondStrategy* s = work;
    CondStatus status = cond_strategy_solve(s, view, budget, v, lambda, info, outcome);
    if (status >= 0 && view->problem->n_contact > 0) {
        CondCertificateData data = cond_strategy_certificate_data(s);
        data.threads = cond_threads(SIZE_MAX, s->asked.threads);
        cond_certificate_detail(&data, v, lambda, &info->certificate);
    }
    return status;
}

static CondStatus solve(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info)
{
    CondStrategy* s = work;
    CondSolveOutcome outcome;
    CondStatus status = cond_nodal_build(&s->view, problem, s->asked.kv_scale);
    return status ? status
                  : cond_strategy_solve_alone(s, &s->view, COND_FULL_BUDGET, v, lambda, info,
                                              &outcome);
}

const CondSolverOps cond_solver_strategy = {
    .name = "strategy",
    .create = create,
    .solve = solve,
    .history = history,
    .destroy = destroy,
    .reset = reset,
};
