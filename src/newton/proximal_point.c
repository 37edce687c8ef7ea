// Proximal-point steps on the contact forces, for contacts that are redundant: walls, stacks,
// dominoes (docs/newton.md).
#include "newton/proximal_point.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "law/tuning.h"
#include "newton/tuning.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// How the rounds get on.
typedef struct Rounds {
    const CondCertificateData* data; // of the problem as it is
    double tolerance;
    double sigma;    // a share of the contact's Delassus scale
    double residual; // of the centre
    double least;    // of all rounds, each less than COND_PROGRESS of the one before
    int idle;        // rounds since then
    int steps;       // of Newton's method in all of them
    int brief;       // 1: these are not damped
    int pulled;      // 1: point->pull is that of the round before
} Rounds;

static CondStatus reserve(CondProximalPoint* point, const CondContext* context,
                          const CondProblem* problem)
{
    int nc = problem->n_contact;
    point->arena.context = *context;
    if (COND_RESERVE(&point->arena, point->contact, nc) ||
        COND_RESERVE(&point->arena, point->compliance, nc) ||
        COND_RESERVE(&point->arena, point->carried, nc) ||
        COND_RESERVE(&point->arena, point->pull, 3 * nc) ||
        COND_RESERVE(&point->arena, point->work, 2 * problem->n_dof) ||
        cond_answer_reserve(context, problem, &point->centre) ||
        cond_answer_reserve(context, problem, &point->next))
        return COND_OUT_OF_MEMORY;
    memset(point->carried, 0, (size_t)nc * sizeof *point->carried);
    return COND_OK;
}

void cond_proximal_point_destroy(CondProximalPoint* point)
{
    cond_answer_destroy(&point->centre);
    cond_answer_destroy(&point->next);
    cond_arena_release(&point->arena);
}

// The problem of a round: u + c lambda + sigma (lambda - lambda_c) is u + (c + sigma) lambda with
// phi - sigma lambda_c in the place of phi.
static CondCertificateData pose(CondProximalPoint* point, const Rounds* rounds)
{
    const CondCertificateData* data = rounds->data;
    const CondProblem* problem = data->problem;
    memcpy(point->contact, problem->contact, (size_t)problem->n_contact * sizeof *point->contact);
    for (int c = 0; c < problem->n_contact; c++) {
        double sigma = rounds->sigma * data->delassus[c];
        point->compliance[c] = (data->carried[c] ? 0.0 : data->compliance[c]) + sigma;
        for (int i = 0; i < 3; i++)
            point->contact[c].phi[i] -= sigma * point->centre.lambda[3 * c + i];
    }
    point->problem = *problem;
    point->problem.contact = point->contact;
    CondCertificateData posed = *data;
    posed.problem = &point->problem;
    posed.compliance = point->compliance;
    posed.carried = point->carried;
    return posed;
}

// The residual of a pair under the law as it is; it becomes *best where it is better.
static double judge(CondProximalPoint* point, const Rounds* rounds, const CondAnswer* pair,
                    CondAnswer* best, CondSolveInfo* info)
{
    const CondProblem* problem = rounds->data->problem;
    CondCertificate now =
        cond_certificate_compute(rounds->data, pair->v, pair->lambda, point->work);
    double residual = cond_certificate_residual(&now);
    info->products++;
    if (!(residual >= best->residual))
        cond_answer_set(problem, pair->v, pair->lambda, &now, best);
    return residual;
}

// A resistance that Newton's method copes with, and no more than that: the less there is, the
// farther a round goes.
static void adapt(Rounds* rounds, int solved, int steps)
{
    if (!solved)
        rounds->sigma *= COND_MORE_DAMPING;
    else if (steps <= COND_PROXIMAL_FEW)
        rounds->sigma = fmax(rounds->sigma / COND_PROXIMAL_LESS, COND_RESISTANCE_FACTORED);
    else if (steps > 2 * COND_PROXIMAL_FEW)
        rounds->sigma *= COND_PROXIMAL_LESS;
}

