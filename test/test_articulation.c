// Articulated bodies against Lagrange's equations, closed forms, finite differences and
// conservation laws.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "articulation_make.h"
#include "dense.h"
#include "failing_allocator.h"
#include "lagrangian.h"

#include "linear/cholesky.h"
#include "linear/dense_rows.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24, MOST_Q = 32 }; // coordinates of the largest body here

static const double gravity[3] = {0.3, -0.2, -9.81};
static const double weightless[3] = {0.0, 0.0, 0.0};

// dv/dt = M^-1 f
static void accelerate(const CondArticulation* a, CondArticulationWork* work, const double* q,
                       const double* v, const double g[3], double* dv)
{
    double M[MOST * MOST];
    cond_articulation_kinematics(a, q, work);
    cond_articulation_mass(a, work, M);
    cond_articulation_bias(a, work, v, g, dv);
    assert_true(dense_cholesky(a->n_dof, M));
    dense_cholesky_solve(a->n_dof, M, dv);
}

// Two point-like masses m at the ends of rods of length 1 and 0.7, turning about y, hanging along
// -z. With the angles a, b = a + relative from the vertical, the textbook equations are
//   (m1 + m2) l1 a'' + m2 l2 b'' cos(a - b) + m2 l2 b'^2 sin(a - b) + (m1 + m2) g sin a = 0
//   l2 b'' + l1 a'' cos(a - b) - l1 a'^2 sin(a - b) + g sin b = 0
static void test_double_pendulum(void** state)
{
    (void)state;
    double l1 = 1.0, l2 = 0.7, m1 = 1.5, m2 = 0.8, g = 9.81, I = 1e-9;
    CondArticulation* a;
    assert_int_equal(cond_articulation_create(NULL, &a, NULL), COND_OK);
    CondLink base = cond_link_default();
    strcpy(base.name, "base");
    assert_int_equal(cond_articulation_add_link(a, &base, NULL), COND_OK);
    for (int i = 0; i < 2; i++) {
        CondLink link = cond_link_default();
        snprintf(link.name, sizeof link.name, "rod%d", i);
        snprintf(link.joint, sizeof link.joint, "hinge%d", i);
        link.parent = i;
        link.kind = COND_LINK_CONTINUOUS;
        link.axis[0] = 0.0;
        link.axis[1] = -3.0; // any length; turning about -y swings -z towards +x
        link.position[2] = i == 0 ? 0.0 : -l1;
        link.mass = i == 0 ? m1 : m2;
        link.com[2] = i == 0 ? -l1 : -l2;
        link.inertia[0] = link.inertia[4] = link.inertia[8] = I;
        assert_int_equal(cond_articulation_add_link(a, &link, NULL), COND_OK);
    }
    assert_int_equal(cond_articulation_finish(a, NULL), COND_OK);
    assert_int_equal(a->n_dof, 2);
    CondArticulationWork* work = make_work(a);
    Dice dice = {1};
    for (int trial = 0; trial < 50; trial++) {
        double q[2], v[2], dv[2], down[3] = {0.0, 0.0, -g};
        random_vector(&dice, 2, 3.0, q);
        random_vector(&dice, 2, 4.0, v);
        accelerate(a, work, q, v, down, dv);
        double A = q[0], B = q[0] + q[1], dA = v[0], dB = v[0] + v[1];
        double c = cos(A - B), s = sin(A - B);
        double r1 = -m2 * l2 * dB * dB * s - (m1 + m2) * g * sin(A);
        double r2 = l1 * dA * dA * s - g * sin(B);
        double det = (m1 + m2) * l1 * l2 - m2 * l2 * c * l1 * c;
        double ddA = (r1 * l2 - m2 * l2 * c * r2) / det;
        double ddB = ((m1 + m2) * l1 * r2 - l1 * c * r1) / det;
        assert_near(dv[0], ddA, 1e-6);
        assert_near(dv[1], ddB - ddA, 1e-6);
    }
    cond_articulation_work_destroy(work);
    cond_articulation_destroy(a);
}

