// Forces from outside, given while a simulation runs: their work, where they act, and that they are
// part of the state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/mechanics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double up[3] = {0.0, 0.0, 9.81};

// A push of its weight holds a box, at its centre without turning it; a torque turns it by t/I.
static void test_rigid(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.2, 0.3, 0.4, 0.0, 0.0, 1.0);
    add_body(scene, &box);
    Trial trial = trial_begin(scene);
    CondPlace middle = {.body = 0}, corner = {.body = 0, .point = {0.1, 0.0, 0.0}};
    double torque[3] = {0.0, 0.0, 0.01}, less[3] = {0.0, 0.0, -1.0};
    int hold, turn, more;
    assert_int_equal(cond_state_push(trial.model, trial.state, &middle, up, NULL, &hold), COND_OK);
    trial_step(&trial, 10);
    assert_near(trial_pose(&trial, 0).position[2], 1.0, 1e-12);
    assert_int_equal(cond_state_push(trial.model, trial.state, &middle, NULL, torque, &turn),
                     COND_OK);
    double before = cond_state_time(trial.state), I = (0.2 * 0.2 + 0.3 * 0.3) / 12.0;
    trial_step(&trial, 100);
    double spin = 0.01 / I * (cond_state_time(trial.state) - before);
    assert_near(trial_pose(&trial, 0).angular_velocity[2], spin, 1e-9);
    // Beside the centre it turns the box as well: about y, by arm x force.
    assert_int_equal(cond_state_end_push(trial.state, turn), COND_OK);
    assert_int_equal(cond_state_push(trial.model, trial.state, &corner, less, NULL, &more),
                     COND_OK);
    assert_int_equal(more, turn); // its index was free again
    trial_step(&trial, 1);
    CondPose pose = trial_pose(&trial, 0);
    assert_true(fabs(pose.angular_velocity[0]) + fabs(pose.angular_velocity[1]) > 1e-4);
    cond_state_end_pushes(trial.state);
    assert_int_equal(cond_state_set_push(trial.state, hold, up, NULL), COND_BAD_ARGUMENT);
    trial_end(&trial);
}

// Torques on the joints hold an arm where the weight would turn it, and as joint forces the same as
// a push J' f at a link.
static void test_robot(void** state)
{
    (void)state;
    write_chain("push_chain.urdf", 3, 1.0, 0.4, 0.0, 1.0);
    CondScene* scene = make_scene();
    CondBodyDef arm = make_robot("arm", "push_chain.urdf");
    CondJointDef joint = {.name = "hinge0", .position = 0.7, .stiffness = NAN, .damping = NAN};
    arm.n_joint = 1;
    arm.joint = &joint;
    add_body(scene, &arm);
    Trial trial = trial_begin(scene);
    CondMechanics* mechanics;
    CondError error;
    assert_int_equal(cond_mechanics_create(trial.model, &mechanics, &error), COND_OK);
    double f[3], q0[3];
    int n, index;
    memcpy(q0, cond_state_configuration(trial.model, trial.state, 0, &n), sizeof q0);
    cond_mechanics_set(mechanics, trial.state);
    assert_int_equal(cond_mechanics_weight(mechanics, 0, f), COND_OK);
    for (int i = 0; i < 3; i++)
        f[i] = -f[i];
    assert_int_equal(cond_state_set_force(trial.model, trial.state, 0, f), COND_OK);
    trial_step(&trial, 50);
    const double* q = cond_state_configuration(trial.model, trial.state, 0, &n);
    for (int i = 0; i < 3; i++)
        assert_near(q[i], q0[i], 1e-10);
    // A push and a torque at the last link, taken back by the joints.
    CondPlace tip = {.body = 0, .part = 3, .point = {0.0, 0.0, -0.4}};
    double force[3] = {2.0, 0.5, -1.0}, torque[3] = {0.1, 0.3, -0.2}, back[3] = {0.0};
    assert_int_equal(cond_mechanics_push(mechanics, &tip, force, torque, back), COND_OK);
    for (int i = 0; i < 3; i++)
        f[i] -= back[i];
    assert_int_equal(cond_state_set_force(trial.model, trial.state, 0, f), COND_OK);
    assert_int_equal(cond_state_push(trial.model, trial.state, &tip, force, torque, &index),
                     COND_OK);
    trial_step(&trial, 50);
    q = cond_state_configuration(trial.model, trial.state, 0, &n);
    for (int i = 0; i < 3; i++)
        assert_near(q[i], q0[i], 1e-9);
    cond_mechanics_destroy(mechanics);
    trial_end(&trial);
    remove("push_chain.urdf");
}

