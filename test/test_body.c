// Bodies and springs alone: Jacobians and forces by finite differences of the configuration update
// and of the energy.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "body/body.h"
#include "math/quat.h"
#include "potential/potential.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondBody rigid_body(void)
{
    CondBody body = {.kind = COND_BODY_RIGID, .n_dof = 6, .n_q = 7, .mass = 2.0};
    const double I[9] = {0.3, 0.02, -0.01, 0.02, 0.2, 0.03, -0.01, 0.03, 0.25};
    memcpy(body.inertia, I, sizeof I);
    return body;
}

static void random_numbers(Dice* dice, int n, double* x)
{
    for (int i = 0; i < n; i++)
        x[i] = dice_uniform(dice, -1.0, 1.0);
}

static CondBody particle_body(void)
{
    return (CondBody){.kind = COND_BODY_PARTICLE, .n_dof = 3, .n_q = 3, .mass = 1.0};
}

// q of a particle or a rigid body: position and, where there is one, orientation.
static void random_configuration(Dice* dice, double q[7])
{
    random_numbers(dice, 7, q);
    quat_normalize(q + 3);
}

// A posture of one body alone.
typedef struct Lone {
    CondModel model;
    CondKinematics kinematics;
    int list[12];
    double columns[36];
} Lone;

static void lone_set(Lone* lone, CondBody* body, const double* q)
{
    memset(lone, 0, sizeof *lone);
    lone->model.n_body = 1;
    lone->model.body = body;
    lone->model.max_point_dof = 6;
    lone->kinematics.model = &lone->model;
    lone->kinematics.list = lone->list;
    lone->kinematics.columns = lone->columns;
    cond_kinematics_set(&lone->kinematics, q);
}

// World position of a point after moving with velocity v for the time t.
static void moved_point(CondBody* body, const double* from, const CondPoint* point, const double* v,
                        double t, double world[3])
{
    Lone lone;
    CondArmPosture none = {0};
    double q[7];
    memcpy(q, from, sizeof q);
    cond_body_ops(body->kind)->advance(body, v, t, q);
    lone_set(&lone, body, q);
    lone.kinematics.arm = &none;
    cond_kinematics_point(&lone.kinematics, point, world, NULL, NULL);
}

static void test_point_jacobian(void** state)
{
    (void)state;
    Dice dice = {1};
    const double h = 1e-5;
    for (int kind = 0; kind < 2; kind++) {
        CondBody body = kind ? rigid_body() : particle_body();
        assert_int_equal(cond_body_ops(body.kind)->kind, kind);
        for (int trial = 0; trial < 20; trial++) {
            Lone lone;
            CondPoint point = {0};
            double q[7], world[3], J[18];
            int coordinate[6];
            random_configuration(&dice, q);
            random_numbers(&dice, 3, point.local);
            lone_set(&lone, &body, q);
            assert_int_equal(cond_kinematics_point(&lone.kinematics, &point, world, coordinate, J),
                             body.n_dof);
            for (int k = 0; k < body.n_dof; k++) {
                double v[6] = {0.0}, ahead[3], behind[3];
                v[k] = 1.0;
                assert_int_equal(coordinate[k], k);
                moved_point(&body, q, &point, v, h, ahead);
                moved_point(&body, q, &point, v, -h, behind);
                for (int r = 0; r < 3; r++)
                    assert_near(J[r * body.n_dof + k], (ahead[r] - behind[r]) / (2.0 * h), 1e-9);
            }
        }
    }
}

// A full turn about any axis brings a body back; many small turns about one axis add up.
static void test_advance_turns(void** state)
{
    (void)state;
    CondBody body = rigid_body();
    const double pi = acos(-1.0), w[6] = {0.0, 0.0, 0.0, 0.6, 0.0, 0.8};
    double q[7] = {1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 1000; i++)
        cond_body_rigid.advance(&body, w, 0.5 * pi / 1000.0, q);
    assert_near(q[3], cos(0.25 * pi), 1e-13);
    assert_near(q[4], 0.6 * sin(0.25 * pi), 1e-13);
    assert_near(q[6], 0.8 * sin(0.25 * pi), 1e-13);
    assert_true(q[0] == 1.0 && q[1] == 2.0 && q[2] == 3.0);
}

