// The mechanics of all kinds of bodies against finite differences, and against each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "body/body.h"
#include "cond/mechanics.h"
#include "model/articulation.h"
#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_Q = 400, MOST_JACOBIAN = 6 * 64 };

typedef struct Setup {
    Trial trial;
    CondMechanics* mechanics;
    Dice dice;
} Setup;

static void add_rod(CondScene* scene)
{
    CondBodyDef rod = cond_body_def_default();
    rod.kind = COND_BODY_ROD;
    snprintf(rod.name, sizeof rod.name, "rod");
    snprintf(rod.material, sizeof rod.material, "rubber");
    rod.rod.links = 4;
    rod.rod.length = 0.4;
    rod.rod.circle = 0.01;
    rod.position[1] = 3.0;
    add_body(scene, &rod);
}

// One body of each kind, robots on a fixed and a floating base, in a state without symmetry.
static Setup setup(void)
{
    Setup s = {.dice = {7}};
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.01);
    rubber.mass_damping = 0.2;
    add_material(scene, &rubber);
    CondBodyDef box = make_box(2.0, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0);
    CondBodyDef soft = make_soft("soft", "mat:3,2,2:0.2,0.2,0.1", "rubber", 1.0, 0.0, 0.0);
    CondBodyDef particle = make_particle(0.7, 0.0, 2.0, 0.0);
    write_chain("mechanics_chain.urdf", 3, 1.2, 0.4, 0.05, 2.0);
    CondBodyDef arm = make_robot("arm", "mechanics_chain.urdf");
    CondBodyDef flyer = arm;
    snprintf(flyer.name, sizeof flyer.name, "flyer");
    flyer.floating = 1;
    flyer.position[0] = -2.0;
    add_body(scene, &box);
    add_body(scene, &soft);
    add_body(scene, &particle);
    add_body(scene, &arm);
    add_body(scene, &flyer);
    add_rod(scene);
    s.trial = trial_begin(scene);
    CondError error;
    assert_int_equal(cond_mechanics_create(s.trial.model, &s.mechanics, &error), COND_OK);
    CondState* state = s.trial.state;
    double v[MOST_Q];
    assert_true(state->n_dof <= MOST_Q);
    for (int i = 0; i < state->n_dof; i++)
        v[i] = dice_uniform(&s.dice, -1.0, 1.0);
    for (int b = 0; b < s.trial.model->n_body; b++) { // elastic bodies are bent a little
        const CondBody* body = &s.trial.model->body[b];
        double t = body->kind == COND_BODY_SOFT ? 0.01 : body->kind == COND_BODY_ROD ? 0.02 : 0.7;
        cond_body_ops(body->kind)->advance(body, v + body->dof_begin, t, state->q + body->q_begin);
    }
    for (int i = 0; i < state->n_dof; i++)
        state->v[i] = dice_uniform(&s.dice, -1.0, 1.0);
    cond_mechanics_set(s.mechanics, state);
    return s;
}

static void finish(Setup* s)
{
    cond_mechanics_destroy(s->mechanics);
    trial_end(&s->trial);
}

static CondPlace random_place(Setup* s, int b)
{
    const CondBody* body = &s->trial.model->body[b];
    int parts = body->kind == COND_BODY_SOFT ? cond_model_n_node(s->trial.model, b)
                                             : cond_model_n_link(s->trial.model, b);
    parts = parts > 0 ? parts : 1;
    CondPlace place = {.body = b, .part = (int)dice_uniform(&s->dice, 0.0, parts - 1e-9)};
    int extended = body->kind != COND_BODY_SOFT && body->kind != COND_BODY_PARTICLE;
    for (int i = 0; i < 3 && extended; i++)
        place.point[i] = dice_uniform(&s->dice, -0.5, 0.5);
    return place;
}

// The mechanics at time t on the path that begins in the state and has dv/dt = rate.
static void go(Setup* s, const double* rate, double t)
{
    CondModel* model = s->trial.model;
    CondState* there;
    CondError error;
    assert_int_equal(cond_state_create(model, &there, &error), COND_OK);
    assert_int_equal(cond_state_copy(there, s->trial.state), COND_OK);
    double mean[MOST_Q];
    for (int i = 0; i < there->n_dof; i++) {
        mean[i] = there->v[i] + 0.5 * t * rate[i];
        there->v[i] += t * rate[i];
    }
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        cond_body_ops(body->kind)
            ->advance(body, mean + body->dof_begin, t, there->q + body->q_begin);
    }
    cond_mechanics_set(s->mechanics, there);
    cond_state_destroy(there);
}

