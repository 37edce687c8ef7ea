// What sticks does not move: with kv infinite the gain inside the solver does not show, and a
// capsule in a grip does not creep.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scene_make.h"

// The box of the paper against its analytic motion, y = (F/m - mu g) t^2/2 at constant height.
static void box_for_any_gain(void** state)
{
    (void)state;
    static const char* const gains[] = {"solver.kv_scale=1",   "solver.kv_scale=10",
                                        "solver.kv_scale=100", "solver.kv_scale=1e3",
                                        "solver.kv_scale=1e4", "solver.kv_scale=5e4"};
    for (int g = 0; g < 6; g++) {
        const char* override[] = {"contact.kv=.inf", "solver.tolerance=1e-12", "solver.threads=1",
                                  gains[g]};
        Trial trial = trial_read("box.yaml", 4, override);
        double iterations = 0.0;
        for (int k = 0; k < 100; k++) {
            trial_step(&trial, 1);
            iterations += trial.info.solve.iterations;
            assert_in_range(trial.info.solve.solved_by, COND_BY_START, COND_BY_FACTORED_NEWTON);
            double t = cond_state_time(trial.state);
            CondPose pose = trial_pose(&trial, 0);
            assert_near(pose.position[0], 0.0, 1e-9);
            assert_near(pose.position[1], 0.5 * (2.0 / 0.5 - 0.2 * 9.81) * t * t, 1e-9);
            assert_near(pose.position[2], 0.1, 1e-9);
        }
        assert_true(iterations / 100.0 < 15.0);
        trial_end(&trial);
    }
}

static void capsule_does_not_creep(void** state)
{
    (void)state;
    const char* override[] = {"solver.threads=1"};
    Trial trial = trial_read("capsule.yaml", 1, override);
    trial_step(&trial, 100);
    CondPose first = trial_pose(&trial, 0);
    trial_step(&trial, 900);
    CondPose last = trial_pose(&trial, 0);
    double seconds = 9.0;
    for (int i = 0; i < 3; i++) // 0.01 micrometres a second
        assert_near(last.position[i], first.position[i], 1e-8 * seconds);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_for_any_gain),
        cmocka_unit_test(capsule_does_not_creep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
