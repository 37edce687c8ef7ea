#include "solve/tie_system.h"

#include "assemble/block.h"
#include "assemble/side.h"
#include "base/memory.h"
#include "base/sum.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <string.h>

enum { LARGEST_BORDER = 256 }; // coordinates; its factorisation must stay cheap beside a product

#define RESERVE(array, count)                                                                      \
    cond_reserve(&system->context, &system->array, &system->cap_##array, count,                    \
                 sizeof *system->array)

static int has_nodes(const CondBlock* block)
{
    return block->kind == COND_BLOCK_BSR3;
}

// 1 where a block can be neither nodes nor part of a small border.
static int is_foreign(const CondBlock* block)
{
    return !has_nodes(block) && block->kind != COND_BLOCK_DENSE;
}

static int largest_term(const CondProblem* problem)
{
    int most = 0;
    for (int i = 0; i < problem->n_coupling; i++) {
        int size = problem->coupling[i].n_coordinate * problem->coupling[i].n_row;
        most = size > most ? size : most;
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int size = 3 * (side[0].n_coordinate + side[1].n_coordinate);
        most = size > most ? size : most;
    }
    return most;
}

CondStatus cond_tie_system_plan(CondTieSystem* system, const CondProblem* problem, int threads,
                                int* fits)
{
    int n = problem->n_dof, most = largest_term(problem);
    *fits = 0;
    system->problem = problem;
    system->threads = threads;
    system->n_node = system->n_border = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (is_foreign(block))
            return COND_OK;
        if (has_nodes(block))
            system->n_node += block->n_dof / 3;
        else
            system->n_border += block->n_dof;
    }
    int nn = system->n_node, nb = system->n_border;
    if (nn == 0 || nb > LARGEST_BORDER)
        return COND_OK;
    if (RESERVE(node, n) || RESERVE(place, nn) || RESERVE(border, n) || RESERVE(member, nb) ||
        RESERVE(slot, nn) || RESERVE(bordered, nn) || RESERVE(T, 9 * problem->n_contact) ||
        RESERVE(B, 9 * nn) || RESERVE(S, nb * nb) || RESERVE(small, nb) || RESERVE(entry, most) ||
        RESERVE(column, most) || RESERVE(p, n) || RESERVE(q, n) || RESERVE(z, n))
        return COND_OUT_OF_MEMORY;
    int i_node = 0, i_border = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = block->dof_begin; i < block->dof_begin + block->n_dof; i++) {
            int inside = has_nodes(block), local = i - block->dof_begin;
            if (inside && local % 3 == 0)
                system->place[i_node++] = i;
            system->node[i] = inside ? i_node - 1 : -1;
            system->border[i] = inside ? -1 : i_border;
            if (!inside)
                system->member[i_border++] = i;
        }
    }
    *fits = 1;
    return COND_OK;
}

// One term |J x|^2 in K: its coordinates, and J by columns of n_row numbers.
typedef struct Term {
    int n_row, n_entry;
    const int* coordinate;
    const double* column;
    const double* K; // n_row x n_row
} Term;

static Term coupling_term(CondTieSystem* system, const CondCoupling* c)
{
    for (int k = 0; k < c->n_coordinate; k++)
        for (int r = 0; r < c->n_row; r++)
            system->column[k * c->n_row + r] = c->jacobian[r * c->n_coordinate + k];
    return (Term){c->n_row, c->n_coordinate, c->coordinate, system->column, c->gain};
}

static Term contact_term(CondTieSystem* system, int c)
{
    const CondContact* contact = &system->problem->contact[c];
    int n = 0;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        double sign = s == 0 ? 1.0 : -1.0;
        for (int k = 0; k < side->n_coordinate; k++, n++) {
            system->entry[n] = side->coordinate[k];
            for (int r = 0; r < 3; r++)
                system->column[3 * n + r] =
                    sign * (side->jacobian ? side->jacobian[r * side->n_coordinate + k]
                                           : (double)(r == k));
        }
    }
    return (Term){3, n, system->entry, system->column, system->T + 9 * (size_t)c};
}

// (J' K J)_kl
static double entry_value(const Term* term, int k, int l)
{
    const double *Jk = term->column + k * term->n_row, *Jl = term->column + l * term->n_row;
    double value = 0.0;
    for (int r = 0; r < term->n_row; r++) {
        double sum = 0.0;
        for (int s = 0; s < term->n_row; s++)
            sum += term->K[r * term->n_row + s] * Jl[s];
        value += Jk[r] * sum;
    }
    return value;
}

// Entries first .. returned value - 1 belong to the same node.
static int run_end(const CondTieSystem* system, const Term* term, int first)
{
    int node = system->node[term->coordinate[first]], k = first + 1;
    while (k < term->n_entry && system->node[term->coordinate[k]] == node)
        k++;
    return k;
}

