// A program as a user writes one, compiled with the headers of another version than the library's
// (test/data/headers_*): test_version.c runs it. It says what went wrong in text and returns 1, or
// 0 where every call did what that version promised.
#include "cond/cond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef PROGRAM
#define PROGRAM version_program
#endif

int PROGRAM(char* text, size_t size);

static const char SCENE[] =
    "step: {time_step: 0.01}\n"
    "planes: [{name: floor, normal: [0, 0, 1], friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}\n"
    "  - {name: ball, mass: 1, shape: {sphere: 0.1}, position: [1, 0, 0.1]}\n"
    "  - name: arm\n"
    "    kind: robot\n"
    "    position: [0, 2, 1]\n"
    "    links:\n"
    "      - {name: base}\n"
    "      - {name: bar, parent: base, mass: 1, center: [0, 0, -0.2], inertia: [0.01, 0.01, 0.01], "
    "joint: {kind: revolute, axis: [0, 1, 0]}, shapes: [{sphere: 0.05, position: [0, 0, -0.2]}]}\n"
    "    motor: {stiffness: 10, damping: 1}\n"
    "sensors: [{name: scale, body: box}]\n";

// Bytes behind what the library may write.
typedef struct Guard {
    unsigned char byte[64];
} Guard;

static int is_whole(const Guard* guard)
{
    for (size_t i = 0; i < sizeof guard->byte; i++)
        if (guard->byte[i] != 0xa5)
            return 0;
    return 1;
}

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        snprintf(text, size, __VA_ARGS__);                                                         \
        return 1;                                                                                  \
    } while (0)

// A struct that the library fills, with a guard behind it.
#define GUARDED(Type, name)                                                                        \
    struct {                                                                                       \
        Type it;                                                                                   \
        Guard guard;                                                                               \
    } name;                                                                                        \
    memset(&name, 0xa5, sizeof name)

static int read_things(const CondModel* model, CondState* state, CondSim* sim, char* text,
                       size_t size)
{
    GUARDED(CondJointInfo, joint);
    GUARDED(CondJointReading, moved);
    GUARDED(CondSensorReading, felt);
    GUARDED(CondHit, hit);
    GUARDED(CondClosest, closest);
    GUARDED(CondMotorGains, gains);
    int arm = cond_model_find_body(model, "arm");
    if (cond_model_joint(model, arm, 0, &joint.it) || joint.it.link != 1 || joint.it.armature != 0)
        FAIL("cond_model_joint");
    if (cond_sim_joint(sim, arm, 0, &moved.it) || fabs(moved.it.position) > 1e-3)
        FAIL("cond_sim_joint: %g", moved.it.position);
    if (cond_sim_sensor(sim, 0, &felt.it) || fabs(felt.it.force[2] - 9.81) > 1e-3)
        FAIL("cond_sim_sensor: %g N", felt.it.force[2]);
    if (cond_state_motor(model, state, arm, 0, &gains.it) || gains.it.stiffness != 10.0)
        FAIL("cond_state_motor");
    gains.it.stiffness = 20.0;
    if (cond_state_set_motor(model, state, arm, 0, &gains.it) ||
        cond_state_motor(model, state, arm, 0, &gains.it) || gains.it.stiffness != 20.0)
        FAIL("cond_state_set_motor");
    CondQuery* query = NULL;
    const double up[3] = {0.0, 0.0, 5.0}, down[3] = {0.0, 0.0, -1.0};
    CondHit two[2];
    int n = 0;
    if (cond_query_create(model, &query, NULL))
        FAIL("cond_query_create");
    cond_query_set(query, state);
    if (cond_query_ray(query, up, down, INFINITY, NULL, &hit.it) ||
        fabs(hit.it.distance - 4.8) > 1e-3 || hit.it.obstacle != -1)
        FAIL("cond_query_ray: %g", hit.it.distance);
    const double far[2] = {INFINITY, INFINITY}, from[6] = {0, 0, 5, 1, 0, 5},
                 along[6] = {0, 0, -1, 0, 0, -1};
    if (cond_query_rays(query, 2, from, along, far, NULL, two) || two[0].body != 0 ||
        two[1].body != 1)
        FAIL("cond_query_rays: %d %d", two[0].body, two[1].body);
    const double origin[3] = {0.5, 0.0, 0.1};
    if (cond_query_within(query, origin, 0.45, 2, two, &n) || n != 3)
        FAIL("cond_query_within: %d", n);
    if (cond_query_closest(query, 0, 1, INFINITY, &closest.it) ||
        fabs(closest.it.distance - 0.8) > 1e-3)
        FAIL("cond_query_closest: %g", closest.it.distance);
    cond_query_destroy(query);
    if (!is_whole(&joint.guard) || !is_whole(&moved.guard) || !is_whole(&felt.guard) ||
        !is_whole(&gains.guard) || !is_whole(&hit.guard) || !is_whole(&closest.guard))
        FAIL("bytes behind a struct were written");
    return 0;
}