// Power is the same in generalized coordinates and at the point: f . v = F . (J v).
static void test_force_and_torque_do_work(void** state)
{
    (void)state;
    Dice dice = {2};
    CondBody rigid = rigid_body(), particle = particle_body();
    Lone lone;
    double q[7], v[6];
    for (int trial = 0; trial < 20; trial++) {
        CondBody* body = trial % 2 ? &rigid : &particle;
        CondPoint point = {0};
        int coordinate[6];
        double F[3], f[6] = {0.0}, J[18], world[3];
        random_configuration(&dice, q);
        random_numbers(&dice, 3, point.local);
        random_numbers(&dice, 3, F);
        random_numbers(&dice, 6, v);
        lone_set(&lone, body, q);
        cond_kinematics_point(&lone.kinematics, &point, world, coordinate, J);
        cond_body_add_force(&lone.kinematics, &point, F, f);
        double power = 0.0, expected = 0.0;
        for (int k = 0; k < body->n_dof; k++) {
            power += f[k] * v[k];
            for (int r = 0; r < 3; r++)
                expected += F[r] * J[r * body->n_dof + k] * v[k];
        }
        assert_near(power, expected, 1e-14);
    }
    // A torque in world axes works on the angular velocity in world axes.
    CondForce pure = {.end = INFINITY};
    double R[9], w[3], f[6] = {0.0}, given[6] = {0.0}, columns[36];
    int coordinates[6];
    random_configuration(&dice, q);
    random_numbers(&dice, 3, pure.torque);
    random_numbers(&dice, 6, v);
    lone_set(&lone, &rigid, q);
    lone.model.n_force = 1;
    lone.model.force = &pure;
    lone.kinematics.frame_list = coordinates;
    lone.kinematics.frame_columns = columns;
    lone.model.n_dof = 6;
    CondState now = {.force = given};
    cond_force_add(&lone.kinematics, &now, 0.01, f);
    quat_matrix(q + 3, R);
    mat3_multiply(R, v + 3, w);
    assert_near(vec3_dot(f + 3, v + 3), vec3_dot(pure.torque, w), 1e-14);
    assert_true(f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0);
}

static void test_mass_energy_and_acceleration(void** state)
{
    (void)state;
    Dice dice = {3};
    CondBody body = rigid_body();
    CondBlock block;
    double v[6], M[36], f[6], a[6], L[3], energy = 0.0;
    random_numbers(&dice, 6, v);
    cond_body_rigid.mass(&body, NULL, M, &block);
    assert_int_equal(block.kind, COND_BLOCK_DENSE);
    assert_int_equal(block.n_dof, 6);
    mat3_multiply(body.inertia, v + 3, L);
    for (int i = 0; i < 6; i++) {
        f[i] = 0.0;
        for (int j = 0; j < 6; j++)
            f[i] += M[6 * i + j] * v[j];
        energy += 0.5 * v[i] * f[i];
    }
    assert_near(energy, 0.5 * (2.0 * vec3_dot(v, v) + vec3_dot(v + 3, L)), 1e-14);
    cond_body_rigid.accelerate(&body, NULL, f, a);
    for (int i = 0; i < 6; i++)
        assert_near(a[i], v[i], 1e-14);
}

// -C v tends to -w x I w for short steps, with an error of the first order, and never works on the
// middle velocity, so that the free step w1 = w0 - t I^-1 C v keeps the energy and |I w|.
static void test_bias_is_gyroscopic(void** state)
{
    (void)state;
    CondBody body = rigid_body();
    const double v[6] = {0.1, 0.2, 0.3, 4.0, -3.0, 5.0};
    const double no_gravity[3] = {0.0, 0.0, 0.0};
    double L[3], exact[3], f[6], a[6], last = 0.0;
    mat3_multiply(body.inertia, v + 3, L);
    vec3_cross(v + 3, L, exact);
    for (int k = 0; k < 3; k++) {
        double error = 0.0;
        cond_body_rigid.bias(&body, NULL, v, 1e-3 / (1 << k), no_gravity, f);
        assert_true(f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0);
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(f[3 + i] + exact[i]));
        if (k > 0)
            assert_near(last / error, 2.0, 0.05);
        last = error;
    }
    for (double t = 1e-4; t < 2.0; t *= 10.0) { // up to steps of several turns
        double w[6] = {0.0}, L1[3];
        cond_body_rigid.bias(&body, NULL, v, t, no_gravity, f);
        cond_body_rigid.accelerate(&body, NULL, f, a);
        for (int i = 0; i < 3; i++)
            w[3 + i] = v[3 + i] + t * a[3 + i];
        mat3_multiply(body.inertia, w + 3, L1);
        assert_near(vec3_dot(w + 3, L1), vec3_dot(v + 3, L), 1e-13 * vec3_dot(v + 3, L));
        assert_near(vec3_norm(L1), vec3_norm(L), 1e-13 * vec3_norm(L));
    }
}

