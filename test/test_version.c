// Programs that were compiled with the headers of an earlier version, against this library; and
// with the snapshot of those of 0.2, which stands for the programs of today in later versions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/cond.h"

#include <string.h>

int version_program(char* text, size_t size);
int version_program_0_1(char* text, size_t size);
int version_program_0_2(char* text, size_t size);

static void run(int (*program)(char*, size_t))
{
    char text[256] = "";
    if (program(text, sizeof text))
        fail_msg("%s", text);
}

static void test_0_1(void** state)
{
    (void)state;
    run(version_program_0_1);
}

static void test_0_2(void** state)
{
    (void)state;
    run(version_program_0_2);
}

static void test_now(void** state)
{
    (void)state;
    run(version_program);
    assert_int_equal(strncmp(cond_version(), "0.2.", 4), 0);
}

// A struct that is shorter or longer than the library's: no more is written than there is, and what
// the library does not know is zero.
static void test_sizes(void** state)
{
    (void)state;
    CondScene* scene;
    CondModel* model;
    CondState* at;
    CondSim* sim;
    CondError error;
    CondBodyDef def = cond_body_def_default();
    def.mass = 1.0;
    def.shape = COND_SHAPE_SPHERE;
    def.size[0] = 0.1;
    def.inertia_from_shape = 1;
    assert_int_equal(cond_scene_create(NULL, &scene, &error), COND_OK);
    assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_OK);
    assert_int_equal(cond_state_create(model, &at, &error), COND_OK);
    assert_int_equal(cond_sim_create(model, &sim, &error), COND_OK);
    struct {
        CondStepInfo info;
        double more[4];
    } longer;
    memset(&longer, 0xff, sizeof longer);
    assert_int_equal(cond_sim_step_sized(sim, at, &longer.info, sizeof longer), COND_OK);
    assert_int_equal(longer.info.substeps, 1);
    for (int i = 0; i < 4; i++)
        assert_true(longer.more[i] == 0.0);
    size_t part = offsetof(CondStepInfo, newton_iterations);
    memset(&longer, 0xff, sizeof longer);
    assert_int_equal(cond_sim_step_sized(sim, at, &longer.info, part), COND_OK);
    assert_true(longer.info.time > 0.0);
    assert_int_equal(longer.info.newton_iterations, -1);
    cond_sim_destroy(sim);
    cond_state_destroy(at);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_0_1),
        cmocka_unit_test(test_0_2),
        cmocka_unit_test(test_now),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
