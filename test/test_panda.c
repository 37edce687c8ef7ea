// The Panda that ships: its kinematics against the Denavit-Hartenberg table of the maker, its
// limits and shapes, and the mimic finger against a model with two free fingers.
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

enum { N = 8 }; // seven joints of the arm, one of the fingers

static const double pi = 3.14159265358979323846;

// a, d, alpha of frankaemika/docs, control-parameters-joint.csv, read as Craig's convention; the
// last row is the flange.
static const double table[8][3] = {
    {0.0, 0.333, 0.0},      {0.0, 0.0, -1.0}, {0.0, 0.316, 1.0}, {0.0825, 0.0, 1.0},
    {-0.0825, 0.384, -1.0}, {0.0, 0.0, 1.0},  {0.088, 0.0, 1.0}, {0.0, 0.107, 0.0},
}; // alpha in quarter turns

// T <- T Rx(alpha) Tx(a) Rz(theta) Tz(d), written out.
static void append_row(double R[9], double p[3], double a, double d, double alpha, double theta)
{
    double ca = cos(alpha), sa = sin(alpha), ct = cos(theta), st = sin(theta);
    double step[9] = {ct, -st, 0.0, ca * st, ca * ct, -sa, sa * st, sa * ct, ca};
    double offset[3] = {a, -sa * d, ca * d}, moved[3], turned[9];
    mat3_multiply(R, offset, moved);
    mat3_product(R, step, turned);
    for (int k = 0; k < 3; k++)
        p[k] += moved[k];
    memcpy(R, turned, sizeof turned);
}

// Pose of row `last` + 1 of the table.
static void table_pose(const double* q, int last, double R[9], double p[3])
{
    double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(R, unit, sizeof unit);
    memset(p, 0, 3 * sizeof *p);
    for (int i = 0; i <= last; i++)
        append_row(R, p, table[i][0], table[i][1], 0.5 * pi * table[i][2], i < 7 ? q[i] : 0.0);
}

static void compare_poses(const CondArticulation* a, CondArticulationWork* work, const double* q)
{
    static const char* const name[] = {"panda_link1", "panda_link2", "panda_link3", "panda_link4",
                                       "panda_link5", "panda_link6", "panda_link7", "panda_link8"};
    double R[9], p[3];
    cond_articulation_kinematics(a, q, work);
    for (int i = 0; i < 8; i++) {
        int link = cond_articulation_find_link(a, name[i]);
        assert_true(link > 0);
        table_pose(q, i, R, p);
        for (int k = 0; k < 3; k++)
            assert_near(work->position[3 * link + k], p[k], 1e-14);
        for (int k = 0; k < 9; k++)
            assert_near(work->rotation[9 * link + k], R[k], 1e-14);
    }
    // The point between the fingers lies 103.4 mm before the flange; the left finger opens along
    // the hand's y, which the flange sees turned by -45 degrees about z.
    int tcp = cond_articulation_find_link(a, "panda_hand_tcp");
    int left = cond_articulation_find_link(a, "panda_leftfinger");
    int right = cond_articulation_find_link(a, "panda_rightfinger");
    double s = sqrt(0.5);
    for (int k = 0; k < 3; k++) {
        double y = s * R[3 * k] + s * R[3 * k + 1];
        assert_near(work->position[3 * tcp + k], p[k] + 0.1034 * R[3 * k + 2], 1e-14);
        assert_near(work->position[3 * left + k], p[k] + 0.0584 * R[3 * k + 2] + q[7] * y, 1e-14);
        assert_near(work->position[3 * right + k], p[k] + 0.0584 * R[3 * k + 2] - q[7] * y, 1e-14);
    }
}

static void test_kinematics_follow_the_table(void** state)
{
    (void)state;
    CondArticulation* a = make_panda();
    CondArticulationWork* work = make_work(a);
    assert_int_equal(a->n_dof, N);
    int flange = cond_articulation_find_link(a, "panda_link8");
    double zero[N] = {0.0};
    compare_poses(a, work, zero);
    // Stretched out, the arm is read off the table by eye.
    assert_near(work->position[3 * flange], 0.088, 1e-15);
    assert_near(work->position[3 * flange + 1], 0.0, 1e-15);
    assert_near(work->position[3 * flange + 2], 0.333 + 0.316 + 0.384 - 0.107, 1e-15);
    double ready[N] = {0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4, 0.04};
    compare_poses(a, work, ready);
    // Ready, in the plane y = 0: upper arm leaning back by 45 degrees, forearm level, hand down.
    double s = sqrt(0.5);
    assert_near(work->position[3 * flange], -s * 0.316 + s * 0.0825 + 0.384 + 0.088, 1e-15 * 4);
    assert_near(work->position[3 * flange + 2], 0.333 + s * 0.316 + s * 0.0825 + 0.0825 - 0.107,
                1e-15 * 4);
    assert_near(work->rotation[9 * flange + 8], -1.0, 1e-15);
    Dice dice = {1};
    for (int trial = 0; trial < 50; trial++) {
        double q[N];
        random_configuration(&dice, a, q);
        compare_poses(a, work, q);
    }
    cond_articulation_work_destroy(work);
    cond_articulation_destroy(a);
}

