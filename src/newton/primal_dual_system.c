#include "newton/primal_dual_system.h"

#include "base/memory.h"
#include "law/tuning.h"
#include "problem/term.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// 1 where two rows of a sparse block have the same columns.
static int same_columns(const CondBlock* block, int i, int j)
{
    int n = block->row_begin[i + 1] - block->row_begin[i];
    return n == block->row_begin[j + 1] - block->row_begin[j] &&
           memcmp(block->column + block->row_begin[i], block->column + block->row_begin[j],
                  (size_t)n * sizeof *block->column) == 0;
}

// Coordinates of the node that begins at row i of a block: a link's six, a mesh node's three, those
// of a sparse block that have the same columns, all of a dense one.
static int node_size(const CondBlock* block, int i)
{
    int n = 1;
    switch (block->kind) {
    case COND_BLOCK_TRIDIAGONAL:
        return 6;
    case COND_BLOCK_BSR3:
        return 3;
    case COND_BLOCK_SPARSE:
        while (n < COND_LARGEST_NODE && i + n < block->n_dof && same_columns(block, i, i + n))
            n++;
        return n;
    case COND_BLOCK_DENSE:
        break;
    }
    return block->n_dof;
}

static CondStatus make_nodes(CondPrimalDual* pd, const CondProblem* problem)
{
    int n_node = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof; n_node++) {
            int size = node_size(block, i);
            pd->node_size[n_node] = size;
            for (int k = 0; k < size; k++)
                pd->node[block->dof_begin + i++] = n_node;
        }
    }
    return cond_block_lu_begin(&pd->H, n_node, pd->node_size);
}

// Nodes of one block that meet in it.
static CondStatus join_block(CondPrimalDual* pd, const CondBlock* block)
{
    const int* node = pd->node + block->dof_begin;
    CondStatus status = COND_OK;
    if (block->kind == COND_BLOCK_TRIDIAGONAL)
        for (int i = 6; i < block->n_dof && !status; i += 6)
            status = cond_block_lu_join(&pd->H, node[i], node[i - 6]);
    if (block->kind == COND_BLOCK_TRIDIAGONAL || block->kind == COND_BLOCK_DENSE)
        return status;
    for (int i = 0; i < block->n_dof && !status; i += pd->node_size[node[i]])
        for (int k = 0, j, size = cond_block_row_size(block, i); k < size && !status; k++) {
            cond_block_entry(block, i, k, &j);
            if (node[j] < node[i] && (k == 0 || j == 0 || node[j] != node[j - 1]))
                status = cond_block_lu_join(&pd->H, node[i], node[j]);
        }
    return status;
}

// Appends the nodes of a list of coordinates, each once where its coordinates stand together.
static void list_nodes(const CondPrimalDual* pd, int n, const int* coordinate, int* list,
                       int* n_list)
{
    for (int k = 0; k < n; k++) {
        int node = pd->node[coordinate[k]];
        if (*n_list == 0 || list[*n_list - 1] != node)
            list[(*n_list)++] = node;
    }
}

static CondStatus join_all(CondPrimalDual* pd, int n)
{
    for (int k = 1; k < n; k++)
        for (int l = 0; l < k; l++)
            if (cond_block_lu_join(&pd->H, pd->column_node[k], pd->column_node[l]))
                return COND_OUT_OF_MEMORY;
    return COND_OK;
}

static CondStatus join_terms(CondPrimalDual* pd, const CondProblem* problem)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < problem->n_coupling && !status; i++) {
        const CondCoupling* c = &problem->coupling[i];
        int n = 0;
        list_nodes(pd, c->n_coordinate, c->coordinate, pd->column_node, &n);
        status = join_all(pd, n);
    }
    for (int c = 0; c < problem->n_contact && !status; c++) {
        const CondSide* side = problem->contact[c].side;
        int n = 0;
        for (int s = 0; s < 2; s++)
            list_nodes(pd, side[s].n_coordinate, side[s].coordinate, pd->column_node, &n);
        status = join_all(pd, n);
    }
    return status;
}

