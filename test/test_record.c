// Records: what the files say is what the state says, and no failure loses a finished frame.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "body/fem.h"
#include "cli_run.h"
#include "cond/record.h"
#include "failing_allocator.h"
#include "math/quat.h"
#include "record/tessellate.h"
#include "scene/model.h"
#include "scene_make.h"

// The tests run in a folder of their own, removed at the end with all that is in it.
static char folder[] = "record_XXXXXX";

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static void remove_frames(const char* stem, int n)
{
    char name[256];
    for (int k = 0; k < n; k++) {
        snprintf(name, sizeof name, "%s_%06d.vtu", stem, k);
        remove(name);
        snprintf(name, sizeof name, "%s_contacts_%06d.vtu", stem, k);
        remove(name);
    }
    snprintf(name, sizeof name, "%s.pvd", stem);
    remove(name);
}

// Fails when a test left a file behind, a temporary one say.
static int leave_folder(void** state)
{
    (void)state;
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

// A file in memory and its tags.
typedef struct VtuFile {
    char* bytes;
    size_t size, data; // and where the appended data begin
    xmlDocPtr document;
} VtuFile;

static VtuFile open_file(const char* path)
{
    VtuFile file = {0};
    FILE* in = fopen(path, "rb");
    if (!in)
        fail_msg("%s is not there", path);
    fseek(in, 0, SEEK_END);
    file.size = (size_t)ftell(in);
    rewind(in);
    file.bytes = malloc(file.size + 1);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.size, in), file.size);
    fclose(in);
    file.bytes[file.size] = '\0';
    // Raw data are no XML: everything in front of them and behind them is.
    static const char tag[] = "<AppendedData encoding=\"raw\">\n_", end[] = "</VTKFile>\n";
    char* found = strstr(file.bytes, tag);
    size_t head = found ? (size_t)(found - file.bytes) : file.size;
    char* text = malloc(head + sizeof end);
    assert_non_null(text);
    memcpy(text, file.bytes, head);
    strcpy(text + head, found ? end : "");
    file.data = head + sizeof tag - 1;
    file.document = xmlReadMemory(text, (int)strlen(text), path, NULL, XML_PARSE_NONET);
    free(text);
    if (!file.document)
        fail_msg("%s is not well-formed", path);
    if (found) {
        static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
        assert_string_equal(file.bytes + file.size - (sizeof tail - 1), tail);
    }
    return file;
}

static void close_file(VtuFile* file)
{
    xmlFreeDoc(file->document);
    free(file->bytes);
}

// The first element of a name, and with an attribute Name unless that is NULL.
static xmlNodePtr find_node(xmlNodePtr node, const char* tag, const char* name)
{
    for (; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char*)node->name, tag) == 0) {
            xmlChar* has = xmlGetProp(node, BAD_CAST "Name");
            int same = !name || (has && strcmp((const char*)has, name) == 0);
            xmlFree(has);
            if (same)
                return node;
        }
        xmlNodePtr inside = find_node(node->children, tag, name);
        if (inside)
            return inside;
    }
    return NULL;
}

static int int_of(xmlNodePtr node, const char* key)
{
    xmlChar* text = xmlGetProp(node, BAD_CAST key);
    assert_non_null(text);
    int value = atoi((const char*)text);
    xmlFree(text);
    return value;
}

// Array `name` inside the element `section`; n receives its numbers. Copied, since raw data need
// not be aligned.
static void* array_of(const VtuFile* file, const char* section, const char* name, size_t size,
                      int* n)
{
    xmlNodePtr at = find_node(xmlDocGetRootElement(file->document), section, NULL);
    assert_non_null(at);
    at = find_node(at->children, "DataArray", name);
    if (!at)
        fail_msg("no array %s in %s", name, section);
    uint64_t bytes;
    size_t offset = file->data + (size_t)int_of(at, "offset");
    memcpy(&bytes, file->bytes + offset, sizeof bytes);
    assert_true(offset + sizeof bytes + bytes <= file->size);
    assert_int_equal(bytes % size, 0);
    *n = (int)(bytes / size);
    void* data = malloc(bytes + 1);
    assert_non_null(data);
    memcpy(data, file->bytes + offset + sizeof bytes, bytes);
    return data;
}

