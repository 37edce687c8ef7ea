// solver.device: what is refused and why, and that `auto` runs with a device or without.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cond/solver.h"
#include "scene_make.h"

// Compiles a scene that ships, with settings; a simulation of it, or NULL and the error.
static CondSim* create(const char* scene, int n, const char* const* set, CondModel** model,
                       CondError* error)
{
    char path[512];
    CondScene* read = NULL;
    CondSim* sim = NULL;
    snprintf(path, sizeof path, "%s/%s", COND_SCENES, scene);
    assert_int_equal(cond_scene_read(NULL, path, n, set, &read, error), COND_OK);
    assert_int_equal(cond_scene_compile(read, model, error), COND_OK);
    cond_scene_destroy(read);
    cond_sim_create(*model, &sim, error);
    return sim;
}

static void expect_refused(const char* scene, int n, const char* const* set, const char* says)
{
    CondModel* model = NULL;
    CondError error;
    CondSim* sim = create(scene, n, set, &model, &error);
    assert_null(sim);
    assert_int_equal(error.status, COND_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "solver.device: cuda: "));
    assert_non_null(strstr(error.message, says));
    cond_model_destroy(model);
}

static void test_refused(void** state)
{
    (void)state;
    const char* reason = NULL;
    const char* set[] = {"solver.device=cuda", "solver.storage=double"};
    expect_refused("box.yaml", 1, set, "no soft body");
    if (cond_device_cuda_name(&reason)) {
        expect_refused("mat.yaml", 2, set, "storage: auto");
    } else {
        assert_true(reason && *reason);
        expect_refused("mat.yaml", 1, set, reason);
    }
    CondSolverSettings settings = cond_solver_settings_default();
    assert_int_equal(settings.device, COND_DEVICE_CPU);
    settings.device = (CondDeviceKind)7;
    CondError error;
    assert_int_equal(cond_solver_settings_check(&settings, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "device"));
}

// A scene may ask for the device that there is, whatever it holds and however it is solved.
static void test_auto(void** state)
{
    (void)state;
    const char* set[] = {"solver.device=auto", "solver.threads=1"};
    const char* scenes[] = {"box.yaml", "ball.yaml"};
    for (int k = 0; k < 2; k++) {
        CondModel* model = NULL;
        CondState* at = NULL;
        CondError error;
        CondStepInfo info;
        CondSim* sim = create(scenes[k], 2, set, &model, &error);
        assert_non_null(sim);
        assert_int_equal(cond_state_create(model, &at, &error), COND_OK);
        for (int step = 0; step < 2; step++)
            assert_int_equal(cond_sim_step(sim, at, &info), COND_OK);
        cond_sim_destroy(sim);
        cond_state_destroy(at);
        cond_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_auto)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
