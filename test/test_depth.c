// How deep bodies are in each other that are not convex: against values known in closed form, and
// against the audit, which searches in another way and shares no code with it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "audit/surface.h"
#include "geometry/cell.h"
#include "geometry/depth.h"
#include "math/quat.h"
#include "scene_make.h"

#include <math.h>
#include <string.h>

enum { MOST_VERTEX = 64, MOST_FACE = 96 };
static const double zero[3] = {0.0, 0.0, 0.0};

typedef struct Mesh {
    int n_vertex, n_face;
    double vertex[MOST_VERTEX][3];
    int face[MOST_FACE][3];
} Mesh;

// An L of three unit cubes, with a quarter cut out of a square of edge 2.
static Mesh make_ell(void)
{
    static const double corner[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int cap[4][3] = {{0, 3, 2}, {0, 2, 1}, {0, 5, 4}, {0, 4, 3}};
    Mesh mesh = {.n_vertex = 12};
    for (int k = 0; k < 12; k++) {
        mesh.vertex[k][0] = corner[k % 6][0] - 0.8;
        mesh.vertex[k][1] = corner[k % 6][1] - 0.8;
        mesh.vertex[k][2] = k < 6 ? -0.5 : 0.5;
    }
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            mesh.face[mesh.n_face + k][c] = cap[k][c];
            mesh.face[mesh.n_face + 4 + k][c] = 6 + cap[k][2 - c];
        }
    mesh.n_face += 8;
    for (int k = 0; k < 6; k++) {
        const int quad[4] = {k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k};
        for (int c = 0; c < 3; c++) {
            mesh.face[mesh.n_face][c] = quad[c];
            mesh.face[mesh.n_face + 1][c] = quad[c ? c + 1 : 0];
        }
        mesh.n_face += 2;
    }
    return mesh;
}

