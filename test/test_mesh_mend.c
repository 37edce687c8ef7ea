// Surfaces with faults that files have: they are mended and stay what they are, an L with a notch,
// as a body and as the link of a robot; what cannot be mended is refused by name. And thin things:
// the limit of penetration is never 0 by itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "kinds_make.h"

#include "geometry/mesh_surface.h"
#include "mesh/mesh_mend.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The square [0, 2]^2 without (1, 2]^2, from z = 0 to 1: volume 3.
static const double ELL[36] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0,
                               0, 0, 1, 2, 0, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 0, 2, 1};
static const int ELL_FACE[60] = {0, 3,  2, 0, 2,  1,  0, 5,  4,  0, 4, 3, 6, 8, 9,
                                 6, 7,  8, 6, 10, 11, 6, 9,  10, 0, 1, 7, 0, 7, 6,
                                 1, 2,  8, 1, 8,  7,  2, 3,  9,  2, 9, 8, 3, 4, 10,
                                 3, 10, 9, 4, 5,  11, 4, 11, 10, 5, 0, 6, 5, 6, 11};
enum { LOW = 1, WALL = 8 }; // the faces 0 2 1 and 0 1 7, which share the edge 0 1

typedef enum Fault {
    SOUND,
    CAP,        // a triangle without area between an edge and the two halves of it
    T_JUNCTION, // the same without the triangle
    TWO_CAPS,   // nodes at different places of the edge on either side
    NEEDLE,     // an edge of a hundred millionth of the size
    REPEATED,   // a triangle with one node twice
    DOUBLED,    // a triangle given twice
    FIN,        // a triangle and its back, that stick out
    SOUP,       // every triangle with nodes of its own, rounded as floats are
    TURNED,     // two triangles run the wrong way round
    ALL_CAPS,   // a cap at every wall's edge below
    N_FAULT
} Fault;

static void face(CondMesh* mesh, int t, int a, int b, int c)
{
    const int made[3] = {a, b, c};
    memcpy(mesh->triangle + 3 * (size_t)t, made, sizeof made);
}

static void node(CondMesh* mesh, int v, double x, double y, double z)
{
    const double made[3] = {x, y, z};
    memcpy(mesh->node + 3 * (size_t)v, made, sizeof made);
}

// A cap at the edge from..to of triangle t, whose third node is c, with the node v on the edge.
static void cap(CondMesh* mesh, int t, int v)
{
    int *corner = mesh->triangle + 3 * (size_t)t, a = corner[0], b = corner[1], c = corner[2];
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = 0.6 * mesh->node[3 * a + i] + 0.4 * mesh->node[3 * b + i];
    node(mesh, v, x[0], x[1], x[2]);
    face(mesh, t, a, v, c);
    face(mesh, mesh->n_triangle++, v, b, c);
    face(mesh, mesh->n_triangle++, a, b, v);
}

static void make_soup(CondMesh* mesh)
{
    Dice dice = {7};
    for (int k = 0; k < 60; k++) {
        double x[3];
        for (int i = 0; i < 3; i++)
            x[i] = ELL[3 * ELL_FACE[k] + i] + dice_uniform(&dice, -1e-7, 1e-7);
        node(mesh, k, x[0], x[1], x[2]);
        mesh->triangle[k] = k;
    }
    mesh->n_node = 60;
}

static CondMesh* make_ell(Fault fault)
{
    CondMesh* mesh;
    assert_int_equal(cond_mesh_create(NULL, 60, 0, 60, &mesh, NULL), COND_OK);
    memcpy(mesh->node, ELL, sizeof ELL);
    memcpy(mesh->triangle, ELL_FACE, sizeof ELL_FACE);
    mesh->n_node = 20;
    mesh->n_triangle = 20;
    if (fault == CAP || fault == T_JUNCTION || fault == TWO_CAPS)
        cap(mesh, WALL, 12);
    if (fault == T_JUNCTION)
        mesh->n_triangle--;
    if (fault == TWO_CAPS) { // 0 12 1 above, 0 13 1 below
        node(mesh, 13, 1.5, 0, 0);
        face(mesh, LOW, 0, 2, 13);
        face(mesh, mesh->n_triangle - 1, 0, 13, 12);
        face(mesh, mesh->n_triangle++, 13, 1, 12);
        face(mesh, mesh->n_triangle++, 13, 2, 1);
    }
    if (fault == NEEDLE) {
        node(mesh, 12, 1e-8, 0, 1e-8);
        face(mesh, WALL, 0, 1, 12);
        face(mesh, mesh->n_triangle++, 1, 7, 12);
        face(mesh, mesh->n_triangle++, 7, 0, 12);
    }
    if (fault == REPEATED)
        face(mesh, mesh->n_triangle++, 3, 3, 5);
    if (fault == DOUBLED)
        face(mesh, mesh->n_triangle++, 0, 1, 7);
    if (fault == FIN) {
        node(mesh, 12, 5, 5, 5);
        face(mesh, mesh->n_triangle++, 0, 2, 12);
        face(mesh, mesh->n_triangle++, 2, 0, 12);
    }
    if (fault == SOUP)
        make_soup(mesh);
    if (fault == TURNED) {
        face(mesh, LOW, 0, 1, 2);
        face(mesh, 13, 2, 8, 9);
    }
    for (int t = 8, v = 12; t < 20 && fault == ALL_CAPS; t += 2)
        cap(mesh, t, v++);
    return mesh;
}