// Two rigid bodies or particles joined by a spring between points off their centres.
static Trial joined(int kind, double rest, Dice* dice)
{
    CondScene* scene = make_scene();
    for (int b = 0; b < 2; b++) {
        CondBodyDef def =
            kind ? make_box(1.0, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0) : make_particle(1.0, 0.0, 0.0, 0.0);
        random_numbers(dice, 3, def.position);
        def.position[0] += b ? 2.0 : 0.0; // far enough to have a length
        if (kind)
            random_numbers(dice, 4, def.orientation);
        add_body(scene, &def);
    }
    CondSpringDef spring = make_spring("body0", "body1", 7.0);
    spring.rest_length = rest;
    if (kind) {
        random_numbers(dice, 3, spring.point[0]);
        random_numbers(dice, 3, spring.point[1]);
    }
    add_spring(scene, &spring);
    cond_scene_settings(scene)->theta = 0.5;
    return trial_begin(scene);
}

// Moves coordinate k of the whole model by h.
static void nudge(const Trial* trial, CondState* state, int k, double h)
{
    double v[12] = {0.0};
    v[k] = h;
    for (int b = 0; b < 2; b++) {
        const CondBody* body = &trial->model->body[b];
        cond_body_ops(body->kind)
            ->advance(body, v + body->dof_begin, 1.0, state->q + body->q_begin);
    }
}

// The spring's force and its coupling, through the trial's own workspace.
static CondCouplingPlace spring_force(const Trial* trial, const CondState* state, double f[12])
{
    CondSim* sim = trial->sim;
    const CondSceneSettings* settings = &trial->model->settings;
    memset(f, 0, 12 * sizeof *f);
    cond_kinematics_set(&sim->at_start, state->q);
    cond_assembly_begin(&sim->matrix, &sim->at_start, NULL, NULL);
    assert_int_equal(cond_spring_add(&sim->at_start, trial->model->spring,
                                     settings->theta * settings->time_step, &sim->matrix, f),
                     COND_OK);
    return sim->matrix.place[0];
}

static double spring_energy(const Trial* trial, const CondState* state)
{
    cond_kinematics_set(&trial->sim->at_start, state->q);
    return cond_spring_energy(&trial->sim->at_start, trial->model->spring);
}

static void test_spring_force_is_minus_energy_gradient(void** state)
{
    (void)state;
    Dice dice = {4};
    const double h = 1e-5;
    for (int round = 0; round < 12; round++) {
        Trial trial = joined(round % 2, round % 3 ? 0.5 : 6.0, &dice);
        CondState* at;
        assert_int_equal(cond_state_create(trial.model, &at, NULL), COND_OK);
        double f[12], energy[2];
        spring_force(&trial, trial.state, f);
        for (int k = 0; k < trial.model->n_dof; k++) {
            for (int side = 0; side < 2; side++) {
                assert_int_equal(cond_state_copy(at, trial.state), COND_OK);
                nudge(&trial, at, k, side ? h : -h);
                energy[side] = spring_energy(&trial, at);
            }
            assert_near(f[k], -(energy[1] - energy[0]) / (2.0 * h), 1e-7);
        }
        cond_state_destroy(at);
        trial_end(&trial);
    }
}

