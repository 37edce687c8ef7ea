// Properties of every solver on random problems: all that converge find the same motion, also where
// contacts are redundant and the Delassus matrix has no full rank; a larger budget never makes the
// answer worse; and at the edges of what can be posed, an answer is certified or refused honestly.
#include "dense.h"
#include "random_problem.h"
#include "verifier.h"

#ifdef COND_BASELINES
#include "cond/baselines.h"
#endif

#include "cond/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_CONTACT = 64 };

// A problem, and an answer to it.
typedef struct Trial {
    RandomProblem made;
    CondProblem problem; // with more contacts than were made, perhaps
    CondContact contact[MAX_CONTACT];
    double *v, *lambda, *u; // u: of the default solver
    CondSolveInfo info;
} Trial;

static void trial_make(const RandomOptions* options, Trial* trial)
{
    random_problem_make(options, &trial->made);
    trial->problem = trial->made.problem;
    assert_true(trial->problem.n_contact <= MAX_CONTACT);
    memcpy(trial->contact, trial->problem.contact,
           (size_t)trial->problem.n_contact * sizeof *trial->contact);
    trial->problem.contact = trial->contact;
    trial->v = dense_zeros((size_t)trial->problem.n_dof);
    trial->lambda = dense_zeros(3 * MAX_CONTACT);
    trial->u = dense_zeros(3 * MAX_CONTACT);
}

static void trial_free(Trial* trial)
{
    free(trial->v);
    free(trial->lambda);
    free(trial->u);
    random_problem_free(&trial->made);
}

// Every contact twice, and the first one five times.
static void repeat_contacts(Trial* trial)
{
    int n = trial->problem.n_contact, count = n;
    for (int c = 0; c < n; c++)
        trial->contact[count++] = trial->contact[c];
    for (int k = 0; k < 3; k++)
        trial->contact[count++] = trial->contact[0];
    assert_true(count <= MAX_CONTACT);
    for (int c = 0; c < count; c++)
        trial->contact[c].key = (uint64_t)c + 1;
    trial->problem.n_contact = count;
}

static const CondSolverOps* baseline(const char* name)
{
#ifdef COND_BASELINES
    return cond_baseline(name);
#else
    (void)name;
    return NULL;
#endif
}

// Solves from zeros, and verifies what is said of the answer. COND_NOT_SUPPORTED: not built in.
static CondStatus solve(Trial* trial, const char* name, const CondSolverSettings* settings)
{
    const CondProblem* problem = &trial->problem;
    memset(trial->v, 0, (size_t)problem->n_dof * sizeof *trial->v);
    memset(trial->lambda, 0, 3 * (size_t)problem->n_contact * sizeof *trial->lambda);
    if (strcmp(name, "strategy") == 0)
        return verifier_solve(problem, settings, trial->v, trial->lambda, &trial->info);
    CondSolver* solver = NULL;
    CondError error;
    if (!baseline(name))
        return COND_NOT_SUPPORTED;
    assert_int_equal(cond_solver_create_from(NULL, baseline(name), settings, &solver, &error),
                     COND_OK);
    CondStatus status = cond_solver_solve(solver, problem, trial->v, trial->lambda, &trial->info);
    verifier_check_certificate(problem, settings->law, settings->omega, trial->v, trial->lambda,
                               &trial->info.certificate);
    cond_solver_destroy(solver);
    return status;
}

// Largest difference of a contact velocity from that of the default solver, over the velocity
// scale; keep: it is that of the default solver.
static double compare(Trial* trial, int keep)
{
    double far = 0.0;
    for (int c = 0; c < trial->problem.n_contact; c++) {
        double u[3];
        cond_contact_velocity(&trial->problem.contact[c], trial->v, u);
        for (int i = 0; i < 3; i++)
            far = fmax(far, fabs(u[i] - trial->u[3 * c + i]));
        if (keep)
            memcpy(trial->u + 3 * c, u, sizeof u);
    }
    return far / trial->info.certificate.velocity_scale;
}

// One solver with its settings.
typedef struct Way {
    const char* name;
    CondSurrogateKind surrogate;
    CondAcceleratorKind accelerator;
    int fallback;
    int only_proximal;
} Way;

