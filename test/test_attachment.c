// Attachments: they hold, they carry what hangs on them, they act on both ends alike, and they come
// and go when they should.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rod_make.h"

#include "math/quat.h"
#include "model/fem.h"
#include "potential/attachment.h"
#include "problem/block.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static CondScene* hold_scene(double theta, double gravity)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = -gravity;
    settings->theta = theta;
    settings->solver.tolerance = 1e-10;
    settings->solver.threads = 1;
    return scene;
}

static void wrench_of(const Trial* trial, int attachment, double wrench[6])
{
    assert_int_equal(cond_sim_attachment_wrench(trial->sim, attachment, wrench), COND_OK);
}

// A box held in a ball joint above its centre hangs m g / k below where it was; its weight is what
// the attachment carries.
static void test_box_hangs_on_the_world(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        CondScene* scene = hold_scene(which ? 0.5 : 1.0, G);
        CondBodyDef box = make_box(2.0, 0.1, 0.1, 0.1, 1.0, 2.0, 3.0);
        add_body(scene, &box);
        CondAttachmentDef hook = make_attachment("hook", "body0", "", 0);
        hook.end[0].point[2] = 0.05;
        hook.end[1].point[0] = 1.0; // the world's end may lie anywhere
        hook.damping = 200.0;
        add_attachment(scene, &hook);
        Trial trial = trial_begin(scene);
        double wrench[6];
        assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_BAD_ARGUMENT);
        trial_step(&trial, 400);
        wrench_of(&trial, 0, wrench);
        assert_near(wrench[2], 2.0 * G, 1e-6 * 2.0 * G);
        for (int i = 0; i < 6; i++)
            assert_near(i == 2 ? 0.0 : wrench[i], 0.0, 1e-9);
        assert_near(trial_pose(&trial, 0).position[2], 3.0 - 2.0 * G / hook.stiffness, 1e-9);
        assert_int_equal(cond_sim_attachment_wrench(trial.sim, 1, wrench), COND_BAD_ARGUMENT);
        trial_end(&trial);
    }
}

// Held by its end with orientation, a beam bows by the moment of its weight over the stiffness.
static void test_beam_held_at_its_end(void** state)
{
    (void)state;
    const double m = 1.0, arm = 0.2;
    CondScene* scene = hold_scene(1.0, G);
    CondBodyDef beam = make_box(m, 0.4, 0.04, 0.04, 0.0, 0.0, 1.0);
    add_body(scene, &beam);
    CondAttachmentDef clamp = make_attachment("clamp", "body0", "", 1);
    clamp.end[0].point[0] = -arm;
    clamp.end[1].point[2] = 1.0;
    clamp.end[1].point[0] = -arm;
    clamp.rotation_stiffness = 500.0;
    clamp.rotation_damping = 20.0;
    clamp.damping = 100.0;
    add_attachment(scene, &clamp);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 500);
    double wrench[6];
    wrench_of(&trial, 0, wrench);
    CondPose pose = trial_pose(&trial, 0);
    // Turning about +y lowers the far end (+x).
    double angle = 2.0 * asin(pose.orientation[2]);
    assert_near(wrench[2], m * G, 1e-6 * m * G);
    assert_near(wrench[4], -clamp.rotation_stiffness * angle, 1e-6);
    assert_near(angle, m * G * arm * cos(angle) / clamp.rotation_stiffness, 1e-7);
    trial_end(&trial);
}

