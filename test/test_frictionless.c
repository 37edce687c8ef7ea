// Contacts without friction by conjugate gradients on their forces: random problems with redundant
// contacts against the independent verifier and the solver, which goes on where they miss, islands,
// what is not served, contacts that contradict each other, memory that runs out.
#include "base/memory.h"
#include "dense.h"
#include "failing_allocator.h"
#include "random_problem.h"
#include "strategy/frictionless.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REPEAT = 3, MOST = 5000 };

// A problem with every contact three times, b = 0, and its answer.
typedef struct Case {
    RandomProblem made;
    CondProblem problem;
    CondContact* contact;
    double *b, *v, *lambda;
} Case;

static void case_make(uint64_t seed, int n_contact, Case* out)
{
    RandomOptions options = random_options_default(seed);
    options.n_cloth = options.n_coupling = 0;
    options.n_rigid = 6;
    options.n_particle = 3;
    options.n_contact = n_contact;
    options.general = options.second = 1;
    options.friction = 0.0;
    random_problem_make(&options, &out->made);
    CondProblem* problem = &out->problem;
    *problem = out->made.problem;
    int n = REPEAT * problem->n_contact;
    out->contact = malloc((size_t)n * sizeof *out->contact);
    for (int c = 0; c < n; c++) {
        CondContact* contact = &out->contact[c];
        *contact = problem->contact[c % problem->n_contact];
        contact->kv = INFINITY;
        contact->friction[0] = contact->friction[1] = 0.0;
    }
    out->b = dense_zeros((size_t)problem->n_dof);
    out->v = dense_zeros((size_t)problem->n_dof);
    out->lambda = dense_zeros(3 * (size_t)n);
    problem->n_contact = n;
    problem->contact = out->contact;
    problem->b = out->b;
}

static void case_free(Case* made)
{
    free(made->contact), free(made->b), free(made->v), free(made->lambda);
    random_problem_free(&made->made);
}

static CondStatus solve(Case* at, double tolerance, int max_products, CondSolveInfo* info)
{
    CondFrictionless f;
    cond_frictionless_begin(NULL, &f);
    CondStatus status = cond_frictionless_solve(&f, &at->problem, COND_LAW_STRICT, tolerance,
                                                max_products, at->v, at->lambda, info);
    cond_frictionless_end(&f);
    return status;
}

// The answer is certified, and the motion, which is unique, is the solver's.
static void random_problems(void** state)
{
    (void)state;
    int served = 0, missed = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Case at;
        case_make(seed, 4 + (int)(seed % 12), &at);
        CondSolveInfo info, other;
        if (!cond_frictionless_serves(&at.problem)) { // some sides are parts of bodies
            case_free(&at);
            continue;
        }
        served++;
        int few = seed % 2 == 0; // so that the solver takes over
        CondStatus status = solve(&at, 1e-8, few ? 3 : MOST, &info);
        assert_true(status == COND_OK || (few && status == COND_NOT_CONVERGED));
        assert_int_equal(info.solved_by, status ? COND_BY_NONE : COND_BY_NEWTON);
        verifier_check_certificate(&at.problem, COND_LAW_STRICT, 0.0, at.v, at.lambda,
                                   &info.certificate);
        if (status) {
            CondSolverSettings own = cond_solver_settings_default();
            assert_int_equal(verifier_solve(&at.problem, &own, at.v, at.lambda, &info), COND_OK);
            missed++;
        }
        assert_true(cond_certificate_residual(&info.certificate) <= 1e-8);
        CondSolverSettings settings = cond_solver_settings_default();
        settings.tolerance = 1e-9;
        size_t n = (size_t)at.problem.n_dof;
        double *v = dense_zeros(n), *lambda = dense_zeros(3 * (size_t)at.problem.n_contact);
        double most = 0.0, apart = 0.0;
        assert_int_equal(verifier_solve(&at.problem, &settings, v, lambda, &other), COND_OK);
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, fabs(v[i]));
            apart = fmax(apart, fabs(v[i] - at.v[i]));
        }
        assert_true(apart <= 1e-5 * most);
        free(v), free(lambda);
        case_free(&at);
    }
    assert_true(served >= 20 && missed >= 10);
}

// Cubes on the ground and on each other: n bodies of six coordinates, mass 1 and inertia 0.1,
// contacts at the corners of their faces, the k-th pressed in by depth[k].
enum { TOWER = 4 };
typedef struct Tower {
    double M[36], J[2][4][18];
    int coordinate[TOWER][6];
    CondBlock block[TOWER];
    CondContact contact[4 * TOWER];
    double b[6 * TOWER];
    CondProblem problem;
} Tower;

static void tower_make(const double depth[TOWER], Tower* t)
{
    memset(t, 0, sizeof *t);
    for (int i = 0; i < 6; i++)
        t->M[7 * i] = i < 3 ? 1.0 : 0.1;
    for (int s = 0; s < 2; s++) // of the lower face (0), of the upper face (1): [I, -[r]x]
        for (int k = 0; k < 4; k++) {
            double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5, z = s ? 0.5 : -0.5;
            const double J[18] = {1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0};
            memcpy(t->J[s][k], J, sizeof J);
        }
    for (int b = 0; b < TOWER; b++) {
        t->block[b] =
            (CondBlock){.kind = COND_BLOCK_DENSE, .dof_begin = 6 * b, .n_dof = 6, .values = t->M};
        for (int i = 0; i < 6; i++)
            t->coordinate[b][i] = 6 * b + i;
        for (int k = 0; k < 4; k++)
            t->contact[4 * b + k] = (CondContact){
                .side[0] = {6, t->coordinate[b], t->J[0][k]},
                .side[1] = {b > 0 ? 6 : 0, b > 0 ? t->coordinate[b - 1] : NULL, t->J[1][k]},
                .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                .phi = {-depth[b], 0, 0},
                .kv = INFINITY};
    }
    t->problem = (CondProblem){.n_dof = 6 * TOWER,
                               .n_block = TOWER,
                               .n_contact = 4 * TOWER,
                               .block = t->block,
                               .contact = t->contact,
                               .b = t->b};
}