// Between particles th t K is the whole stiffness while the spring pulls, and its part along the
// spring while it pushes. K d = k d in both cases, and K is never negative.
static void test_spring_gain_is_stiffness(void** state)
{
    (void)state;
    Dice dice = {5};
    const double h = 1e-5, step = 0.5 * 0.01;
    for (int round = 0; round < 8; round++) {
        int pulls = round % 2;
        Trial trial = joined(0, pulls ? 0.5 : 6.0, &dice);
        CondState* at;
        assert_int_equal(cond_state_create(trial.model, &at, NULL), COND_OK);
        double f[12], side[2][12], J[18], gain[9];
        CondCouplingPlace place = spring_force(&trial, trial.state, f);
        assert_int_equal(place.n_coordinate, 6);
        memcpy(J, trial.sim->matrix.coupling_jacobian, sizeof J);
        memcpy(gain, trial.sim->matrix.coupling_gain, sizeof gain);
        for (int k = 0; k < 6 && pulls; k++) {
            for (int s = 0; s < 2; s++) {
                assert_int_equal(cond_state_copy(at, trial.state), COND_OK);
                nudge(&trial, at, k, s ? h : -h);
                spring_force(&trial, at, side[s]);
            }
            for (int i = 0; i < 6; i++) {
                double JKJ = 0.0;
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        JKJ += J[6 * a + i] * gain[3 * a + b] * J[6 * b + k];
                assert_near(JKJ, -step * (side[1][i] - side[0][i]) / (2.0 * h), 1e-8);
            }
        }
        double d[3], Kd[3], length = 0.0;
        for (int i = 0; i < 3; i++)
            d[i] = trial.state->q[i] - trial.state->q[3 + i];
        length = vec3_norm(d);
        mat3_multiply(gain, d, Kd);
        for (int i = 0; i < 3; i++)
            assert_near(Kd[i], step * 7.0 * d[i], 1e-14 * length);
        for (int k = 0; k < 20; k++) {
            double x[3], Kx[3];
            random_numbers(&dice, 3, x);
            mat3_multiply(gain, x, Kx);
            assert_true(vec3_dot(x, Kx) >= -1e-16);
        }
        cond_state_destroy(at);
        trial_end(&trial);
    }
}

static void test_rest_length_defaults_to_the_first(void** state)
{
    (void)state;
    Dice dice = {6};
    Trial trial = joined(1, NAN, &dice);
    double f[12];
    assert_near(spring_energy(&trial, trial.state), 0.0, 1e-28);
    spring_force(&trial, trial.state, f);
    for (int k = 0; k < 12; k++)
        assert_near(f[k], 0.0, 1e-13);
    trial_end(&trial);
}

// Damping pulls against the rate of length only: -c d (d . relative velocity).
static void test_spring_damping(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef a = make_particle(1.0, 0.0, 0.0, 0.0), b = make_particle(1.0, 3.0, 4.0, 0.0);
    a.velocity[0] = 2.0;
    a.velocity[2] = 5.0; // across the spring
    add_body(scene, &a);
    add_body(scene, &b);
    CondSpringDef spring = make_spring("body0", "body1", 0.0);
    spring.damping = 10.0;
    add_spring(scene, &spring);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = 0.0;
    settings->method = COND_STEP_PENALTY; // explicit: one step shows the force on unit masses
    Trial trial = trial_begin(scene);
    double f[12] = {0.0}, d[3] = {-0.6, -0.8, 0.0}, t = trial.model->settings.time_step;
    trial_step(&trial, 1);
    for (int i = 0; i < 3; i++) {
        double force[2] = {(trial.state->v[i] - a.velocity[i]) / t, trial.state->v[3 + i] / t};
        assert_near(force[0], -10.0 * d[i] * (2.0 * d[0]), 1e-13);
        assert_near(force[1], -force[0], 1e-13);
    }
    CondPose start = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &start), COND_OK);
    start.position[0] = 3.0;
    start.position[1] = 4.0;
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 1, &start), COND_OK);
    spring_force(&trial, trial.state, f);
    const double* gain = trial.sim->matrix.coupling_gain;
    for (int i = 0; i < 9; i++) // the implicit one is c dd'
        assert_near(gain[i], 10.0 * d[i / 3] * d[i % 3], 1e-14);
    trial_end(&trial);
}

// Ends that coincide have no direction to push along: no force, no stiffness, no NaN.
static void test_spring_without_length(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->gravity[2] = 0.0;
    CondBodyDef box = make_box(1.0, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0);
    add_body(scene, &box);
    CondSpringDef spring = make_spring("body0", "", 50.0);
    add_spring(scene, &spring); // rest length 0, its length at the start
    spring.rest_length = 1.0;
    add_spring(scene, &spring);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 10);
    CondPose pose = trial_pose(&trial, 0);
    for (int i = 0; i < 3; i++) {
        assert_near(pose.position[i], 0.0, 1e-12);
        assert_near(pose.angular_velocity[i], 0.0, 1e-12);
    }
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point_jacobian),
        cmocka_unit_test(test_advance_turns),
        cmocka_unit_test(test_force_and_torque_do_work),
        cmocka_unit_test(test_mass_energy_and_acceleration),
        cmocka_unit_test(test_bias_is_gyroscopic),
        cmocka_unit_test(test_spring_force_is_minus_energy_gradient),
        cmocka_unit_test(test_spring_gain_is_stiffness),
        cmocka_unit_test(test_rest_length_defaults_to_the_first),
        cmocka_unit_test(test_spring_damping),
        cmocka_unit_test(test_spring_without_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