// Two boxes below each other: the upper attachment carries both, the lower one the lower.
static void test_chain_of_boxes(void** state)
{
    (void)state;
    for (int turns = 0; turns < 2; turns++) {
        CondScene* scene = hold_scene(1.0, G);
        CondBodyDef a = make_box(3.0, 0.1, 0.1, 0.1, 0.0, 0.0, 1.0);
        CondBodyDef b = make_box(2.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.8);
        add_body(scene, &a);
        add_body(scene, &b);
        CondAttachmentDef upper = make_attachment("upper", "body0", "", turns);
        CondAttachmentDef lower = make_attachment("lower", "body0", "body1", turns);
        upper.end[0].point[2] = 0.05;
        lower.end[0].point[2] = -0.05;
        lower.end[1].point[2] = 0.05;
        upper.damping = lower.damping = 300.0;
        add_attachment(scene, &upper);
        add_attachment(scene, &lower);
        Trial trial = trial_begin(scene);
        assert_int_equal(cond_state_n_attachment(trial.state), 2);
        trial_step(&trial, 600);
        double wrench[6];
        wrench_of(&trial, 0, wrench);
        assert_near(wrench[2], 5.0 * G, 1e-6 * 5.0 * G);
        wrench_of(&trial, 1, wrench);
        assert_near(wrench[2], -2.0 * G, 1e-6 * 2.0 * G); // on its first end, the upper box
        assert_near(trial_pose(&trial, 1).position[2], 0.8 - (5.0 + 2.0) * G / upper.stiffness,
                    1e-8);
        trial_end(&trial);
    }
}

// A soft block that hangs by its upper face: on the world, a rigid box, a robot's link, and another
// soft block.
static Trial hang(int holder)
{
    static const char* const holders[4] = {"", "box", "leg", "upper"};
    CondScene* scene = hold_scene(1.0, G);
    CondMaterialDef rubber = make_material("rubber", 2e5, 1e-2);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.0);
    add_body(scene, &block);
    const double low[3] = {-1.0, -1.0, 0.049}, high[3] = {1.0, 1.0, 0.051};
    add_patch(scene, "top", "block", low, high);
    CondAttachmentDef grip = make_attachment("grip", "block", holders[holder], 1);
    snprintf(grip.end[0].patch, sizeof grip.end[0].patch, "top");
    grip.damping = 100.0;
    grip.rotation_stiffness = 100.0;
    grip.rotation_damping = 1.0;
    if (holder == 1) {
        CondBodyDef box = make_box(1.5, 0.1, 0.1, 0.1, 0.0, 0.0, 0.102);
        snprintf(box.name, sizeof box.name, "box");
        add_body(scene, &box);
        CondAttachmentDef hook = make_attachment("hook", "box", "", 1);
        hook.damping = 200.0;
        hook.rotation_stiffness = 100.0;
        add_attachment(scene, &hook);
    } else if (holder == 2) {
        write_slider("hang.urdf", 1.5, 0.02);
        CondBodyDef leg = make_robot("leg", "hang.urdf");
        leg.position[2] = 0.2;
        leg.motor_stiffness = 1e4;
        leg.motor_damping = 200.0;
        add_body(scene, &leg);
        snprintf(grip.end[1].link, sizeof grip.end[1].link, "foot");
    } else if (holder == 3) {
        CondBodyDef upper = make_soft("upper", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.11);
        add_body(scene, &upper);
        const double face[2][3] = {{-1.0, -1.0, 0.059}, {1.0, 1.0, 0.061}};
        const double roof[2][3] = {{-1.0, -1.0, 0.159}, {1.0, 1.0, 0.161}};
        add_patch(scene, "face", "upper", face[0], face[1]);
        add_patch(scene, "roof", "upper", roof[0], roof[1]);
        CondAttachmentDef hook = make_attachment("hook", "upper", "", 1);
        snprintf(hook.end[0].patch, sizeof hook.end[0].patch, "roof");
        hook.damping = 200.0;
        hook.rotation_stiffness = 100.0;
        add_attachment(scene, &hook);
        snprintf(grip.end[1].patch, sizeof grip.end[1].patch, "face");
    }
    add_attachment(scene, &grip);
    return trial_begin(scene);
}

// Weighted centre of the block's upper nodes.
static double patch_height(const Trial* trial)
{
    const CondPatch* patch = &trial->model->patch[0];
    double z = 0.0;
    for (int k = 0; k < patch->n_node; k++)
        z += patch->weight[k] * trial->state->q[3 * patch->node[k] + 2];
    return z;
}

