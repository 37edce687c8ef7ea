// The nodalized system against dense algebra: Prop. 1, Prop. 3, eq. (15), and the parts of A.
#include "base/memory.h"
#include "dense.h"
#include "nodalize/nodalize.h"
#include "random_problem.h"
#include "verifier.h"
#include "vfpi/surrogate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 12 };

// A of the view, row by row.
static double* nodal_matrix(CondNodal* nodal)
{
    int n = nodal->n;
    double* A = dense_zeros((size_t)n * n);
    int *list = calloc((size_t)n + 1, sizeof *list), *mark = calloc((size_t)n + 1, sizeof *mark);
    assert_true(list && mark);
    for (int i = 0; i < n; i++) {
        int count = cond_nodal_row(nodal, i, A + (size_t)i * n, list, mark);
        assert_in_range(count, 1, n);
        for (int k = 0; k < count; k++) {
            assert_int_equal(mark[list[k]], 0);
            for (int l = 0; l < k; l++)
                assert_int_not_equal(list[k], list[l]);
        }
        for (int j = 0, listed = 0; j < n; j++) { // nothing outside the list
            for (int k = 0; k < count; k++)
                listed += list[k] == j;
            if (A[(size_t)i * n + j] != 0.0)
                assert_true(listed > 0);
        }
    }
    free(list);
    free(mark);
    return A;
}

typedef struct Case {
    RandomProblem made;
    CondNodal nodal;
    double* A; // of the view                                                 (n x n)
} Case;

static void case_make(uint64_t seed, Case* out)
{
    RandomOptions options = random_options_default(seed);
    random_problem_make(&options, &out->made);
    out->nodal = (CondNodal){.arena.context = cond_context_or_default(NULL)};
    CondError error = {0};
    if (cond_problem_check(NULL, &out->made.problem, &error))
        fail_msg("%s", error.message);
    assert_int_equal(cond_nodal_build(&out->nodal, &out->made.problem, 7.0), COND_OK);
    out->A = nodal_matrix(&out->nodal);
}

static void case_free(Case* made)
{
    free(made->A);
    cond_nodal_destroy(&made->nodal);
    random_problem_free(&made->made);
}

// kv that the view uses for a contact.
static double tie_gain(const CondProblem* problem, int c, const double* diagonal)
{
    const CondContact* contact = &problem->contact[c];
    return contact->kv < INFINITY ? contact->kv : 7.0 / cond_contact_delassus(contact, diagonal);
}

// Eq. (13), put together from the dense A of the problem: ties between points and virtual nodes.
static double* expected_matrix(const Case* at)
{
    const CondProblem* problem = &at->made.problem;
    int n = at->nodal.n, n_dof = problem->n_dof, node = n_dof;
    double *A = dense_zeros((size_t)n * n), *Ao = dense_zeros((size_t)n_dof * n_dof);
    double* d = dense_zeros((size_t)n_dof);
    dense_problem_matrix(problem, Ao);
    for (int i = 0; i < n_dof; i++) {
        d[i] = Ao[(size_t)i * n_dof + i];
        memcpy(A + (size_t)i * n, Ao + (size_t)i * n_dof, (size_t)n_dof * sizeof *A);
    }
    for (int c = 0; c < problem->n_contact; c++)
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &problem->contact[c].side[s];
            int at_node = at->nodal.node[2 * c + s];
            if (at_node < n_dof)
                continue;
            assert_int_equal(at_node, node);
            node += 3;
            double kv = tie_gain(problem, c, d);
            CondContact point = {.side = {*side}, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            double* Jv = dense_zeros(3 * (size_t)n_dof);
            dense_contact_jacobian(&point, n_dof, Jv);
            for (int r = 0; r < 3; r++) {
                A[(size_t)(at_node + r) * n + at_node + r] += kv;
                for (int i = 0; i < n_dof; i++) {
                    A[(size_t)(at_node + r) * n + i] -= kv * Jv[r * n_dof + i];
                    A[(size_t)i * n + at_node + r] -= kv * Jv[r * n_dof + i];
                    for (int j = 0; j < n_dof; j++)
                        A[(size_t)i * n + j] += kv * Jv[r * n_dof + i] * Jv[r * n_dof + j];
                }
            }
            free(Jv);
        }
    assert_int_equal(node, n);
    free(Ao);
    free(d);
    return A;
}

