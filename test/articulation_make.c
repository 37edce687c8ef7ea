// Articulated bodies for the tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "articulation_make.h"

#include "math/quat.h"
#include "robot_file/urdf.h"

#include <stdio.h>
#include <string.h>

void random_vector(Dice* dice, int n, double scale, double* x)
{
    for (int i = 0; i < n; i++)
        x[i] = dice_uniform(dice, -scale, scale);
}

static void random_turn(Dice* dice, double q[4])
{
    random_vector(dice, 4, 1.0, q);
    quat_normalize(q);
}

// I = R diag(b + c, a + c, a + b) R' with second moments a, b, c > 0: any physical inertia.
static void random_inertia(Dice* dice, CondLink* link)
{
    double q[4], R[9], s[3];
    random_turn(dice, q);
    quat_matrix(q, R);
    for (int k = 0; k < 3; k++)
        s[k] = dice_uniform(dice, 0.01, 0.2);
    double moment[3] = {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
    link->mass = dice_uniform(dice, 0.2, 3.0);
    random_vector(dice, 3, 0.3, link->com);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += R[3 * i + k] * moment[k] * R[3 * j + k];
            link->inertia[3 * i + j] = link->inertia[3 * j + i] = sum;
        }
}

static void add(CondArticulation* a, const CondLink* link)
{
    CondError error;
    if (cond_articulation_add_link(a, link, &error))
        fail_msg("%s", error.message);
}

CondArticulation* make_tree(Dice* dice, int n_link, int floating, int with_mimics)
{
    return make_tree_of(dice, n_link, floating, with_mimics, 0);
}

CondArticulation* make_tree_of(Dice* dice, int n_link, int floating, int with_mimics, int all_kinds)
{
    CondArticulation* a;
    CondError error;
    assert_int_equal(cond_articulation_create(NULL, &a, &error), COND_OK);
    a->floating = floating;
    random_vector(dice, 3, 1.0, a->base_position);
    random_turn(dice, a->base_orientation);
    CondLink base = cond_link_default();
    strcpy(base.name, "base");
    random_inertia(dice, &base);
    add(a, &base);
    for (int i = 1; i <= n_link; i++) {
        CondLink link = cond_link_default();
        snprintf(link.name, sizeof link.name, "link%d", i);
        snprintf(link.joint, sizeof link.joint, "joint%d", i);
        // Mostly a chain, with a branch now and then.
        link.parent = dice_uniform(dice, 0.0, 1.0) < 0.7 ? i - 1 : (int)dice_uniform(dice, 0.0, i);
        double kind = dice_uniform(dice, 0.0, 1.0);
        link.kind = i == 1 || kind < 0.55 ? COND_LINK_CONTINUOUS : COND_LINK_PRISMATIC;
        if (i > 1 && kind > 0.9)
            link.kind = COND_LINK_FIXED;
        if (all_kinds && i % 2 == 0)
            link.kind = COND_LINK_SPHERICAL + (all_kinds + i / 2) % 3;
        random_vector(dice, 3, 0.5, link.position);
        random_turn(dice, link.orientation);
        random_vector(dice, 3, 1.0, link.axis);
        link.damping = dice_uniform(dice, 0.0, 1.0);
        random_inertia(dice, &link);
        int other = (int)dice_uniform(dice, 1.0, i);
        if (with_mimics && i > 1 && a->link[other].kind != COND_LINK_FIXED &&
            a->link[other].kind < COND_LINK_SPHERICAL && link.kind < COND_LINK_SPHERICAL &&
            dice_uniform(dice, 0.0, 1.0) < 0.4) {
            link.mimic = other;
            link.multiplier = dice_uniform(dice, -2.0, 2.0);
            link.offset = dice_uniform(dice, -0.5, 0.5);
        }
        add(a, &link);
    }
    if (cond_articulation_finish(a, &error))
        fail_msg("%s", error.message);
    return a;
}

CondArticulation* make_panda(void)
{
    CondArticulation* a;
    CondError error;
    if (cond_urdf_read(NULL, COND_SCENES "/panda.urdf", NULL, &a, &error))
        fail_msg("%s", error.message);
    return a;
}

CondArticulationWork* make_work(const CondArticulation* a)
{
    CondArticulationWork* work;
    assert_int_equal(cond_articulation_work_create(NULL, a, &work, NULL), COND_OK);
    return work;
}

void random_configuration(Dice* dice, const CondArticulation* a, double* q)
{
    if (a->floating) {
        random_vector(dice, 3, 2.0, q);
        random_turn(dice, q + 3);
        q += 7;
    }
    for (int i = 0; i < a->n_ball; i++, q += 4)
        random_turn(dice, q);
    for (int i = 0; i < a->n_joint; i++) {
        const CondJointCoordinate* c = &a->coordinate[i];
        q[i] = dice_uniform(dice, fmax(c->lower, -3.0), fmin(c->upper, 3.0));
    }
}
