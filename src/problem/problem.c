// Products with the parts of a CondProblem. Serial and plain: the solvers' product
// is the one of the nodalized view (nodalize/nodal.c), with threads.
#include "cond/problem.h"
#include "problem/block.h"
#include "problem/side.h"
#include "problem/term.h"

#include <string.h>

int cond_block_row_size(const CondBlock* block, int i)
{
    if (block->kind == COND_BLOCK_DENSE)
        return block->n_dof;
    if (block->kind == COND_BLOCK_SPARSE)
        return block->row_begin[i + 1] - block->row_begin[i];
    if (block->kind == COND_BLOCK_TRIDIAGONAL) {
        int first, count;
        cond_block_tridiagonal_span(block, i, &first, &count);
        return count;
    }
    return 3 * (block->row_begin[i / 3 + 1] - block->row_begin[i / 3]);
}

double cond_block_entry(const CondBlock* block, int i, int k, int* j)
{
    if (block->kind == COND_BLOCK_DENSE) {
        *j = k;
        return block->values[(size_t)i * (size_t)block->n_dof + (size_t)k];
    }
    if (block->kind == COND_BLOCK_SPARSE) {
        *j = block->column[block->row_begin[i] + k];
        return block->values[block->row_begin[i] + k];
    }
    if (block->kind == COND_BLOCK_TRIDIAGONAL) {
        int first, count, skip = cond_block_tridiagonal_span(block, i, &first, &count);
        *j = first + k;
        return block->values[(size_t)i * COND_TRIDIAGONAL_ROW + (size_t)(skip + k)];
    }
    int at = block->row_begin[i / 3] + k / 3;
    *j = 3 * block->column[at] + k % 3;
    return block->values[9 * (size_t)at + (size_t)(3 * (i % 3) + k % 3)];
}

void cond_problem_add_couplings(const CondProblem* problem, const double* x, double* y)
{
    for (int i = 0; i < problem->n_coupling; i++) {
        CondTerm term = cond_term_coupling(&problem->coupling[i]);
        cond_term_multiply(&term, x, y);
    }
}

void cond_problem_multiply_by(const CondProblem* problem, const double* x, double* y, int threads)
{
    cond_problem_multiply_blocks(problem, x, NULL, y, threads);
    cond_problem_add_couplings(problem, x, y);
}

void cond_problem_multiply(const CondProblem* problem, const double* x, double* y)
{
    cond_problem_multiply_by(problem, x, y, 1);
}

void cond_problem_diagonal(const CondProblem* problem, double* d)
{
    cond_problem_diagonal_by(problem, d, 1);
}

void cond_problem_diagonal_by(const CondProblem* problem, double* d, int threads)
{
    cond_problem_block_diagonals(problem, d, threads);
    for (int i = 0; i < problem->n_coupling; i++) {
        CondTerm term = cond_term_coupling(&problem->coupling[i]);
        cond_term_add_diagonal(&term, d);
    }
}

void cond_contact_velocity(const CondContact* contact, const double* v, double* u)
{
    const double* R = contact->frame;
    double p[3] = {0.0, 0.0, 0.0};
    cond_side_add_velocity(&contact->side[0], 1.0, v, p);
    cond_side_add_velocity(&contact->side[1], -1.0, v, p);
    for (int r = 0; r < 3; r++)
        u[r] = R[3 * r] * p[0] + R[3 * r + 1] * p[1] + R[3 * r + 2] * p[2] + contact->phi[r];
}

void cond_contact_add_force(const CondContact* contact, double scale, const double* lambda,
                            double* f)
{
    double world[3];
    cond_contact_turn_force(contact->frame, scale, lambda, world);
    cond_side_add_force(&contact->side[0], 1.0, world, f);
    cond_side_add_force(&contact->side[1], -1.0, world, f);
}

double cond_contact_delassus(const CondContact* contact, const double* diagonal)
{
    double trace = 0.0;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        for (int k = 0; k < side->n_coordinate; k++)
            trace += cond_contact_square(contact, side, k) / diagonal[side->coordinate[k]];
    }
    return trace / cond_contact_rows(contact);
}
