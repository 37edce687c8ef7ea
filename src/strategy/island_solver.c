// Which workspace solves an island does not change its answer, and no island sees another: so the
// islands are handed out to the threads as these get free. An island that is larger than its share
// of the threads is solved before the others, by all of them. The paper's stop looks at the length
// of the whole step, and surrogates that are kept serve whole problems: there nothing is split.
#include "strategy/island_solver.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/shared_context.h"
#include "base/tuning.h"
#include "law/answer.h"
#include "law/certificate.h"
#include "law/tuning.h"
#include "nodalize/nodalize.h"
#include "strategy/island.h"
#include "strategy/strategy.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// Sizes of islands in powers of two; batches of them for each thread.
enum {
    SIZES = CHAR_BIT * (int)sizeof(int),
    BATCHES = COND_LOOP_SHARES * COND_PARALLEL_CHAINED,
};

// A strategy with its workspace, and what it did on the island that took it most.
typedef struct Worker {
    CondArena arena;
    void* strategy;
    int lead;        // that island; -1: none so far
    double* history; // its step lengths                                      (n_history)
    int n_history;   //
} Worker;

typedef struct Solver {
    CondArena arena;
    CondSolverSettings settings;
    CondIslands islands;
    int split;              // 1: the islands are solved apart; 0: the problem as it is
    CondProblem* problem;   // of the islands                               (islands.n)
    int* bare;              // 1: they need no nodes                        (islands.n)
    CondNodalization views; // of these, or of the whole; by prepare, as the three above
    CondCertifier certifier;
    CondSharedContext shared;  // of the workers
    Worker whole;              // for whole problems and large islands: all threads
    Worker* worker;            // of one thread, one for each                  (n_worker)
    int n_worker;              //
    const Worker* lead;        // who solved the island that took most; NULL: a whole problem
    int* order;                // in which they are handed out,                  (islands.n)
    int* batch;                // and the first of each batch                    (islands.n + 1)
    int* alone;                // 1: by all threads                            (islands.n)
    double* v;                 // island by island                             (n_dof)
    double* lambda;            //                                              (n_contact x 3)
    double* start;             // v and lambda as they were given              (n_dof + 3 n_contact)
    CondSolveInfo* info;       // of the islands                               (islands.n)
    CondSolveBudget budget;    // of the solve at hand
    CondDeviceMatrix* matrix;  // where problems have their A; NULL: on the host
    CondSolveOutcome* outcome; // of the islands                              (islands.n)
} Solver;

static CondStatus begin_worker(const CondContext* context, const CondSolverSettings* settings,
                               Worker* worker)
{
    memset(worker, 0, sizeof *worker);
    cond_arena_begin(context, &worker->arena);
    worker->strategy = cond_solver_strategy.create(context, settings);
    return worker->strategy ? COND_OK : COND_OUT_OF_MEMORY;
}

static void end_worker(Worker* worker)
{
    cond_solver_strategy.destroy(worker->strategy);
    cond_arena_release(&worker->arena);
}

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    Solver* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    cond_arena_begin(context, &s->arena);
    cond_islands_begin(context, &s->islands);
    cond_nodalization_begin(context, &s->views);
    cond_certifier_begin(context, &s->certifier);
    s->certifier.threads = s->islands.threads = cond_threads(SIZE_MAX, settings->threads);
    s->settings = *settings;
    if (begin_worker(context, settings, &s->whole)) {
        cond_release(context, s);
        return NULL;
    }
    cond_shared_context_begin(context, &s->shared);
    return s;
}

static void destroy(void* work)
{
    Solver* s = work;
    if (!s)
        return;
    CondContext context = s->arena.context;
    end_worker(&s->whole);
    for (int i = 0; i < s->n_worker; i++)
        end_worker(&s->worker[i]);
    cond_shared_context_end(&s->shared);
    cond_certifier_end(&s->certifier);
    cond_nodalization_end(&s->views);
    cond_islands_end(&s->islands);
    cond_arena_release(&s->arena);
    cond_release(&context, s);
}