static void watch(Rounds* rounds)
{
    rounds->idle++;
    if (rounds->residual < COND_PROGRESS * rounds->least) {
        rounds->least = rounds->residual;
        rounds->idle = 0;
    }
}

// From one round to the next forces that are on their way change by pull/sigma with much the same
// pull, of which each round leaves a share rho: of the way that is left, pull rho/(1 - rho) in all,
// the centre goes ahead by a part.
static void move_centre(CondProximalPoint* point, Rounds* rounds)
{
    const CondProblem* problem = rounds->data->problem;
    double *centre = point->centre.lambda, *next = point->next.lambda, dot = 0.0, now = 0.0,
           before = 0.0;
    for (int i = 0; i < 3 * problem->n_contact; i++) {
        double pull = rounds->sigma * rounds->data->delassus[i / 3] * (next[i] - centre[i]);
        double last = rounds->pulled ? point->pull[i] : 0.0;
        dot += pull * last, now += pull * pull, before += last * last;
        point->pull[i] = pull;
    }
    double share = before > 0.0 ? sqrt(now / before) : 0.0, ahead = 0.0;
    if (rounds->brief && share > COND_PROXIMAL_STEADY && dot > COND_ALIGNED * sqrt(now * before))
        ahead =
            share < 1.0 ? fmin(share / (1.0 - share), COND_PROXIMAL_AHEAD) : COND_PROXIMAL_AHEAD;
    for (int i = 0; i < 3 * problem->n_contact; i++)
        next[i] += ahead * (next[i] - centre[i]);
    cond_answer_copy(problem, &point->next, &point->centre);
    rounds->pulled = 1;
}

static CondStatus make_round(CondProximalPoint* point, CondSemismooth* newton, Rounds* rounds,
                             CondAnswer* best, CondSolveInfo* info)
{
    const CondProblem* problem = rounds->data->problem;
    CondCertificateData posed = pose(point, rounds);
    int before = info->passes;
    CondSemismoothLimits limits = {
        .tolerance = fmax(COND_AIM * rounds->tolerance, COND_AIM * fmin(rounds->residual, 1.0)),
        .max_steps = COND_PROXIMAL_STEPS,
        .max_products = INT_MAX,
        .brief = rounds->brief,
    };
    cond_answer_copy(problem, &point->centre, &point->next);
    CondStatus status =
        cond_semismooth_solve(newton, &cond_back_end_factored, &posed, &limits, &point->next, info);
    if (status < 0)
        return status;
    int steps = info->passes - before;
    double residual = judge(point, rounds, &point->next, best, info);
    if (status == COND_OK) {
        move_centre(point, rounds);
        rounds->residual = residual;
    }
    rounds->steps += steps;
    adapt(rounds, status == COND_OK, steps);
    watch(rounds);
    return COND_OK;
}

CondStatus cond_proximal_point_solve(CondProximalPoint* point, CondSemismooth* newton,
                                     const CondCertificateData* data, double tolerance,
                                     int max_steps, int brief, const CondAnswer* start,
                                     CondAnswer* best, CondSolveInfo* info)
{
    const CondProblem* problem = data->problem;
    int serves = 0;
    CondStatus status = cond_semismooth_prepare(newton, &cond_back_end_factored, data, &serves);
    if (status || !serves)
        return status ? status : COND_NOT_CONVERGED;
    status = reserve(point, &newton->arena.context, problem);
    if (status)
        return status;
    Rounds rounds = {.data = data, .tolerance = tolerance, .brief = brief};
    cond_answer_copy(problem, start, &point->centre);
    rounds.residual = rounds.least = judge(point, &rounds, &point->centre, best, info);
    rounds.sigma = fmin(COND_PROXIMAL_FIRST, COND_MORE_DAMPING * rounds.residual);
    while (!status && !(best->residual <= tolerance) && rounds.steps < max_steps &&
           rounds.idle < COND_PATIENCE && rounds.sigma < COND_PROXIMAL_MOST)
        status = make_round(point, newton, &rounds, best, info);
    if (status)
        return status;
    return best->residual <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}