// Prop. 1: A of the nodalized system is symmetric positive definite; and it is eq. (15).
static void prop1_nodalized_matrix_is_positive_definite(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Case at;
        case_make(seed, &at);
        int n = at.nodal.n;
        double* expected = expected_matrix(&at);
        double largest = dense_largest(n * n, expected);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double a = at.A[(size_t)i * n + j];
                assert_true(fabs(a - at.A[(size_t)j * n + i]) <= 1e-14 * largest);
                assert_true(fabs(a - expected[(size_t)i * n + j]) <= 1e-13 * largest);
            }
        assert_true(dense_cholesky(n, at.A));
        free(expected);
        case_free(&at);
    }
}

// The product of the view is the product with its rows, for any number of threads.
static void product_is_the_dense_product(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Case at;
        case_make(seed, &at);
        Random random = random_start(seed);
        int n = at.nodal.n;
        double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n);
        double* expected = dense_zeros((size_t)n);
        for (int i = 0; i < n; i++)
            x[i] = random_uniform(&random, -1.0, 1.0);
        dense_multiply(n, n, at.A, x, expected);
        for (int threads = 0; threads < 3; threads++) {
            cond_nodal_multiply(&at.nodal, x, y, threads);
            assert_true(dense_distance(n, y, expected) <= 1e-13 * dense_norm(n, expected));
        }
        // Virtual nodes that move with their points carry no force: A v is A0 v (eq. (18)).
        cond_nodal_lift(&at.nodal, x);
        cond_nodal_multiply(&at.nodal, x, y, 1);
        cond_problem_multiply(&at.made.problem, x, expected);
        for (int i = 0; i < n; i++)
            assert_true(fabs(y[i] - (i < at.nodal.n_dof ? expected[i] : 0.0)) < 1e-11);
        free(x);
        free(y);
        free(expected);
        case_free(&at);
    }
}

// The public products of a problem against its dense matrices.
static void problem_products_are_dense_products(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Case at;
        case_make(seed, &at);
        const CondProblem* problem = &at.made.problem;
        Random random = random_start(seed + 100);
        int n = problem->n_dof;
        double *A = dense_zeros((size_t)n * n), *J = dense_zeros(3 * (size_t)n);
        double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n),
               *z = dense_zeros((size_t)n);
        dense_problem_matrix(problem, A);
        for (int i = 0; i < n; i++)
            x[i] = random_uniform(&random, -1.0, 1.0);
        dense_multiply(n, n, A, x, y);
        cond_problem_multiply(problem, x, z);
        assert_true(dense_distance(n, y, z) <= 1e-13 * dense_norm(n, y));
        double* d = dense_zeros((size_t)n);
        cond_problem_diagonal(problem, d);
        for (int i = 0; i < n; i++)
            assert_true(fabs(d[i] - A[(size_t)i * n + i]) <= 1e-13 * d[i]);
        for (int c = 0; c < problem->n_contact; c++) {
            const CondContact* contact = &problem->contact[c];
            double u[3], expected[3], lambda[3] = {1.5, -0.5, 0.25}, trace = 0.0;
            dense_contact_jacobian(contact, n, J);
            dense_multiply(3, n, J, x, expected);
            cond_contact_velocity(contact, x, u);
            for (int r = 0; r < 3; r++)
                assert_true(fabs(u[r] - expected[r] - contact->phi[r]) < 1e-13);
            memset(z, 0, (size_t)n * sizeof *z);
            cond_contact_add_force(contact, 2.0, lambda, z);
            for (int i = 0; i < n; i++) {
                double f = J[i] * 1.5 - J[n + i] * 0.5 + J[2 * n + i] * 0.25;
                assert_true(fabs(z[i] - 2.0 * f) < 1e-13);
            }
            for (int s = 0; s < 2; s++) { // sides that share coordinates are summed apart
                CondContact half = {.side = {contact->side[s]}};
                memcpy(half.frame, contact->frame, sizeof half.frame);
                dense_contact_jacobian(&half, n, J);
                for (int i = 0; i < 3 * n; i++)
                    trace += J[i] * J[i] / d[i % n];
            }
            assert_true(fabs(cond_contact_delassus(contact, d) - trace / 3.0) < 1e-13 * trace);
        }
        free(A);
        free(J);
        free(x);
        free(y);
        free(z);
        free(d);
        case_free(&at);
    }
}