// A ball with bumps and dents: an octahedron, its triangles cut into four once.
static Mesh make_bumps(Dice* dice)
{
    static const int corner[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                     {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    Mesh mesh = {.n_vertex = 6};
    int middle[6][6] = {{0}};
    for (int v = 0; v < 6; v++)
        mesh.vertex[v][v / 2] = v % 2 ? -1.0 : 1.0;
    for (int f = 0; f < 8; f++) {
        int m[3];
        for (int k = 0; k < 3; k++) {
            int a = corner[f][k], b = corner[f][(k + 1) % 3];
            if (!middle[a][b]) {
                for (int i = 0; i < 3; i++)
                    mesh.vertex[mesh.n_vertex][i] =
                        sqrt(0.5) * (mesh.vertex[a][i] + mesh.vertex[b][i]);
                middle[a][b] = middle[b][a] = mesh.n_vertex++;
            }
            m[k] = middle[a][b];
        }
        const int cut[4][3] = {{corner[f][0], m[0], m[2]},
                               {m[0], corner[f][1], m[1]},
                               {m[2], m[1], corner[f][2]},
                               {m[0], m[1], m[2]}};
        memcpy(mesh.face[mesh.n_face], cut, sizeof cut);
        mesh.n_face += 4;
    }
    for (int v = 0; v < mesh.n_vertex; v++) {
        double stretch = dice_uniform(dice, 0.8, 1.2);
        for (int i = 0; i < 3; i++)
            mesh.vertex[v][i] *= stretch;
    }
    return mesh;
}

// One thing, as the audit and as the collision detection take it.
typedef struct Thing {
    const Mesh* mesh; // NULL: a box or a cylinder
    CondShapeForm form;
    double half[3];
    double round;
    double R[9], p[3]; // where it is
} Thing;

static void place_vertices(const Thing* thing, double* vertex)
{
    for (int v = 0; v < thing->mesh->n_vertex; v++) {
        mat3_multiply(thing->R, thing->mesh->vertex[v], vertex + 3 * v);
        for (int i = 0; i < 3; i++)
            vertex[3 * v + i] += thing->p[i];
    }
}

static void take(const Thing* thing, CondBoundary* boundary)
{
    cond_boundary_begin(NULL, boundary);
    if (thing->mesh) {
        double vertex[3 * MOST_VERTEX];
        place_vertices(thing, vertex);
        assert_int_equal(cond_boundary_take_surface(boundary, thing->mesh->n_vertex, vertex,
                                                    thing->mesh->n_face, thing->mesh->face[0],
                                                    zero),
                         COND_OK);
        return;
    }
    CondCore core = {.form = thing->form, .disc = thing->half[0], .size = 2.0};
    for (int i = 0; i < 3; i++)
        core.half[i] = i == 2 || thing->form == COND_FORM_BOX ? thing->half[i] : 0.0;
    memcpy(core.R, thing->R, sizeof core.R);
    memcpy(core.p, thing->p, sizeof core.p);
    assert_int_equal(cond_boundary_take_core(boundary, &core), COND_OK);
}

static double gap_of(const Thing* a, const Thing* b, CondDepth* found)
{
    CondBoundary one, two;
    CondDepthWork work;
    cond_depth_begin(NULL, &work);
    take(a, &one);
    take(b, &two);
    assert_int_equal(cond_boundaries_depth(&work, &one, &two, INFINITY, found), COND_OK);
    cond_boundary_end(&one);
    cond_boundary_end(&two);
    cond_depth_end(&work);
    return found->gap - a->round - b->round;
}

// The same by the audit; a is a mesh. `normal` is the way in which a leaves b.
static double audited(const Thing* a, const Thing* b, double normal[3])
{
    const CondContext context = cond_context_or_default(NULL);
    const Thing* thing[2] = {a, b};
    CondSurface surface[2];
    CondTranslation found;
    for (int s = 0; s < 2 && thing[s]->mesh; s++) {
        const Mesh* mesh = thing[s]->mesh;
        assert_int_equal(
            cond_surface_create(&context, mesh->n_vertex, mesh->n_face, mesh->face[0], &surface[s]),
            COND_OK);
        place_vertices(thing[s], surface[s].vertex);
        cond_surface_place(&surface[s]);
    }
    if (b->mesh) {
        cond_surface_surface(&surface[0], &surface[1], &found);
        cond_surface_destroy(&context, &surface[1]);
    } else {
        CondPiece piece = {.kind = b->form == COND_FORM_BOX        ? COND_PIECE_BOX
                                   : b->form == COND_FORM_CYLINDER ? COND_PIECE_CYLINDER
                                                                   : COND_PIECE_SEGMENT,
                           .radius = b->round};
        memcpy(piece.half, b->half, sizeof piece.half);
        memcpy(piece.axes, b->R, sizeof piece.axes);
        memcpy(piece.centre, b->p, sizeof piece.centre);
        cond_surface_piece(&surface[0], &piece, &found);
    }
    cond_surface_destroy(&context, &surface[0]);
    memcpy(normal, found.normal, sizeof found.normal);
    return found.gap;
}

static void put(Thing* thing, double x, double y, double z, double ax, double ay, double az,
                double angle)
{
    double q[4];
    make_turn(ax, ay, az, angle, q);
    quat_matrix(q, thing->R);
    thing->p[0] = x;
    thing->p[1] = y;
    thing->p[2] = z;
}

static void test_known_values(void** unused)
{
    (void)unused;
    const Mesh mesh = make_ell();
    const double right = acos(0.0), root = sqrt(2.0);
    Thing ell = {.mesh = &mesh}, box = {.form = COND_FORM_BOX, .half = {0.3, 0.3, 0.3}};
    Thing log = {.form = COND_FORM_CYLINDER, .half = {0.2, 0.0, 0.4}};
    Thing ball = {.form = COND_FORM_SPHERE, .round = 0.25};
    CondDepth found;
    put(&ell, 0.8, 0.8, 0.5, 0.0, 0.0, 1.0, 0.0); // from 0 to 2, 2, 1
    put(&box, 0.5, 0.5, 1.2, 0.0, 0.0, 1.0, 0.3);
    assert_near(gap_of(&box, &ell, &found), -0.1, 1e-9); // flat on a face of several triangles
    assert_near(found.normal[2], 1.0, 1e-9);
    put(&box, 0.5, 0.5, 1.31, 0.0, 0.0, 1.0, 0.3);
    assert_near(gap_of(&box, &ell, &found), 0.01, 1e-12);
    put(&box, 0.5, 0.5, 1.3, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&box, &ell, &found), 0.0, 1e-9); // just touching
    put(&box, 0.2, 0.2, 1.2, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&box, &ell, &found), -0.1, 1e-9); // hanging over
    put(&box, 1.5, 1.5, 0.5, 0.0, 0.0, 1.0, 0.0);
    assert_near(gap_of(&ell, &box, &found), 0.2, 1e-12); // in the notch
    put(&box, 1.2, 1.2, 0.5, 0.0, 0.0, 1.0, 0.0);
    // Over the inner edge: the corner of the box that is deepest, seen from that edge.
    assert_near(gap_of(&ell, &box, &found), -0.1 * root, 1e-9);
    put(&box, 0.5, 0.5, 1.0 + 0.3 * root - 0.05, 1.0, 0.0, 0.0, right / 2.0);
    assert_near(gap_of(&ell, &box, &found), -0.05, 1e-9); // an edge downwards
    put(&box, 0.5, 0.5, 0.5, 1.0, 1.0, 0.0, 0.4);
    box.half[0] = box.half[1] = box.half[2] = 0.01;
    assert_true(gap_of(&ell, &box, &found) < -0.48); // all of it inside
    put(&log, 0.5, 0.5, 1.17, 1.0, 0.0, 0.0, right); // a line of the side
    assert_near(gap_of(&log, &ell, &found), -0.03, 1e-7);
    put(&log, 0.5, 0.5, 1.38, 1.0, 0.0, 0.0, 0.0); // standing on its cap
    assert_near(gap_of(&log, &ell, &found), -0.02, 1e-7);
    put(&log, 0.5, 0.5, 1.4, 1.0, 0.0, 0.0, 0.0);
    assert_near(gap_of(&log, &ell, &found), 0.0, 1e-7);
    put(&ball, 1.2, 1.1, 0.5, 0.0, 0.0, 1.0, 0.0); // before the inner faces
    assert_near(gap_of(&ball, &ell, &found), 0.1 - 0.25, 1e-12);
    put(&ball, 0.9, 0.9, 0.5, 0.0, 0.0, 1.0, 0.0); // behind the inner edge
    assert_near(gap_of(&ball, &ell, &found), -0.1 * root - 0.25, 1e-12);
}

