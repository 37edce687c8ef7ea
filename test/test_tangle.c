// Whole robots that stand, fall and get tangled, with contact between their own links: every step
// is certified, and the audit finds nothing deeper than 1e-4 m.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/audit.h"

#include <math.h>

typedef struct Seen {
    int own;        // steps in which links of one robot touched each other
    double deepest; // by the audit [m]
} Seen;

// Steps, each of which must be certified, with an audit every tenth.
static Seen watch(Trial* trial, int n)
{
    CondAudit* audit;
    CondError error;
    Seen seen = {.own = 0};
    assert_int_equal(cond_audit_create(trial->model, &audit, &error), COND_OK);
    for (int k = 1; k <= n; k++) {
        int own = 0;
        trial_step(trial, 1);
        for (int c = 0; c < cond_sim_n_contact(trial->sim); c++) {
            CondContactInfo info = cond_sim_contact(trial->sim, c);
            own = own || (info.body == info.other && info.force[0] > 0.0);
        }
        seen.own += own;
        if (k % 10 != 0)
            continue;
        assert_int_equal(cond_audit_run(audit, trial->state, 0.0), COND_OK);
        if (cond_audit_deepest(audit) >= 0)
            seen.deepest =
                fmax(seen.deepest, cond_audit_pair(audit, cond_audit_deepest(audit)).depth);
    }
    cond_audit_destroy(audit);
    return seen;
}

static double height(const Trial* trial, int body)
{
    return trial_pose(trial, body).position[2];
}

// One stands on its motors, one falls on its back.
static void test_quadruped(void** state)
{
    (void)state;
    static const char* const set[] = {"step.time_step=0.004", "solver.threads=1"};
    Trial trial = trial_read("quadruped.yaml", 2, set);
    Seen seen = watch(&trial, 300);
    assert_true(seen.deepest < 1e-4);
    assert_true(height(&trial, 0) > 0.2);
    assert_true(height(&trial, 1) < 0.15);
    trial_end(&trial);
}

// One stands on its motors, the other falls in a heap.
static void test_humanoid(void** state)
{
    (void)state;
    static const char* const set[] = {"step.time_step=0.004", "solver.threads=1"};
    Trial trial = trial_read("humanoid.yaml", 2, set);
    Seen seen = watch(&trial, 400);
    assert_true(seen.deepest < 1e-4);
    assert_true(seen.own > 0);
    assert_true(height(&trial, 0) > 0.9);
    assert_true(height(&trial, 1) < 0.5);
    trial_end(&trial);
}

// The arms are led through each other and stop each other.
static void test_two_arms(void** state)
{
    (void)state;
    static const char* const set[] = {"step.time_step=0.004", "solver.threads=1"};
    Trial trial = trial_read("two_arms.yaml", 2, set);
    Seen seen = watch(&trial, 500);
    assert_true(seen.deepest < 1e-4);
    assert_true(seen.own > 50);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadruped),
        cmocka_unit_test(test_humanoid),
        cmocka_unit_test(test_two_arms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