// What a factorisation costs in products with A, where there is a mesh and conjugate gradients are
// the other way; else nothing.
static double price_of(const CondPrimalDual* pd, const CondProblem* problem)
{
    double product = 0.0;
    int soft = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        soft |= block->kind == COND_BLOCK_BSR3;
        for (int i = 0; i < block->n_dof; i++)
            product += cond_block_row_size(block, i);
    }
    return soft ? pd->H.work / product : 0.0;
}

CondStatus cond_primal_dual_pattern(CondPrimalDual* pd, const CondProblem* problem)
{
    int fits = 0;
    const CondContext* m = &pd->context;
    int most = 0, numbers = 0; // coordinates of a term, and numbers of its J and K J
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int n = side[0].n_coordinate + side[1].n_coordinate;
        most = n > most ? n : most;
        numbers = 6 * n > numbers ? 6 * n : numbers;
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        int n = problem->coupling[i].n_coordinate, size = n * problem->coupling[i].n_row;
        most = n > most ? n : most;
        numbers = size > numbers ? size : numbers;
    }
    if (cond_reserve(m, &pd->node, &pd->cap_node, problem->n_dof, sizeof *pd->node) ||
        cond_reserve(m, &pd->node_size, &pd->cap_node_size, problem->n_dof,
                     sizeof *pd->node_size) ||
        cond_reserve(m, &pd->column_node, &pd->cap_column_node, most, sizeof *pd->column_node) ||
        cond_reserve(m, &pd->column, &pd->cap_column, numbers, sizeof *pd->column))
        return COND_OUT_OF_MEMORY;
    CondStatus status = make_nodes(pd, problem);
    for (int b = 0; b < problem->n_block && !status; b++)
        status = join_block(pd, &problem->block[b]);
    if (!status)
        status = join_terms(pd, problem);
    if (!status)
        status = cond_block_lu_plan(&pd->H, COND_MOST_WORK, &fits);
    pd->price = fits ? price_of(pd, problem) : INFINITY;
    return status;
}

// Three blocks of six a link, of which the outer two may stick out.
static void add_links(CondPrimalDual* pd, const CondBlock* block)
{
    int first = pd->node[block->dof_begin], n_link = block->n_dof / 6;
    for (int i = 0; i < n_link; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n_link; j++) {
            CondBlockLuEntry entry = cond_block_lu_block(&pd->H, first + i, first + j);
            const double* from = block->values + (size_t)(6 * i) * COND_TRIDIAGONAL_ROW;
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++)
                    entry.value[r * entry.row + c * entry.column] =
                        from[COND_TRIDIAGONAL_ROW * r + 6 * (j - i + 1) + c];
        }
}

static void add_block(CondPrimalDual* pd, const CondBlock* block)
{
    const int* node = pd->node + block->dof_begin;
    if (block->kind == COND_BLOCK_TRIDIAGONAL) {
        add_links(pd, block);
        return;
    }
    for (int i = 0; i < block->n_dof; i++) {
        int size = cond_block_row_size(block, i), j, last = -1;
        int row = block->dof_begin + i - pd->H.first[node[i]];
        CondBlockLuEntry entry = {0};
        for (int k = 0; k < size; k++) {
            double value = cond_block_entry(block, i, k, &j);
            if (node[j] != last)
                entry = cond_block_lu_block(&pd->H, node[i], last = node[j]);
            int column = block->dof_begin + j - pd->H.first[node[j]];
            entry.value[row * entry.row + column * entry.column] += value;
        }
    }
}

// Y_ij += a_i . b_j with six vectors of three each: the block of two rigid bodies in a contact.
//                                                       a, b (6 x 3), Y (6 x 6, rows `stride`
//                                                       apart)
static void add_six(const double* a, const double* b, int stride, double* Y)
{
    double x[6], y[6], z[6];
    for (int j = 0; j < 6; j++)
        x[j] = b[3 * j], y[j] = b[3 * j + 1], z[j] = b[3 * j + 2];
    for (int i = 0; i < 6; i++, a += 3, Y += stride)
        for (int j = 0; j < 6; j++)
            Y[j] += a[0] * x[j] + a[1] * y[j] + a[2] * z[j];
}

