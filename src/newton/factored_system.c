// The linear system of a Newton step, factored: H = A + Jc' D Jc by sparse blocks (block_lu.h).
#include "newton/factored_system.h"

#include "linear/block_lu_kernel.h"
#include "newton/tuning.h"
#include "problem/term.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&system->arena, system->array, count)

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
        while (n < 2 * COND_SIX && i + n < block->n_dof && same_columns(block, i, i + n))
            n++;
        return n;
    case COND_BLOCK_DENSE:
        break;
    }
    return block->n_dof;
}

static CondStatus make_nodes(CondFactoredSystem* system, const CondProblem* problem)
{
    int n_node = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof; n_node++) {
            int size = node_size(block, i);
            system->node_size[n_node] = size;
            for (int k = 0; k < size; k++)
                system->node[block->dof_begin + i++] = n_node;
        }
    }
    return cond_block_lu_begin(&system->H, n_node, system->node_size);
}

// Nodes of one block that meet in it.
static CondStatus join_block(CondFactoredSystem* system, const CondBlock* block)
{
    const int* node = system->node + block->dof_begin;
    CondStatus status = COND_OK;
    if (block->kind == COND_BLOCK_TRIDIAGONAL)
        for (int i = 6; i < block->n_dof && !status; i += 6)
            status = cond_block_lu_join(&system->H, node[i], node[i - 6]);
    if (block->kind == COND_BLOCK_TRIDIAGONAL || block->kind == COND_BLOCK_DENSE)
        return status;
    if (block->kind == COND_BLOCK_BSR3) {
        for (int i = 0; i < block->n_dof / 3; i++)
            for (int k = block->row_begin[i]; k < block->row_begin[i + 1] && !status; k++)
                if (block->column[k] < i)
                    status =
                        cond_block_lu_join(&system->H, node[0] + i, node[0] + block->column[k]);
        return status;
    }
    for (int i = 0; i < block->n_dof && !status; i += system->node_size[node[i]])
        for (int k = 0, j, size = cond_block_row_size(block, i); k < size && !status; k++) {
            cond_block_entry(block, i, k, &j);
            if (node[j] < node[i] && (k == 0 || j == 0 || node[j] != node[j - 1]))
                status = cond_block_lu_join(&system->H, node[i], node[j]);
        }
    return status;
}

// Appends the nodes of a list of coordinates, each once where its coordinates stand together.
static void list_nodes(const CondFactoredSystem* system, int n, const int* coordinate, int* list,
                       int* n_list)
{
    for (int k = 0; k < n; k++) {
        int node = system->node[coordinate[k]];
        if (*n_list == 0 || list[*n_list - 1] != node)
            list[(*n_list)++] = node;
    }
}

static CondStatus join_all(CondFactoredSystem* system, int n)
{
    for (int k = 1; k < n; k++)
        for (int l = 0; l < k; l++)
            if (cond_block_lu_join(&system->H, system->column_node[k], system->column_node[l]))
                return COND_OUT_OF_MEMORY;
    return COND_OK;
}

static CondStatus join_terms(CondFactoredSystem* system, const CondProblem* problem)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < problem->n_coupling && !status; i++) {
        const CondCoupling* c = &problem->coupling[i];
        int n = 0;
        list_nodes(system, c->n_coordinate, c->coordinate, system->column_node, &n);
        status = join_all(system, n);
    }
    for (int c = 0; c < problem->n_contact && !status; c++) {
        const CondSide* side = problem->contact[c].side;
        int n = 0;
        for (int s = 0; s < 2; s++)
            list_nodes(system, side[s].n_coordinate, side[s].coordinate, system->column_node, &n);
        status = join_all(system, n);
    }
    return status;
}

// What a factorisation costs in products with A, where there is a mesh and conjugate gradients are
// the other way; else nothing.
static double price_of(const CondFactoredSystem* system, const CondProblem* problem)
{
    double product = 0.0;
    int soft = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        soft |= block->kind == COND_BLOCK_BSR3;
        for (int i = 0; i < block->n_dof; i++)
            product += cond_block_row_size(block, i);
    }
    return soft ? system->H.work / product : 0.0;
}

// Finds the blocks of meshes in H, unless its plan is the last one.
static CondStatus find_nodes(CondFactoredSystem* system, const CondProblem* problem)
{
    int n = 0;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3)
            n += problem->block[b].row_begin[problem->block[b].n_dof / 3];
    if (n == 0 || system->n_plan == system->H.n_plan)
        return COND_OK;
    if (RESERVE(entry, n))
        return COND_OUT_OF_MEMORY;
    CondBlockLuEntry* entry = system->entry;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        const int* node = system->node + block->dof_begin;
        for (int i = 0; block->kind == COND_BLOCK_BSR3 && i < block->n_dof / 3; i++)
            for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
                *entry++ = cond_block_lu_block(&system->H, node[0] + i, node[0] + block->column[k]);
    }
    system->n_plan = system->H.n_plan;
    return COND_OK;
}

