// The statements of the paper about the iteration: Thm. 1, Thm. 2, and that its fixed point does
// not depend on how it is reached.
#include "base/memory.h"
#include "dense.h"
#include "nodalize/nodal.h"
#include "random_problem.h"
#include "reference.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A = (2/t) M + (t/2) K of a net of particles with springs, contacts on the nodes.
typedef struct Particles {
    int n_node;
    double* mass;  //                                                         (n_node)
    double* K;     //                                                         (n x n)
    double* frame; // a contact on every node                                 (n_node x 9)
} Particles;

static Particles particles_make(uint64_t seed, int n_node)
{
    int n = 3 * n_node;
    Particles p = {n_node, dense_zeros((size_t)n_node), dense_zeros((size_t)n * n),
                   dense_zeros(9 * (size_t)n_node)};
    Random random = random_start(seed);
    for (int a = 0; a < n_node; a++) {
        p.mass[a] = random_uniform(&random, 0.5, 2.0);
        random_rotation(&random, p.frame + 9 * a);
        for (int b = 0; b < a; b++) { // a spring along a random direction
            double R[9], k = random_uniform(&random, 50.0, 150.0);
            random_rotation(&random, R);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int s = 0; s < 4; s++)
                        p.K[(3 * (s / 2 ? a : b) + i) * n + 3 * (s % 2 ? a : b) + j] +=
                            (s == 0 || s == 3 ? 1.0 : -1.0) * k * R[i] * R[j];
        }
    }
    return p;
}

// One step of V-FPI on nodes i (S-contact each): f(v) = v* + W Jc' lambda.
static void particle_step(const Particles* p, const double* A, const double* W, const double* b,
                          double mu, CondLaw law, const double* v, double* out)
{
    int n = 3 * p->n_node;
    double friction[2] = {mu, mu};
    dense_multiply(n, n, A, v, out);
    for (int i = 0; i < n; i++)
        out[i] = v[i] - W[i] * (out[i] - b[i]);
    for (int a = 0; a < p->n_node; a++) {
        const double* R = p->frame + 9 * a;
        double eta[3], lambda[3], *x = out + 3 * a;
        dense_multiply(3, 3, R, x, eta);
        cond_law_solve(law, friction, 0.0, W[3 * a], eta, lambda);
        for (int k = 0; k < 3; k++)
            x[k] += W[3 * a] * (R[k] * lambda[0] + R[3 + k] * lambda[1] + R[6 + k] * lambda[2]);
    }
}

// Thm. 1: for particles with springs, W = M^-1 t/2 and the strict law, V-FPI contracts once the
// step is short, because |I - W A| = (t^2/4) |M^-1 K|.
static void thm1_strict_contracts_for_short_steps(void** state)
{
    (void)state;
    enum { NODES = 6, N = 3 * NODES };
    Particles p = particles_make(1, NODES);
    double A[N * N], defect[N * N], W[N], b[N], v[2][N], f[2][N];
    double at_first = 0.0, factor = 0.0, mu = 1.0, zeta = 1.0 + sqrt(2.0 + mu * mu);
    Random random = random_start(11);
    for (double t = 0.4; t > 0.005; t *= 0.5) {
        for (int i = 0; i < N; i++) {
            W[i] = 0.5 * t / p.mass[i / 3];
            b[i] = random_uniform(&random, -3.0, 3.0) / W[i];
            for (int j = 0; j < N; j++) {
                A[i * N + j] = 0.5 * t * p.K[i * N + j] + (i == j) / W[i];
                defect[i * N + j] = (i == j) - W[i] * A[i * N + j];
            }
        }
        double norm = dense_norm2(N, defect), scaled = norm / (0.25 * t * t);
        at_first = at_first == 0.0 ? scaled : at_first;
        assert_true(fabs(scaled - at_first) < 1e-9 * at_first);
        factor = 0.0;
        for (int trial = 0; trial < 4000; trial++) {
            double apart = pow(10.0, random_uniform(&random, -4.0, 0.5));
            for (int i = 0; i < N; i++) {
                v[0][i] = random_uniform(&random, -2.0, 2.0);
                v[1][i] = v[0][i] + apart * random_uniform(&random, -1.0, 1.0);
            }
            for (int k = 0; k < 2; k++)
                particle_step(&p, A, W, b, mu, COND_LAW_STRICT, v[k], f[k]);
            factor = fmax(factor, dense_distance(N, f[0], f[1]) / dense_distance(N, v[0], v[1]));
        }
        assert_true(factor <= zeta * norm);
        if (t == 0.4)
            assert_true(factor > 1.0); // a long step does not contract
    }
    assert_true(factor < 0.05);
    free(p.mass);
    free(p.K);
    free(p.frame);
}

