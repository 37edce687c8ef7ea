// The geometric audit against values known in closed form, against itself turned round and moved,
// and against a search over all directions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "audit/piece.h"
#include "cond/audit.h"
#include "math/quat.h"
#include "scene_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondPiece make_piece(CondPieceKind kind, double radius, double a, double b, double c)
{
    CondPiece piece = {.kind = kind,
                       .radius = radius,
                       .half = {a, b, c},
                       .axes = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    return piece;
}

static void put(CondPiece* piece, double x, double y, double z, double ax, double ay, double az,
                double angle)
{
    double q[4];
    make_turn(ax, ay, az, angle, q);
    quat_matrix(q, piece->axes);
    piece->centre[0] = x;
    piece->centre[1] = y;
    piece->centre[2] = z;
}

static double gap_of(const CondPiece* a, const CondPiece* b)
{
    CondTranslation t;
    cond_pieces_translation(a, b, &t);
    double along = 0.0;
    for (int i = 0; i < 3; i++)
        along += t.normal[i] * (t.point[0][i] - t.point[1][i]);
    assert_near(along, t.gap, 1e-12); // the points say the same as the gap
    return t.gap;
}

static void test_known_values(void** unused)
{
    (void)unused;
    const double right = acos(0.0), root = sqrt(2.0);
    CondPiece ball = make_piece(COND_PIECE_POINT, 0.5, 0.0, 0.0, 0.0), other = ball;
    put(&other, 0.6, 0.0, 0.8, 1.0, 0.0, 0.0, 0.3);
    other.radius = 0.25;
    assert_near(gap_of(&ball, &other), 0.25, 1e-14);
    put(&other, 0.0, 0.3, 0.0, 1.0, 0.0, 0.0, 0.3);
    assert_near(gap_of(&ball, &other), -0.45, 1e-14);
    put(&other, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3);
    assert_near(gap_of(&ball, &other), -0.75, 1e-14); // one in the middle of the other

    CondPiece box = make_piece(COND_PIECE_BOX, 0.0, 0.5, 0.4, 0.3), cube;
    put(&other, 0.7, 0.6, 0.0, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&box, &other), hypot(0.2, 0.2) - 0.25, 1e-14); // before an edge
    put(&other, 0.0, 0.0, 0.2, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&box, &other), -0.1 - 0.25, 1e-14); // centre within the box

    cube = make_piece(COND_PIECE_BOX, 0.0, 0.5, 0.5, 0.5);
    put(&box, 0.9, 0.1, 0.1, 1.0, 0.0, 0.0, 0.0);
    assert_near(gap_of(&cube, &box), -0.1, 1e-14); // side by side
    put(&box, 1.5, 1.4, 0.0, 1.0, 0.0, 0.0, 0.0);
    assert_near(gap_of(&cube, &box), hypot(0.5, 0.5), 1e-14);
    CondPiece roof = make_piece(COND_PIECE_BOX, 0.0, 0.5, 0.5, 2.0);
    put(&roof, 0.0, 0.0, 1.1, 1.0, 0.0, 0.0, right / 2.0); // stands on an edge along x
    put(&cube, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, right / 2.0); // edge up, along y: they cross
    roof.half[2] = 0.5;
    assert_near(gap_of(&roof, &cube), 1.1 - root, 1e-14);

    CondPiece pin = make_piece(COND_PIECE_SEGMENT, 0.1, 0.0, 0.0, 1.0), bar = pin;
    put(&bar, 0.0, 0.15, 0.2, 0.0, 1.0, 0.0, right);
    assert_near(gap_of(&pin, &bar), -0.05, 1e-14);
    put(&bar, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&pin, &bar), -0.2, 1e-14); // axis in axis
    put(&bar, 0.0, 0.0, 2.5, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&pin, &bar), 0.3, 1e-14); // end to end
}

