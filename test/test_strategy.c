// The stages of the strategy: problems that need each, the proximal law for stubborn
// contacts only, and what is said of an answer that needed them.
#include "base/memory.h"
#include "dense.h"
#include "failing_allocator.h"
#include "law/tuning.h"
#include "random_problem.h"
#include "strategy/strategy.h"
#include "verifier.h"

#include <limits.h>
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

// A strategy that leaves some stages out, a bit for each name, from zero.
static CondStatus solve_without(const CondProblem* problem, const CondSolverSettings* settings,
                                unsigned left_out, CondSolveInfo* info)
{
    CondContext context = cond_context_or_default(NULL);
    CondStrategy* s = cond_solver_strategy.create(&context, settings);
    double *v = dense_zeros((size_t)problem->n_dof),
           *lambda = dense_zeros(3 * (size_t)problem->n_contact + 1);
    memset(info, 0, sizeof *info);
    s->left_out = left_out;
    CondStatus status = cond_solver_strategy.solve(s, problem, v, lambda, info);
    if (status == COND_OK)
        verifier_check_certificate(problem, settings->law, settings->omega, v, lambda,
                                   &info->certificate);
    cond_solver_strategy.destroy(s);
    free(v), free(lambda);
    return status;
}

// What all stages together certify and what they do without one of them.
static int is_needed(const CondProblem* problem, const CondSolverSettings* settings,
                     CondSolvedBy stage, const char* what)
{
    CondSolveInfo with, without;
    CondStatus status = solve_without(problem, settings, 0, &with);
    CondStatus missed = solve_without(problem, settings, 1u << stage, &without);
    print_message("%s: %s; without %s: %.1e by %s\n", what, cond_solved_by_name(with.solved_by),
                  cond_solved_by_name(stage), cond_certificate_residual(&without.certificate),
                  cond_solved_by_name(without.solved_by));
    assert_int_equal(status, COND_OK);
    return missed != COND_OK;
}

// A few bodies with more contacts than forces can be told apart by.
static RandomOptions redundant(uint64_t seed)
{
    return (RandomOptions){.seed = seed,
                           .n_rigid = 1 + (int)(seed % 6),
                           .n_particle = (int)(seed % 4),
                           .n_contact = 6 + (int)(seed % 20),
                           .general = 1,
                           .second = 1,
                           .friction = 1.0,
                           .anisotropic = (int)(seed % 2)};
}

// Every stage but one has problems of physical friction that are missed without it. Which problems
// need the interior-point method depends on rounding, but not that most of these do. What factored
// Newton steps certify the interior-point method certifies, too, with a third as many steps again
// at least.
static void every_stage_is_needed(void** state)
{
    (void)state;
    static const uint64_t seed[] = {54, 57, 108, 189, 213, 258, 300, 396};
    enum { N_SEED = sizeof seed / sizeof seed[0] };
    int needed = 0, steps[2] = {0, 0};
    for (int i = 0; i < N_SEED; i++) {
        RandomOptions options = redundant(seed[i]);
        RandomProblem made = {0};
        CondSolverSettings settings = settings_of(1e-6);
        random_problem_make(&options, &made);
        needed += is_needed(&made.problem, &settings, COND_BY_INTERIOR_POINT, "redundant");
        random_problem_free(&made);
    }
    assert_true(2 * needed > N_SEED);
    for (uint64_t k = 1; k <= 40; k++) {
        RandomOptions options = redundant(k);
        RandomProblem made = {0};
        CondSolverSettings settings = settings_of(1e-6);
        random_problem_make(&options, &made);
        for (int without = 0; without < 2; without++) {
            CondSolveInfo info;
            unsigned left_out = without ? 1u << COND_BY_FACTORED_NEWTON : 0;
            assert_int_equal(solve_without(&made.problem, &settings, left_out, &info), COND_OK);
            steps[without] += info.passes;
        }
        random_problem_free(&made);
    }
    print_message("%d Newton steps, %d without factored Newton\n", steps[0], steps[1]);
    assert_true(3 * steps[1] > 4 * steps[0]);
    Case one = {0}; // soft, and not to be factored
    CondSolverSettings settings = settings_of(1e-8);
    case_make(311, 0.5, 1.0, 0, &one);
    settings.fallback = 0;
    assert_true(is_needed(&one.problem, &settings, COND_BY_NEWTON, "no factorisation"));
    settings.accelerator = COND_ACCELERATOR_ANDERSON;
    settings.max_iterations = 100000;
    assert_true(is_needed(&one.problem, &settings, COND_BY_VFPI, "V-FPI asked for"));
    case_free(&one);
}

