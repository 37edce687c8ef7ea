// Sleeping is exact: a run with it has the bits of a run without, whatever falls asleep and wakes;
// and what can be read of sleepers is what their last step left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double EDGE = 0.1;

// nx by ny stacks of boxes, `high` boxes each, `apart` from centre to centre.
static CondScene* fill_stacks(CondScene* scene, int nx, int ny, int high, double apart,
                              int sleeping)
{
    cond_scene_settings(scene)->time_step = 0.005;
    cond_scene_settings(scene)->sleeping = sleeping;
    add_floor(scene, 0.5, 0.2);
    for (int i = 0; i < nx * ny; i++)
        for (int k = 0; k < high; k++) {
            CondBodyDef def = make_box(1.0 + 0.1 * k, EDGE, EDGE, EDGE, apart * (i % nx),
                                       apart * (i / nx), (0.5 + k) * EDGE);
            snprintf(def.name, sizeof def.name, "box %d", high * i + k);
            add_body(scene, &def);
        }
    return scene;
}

static CondScene* stacks(int nx, int ny, int high, double apart, int sleeping)
{
    return fill_stacks(make_scene(), nx, ny, high, apart, sleeping);
}

static void strike(Trial* trial, int body, double x, double z)
{
    CondPose pose = trial_pose(trial, body);
    pose.velocity[0] = x;
    pose.velocity[2] = z;
    assert_int_equal(cond_state_set_pose(trial->model, trial->state, body, &pose), COND_OK);
}

static void assert_same_contacts(const Trial* a, const Trial* b)
{
    assert_int_equal(cond_sim_n_contact(a->sim), cond_sim_n_contact(b->sim));
    for (int c = 0; c < cond_sim_n_contact(a->sim); c++) {
        CondContactInfo x = cond_sim_contact(a->sim, c), y = cond_sim_contact(b->sim, c);
        assert_int_equal(x.body, y.body);
        assert_int_equal(x.other, y.other);
        assert_memory_equal(x.position, y.position, sizeof x.position);
        assert_memory_equal(x.force, y.force, sizeof x.force);
        for (int i = 0; i < 3; i++)
            assert_true(x.velocity[i] == y.velocity[i]);
        // Over a step in parts they are sums, which sleepers do not make.
        for (int i = 0; i < 3; i++)
            assert_near(x.impulse[i], y.impulse[i],
                        a->info.substeps > 1 ? 1e-12 * fabs(y.impulse[0]) : 0.0);
    }
}

// One step of both; returns how many are asleep.
static int step_both(Trial* a, Trial* b)
{
    CondStatus status = cond_sim_step(a->sim, a->state, &a->info);
    assert_int_equal(status, cond_sim_step(b->sim, b->state, &b->info));
    assert_true(status >= 0);
    assert_true(cond_state_hash(a->state) == cond_state_hash(b->state));
    assert_same_contacts(a, b);
    assert_int_equal(a->info.n_contact, b->info.n_contact);
    assert_true(a->info.kinetic_after == b->info.kinetic_after);
    assert_true(a->info.potential_before == b->info.potential_before);
    assert_true(a->info.potential_after == b->info.potential_after);
    assert_true(a->info.penetration == b->info.penetration);
    assert_int_equal(a->info.deepest.body, b->info.deepest.body);
    assert_int_equal(b->info.asleep, 0);
    double worst = cond_certificate_residual(&a->info.solve.certificate);
    assert_true(worst <= cond_model_settings(a->model)->solver.tolerance || status > 0);
    return a->info.asleep;
}

// Steps both; returns the most and the least that slept.
static void run_both(Trial* a, Trial* b, int n, int* least, int* most)
{
    *least = cond_model_n_body(a->model);
    *most = 0;
    for (int k = 0; k < n; k++) {
        int asleep = step_both(a, b);
        *least = asleep < *least ? asleep : *least;
        *most = asleep > *most ? asleep : *most;
    }
}

