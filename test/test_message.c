// Every call that can fail leaves a message: each is called wrongly here, and cond_last_error names
// what was wrong. Things are found by name, and a name that does not exist lists those near it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/cond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char SCENE[] =
    "step: {time_step: 0.01}\n"
    "materials: [{name: rubber, youngs_modulus: 1e5, poisson_ratio: 0.3, density: 1000}]\n"
    "planes: [{name: floor, normal: [0, 0, 1], friction: 0.5}]\n"
    "obstacles: [{name: wall, shape: {box: [0.1, 1, 1]}, position: [3, 0, 0.5]}]\n"
    "bodies:\n"
    "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}\n"
    "  - {name: soft, kind: soft, mesh: \"box:1,1,1:0.1,0.1,0.1\", material: rubber, position: [1, "
    "0, 0.05]}\n"
    "  - {name: rope, kind: rod, material: rubber, rod: {links: 3, length: 0.3, circle: 0.01}, "
    "position: [0, 3, 1]}\n"
    "  - name: arm\n"
    "    kind: robot\n"
    "    position: [0, 2, 1]\n"
    "    links:\n"
    "      - {name: base}\n"
    "      - {name: upper, parent: base, mass: 1, center: [0, 0, -0.2], inertia: [0.01, 0.01, "
    "0.01], joint: {name: shoulder, kind: revolute, axis: [0, 1, 0]}}\n"
    "      - {name: lower, parent: upper, mass: 1, center: [0, 0, -0.2], inertia: [0.01, 0.01, "
    "0.01], joint: {name: elbow, kind: revolute, axis: [0, 1, 0], position: [0, 0, -0.4]}}\n"
    "patches: [{name: sole, body: soft, low: [-9, -9, -9], high: [9, 9, 0.01]}]\n"
    "attachments: [{name: pin, from: {body: box}, to: {point: [0, 0, 0.1]}}]\n"
    "trajectories: [{name: orbit, waypoints: [{time: 0, position: [0, 0, 1]}, {time: 1, position: "
    "[1, 0, 1]}]}]\n"
    "sensors: [{name: scale, body: box}]\n";

typedef struct Things {
    CondScene* scene;
    CondModel* model;
    CondState* state;
    CondSim* sim;
    CondQuery* query;
    CondMechanics* mechanics;
} Things;

static Things begin(void)
{
    Things t;
    CondError error;
    if (cond_scene_read_text(NULL, SCENE, NULL, 0, NULL, &t.scene, &error) ||
        cond_scene_compile(t.scene, &t.model, &error) ||
        cond_state_create(t.model, &t.state, &error) || cond_sim_create(t.model, &t.sim, &error) ||
        cond_query_create(t.model, &t.query, &error) ||
        cond_mechanics_create(t.model, &t.mechanics, &error))
        fail_msg("%s", error.message);
    return t;
}

static void end(Things* t)
{
    cond_mechanics_destroy(t->mechanics);
    cond_query_destroy(t->query);
    cond_sim_destroy(t->sim);
    cond_state_destroy(t->state);
    cond_model_destroy(t->model);
    cond_scene_destroy(t->scene);
}

enum { BOX, SOFT, ROPE, ARM };