static double run_size(const Term* term, int first, int last)
{
    double sum = 0.0;
    for (int i = first * term->n_row; i < last * term->n_row; i++)
        sum += term->column[i] * term->column[i];
    return sqrt(sum);
}

// Adds the term as the head of this file says: to B (blocks of nodes), C and S.
static void add_term(CondTieSystem* system, const Term* term, double* B, double* S)
{
    int nb = system->n_border;
    double total = 0.0;
    for (int k = 0; k < term->n_entry; k = run_end(system, term, k))
        if (system->node[term->coordinate[k]] >= 0)
            total += run_size(term, k, run_end(system, term, k));
    for (int k = 0, end; k < term->n_entry; k = end) {
        end = run_end(system, term, k);
        int node = system->node[term->coordinate[k]];
        if (node < 0) { // border with border
            for (int i = k; i < end; i++)
                for (int l = 0; l < term->n_entry; l++)
                    if (system->node[term->coordinate[l]] < 0)
                        S[system->border[term->coordinate[i]] * nb +
                          system->border[term->coordinate[l]]] += entry_value(term, i, l);
            continue;
        }
        double size = run_size(term, k, end);
        if (!(size > 0.0))
            continue;
        for (int i = k; i < end; i++) {
            int r = term->coordinate[i] - system->place[node];
            for (int j = k; j < end; j++)
                B[9 * (size_t)node + (size_t)(3 * r + term->coordinate[j] - system->place[node])] +=
                    total / size * entry_value(term, i, j);
            double* C = system->slot[node] < 0
                            ? NULL
                            : system->C + ((size_t)system->slot[node] * 3 + (size_t)r) * (size_t)nb;
            for (int l = 0; l < term->n_entry && C; l++)
                if (system->node[term->coordinate[l]] < 0)
                    C[system->border[term->coordinate[l]]] += entry_value(term, i, l);
        }
    }
}

// Gives a slot to every node of a term that reaches the border.
static void mark_bordered(CondTieSystem* system, int n, const int* coordinate)
{
    int reaches = 0;
    for (int k = 0; k < n && !reaches; k++)
        reaches = system->node[coordinate[k]] < 0;
    for (int k = 0; k < n && reaches; k++) {
        int node = system->node[coordinate[k]];
        if (node >= 0 && system->slot[node] < 0) {
            system->slot[node] = system->n_bordered;
            system->bordered[system->n_bordered++] = node;
        }
    }
}

static CondStatus find_bordered(CondTieSystem* system)
{
    const CondProblem* problem = system->problem;
    system->n_bordered = 0;
    for (int i = 0; i < system->n_node; i++)
        system->slot[i] = -1;
    for (int i = 0; i < problem->n_coupling; i++)
        mark_bordered(system, problem->coupling[i].n_coordinate, problem->coupling[i].coordinate);
    for (int c = 0; c < problem->n_contact; c++) {
        Term term = contact_term(system, c);
        mark_bordered(system, term.n_entry, term.coordinate);
    }
    int size = 3 * system->n_bordered * system->n_border;
    if (RESERVE(C, size) || RESERVE(BC, size))
        return COND_OUT_OF_MEMORY;
    memset(system->C, 0, (size_t)size * sizeof *system->C);
    return COND_OK;
}

// The blocks of A itself on nodes and border.
static void start_blocks(CondTieSystem* system, double* B, double* S)
{
    const CondProblem* problem = system->problem;
    int nb = system->n_border;
    memset(S, 0, (size_t)nb * (size_t)nb * sizeof *S);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (has_nodes(block)) {
            int first = system->node[block->dof_begin];
            for (int i = 0; i < block->n_dof / 3; i++)
                for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
                    if (block->column[k] == i)
                        memcpy(B + 9 * (size_t)(first + i), block->values + 9 * (size_t)k,
                               9 * sizeof *B);
            continue;
        }
        for (int i = 0; i < block->n_dof; i++)
            for (int j = 0; j < block->n_dof; j++)
                S[system->border[block->dof_begin + i] * nb +
                  system->border[block->dof_begin + j]] =
                    block->values[(size_t)i * (size_t)block->n_dof + (size_t)j];
    }
}

