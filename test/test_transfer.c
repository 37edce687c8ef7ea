// A state that goes over to a model with more or fewer bodies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Boxes a, b, c side by side on a floor, of which those in `which` are there, thrown along x.
static CondScene* make_boxes(const char* which)
{
    CondScene* scene = make_scene();
    for (const char* name = which; *name; name++) {
        CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, *name - 'a', 0.1);
        snprintf(box.name, sizeof box.name, "%c", *name);
        box.velocity[0] = 1.0;
        add_body(scene, &box);
    }
    add_floor(scene, 0.3, 0.0);
    return scene;
}

static void test_boxes(void** state)
{
    (void)state;
    Trial first = trial_begin(make_boxes("ab")), all = trial_begin(make_boxes("abc"));
    trial_step(&first, 20);
    trial_step(&all, 20);
    Trial more = trial_begin(make_boxes("cab")), less = trial_begin(make_boxes("b"));
    double force[3] = {0.0, 3.5, 0.0};
    CondPlace middle = {.body = 1};
    int index, moved;
    assert_int_equal(cond_state_push(first.model, first.state, &middle, force, NULL, &index),
                     COND_OK);
    assert_int_equal(cond_state_transfer(first.model, first.state, more.model, more.state, &moved),
                     COND_OK);
    assert_int_equal(moved, 2);
    assert_near(cond_state_time(more.state), cond_state_time(first.state), 0.0);
    CondPose a = trial_pose(&first, 0), c = trial_pose(&more, 0);
    CondPose again = cond_state_pose(more.model, more.state, 1);
    assert_memory_equal(&again, &a, sizeof a);
    assert_near(c.position[1], 2.0, 0.0); // as its scene has it
    // All go on: the pushed one aside, the others as if nothing had been.
    trial_step(&more, 20);
    trial_step(&all, 20);
    assert_true(cond_state_pose(more.model, more.state, 2).position[1] > 1.0);
    CondPose one = cond_state_pose(more.model, more.state, 1), same = trial_pose(&all, 0);
    for (int k = 0; k < 3; k++)
        assert_near(one.position[k], same.position[k], 1e-7);
    // And back to fewer.
    assert_int_equal(cond_state_transfer(more.model, more.state, less.model, less.state, NULL),
                     COND_OK);
    trial_step(&less, 5);
    assert_true(trial_pose(&less, 0).position[1] > 1.0);
    trial_end(&first);
    trial_end(&all);
    trial_end(&more);
    trial_end(&less);
}

// What the user has attached hangs on in the other model.
static void test_attachment(void** state)
{
    (void)state;
    CondScene *scene = make_scene(), *wider = make_scene();
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 1.0), other = box;
    snprintf(box.name, sizeof box.name, "box");
    snprintf(other.name, sizeof other.name, "other");
    other.position[0] = 2.0;
    add_body(scene, &box);
    add_body(wider, &other);
    add_body(wider, &box);
    Trial one = trial_begin(scene), two = trial_begin(wider);
    CondAttachmentDef def = make_attachment("hang", "box", "", 1);
    def.end[1].point[2] = 1.0;
    CondError error;
    int index;
    assert_int_equal(cond_state_attach(one.model, one.state, &def, &index, &error), COND_OK);
    trial_step(&one, 10);
    assert_int_equal(cond_state_transfer(one.model, one.state, two.model, two.state, NULL),
                     COND_OK);
    trial_step(&two, 30);
    assert_near(cond_state_pose(two.model, two.state, 1).position[2], 1.0, 1e-2);
    assert_true(trial_pose(&two, 0).position[2] < 0.9);
    trial_end(&one);
    trial_end(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_attachment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
