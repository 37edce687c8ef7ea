// The late rungs of the ladder: friction raised along a path, the proximal law for stubborn
// contacts only, and what is said of an answer that needed them.
#include "base/memory.h"
#include "dense.h"
#include "failing_allocator.h"
#include "random_problem.h"
#include "solve/ladder_part.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_CONTACT = 64 };

// Two sheets and what else random_problem makes, with much friction everywhere.
typedef struct Case {
    RandomProblem made;
    CondProblem problem;
    CondContact contact[MAX_CONTACT];
    double *v, *lambda;
} Case;

static void case_make(uint64_t seed, double friction, double stiffness, int repeat, Case* out)
{
    RandomOptions options = random_options_default(seed);
    options.anisotropic = 0;
    options.finite_kv = 0.0;
    options.n_cloth = 2;
    options.cloth_nodes = 20;
    options.bsr3 = 1;
    options.n_contact = 24;
    options.n_rigid = 2;
    options.friction = 0.3;
    random_problem_make(&options, &out->made);
    out->problem = out->made.problem;
    int n = out->problem.n_contact;
    assert_true(2 * n + 3 <= MAX_CONTACT);
    memcpy(out->contact, out->problem.contact, (size_t)n * sizeof *out->contact);
    for (int c = 0; c < n; c++)
        out->contact[c].friction[0] = out->contact[c].friction[1] = friction;
    for (int c = 0; c < (repeat ? n + 3 : 0); c++) { // all of them twice, the first five times
        out->contact[n + c] = out->contact[c < n ? c : 0];
        out->problem.n_contact++;
    }
    for (int c = 0; c < out->problem.n_contact; c++)
        out->contact[c].key = (uint64_t)c + 1;
    out->problem.contact = out->contact;
    for (int i = 0; i < out->problem.n_coupling; i++) {
        double* gain = (double*)out->problem.coupling[i].gain; // the case owns it
        int rows = out->problem.coupling[i].n_row;
        for (int k = 0; k < rows * rows; k++)
            gain[k] *= stiffness;
    }
    out->v = dense_zeros((size_t)out->problem.n_dof);
    out->lambda = dense_zeros(3 * MAX_CONTACT);
}

static void case_free(Case* out)
{
    free(out->v);
    free(out->lambda);
    random_problem_free(&out->made);
}

static CondSolverSettings settings_of(double tolerance)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = tolerance;
    settings.threads = 1;
    return settings;
}

// Problems at which everything before the path fails, and the path does not.
static void a_path_of_growing_friction_arrives(void** state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        double friction, stiffness;
    } hard[] = {{20163, 2.0, 1.0}, {20081, 8.0, 1.0}, {20122, 4.0, 1.0}};
    for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
        Case one = {0};
        case_make(hard[k].seed, hard[k].friction, hard[k].stiffness, 0, &one);
        CondSolverSettings settings = settings_of(1e-6);
        CondSolveInfo info;
        CondStatus status = verifier_solve(&one.problem, &settings, one.v, one.lambda, &info);
        if (status != COND_OK)
            fail_msg("seed %d: %s, residual %g", (int)hard[k].seed, cond_status_name(status),
                     cond_certificate_residual(&info.certificate));
        print_message("seed %d: %s\n", (int)hard[k].seed, cond_rung_name(info.rung));
        case_free(&one);
    }
}

// Where even the path fails, a contact or two are relaxed, and the verifier holds the solver to
// what it says of them; or else the answer is certified.
static void stubborn_contacts_are_relaxed_and_named(void** state)
{
    (void)state;
    static const uint64_t seed[] = {20069};
    for (size_t k = 0; k < sizeof seed / sizeof seed[0]; k++) {
        Case one = {0};
        case_make(seed[k], 8.0, 1e4, 0, &one);
        CondSolverSettings settings = settings_of(1e-6);
        CondSolveInfo info;
        verifier_solve(&one.problem, &settings, one.v, one.lambda, &info);
        print_message("seed %d: %s, residual %.1e, %d contacts relaxed\n", (int)seed[k],
                      cond_rung_name(info.rung), cond_certificate_residual(&info.certificate),
                      info.relaxed);
        assert_true(info.status == COND_OK || info.relaxed > 0);
        assert_true(info.relaxed <= one.problem.n_contact / 4);
        if (info.relaxed > 0) { // without leave to relax, the best answer under the strict law
            settings.relax = 0;
            memset(one.v, 0, (size_t)one.problem.n_dof * sizeof *one.v);
            memset(one.lambda, 0, 3 * MAX_CONTACT * sizeof *one.lambda);
            verifier_solve(&one.problem, &settings, one.v, one.lambda, &info);
            assert_int_equal(info.rung, COND_RUNG_NONE);
        }
        case_free(&one);
    }
}

