// Adds Jc A^-1 Jc' from the supernodes of a factor (front.h). Reads CHOLMOD's factor; writes the
// front's arrays.
#include "front.h"

#include "base/memory.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

CondStatus cond_front_reserve(const CondContext* context, double** data, size_t* capacity,
                              size_t count, size_t kept)
{
    if (count <= *capacity && *data)
        return COND_OK;
    size_t grown = count + (kept > 0 ? count / 2 : 0);
    double* memory = cond_allocate(context, grown, sizeof *memory);
    if (!memory)
        return COND_OUT_OF_MEMORY;
    if (kept > 0)
        memcpy(memory, *data, kept * sizeof *memory);
    cond_release(context, *data);
    *data = memory;
    *capacity = grown;
    return COND_OK;
}

void cond_front_destroy(CondFront* f)
{
    void* arrays[] = {f->update,
                      f->stack,
                      f->contact_stack,
                      f->F,
                      f->T,
                      f->position,
                      f->local,
                      f->entry_begin,
                      f->supernode_of,
                      f->entry,
                      f->entry_contact,
                      f->mark,
                      f->column,
                      f->active};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&f->context, arrays[i]);
}

static CondStatus reserve(CondFront* f, const cholmod_factor* L, const CondJacobian* Jc)
{
    const CondContext* m = &f->context;
    int n = (int)L->n, n_super = (int)L->nsuper, nc = Jc->n_contact, ne = Jc->begin[nc];
#define RESERVE(array, count) cond_reserve(m, &f->array, &f->cap_##array, count, sizeof *f->array)
    int failed = RESERVE(supernode_of, n) || RESERVE(position, n) || RESERVE(local, n) ||
                 RESERVE(entry_begin, n_super + 1) || RESERVE(entry, ne) ||
                 RESERVE(entry_contact, ne) || RESERVE(mark, nc) || RESERVE(column, nc) ||
                 RESERVE(active, nc) || RESERVE(update, n_super);
#undef RESERVE
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// Where coordinates, supernodes and entries of Jc meet.
static void index_all(CondFront* f, const cholmod_factor* L, const CondJacobian* Jc)
{
    int n = (int)L->n, n_super = (int)L->nsuper;
    const int *perm = L->Perm, *super = L->super;
    for (int k = 0; k < n; k++)
        f->position[perm[k]] = k;
    for (int s = 0; s < n_super; s++)
        for (int k = super[s]; k < super[s + 1]; k++)
            f->supernode_of[k] = s;
    memset(f->entry_begin, 0, ((size_t)n_super + 1) * sizeof *f->entry_begin);
    memset(f->mark, 0, (size_t)Jc->n_contact * sizeof *f->mark);
    int ne = Jc->begin[Jc->n_contact];
    for (int e = 0; e < ne; e++)
        f->entry_begin[f->supernode_of[f->position[Jc->coordinate[e]]] + 1]++;
    for (int s = 0; s < n_super; s++)
        f->entry_begin[s + 1] += f->entry_begin[s];
    for (int c = Jc->n_contact - 1; c >= 0; c--)
        for (int e = Jc->begin[c]; e < Jc->begin[c + 1]; e++) {
            f->entry_contact[e] = c;
            // Counts the end of the bucket down to its beginning.
            int s = f->supernode_of[f->position[Jc->coordinate[e]]];
            f->entry[--f->entry_begin[s + 1]] = e;
        }
    // Every end has become a beginning: move them back by one.
    for (int s = 0; s < n_super; s++)
        f->entry_begin[s] = f->entry_begin[s + 1];
    f->entry_begin[n_super] = ne;
}

static int ascending(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static int take(CondFront* f, int n_active, int c, int s)
{
    if (f->mark[c] == s + 1)
        return n_active;
    f->mark[c] = s + 1;
    f->active[n_active] = c;
    return n_active + 1;
}

// The contacts of the front: those of its children and those with entries of their own here.
// Returns how many; first_child is the lowest update of a child on the stack.
static int gather(CondFront* f, const CondJacobian* Jc, int s, int* first_child)
{
    int n_active = 0, u = f->n_update;
    while (u > 0 && f->update[u - 1].parent == s) {
        const CondFrontUpdate* child = &f->update[--u];
        for (int k = 0; k < child->n_contact; k++)
            n_active = take(f, n_active, f->contact_stack[child->contact_begin + k], s);
    }
    *first_child = u;
    for (int k = f->entry_begin[s]; k < f->entry_begin[s + 1]; k++)
        n_active = take(f, n_active, f->entry_contact[f->entry[k]], s);
    if (n_active > Jc->n_contact / 8) { // a scan is cheaper than a sort
        n_active = 0;
        for (int c = 0; c < Jc->n_contact; c++)
            if (f->mark[c] == s + 1)
                f->active[n_active++] = c;
    } else {
        qsort(f->active, (size_t)n_active, sizeof *f->active, ascending);
    }
    for (int k = 0; k < n_active; k++)
        f->column[f->active[k]] = k;
    return n_active;
}

// F = entries of Jc in the rows of s + updates of the children.
static void assemble(CondFront* f, const cholmod_factor* L, const CondJacobian* Jc, int s,
                     int n_active, int first_child)
{
    const int *super = L->super, *pi = L->pi, *rows = L->s;
    size_t n_row = (size_t)(pi[s + 1] - pi[s]);
    memset(f->F, 0, n_row * 3 * (size_t)n_active * sizeof *f->F);
    for (int k = pi[s]; k < pi[s + 1]; k++)
        f->local[rows[k]] = k - pi[s];
    for (int k = f->entry_begin[s]; k < f->entry_begin[s + 1]; k++) {
        int e = f->entry[k], c = f->entry_contact[e];
        double* F = f->F + f->local[f->position[Jc->coordinate[e]]];
        for (int r = 0; r < 3; r++)
            F[n_row * (size_t)(3 * f->column[c] + r)] += Jc->value[3 * e + r];
    }
    for (int u = first_child; u < f->n_update; u++) {
        const CondFrontUpdate* child = &f->update[u];
        int inner = super[child->supernode + 1] - super[child->supernode];
        const int* below = rows + pi[child->supernode] + inner;
        int n_below = pi[child->supernode + 1] - pi[child->supernode] - inner;
        const double* U = f->stack + child->data_begin;
        for (int k = 0; k < 3 * child->n_contact; k++, U += n_below) {
            int c = f->contact_stack[child->contact_begin + k / 3];
            double* F = f->F + n_row * (size_t)(3 * f->column[c] + k % 3);
            for (int i = 0; i < n_below; i++)
                F[f->local[below[i]]] += U[i];
        }
    }
}

// Ac += Y_s' Y_s in the lower triangle, Y_s the first `inner` rows of F.
static CondStatus add_square(CondFront* f, int n_contact, int n_active, int inner, int n_row,
                             double* Ac)
{
    int m = 3 * n_contact, w = 3 * n_active;
    if (n_active == n_contact) { // ascending, so the columns are those of Ac
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, m, inner, 1.0, f->F, n_row, 1.0, Ac, m);
        return COND_OK;
    }
    if (cond_front_reserve(&f->context, &f->T, &f->cap_T, (size_t)w * (size_t)w, 0))
        return COND_OUT_OF_MEMORY;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, w, inner, 1.0, f->F, n_row, 0.0, f->T, w);
    for (int j = 0; j < w; j++) {
        const double* T = f->T + (size_t)j * (size_t)w;
        double* to = Ac + (size_t)m * (size_t)(3 * f->active[j / 3] + j % 3);
        for (int i = j; i < w; i++)
            to[3 * f->active[i / 3] + i % 3] += T[i];
    }
    return COND_OK;
}

