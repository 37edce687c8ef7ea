// Inverse kinematics of the Panda: limits, tracking, the null space, and
// targets out of reach.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "articulation_make.h"
#include "dense.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { N = 8 };

static const double ready[N] = {0.0,
                                -0.78539816339744828,
                                0.0,
                                -2.3561944901923448,
                                0.0,
                                1.5707963267948966,
                                0.78539816339744828,
                                0.02};

typedef struct Robot {
    CondArticulation* a;
    CondArticulationWork* work;
    CondIk* ik;
    CondIkSettings settings;
    CondIkFrame frame; // a point before the hand, turned
} Robot;

static Robot robot_begin(void)
{
    Robot r = {.a = make_panda()};
    r.work = make_work(r.a);
    assert_int_equal(cond_ik_create(NULL, r.a, &r.ik, NULL), COND_OK);
    r.settings = cond_ik_settings_default();
    r.frame.link = cond_articulation_find_link(r.a, "panda_hand_tcp");
    r.frame.position[0] = 0.01;
    make_turn(1.0, 2.0, 3.0, 0.4, r.frame.orientation);
    return r;
}

static void robot_end(Robot* r)
{
    cond_ik_destroy(r->ik);
    cond_articulation_work_destroy(r->work);
    cond_articulation_destroy(r->a);
}

// The target at which the frame is when the joints are at q.
static CondIkTarget target_at(const Robot* r, const double* q)
{
    CondIkTarget target = {0};
    cond_articulation_kinematics(r->a, q, r->work);
    cond_articulation_point(r->a, r->work, r->frame.link, r->frame.position, target.position, NULL);
    quat_product(r->work->orientation + 4 * r->frame.link, r->frame.orientation,
                 target.orientation);
    return target;
}

static void assert_within_limits(const Robot* r, const double* q)
{
    for (int i = 0; i < N; i++) {
        assert_true(q[i] >= r->a->coordinate[i].lower);
        assert_true(q[i] <= r->a->coordinate[i].upper);
    }
}

// How far the frame at q is from the target, computed here: distance, and the largest difference
// of rotation matrices.
static double miss(const Robot* r, const CondIkTarget* target, const double* q)
{
    CondIkTarget reached = target_at(r, q);
    double A[9], B[9];
    quat_matrix(target->orientation, A);
    quat_matrix(reached.orientation, B);
    double turn = 0.0;
    for (int k = 0; k < 9; k++)
        turn = fmax(turn, fabs(A[k] - B[k]));
    return fmax(turn, dense_distance(3, target->position, reached.position));
}

// Steps of 10 ms towards a fixed pose near by: it is reached to 1e-6 and held, and no step breaks a
// limit on the way.
static void test_steps_converge(void** state)
{
    (void)state;
    Robot r = robot_begin();
    Dice dice = {2};
    double dt = 0.01;
    r.settings.rest = ready;
    for (int trial = 0; trial < 30; trial++) {
        double goal[N], q[N], v[N];
        CondIkInfo info = {0};
        memcpy(q, ready, sizeof q);
        for (int i = 0; i < 7; i++)
            goal[i] = ready[i] + dice_uniform(&dice, -0.5, 0.5);
        goal[7] = 0.0;
        CondIkTarget target = target_at(&r, goal);
        for (int k = 0; k < 400; k++) {
            double before[N];
            memcpy(before, q, sizeof q);
            cond_ik_step(r.ik, &r.settings, &r.frame, &target, dt, q, v, &info);
            assert_within_limits(&r, q);
            for (int i = 0; i < N; i++) {
                assert_true(fabs(v[i]) <= r.a->coordinate[i].velocity * (1.0 + 1e-15));
                assert_near(q[i], before[i] + dt * v[i], 1e-15);
            }
        }
        assert_true(info.position_error < 1e-6 && info.angle_error < 1e-6);
        assert_true(miss(&r, &target, q) < 1e-6);
        // The finger is all null space: it stays at rest, and the arm is where the pull along its
        // null space has nothing left to gain.
        assert_near(q[7], ready[7], 1e-9);
        double n0 = dense_distance(7, q, ready);
        assert_true(n0 <= dense_distance(7, goal, ready) + 1e-3);
    }
    robot_end(&r);
}

// A circle with feed-forward: the error stays that of one step's curvature, O(dt^2), without any
// lag behind the target.
static void test_feed_forward_tracks(void** state)
{
    (void)state;
    Robot r = robot_begin();
    double q[N], dt = 0.01, worst = 0.0, worst_without = 0.0;
    for (int with = 0; with < 2; with++) {
        memcpy(q, ready, sizeof q);
        CondIkTarget start = target_at(&r, q);
        for (int k = 0; k < 300; k++) {
            double w = 2.0, s = k * dt;
            CondIkTarget target = start;
            CondIkInfo info;
            target.position[0] += 0.1 * (cos(w * s) - 1.0);
            target.position[1] += 0.1 * sin(w * s);
            target.velocity[0] = with ? -0.1 * w * sin(w * s) : 0.0;
            target.velocity[1] = with ? 0.1 * w * cos(w * s) : 0.0;
            cond_ik_step(r.ik, &r.settings, &r.frame, &target, dt, q, NULL, &info);
            double* most = with ? &worst : &worst_without;
            target.position[0] = start.position[0] + 0.1 * (cos(w * (s + dt)) - 1.0);
            target.position[1] = start.position[1] + 0.1 * sin(w * (s + dt));
            *most = fmax(*most, miss(&r, &target, q));
            assert_within_limits(&r, q);
        }
    }
    assert_true(worst < 1e-4);
    assert_true(worst_without > 1e-3); // a step behind: 0.2 m/s * 10 ms
    robot_end(&r);
}