static void test_soft_block_hangs(void** state)
{
    (void)state;
    const double held[4] = {0.0, 1.5, 0.0, 1.0}; // mass between the block and the world's hook
    for (int holder = 0; holder < 4; holder++) {
        Trial trial = hang(holder);
        trial_step(&trial, 300);
        double wrench[6], m = trial_mass(&trial, 0), sag = m * G / 1e4;
        int grip = cond_state_n_attachment(trial.state) - 1;
        assert_near(trial_speed(&trial), 0.0, 1e-7);
        wrench_of(&trial, grip, wrench);
        assert_near(wrench[2], m * G, 1e-6 * m * G);
        assert_near(wrench[0], 0.0, 1e-6 * m * G);
        if (grip == 1) {
            wrench_of(&trial, 0, wrench);
            assert_near(wrench[2], (m + held[holder]) * G, 1e-6 * (m + held[holder]) * G);
        }
        if (holder == 0)
            assert_near(patch_height(&trial), 0.05 - sag, 1e-8);
        if (holder == 2) { // the motor carries the foot and the block
            assert_near(trial.state->q[trial.model->body[1].q_begin], -(m + 1.5) * G / 1e4, 1e-8);
            assert_near(patch_height(&trial), 0.05 - sag - (m + 1.5) * G / 1e4, 1e-8);
        }
        trial_end(&trial);
    }
}

// Two bodies joined in free flight: their sum of momenta stays, whatever the attachment does.
static void test_action_is_reaction(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        int soft = which & 1, turns = which >> 1;
        CondScene* scene = hold_scene(0.5, 0.0);
        cond_scene_settings(scene)->time_step = 1e-3;
        cond_scene_settings(scene)->solver.tolerance = 1e-12;
        CondMaterialDef rubber = make_material("rubber", 2e5, 0.0);
        add_material(scene, &rubber);
        CondBodyDef a = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0);
        CondBodyDef b = soft ? make_soft("b", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.3, 0.0, 0.0)
                             : make_box(2.0, 0.1, 0.2, 0.1, 0.3, 0.0, 0.0);
        snprintf(a.name, sizeof a.name, "a");
        snprintf(b.name, sizeof b.name, "b");
        a.velocity[1] = 0.5;
        a.velocity[0] = 0.1;
        b.velocity[1] = -0.3;
        add_body(scene, &a);
        add_body(scene, &b);
        CondAttachmentDef bar = make_attachment("bar", "a", "b", turns);
        if (soft) {
            const double low[3] = {0.24, -1.0, -1.0}, high[3] = {0.26, 1.0, 1.0};
            add_patch(scene, "side", "b", low, high);
            snprintf(bar.end[1].patch, sizeof bar.end[1].patch, "side");
        }
        bar.damping = 1.0;
        bar.rotation_damping = 0.01;
        add_attachment(scene, &bar);
        Trial trial = trial_begin(scene);
        double before[6], after[6];
        trial_momentum(&trial, before);
        trial_step(&trial, 200);
        trial_momentum(&trial, after);
        CondPose end[2] = {trial_pose(&trial, 0), trial_pose(&trial, 1)};
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = end[1].position[i] - end[0].position[i];
        assert_near(vec3_norm(d), 0.3, 2e-2); // it does hold: free, they were 0.36 m apart
        for (int i = 0; i < 3; i++)
            assert_near(after[i], before[i], 1e-10);
        for (int i = 3; i < 6; i++)
            assert_near(after[i], before[i], 2e-3 * vec3_norm(before + 3));
        trial_end(&trial);
    }
}

