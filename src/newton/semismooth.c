// Semismooth Newton on the contact problem: the loop, its damping and its step lengths.
#include "newton/semismooth.h"
#include "base/tuning.h"
#include "law/tuning.h"

#include "base/account.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "newton/resident.h"
#include "newton/semismooth_step.h"
#include "newton/tuning.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void cond_semismooth_create(const CondContext* context, const CondSolverSettings* settings,
                            CondSemismooth* newton)
{
    memset(newton, 0, sizeof *newton);
    newton->arena.context = newton->factored.arena.context = newton->rods.arena.context =
        newton->patches.arena.context = newton->parts.arena.context =
            newton->soft.system.arena.context = *context;
    newton->threads = newton->factored.threads = settings->threads;
    newton->soft.multilevel = settings->multilevel;
    newton->soft.storage = settings->storage;
    newton->soft.on_device = settings->device == COND_DEVICE_CUDA;
    newton->factored.allowed = COND_MOST_PRODUCTS;
}

void cond_semismooth_destroy(CondSemismooth* newton)
{
    cond_resident_destroy(newton->residence);
    newton->resident = newton->residence = NULL;
    cond_factored_system_destroy(&newton->factored);
    cond_soft_back_end_destroy(&newton->soft);
    cond_rod_scale_destroy(&newton->rods);
    cond_contact_parts_destroy(&newton->parts);
    cond_contact_patches_destroy(&newton->patches);
    cond_arena_release(&newton->arena);
}

void cond_semismooth_plan(CondSemismooth* newton)
{
    newton->factored.planned = newton->soft.planned = newton->parted = newton->patched = 0;
    newton->factored.price = 0.0;
    newton->factored.allowed = COND_MOST_PRODUCTS;
}

#define RESERVE(array, count) COND_RESERVE(&newton->arena, newton->array, count)
#define RESERVE_PAIR(pair)                                                                         \
    (RESERVE(pair.v, n) || RESERVE(pair.lambda, 3 * nc) || RESERVE(pair.r, n) ||                   \
     RESERVE(pair.u, 3 * nc))