static void test_out_of_reach_is_told(void** state)
{
    (void)state;
    Robot r = robot_begin();
    double q[N];
    CondIkInfo info;
    memcpy(q, ready, sizeof q);
    CondIkTarget target = target_at(&r, q);
    target.position[0] = 2.0; // shoulder at z = 0.333, everything stretched is less than 1.3 m long
    target.position[1] = 0.0;
    target.position[2] = 0.333;
    r.settings.length = 1e-3; // the position first
    // Stepping towards it neither breaks limits nor shakes: the arm comes to rest.
    double before[N], v[N];
    for (int k = 0; k < 2000; k++) {
        memcpy(before, q, sizeof q);
        cond_ik_step(r.ik, &r.settings, &r.frame, &target, 0.01, q, v, &info);
        assert_within_limits(&r, q);
    }
    assert_true(dense_distance(N, q, before) < 1e-6);
    CondIkTarget reached = target_at(&r, q);
    assert_near(info.position_error, dense_distance(3, target.position, reached.position), 1e-12);
    assert_true(info.position_error > 0.7 && info.position_error < 1.2);
    robot_end(&r);
}

// A posture outside the limits is led back at no more than the velocity limit.
static void test_leads_back_inside(void** state)
{
    (void)state;
    Robot r = robot_begin();
    double q[N], dt = 0.01;
    memcpy(q, ready, sizeof q);
    CondIkTarget target = target_at(&r, ready);
    q[5] = 3.9;  // upper limit 3.7525
    q[7] = -0.1; // lower limit 0
    for (int k = 0; k < 200; k++) {
        double v[N];
        cond_ik_step(r.ik, &r.settings, &r.frame, &target, dt, q, v, NULL);
        for (int i = 0; i < N; i++)
            assert_true(fabs(v[i]) <= r.a->coordinate[i].velocity * (1.0 + 1e-15));
        if (k == 0) {
            assert_near(v[5], -2.61, 1e-15);
            assert_near(v[7], 0.2, 1e-15);
        }
    }
    assert_within_limits(&r, q);
    assert_true(miss(&r, &target, q) < 1e-6);
    robot_end(&r);
}

// Inside the box the step is the optimum: no feasible neighbour has a smaller objective.
static void test_step_is_optimal_in_the_box(void** state)
{
    (void)state;
    Robot r = robot_begin();
    Dice dice = {3};
    double dt = 0.01;
    r.settings.speed = r.settings.turn = INFINITY;
    for (int trial = 0; trial < 100; trial++) {
        double q[N], goal[N], v[N], from[N], F[6 * N], V[6], u[6];
        random_configuration(&dice, r.a, q);
        random_configuration(&dice, r.a, goal);
        memcpy(from, q, sizeof q);
        CondIkTarget target = target_at(&r, goal);
        random_vector(&dice, 3, 1.0, target.velocity);
        random_vector(&dice, 3, 1.0, target.angular);
        r.settings.gain = 0.0;
        cond_ik_step(r.ik, &r.settings, &r.frame, &target, dt, q, v, NULL);
        cond_articulation_kinematics(r.a, from, r.work);
        cond_articulation_frame_jacobian(r.a, r.work, r.frame.link, r.frame.position, F);
        memcpy(V, target.velocity, sizeof target.velocity);
        memcpy(V + 3, target.angular, sizeof target.angular);
        double objective[2];
        for (int test = 0; test < 50; test++) {
            for (int s = 0; s < 2; s++) {
                double x[N];
                for (int i = 0; i < N; i++) {
                    const CondJointCoordinate* c = &r.a->coordinate[i];
                    double move = s ? dice_uniform(&dice, -0.1, 0.1) : 0.0;
                    double lo = fmax(-c->velocity, (c->lower - from[i]) / dt);
                    double hi = fmin(c->velocity, (c->upper - from[i]) / dt);
                    x[i] = fmin(fmax(v[i] + move, lo), hi);
                }
                dense_multiply(6, N, F, x, u);
                objective[s] = 0.0;
                for (int k = 0; k < 6; k++) {
                    double e = (k < 3 ? 1.0 : r.settings.length) * (u[k] - V[k]);
                    objective[s] += e * e;
                }
                for (int i = 0; i < N; i++)
                    objective[s] += r.settings.damping * r.settings.damping * x[i] * x[i];
            }
            assert_true(objective[1] >= objective[0] - 1e-12);
        }
    }
    robot_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_converge),
        cmocka_unit_test(test_feed_forward_tracks),
        cmocka_unit_test(test_out_of_reach_is_told),
        cmocka_unit_test(test_leads_back_inside),
        cmocka_unit_test(test_step_is_optimal_in_the_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
