// Projected Gauss-Seidel: contact after contact, each with the forces of all others as they are.
//
// u stays true during a sweep: when lambda_c changes by d, u += Ac[:, c] d. A contact that does not
// change costs nothing, and the end of the sweep has u of all contacts without a further product.
#include "baselines.h"

#include "dual.h"
#include "law/contact_law.h"
#include "one_contact.h"
#include "problem/side.h"

#include <string.h>

enum { REFRESH = 50 }; // sweeps after which u is computed anew, against piled-up rounding

static void begin(CondDual* s)
{
    s->state[0] = 0.0;
}

// lambda_c = next and u += Ac[:, c] d
static void change_contact(CondDual* s, int c, const double* next)
{
    const CondDelassus* d = &s->delassus;
    double change[3];
    for (int r = 0; r < 3; r++) {
        change[r] = next[r] - s->lambda[3 * c + r];
        s->lambda[3 * c + r] = next[r];
    }
    if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0)
        return;
    const double* column = d->Ac + (size_t)d->n * (size_t)(3 * c);
    const double *x = column, *y = column + d->n, *z = column + 2 * (size_t)d->n;
    for (int i = 0; i < d->n; i++)
        s->u[i] += x[i] * change[0] + y[i] * change[1] + z[i] * change[2];
}

// The 3x3 block of a contact.
static void diagonal_block(const CondDelassus* d, int c, double* D)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 * i + j] = d->Ac[(size_t)d->n * (size_t)(3 * c + i) + (size_t)(3 * c + j)];
}

static void refresh(CondDual* s, CondSolveInfo* info)
{
    info->products++;
    s->state[0] += 1.0;
    if (s->state[0] >= REFRESH) {
        s->state[0] = 0.0;
        cond_delassus_velocity(&s->delassus, s->lambda, s->u);
    }
}

// lambda_c = the answer of the one-contact problem with the forces of all others held.
static void sweep_exact(CondDual* s, CondSolveInfo* info)
{
    for (int c = 0; c < s->delassus.problem->n_contact; c++) {
        double D[9], q[3], next[3];
        memcpy(next, s->lambda + 3 * c, sizeof next);
        diagonal_block(&s->delassus, c, D);
        for (int i = 0; i < 3; i++)
            q[i] = s->u[3 * c + i] -
                   (D[3 * i] * next[0] + D[3 * i + 1] * next[1] + D[3 * i + 2] * next[2]);
        cond_one_contact_solve(s->settings.law, &s->delassus.problem->contact[c], D, q, next);
        change_contact(s, c, next);
    }
    refresh(s, info);
}

// The paper's: lambda_c = ProjectFC(lambda_c - u_c / g) with g above the eigenvalues of the block.
static void sweep_projection(CondDual* s, CondSolveInfo* info)
{
    for (int c = 0; c < s->delassus.problem->n_contact; c++) {
        const CondContact* contact = &s->delassus.problem->contact[c];
        double D[9], trial[3], next[3];
        diagonal_block(&s->delassus, c, D);
        double g = cond_contact_rows(contact) == 1 ? D[0] : cond_one_contact_bound(D);
        for (int i = 0; i < 3; i++)
            trial[i] = s->lambda[3 * c + i] - s->u[3 * c + i] / g;
        cond_contact_law_project(s->settings.law, contact, trial, next);
        change_contact(s, c, next);
    }
    refresh(s, info);
}

static const CondDualMethod exact = {COND_FACTOR_SUPERNODAL, 0, 0, begin, sweep_exact};
static const CondDualMethod simplicial = {COND_FACTOR_SIMPLICIAL, 0, 0, begin, sweep_exact};
static const CondDualMethod paper = {COND_FACTOR_SIMPLICIAL, 0, 0, begin, sweep_projection};

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    return cond_dual_create(context, settings, &exact);
}

static void* create_simplicial(const CondContext* context, const CondSolverSettings* settings)
{
    return cond_dual_create(context, settings, &simplicial);
}

static void* create_paper(const CondContext* context, const CondSolverSettings* settings)
{
    return cond_dual_create(context, settings, &paper);
}

const CondSolverOps cond_baseline_pgs = {
    .name = "pgs",
    .create = create,
    .solve = cond_dual_solve,
    .history = cond_dual_history,
    .destroy = cond_dual_destroy,
};
const CondSolverOps cond_baseline_pgs_simplicial = {
    .name = "pgs-simplicial",
    .create = create_simplicial,
    .solve = cond_dual_solve,
    .history = cond_dual_history,
    .destroy = cond_dual_destroy,
};
const CondSolverOps cond_baseline_pgs_paper = {
    .name = "pgs-paper",
    .create = create_paper,
    .solve = cond_dual_solve,
    .history = cond_dual_history,
    .destroy = cond_dual_destroy,
};