static int look_at_contacts(const CondModel* model, CondState* state, CondSim* sim, char* text,
                            size_t size)
{
    double force = 0.0;
    for (int c = 0; c < cond_sim_n_contact(sim); c++) {
        CondContactInfo contact = cond_sim_contact(sim, c);
        force += contact.body == 0 ? contact.force[0] : 0.0;
        if (contact.plane != 0 || contact.other_part != 0)
            FAIL("cond_sim_contact");
    }
    CondResultant sum = cond_sim_pair_force(sim, 0, COND_STATIC_BODY);
    if (fabs(force - 9.81) > 1e-3 || fabs(sum.force[2] - force) > 1e-9 ||
        fabs(sum.free_torque[2]) > 1e-3)
        FAIL("contact forces: %g N, %g N", force, sum.force[2]);
    CondPose pose = cond_state_pose(model, state, 1);
    pose.position[0] = 0.15;
    const CondOverlap* overlap = NULL;
    int n = 0;
    GUARDED(CondSettleInfo, settle);
    if (cond_state_set_pose(model, state, 1, &pose) ||
        cond_sim_overlaps(sim, state, &overlap, &n) || n != 1 ||
        overlap[0].body + overlap[0].other != 1 || !(overlap[0].depth > 0.01))
        FAIL("cond_sim_overlaps: %d, depth %g m", n, overlap[0].depth);
    if (cond_sim_settle(sim, state, 100, NULL, &settle.it) || !(settle.it.after < 1e-4) ||
        !is_whole(&settle.guard))
        FAIL("cond_sim_settle: %g m", settle.it.after);
    return 0;
}

static int hook_steps, hook_contacts;

static int on_contact(void* user, const CondModel* model, CondContactInfo* contact)
{
    (void)user, (void)model;
    hook_contacts += contact->friction[0] == 0.5 && contact->part == 0;
    return 1;
}

static void on_step(void* user, const CondState* state, const CondStepInfo* info)
{
    (void)user, (void)state;
    hook_steps += info->status == COND_OK && info->seconds[COND_STAGE_SOLVE] >= 0.0;
}

int PROGRAM(char* text, size_t size)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    CondHooks hooks = cond_hooks_default();
    GUARDED(CondStepInfo, info);
    hook_steps = hook_contacts = 0;
    hooks.contact = on_contact;
    hooks.step = on_step;
    if (cond_scene_read_text(NULL, SCENE, NULL, 0, NULL, &scene, &error) ||
        cond_scene_compile(scene, &model, &error) || cond_state_create(model, &state, &error) ||
        cond_sim_create(model, &sim, &error))
        FAIL("%s", error.message);
    if (cond_sim_set_hooks(sim, &hooks))
        FAIL("cond_sim_set_hooks");
    for (int k = 0; k < 30; k++)
        if (cond_sim_step(sim, state, &info.it) != COND_OK)
            FAIL("step %d: %s", k, cond_sim_message(sim));
    if (!is_whole(&info.guard) || info.it.n_contact < 5 || info.it.substeps != 1 ||
        !(cond_certificate_residual(&info.it.solve.certificate) <= 1e-6) ||
        fabs(info.it.time - 0.3) > 1e-12)
        FAIL("cond_sim_step: what it says of the step");
    if (hook_steps != 30 || hook_contacts < 30)
        FAIL("hooks: %d steps, %d contacts", hook_steps, hook_contacts);
    int failed = read_things(model, state, sim, text, size);
    if (!failed)
        failed = look_at_contacts(model, state, sim, text, size);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    return failed;
}
