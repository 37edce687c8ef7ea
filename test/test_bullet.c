// Bullet as it is asked by the benchmark of piles: it is told the scene that COND has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/baselines.h"

#include <math.h>
#include <string.h>

static const char SCENE[] =
    "gravity: [0, 0, -10]\n"
    "planes: [{name: floor, friction: 0.9}]\n"
    "obstacles: [{name: table, shape: {box: [10, 1, 0.1]}, position: [0, 5, 0.95], friction: "
    "0.4}]\n"
    "bodies:\n"
    "  - {name: slider, mass: 2, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 5, 1.1],\n"
    "     velocity: [2, 0, 0], friction: 0.4}\n"
    "  - {name: stone, mass: 1, shape: {cylinder: [0.1, 0.2]}, position: [0, 0, 5]}\n"
    "  - {name: bob, mass: 1, shape: {sphere: 0.05}, position: [0, -5, 2]}\n"
    "attachments:\n"
    "  - {from: {body: bob, point: [0, 1, 0]}, to: {point: [0, -4, 2]}, turns: false}\n";

// Impulses of the slider's contacts.
typedef struct Sum {
    double normal, tangential, slip;
} Sum;

static void add_contact(void* data, const CondContactInfo* contact)
{
    Sum* sum = data;
    if (contact->body != 0 && contact->other != 0)
        return;
    sum->normal += contact->impulse[0];
    sum->tangential += hypot(contact->impulse[1], contact->impulse[2]);
    sum->slip = fmax(sum->slip, hypot(contact->velocity[1], contact->velocity[2]));
    assert_near(contact->friction[0], 0.4, 1e-6);
}

// Sliding with friction mu: v0 - mu g t. Free fall: g t^2/2. A pendulum keeps its length.
static void test_motion(void** state)
{
    (void)state;
    Trial trial = trial_text("step: {time_step: 0.001}\n", SCENE);
    CondBullet* bullet = NULL;
    CondError error;
    CondStatus status = cond_bullet_create(trial.model, trial.state, 50, &bullet, &error);
    assert_int_equal(status, cond_bullet_available() ? COND_OK : COND_NOT_SUPPORTED);
    for (int k = 0; k < 200 && bullet; k++) {
        CondBulletInfo info;
        assert_int_equal(cond_bullet_step(bullet, trial.state, &info), COND_OK);
        assert_true(info.seconds >= 0.0 && info.contacts >= 0 && isfinite(info.energy));
    }
    if (bullet) {
        CondPose slider = trial_pose(&trial, 0), stone = trial_pose(&trial, 1),
                 bob = trial_pose(&trial, 2);
        assert_near(slider.velocity[0], 2.0 - 0.4 * 10.0 * 0.2, 0.02);
        assert_near(slider.position[2], 1.1, 0.001);
        assert_near(stone.position[2], 5.0 - 0.5 * 10.0 * 0.2 * 0.2, 0.002);
        assert_near(hypot(bob.position[1] + 4.0, bob.position[2] - 2.0), 1.0, 0.002);
        assert_true(bob.position[2] < 1.9);
        Sum sum = {0};
        cond_bullet_contacts(bullet, add_contact, &sum);
        assert_near(sum.normal, 2.0 * 10.0 * 0.001, 1e-3);
        assert_near(sum.tangential, 0.4 * sum.normal, 1e-3);
        assert_near(sum.slip, slider.velocity[0], 0.02);
    }
    cond_bullet_destroy(bullet);
    trial_end(&trial);
}

static void test_what_it_is_not_asked(void** state)
{
    (void)state;
    Trial trial = trial_read("mat.yaml", 0, NULL);
    CondBullet* bullet = NULL;
    CondError error;
    assert_int_equal(cond_bullet_create(trial.model, trial.state, 10, &bullet, &error),
                     COND_NOT_SUPPORTED);
    assert_null(bullet);
    assert_non_null(strstr(error.message, "Bullet"));
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_what_it_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
