// Scenes of soft bodies and robots as a whole: stages and copies, threads, memory, and what is
// refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "kinds_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A block that falls on the floor while a leg holds it by its upper face, and a second block beside
// it that falls on an obstacle.
static void fill_scene(CondScene* scene, const char* mesh, double theta)
{
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->theta = theta;
    settings->solver.tolerance = 1e-7;
    CondMaterialDef rubber = make_material("rubber", 1e5, 1e-3);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", mesh, "rubber", 0.0, 0.0, 0.055);
    CondBodyDef other = make_soft("other", "box:1,1,1:0.1,0.1,0.1", "rubber", 0.5, 0.0, 0.16);
    add_body(scene, &block);
    add_body(scene, &other);
    write_slider("kinds.urdf", 1.0, 0.02);
    CondBodyDef leg = make_robot("leg", "kinds.urdf");
    leg.position[2] = 0.2;
    leg.motor_stiffness = 1e3;
    leg.motor_damping = 50.0;
    add_body(scene, &leg);
    const double low[3] = {-1.0, -1.0, 0.1}, high[3] = {0.2, 1.0, 0.11};
    add_patch(scene, "top", "block", low, high);
    CondAttachmentDef grip = make_attachment("grip", "leg", "block", 1);
    snprintf(grip.end[0].link, sizeof grip.end[0].link, "foot");
    snprintf(grip.end[1].patch, sizeof grip.end[1].patch, "top");
    grip.end_time = 0.05;
    add_attachment(scene, &grip);
    CondObstacleDef post = make_obstacle(COND_SHAPE_SPHERE, 0.1, 0.0, 0.0, 0.5, 0.0, 0.0);
    add_obstacle(scene, &post);
    CondWaypoint way[2] = {{.time = 0.0, .position = {0.0, 0.0, 0.2}, .orientation = {1.0}},
                           {.time = 0.1, .position = {0.0, 0.0, 0.22}, .orientation = {1.0}}};
    CondTrajectoryDef path = cond_trajectory_def_default();
    snprintf(path.body, sizeof path.body, "leg");
    snprintf(path.link, sizeof path.link, "foot");
    path.n_waypoint = 2;
    path.waypoint = way;
    CondError error;
    assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
    add_floor(scene, 0.4, NAN);
    CondSensorDef ankle = cond_sensor_def_default(), skin = cond_sensor_def_default();
    snprintf(ankle.on.body, sizeof ankle.on.body, "leg");
    snprintf(ankle.on.link, sizeof ankle.on.link, "foot");
    ankle.kind = COND_SENSOR_JOINT;
    snprintf(skin.on.body, sizeof skin.on.body, "block");
    assert_int_equal(cond_scene_add_sensor(scene, &ankle, &error), COND_OK);
    assert_int_equal(cond_scene_add_sensor(scene, &skin, &error), COND_OK);
}

static Trial begin(const char* mesh, double theta, int threads)
{
    CondScene* scene = make_scene();
    fill_scene(scene, mesh, theta);
    cond_scene_settings(scene)->solver.threads = threads;
    return trial_begin(scene);
}

// The stages one by one are the step; a copied state goes on as its original does, in another
// workspace.
static void test_stages_and_copies(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        Trial whole = begin("box:2,2,2:0.1,0.1,0.1", which ? 0.5 : 1.0, 1);
        Trial parts = begin("box:2,2,2:0.1,0.1,0.1", which ? 0.5 : 1.0, 1);
        CondState* copy;
        assert_int_equal(cond_state_create(parts.model, &copy, NULL), COND_OK);
        for (int k = 0; k < 20; k++) {
            trial_step(&whole, 1);
            CondSim* sim = parts.sim;
            assert_int_equal(cond_sim_forces(sim, parts.state), COND_OK);
            assert_int_equal(cond_sim_matrix(sim), COND_OK);
            assert_int_equal(cond_sim_collide(sim, parts.state), COND_OK);
            assert_int_equal(cond_sim_assemble(sim, parts.state), COND_OK);
            assert_int_equal(cond_sim_problem(sim)->n_dof, cond_model_n_dof(parts.model));
            assert_int_equal(cond_sim_solve(sim, parts.state, &parts.info.solve), COND_OK);
            assert_int_equal(cond_sim_recheck(sim, parts.state, &parts.info), COND_OK);
            assert_int_equal(cond_sim_integrate(sim, parts.state, &parts.info), COND_OK);
            assert_true(cond_state_hash(whole.state) == cond_state_hash(parts.state));
            if (k == 7)
                assert_int_equal(cond_state_copy(copy, parts.state), COND_OK);
        }
        for (int k = 8; k < 20; k++)
            assert_int_equal(cond_sim_step(parts.sim, copy, NULL), COND_OK);
        assert_true(cond_state_hash(copy) == cond_state_hash(whole.state));
        cond_state_destroy(copy);
        trial_end(&whole);
        trial_end(&parts);
    }
}