// Replaces the children's updates by that of s: the rows of F below the first `inner`.
static CondStatus push(CondFront* f, int s, int parent, int n_active, int inner, int n_row,
                       int first_child)
{
    size_t below = (size_t)(n_row - inner), width = 3 * (size_t)n_active;
    if (first_child < f->n_update) {
        f->n_stack = f->update[first_child].data_begin;
        f->n_contact_stack = f->update[first_child].contact_begin;
        f->n_update = first_child;
    }
    if (below == 0 || n_active == 0)
        return COND_OK;
    const CondContext* m = &f->context;
    if (cond_front_reserve(m, &f->stack, &f->cap_stack, f->n_stack + below * width, f->n_stack) ||
        cond_reserve(m, &f->contact_stack, &f->cap_contact_stack, f->n_contact_stack + n_active,
                     sizeof *f->contact_stack))
        return COND_OUT_OF_MEMORY;
    f->update[f->n_update++] = (CondFrontUpdate){.supernode = s,
                                                 .parent = parent,
                                                 .n_contact = n_active,
                                                 .contact_begin = f->n_contact_stack,
                                                 .data_begin = f->n_stack};
    memcpy(f->contact_stack + f->n_contact_stack, f->active, (size_t)n_active * sizeof *f->active);
    for (size_t k = 0; k < width; k++)
        memcpy(f->stack + f->n_stack + k * below, f->F + k * (size_t)n_row + inner,
               below * sizeof *f->F);
    f->n_contact_stack += n_active;
    f->n_stack += below * width;
    return COND_OK;
}

static CondStatus step(CondFront* f, const cholmod_factor* L, const CondJacobian* Jc, int s,
                       double* Ac)
{
    const int *super = L->super, *pi = L->pi, *px = L->px, *rows = L->s;
    const double* Ls = (const double*)L->x + px[s]; // [L_ss; L_below,s], column-major
    int inner = super[s + 1] - super[s], n_row = pi[s + 1] - pi[s], first_child;
    int n_active = gather(f, Jc, s, &first_child), width = 3 * n_active;
    if (n_active == 0)
        return COND_OK;
    if (cond_front_reserve(&f->context, &f->F, &f->cap_F, (size_t)n_row * (size_t)width, 0))
        return COND_OUT_OF_MEMORY;
    assemble(f, L, Jc, s, n_active, first_child);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, inner, width, 1.0,
                Ls, n_row, f->F, n_row);
    if (n_row > inner)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n_row - inner, width, inner, -1.0,
                    Ls + inner, n_row, f->F, n_row, 1.0, f->F + inner, n_row);
    CondStatus status = add_square(f, Jc->n_contact, n_active, inner, n_row, Ac);
    int parent = n_row > inner ? f->supernode_of[rows[pi[s] + inner]] : -1;
    return status ? status : push(f, s, parent, n_active, inner, n_row, first_child);
}

CondStatus cond_front_add(CondFront* f, const CondFactor* factor, const CondJacobian* Jc,
                          double* Ac)
{
    const cholmod_factor* L = factor->L;
    CondStatus status = reserve(f, L, Jc);
    if (status)
        return status;
    index_all(f, L, Jc);
    f->n_update = f->n_contact_stack = 0;
    f->n_stack = 0;
    for (int s = 0; s < (int)L->nsuper && !status; s++)
        status = step(f, L, Jc, s, Ac);
    // In postorder every update has met its parent by now.
    if (!status && f->n_update > 0)
        status = COND_NOT_SUPPORTED;
    return status;
}