// Mass matrix, poses and accelerations of one body against the dense Lagrangian.
static void compare_with_lagrangian(Dice* dice, const CondArticulation* a, int trials)
{
    int n = a->n_dof;
    CondArticulationWork* work = make_work(a);
    assert_true(n <= MOST);
    for (int trial = 0; trial < trials; trial++) {
        double x[MOST], rate[MOST], q[MOST_Q], v[MOST], dv[MOST], expected[MOST];
        double M[MOST * MOST], Mx[MOST * MOST], W[MOST * MOST], Wi[MOST], Mv[MOST];
        random_vector(dice, n, 1.2, x); // pitch stays away from its pole
        random_vector(dice, n, 2.0, rate);
        lagrangian_configuration(a, x, q);
        lagrangian_rates(a, x, W);
        dense_multiply(n, n, W, rate, v);
        cond_articulation_kinematics(a, q, work);
        for (int i = 0; i < a->n_link; i++) {
            double T[16];
            lagrangian_pose(a, x, i, T);
            for (int k = 0; k < 3; k++) {
                assert_near(work->position[3 * i + k], T[4 * k + 3], 1e-13);
                for (int c = 0; c < 3; c++)
                    assert_near(work->rotation[9 * i + 3 * k + c], T[4 * k + c], 1e-13);
            }
        }
        cond_articulation_mass(a, work, M);
        lagrangian_mass(a, x, Mx); // Mx = W' M W
        double largest = dense_largest(n * n, Mx);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                Wi[j] = W[j * n + i];
            dense_multiply(n, n, M, Wi, Mv);
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++)
                    sum += W[k * n + j] * Mv[k];
                assert_near(sum, Mx[j * n + i], 1e-13 * largest);
                assert_true(M[i * n + j] == M[j * n + i]);
            }
        }
        accelerate(a, work, q, v, gravity, dv);
        lagrangian_acceleration(a, x, rate, gravity, expected);
        assert_near(dense_distance(n, dv, expected), 0.0, 1e-8 * (1.0 + dense_norm(n, expected)));
    }
    cond_articulation_work_destroy(work);
}

static void test_trees_obey_lagrange(void** state)
{
    (void)state;
    Dice dice = {2};
    for (int body = 0; body < 24; body++) {
        CondArticulation* a = make_tree(&dice, body < 16 ? 6 : 9, body % 2, body % 4 > 1);
        compare_with_lagrangian(&dice, a, 3);
        cond_articulation_destroy(a);
    }
}

static void test_trees_of_all_kinds_obey_lagrange(void** state)
{
    (void)state;
    Dice dice = {21};
    for (int body = 0; body < 12; body++) {
        CondArticulation* a = make_tree_of(&dice, 5, body % 2, body % 4 > 1, 1 + body % 3);
        assert_true(a->n_ball > 0 && a->n_q > a->n_dof);
        compare_with_lagrangian(&dice, a, 2);
        cond_articulation_destroy(a);
    }
}

static void test_panda_obeys_lagrange(void** state)
{
    (void)state;
    Dice dice = {3};
    CondArticulation* a = make_panda();
    compare_with_lagrangian(&dice, a, 3);
    cond_articulation_destroy(a);
}

static void test_mass_is_positive_definite(void** state)
{
    (void)state;
    Dice dice = {4};
    CondArticulation* a = make_panda();
    CondArticulationWork* work = make_work(a);
    for (int trial = 0; trial < 200; trial++) {
        double q[MOST], M[MOST * MOST], w[MOST];
        random_configuration(&dice, a, q);
        cond_articulation_kinematics(a, q, work);
        cond_articulation_mass(a, work, M);
        for (int i = 0; i < a->n_dof; i++)
            for (int j = 0; j < i; j++)
                assert_true(M[i * a->n_dof + j] == M[j * a->n_dof + i]);
        dense_eigenvalues(a->n_dof, M, w);
        assert_true(w[0] > 1e-4);
        assert_true(w[a->n_dof - 1] < 10.0);
    }
    cond_articulation_work_destroy(work);
    cond_articulation_destroy(a);
}

// v along coordinate i of length h moves q; returns the potential energy there.
static double potential_at(const CondArticulation* a, CondArticulationWork* work, const double* q,
                           int i, double h)
{
    double moved[MOST_Q], v[MOST] = {0.0}, potential;
    memcpy(moved, q, (size_t)a->n_q * sizeof *q);
    v[i] = 1.0;
    cond_articulation_advance(a, v, h, moved);
    cond_articulation_kinematics(a, moved, work);
    cond_articulation_energy(a, work, v, gravity, NULL, &potential);
    return potential;
}