// The gap and the audit's at one pose; then both are moved so that they are as deep as wanted.
static void compare(Thing* mesh, Thing* other, Dice* dice)
{
    double share = dice_uniform(dice, -0.12, 0.2), size = 2.0, n[3];
    for (int round = 0; round < 2; round++) {
        CondDepth found, turned;
        double truth = audited(mesh, other, n), gap = gap_of(mesh, other, &found);
        double back = gap_of(other, mesh, &turned), along = 0.0;
        if (fabs(truth) < 0.1 * size) {
            assert_near(gap, truth, 1e-6);
            assert_near(back, gap, 2e-7);
        }
        assert_true((gap < 0.0) == (truth < 0.0) || fabs(truth) < 1e-8);
        for (int i = 0; i < 3; i++) { // the points say the same as the gap
            along += found.normal[i] * (found.point[0][i] - found.point[1][i]);
            mesh->p[i] += (share - truth) * n[i];
        }
        assert_near(along, found.gap, 1e-9);
    }
}

static void test_audit_agrees(void** unused)
{
    (void)unused;
    Dice dice = {7};
    const Mesh ell = make_ell();
    for (int kind = 0; kind < 7; kind++)
        for (int k = 0; k < 60; k++) {
            const Mesh bumps = make_bumps(&dice), more = make_bumps(&dice);
            double a = dice_uniform(&dice, 0.2, 0.6), b = dice_uniform(&dice, 0.2, 0.6);
            Thing one = {.mesh = kind % 2 ? &bumps : &ell};
            Thing other[4] = {{.form = COND_FORM_BOX, .half = {a, b, 0.4}},
                              {.form = COND_FORM_CYLINDER, .half = {a, 0.0, b}},
                              {.form = COND_FORM_CAPSULE, .half = {0.0, 0.0, a}, .round = 0.2},
                              {.mesh = kind % 2 ? &more : &ell}};
            Thing two = kind == 6 ? (Thing){.mesh = &more} : other[kind / 2];
            double flat = k % 4 ? 1.0 : 0.0; // every fourth with parallel axes
            put(&one, 0.0, 0.0, 0.0, dice_uniform(&dice, -1, 1), dice_uniform(&dice, -1, 1), 1.0,
                flat * dice_uniform(&dice, 0.0, 3.0));
            put(&two, dice_uniform(&dice, -1.5, 1.5), dice_uniform(&dice, -1.5, 1.5),
                dice_uniform(&dice, -1.5, 1.5), dice_uniform(&dice, -1, 1), flat, 1.0,
                flat * dice_uniform(&dice, 0.0, 3.0));
            compare(&one, &two, &dice);
        }
}

