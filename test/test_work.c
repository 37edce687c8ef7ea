// What a step says of its work covers all attempts at it: those made as a whole, in parts, in vain.
// And the stages called one by one leave the solver as they found it.
#include "scene_make.h"

#include "strategy/island_solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Work of all solves since it was set to zero.
static struct Tally {
    long solves, iterations, products, passes;
} tally;

static CondStatus count_solve(void* work, const CondProblem* problem, double* v, double* lambda,
                              CondSolveInfo* info)
{
    CondStatus status = cond_solver_islands.solve(work, problem, v, lambda, info);
    tally.solves++;
    tally.iterations += info->iterations;
    tally.products += info->products;
    tally.passes += info->passes;
    return status;
}

// The solver of the sim, with its work counted.
static void count_work(Trial* trial)
{
    static CondSolverOps ops;
    CondSolver* solver = NULL;
    ops = cond_solver_islands;
    ops.solve = count_solve;
    assert_int_equal(cond_solver_create_from(NULL, &ops, &cond_model_settings(trial->model)->solver,
                                             &solver, NULL),
                     COND_OK);
    cond_sim_set_solver(trial->sim, solver);
}

static void check_work(Trial* trial, int steps, int* vain)
{
    count_work(trial);
    for (int k = 0; k < steps; k++) {
        CondStepInfo info;
        memset(&tally, 0, sizeof tally);
        CondStatus status = cond_sim_step(trial->sim, trial->state, &info);
        assert_true(status == COND_OK || status == COND_NOT_CONVERGED);
        assert_int_equal(info.solve.iterations, tally.iterations);
        assert_int_equal(info.solve.products, tally.products);
        assert_true(info.solve.passes >= tally.passes); // Newton's method makes others itself
        *vain += status == COND_NOT_CONVERGED && tally.solves > 1;
    }
    trial_end(trial);
}

// A tolerance that rounding misses: every attempt is made, the last of them after going back.
static const char HEAP[] = "planes: [{name: floor, friction: 0.6}]\n"
                           "bodies:\n"
                           "  - {name: a, mass: 1, shape: {box: [0.2, 0.2, 0.2]},\n"
                           "     position: [0, 0, 0.1], velocity: [1, 0.3, 0]}\n"
                           "  - {name: b, mass: 2, shape: {box: [0.2, 0.2, 0.2]},\n"
                           "     position: [0.03, 0.02, 0.3], velocity: [0, 0.2, 0]}\n"
                           "  - {name: c, mass: 2, shape: {box: [0.2, 0.2, 0.2]},\n"
                           "     position: [1, 0, 0.1], velocity: [0.3, 0.2, 0]}\n";

static void test_work_of_steps_in_vain(void** state)
{
    (void)state;
    static const char* const integrators[] = {"auto", "theta", "euler"};
    int vain = 0;
    for (int i = 0; i < 3; i++) {
        char settings[256];
        snprintf(settings, sizeof settings,
                 "step: {time_step: 0.01, integrator: %s, substeps: 4}\n"
                 "solver: {tolerance: 1.0e-18, max_iterations: 200, threads: 1}\n",
                 integrators[i]);
        Trial trial = trial_text(settings, HEAP);
        check_work(&trial, 6, &vain);
    }
    assert_true(vain >= 6);
}

static void test_work_of_steps_in_parts(void** state)
{
    (void)state;
    static const char* const set[] = {
        "step.substeps=4",       "solver.max_iterations=60",     "solver.tolerance=1e-6",
        "solver.multilevel=off", "bodies.ball.mesh=ball:0.05:6", "solver.threads=1"};
    Trial trial = trial_read("ball.yaml", 6, set);
    int vain = 0;
    check_work(&trial, 10, &vain);
}

// ---- stages one by one

static CondStatus run_stages(Trial* trial, CondStepInfo* info)
{
    CondSim* sim = trial->sim;
    memset(info, 0, sizeof *info);
    assert_int_equal(cond_sim_forces(sim, trial->state), COND_OK);
    assert_int_equal(cond_sim_matrix(sim), COND_OK);
    assert_int_equal(cond_sim_collide(sim, trial->state), COND_OK);
    assert_int_equal(cond_sim_assemble(sim, trial->state), COND_OK);
    return cond_sim_solve(sim, trial->state, &info->solve);
}

// A pile, whose solver would make drafts if it was left to: after a miss has been looked at, the
// next solve still ends within the tolerance.
static void test_a_miss_leaves_the_tolerance(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    for (int i = 0; i < 24; i++) {
        CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.17 * (i % 3) + 0.01 * (i / 3),
                                   0.16 * (i / 3 % 2), 0.1 + 0.21 * (i / 6) + 0.003 * (i % 5));
        snprintf(box.name, sizeof box.name, "b%d", i);
        box.position[0] += i % 3 * 0.06;
        box.position[1] += i / 3 % 2 * 0.08;
        add_body(scene, &box);
    }
    add_floor(scene, 0.5, 0.0);
    cond_scene_settings(scene)->time_step = 0.01;
    cond_scene_settings(scene)->solver.threads = 1;
    Trial trial = trial_begin(scene);
    for (int k = 0; k < 12; k++) {
        CondStepInfo info;
        assert_int_equal(run_stages(&trial, &info), COND_OK);
        assert_true(cond_certificate_residual(&info.solve.certificate) <= 1e-8);
        CondStepInfo missed = info;
        missed.solve.status = COND_NOT_CONVERGED;
        missed.solve.certificate.contact = 1.0;
        assert_int_equal(cond_sim_recheck(trial.sim, trial.state, &missed), COND_NOT_CONVERGED);
        assert_true(cond_sim_integrate(trial.sim, trial.state, &info) >= 0);
    }
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_of_steps_in_vain),
        cmocka_unit_test(test_work_of_steps_in_parts),
        cmocka_unit_test(test_a_miss_leaves_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
