// Rods: strains, forces and Jacobians against finite differences, rest shapes, and statics and
// vibrations against the theory of beams.
#include "base/memory.h"
#include "kinds_make.h"
#include "math/quat.h"
#include "math/so3.h"
#include "model/rod.h"
#include "random_problem.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINKS = 5 };

static void make_rod(CondRod* rod, int round, double* q, Random* random, double bend)
{
    double length[LINKS] = {0.1, 0.12, 0.09, 0.11, 0.1}, z = 0.0;
    CondRodSection section = {round, {0.02, 0.03}, 0.9};
    CondMaterialDef material = make_material("m", 1e6, 0.0);
    CondContext context = cond_context_or_default(NULL);
    assert_int_equal(cond_rod_create(&context, LINKS, length, &section, &material, rod), COND_OK);
    double turn[4] = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < LINKS; i++) {
        double w[3], step[4], next[4];
        for (int k = 0; k < 3; k++)
            w[k] = random_uniform(random, -bend, bend);
        quat_exp(w, step);
        quat_product(turn, step, next);
        memcpy(turn, next, sizeof next);
        z += length[i];
        q[7 * i] = random_uniform(random, -0.02, 0.02);
        q[7 * i + 1] = random_uniform(random, -0.02, 0.02);
        q[7 * i + 2] = z;
        memcpy(q + 7 * i + 3, turn, sizeof turn);
    }
}

// q moved by the velocity coordinate c times h.
static void moved(const double* q, int c, double h, double* out)
{
    memcpy(out, q, 7 * LINKS * sizeof *q);
    double* at = out + 7 * (c / 6);
    if (c % 6 < 3) {
        at[c % 6] += h;
        return;
    }
    double w[3] = {0.0, 0.0, 0.0}, step[4], next[4];
    w[c % 6 - 3] = h;
    quat_exp(w, step);
    quat_product(at + 3, step, next);
    memcpy(at + 3, next, sizeof next);
}

// J of the strains and the force against central differences, for small and for large turns.
static void forces_are_gradients(void** state)
{
    (void)state;
    static const double bends[] = {0.0, 1e-3, 0.3, 1.4};
    for (int b = 0; b < 4; b++)
        for (int round = 0; round < 2; round++) {
            Random random = random_start((uint64_t)(10 + b));
            CondRod rod;
            double q[7 * LINKS], a[7 * LINKS], f[6 * LINKS] = {0.0}, values[6 * LINKS * 18];
            double h = 1e-6;
            make_rod(&rod, round, q, &random, bends[b]);
            for (int i = 0; i < 6 * (LINKS - 1); i++)
                rod.rest[i] = random_uniform(&random, -0.1, 0.1);
            cond_rod_assemble(&rod, q, 0.0, 1.0, 0.0, COND_ROD_GEOMETRIC_NONE, values, f);
            for (int c = 0; c < 6 * LINKS; c++) {
                moved(q, c, h, a);
                double up = cond_rod_energy(&rod, a);
                moved(q, c, -h, a);
                double down = cond_rod_energy(&rod, a);
                assert_true(fabs((up - down) / (2.0 * h) + f[c]) < 1e-6 * (10.0 + fabs(f[c])));
            }
            for (int i = 0; i + 1 < LINKS; i++)
                for (int c = 6 * i; c < 6 * i + 12; c++) {
                    double e[6], J[72], up[6], down[6];
                    cond_rod_strain_jacobian(&rod, q, i, e, J);
                    moved(q, c, h, a);
                    cond_rod_strain(&rod, a, i, up);
                    moved(q, c, -h, a);
                    cond_rod_strain(&rod, a, i, down);
                    for (int r = 0; r < 6; r++)
                        assert_true(fabs((up[r] - down[r]) / (2.0 * h) - J[12 * r + c - 6 * i]) <
                                    1e-7);
                }
            cond_rod_destroy(&rod);
        }
}