static double* doubles(const VtuFile* file, const char* section, const char* name, int expected)
{
    int n;
    double* data = array_of(file, section, name, sizeof *data, &n);
    assert_int_equal(n, expected);
    return data;
}

static int* ints(const VtuFile* file, const char* section, const char* name, int expected)
{
    int n;
    int* data = array_of(file, section, name, sizeof *data, &n);
    if (expected >= 0)
        assert_int_equal(n, expected);
    return data;
}

static double field(const VtuFile* file, const char* name)
{
    double* data = doubles(file, "FieldData", name, 1);
    double value = data[0];
    free(data);
    return value;
}

// Volume inside the triangles, after a look that every edge has its opposite.
static double closed_volume(const CondTessellation* t)
{
    double volume = 0.0;
    for (int i = 0; i < 3 * t->n_triangle; i++) {
        int a = t->triangle[i], b = t->triangle[i % 3 == 2 ? i - 2 : i + 1], opposite = 0;
        assert_in_range(a, 0, t->n_point - 1);
        for (int k = 0; k < 3 * t->n_triangle; k++)
            opposite += t->triangle[k] == b && t->triangle[k % 3 == 2 ? k - 2 : k + 1] == a;
        assert_int_equal(opposite, 1);
    }
    for (int i = 0; i < t->n_triangle; i++) {
        const int* c = t->triangle + 3 * i;
        double n[3];
        vec3_cross(t->point + 3 * c[0], t->point + 3 * c[1], n);
        volume += vec3_dot(n, t->point + 3 * c[2]) / 6.0;
    }
    return volume;
}

static void test_shapes(void** state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    CondTessellation t = {.context = {NULL, NULL, NULL}};
    FailingAllocator allocator = {0};
    t.context = failing_allocator_context(&allocator);
    CondShape shape = {.form = COND_FORM_SPHERE, .radius = 0.5};
    // A polygon of 24 corners fills 0.9886 of its circle.
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t) / (4.0 / 3.0 * pi * 0.125), 0.98, 0.01);
    for (int k = 0; k < t.n_point; k++)
        assert_near(vec3_norm(t.point + 3 * k), 0.5, 1e-15);
    shape = (CondShape){.form = COND_FORM_CAPSULE, .radius = 0.25, .half = {0, 0, 1.0}};
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t) / (pi * 0.0625 * (2.0 + 1.0 / 3.0)), 0.988, 0.002);
    shape =
        (CondShape){.form = COND_FORM_CYLINDER, .radius = 0.2, .half = {0, 0, 0.9}, .margin = 0.1};
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t) / (pi * 0.09 * 2.0), 12.0 * sin(pi / 12.0) / pi, 1e-12);
    shape = (CondShape){.form = COND_FORM_BOX, .half = {0.5, 1.0, 1.5}};
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t), 6.0, 1e-14);
    assert_int_equal(t.n_triangle, 12);
    cond_tessellation_destroy(&t);
    assert_int_equal(allocator.live, 0);
}