// f(v) of V-FPI for any problem whose contacts sit on nodes of their own, with diagonal W.
static void nodal_step(const CondNodal* nodal, const double* A, const double* w, const double* v,
                       double* out)
{
    const CondProblem* problem = nodal->problem;
    int n = nodal->n;
    dense_multiply(n, n, A, v, out);
    for (int i = 0; i < n; i++)
        out[i] = v[i] - w[i] * (out[i] - (i < nodal->n_dof ? problem->b[i] : 0.0));
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        const double* R = contact->frame;
        int i = nodal->node[2 * c], j = nodal->node[2 * c + 1];
        double relative_velocity[3], eta[3], lambda[3];
        for (int k = 0; k < 3; k++)
            relative_velocity[k] = out[i + k] - (j >= 0 ? out[j + k] : 0.0);
        dense_multiply(3, 3, R, relative_velocity, eta);
        for (int k = 0; k < 3; k++)
            eta[k] += contact->phi[k];
        cond_law_solve(COND_LAW_PROXIMAL, contact->friction, 0.0, w[i] + (j >= 0 ? w[j] : 0.0), eta,
                       lambda);
        for (int k = 0; k < 3; k++) {
            double force = R[k] * lambda[0] + R[3 + k] * lambda[1] + R[6 + k] * lambda[2];
            out[i + k] += w[i] * force;
            if (j >= 0)
                out[j + k] -= w[j] * force;
        }
    }
}

// Largest |1 - eigenvalue of W A|: the factor |I - W A| in the norm of W^-1.
static double weighted_defect(int n, const double* A, const double* w)
{
    double *S = dense_zeros((size_t)n * n), *values = dense_zeros((size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            S[(size_t)i * n + j] = sqrt(w[i]) * A[(size_t)i * n + j] * sqrt(w[j]);
    dense_eigenvalues(n, S, values);
    double defect = fmax(fabs(1.0 - values[0]), fabs(1.0 - values[n - 1]));
    free(S);
    free(values);
    return defect;
}

// Largest |f(x) - f(y)| / |x - y| in the norm of W^-1 over random pairs.
static double measured_factor(const CondNodal* nodal, const double* A, const double* w,
                              uint64_t seed)
{
    int n = nodal->n;
    double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n);
    double *fx = dense_zeros((size_t)n), *fy = dense_zeros((size_t)n), factor = 0.0;
    Random random = random_start(seed);
    for (int trial = 0; trial < 300; trial++) {
        double apart = pow(10.0, random_uniform(&random, -3.0, 1.0)), above = 0.0, below = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = random_uniform(&random, -2.0, 2.0);
            y[i] = x[i] + apart * random_uniform(&random, -1.0, 1.0);
        }
        nodal_step(nodal, A, w, x, fx);
        nodal_step(nodal, A, w, y, fy);
        for (int i = 0; i < n; i++) {
            above += (fx[i] - fy[i]) * (fx[i] - fy[i]) / w[i];
            below += (x[i] - y[i]) * (x[i] - y[i]) / w[i];
        }
        factor = fmax(factor, sqrt(above / below));
    }
    free(x);
    free(y);
    free(fx);
    free(fy);
    return factor;
}