// The proximal law on the elliptic cone by Newton's method alone, with either linear solver.
static void elliptic_cones_are_served(void** state)
{
    (void)state;
    int newton = 0, factored = 0;
    for (uint64_t seed = 601; seed <= 620; seed++) {
        RandomOptions options = random_options_default(seed);
        RandomProblem made;
        CondSolveInfo info;
        CondSolverSettings settings = settings_of(1e-8);
        options.bsr3 = seed % 2;
        options.friction = 1.0;
        options.anisotropic = 1;
        random_problem_make(&options, &made);
        settings.law = COND_LAW_PROXIMAL;
        unsigned others = 1u << COND_BY_VFPI | 1u << COND_BY_INTERIOR_POINT;
        assert_int_equal(solve_without(&made.problem, &settings, others, &info), COND_OK);
        factored += info.solved_by == COND_BY_FACTORED_NEWTON;
        others |= 1u << COND_BY_FACTORED_NEWTON; // which has small meshes after a few products
        newton += options.bsr3 &&
                  solve_without(&made.problem, &settings, others, &info) == COND_OK &&
                  info.solved_by == COND_BY_NEWTON;
        random_problem_free(&made);
    }
    assert_true(newton > 5 && factored > 5);
}

// Particles between walls that come together have no answer. Where the budget has no last resort,
// the interior-point method has one start for many of them, and the outcome says so.
static void without_last_resort(int n, int* passes)
{
    enum { MOST = 25 };
    double values[9 * MOST * MOST] = {0}, b[3 * MOST] = {0};
    int coordinate[3 * MOST];
    CondBlock block = {.kind = COND_BLOCK_DENSE, .n_dof = 3 * n, .values = values};
    CondContact contact[2 * MOST] = {0};
    for (int i = 0; i < 3 * n; i++) {
        values[i * 3 * n + i] = 1.0;
        coordinate[i] = i;
    }
    for (int c = 0; c < 2 * n; c++) {
        contact[c].side[0] = (CondSide){.n_coordinate = 3, .coordinate = coordinate + 3 * (c / 2)};
        double sign = c % 2 == 0 ? 1.0 : -1.0, R[9] = {sign, 0, 0, 0, sign, 0, 0, 0, 1};
        memcpy(contact[c].frame, R, sizeof R);
        contact[c].phi[0] = -1.0;
        contact[c].friction[0] = contact[c].friction[1] = 0.5;
        contact[c].kv = INFINITY;
        contact[c].key = (uint64_t)c + 1;
    }
    CondProblem problem = {.n_dof = 3 * n,
                           .n_block = 1,
                           .n_contact = 2 * n,
                           .block = &block,
                           .contact = contact,
                           .b = b};
    CondSolverSettings settings = settings_of(1e-6);
    CondSolver* solver = NULL;
    assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, NULL), COND_OK);
    for (int allowed = 0; allowed < 2; allowed++) {
        double v[3 * MOST] = {0}, lambda[6 * MOST] = {0};
        CondSolveInfo info = {0};
        CondSolveOutcome outcome;
        CondSolveBudget budget = {.last_resort = allowed};
        assert_int_equal(
            cond_solver_solve_within(solver, &problem, budget, v, lambda, &info, &outcome),
            COND_NOT_CONVERGED);
        assert_int_equal(outcome.has_left_out, !allowed && 3 * n > COND_TINY_PROBLEM);
        passes[allowed] = info.passes;
    }
    cond_solver_destroy(solver);
}

