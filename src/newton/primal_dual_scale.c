// The scale gamma of a contact in the natural map: a third of the trace of its Delassus block. From
// the diagonal of A it is cheap, and far too small on a rod, whose links are stiff against each
// other and together give way. There the diagonal blocks of A^-1 are at hand: with the Schur
// complements of all links before and of all behind link i,
//     F_i = D_i - L_i F_{i-1}^-1 L_i',    B_i = D_i - U_i B_{i+1}^-1 U_i',
//     (A^-1)_ii = (F_i + B_i - D_i)^-1.
// Couplings to other bodies count as if these stood still.
#include "base/memory.h"
#include "linear/cholesky.h"
#include "newton/primal_dual_system.h"
#include "nodalize/nodal.h"
#include "problem/term.h"

#include <string.h>

// D, the diagonal blocks with the couplings' share.
static void start(CondPrimalDual* pd, const CondProblem* problem)
{
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof && block->kind == COND_BLOCK_TRIDIAGONAL; i++)
            memcpy(pd->middle + 6 * (size_t)(block->dof_begin + i),
                   block->values + COND_TRIDIAGONAL_ROW * (size_t)i + 6, 6 * sizeof *pd->middle);
    }
    for (int p = 0; p < problem->n_coupling; p++) {
        const CondCoupling* c = &problem->coupling[p];
        CondTerm term = cond_term_coupling(c);
        for (int k = 0; k < c->n_coordinate; k++) {
            const CondBlock* block = &problem->block[cond_nodal_block(problem, c->coordinate[k])];
            int i = c->coordinate[k] - block->dof_begin;
            for (int l = 0; l < c->n_coordinate && block->kind == COND_BLOCK_TRIDIAGONAL; l++) {
                int j = c->coordinate[l] - block->dof_begin;
                if (j >= 0 && j < block->n_dof && j / 6 == i / 6)
                    pd->middle[6 * (size_t)c->coordinate[k] + (size_t)(j % 6)] +=
                        cond_term_entry(&term, k, l);
            }
        }
    }
}

// S = D - L N^-1 L' for one link, N the complement of its neighbour and L beside D at `offset`:
// with N = C C' and Y = C^-1 L', S = D - Y' Y.
static int eliminate(const CondBlock* block, int link, int offset, const double* D,
                     const double* neighbour, double* S)
{
    double C[36], Y[36]; // Y' by rows
    const double* L = block->values + COND_TRIDIAGONAL_ROW * (size_t)(6 * link) + offset;
    memcpy(C, neighbour, sizeof C);
    if (cond_cholesky_factor(6, C))
        return 1;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            double sum = L[COND_TRIDIAGONAL_ROW * i + k];
            for (int l = 0; l < k; l++)
                sum -= C[6 * k + l] * Y[6 * i + l];
            Y[6 * i + k] = sum / C[7 * k];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double sum = D[6 * i + j];
            for (int k = 0; k < 6; k++)
                sum -= Y[6 * i + k] * Y[6 * j + k];
            S[6 * i + j] = S[6 * j + i] = sum;
        }
    return 0;
}

static int sweep(CondPrimalDual* pd, const CondBlock* block)
{
    int n = block->n_dof / 6, failed = 0;
    size_t first = 6 * (size_t)block->dof_begin;
    double *D = pd->middle + first, *F = pd->before + first, *B = pd->behind + first;
    memcpy(F, D, 36 * sizeof *F);
    memcpy(B + 36 * (n - 1), D + 36 * (n - 1), 36 * sizeof *B);
    for (int i = 1; i < n; i++)
        failed |= eliminate(block, i, 0, D + 36 * i, F + 36 * (i - 1), F + 36 * i);
    for (int i = n - 2; i >= 0; i--)
        failed |= eliminate(block, i, 12, D + 36 * i, B + 36 * (i + 1), B + 36 * i);
    return failed;
}

// trace(J (A^-1)_ii J'), or a negative number where the point is not on one link.
static double link_trace(const CondPrimalDual* pd, const CondProblem* problem, const CondSide* side)
{
    if (side->n_coordinate != 6 || !side->jacobian)
        return -1.0;
    int first = side->coordinate[0];
    const CondBlock* block = &problem->block[cond_nodal_block(problem, first)];
    if (block->kind != COND_BLOCK_TRIDIAGONAL || (first - block->dof_begin) % 6 != 0 ||
        side->coordinate[5] != first + 5)
        return -1.0;
    double P[36], trace = 0.0;
    for (int k = 0; k < 36; k++)
        P[k] = pd->before[6 * (size_t)first + (size_t)k] +
               pd->behind[6 * (size_t)first + (size_t)k] -
               pd->middle[6 * (size_t)first + (size_t)k];
    if (cond_cholesky_factor(6, P))
        return -1.0;
    for (int r = 0; r < 3; r++) {
        double x[6];
        memcpy(x, side->jacobian + 6 * r, sizeof x);
        cond_cholesky_solve(6, P, x);
        for (int k = 0; k < 6; k++)
            trace += side->jacobian[6 * r + k] * x[k];
    }
    return trace;
}

CondStatus cond_primal_dual_scale(CondPrimalDual* pd, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    const CondContext* m = &pd->context;
    int failed = 0, size = 6 * problem->n_dof;
    memcpy(pd->gamma, data->delassus, (size_t)problem->n_contact * sizeof *pd->gamma);
    if (!pd->rods)
        return COND_OK;
    if (cond_reserve(m, &pd->middle, &pd->cap_middle, size, sizeof *pd->middle) ||
        cond_reserve(m, &pd->before, &pd->cap_before, size, sizeof *pd->before) ||
        cond_reserve(m, &pd->behind, &pd->cap_behind, size, sizeof *pd->behind))
        return COND_OUT_OF_MEMORY;
    start(pd, problem);
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_TRIDIAGONAL)
            failed |= sweep(pd, &problem->block[b]);
    for (int c = 0; c < problem->n_contact && !failed; c++) {
        CondContact one = problem->contact[c];
        double sum = 0.0;
        for (int s = 0; s < 2; s++) {
            double trace = link_trace(pd, problem, &one.side[s]);
            if (trace > 0.0) {
                sum += trace / 3.0;
                one.side[s].n_coordinate = 0; // counted
            }
        }
        pd->gamma[c] = sum + cond_contact_delassus(&one, data->diagonal);
    }
    return COND_OK;
}