// A box of the first stack is thrown at the next ones: the stacks that it does not come near to
// sleep on.
static void test_struck_stacks_have_the_same_bits(void** state)
{
    (void)state;
    int least, most;
    Trial a = trial_begin(stacks(4, 2, 2, 0.25, 1)), b = trial_begin(stacks(4, 2, 2, 0.25, 0));
    run_both(&a, &b, 10, &least, &most);
    assert_int_equal(most, 16);
    strike(&a, 1, 2.0, 0.3);
    strike(&b, 1, 2.0, 0.3);
    assert_int_equal(step_both(&a, &b), 14); // the two of its stack
    run_both(&a, &b, 70, &least, &most);
    assert_true(least < 14 && least >= 8); // the second row never wakes
    trial_end(&a);
    trial_end(&b);
}

// One of a layer is thrown at its neighbour. For a while the awake part is so small that a solver
// might treat it in another way than the whole.
static void test_struck_layer_has_the_same_bits(void** state)
{
    (void)state;
    int least, most;
    Trial a = trial_begin(stacks(4, 4, 1, 0.15, 1)), b = trial_begin(stacks(4, 4, 1, 0.15, 0));
    run_both(&a, &b, 10, &least, &most);
    assert_int_equal(most, 16);
    strike(&a, 5, 1.5, 0.5);
    strike(&b, 5, 1.5, 0.5);
    run_both(&a, &b, 60, &least, &most);
    assert_true(least < 15 && least >= 12);
    trial_end(&a);
    trial_end(&b);
}

static CondScene* heap(uint64_t seed, int sleeping)
{
    static const CondShapeKind kind[] = {COND_SHAPE_BOX, COND_SHAPE_SPHERE, COND_SHAPE_CAPSULE,
                                         COND_SHAPE_CYLINDER};
    CondScene* scene = make_scene();
    Dice dice = {seed};
    cond_scene_settings(scene)->time_step = 0.005;
    cond_scene_settings(scene)->sleeping = sleeping;
    cond_scene_settings(scene)->solver.tolerance = 1e-6;
    add_floor(scene, 0.7, NAN);
    for (int i = 0; i < 16; i++) {
        CondBodyDef def = make_box(dice_uniform(&dice, 0.2, 2.0), 0.04, 0.06, 0.08,
                                   0.2 * (i % 4) + dice_uniform(&dice, -0.02, 0.02),
                                   0.2 * (i / 4 % 3), 0.08 + 0.12 * (i / 12));
        def.shape = kind[i % 4];
        def.surface.restitution = i % 3 ? 0.0 : 0.4;
        make_turn(1.0, dice_uniform(&dice, -1.0, 1.0), 0.3, dice_uniform(&dice, 0.0, 3.0),
                  def.orientation);
        add_body(scene, &def);
    }
    return scene;
}

static void test_heap_has_the_same_bits(void** state)
{
    (void)state;
    int least, most;
    Trial a = trial_begin(heap(7, 1)), b = trial_begin(heap(7, 0));
    run_both(&a, &b, 70, &least, &most);
    assert_true(most > 0);
    for (int body = 0; body < 16; body += 8) {
        strike(&a, body, 0.5, 1.0);
        strike(&b, body, 0.5, 1.0);
        run_both(&a, &b, 15, &least, &most);
    }
    trial_end(&a);
    trial_end(&b);
}

// Forces that begin and end wake those on whom they act, and whom these push.
static void test_forces_wake(void** state)
{
    (void)state;
    Trial trial[2];
    for (int k = 0; k < 2; k++) {
        CondScene* scene = stacks(16, 1, 1, 1.05 * EDGE, 1 - k);
        CondForceDef force = cond_force_def_default();
        snprintf(force.body, sizeof force.body, "box 0");
        force.force[0] = 3.0; // below friction: nothing moves, but what holds it changes
        force.start = 0.1;
        force.end = 0.2;
        add_force(scene, &force);
        force.force[0] = 40.0;
        force.start = 0.4;
        force.end = 0.45;
        add_force(scene, &force);
        trial[k] = trial_begin(scene);
    }
    for (int k = 0; k < 200; k++) {
        int asleep = step_both(&trial[0], &trial[1]);
        if (k == 15 || k == 35 || k == 75)
            assert_int_equal(asleep, 16);
        if (k == 20 || k == 40) // a push, and its end
            assert_int_equal(asleep, 15);
        if (k == 86)
            assert_true(asleep < 15);
    }
    trial_end(&trial[0]);
    trial_end(&trial[1]);
}