// B = its inverse, a symmetric 3x3 matrix. By its Cholesky factor: a firm tie in one direction
// makes the determinant a small difference of large numbers. 1: not positive.
static int invert3(double* B)
{
    if (cond_cholesky_factor(3, B))
        return 1;
    double i0 = 1.0 / B[0], i1 = 1.0 / B[4], i2 = 1.0 / B[8]; // rows of L^-1
    double l10 = -B[3] * i0 * i1, l21 = -B[7] * i1 * i2;
    double l20 = -(B[6] * i0 + B[7] * l10) * i2;
    B[0] = i0 * i0 + l10 * l10 + l20 * l20;
    B[1] = B[3] = l10 * i1 + l20 * l21;
    B[2] = B[6] = l20 * i2;
    B[4] = i1 * i1 + l21 * l21;
    B[5] = B[7] = l21 * i2;
    B[8] = i2 * i2;
    return 0;
}

// BC = B C and S -= C' B C, then its factor.
static int finish_border(CondTieSystem* system)
{
    size_t nb = (size_t)system->n_border;
    for (int k = 0; k < system->n_bordered; k++) {
        const double* B = system->B + 9 * (size_t)system->bordered[k];
        const double* C = system->C + 3 * (size_t)k * nb;
        double* BC = system->BC + 3 * (size_t)k * nb;
        for (int r = 0; r < 3; r++)
            for (size_t j = 0; j < nb; j++)
                BC[(size_t)r * nb + j] =
                    B[3 * r] * C[j] + B[3 * r + 1] * C[nb + j] + B[3 * r + 2] * C[2 * nb + j];
        for (size_t i = 0; i < nb; i++)
            for (int r = 0; r < 3; r++) {
                double scale = C[(size_t)r * nb + i];
                for (size_t j = 0; j < nb && scale != 0.0; j++)
                    system->S[i * nb + j] -= scale * BC[(size_t)r * nb + j];
            }
    }
    return cond_cholesky_factor(system->n_border, system->S) != 0;
}

void cond_tie_system_tie(CondTieSystem* system, const double* D, int stride)
{
    const CondProblem* problem = system->problem;
    for (int c = 0; c < problem->n_contact; c++) {
        const double *R = problem->contact[c].frame, *Dc = D + (size_t)c * (size_t)stride;
        double* T = system->T + 9 * (size_t)c;
        double DR[9];
        for (int i = 0; i < 9; i++)
            DR[i] = Dc[3 * (i / 3)] * R[i % 3] + Dc[3 * (i / 3) + 1] * R[3 + i % 3] +
                    Dc[3 * (i / 3) + 2] * R[6 + i % 3];
        for (int i = 0; i < 9; i++)
            T[i] =
                R[i / 3] * DR[i % 3] + R[3 + i / 3] * DR[3 + i % 3] + R[6 + i / 3] * DR[6 + i % 3];
    }
}

CondStatus cond_tie_system_build(CondTieSystem* system, const double* D, int stride)
{
    const CondProblem* problem = system->problem;
    cond_tie_system_tie(system, D, stride);
    CondStatus status = find_bordered(system);
    if (status)
        return status;
    start_blocks(system, system->B, system->S);
    for (int i = 0; i < problem->n_coupling; i++) {
        Term term = coupling_term(system, &problem->coupling[i]);
        add_term(system, &term, system->B, system->S);
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const double* Dc = D + (size_t)c * (size_t)stride;
        if (Dc[0] == 0.0 && Dc[4] == 0.0 && Dc[8] == 0.0)
            continue; // open
        Term term = contact_term(system, c);
        add_term(system, &term, system->B, system->S);
    }
    for (int i = 0; i < system->n_node; i++)
        if (invert3(system->B + 9 * (size_t)i))
            return COND_DIVERGED;
    return finish_border(system) ? COND_DIVERGED : COND_OK;
}

void cond_tie_system_multiply(const CondTieSystem* system, const double* x, double* y)
{
    const CondProblem* problem = system->problem;
    cond_problem_multiply_blocks(problem, x, NULL, y, system->threads);
    cond_problem_add_couplings(problem, x, y);
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        const double* T = system->T + 9 * (size_t)c;
        double p[3] = {0.0, 0.0, 0.0}, f[3];
        cond_side_add_velocity(&side[0], 1.0, x, p);
        cond_side_add_velocity(&side[1], -1.0, x, p);
        for (int r = 0; r < 3; r++)
            f[r] = T[3 * r] * p[0] + T[3 * r + 1] * p[1] + T[3 * r + 2] * p[2];
        cond_side_add_force(&side[0], 1.0, f, y);
        cond_side_add_force(&side[1], -1.0, f, y);
    }
}

