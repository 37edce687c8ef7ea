// Position-based dynamics: it converges to the velocity method's answers as substeps grow, and has
// the physics of single bodies right.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rod_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void use_pbd(CondScene* scene, int substeps)
{
    cond_scene_settings(scene)->method = COND_STEP_PBD;
    cond_scene_settings(scene)->pbd_substeps = substeps;
}

// A soft heavy beam under its weight, damped until it rests; 0 substeps: the velocity method.
static Trial hang(int substeps, double p[3])
{
    Beam beam = {.length = 0.2,
                 .radius = 0.01,
                 .youngs = 4e5,
                 .poisson = 0.3,
                 .density = 1000.0,
                 .links = 10};
    CondScene* scene = make_scene();
    CondMaterialDef rubber = beam_material(&beam);
    rubber.mass_damping = 10.0;
    rubber.stiffness_damping = 1e-3;
    add_material(scene, &rubber);
    CondBodyDef rod = beam_body(&beam);
    add_body(scene, &rod);
    CondAttachmentDef clamp = make_attachment("clamp", "rod", "", 1);
    clamp.end[0].at = 0.0;
    clamp.stiffness = 1e4;
    clamp.rotation_stiffness = 10.0;
    add_attachment(scene, &clamp);
    if (substeps)
        use_pbd(scene, substeps);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 150);
    beam_end(&trial, p);
    return trial;
}

// The heavy cantilever: the distance from the velocity method's shape falls with the substeps, in
// the end by their square; and so does what the clamp carries from the weight.
static void test_cantilever_converges(void** state)
{
    (void)state;
    double exact[3], p[3], last = INFINITY;
    Trial trial = hang(0, exact);
    trial_end(&trial);
    assert_true(exact[2] < -0.02); // it does bend
    for (int substeps = 20; substeps <= 160; substeps *= 2) {
        double wrench[6];
        trial = hang(substeps, p);
        double off = hypot(p[0] - exact[0], p[2] - exact[2]);
        assert_true(off < 0.7 * last);
        last = off;
        assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_OK);
        assert_near(wrench[2], 9.81 * trial_mass(&trial, 0), 0.01 * 9.81 * trial_mass(&trial, 0));
        assert_true(trial_speed(&trial) < 1e-2);
        trial_end(&trial);
    }
    assert_true(last < 0.02 * -exact[2]);
}

static Trial drop_box(int substeps, double height, double restitution)
{
    CondScene* scene = make_scene();
    add_floor(scene, 0.5, restitution);
    CondBodyDef box = make_box(0.5, 0.1, 0.1, 0.1, 0.0, 0.0, 0.05 + height);
    add_body(scene, &box);
    use_pbd(scene, substeps);
    return trial_begin(scene);
}

static void test_free_fall_and_rest(void** state)
{
    (void)state;
    Trial trial = drop_box(20, 0.2, 0.0);
    trial_step(&trial, 10);
    // Symplectic Euler falls g t h / 2 farther than the parabola.
    double h = 0.01 / 20, t = 0.1;
    assert_near(trial_pose(&trial, 0).position[2], 0.25 - 0.5 * 9.81 * t * (t + h), 1e-12);
    assert_near(trial_pose(&trial, 0).velocity[2], -9.81 * t, 1e-12);
    trial_step(&trial, 90);
    double force[3], torque[3];
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], 0.5 * 9.81, 1e-3);
    assert_near(trial_pose(&trial, 0).position[2], 0.05, 1e-5);
    assert_near(trial_speed(&trial), 0.0, 9.81 * h); // one sweep leaves less than a substep adds
    assert_true(trial.info.penetration < 1e-5);
    trial_end(&trial);
}

// A ball bounces with the restitution of the floor.
static void test_restitution(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    add_floor(scene, 0.0, 0.6);
    CondBodyDef ball = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.3);
    ball.shape = COND_SHAPE_SPHERE;
    ball.size[0] = 0.05;
    add_body(scene, &ball);
    use_pbd(scene, 20);
    Trial trial = trial_begin(scene);
    double fast = 0.0, back = 0.0;
    for (int k = 0; k < 40; k++) {
        trial_step(&trial, 1);
        double v = trial_pose(&trial, 0).velocity[2];
        fast = fmin(fast, v);
        back = fmax(back, v);
    }
    assert_near(fast, -sqrt(2.0 * 9.81 * 0.25), 0.1);
    assert_near(back, 0.6 * sqrt(2.0 * 9.81 * 0.25), 0.06);
    trial_end(&trial);
}

// A box on a slope of 20 degrees: friction 0.5 holds it but for a creep that falls with the
// substeps; friction 0.2 lets it slide with g (sin - mu cos).
static double slide(double mu, int substeps)
{
    CondScene* scene = make_scene();
    double a = PI / 9.0;
    add_plane(scene, sin(a), 0.0, cos(a), 0.0, mu, NAN);
    CondBodyDef box = make_box(0.5, 0.2, 0.2, 0.1, 0.05 * sin(a), 0.0, 0.05 * cos(a));
    make_turn(0.0, 1.0, 0.0, a, box.orientation);
    add_body(scene, &box);
    use_pbd(scene, substeps);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 50);
    CondPose pose = trial_pose(&trial, 0);
    double way = (pose.position[0] - box.position[0]) * cos(a) -
                 (pose.position[2] - box.position[2]) * sin(a);
    trial_end(&trial);
    return way;
}

static void test_friction(void** state)
{
    (void)state;
    double a = PI / 9.0, expected = 0.5 * 9.81 * (sin(a) - 0.2 * cos(a)) * 0.25;
    assert_near(slide(0.2, 40), expected, 0.01 * expected);
    double coarse = fabs(slide(0.5, 10)), fine = fabs(slide(0.5, 40));
    assert_true(coarse < 2e-3 && fine < 0.5 * coarse);
}

