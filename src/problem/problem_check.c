// Is a CondProblem well posed? One function per part; each names the first thing that is wrong.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "cond/problem.h"
#include "problem/side.h"
#include "problem/tuning.h"

#include <math.h>
#include <string.h>

// Pattern of a sparse block of either kind: rows ascend, columns ascend and are in range.
static CondStatus check_pattern(const CondBlock* block, int index, CondError* error)
{
    int n = block->kind == COND_BLOCK_BSR3 ? block->n_dof / 3 : block->n_dof;
    if (block->kind == COND_BLOCK_BSR3 && block->n_dof % 3 != 0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "block %d: %d coordinates do not make 3x3 blocks", index,
                              block->n_dof);
    if (!block->row_begin || !block->column || block->row_begin[0] != 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "block %d: no sparse pattern", index);
    for (int i = 0; i < n; i++) {
        if (block->row_begin[i + 1] < block->row_begin[i])
            return cond_error_set(error, COND_BAD_ARGUMENT, "block %d: row_begin falls at row %d",
                                  index, i);
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++) {
            int j = block->column[k];
            if (j < 0 || j >= n || (k > block->row_begin[i] && j <= block->column[k - 1]))
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "block %d: row %d: column %d out of range or order", index, i,
                                      j);
        }
    }
    return COND_OK;
}

// Value at (i, j) by bisection in the row's ascending columns; 0 where the pattern has no entry.
static double value_at(const CondBlock* block, int i, int j)
{
    int low = 0, high = cond_block_row_size(block, i), column = -1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        cond_block_entry(block, i, middle, &column);
        if (column < j)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == cond_block_row_size(block, i))
        return 0.0;
    double value = cond_block_entry(block, i, low, &column);
    return column == j ? value : 0.0;
}

// Finite, symmetric, with a positive diagonal.
static CondStatus check_values(const CondBlock* block, int index, CondError* error)
{
    for (int i = 0; i < block->n_dof; i++) {
        int n = cond_block_row_size(block, i), j;
        for (int k = 0; k < n; k++)
            if (!isfinite(cond_block_entry(block, i, k, &j)))
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "block %d: entry (%d, %d) is not finite", index, i, j);
    }
    for (int i = 0; i < block->n_dof; i++) {
        int n = cond_block_row_size(block, i), j;
        double d = value_at(block, i, i);
        if (!(d > 0.0))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "block %d: diagonal entry %d is %g, must be positive", index, i,
                                  d);
        for (int k = 0; k < n; k++) {
            double value = cond_block_entry(block, i, k, &j);
            double other = value_at(block, j, i), dj = value_at(block, j, j);
            if (fabs(value - other) > COND_INPUT_ROUNDING * sqrt(d) * sqrt(fmax(dj, 0.0)))
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "block %d: entries (%d, %d) and (%d, %d) differ: %g and %g",
                                      index, i, j, j, i, value, other);
        }
    }
    return COND_OK;
}

static CondStatus check_blocks(const CondProblem* problem, CondError* error)
{
    int next = 0;
    for (int i = 0; i < problem->n_block; i++) {
        const CondBlock* block = &problem->block[i];
        if (block->dof_begin != next || block->n_dof < 1 || block->n_dof > problem->n_dof - next)
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "block %d: covers coordinates %d to %d, expected to start at %d "
                                  "and end by %d",
                                  i, block->dof_begin, block->dof_begin + block->n_dof, next,
                                  problem->n_dof);
        next += block->n_dof;
        if (!block->values)
            return cond_error_set(error, COND_BAD_ARGUMENT, "block %d: no values", i);
        if (block->kind != COND_BLOCK_DENSE && block->kind != COND_BLOCK_SPARSE &&
            block->kind != COND_BLOCK_BSR3 && block->kind != COND_BLOCK_TRIDIAGONAL)
            return cond_error_set(error, COND_BAD_ARGUMENT, "block %d: unknown kind %d", i,
                                  (int)block->kind);
        CondStatus status = COND_OK;
        if (block->kind == COND_BLOCK_TRIDIAGONAL && block->n_dof % 6 != 0)
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "block %d: %d coordinates do not make 6x6 blocks", i,
                                  block->n_dof);
        if (block->kind == COND_BLOCK_SPARSE || block->kind == COND_BLOCK_BSR3)
            status = check_pattern(block, i, error);
        if (!status)
            status = check_values(block, i, error);
        if (status)
            return status;
    }
    if (next != problem->n_dof)
        return cond_error_set(error, COND_BAD_ARGUMENT, "blocks cover %d of %d coordinates", next,
                              problem->n_dof);
    return COND_OK;
}

