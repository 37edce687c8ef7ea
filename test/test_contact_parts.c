// Contact forces added up by parts of the coordinates: the same bits as one contact after the
// other, and the same certificate, for any number of threads.
#include "dense.h"
#include "law/certificate.h"
#include "nodalize/nodal.h"
#include "problem/contact_parts.h"
#include "random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

// Of several parts: contacts on nodes, on points of several, and on bodies far apart.
static void make(uint64_t seed, RandomProblem* made)
{
    RandomOptions options = random_options_default(seed);
    options.n_cloth = 3;
    options.bsr3 = 1;
    options.cloth_nodes = 900; // work enough for several threads
    options.n_contact = 100;
    options.second = 1;
    options.general = 1;
    random_problem_make(&options, made);
    assert_true(made->problem.n_dof > 3 * COND_SUM_BLOCK);
}

static double* make_forces(const CondProblem* problem, uint64_t seed)
{
    Random random = random_start(seed);
    double* lambda = dense_zeros(3 * (size_t)problem->n_contact);
    for (int i = 0; i < 3 * problem->n_contact; i++)
        lambda[i] = random_uniform(&random, -1.0, 1.0);
    return lambda;
}

static void forces_are_those_of_each_contact(void** state)
{
    (void)state;
    CondContactParts parts = {.arena.context = cond_context_or_default(NULL)};
    for (uint64_t seed = 1; seed <= 5; seed++) { // one object serves all
        RandomProblem made;
        make(seed, &made);
        const CondProblem* problem = &made.problem;
        size_t n = (size_t)problem->n_dof;
        double* lambda = make_forces(problem, seed);
        double *expected = dense_zeros(n), *f = dense_zeros(n);
        for (int c = 0; c < problem->n_contact; c++)
            cond_contact_add_force(&problem->contact[c], -0.7, lambda + (ptrdiff_t)3 * c, expected);
        assert_int_equal(cond_contact_parts_build(&parts, problem, 1), COND_OK);
        int work = cond_contact_parts_work(&parts);
        for (int share = 1; share <= 5; share++) { // the work in so many shares, the last one first
            memset(f, 0, n * sizeof *f);
            for (int k = share - 1; k >= 0; k--) {
                CondPartRange range =
                    cond_contact_parts_range(&parts, work * k / share, work * (k + 1) / share);
                for (int part = range.first; part < range.last; part++)
                    cond_contact_parts_add(&parts, part, -0.7, lambda, f);
            }
            assert_memory_equal(f, expected, n * sizeof *f);
        }
        free(lambda);
        free(expected);
        free(f);
        random_problem_free(&made);
    }
    cond_contact_parts_destroy(&parts);
}

// Packed contacts and others: the same bits as those of one contact, for any range of them.
static void velocities_are_those_of_each_contact(void** state)
{
    (void)state;
    CondContactParts parts = {.arena.context = cond_context_or_default(NULL)};
    int packed = 0, other = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        RandomProblem made;
        make(seed, &made);
        const CondProblem* problem = &made.problem;
        int nc = problem->n_contact;
        Random random = random_start(seed + 20);
        double *x = dense_zeros((size_t)problem->n_dof), *u = dense_zeros(3 * (size_t)nc);
        for (int i = 0; i < problem->n_dof; i++)
            x[i] = random_uniform(&random, -1.0, 1.0);
        assert_int_equal(cond_contact_parts_build(&parts, problem, 1), COND_OK);
        for (int first = 0, last; first < nc; first = last) {
            last = first + 1 + (7 * first + (int)seed) % 5;
            last = last < nc ? last : nc;
            cond_contact_rows_velocity(&parts.rows, problem->contact, x, first, last,
                                       u + (ptrdiff_t)3 * first);
        }
        for (int c = 0; c < nc; c++) {
            double expected[3];
            cond_contact_velocity(&problem->contact[c], x, expected);
            assert_memory_equal(u + (ptrdiff_t)3 * c, expected, sizeof expected);
            packed += parts.rows.at[c] >= 0;
            other += parts.rows.at[c] < 0;
        }
        free(x);
        free(u);
        random_problem_free(&made);
    }
    assert_true(packed > 20 && other > 20);
    cond_contact_parts_destroy(&parts);
}