static void same_kinematics(const CondArticulation* a, const CondArticulationWork* one,
                            const CondArticulationWork* two)
{
    size_t n = (size_t)a->n_link, size = sizeof(double);
    assert_memory_equal(one->position, two->position, 3 * n * size);
    assert_memory_equal(one->orientation, two->orientation, 4 * n * size);
    assert_memory_equal(one->rotation, two->rotation, 9 * n * size);
    assert_memory_equal(one->motion, two->motion, 6 * (size_t)a->n_column * size);
    assert_memory_equal(one->inertia, two->inertia, 10 * n * size);
}

// Kinematics of the links that one coordinate moves have the bits of all of them, and the way back
// those of where they were.
static void test_links_of_a_coordinate(void** state)
{
    (void)state;
    Dice dice = {11};
    for (int body = 0; body < 6; body++) {
        CondArticulation* a =
            body == 0 ? make_panda() : make_tree_of(&dice, 6, body % 2, 1, body / 2);
        CondArticulationWork *base = make_work(a), *part = make_work(a), *all = make_work(a);
        double q[MOST_Q], moved[MOST_Q];
        random_configuration(&dice, a, q);
        cond_articulation_kinematics(a, q, base);
        cond_articulation_copy_kinematics(a, base, part);
        same_kinematics(a, base, part);
        for (int i = 0; i < a->n_dof; i++) {
            double v[MOST] = {0.0};
            memcpy(moved, q, (size_t)a->n_q * sizeof *q);
            v[i] = 0.3;
            cond_articulation_advance(a, v, 1.0, moved);
            for (int k = 0; k < a->n_q; k++) // quaternions that did not turn are made anew
                moved[k] = fabs(moved[k] - q[k]) < 1e-15 ? q[k] : moved[k];
            cond_articulation_kinematics(a, moved, all);
            cond_articulation_kinematics_of(a, moved, i, part);
            same_kinematics(a, all, part);
            cond_articulation_put_back(a, base, part);
            same_kinematics(a, base, part);
        }
        cond_articulation_work_destroy(base);
        cond_articulation_work_destroy(part);
        cond_articulation_work_destroy(all);
        cond_articulation_destroy(a);
    }
}

