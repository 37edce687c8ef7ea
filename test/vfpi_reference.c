// V-FPI as the paper prints it, dense and slow, to compare with.
#include "vfpi_reference.h"

#include "base/memory.h"
#include "dense.h"
#include "nodalize/nodal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Reference {
    CondNodal nodal;
    double *A, *w, *star; // nodalized A, diagonal of W, v* and then v**       (n x n, n, n)
} Reference;

// A, and w = sum a_ii / sum |A_i*|^2, over the three or six rows of a contact (Sec. IV-C).
static void build(Reference* r)
{
    CondNodal* nodal = &r->nodal;
    size_t n = (size_t)nodal->n;
    for (size_t i = 0; i < n; i++) { // star is zero yet
        r->star[i] = 1.0;
        cond_nodal_multiply(nodal, r->star, r->A + i * n, 1);
        r->star[i] = 0.0;
        r->w[i] = r->A[i * n + i] / pow(dense_norm((int)n, r->A + i * n), 2.0);
    }
    for (int c = 0; c < nodal->problem->n_contact; c++) {
        double a = 0.0, norm2 = 0.0;
        for (int k = 0; k < 12; k++) { // sums over both nodes, then their weights
            int first = nodal->node[2 * c + k / 3 % 2];
            size_t i = (size_t)(first + k % 3);
            if (first >= 0 && k < 6) {
                a += r->A[i * n + i];
                norm2 += pow(dense_norm((int)n, r->A + i * n), 2.0);
            } else if (first >= 0) {
                r->w[i] = a / norm2;
            }
        }
    }
}

// Alg. 2: lambda = SOL(Jc v* + phi, gamma), and v** = v* + W Jc' lambda on the nodes of contact c.
static void solve_contact(Reference* r, const CondSolverSettings* settings, int c, double* lambda)
{
    const CondContact* contact = &r->nodal.problem->contact[c];
    const double* R = contact->frame;
    double eta[3] = {contact->phi[0], contact->phi[1], contact->phi[2]}, gamma = 0.0;
    for (int s = 0; s < 2; s++) {
        int i = r->nodal.node[2 * c + s];
        gamma += i >= 0 ? r->w[i] : 0.0;
        for (int k = 0; k < 9 && i >= 0; k++)
            eta[k / 3] += (s == 0 ? 1.0 : -1.0) * R[k] * r->star[i + k % 3];
    }
    cond_law_solve(settings->law, contact->friction, settings->omega, gamma, eta, lambda);
    for (int s = 0; s < 2; s++) {
        int i = r->nodal.node[2 * c + s];
        for (int k = 0; k < 9 && i >= 0; k++)
            r->star[i + k % 3] += (s == 0 ? 1.0 : -1.0) * r->w[i] * R[k] * lambda[k / 3];
    }
}

// Alg. 1, lines 5 to 12: v* = v - W (A v - b), then all contacts.
static void iterate(Reference* r, const CondSolverSettings* settings, const double* v,
                    double* lambda)
{
    int n = r->nodal.n;
    for (int i = 0; i < n; i++) {
        double g = i < r->nodal.n_dof ? -r->nodal.problem->b[i] : 0.0;
        for (int j = 0; j < n; j++)
            g += r->A[(size_t)i * (size_t)n + (size_t)j] * v[j];
        r->star[i] = v[i] - r->w[i] * g;
    }
    for (int c = 0; c < r->nodal.problem->n_contact; c++)
        solve_contact(r, settings, c, lambda + (ptrdiff_t)3 * c);
}

int vfpi_reference(const CondProblem* problem, const CondSolverSettings* settings, double* v,
                   double* lambda)
{
    Reference r = {.nodal.arena.context = cond_context_or_default(NULL)};
    assert_int_equal(cond_nodal_build(&r.nodal, problem, settings->kv_scale), COND_OK);
    size_t n = (size_t)r.nodal.n;
    double *now = dense_zeros(n), *old = dense_zeros(n), nu = 1.0, step[2] = {0.0, 0.0};
    r.A = dense_zeros(n * n), r.w = dense_zeros(n), r.star = dense_zeros(n);
    build(&r);
    memcpy(now, v, (size_t)problem->n_dof * sizeof *v);
    cond_nodal_lift(&r.nodal, now);
    memcpy(old, now, n * sizeof *now);
    int l = 0;
    do { // Alg. 3 after every plain iteration
        iterate(&r, settings, now, lambda);
        double rho = step[1] > 0.0 ? fmin(step[0] / step[1], 1.0) : 0.0, length = 0.0;
        nu = ++l < settings->chebyshev_start  ? 1.0
             : l == settings->chebyshev_start ? 2.0 / (2.0 - rho * rho)
                                              : 4.0 / (4.0 - rho * rho * nu);
        for (size_t i = 0; i < n; i++) {
            double u = settings->under_relaxation, last = old[i];
            old[i] = now[i];
            now[i] = nu * (u * (r.star[i] - now[i]) + now[i] - last) + last;
            length += (now[i] - old[i]) * (now[i] - old[i]);
        }
        step[1] = step[0], step[0] = sqrt(length);
    } while (step[0] >= settings->tolerance && l < settings->max_iterations);
    iterate(&r, settings, now, lambda); // a plain one ends it: only then the law holds
    memcpy(v, r.star, (size_t)problem->n_dof * sizeof *v);
    cond_nodal_destroy(&r.nodal);
    free(r.A), free(r.w), free(r.star), free(now), free(old);
    return l;
}