static void test_cylinders(void** unused)
{
    (void)unused;
    const double right = acos(0.0), tilt = 0.4, r = 0.3, h = 0.2;
    CondPiece drum = make_piece(COND_PIECE_CYLINDER, 0.0, r, 0.0, h), table, wall, ball;
    table = make_piece(COND_PIECE_BOX, 0.0, 2.0, 2.0, 1.0);
    // On its rim: the lowest point is h cos(tilt) + r sin(tilt) below the centre.
    double low = h * cos(tilt) + r * sin(tilt);
    put(&table, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.7);
    for (int k = -1; k <= 1; k++) {
        put(&drum, 0.1, 0.2, low + 0.01 * k, 0.6, 0.8, 0.0, tilt);
        assert_near(gap_of(&drum, &table), 0.01 * k, 1e-12);
        assert_near(gap_of(&table, &drum), 0.01 * k, 1e-12);
    }
    // Side by side, crossed, and one within the other.
    wall = drum;
    put(&drum, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.2);
    put(&wall, 0.33, 0.44, 0.1, 0.0, 0.0, 1.0, 1.2);
    assert_near(gap_of(&drum, &wall), 0.55 - 2.0 * r, 1e-11);
    put(&wall, 0.55, 0.0, 0.05, 1.0, 0.0, 0.0, right);
    assert_near(gap_of(&drum, &wall), 0.55 - 2.0 * r, 1e-11);
    put(&wall, 0.0, 0.0, 0.02, 0.0, 0.0, 1.0, 1.2);
    assert_near(gap_of(&drum, &wall), 0.02 - 2.0 * h, 1e-11);
    // A ball at the rim, outside of it by 45 degrees, and over the cap.
    ball = make_piece(COND_PIECE_POINT, 0.1, 0.0, 0.0, 0.0);
    put(&ball, 0.35, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0);
    assert_near(gap_of(&drum, &ball), hypot(0.05, 0.05) - 0.1, 1e-12);
    put(&ball, 0.1, 0.0, 0.19, 1.0, 0.0, 0.0, 0.0);
    assert_near(gap_of(&drum, &ball), -0.11, 1e-12);
    // The rim against an edge of a roof, the axes crossing at an angle: the deepest point of the
    // rim along the normal across the edge.
    put(&drum, 0.0, 0.0, h, 0.0, 0.0, 1.0, 0.0);
    CondPiece roof = make_piece(COND_PIECE_BOX, 0.0, 0.5, 0.5, 0.5);
    put(&roof, 0.0, 0.0, -0.5 * sqrt(2.0) + 0.01, 1.0, 0.0, 0.0, right / 2.0);
    assert_near(gap_of(&drum, &roof), -0.01, 1e-11);
}

static CondPiece random_piece(Dice* dice, double spread)
{
    static const CondPieceKind kinds[] = {COND_PIECE_POINT, COND_PIECE_SEGMENT, COND_PIECE_BOX,
                                          COND_PIECE_CYLINDER};
    CondPieceKind kind = kinds[(int)dice_uniform(dice, 0.0, 3.999)];
    CondPiece piece = make_piece(kind, 0.0, dice_uniform(dice, 0.1, 0.5),
                                 dice_uniform(dice, 0.1, 0.5), dice_uniform(dice, 0.1, 0.5));
    if (kind == COND_PIECE_POINT || kind == COND_PIECE_SEGMENT ||
        dice_uniform(dice, 0.0, 1.0) < 0.2)
        piece.radius = dice_uniform(dice, 0.05, 0.3);
    put(&piece, dice_uniform(dice, -spread, spread), dice_uniform(dice, -spread, spread),
        dice_uniform(dice, -spread, spread), dice_uniform(dice, -1.0, 1.0),
        dice_uniform(dice, -1.0, 1.0), dice_uniform(dice, 0.1, 1.0), dice_uniform(dice, 0.0, 3.0));
    return piece;
}