static void last_resort(void** state)
{
    (void)state;
    int passes[2];
    without_last_resort(5, passes);
    assert_true(passes[0] == passes[1]);
    without_last_resort(25, passes);
    assert_true(2 * passes[0] < passes[1]);
}

// Where a coarse tolerance suffices, problems of many rigid bodies are solved to it, and from that
// answer on to the tolerance of the settings; the outcome tells which. A few bodies are always
// solved to the latter.
static void coarse_tolerance(void** state)
{
    (void)state;
    int n_coarse = 0;
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int large = 0; large < 2; large++) {
            RandomOptions options = {.seed = seed,
                                     .n_rigid = large ? 30 : 6,
                                     .n_contact = large ? 70 : 10,
                                     .general = 1,
                                     .second = 1,
                                     .friction = 0.6};
            RandomProblem made = {0};
            random_problem_make(&options, &made);
            size_t n = (size_t)made.problem.n_dof, nc = (size_t)made.problem.n_contact;
            double *v = calloc(n, sizeof *v), *lambda = calloc(3 * nc, sizeof *lambda);
            CondSolverSettings settings = settings_of(1e-8);
            CondSolver* solver = NULL;
            assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, NULL),
                             COND_OK);
            for (int coarse = 1; coarse >= 0; coarse--) {
                CondSolveInfo info = {0};
                CondSolveOutcome outcome;
                CondSolveBudget budget = {.coarse_tolerance = coarse ? 1e-4 : 0.0,
                                          .last_resort = 1};
                assert_int_equal(cond_solver_solve_within(solver, &made.problem, budget, v, lambda,
                                                          &info, &outcome),
                                 COND_OK);
                double residual = cond_certificate_residual(&info.certificate);
                assert_int_equal(outcome.is_coarse, residual > 1e-8);
                assert_true(residual <= (coarse && large ? 1e-4 : 1e-8));
                n_coarse += outcome.is_coarse;
            }
            cond_solver_destroy(solver);
            free(v), free(lambda);
            random_problem_free(&made);
        }
    assert_true(n_coarse > 0);
}

// A strategy that is ready for the case, at zero.
static CondStrategy* ready(const CondContext* context, const Case* one,
                           const CondSolverSettings* settings, CondSolveInfo* info)
{
    CondStrategy* s = cond_solver_strategy.create(context, settings);
    const CondProblem* problem = &one->problem;
    assert_int_equal(cond_nodal_build(&s->view, problem, settings->kv_scale), COND_OK);
    assert_int_equal(cond_vfpi_begin(&s->vfpi, &s->view, info), COND_OK);
    assert_int_equal(cond_answer_reserve(context, problem, &s->best), COND_OK);
    cond_semismooth_plan(&s->newton);
    assert_int_equal(cond_back_end_iterative.serves(&s->newton, problem, &s->soft), COND_OK);
    s->small = 1;
    cond_answer_set(problem, one->v, one->lambda, NULL, &s->best);
    return s;
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
        if (!cond_solver_create(&context, "strategy", &settings, &solver, &error)) {
            double v[3] = {0.0}, lambda[3] = {0.0};
            CondSolveInfo info;
            CondStatus status = cond_solver_solve(solver, &problem, v, lambda, &info);
            if (status == COND_OUT_OF_MEMORY)
                status = cond_solver_solve(solver, &problem, v, lambda, &info);
            assert_int_equal(status, COND_NOT_CONVERGED);
            assert_int_equal(info.solved_by, COND_BY_NONE);
            assert_true(info.certificate.penetration > 0.5);
            verifier_check(&problem, &settings, v, lambda, &info);
        }
        done = allocator.calls < fail_at;
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
        assert_true(fail_at < 500);
    }
}