static const double* history(const void* work, int* n)
{
    const Solver* s = work;
    if (!s->lead)
        return cond_solver_strategy.history(s->whole.strategy, n);
    *n = s->lead->n_history;
    return s->lead->history;
}

static void reset(void* work)
{
    cond_solver_strategy.reset(((Solver*)work)->whole.strategy);
}

// ---- one island

// 1 where island i took more work than the one that leads, in coordinates multiplied by A; the
// first of equals.
static int takes_more(const Solver* s, int i, int lead)
{
    if (i < 0 || lead < 0)
        return i >= 0;
    long long a = (long long)s->info[i].products * s->islands.island[i].n_dof;
    long long b = (long long)s->info[lead].products * s->islands.island[lead].n_dof;
    return a != b ? a > b : i < lead;
}

static CondStatus keep_history(Worker* worker, int i)
{
    const double* length = cond_solver_strategy.history(worker->strategy, &worker->n_history);
    worker->lead = i;
    int room = worker->n_history > COND_HISTORY_BLOCK ? worker->n_history : COND_HISTORY_BLOCK;
    if (COND_RESERVE(&worker->arena, worker->history, room))
        return COND_OUT_OF_MEMORY;
    if (worker->n_history > 0)
        memcpy(worker->history, length, (size_t)worker->n_history * sizeof *length);
    return COND_OK;
}

static void solve_island(Solver* s, Worker* worker, int i)
{
    CondSolveOutcome outcome;
    const CondIsland* island = &s->islands.island[i];
    CondSolveInfo* info = &s->info[i];
    double *v = s->v + island->dof, *lambda = s->lambda + 3 * (size_t)island->contact;
    memset(info, 0, sizeof *info);
    info->status = cond_strategy_solve(worker->strategy, &s->views.view[i], s->budget, v, lambda,
                                       info, &outcome);
    cond_solve_outcome_add(&s->outcome[i], &outcome);
    if (info->status >= 0 && takes_more(s, i, worker->lead) && keep_history(worker, i))
        info->status = COND_OUT_OF_MEMORY;
}

// ---- handing out

static void work_off(void* data, int batch, int rank)
{
    Solver* s = data;
    for (int k = s->batch[batch]; k < s->batch[batch + 1]; k++)
        solve_island(s, &s->worker[rank], s->order[k]);
}

// Its size in powers of two: contacts, from 1 on.
static int size_of(const Solver* s, int i)
{
    int n = s->islands.island[i].n_contact, size = 1;
    for (; n > 0 && size < SIZES; n /= 2)
        size++;
    return size;
}

static CondStatus hire(Solver* s, int n)
{
    CondSolverSettings one = s->settings;
    CondContext context = cond_shared_context(&s->shared);
    one.threads = 1;
    if (COND_RESERVE(&s->arena, s->worker, n))
        return COND_OUT_OF_MEMORY;
    CondStatus status = COND_OK;
    while (s->n_worker < n && !status) {
        status = begin_worker(&context, &one, &s->worker[s->n_worker]);
        s->n_worker += !status;
    }
    return status;
}

static CondStatus reserve(Solver* s, const CondProblem* problem, int n_thread)
{
    if (COND_RESERVE(&s->arena, s->alone, s->islands.n) ||
        COND_RESERVE(&s->arena, s->order, s->islands.n) ||
        COND_RESERVE(&s->arena, s->batch, s->islands.n + 1) ||
        COND_RESERVE(&s->arena, s->info, s->islands.n) ||
        COND_RESERVE(&s->arena, s->outcome, s->islands.n) ||
        COND_RESERVE(&s->arena, s->v, problem->n_dof) ||
        COND_RESERVE(&s->arena, s->lambda, 3 * problem->n_contact) ||
        COND_RESERVE(&s->arena, s->start, problem->n_dof + 3 * problem->n_contact) ||
        hire(s, n_thread))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < s->n_worker; i++)
        s->worker[i].lead = -1;
    s->whole.lead = -1;
    for (int i = 0; i < s->islands.n; i++)
        s->outcome[i] = (CondSolveOutcome){0, 0};
    return COND_OK;
}

