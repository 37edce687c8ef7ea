// Steps that are made in parts because their contact problem misses the tolerance as a whole.
#include "cond/sim.h"
#include "failing_allocator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct World {
    CondModel* model;
    CondState* state;
    CondSim* sim;
} World;

// A gripped ball, too large to be factored and with too few iterations for many steps,
// which have no coarse correction to help them.
static World world_make(int substeps, int iterations, const char* more)
{
    char parts[64], limit[64];
    const char* set[] = {parts,
                         limit,
                         "bodies.ball.mesh=ball:0.05:6",
                         "solver.tolerance=1e-6",
                         "solver.threads=1",
                         "solver.multilevel=off",
                         more};
    World world = {0};
    CondScene* scene = NULL;
    CondError error;
    snprintf(parts, sizeof parts, "step.substeps=%d", substeps);
    snprintf(limit, sizeof limit, "solver.max_iterations=%d", iterations);
    if (cond_scene_read(NULL, COND_SCENES "/ball.yaml", more ? 7 : 6, set, &scene, &error) ||
        cond_scene_compile(scene, &world.model, &error) ||
        cond_state_create(world.model, &world.state, &error) ||
        cond_sim_create(world.model, &world.sim, &error))
        fail_msg("%s", error.message);
    cond_scene_destroy(scene);
    return world;
}

static void world_free(World* world)
{
    cond_sim_destroy(world->sim);
    cond_state_destroy(world->state);
    cond_model_destroy(world->model);
}

static CondStatus step(World* world, CondStepInfo* info)
{
    CondStatus status = cond_sim_step(world->sim, world->state, info);
    assert_true(status >= 0);
    assert_int_equal(status, info->status);
    return status;
}

// Momentum of the ball changes by what the contacts are said to have done over the step, in parts
// or not, and by its weight.
static void check_momentum(World* world, int ball, const CondPose* before, int substeps)
{
    double force[3], torque[3], mass = cond_model_mass(world->model, ball), t = 0.01;
    CondPose after = cond_state_pose(world->model, world->state, ball);
    cond_sim_body_force(world->sim, ball, force, torque);
    for (int i = 0; i < 3; i++) {
        double change = mass * (after.velocity[i] - before->velocity[i]);
        double impulse = t * (force[i] + mass * cond_model_settings(world->model)->gravity[i]);
        if (fabs(change - impulse) > 1e-4 * (fabs(change) + mass * 9.81 * t))
            fail_msg("%d parts, axis %d: momentum %g, impulse %g", substeps, i, change, impulse);
    }
}

// One way as a whole and another with parts, side by side with so few iterations.
typedef struct Count {
    int missed[2], made, most;
} Count;

static void compare(int iterations, int steps, Count* count)
{
    World whole = world_make(1, iterations, NULL), split = world_make(4, iterations, NULL);
    int ball = cond_model_find_body(split.model, "ball");
    for (int k = 1; k <= steps; k++) {
        CondStepInfo info;
        CondPose before = cond_state_pose(split.model, split.state, ball);
        count->missed[0] += step(&whole, &info) != COND_OK;
        assert_int_equal(info.substeps, 1);
        count->missed[1] += step(&split, &info) != COND_OK;
        assert_true(cond_state_time(split.state) == k * 0.01); // to the last bit
        assert_true(info.time == cond_state_time(split.state));
        assert_int_equal(info.solve.solved_by == COND_BY_SUBSTEPS, info.substeps > 1);
        if (info.substeps > 1) {
            assert_int_equal(info.status, COND_OK);
            assert_true(cond_certificate_residual(&info.solve.certificate) <= 1e-6);
            assert_true(info.solve.iterations >= iterations); // of all attempts
            assert_int_equal(info.solve.relaxed, 0);
            count->made++;
            count->most = info.substeps > count->most ? info.substeps : count->most;
        }
        if (info.status == COND_OK)
            check_momentum(&split, ball, &before, info.substeps);
    }
    world_free(&whole);
    world_free(&split);
}