static void test_hull(void** state)
{
    (void)state;
    // The corners of a cube, points inside it, on an edge, on a face, and one corner twice.
    double point[13 * 3] = {0};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            point[3 * i + k] = i >> k & 1 ? 1.0 : -1.0;
    point[3 * 9] = point[3 * 9 + 1] = 1.0;
    point[3 * 10] = 1.0;
    point[3 * 11 + 2] = 0.5;
    memcpy(point + 3 * 12, point, 3 * sizeof *point);
    FailingAllocator allocator = {0};
    CondTessellation t = {.context = failing_allocator_context(&allocator)};
    assert_int_equal(cond_tessellate_hull(12, point, &t), COND_OK);
    assert_int_equal(t.n_triangle, 12);
    assert_near(closed_volume(&t), 8.0, 1e-12);
    assert_int_equal(cond_tessellate_hull(13, point, &t), COND_OK);
    assert_int_equal(t.n_triangle, 12);
    assert_int_equal(cond_tessellate_hull(4, point, &t), COND_OK); // a square has two sides
    assert_int_equal(t.n_triangle, 4);
    assert_int_equal(cond_tessellate_hull(2, point, &t), COND_OK);
    assert_int_equal(t.n_triangle, 0);
    assert_int_equal(cond_tessellate_hull(0, NULL, &t), COND_OK);
    assert_int_equal(t.n_triangle, 0);
    // Points on a sphere: all are corners, so Euler says 2 n - 4 triangles.
    enum { N = 60 };
    double ball[3 * N];
    Dice dice = {7};
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            ball[3 * i + k] = dice_uniform(&dice, -1.0, 1.0);
        double norm = vec3_norm(ball + 3 * i);
        for (int k = 0; k < 3; k++)
            ball[3 * i + k] /= norm;
    }
    assert_int_equal(cond_tessellate_hull(N, ball, &t), COND_OK);
    assert_int_equal(t.n_triangle, 2 * N - 4);
    assert_true(closed_volume(&t) > 3.0 && closed_volume(&t) < 4.19);
    cond_tessellation_destroy(&t);
    assert_int_equal(allocator.live, 0);
}

// One of every kind but a robot, in this order: soft, box, points, particle.
enum { SOFT, BOX, POINTS, PARTICLE };

static CondScene* zoo_scene(void)
{
    static const double corner[12] = {0.1, 0, 0, -0.1, 0.1, 0, -0.1, -0.1, 0, 0, 0, 0.2};
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 0.002;
    CondMaterialDef material = cond_material_def_default();
    snprintf(material.name, sizeof material.name, "rubber");
    material.youngs_modulus = 1e5;
    material.poisson_ratio = 0.4;
    material.density = 1000.0;
    assert_int_equal(cond_scene_add_material(scene, &material, NULL), COND_OK);
    CondBodyDef soft = cond_body_def_default();
    soft.kind = COND_BODY_SOFT;
    snprintf(soft.mesh, sizeof soft.mesh, "box:2,2,1:0.1,0.1,0.05");
    snprintf(soft.material, sizeof soft.material, "rubber");
    soft.position[2] = 0.0251;
    add_body(scene, &soft);
    CondBodyDef box = make_box(0.5, 0.1, 0.2, 0.3, 0.5, 0.0, 0.151);
    box.angular_velocity[2] = 1.0;
    box.velocity[0] = 0.2;
    add_body(scene, &box);
    CondBodyDef points = make_box(0.5, 0.1, 0.2, 0.3, -0.5, 0.0, 0.001);
    points.shape = COND_SHAPE_POINTS;
    points.inertia_from_shape = 0;
    points.inertia[0] = points.inertia[1] = points.inertia[2] = 0.01;
    points.n_point = 4;
    points.point = corner;
    add_body(scene, &points);
    CondBodyDef particle = make_particle(0.1, 0.0, 0.5, 0.001);
    particle.velocity[1] = 0.3;
    add_body(scene, &particle);
    CondObstacleDef peg = cond_obstacle_def_default();
    peg.shape = COND_SHAPE_SPHERE;
    peg.size[0] = 0.1;
    peg.position[1] = -1.0;
    CondError error;
    if (cond_scene_add_obstacle(scene, &peg, &error))
        fail_msg("%s", error.message);
    add_floor(scene, 0.5, NAN);
    return scene;
}