// Positions differentiate to velocities, and these to accelerations.
static void test_motion(void** state)
{
    (void)state;
    Setup s = setup();
    double rate[MOST_Q], h = 1e-5;
    for (int i = 0; i < s.trial.state->n_dof; i++)
        rate[i] = dice_uniform(&s.dice, -2.0, 2.0);
    for (int trial = 0; trial < 60; trial++) {
        int b = trial % s.trial.model->n_body;
        CondPlace place = random_place(&s, b);
        CondPose pose, side[2];
        double linear[3], angular[3];
        go(&s, rate, 0.0);
        assert_int_equal(cond_mechanics_pose(s.mechanics, &place, &pose), COND_OK);
        const double* own = rate + s.trial.model->body[b].dof_begin;
        assert_int_equal(cond_mechanics_acceleration(s.mechanics, &place, own, linear, angular),
                         COND_OK);
        for (int i = 0; i < 2; i++) {
            go(&s, rate, i ? h : -h);
            assert_int_equal(cond_mechanics_pose(s.mechanics, &place, &side[i]), COND_OK);
        }
        for (int k = 0; k < 3; k++) {
            double speed = (side[1].position[k] - side[0].position[k]) / (2.0 * h);
            double change = (side[1].velocity[k] - side[0].velocity[k]) / (2.0 * h);
            double spin = (side[1].angular_velocity[k] - side[0].angular_velocity[k]) / (2.0 * h);
            assert_near(pose.velocity[k], speed, 1e-7);
            assert_near(linear[k], change, 1e-7);
            assert_near(angular[k], spin, 1e-7);
        }
    }
    finish(&s);
}

// J column by column: the twist of a unit velocity. And J' f is what push adds.
static void test_jacobian(void** state)
{
    (void)state;
    Setup s = setup();
    const CondModel* model = s.trial.model;
    for (int trial = 0; trial < 60; trial++) {
        int b = trial % model->n_body, first, n;
        const CondBody* body = &model->body[b];
        CondPlace place = random_place(&s, b);
        double J[MOST_JACOBIAN], f[MOST_Q] = {0.0}, wrench[6], v[MOST_Q] = {0.0};
        CondPose pose;
        assert_int_equal(cond_mechanics_jacobian(s.mechanics, &place, &first, &n, NULL), COND_OK);
        assert_true(6 * n <= MOST_JACOBIAN);
        assert_int_equal(cond_mechanics_jacobian(s.mechanics, &place, &first, &n, J), COND_OK);
        for (int i = 0; i < 6; i++)
            wrench[i] = dice_uniform(&s.dice, -1.0, 1.0);
        assert_int_equal(cond_mechanics_push(s.mechanics, &place, wrench, wrench + 3, f), COND_OK);
        for (int k = 0; k < n; k++) {
            double h = 1e-6, work = 0.0, *q = s.trial.state->q + body->q_begin, turned[2][MOST_Q];
            CondPose side[2];
            memset(v, 0, sizeof v);
            v[first - body->dof_begin + k] = 1.0;
            for (int i = 0; i < 2; i++) {
                memcpy(turned[i], q, (size_t)body->n_q * sizeof *q);
                cond_body_ops(body->kind)->advance(body, v, i ? h : -h, turned[i]);
                assert_int_equal(cond_mechanics_set_body(s.mechanics, b, turned[i], v), COND_OK);
                assert_int_equal(cond_mechanics_pose(s.mechanics, &place, &side[i]), COND_OK);
            }
            assert_int_equal(cond_mechanics_set_body(s.mechanics, b, q, v), COND_OK);
            assert_int_equal(cond_mechanics_pose(s.mechanics, &place, &pose), COND_OK);
            for (int r = 0; r < 3; r++) {
                double moved = (side[1].position[r] - side[0].position[r]) / (2.0 * h);
                assert_near(J[r * n + k], moved, 1e-7);
                assert_near(J[(3 + r) * n + k], pose.angular_velocity[r], 1e-12);
            }
            for (int r = 0; r < 6; r++)
                work += J[r * n + k] * wrench[r];
            assert_near(f[first - body->dof_begin + k], work, 1e-12);
        }
        cond_mechanics_set(s.mechanics, s.trial.state);
    }
    finish(&s);
}