static const Way ways[] = {
    {"strategy", COND_SURROGATE_BLOCK, COND_ACCELERATOR_NEWTON, 1, 0}, // the default
    {"strategy", COND_SURROGATE_BLOCK, COND_ACCELERATOR_NEWTON, 0, 0},
    {"strategy", COND_SURROGATE_BLOCK, COND_ACCELERATOR_ANDERSON, 0, 0},
    {"strategy", COND_SURROGATE_BLOCK, COND_ACCELERATOR_CHEBYSHEV, 0, 0},
    {"strategy", COND_SURROGATE_BLOCK, COND_ACCELERATOR_NONE, 0, 0},
    {"strategy", COND_SURROGATE_FROBENIUS, COND_ACCELERATOR_ANDERSON, 0, 0},
    {"strategy", COND_SURROGATE_BB1, COND_ACCELERATOR_NONE, 0, 0},
    {"pgs", COND_SURROGATE_BLOCK, COND_ACCELERATOR_NONE, 0, 0},
    {"ccs", COND_SURROGATE_BLOCK, COND_ACCELERATOR_NONE, 0, 0},
    {"apgd", COND_SURROGATE_BLOCK, COND_ACCELERATOR_NONE, 0, 1},
};
enum { N_WAY = sizeof ways / sizeof ways[0] };

static CondSolverSettings settings_of(const Way* way, CondLaw law)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.surrogate = way->surrogate;
    settings.accelerator = way->accelerator;
    settings.fallback = way->fallback;
    settings.law = law;
    settings.tolerance = 1e-9;
    settings.threads = 1;
    return settings;
}

// What the solvers did on many problems.
typedef struct Tally {
    int asked[N_WAY], reached[N_WAY];
} Tally;

// All solvers on one problem: the default one must reach its tolerance, and whoever else does must
// have the same contact velocities.
static void check_agreement(Trial* trial, CondLaw law, const char* what, uint64_t seed,
                            Tally* tally)
{
    for (int w = 0; w < N_WAY; w++) {
        CondSolverSettings settings = settings_of(&ways[w], law);
        if (ways[w].only_proximal && law != COND_LAW_PROXIMAL)
            continue;
        if (w > 0)
            settings.max_iterations = 4000;
        CondStatus status = solve(trial, ways[w].name, &settings);
        if (status == COND_NOT_SUPPORTED)
            continue;
        if (w == 0 && status != COND_OK)
            fail_msg("%s, seed %d, %s: residual %g", what, (int)seed, cond_law_name(law),
                     cond_certificate_residual(&trial->info.certificate));
        tally->asked[w]++;
        tally->reached[w] += status == COND_OK;
        if (status != COND_OK)
            continue;
        double far = compare(trial, w == 0);
        if (w > 0 && !(far <= 1e-6))
            fail_msg("%s, seed %d, %s: u of %s (%s, %s) is %g off", what, (int)seed,
                     cond_law_name(law), ways[w].name, cond_surrogate_name(ways[w].surrogate),
                     cond_accelerator_name(ways[w].accelerator), far);
    }
}

// Small friction, for which the answer under the strict law is unique as well.
static RandomOptions unique_options(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    options.friction = 0.3;
    options.anisotropic = 0;
    options.finite_kv = 0.0;
    options.n_contact = 4 + (int)(seed % 7);
    options.bsr3 = (int)(seed % 2);
    return options;
}

static void solvers_agree(void** state)
{
    (void)state;
    Tally tally = {{0}, {0}};
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int kind = 0; kind < 3; kind++) {
            static const char* const names[] = {"mixed", "redundant contacts",
                                                "rank-deficient Delassus matrix"};
            RandomOptions options = unique_options(1000 * (uint64_t)kind + seed);
            if (kind == 2) { // more contacts than the bodies have motions
                options.n_particle = 1;
                options.n_rigid = 1;
                options.n_cloth = options.n_coupling = 0;
                options.n_contact = 9;
            }
            Trial trial = {0};
            trial_make(&options, &trial);
            if (kind == 1)
                repeat_contacts(&trial);
            for (int law = 0; law < 2; law++)
                check_agreement(&trial, (CondLaw)law, names[kind], options.seed, &tally);
            trial_free(&trial);
        }
    // Whoever is slow may run out of iterations, but not often, and those that factor never do.
    for (int w = 0; w < N_WAY; w++)
        if (ways[w].accelerator != COND_ACCELERATOR_NONE || strcmp(ways[w].name, "strategy") != 0)
            assert_true(10 * tally.reached[w] >= 9 * tally.asked[w]);
}