static void check_bodies(const Trial* trial, const VtuFile* file)
{
    const CondModel* model = trial->model;
    const CondFem* fem = model->body[SOFT].fem;
    xmlNodePtr piece = find_node(xmlDocGetRootElement(file->document), "Piece", NULL);
    int n_point = int_of(piece, "NumberOfPoints"), n_cell = int_of(piece, "NumberOfCells");
    int n_sphere_point = 11 * 24 + 2, n_sphere = 11 * 2 * 24, n_q, n_type;
    assert_int_equal(n_point, fem->n_node + 8 + 4 + 1 + n_sphere_point + 4);
    assert_int_equal(n_cell, fem->n_tet + 12 + 4 + 1 + n_sphere + 2);
    double* x = doubles(file, "Points", "Points", 3 * n_point);
    double* u = doubles(file, "PointData", "velocity", 3 * n_point);
    double* d = doubles(file, "PointData", "displacement", 3 * n_point);
    double* stress = doubles(file, "CellData", "von_mises", n_cell);
    int* body = ints(file, "CellData", "body", n_cell);
    int* end = ints(file, "Cells", "offsets", n_cell);
    int* corner = ints(file, "Cells", "connectivity", end[n_cell - 1]);
    uint8_t* type = array_of(file, "Cells", "types", 1, &n_type);
    assert_int_equal(n_type, n_cell);
    // The soft body comes first, node by node and element by element.
    const double* q = cond_state_configuration(model, trial->state, SOFT, &n_q);
    assert_memory_equal(x, q, (size_t)n_q * sizeof *q);
    assert_memory_equal(u, cond_state_velocity(trial->state), (size_t)n_q * sizeof *q);
    assert_memory_equal(corner, fem->tet, 4 * (size_t)fem->n_tet * sizeof *corner);
    double* von_mises = malloc((size_t)fem->n_tet * sizeof *von_mises);
    cond_fem_stress(fem, q, NULL, von_mises, 1);
    assert_memory_equal(stress, von_mises, (size_t)fem->n_tet * sizeof *stress);
    free(von_mises);
    for (int i = 0; i < n_q; i++)
        assert_near(d[i], q[i] - fem->rest[i], 0.0);
    for (int i = 0; i < n_cell; i++) {
        int begin = i ? end[i - 1] : 0, tet = i < fem->n_tet, dot = i == fem->n_tet + 16;
        assert_int_equal(type[i], tet ? 10 : dot ? 1 : 5);
        assert_int_equal(end[i] - begin, tet ? 4 : dot ? 1 : 3);
        for (int k = begin; k < end[i]; k++)
            assert_in_range(corner[k], 0, n_point - 1);
        int k = i - fem->n_tet, of = k < 0 ? SOFT : k < 12 ? BOX : k < 16 ? POINTS : PARTICLE;
        assert_int_equal(body[i], i >= n_cell - 2 ? -2 : k > 16 ? -1 : of);
    }
    // Corners of the box: where its pose puts them, moving with v + w x r.
    CondPose pose = trial_pose(trial, BOX);
    double R[9], r[3], spin[3];
    quat_matrix(pose.orientation, R);
    for (int c = 0; c < 8; c++) {
        const double local[3] = {c & 1 ? 0.05 : -0.05, c & 2 ? 0.1 : -0.1, c & 4 ? 0.15 : -0.15};
        mat3_multiply(R, local, r);
        vec3_cross(pose.angular_velocity, r, spin);
        for (int i = 0; i < 3; i++) {
            assert_near(x[3 * (fem->n_node + c) + i], pose.position[i] + r[i], 1e-14);
            assert_near(u[3 * (fem->n_node + c) + i], pose.velocity[i] + spin[i], 1e-14);
            assert_near(d[3 * (fem->n_node + c) + i], 0.0, 0.0);
        }
    }
    pose = trial_pose(trial, PARTICLE);
    assert_memory_equal(x + 3 * (fem->n_node + 12), pose.position, sizeof pose.position);
    assert_memory_equal(u + 3 * (fem->n_node + 12), pose.velocity, sizeof pose.velocity);
    // The floor lies under everything.
    double reach = 0.0;
    for (int c = n_point - 4; c < n_point; c++) {
        assert_near(x[3 * c + 2], 0.0, 1e-15);
        reach = fmax(reach, fabs(x[3 * c]));
    }
    for (int p = 0; p < n_point - 4; p++)
        assert_true(fabs(x[3 * p]) < reach && x[3 * p + 1] < reach);
    void* arrays[] = {x, u, d, stress, body, end, corner, type};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        free(arrays[k]);
}

