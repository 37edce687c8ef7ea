// Trajectories without inverse kinematics: frames in space that attachments hold on to, and joints
// whose motors follow. The reference is the equation of motion itself, integrated finely.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "potential/trajectory.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_WAY = 4 };

// Up, a rest, and down to a third height; the last stretch turns a quarter about z.
static void fill_waypoints(CondWaypoint way[N_WAY])
{
    static const double height[N_WAY] = {1.0, 1.3, 1.3, 0.9}, time[N_WAY] = {0.1, 0.5, 0.6, 1.0};
    for (int k = 0; k < N_WAY; k++) {
        way[k] = (CondWaypoint){.time = time[k], .target = height[k], .rest = 1};
        way[k].position[2] = height[k];
        make_turn(0.0, 0.0, 1.0, k == N_WAY - 1 ? 1.5707963267948966 : 0.0, way[k].orientation);
    }
}

// Height and its rate: at rest at every waypoint, 3 s^2 - 2 s^3 between them.
static void height_at(const CondWaypoint* way, double time, double* z, double* rate)
{
    int k = 0;
    while (k + 2 < N_WAY && time > way[k + 1].time)
        k++;
    double h = way[k + 1].time - way[k].time, s = fmin(fmax((time - way[k].time) / h, 0.0), 1.0);
    double d = way[k + 1].target - way[k].target;
    *z = way[k].target + (3.0 - 2.0 * s) * s * s * d;
    *rate = 6.0 * (1.0 - s) * s * d / h;
}

// m z'' = k (p - z) + d (p' - z') - m g from rest on the path, by the midpoint method in small
// steps.
static double reference(const CondWaypoint* way, double m, double k, double d, double g, double T)
{
    const int n = 100000;
    double z = way[0].target, v = 0.0, h = T / n;
    for (int i = 0; i < n; i++) {
        double p, rate;
        height_at(way, i * h, &p, &rate);
        double a = (k * (p - z) + d * (rate - v)) / m - g;
        double half_z = z + 0.5 * h * v, half_v = v + 0.5 * h * a;
        height_at(way, (i + 0.5) * h, &p, &rate);
        a = (k * (p - half_z) + d * (rate - half_v)) / m - g;
        z += h * half_v;
        v += h * a;
    }
    return z;
}

static CondTrajectoryDef make_path(const char* name, const CondWaypoint* way)
{
    CondTrajectoryDef path = cond_trajectory_def_default();
    snprintf(path.name, sizeof path.name, "%s", name);
    path.n_waypoint = N_WAY;
    path.waypoint = way;
    return path;
}

static CondScene* guide_scene(double theta, double time_step)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->theta = theta;
    settings->time_step = time_step;
    settings->solver.threads = 1;
    settings->solver.tolerance = 1e-12;
    return scene;
}

static const double M = 2.0, K = 400.0, D = 12.0;

// A box that a frame in space leads: the height after T, with the path added before or, by
// cond_state_attach, the attachment made after compiling.
static Trial led_box(const CondWaypoint* way, double theta, double time_step, int late)
{
    CondError error;
    CondScene* scene = guide_scene(theta, time_step);
    CondBodyDef box = make_box(M, 0.1, 0.2, 0.3, 0.0, 0.0, way[0].position[2]);
    add_body(scene, &box);
    CondTrajectoryDef path = make_path("way", way);
    assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
    CondAttachmentDef hand = make_attachment("hand", "body0", "", 1);
    snprintf(hand.end[1].trajectory, COND_NAME_SIZE, "way");
    hand.stiffness = K;
    hand.damping = D;
    hand.rotation_stiffness = 50.0;
    hand.rotation_damping = 2.0;
    if (!late)
        add_attachment(scene, &hand);
    Trial trial = trial_begin(scene);
    int index = -1;
    if (late)
        assert_int_equal(cond_state_attach(trial.model, trial.state, &hand, &index, &error),
                         COND_OK);
    return trial;
}