// The nodes of H and where they meet, with what a factorisation costs.
static CondStatus lay_out(CondFactoredSystem* system, const CondProblem* problem)
{
    int fits = 0;
    int most = 0, numbers = 0; // coordinates of a term, and numbers of its J and K J
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int n = side[0].n_coordinate + side[1].n_coordinate;
        most = n > most ? n : most;
        numbers = 6 * n > numbers ? 6 * n : numbers;
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        int n = problem->coupling[i].n_coordinate, size = 2 * n * problem->coupling[i].n_row;
        most = n > most ? n : most;
        numbers = size > numbers ? size : numbers;
    }
    if (RESERVE(node, problem->n_dof) || RESERVE(node_size, problem->n_dof) ||
        RESERVE(column_node, most) || RESERVE(column, numbers))
        return COND_OUT_OF_MEMORY;
    CondStatus status = make_nodes(system, problem);
    for (int b = 0; b < problem->n_block && !status; b++)
        status = join_block(system, &problem->block[b]);
    if (!status)
        status = join_terms(system, problem);
    if (!status)
        status = cond_block_lu_plan(&system->H, COND_MOST_WORK, &fits);
    system->price = fits ? price_of(system, problem) : INFINITY;
    if (status || !fits)
        return status;
    status = find_nodes(system, problem);
    if (!status)
        status = cond_contact_blocks_plan(&system->contacts, problem, &system->H, system->node);
    if (!status)
        status = cond_contact_terms_plan(&system->terms, problem, &system->H, system->node,
                                         system->contacts.home);
    return status;
}

// Three blocks of six a link, of which the outer two may stick out.
static void add_links(CondFactoredSystem* system, const CondBlock* block)
{
    int first = system->node[block->dof_begin], n_link = block->n_dof / 6;
    for (int i = 0; i < n_link; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n_link; j++) {
            CondBlockLuEntry entry = cond_block_lu_block(&system->H, first + i, first + j);
            const double* from = block->values + (size_t)(6 * i) * COND_TRIDIAGONAL_ROW;
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++)
                    entry.value[r * entry.row + c * entry.column] =
                        from[COND_TRIDIAGONAL_ROW * r + 6 * (j - i + 1) + c];
        }
}

// Blocks of three by three, from the first of these entries on.
static void add_nodes(const CondBlock* block, const CondBlockLuEntry* entry)
{
    for (int k = 0; k < block->row_begin[block->n_dof / 3]; k++, entry++) {
        const double* from = block->values + 9 * (ptrdiff_t)k;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                entry->value[r * entry->row + c * entry->column] += from[3 * r + c];
    }
}

