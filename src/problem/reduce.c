// A contact problem some of whose coordinates are given: v_P = w.
#include "problem/reduce.h"

#include "problem/block.h"

#include <string.h>

static int any_given(const unsigned char* given, const int* coordinate, int n)
{
    for (int k = 0; k < n; k++)
        if (given[coordinate[k]])
            return 1;
    return 0;
}

static int all_given(const unsigned char* given, const int* coordinate, int n)
{
    for (int k = 0; k < n; k++)
        if (!given[coordinate[k]])
            return 0;
    return 1;
}

static int block_has_given(const CondBlock* block, const unsigned char* given)
{
    return memchr(given + block->dof_begin, 1, (size_t)block->n_dof) != NULL;
}

static size_t block_size(const CondBlock* block)
{
    switch (block->kind) {
    case COND_BLOCK_DENSE:
        return (size_t)block->n_dof * (size_t)block->n_dof;
    case COND_BLOCK_SPARSE:
        return (size_t)block->row_begin[block->n_dof];
    case COND_BLOCK_BSR3:
        return 9 * (size_t)block->row_begin[block->n_dof / 3];
    default:
        return (size_t)block->n_dof * COND_TRIDIAGONAL_ROW;
    }
}

// Where the k-th entry of row i is among the values.
static size_t entry_at(const CondBlock* block, int i, int k)
{
    switch (block->kind) {
    case COND_BLOCK_DENSE:
        return (size_t)i * (size_t)block->n_dof + (size_t)k;
    case COND_BLOCK_SPARSE:
        return (size_t)(block->row_begin[i] + k);
    case COND_BLOCK_BSR3:
        return 9 * (size_t)(block->row_begin[i / 3] + k / 3) + (size_t)(3 * (i % 3) + k % 3);
    default: {
        int first, count, skip = cond_block_tridiagonal_span(block, i, &first, &count);
        return (size_t)i * COND_TRIDIAGONAL_ROW + (size_t)(skip + k);
    }
    }
}

// values = those of the block, given rows and columns zero but for the diagonal.
static void reduce_block(const CondBlock* block, const unsigned char* given, double* values)
{
    const unsigned char* own = given + block->dof_begin;
    memcpy(values, block->values, block_size(block) * sizeof *values);
    for (int i = 0; i < block->n_dof; i++) {
        int n = cond_block_row_size(block, i), j;
        for (int k = 0; k < n; k++) {
            cond_block_entry(block, i, k, &j);
            if (i != j && (own[i] || own[j]))
                values[entry_at(block, i, k)] = 0.0;
        }
    }
}

static CondStatus reduce_blocks(const CondProblem* problem, const unsigned char* given,
                                CondReduction* r)
{
    size_t size = 0;
    for (int i = 0; i < problem->n_block; i++)
        size += block_has_given(&problem->block[i], given) ? block_size(&problem->block[i]) : 0;
    if (size > (size_t)INT32_MAX || COND_RESERVE(&r->arena, r->block, problem->n_block) ||
        COND_RESERVE(&r->arena, r->values, (int)size))
        return COND_OUT_OF_MEMORY;
    double* values = r->values;
    for (int i = 0; i < problem->n_block; i++) {
        r->block[i] = problem->block[i];
        if (!block_has_given(&problem->block[i], given))
            continue;
        reduce_block(&problem->block[i], given, values);
        r->block[i].values = values;
        values += block_size(&problem->block[i]);
    }
    return COND_OK;
}

// to = J with its given columns zero.
static void reduce_jacobian(int rows, int n, const int* coordinate, const unsigned char* given,
                            const double* J, double* to)
{
    for (int k = 0; k < rows * n; k++)
        to[k] = given[coordinate[k % n]] ? 0.0 : J[k];
}

static CondStatus reduce_couplings(const CondProblem* problem, const unsigned char* given,
                                   CondReduction* r)
{
    int size = 0;
    for (int i = 0; i < problem->n_coupling; i++)
        size += problem->coupling[i].n_row * problem->coupling[i].n_coordinate;
    if (COND_RESERVE(&r->arena, r->coupling, problem->n_coupling) ||
        COND_RESERVE(&r->arena, r->coupling_jacobian, size))
        return COND_OUT_OF_MEMORY;
    double* J = r->coupling_jacobian;
    r->problem.n_coupling = 0;
    for (int i = 0; i < problem->n_coupling; i++) {
        CondCoupling coupling = problem->coupling[i];
        int n = coupling.n_coordinate;
        if (all_given(given, coupling.coordinate, n))
            continue;
        if (any_given(given, coupling.coordinate, n)) {
            reduce_jacobian(coupling.n_row, n, coupling.coordinate, given, coupling.jacobian, J);
            coupling.jacobian = J;
            J += coupling.n_row * n;
        }
        r->coupling[r->problem.n_coupling++] = coupling;
    }
    return COND_OK;
}

