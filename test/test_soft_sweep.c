// Soft surfaces that met on the way of a step: a strip whose legs are thrown through each other,
// and blocks that leave each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/audit.h"
#include "model/fem.h"
#include "sim/sim.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// How deep the trial's bodies are in each other by the audit [m].
static double audited(const Trial* trial)
{
    CondAudit* audit = NULL;
    assert_int_equal(cond_audit_create(trial->model, &audit, NULL), COND_OK);
    assert_int_equal(cond_audit_run(audit, trial->state, 0.0), COND_OK);
    int deepest = cond_audit_deepest(audit);
    double depth = deepest >= 0 ? cond_audit_pair(audit, deepest).depth : 0.0;
    cond_audit_destroy(audit);
    return depth;
}

// Bends a strip along x to a hairpin with legs of length l at z = -r and r, turned against each
// other by 2 yaw, and throws the legs at each other.
static void bend(const Trial* trial, double l, double r, double yaw, double speed)
{
    for (int i = 0; i < trial->model->body[0].fem->n_node; i++) {
        double *q = trial->state->q + 3 * (size_t)i, *v = trial->state->v + 3 * (size_t)i;
        double along = q[0] + l + 0.5 * PI * r, out = r - q[2], y = q[1];
        double angle = fmin(fmax((along - l) / r, 0.0), PI);
        double before = fmin(along - l, 0.0), after = fmin(PI * r + l - along, 0.0);
        double x = (angle == PI ? after : before) + out * sin(angle) + 0.5 * l;
        q[2] = -out * cos(angle);
        double turn = yaw * fmin(fmax(q[2] / r, -1.0), 1.0);
        q[0] = cos(turn) * x - sin(turn) * y - 0.5 * l;
        q[1] = sin(turn) * x + cos(turn) * y;
        v[0] = v[1] = 0.0;
        v[2] = speed * cos(angle);
    }
}

// The strip has no nodes between its rims, so that its legs meet edge on edge alone, and each goes
// several thicknesses in a step.
static void legs_do_not_pass_each_other(void** state)
{
    (void)state;
    const double l = 0.12, r = 0.03, size = 0.33;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = make_scene();
        CondMaterialDef rubber = make_material("rubber", 3e5, 0.002);
        CondBodyDef strip =
            make_soft("strip", "mat:9,2,2:0.33424777960769379,0.03,0.006", "rubber", 0.0, 0.0, 0.0);
        strip.self_contact = 1;
        strip.thickness = 0.0;
        cond_scene_settings(scene)->gravity[2] = 0.0;
        cond_scene_settings(scene)->time_step = 0.005;
        cond_scene_settings(scene)->solver.tolerance = 1e-6;
        add_material(scene, &rubber);
        add_body(scene, &strip);
        Trial trial = trial_begin(scene);
        bend(&trial, l, r, 0.5 + 0.15 * k, 10.0);
        for (int step = 0; step < 5; step++) {
            trial_step(&trial, 1);
            assert_true(audited(&trial) < 1e-8 * size);
        }
        trial_end(&trial);
    }
}

// Two blocks that are a little in each other part: what leaves a surface from inside meets nothing.
static void what_leaves_is_let_go(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e6, 0.0);
    CondBodyDef lower = make_soft("lower", "box:3,3,2:0.1,0.1,0.05", "rubber", 0.0, 0.0, 0.0);
    CondBodyDef upper = make_soft("upper", "box:2,2,2:0.06,0.06,0.05", "rubber", 0.0, 0.0, 0.0499);
    lower.thickness = upper.thickness = 0.0;
    upper.velocity[2] = 4.0;
    cond_scene_settings(scene)->gravity[2] = 0.0;
    cond_scene_settings(scene)->time_step = 0.005;
    cond_scene_settings(scene)->position_correction = 0;
    add_material(scene, &rubber);
    add_body(scene, &lower);
    add_body(scene, &upper);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 1);
    assert_int_equal(trial.info.added, 0);
    CondPose pose = trial_pose(&trial, 1);
    assert_near(pose.velocity[2], 4.0, 1e-9);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_do_not_pass_each_other),
        cmocka_unit_test(what_leaves_is_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