// Contacts act on nodes of their own; all other sides get virtual ones.
static void nodes_belong_to_one_contact(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Case at;
        case_make(seed, &at);
        const CondProblem* problem = &at.made.problem;
        int nc = problem->n_contact;
        int *mine = calloc((size_t)nc + 1, sizeof *mine),
            *theirs = calloc((size_t)nc + 1, sizeof *theirs);
        int* owner = calloc((size_t)at.nodal.n + 1, sizeof *owner);
        assert_true(mine && theirs && owner);
        assert_int_equal(verifier_virtual_sides(problem, mine), at.nodal.n_virtual);
        assert_int_equal(cond_problem_virtual_sides(NULL, problem, theirs), COND_OK);
        assert_memory_equal(mine, theirs, (size_t)nc * sizeof *mine);
        for (int c = 0; c < nc; c++) {
            const CondContact* contact = &problem->contact[c];
            int virtual_sides = 0;
            for (int s = 0; s < 2; s++) {
                int node = at.nodal.node[2 * c + s];
                assert_true((node < 0) == (contact->side[s].n_coordinate == 0));
                virtual_sides += node >= at.nodal.n_dof;
                for (int k = 0; k < 3 && node >= 0; k++)
                    assert_int_equal(owner[node + k]++, 0);
            }
            assert_int_equal(virtual_sides, mine[c]);
            int infinite = !(contact->kv < INFINITY);
            assert_int_equal(at.nodal.carried[c], infinite && mine[c] > 0);
            double kv = tie_gain(problem, c, at.nodal.diagonal);
            assert_true(fabs(at.nodal.compliance[c] - mine[c] / kv) <= 1e-15 / kv);
        }
        free(mine);
        free(theirs);
        free(owner);
        case_free(&at);
    }
}

// Prop. 3: with every surrogate, Gamma_c = Jc W Jc' is gamma_c I for S- and D-contacts alike, and
// contacts do not meet: the 3 x 3 blocks off the diagonal vanish.
static void prop3_surrogate_delassus_is_diagonal(void** state)
{
    (void)state;
    for (int kind = 0; kind <= COND_SURROGATE_BLOCK; kind++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Case at;
            case_make(seed, &at);
            const CondProblem* problem = &at.made.problem;
            int n = at.nodal.n, m = 3 * problem->n_contact;
            CondSolverSettings settings = cond_solver_settings_default();
            settings.surrogate = (CondSurrogateKind)kind;
            CondSurrogate W = {.arena.context = at.nodal.arena.context};
            assert_int_equal(cond_surrogate_build(&W, &at.nodal, &settings), COND_OK);
            double *J = dense_zeros((size_t)m * n), *zero = dense_zeros((size_t)n);
            double *WJ = dense_zeros((size_t)m * n), *f = dense_zeros((size_t)n);
            for (int i = 0; i < m; i++) { // rows of Jc on the nodes, and W Jc' through the operator
                const int* node = at.nodal.node + 2 * (i / 3);
                const double* R = problem->contact[i / 3].frame + 3 * (i % 3);
                for (int k = 0; k < 3; k++)
                    for (int s = 0; s < 2; s++)
                        if (node[s] >= 0)
                            J[(size_t)i * n + node[s] + k] = s == 0 ? R[k] : -R[k];
                for (int k = 0; k < n; k++)
                    f[k] = -J[(size_t)i * n + k];
                cond_surrogate_apply(&W, &at.nodal, f, zero, WJ + (size_t)i * n, 1);
            }
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    const int* node = at.nodal.node + 2 * (i / 3);
                    double gamma = W.w[node[0]] + (node[1] >= 0 ? W.w[node[1]] : 0.0), sum = 0.0;
                    for (int k = 0; k < n; k++)
                        sum += J[(size_t)i * n + k] * WJ[(size_t)j * n + k];
                    assert_true(gamma > 0.0);
                    assert_true(fabs(sum - (i == j ? gamma : 0.0)) <= 1e-14 * gamma);
                }
            free(J);
            free(WJ);
            free(zero);
            free(f);
            cond_surrogate_destroy(&W);
            case_free(&at);
        }
}

