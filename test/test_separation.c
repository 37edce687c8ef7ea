// Convex pairs: how far apart, along which normal, and how deep in each other. Against a search
// over all directions that knows the shapes by formulas of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "collide/pair_memory.h"
#include "geometry/convex.h"
#include "geometry/separation.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// A crystal without two parallel faces.
static const double CRYSTAL[18] = {0.30, 0.00,  0.00, -0.25, 0.05, 0.00, 0.00, 0.20, 0.02,
                                   0.00, -0.22, 0.00, 0.01,  0.00, 0.27, 0.00, 0.03, -0.30};
static const int CRYSTAL_FACE[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                     2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

typedef struct Thing {
    CondShape shape;
    double pose[7], R[9];
    double size; // smallest extent
} Thing;

// The largest d . x over the shape, margin included.
static double reach_of(const Thing* thing, const double d[3])
{
    const CondShape* s = &thing->shape;
    double l[3], most = -INFINITY;
    mat3_multiply_transposed(thing->R, d, l);
    double base = vec3_dot(d, thing->pose) + s->margin;
    switch (s->form) {
    case COND_FORM_SPHERE:
        return base + s->radius;
    case COND_FORM_CAPSULE:
        return base + s->radius + s->half[2] * fabs(l[2]);
    case COND_FORM_BOX:
        return base + s->half[0] * fabs(l[0]) + s->half[1] * fabs(l[1]) + s->half[2] * fabs(l[2]);
    case COND_FORM_CYLINDER:
        return base + s->radius * sqrt(l[0] * l[0] + l[1] * l[1]) + s->half[2] * fabs(l[2]);
    default:
        for (int v = 0; v < 6; v++)
            most = fmax(most, vec3_dot(l, CRYSTAL + 3 * v));
        return base + most;
    }
}

// How far a lies in front of b along n.
static double apart_along(const Thing* a, const Thing* b, const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -reach_of(a, back) - reach_of(b, n);
}

// Climbs from n by smaller and smaller steps in changing directions.
static double climb(const Thing* a, const Thing* b, double n[3], Dice* dice)
{
    const double first[3] = {1.0, 0.0, 0.0};
    double best = apart_along(a, b, n), F[9];
    for (double h = 0.06; h > 1e-11; h *= 0.6) {
        for (int again = 1; again;) {
            double turn = dice_uniform(dice, 0.0, 6.3);
            again = 0;
            mat3_frame(n, first, F);
            for (int k = 0; k < 9 && !again; k++) {
                double m[3], angle = turn + 0.7 * k;
                for (int i = 0; i < 3; i++)
                    m[i] = n[i] + h * (cos(angle) * F[3 + i] + sin(angle) * F[6 + i]);
                double length = vec3_norm(m);
                for (int i = 0; i < 3; i++)
                    m[i] /= length;
                double here = apart_along(a, b, m);
                if (here > best) {
                    best = here;
                    again = 1;
                    memcpy(n, m, sizeof m);
                }
            }
        }
    }
    return best;
}

// The largest over all directions: from the best of many that lie well apart.
static double search(const Thing* a, const Thing* b, Dice* dice)
{
    enum { N = 1500, STARTS = 8 };
    static double n[N][3], value[N];
    double best = -INFINITY;
    for (int k = 0; k < N; k++) {
        double z = 1.0 - 2.0 * (k + 0.5) / N, across = sqrt(1.0 - z * z), turn = 2.39996323 * k;
        n[k][0] = across * cos(turn);
        n[k][1] = across * sin(turn);
        n[k][2] = z;
        value[k] = apart_along(a, b, n[k]);
    }
    for (int start = 0; start < STARTS; start++) {
        int top = 0;
        for (int k = 1; k < N; k++)
            top = value[k] > value[top] ? k : top;
        double from[3] = {n[top][0], n[top][1], n[top][2]};
        for (int k = 0; k < N; k++)
            if (vec3_dot(n[k], from) > 0.97)
                value[k] = -INFINITY;
        best = fmax(best, climb(a, b, from, dice));
    }
    return best;
}

static Thing make_thing(CondShapeForm form, const CondMeshSurface* crystal, int level, Dice* dice)
{
    Thing thing = {.shape = {.form = form, .radius = dice_uniform(dice, 0.03, 0.3)}};
    for (int i = 0; i < 3; i++) {
        thing.shape.half[i] = dice_uniform(dice, 0.03, 0.3);
        thing.pose[i] = dice_uniform(dice, -0.3, 0.3);
    }
    thing.shape.margin = dice_uniform(dice, -0.05, 0.05);
    thing.shape.margin = fmax(thing.shape.margin, 0.0);
    thing.shape.mesh_surface = form == COND_FORM_CONVEX ? crystal : NULL;
    thing.pose[3] = 1.0;
    for (int i = 3; i < 7 && !level; i++)
        thing.pose[i] = dice_uniform(dice, -1.0, 1.0);
    quat_normalize(thing.pose + 3);
    quat_matrix(thing.pose + 3, thing.R);
    thing.size = fmin(thing.shape.radius, fmin(thing.shape.half[0], thing.shape.half[1]));
    return thing;
}

static int separate(const Thing* a, const Thing* b, double far, CondSeparation* out)
{
    CondCore core_a, core_b;
    cond_core_make(&a->shape, a->pose, b->pose, &core_a);
    cond_core_make(&b->shape, b->pose, b->pose, &core_b);
    return cond_cores_separate(&core_a, &core_b, far, out);
}

// All ordered pairs at random poses, every third with parallel axes, from a tenth of the size deep
// to as much apart, and just touching.
static void test_against_search(void** state)
{
    (void)state;
    Dice dice = {5};
    CondConvex* crystal;
    CondError error = {0};
    assert_int_equal(cond_convex_create(NULL, 6, CRYSTAL, 8, CRYSTAL_FACE, &crystal, &error),
                     COND_OK);
    double worst = 0.0;
    for (int trial = 0; trial < 25 * 24; trial++) {
        CondShapeForm fa = (CondShapeForm)(1 + trial % 5), fb = (CondShapeForm)(1 + trial / 5 % 5);
        int level = trial / 25 % 3 == 0, touching = trial / 25 % 4 == 3;
        Thing a = make_thing(fa, crystal, level, &dice), b = make_thing(fb, crystal, level, &dice);
        double size = fmin(a.size, b.size);
        CondSeparation s;
        assert_true(separate(&a, &b, INFINITY, &s));
        double target = dice_uniform(&dice, -0.2, 0.2) * size * (touching ? 1e-9 : 1.0);
        for (int i = 0; i < 3; i++)
            a.pose[i] += (target - s.apart) * s.normal[i];
        assert_true(separate(&a, &b, INFINITY, &s));
        // The normal keeps its word, and no other direction does better.
        assert_near(vec3_norm(s.normal), 1.0, 1e-14);
        assert_near(apart_along(&a, &b, s.normal), s.apart, 1e-14);
        double best = search(&a, &b, &dice);
        worst = fmax(worst, (best - s.apart) / size);
        assert_true(best - s.apart < 1e-8 * size);
        // The other way round it is the same.
        CondSeparation back;
        assert_true(separate(&b, &a, INFINITY, &back));
        assert_near(back.apart, s.apart, 1e-8 * size);
        // What is too far is not reported.
        assert_int_equal(separate(&a, &b, s.apart - 1e-6, &back), 0);
        assert_int_equal(separate(&a, &b, s.apart + 1e-6, &back), 1);
    }
    print_message("no direction better by more than %.1e of the size\n", worst);
    cond_mesh_surface_destroy(crystal);
}

// Equal cylinders rim to rim, cap to cap, side by side and crosswise, at distances known by hand.
static void test_cylinders(void** state)
{
    (void)state;
    Thing a = {.shape = {.form = COND_FORM_CYLINDER, .radius = 0.1, .half = {0.0, 0.0, 0.2}}};
    a.pose[3] = 1.0;
    Thing b = a;
    CondSeparation s;
    const double gap[] = {1e-3, 1e-9, 0.0, -1e-9, -1e-3, -1e-2};
    for (int k = 0; k < 6; k++) {
        for (int way = 0; way < 4; way++) {
            const double unit[4] = {1.0, 0.0, 0.0, 0.0};
            memset(a.pose, 0, 3 * sizeof(double));
            memcpy(a.pose + 3, unit, sizeof unit);
            double n[3] = {0.0, 0.0, 0.0};
            n[way == 0 ? 2 : 0] = 1.0;
            if (way == 0) // cap on cap, shifted
                a.pose[2] = 0.4 + gap[k], a.pose[1] = 0.05;
            else if (way == 1) // side by side, shifted along
                a.pose[0] = 0.2 + gap[k], a.pose[2] = 0.07;
            else if (way == 2) { // crosswise
                make_turn(1.0, 0.0, 0.0, 1.0, a.pose + 3);
                a.pose[0] = 0.2 + gap[k];
                a.pose[1] = 0.01;
            } else { // a cap against the side
                make_turn(0.0, 1.0, 0.0, acos(0.0), a.pose + 3);
                a.pose[0] = 0.3 + gap[k];
                a.pose[2] = 0.03;
            }
            assert_true(separate(&a, &b, 1.0, &s));
            assert_near(s.apart, gap[k], 1e-14);
            for (int i = 0; i < 3; i++)
                assert_near(s.normal[i], n[i], 1e-12);
        }
    }
}

// One search of a pair in the memory; 1 where it was answered without one, and is near.
static int check_memory(CondPairMemory* memory, const Thing* a, const Thing* b, double far)
{
    CondCore core_a, core_b;
    CondSeparation alone;
    int pair[1][2] = {{0, 1}};
    const CondTreePairs pairs = {.n = 1, .pair = pair};
    cond_core_make(&a->shape, a->pose, b->pose, &core_a);
    cond_core_make(&b->shape, b->pose, b->pose, &core_b);
    assert_int_equal(cond_pair_memory_begin(memory, &pairs), COND_OK);
    CondPairKnown* known = &memory->known[memory->place[0]];
    int near = cond_pair_separate(memory, known, &core_a, &core_b, far);
    assert_int_equal(near, cond_cores_separate(&core_a, &core_b, far, &alone));
    if (near)
        assert_memory_equal(&known->apart, &alone, sizeof alone);
    return near && known->search < memory->search;
}

// What is known of a pair says the same as a search, to the last bit, however far it looks and
// wherever the pair was before.
static void test_from_memory(void** state)
{
    (void)state;
    Dice dice = {7};
    CondConvex* crystal;
    CondError error = {0};
    const CondTreePairs none = {.n = 0};
    int known = 0;
    assert_int_equal(cond_convex_create(NULL, 6, CRYSTAL, 8, CRYSTAL_FACE, &crystal, &error),
                     COND_OK);
    for (int trial = 0; trial < 25 * 8; trial++) {
        CondPairMemory memory = {0};
        CondSeparation s;
        Thing a = make_thing((CondShapeForm)(1 + trial % 5), crystal, trial % 3 == 0, &dice);
        Thing b = make_thing((CondShapeForm)(1 + trial / 5 % 5), crystal, trial % 3 == 0, &dice);
        assert_int_equal(cond_pair_memory_create(NULL, 2, &memory), COND_OK);
        for (int pass = 0; pass < 40; pass++) {
            assert_true(separate(&a, &b, INFINITY, &s));
            if (pass % 4 == 0) { // to somewhere near touching
                for (int i = 0; i < 3; i++)
                    a.pose[i] += (dice_uniform(&dice, -0.01, 0.01) - s.apart) * s.normal[i];
                cond_pair_memory_move(&memory, pass % 8 == 0);
            }
            if (pass % 16 == 9)
                assert_int_equal(cond_pair_memory_begin(&memory, &none), COND_OK);
            double off = pass % 3 ? 0.02 : pass % 2 ? 1e-9 : 0.0; // apart now, or clearly not so
            known += check_memory(&memory, &a, &b, s.apart + dice_uniform(&dice, -off, off));
            known += check_memory(&memory, &a, &b, fabs(s.apart) + off);
        }
        cond_pair_memory_destroy(&memory);
    }
    assert_true(known > 1000);
    cond_mesh_surface_destroy(crystal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_search),
        cmocka_unit_test(test_cylinders),
        cmocka_unit_test(test_from_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
