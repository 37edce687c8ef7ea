// The contacts of a pile that may bear: the choice of them, and the solve with them alone.
#include "strategy/working_set.h"

#include "base/memory.h"
#include "law/tuning.h"
#include "newton/tuning.h"
#include "strategy/strategy.h"
#include "strategy/tuning.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&set->arena, set->array, count)

CondStatus cond_working_set_begin(CondWorkingSet* set, const CondContext* context,
                                  const CondProblem* problem)
{
    int nc = problem->n_contact;
    set->arena.context = *context;
    if (RESERVE(u, 3 * nc) || RESERVE(bears, nc) || RESERVE(contact, nc) || RESERVE(list, nc) ||
        RESERVE(lambda, 3 * nc))
        return COND_OUT_OF_MEMORY;
    set->width = 1.0;
    memset(set->bears, 0, (size_t)nc * sizeof *set->bears);
    return COND_OK;
}

void cond_working_set_destroy(CondWorkingSet* set)
{
    cond_solver_strategy.destroy(set->strategy);
    cond_arena_release(&set->arena);
}

// The prediction says so, lambda_n - u_n/gamma <= 0, and the contact opens faster than the margin.
static int is_open(const CondWorkingSet* set, const CondNodal* nodal, const CondAnswer* pair, int c,
                   double margin)
{
    double u = set->u[(ptrdiff_t)3 * c], force = pair->lambda[(ptrdiff_t)3 * c];
    return u > margin && force * nodal->delassus[c] <= u;
}

int cond_working_set_join(CondWorkingSet* set, const CondNodal* nodal, const CondAnswer* pair)
{
    double share = set->width * fmax(COND_OPEN_SPEED, fmin(COND_AIM, pair->residual));
    double margin = share * pair->certificate.velocity_scale;
    int joined = 0;
    set->n = 0;
    set->width *= COND_MORE_DAMPING;
    for (int c = 0; c < nodal->problem->n_contact; c++) {
        int joins = !set->bears[c] && !is_open(set, nodal, pair, c, margin);
        set->bears[c] |= joins;
        joined += joins;
        if (set->bears[c])
            set->contact[set->n++] = c;
    }
    return joined;
}

int cond_working_set_is_violated(const CondWorkingSet* set, const CondProblem* problem)
{
    for (int c = 0; c < problem->n_contact; c++)
        if (!set->bears[c] && set->u[(ptrdiff_t)3 * c] < 0.0)
            return 1;
    return 0;
}

int cond_working_set_pays(const CondWorkingSet* set, const CondProblem* problem)
{
    return problem->n_contact - set->n > COND_OPEN_SPEED * problem->n_contact;
}

static void gather(CondWorkingSet* set, const CondProblem* problem, const double* lambda)
{
    set->problem = *problem;
    for (int k = 0; k < set->n; k++) {
        set->list[k] = problem->contact[set->contact[k]];
        memcpy(set->lambda + (ptrdiff_t)3 * k, lambda + (ptrdiff_t)3 * set->contact[k],
               3 * sizeof *lambda);
    }
    set->problem.contact = set->list;
    set->problem.n_contact = set->n;
}

static void scatter(const CondWorkingSet* set, const CondProblem* problem, double* lambda)
{
    memset(lambda, 0, 3 * (size_t)problem->n_contact * sizeof *lambda);
    for (int k = 0; k < set->n; k++)
        memcpy(lambda + (ptrdiff_t)3 * set->contact[k], set->lambda + (ptrdiff_t)3 * k,
               3 * sizeof *lambda);
}

CondStatus cond_working_set_solve(CondWorkingSet* set, const CondSolverSettings* settings,
                                  const CondProblem* problem, CondSolveBudget budget,
                                  CondAnswer* pair, CondSolveInfo* info, CondSolveOutcome* outcome)
{
    if (!set->strategy)
        set->strategy = cond_solver_strategy.create(&set->arena.context, settings);
    if (!set->strategy)
        return COND_OUT_OF_MEMORY;
    budget.all_contacts = 1;
    gather(set, problem, pair->lambda);
    CondNodal view = {.problem = &set->problem, .bare = 1};
    CondStatus status =
        cond_strategy_solve(set->strategy, &view, budget, pair->v, set->lambda, info, outcome);
    scatter(set, problem, pair->lambda);
    return status;
}