static CondMeshSurface* make_surface(const CondMesh* mesh)
{
    CondMeshSurface* surface;
    CondError error = {COND_OK, ""};
    if (cond_mesh_surface_create(NULL, mesh->n_node, mesh->node, mesh->n_triangle, mesh->triangle,
                                 &surface, &error))
        fail_msg("%s", error.message);
    return surface;
}

// Every fault is mended: the volume is that of the L, and all faces look along an axis.
static void test_faults(void** state)
{
    (void)state;
    for (int fault = SOUND; fault < N_FAULT; fault++) {
        CondMesh* mesh = make_ell((Fault)fault);
        CondError error;
        double volume, centre[3], inertia[6];
        assert_int_equal(cond_mesh_mend(mesh, &error), COND_OK);
        CondMeshSurface* surface = make_surface(mesh);
        cond_mesh_surface_inertia(surface, &volume, centre, inertia);
        assert_near(volume, 3.0, 1e-5);
        for (int f = 0; f < surface->n_face; f++) {
            const double* n = surface->plane + 4 * (size_t)f;
            assert_near(fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2]))), 1.0, 1e-6);
        }
        cond_mesh_surface_destroy(surface);
        cond_mesh_destroy(mesh);
    }
}

// A sound surface keeps every triangle, in its order.
static void test_sound_stays(void** state)
{
    (void)state;
    CondMesh* mesh = make_ell(SOUND);
    assert_int_equal(cond_mesh_mend(mesh, NULL), COND_OK);
    assert_int_equal(mesh->n_triangle, 20);
    assert_memory_equal(mesh->triangle, ELL_FACE, sizeof ELL_FACE);
    cond_mesh_destroy(mesh);
}

// Out of memory at the first, second, .. request.
static void test_memory(void** state)
{
    (void)state;
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long fail_at = 1; status; fail_at++) {
        CondMesh* mesh = make_ell(T_JUNCTION);
        CondMesh* own;
        FailingAllocator allocator = {.fail_at = 0};
        CondContext context = failing_allocator_context(&allocator);
        assert_int_equal(cond_mesh_create(&context, 20, 0, mesh->n_triangle, &own, NULL), COND_OK);
        memcpy(own->node, mesh->node, 60 * sizeof(double));
        memcpy(own->triangle, mesh->triangle, 3 * (size_t)mesh->n_triangle * sizeof(int));
        allocator.fail_at = allocator.calls + fail_at;
        status = cond_mesh_mend(own, NULL);
        assert_true(status == COND_OK || status == COND_OUT_OF_MEMORY);
        cond_mesh_destroy(own);
        cond_mesh_destroy(mesh);
        assert_int_equal(allocator.live, 0);
    }
}

static void write_mesh(const char* path, const CondMesh* mesh)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int v = 0; v < mesh->n_node; v++)
        fprintf(file, "v %.17g %.17g %.17g\n", 0.1 * mesh->node[3 * v], 0.1 * mesh->node[3 * v + 1],
                0.1 * mesh->node[3 * v + 2]);
    for (int t = 0; t < mesh->n_triangle; t++)
        fprintf(file, "f %d %d %d\n", mesh->triangle[3 * t] + 1, mesh->triangle[3 * t + 1] + 1,
                mesh->triangle[3 * t + 2] + 1);
    assert_int_equal(fclose(file), 0);
}