// z = P r
static void precondition(CondTieSystem* system, const double* r, double* z)
{
    size_t nb = (size_t)system->n_border;
    for (int i = 0; i < system->n_node; i++) {
        const double *B = system->B + 9 * (size_t)i, *ri = r + system->place[i];
        double* zi = z + system->place[i];
        for (int k = 0; k < 3; k++)
            zi[k] = B[3 * k] * ri[0] + B[3 * k + 1] * ri[1] + B[3 * k + 2] * ri[2];
    }
    if (nb == 0)
        return;
    for (size_t i = 0; i < nb; i++)
        system->small[i] = r[system->member[i]];
    for (int k = 0; k < system->n_bordered; k++) { // r_b - C' B r_n
        const double* BC = system->BC + 3 * (size_t)k * nb;
        const double* ri = r + system->place[system->bordered[k]];
        for (size_t j = 0; j < nb; j++)
            system->small[j] -= BC[j] * ri[0] + BC[nb + j] * ri[1] + BC[2 * nb + j] * ri[2];
    }
    cond_cholesky_solve(system->n_border, system->S, system->small);
    for (size_t i = 0; i < nb; i++)
        z[system->member[i]] = system->small[i];
    for (int k = 0; k < system->n_bordered; k++) {
        const double* BC = system->BC + 3 * (size_t)k * nb;
        double* zi = z + system->place[system->bordered[k]];
        for (int row = 0; row < 3; row++)
            for (size_t j = 0; j < nb; j++)
                zi[row] -= BC[(size_t)row * nb + j] * system->small[j];
    }
}

int cond_tie_system_solve(CondTieSystem* system, double* r, double* x, double reduction,
                          int max_iterations)
{
    int n = system->problem->n_dof, threads = system->threads, products = 0;
    double *p = system->p, *q = system->q, *z = system->z;
    memset(x, 0, (size_t)n * sizeof *x);
    precondition(system, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = cond_dot(n, r, z, threads), first = rz, goal = 0.0;
    while (products < max_iterations && rz > goal) {
        cond_tie_system_multiply(system, p, q);
        products++;
        double pq = cond_dot(n, p, q, threads);
        if (!(pq > 0.0) || !isfinite(rz))
            return COND_DIVERGED;
        double alpha = rz / pq;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        precondition(system, r, z);
        double next = cond_dot(n, r, z, threads), beta = next / rz;
        for (int i = 0; i < n; i++)
            p[i] = z[i] + beta * p[i];
        rz = next;
        // The first step takes out what the gains of the ties blow up; the reduction counts from
        // what is left.
        if (products == 1)
            goal = reduction * reduction * fmin(rz, first);
    }
    return products;
}

int cond_tie_system_solve_general(CondTieSystem* system, double* r, double* x, double reduction,
                                  int max_products, double* work)
{
    int n = system->problem->n_dof, threads = system->threads, products = 0;
    size_t size = (size_t)n * sizeof *r;
    double *shadow = work, *p = work + n, *q = p + n, *s = q + n, *t = s + n;
    double *y = system->p, *z = system->z;
    memset(x, 0, size);
    memcpy(shadow, r, size);
    memset(p, 0, size);
    memset(q, 0, size);
    double rho = 1.0, alpha = 1.0, omega = 1.0, goal = -1.0;
    while (products + 2 <= max_products) {
        precondition(system, r, z);
        double rz = fabs(cond_dot(n, r, z, threads));
        // As above, the reduction counts from what the first step leaves.
        if (products <= 2)
            goal =
                reduction * reduction * (goal < 0.0 ? rz : fmin(rz, goal / reduction / reduction));
        if (!isfinite(rz))
            return COND_DIVERGED;
        if (products > 0 && rz <= goal)
            break;
        double next = cond_dot(n, shadow, r, threads), beta = next / rho * (alpha / omega);
        if (next == 0.0 || !isfinite(beta))
            break; // no further this way; what there is may do
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * (p[i] - omega * q[i]);
        precondition(system, p, y);
        cond_tie_system_multiply(system, y, q);
        rho = next;
        alpha = rho / cond_dot(n, shadow, q, threads);
        if (!isfinite(alpha))
            break;
        for (int i = 0; i < n; i++)
            s[i] = r[i] - alpha * q[i];
        precondition(system, s, z);
        cond_tie_system_multiply(system, z, t);
        products += 2;
        double tt = cond_dot(n, t, t, threads);
        omega = tt > 0.0 ? cond_dot(n, t, s, threads) / tt : 0.0;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * y[i] + omega * z[i];
            r[i] = s[i] - omega * t[i];
        }
        if (omega == 0.0 || !isfinite(omega))
            break;
    }
    return products;
}

void cond_tie_system_destroy(CondTieSystem* system)
{
    void* arrays[] = {system->node,     system->place, system->border, system->member, system->slot,
                      system->bordered, system->T,     system->B,      system->C,      system->BC,
                      system->S,        system->small, system->entry,  system->column, system->p,
                      system->q,        system->z};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&system->context, arrays[i]);
}