// Two boxes and a rod, the first box held to the world and to the second and the rod to the first,
// with gaps between the points.
static CondScene* solid_scene(int turns)
{
    CondScene* scene = hold_scene(1.0, 0.0);
    cond_scene_settings(scene)->integrator = COND_INTEGRATOR_EULER;
    CondBodyDef a = make_box(1.0, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0);
    CondBodyDef b = make_box(2.0, 0.2, 0.1, 0.2, 0.4, 0.1, 1.2);
    Beam beam = beam_make(3);
    CondMaterialDef rubber = beam_material(&beam);
    CondBodyDef rod = beam_body(&beam);
    rod.position[2] = 2.0;
    add_material(scene, &rubber);
    add_body(scene, &a);
    add_body(scene, &b);
    add_body(scene, &rod);
    const char* const end[3][2] = {{"body0", ""}, {"body0", "body1"}, {"rod", "body0"}};
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "hold%d", i);
        CondAttachmentDef hold = make_attachment(name, end[i][0], end[i][1], turns);
        hold.end[0].point[0] = i < 2 ? 0.03 * (i + 1) : 0.0;
        hold.end[0].at = i < 2 ? hold.end[0].at : 0.4;
        hold.end[1].point[1] = -0.02 * (i + 1);
        hold.rotation_stiffness = 50.0;
        hold.damping = hold.rotation_damping = 0.0;
        add_attachment(scene, &hold);
    }
    return scene;
}

// Energy of all attachments where x leads from q.
static double energy_along(const Trial* trial, CondKinematics* kinematics, const double* x,
                           double s)
{
    double q[64], energy = 0.0;
    cond_sim_advance(trial->model, trial->state->q, x, s, q);
    cond_kinematics_set(kinematics, q);
    for (int i = 0; i < cond_state_n_attachment(trial->state); i++)
        energy += cond_weld_energy(kinematics, &trial->state->weld[i]);
    return energy;
}

// The force is minus the gradient of the energy, and what is added to A times the step its second
// derivative along a steady motion, geometric stiffness included, by finite differences; for points
// alone, because the second derivative of the angle is left out.
static void test_derivatives(void** state)
{
    (void)state;
    for (int turns = 0; turns < 2; turns++) {
        Trial trial = trial_begin(solid_scene(turns));
        trial_step(&trial, 1); // makes them
        int n = trial.model->n_dof;
        double x[40], f[40] = {0.0}, before[40], after[40], step[3];
        for (int i = 0; i < n; i++)
            x[i] = 0.03 * sin(3.0 * i + 1.0);
        cond_sim_advance(trial.model, trial.state->q, x, 1.0, trial.state->q); // stretched, turned
        for (int i = 0; i < n; i++)
            x[i] = cos(2.0 * i + turns);
        CondKinematics kinematics = {0};
        CondAssembly assembly = {0};
        CondCandidateList none = {.n = 0};
        assert_int_equal(cond_kinematics_create(trial.model, &kinematics), COND_OK);
        assert_int_equal(cond_assembly_create(trial.model, COND_ASSEMBLY_ALL, &assembly), COND_OK);
        double h = 1e-6, d = 1e-4; // nothing is left out of A in so short a step
        double low = energy_along(&trial, &kinematics, x, -d);
        double high = energy_along(&trial, &kinematics, x, d);
        double here = energy_along(&trial, &kinematics, x, 0.0), slope = 0.0, curvature = 0.0;
        for (int b = 0; b < 3; b++)
            step[b] = h;
        kinematics.q = trial.state->q;
        cond_assembly_begin(&assembly, &kinematics, step, before);
        cond_problem_multiply_blocks(&assembly.problem, x, NULL, before, 1);
        for (int i = 0; i < 3; i++)
            assert_int_equal(cond_weld_add(&kinematics, &trial.state->weld[i], h, &assembly, f),
                             COND_OK);
        assert_int_equal(cond_assembly_finish(&assembly, &kinematics, NULL, &none, INFINITY),
                         COND_OK);
        cond_problem_multiply(&assembly.problem, x, after);
        for (int i = 0; i < n; i++) {
            slope -= f[i] * x[i];
            curvature += x[i] * (after[i] - before[i]) / h;
        }
        assert_true(here > 1.0);
        assert_near((high - low) / (2.0 * d), slope, 1e-6 * fabs(slope));
        if (!turns)
            assert_near((high - 2.0 * here + low) / (d * d), curvature, 1e-5 * curvature);
        cond_assembly_destroy(&assembly);
        cond_kinematics_destroy(&kinematics);
        trial_end(&trial);
    }
}