// The call fails, and its message holds the words.
#define EXPECT(call, words)                                                                        \
    do {                                                                                           \
        cond_last_error_set(COND_OK, "");                                                          \
        CondStatus status_ = (call);                                                               \
        if (status_ >= 0)                                                                          \
            fail_msg("%s does not fail", #call);                                                   \
        if (cond_last_error()->status != status_ || !strstr(cond_last_error()->message, (words)))  \
            fail_msg("%s: '%s' (%s) does not say '%s'", #call, cond_last_error()->message,         \
                     cond_status_name(cond_last_error()->status), (words));                        \
    } while (0)

static void test_sim(void** state)
{
    (void)state;
    Things t = begin();
    CondJointInfo joint;
    CondSensorReading sensor;
    CondJointReading moved;
    CondHooks hooks = {.struct_size = 1};
    double wrench[6], gap;
    EXPECT(cond_model_joint(t.model, ARM, 2, &joint), "joint 2");
    EXPECT(cond_model_joint(t.model, BOX, 0, &joint), "'box' is of kind rigid");
    EXPECT(cond_model_zero_configuration(t.model, 9, wrench), "body 9");
    EXPECT(cond_sim_assemble(t.sim, t.state), "matrix");
    EXPECT(cond_sim_sensor(t.sim, 3, &sensor), "sensor 3");
    EXPECT(cond_sim_sensor(t.sim, 0, &sensor), "no step");
    EXPECT(cond_sim_joint(t.sim, ARM, 0, &moved), "no step");
    EXPECT(cond_sim_attachment_wrench(t.sim, 0, wrench), "attachment 0");
    assert_true(cond_sim_step(t.sim, t.state, NULL) >= 0);
    EXPECT(cond_sim_joint(t.sim, ARM, 5, &moved), "coordinate 5");
    EXPECT(cond_sim_joint(t.sim, ROPE, 0, &moved), "expected robot");
    EXPECT(cond_sim_attachment_wrench(t.sim, 7, wrench), "attachment 7");
    EXPECT(cond_sim_gap(t.sim, t.state, BOX, BOX, &gap, NULL), "body and other");
    EXPECT(cond_sim_gap(t.sim, t.state, BOX, 8, &gap, NULL), "body 8");
    EXPECT(cond_sim_set_hooks(t.sim, &hooks), "cond_hooks_default");
    end(&t);
}

static void test_state(void** state)
{
    (void)state;
    Things t = begin();
    CondState* other;
    CondScene* scene;
    CondModel* model;
    CondError error;
    CondPose pose = cond_pose_default();
    CondPlace place = {.body = BOX, .part = 4};
    CondMotorGains gains = cond_motor_gains_default();
    double x[64] = {NAN}, position;
    int index;
    size_t size;
    char byte;
    EXPECT(cond_state_set_time(t.model, t.state, NAN), "time");
    EXPECT(cond_state_set_pose(t.model, t.state, 9, &pose), "body 9");
    pose.velocity[1] = INFINITY;
    EXPECT(cond_state_set_pose(t.model, t.state, BOX, &pose), "velocity[1]");
    EXPECT(cond_state_push(t.model, t.state, &place, x, NULL, &index), "4");
    EXPECT(cond_state_set_push(t.state, 0, x, NULL), "push 0");
    EXPECT(cond_state_end_push(t.state, 3), "push 3");
    EXPECT(cond_state_set_force(t.model, t.state, BOX, x), "force[0]");
    EXPECT(cond_state_set_joint_target(t.model, t.state, ARM, "elbo", 1.0), "elbow");
    EXPECT(cond_state_move_joint_target(t.model, t.state, BOX, "elbow", 1.0), "rigid");
    EXPECT(cond_state_set_target(t.model, t.state, ARM, 2, 1.0), "coordinate 2");
    EXPECT(cond_state_move_target(t.model, t.state, ARM, 1, NAN), "target");
    EXPECT(cond_state_coordinate(t.model, t.state, SOFT, 0, &position, NULL), "soft");
    EXPECT(cond_state_set_coordinate(t.model, t.state, ARM, 0, INFINITY, 0.0), "position");
    EXPECT(cond_state_joint(t.model, t.state, ARM, 7, &position, NULL), "joint 7");
    EXPECT(cond_state_set_joint(t.model, t.state, ARM, -1, 0.0, 0.0), "joint -1");
    EXPECT(cond_state_set_configuration(t.model, t.state, BOX, x), "[0]");
    EXPECT(cond_state_set_velocity(t.model, t.state, BOX, x), "[0]");
    EXPECT(cond_state_set_on(t.model, t.state, 9, 0), "body 9");
    gains.damping = -1.0;
    EXPECT(cond_state_set_motor(t.model, t.state, ARM, 0, &gains), "damping");
    EXPECT(cond_state_motor(t.model, t.state, ARM, 6, &gains), "coordinate 6");
    EXPECT(cond_state_set_targets(t.model, t.state, BOX, x, 0, NULL, NULL), "box");
    EXPECT(cond_state_rod_stress(t.model, t.state, ROPE, 5, NULL, NULL), "joint 5");
    EXPECT(cond_state_rod_stresses(t.model, t.state, BOX, NULL, NULL), "expected rod");
    EXPECT(cond_state_stress(t.model, t.state, BOX, NULL, NULL), "expected soft");
    EXPECT(cond_state_move_attachment(t.model, t.state, 4, x, NULL), "attachment 4");
    EXPECT(cond_state_release(t.state, 4), "4");
    EXPECT(cond_state_save(t.model, t.state, &byte, 1, &size), "capacity 1");
    assert_int_equal(cond_scene_create(NULL, &scene, &error), COND_OK);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_OK);
    assert_int_equal(cond_state_create(model, &other, &error), COND_OK);
    EXPECT(cond_state_copy(t.state, other), "different models");
    EXPECT(cond_state_save(model, t.state, NULL, 0, &size), "this model");
    cond_state_destroy(other);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    end(&t);
}