// max over very many directions of the separation along them: never above the audit's, and below
// it by no more than the directions are apart.
static double sampled_gap(const CondPiece* a, const CondPiece* b, int n)
{
    double most = -INFINITY;
    for (int k = 0; k < n; k++) {
        double z = 1.0 - (2.0 * k + 1.0) / n, rho = sqrt(1.0 - z * z),
               angle = 2.399963229728653 * k;
        double m[3] = {rho * cos(angle), rho * sin(angle), z}, minus[3] = {-m[0], -m[1], -m[2]};
        double s = -cond_piece_support(a, minus, NULL) - cond_piece_support(b, m, NULL);
        most = fmax(most, s - a->radius - b->radius);
    }
    return most;
}

static void move(CondPiece* piece, const double R[9], const double t[3])
{
    double axes[9], centre[3];
    mat3_product(R, piece->axes, axes);
    mat3_multiply(R, piece->centre, centre);
    memcpy(piece->axes, axes, sizeof axes);
    for (int i = 0; i < 3; i++)
        piece->centre[i] = centre[i] + t[i];
}

static void test_random_pairs(void** unused)
{
    (void)unused;
    Dice dice = {17};
    const double t[3] = {1.0, -2.0, 0.5};
    double q[4], R[9];
    make_turn(0.3, -0.5, 0.8, 1.1, q);
    quat_matrix(q, R);
    for (int k = 0; k < 400; k++) {
        CondPiece a = random_piece(&dice, 0.4), b = random_piece(&dice, 0.4);
        double gap = gap_of(&a, &b), sampled = sampled_gap(&a, &b, 4000);
        if (gap < sampled - 1e-12 || gap > sampled + 0.08)
            fail_msg("pair %d, kinds %d and %d: %.12g, by samples %.12g", k, a.kind, b.kind, gap,
                     sampled);
        assert_near(gap_of(&b, &a), gap, 1e-9); // the other way round
        move(&a, R, t);
        move(&b, R, t);
        assert_near(gap_of(&a, &b), gap, 1e-9); // and somewhere else
    }
}

// Moved apart by the least translation the two just touch, and no shorter way does it.
static void test_translation_separates(void** unused)
{
    (void)unused;
    Dice dice = {5};
    for (int k = 0; k < 200; k++) {
        CondPiece a = random_piece(&dice, 0.3), b = random_piece(&dice, 0.3);
        CondTranslation t;
        cond_pieces_translation(&a, &b, &t);
        if (!(t.gap < 0.0))
            continue;
        for (int i = 0; i < 3; i++)
            a.centre[i] -= t.gap * t.normal[i];
        assert_near(gap_of(&a, &b), 0.0, 1e-9);
    }
}

// The only pair of a scene.
static CondAuditPair audit_scene(CondScene* scene, int expected)
{
    Trial trial = trial_begin(scene);
    CondAudit* audit = NULL;
    CondAuditPair pair = {.depth = NAN};
    assert_int_equal(cond_audit_create(trial.model, &audit, NULL), COND_OK);
    assert_int_equal(cond_audit_run(audit, trial.state, INFINITY), COND_OK);
    assert_int_equal(cond_audit_n_pair(audit), expected);
    if (expected > 0)
        pair = cond_audit_pair(audit, cond_audit_deepest(audit));
    cond_audit_destroy(audit);
    trial_end(&trial);
    return pair;
}

static CondBodyDef make_mesh(const char* name, const char* mesh, CondShapeKind shape, double z)
{
    CondBodyDef def = cond_body_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.kind = COND_BODY_RIGID;
    def.shape = shape;
    snprintf(def.mesh, sizeof def.mesh, "%s", mesh);
    def.mass = 1.0;
    def.position[2] = z;
    return def;
}

static CondBodyDef make_jelly(const char* name, double z)
{
    CondBodyDef def = cond_body_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.kind = COND_BODY_SOFT;
    snprintf(def.mesh, sizeof def.mesh, "box:3,3,3:0.3,0.3,0.3");
    snprintf(def.material, sizeof def.material, "jelly");
    def.thickness = 0.002;
    def.position[2] = z;
    return def;
}

