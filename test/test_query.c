// Rays, nearest surfaces and spheres: closed forms, and what must hold along every ray.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Setup {
    Trial trial;
    CondQuery* query;
    Dice dice;
} Setup;

static Setup begin(CondScene* scene)
{
    Setup s = {.trial = trial_begin(scene), .dice = {11}};
    CondError error;
    assert_int_equal(cond_query_create(s.trial.model, &s.query, &error), COND_OK);
    return s;
}

static void end(Setup* s)
{
    cond_query_destroy(s->query);
    trial_end(&s->trial);
}

static CondHit shoot(Setup* s, const double from[3], const double to[3], double limit,
                     const int* leave_out)
{
    CondHit hit;
    assert_int_equal(cond_query_ray(s->query, from, to, limit, leave_out, &hit), COND_OK);
    return hit;
}

static CondBodyDef make_body(const char* name, CondShapeKind shape, double a, double b, double c,
                             double x, double y, double z)
{
    CondBodyDef def = make_box(1.0, 1.0, 1.0, 1.0, x, y, z);
    snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = shape;
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    def.inertia_from_shape = 1;
    return def;
}

// A ball at x = 2, a box behind it at x = 5, a soft cube at y = 3, a rod at z = 4, all above a
// floor.
static CondScene* make_things(void)
{
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef ball = make_body("ball", COND_SHAPE_SPHERE, 0.5, 0.0, 0.0, 2.0, 0.0, 1.0);
    CondBodyDef box = make_box(1.0, 1.0, 2.0, 2.0, 5.0, 0.0, 1.0);
    CondBodyDef soft = make_soft("soft", "box:2,2,2:1,1,1", "rubber", 0.0, 3.0, 1.0);
    CondBodyDef rod = cond_body_def_default();
    rod.kind = COND_BODY_ROD;
    snprintf(rod.name, sizeof rod.name, "rod");
    snprintf(rod.material, sizeof rod.material, "rubber");
    rod.rod.links = 5;
    rod.rod.length = 1.0;
    rod.rod.circle = 0.05;
    rod.position[2] = 4.0;
    add_body(scene, &ball);
    add_body(scene, &box);
    add_body(scene, &soft);
    add_body(scene, &rod);
    add_floor(scene, 0.5, 0.0);
    return scene;
}

static void test_closed_forms(void** state)
{
    (void)state;
    Setup s = begin(make_things());
    double eye[3] = {0.0, 0.0, 1.0}, ahead[3] = {2.0, 0.0, 0.0}, down[3] = {0.0, 0.0, -1.0};
    int gone[4] = {1, 0, 0, 0};
    CondHit hit = shoot(&s, eye, ahead, INFINITY, NULL);
    assert_int_equal(hit.body, 0);
    assert_near(hit.distance, 1.5, 1e-12);
    assert_near(hit.normal[0], -1.0, 1e-12);
    assert_near(hit.position[0], 1.5, 1e-12);
    hit = shoot(&s, eye, ahead, INFINITY, gone); // through the ball that is not there
    assert_int_equal(hit.body, 1);
    assert_near(hit.distance, 4.5, 1e-12);
    hit = shoot(&s, eye, ahead, 1.0, NULL);
    assert_true(isinf(hit.distance));
    assert_int_equal(hit.body, -1);
    hit = shoot(&s, eye, down, INFINITY, NULL);
    assert_int_equal(hit.plane, 0);
    assert_int_equal(hit.body, -1);
    assert_near(hit.distance, 1.0, 1e-12);
    double beside[3] = {0.0, 0.0, 1.2}, left[3] = {0.0, 1.0, 0.0};
    hit = shoot(&s, beside, left, INFINITY, NULL);
    assert_int_equal(hit.body, 2);
    double above[3] = {2.0, 0.0, 4.5}, back[3] = {-1.0, 0.0, 0.0};
    hit = shoot(&s, above, back, INFINITY, NULL); // links are stacked along z from 4
    assert_int_equal(hit.body, 3);
    assert_int_equal(hit.part, 2);
    assert_near(hit.distance, 1.95, 1e-12);
    double inside[3] = {2.0, 0.1, 1.0};
    hit = shoot(&s, inside, ahead, INFINITY, NULL);
    assert_int_equal(hit.body, 0);
    assert_near(hit.distance, 0.0, 0.0);
    CondHit near, all[8];
    int n;
    assert_int_equal(cond_query_nearest(s.query, inside, INFINITY, NULL, &near), COND_OK);
    assert_int_equal(near.body, 0);
    assert_near(near.distance, -0.4, 1e-12);
    assert_int_equal(cond_query_within(s.query, inside, 1.05, 8, all, &n), COND_OK);
    assert_int_equal(n, 2); // ball and floor
    assert_int_equal(cond_query_within(s.query, inside, 10.0, 1, all, &n), COND_OK);
    assert_int_equal(n, 3 + 1 + 5);
    double nowhere[3] = {0.0, 0.0, 0.0}, bad[3] = {NAN, 0.0, 0.0};
    assert_int_equal(cond_query_ray(s.query, eye, nowhere, 1.0, NULL, &hit), COND_BAD_ARGUMENT);
    assert_int_equal(cond_query_ray(s.query, bad, ahead, 1.0, NULL, &hit), COND_BAD_ARGUMENT);
    assert_int_equal(cond_query_nearest(s.query, bad, 1.0, NULL, &hit), COND_BAD_ARGUMENT);
    end(&s);
}