static void certificate_is_the_same(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        RandomProblem made;
        CondNodal nodal = {.arena.context = context};
        CondContactParts parts = {.arena.context = context};
        make(seed, &made);
        const CondProblem* problem = &made.problem;
        int n = problem->n_dof;
        double *lambda = make_forces(problem, seed), *v = dense_zeros((size_t)n);
        double* work = dense_zeros(2 * (size_t)n);
        Random random = random_start(seed + 10);
        for (int i = 0; i < n; i++)
            v[i] = random_uniform(&random, -1.0, 1.0);
        assert_int_equal(cond_nodal_build(&nodal, problem, 1.0), COND_OK);
        assert_int_equal(cond_contact_parts_build(&parts, problem, 1), COND_OK);
        CondCertificateData data = {.problem = problem,
                                    .diagonal = nodal.diagonal,
                                    .delassus = nodal.delassus,
                                    .bounded = nodal.bounded,
                                    .compliance = nodal.compliance,
                                    .carried = nodal.carried};
        CondCertificate plain = cond_certificate_compute(&data, v, lambda, work);
        cond_certificate_detail(&data, v, lambda, &plain);
        assert_true(plain.cone > 0.0);
        data.parts = &parts;
        for (data.threads = 0; data.threads <= 4; data.threads++) {
            CondCertificate other = cond_certificate_compute(&data, v, lambda, work);
            cond_certificate_detail(&data, v, lambda, &other);
            assert_true(other.dynamics == plain.dynamics);
            assert_true(other.contact == plain.contact);
            assert_true(other.penetration == plain.penetration);
            assert_true(other.cone == plain.cone);
            assert_true(other.angle == plain.angle);
            assert_int_equal(other.worst_contact, plain.worst_contact);
        }
        free(lambda);
        free(v);
        free(work);
        cond_nodal_destroy(&nodal);
        cond_contact_parts_destroy(&parts);
        random_problem_free(&made);
    }
}

// The same lists by several threads, which share out the contacts.
static void threads_build_the_same(void** state)
{
    (void)state;
    enum { N = 6000, NC = 6000 }; // more than one share
    static const double J[18] = {1, 0, 0, 3, 4, 5, 0, 1, 0, 6, 7, 8, 0, 0, 1, 9, 1, 2};
    Random random = random_start(3);
    CondContact* contact = calloc(NC, sizeof *contact);
    int* coordinate = calloc(12 * (size_t)NC, sizeof *coordinate);
    for (int side = 0; side < 2 * NC; side++) { // nodes, rigid bodies, and the world
        int body = random_int(&random, N / 6), n = side % 4 == 3 ? 0 : side % 3 ? 6 : 3;
        for (int k = 0; k < 6; k++)
            coordinate[6 * side + k] = 6 * body + k;
        contact[side / 2].side[side % 2] = (CondSide){.n_coordinate = n,
                                                      .coordinate = coordinate + 6 * (size_t)side,
                                                      .jacobian = n == 6 ? J : NULL};
    }
    CondProblem problem = {.n_dof = N, .n_contact = NC, .contact = contact};
    CondContactParts one = {.arena.context = cond_context_or_default(NULL)},
                     four = {.arena.context = one.arena.context};
    assert_int_equal(cond_contact_parts_build(&one, &problem, 1), COND_OK);
    assert_int_equal(cond_contact_parts_build(&four, &problem, 4), COND_OK);
    assert_int_equal(one.n_part, four.n_part);
    assert_int_equal(one.rows.n_row, four.rows.n_row);
    assert_memory_equal(one.begin, four.begin, ((size_t)one.n_part + 1) * sizeof *one.begin);
    assert_memory_equal(one.contact, four.contact,
                        (size_t)one.begin[one.n_part] * sizeof *one.contact);
    assert_memory_equal(one.rows.at, four.rows.at, NC * sizeof *one.rows.at);
    for (int part = 0; part < one.n_part; part++) // ascending, each once
        for (int k = one.begin[part] + 1; k < one.begin[part + 1]; k++)
            assert_true(one.contact[k - 1] < one.contact[k]);
    assert_memory_equal(one.rows.row, four.rows.row, (size_t)one.rows.n_row * sizeof *one.rows.row);
    assert_in_range(one.rows.n_row, NC / 8, NC);
    cond_contact_parts_destroy(&one);
    cond_contact_parts_destroy(&four);
    free(contact);
    free(coordinate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_each_contact),
        cmocka_unit_test(velocities_are_those_of_each_contact),
        cmocka_unit_test(certificate_is_the_same),
        cmocka_unit_test(threads_build_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