// The lowest of four is 1 in the ground: all rise by 1, and with other depths by their sums, since
// what is above weighs nothing in a position problem but must give way. Two towers are two islands:
// the answer to each is the same to the last bit.
static void towers(void** state)
{
    (void)state;
    Tower t;
    CondFrictionless f;
    CondSolveInfo info;
    double v[6 * TOWER], lambda[12 * TOWER], alone[6 * TOWER];
    const double depth[TOWER] = {1.0, 0.0, 0.5, 0.0};
    cond_frictionless_begin(NULL, &f);
    tower_make(depth, &t);
    assert_true(cond_frictionless_serves(&t.problem));
    assert_int_equal(
        cond_frictionless_solve(&f, &t.problem, COND_LAW_STRICT, 1e-10, MOST, v, lambda, &info),
        COND_OK);
    for (int b = 0; b < TOWER; b++)
        assert_true(fabs(v[6 * b + 2] - (b < 2 ? 1.0 : 1.5)) <= 1e-9);
    assert_true(info.iterations > 0 && info.cg_iterations == info.iterations);
    // the third stands on the ground of its own
    for (int k = 0; k < 4; k++)
        t.contact[8 + k].side[1].n_coordinate = 0;
    assert_int_equal(
        cond_frictionless_solve(&f, &t.problem, COND_LAW_STRICT, 1e-10, MOST, v, lambda, &info),
        COND_OK);
    t.problem.n_contact = 8;
    assert_int_equal(
        cond_frictionless_solve(&f, &t.problem, COND_LAW_STRICT, 1e-10, MOST, alone, lambda, &info),
        COND_OK);
    assert_memory_equal(v, alone, 12 * sizeof *v);
    assert_true(fabs(v[14] - 0.5) <= 1e-9 && alone[14] == 0.0);
    cond_frictionless_end(&f);
}

// What is not served, each by one thing.
static void not_served(void** state)
{
    (void)state;
    const double depth[TOWER] = {1.0, 0.0, 0.0, 0.0};
    const double one = 1.0;
    const int zero = 0;
    const CondCoupling coupling = {1, 1, &zero, &one, &one};
    for (int k = 0; k < 7; k++) {
        Tower t;
        tower_make(depth, &t);
        CondContact* contact = &t.contact[5];
        if (k == 0)
            contact->friction[0] = contact->friction[1] = 0.1;
        if (k == 1)
            contact->kv = 1e3;
        if (k == 2)
            contact->set = COND_FORCE_INTERVAL;
        if (k == 3)
            t.b[3] = 1.0;
        if (k == 4)
            t.block[2].kind = COND_BLOCK_TRIDIAGONAL;
        if (k == 5)
            t.problem.n_coupling = 1, t.problem.coupling = &coupling;
        if (k == 6)
            contact->side[0].n_coordinate = 3, contact->side[0].jacobian = NULL;
        assert_false(cond_frictionless_serves(&t.problem));
    }
}

// Held from below and from above by contacts that contradict each other: no answer, told as such,
// with finite numbers.
static void contradicted(void** state)
{
    (void)state;
    Tower t;
    CondFrictionless f;
    CondSolveInfo info;
    double v[6 * TOWER], lambda[12 * TOWER];
    const double depth[TOWER] = {1.0, 1.0, 0.0, 0.0};
    tower_make(depth, &t);
    for (int k = 0; k < 4; k++) { // the second pair: the same body under a lid
        t.contact[4 + k].side[0] = (CondSide){6, t.coordinate[0], t.J[1][k]};
        t.contact[4 + k].side[1] = (CondSide){0, NULL, NULL};
        t.contact[4 + k].frame[2] = -1.0;
        t.contact[4 + k].frame[7] = -1.0;
    }
    t.problem.n_contact = 8;
    cond_frictionless_begin(NULL, &f);
    assert_int_equal(
        cond_frictionless_solve(&f, &t.problem, COND_LAW_STRICT, 1e-8, 100, v, lambda, &info),
        COND_NOT_CONVERGED);
    assert_true(cond_certificate_residual(&info.certificate) > 1e-8);
    for (int i = 0; i < 6 * TOWER; i++)
        assert_true(isfinite(v[i]));
    cond_frictionless_end(&f);
}

static void memory(void** state)
{
    (void)state;
    Tower t;
    double v[6 * TOWER], lambda[12 * TOWER];
    const double depth[TOWER] = {1.0, 0.0, 0.5, 0.0};
    tower_make(depth, &t);
    for (long fail = 1, done = 0; !done; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondContext context = failing_allocator_context(&allocator);
        CondFrictionless f;
        CondSolveInfo info;
        cond_frictionless_begin(&context, &f);
        CondStatus status =
            cond_frictionless_solve(&f, &t.problem, COND_LAW_STRICT, 1e-10, MOST, v, lambda, &info);
        done = allocator.calls < fail;
        assert_int_equal(status, done ? COND_OK : COND_OUT_OF_MEMORY);
        cond_frictionless_end(&f);
        assert_int_equal(allocator.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems), cmocka_unit_test(towers),
                                       cmocka_unit_test(not_served), cmocka_unit_test(contradicted),
                                       cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
