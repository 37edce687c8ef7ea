// Scenes in which nothing can move: no bodies, static things alone, robots without joints. Every
// method steps them, and what they answer is rest.
#include "scene_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char NOTHING[] = "name: nothing\n";
static const char PLANE[] = "planes: [{name: floor, friction: 0.8}]\n";
static const char OBSTACLES[] = "obstacles:\n"
                                "  - {name: a, shape: {box: [0.1, 0.1, 0.1]}}\n"
                                "  - {name: b, shape: {sphere: 0.1}}\n";
static const char STANDS[] =
    "planes: [{name: floor, friction: 0.8}]\n"
    "bodies:\n"
    "  - {name: a, kind: robot, links: [{name: base, shapes: [{box: [0.1, 0.1, 0.1]}]}]}\n"
    "  - {name: b, kind: robot, position: [0.05, 0, 0],\n"
    "     links: [{name: base, shapes: [{box: [0.1, 0.1, 0.1]}]}]}\n";
static const char* const scenes[] = {NOTHING, PLANE, OBSTACLES, STANDS};
enum { N_SCENE = sizeof scenes / sizeof scenes[0] };

static const char* const settings[] = {
    "step: {integrator: auto}\n",
    "step: {integrator: theta}\n",
    "step: {integrator: euler}\n",
    "step: {integrator: midpoint}\n",
    "step: {integrator: variational}\n",
    "step: {method: penalty}\n",
    "step: {method: pbd}\n",
    "solver: {stop: step}\n",
    "solver: {accelerator: anderson}\n",
    "solver: {threads: 2}\n",
    "solver: {fallback: false}\n",
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static void rests(const Trial* trial)
{
    assert_int_equal(cond_model_n_dof(trial->model), 0);
    assert_int_equal(trial->info.n_contact, 0);
    assert_true(cond_certificate_residual(&trial->info.solve.certificate) == 0.0);
    assert_true(trial->info.kinetic_after == 0.0);
    assert_true(trial->info.penetration == 0.0);
}

static void test_every_method_steps_what_cannot_move(void** state)
{
    (void)state;
    for (int s = 0; s < N_SCENE; s++)
        for (int k = 0; k < N_SETTINGS; k++) {
            Trial trial = trial_text(settings[k], scenes[s]);
            for (int i = 0; i < 3; i++) {
                trial_step(&trial, 1);
                rests(&trial);
            }
            trial_end(&trial);
        }
}

// The stages one by one do the same.
static void test_stages_of_what_cannot_move(void** state)
{
    (void)state;
    for (int s = 0; s < N_SCENE; s++) {
        Trial trial = trial_text("", scenes[s]);
        CondStepInfo info = {0};
        assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_matrix(trial.sim), COND_OK);
        assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_assemble(trial.sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_nodalize(trial.sim), COND_OK);
        assert_int_equal(cond_sim_solve(trial.sim, trial.state, &info.solve), COND_OK);
        assert_int_equal(cond_sim_recheck(trial.sim, trial.state, &info), COND_OK);
        assert_int_equal(cond_sim_integrate(trial.sim, trial.state, &info), COND_OK);
        assert_true(info.time > 0.0);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_steps_what_cannot_move),
        cmocka_unit_test(test_stages_of_what_cannot_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