static void add_block(CondFactoredSystem* system, const CondBlock* block)
{
    const int* node = system->node + block->dof_begin;
    if (block->kind == COND_BLOCK_TRIDIAGONAL) {
        add_links(system, block);
        return;
    }
    if (block->kind == COND_BLOCK_DENSE) { // the first that is added to its node
        CondBlockLuEntry entry = cond_block_lu_block(&system->H, node[0], node[0]);
        for (int i = 0, n = block->n_dof; i < n; i++)
            memcpy(entry.value + (ptrdiff_t)i * entry.row, block->values + (ptrdiff_t)i * n,
                   (size_t)n * sizeof *block->values);
        return;
    }
    for (int i = 0; i < block->n_dof; i++) {
        int size = cond_block_row_size(block, i), j, last = -1;
        int row = block->dof_begin + i - system->H.first[node[i]];
        CondBlockLuEntry entry = {0};
        for (int k = 0; k < size; k++) {
            double value = cond_block_entry(block, i, k, &j);
            if (node[j] != last)
                entry = cond_block_lu_block(&system->H, node[i], last = node[j]);
            int column = block->dof_begin + j - system->H.first[node[j]];
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

// Y_ij += J_k . KJ_l for the entries k and l of two runs, at the coordinates that they have.
static void add_columns(const CondTerm* term, const double* KJ, const int k[2], const int l[2],
                        const int first[2], CondBlockLuEntry entry)
{
    for (int p = k[0]; p < k[1]; p++) {
        const double* a = term->J + 3 * (ptrdiff_t)p;
        double* row = entry.value + (term->coordinate[p] - first[0]) * entry.row;
        for (int q = l[0]; q < l[1]; q++) {
            const double* b = KJ + 3 * (ptrdiff_t)q;
            row[(term->coordinate[q] - first[1]) * entry.column] +=
                a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
    }
}

// 1 where entries first .. last - 1 of a contact's term are the six coordinates of a node in order.
static int is_six(const CondFactoredSystem* system, const CondTerm* term, int first, int last)
{
    int at = term->coordinate[first];
    return term->n_row == 3 && term->entry == 3 && last - first == 6 &&
           term->coordinate[last - 1] - at == 5 && at == system->H.first[system->node[at]];
}

// H += J' K J
static void add_term(CondFactoredSystem* system, CondTerm* term, double* KJ)
{
    cond_term_keep(term, KJ);
    for (int l = 0, l_end; l < term->n_entry; l = l_end) {
        int j = system->node[term->coordinate[l]];
        l_end = cond_term_run_end(term, system->node, l);
        for (int k = 0, k_end; k < term->n_entry; k = k_end) {
            int i = system->node[term->coordinate[k]];
            k_end = cond_term_run_end(term, system->node, k);
            CondBlockLuEntry entry = cond_block_lu_block(&system->H, i, j);
            if (is_six(system, term, k, k_end) && is_six(system, term, l, l_end)) {
                const double *a = term->J + 3 * (ptrdiff_t)k, *b = KJ + 3 * (ptrdiff_t)l;
                if (entry.column == 1)
                    add_six(a, b, entry.row, entry.value);
                else
                    add_six(b, a, entry.column, entry.value);
                continue;
            }
            if (term->n_row == 3 && term->entry == 3) {
                add_columns(term, KJ, (const int[2]){k, k_end}, (const int[2]){l, l_end},
                            (const int[2]){system->H.first[i], system->H.first[j]}, entry);
                continue;
            }
            for (int q = l; q < l_end; q++)
                for (int p = k; p < k_end; p++)
                    entry.value[(term->coordinate[p] - system->H.first[i]) * entry.row +
                                (term->coordinate[q] - system->H.first[j]) * entry.column] +=
                        cond_term_entry(term, p, q);
        }
    }
}

// A term of three rows by columns, as those of contacts are.                   J (n_entry x 3)
static void turn_columns(CondTerm* term, double* J)
{
    for (int k = 0; k < term->n_entry; k++)
        for (int r = 0; r < 3; r++)
            J[3 * k + r] = term->J[(ptrdiff_t)r * term->row + (ptrdiff_t)k * term->entry];
    term->J = J;
    term->row = 1;
    term->entry = 3;
}

CondStatus cond_factored_system_plan(CondFactoredSystem* system, const CondProblem* problem,
                                     int* serves)
{
    CondStatus status = COND_OK;
    system->H.order.arena.context = system->contacts.arena.context = system->terms.arena.context =
        system->arena.context;
    if (!system->planned) {
        status = lay_out(system, problem);
        system->n_build = 0;
        system->planned = !status;
    }
    *serves = system->planned && system->price <= system->allowed;
    return status;
}

// A: blocks and couplings.
static void add_constant(CondFactoredSystem* system, const CondProblem* problem)
{
    const CondBlockLuEntry* entry = system->entry;
    cond_block_lu_clear(&system->H);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3) {
            add_block(system, block);
            continue;
        }
        add_nodes(block, entry);
        entry += block->row_begin[block->n_dof / 3];
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        CondTerm term = cond_term_coupling(&problem->coupling[i]);
        ptrdiff_t used = term.n_row == 3 ? 3 * (ptrdiff_t)term.n_entry : 0;
        if (used > 0)
            turn_columns(&term, system->column);
        add_term(system, &term, system->column + used);
    }
}

// What contacts add: those of rigid bodies, then the others, which are in their own axes too: in
// others rounding would mix gains of 1e6 with those of slip.
typedef struct Contacts {
    CondFactoredSystem* system;
    CondBlockLuSource rigid;
} Contacts;

static void prepare(void* data, int share)
{
    Contacts* contacts = data;
    contacts->rigid.prepare(contacts->rigid.data, share);
    cond_contact_terms_prepare(&contacts->system->terms, share);
}

static void fill(const void* data, int super)
{
    const Contacts* contacts = data;
    contacts->rigid.fill(contacts->rigid.data, super);
    cond_contact_terms_fill(&contacts->system->terms, super);
}

// A is kept from the second factorisation on, for most systems of few contacts are factored once;
// from the first on where several threads make it.
static CondStatus put_constant(CondFactoredSystem* system, const CondProblem* problem)
{
    int first = system->n_build == 0;
    if (!first && system->keeps)
        return COND_OK;
    add_constant(system, problem);
    system->keeps = !first || cond_block_lu_team(&system->H, system->threads) > 1;
    return system->keeps ? cond_block_lu_keep(&system->H) : COND_OK;
}

CondStatus cond_factored_system_build(CondFactoredSystem* system, const CondProblem* problem,
                                      const double* D, int stride)
{
    CondBlockLu* H = &system->H;
    Contacts contacts = {system, cond_contact_blocks_source(&system->contacts, D, stride)};
    const CondBlockLuSource source = {prepare, fill, &contacts};
    cond_contact_terms_set(&system->terms, D, stride);
    CondStatus status = put_constant(system, problem);
    if (status)
        return status;
    system->n_build++;
    if (system->keeps)
        return cond_block_lu_refactor(H, &source, system->threads) ? COND_DIVERGED : COND_OK;
    for (int share = 0; share <= COND_TOP; share++)
        source.prepare(source.data, share);
    for (int s = 0; s < H->super.n; s++)
        source.fill(source.data, s);
    return cond_block_lu_factor(H) ? COND_DIVERGED : COND_OK;
}

void cond_factored_system_solve(const CondFactoredSystem* system, double* x)
{
    cond_block_lu_solve(&system->H, x, system->threads);
}

void cond_factored_system_destroy(CondFactoredSystem* system)
{
    cond_block_lu_destroy(&system->H);
    cond_contact_blocks_destroy(&system->contacts);
    cond_contact_terms_destroy(&system->terms);
    cond_arena_release(&system->arena);
}
