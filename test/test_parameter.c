// Values that a simulation changes between steps: the same bits as a scene compiled with these
// values from the start, for each of them; bodies that sleep wake; models stay as they are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/cond.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One of each kind of body, all of which touch the floor.
static const char TEXT[] =
    "step: {time_step: 0.005}\n"
    "materials:\n"
    "  - {name: rubber, youngs_modulus: 2.0e+5, poisson_ratio: 0.4, density: 1000, "
    "stiffness_damping: 0.005}\n"
    "  - {name: cord, youngs_modulus: 2.0e+6, poisson_ratio: 0.4, density: 1100}\n"
    "planes: [{name: floor, normal: [0, 0, 1], friction: 0.6, restitution: 0.1}]\n"
    "obstacles: [{name: ramp, shape: {box: [1, 1, 0.2]}, position: [1.5, 0, 0.1], friction: 0.3}]\n"
    "bodies:\n"
    "  - {name: box, mass: 1, shape: {box: [0.2, 0.1, 0.1]}, position: [0, 0, 0.06], velocity: "
    "[1, 0.2, 0]}\n"
    "  - {name: disc, mass: 0.5, shape: {cylinder: [0.1, 0.05]}, position: [1.5, 0, 0.24], "
    "velocity: [0.5, 0, 0], angular_velocity: [0, 0, 3], friction: 0.5}\n"
    "  - {name: dot, kind: particle, mass: 0.1, position: [0, 1, 0.03], velocity: [0.3, 0, 0], "
    "friction: 0.4}\n"
    "  - {name: block, kind: soft, mesh: \"box:2,2,2:0.1,0.1,0.1\", material: rubber, position: "
    "[0, -1, 0.06], velocity: [0.4, 0, 0], friction: 0.5}\n"
    "  - {name: rope, kind: rod, material: cord, rod: {links: 8, length: 0.4, circle: 0.01}, "
    "position: [-1, 0, 0.03], rotation: {axis: [0, 1, 0], degrees: 90}, friction: 0.5}\n"
    "  - name: arm\n"
    "    kind: robot\n"
    "    floating: true\n"
    "    position: [0, 2, 0.08]\n"
    "    friction: 0.5\n"
    "    links:\n"
    "      - {name: base, mass: 2, inertia: [0.01, 0.01, 0.01], shapes: [{box: [0.2, 0.2, 0.1]}]}\n"
    "      - {name: upper, parent: base, mass: 0.5, center: [0, 0, 0.1], inertia: [0.002, 0.002, "
    "0.001], joint: {kind: revolute, axis: [0, 1, 0], position: [0, 0, 0.06]}, shapes: [{capsule: "
    "[0.02, 0.2], position: [0, 0, 0.12]}]}\n"
    "    joints: [{name: upper, position: 0.4}]\n";

typedef struct Run {
    CondScene* scene;
    CondModel* model;
    CondState* state;
    CondSim* sim;
} Run;

static Run begin(const char* text, const char* override)
{
    Run run;
    CondError error;
    int n = override ? 1 : 0;
    if (cond_scene_read_text(NULL, text, NULL, n, &override, &run.scene, &error) ||
        cond_scene_compile(run.scene, &run.model, &error) ||
        cond_state_create(run.model, &run.state, &error) ||
        cond_sim_create(run.model, &run.sim, &error))
        fail_msg("%s", error.message);
    return run;
}

static void end(Run* run)
{
    cond_sim_destroy(run->sim);
    cond_state_destroy(run->state);
    cond_model_destroy(run->model);
    cond_scene_destroy(run->scene);
}

static void step(Run* run, int n)
{
    for (int k = 0; k < n; k++)
        if (cond_sim_step(run->sim, run->state, NULL) < 0)
            fail_msg("%s", cond_sim_message(run->sim));
}