// Sixteen solids of four forms and a soft ball, anyhow.
static CondScene* make_many(void)
{
    CondScene* scene = make_scene();
    Dice dice = {5};
    const CondShapeKind shapes[] = {COND_SHAPE_SPHERE, COND_SHAPE_CAPSULE, COND_SHAPE_CYLINDER,
                                    COND_SHAPE_BOX};
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    for (int i = 0; i < 16; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        double place[3];
        for (int k = 0; k < 3; k++)
            place[k] = dice_uniform(&dice, -2.0, 2.0);
        CondBodyDef def = make_body(name, shapes[i % 4], dice_uniform(&dice, 0.1, 0.4),
                                    dice_uniform(&dice, 0.1, 0.4), dice_uniform(&dice, 0.1, 0.4),
                                    place[0], place[1], place[2]);
        make_turn(dice_uniform(&dice, -1.0, 1.0), 1.0, dice_uniform(&dice, -1.0, 1.0),
                  dice_uniform(&dice, -3.0, 3.0), def.orientation);
        add_body(scene, &def);
    }
    CondBodyDef soft = make_soft("soft", "ball:0.4:4", "rubber", 0.5, 0.5, 0.5);
    add_body(scene, &soft);
    return scene;
}

// On every ray: the end is on a surface, and nothing is met before it.
static void test_along_rays(void** state)
{
    (void)state;
    Dice dice = {7};
    Setup s = begin(make_many());
    int hits = 0;
    for (int i = 0; i < 1000; i++) {
        double from[3], way[3];
        CondHit hit, near;
        for (int k = 0; k < 3; k++) {
            from[k] = dice_uniform(&dice, -4.0, 4.0);
            way[k] = dice_uniform(&dice, -1.5, 1.5) - from[k];
        }
        assert_int_equal(cond_query_nearest(s.query, from, INFINITY, NULL, &near), COND_OK);
        if (near.distance <= 0.0)
            continue;
        hit = shoot(&s, from, way, 8.0, NULL);
        double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        double far = isfinite(hit.distance) ? hit.distance : 8.0;
        hits += isfinite(hit.distance);
        for (int j = 0; j <= 200; j++) {
            double x[3], t = far * j / 200.0;
            for (int k = 0; k < 3; k++)
                x[k] = from[k] + t * way[k] / length;
            assert_int_equal(cond_query_nearest(s.query, x, INFINITY, NULL, &near), COND_OK);
            if (j < 200)
                assert_true(near.distance > -1e-9);
        }
        if (isfinite(hit.distance)) {
            assert_near(near.distance, 0.0, 1e-9);
            assert_true(hit.normal[0] * way[0] + hit.normal[1] * way[1] + hit.normal[2] * way[2] <=
                        1e-6);
        }
    }
    assert_true(hits > 100);
    end(&s);
}

// After the things have moved the query follows, and says the same as one that is made there.
static void test_set(void** state)
{
    (void)state;
    Setup s = begin(make_things());
    trial_step(&s.trial, 30);
    cond_query_set(s.query, s.trial.state);
    double up[3] = {2.0, 0.0, 3.0}, down[3] = {0.0, 0.0, -1.0};
    CondPose ball = trial_pose(&s.trial, 0);
    CondHit hit = shoot(&s, up, down, INFINITY, NULL), many[2];
    assert_int_equal(hit.body, 0);
    assert_near(hit.distance, 3.0 - ball.position[2] - 0.5, 1e-9);
    double origin[6] = {2.0, 0.0, 3.0, 0.0, 0.0, 1.0}, way[6] = {0.0, 0.0, -1.0, 0.0, 0.0, -1.0};
    double limit[2] = {INFINITY, INFINITY};
    assert_int_equal(cond_query_rays(s.query, 2, origin, way, limit, NULL, many), COND_OK);
    assert_near(many[0].distance, hit.distance, 0.0);
    assert_int_equal(many[1].plane, 0);
    end(&s);
}