static CondStatus reserve(CondSemismooth* newton, const CondProblem* problem)
{
    int n = problem->n_dof, nc = problem->n_contact;
    if (RESERVE(w, n) || RESERVE(gamma, nc) || RESERVE(tangential, nc) || RESERVE(trial, 3 * nc) ||
        RESERVE(law, nc) || RESERVE(slip_before, 2 * nc) || RESERVE(kind, nc) ||
        RESERVE(share, nc + 1) || RESERVE(count, 3 * cond_sum_parts(nc)) ||
        RESERVE(predicted, 3 * nc) || RESERVE(arrived, 3 * nc) ||
        RESERVE(part, cond_sum_parts(n) + cond_sum_parts(nc)) || RESERVE(v_best, n) ||
        RESERVE(lambda_best, 3 * nc) || RESERVE(x, n) || RESERVE(work, 2 * n) ||
        RESERVE_PAIR(now) || RESERVE_PAIR(next) || RESERVE_PAIR(tried) || RESERVE_PAIR(reference))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

// The same certificate with the contacts by parts, for several threads.
static CondCertificateData with_parts(CondSemismooth* newton, const CondCertificateData* asked)
{
    CondCertificateData data = *asked;
    data.threads = cond_threads(SIZE_MAX, newton->threads);
    data.parts = &newton->parts;
    data.play = newton->play;
    return data;
}

// Contacts by parts, and scales, on the host.
static CondStatus lay_out(CondSemismooth* newton, const CondCertificateData* asked)
{
    const CondProblem* problem = asked->problem;
    CondStatus status = COND_OK;
    if (!newton->parted)
        status = cond_contact_parts_build(&newton->parts, problem, newton->threads);
    newton->parted = !status;
    if (!status)
        status = cond_rod_scale_build(&newton->rods, problem);
    if (status)
        return status;
    CondCertificateData data = with_parts(newton, asked);
    cond_semismooth_scale(newton, &data);
    return COND_OK;
}

static CondStatus choose(CondSemismooth* newton, const CondLinearBackEnd* back_end,
                         const CondProblem* problem, int* serves)
{
    newton->back_end = back_end;
    newton->resident = NULL;
    newton->by_rows = 0;
    CondStatus status = back_end->serves(newton, problem, serves);
    return status || !*serves ? status : reserve(newton, problem);
}

CondStatus cond_semismooth_prepare(CondSemismooth* newton, const CondLinearBackEnd* back_end,
                                   const CondCertificateData* asked, int* serves)
{
    CondStatus status = choose(newton, back_end, asked->problem, serves);
    return status || !*serves ? status : lay_out(newton, asked);
}

// How a solve gets on.
typedef struct Progress {
    const CondSemismoothLimits* limits;
    CondSolveInfo* info;
    CondCertificate first, best; // of the start; of v_best
    double residual;             // of the current pair
    double least;                // of all pairs so far
    double fastest[2];           // contact of all pairs so far, as newton->play
    double resistance;           // of steps that are not, a share of gamma
    double damping;              // the same of damped steps
    double mark;                 // certificate that half of counts as progress
    int idle;                    // steps since
    int damped;                  // 1: steps from the reference with that resistance
    int watchdog;                // steps away from the reference without success
    int stalled;                 // steps in a row of little progress
    int steps, products;
    int over; // 1: there is no way down from the reference
} Progress;

// The certificate of the current pair, by r, and its u.
static CondCertificate estimate(CondSemismooth* newton, const CondCertificateData* data,
                                const double* r)
{
    CondCertificateData asked = *data;
    if (newton->resident)
        return cond_resident_certify(newton->resident, data,
                                     r ? COND_RESIDENT_BY_R : COND_RESIDENT_ANEW);
    asked.u = newton->now.u;
    return cond_certificate_estimate(&asked, newton->now.v, newton->now.lambda, r, newton->work);
}

// The same with its r = A v - b - Jc' lambda anew.
static CondCertificate measure(CondSemismooth* newton, const CondCertificateData* data,
                               CondSolveInfo* info)
{
    int n = data->problem->n_dof;
    CondCertificate out = estimate(newton, data, NULL);
    if (!newton->resident)
        cond_parallel_copy(n, newton->work + n, newton->now.r, newton->threads);
    info->products++;
    return out;
}

static void keep(CondSemismooth* newton, const CondProblem* problem)
{
    if (newton->resident) {
        cond_resident_keep_best(newton->resident);
        return;
    }
    cond_parallel_copy(problem->n_dof, newton->now.v, newton->v_best, newton->threads);
    cond_parallel_copy(3 * problem->n_contact, newton->now.lambda, newton->lambda_best,
                       newton->threads);
}

// Adds the velocities of all contacts to the largest so far, as CondCertificateData.play has them.
static void add_speeds(CondSemismooth* newton, const CondCertificateData* data, double fastest[2])
{
    cond_semismooth_add_speeds(newton, data, fastest);
    const CondRanks* ranks = data->ranks;
    const double* all = ranks ? ranks->gather(ranks->data, 2 * sizeof *fastest, fastest) : fastest;
    for (int k = 0; k < 2 * (ranks ? ranks->n_rank : 1); k++)
        fastest[k % 2] = fmax(fastest[k % 2], all[k]);
}

// The certificate of the current pair: by the r that was carried along, measured where that says
// that it is enough, and always after a factorisation, which does not know what rounding has left.
// Where a problem has no solution, forces grow from step to step, and with them what the
// certificate measures errors of the law by: such pairs are worth nothing.
static void judge(CondSemismooth* newton, const CondCertificateData* data, Progress* p)
{
    int factored = !newton->back_end->symmetric;
    CondCertificate now =
        factored ? measure(newton, data, p->info) : estimate(newton, data, newton->now.r);
    if (!factored && cond_certificate_residual(&now) <= p->limits->tolerance)
        now = measure(newton, data, p->info);
    p->residual = cond_certificate_residual(&now);
    add_speeds(newton, data, p->fastest);
    for (int k = 0; k < 2; k++)
        if (newton->play[k] > COND_MOST_GROWTH * p->fastest[k])
            p->residual = DBL_MAX;
    if (p->residual < cond_certificate_residual(&p->best)) {
        p->best = now;
        keep(newton, data->problem);
    }
}

static void swap(CondPair* a, CondPair* b)
{
    CondPair kept = *a;
    *a = *b;
    *b = kept;
}

// Steps that creep in one direction, because resistance holds the forces back while the contacts
// stay what they are, go several lengths at once: the length grows while the merit falls.
static double reach(CondSemismooth* newton, const CondCertificateData* data, double merit)
{
    double a = 1.0, next = cond_semismooth_try(newton, data, 2.0);
    for (int k = 0; next < merit && k < COND_HALVINGS; k++) {
        merit = next;
        a *= 2.0;
        next = cond_semismooth_try(newton, data, 2.0 * a);
    }
    return cond_semismooth_try(newton, data, a);
}

// The length of the step at which the force of an interval reaches a bound from inside.
static double leaves_interval(const CondContact* contact, double now, double next)
{
    double bound = contact->bound[next > now];
    if (!(now > contact->bound[0] && now < contact->bound[1]) || next == now)
        return INFINITY;
    return (bound - now) / (next - now);
}

// The same of a friction cone: the root of
//     lambda_n^2 - (lambda_1/mu_1)^2 - (lambda_2/mu_2)^2,   lambda = now + a (next - now);
// INFINITY: none.
static double leaves_cone(const CondContact* contact, const double* now, const double* next)
{
    double A = 0.0, B = 0.0, C = 0.0; // A a^2 + 2 B a + C
    for (int i = 0; i < 3; i++) {
        double mu = i ? contact->friction[i - 1] : 1.0, weight = (i ? -1.0 : 1.0) / (mu * mu);
        A += weight * (next[i] - now[i]) * (next[i] - now[i]);
        B += weight * now[i] * (next[i] - now[i]);
        C += weight * now[i] * now[i];
    }
    double square = B * B - A * C;
    if (!(C > 0.0) || !(square >= 0.0))
        return INFINITY;
    return C / (-B + sqrt(square)); // the root where g falls through zero first
}

// That of any contact, where it is beyond 1; INFINITY: none.
static double leaves_set(const CondContact* contact, const double* now, const double* next)
{
    double a = contact->set == COND_FORCE_INTERVAL ? leaves_interval(contact, now[0], next[0])
                                                   : leaves_cone(contact, now, next);
    return a > 1.0 ? a : INFINITY;
}

// Contacts that stick and contradict each other by very little push their forces against each
// other, from step to step by what the resistance lets through, and nothing else changes until one
// of them can bear no more: to there at once. The merit, INFINITY where that does not help.
static double strain(CondSemismooth* newton, const CondCertificateData* data)
{
    double a = newton->resident ? cond_resident_strain(newton->resident) : INFINITY;
    for (int c = 0; c < data->problem->n_contact && !newton->resident; c++)
        a = fmin(a, leaves_set(&data->problem->contact[c], newton->now.lambda + (ptrdiff_t)3 * c,
                               newton->next.lambda + (ptrdiff_t)3 * c));
    const CondRanks* ranks = data->ranks;
    const double* all = ranks ? ranks->gather(ranks->data, sizeof a, &a) : &a;
    for (int r = 0; r < (ranks ? ranks->n_rank : 1); r++)
        a = fmin(a, all[r]);
    double merit = isfinite(a) ? cond_semismooth_try(newton, data, a) : INFINITY;
    return merit <= (1.0 - COND_SUFFICIENT) * newton->merit ? merit : INFINITY;
}

// The longest of the steps 1, 1/2, 1/4 .. that brings the merit below that of the reference, in
// newton->tried: its merit. INFINITY: none does, and the whole step is there.
static double search(CondSemismooth* newton, const CondCertificateData* data)
{
    double a = 1.0;
    for (int k = 0; k <= COND_HALVINGS && newton->merit < INFINITY; k++, a *= 0.5) {
        double merit = cond_semismooth_try(newton, data, a);
        if (merit > (1.0 - COND_SUFFICIENT * a) * newton->merit || isnan(merit))
            continue;
        int creeps = a == 1.0 && newton->turned == 0 && merit > COND_AIM * newton->merit;
        return creeps ? reach(newton, data, merit) : merit;
    }
    double strained =
        newton->turned == 0 && newton->merit < INFINITY ? strain(newton, data) : INFINITY;
    if (strained < INFINITY)
        return strained;
    double whole = cond_semismooth_try(newton, data, 1.0);
    return newton->merit < INFINITY ? INFINITY : whole; // the first step is taken whatever it makes
}

static void swap_reference(CondSemismooth* newton)
{
    if (newton->resident)
        cond_resident_swap_reference(newton->resident);
    else
        swap(&newton->now, &newton->reference);
}

// Back to the reference, from which steps are damped. What the steps away from it learnt about
// reversals of slip does not count there.
static void retreat(CondSemismooth* newton, const CondProblem* problem, Progress* p)
{
    swap_reference(newton);
    if (newton->resident)
        cond_resident_forget_slips(newton->resident);
    else
        memset(newton->slip_before, 0,
               2 * (size_t)problem->n_contact * sizeof *newton->slip_before);
    p->damped = 1;
    p->damping = fmax(p->damping, fmax(COND_LEAST_DAMPING, COND_MORE_DAMPING * p->resistance));
    p->watchdog = 0;
}

static void take(CondSemismooth* newton, const CondCertificateData* data)
{
    if (newton->resident)
        cond_resident_take_tried(newton->resident);
    else
        swap(&newton->now, &newton->tried);
    cond_semismooth_keep_slips(newton, data);
}

// The current pair becomes the reference.
static void refer(CondSemismooth* newton, double merit, Progress* p)
{
    newton->merit = merit;
    p->watchdog = 0;
    if (p->damped)
        p->damping = fmax(p->damping / COND_MORE_DAMPING, COND_LEAST_DAMPING);
    p->damped = 0;
}

// Takes a part of the step, the whole of it on trial, or none and goes back to the reference.
static void globalise(CondSemismooth* newton, const CondCertificateData* data, Progress* p)
{
    double merit = search(newton, data);
    if (merit == INFINITY && p->damped) {
        p->damping *= COND_MORE_DAMPING;
        p->over = p->damping > 1.0;
        return;
    }
    if (merit == INFINITY && p->watchdog == COND_HALVINGS) {
        retreat(newton, data->problem, p);
        p->over = p->limits->brief;
        return;
    }
    if (merit == INFINITY && p->watchdog++ == 0)
        swap_reference(newton);
    take(newton, data);
    judge(newton, data, p);
    if (merit < INFINITY)
        refer(newton, merit, p);
    else if (p->residual < COND_PROGRESS * p->least)
        refer(newton, cond_semismooth_merit(newton, data, &newton->now), p);
    p->least = fmin(p->least, p->residual);
}

// Steps of little progress that are borne. On a fine mesh the border between slip and stick moves
// over many rows of contacts, patch by patch, and the merit falls only when it has arrived.
static int patience(const CondSemismooth* newton)
{
    int levels = newton->patched ? newton->patches.n_level : 0;
    return levels > 1 ? COND_STALL + 2 * (levels - 1) : COND_STALL;
}

// Friction that belongs to the normal force of the last step may feed itself. Where the contacts
// stay what they are, friction that follows within a step settles it; where they do not, they must
// be sorted by other means first. Returns 0 to give up.
static int adapt(CondSemismooth* newton, CondLaw law, double before, Progress* p)
{
    p->stalled = newton->merit < COND_PROGRESS * before ? 0 : p->stalled + 1;
    if (!newton->back_end->symmetric)
        return 1;
    int settled = newton->turned == 0;
    int follow = p->limits->may_follow ? p->stalled >= patience(newton)
                                       : p->stalled >= COND_STALL - 1 && settled;
    if (follow && law == COND_LAW_STRICT && !newton->follows) {
        newton->follows = 1;
        p->stalled = 0;
    }
    return p->limits->may_follow || p->stalled < patience(newton);
}

// Resistance that adapts. Contacts that stay what they are while the merit creeps
// are held back by it: it falls. Steps that lead away from the reference want it back. Returns 0 to
// give up: the certificate has not been halved for too many steps.
static int ease(const CondSemismooth* newton, double before, Progress* p)
{
    const CondSemismoothLimits* limits = p->limits;
    int creeps = newton->turned == 0 && newton->merit > COND_AIM * before;
    if (p->watchdog > 0)
        p->resistance = fmin(p->resistance * COND_MORE_DAMPING, limits->resistance);
    else if (creeps && !p->damped)
        p->resistance = fmax(p->resistance / COND_MORE_DAMPING, COND_LEAST_RESISTANCE);
    p->idle = p->residual <= 0.5 * p->mark ? 0 : p->idle + 1;
    p->mark = p->idle == 0 ? p->residual : p->mark;
    return p->idle < limits->patience;
}

// The vectors at the start, and where they are.
static CondStatus start(CondSemismooth* newton, const CondCertificateData* asked,
                        const CondAnswer* answer)
{
    const CondProblem* problem = asked->problem;
    size_t nc = (size_t)problem->n_contact;
    if (cond_resident_serves(newton, asked)) {
        CondStatus status = cond_resident_begin(newton, asked, answer);
        if (status || newton->resident)
            return status;
    }
    CondStatus status = cond_device_matrix_fetch(newton->soft.matrix, problem);
    if (!status)
        status = lay_out(newton, asked);
    cond_parallel_copy(problem->n_dof, answer->v, newton->now.v, newton->threads);
    cond_parallel_copy(3 * problem->n_contact, answer->lambda, newton->now.lambda, newton->threads);
    memset(newton->law, 0, nc * sizeof *newton->law);
    memset(newton->slip_before, 0, 2 * nc * sizeof *newton->slip_before);
    return status;
}

static CondStatus begin(CondSemismooth* newton, const CondCertificateData* data, Progress* p)
{
    keep(newton, data->problem);
    p->first = measure(newton, data, p->info);
    if (p->limits->at_least > 0)
        p->first.dynamics = DBL_MAX;
    p->best = p->first;
    p->residual = cond_certificate_residual(&p->first);
    memcpy(p->fastest, newton->play, sizeof p->fastest);
    p->least = p->mark = newton->merit = INFINITY;
    p->resistance = p->limits->resistance;
    newton->follows = !newton->back_end->symmetric;
    if (newton->resident)
        return cond_resident_status(newton->resident);
    return newton->back_end->symmetric ? newton->back_end->begin(newton) : COND_OK;
}

// The correction of a step, the products that it took.
static int find_correction(CondSemismooth* newton, const CondCertificateData* data,
                           int max_products)
{
    if (newton->resident)
        return cond_resident_solve(newton, max_products);
    CondStatus status = newton->back_end->build(newton, data->problem);
    cond_account_mark("solve: matrix");
    return status ? (int)status
                  : newton->back_end->solve(newton, newton->next.r, newton->x, max_products);
}

// The pair at the end of the step: it obeys the dynamics and the linearised law.
static CondStatus solve_step(CondSemismooth* newton, const CondCertificateData* data, Progress* p)
{
    int count = find_correction(newton, data, p->limits->max_products - p->products);
    cond_account_mark("solve: iterations");
    if (count < 0)
        return (CondStatus)count;
    p->info->iterations += count;
    p->info->cg_iterations += count;
    p->info->products += count;
    p->info->passes++;
    p->products += count;
    p->steps++;
    cond_semismooth_arrive(newton, data);
    return COND_OK;
}

static int must_go_on(const CondSemismooth* newton, const Progress* p)
{
    const CondSemismoothLimits* limits = p->limits;
    int gives_way = limits->gives_way && newton->soft.longest >= COND_ILL_CONDITIONED;
    int far = limits->near > 0.0 && p->steps == 0 && !(p->residual <= limits->near);
    return !p->over && !gives_way && !far && !(p->residual <= limits->tolerance) &&
           p->steps < limits->max_steps && p->products < limits->max_products &&
           (p->steps == 0 || isfinite(p->residual));
}

// The best pair, measured, if it is not worse than the start.
static CondStatus hand_back(CondSemismooth* newton, const CondCertificateData* data, Progress* p,
                            CondAnswer* answer)
{
    if (p->steps > 0 && cond_certificate_residual(&p->best) > p->limits->tolerance) {
        p->best =
            newton->resident
                ? cond_resident_certify(newton->resident, data, COND_RESIDENT_BEST)
                : cond_certificate_compute(data, newton->v_best, newton->lambda_best, newton->work);
        p->info->products++;
    }
    if (newton->resident) {
        CondStatus status = cond_resident_read_best(newton, data);
        newton->resident = NULL;
        if (status)
            return status;
    }
    if (cond_certificate_residual(&p->best) <= cond_certificate_residual(&p->first))
        cond_answer_set(data->problem, newton->v_best, newton->lambda_best, &p->best, answer);
    else
        answer->certificate = p->first;
    answer->residual = cond_certificate_residual(&answer->certificate);
    return answer->residual <= p->limits->tolerance ? COND_OK : COND_NOT_CONVERGED;
}

CondStatus cond_semismooth_solve(CondSemismooth* newton, const CondLinearBackEnd* back_end,
                                 const CondCertificateData* asked,
                                 const CondSemismoothLimits* limits, CondAnswer* answer,
                                 CondSolveInfo* info)
{
    int serves = 0, go_on = 1;
    CondStatus status = choose(newton, back_end, asked->problem, &serves);
    if (status || !serves)
        return status ? status : COND_NOT_CONVERGED;
    newton->by_rows = limits->by_rows;
    CondCertificateData data = with_parts(newton, asked);
    Progress progress = {.limits = limits, .info = info}, *p = &progress;
    status = start(newton, asked, answer);
    cond_account_mark("solve: plan");
    if (status)
        return status;
    status = begin(newton, &data, p);
    cond_account_mark("solve: start");
    while (!status && go_on && must_go_on(newton, p)) {
        double merit = newton->merit, damping = p->damped ? p->damping : 0.0;
        if (cond_cancelled(&newton->arena.context))
            return COND_CANCELLED;
        status = cond_semismooth_predict(newton, &data);
        cond_account_mark("solve: predict");
        if (status)
            break;
        cond_semismooth_linearise(newton, &data, fmax(damping, p->resistance));
        cond_account_mark("solve: linearise");
        status = solve_step(newton, &data, p);
        if (status)
            break;
        globalise(newton, &data, p);
        cond_account_mark("solve: search");
        if (newton->resident && cond_resident_status(newton->resident))
            return cond_resident_status(newton->resident);
        go_on =
            adapt(newton, data.law, merit, p) && (limits->patience == 0 || ease(newton, merit, p));
    }
    if (status == COND_OUT_OF_MEMORY || status == COND_NOT_SUPPORTED) // of a device
        return status;
    return hand_back(newton, &data, p, answer); // a singular system ends the steps
}