static void check_contacts(const Trial* trial, const VtuFile* file)
{
    int n = cond_sim_n_contact(trial->sim), n_type;
    double* x = doubles(file, "Points", "Points", 3 * n);
    double* force = doubles(file, "PointData", "force", 3 * n);
    double* normal = doubles(file, "PointData", "normal", 3 * n);
    double* gap = doubles(file, "PointData", "gap", n);
    int* body = ints(file, "PointData", "body", n);
    int* other = ints(file, "PointData", "other", n);
    int* corner = ints(file, "Cells", "connectivity", n);
    int* end = ints(file, "Cells", "offsets", n);
    uint8_t* type = array_of(file, "Cells", "types", 1, &n_type);
    assert_int_equal(n_type, n);
    double sum[4][3] = {{0.0}};
    for (int k = 0; k < n; k++) {
        CondContactInfo info = cond_sim_contact(trial->sim, k);
        assert_memory_equal(x + 3 * k, info.position, sizeof info.position);
        assert_near(normal[3 * k + 2], 1.0, 1e-15); // all of them stand on the floor
        assert_near(gap[k], info.gap, 0.0);
        assert_int_equal(body[k], info.body);
        assert_int_equal(other[k], -1);
        assert_int_equal(corner[k], k);
        assert_int_equal(end[k], k + 1);
        assert_int_equal(type[k], 1);
        for (int i = 0; i < 3; i++)
            sum[body[k]][i] += force[3 * k + i];
    }
    for (int b = 0; b < 4; b++) {
        double expected[3], torque[3];
        cond_sim_body_force(trial->sim, b, expected, torque);
        for (int i = 0; i < 3; i++)
            assert_near(sum[b][i], expected[i], 1e-9);
    }
    void* arrays[] = {x, force, normal, gap, body, other, corner, end, type};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        free(arrays[k]);
}

// Entries of a collection, which must name n frames of the stem at multiples of a time.
static void check_collection(const char* path, const char* stem, int n, double time)
{
    VtuFile file = open_file(path);
    xmlNodePtr at = find_node(xmlDocGetRootElement(file.document), "DataSet", NULL);
    int count = 0;
    for (; at; at = at->next) {
        if (at->type != XML_ELEMENT_NODE)
            continue;
        char name[256];
        xmlChar* text = xmlGetProp(at, BAD_CAST "file");
        snprintf(name, sizeof name, "%s%s_%06d.vtu", stem, count % 2 ? "_contacts" : "", count / 2);
        assert_string_equal((const char*)text, name);
        xmlFree(text);
        text = xmlGetProp(at, BAD_CAST "timestep");
        assert_near(atof((const char*)text), count / 2 * time, 1e-12);
        xmlFree(text);
        assert_int_equal(int_of(at, "part"), count % 2);
        VtuFile frame = open_file(name);
        assert_near(field(&frame, "TimeValue"), count / 2 * time, 1e-12);
        close_file(&frame);
        count++;
    }
    assert_int_equal(count, 2 * n);
    close_file(&file);
}

static void test_frames(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    CondError error;
    // The name holds what XML must write in another way.
    assert_int_equal(cond_record_open(NULL, "a&\"<b.pvd", trial.model, &record, &error), COND_OK);
    check_collection("a&\"<b.pvd", "a&\"<b", 0, 0.0);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    VtuFile file = open_file("a&\"<b_000000.vtu");
    check_bodies(&trial, &file);
    assert_true(isnan(field(&file, "certificate")) && isnan(field(&file, "kinetic_energy")));
    close_file(&file);
    for (int k = 1; k <= 3; k++) {
        char name[64];
        trial_step(&trial, 5);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, &error),
                         COND_OK);
        assert_int_equal(cond_record_n_frame(record), k + 1);
        snprintf(name, sizeof name, "a&\"<b_%06d.vtu", k);
        file = open_file(name);
        check_bodies(&trial, &file);
        assert_near(field(&file, "kinetic_energy"), trial.info.kinetic_after, 0.0);
        assert_near(field(&file, "potential_energy"), trial.info.potential_after, 0.0);
        assert_true(field(&file, "certificate") >= 0.0 && field(&file, "certificate") < 1e-6);
        close_file(&file);
        snprintf(name, sizeof name, "a&\"<b_contacts_%06d.vtu", k);
        file = open_file(name);
        assert_true(cond_sim_n_contact(trial.sim) > 8);
        check_contacts(&trial, &file);
        close_file(&file);
        check_collection("a&\"<b.pvd", "a&\"<b", k + 1, 0.01);
    }
    cond_record_close(record);
    cond_record_close(NULL);
    remove_frames("a&\"<b", 4);
    trial_end(&trial);
}

