// Bodies that are switched off: for the others it is as if they were not there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_KIND = 5 };

// What lies in the way: a box, a point, a soft cube, a rod, a robot with a limit at which it hangs.
static CondBodyDef make_obstruction(int kind)
{
    CondBodyDef def = make_box(1.0, 0.4, 0.4, 0.2, 0.0, 0.0, 0.1);
    if (kind == 1) {
        def = cond_body_def_default();
        def.kind = COND_BODY_PARTICLE;
        def.mass = 1.0;
    } else if (kind == 2) {
        def = make_soft("", "box:2,2,2:0.2,0.2,0.2", "rubber", 0.0, 0.0, 0.1);
    } else if (kind == 3) {
        def = cond_body_def_default();
        def.kind = COND_BODY_ROD;
        snprintf(def.material, sizeof def.material, "rubber");
        def.rod.links = 5;
        def.rod.length = 0.3;
        def.rod.circle = 0.05;
        def.position[2] = 0.2;
    } else if (kind == 4) {
        write_chain("chain.urdf", 3, 0.5, 0.2, 0.1, 0.5);
        def = make_robot("", "chain.urdf");
        def.position[2] = 0.7;
    }
    snprintf(def.name, sizeof def.name, "other");
    return def;
}

// A box that falls, with something in its way or without; -1: nothing.
static Trial begin(int kind)
{
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.01);
    add_material(scene, &rubber);
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.03, 0.02, 1.0);
    snprintf(box.name, sizeof box.name, "box");
    add_body(scene, &box);
    if (kind >= 0) {
        CondBodyDef other = make_obstruction(kind);
        add_body(scene, &other);
    }
    add_floor(scene, 0.5, 0.0);
    return trial_begin(scene);
}

static void test_is_not_there(void** state)
{
    (void)state;
    for (int kind = 0; kind < N_KIND; kind++) {
        Trial alone = begin(-1), both = begin(kind);
        assert_int_equal(cond_state_is_on(both.state, 1), 1);
        assert_int_equal(cond_state_set_on(both.model, both.state, 1, 0), COND_OK);
        assert_int_equal(cond_state_is_on(both.state, 1), 0);
        CondPose before = trial_pose(&both, 1);
        for (int k = 0; k < 60; k++) {
            trial_step(&alone, 1);
            trial_step(&both, 1);
            CondPose a = trial_pose(&alone, 0), b = trial_pose(&both, 0);
            for (int i = 0; i < 3; i++)
                assert_near(a.position[i], b.position[i], 1e-8);
            CondPose after = trial_pose(&both, 1);
            assert_memory_equal(&before, &after, sizeof before);
        }
        // Put aside and switched on it is there again.
        CondPose aside = cond_state_pose(both.model, both.state, 0);
        aside.position[0] += 3.0;
        aside.position[2] += 1.5;
        if (kind < 2)
            cond_state_set_pose(both.model, both.state, 1, &aside);
        assert_int_equal(cond_state_set_on(both.model, both.state, 1, 1), COND_OK);
        if (kind < 2) {
            double height = trial_pose(&both, 1).position[2];
            trial_step(&both, 20);
            assert_true(trial_pose(&both, 1).position[2] < height - 0.01);
        }
        trial_end(&alone);
        trial_end(&both);
    }
}

// Two boxes that are attached: one falls while the other is off, and is held when it is back.
static void test_attachments(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef left = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 2.0), right = left;
    snprintf(left.name, sizeof left.name, "left");
    snprintf(right.name, sizeof right.name, "right");
    right.position[0] = 0.5;
    add_body(scene, &left);
    add_body(scene, &right);
    CondAttachmentDef hold = make_attachment("hold", "left", "right", 1);
    CondAttachmentDef pin = make_attachment("pin", "left", "", 1);
    hold.rotation_stiffness = pin.rotation_stiffness = 1e3;
    hold.rotation_damping = pin.rotation_damping = 50.0;
    hold.damping = pin.damping = 200.0;
    add_attachment(scene, &hold);
    add_attachment(scene, &pin);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 800);
    double rest = trial_pose(&trial, 1).position[2];
    uint64_t on = cond_state_hash(trial.state);
    assert_int_equal(cond_state_set_on(trial.model, trial.state, 0, 0), COND_OK);
    assert_true(cond_state_hash(trial.state) != on);
    assert_false(cond_state_attachment_holds(trial.state, 0));
    double height = trial_pose(&trial, 0).position[2], right_at = trial_pose(&trial, 1).position[2];
    // Bytes know of it.
    size_t size;
    CondError error;
    assert_int_equal(cond_state_save(trial.model, trial.state, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_int_equal(cond_state_save(trial.model, trial.state, bytes, size, &size), COND_OK);
    uint64_t saved = cond_state_hash(trial.state);
    trial_step(&trial, 5);
    assert_int_equal(cond_state_load(trial.model, trial.state, bytes, size, &error), COND_OK);
    assert_true(cond_state_hash(trial.state) == saved);
    free(bytes);
    trial_step(&trial, 5);
    assert_near(trial_pose(&trial, 0).position[2], height, 0.0);
    assert_true(trial_pose(&trial, 1).position[2] < right_at - 1e-4);
    assert_int_equal(cond_state_set_on(trial.model, trial.state, 0, 1), COND_OK);
    assert_true(cond_state_attachment_holds(trial.state, 0));
    assert_true(cond_state_attachment_holds(trial.state, 1));
    trial_step(&trial, 800);
    assert_near(trial_pose(&trial, 1).position[2], rest, 1e-4);
    assert_int_equal(cond_state_set_on(trial.model, trial.state, 2, 0), COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_is_on(trial.state, -1), 0);
    trial_end(&trial);
}

// A stack at rest, asleep: without its lowest box the others fall. Rays do not see the box.
static void test_sleepers(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    for (int i = 0; i < 3; i++) {
        CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1 + 0.2 * i);
        snprintf(box.name, sizeof box.name, "box%d", i);
        add_body(scene, &box);
    }
    add_floor(scene, 0.5, 0.0);
    Trial trial = trial_begin(scene);
    CondQuery* query;
    CondError error;
    CondHit hit;
    double from[3] = {0.0, -2.0, 0.1}, along[3] = {0.0, 1.0, 0.0};
    assert_int_equal(cond_query_create(trial.model, &query, &error), COND_OK);
    trial_step(&trial, 50);
    assert_int_equal(cond_state_set_on(trial.model, trial.state, 0, 0), COND_OK);
    cond_query_set(query, trial.state);
    assert_int_equal(cond_query_ray(query, from, along, INFINITY, NULL, &hit), COND_OK);
    assert_int_equal(hit.body, -1);
    CondClosest closest;
    assert_int_equal(cond_query_closest(query, 0, 1, INFINITY, &closest), COND_OK);
    assert_true(isinf(closest.distance));
    trial_step(&trial, 200);
    assert_near(trial_pose(&trial, 1).position[2], 0.1, 1e-6);
    assert_near(trial_pose(&trial, 2).position[2], 0.3, 1e-6);
    cond_query_destroy(query);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_not_there),
        cmocka_unit_test(test_attachments),
        cmocka_unit_test(test_sleepers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