// An attachment takes hold of a sleeper, and lets go.
static void test_attachments_wake(void** state)
{
    (void)state;
    Trial trial[2] = {trial_begin(stacks(4, 4, 1, 0.3, 1)), trial_begin(stacks(4, 4, 1, 0.3, 0))};
    int least, most, index[2];
    run_both(&trial[0], &trial[1], 8, &least, &most);
    assert_int_equal(most, 16);
    for (int k = 0; k < 2; k++) {
        CondAttachmentDef def = cond_attachment_def_default();
        CondError error;
        snprintf(def.end[0].body, sizeof def.end[0].body, "%s",
                 cond_model_body_name(trial[k].model, 1));
        def.turns = 0;
        def.stiffness = 100.0;
        assert_int_equal(cond_state_attach(trial[k].model, trial[k].state, &def, &index[k], &error),
                         COND_OK);
    }
    assert_int_equal(step_both(&trial[0], &trial[1]), 15);
    run_both(&trial[0], &trial[1], 20, &least, &most);
    assert_int_equal(most, 15);
    trial_end(&trial[0]);
    trial_end(&trial[1]);
}

// What sleepers carry is read as ever: contact forces, sums, sensors.
static void test_sleepers_are_read(void** state)
{
    (void)state;
    Trial trial = trial_begin(stacks(6, 1, 3, 0.3, 1));
    double weight = 9.81 * (1.0 + 1.1 + 1.2), force[3], torque[3];
    trial_step(&trial, 20);
    assert_int_equal(trial.info.asleep, 18);
    assert_int_equal(trial.info.n_contact, 72);
    CondResultant sum = cond_sim_pair_force(trial.sim, 3, COND_STATIC_BODY);
    assert_near(sum.force[2], weight, 1e-6);
    assert_int_equal(sum.n_contact, 4);
    cond_sim_body_force(trial.sim, 3, force, torque);
    assert_near(force[2], 9.81, 1e-6);
    assert_true(cond_certificate_residual(&trial.info.solve.certificate) > 0.0);
    // One is thrown up: the two below have come to rest again, it alone is awake.
    strike(&trial, 2, 0.0, 3.0);
    trial_step(&trial, 40);
    assert_int_equal(trial.info.asleep, 17);
    sum = cond_sim_pair_force(trial.sim, 3, COND_STATIC_BODY);
    assert_near(sum.force[2], weight, 1e-6);
    trial_end(&trial);
}

// A sim that steps two states by turns, one that was saved, and any number of threads.
static void test_sleep_is_of_the_state(void** state)
{
    (void)state;
    enum { SIZE = 1 << 16 };
    static char bytes[SIZE];
    size_t size = 0;
    CondState* other = NULL;
    CondError error;
    Trial a = trial_begin(stacks(4, 2, 2, 0.25, 1)), b = trial_begin(stacks(4, 2, 2, 0.25, 0));
    int least, most;
    run_both(&a, &b, 10, &least, &most);
    assert_int_equal(most, 16);
    assert_int_equal(cond_state_create(a.model, &other, &error), COND_OK);
    assert_int_equal(cond_sim_step(a.sim, other, &a.info), COND_OK); // another one: all are awake
    assert_int_equal(a.info.asleep, 0);
    assert_int_equal(cond_state_save(a.model, a.state, bytes, SIZE, &size), COND_OK);
    assert_int_equal(cond_state_load(a.model, other, bytes, size, &error), COND_OK);
    for (int k = 0; k < 10; k++)
        assert_int_equal(cond_sim_step(a.sim, other, &a.info), COND_OK);
    assert_int_equal(a.info.asleep, 16);
    run_both(&a, &b, 10, &least, &most);
    assert_true(cond_state_hash(other) == cond_state_hash(b.state));
    cond_state_destroy(other);
    trial_end(&a);
    trial_end(&b);
}

static uint64_t hash_with(int threads)
{
    CondScene* scene = heap(3, 1);
    cond_scene_settings(scene)->solver.threads = threads;
    Trial trial = trial_begin(scene);
    trial_try(&trial, 30);
    strike(&trial, 2, 1.0, 1.0);
    trial_try(&trial, 10);
    uint64_t hash = cond_state_hash(trial.state);
    trial_end(&trial);
    return hash;
}