// Points of a robot move as their velocity says.
static void test_robot(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 1e-5;
    CondJointDef joint = {"panda_joint2", 0.3, 0.7, NAN, NAN};
    CondBodyDef def = cond_body_def_default();
    def.kind = COND_BODY_ROBOT;
    def.n_joint = 1;
    def.joint = &joint;
    snprintf(def.urdf, sizeof def.urdf, "%s", COND_SCENES "/panda.urdf");
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    CondRecord* record;
    assert_int_equal(cond_record_open(NULL, "arm.pvd", trial.model, &record, NULL), COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, NULL), COND_OK);
    trial_step(&trial, 1);
    assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, NULL), COND_OK);
    VtuFile before = open_file("arm_000000.vtu"), after = open_file("arm_000001.vtu");
    xmlNodePtr piece = find_node(xmlDocGetRootElement(after.document), "Piece", NULL);
    int n = 3 * int_of(piece, "NumberOfPoints");
    double *x0 = doubles(&before, "Points", "Points", n), largest = 0.0;
    double *x1 = doubles(&after, "Points", "Points", n),
           *u = doubles(&after, "PointData", "velocity", n);
    for (int i = 0; i < n; i++) {
        assert_near((x1[i] - x0[i]) / 1e-5, u[i], 1e-4);
        largest = fmax(largest, fabs(u[i]));
    }
    assert_true(largest > 0.1);
    free(x0);
    free(x1);
    free(u);
    close_file(&before);
    close_file(&after);
    cond_record_close(record);
    remove_frames("arm", 2);
    trial_end(&trial);
}

static CondScene* dot_scene(void)
{
    CondScene* scene = make_scene();
    CondBodyDef particle = make_particle(0.1, 0.0, 0.0, 0.0);
    add_body(scene, &particle);
    add_floor(scene, 0.5, NAN);
    return scene;
}

static void test_paths(void** state)
{
    (void)state;
    Trial trial = trial_begin(dot_scene()), other = trial_begin(zoo_scene());
    CondRecord* record;
    CondError error;
    static const char* const endings[] = {"run", "run.vtu", "run.pvd.gz", "a.pvd/run", ""};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        assert_int_equal(cond_record_open(NULL, endings[k], trial.model, &record, &error),
                         COND_NOT_SUPPORTED);
        assert_null(record);
        assert_non_null(strstr(error.message, ".pvd"));
    }
    assert_int_equal(cond_record_open(NULL, "nowhere/run.pvd", trial.model, &record, &error),
                     COND_NO_FILE);
    assert_non_null(strstr(error.message, "nowhere/run.pvd: cannot be written"));
    // The folder goes away and comes back.
    assert_int_equal(mkdir("out", 0700), 0);
    assert_int_equal(cond_record_open(NULL, "out/run.pvd", trial.model, &record, &error), COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, other.state, NULL, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    remove_frames("out/run", 1);
    assert_int_equal(rmdir("out"), 0);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_NO_FILE);
    assert_non_null(strstr(error.message, "out/run_000001.vtu"));
    assert_int_equal(cond_record_n_frame(record), 1);
    assert_int_equal(mkdir("out", 0700), 0);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    assert_int_equal(cond_record_n_frame(record), 2);
    cond_record_close(record);
    remove_frames("out/run", 2);
    assert_int_equal(rmdir("out"), 0);
    trial_end(&trial);
    trial_end(&other);
}

