#include "newton/lagged.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "newton/lagged_part.h"
#include "problem/block.h"
#include "problem/side.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double REDUCTION = 0.1; // of the tied system's residual in a pass
static const double GROUPED_REDUCTION =
    0.05;                                  // the same with a coarse correction, where it is cheap
static const double FULL_REDUCTION = 1e-2; // the same where friction follows the normal force
static const double SHORTEST = 0.05;       // part of a pass that is tried
static const double CREEPS = 0.3;          // of the merit that a pass leaves
static const double LONGER = 1.5, LONGEST = 20.0;
enum {
    MAX_CG = 300,        // products of a pass
    LEVELS_FROM = 32000, // nodes from which a coarse correction of many levels pays from the start
    GROUP_AFTER = 20,    // products before a coarse correction of few groups is called for,
    GROUP_LATE = 60,     // or where contacts hold the bodies all over: every tenth node or more
    ALL_OVER = 10,
    DEEPEN_AFTER = 120, // before one of many levels is
    DEEPEN_SOON = 60,   // the same where passes have made DEEPEN_TOTAL products already
    DEEPEN_TOTAL = 150,
    PATIENCE = 25,  // passes without a smaller merit
    SETTLED = 1000, // closed contacts per one that changes its kind in a pass, and no more
    FLIGHTS = 3,    // full steps in a row though the merit grows
    SLOW = 3,       // passes of little progress after which friction no longer lags, at least
};