// Some contacts strict and some relaxed: V-FPI, passes that factor and passes by conjugate
// gradients find the same motion.
static void mixed_laws_have_one_answer(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    for (uint64_t seed = 301; seed <= 304; seed++) {
        Case one = {0};
        case_make(seed, 0.3, 1.0, 0, &one);
        const CondProblem* problem = &one.problem;
        double* first = dense_zeros((size_t)problem->n_dof);
        int relaxed[MAX_CONTACT] = {0}, all = 100000;
        for (int c = 0; c < problem->n_contact; c++)
            relaxed[c] = c % 3 == 0;
        for (int way = 0; way < 3; way++) {
            CondSolverSettings settings = settings_of(1e-9);
            settings.max_iterations = all;
            CondLadder* s = cond_solver_vfpi.create(&context, &settings);
            CondSolveInfo info = {0};
            CondVfpiEnd end = COND_VFPI_LIMIT;
            assert_int_equal(cond_vfpi_begin(&s->vfpi, problem, &info), COND_OK);
            assert_int_equal(cond_answer_reserve(&context, problem, &s->best), COND_OK);
            assert_int_equal(cond_answer_reserve(&context, problem, &s->aside), COND_OK);
            assert_int_equal(cond_lagged_plan(&s->lagged, problem, &settings, &s->soft), COND_OK);
            assert_int_equal(cond_primal_dual_plan(&s->factored, problem, settings.law, &s->small),
                             COND_OK);
            assert_true(s->soft && s->small);
            cond_answer_set(problem, one.v, one.lambda, NULL, &s->best);
            assert_int_equal(cond_vfpi_relax(&s->vfpi, relaxed), COND_OK);
            CondStatus status = way == 0 ? cond_ladder_vfpi(s, all, settings.max_outer, &info, &end)
                                : way == 1 ? cond_ladder_factored(s, 200, &info, &end)
                                           : cond_ladder_usual(s, &info, &end);
            assert_int_equal(status, COND_OK);
            assert_int_equal(end, COND_VFPI_DONE);
            assert_true(verifier_relaxed_residual(problem, COND_LAW_STRICT, 0.0, relaxed, s->best.v,
                                                  s->best.lambda) <= 1.001e-9);
            CondCertificate strict =
                verifier_certificate(problem, COND_LAW_STRICT, 0.0, s->best.v, s->best.lambda);
            assert_true(cond_certificate_residual(&strict) > 1e-6); // another law indeed
            if (way == 0)
                memcpy(first, s->best.v, (size_t)problem->n_dof * sizeof *first);
            assert_true(dense_distance(problem->n_dof, first, s->best.v) <=
                        1e-6 * dense_norm(problem->n_dof, first));
            cond_solver_vfpi.destroy(s);
        }
        free(first);
        case_free(&one);
    }
}

// The method of multipliers, from zero and alone: it finds the motion that the passes find, which
// is unique, also where friction is large.
static void multipliers_find_the_convex_answer(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    for (uint64_t seed = 311; seed <= 316; seed++) {
        Case one = {0};
        case_make(seed, seed % 2 ? 0.5 : 4.0, 1.0, seed % 3 == 0, &one);
        const CondProblem* problem = &one.problem;
        CondSolverSettings settings = settings_of(1e-8);
        settings.law = COND_LAW_PROXIMAL;
        settings.max_iterations = 100000;
        CondLadder* s = cond_solver_vfpi.create(&context, &settings);
        CondSolveInfo info = {0};
        CondVfpiEnd end = COND_VFPI_LIMIT;
        assert_int_equal(cond_vfpi_begin(&s->vfpi, problem, &info), COND_OK);
        assert_int_equal(cond_answer_reserve(&context, problem, &s->best), COND_OK);
        assert_int_equal(cond_lagged_plan(&s->lagged, problem, &settings, &s->soft), COND_OK);
        assert_true(s->soft);
        cond_answer_set(problem, one.v, one.lambda, NULL, &s->best);
        assert_int_equal(cond_ladder_augmented(s, &info, &end), COND_OK);
        assert_int_equal(end, COND_VFPI_DONE);
        verifier_check_certificate(problem, COND_LAW_PROXIMAL, 0.0, s->best.v, s->best.lambda,
                                   &s->best.certificate);
        assert_true(s->best.residual <= 1e-8);
        assert_int_equal(verifier_solve(problem, &settings, one.v, one.lambda, &info), COND_OK);
        assert_true(dense_distance(problem->n_dof, one.v, s->best.v) <=
                    1e-5 * dense_norm(problem->n_dof, one.v));
        cond_solver_vfpi.destroy(s);
        case_free(&one);
    }
}