static CondScene* soft_scene(void)
{
    CondScene* scene = make_scene();
    CondMaterialDef material = cond_material_def_default();
    snprintf(material.name, sizeof material.name, "jelly");
    material.youngs_modulus = 1e4;
    material.poisson_ratio = 0.3;
    material.density = 1000.0;
    assert_int_equal(cond_scene_add_material(scene, &material, NULL), COND_OK);
    return scene;
}

static void test_scenes(void** unused)
{
    (void)unused;
    CondScene* scene = make_scene();
    add_floor(scene, 0.5, NAN);
    CondBodyDef def = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.095);
    add_body(scene, &def);
    CondAuditPair pair = audit_scene(scene, 1);
    assert_near(pair.depth, 0.005, 1e-15);
    assert_int_equal(pair.plane, 0);
    assert_near(pair.normal[2], 1.0, 1e-15);

    // A box on a box that is a mesh, sunk in by 3 mm, a corner first and then flat.
    for (int shape = COND_SHAPE_CONVEX; shape <= COND_SHAPE_MESH; shape++) {
        scene = make_scene();
        def = make_mesh("block", "box:2,2,2:0.4,0.4,0.4", (CondShapeKind)shape, 0.0);
        add_body(scene, &def);
        double half = 0.05 * sqrt(3.0);
        def = make_box(1.0, 0.1, 0.1, 0.1, 0.03, 0.02, 0.2 + half - 0.003);
        snprintf(def.name, sizeof def.name, "corner");
        make_turn(-1.0, 1.0, 0.0, -acos(1.0 / sqrt(3.0)), def.orientation);
        add_body(scene, &def);
        pair = audit_scene(scene, 1);
        assert_near(pair.depth, 0.003, 1e-9);
        assert_string_equal(pair.name[0], "corner");
        assert_string_equal(pair.name[1], "block");
        assert_near(pair.normal[2], 1.0, 1e-6);
    }

    // Two soft boxes, one on the other: they touch within their thickness.
    scene = soft_scene();
    def = make_jelly("lower", 0.0);
    add_body(scene, &def);
    def = make_jelly("upper", 0.301);
    def.position[0] = 0.03;
    add_body(scene, &def);
    pair = audit_scene(scene, 2 - 1);
    assert_near(pair.depth, 0.001, 1e-12);

    // A ball on a soft box, and one within it.
    for (int k = 0; k < 2; k++) {
        scene = soft_scene();
        def = make_jelly("jelly", 0.0);
        add_body(scene, &def);
        def = cond_body_def_default();
        snprintf(def.name, sizeof def.name, "ball");
        def.kind = COND_BODY_RIGID;
        def.shape = COND_SHAPE_SPHERE;
        def.mass = 1.0;
        def.size[0] = 0.04;
        def.position[0] = 0.02;
        def.position[2] = k ? 0.1 : 0.185;
        add_body(scene, &def);
        pair = audit_scene(scene, 1);
        assert_near(pair.depth, k ? 0.09 : 0.005, 1e-9);
    }
}

static void test_rods(void** unused)
{
    (void)unused;
    // Two straight rods that cross, 1 mm too near; each along its own axis touches nothing.
    CondScene* scene = soft_scene();
    for (int k = 0; k < 2; k++) {
        CondBodyDef def = cond_body_def_default();
        snprintf(def.name, sizeof def.name, "rod%d", k);
        def.kind = COND_BODY_ROD;
        snprintf(def.material, sizeof def.material, "jelly");
        def.rod.length = 1.0;
        def.rod.links = 20;
        def.rod.circle = 0.01;
        def.position[0] = k ? 0.019 : 0.0;
        if (k)
            make_turn(1.0, 0.0, 0.0, 0.5, def.orientation);
        add_body(scene, &def);
    }
    CondAuditPair pair = audit_scene(scene, 3);
    assert_near(pair.depth, 0.001, 1e-12);
    assert_int_equal(pair.body[0], 1);
    assert_int_equal(pair.body[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values), cmocka_unit_test(test_cylinders),
        cmocka_unit_test(test_random_pairs), cmocka_unit_test(test_translation_separates),
        cmocka_unit_test(test_scenes),       cmocka_unit_test(test_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