// A point of a link moves as its Jacobian says.
static void test_motion_of_a_link(void** state)
{
    (void)state;
    Dice dice = {13};
    for (int trial = 0; trial < 20; trial++) {
        CondArticulation* a = make_tree_of(&dice, 6, trial % 2, 1, trial % 3);
        CondArticulationWork* work = make_work(a);
        double q[MOST_Q], v[MOST], J[3 * MOST], world[3];
        random_configuration(&dice, a, q);
        for (int i = 0; i < a->n_dof; i++)
            v[i] = dice_uniform(&dice, -1.0, 1.0);
        cond_articulation_kinematics(a, q, work);
        cond_articulation_set_velocity(a, work, v);
        for (int link = 0; link < a->n_link; link++) {
            double local[3], origin[3], turn[9];
            for (int i = 0; i < 3; i++)
                local[i] = dice_uniform(&dice, -1.0, 1.0);
            cond_articulation_motion(work, link, origin, turn);
            cond_articulation_point(a, work, link, local, world, J);
            for (int r = 0; r < 3; r++) {
                double u = 0.0, here = origin[r];
                for (int i = 0; i < a->n_dof; i++)
                    u += J[r * a->n_dof + i] * v[i];
                for (int k = 0; k < 3; k++)
                    here += turn[3 * r + k] * local[k];
                assert_near(here, u, 1e-12);
            }
        }
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
}

// Rows side by side have the bits of one after the other, and a factor those of Cholesky's formula.
static void test_rows_side_by_side(void** state)
{
    (void)state;
    Dice dice = {17};
    for (int n = 0; n <= MOST; n++) {
        double A[MOST * MOST] = {0.0}, L[MOST * MOST], x[MOST], y[MOST], sum;
        for (int i = 0; i < n; i++)
            x[i] = dice_uniform(&dice, -1.0, 1.0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                A[i * n + j] = A[j * n + i] = dice_uniform(&dice, -1.0, 1.0) + (i == j) * MOST;
        cond_rows_multiply(n, n, A, x, y);
        for (int i = 0; i < n; i++) {
            sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += A[i * n + j] * x[j];
            assert_memory_equal(&y[i], &sum, sizeof sum);
        }
        memcpy(L, A, sizeof A);
        assert_int_equal(cond_cholesky_factor(n, L), 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                sum = A[i * n + j];
                for (int k = 0; k < j; k++)
                    sum -= L[i * n + k] * L[j * n + k];
                sum = i == j ? sqrt(sum) : sum / L[j * n + j];
                assert_memory_equal(&L[i * n + j], &sum, sizeof sum);
            }
    }
}

static void test_gravity_is_gradient_of_potential(void** state)
{
    (void)state;
    Dice dice = {5};
    for (int body = 0; body < 4; body++) {
        CondArticulation* a =
            body == 0 ? make_panda() : make_tree_of(&dice, 6, body % 2, 1, body - 1);
        CondArticulationWork* work = make_work(a);
        for (int trial = 0; trial < 10; trial++) {
            double q[MOST_Q], v[MOST] = {0.0}, f[MOST], h = 1e-4;
            random_configuration(&dice, a, q);
            cond_articulation_kinematics(a, q, work);
            cond_articulation_bias(a, work, v, gravity, f);
            for (int i = 0; i < a->n_dof; i++) {
                double slope =
                    (potential_at(a, work, q, i, h) - potential_at(a, work, q, i, -h)) / (2.0 * h);
                assert_near(f[i], -slope, 1e-5);
            }
        }
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
}

// In joint coordinates C(v) w = 1/2 (c(v + w) - c(v) - c(w)) with c(v) = C(v) v, and dM/dt - 2 C is
// antisymmetric: w' (dM/dt) w = 2 w' C(v) w for every w.
static void test_coriolis_is_skew(void** state)
{
    (void)state;
    Dice dice = {6};
    for (int body = 0; body < 4; body++) {
        CondArticulation* a = body == 0 ? make_panda() : make_tree(&dice, 7, 0, body % 2);
        CondArticulationWork* work = make_work(a);
        int n = a->n_dof;
        for (int trial = 0; trial < 10; trial++) {
            double q[MOST], v[MOST], w[MOST], sum[MOST], cv[MOST], cw[MOST], cs[MOST];
            double M[2][MOST * MOST], h = 1e-5, left = 0.0, right = 0.0;
            random_configuration(&dice, a, q);
            random_vector(&dice, n, 1.0, v);
            random_vector(&dice, n, 1.0, w);
            for (int i = 0; i < n; i++)
                sum[i] = v[i] + w[i];
            cond_articulation_kinematics(a, q, work);
            cond_articulation_bias(a, work, v, weightless, cv);
            cond_articulation_bias(a, work, w, weightless, cw);
            cond_articulation_bias(a, work, sum, weightless, cs);
            for (int s = 0; s < 2; s++) {
                double moved[MOST];
                memcpy(moved, q, (size_t)n * sizeof *q);
                cond_articulation_advance(a, v, s ? h : -h, moved);
                cond_articulation_kinematics(a, moved, work);
                cond_articulation_mass(a, work, M[s]);
            }
            for (int i = 0; i < n; i++) {
                right += -w[i] * (cs[i] - cv[i] - cw[i]); // 2 w' C(v) w; bias is -c
                for (int j = 0; j < n; j++)
                    left += w[i] * w[j] * (M[1][i * n + j] - M[0][i * n + j]) / (2.0 * h);
            }
            assert_near(left, right, 1e-7);
        }
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
}

// J v against the motion of the point, angular rows against the motion of three points.
static void test_jacobians_are_derivatives(void** state)
{
    (void)state;
    Dice dice = {7};
    for (int body = 0; body < 6; body++) {
        CondArticulation* a =
            body == 0 ? make_panda() : make_tree_of(&dice, 6, body % 2, 1, body - 1);
        CondArticulationWork* work = make_work(a);
        int n = a->n_dof;
        for (int trial = 0; trial < 10; trial++) {
            double q[MOST_Q], v[MOST], local[3], J[3 * MOST], F[6 * MOST], u[3], w[6];
            double at[3][3], moved[MOST_Q], R[2][9], h = 1e-5;
            int link = (int)dice_uniform(&dice, 0.0, a->n_link);
            random_configuration(&dice, a, q);
            random_vector(&dice, n, 1.0, v);
            random_vector(&dice, 3, 0.5, local);
            cond_articulation_kinematics(a, q, work);
            cond_articulation_point(a, work, link, local, at[2], J);
            cond_articulation_frame_jacobian(a, work, link, local, F);
            assert_memory_equal(J, F, (size_t)(3 * n) * sizeof *J);
            dense_multiply(3, n, J, v, u);
            dense_multiply(6, n, F, v, w);
            double middle[9];
            memcpy(middle, work->rotation + 9 * link, sizeof middle);
            for (int s = 0; s < 2; s++) {
                memcpy(moved, q, (size_t)a->n_q * sizeof *q);
                cond_articulation_advance(a, v, s ? h : -h, moved);
                cond_articulation_kinematics(a, moved, work);
                cond_articulation_point(a, work, link, local, at[s], NULL);
                memcpy(R[s], work->rotation + 9 * link, sizeof R[s]);
            }
            double S[9];
            for (int i = 0; i < 3; i++) {
                assert_near((at[1][i] - at[0][i]) / (2.0 * h), u[i], 1e-8);
                for (int j = 0; j < 3; j++) { // [w]x = dR/dt R'
                    S[3 * i + j] = 0.0;
                    for (int k = 0; k < 3; k++)
                        S[3 * i + j] +=
                            (R[1][3 * i + k] - R[0][3 * i + k]) / (2.0 * h) * middle[3 * j + k];
                }
            }
            assert_near(S[7], w[3], 1e-8);
            assert_near(S[2], w[4], 1e-8);
            assert_near(S[3], w[5], 1e-8);
        }
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
}

// One step of the explicit midpoint rule, which needs no algebra on
// the configuration beyond cond_articulation_advance.
static void midpoint_step(const CondArticulation* a, CondArticulationWork* work, const double g[3],
                          double t, double* q, double* v)
{
    double half_q[MOST_Q], half_v[MOST], dv[MOST];
    accelerate(a, work, q, v, g, dv);
    for (int i = 0; i < a->n_dof; i++)
        half_v[i] = v[i] + 0.5 * t * dv[i];
    memcpy(half_q, q, (size_t)a->n_q * sizeof *q);
    cond_articulation_advance(a, v, 0.5 * t, half_q);
    accelerate(a, work, half_q, half_v, g, dv);
    cond_articulation_advance(a, half_v, t, q);
    for (int i = 0; i < a->n_dof; i++)
        v[i] += t * dv[i];
}

// What a floating body does without outer forces: energy and both momenta stay. Halving the step
// must reduce the drift four times, down to rounding: no hidden first-order error.
static void test_floating_body_conserves(void** state)
{
    (void)state;
    double drift[4][3];
    for (int run = 0; run < 4; run++) { // the last two with joints of all kinds
        Dice dice = {8};
        CondArticulation* a = make_tree_of(&dice, 5, 1, 1, run / 2);
        CondArticulationWork* work = make_work(a);
        double q[MOST_Q], v[MOST], P[2][6], E[2], about[3] = {0.3, -0.4, 1.0};
        int steps = 500 << run % 2;
        random_configuration(&dice, a, q);
        random_vector(&dice, a->n_dof, 1.0, v);
        for (int s = 0; s < 2; s++) {
            cond_articulation_kinematics(a, q, work);
            cond_articulation_energy(a, work, v, weightless, &E[s], NULL);
            cond_articulation_momentum(a, work, v, about, P[s]);
            for (int k = 0; k < steps && s == 0; k++)
                midpoint_step(a, work, weightless, 0.5 / steps, q, v);
        }
        drift[run][0] = fabs(E[1] - E[0]) / E[0];
        drift[run][1] = dense_distance(3, P[0], P[1]) / dense_norm(3, P[0]);
        drift[run][2] = dense_distance(3, P[0] + 3, P[1] + 3) / dense_norm(3, P[0] + 3);
        for (int k = 0; k < 3; k++)
            assert_true(drift[run][k] < 1e-4);
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
    for (int run = 0; run < 4; run += 2)
        for (int k = 0; k < 3; k++)
            assert_true(drift[run + 1][k] < drift[run][k] / 3.5 + 1e-12);
}

// In free fall the total energy stays and the centre of mass falls as a stone does.
static void test_free_fall(void** state)
{
    (void)state;
    Dice dice = {9};
    CondArticulation* a = make_tree(&dice, 5, 1, 0);
    CondArticulationWork* work = make_work(a);
    double q[MOST_Q], v[MOST], P[6], c[2][3], K[2], U[2], T = 0.4, zero[3] = {0.0, 0.0, 0.0};
    random_configuration(&dice, a, q);
    random_vector(&dice, a->n_dof, 1.0, v);
    double mass = 0.0;
    for (int s = 0; s < 2; s++) {
        cond_articulation_kinematics(a, q, work);
        mass = cond_articulation_center(a, work, c[s]);
        cond_articulation_energy(a, work, v, gravity, &K[s], &U[s]);
        if (s == 0)
            cond_articulation_momentum(a, work, v, zero, P);
        for (int k = 0; k < 2000 && s == 0; k++)
            midpoint_step(a, work, gravity, T / 2000, q, v);
    }
    assert_near(K[1] + U[1], K[0] + U[0], 1e-5 * (fabs(K[0]) + fabs(U[0])));
    for (int k = 0; k < 3; k++)
        assert_near(c[1][k], c[0][k] + T * P[k] / mass + 0.5 * gravity[k] * T * T, 1e-5);
    cond_articulation_work_destroy(work);
    cond_articulation_destroy(a);
}

// The kinetic energy from link velocities is 1/2 v' M v, and momenta do not depend on where the
// world's origin is.
static void test_energy_is_of_the_mass_matrix(void** state)
{
    (void)state;
    Dice dice = {10};
    for (int body = 0; body < 8; body++) {
        CondArticulation* a = make_tree_of(&dice, 6, body % 2, 1, body / 2);
        CondArticulationWork* work = make_work(a);
        double q[MOST_Q], v[MOST], M[MOST * MOST], Mv[MOST], kinetic;
        random_configuration(&dice, a, q);
        random_vector(&dice, a->n_dof, 1.0, v);
        for (int k = 0; k < 3 && a->floating; k++)
            q[k] += 1e6; // far away: no digit may be lost
        cond_articulation_kinematics(a, q, work);
        cond_articulation_mass(a, work, M);
        cond_articulation_energy(a, work, v, gravity, &kinetic, NULL);
        dense_multiply(a->n_dof, a->n_dof, M, v, Mv);
        double sum = 0.0;
        for (int i = 0; i < a->n_dof; i++)
            sum += 0.5 * v[i] * Mv[i];
        assert_near(kinetic, sum, 1e-12 * sum);
        if (a->floating) { // base rows of M v are the momentum
            double P[6];
            cond_articulation_momentum(a, work, v, q, P);
            for (int k = 0; k < 3; k++)
                assert_near(P[k], Mv[k], 1e-12 * dense_norm(3, P));
        }
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
}

// A tree that hangs on a floating joint below a fixed link moves as the same tree on a floating
// base: the joint's turn is in the link's axes as the base's is.
static void test_floating_joint_is_a_floating_base(void** state)
{
    (void)state;
    Dice dice = {22};
    for (int trial = 0; trial < 6; trial++) {
        CondArticulation *base = make_tree_of(&dice, 4, 1, 0, 1 + trial % 3), *joint;
        assert_int_equal(cond_articulation_create(NULL, &joint, NULL), COND_OK);
        CondLink ground = cond_link_default();
        strcpy(ground.name, "ground");
        assert_int_equal(cond_articulation_add_link(joint, &ground, NULL), COND_OK);
        for (int i = 0; i < base->n_link; i++) {
            CondLink link = base->link[i];
            link.parent++;
            if (i == 0) {
                link.kind = COND_LINK_FLOATING;
                strcpy(link.joint, "lift");
            }
            assert_int_equal(cond_articulation_add_link(joint, &link, NULL), COND_OK);
        }
        assert_int_equal(cond_articulation_finish(joint, NULL), COND_OK);
        assert_int_equal(joint->n_dof, base->n_dof);
        assert_int_equal(joint->n_q, base->n_q);
        assert_true(cond_articulation_find_coordinate(joint, "lift.z") == 2);
        double q[MOST_Q], v[MOST], dv[MOST], p[MOST_Q], u[MOST], du[MOST];
        random_configuration(&dice, base, q);
        random_vector(&dice, base->n_dof, 1.0, v);
        // The slides of the joint stand behind all balls.
        int balls = base->n_ball, rest = base->n_joint;
        memcpy(p, q + 3, (size_t)(4 + 4 * balls) * sizeof *p);
        memcpy(p + 4 + 4 * balls, q, 3 * sizeof *p);
        memcpy(p + 7 + 4 * balls, q + 7 + 4 * balls, (size_t)rest * sizeof *p);
        memcpy(u, v + 3, (size_t)(3 + 3 * balls) * sizeof *u);
        memcpy(u + 3 + 3 * balls, v, 3 * sizeof *u);
        memcpy(u + 6 + 3 * balls, v + 6 + 3 * balls, (size_t)rest * sizeof *u);
        CondArticulationWork *work = make_work(base), *hung = make_work(joint);
        accelerate(base, work, q, v, gravity, dv);
        accelerate(joint, hung, p, u, gravity, du);
        double scale = 1e-11 * (1.0 + dense_norm(base->n_dof, dv));
        for (int k = 0; k < 3; k++)
            assert_near(du[3 + 3 * balls + k], dv[k], scale);
        for (int k = 0; k < 3 + 3 * balls; k++)
            assert_near(du[k], dv[3 + k], scale);
        for (int k = 6 + 3 * balls; k < base->n_dof; k++)
            assert_near(du[k], dv[k], scale);
        cond_articulation_work_destroy(work);
        cond_articulation_work_destroy(hung);
        cond_articulation_destroy(base);
        cond_articulation_destroy(joint);
    }
}

static void test_allocations_fail_in_turn(void** state)
{
    (void)state;
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondArticulation* a = NULL;
        CondArticulationWork* work = NULL;
        CondIk* ik = NULL;
        CondLink link = cond_link_default();
        CondLinkShape shape = cond_link_shape_default();
        char file[] = "mesh.obj";
        shape.kind = COND_LINK_MESH;
        shape.size[0] = shape.size[1] = shape.size[2] = 1.0;
        shape.file = file;
        CondStatus status = cond_articulation_create(&context, &a, NULL);
        for (int i = 0; i < 5 && !status; i++) {
            snprintf(link.name, sizeof link.name, "link%d", i);
            snprintf(link.joint, sizeof link.joint, "joint%d", i);
            link.parent = i - 1;
            link.kind = COND_LINK_REVOLUTE;
            link.mass = link.inertia[0] = link.inertia[4] = link.inertia[8] = 1.0;
            shape.link = i;
            status = cond_articulation_add_link(a, &link, NULL);
            if (!status)
                status = cond_articulation_add_shape(a, &shape, NULL);
            if (!status)
                status = cond_articulation_warn(a, "%d", i);
        }
        if (!status)
            status = cond_articulation_finish(a, NULL);
        if (!status)
            status = cond_articulation_work_create(&context, a, &work, NULL);
        if (!status)
            status = cond_ik_create(&context, a, &ik, NULL);
        cond_ik_destroy(ik);
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
        assert_int_equal(allocator.live, 0);
        if (!status) {
            assert_true(allocator.calls < fail_at);
            return;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_trees_obey_lagrange),
        cmocka_unit_test(test_trees_of_all_kinds_obey_lagrange),
        cmocka_unit_test(test_panda_obeys_lagrange),
        cmocka_unit_test(test_mass_is_positive_definite),
        cmocka_unit_test(test_gravity_is_gradient_of_potential),
        cmocka_unit_test(test_links_of_a_coordinate),
        cmocka_unit_test(test_motion_of_a_link),
        cmocka_unit_test(test_rows_side_by_side),
        cmocka_unit_test(test_coriolis_is_skew),
        cmocka_unit_test(test_jacobians_are_derivatives),
        cmocka_unit_test(test_floating_body_conserves),
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_energy_is_of_the_mass_matrix),
        cmocka_unit_test(test_floating_joint_is_a_floating_base),
        cmocka_unit_test(test_allocations_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