static void take_over(const Run* from, Run* to)
{
    size_t size;
    CondError error;
    assert_int_equal(cond_state_save(from->model, from->state, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_int_equal(cond_state_save(from->model, from->state, bytes, size, &size), COND_OK);
    assert_int_equal(cond_state_load(to->model, to->state, bytes, size, &error), COND_OK);
    free(bytes);
}

// All values of a model, whichever they are.
static void set_values(CondSim* sim, const CondModel* model)
{
    assert_int_equal(cond_sim_set_gravity(sim, cond_model_settings(model)->gravity), COND_OK);
    for (int b = 0; b < cond_model_n_body(model); b++) {
        CondBodyKind kind = cond_model_body_kind(model, b);
        CondSurfaceDef surface;
        int n_link = kind == COND_BODY_ROBOT ? cond_model_n_link(model, b) : 1;
        for (int link = -1; link < (kind == COND_BODY_ROBOT ? n_link : 0); link++) {
            assert_int_equal(cond_model_body_surface(model, b, link, &surface), COND_OK);
            assert_int_equal(cond_sim_set_body_surface(sim, b, link, &surface), COND_OK);
        }
        if (kind == COND_BODY_SOFT || kind == COND_BODY_ROD) {
            CondMaterialDef material = cond_material_def_default();
            assert_int_equal(cond_model_material(model, b, &material), COND_OK);
            assert_int_equal(cond_sim_set_material(sim, b, &material), COND_OK);
            continue;
        }
        for (int link = 0; link < n_link; link++) {
            CondInertia inertia;
            assert_int_equal(cond_model_inertia(model, b, link, &inertia), COND_OK);
            assert_int_equal(cond_sim_set_inertia(sim, b, link, &inertia), COND_OK);
        }
    }
    CondSurfaceDef surface;
    assert_int_equal(cond_model_plane_surface(model, 0, &surface), COND_OK);
    assert_int_equal(cond_sim_set_plane_surface(sim, 0, &surface), COND_OK);
    assert_int_equal(cond_model_obstacle_surface(model, 0, &surface), COND_OK);
    assert_int_equal(cond_sim_set_obstacle_surface(sim, 0, &surface), COND_OK);
}

static void test_bits(void** state)
{
    (void)state;
    static const char* const values[] = {"gravity=[0.5, 0, -3]",
                                         "bodies.box.mass=2.5",
                                         "bodies.dot.mass=0.3",
                                         "bodies.disc.friction=0.05",
                                         "bodies.disc.restitution=0.5",
                                         "bodies.arm.links.base.mass=3",
                                         "bodies.arm.links.upper.center=[0.05, 0, 0.15]",
                                         "bodies.arm.links.upper.inertia=[0.004, 0.004, 0.002]",
                                         "bodies.arm.friction=0.1",
                                         "bodies.rope.friction=0.1",
                                         "bodies.block.friction=0.1",
                                         "planes.floor.friction=0.05",
                                         "planes.floor.restitution=0.6",
                                         "obstacles.ramp.friction=[0.02, 0.4]",
                                         "materials.rubber.youngs_modulus=4e5",
                                         "materials.rubber.poisson_ratio=0.2",
                                         "materials.rubber.density=1500",
                                         "materials.rubber.stiffness_damping=0.02",
                                         "materials.rubber.mass_damping=1",
                                         "materials.rubber.elasticity=neohookean",
                                         "materials.cord.youngs_modulus=1e7",
                                         "materials.cord.density=2000"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        Run run = begin(TEXT, NULL), other = begin(TEXT, values[i]);
        uint64_t before = cond_model_parameters(run.model);
        step(&run, 12);
        take_over(&run, &other);
        set_values(run.sim, other.model);
        if (cond_model_parameters(cond_sim_model(run.sim)) != cond_model_parameters(other.model))
            fail_msg("%s: not all values are those of the scene", values[i]);
        assert_true(cond_model_parameters(other.model) != before);
        assert_true(cond_model_parameters(run.model) == before);
        step(&run, 12);
        step(&other, 12);
        if (cond_state_hash(run.state) != cond_state_hash(other.state))
            fail_msg("%s: another state than from a scene with this value", values[i]);
        assert_true(cond_state_parameters(run.state) == cond_model_parameters(other.model));
        // And back.
        assert_int_equal(cond_sim_reset_parameters(run.sim), COND_OK);
        assert_true(cond_model_parameters(cond_sim_model(run.sim)) == before);
        end(&other);
        other = begin(TEXT, NULL);
        take_over(&run, &other);
        step(&run, 3);
        step(&other, 3);
        assert_true(cond_state_hash(run.state) == cond_state_hash(other.state));
        end(&other);
        end(&run);
    }
}

// Two simulations of one model, of which one changes.
static void test_shared(void** state)
{
    (void)state;
    Run run = begin(TEXT, NULL), plain = begin(TEXT, NULL);
    CondSim* other;
    CondState* second;
    const double none[3] = {0.0, 0.0, 0.0};
    assert_int_equal(cond_sim_create(run.model, &other, NULL), COND_OK);
    assert_int_equal(cond_state_create(run.model, &second, NULL), COND_OK);
    assert_int_equal(cond_sim_set_gravity(other, none), COND_OK);
    for (int k = 0; k < 10; k++) {
        assert_true(cond_sim_step(other, second, NULL) >= 0);
        step(&run, 1);
        step(&plain, 1);
    }
    assert_true(cond_state_hash(run.state) == cond_state_hash(plain.state));
    assert_true(cond_state_hash(run.state) != cond_state_hash(second));
    cond_sim_destroy(other);
    cond_state_destroy(second);
    end(&plain);
    end(&run);
}

// Energies before and after a step are those of the new values, and turning gravity round is no
// runaway.
static void test_energy(void** state)
{
    (void)state;
    Run run = begin("planes: []\n"
                    "bodies: [{name: box, mass: 2, shape: {sphere: 0.1}, position: [0, 0, 5]}]\n",
                    NULL);
    const double up[3] = {0.0, 0.0, 100.0};
    CondStepInfo info;
    step(&run, 10);
    assert_int_equal(cond_sim_set_gravity(run.sim, up), COND_OK);
    for (int k = 0; k < 200; k++) {
        assert_int_equal(cond_sim_step(run.sim, run.state, &info), COND_OK);
        double height = cond_state_pose(run.model, run.state, 0).position[2];
        assert_true(fabs(info.potential_after + 2.0 * 100.0 * height) < 1e-9 * 1e4);
        double gain =
            info.kinetic_after + info.potential_after - info.kinetic_before - info.potential_before;
        assert_true(fabs(gain) < 1e-6 * info.kinetic_after);
    }
    end(&run);
}

// A row of boxes at rest on a slope that then slides.
static void test_wakes(void** state)
{
    (void)state;
    char text[8192] = "step: {time_step: 0.01}\n"
                      "planes: [{name: slope, normal: [0, 0.3, 1], friction: 0.9}]\nbodies:\n";
    for (int i = 0; i < 20; i++) {
        size_t n = strlen(text);
        snprintf(
            text + n, sizeof text - n,
            "  - {name: b%d, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [%g, 0, 0.0523],"
            " rotation: {axis: [1, 0, 0], degrees: -16.699244}}\n",
            i, 0.3 * i);
    }
    Run run = begin(text, NULL), other = begin(text, "planes.slope.friction=0.1");
    CondStepInfo info = {.asleep = 0};
    for (int k = 0; k < 400 && info.asleep < 20; k++)
        assert_true(cond_sim_step(run.sim, run.state, &info) >= 0);
    assert_int_equal(info.asleep, 20);
    take_over(&run, &other);
    CondSurfaceDef surface;
    assert_int_equal(cond_model_plane_surface(other.model, 0, &surface), COND_OK);
    assert_int_equal(cond_sim_set_plane_surface(run.sim, 0, &surface), COND_OK);
    assert_int_equal(cond_sim_step(run.sim, run.state, &info), COND_OK);
    assert_int_equal(info.asleep, 0);
    step(&run, 20);
    step(&other, 21);
    assert_true(cond_state_pose(run.model, run.state, 3).velocity[1] > 0.1);
    assert_true(cond_state_hash(run.state) == cond_state_hash(other.state));
    end(&other);
    end(&run);
}

static void expect(CondStatus status, CondStatus expected, const char* part)
{
    assert_int_equal(status, expected);
    if (!strstr(cond_last_error()->message, part))
        fail_msg("'%s' does not say '%s'", cond_last_error()->message, part);
}

static void test_refusals(void** state)
{
    (void)state;
    Run run = begin(TEXT, NULL);
    uint64_t before = cond_model_parameters(run.model);
    const double bad[3] = {0.0, NAN, 0.0};
    CondStatus no = COND_BAD_ARGUMENT;
    CondInertia inertia;
    CondSurfaceDef surface = cond_surface_def_default();
    CondMaterialDef material = cond_material_def_default();
    expect(cond_sim_set_gravity(run.sim, bad), no, "gravity[1]");
    expect(cond_model_inertia(run.model, 3, 0, &inertia), no, "soft");
    expect(cond_model_inertia(run.model, 99, 0, &inertia), no, "body 99");
    assert_int_equal(cond_model_inertia(run.model, 0, 0, &inertia), COND_OK);
    expect(cond_sim_set_inertia(run.sim, 0, 1, &inertia), no, "link 1");
    inertia.mass = -1.0;
    expect(cond_sim_set_inertia(run.sim, 0, 0, &inertia), no, "mass");
    inertia.mass = 1.0;
    inertia.center[0] = 0.1;
    expect(cond_sim_set_inertia(run.sim, 0, 0, &inertia), no, "center");
    inertia.center[0] = 0.0;
    inertia.inertia[0] = 100.0;
    expect(cond_sim_set_inertia(run.sim, 5, 1, &inertia), no, "triangle inequality");
    inertia = (CondInertia){.mass = 0.0};
    expect(cond_sim_set_inertia(run.sim, 5, 1, &inertia), no, "upper");
    surface.friction[0] = surface.friction[1] = -0.1;
    expect(cond_sim_set_body_surface(run.sim, 0, -1, &surface), no, "friction");
    surface.friction[0] = surface.friction[1] = 0.1;
    surface.restitution = 2.0;
    expect(cond_sim_set_plane_surface(run.sim, 0, &surface), no, "restitution");
    surface.restitution = 0.0;
    expect(cond_sim_set_plane_surface(run.sim, 7, &surface), no, "plane 7");
    expect(cond_sim_set_obstacle_surface(run.sim, -1, &surface), no, "obstacle -1");
    expect(cond_sim_set_body_surface(run.sim, 5, 9, &surface), no, "link 9");
    expect(cond_sim_set_material(run.sim, 0, &material), no, "only soft bodies");
    material.youngs_modulus = 1e5;
    material.poisson_ratio = 0.6;
    expect(cond_sim_set_material(run.sim, 3, &material), no, "poisson_ratio");
    assert_true(cond_model_parameters(cond_sim_model(run.sim)) == before);
    end(&run);
    run = begin(TEXT, "step.method=penalty");
    expect(cond_sim_set_plane_surface(run.sim, 0, &surface), COND_NOT_SUPPORTED, "penalty");
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),     cmocka_unit_test(test_shared),
        cmocka_unit_test(test_energy),   cmocka_unit_test(test_wakes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
