// Mesh files: round trips through every format, gmsh's own files, and damaged ones.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cond/mesh.h"
#include "failing_allocator.h"
#include "mesh/mesh_quadratic.h"

static char folder[] = "mesh_files_XXXXXX";

enum { SIZE = sizeof(CondMeshWriteSettings) };

// Every way to write: file, settings, and whether tetrahedra fit.
typedef struct Way {
    const char* path;
    CondMeshWriteSettings settings;
    int tets;
    int exact; // numbers come back as they were
} Way;

static const Way ways[] = {
    {"a22.msh", {SIZE, COND_MESH_ASCII, 22, 0}, 1, 1},
    {"b22.msh", {SIZE, COND_MESH_BINARY, 22, 0}, 1, 1},
    {"a41.msh", {SIZE, COND_MESH_ASCII, 41, 0}, 1, 1},
    {"b41.msh", {SIZE, COND_MESH_BINARY, 41, 0}, 1, 1},
    {"a.vtk", {SIZE, COND_MESH_ASCII, 41, 0}, 1, 1},
    {"b.vtk", {SIZE, COND_MESH_BINARY, 41, 0}, 1, 1},
    {"a.vtu", {SIZE, COND_MESH_ASCII, 41, 0}, 1, 1},
    {"b.vtu", {SIZE, COND_MESH_BINARY, 41, 0}, 1, 1},
    {"c.vtu", {SIZE, COND_MESH_BINARY, 41, 1}, 1, 1},
    {"d.vtu", {SIZE, COND_MESH_BASE64, 41, 0}, 1, 1},
    {"e.VTU", {SIZE, COND_MESH_BASE64, 41, 1}, 1, 1},
    {"a.obj", {SIZE, COND_MESH_ASCII, 41, 0}, 0, 1},
    {"a.stl", {SIZE, COND_MESH_ASCII, 41, 0}, 0, 1},
    {"b.stl", {SIZE, COND_MESH_BINARY, 41, 0}, 0, 0},
};
enum { N_WAY = sizeof ways / sizeof ways[0] };

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void** state)
{
    (void)state;
    const char* const more[] = {"bad.msh", "bad.vtk", "bad.vtu", "bad.obj", "bad.stl", "bad.VTU"};
    for (int i = 0; i < N_WAY; i++)
        remove(ways[i].path);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        remove(more[i]);
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char* path, const char* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char* get(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char* data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

// "bad" with the ending of a path.
static const char* bad_path(const char* path, char out[16])
{
    snprintf(out, 16, "bad%s", strrchr(path, '.'));
    return out;
}

static CondMesh* make_ball(int mesh_surfaces, int surface)
{
    CondMesh *mesh, *boundary;
    assert_int_equal(cond_mesh_ball(NULL, 0.123456789, mesh_surfaces, 0, &mesh, NULL), COND_OK);
    if (!surface)
        return mesh;
    assert_int_equal(cond_mesh_boundary(NULL, mesh, &boundary, NULL), COND_OK);
    cond_mesh_destroy(mesh);
    return boundary;
}

// The smallest solid, for tests that read a file once per byte of it.
static CondMesh* make_corner(int surface)
{
    CondMesh *mesh, *boundary;
    assert_int_equal(cond_mesh_create(NULL, 4, 1, 0, &mesh, NULL), COND_OK);
    for (int i = 0; i < 4; i++)
        mesh->tet[i] = i;
    for (int k = 0; k < 3; k++)
        mesh->node[3 * (k + 1) + k] = 0.1;
    assert_int_equal(cond_mesh_surface(mesh, NULL), COND_OK);
    if (!surface)
        return mesh;
    assert_int_equal(cond_mesh_boundary(NULL, mesh, &boundary, NULL), COND_OK);
    cond_mesh_destroy(mesh);
    return boundary;
}

// The same triangles at the same places; .stl numbers its nodes anew.
static void expect_same_surface(const CondMesh* a, const CondMesh* b, double tolerance)
{
    assert_int_equal(a->n_node, b->n_node);
    assert_int_equal(a->n_triangle, b->n_triangle);
    for (int i = 0; i < 3 * a->n_triangle; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(a->node[3 * a->triangle[i] + k] - b->node[3 * b->triangle[i] + k]) <=
                        tolerance);
}

static void expect_same(const CondMesh* a, const CondMesh* b)
{
    assert_int_equal(a->n_node, b->n_node);
    assert_int_equal(a->n_tet, b->n_tet);
    assert_memory_equal(a->node, b->node, 3 * (size_t)a->n_node * sizeof *a->node);
    assert_memory_equal(a->tet, b->tet, 4 * (size_t)a->n_tet * sizeof *a->tet);
    expect_same_surface(a, b, 0.0);
}

static void test_round_trips(void** state)
{
    (void)state;
    for (int i = 0; i < N_WAY; i++) {
        for (int surface = ways[i].tets ? 0 : 1; surface < 2; surface++) {
            CondMesh *mesh = make_ball(3, surface), *back = NULL;
            CondMeshReport report;
            CondError error = {0};
            if (cond_mesh_write(NULL, ways[i].path, mesh, &ways[i].settings, &error) ||
                cond_mesh_read(NULL, ways[i].path, &back, &report, &error))
                fail_msg("%s: %s", ways[i].path, error.message);
            if (strstr(ways[i].path, ".stl"))
                expect_same_surface(mesh, back, ways[i].exact ? 0.0 : 1e-8);
            else
                expect_same(mesh, back);
            assert_int_equal(report.n_inverted + report.n_ignored + report.n_open, 0);
            cond_mesh_destroy(back);
            cond_mesh_destroy(mesh);
        }
    }
}

static void test_write_refused(void** state)
{
    (void)state;
    CondMesh* mesh = make_ball(1, 0);
    CondError error = {0};
    CondMeshWriteSettings settings = cond_mesh_write_settings_default();
    assert_int_equal(cond_mesh_write(NULL, "a.obj", mesh, NULL, &error), COND_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "20 tetrahedra"));
    assert_int_equal(cond_mesh_write(NULL, "a.stl", mesh, NULL, &error), COND_NOT_SUPPORTED);
    assert_int_equal(cond_mesh_write(NULL, "a.ply", mesh, NULL, &error), COND_NOT_SUPPORTED);
    assert_int_equal(cond_mesh_write(NULL, "no/where.msh", mesh, NULL, &error), COND_NO_FILE);
    settings.compress = 1;
    assert_int_equal(cond_mesh_write(NULL, "a.vtk", mesh, &settings, &error), COND_NOT_SUPPORTED);
    settings = (CondMeshWriteSettings){SIZE, COND_MESH_BASE64, 41, 0};
    assert_int_equal(cond_mesh_write(NULL, "a.msh", mesh, &settings, &error), COND_NOT_SUPPORTED);
    settings = (CondMeshWriteSettings){SIZE, COND_MESH_ASCII, 40, 0};
    assert_int_equal(cond_mesh_write(NULL, "a.msh", mesh, &settings, &error), COND_NOT_SUPPORTED);
    mesh->tet[0] = -1;
    assert_int_equal(cond_mesh_write(NULL, "a22.msh", mesh, NULL, &error), COND_BAD_ARGUMENT);
    cond_mesh_destroy(mesh);
}

// Files that gmsh wrote from one geometry are one mesh.
static void test_gmsh_files(void** state)
{
    (void)state;
    const char* const names[] = {"block_22_ascii.msh", "block_22_binary.msh", "block_41_ascii.msh",
                                 "block_41_binary.msh"};
    for (int i = 0; i < 4; i++) {
        char path[1024];
        CondMesh* mesh;
        CondMeshReport report;
        CondError error = {0};
        snprintf(path, sizeof path, "%s/mesh/%s", COND_TEST_DATA, names[i]);
        if (cond_mesh_read(NULL, path, &mesh, &report, &error))
            fail_msg("%s", error.message);
        assert_int_equal(cond_mesh_check_solid(NULL, mesh, NULL), COND_OK);
        assert_int_equal(mesh->n_node, 12);
        assert_int_equal(mesh->n_tet, 16);
        assert_int_equal(mesh->n_triangle, 20);
        assert_int_equal(report.n_ignored, 17); // points and lines
        assert_int_equal(report.n_nonmanifold + report.n_open, 0);
        assert_true(fabs(report.volume - 3.72973e-4) < 1e-9);
        cond_mesh_destroy(mesh);
    }
}

// The bytes of every binary number turned round must read as the same mesh.
static void test_other_byte_order(void** state)
{
    (void)state;
    // One tetrahedron, gmsh 2.2: integers 4 bytes, numbers 8.
    char data[512];
    size_t n = 0;
    const double place[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.25}};
    const int32_t element[10] = {4, 1, 2, 1, 1, 1, 1, 2, 3, 4};
#define ADD(text) (memcpy(data + n, text, strlen(text)), n += strlen(text))
#define ADD_TURNED(value)                                                                          \
    for (size_t byte = sizeof(value); byte-- > 0;)                                                 \
    data[n++] = ((const char*)&(value))[byte]
    ADD("$MeshFormat\n2.2 1 8\n");
    ADD_TURNED(element[1]);
    ADD("\n$EndMeshFormat\n$Nodes\n4\n");
    for (int32_t i = 0; i < 4; i++) {
        int32_t tag = i + 1;
        ADD_TURNED(tag);
        for (int k = 0; k < 3; k++)
            ADD_TURNED(place[i][k]);
    }
    ADD("\n$EndNodes\n$Elements\n1\n");
    for (int k = 0; k < 10; k++)
        ADD_TURNED(element[k]);
    ADD("\n$EndElements\n");
    put("bad.msh", data, n);
    CondMesh* mesh;
    CondError error = {0};
    if (cond_mesh_read(NULL, "bad.msh", &mesh, NULL, &error))
        fail_msg("%s", error.message);
    assert_int_equal(mesh->n_tet, 1);
    assert_memory_equal(mesh->node, place, sizeof place);
    cond_mesh_destroy(mesh);
}