// Forward and inverse dynamics undo each other and agree with M and the bias.
static void test_dynamics(void** state)
{
    (void)state;
    Setup s = setup();
    const CondModel* model = s.trial.model;
    static double M[MOST_Q * MOST_Q];
    for (int b = 0; b < model->n_body; b++) {
        int n = model->body[b].n_dof;
        double tau[MOST_Q], rate[MOST_Q], back[MOST_Q], f[MOST_Q], size = 0.0;
        for (int i = 0; i < n; i++)
            tau[i] = dice_uniform(&s.dice, -3.0, 3.0);
        assert_int_equal(cond_mechanics_forward(s.mechanics, b, tau, rate), COND_OK);
        assert_int_equal(cond_mechanics_inverse(s.mechanics, b, rate, back), COND_OK);
        assert_int_equal(cond_mechanics_mass(s.mechanics, b, M), COND_OK);
        assert_int_equal(cond_mechanics_bias(s.mechanics, b, f), COND_OK);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(f[i]));
        for (int i = 0; i < n; i++) {
            double force = -f[i];
            for (int j = 0; j < n; j++) {
                force += M[i * n + j] * rate[j];
                assert_near(M[i * n + j], M[j * n + i], 1e-14);
            }
            assert_near(back[i], tau[i], 1e-10 * (1.0 + size));
            assert_near(force, tau[i], 1e-10 * (1.0 + size));
        }
    }
    finish(&s);
}

static double energy_at(Setup* s, int b, const double* rate, double t)
{
    double kinetic, potential;
    go(s, rate, t);
    assert_int_equal(cond_mechanics_energy(s->mechanics, b, &kinetic, &potential), COND_OK);
    return kinetic + potential;
}

// The energy of a body that moves as forward dynamics says changes by the power of the forces on it
// and of its damping: dE/dt = v (tau - D v).
static void test_power(void** state)
{
    (void)state;
    Setup s = setup();
    const CondModel* model = s.trial.model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double rate[MOST_Q] = {0.0}, tau[MOST_Q], f[MOST_Q], still[MOST_Q], power = 0.0, h = 1e-6;
        const double* v = s.trial.state->v + body->dof_begin;
        cond_mechanics_set(s.mechanics, s.trial.state);
        for (int i = 0; i < body->n_dof; i++)
            tau[i] = dice_uniform(&s.dice, -3.0, 3.0);
        assert_int_equal(cond_mechanics_forward(s.mechanics, b, tau, rate + body->dof_begin),
                         COND_OK);
        assert_int_equal(cond_mechanics_bias(s.mechanics, b, f), COND_OK);
        assert_int_equal(
            cond_mechanics_set_body(s.mechanics, b, s.trial.state->q + body->q_begin, NULL),
            COND_OK);
        assert_int_equal(cond_mechanics_bias(s.mechanics, b, still), COND_OK);
        // Where M is constant -C v does no work, and bias(v) - bias(0) has the power of damping.
        for (int i = 0; i < body->n_dof; i++)
            power += v[i] * (tau[i] + (body->kind == COND_BODY_ROBOT ? 0.0 : f[i] - still[i]));
        for (int i = 0; body->kind == COND_BODY_ROBOT && i < body->n_dof; i++)
            power -= body->arm->damping[i] * v[i] * v[i];
        double change = (energy_at(&s, b, rate, h) - energy_at(&s, b, rate, -h)) / (2.0 * h);
        assert_near(change, power, 1e-6 * (1.0 + fabs(power)));
    }
    finish(&s);
}