// The islands to be handed out, those with many contacts first: what comes last must not be long.
// Returns how many these are.
static int order_islands(Solver* s)
{
    int n = 0, begin[SIZES + 1] = {0};
    for (int i = 0; i < s->islands.n; i++)
        begin[s->alone[i] ? 0 : size_of(s, i)]++;
    begin[0] = 0; // is not handed out
    for (int k = SIZES; k > 0; k--) {
        int count = begin[k];
        begin[k] = n;
        n += count;
    }
    for (int i = 0; i < s->islands.n; i++)
        if (!s->alone[i])
            s->order[begin[size_of(s, i)]++] = i;
    return n;
}

// Multiply-adds of a loop over all of an island.
static size_t work_of(const Solver* s, int i)
{
    const CondIsland* island = &s->islands.island[i];
    return COND_COORDINATE_WORK * (size_t)island->n_dof +
           COND_CONTACT_WORK * (size_t)island->n_contact;
}

// Batches of islands, of a few for each thread those that are large alone; returns how many.
static int make_batches(Solver* s, int n, int n_thread)
{
    int n_batch = 0;
    size_t all = 0, work = 0;
    for (int k = 0; k < n; k++)
        all += work_of(s, s->order[k]);
    s->batch[0] = 0;
    for (int k = 0; k < n; k++) {
        work += work_of(s, s->order[k]);
        if (k + 1 < n && work * (size_t)n_thread * BATCHES < all)
            continue;
        s->batch[++n_batch] = k + 1;
        work = 0;
    }
    return n_batch;
}

// 1 for an island beyond its share of the threads whose loops have work for several: otherwise it
// is one of those that are handed out.
static int is_alone(const Solver* s, int i, int n_dof, int n_thread)
{
    const CondIsland* island = &s->islands.island[i];
    return n_thread > 1 && (long long)island->n_dof * n_thread >= n_dof &&
           cond_threads(work_of(s, i), n_thread) > 1;
}

// Solves all, those beyond their share of the threads first. The others are handed out where they
// are work enough for a team.
static void solve_islands(Solver* s, int n_dof, int n_thread)
{
    size_t rest = 0; // coordinates of islands with contacts
    for (int i = 0; i < s->islands.n; i++) {
        const CondIsland* island = &s->islands.island[i];
        s->alone[i] = is_alone(s, i, n_dof, n_thread);
        if (s->alone[i])
            solve_island(s, &s->whole, i);
        else if (island->n_contact > 0)
            rest += (size_t)island->n_dof;
    }
    int n_batch = make_batches(s, order_islands(s), n_thread);
    cond_parallel_items(n_batch, cond_threads(COND_CONTACT_WORK * rest, n_thread), work_off, s,
                        __func__);
}

// ---- what is told of all of them

// 1 where b is worse than a: a failure, then an answer that missed.
static int worse(CondStatus a, CondStatus b)
{
    return a < 0 || b < 0 ? b < 0 && (a >= 0 || b < a) : b > a;
}

// Status and what made the answer are the worst of any island.
static void add_info(const CondSolveInfo* one, CondSolveInfo* all)
{
    if (worse(all->status, one->status))
        all->status = one->status;
    if (one->solved_by > all->solved_by)
        all->solved_by = one->solved_by;
    all->virtual_nodes += one->virtual_nodes;
}

// Counts are those of the island that took most.
static void take_lead(Solver* s, CondSolveInfo* info)
{
    s->lead = &s->whole;
    for (int i = 0; i < s->n_worker; i++)
        if (takes_more(s, s->worker[i].lead, s->lead->lead))
            s->lead = &s->worker[i];
    if (s->lead->lead < 0)
        return;
    const CondSolveInfo* one = &s->info[s->lead->lead];
    info->iterations = one->iterations;
    info->cg_iterations = one->cg_iterations;
    info->outer = one->outer;
    info->restarts = one->restarts;
    info->passes = one->passes;
    info->step_length = one->step_length;
}