// Above 2048 coordinates the loops run in parallel; any number of threads gives the same bits.
static void test_threads(void** state)
{
    (void)state;
    uint64_t hash[3];
    const int threads[3] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        Trial trial = begin("box:8,8,8:0.1,0.1,0.1", 1.0, threads[k]);
        assert_true(cond_model_n_dof(trial.model) > 2048);
        trial_step(&trial, 4);
        assert_true(trial.info.n_contact > 0);
        hash[k] = cond_state_hash(trial.state);
        trial_end(&trial);
    }
    assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
}

// After the largest problem has been seen, stepping asks for no more memory.
static void test_no_allocation_after_warm_up(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondScene* scene;
    assert_int_equal(cond_scene_create(&context, &scene, NULL), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    fill_scene(scene, "box:3,3,3:0.1,0.1,0.1", 1.0);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 40);
    long calls = allocator.calls;
    trial_step(&trial, 60);
    assert_true(trial.info.n_contact > 0);
    assert_int_equal(allocator.calls, calls);
    trial_end(&trial);
    assert_int_equal(allocator.live, 0);
}

// Compiles and steps with an allocator that fails once; a failed step is repeated. Returns the hash
// at the end, 0 when the scene could not be set up.
static uint64_t live_through(const CondScene* scene, int* failures)
{
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {COND_OK, ""};
    uint64_t hash = 0;
    CondStatus status = cond_scene_compile(scene, &model, &error);
    if (!status)
        status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (status) {
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        ++*failures;
    }
    for (int k = 0; k < 4 && !status; k++) {
        uint64_t before = cond_state_hash(state);
        CondStepInfo info;
        CondStatus step = cond_sim_step(sim, state, &info);
        if (step < 0) {
            assert_int_equal(step, COND_OUT_OF_MEMORY);
            assert_int_equal(info.status, COND_OUT_OF_MEMORY);
            assert_true(cond_state_hash(state) == before);
            ++*failures;
            step = cond_sim_step(sim, state, &info);
        }
        assert_true(step >= 0);
        hash = cond_state_hash(state);
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return hash;
}

// Every single allocation fails in turn.
static void test_memory_runs_out(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondScene* scene;
    assert_int_equal(cond_scene_create(&context, &scene, NULL), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    fill_scene(scene, "box:1,1,1:0.1,0.1,0.1", 0.5);
    int failures = 0;
    long base = allocator.calls, live = allocator.live;
    uint64_t hash = live_through(scene, &failures);
    long calls = allocator.calls - base, stride = getenv("COND_VALGRIND") ? 17 : 1;
    assert_int_equal(failures, 0);
    assert_int_equal(allocator.live, live);
    assert_true(calls > 200);
    for (long fail = 1; fail <= calls; fail += stride) {
        allocator.calls = 0;
        allocator.fail_at = fail;
        failures = 0;
        uint64_t other = live_through(scene, &failures);
        if (failures != 1)
            fail_msg("allocation %ld of %ld: %d failures", fail, calls, failures);
        assert_true(other == 0 || other == hash);
        assert_int_equal(allocator.live, live);
    }
    allocator.fail_at = 0;
    cond_scene_destroy(scene);
    assert_int_equal(allocator.live, 0);
}

// An attachment that cannot be made for want of memory leaves the state as it was.
static void test_memory_runs_out_while_attaching(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondScene* scene;
    assert_int_equal(cond_scene_create(&context, &scene, NULL), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    fill_scene(scene, "box:1,1,1:0.1,0.1,0.1", 1.0);
    Trial trial = trial_begin(scene);
    CondAttachmentDef grip = make_attachment("", "block", "", 1);
    snprintf(grip.end[0].patch, sizeof grip.end[0].patch, "top");
    uint64_t hash = cond_state_hash(trial.state);
    long live = allocator.live;
    int index, done = 0;
    for (long fail = 1; !done; fail++) {
        CondError error = {COND_OK, ""};
        allocator.calls = 0;
        allocator.fail_at = fail;
        CondStatus status = cond_state_attach(trial.model, trial.state, &grip, &index, &error);
        done = status == COND_OK;
        if (!done) {
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_int_equal(error.status, COND_OUT_OF_MEMORY);
            assert_true(cond_state_hash(trial.state) == hash);
            assert_int_equal(allocator.live, live);
        }
    }
    assert_int_equal(index, 1);
    trial_end(&trial);
    assert_int_equal(allocator.live, 0);
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// Compiling must fail with this status, and a message that holds these words.
static void refuse(CondScene* scene, CondStatus expected, const char* const words[3])
{
    CondModel* model;
    CondError error = {COND_OK, ""};
    CondStatus status = cond_scene_compile(scene, &model, &error);
    if (status != expected)
        fail_msg("status %d, expected %d: %s", status, expected, error.message);
    assert_null(model);
    assert_int_equal(error.status, expected);
    for (int i = 0; i < 3 && words[i]; i++)
        if (!strstr(error.message, words[i]))
            fail_msg("'%s' does not say '%s'", error.message, words[i]);
    cond_scene_destroy(scene);
}

static CondScene* soft_scene(const char* mesh)
{
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", mesh, "rubber", 0.0, 0.0, 0.0);
    add_body(scene, &block);
    return scene;
}

static void test_bad_meshes_and_patches(void** state)
{
    (void)state;
    refuse(soft_scene("nowhere.msh"), COND_NO_FILE, (const char* const[3]){"block", "nowhere.msh"});
    write_text("broken.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1\n");
    refuse(soft_scene("broken.msh"), COND_BAD_INPUT, (const char* const[3]){"block", "broken.msh"});
    // Four points of a plane are no tetrahedron.
    write_text("flat.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n"
                           "3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n"
                           "$EndElements\n");
    refuse(soft_scene("flat.msh"), COND_BAD_INPUT, (const char* const[3]){"block", "mesh"});
    refuse(soft_scene("box:0,1,1:1,1,1"), COND_BAD_INPUT, (const char* const[3]){"block", "mesh"});
    CondScene* scene = soft_scene("box:1,1,1:0.1,0.1,0.1");
    const double low[3] = {5.0, 5.0, 5.0}, high[3] = {6.0, 6.0, 6.0};
    add_patch(scene, "far", "block", low, high);
    refuse(scene, COND_BAD_INPUT, (const char* const[3]){"far", "0 nodes", "block"});
    scene = soft_scene("box:1,1,1:0.1,0.1,0.1");
    const double edge_low[3] = {-1.0, 0.04, 0.04}, edge_high[3] = {1.0, 0.06, 0.06};
    add_patch(scene, "edge", "block", edge_low, edge_high); // an edge has no frame
    refuse(scene, COND_BAD_INPUT, (const char* const[3]){"edge", "2 nodes"});
    // Three nodes on a line do not fix a frame either.
    scene = soft_scene("box:2,1,1:0.1,0.1,0.1");
    add_patch(scene, "line", "block", edge_low, edge_high);
    refuse(scene, COND_BAD_INPUT, (const char* const[3]){"line", "3 nodes", "on a line"});
}

static CondScene* robot_scene(const char* urdf, const char* joint, double position)
{
    CondScene* scene = make_scene();
    CondJointDef at = {.position = position, .stiffness = NAN, .damping = NAN};
    CondBodyDef leg = make_robot("leg", urdf);
    snprintf(at.name, sizeof at.name, "%s", joint ? joint : "");
    leg.n_joint = joint ? 1 : 0;
    leg.joint = &at;
    add_body(scene, &leg);
    return scene;
}

static void test_bad_robots(void** state)
{
    (void)state;
    write_slider("leg.urdf", 1.0, 0.1);
    refuse(robot_scene("nowhere.urdf", NULL, 0.0), COND_NO_FILE,
           (const char* const[3]){"leg", "nowhere.urdf"});
    write_text("broken.urdf", "<robot name=\"x\"><link name=\"a\">");
    refuse(robot_scene("broken.urdf", NULL, 0.0), COND_BAD_INPUT,
           (const char* const[3]){"leg", "broken.urdf"});
    refuse(robot_scene("leg.urdf", "knee", 0.0), COND_BAD_INPUT,
           (const char* const[3]){"leg", "knee", "no such joint"});
    refuse(robot_scene("leg.urdf", "slide", 1.5), COND_BAD_INPUT,
           (const char* const[3]){"slide", "1.5", "outside"});
    CondScene* scene = robot_scene("leg.urdf", NULL, 0.0);
    CondAttachmentDef grip = make_attachment("grip", "leg", "", 1);
    snprintf(grip.end[0].link, sizeof grip.end[0].link, "hand");
    add_attachment(scene, &grip);
    refuse(scene, COND_BAD_INPUT, (const char* const[3]){"grip", "leg", "'hand'"});
    scene = robot_scene("leg.urdf", NULL, 0.0);
    CondWaypoint way = {.orientation = {1.0}};
    CondTrajectoryDef path = cond_trajectory_def_default();
    snprintf(path.body, sizeof path.body, "leg");
    snprintf(path.link, sizeof path.link, "hand");
    path.n_waypoint = 1;
    path.waypoint = &way;
    assert_int_equal(cond_scene_add_trajectory(scene, &path, NULL), COND_OK);
    refuse(scene, COND_BAD_INPUT, (const char* const[3]){"leg", "'hand'"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages_and_copies),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_allocation_after_warm_up),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_memory_runs_out_while_attaching),
        cmocka_unit_test(test_bad_meshes_and_patches),
        cmocka_unit_test(test_bad_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