// Whoever goes on from an answer never hands back a worse one, however few iterations there are.
static void going_on_is_never_worse(void** state)
{
    (void)state;
    for (uint64_t seed = 31; seed <= 36; seed++)
        for (int w = 0; w < 7; w++)
            for (int law = 0; law < 2; law++) {
                RandomOptions options = random_options_default(seed);
                options.friction = seed % 2 ? 0.5 : 2.0;
                options.anisotropic = 0;
                Trial trial = {0};
                trial_make(&options, &trial);
                double last = INFINITY;
                for (int limit = 1; limit <= 64; limit *= 2) {
                    CondSolverSettings settings = settings_of(&ways[w], (CondLaw)law);
                    settings.max_iterations = limit;
                    verifier_solve(&trial.problem, &settings, trial.v, trial.lambda, &trial.info);
                    double residual = cond_certificate_residual(&trial.info.certificate);
                    if (!(residual <= last))
                        fail_msg("seed %d, %s, %d iterations: %g after %g", (int)seed,
                                 cond_law_name((CondLaw)law), limit, residual, last);
                    last = residual;
                }
                trial_free(&trial);
            }
}

// Blocks and their right-hand sides times powers of ten, so that the heaviest body weighs a million
// times the lightest while velocities stay as they are.
static void make_masses_unequal(Trial* trial)
{
    const CondProblem* problem = &trial->problem;
    double* b = (double*)problem->b; // the trial owns it
    for (int k = 0; k < problem->n_block; k++) {
        const CondBlock* block = &problem->block[k];
        double scale = pow(10.0, k % 3 == 0 ? 3.0 : k % 3 == 1 ? -3.0 : 0.0);
        double* values = (double*)block->values;
        int n = block->kind == COND_BLOCK_DENSE    ? block->n_dof * block->n_dof
                : block->kind == COND_BLOCK_SPARSE ? block->row_begin[block->n_dof]
                                                   : 9 * block->row_begin[block->n_dof / 3];
        for (int i = 0; i < n; i++)
            values[i] *= scale;
        for (int i = 0; i < block->n_dof; i++)
            b[block->dof_begin + i] *= scale;
    }
}

// Couplings that much stiffer than the masses they join.
static void stiffen(Trial* trial, double factor)
{
    for (int i = 0; i < trial->problem.n_coupling; i++) {
        const CondCoupling* coupling = &trial->problem.coupling[i];
        double* gain = (double*)coupling->gain;
        for (int k = 0; k < coupling->n_row * coupling->n_row; k++)
            gain[k] *= factor;
    }
}

// The default solver at 1e-6: certified (1), or refused with a true report (0); all else fails.
static int certify(Trial* trial, CondLaw law, const char* what, uint64_t seed)
{
    CondSolverSettings settings = settings_of(&ways[0], law);
    settings.tolerance = 1e-6;
    CondStatus status = solve(trial, "strategy", &settings);
    if (status != COND_OK && status != COND_NOT_CONVERGED)
        fail_msg("%s, seed %d: %s", what, (int)seed, cond_status_name(status));
    return status == COND_OK;
}

static void unequal_masses(void** state)
{
    (void)state;
    int certified = 0, asked = 0;
    for (int k = 0; k <= 20; k++)
        for (int law = 0; law < 2; law++, asked++) {
            uint64_t seed = k < 20 ? 51 + (uint64_t)k : 5218; // a hard one
            RandomOptions options = unique_options(seed);
            Trial trial = {0};
            trial_make(&options, &trial);
            make_masses_unequal(&trial);
            certified += certify(&trial, (CondLaw)law, "masses", seed);
            trial_free(&trial);
        }
    assert_int_equal(certified, asked);
}

static void stiffness_over_seven_decades(void** state)
{
    (void)state;
    int certified = 0, asked = 0;
    for (uint64_t seed = 81; seed <= 96; seed++)
        for (int law = 0; law < 2; law++, asked++) {
            RandomOptions options = unique_options(seed);
            Trial trial = {0};
            trial_make(&options, &trial);
            stiffen(&trial, pow(10.0, -1.0 + (double)(seed % 8)));
            certified += certify(&trial, (CondLaw)law, "stiffness", seed);
            trial_free(&trial);
        }
    assert_int_equal(certified, asked);
}

static void friction_from_none_to_ten(void** state)
{
    (void)state;
    static const double friction[] = {0.0, 0.3, 1.0, 2.0, 5.0, 10.0};
    static const uint64_t hard[] = {10031, 10078, 10084, 10156};
    int certified = 0, asked = 0;
    for (int k = 0; k < 16; k++)
        for (int law = 0; law < 2; law++, asked++) {
            uint64_t seed = k < 12 ? 101 + (uint64_t)k : hard[k - 12];
            RandomOptions options = unique_options(seed);
            Trial trial = {0};
            trial_make(&options, &trial);
            for (int c = 0; c < trial.problem.n_contact; c++)
                trial.contact[c].friction[0] = trial.contact[c].friction[1] = friction[seed % 6];
            certified += certify(&trial, (CondLaw)law, "friction", seed);
            trial_free(&trial);
        }
    assert_int_equal(certified, asked);
}