// It holds from start to end and lets fall before and after.
static void test_times(void** state)
{
    (void)state;
    CondScene* scene = hold_scene(1.0, G);
    CondBodyDef dot = make_particle(1.0, 0.0, 0.0, 10.0);
    add_body(scene, &dot);
    CondAttachmentDef hook = make_attachment("hook", "body0", "", 0);
    hook.start = 0.1;
    hook.end_time = 0.5;
    hook.damping = 200.0;
    hook.stiffness = 1e5;
    add_attachment(scene, &hook);
    Trial trial = trial_begin(scene);
    double wrench[6], v = 0.0;
    for (int k = 1; k <= 80; k++) {
        trial_step(&trial, 1);
        wrench_of(&trial, 0, wrench);
        int held = k > 10 && k <= 50;
        assert_int_equal(cond_state_attachment_holds(trial.state, 0), held);
        CondPose pose = trial_pose(&trial, 0);
        assert_near(pose.velocity[2] - v, (wrench[2] - G) * 0.01, 1e-12);
        v = pose.velocity[2];
        if (!held)
            assert_near(wrench[2], 0.0, 0.0);
    }
    trial_end(&trial);
}

// Made and released by the user, between steps.
static void test_made_at_run_time(void** state)
{
    (void)state;
    CondScene* scene = hold_scene(1.0, G);
    CondMaterialDef rubber = make_material("rubber", 2e5, 1e-2);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 5.0);
    add_body(scene, &block);
    const double low[3] = {-1.0, -1.0, 5.049}, high[3] = {1.0, 1.0, 5.051};
    add_patch(scene, "top", "block", low, high);
    CondAttachmentDef own = make_attachment("own", "block", "", 1);
    snprintf(own.end[0].patch, sizeof own.end[0].patch, "top");
    own.start = 100.0;
    add_attachment(scene, &own);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 20);
    double z = patch_height(&trial), m = trial_mass(&trial, 0), wrench[6];
    CondAttachmentDef grip = own;
    CondError error;
    int index[3];
    grip.start = 0.0;
    grip.damping = 100.0;
    uint64_t hash = cond_state_hash(trial.state);
    assert_int_equal(cond_state_attach(trial.model, trial.state, &grip, &index[0], &error),
                     COND_OK);
    assert_int_equal(index[0], 1);
    assert_int_equal(cond_state_n_attachment(trial.state), 2);
    assert_true(cond_state_hash(trial.state) != hash);
    // A copy holds it too.
    CondState* copy;
    assert_int_equal(cond_state_create(trial.model, &copy, NULL), COND_OK);
    assert_int_equal(cond_state_copy(copy, trial.state), COND_OK);
    assert_true(cond_state_hash(copy) == cond_state_hash(trial.state));
    trial_step(&trial, 250);
    wrench_of(&trial, index[0], wrench);
    assert_near(wrench[2], m * G, 1e-6 * m * G);
    assert_near(patch_height(&trial), z - m * G / grip.stiffness, 1e-8);
    for (int k = 0; k < 250; k++)
        assert_int_equal(cond_sim_step(trial.sim, copy, NULL), COND_OK);
    assert_true(cond_state_hash(copy) == cond_state_hash(trial.state));
    cond_state_destroy(copy);
    // A second one shares the load, and its place is given again after its release.
    assert_int_equal(cond_state_attach(trial.model, trial.state, &grip, &index[1], &error),
                     COND_OK);
    assert_int_equal(index[1], 2);
    assert_int_equal(cond_state_release(trial.state, index[0]), COND_OK);
    assert_int_equal(cond_state_attach(trial.model, trial.state, &grip, &index[2], &error),
                     COND_OK);
    assert_int_equal(index[2], index[0]);
    trial_step(&trial, 200);
    double other[6];
    wrench_of(&trial, index[1], wrench);
    wrench_of(&trial, index[2], other);
    assert_near(wrench[2] + other[2], m * G, 1e-6 * m * G);
    // Released, it falls freely.
    assert_int_equal(cond_state_release(trial.state, index[1]), COND_OK);
    assert_int_equal(cond_state_release(trial.state, index[2]), COND_OK);
    double v = trial_pose(&trial, 0).velocity[2];
    trial_step(&trial, 30);
    assert_near(trial_pose(&trial, 0).velocity[2] - v, -0.3 * G, 1e-9);
    assert_int_equal(cond_state_release(trial.state, 3), COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_release(trial.state, -1), COND_BAD_ARGUMENT);
    trial_end(&trial);
}