// A rod that slides on its tip: Painleve's. Under strong friction its acceleration has no solution
// or two, but the velocity of a step has: that of the tip that jams, with a force that grows as the
// step shrinks.
static void painleves_rod_is_certified(void** state)
{
    (void)state;
    static const double friction[] = {0.3, 1.0, 1.5, 2.0, 5.0, 10.0}, step = 1e-3;
    int jammed = 0;
    for (size_t f = 0; f < sizeof friction / sizeof friction[0]; f++)
        for (int tilt = 1; tilt <= 8; tilt++) { // of the rod against the ground, 10 .. 80 degrees
            double angle = tilt * acos(-1.0) / 18.0, half = 1.0, speed = 2.0, g = 9.81;
            double inertia = half * half / 3.0;
            // x forward, z up, y turns the rod; the tip is ahead of and below its centre
            double mass[9] = {1.0 / step, 0, 0, 0, 1.0 / step, 0, 0, 0, inertia / step};
            double b[3] = {speed / step, -g, 0.0};
            double arm[2] = {half * cos(angle), -half * sin(angle)};
            // rows x, y, z of the tip's velocity: (vx + w az, 0, vz - w ax)
            double J[9] = {1, 0, arm[1], 0, 0, 0, 0, 1, -arm[0]};
            int coordinate[3] = {0, 1, 2};
            CondBlock block = {COND_BLOCK_DENSE, 0, 3, mass, NULL, NULL, NULL};
            CondContact contact = {.side = {{3, coordinate, J}, {0, NULL, NULL}},
                                   .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                   .friction = {friction[f], friction[f]},
                                   .kv = INFINITY};
            CondProblem problem = {3, 1, 0, 1, &block, NULL, &contact, b};
            CondSolverSettings settings = settings_of(1e-9);
            double v[3] = {speed, 0.0, 0.0}, lambda[3] = {0.0};
            CondSolveInfo info;
            CondStatus status = verifier_solve(&problem, &settings, v, lambda, &info);
            if (status != COND_OK)
                fail_msg("mu %g, %d degrees: residual %g", friction[f], 10 * tilt,
                         cond_certificate_residual(&info.certificate));
            // N = g / (1/m + r (r - mu s)/I) has no solution where the bracket is negative
            double delassus = 1.0 + arm[0] * (arm[0] + friction[f] * arm[1]) / inertia;
            if (delassus < 0.0) {
                double u[3];
                cond_contact_velocity(&contact, v, u);
                assert_true(dense_norm(3, u) < 1e-7 * speed && lambda[0] > 5.0 * g);
                jammed++;
            }
        }
    assert_true(jammed > 5);
}

// A contact between a node and itself that is asked to open has no motion, under either law: the
// best answer stands and it is said that it is none, whatever allocation fails on the way there.
static void no_answer_is_said_and_costs_no_memory(void** state)
{
    (void)state;
    double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1.0, 0.5, 0.2};
    double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int coordinate[3] = {0, 1, 2};
    CondBlock block = {COND_BLOCK_DENSE, 0, 3, mass, NULL, NULL, NULL};
    CondContact contact = {.side = {{3, coordinate, J}, {3, coordinate, J}},
                           .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .friction = {2.0, 2.0},
                           .phi = {-1.0, 0.0, 0.0},
                           .kv = INFINITY};
    CondProblem problem = {3, 1, 0, 1, &block, NULL, &contact, b};
    CondSolverSettings settings = settings_of(1e-8);
    settings.max_iterations = 200;
    int done = 0;
    for (long fail_at = 1; !done; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondSolver* solver = NULL;
        CondError error;
        if (!cond_solver_create(&context, "vfpi", &settings, &solver, &error)) {
            double v[3] = {0.0}, lambda[3] = {0.0};
            CondSolveInfo info;
            CondStatus status = cond_solver_solve(solver, &problem, v, lambda, &info);
            if (status == COND_OUT_OF_MEMORY)
                status = cond_solver_solve(solver, &problem, v, lambda, &info);
            assert_int_equal(status, COND_NOT_CONVERGED);
            assert_int_equal(info.rung, COND_RUNG_NONE);
            assert_int_equal(info.relaxed, 0);
            assert_true(info.certificate.penetration > 0.5);
            verifier_check(&problem, &settings, v, lambda, &info);
        }
        done = allocator.calls < fail_at;
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
        assert_true(fail_at < 500);
    }
}