static void test_threads_have_the_same_bits(void** state)
{
    (void)state;
    uint64_t one = hash_with(1);
    assert_true(one == hash_with(2));
    assert_true(one == hash_with(4));
}

// The stages called one by one wake all, and look at all.
static void test_stages_look_at_all(void** state)
{
    (void)state;
    Trial trial = trial_begin(stacks(4, 4, 1, 0.3, 1));
    trial_step(&trial, 10);
    assert_int_equal(trial.info.asleep, 16);
    assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_matrix(trial.sim), COND_OK);
    assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_assemble(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_problem(trial.sim)->n_contact, 64);
    trial_step(&trial, 1);
    assert_int_equal(trial.info.asleep, 0);
    trial_end(&trial);
}

// Steps until all sleep, strikes one, and goes on; `fail`: the allocation that fails among those of
// the steps, 0 for none. Returns the hash at the end, and how many allocations the steps made.
static uint64_t live_through(long fail, long* calls)
{
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondScene* scene = NULL;
    assert_int_equal(cond_scene_create(&context, &scene, NULL), COND_OK);
    Trial trial = trial_begin(fill_stacks(scene, 8, 2, 1, 0.12, 1));
    int failures = 0;
    allocator.calls = 0;
    allocator.fail_at = fail;
    for (int k = 0; k < 24; k++) {
        if (k == 8)
            strike(&trial, 3, 1.0, 0.0);
        uint64_t before = cond_state_hash(trial.state);
        CondStatus status = cond_sim_step(trial.sim, trial.state, &trial.info);
        if (status < 0) {
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_true(cond_state_hash(trial.state) == before);
            for (int c = 0; c < cond_sim_n_contact(trial.sim); c++)
                (void)cond_sim_contact(trial.sim, c);
            failures++;
            status = cond_sim_step(trial.sim, trial.state, &trial.info);
        }
        assert_true(status >= 0);
    }
    *calls = allocator.calls;
    assert_true(failures <= (fail > 0));
    uint64_t hash = cond_state_hash(trial.state);
    trial_end(&trial);
    assert_int_equal(allocator.live, 0);
    return hash;
}

// Falling asleep and waking ask for memory; where there is none the step fails, and can be
// repeated.
static void test_memory_runs_out(void** state)
{
    (void)state;
    long calls, other;
    uint64_t hash = live_through(0, &calls);
    assert_true(calls > 100);
    for (long fail = 1; fail <= calls; fail += calls / 60)
        assert_true(live_through(fail, &other) == hash);
}

// More shapes than the square root of 27 bits: contacts of the last ones have names of their own.
static void test_many_shapes(void** state)
{
    (void)state;
    enum { N = 12000 };
    CondScene* scene = make_scene();
    add_floor(scene, 0.5, 0.0);
    for (int i = 0; i < N; i++) {
        CondBodyDef def = make_box(1.0, 0.1, 0.1, 0.1, 0.3 * (i % 110), 0.3 * (i / 110), 1.0);
        def.shape = COND_SHAPE_SPHERE;
        def.size[0] = 0.1;
        def.position[2] = i < N - 40 ? 1.0 : 0.1;
        add_body(scene, &def);
    }
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
    const CondCandidateList* list = &trial.sim->attempt.candidates;
    assert_int_equal(list->n, 40);
    for (int c = 1; c < list->n; c++)
        assert_true(cond_key_less(list->candidate[c - 1].key, list->candidate[c].key));
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_struck_stacks_have_the_same_bits),
        cmocka_unit_test(test_struck_layer_has_the_same_bits),
        cmocka_unit_test(test_heap_has_the_same_bits),
        cmocka_unit_test(test_forces_wake),
        cmocka_unit_test(test_attachments_wake),
        cmocka_unit_test(test_sleepers_are_read),
        cmocka_unit_test(test_sleep_is_of_the_state),
        cmocka_unit_test(test_threads_have_the_same_bits),
        cmocka_unit_test(test_stages_look_at_all),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_many_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