CondStatus cond_lagged_plan(CondLagged* lagged, const CondProblem* problem,
                            const CondSolverSettings* settings, int* fits)
{
    CondArena* m = &lagged->arena;
    int n = problem->n_dof, nc = problem->n_contact;
    *fits = 0;
    lagged->system.arena.context = lagged->patches.arena.context = lagged->arena.context;
    lagged->patched = 0;
    lagged->multilevel = settings->multilevel;
    CondStatus status = cond_soft_system_plan(&lagged->system, problem, settings->threads, fits);
    if (status || !*fits)
        return status;
    if (settings->storage == COND_STORAGE_DOUBLE)
        lagged->system.pack_from = INT_MAX;
#define RESERVE(array, count) COND_RESERVE(m, lagged->array, count)
    if (RESERVE(tie, nc) || RESERVE(w, n) || RESERVE(gamma, nc) || RESERVE(gain, nc) ||
        RESERVE(share, nc) || RESERVE(v, n) || RESERVE(lambda, 3 * nc) || RESERVE(r, n) ||
        RESERVE(v_new, n) || RESERVE(lambda_new, 3 * nc) || RESERVE(r_new, n) ||
        RESERVE(v_try, n) || RESERVE(lambda_try, 3 * nc) || RESERVE(r_try, n) ||
        RESERVE(v_best, n) || RESERVE(lambda_best, 3 * nc) || RESERVE(x, n) ||
        RESERVE(work, 2 * n) || RESERVE(part, cond_sum_parts(n)) || RESERVE(trial, 3 * nc) ||
        RESERVE(sticks, nc))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

// The certificate of the current pair, and its r = A v - b - Jc' lambda anew.
static CondCertificate measure(CondLagged* lagged, const CondCertificateData* data,
                               CondSolveInfo* info)
{
    int n = data->problem->n_dof;
    CondCertificate out = cond_certificate_compute(data, lagged->v, lagged->lambda, lagged->work);
    cond_parallel_copy(n, lagged->work + n, lagged->r, lagged->system.threads);
    info->products++;
    return out;
}

static double reduction(const CondLagged* lagged)
{
    if (lagged->full)
        return FULL_REDUCTION;
    return lagged->depth == COND_DEPTH_PLAIN ? REDUCTION : GROUPED_REDUCTION;
}

// One pass: v_new, lambda_new and their r_new from the ties. The products made, or a negative
// status.
static int solve_ties(CondLagged* lagged, const CondCertificateData* data, int max_iterations)
{
    const CondProblem* problem = data->problem;
    int general = lagged->full && lagged->slipping > 0;
    CondStatus status =
        cond_soft_system_build(&lagged->system, problem->n_contact > 0 ? lagged->tie[0].D : NULL,
                               (int)(sizeof(CondTie) / sizeof(double)), general);
    if (!status && general)
        status = COND_RESERVE(&lagged->arena, lagged->work, 5 * problem->n_dof);
    if (status)
        return status;
    int products =
        general ? cond_soft_system_solve_general(&lagged->system, lagged->r_new, lagged->x,
                                                 reduction(lagged), max_iterations, lagged->work)
                : cond_soft_system_solve(&lagged->system, lagged->r_new, lagged->x,
                                         reduction(lagged), max_iterations);
    if (products < 0)
        return products;
    cond_lagged_take_step(lagged, data);
    return products;
}

static void swap(double** a, double** b)
{
    double* kept = *a;
    *a = *b;
    *b = kept;
}

// The pair that was tried becomes the current one.
static void take_try(CondLagged* lagged)
{
    swap(&lagged->v, &lagged->v_try);
    swap(&lagged->lambda, &lagged->lambda_try);
    swap(&lagged->r, &lagged->r_try);
}

// Passes that creep in one direction, because gains are finite while the contacts stay what they
// are, go several steps at once: the length grows while the merit falls.
static double reach(CondLagged* lagged, const CondCertificateData* data, double value)
{
    double a = 1.0, next = cond_lagged_try(lagged, data, LONGER);
    for (; next < value && a < LONGEST; next = cond_lagged_try(lagged, data, LONGER * a)) {
        value = next;
        a *= LONGER;
    }
    return cond_lagged_try(lagged, data, a);
}

// Halves the step until the merit falls; v, lambda and r are affine along it. Where it never does,
// the length with the least merit leads out of a cycle. Where the ties are those of the last pass,
// which thus went a part of the way only, a step that closes contacts is taken as a whole, a few
// times in a row.
static double search(CondLagged* lagged, const CondCertificateData* data, double start)
{
    double best = 1.0, least = INFINITY, value = INFINITY;
    int flies = 0;
    for (double a = 1.0; a >= SHORTEST && !flies; a *= 0.5) {
        value = cond_lagged_try(lagged, data, a);
        if (value <= (1.0 - 1e-3 * a) * start)
            break;
        flies = a == 1.0 && lagged->turned == 0 && lagged->flights < FLIGHTS &&
                cond_lagged_closes(lagged, data);
        if (value < least) {
            least = value;
            best = a;
        }
    }
    lagged->flights = flies ? lagged->flights + 1 : 0;
    if (!(value <= start) && !flies)
        value = cond_lagged_try(lagged, data, best);
    else if (value <= start && least == INFINITY && lagged->turned == 0 && value > CREEPS * start)
        value = reach(lagged, data, value);
    take_try(lagged);
    return value;
}

// Keeps the current pair when it is the best; returns its residual.
static double judge(CondLagged* lagged, const CondCertificateData* data, CondCertificate* best)
{
    int n = data->problem->n_dof, nc3 = 3 * data->problem->n_contact;
    CondCertificate now =
        cond_certificate_estimate(data, lagged->v, lagged->lambda, lagged->r, lagged->work);
    double value = cond_certificate_residual(&now);
    if (value < cond_certificate_residual(best)) {
        *best = now;
        cond_parallel_copy(n, lagged->v, lagged->v_best, lagged->system.threads);
        cond_parallel_copy(nc3, lagged->lambda, lagged->lambda_best, lagged->system.threads);
    }
    return value;
}

// 1: a coarse correction of many levels from the start.
static int has_levels(const CondLagged* lagged)
{
    return lagged->multilevel == COND_MULTILEVEL_ON ||
           (lagged->multilevel == COND_MULTILEVEL_AUTO && lagged->system.n_node >= LEVELS_FROM);
}

// The next depth that fits.
static CondStatus deepen(CondLagged* lagged)
{
    CondSoftSystem* system = &lagged->system;
    CondStatus status = COND_OK;
    int fits = 0;
    if (lagged->depth == COND_DEPTH_PLAIN && !has_levels(lagged))
        status = cond_soft_system_group(system, &fits);
    lagged->depth = fits ? COND_DEPTH_GROUPS : COND_DEPTH_LEVELS;
    return status || fits ? status : cond_soft_system_deepen(system, &fits);
}

// Products of the next pass before the preconditioner is to go deeper.
static int most_products(const CondLagged* lagged)
{
    if (lagged->multilevel != COND_MULTILEVEL_AUTO || lagged->full ||
        lagged->depth == COND_DEPTH_LEVELS)
        return MAX_CG;
    if (lagged->depth == COND_DEPTH_PLAIN && lagged->system.n_node >= lagged->system.pack_from)
        return ALL_OVER * lagged->closed > lagged->system.n_node ? GROUP_LATE : GROUP_AFTER;
    return lagged->products < DEEPEN_TOTAL ? DEEPEN_AFTER : DEEPEN_SOON;
}

static CondStatus begin(CondLagged* lagged, const CondCertificateData* data, const double* v,
                        const double* lambda)
{
    const CondProblem* problem = data->problem;
    size_t nc3 = 3 * (size_t)problem->n_contact;
    cond_lagged_weigh(lagged, data);
    memset(lagged->tie, 0, (size_t)problem->n_contact * sizeof *lagged->tie);
    cond_parallel_copy(problem->n_dof, v, lagged->v, lagged->system.threads);
    cond_parallel_copy(problem->n_dof, v, lagged->v_best, lagged->system.threads);
    if (nc3 > 0) {
        memcpy(lagged->lambda, lambda, nc3 * sizeof *lambda);
        memcpy(lagged->lambda_best, lambda, nc3 * sizeof *lambda);
    }
    lagged->full = lagged->flights = 0;
    lagged->depth = COND_DEPTH_PLAIN;
    lagged->products = 0;
    lagged->system.deep = lagged->system.grouped = 0;
    return has_levels(lagged) ? deepen(lagged) : COND_OK;
}

// One pass from the pair whose merit is `start`: its merit after it, NAN where the ties have no
// solution, or a negative status in *status.
static double pass(CondLagged* lagged, const CondCertificateData* data, double start, int left,
                   CondSolveInfo* info, CondStatus* status)
{
    *status = cond_lagged_make_ties(lagged, data);
    if (*status)
        return NAN;
    int most = most_products(lagged);
    int count = solve_ties(lagged, data, left < most ? left : most);
    if (count < 0) {
        *status = count == COND_OUT_OF_MEMORY ? COND_OUT_OF_MEMORY : COND_OK;
        return NAN; // no solution of these ties; the best pair so far stands
    }
    info->iterations += count;
    info->cg_iterations += count;
    info->products += count;
    info->passes++;
    lagged->products += count;
    if (most < MAX_CG && count >= most)
        *status = deepen(lagged);
    return search(lagged, data, start);
}

// Passes of little progress that are borne. On a fine mesh the border between slip and stick moves
// over many rows of contacts, patch by patch, and the merit falls only when it has arrived.
static int patience(const CondLagged* lagged)
{
    int levels = lagged->patched ? lagged->patches.n_level : 0;
    return levels > 1 ? SLOW + 2 * (levels - 1) : SLOW;
}

// With much friction the lag feeds itself. Where the contacts stay what they are, friction that
// follows within a pass settles it; where they do not, they must be sorted by other means first.
static int must_follow(const CondLagged* lagged, CondLaw law, int slow)
{
    if (law != COND_LAW_STRICT || lagged->full)
        return 0;
    if (lagged->may_follow)
        return slow >= patience(lagged);
    return slow >= SLOW - 1 && SETTLED * lagged->turned <= lagged->closed;
}

CondStatus cond_lagged_solve(CondLagged* lagged, const CondCertificateData* asked, double tolerance,
                             int max_iterations, double* v, double* lambda,
                             CondCertificate* certificate, CondSolveInfo* info)
{
    const CondProblem* problem = asked->problem;
    CondCertificateData mine = *asked, *data = &mine;
    mine.threads = cond_threads(SIZE_MAX, lagged->system.threads);
    mine.parts = &lagged->system.parts;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    int last = info->iterations + max_iterations, stale = 0, slow = 0;
    double least = INFINITY, now = NAN; // merit of the current pair, where it is known
    CondStatus status = begin(lagged, data, v, lambda);
    *certificate = measure(lagged, data, info);
    double value = cond_certificate_residual(certificate);
    CondCertificate best = *certificate; // of v_best; an estimate, or above the tolerance
    while (!status && value > tolerance && info->iterations < last && stale < PATIENCE) {
        double start = isnan(now) ? cond_lagged_merit(lagged, data) : now;
        if (cond_cancelled(&lagged->arena.context))
            status = COND_CANCELLED;
        if (status || !isfinite(start))
            break;
        now = pass(lagged, data, start, last - info->iterations, info, &status);
        if (!isfinite(now))
            break;
        stale = now < 0.99 * least ? 0 : stale + 1;
        slow = now < 0.9 * start ? 0 : slow + 1;
        least = fmin(least, now);
        if (must_follow(lagged, data->law, slow)) {
            lagged->full = 1;
            lagged->system.deep = 0;
            slow = 0;
        }
        value = judge(lagged, data, &best);
        if (value <= tolerance) { // by the r that was carried along
            best = measure(lagged, data, info);
            value = cond_certificate_residual(&best);
            now = NAN;
        } else if (slow >= patience(lagged) && !lagged->may_follow)
            break;
    }
    // What is handed back is measured, and not worse than the start.
    if (!(value <= tolerance)) {
        best = cond_certificate_compute(data, lagged->v_best, lagged->lambda_best, lagged->work);
        info->products++;
    }
    if (cond_certificate_residual(&best) < cond_certificate_residual(certificate)) {
        *certificate = best;
        memcpy(v, lagged->v_best, n * sizeof *v);
        if (nc3 > 0)
            memcpy(lambda, lagged->lambda_best, nc3 * sizeof *lambda);
    }
    if (status)
        return status;
    return cond_certificate_residual(certificate) <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}

void cond_lagged_destroy(CondLagged* lagged)
{
    lagged->patches.arena.context = lagged->arena.context;
    cond_soft_system_destroy(&lagged->system);
    cond_contact_patches_destroy(&lagged->patches);
    cond_arena_release(&lagged->arena);
}