// One side; a point that moves with given coordinates alone is one of the world.
static double* reduce_side(CondSide* side, const unsigned char* given, double* J)
{
    int n = side->n_coordinate;
    if (all_given(given, side->coordinate, n)) {
        *side = (CondSide){.n_coordinate = 0};
        return J;
    }
    if (!any_given(given, side->coordinate, n))
        return J;
    for (int k = 0; k < 9 && !side->jacobian; k++) // a node that is held in some directions
        J[k] = k % 4 == 0 && !given[side->coordinate[k / 3]] ? 1.0 : 0.0;
    if (side->jacobian)
        reduce_jacobian(3, n, side->coordinate, given, side->jacobian, J);
    side->jacobian = J;
    return J + (ptrdiff_t)3 * n;
}

// Side 0 of a contact is never static: u = R (J0 - J1) v + phi with J0 = 0 is that of side 1 along
// the opposite normal and tangents. -R is no rotation, so the last of these stays, and with it the
// sign of its velocity and force turns.
static void swap_sides(CondContact* contact)
{
    contact->side[0] = contact->side[1];
    contact->side[1] = (CondSide){.n_coordinate = 0};
    for (int i = 0; i < 6; i++)
        contact->frame[i] = -contact->frame[i];
    contact->phi[2] = -contact->phi[2];
}

static CondStatus reduce_contacts(const CondProblem* problem, const unsigned char* given,
                                  CondReduction* r)
{
    int size = 0;
    for (int c = 0; c < 2 * problem->n_contact; c++)
        size += 3 * problem->contact[c / 2].side[c % 2].n_coordinate;
    if (COND_RESERVE(&r->arena, r->contact, problem->n_contact) ||
        COND_RESERVE(&r->arena, r->swapped, problem->n_contact) ||
        COND_RESERVE(&r->arena, r->jacobian, size))
        return COND_OUT_OF_MEMORY;
    double* J = r->jacobian;
    for (int c = 0; c < problem->n_contact; c++) {
        CondContact* contact = &r->contact[c];
        *contact = problem->contact[c];
        cond_contact_velocity(&problem->contact[c], r->given, contact->phi); // phi + R J w
        J = reduce_side(&contact->side[0], given, J);
        J = reduce_side(&contact->side[1], given, J);
        r->swapped[c] = contact->side[0].n_coordinate == 0;
        if (r->swapped[c])
            swap_sides(contact);
    }
    return COND_OK;
}

CondStatus cond_problem_reduce(const CondProblem* problem, const unsigned char* given,
                               const double* w, CondReduction* r)
{
    int n = problem->n_dof;
    r->problem = *problem;
    if (COND_RESERVE(&r->arena, r->given, n) || COND_RESERVE(&r->arena, r->b, n) ||
        reduce_blocks(problem, given, r) || reduce_couplings(problem, given, r))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        r->given[i] = given[i] && w ? w[i] : 0.0;
    cond_problem_multiply(problem, r->given, r->b);
    for (int i = 0; i < n; i++)
        r->b[i] = given[i] ? 0.0 : problem->b[i] - r->b[i];
    if (reduce_contacts(problem, given, r))
        return COND_OUT_OF_MEMORY;
    r->problem.block = r->block;
    r->problem.coupling = r->coupling;
    r->problem.contact = r->contact;
    r->problem.b = r->b;
    return COND_OK;
}

static void turn_forces(const CondReduction* r, double* lambda)
{
    for (int c = 0; c < r->problem.n_contact; c++)
        if (r->swapped[c])
            lambda[3 * c + 2] = -lambda[3 * c + 2];
}

void cond_reduction_enter(const CondReduction* r, const unsigned char* given, double* v,
                          double* lambda)
{
    for (int i = 0; i < r->problem.n_dof; i++)
        v[i] = given[i] ? 0.0 : v[i];
    turn_forces(r, lambda);
}

void cond_reduction_leave(const CondReduction* r, const unsigned char* given, double* v,
                          double* lambda)
{
    for (int i = 0; i < r->problem.n_dof; i++)
        v[i] = given[i] ? r->given[i] : v[i];
    turn_forces(r, lambda);
}

void cond_reduction_destroy(CondReduction* reduction)
{
    cond_arena_release(&reduction->arena);
}