// Products with A in all: one with an island counts by its share of the coordinates, but what one
// island alone has asked for is the least.
static int count_products(const Solver* s, int n_dof)
{
    long long work = 0;
    for (int i = 0; i < s->islands.n; i++)
        work += (long long)s->info[i].products * s->islands.island[i].n_dof;
    int all = n_dof > 0 ? (int)((work + n_dof - 1) / n_dof) : 0; // 0: nothing can move
    int most = s->lead->lead >= 0 ? s->info[s->lead->lead].products : 0;
    return all > most ? all : most;
}

static CondStatus judge(Solver* s, const CondProblem* problem, const double* v,
                        const double* lambda, CondSolveInfo* info, CondCertificate* certificate)
{
    info->products++;
    return cond_certifier_judge(&s->certifier, problem, s->settings.law, s->settings.omega, NULL, v,
                                lambda, NULL, certificate);
}

// An island that missed is better than its start by its own scale, or as good; the whole may still
// be worse by its. Then such islands answer with their start. The others keep what they have.
static CondStatus keep_better(Solver* s, const CondProblem* problem, double* v, double* lambda,
                              CondSolveInfo* info)
{
    CondCertificate start;
    const double* begin[] = {s->start, s->start + problem->n_dof};
    CondStatus status = judge(s, problem, begin[0], begin[1], info, &start);
    if (status ||
        !(cond_certificate_residual(&start) < cond_certificate_residual(&info->certificate)))
        return status;
    for (int i = 0; i < s->islands.n; i++) {
        double *own_v = s->v + s->islands.island[i].dof,
               *own_lambda = s->lambda + 3 * (size_t)s->islands.island[i].contact;
        if (s->info[i].status == COND_OK)
            continue;
        cond_islands_gather(&s->islands, i, begin[0], begin[1], own_v, own_lambda);
        cond_islands_scatter(&s->islands, i, own_v, own_lambda, v, lambda);
    }
    return judge(s, problem, v, lambda, info, &info->certificate);
}

// What the islands say together.
static CondStatus collect(Solver* s, const CondProblem* problem, double* v, double* lambda,
                          CondSolveInfo* info)
{
    for (int i = 0; i < s->islands.n; i++)
        add_info(&s->info[i], info);
    cond_islands_scatter_all(&s->islands, s->v, s->lambda, v, lambda);
    take_lead(s, info);
    info->products += count_products(s, problem->n_dof);
    if (info->status < 0)
        return info->status;
    return judge(s, problem, v, lambda, info, &info->certificate);
}

// The residual of the whole dynamics is at most the root of three times the worst of its islands:
// squares add up, but the largest of three terms in each need not be the same one. Where that makes
// the certificate miss, islands that are not below that share of the tolerance are solved for it,
// from where they are; the others keep their answers.
static CondStatus sharpen(Solver* s, const CondProblem* problem, double* v, double* lambda,
                          CondSolveInfo* info)
{
    double tolerance = s->settings.tolerance / sqrt(3.0);
    int judged = info->products - count_products(s, problem->n_dof);
    s->budget.tolerance = tolerance;
    for (int i = 0; i < s->islands.n; i++) {
        CondSolveInfo first = s->info[i];
        if (!(first.certificate.dynamics > tolerance))
            continue;
        solve_island(s, &s->whole, i);
        cond_solve_info_add_work(&first, &s->info[i], &s->info[i]);
    }
    memset(info, 0, sizeof *info);
    info->products = judged;
    CondStatus status = collect(s, problem, v, lambda, info);
    if (status >= 0) // that of the whole is what is asked for
        info->status = cond_certificate_residual(&info->certificate) <= s->settings.tolerance
                           ? COND_OK
                           : COND_NOT_CONVERGED;
    return status;
}