static void write_robot(const char* path, const char* mesh)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='0.01' "
            "iyy='0.01' izz='0.01'/></inertial><collision><geometry><mesh filename='%s'/>"
            "</geometry></collision></link></robot>",
            mesh);
    assert_int_equal(fclose(file), 0);
}

// A ball falls into the notch of an L with a fault, whether a body or a robot's link, and lies on
// the floor there; a hull would hold it up.
static void test_notch(void** state)
{
    (void)state;
    write_robot("mend.urdf", "mend.obj");
    for (int k = 0; k < 2 * N_FAULT; k++) {
        CondMesh* mesh = make_ell((Fault)(k / 2));
        write_mesh("mend.obj", mesh);
        cond_mesh_destroy(mesh);
        Trial trial =
            k % 2 ? trial_text("", "planes: [{name: floor}]\nbodies:\n"
                                   "  - {name: ell, density: 500, shape: {mesh: mend.obj}, "
                                   "position: [0, 0, 0.05]}\n"
                                   "  - {name: ball, mass: 0.1, shape: {sphere: 0.02}, "
                                   "position: [0.08, 0.08, 0.03]}\n")
                  : trial_text("", "planes: [{name: floor}]\nbodies:\n"
                                   "  - {name: ell, kind: robot, urdf: mend.urdf, floating: true}\n"
                                   "  - {name: ball, mass: 0.1, shape: {sphere: 0.02}, "
                                   "position: [0.16, 0.16, 0.03]}\n");
        assert_null(cond_model_warning(trial.model, 0));
        trial_step(&trial, 30);
        assert_near(trial_pose(&trial, 1).position[2], 0.02, 1e-6);
        trial_end(&trial);
    }
    remove("mend.urdf");
    remove("mend.obj");
}

static void refuse(const CondMesh* mesh, const char* part)
{
    CondScene* scene = make_scene();
    CondModel* model = NULL;
    CondError error = {COND_OK, ""};
    CondBodyDef def = make_box(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    def.shape = COND_SHAPE_MESH;
    snprintf(def.mesh, sizeof def.mesh, "mend.obj");
    write_mesh("mend.obj", mesh);
    CondStatus status = cond_scene_add_body(scene, &def, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    remove("mend.obj");
    cond_scene_destroy(scene);
    assert_true(status < 0);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not say '%s'", error.message, part);
}

static void test_refusals(void** state)
{
    (void)state;
    CondMesh* mesh = make_ell(CAP);
    mesh->n_triangle--;
    memmove(mesh->triangle, mesh->triangle + 3, 3 * (size_t)--mesh->n_triangle * sizeof(int));
    refuse(mesh, "mend.obj: the mesh is not closed and oriented at the edge of the vertices 0 and "
                 "2: one triangle alone has it");
    memcpy(mesh->triangle, ELL_FACE, sizeof ELL_FACE);
    node(mesh, 12, 1, -1, 1);
    mesh->n_triangle = 20;
    face(mesh, mesh->n_triangle++, 0, 1, 12);
    refuse(mesh, "vertices 0 and 1: 3 triangles have it");
    for (int v = 0; v < 12; v++)
        mesh->node[3 * v + 2] = 0.0;
    mesh->n_triangle = 20;
    refuse(mesh, "mend.obj: ");
    cond_mesh_destroy(mesh);
}

// Things without a thickness of their own leave the limit to what they touch.
static void test_limit(void** state)
{
    (void)state;
    CondMesh* mesh = make_ell(SOUND);
    for (int v = 0; v < 12; v++)
        mesh->node[3 * v + 2] = 0.0;
    write_mesh("mend.obj", mesh);
    write_robot("mend.urdf", "mend.obj");
    Trial trial = trial_text(
        "", "planes: [{name: floor}]\nbodies:\n"
            "  - {name: dots, mass: 1, inertia: [1, 1, 1], shape: {points: [[0, 0, 0], [0, 0, "
            "0]]}, position: [0, 0, 0]}\n"
            "  - {name: sheet, kind: robot, urdf: mend.urdf, floating: true}\n"
            "  - {name: ball, mass: 1, shape: {sphere: 0.1}, "
            "position: [3, 0, 0.1]}\n");
    for (int a = 0; a < 3; a++)
        for (int b = -1; b < a; b++)
            assert_true(cond_model_penetration_limit(trial.model, a, b, -1) > 1e-4);
    trial_end(&trial);
    cond_mesh_destroy(mesh);
    remove("mend.urdf");
    remove("mend.obj");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_sound_stays),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_notch),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