static CondClosest between(Setup* s, int body, int other, double limit)
{
    CondClosest closest;
    assert_int_equal(cond_query_closest(s->query, body, other, limit, &closest), COND_OK);
    return closest;
}

static void test_closest_forms(void** state)
{
    (void)state;
    Setup s = begin(make_things());
    CondClosest c = between(&s, 0, 1, INFINITY); // ball and box: from 2.5 to 4.5
    assert_near(c.distance, 2.0, 1e-12);
    assert_near(c.normal[0], -1.0, 1e-12);
    assert_near(c.point[0][0], 2.5, 1e-12);
    assert_near(c.point[1][0], 4.5, 1e-12);
    assert_int_equal(c.part[0], 0);
    assert_int_equal(c.plane, -1);
    c = between(&s, 2, 0, INFINITY); // the cube's edge at (0.5, 2.5) and the ball
    assert_near(c.distance, hypot(1.5, 2.5) - 0.5, 1e-9);
    c = between(&s, 3, 0, INFINITY); // the rod's lower end, a hemisphere at z = 4, and the ball
    assert_near(c.distance, hypot(2.0, 3.0) - 0.55, 1e-9);
    assert_int_equal(c.part[0], 0);
    c = between(&s, 0, COND_STATIC_BODY, INFINITY);
    assert_near(c.distance, 0.5, 1e-12);
    assert_int_equal(c.plane, 0);
    assert_near(c.point[1][2], 0.0, 1e-12);
    c = between(&s, 0, 1, 1.9);
    assert_true(isinf(c.distance));
    assert_int_equal(c.part[0], -1);
    assert_int_equal(cond_query_closest(s.query, 0, 0, 1.0, &c), COND_BAD_ARGUMENT);
    assert_int_equal(cond_query_closest(s.query, 0, 9, 1.0, &c), COND_BAD_ARGUMENT);
    assert_int_equal(cond_query_closest(s.query, 0, 1, NAN, &c), COND_BAD_ARGUMENT);
    end(&s);
}

// Both points lie on the surfaces, as far apart as it says, along the normal; of the other order it
// is the same; and a walk to and fro between the surfaces from anywhere finds nothing nearer.
static void check_pair(Setup* s, int a, int b, int n_body)
{
    CondClosest c = between(s, a, b, INFINITY), back = between(s, b, a, INFINITY);
    assert_near(c.distance, back.distance, 1e-9);
    double d[3], x[3];
    CondHit hit;
    for (int k = 0; k < 3; k++) {
        d[k] = c.point[0][k] - c.point[1][k];
        assert_near(d[k], c.distance * c.normal[k], 1e-7);
    }
    for (int side = 0; side < 2; side++) {
        int others[32];
        for (int i = 0; i < n_body; i++)
            others[i] = i != (side ? b : a);
        assert_int_equal(cond_query_nearest(s->query, c.point[side], INFINITY, others, &hit),
                         COND_OK);
        assert_true(fabs(hit.distance) <= 1e-8 + (c.distance < 0.0 ? -c.distance : 0.0));
    }
    if (c.distance <= 0.0)
        return;
    for (int k = 0; k < 3; k++)
        x[k] = dice_uniform(&s->dice, -2.0, 2.0);
    for (int turn = 0; turn < 60; turn++) {
        int others[32];
        double before[3] = {x[0], x[1], x[2]};
        for (int i = 0; i < n_body; i++)
            others[i] = i != (turn % 2 ? b : a);
        assert_int_equal(cond_query_nearest(s->query, x, INFINITY, others, &hit), COND_OK);
        memcpy(x, hit.position, sizeof x);
        for (int k = 0; k < 3; k++)
            d[k] = x[k] - before[k];
        if (turn > 0)
            assert_true(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) >= c.distance - 1e-8);
    }
}

static void test_closest_pairs(void** state)
{
    (void)state;
    Setup s = begin(make_many());
    int apart = 0, n = cond_model_n_body(s.trial.model);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) {
            check_pair(&s, a, b, n);
            apart += between(&s, a, b, INFINITY).distance > 0.0;
        }
    assert_true(apart > 100);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),  cmocka_unit_test(test_along_rays),
        cmocka_unit_test(test_set),           cmocka_unit_test(test_closest_forms),
        cmocka_unit_test(test_closest_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
