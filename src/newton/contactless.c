// Conjugate gradients on A v = b without contacts, preconditioned by the diagonal blocks of A: 3x3
// for a node of a soft body, 6x6 for a link of a rod, the whole of a dense body. Couplings count
// with what they add to these blocks.
#include "cond/solver.h"

#include "base/memory.h"
#include "linear/cholesky.h"
#include "linear/conjugate_gradients.h"
#include "problem/block.h"
#include "problem/term.h"

#include <math.h>
#include <string.h>

typedef struct Contactless {
    CondContext context;
    const CondProblem* problem;
    int threads;
    int n_group;
    int* group;       // of each coordinate                                  (n_dof)
    int* begin;       // first coordinate of each group                      (n_dof + 1)
    size_t* factor;   // offset of its Cholesky factor                       (n_dof + 1)
    double* L;        // the factors, row-major
    double* diagonal; // of A                                                (n_dof)
    double* history;  // of the value below, a product each; NULL: not asked for
    int max_products; // it has room for
    double* value;    // |A v - b|_D / max(|A v|_D, |b|_D) of the newest iterate, and
    int* products;    // what it took
} Contactless;

// Coordinates of a group within this block.
static int group_size(const CondBlock* block)
{
    switch (block->kind) {
    case COND_BLOCK_DENSE:
        return block->n_dof;
    case COND_BLOCK_TRIDIAGONAL:
        return 6;
    case COND_BLOCK_BSR3:
        return 3;
    case COND_BLOCK_SPARSE:
        break;
    }
    return block->n_dof % 3 == 0 ? 3 : 1;
}

static void make_groups(Contactless* s)
{
    const CondProblem* problem = s->problem;
    size_t size = 0;
    s->n_group = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int width = group_size(block);
        for (int i = 0; i < block->n_dof; i++) {
            if (i % width == 0) {
                s->begin[s->n_group] = block->dof_begin + i;
                s->factor[s->n_group++] = size;
                size += (size_t)width * (size_t)width;
            }
            s->group[block->dof_begin + i] = s->n_group - 1;
        }
    }
    s->begin[s->n_group] = problem->n_dof;
    s->factor[s->n_group] = size;
}

// Where a_ij lies in L; NULL when i and j are not in one group.
static double* entry(const Contactless* s, int i, int j)
{
    int g = s->group[i];
    if (s->group[j] != g)
        return NULL;
    size_t width = (size_t)(s->begin[g + 1] - s->begin[g]);
    return s->L + s->factor[g] + (size_t)(i - s->begin[g]) * width + (size_t)(j - s->begin[g]);
}

static void add_coupling(Contactless* s, const CondCoupling* c)
{
    CondTerm term = cond_term_coupling(c);
    int n = c->n_coordinate;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double* a = entry(s, c->coordinate[k], c->coordinate[l]);
            if (a)
                *a += cond_term_entry(&term, k, l);
        }
}

static CondStatus factor_groups(Contactless* s)
{
    const CondProblem* problem = s->problem;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof; i++) {
            int size = cond_block_row_size(block, i), j;
            for (int k = 0; k < size; k++) {
                double value = cond_block_entry(block, i, k, &j);
                double* a = entry(s, block->dof_begin + i, block->dof_begin + j);
                if (a)
                    *a = value;
            }
        }
    }
    for (int i = 0; i < problem->n_coupling; i++)
        add_coupling(s, &problem->coupling[i]);
    for (int g = 0; g < s->n_group; g++)
        if (cond_cholesky_factor(s->begin[g + 1] - s->begin[g], s->L + s->factor[g]))
            return COND_DIVERGED;
    return COND_OK;
}

static void precondition(const void* data, const double* r, double* z)
{
    const Contactless* s = data;
    memcpy(z, r, (size_t)s->problem->n_dof * sizeof *z);
    for (int g = 0; g < s->n_group; g++)
        cond_cholesky_solve(s->begin[g + 1] - s->begin[g], s->L + s->factor[g], z + s->begin[g]);
}

static void multiply(const void* data, const double* x, double* y)
{
    const Contactless* s = data;
    cond_problem_multiply_blocks(s->problem, x, NULL, y, s->threads);
    cond_problem_add_couplings(s->problem, x, y);
}

// The dynamics part of the certificate: |A v - b|_D / max(|A v|_D, |b|_D), with A v = b - r
static double dynamics(const void* data, const double* r, double rz)
{
    const Contactless* s = data;
    double rr = 0.0, bb = 0.0, aa = 0.0;
    (void)rz;
    for (int i = 0; i < s->problem->n_dof; i++) {
        double b = s->problem->b[i], Av = b - r[i];
        rr += r[i] * r[i] / s->diagonal[i];
        bb += b * b / s->diagonal[i];
        aa += Av * Av / s->diagonal[i];
    }
    *s->value = rr == 0.0 ? 0.0 : sqrt(rr / fmax(aa, bb));
    if (s->history && *s->products < s->max_products)
        s->history[*s->products] = *s->value;
    ++*s->products;
    return *s->value;
}

static CondStatus iterate(const Contactless* s, double tolerance, double* v, double* work)
{
    int n = s->problem->n_dof;
    double *r = work, *z = r + n, *p = z + n, *q = p + n;
    multiply(s, v, r);
    for (int i = 0; i < n; i++)
        r[i] = s->problem->b[i] - r[i];
    CondCgSystem system = {.A = {n, multiply, s},
                           .M = {precondition, s},
                           .threads = s->threads,
                           .x = v,
                           .r = r,
                           .z = z,
                           .p = p,
                           .q = q,
                           .norm = dynamics,
                           .data = s};
    CondCg cg = {.context = &s->context, .goal = tolerance, .max_products = s->max_products - 1};
    cond_cg_solve(&system, &cg);
    if (cond_cancelled(&s->context))
        return COND_CANCELLED;
    if (cg.failed || !isfinite(*s->value))
        return COND_DIVERGED;
    return *s->value <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}

CondStatus cond_contactless_solve(const CondContext* context, const CondProblem* problem,
                                  double tolerance, int max_products, int threads, double* v,
                                  int* products, double* history)
{
    CondContext m = cond_context_or_default(context);
    size_t n = (size_t)problem->n_dof;
    double value = INFINITY;
    Contactless s = {.context = m,
                     .problem = problem,
                     .threads = threads,
                     .history = history,
                     .max_products = max_products,
                     .value = &value,
                     .products = products};
    *products = 0;
    s.group = cond_allocate(&m, n, sizeof *s.group);
    s.begin = cond_allocate(&m, n + 1, sizeof *s.begin);
    s.factor = cond_allocate(&m, n + 1, sizeof *s.factor);
    double* vectors = cond_allocate(&m, 5 * n, sizeof *vectors);
    CondStatus status = s.group && s.begin && s.factor && vectors ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status) {
        make_groups(&s);
        s.L = cond_allocate(&m, s.factor[s.n_group], sizeof *s.L);
        status = s.L ? COND_OK : COND_OUT_OF_MEMORY;
    }
    if (!status) {
        s.diagonal = vectors;
        cond_problem_diagonal(problem, s.diagonal);
        status = factor_groups(&s);
    }
    if (!status)
        status = iterate(&s, tolerance, v, vectors + n);
    void* arrays[] = {s.group, s.begin, s.factor, s.L, vectors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    return status;
}