// The same body as numbers and as 3x3 blocks is the same matrix.
static void sparse_kinds_are_the_same_matrix(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        RandomOptions options = random_options_default(seed);
        RandomProblem made[2];
        double* A[2];
        for (options.bsr3 = 0; options.bsr3 < 2; options.bsr3++) {
            int k = options.bsr3;
            random_problem_make(&options, &made[k]);
            assert_int_equal(cond_problem_check(NULL, &made[k].problem, NULL), COND_OK);
            assert_int_equal(made[k].problem.block[0].kind,
                             k ? COND_BLOCK_BSR3 : COND_BLOCK_SPARSE);
            CondNodal nodal = {.arena.context = cond_context_or_default(NULL)};
            assert_int_equal(cond_nodal_build(&nodal, &made[k].problem, 7.0), COND_OK);
            A[k] = nodal_matrix(&nodal);
            if (k == 1)
                assert_memory_equal(A[0], A[1], (size_t)nodal.n * nodal.n * sizeof *A[0]);
            cond_nodal_destroy(&nodal);
        }
        for (int k = 0; k < 2; k++) {
            free(A[k]);
            random_problem_free(&made[k]);
        }
    }
}

// Views of many problems in one memory, twice in a row, are those of each alone.
static void many_views_are_single_ones(void** state)
{
    (void)state;
    enum { N = 7 };
    Case one[N];
    CondProblem problem[N];
    CondNodalization all = {.n = 0};
    cond_nodalization_begin(NULL, &all);
    for (int i = 0; i < N; i++) {
        case_make((uint64_t)i + 1, &one[i]);
        problem[i] = one[i].made.problem;
    }
    for (int n = 1; n <= N; n += N - 1)
        for (int threads = 1; threads <= 2; threads++) {
            assert_int_equal(cond_nodalize(&all, n, problem, NULL, 7.0, threads), COND_OK);
            assert_int_equal(all.n, n);
            for (int i = 0; i < n; i++) {
                CondNodal* view = &all.view[i];
                assert_int_equal(view->n, one[i].nodal.n);
                assert_memory_equal(view->delassus, one[i].nodal.delassus,
                                    (size_t)problem[i].n_contact * sizeof *view->delassus);
                for (int again = 0; again < 2; again++) // once is enough
                    cond_nodal_complete(view);
                assert_memory_equal(view->node, one[i].nodal.node,
                                    2 * (size_t)problem[i].n_contact * sizeof *view->node);
                double* A = nodal_matrix(view);
                assert_memory_equal(A, one[i].A, (size_t)view->n * view->n * sizeof *A);
                free(A);
            }
        }
    for (int i = 0; i < N; i++)
        case_free(&one[i]);
    cond_nodalization_end(&all);
}

// Threads find the sides that come first as one does, also where sides share coordinates in part.
static void threads_find_the_same_own_nodes(void** state)
{
    (void)state;
    enum { N = 9000, NC = 8000 };
    for (int aligned = 0; aligned < 2; aligned++) {
        Random random = random_start(7 + (uint64_t)aligned);
        CondContact* contact = calloc(NC, sizeof *contact);
        int *coordinate = calloc(6 * NC, sizeof *coordinate), *own[2],
            *mark = calloc(N, sizeof *mark);
        for (int k = 0; k < 2; k++)
            own[k] = calloc(2 * NC, sizeof *own[k]);
        for (int side = 0; side < 2 * NC; side++) {
            int node = (int)(random_uniform(&random, 0.0, 1.0) * (N / 3 - 1));
            for (int k = 0; k < 3; k++)
                coordinate[3 * side + k] = 3 * node + k + (aligned ? 0 : side % 3);
            contact[side / 2].side[side % 2] =
                (CondSide){.n_coordinate = side % 5 ? 3 : 0, .coordinate = coordinate + 3 * side};
        }
        CondProblem problem = {.n_dof = N, .n_contact = NC, .contact = contact};
        cond_nodal_own_sides(&problem, 1, mark, own[0]);
        cond_nodal_own_sides(&problem, 4, mark, own[1]);
        assert_memory_equal(own[0], own[1], 2 * NC * sizeof *own[0]);
        free(contact), free(coordinate), free(mark), free(own[0]), free(own[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop1_nodalized_matrix_is_positive_definite),
        cmocka_unit_test(prop3_surrogate_delassus_is_diagonal),
        cmocka_unit_test(product_is_the_dense_product),
        cmocka_unit_test(problem_products_are_dense_products),
        cmocka_unit_test(nodes_belong_to_one_contact),
        cmocka_unit_test(sparse_kinds_are_the_same_matrix),
        cmocka_unit_test(many_views_are_single_ones),
        cmocka_unit_test(threads_find_the_same_own_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