// The same among soft bodies, through the rungs that are for these.
static void no_answer_among_soft_bodies(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(7);
    RandomProblem made;
    CondContact contact[MAX_CONTACT];
    options.anisotropic = 0;
    options.n_cloth = 1;
    options.bsr3 = 1;
    options.n_contact = 3;
    random_problem_make(&options, &made);
    CondProblem problem = made.problem;
    memcpy(contact, problem.contact, (size_t)problem.n_contact * sizeof *contact);
    CondContact* bad = &contact[problem.n_contact++]; // a point that shall move away from itself
    *bad = contact[0];
    bad->side[1] = bad->side[0];
    bad->phi[0] = -1.0;
    bad->key = 99;
    problem.contact = contact;
    double* v = dense_zeros((size_t)problem.n_dof);
    double lambda[3 * MAX_CONTACT];
    for (int law = 0; law < 2; law++) {
        CondSolverSettings settings = settings_of(1e-6);
        settings.law = (CondLaw)law;
        settings.max_iterations = 100;
        int done = 0;
        for (long fail_at = 1; !done; fail_at++) {
            FailingAllocator allocator = {.fail_at = fail_at};
            CondContext context = failing_allocator_context(&allocator);
            CondSolver* solver = NULL;
            CondError error;
            if (!cond_solver_create(&context, "vfpi", &settings, &solver, &error)) {
                CondSolveInfo info;
                memset(v, 0, (size_t)problem.n_dof * sizeof *v);
                memset(lambda, 0, sizeof lambda);
                CondStatus status = cond_solver_solve(solver, &problem, v, lambda, &info);
                assert_true(status == COND_OUT_OF_MEMORY || status == COND_NOT_CONVERGED);
                if (status == COND_NOT_CONVERGED) {
                    assert_int_equal(info.rung, COND_RUNG_NONE);
                    verifier_check(&problem, &settings, v, lambda, &info);
                }
            }
            done = allocator.calls < fail_at;
            cond_solver_destroy(solver);
            assert_int_equal(allocator.live, 0);
            assert_true(fail_at < 500);
        }
    }
    free(v);
    random_problem_free(&made);
}

// A node between two walls that come together has no motion either. Forces that press it from both
// sides cancel, however large: they must not make the error look small.
static void self_stress_certifies_nothing(void** state)
{
    (void)state;
    double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1.0, 0.5, 0.2};
    int coordinate[3] = {0, 1, 2};
    CondBlock block = {COND_BLOCK_DENSE, 0, 3, mass, NULL, NULL, NULL};
    CondContact contact[2] = {{.side = {{3, coordinate, NULL}, {0, NULL, NULL}},
                               .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               .friction = {2.0, 2.0},
                               .phi = {-1.0, 0.0, 0.0},
                               .kv = INFINITY}};
    contact[1] = contact[0];
    contact[1].frame[0] = contact[1].frame[4] = -1.0;
    CondProblem problem = {3, 1, 0, 2, &block, NULL, contact, b};
    for (int law = 0; law < 2; law++) {
        CondSolverSettings settings = settings_of(1e-6);
        double v[3] = {0.0}, lambda[6] = {0.0};
        CondSolveInfo info;
        settings.law = (CondLaw)law;
        assert_int_equal(verifier_solve(&problem, &settings, v, lambda, &info), COND_NOT_CONVERGED);
        assert_int_equal(info.rung, COND_RUNG_NONE);
        double small = verifier_certificate(&problem, settings.law, 0.0, v, lambda).contact;
        lambda[0] += 1e4;
        lambda[3] += 1e4;
        double large = verifier_certificate(&problem, settings.law, 0.0, v, lambda).contact;
        assert_true(small > 0.1 && large > 0.1);
    }
}

