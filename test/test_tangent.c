// The derivative of Newton's equation against finite differences, and iterates that arrive by
// squares.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "integrate/tangent.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };

// Boxes that turn fast, held to the world and to each other by points, one of them to a particle by
// a spring; two are far from the others and free.
static CondScene* whirl(int turns)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->solver.threads = 1;
    cond_scene_settings(scene)->time_step = 5e-3;
    for (int i = 0; i < 4; i++) {
        CondBodyDef box = make_box(0.5 + 0.1 * i, 0.1, 0.2, 0.3, 1.2 * i, i == 3 ? 9.0 : 0.0, 1.0);
        box.velocity[1] = 0.3 * i;
        box.angular_velocity[0] = 20.0 - 7.0 * i;
        box.angular_velocity[1] = 5.0 + 9.0 * i;
        box.angular_velocity[2] = -12.0;
        add_body(scene, &box);
    }
    const char* const end[3][2] = {{"body0", ""}, {"body0", "body1"}, {"body2", "body1"}};
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "hold%d", i);
        CondAttachmentDef hold = make_attachment(name, end[i][0], end[i][1], turns && i == 1);
        hold.end[0].point[0] = 0.1;
        hold.end[0].point[1] = -0.03 * i;
        hold.end[1].point[2] = 0.02 * (i + 1);
        hold.stiffness = 3e4;
        hold.rotation_stiffness = 1e-6; // whose derivative is left as it is
        hold.damping = hold.rotation_damping = 0.0;
        add_attachment(scene, &hold);
    }
    return scene;
}

// r at v = v_0 + s x.
static void evaluate(Trial* trial, const double* v, double s, const double* x, double* r)
{
    CondSim* sim = trial->sim;
    int n = trial->model->n_dof;
    for (int i = 0; i < n; i++)
        sim->attempt.v_hat[i] = v[i] + s * x[i];
    assert_int_equal(cond_newton_evaluate(sim, trial->state), COND_OK);
    memcpy(r, sim->newton.r, (size_t)n * sizeof *r);
}

static void test_derivative(void** state)
{
    (void)state;
    for (int turns = 0; turns < 2; turns++) {
        Trial trial = trial_begin(whirl(turns));
        CondSim* sim = trial.sim;
        int n = trial.model->n_dof;
        double v[MOST], x[MOST], low[MOST], high[MOST], d = 1e-5;
        trial_step(&trial, 5);
        assert_int_equal(cond_sim_forces(sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_matrix(sim), COND_OK);
        assert_int_equal(cond_sim_collide(sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_assemble(sim, trial.state), COND_OK);
        for (int b = 0; b < 4; b++)
            sim->linear[b] = b == 3; // the last one is free
        for (int i = 0; i < n; i++) {
            v[i] = trial.state->v[i] + 0.3 * sin(5.0 * i);
            x[i] = i < 18 ? cos(3.0 * i) : 0.0;
        }
        evaluate(&trial, v, -d, x, low);
        evaluate(&trial, v, d, x, high);
        for (int i = 0; i < n; i++)
            high[i] = (high[i] - low[i]) / (2.0 * d);
        evaluate(&trial, v, 0.0, x, low);
        CondStatus status;
        assert_true(cond_tangent_serves(sim, &status));
        assert_int_equal(status, COND_OK);
        for (int again = 0; again < 2; again++) { // the layout is kept
            double y[MOST];
            memcpy(y, high, (size_t)n * sizeof *y);
            assert_int_equal(cond_tangent_factor(sim, trial.state), COND_OK);
            cond_tangent_solve(sim, y);
            for (int i = 0; i < n; i++)
                assert_near(y[i], x[i], 1e-6);
        }
        trial_end(&trial);
    }
}

// Bodies that turn by a tenth of a radian and more in a step.
static void test_few_iterates(void** state)
{
    (void)state;
    Trial trial = trial_begin(whirl(0));
    double before = 0.0;
    int most = 0;
    for (int i = 0; i < 200; i++) {
        CondStepInfo info;
        assert_int_equal(cond_sim_step(trial.sim, trial.state, &info), COND_OK);
        assert_int_equal(info.substeps, 1);
        before = i == 0 ? trial_energy(&trial) : before;
        most = info.newton_iterations > most ? info.newton_iterations : most;
    }
    assert_in_range(most, 3, 8);
    assert_near(trial_energy(&trial), before, 1e-9 * fabs(before));
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_few_iterates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