// 1 where entries first .. last - 1 of a contact's term are the six coordinates of a node in order.
static int is_six(const CondPrimalDual* pd, const CondTerm* term, int first, int last)
{
    int at = term->coordinate[first];
    return term->n_row == 3 && term->entry == 3 && last - first == 6 &&
           term->coordinate[last - 1] - at == 5 && at == pd->H.first[pd->node[at]];
}

// H += J' K J
static void add_term(CondPrimalDual* pd, CondTerm* term, double* KJ)
{
    cond_term_keep(term, KJ);
    for (int l = 0, l_end; l < term->n_entry; l = l_end) {
        int j = pd->node[term->coordinate[l]];
        l_end = cond_term_run_end(term, pd->node, l);
        for (int k = 0, k_end; k < term->n_entry; k = k_end) {
            int i = pd->node[term->coordinate[k]];
            k_end = cond_term_run_end(term, pd->node, k);
            CondBlockLuEntry entry = cond_block_lu_block(&pd->H, i, j);
            if (is_six(pd, term, k, k_end) && is_six(pd, term, l, l_end)) {
                const double *a = term->J + 3 * (ptrdiff_t)k, *b = KJ + 3 * (ptrdiff_t)l;
                if (entry.column == 1)
                    add_six(a, b, entry.row, entry.value);
                else
                    add_six(b, a, entry.column, entry.value);
                continue;
            }
            for (int q = l; q < l_end; q++)
                for (int p = k; p < k_end; p++)
                    entry.value[(term->coordinate[p] - pd->H.first[i]) * entry.row +
                                (term->coordinate[q] - pd->H.first[j]) * entry.column] +=
                        cond_term_entry(term, p, q);
        }
    }
}

static int is_open(const double* D)
{
    for (int i = 0; i < 9; i++)
        if (D[i] != 0.0)
            return 0;
    return 1;
}

static void fill(CondPrimalDual* pd, const CondProblem* problem)
{
    cond_block_lu_clear(&pd->H);
    for (int b = 0; b < problem->n_block; b++)
        add_block(pd, &problem->block[b]);
    for (int i = 0; i < problem->n_coupling; i++) {
        CondTerm term = cond_term_coupling(&problem->coupling[i]);
        add_term(pd, &term, pd->column);
    }
    // In the contact's axes gains of 1e6 stand beside those of slip; in others rounding would mix
    // them.
    for (int c = 0; c < problem->n_contact; c++)
        if (!is_open(pd->D + 9 * c)) {
            CondTerm term = cond_term_contact(&problem->contact[c], 1, pd->D + 9 * c,
                                              pd->column_node, pd->column);
            add_term(pd, &term, pd->column + 3 * (ptrdiff_t)term.n_entry);
        }
}

int cond_primal_dual_factor(CondPrimalDual* pd, const CondProblem* problem)
{
    fill(pd, problem);
    return cond_block_lu_factor(&pd->H);
}

void cond_primal_dual_solve_ties(CondPrimalDual* pd, const CondProblem* problem, const double* r,
                                 int* singular)
{
    double* dv = pd->f;
    for (int i = 0; i < problem->n_dof; i++)
        dv[i] = -r[i];
    for (int c = 0; c < problem->n_contact; c++)
        cond_contact_add_force(&problem->contact[c], 1.0, pd->gap + 3 * c, dv);
    *singular = cond_primal_dual_factor(pd, problem);
    if (*singular)
        return;
    cond_block_lu_solve(&pd->H, dv);
    for (int i = 0; i < problem->n_dof; i++)
        pd->v_new[i] = pd->v[i] + dv[i];
    for (int c = 0; c < problem->n_contact; c++) {
        const double *D = pd->D + 9 * c, *gap = pd->gap + 3 * c, *phi = problem->contact[c].phi;
        double du[3];
        cond_contact_velocity(&problem->contact[c], dv, du);
        for (int i = 0; i < 3; i++) {
            du[i] -= phi[i];
            pd->u_new[3 * c + i] = pd->u[3 * c + i] + du[i];
        }
        for (int i = 0; i < 3; i++)
            pd->lambda_new[3 * c + i] = pd->lambda[3 * c + i] + gap[i] - D[3 * i] * du[0] -
                                        D[3 * i + 1] * du[1] - D[3 * i + 2] * du[2];
    }
}