// Cut off anywhere, a file is refused with a message, or nothing that matters was lost. An .obj has
// no end mark, so a part of it may pass as a smaller surface.
static void test_truncation(void** state)
{
    (void)state;
    for (int i = 0; i < N_WAY; i++) {
        CondMesh* mesh = make_corner(!ways[i].tets);
        char name[16];
        size_t size;
        assert_int_equal(cond_mesh_write(NULL, ways[i].path, mesh, &ways[i].settings, NULL),
                         COND_OK);
        char* data = get(ways[i].path, &size);
        for (size_t n = 0; n < size; n++) {
            FailingAllocator allocator = {0};
            CondContext context = failing_allocator_context(&allocator);
            CondMesh* back;
            CondError error = {0};
            put(bad_path(ways[i].path, name), data, n);
            CondStatus status = cond_mesh_read(&context, name, &back, NULL, &error);
            if (status == COND_OK && !strstr(name, ".obj")) {
                assert_int_equal(back->n_tet, mesh->n_tet);
                assert_int_equal(back->n_triangle, mesh->n_triangle);
            } else if (status != COND_OK) {
                assert_int_equal(status, COND_BAD_INPUT);
                assert_non_null(strstr(error.message, name));
            }
            cond_mesh_destroy(status == COND_OK ? back : NULL);
            assert_int_equal(allocator.live, 0);
        }
        free(data);
        cond_mesh_destroy(mesh);
    }
}