// A rod falls on the floor, lies there and is carried by it.
static void test_rod_rests(void** state)
{
    (void)state;
    Beam beam = {.length = 0.2,
                 .radius = 0.005,
                 .youngs = 1e6,
                 .poisson = 0.3,
                 .density = 1000.0,
                 .links = 10};
    CondScene* scene = make_scene();
    CondMaterialDef rubber = beam_material(&beam);
    rubber.stiffness_damping = 1e-3;
    add_material(scene, &rubber);
    CondBodyDef rod = beam_body(&beam);
    rod.position[2] = 0.02;
    add_body(scene, &rod);
    add_floor(scene, 0.5, NAN);
    use_pbd(scene, 40);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 60);
    double force[3], torque[3], weight = 9.81 * trial_mass(&trial, 0);
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], weight, 0.02 * weight);
    assert_near(trial_pose(&trial, 0).position[2], 0.005, 1e-5);
    assert_true(trial.info.n_contact >= 10);
    assert_true(trial.info.penetration < 1e-5);
    trial_end(&trial);
}

// A robot is not simulated: its slider goes to its target, and takes a ball with it by a string.
static void test_robots_lead(void** state)
{
    (void)state;
    write_slider("pbd_leg.urdf", 1.0, 0.01);
    CondScene* scene = make_scene();
    CondBodyDef leg = make_robot("leg", "pbd_leg.urdf");
    leg.motor_stiffness = 1e4;
    leg.motor_damping = 100.0;
    add_body(scene, &leg);
    CondBodyDef ball = make_box(0.2, 0.05, 0.05, 0.05, 0.1, 0.0, 0.0);
    add_body(scene, &ball);
    CondAttachmentDef grip = make_attachment("grip", ball.name[0] ? ball.name : "body1", "leg", 1);
    snprintf(grip.end[1].link, sizeof grip.end[1].link, "foot");
    grip.stiffness = 1e4;
    grip.damping = 20.0;
    add_attachment(scene, &grip);
    use_pbd(scene, 40);
    Trial trial = trial_begin(scene);
    for (int k = 1; k <= 20; k++) {
        assert_int_equal(
            cond_state_move_joint_target(trial.model, trial.state, 0, "slide", 0.002 * k), COND_OK);
        trial_step(&trial, 1);
    }
    trial_step(&trial, 100);
    int n;
    assert_near(cond_state_configuration(trial.model, trial.state, 0, &n)[0], 0.04, 1e-12);
    double wrench[6];
    assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_OK);
    assert_near(wrench[2], 0.2 * 9.81, 1e-3);
    assert_near(trial_pose(&trial, 1).position[2], 0.04 - 0.2 * 9.81 / 1e4, 1e-3);
    trial_end(&trial);
    remove("pbd_leg.urdf");
}

static void refuse(CondScene* scene, const char* words)
{
    CondModel* model;
    CondSim* sim;
    CondError error = {.message = ""};
    use_pbd(scene, 10);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_OK);
    CondStatus status = cond_sim_create(model, &sim, &error);
    if (status != COND_NOT_SUPPORTED || !strstr(error.message, words))
        fail_msg("status %d, '%s'", status, error.message);
    assert_null(sim);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

static void test_refusals(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", "box:1,1,1:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.0);
    add_body(scene, &block);
    refuse(scene, "no soft bodies ('block')");
    scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0);
    snprintf(box.name, sizeof box.name, "box");
    add_body(scene, &box);
    CondSpringDef spring = make_spring("box", "", 10.0);
    add_spring(scene, &spring);
    refuse(scene, "no springs");
    write_chain("pbd_leg.urdf", 2, 1.0, 0.2, 0.0, 1.0);
    scene = make_scene();
    CondBodyDef leg = make_robot("leg", "pbd_leg.urdf");
    leg.floating = 1;
    add_body(scene, &leg);
    refuse(scene, "base of 'leg' floats");
    remove("pbd_leg.urdf");
}

// A step that finds no memory leaves the state as it was and can be made again.
static void test_memory_runs_out(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondScene* scene;
    assert_int_equal(cond_scene_create(&context, &scene, NULL), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    add_floor(scene, 0.5, NAN);
    CondBodyDef box = make_box(0.5, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0505);
    snprintf(box.name, sizeof box.name, "box");
    add_body(scene, &box);
    CondAttachmentDef string = make_attachment("string", "box", "", 0);
    add_attachment(scene, &string);
    use_pbd(scene, 5);
    CondModel* model;
    assert_int_equal(cond_scene_compile(scene, &model, NULL), COND_OK);
    long live = allocator.live;
    int done = 0;
    for (long fail = 1; !done; fail++) {
        CondSim* sim = NULL;
        CondState* own = NULL;
        allocator.calls = 0;
        allocator.fail_at = fail;
        CondStatus status = cond_state_create(model, &own, NULL);
        if (!status)
            status = cond_sim_create(model, &sim, NULL);
        for (int k = 0; k < 3 && !status; k++) {
            uint64_t hash = cond_state_hash(own);
            CondStatus step = cond_sim_step(sim, own, NULL);
            if (step < 0) {
                assert_int_equal(step, COND_OUT_OF_MEMORY);
                assert_true(cond_state_hash(own) == hash);
                assert_int_equal(cond_sim_step(sim, own, NULL), COND_OK);
            }
        }
        done = allocator.calls < fail;
        cond_sim_destroy(sim);
        cond_state_destroy(own);
        assert_int_equal(allocator.live, live);
    }
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever_converges),
        cmocka_unit_test(test_free_fall_and_rest),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_rod_rests),
        cmocka_unit_test(test_robots_lead),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
