// W that minimises |I - W A|_F among the diagonal matrices with one weight per contact node
// (Sec. IV-C):  |I - W A|_F^2 = n - 2 sum w_i a_ii + sum w_i^2 |A_i*|^2, so that
//   w_i = a_ii / |A_i*|^2                                          off the contact nodes,
//   w   = sum a_ii / sum |A_i*|^2 over the 3 (S) or 6 (D) rows     on them.
#include "vfpi/surrogate.h"

#include "base/memory.h"

#include <string.h>

// W may be kept from the last solve except where contacts are or were: the rows they touch.
// touched is updated to the rows of this problem; fresh (nodal->n, scratch of nodal) gets the
// union.
static void mark_fresh(CondSurrogate* W, CondNodal* nodal, int* fresh)
{
    const CondProblem* problem = nodal->problem;
    memcpy(fresh, W->touched, (size_t)nodal->n_dof * sizeof *fresh);
    memset(W->touched, 0, (size_t)nodal->n_dof * sizeof *W->touched);
    for (int i = nodal->n_dof; i < nodal->n; i++)
        fresh[i] = 1;
    for (int c = 0; c < problem->n_contact; c++)
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &problem->contact[c].side[s];
            for (int k = 0; k < side->n_coordinate; k++)
                fresh[side->coordinate[k]] = W->touched[side->coordinate[k]] = 1;
        }
}

static void weigh_contact(CondSurrogate* W, const int node[2], int first, int last)
{
    double a = 0.0, norm2 = 0.0;
    for (int s = first; s <= last; s++)
        for (int i = 0; i < 3 && node[s] >= 0; i++) {
            a += W->diagonal[node[s] + i];
            norm2 += W->norm2[node[s] + i];
        }
    for (int s = first; s <= last; s++)
        for (int i = 0; i < 3 && node[s] >= 0; i++)
            W->w[node[s] + i] = a / norm2;
}

static CondStatus build(CondSurrogate* W, CondNodal* nodal, const CondSolverSettings* settings)
{
    CondArena* m = &W->arena;
    int n = nodal->n;
    int kept = W->built_n_dof == nodal->n_dof && W->age < settings->reuse && nodal->n_dof > 0;
    W->built_n_dof = 0;
    if (COND_RESERVE(m, W->touched, n) || COND_RESERVE(m, W->list, 2 * n))
        return COND_OUT_OF_MEMORY;
    int* fresh = W->list + n; // the second half; the first is the column list of a row
    mark_fresh(W, nodal, fresh);
    CondStatus status = cond_surrogate_rows(W, nodal, kept ? fresh : NULL, settings->threads);
    if (status)
        return status;
    for (int i = 0; i < n; i++)
        if (!kept || fresh[i])
            W->w[i] = W->diagonal[i] / W->norm2[i];
    for (int c = 0; c < nodal->problem->n_contact; c++) {
        const int* node = nodal->node + 2 * c;
        if (settings->pair_weights) {
            weigh_contact(W, node, 0, 1);
        } else {
            weigh_contact(W, node, 0, 0);
            weigh_contact(W, node, 1, 1);
        }
    }
    W->age = kept ? W->age + 1 : 1;
    W->built_n_dof = nodal->n_dof;
    return COND_OK;
}

const CondSurrogateOps cond_surrogate_frobenius = {COND_SURROGATE_FROBENIUS, build, NULL, NULL};