// Coordinates in range and none twice; seen holds the tag of the last list each one was in.
static int coordinates_fine(const CondProblem* problem, const int* coordinate, int n, int* seen,
                            int tag)
{
    for (int k = 0; k < n; k++) {
        if (coordinate[k] < 0 || coordinate[k] >= problem->n_dof || seen[coordinate[k]] == tag)
            return 0;
        seen[coordinate[k]] = tag;
    }
    return 1;
}

static int finite_all(const double* x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

static CondStatus check_couplings(const CondProblem* problem, int* seen, int* tag, CondError* error)
{
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        if (c->n_row < 1 || c->n_coordinate < 1 || !c->coordinate || !c->jacobian || !c->gain)
            return cond_error_set(error, COND_BAD_ARGUMENT, "coupling %d: incomplete", i);
        if (!coordinates_fine(problem, c->coordinate, c->n_coordinate, seen, ++*tag))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "coupling %d: a coordinate is out of range or named twice", i);
        if (!finite_all(c->jacobian, (size_t)c->n_row * c->n_coordinate) ||
            !finite_all(c->gain, (size_t)c->n_row * c->n_row))
            return cond_error_set(error, COND_BAD_ARGUMENT, "coupling %d: a number is not finite",
                                  i);
        for (int r = 0; r < c->n_row; r++)
            for (int s = 0; s <= r; s++)
                if (c->gain[r * c->n_row + r] < 0.0 ||
                    fabs(c->gain[r * c->n_row + s] - c->gain[s * c->n_row + r]) >
                        COND_INPUT_ROUNDING *
                            (c->gain[r * c->n_row + r] + c->gain[s * c->n_row + s]))
                    return cond_error_set(error, COND_BAD_ARGUMENT,
                                          "coupling %d: the gain is not symmetric and positive", i);
    }
    return COND_OK;
}

static CondStatus check_interval(const CondContact* c, int index, CondError* error)
{
    if (!(c->bound[0] <= c->bound[1]) || c->bound[0] == INFINITY || c->bound[1] == -INFINITY)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "contact %d: no force lies between the bounds %g and %g", index,
                              c->bound[0], c->bound[1]);
    if (!(c->compliance >= 0.0) || !isfinite(c->compliance))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "contact %d: compliance %g, must be finite and not negative", index,
                              c->compliance);
    if (c->friction[0] != 0.0 || c->friction[1] != 0.0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "contact %d: an interval of forces has no friction cone: friction "
                              "must be 0, 0",
                              index);
    return COND_OK;
}

static CondStatus check_contact(const CondContact* c, int index, CondError* error)
{
    const double* R = c->frame;
    if (!finite_all(R, 9) || !finite_all(c->phi, 3))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "contact %d: frame or phi holds a number that is not finite", index);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            double dot =
                R[3 * r] * R[3 * s] + R[3 * r + 1] * R[3 * s + 1] + R[3 * r + 2] * R[3 * s + 2];
            if (fabs(dot - (r == s)) > COND_SINGLE_PRECISION)
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "contact %d: the frame is not orthonormal", index);
        }
    for (int i = 0; i < 2; i++)
        if (!(c->friction[i] >= 0.0 && c->friction[i] <= COND_FRICTION_MAX))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "contact %d: friction %g, must be in [0, %g]", index,
                                  c->friction[i], COND_FRICTION_MAX);
    if (!(c->kv > 0.0))
        return cond_error_set(error, COND_BAD_ARGUMENT, "contact %d: kv %g, must be positive",
                              index, c->kv);
    if (c->set != COND_FORCE_CONE && c->set != COND_FORCE_INTERVAL)
        return cond_error_set(error, COND_BAD_ARGUMENT, "contact %d: unknown force set %d", index,
                              (int)c->set);
    return c->set == COND_FORCE_INTERVAL ? check_interval(c, index, error) : COND_OK;
}