// A flipped byte may give another mesh or an error, but never a crash or a leak.
static void test_flipped_bytes(void** state)
{
    (void)state;
    for (int i = 0; i < N_WAY; i++) {
        CondMesh* mesh = make_corner(!ways[i].tets);
        char name[16];
        size_t size;
        assert_int_equal(cond_mesh_write(NULL, ways[i].path, mesh, &ways[i].settings, NULL),
                         COND_OK);
        char* data = get(ways[i].path, &size);
        for (size_t n = 0; n < size; n++) {
            FailingAllocator allocator = {0};
            CondContext context = failing_allocator_context(&allocator);
            CondMeshReport report;
            CondMesh* back;
            char kept = data[n];
            data[n] = (char)(n % 2 ? ~kept : kept ^ 1);
            put(bad_path(ways[i].path, name), data, size);
            if (cond_mesh_read(&context, name, &back, &report, NULL) == COND_OK)
                cond_mesh_destroy(back);
            assert_int_equal(allocator.live, 0);
            data[n] = kept;
        }
        free(data);
        cond_mesh_destroy(mesh);
    }
}

#define MSH22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n"
#define NODES41 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define VTK "# vtk DataFile Version 4.2\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define VTU(points, cells, body)                                                                   \
    "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"        \
    "<Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">\n" body                     \
    "</Piece></UnstructuredGrid></VTKFile>\n"