// The same among soft bodies, through the stages that are for these.
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
            if (!cond_solver_create(&context, "strategy", &settings, &solver, &error)) {
                CondSolveInfo info;
                memset(v, 0, (size_t)problem.n_dof * sizeof *v);
                memset(lambda, 0, sizeof lambda);
                CondStatus status = cond_solver_solve(solver, &problem, v, lambda, &info);
                assert_true(status == COND_OUT_OF_MEMORY || status == COND_NOT_CONVERGED);
                if (status == COND_NOT_CONVERGED) {
                    assert_int_equal(info.solved_by, COND_BY_NONE);
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
        assert_int_equal(info.solved_by, COND_BY_NONE);
        double small = verifier_certificate(&problem, settings.law, 0.0, v, lambda).contact;
        lambda[0] += 1e4;
        lambda[3] += 1e4;
        double large = verifier_certificate(&problem, settings.law, 0.0, v, lambda).contact;
        assert_true(small > 0.1 && large > 0.1);
    }
}

// Newton steps with a factorisation, one more each time, from any start: the merit of their
// reference never grows, but where the certificate has fallen to 0.9 of the least it was; and the
// certificate of their answer never grows.
static void merit_never_grows(void** state)
{
    (void)state;
    int steps = 0;
    CondContext context = cond_context_or_default(NULL);
    for (uint64_t seed = 401; seed <= 412; seed++) {
        Case one = {0};
        case_make(seed, seed % 3 == 0 ? 0.3 : seed % 3 == 1 ? 1.0 : 4.0, 1.0, seed % 4 == 0, &one);
        const CondProblem* problem = &one.problem;
        CondSolverSettings settings = settings_of(1e-9);
        CondSolveInfo info = {0};
        CondStrategy* s = ready(&context, &one, &settings, &info);
        CondCertificateData data = cond_strategy_certificate_data(s);
        double merit = INFINITY, residual = INFINITY;
        Random random = random_start(seed);
        for (int i = 0; i < problem->n_dof; i++)
            one.v[i] = random_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < 3 * problem->n_contact; i++)
            one.lambda[i] = random_uniform(&random, -1.0, 1.0);
        for (int most = 1; most <= 40; most++) {
            cond_answer_set(problem, one.v, one.lambda, NULL, &s->best);
            CondSemismoothLimits limits = {
                .tolerance = 1e-9, .max_steps = most, .max_products = INT_MAX};
            CondStatus status = cond_semismooth_solve(&s->newton, &cond_back_end_factored, &data,
                                                      &limits, &s->best, &info);
            assert_true(status >= 0);
            int fell = s->best.residual < 0.9 * residual;
            if (!fell && !(s->newton.merit <= merit))
                fail_msg("seed %d, step %d: merit %g after %g", (int)seed, most, s->newton.merit,
                         merit);
            assert_true(s->best.residual <= residual);
            merit = s->newton.merit;
            residual = s->best.residual;
            steps += status != COND_OK;
        }
        cond_solver_strategy.destroy(s);
        case_free(&one);
    }
    assert_true(steps > 50);
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
            settings.fallback = 0; // Newton's method with conjugate gradients and V-FPI alone
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
        cmocka_unit_test(last_resort),
        cmocka_unit_test(coarse_tolerance),
        cmocka_unit_test(every_stage_is_needed),
        cmocka_unit_test(elliptic_cones_are_served),
        cmocka_unit_test(painleves_rod_is_certified),
        cmocka_unit_test(no_answer_is_said_and_costs_no_memory),
        cmocka_unit_test(no_answer_among_soft_bodies),
        cmocka_unit_test(self_stress_certifies_nothing),
        cmocka_unit_test(merit_never_grows),
        cmocka_unit_test(going_on_from_anything_is_never_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