// Passes that factor, one more each time, from any start: within one scale of the natural map the
// merit of their reference never grows, but where the certificate has fallen to 0.9 of the least it
// was; and the certificate of their answer never grows.
static void merit_never_grows(void** state)
{
    (void)state;
    int passes = 0, turns = 0;
    CondContext context = cond_context_or_default(NULL);
    for (uint64_t seed = 401; seed <= 412; seed++) {
        Case one = {0};
        case_make(seed, seed % 3 == 0 ? 0.3 : seed % 3 == 1 ? 1.0 : 4.0, 1.0, seed % 4 == 0, &one);
        const CondProblem* problem = &one.problem;
        CondSolverSettings settings = settings_of(1e-9);
        CondLadder* s = cond_solver_vfpi.create(&context, &settings);
        CondSolveInfo info = {0};
        double merit = INFINITY, residual = INFINITY;
        int turn = 0;
        assert_int_equal(cond_vfpi_begin(&s->vfpi, problem, &info), COND_OK);
        assert_int_equal(cond_answer_reserve(&context, problem, &s->best), COND_OK);
        assert_int_equal(cond_primal_dual_plan(&s->factored, problem, settings.law, &s->small),
                         COND_OK);
        Random random = random_start(seed);
        for (int i = 0; i < problem->n_dof; i++)
            one.v[i] = random_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < 3 * problem->n_contact; i++)
            one.lambda[i] = random_uniform(&random, -1.0, 1.0);
        for (int most = 1; most <= 40; most++) {
            CondVfpiEnd end = COND_VFPI_LIMIT;
            cond_answer_set(problem, one.v, one.lambda, NULL, &s->best);
            assert_int_equal(cond_ladder_factored(s, most, &info, &end), COND_OK);
            int fell = s->best.residual < 0.9 * residual;
            if (s->factored.turn == turn && !fell && !(s->factored.merit <= merit))
                fail_msg("seed %d, pass %d: merit %g after %g", (int)seed, most, s->factored.merit,
                         merit);
            assert_true(s->best.residual <= residual);
            merit = s->factored.merit;
            residual = s->best.residual;
            turns += s->factored.turn - turn;
            turn = s->factored.turn;
            passes += end != COND_VFPI_DONE;
        }
        cond_solver_vfpi.destroy(s);
        case_free(&one);
    }
    print_message("%d passes, %d changes of scale\n", passes, turns);
    assert_true(passes > 50);
}

// From any start whatsoever, with whatever iterations: an answer is not worse than the start.
static void going_on_from_anything_is_never_worse(void** state)
{
    (void)state;
    for (uint64_t seed = 501; seed <= 506; seed++) {
        Case one = {0};
        case_make(seed, seed % 2 ? 0.5 : 4.0, 1.0, 0, &one);
        const CondProblem* problem = &one.problem;
        Random random = random_start(seed);
        for (int limit = 1; limit <= 1000; limit *= 10) {
            CondSolverSettings settings = settings_of(1e-10);
            settings.max_iterations = limit;
            settings.fallback = 0; // soft bodies' passes and V-FPI alone
            for (int i = 0; i < problem->n_dof; i++)
                one.v[i] += random_uniform(&random, -0.1, 0.1);
            CondCertificate before =
                verifier_certificate(problem, COND_LAW_STRICT, 0.0, one.v, one.lambda);
            CondSolveInfo info;
            verifier_solve(problem, &settings, one.v, one.lambda, &info);
            assert_true(cond_certificate_residual(&info.certificate) <=
                        (1.0 + 1e-6) * cond_certificate_residual(&before));
        }
        case_free(&one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_of_growing_friction_arrives),
        cmocka_unit_test(stubborn_contacts_are_relaxed_and_named),
        cmocka_unit_test(mixed_laws_have_one_answer),
        cmocka_unit_test(multipliers_find_the_convex_answer),
        cmocka_unit_test(painleves_rod_is_certified),
        cmocka_unit_test(no_answer_is_said_and_costs_no_memory),
        cmocka_unit_test(no_answer_among_soft_bodies),
        cmocka_unit_test(self_stress_certifies_nothing),
        cmocka_unit_test(merit_never_grows),
        cmocka_unit_test(going_on_from_anything_is_never_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