// A robot held by minus its weight does not fall, and bad places are refused.
static void test_arguments(void** state)
{
    (void)state;
    Setup s = setup();
    int first, n, arm = cond_model_find_body(s.trial.model, "arm");
    double f[MOST_Q], rate[MOST_Q];
    const CondBody* body = &s.trial.model->body[arm];
    assert_int_equal(
        cond_mechanics_set_body(s.mechanics, arm, s.trial.state->q + body->q_begin, NULL), COND_OK);
    assert_int_equal(cond_mechanics_weight(s.mechanics, arm, f), COND_OK);
    for (int i = 0; i < body->n_dof; i++)
        f[i] = -f[i];
    assert_int_equal(cond_mechanics_forward(s.mechanics, arm, f, rate), COND_OK);
    for (int i = 0; i < body->n_dof; i++)
        assert_near(rate[i], 0.0, 1e-12);
    int tip = cond_model_find_link(s.trial.model, arm, "rod2");
    assert_int_equal(tip, 3);
    assert_string_equal(cond_model_link_name(s.trial.model, arm, tip), "rod2");
    assert_null(cond_model_link_name(s.trial.model, arm, 4));
    assert_int_equal(cond_model_find_link(s.trial.model, 0, "rod2"), -1);
    assert_int_equal(cond_model_dof_begin(s.trial.model, arm), body->dof_begin);
    assert_int_equal(cond_model_body_n_dof(s.trial.model, arm), 3);
    assert_int_equal(cond_model_body_n_q(s.trial.model, arm), 3);
    CondPlace wrong[] = {{.body = -1},
                         {.body = 99},
                         {.body = arm, .part = 99},
                         {.body = arm, .part = -1},
                         {.body = arm, .point = {NAN, 0.0, 0.0}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(cond_mechanics_jacobian(s.mechanics, &wrong[i], &first, &n, NULL),
                         COND_BAD_ARGUMENT);
    assert_int_equal(cond_mechanics_bias(s.mechanics, 99, f), COND_BAD_ARGUMENT);
    f[0] = NAN;
    assert_int_equal(cond_mechanics_set_body(s.mechanics, arm, f, NULL), COND_BAD_ARGUMENT);
    finish(&s);
}

// Quaternions without a length are refused, and nothing becomes NaN.
static void check_turns(const Setup* s, int flyer, double* q)
{
    const CondModel* model = s->trial.model;
    uint64_t before = cond_state_hash(s->trial.state);
    CondPose pose = cond_pose_default();
    CondPlace base = {.body = flyer};
    double f[MOST_Q] = {0.0}, gain[6] = {1.0};
    memset(q, 0, 10 * sizeof *q);
    assert_int_equal(cond_state_set_configuration(model, s->trial.state, flyer, q),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(cond_state_message(s->trial.state), "'flyer': q[3..6] is a quaternion"));
    assert_int_equal(cond_mechanics_set_body(s->mechanics, flyer, q, NULL), COND_BAD_ARGUMENT);
    pose.orientation[0] = 0.0;
    assert_int_equal(cond_state_set_pose(model, s->trial.state, flyer, &pose), COND_BAD_ARGUMENT);
    assert_non_null(strstr(cond_state_message(s->trial.state), "orientation"));
    assert_int_equal(cond_mechanics_impedance(s->mechanics, &base, &pose, gain, gain, f),
                     COND_BAD_ARGUMENT);
    assert_true(cond_state_hash(s->trial.state) == before);
    assert_int_equal(cond_model_zero_configuration(model, flyer, q), COND_OK);
    for (int i = 0; i < 10; i++)
        assert_near(q[i], i == 3, 0.0);
    assert_int_equal(cond_state_set_configuration(model, s->trial.state, flyer, q), COND_OK);
    assert_int_equal(cond_model_zero_configuration(model, 99, q), COND_BAD_ARGUMENT);
}

// Joints by number and name, and configurations in and out.
static void test_joints(void** state)
{
    (void)state;
    Setup s = setup();
    CondModel* model = s.trial.model;
    int arm = cond_model_find_body(model, "arm"), flyer = cond_model_find_body(model, "flyer"), n;
    CondJointInfo info;
    double position, velocity;
    assert_int_equal(cond_model_n_joint(model, 0), 0);
    assert_int_equal(cond_model_n_joint(model, flyer), 3);
    assert_int_equal(cond_model_find_joint(model, flyer, "hinge2"), 2);
    assert_int_equal(cond_model_find_joint(model, flyer, "hinge3"), -1);
    assert_int_equal(cond_model_joint(model, flyer, 3, &info), COND_BAD_ARGUMENT);
    assert_int_equal(cond_model_joint(model, flyer, 1, &info), COND_OK);
    assert_string_equal(info.name, "hinge1");
    assert_int_equal(info.kind, COND_JOINT_CONTINUOUS);
    assert_int_equal(info.q_begin, 8); // behind the pose of the base
    assert_int_equal(info.dof_begin, 7);
    assert_int_equal(info.n_coordinate, 1);
    assert_int_equal(info.turn_begin, -1);
    assert_int_equal(info.follows, -1);
    assert_near(info.damping, 0.05, 0.0);
    assert_true(isinf(info.upper) && isinf(info.effort));
    assert_int_equal(cond_state_set_joint(model, s.trial.state, flyer, 1, 0.3, -0.2), COND_OK);
    assert_int_equal(cond_state_joint(model, s.trial.state, flyer, 1, &position, &velocity),
                     COND_OK);
    assert_near(position, 0.3, 0.0);
    assert_near(velocity, -0.2, 0.0);
    const double* q = cond_state_configuration(model, s.trial.state, flyer, &n);
    assert_near(q[8], 0.3, 0.0);
    double set[10], rate[9];
    memcpy(set, q, sizeof set);
    for (int i = 3; i < 7; i++)
        set[i] *= 2.0; // any length
    assert_int_equal(cond_state_set_configuration(model, s.trial.state, flyer, set), COND_OK);
    for (int i = 0; i < 10; i++)
        assert_near(q[i], i >= 3 && i < 7 ? 0.5 * set[i] : set[i], 1e-15);
    for (int i = 0; i < 9; i++)
        rate[i] = 0.1 * i;
    assert_int_equal(cond_state_set_velocity(model, s.trial.state, flyer, rate), COND_OK);
    assert_near(cond_state_velocity(s.trial.state)[cond_model_dof_begin(model, flyer) + 7], 0.7,
                1e-15);
    set[0] = NAN;
    assert_int_equal(cond_state_set_configuration(model, s.trial.state, flyer, set),
                     COND_BAD_ARGUMENT);
    assert_string_equal(cond_state_message(s.trial.state),
                        "'flyer': q[0] is nan, expected a finite number");
    check_turns(&s, flyer, set);
    assert_int_equal(cond_state_set_joint(model, s.trial.state, arm, 9, 0.0, 0.0),
                     COND_BAD_ARGUMENT);
    finish(&s);
}

// Inverse kinematics of a Panda: poses of random configurations are found again, and what is out
// of reach is said to be.
static void test_reach(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef def = make_robot("panda", COND_SCENES "/panda_arm.urdf");
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    CondMechanics* mechanics;
    CondError message;
    Dice dice = {3};
    assert_int_equal(cond_mechanics_create(trial.model, &mechanics, &message), COND_OK);
    int n = cond_model_body_n_q(trial.model, 0), last = cond_model_n_link(trial.model, 0) - 1;
    CondPlace hand = {.body = 0, .part = last, .point = {0.01, 0.02, 0.1}};
    double q[16], error[2], far[3] = {5.0, 0.0, 0.0};
    for (int i = 0; i < 30; i++) {
        CondPose wanted, got;
        double start[16] = {0.0};
        for (int j = 0; j < n; j++) {
            CondJointInfo info;
            assert_int_equal(cond_model_joint(trial.model, 0, j, &info), COND_OK);
            q[j] = dice_uniform(&dice, info.lower, info.upper);
            start[j] = 0.5 * (info.lower + info.upper);
        }
        assert_int_equal(cond_mechanics_set_body(mechanics, 0, q, NULL), COND_OK);
        assert_int_equal(cond_mechanics_pose(mechanics, &hand, &wanted), COND_OK);
        assert_int_equal(cond_mechanics_reach(mechanics, &hand, wanted.position,
                                              i % 2 ? NULL : wanted.orientation, NULL, start,
                                              error),
                         COND_OK);
        assert_true(error[0] <= 1e-9 && error[1] <= 1e-9);
        assert_int_equal(cond_mechanics_set_body(mechanics, 0, start, NULL), COND_OK);
        assert_int_equal(cond_mechanics_pose(mechanics, &hand, &got), COND_OK);
        double same = 0.0;
        for (int k = 0; k < 4; k++)
            same += got.orientation[k] * wanted.orientation[k];
        for (int k = 0; k < 3; k++)
            assert_near(got.position[k], wanted.position[k], 1e-8);
        if (i % 2 == 0)
            assert_near(fabs(same), 1.0, 1e-12);
    }
    CondReachSettings settings = cond_reach_settings_default();
    settings.max_starts = 2;
    assert_int_equal(cond_mechanics_reach(mechanics, &hand, far, NULL, &settings, q, error),
                     COND_NOT_CONVERGED);
    assert_true(error[0] > 3.0 && error[0] < 5.0);
    cond_mechanics_destroy(mechanics);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),    cmocka_unit_test(test_jacobian),
        cmocka_unit_test(test_dynamics),  cmocka_unit_test(test_power),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_joints),
        cmocka_unit_test(test_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