// The strains do not change when the whole rod is moved and turned, and no net force acts.
static void strains_are_objective(void** state)
{
    (void)state;
    Random random = random_start(5);
    CondRod rod;
    double q[7 * LINKS], a[7 * LINKS], turn[4], w[3] = {0.7, -1.9, 0.4}, R[9];
    make_rod(&rod, 1, q, &random, 0.5);
    quat_exp(w, turn);
    quat_matrix(turn, R);
    for (int i = 0; i < LINKS; i++) {
        mat3_multiply(R, q + 7 * i, a + 7 * i);
        a[7 * i] += 3.0;
        quat_product(turn, q + 7 * i + 3, a + 7 * i + 3);
    }
    for (int i = 0; i + 1 < LINKS; i++) {
        double e[6], moved_e[6];
        cond_rod_strain(&rod, q, i, e);
        cond_rod_strain(&rod, a, i, moved_e);
        for (int r = 0; r < 6; r++)
            assert_true(fabs(e[r] - moved_e[r]) < 1e-13);
    }
    double f[6 * LINKS] = {0.0}, values[6 * LINKS * 18], sum[3] = {0.0}, moment[3] = {0.0};
    cond_rod_assemble(&rod, q, 0.0, 1.0, 0.0, COND_ROD_GEOMETRIC_NONE, values, f);
    for (int i = 0; i < LINKS; i++) {
        double Ri[9], world[3], arm[3];
        quat_matrix(q + 7 * i + 3, Ri);
        mat3_multiply(Ri, f + 6 * i + 3, world);
        vec3_cross(q + 7 * i, f + 6 * i, arm);
        for (int k = 0; k < 3; k++) {
            sum[k] += f[6 * i + k];
            moment[k] += arm[k] + world[k];
        }
    }
    assert_true(vec3_norm(sum) < 1e-10 * vec3_norm(f));
    assert_true(vec3_norm(moment) < 1e-10 * vec3_norm(f));
    cond_rod_destroy(&rod);
}

// The strain of a joint goes on smoothly past half a turn when the rest shape is bent as well.
static void strain_passes_half_a_turn(void** state)
{
    (void)state;
    Random random = random_start(5);
    CondRod rod;
    double q[7 * LINKS], last = 0.0;
    make_rod(&rod, 1, q, &random, 0.0);
    rod.rest[3] = 2.0;
    for (int k = 0; k <= 40; k++) {
        double angle = 2.0 + 0.05 * k, w[3] = {angle, 0.0, 0.0}, e[6];
        quat_exp(w, q + 7 + 3);
        cond_rod_strain(&rod, q, 0, e);
        assert_true(fabs(e[3] - 0.05 * k) < 1e-12);
        assert_true(k == 0 || e[3] > last);
        last = e[3];
    }
    cond_rod_destroy(&rod);
}

// Derivatives of the exponential map against differences, and its inverse.
static void rotation_vectors(void** state)
{
    (void)state;
    static const double sizes[] = {0.0, 1e-9, 1e-5, 0.099, 0.101, 1.0, 3.0, 4.5};
    for (int s = 0; s < 8; s++) {
        double w[3] = {0.48 * sizes[s], -0.6 * sizes[s], 0.64 * sizes[s]}, J[9], T[9], P[9];
        so3_right(w, J);
        so3_right_inverse(w, T);
        mat3_product(J, T, P);
        for (int k = 0; k < 9; k++)
            assert_true(fabs(P[k] - (k % 4 == 0)) < 1e-11);
        for (int k = 0; k < 3; k++) {
            double h = 1e-6, a[3], b[3], qa[4], qb[4], inverse[4], d[4], log[3];
            memcpy(a, w, sizeof a);
            memcpy(b, w, sizeof b);
            a[k] -= h;
            b[k] += h;
            quat_exp(w, qa);
            quat_exp(b, qb);
            inverse[0] = qa[0];
            for (int i = 1; i < 4; i++)
                inverse[i] = -qa[i];
            quat_product(inverse, qb, d);
            so3_log(d, log);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(log[i] / h - J[3 * i + k]) < 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_gradients),
        cmocka_unit_test(strains_are_objective),
        cmocka_unit_test(strain_passes_half_a_turn),
        cmocka_unit_test(rotation_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