// Files end at so many bytes, as they do on a full disk; RLIM_INFINITY: nowhere.
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_full_disk(void** state)
{
    (void)state;
    Trial trial = trial_begin(dot_scene());
    CondRecord* record;
    CondError error;
    assert_int_equal(cond_record_open(NULL, "full.pvd", trial.model, &record, &error), COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    limit_files(1000);
    CondStatus status = cond_record_frame(record, NULL, trial.state, NULL, &error);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, COND_NO_FILE);
    assert_non_null(strstr(error.message, "full_000001.vtu: could not be written to its end"));
    assert_int_equal(access("full_000001.vtu", F_OK), -1);
    check_collection("full.pvd", "full", 1, 0.0);
    cond_record_close(record);
    remove_frames("full", 1);
    trial_end(&trial);
}

static void test_memory(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    trial_step(&trial, 1);
    for (long fail = 1;; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondContext context = failing_allocator_context(&allocator);
        CondRecord* record;
        CondError error = {COND_OK, ""};
        CondStatus status = cond_record_open(&context, "m.pvd", trial.model, &record, &error);
        if (status)
            assert_null(record);
        for (int k = 0; k < 2 && !status; k++)
            status = cond_record_frame(record, trial.sim, trial.state, &trial.info, &error);
        if (status) {
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_int_equal(error.status, COND_OUT_OF_MEMORY);
            assert_non_null(strstr(error.message, "memory"));
        }
        if (status && record) { // what failed once may be tried again
            int before = cond_record_n_frame(record);
            status = cond_record_frame(record, trial.sim, trial.state, &trial.info, &error);
            assert_int_equal(status, COND_OK);
            assert_int_equal(cond_record_n_frame(record), before + 1);
        }
        cond_record_close(record);
        assert_int_equal(allocator.live, 0);
        if (allocator.calls < fail) {
            assert_true(fail > 40);
            break;
        }
    }
    remove_frames("m", 2);
    trial_end(&trial);
}

static void test_command(void** state)
{
    (void)state;
    static const char scene[] = COND_SCENES "/push.yaml";
    cli_expect(0, "6 steps", "run", scene, "--steps", "6", "--record", "run.pvd");
    check_collection("run.pvd", "run", 7, 0.01);
    remove_frames("run", 7);
    cli_expect(0, "7 steps", "run", scene, "--steps", "7", "--record", "run.pvd", "--every", "3");
    check_collection("run.pvd", "run", 3, 0.03);
    remove_frames("run", 3);
    cli_expect(1, "--every 0", "run", scene, "--record", "run.pvd", "--every", "0");
    cli_expect(2, "another ending", "run", scene, "--record", "run.vtk");
    cli_expect(2, "nowhere/run.pvd", "run", scene, "--record", "nowhere/run.pvd");
    // The collection outgrows the limit after some frames: the run goes on to its end.
    limit_files(5000);
    CliOutput output = cli_run("run", scene, "--steps", "60", "--record", "run.pvd");
    limit_files(RLIM_INFINITY);
    assert_int_equal(output.code, 2);
    assert_non_null(strstr(output.err, "run.pvd: could not be written to its end"));
    assert_non_null(strstr(output.err, "60 steps"));
    cli_output_free(&output);
    VtuFile file = open_file("run.pvd");
    assert_non_null(strstr(file.bytes, "run_contacts_000020.vtu"));
    assert_null(strstr(file.bytes, "run_contacts_000060.vtu"));
    close_file(&file);
    remove_frames("run", 61);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_hull),
        cmocka_unit_test(test_frames), cmocka_unit_test(test_robot),
        cmocka_unit_test(test_paths),  cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_command),
    };
    int failed = cmocka_run_group_tests(tests, enter_folder, leave_folder);
    xmlCleanupParser();
    return failed;
}