#define XML_POINTS                                                                                 \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 "   \
    "0 1 0   0 0 1   \n   </DataArray></Points>\n"
#define XML_CELLS(corners)                                                                         \
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" corners             \
    "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>"        \
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells>\n"

// Wrong files, and what the message must say of each.
static const struct {
    const char* path;
    const char* text;
    const char* message;
} wrong[] = {
    {"bad.msh", "", ":1: the file ends where $MeshFormat"},
    {"bad.msh", "hello\n", ":1: $MeshFormat should be here, not 'hello'"},
    {"bad.msh", "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", ":2: gmsh version 3; 2.2 and 4.1"},
    {"bad.msh", "$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "numbers of 4 bytes"},
    {"bad.msh", MSH22, "no section $Nodes"},
    {"bad.msh", MSH22 NODES22, "no section $Elements"},
    {"bad.msh", MSH22 "$Nodes\n4000000000000\n1 0 0 0\n", ":4: 4000000000000 nodes do not fit"},
    {"bad.msh", MSH22 "$Nodes\n-1\n$EndNodes\n", "-1 nodes do not fit"},
    {"bad.msh", MSH22 "$Nodes\n1\n1 0 zero 0\n$EndNodes\n", ":6: a coordinate should be a number"},
    {"bad.msh", MSH22 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "node 1 is at (0, nan, 0): not finite"},
    {"bad.msh", MSH22 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "two nodes have the number 1"},
    {"bad.msh", MSH22 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", ":7: $EndNodes should be here"},
    {"bad.msh", MSH22 NODES22 "$Elements\n1\n7 4 2 1 1 1 2 3 4\n$EndElements\n",
     ":13: element 7 names node 4, which is not there"},
    {"bad.msh", MSH22 NODES22 "$Elements\n1\n7 77 2 1 1 1 2 3 9\n$EndElements\n",
     ":13: unknown element type 77"},
    {"bad.msh", MSH22 NODES22 "$Elements\n2\n7 4 2 1 1 1 2 3 9\n$EndElements\n",
     "the number of an element should be a whole number"},
    {"bad.msh", MSH22 NODES22 "$Elements\n1\n1 15 2 1 1 1\n$EndElements\n",
     "no tetrahedra and no triangles in the file (4 nodes, 1 elements of other kinds)"},
    {"bad.msh", MSH22 "$Elements\n0\n$EndElements\n", ":4: elements before any nodes"},
    {"bad.msh", MSH22 "$Physical\n1\n", ":4: the section $Physical has no end"},
    {"bad.msh",
     MSH41 "$Nodes\n1 5 1 5\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n",
     ":5: 5 nodes are announced, the file has 4"},
    {"bad.msh", MSH41 NODES41 "$Elements\n1 9 1 9\n3 1 4 999999999999\n1 1 2 3 4\n",
     "999999999999 elements do not fit"},
    {"bad.msh", MSH41 NODES41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 5\n$EndElements\n",
     ":19: element 1 names node 5"},
    {"bad.vtk", "vtk\n", ":1: the file does not begin with"},
    {"bad.vtk", "# vtk DataFile Version 9.0\nt\nASCII\n", "version 9; 1 to 5"},
    {"bad.vtk", "# vtk DataFile Version 4.2\nt\nASCII\nDATASET POLYDATA\n", ":4: DATASET"},
    {"bad.vtk", VTK POINTS, "the file has no CELLS"},
    {"bad.vtk", VTK "POINTS 900000000 float\n0 0 0\n", ":5: 900000000 points do not fit"},
    {"bad.vtk", VTK POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", ":7: cell 0 names node 4"},
    {"bad.vtk", VTK POINTS "CELLS 1 5\n5 0 1 2 3\nCELL_TYPES 1\n10\n", "cell 0 does not fit"},
    {"bad.vtk", VTK POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "has 3 corners, not 4"},
    {"bad.vtk", VTK POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", "2 cell types for 1"},
    {"bad.vtk", VTK POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n99\n", "unknown type 99"},
    {"bad.vtk", VTK "WHAT\n", ":5: unknown keyword 'WHAT'"},
    {"bad.vtu", "<VTKFile", "not well-formed"},
    {"bad.vtu", "<a/>", ":1: the file is not a VTKFile"},
    {"bad.vtu", "<!DOCTYPE a><VTKFile/>", "DOCTYPE is not allowed"},
    {"bad.vtu", "<VTKFile type=\"PolyData\"/>", "'PolyData', not an UnstructuredGrid"},
    {"bad.vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\"/>",
     "the compressor vtkLZ4DataCompressor is not known"},
    {"bad.vtu", VTU("-4", "1", XML_POINTS), ":3: NumberOfPoints=\"-4\""},
    {"bad.vtu", VTU("400000000", "1", XML_POINTS), "1200000000 numbers of 'Points' do not fit"},
    {"bad.vtu", VTU("5", "1", XML_POINTS), ":4: 'Points' has 12 numbers, not 15"},
    {"bad.vtu", VTU("4", "1", XML_POINTS), "the piece has no Cells"},
    {"bad.vtu", VTU("4", "1", XML_POINTS XML_CELLS("0 1 2 4")), ":6: cell 0 names node 4 of 4"},
    {"bad.vtu", VTU("4", "1", XML_POINTS XML_CELLS("0 1 2 3 4")), "'connectivity' has more than 4"},
    {"bad.obj", "v 0 0\n", ":1: a vertex with 2 coordinates"},
    {"bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ":4: a face names vertex 4; 3 are there"},
    {"bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", ":3: a face with 2 corners"},
    {"bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n 2 x\n", "should be a vertex, not 'x'"},
    {"bad.obj", "v 0 0 0\n# \\\nwhat\n", ":4: no tetrahedra"},
    {"bad.obj", "v 0 0 inf\n", "not finite"},
    {"bad.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\n",
     ":6: the file ends where a coordinate"},
    {"bad.stl", "solid a\n", "'endsolid' should be here"},
    {"bad.stl", "nothing", "neither text nor a binary .stl"},
};

static void test_wrong_files(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CondMesh* mesh;
        CondError error = {0};
        put(wrong[i].path, wrong[i].text, strlen(wrong[i].text));
        CondStatus status = cond_mesh_read(NULL, wrong[i].path, &mesh, NULL, &error);
        if (status != COND_BAD_INPUT || !strstr(error.message, wrong[i].message) ||
            strncmp(error.message, wrong[i].path, strlen(wrong[i].path)) != 0)
            fail_msg("%zu: status %d, '%s'; expected '%s'", i, status, error.message,
                     wrong[i].message);
        assert_null(mesh);
    }
    CondMesh* mesh;
    CondError error = {0};
    assert_int_equal(cond_mesh_read(NULL, "none.msh", &mesh, NULL, &error), COND_NO_FILE);
    assert_int_equal(cond_mesh_read(NULL, "mesh.xyz", &mesh, NULL, &error), COND_NOT_SUPPORTED);
    assert_int_equal(cond_mesh_read(NULL, "mesh", &mesh, NULL, &error), COND_NOT_SUPPORTED);
}

// What is odd but not wrong is read, and reported.
static const struct {
    const char* path;
    const char* text;
    int n_node, n_tet, n_triangle, n_inverted, n_ignored, n_loose, n_degenerate;
} odd[] = {
    {"bad.msh", MSH22 NODES22 "$Elements\n2\n1 15 2 1 1 1\n2 4 2 1 1 2 1 3 9\n$EndElements\n", 4, 1,
     4, 1, 1, 0, 0},
    {"bad.msh", MSH22 NODES22 "$Elements\n1\n2 4 2 1 1 1 2 3 3\n$EndElements\n", 4, 1, 2, 0, 0, 1,
     1},
    {"bad.msh",
     MSH41 NODES41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n$More\n$EndMore", 4, 1, 4,
     0, 0, 0, 0},
    {"bad.vtk",
     VTK "FIELD f 1\na 1 2 int\n1 2\n" POINTS "METADATA\nx\n\nCELLS 2 7\n1 0 4 0 1 2 3\n"
         "CELL_TYPES 2\n1 10\nPOINT_DATA 4\nwhat",
     4, 1, 4, 0, 1, 0, 0},
    {"bad.vtk",
     "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
     "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n"
     "CELL_TYPES 1\n10\n",
     4, 1, 4, 0, 0, 0, 0},
    {"bad.vtu", VTU("4", "1", XML_POINTS XML_CELLS("0 2 1 3")), 4, 1, 4, 1, 0, 0, 0},
    {"bad.obj",
     "# c\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0 # end\nvn 0 0 1\nf 1//1 -3//1 \\\n3 4/1/1\n"
     "l 1 2",
     4, 0, 2, 0, 1, 0, 0},
    {"bad.stl",
     "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
     "endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\n"
     "vertex -0 1 0\nendloop\nendfacet\nendsolid\n",
     4, 0, 2, 0, 0, 0, 0},
};

static void test_odd_files(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        CondMesh* mesh;
        CondMeshReport report;
        CondError error = {0};
        put(odd[i].path, odd[i].text, strlen(odd[i].text));
        if (cond_mesh_read(NULL, odd[i].path, &mesh, &report, &error))
            fail_msg("%zu: %s", i, error.message);
        assert_int_equal(mesh->n_node, odd[i].n_node);
        assert_int_equal(mesh->n_tet, odd[i].n_tet);
        assert_int_equal(mesh->n_triangle, odd[i].n_triangle);
        assert_int_equal(report.n_inverted, odd[i].n_inverted);
        assert_int_equal(report.n_ignored, odd[i].n_ignored);
        assert_int_equal(report.n_loose, odd[i].n_loose);
        assert_int_equal(report.n_degenerate, odd[i].n_degenerate);
        assert_int_equal(cond_mesh_check_solid(NULL, mesh, NULL),
                         mesh->n_tet && !odd[i].n_degenerate ? COND_OK : COND_BAD_INPUT);
        cond_mesh_destroy(mesh);
    }
}

// A tetrahedron of ten nodes, inverted, whose edge from (0, 0, 0) to (1, 0, 0) is bent to y = -0.1;
// gmsh and VTK number the last two edges differently. Its corners make the mesh, and elements get
// its edges.
static void test_quadratic(void** state)
{
    (void)state;
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    static const int edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    double place[10][3];
    for (int k = 0; k < 10; k++)
        for (int i = 0; i < 3; i++)
            place[k][i] = k < 4 ? corner[k][i]
                                : 0.5 * (corner[edge[k - 4][0]][i] + corner[edge[k - 4][1]][i]);
    place[4][1] = -0.1;
    char text[3][2000], nodes[1000] = "";
    for (int k = 0; k < 10; k++)
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "%g %g %g\n", place[k][0],
                 place[k][1], place[k][2]);
    snprintf(text[0], sizeof text[0], MSH22 "$Nodes\n10\n");
    for (int k = 0; k < 10; k++)
        snprintf(text[0] + strlen(text[0]), sizeof text[0] - strlen(text[0]), "%d %g %g %g\n",
                 k + 1, place[k][0], place[k][1], place[k][2]);
    strcat(text[0], "$EndNodes\n$Elements\n1\n7 11 2 1 1 1 2 3 4 5 6 7 8 10 9\n$EndElements\n");
    snprintf(text[1], sizeof text[1],
             VTK "POINTS 10 double\n%sCELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n",
             nodes);
    static const char* const path[] = {"bad.msh", "bad.vtk"};
    for (int k = 0; k < 2; k++) {
        CondMesh* mesh;
        CondMeshReport report;
        CondError error = {0};
        put(path[k], text[k], strlen(text[k]));
        if (cond_mesh_read(NULL, path[k], &mesh, &report, &error))
            fail_msg("%s", error.message);
        assert_int_equal(mesh->n_node, 4);
        assert_int_equal(mesh->n_tet, 1);
        assert_int_equal(report.n_inverted, 1);
        assert_int_equal(report.n_ignored + report.n_loose, 0);
        assert_non_null(mesh->middle);
        CondMeshQuadratic made;
        assert_int_equal(cond_mesh_quadratic_create(NULL, mesh, &made, NULL), COND_OK);
        assert_int_equal(made.n_node, 10);
        for (int e = 0; e < 6; e++) {
            const int* c = made.element;
            const double *a = made.node + 3 * (size_t)c[edge[e][0]],
                         *b = made.node + 3 * (size_t)c[edge[e][1]],
                         *m = made.node + 3 * (size_t)c[4 + e];
            int bent = a[0] + b[0] == 1.0 && a[1] + b[1] + a[2] + b[2] == 0.0;
            for (int i = 0; i < 3; i++)
                assert_true(m[i] == (bent && i == 1 ? -0.1 : 0.5 * (a[i] + b[i])));
        }
        cond_mesh_quadratic_destroy(&made);
        cond_mesh_destroy(mesh);
    }
}

static void test_out_of_memory(void** state)
{
    (void)state;
    for (int i = 0; i < N_WAY; i++) {
        CondMesh* mesh = make_ball(2, !ways[i].tets);
        long calls[2] = {0, 0};
        for (long fail_at = 0; fail_at <= (calls[0] > calls[1] ? calls[0] : calls[1]); fail_at++) {
            FailingAllocator allocator = {.fail_at = fail_at};
            CondContext context = failing_allocator_context(&allocator);
            CondMesh* back = NULL;
            CondMeshReport report;
            CondError error = {0};
            CondStatus status =
                cond_mesh_write(&context, ways[i].path, mesh, &ways[i].settings, &error);
            if (fail_at == 0)
                calls[0] = allocator.calls;
            assert_int_equal(status,
                             fail_at == 0 || fail_at > calls[0] ? COND_OK : COND_OUT_OF_MEMORY);
            assert_int_equal(allocator.live, 0);
            allocator.calls = 0;
            status = cond_mesh_read(&context, ways[i].path, &back, &report, &error);
            if (fail_at == 0)
                calls[1] = allocator.calls;
            if (status != COND_OK)
                assert_int_equal(error.status, status);
            assert_int_equal(status,
                             fail_at == 0 || fail_at > calls[1] ? COND_OK : COND_OUT_OF_MEMORY);
            cond_mesh_destroy(back);
            assert_int_equal(allocator.live, 0);
        }
        assert_true(calls[0] > 0 && calls[1] > 5);
        cond_mesh_destroy(mesh);
    }
}

#ifdef COND_CLI
#include "cli_run.h"

static void test_convert(void** state)
{
    (void)state;
    CliOutput output = cli_run("convert", "mat:27,27,2:0.3,0.3,0.01", "b41.msh", "--json", "-");
    assert_int_equal(output.code, 0);
    json_t* json = cli_output_json(&output);
    assert_int_equal(json_integer_value(json_object_get(json, "nodes")), 1458);
    assert_int_equal(json_integer_value(json_object_get(json, "tets")), 4056);
    assert_true(json_is_true(json_object_get(json, "solid")));
    json_decref(json);
    cli_output_free(&output);
    output = cli_run("convert", "b41.msh", "a.vtu", "--format", "ascii", "--scale", "2");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.out, "1458 nodes, 4056 tetrahedra"));
    assert_non_null(strstr(output.out, "0.6 x 0.6 x 0.02 m"));
    cli_output_free(&output);
    const char* const shapes[] = {"box:4,4,4:0.1,0.1,0.1", "box:1,2,3,6:1,1,1", "ball:0.05:7,2",
                                  "cylinder:0.1,0.2:3,4"};
    for (int i = 0; i < 4; i++) {
        cli_expect(0, "", "convert", shapes[i], "a22.msh", "--version", "2.2");
        cli_expect(0, "", "convert", "a22.msh", "b.stl", "--surface");
    }
    cli_expect(2, "cannot hold", "convert", "a22.msh", "a.stl");
    cli_expect(2, "none.msh", "convert", "none.msh");
    cli_expect(2, "no/where.msh", "convert", "a22.msh", "no/where.msh");
    cli_expect(1, "expected ball:", "convert", "ball:1", "a22.msh");
    cli_expect(1, "expected box:", "convert", "box:1,1,1.5:1,1,1", "a22.msh");
    cli_expect(1, "5 or 6", "convert", "box:1,1,1,7:1,1,1", "a22.msh");
    cli_expect(1, "not positive", "convert", "ball:-1:3", "a22.msh");
    cli_expect(1, "--scale", "convert", "a22.msh", "--scale", "0");
    cli_expect(1, "--format", "convert", "a22.msh", "--format", "text");
    cli_expect(1, "--version", "convert", "a22.msh", "--version", "3");
    cli_expect(1, "no mesh given", "convert");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_write_refused),
        cmocka_unit_test(test_gmsh_files),  cmocka_unit_test(test_other_byte_order),
        cmocka_unit_test(test_truncation),  cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_wrong_files), cmocka_unit_test(test_odd_files),
        cmocka_unit_test(test_quadratic),   cmocka_unit_test(test_out_of_memory),
#ifdef COND_CLI
        cmocka_unit_test(test_convert),
#endif
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