static void parts_reach_what_the_whole_misses(void** state)
{
    (void)state;
    static const int iterations[] = {60, 80};
    Count count = {{0}, 0, 0};
    for (int i = 0; i < 2; i++)
        compare(iterations[i], 16, &count);
    print_message("missed %d as a whole, %d with parts; %d steps in parts, %d at most\n",
                  count.missed[0], count.missed[1], count.made, count.most);
    assert_true(count.made >= 2 && count.missed[1] < count.missed[0]);
}

// Where parts do not help either, the step is the one that it would have been without them.
static void in_vain_nothing_changes(void** state)
{
    (void)state;
    static const char* const integrator[] = {NULL, "step.integrator=midpoint"};
    for (int i = 0; i < 2; i++) {
        World whole = world_make(1, 12, integrator[i]), split = world_make(2, 12, integrator[i]);
        int vain = 0;
        for (int k = 0; k < 3; k++) {
            CondStepInfo one, two;
            step(&whole, &one);
            step(&split, &two);
            assert_int_equal(two.substeps, 1);
            vain += two.status != COND_OK;
            assert_true(cond_state_hash(whole.state) == cond_state_hash(split.state));
            assert_true(memcmp(&one.solve.certificate, &two.solve.certificate,
                               sizeof one.solve.certificate) == 0);
            assert_int_equal(cond_sim_n_contact(whole.sim), cond_sim_n_contact(split.sim));
        }
        assert_true(vain > 0);
        world_free(&whole);
        world_free(&split);
    }
}

// A state saved between steps goes on with the same bits, whatever the steps are made of.
static void saved_states_go_on_the_same(void** state)
{
    (void)state;
    World one = world_make(4, 70, NULL), two = world_make(4, 70, NULL);
    CondStepInfo info = {0};
    CondError error;
    for (int k = 0; k < 20 && info.substeps < 2; k++) // the last step before is one in parts
        step(&one, &info);
    assert_true(info.substeps > 1);
    size_t size = 0;
    assert_int_equal(cond_state_save(one.model, one.state, NULL, 0, &size), COND_OK);
    char* bytes = malloc(size);
    assert_int_equal(cond_state_save(one.model, one.state, bytes, size, &size), COND_OK);
    assert_int_equal(cond_state_load(two.model, two.state, bytes, size, &error), COND_OK);
    for (int k = 0; k < 4; k++) {
        step(&one, &info);
        step(&two, &info);
        assert_true(cond_state_hash(one.state) == cond_state_hash(two.state));
    }
    free(bytes);
    world_free(&one);
    world_free(&two);
}

// Every allocation of a step that no part can make fails in turn, with a tolerance below rounding.
static void memory_runs_out(void** state)
{
    (void)state;
    const char* set[] = {"solver.tolerance=1e-30", "solver.max_iterations=8", "solver.threads=1",
                         "step.time_step=0.004", "step.substeps=2"};
    int done = 0;
    for (long fail_at = 0; !done; fail_at++) {
        FailingAllocator allocator = {.fail_at = 0};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondState* at = NULL;
        CondSim* sim = NULL;
        CondStepInfo info;
        CondError error;
        if (cond_scene_read(&context, COND_SCENES "/incline.yaml", 5, set, &scene, &error) ||
            cond_scene_compile(scene, &model, &error) || cond_state_create(model, &at, &error) ||
            cond_sim_create(model, &sim, &error))
            fail_msg("%s", error.message);
        allocator.fail_at = allocator.calls + 1 + fail_at;
        uint64_t before = cond_state_hash(at);
        CondStatus status = cond_sim_step(sim, at, &info);
        if (status == COND_OUT_OF_MEMORY)
            assert_true(cond_state_hash(at) == before);
        else
            assert_int_equal(status, COND_NOT_CONVERGED);
        done = allocator.calls < allocator.fail_at;
        allocator.fail_at = 0;
        assert_true(cond_sim_step(sim, at, &info) >= 0);
        assert_true(cond_state_time(at) ==
                    (status == COND_OUT_OF_MEMORY ? 1 : 2) * cond_model_settings(model)->time_step);
        cond_sim_destroy(sim);
        cond_state_destroy(at);
        cond_model_destroy(model);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        assert_true(fail_at < 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_reach_what_the_whole_misses),
        cmocka_unit_test(in_vain_nothing_changes),
        cmocka_unit_test(saved_states_go_on_the_same),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