static void test_box_follows_a_frame(void** state)
{
    (void)state;
    const double T = 0.8, g = 9.81;
    CondWaypoint way[N_WAY];
    fill_waypoints(way);
    double exact = reference(way, M, K, D, g, T);
    for (int order = 1; order <= 2; order++) {
        double error[2];
        for (int level = 0; level < 2; level++) {
            double t = 0.004 / (1 << level);
            Trial trial = led_box(way, order == 1 ? 1.0 : 0.5, t, 0);
            trial_step(&trial, (int)lround(T / t));
            error[level] = fabs(trial_pose(&trial, 0).position[2] - exact);
            trial_end(&trial);
        }
        assert_true(error[0] < (order == 1 ? 5e-3 : 1e-4));
        assert_true(error[1] < (order == 1 ? 0.6 : 0.35) * error[0]);
    }
}

// The same bits whether the attachment comes with the scene or is made by the program; it ends on
// the last waypoint, turned, and carries the weight.
static void test_frame_at_rest(void** state)
{
    (void)state;
    CondWaypoint way[N_WAY];
    fill_waypoints(way);
    Trial trial[2] = {led_box(way, 1.0, 0.01, 0), led_box(way, 1.0, 0.01, 1)};
    for (int i = 0; i < 2; i++)
        trial_step(&trial[i], 500);
    CondPose pose = trial_pose(&trial[0], 0), other = trial_pose(&trial[1], 0);
    assert_near(pose.position[2], way[N_WAY - 1].position[2] - M * 9.81 / K, 1e-6);
    assert_near(pose.orientation[0], cos(0.25 * 3.141592653589793), 1e-6);
    assert_near(pose.orientation[3], sin(0.25 * 3.141592653589793), 1e-6);
    assert_memory_equal(&pose, &other, sizeof pose);
    double wrench[6];
    assert_int_equal(cond_sim_attachment_wrench(trial[0].sim, 0, wrench), COND_OK);
    assert_near(wrench[2], M * 9.81, 1e-5);
    trial_end(&trial[0]);
    trial_end(&trial[1]);
}

// While it accelerates, the attachment's force is what the momentum and the weight ask for.
static void test_force_while_it_moves(void** state)
{
    (void)state;
    CondWaypoint way[N_WAY];
    fill_waypoints(way);
    Trial trial = led_box(way, 1.0, 0.01, 0);
    for (int k = 0; k < 80; k++) {
        double before = trial_pose(&trial, 0).velocity[2], wrench[6];
        trial_step(&trial, 1);
        double change = (trial_pose(&trial, 0).velocity[2] - before) / 0.01;
        assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_OK);
        assert_near(wrench[2], M * (change + 9.81), 1e-7 * M * 9.81);
    }
    trial_end(&trial);
}

static void test_joint_follows(void** state)
{
    (void)state;
    const double T = 0.8;
    CondWaypoint way[N_WAY];
    CondError error;
    fill_waypoints(way);
    for (int k = 0; k < N_WAY; k++)
        way[k].target -= 1.0; // within the slider's limits
    double exact = reference(way, M, K, D, 9.81, T), off[2];
    write_slider("guide_slider.urdf", M, 0.05);
    for (int level = 0; level < 2; level++) {
        double t = 0.004 / (1 << level);
        CondScene* scene = guide_scene(0.5, t);
        CondBodyDef leg = make_robot("leg", "guide_slider.urdf");
        leg.motor_stiffness = K;
        leg.motor_damping = D;
        add_body(scene, &leg);
        CondTrajectoryDef path = make_path("slide", way);
        snprintf(path.body, sizeof path.body, "leg");
        snprintf(path.joint, sizeof path.joint, "slide");
        assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
        Trial trial = trial_begin(scene);
        trial_step(&trial, (int)lround(T / t));
        off[level] = fabs(trial.state->q[0] - exact);
        trial_end(&trial);
    }
    assert_true(off[0] < 1e-4);
    assert_true(off[1] < 0.35 * off[0]);
    remove("guide_slider.urdf");
}

