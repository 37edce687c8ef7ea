// Short scenes for physics tests: definitions with the usual values filled in, and a Trial that
// holds model, state and workspace of one run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "collide/plane.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondScene* make_scene(void)
{
    CondScene* scene;
    assert_int_equal(cond_scene_create(NULL, &scene, NULL), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    return scene;
}

CondBodyDef make_box(double mass, double a, double b, double c, double x, double y, double z)
{
    CondBodyDef def = cond_body_def_default();
    double size[3] = {a, b, c}, position[3] = {x, y, z};
    def.mass = mass;
    def.shape = COND_SHAPE_BOX;
    memcpy(def.size, size, sizeof size);
    memcpy(def.position, position, sizeof position);
    return def;
}

CondBodyDef make_particle(double mass, double x, double y, double z)
{
    CondBodyDef def = cond_body_def_default();
    double position[3] = {x, y, z};
    def.kind = COND_BODY_PARTICLE;
    def.mass = mass;
    memcpy(def.position, position, sizeof position);
    return def;
}

CondSpringDef make_spring(const char* body0, const char* body1, double stiffness)
{
    CondSpringDef def = cond_spring_def_default();
    snprintf(def.body[0], sizeof def.body[0], "%s", body0);
    snprintf(def.body[1], sizeof def.body[1], "%s", body1);
    def.stiffness = stiffness;
    return def;
}

void make_turn(double x, double y, double z, double angle, double q[4])
{
    double scale = sin(0.5 * angle) / sqrt(x * x + y * y + z * z);
    q[0] = cos(0.5 * angle);
    q[1] = scale * x;
    q[2] = scale * y;
    q[3] = scale * z;
}

static void expect_ok(CondStatus status, const CondError* error)
{
    if (status)
        fail_msg("%s", error->message);
}

void add_body(CondScene* scene, const CondBodyDef* def)
{
    CondError error;
    expect_ok(cond_scene_add_body(scene, def, &error), &error);
}

void add_force(CondScene* scene, const CondForceDef* def)
{
    CondError error;
    expect_ok(cond_scene_add_force(scene, def, &error), &error);
}

void add_spring(CondScene* scene, const CondSpringDef* def)
{
    CondError error;
    expect_ok(cond_scene_add_spring(scene, def, &error), &error);
}

void add_plane(CondScene* scene, double nx, double ny, double nz, double offset, double friction,
               double restitution)
{
    CondError error;
    CondPlaneDef def = cond_plane_def_default();
    double normal[3] = {nx, ny, nz};
    memcpy(def.normal, normal, sizeof normal);
    def.offset = offset;
    def.surface.friction[0] = def.surface.friction[1] = friction;
    def.surface.restitution = restitution;
    expect_ok(cond_scene_add_plane(scene, &def, &error), &error);
}

void add_floor(CondScene* scene, double friction, double restitution)
{
    add_plane(scene, 0.0, 0.0, 1.0, 0.0, friction, restitution);
}

Trial trial_begin(CondScene* scene)
{
    Trial trial = {.model = NULL};
    CondError error;
    expect_ok(cond_scene_compile(scene, &trial.model, &error), &error);
    cond_scene_destroy(scene);
    expect_ok(cond_state_create(trial.model, &trial.state, &error), &error);
    expect_ok(cond_sim_create(trial.model, &trial.sim, &error), &error);
    return trial;
}

Trial trial_read(const char* file, int n_override, const char* const* override)
{
    char path[512];
    CondScene* scene;
    CondError error;
    snprintf(path, sizeof path, "%s/%s", COND_SCENES, file);
    expect_ok(cond_scene_read(NULL, path, n_override, override, &scene, &error), &error);
    return trial_begin(scene);
}

Trial trial_text(const char* settings, const char* text)
{
    CondScene* scene = NULL;
    CondError error;
    FILE* file = fopen("text.yaml", "w");
    assert_non_null(file);
    fprintf(file, "%s%s", settings, text);
    fclose(file);
    expect_ok(cond_scene_read(NULL, "text.yaml", 0, NULL, &scene, &error), &error);
    return trial_begin(scene);
}

void trial_step(Trial* trial, int n)
{
    for (int i = 0; i < n; i++) {
        CondStatus status = cond_sim_step(trial->sim, trial->state, &trial->info);
        if (status)
            fail_msg("step to t = %g: %s", trial->info.time, cond_status_name(status));
    }
}

void trial_try(Trial* trial, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(cond_sim_step(trial->sim, trial->state, &trial->info) >= 0);
}

CondPose trial_pose(const Trial* trial, int body)
{
    return cond_state_pose(trial->model, trial->state, body);
}

double trial_gap(const Trial* trial)
{
    CondSim* sim = trial->sim;
    double smallest = INFINITY;
    for (int b = 0; b < trial->model->n_body; b++)
        sim->reach[b] = INFINITY;
    cond_kinematics_set(&sim->at_end, trial->state->q);
    sim->attempt.end.n = 0;
    cond_collider_place(&sim->collider, &sim->at_end);
    assert_int_equal(
        cond_collide_planes(&sim->at_end, sim->collider.place, sim->reach, &sim->attempt.end),
        COND_OK);
    assert_int_equal(
        cond_collide_pairs(&sim->collider, &sim->at_end, sim->reach, &sim->attempt.end), COND_OK);
    for (int c = 0; c < sim->attempt.end.n; c++)
        if (sim->attempt.end.candidate[c].plane >= 0)
            smallest = fmin(smallest, sim->attempt.end.candidate[c].gap);
    return smallest;
}

void trial_end(Trial* trial)
{
    cond_sim_destroy(trial->sim);
    cond_state_destroy(trial->state);
    cond_model_destroy(trial->model);
}

void check_near(double value, double expected, double tolerance, const char* text, const char* file,
                int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s = %.17g, expected %.17g, off by %.3g, allowed %.3g\n", text, value, expected,
                value - expected, tolerance);
    _fail(file, line);
}

double dice_uniform(Dice* dice, double from, double to)
{
    uint64_t x = dice->state ? dice->state : 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    dice->state = x;
    return from + (to - from) * (double)(x >> 11) / 9007199254740992.0;
}