// A Jacobian of zeros in the rows in which the contact acts, or no side at all.
static int never_moves(const CondContact* contact, const CondSide* side)
{
    for (int k = 0; k < side->n_coordinate; k++)
        if (cond_contact_square(contact, side, k) != 0.0)
            return 0;
    return 1;
}

static CondStatus check_sides(const CondProblem* problem, int index, int* seen, int* tag,
                              CondError* error)
{
    const CondContact* c = &problem->contact[index];
    if (c->side[0].n_coordinate < 1)
        return cond_error_set(error, COND_BAD_ARGUMENT, "contact %d: side 0 is static", index);
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &c->side[s];
        if (side->n_coordinate == 0)
            continue;
        if (side->n_coordinate < 0 || !side->coordinate ||
            (!side->jacobian && side->n_coordinate != 3))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "contact %d: side %d: a node has three coordinates, any other "
                                  "point has a Jacobian",
                                  index, s);
        if (!coordinates_fine(problem, side->coordinate, side->n_coordinate, seen, ++*tag))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "contact %d: side %d: a coordinate is out of range or named "
                                  "twice",
                                  index, s);
        if (!side->jacobian) {
            if (side->coordinate[1] != side->coordinate[0] + 1 ||
                side->coordinate[2] != side->coordinate[0] + 2)
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "contact %d: side %d: a node's coordinates are consecutive",
                                      index, s);
        } else if (!finite_all(side->jacobian, (size_t)3 * side->n_coordinate)) {
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "contact %d: side %d: the Jacobian is not finite", index, s);
        }
    }
    if (never_moves(c, &c->side[0]) && never_moves(c, &c->side[1]))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "contact %d: no motion moves it, its Jacobians are zero", index);
    if (!c->side[0].jacobian && c->side[1].n_coordinate > 0 && !c->side[1].jacobian &&
        c->side[0].coordinate[0] == c->side[1].coordinate[0])
        return cond_error_set(error, COND_BAD_ARGUMENT, "contact %d: a node touches itself", index);
    return COND_OK;
}

CondStatus cond_problem_check(const CondContext* context, const CondProblem* problem,
                              CondError* error)
{
    CondContext memory = cond_context_or_default(context);
    if (problem->n_dof < 0 || problem->n_block < 0 || problem->n_coupling < 0 ||
        problem->n_contact < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "a count is negative");
    if ((problem->n_block > 0 && !problem->block) ||
        (problem->n_coupling > 0 && !problem->coupling) ||
        (problem->n_contact > 0 && !problem->contact))
        return cond_error_set(error, COND_BAD_ARGUMENT, "blocks, couplings or contacts are NULL");
    CondStatus status = check_blocks(problem, error);
    if (status)
        return status;
    if (problem->n_dof > 0 && !problem->b)
        return cond_error_set(error, COND_BAD_ARGUMENT, "no right-hand side");
    for (int i = 0; i < problem->n_dof; i++)
        if (!isfinite(problem->b[i]))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "right-hand side: entry %d is not finite", i);
    int* seen = cond_allocate(&memory, (size_t)problem->n_dof, sizeof *seen);
    if (!seen)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    int tag = 0;
    status = check_couplings(problem, seen, &tag, error);
    for (int i = 0; i < problem->n_contact && !status; i++) {
        status = check_contact(&problem->contact[i], i, error);
        if (!status)
            status = check_sides(problem, i, seen, &tag, error);
    }
    cond_release(&memory, seen);
    return status;
}