// Linear momentum of a body whose nodes or links have `stride` coordinates.
static void momentum(const Trial* trial, int body, int stride, double p[3])
{
    enum { MOST = 128 };
    static double M[MOST * MOST];
    CondMechanics* mechanics;
    CondError error;
    int n = cond_model_body_n_dof(trial->model, body);
    const double* v = cond_state_velocity(trial->state) + cond_model_dof_begin(trial->model, body);
    assert_true(n <= MOST);
    assert_int_equal(cond_mechanics_create(trial->model, &mechanics, &error), COND_OK);
    cond_mechanics_set(mechanics, trial->state);
    assert_int_equal(cond_mechanics_mass(mechanics, body, M), COND_OK);
    memset(p, 0, 3 * sizeof *p);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && i % stride < 3; j++)
            p[i % stride] += M[i * n + j] * v[j];
    cond_mechanics_destroy(mechanics);
}

// Nodes of soft bodies and links of rods: the momentum grows by force times time.
static void test_soft_and_rod(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef soft = make_soft("soft", "box:2,2,2:0.2,0.2,0.2", "rubber", 0.0, 0.0, 1.0);
    CondBodyDef rod = cond_body_def_default();
    rod.kind = COND_BODY_ROD;
    snprintf(rod.name, sizeof rod.name, "rod");
    snprintf(rod.material, sizeof rod.material, "rubber");
    rod.rod.links = 6;
    rod.rod.length = 0.6;
    rod.rod.circle = 0.02;
    rod.position[0] = 2.0;
    add_body(scene, &soft);
    add_body(scene, &rod);
    memset(cond_scene_settings(scene)->gravity, 0, 3 * sizeof(double));
    Trial trial = trial_begin(scene);
    double force[3] = {0.3, -0.2, 0.1}, p[3];
    CondPlace node = {.body = 0, .part = 5}, link = {.body = 1, .part = 2};
    int index;
    assert_int_equal(cond_state_push(trial.model, trial.state, &node, force, NULL, &index),
                     COND_OK);
    assert_int_equal(cond_state_push(trial.model, trial.state, &link, force, NULL, &index),
                     COND_OK);
    trial_step(&trial, 20);
    for (int b = 0; b < 2; b++) {
        momentum(&trial, b, b == 0 ? 3 : 6, p);
        for (int k = 0; k < 3; k++)
            assert_near(p[k], force[k] * cond_state_time(trial.state), 1e-9);
    }
    trial_end(&trial);
}

// A saved state goes on with the same bits; a sleeper that is pushed wakes.
static void test_state(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
    CondBodyDef other = make_box(1.0, 0.2, 0.2, 0.2, 1.0, 0.0, 0.1);
    add_body(scene, &box);
    add_body(scene, &other);
    add_floor(scene, 0.5, 0.0);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 20);
    CondPlace middle = {.body = 1};
    double force[3] = {8.0, 0.0, 0.0}, f[6] = {0.0, 1.0};
    int index;
    assert_int_equal(cond_state_push(trial.model, trial.state, &middle, force, NULL, &index),
                     COND_OK);
    assert_int_equal(cond_state_set_force(trial.model, trial.state, 1, f), COND_OK);
    size_t size;
    assert_int_equal(cond_state_save(trial.model, trial.state, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cond_state_save(trial.model, trial.state, bytes, size, &size), COND_OK);
    trial_step(&trial, 10);
    uint64_t hash = cond_state_hash(trial.state);
    CondPose moved = trial_pose(&trial, 1);
    assert_true(moved.position[0] > 1.0001);
    CondError error;
    assert_int_equal(cond_state_load(trial.model, trial.state, bytes, size, &error), COND_OK);
    trial_step(&trial, 10);
    assert_true(cond_state_hash(trial.state) == hash);
    free(bytes);
    trial_end(&trial);
}

static void test_arguments(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
    add_body(scene, &box);
    Trial trial = trial_begin(scene);
    CondPlace wrong = {.body = 1}, part = {.body = 0, .part = 1}, right = {.body = 0};
    double bad[3] = {NAN, 0.0, 0.0};
    int index;
    assert_int_equal(cond_state_push(trial.model, trial.state, &wrong, up, NULL, &index),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_push(trial.model, trial.state, &part, up, NULL, &index),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_push(trial.model, trial.state, &right, bad, NULL, &index),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_set_force(trial.model, trial.state, 7, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_end_push(trial.state, 0), COND_BAD_ARGUMENT);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid),        cmocka_unit_test(test_robot),
        cmocka_unit_test(test_soft_and_rod), cmocka_unit_test(test_state),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