// One node is pressed into a corner of five planes, or lies on five others.
static void node_in_five_contacts(void** state)
{
    (void)state;
    int certified = 0, asked = 0;
    for (uint64_t seed = 121; seed <= 132; seed++)
        for (int law = 0; law < 2; law++, asked++) {
            RandomOptions options = unique_options(seed);
            options.general = 0;
            options.second = 0;
            options.n_contact = 6;
            Trial trial = {0};
            trial_make(&options, &trial);
            for (int c = 1; c < 5 && c < trial.problem.n_contact; c++) {
                // the same node, frames and offsets of their own
                double keep[3];
                memcpy(keep, trial.contact[c].phi, sizeof keep);
                trial.contact[c].side[0] = trial.contact[0].side[0];
                memset(&trial.contact[c].side[1], 0, sizeof trial.contact[c].side[1]);
                for (int i = 0; i < 3; i++)
                    trial.contact[c].phi[i] = i == 0 ? fabs(keep[0]) : 0.0;
            }
            certified += certify(&trial, (CondLaw)law, "five", seed);
            trial_free(&trial);
        }
    assert_int_equal(certified, asked);
}

// A soft body large enough for threads, through every accelerator: the same bits, and the same
// counts.
static void any_number_of_threads_gives_the_same_bits(void** state)
{
    (void)state;
    RandomOptions options = unique_options(141);
    options.n_cloth = 1;
    options.cloth_nodes = 700;
    options.bsr3 = 1;
    options.n_contact = 40;
    Trial trial = {0};
    trial_make(&options, &trial);
    size_t size = (size_t)trial.problem.n_dof * sizeof(double);
    double* first = dense_zeros((size_t)trial.problem.n_dof);
    assert_true(trial.problem.n_dof > 2048);
    for (int a = 0; cond_accelerator_name((CondAcceleratorKind)a); a++) {
        CondSolveInfo before = {0};
        for (int threads = 1; threads <= 3; threads += 2) {
            CondSolverSettings settings = settings_of(&ways[0], COND_LAW_STRICT);
            settings.accelerator = (CondAcceleratorKind)a;
            settings.threads = threads;
            settings.max_iterations = 100;
            solve(&trial, "strategy", &settings);
            if (threads == 1) {
                memcpy(first, trial.v, size);
                before = trial.info;
                continue;
            }
            assert_memory_equal(first, trial.v, size);
            assert_int_equal(trial.info.products, before.products);
            assert_int_equal(trial.info.passes, before.passes);
            assert_memory_equal(&trial.info.certificate, &before.certificate,
                                sizeof before.certificate);
        }
    }
    free(first);
    trial_free(&trial);
}

// A gripped ball of silk or of steel: every step is certified, or says that it is not.
static void stiffness_from_1e2_to_1e9_pascal(void** state)
{
    (void)state;
    static const char* const modulus[] = {"1e2", "1e4", "1e7", "1e9"};
    for (size_t k = 0; k < sizeof modulus / sizeof *modulus; k++) {
        char set[64];
        const char* override[] = {set, "bodies.ball.mesh=ball:0.05:3,1", "solver.tolerance=1e-6",
                                  "solver.threads=1"};
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondState* at = NULL;
        CondSim* sim = NULL;
        CondError error;
        snprintf(set, sizeof set, "materials.ball.youngs_modulus=%s", modulus[k]);
        if (cond_scene_read(NULL, COND_SCENES "/ball.yaml", 4, override, &scene, &error) ||
            cond_scene_compile(scene, &model, &error) || cond_state_create(model, &at, &error) ||
            cond_sim_create(model, &sim, &error))
            fail_msg("%s", error.message);
        for (int step = 0; step < 60; step++) {
            CondStepInfo info;
            CondStatus status = cond_sim_step(sim, at, &info);
            if (status != COND_OK)
                fail_msg("%s Pa, step %d: %s, residual %g", modulus[k], step,
                         cond_status_name(status),
                         cond_certificate_residual(&info.solve.certificate));
            assert_true(cond_certificate_residual(&info.solve.certificate) <= 1e-6);
        }
        cond_sim_destroy(sim);
        cond_state_destroy(at);
        cond_model_destroy(model);
        cond_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(going_on_is_never_worse),
        cmocka_unit_test(unequal_masses),
        cmocka_unit_test(stiffness_over_seven_decades),
        cmocka_unit_test(friction_from_none_to_ten),
        cmocka_unit_test(node_in_five_contacts),
        cmocka_unit_test(stiffness_from_1e2_to_1e9_pascal),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