// The velocity of the frame is the rate of its position, and zero where a waypoint rests.
static void test_rate_of_a_frame(void** state)
{
    (void)state;
    const double h = 1e-5;
    CondWaypoint way[N_WAY];
    fill_waypoints(way);
    CondTrajectory path = {.n_waypoint = N_WAY, .waypoint = way};
    for (int pass = 0; pass < 2; pass++) {
        for (double time = 0.105; time < 1.0; time += 0.01) {
            CondIkTarget now = cond_trajectory_at(&path, time);
            CondIkTarget before = cond_trajectory_at(&path, time - h);
            CondIkTarget after = cond_trajectory_at(&path, time + h);
            double rate = (after.position[2] - before.position[2]) / (2.0 * h);
            assert_near(now.velocity[2], rate, 1e-7);
        }
        double v = cond_trajectory_at(&path, way[1].time).velocity[2];
        assert_near(v, pass == 0 ? 0.0 : 0.6, 1e-12); // (1.3 - 1.0) / (0.6 - 0.1)
        for (int k = 0; k < N_WAY; k++)
            way[k].rest = 0;
    }
}

static void refuse(CondScene* scene, const CondTrajectoryDef* def, const char* text)
{
    CondError error = {0};
    assert_true(cond_scene_add_trajectory(scene, def, &error) != COND_OK);
    if (!strstr(error.message, text))
        fail_msg("'%s' does not say '%s'", error.message, text);
}

static void test_bad_definitions(void** state)
{
    (void)state;
    CondWaypoint way[N_WAY];
    CondError error = {0};
    CondModel* model = NULL;
    fill_waypoints(way);
    write_slider("guide_slider.urdf", M, 0.05);
    CondScene* scene = guide_scene(1.0, 0.01);
    CondBodyDef leg = make_robot("leg", "guide_slider.urdf");
    add_body(scene, &leg);
    CondBodyDef box = make_box(M, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0);
    add_body(scene, &box);
    CondTrajectoryDef path = make_path("a", way);
    snprintf(path.joint, sizeof path.joint, "slide");
    refuse(scene, &path, "body: is required where a joint is named");
    snprintf(path.body, sizeof path.body, "leg");
    snprintf(path.link, sizeof path.link, "foot");
    refuse(scene, &path, "joint: must be left out where a link is named");
    path.link[0] = '\0';
    way[1].target = NAN;
    refuse(scene, &path, "waypoints[1].target: is required");
    way[1].target = 0.0;
    assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
    CondAttachmentDef hand = make_attachment("hand", "body1", "", 1);
    snprintf(hand.end[1].trajectory, COND_NAME_SIZE, "a");
    assert_true(cond_scene_add_attachment(scene, &hand, &error) != COND_OK);
    assert_non_null(strstr(error.message, "to.trajectory: 'a' leads 'leg'"));
    snprintf(hand.end[1].trajectory, COND_NAME_SIZE, "b");
    assert_true(cond_scene_add_attachment(scene, &hand, &error) != COND_OK);
    assert_non_null(strstr(error.message, "to.trajectory: there is no trajectory called 'b'"));
    path = make_path("c", way);
    assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
    snprintf(hand.end[1].trajectory, COND_NAME_SIZE, "c");
    hand.end[1].point[0] = 1.0;
    assert_true(cond_scene_add_attachment(scene, &hand, &error) != COND_OK);
    assert_non_null(strstr(error.message, "to.point: must be zero"));
    hand.end[1].point[0] = 0.0;
    snprintf(hand.end[0].trajectory, COND_NAME_SIZE, "c");
    assert_true(cond_scene_add_attachment(scene, &hand, &error) != COND_OK);
    assert_non_null(strstr(error.message, "from.body: must be left out"));
    path = make_path("d", way);
    snprintf(path.body, sizeof path.body, "leg");
    snprintf(path.joint, sizeof path.joint, "none");
    assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_BAD_INPUT);
    assert_string_equal(error.message, "trajectory d: joint none: the robot has no such joint");
    cond_scene_destroy(scene);
    remove("guide_slider.urdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_follows_a_frame),  cmocka_unit_test(test_frame_at_rest),
        cmocka_unit_test(test_force_while_it_moves), cmocka_unit_test(test_joint_follows),
        cmocka_unit_test(test_rate_of_a_frame),      cmocka_unit_test(test_bad_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