static void test_queries(void** state)
{
    (void)state;
    Things t = begin();
    CondHit hit;
    CondClosest closest;
    CondPose pose;
    CondPlace nowhere = {.body = 9}, arm = {.body = ARM, .part = 1}, box = {.body = BOX};
    const double bad[3] = {0.0, NAN, 0.0}, zero[3] = {0.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
    double x[64] = {NAN}, q[64] = {0.0};
    int n, first;
    EXPECT(cond_query_ray(t.query, bad, up, 1.0, NULL, &hit), "origin");
    EXPECT(cond_query_ray(t.query, zero, zero, 1.0, NULL, &hit), "direction");
    EXPECT(cond_query_ray(t.query, zero, up, -1.0, NULL, &hit), "limit");
    EXPECT(cond_query_nearest(t.query, bad, 1.0, NULL, &hit), "point");
    EXPECT(cond_query_within(t.query, zero, INFINITY, 1, &hit, &n), "radius");
    EXPECT(cond_query_closest(t.query, 9, BOX, 1.0, &closest), "body 9");
    EXPECT(cond_query_closest(t.query, BOX, BOX, 1.0, &closest), "other");
    EXPECT(cond_query_closest(t.query, BOX, SOFT, NAN, &closest), "limit");
    EXPECT(cond_mechanics_set_body(t.mechanics, 9, q, NULL), "body 9");
    EXPECT(cond_mechanics_set_body(t.mechanics, BOX, x, NULL), "q[0]");
    EXPECT(cond_mechanics_set_body(t.mechanics, BOX, q, NULL), "quaternion");
    EXPECT(cond_mechanics_pose(t.mechanics, &nowhere, &pose), "body 9");
    box.part = 3;
    EXPECT(cond_mechanics_jacobian(t.mechanics, &box, &first, &n, NULL), "part 3");
    EXPECT(cond_mechanics_acceleration(t.mechanics, &nowhere, NULL, x, x), "body 9");
    EXPECT(cond_mechanics_mass(t.mechanics, -1, x), "body -1");
    EXPECT(cond_mechanics_bias(t.mechanics, -1, x), "body -1");
    EXPECT(cond_mechanics_weight(t.mechanics, -1, x), "body -1");
    EXPECT(cond_mechanics_forward(t.mechanics, -1, x, x), "body -1");
    EXPECT(cond_mechanics_inverse(t.mechanics, -1, x, x), "body -1");
    EXPECT(cond_mechanics_push(t.mechanics, &nowhere, zero, NULL, x), "body 9");
    pose = (CondPose){.orientation = {0.0}};
    EXPECT(cond_mechanics_impedance(t.mechanics, &arm, &pose, x, x, q), "orientation");
    EXPECT(cond_mechanics_energy(t.mechanics, 9, x, x), "body 9");
    box.part = 0;
    EXPECT(cond_mechanics_reach(t.mechanics, &box, zero, NULL, NULL, q, NULL), "no robot");
    EXPECT(cond_mechanics_reach(t.mechanics, &arm, bad, NULL, NULL, q, NULL), "finite");
    end(&t);
}

static void expect_near(int found, const char* words)
{
    assert_int_equal(found, -1);
    if (!strstr(cond_last_error()->message, words))
        fail_msg("'%s' does not say '%s'", cond_last_error()->message, words);
}

// One way for all: how many, the name of an index, the index of a name.
static void test_names(void** state)
{
    (void)state;
    Things t = begin();
    const CondModel* m = t.model;
    struct {
        int n, found, first;
        const char* name;
    } all[] = {
        {cond_model_n_body(m), cond_model_find_body(m, "box"), 0, cond_model_body_name(m, 0)},
        {cond_model_n_plane(m), cond_model_find_plane(m, "floor"), 0, cond_model_plane_name(m, 0)},
        {cond_model_n_obstacle(m), cond_model_find_obstacle(m, "wall"), 0,
         cond_model_obstacle_name(m, 0)},
        {cond_model_n_patch(m), cond_model_find_patch(m, "sole"), 0, cond_model_patch_name(m, 0)},
        {cond_model_n_attachment(m), cond_model_find_attachment(m, "pin"), 0,
         cond_model_attachment_name(m, 0)},
        {cond_model_n_trajectory(m), cond_model_find_trajectory(m, "orbit"), 0,
         cond_model_trajectory_name(m, 0)},
        {cond_model_n_sensor(m), cond_model_find_sensor(m, "scale"), 0,
         cond_model_sensor_name(m, 0)},
        {cond_model_n_link(m, ARM), cond_model_find_link(m, ARM, "upper"), 1,
         cond_model_link_name(m, ARM, 1)},
        {cond_model_n_joint(m, ARM), cond_model_find_joint(m, ARM, "elbow"), 1,
         cond_model_joint_name(m, ARM, 1)},
        {cond_model_n_coordinate(m, ARM), cond_model_find_coordinate(m, ARM, "elbow"), 1,
         cond_model_coordinate_name(m, ARM, 1)},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(all[i].n > all[i].first);
        assert_int_equal(all[i].found, all[i].first);
        assert_non_null(all[i].name);
    }
    assert_null(cond_model_joint_name(m, ARM, 2));
    assert_null(cond_model_trajectory_name(m, 1));
    expect_near(cond_model_find_body(m, "bax"), "there is no body 'bax'; there are 'box'");
    expect_near(cond_model_find_body(m, "nothing"), "'box', 'soft', 'rope', 'arm'");
    expect_near(cond_model_find_plane(m, "flor"), "'floor'");
    expect_near(cond_model_find_obstacle(m, "all"), "'wall'");
    expect_near(cond_model_find_patch(m, ""), "'sole'");
    expect_near(cond_model_find_attachment(m, "pins"), "'pin'");
    expect_near(cond_model_find_trajectory(m, "orbital"), "'orbit'");
    expect_near(cond_model_find_sensor(m, NULL), "(null)");
    expect_near(cond_model_find_link(m, ARM, "uper"), "of 'arm'; there are 'upper'");
    expect_near(cond_model_find_link(m, BOX, "uper"), "rigid");
    expect_near(cond_model_find_joint(m, ARM, "elbo"), "'elbow'");
    expect_near(cond_model_find_coordinate(m, ARM, "shoulders"), "'shoulder'");
    end(&t);
}

// Calls that return a value give that of nothing for an index that does not exist.
static void test_values(void** state)
{
    (void)state;
    Things t = begin();
    double force[3], torque[3], share;
    int contact = 99;
#define EXPECT_VALUE(same, words)                                                                  \
    do {                                                                                           \
        cond_last_error_set(COND_OK, "");                                                          \
        if (!(same))                                                                               \
            fail_msg("%s", #same);                                                                 \
        if (!strstr(cond_last_error()->message, (words)))                                          \
            fail_msg("%s: '%s' does not say '%s'", #same, cond_last_error()->message, (words));    \
    } while (0)
    EXPECT_VALUE(cond_model_dof_begin(t.model, 9) == 0, "body 9: expected 0 to 3");
    EXPECT_VALUE(cond_model_q_begin(t.model, 9) == 0, "body 9");
    EXPECT_VALUE(cond_model_body_n_dof(t.model, -1) == 0, "body -1");
    EXPECT_VALUE(cond_model_body_n_q(t.model, 9) == 0, "body 9");
    EXPECT_VALUE(cond_model_mass(t.model, 9) == 0.0, "body 9");
    EXPECT_VALUE(cond_model_size(t.model, 9) == 0.0, "body 9");
    EXPECT_VALUE(cond_model_sensor_kind(t.model, 5) == COND_SENSOR_CONTACT, "sensor 5");
    EXPECT_VALUE(cond_state_pose(t.model, t.state, 9).orientation[0] == 1.0, "body 9");
    EXPECT_VALUE(cond_sim_contact(t.sim, 0).body == -1, "contact 0: there is none");
    EXPECT_VALUE(cond_sim_contact_patch(t.sim, 0, 0, &share) == -1, "contact 0");
    EXPECT_VALUE(cond_sim_event(t.sim, 3).body[0] == -1, "event 3");
    EXPECT_VALUE(cond_sim_pair_force(t.sim, 9, COND_ANY_BODY).n_contact == 0, "body 9");
    EXPECT_VALUE(cond_sim_listed_force(t.sim, 9, 0, 1, &contact).n_contact == 0, "9");
    EXPECT_VALUE((cond_sim_body_force(t.sim, 9, force, torque), force[0] == 0.0), "body 9");
#undef EXPECT_VALUE
    end(&t);
}

// Configuration and velocity, of a body and of all.
static void test_whole(void** state)
{
    (void)state;
    Things t = begin();
    int n, n_body;
    const double* q = cond_state_whole_configuration(t.state, &n);
    assert_int_equal(n, cond_model_n_q(t.model));
    const double* v = cond_state_whole_velocity(t.state, &n);
    assert_int_equal(n, cond_model_n_dof(t.model));
    assert_ptr_equal(v, cond_state_velocity(t.state));
    for (int b = 0; b < cond_model_n_body(t.model); b++) {
        const double* own = cond_state_body_configuration(t.model, t.state, b, &n_body);
        assert_ptr_equal(own, q + cond_model_q_begin(t.model, b));
        assert_ptr_equal(own, cond_state_configuration(t.model, t.state, b, &n));
        assert_int_equal(n_body, cond_model_body_n_q(t.model, b));
        own = cond_state_body_velocity(t.model, t.state, b, &n_body);
        assert_ptr_equal(own, v + cond_model_dof_begin(t.model, b));
        assert_int_equal(n_body, cond_model_body_n_dof(t.model, b));
    }
    assert_null(cond_state_body_velocity(t.model, t.state, 9, &n_body));
    assert_int_equal(n_body, 0);
    double position, rate;
    assert_int_equal(cond_state_set_coordinate(t.model, t.state, ARM, 1, 0.3, -0.2), COND_OK);
    assert_int_equal(cond_state_coordinate(t.model, t.state, ARM, 1, &position, &rate), COND_OK);
    assert_true(position == 0.3 && rate == -0.2);
    assert_int_equal(cond_state_joint(t.model, t.state, ARM, 1, &position, &rate), COND_OK);
    assert_true(position == 0.3 && rate == -0.2);
    // A target by index is that by name.
    CondState* other;
    assert_int_equal(cond_state_create(t.model, &other, NULL), COND_OK);
    assert_int_equal(cond_state_copy(other, t.state), COND_OK);
    assert_int_equal(cond_state_set_target(t.model, t.state, ARM, 1, 0.5), COND_OK);
    assert_int_equal(cond_state_set_joint_target(t.model, other, ARM, "elbow", 0.5), COND_OK);
    assert_true(cond_state_hash(t.state) == cond_state_hash(other));
    assert_int_equal(cond_state_move_target(t.model, t.state, ARM, 0, 0.1), COND_OK);
    assert_int_equal(cond_state_move_joint_target(t.model, other, ARM, "shoulder", 0.1), COND_OK);
    assert_true(cond_state_hash(t.state) == cond_state_hash(other));
    cond_state_destroy(other);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim),   cmocka_unit_test(test_state),  cmocka_unit_test(test_queries),
        cmocka_unit_test(test_names), cmocka_unit_test(test_values), cmocka_unit_test(test_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