// One of the scene's that is released stays so.
static void test_release_of_the_scenes_own(void** state)
{
    (void)state;
    CondScene* scene = hold_scene(1.0, G);
    CondBodyDef dot = make_particle(1.0, 0.0, 0.0, 10.0);
    add_body(scene, &dot);
    CondAttachmentDef hook = make_attachment("hook", "body0", "", 0);
    add_attachment(scene, &hook);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 100);
    double v = trial_pose(&trial, 0).velocity[2];
    assert_int_equal(cond_state_release(trial.state, 0), COND_OK);
    trial_step(&trial, 10);
    assert_near(trial_pose(&trial, 0).velocity[2] - v, -0.1 * G, 1e-10);
    trial_end(&trial);
}

static void refuse(const Trial* trial, const CondAttachmentDef* def, const char* words)
{
    CondError error = {COND_OK, ""};
    int index = 7;
    assert_int_equal(cond_state_attach(trial->model, trial->state, def, &index, &error),
                     COND_BAD_ARGUMENT);
    assert_int_equal(error.status, COND_BAD_ARGUMENT);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    assert_int_equal(index, -1);
    assert_int_equal(cond_state_n_attachment(trial->state), 1);
}

// What makes no sense is refused with a word why, and changes nothing.
static void test_refusals(void** state)
{
    (void)state;
    Trial trial = hang(0);
    CondAttachmentDef good = make_attachment("new", "block", "", 1), bad;
    snprintf(good.end[0].patch, sizeof good.end[0].patch, "top");
    bad = good;
    bad.struct_size = 0;
    refuse(&trial, &bad, "cond_attachment_def_default");
    bad = good;
    bad.stiffness = -1.0;
    refuse(&trial, &bad, "stiffness");
    bad = good;
    bad.rotation_stiffness = 0.0;
    refuse(&trial, &bad, "rotation_stiffness");
    bad = good;
    bad.end[1].point[0] = NAN;
    refuse(&trial, &bad, "point");
    bad = good;
    snprintf(bad.end[0].patch, sizeof bad.end[0].patch, "bottom");
    refuse(&trial, &bad, "has no patch 'bottom'");
    bad = good;
    snprintf(bad.end[1].body, sizeof bad.end[1].body, "nobody");
    refuse(&trial, &bad, "no body called 'nobody'");
    bad = good;
    bad.end[1] = bad.end[0];
    refuse(&trial, &bad, "two different things");
    bad = good;
    memset(bad.end[0].body, 0, sizeof bad.end[0].body);
    refuse(&trial, &bad, "two different things");
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_hangs_on_the_world),
        cmocka_unit_test(test_beam_held_at_its_end),
        cmocka_unit_test(test_chain_of_boxes),
        cmocka_unit_test(test_soft_block_hangs),
        cmocka_unit_test(test_action_is_reaction),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_made_at_run_time),
        cmocka_unit_test(test_release_of_the_scenes_own),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
