// Oblique impacts of one body on the ground: random directions, spins, friction and restitution.
// Where a ball comes to roll, its velocity and its spin cancel in the contact, and without gravity
// nothing else is at play there. Every step is certified, in few Newton steps.
#include "scene_make.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { IMPACTS = 400, STEPS = 30, MOST_PASSES = 400 };

// What a throw of the dice says of one impact.
static CondScene* draw_scene(CondShapeKind shape, int seed)
{
    static const double restitution[] = {0.0, 0.3, 0.8, 1.0};
    Dice dice = {0x9e3779b97f4a7c15u * (uint64_t)(seed + 1)};
    for (int k = 0; k < 8; k++)
        dice_uniform(&dice, 0.0, 1.0);
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    CondBodyDef body = cond_body_def_default();
    if (dice_uniform(&dice, 0.0, 1.0) < 0.7)
        memset(settings->gravity, 0, sizeof settings->gravity);
    settings->time_step = 0.01;
    settings->solver.threads = 1;
    body.shape = shape;
    body.mass = exp(dice_uniform(&dice, -3.0, 3.0));
    body.inertia_from_shape = 1;
    body.size[0] = shape == COND_SHAPE_BOX ? 0.2 : 0.1;
    body.size[1] = body.size[2] = shape == COND_SHAPE_SPHERE ? 0.0 : 0.25;
    make_turn(dice_uniform(&dice, -1, 1), dice_uniform(&dice, -1, 1), dice_uniform(&dice, -1, 1),
              shape == COND_SHAPE_SPHERE ? 0.0 : dice_uniform(&dice, 0.0, 3.0), body.orientation);
    body.position[2] = dice_uniform(&dice, 0.3, 0.6);
    for (int i = 0; i < 2; i++)
        body.velocity[i] = dice_uniform(&dice, 0.0, 1.0) < 0.3 ? 0.0 : dice_uniform(&dice, -3, 3);
    body.velocity[2] = -dice_uniform(&dice, 1.0, 4.0);
    for (int i = 0; i < 3; i++)
        body.angular_velocity[i] =
            dice_uniform(&dice, 0.0, 1.0) < 0.3 ? 0.0 : dice_uniform(&dice, -50, 50);
    add_body(scene, &body);
    add_floor(scene, dice_uniform(&dice, 0.0, 4.0), restitution[seed % 4]);
    return scene;
}

static void impacts_are_certified(CondShapeKind shape)
{
    for (int seed = 0; seed < IMPACTS; seed++) {
        Trial trial = trial_begin(draw_scene(shape, seed));
        for (int k = 0; k < STEPS; k++) {
            trial_step(&trial, 1);
            if (trial.info.solve.passes + trial.info.impact.passes > MOST_PASSES)
                fail_msg("impact %d, step %d: %d and %d Newton steps", seed, k,
                         trial.info.solve.passes, trial.info.impact.passes);
        }
        trial_end(&trial);
    }
}

static void test_spheres(void** state)
{
    (void)state;
    impacts_are_certified(COND_SHAPE_SPHERE);
}

static void test_boxes(void** state)
{
    (void)state;
    impacts_are_certified(COND_SHAPE_BOX);
}

static void test_capsules(void** state)
{
    (void)state;
    impacts_are_certified(COND_SHAPE_CAPSULE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_capsules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