// Rounding may bend a polygon that is thinner than it: a plane along it would cross it many times.
static void bent_polygons_are_halved(void** state)
{
    (void)state;
    double corner[7][3];
    const double* at[7];
    CondCell cell, half[2];
    for (int k = 0; k < 7; k++) {
        corner[k][0] = k;
        corner[k][1] = k % 2 ? 1e-17 : -1e-17;
        corner[k][2] = 0.0;
        at[k] = corner[k];
    }
    const double along[3] = {0.0, 1.0, 0.0}, origin[3] = {0.0, 0.0, 0.0};
    cond_cell_polygon(7, at, NULL, &cell);
    assert_int_equal(cond_cell_cut(&cell, origin, along, half), 0);
    cond_cell_halve(&cell, half);
    for (int s = 0; s < 2; s++)
        assert_true(half[s].n >= 2 && half[s].n <= COND_CELL_CORNERS &&
                    half[s].radius < cell.radius);
}

static void weigh(double corner[3][3], const double weight[3], double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = weight[0] * corner[0][i] + weight[1] * corner[1][i] + weight[2] * corner[2][i];
}

// The depth in a convex body is concave along a triangle: a point is the deepest if none near it is
// deeper, and if it is none deeper than nothing, no point of the triangle is.
static void deepest_of_triangles_in_flat_bodies(void** state)
{
    (void)state;
    enum { MOST_PLANE = 24 };
    Dice dice = {11};
    for (int round = 0; round < 3000; round++) {
        double plane[4 * MOST_PLANE], corner[3][3];
        CondBoundary body = {.n_plane = 4 + round % (MOST_PLANE - 3), .plane = plane};
        const double* at[3] = {corner[0], corner[1], corner[2]};
        for (int f = 0; f < body.n_plane; f++) {
            for (int i = 0; i < 3; i++)
                plane[4 * f + i] = dice_uniform(&dice, -1.0, 1.0);
            double length = vec3_norm(plane + 4 * f);
            for (int i = 0; i < 3; i++)
                plane[4 * f + i] /= length;
            plane[4 * f + 3] = dice_uniform(&dice, 0.2, 1.0);
        }
        for (int k = 0; k < 9; k++)
            corner[k / 3][k % 3] = dice_uniform(&dice, -0.8, 0.8);
        CondDeepest deepest = {.depth = 0.0, .part = -1};
        int found = cond_triangle_deepest_flat(&body, at, 1e-12, &deepest), part;
        assert_int_equal(found, deepest.part >= 0);
        if (found)
            assert_near(cond_boundary_depth(&body, deepest.x, -1, &part), deepest.depth, 1e-14);
        for (int k = 0; k < 60; k++) {
            double u = dice_uniform(&dice, 0.0, 1.0), w = dice_uniform(&dice, 0.0, 1.0 - u), y[3];
            weigh(corner, (const double[3]){u, w, 1.0 - u - w}, y);
            assert_true(cond_boundary_depth(&body, y, -1, &part) <= deepest.depth + 1e-11);
            for (int i = 0; i < 3 && found; i++)
                y[i] = deepest.x[i] + 1e-4 * (y[i] - deepest.x[i]);
            assert_true(cond_boundary_depth(&body, y, -1, &part) <= deepest.depth + 1e-11);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deepest_of_triangles_in_flat_bodies),
        cmocka_unit_test(bent_polygons_are_halved),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_audit_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