static CondStatus solve_split(Solver* s, const CondProblem* problem, double* v, double* lambda,
                              CondSolveInfo* info, CondSolveOutcome* outcome)
{
    int n_thread = cond_threads(COND_CONTACT_WORK * (size_t)problem->n_dof, s->settings.threads);
    CondStatus status = reserve(s, problem, n_thread);
    if (status)
        return status;
    memcpy(s->start, v, (size_t)problem->n_dof * sizeof *v);
    memcpy(s->start + problem->n_dof, lambda, 3 * (size_t)problem->n_contact * sizeof *lambda);
    cond_islands_gather_all(&s->islands, v, lambda, s->v, s->lambda);
    solve_islands(s, problem->n_dof, n_thread);
    status = collect(s, problem, v, lambda, info);
    if (!status && info->status == COND_OK && !(s->budget.coarse_tolerance > 0.0) &&
        cond_certificate_residual(&info->certificate) > s->settings.tolerance)
        status = sharpen(s, problem, v, lambda, info);
    if (!status && info->status == COND_NOT_CONVERGED)
        status = keep_better(s, problem, v, lambda, info);
    for (int i = 0; i < s->islands.n; i++)
        cond_solve_outcome_add(outcome, &s->outcome[i]);
    return status;
}

static CondStatus solve_whole(Solver* s, double* v, double* lambda, CondSolveInfo* info,
                              CondSolveOutcome* outcome)
{

    s->lead = NULL;
    return cond_strategy_solve_alone(s->whole.strategy, &s->views.view[0], s->budget, v, lambda,
                                     info, outcome);
}

// One view of all of it.
static CondStatus nodalize_whole(Solver* s, const CondProblem* problem)
{
    int bare = cond_strategy_is_direct(s->whole.strategy, problem);
    s->split = 0;
    return cond_nodalize(&s->views, 1, problem, &bare, s->settings.kv_scale, s->settings.threads);
}

// The islands, and the nodes of their contacts.
static CondStatus prepare(void* work, const CondProblem* problem)
{
    Solver* s = work;
    if (s->settings.stop != COND_STOP_CERTIFICATE || s->settings.reuse > 1)
        return nodalize_whole(s, problem);
    CondStatus status = cond_islands_find(&s->islands, problem);
    if (status || s->islands.n <= 1)
        return status ? status : nodalize_whole(s, problem);
    status = cond_device_matrix_fetch(s->matrix, problem); // islands have copies of the blocks
    if (!status)
        status = cond_islands_split(&s->islands, problem);
    if (status || COND_RESERVE(&s->arena, s->problem, s->islands.n) ||
        COND_RESERVE(&s->arena, s->bare, s->islands.n))
        return status ? status : COND_OUT_OF_MEMORY;
    for (int i = 0; i < s->islands.n; i++) {
        s->problem[i] = cond_islands_problem(&s->islands, i);
        s->bare[i] = cond_strategy_is_direct(s->whole.strategy, &s->problem[i]);
    }
    s->split = 1;
    return cond_nodalize(&s->views, s->islands.n, s->problem, s->bare, s->settings.kv_scale,
                         s->settings.threads);
}

int cond_island_solver_reads_on_device(const void* work)
{
    const CondSolverSettings* settings = &((const Solver*)work)->settings;
    return settings->device == COND_DEVICE_CUDA && settings->reuse <= 1;
}

void cond_island_solver_set_matrix(void* work, CondDeviceMatrix* matrix)
{
    Solver* s = work;
    s->matrix = matrix;
    cond_strategy_set_matrix(s->whole.strategy, matrix);
}

CondStatus cond_island_solver_solve(void* work, const CondProblem* problem, CondSolveBudget budget,
                                    double* v, double* lambda, CondSolveInfo* info,
                                    CondSolveOutcome* outcome)
{
    Solver* s = work;
    s->budget = budget;
    *outcome = (CondSolveOutcome){0, 0};
    if (!s->split)
        return solve_whole(s, v, lambda, info, outcome);
    CondStatus status = solve_split(s, problem, v, lambda, info, outcome);
    return status ? status : info->status;
}

static CondStatus solve(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info)
{
    CondSolveOutcome outcome;
    return cond_island_solver_solve(work, problem, COND_FULL_BUDGET, v, lambda, info, &outcome);
}

const CondSolverOps cond_solver_islands = {
    .name = "strategy",
    .create = create,
    .solve = solve,
    .history = history,
    .destroy = destroy,
    .reset = reset,
    .prepare = prepare,
};