static void test_limits_and_shapes(void** state)
{
    (void)state;
    CondArticulation* a = make_panda();
    assert_string_equal(a->name, "panda");
    assert_int_equal(a->n_link, 13);
    assert_int_equal(a->n_warning, 0);
    assert_int_equal(a->floating, 0);
    const CondJointCoordinate* c = a->coordinate;
    assert_near(c[3].lower, -3.0718, 0.0);
    assert_near(c[3].upper, -0.0698, 0.0);
    assert_near(c[0].velocity, 2.175, 0.0);
    assert_near(c[6].effort, 12.0, 0.0);
    assert_near(c[0].damping, 0.003, 0.0);
    assert_near(c[7].upper, 0.04, 0.0);
    assert_near(c[7].damping, 2 * 0.3, 1e-16); // both fingers
    double mass = 0.0;
    for (int i = 0; i < a->n_link; i++)
        mass += a->link[i].mass;
    assert_near(mass, 0.629769 + 16.062132 + 0.73 + 2 * 0.015, 1e-12);
    int n_capsule = 0, n_box = 0;
    for (int i = 0; i < a->n_shape; i++) {
        n_capsule += a->shape[i].kind == COND_LINK_CAPSULE;
        n_box += a->shape[i].kind == COND_LINK_BOX;
    }
    assert_int_equal(n_capsule, 12);
    assert_int_equal(n_box, 8);
    // The bent capsule of link 7 lies along x of a frame turned by 45 degrees.
    const CondLinkShape* bent = NULL;
    for (int i = 0; i < a->n_shape; i++)
        if (strcmp(a->link[a->shape[i].link].name, "panda_link7") == 0)
            bent = &a->shape[i];
    assert_non_null(bent);
    double R[9], s = sqrt(0.5);
    quat_matrix(bent->orientation, R);
    assert_near(R[2], s, 1e-15);
    assert_near(R[5], s, 1e-15);
    assert_near(bent->position[0], 0.06 * s, 1e-15);
    // The hand is one rigid part with link 7, and carries its mass there.
    int hand = cond_articulation_find_link(a, "panda_hand");
    int link7 = cond_articulation_find_link(a, "panda_link7");
    assert_int_equal(a->link[hand].part, link7);
    assert_near(a->link[link7].part_mass, 0.735522 + 0.73, 1e-15);
    double q[N];
    cond_articulation_rest(a, q);
    assert_near(q[3], -0.0698, 0.0);
    assert_near(q[5], 0.0, 0.0);
    cond_articulation_destroy(a);
}

// The same robot with the second finger free: q9 = E q8, so that M8 = E' M9 E, f8 = E' f9 and
// J8 = J9 E, all exactly because the tie is linear.
static void test_mimic_is_a_tie(void** state)
{
    (void)state;
    CondArticulation *a = make_panda(), *b;
    assert_int_equal(cond_articulation_create(NULL, &b, NULL), COND_OK);
    for (int floating = 0; floating < 2; floating++) {
        int right = cond_articulation_find_link(a, "panda_rightfinger");
        a->link[right].multiplier = floating ? -0.7 : 1.0;
        a->link[right].offset = floating ? 0.02 : 0.0;
        a->link[right].lower = -1.0;
        a->floating = b->floating = floating;
        assert_int_equal(cond_articulation_finish(a, NULL), COND_OK);
        for (int i = 0; i < a->n_link && !floating; i++) {
            CondLink link = a->link[i];
            link.mimic = -1;
            assert_int_equal(cond_articulation_add_link(b, &link, NULL), COND_OK);
        }
        assert_int_equal(cond_articulation_finish(b, NULL), COND_OK);
        int n = a->n_dof, m = b->n_dof;
        assert_int_equal(m, n + 1);
        CondArticulationWork *wa = make_work(a), *wb = make_work(b);
        Dice dice = {2};
        for (int trial = 0; trial < 10; trial++) {
            double qa[20], qb[20], va[20], vb[20], Ma[400], Mb[400], fa[20], fb[20], Ja[60], Jb[60];
            double g[3] = {1.0, 2.0, -9.0}, local[3] = {0.01, 0.02, 0.03}, k;
            random_configuration(&dice, a, qa);
            random_vector(&dice, n, 1.0, va);
            memcpy(qb, qa, sizeof qa);
            memcpy(vb, va, sizeof va);
            k = a->link[right].multiplier;
            qb[b->n_q - 1] = k * qa[a->n_q - 1] + a->link[right].offset;
            vb[m - 1] = k * va[n - 1];
            cond_articulation_kinematics(a, qa, wa);
            cond_articulation_kinematics(b, qb, wb);
            assert_memory_equal(wa->position, wb->position, sizeof(double) * 3 * 13);
            cond_articulation_mass(a, wa, Ma);
            cond_articulation_mass(b, wb, Mb);
            cond_articulation_bias(a, wa, va, g, fa);
            cond_articulation_bias(b, wb, vb, g, fb);
            cond_articulation_point(a, wa, right, local, NULL, Ja);
            cond_articulation_point(b, wb, right, local, NULL, Jb);
            for (int i = 0; i < m; i++) // columns first, then rows
                Mb[i * m + n - 1] += k * Mb[i * m + m - 1];
            for (int j = 0; j < n; j++)
                Mb[(n - 1) * m + j] += k * Mb[(m - 1) * m + j];
            fb[n - 1] += k * fb[m - 1];
            for (int i = 0; i < n; i++) {
                assert_near(fa[i], fb[i], 1e-13);
                for (int j = 0; j < n; j++)
                    assert_near(Ma[i * n + j], Mb[i * m + j], 1e-14);
            }
            for (int r = 0; r < 3; r++) {
                Jb[r * m + n - 1] += k * Jb[r * m + m - 1];
                for (int j = 0; j < n; j++)
                    assert_near(Ja[r * n + j], Jb[r * m + j], 1e-15);
            }
        }
        cond_articulation_work_destroy(wa);
        cond_articulation_work_destroy(wb);
    }
    cond_articulation_destroy(a);
    cond_articulation_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinematics_follow_the_table),
        cmocka_unit_test(test_limits_and_shapes),
        cmocka_unit_test(test_mimic_is_a_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
