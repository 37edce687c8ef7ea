// The diagonal blocks of A^-1 on rods, with the Schur complements of all links before and of all
// behind link i,
//     F_i = D_i - L_i F_{i-1}^-1 L_i',    B_i = D_i - U_i B_{i+1}^-1 U_i',
//     (A^-1)_ii = (F_i + B_i - D_i)^-1.
// Couplings to other bodies count as if these stood still.
#include "newton/rod_scale.h"

#include "linear/cholesky.h"
#include "nodalize/nodal.h"
#include "problem/side.h"
#include "problem/term.h"

#include <string.h>

// D, the diagonal blocks with the couplings' share.
static void start(CondRodScale* rods, const CondProblem* problem)
{
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof && block->kind == COND_BLOCK_TRIDIAGONAL; i++)
            memcpy(rods->middle + 6 * (size_t)(block->dof_begin + i),
                   block->values + COND_TRIDIAGONAL_ROW * (size_t)i + 6, 6 * sizeof *rods->middle);
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
                    rods->middle[6 * (size_t)c->coordinate[k] + (size_t)(j % 6)] +=
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

static int sweep(CondRodScale* rods, const CondBlock* block)
{
    int n = block->n_dof / 6, failed = 0;
    size_t first = 6 * (size_t)block->dof_begin;
    double *D = rods->middle + first, *F = rods->before + first, *B = rods->behind + first;
    memcpy(F, D, 36 * sizeof *F);
    memcpy(B + 36 * (n - 1), D + 36 * (n - 1), 36 * sizeof *B);
    for (int i = 1; i < n; i++)
        failed |= eliminate(block, i, 0, D + 36 * i, F + 36 * (i - 1), F + 36 * i);
    for (int i = n - 2; i >= 0; i--)
        failed |= eliminate(block, i, 12, D + 36 * i, B + 36 * (i + 1), B + 36 * i);
    return failed;
}

double cond_rod_scale_trace(const CondRodScale* rods, const CondProblem* problem,
                            const CondContact* contact, int s)
{
    const CondSide* side = &contact->side[s];
    if (!rods->serves || side->n_coordinate != 6 || !side->jacobian)
        return -1.0;
    int first = side->coordinate[0];
    const CondBlock* block = &problem->block[cond_nodal_block(problem, first)];
    if (block->kind != COND_BLOCK_TRIDIAGONAL || (first - block->dof_begin) % 6 != 0 ||
        side->coordinate[5] != first + 5)
        return -1.0;
    double P[36], trace = 0.0;
    for (int k = 0; k < 6 * 6; k++)
        P[k] = rods->before[6 * (size_t)first + (size_t)k] +
               rods->behind[6 * (size_t)first + (size_t)k] -
               rods->middle[6 * (size_t)first + (size_t)k];
    if (cond_cholesky_factor(6, P))
        return -1.0;
    for (int r = 0; r < cond_contact_rows(contact); r++) {
        double row[6], x[6]; // R drops out of the trace of all three
        memcpy(row, side->jacobian + 6 * r, sizeof row);
        for (int k = 0; k < 6 && contact->set == COND_FORCE_INTERVAL; k++)
            row[k] = contact->frame[0] * side->jacobian[k] +
                     contact->frame[1] * side->jacobian[6 + k] +
                     contact->frame[2] * side->jacobian[12 + k];
        memcpy(x, row, sizeof x);
        cond_cholesky_solve(6, P, x);
        for (int k = 0; k < 6; k++)
            trace += row[k] * x[k];
    }
    return trace;
}

CondStatus cond_rod_scale_build(CondRodScale* rods, const CondProblem* problem)
{
    int in_rods = 0, size = 6 * problem->n_dof, failed = 0;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_TRIDIAGONAL)
            in_rods += problem->block[b].n_dof;
    rods->serves = 0;
    if (2 * in_rods <= problem->n_dof)
        return COND_OK;
    if (COND_RESERVE(&rods->arena, rods->middle, size) ||
        COND_RESERVE(&rods->arena, rods->before, size) ||
        COND_RESERVE(&rods->arena, rods->behind, size))
        return COND_OUT_OF_MEMORY;
    start(rods, problem);
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_TRIDIAGONAL)
            failed |= sweep(rods, &problem->block[b]);
    rods->serves = !failed;
    return COND_OK;
}

void cond_rod_scale_destroy(CondRodScale* rods)
{
    cond_arena_release(&rods->arena);
}