// Thm. 2: with the proximal law V-FPI contracts at least as fast as |I - W A|: for W = alpha I
// from the spectrum, and in the norm of W^-1 for unequal weights, also on the two nodes of a
// D-contact.
static void thm2_proximal_contracts(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        RandomOptions options = random_options_default(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        CondNodal nodal = {.arena.context = cond_context_or_default(NULL)};
        assert_int_equal(cond_nodal_build(&nodal, &made.problem, 3.0), COND_OK);
        int n = nodal.n;
        double *A = dense_zeros((size_t)n * n), *w = dense_zeros((size_t)n);
        double *copy = dense_zeros((size_t)n * n), *values = dense_zeros((size_t)n);
        double* unit = dense_zeros((size_t)n);
        for (int j = 0; j < n; j++) {
            unit[j] = 1.0;
            cond_nodal_multiply(&nodal, unit, values, 1);
            for (int i = 0; i < n; i++)
                A[(size_t)i * n + j] = values[i];
            unit[j] = 0.0;
        }
        memcpy(copy, A, (size_t)n * n * sizeof *A);
        dense_eigenvalues(n, copy, values);
        double alpha = 2.0 / (values[0] + values[n - 1]);
        for (int i = 0; i < n; i++)
            w[i] = alpha;
        double bound = (values[n - 1] - values[0]) / (values[n - 1] + values[0]);
        assert_true(fabs(weighted_defect(n, A, w) - bound) < 1e-10);
        assert_true(bound < 1.0);
        assert_true(measured_factor(&nodal, A, w, seed) <= bound + 1e-12);
        Random random = random_start(seed); // unequal weights, one per group of three coordinates
        for (int i = 0; i < n; i += 3)
            w[i] = w[i + 1] = w[i + 2] = alpha * random_uniform(&random, 0.1, 0.9);
        bound = weighted_defect(n, A, w);
        assert_true(bound < 1.0);
        assert_true(measured_factor(&nodal, A, w, seed) <= bound + 1e-12);
        free(A);
        free(w);
        free(copy);
        free(values);
        free(unit);
        cond_nodal_destroy(&nodal);
        random_problem_free(&made);
    }
}

// The fixed point is the solution of the problem itself: the same for every surrogate and
// accelerator, from every start, and that of the dense reference.
static void fixed_point_is_consistent(void** state)
{
    (void)state;
    for (int law = 0; law < 2; law++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            RandomOptions options = random_options_default(seed);
            options.friction = 0.4;
            RandomProblem made;
            random_problem_make(&options, &made);
            int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
            double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
            double *v_ref = dense_zeros((size_t)n), *u_ref = dense_zeros((size_t)m);
            double* lambda_ref = dense_zeros((size_t)m);
            assert_true(reference_solve(&made.problem, (CondLaw)law, 0.0, v_ref, u_ref,
                                        lambda_ref) < 1e-13);
            Random random = random_start(seed);
            for (int kind = 0; kind <= COND_SURROGATE_BLOCK; kind++)
                for (int accelerator = 0; accelerator < 3; accelerator++) {
                    CondSolverSettings settings = cond_solver_settings_default();
                    settings.law = (CondLaw)law;
                    settings.surrogate = (CondSurrogateKind)kind;
                    settings.accelerator = (CondAcceleratorKind)accelerator;
                    settings.tolerance = 1e-10;
                    settings.fallback = 0;
                    settings.kv_scale = 3.0;
                    settings.max_iterations = 40000;
                    if (cond_solver_settings_check(&settings, NULL))
                        continue;
                    for (int i = 0; i < n; i++)
                        v[i] = random_uniform(&random, -3.0, 3.0);
                    for (int i = 0; i < m; i++)
                        lambda[i] = random_uniform(&random, -3.0, 3.0);
                    CondSolveInfo info;
                    CondStatus status = verifier_solve(&made.problem, &settings, v, lambda, &info);
                    assert_int_equal(status, COND_OK);
                    assert_true(dense_distance(n, v, v_ref) < 1e-7 * dense_norm(n, v_ref));
                }
            free(v);
            free(lambda);
            free(v_ref);
            free(u_ref);
            free(lambda_ref);
            random_problem_free(&made);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thm1_strict_contracts_for_short_steps),
        cmocka_unit_test(thm2_proximal_contracts),
        cmocka_unit_test(fixed_point_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
