// Records: what the files say is what the state says, and no failure loses a finished frame.
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
#include <sys/stat.h>
#include <unistd.h>

#include "cli_run.h"
#include "cond/record.h"
#include "failing_allocator.h"
#include "math/quat.h"
#include "model/fem.h"
#include "model/model.h"
#include "record_make.h"
#include "scene_make.h"
#include "vtu_read.h"

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

static void check_bodies(const Trial* trial, const VtuFile* file)
{
    const CondModel* model = trial->model;
    const CondFem* fem = model->body[SOFT].fem;
    xmlNodePtr piece = vtu_node(xmlDocGetRootElement(file->document), "Piece", NULL);
    int n_point = vtu_int(piece, "NumberOfPoints"), n_cell = vtu_int(piece, "NumberOfCells");
    int n_sphere_point = 11 * 24 + 2, n_sphere = 11 * 2 * 24, n_q, n_type;
    assert_int_equal(n_point, fem->n_node + 8 + 4 + 1 + n_sphere_point + 4);
    assert_int_equal(n_cell, fem->n_tet + 12 + 4 + 1 + n_sphere + 2);
    double* x = vtu_doubles(file, "Points", "Points", 3 * n_point);
    double* u = vtu_doubles(file, "PointData", "velocity", 3 * n_point);
    double* d = vtu_doubles(file, "PointData", "displacement", 3 * n_point);
    double* stress = vtu_doubles(file, "CellData", "von_mises", n_cell);
    int* body = vtu_ints(file, "CellData", "body", n_cell);
    int* end = vtu_ints(file, "Cells", "offsets", n_cell);
    int* corner = vtu_ints(file, "Cells", "connectivity", end[n_cell - 1]);
    uint8_t* type = vtu_array(file, "Cells", "types", 1, &n_type);
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
    double* x = vtu_doubles(file, "Points", "Points", 3 * n);
    double* force = vtu_doubles(file, "PointData", "force", 3 * n);
    double* normal = vtu_doubles(file, "PointData", "normal", 3 * n);
    double* gap = vtu_doubles(file, "PointData", "gap", n);
    int* body = vtu_ints(file, "PointData", "body", n);
    int* other = vtu_ints(file, "PointData", "other", n);
    int* corner = vtu_ints(file, "Cells", "connectivity", n);
    int* end = vtu_ints(file, "Cells", "offsets", n);
    uint8_t* type = vtu_array(file, "Cells", "types", 1, &n_type);
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
    VtuFile file = vtu_open(path);
    xmlNodePtr at = vtu_node(xmlDocGetRootElement(file.document), "DataSet", NULL);
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
        assert_int_equal(vtu_int(at, "part"), count % 2);
        VtuFile frame = vtu_open(name);
        assert_near(vtu_field(&frame, "TimeValue"), count / 2 * time, 1e-12);
        vtu_close(&frame);
        count++;
    }
    assert_int_equal(count, 2 * n);
    vtu_close(&file);
}

static void test_frames(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    CondError error;
    // The name holds what XML must write in another way.
    assert_int_equal(cond_record_open(NULL, "a&\"<b.pvd", trial.model, NULL, &record, &error),
                     COND_OK);
    check_collection("a&\"<b.pvd", "a&\"<b", 0, 0.0);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    VtuFile file = vtu_open("a&\"<b_000000.vtu");
    check_bodies(&trial, &file);
    assert_true(isnan(vtu_field(&file, "certificate")) &&
                isnan(vtu_field(&file, "kinetic_energy")));
    vtu_close(&file);
    for (int k = 1; k <= 3; k++) {
        char name[64];
        trial_step(&trial, 5);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, &error),
                         COND_OK);
        assert_int_equal(cond_record_n_frame(record), k + 1);
        snprintf(name, sizeof name, "a&\"<b_%06d.vtu", k);
        file = vtu_open(name);
        check_bodies(&trial, &file);
        assert_near(vtu_field(&file, "kinetic_energy"), trial.info.kinetic_after, 0.0);
        assert_near(vtu_field(&file, "potential_energy"), trial.info.potential_after, 0.0);
        assert_true(vtu_field(&file, "certificate") >= 0.0 &&
                    vtu_field(&file, "certificate") < 1e-6);
        vtu_close(&file);
        snprintf(name, sizeof name, "a&\"<b_contacts_%06d.vtu", k);
        file = vtu_open(name);
        assert_true(cond_sim_n_contact(trial.sim) > 8);
        check_contacts(&trial, &file);
        vtu_close(&file);
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
    CondJointDef joint = cond_joint_def_default();
    snprintf(joint.name, sizeof joint.name, "panda_joint2");
    joint.position = 0.3;
    joint.velocity = 0.7;
    CondBodyDef def = cond_body_def_default();
    def.kind = COND_BODY_ROBOT;
    def.n_joint = 1;
    def.joint = &joint;
    snprintf(def.urdf, sizeof def.urdf, "%s", COND_SCENES "/panda.urdf");
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    CondRecord* record;
    assert_int_equal(cond_record_open(NULL, "arm.pvd", trial.model, NULL, &record, NULL), COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, NULL), COND_OK);
    trial_step(&trial, 1);
    assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, NULL), COND_OK);
    VtuFile before = vtu_open("arm_000000.vtu"), after = vtu_open("arm_000001.vtu");
    xmlNodePtr piece = vtu_node(xmlDocGetRootElement(after.document), "Piece", NULL);
    int n = 3 * vtu_int(piece, "NumberOfPoints");
    double *x0 = vtu_doubles(&before, "Points", "Points", n), largest = 0.0;
    double *x1 = vtu_doubles(&after, "Points", "Points", n),
           *u = vtu_doubles(&after, "PointData", "velocity", n);
    for (int i = 0; i < n; i++) {
        assert_near((x1[i] - x0[i]) / 1e-5, u[i], 1e-4);
        largest = fmax(largest, fabs(u[i]));
    }
    assert_true(largest > 0.1);
    free(x0);
    free(x1);
    free(u);
    vtu_close(&before);
    vtu_close(&after);
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
        assert_int_equal(cond_record_open(NULL, endings[k], trial.model, NULL, &record, &error),
                         COND_NOT_SUPPORTED);
        assert_null(record);
        assert_non_null(strstr(error.message, ".pvd"));
    }
    assert_int_equal(cond_record_open(NULL, "nowhere/run.pvd", trial.model, NULL, &record, &error),
                     COND_NO_FILE);
    assert_non_null(strstr(error.message, "nowhere/run.pvd: cannot be written"));
    Trial empty = trial_begin(make_scene());
    assert_int_equal(cond_record_open(NULL, "run.h5", empty.model, NULL, &record, &error),
                     COND_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "no body"));
    trial_end(&empty);
    // The folder goes away and comes back.
    assert_int_equal(mkdir("out", 0700), 0);
    assert_int_equal(cond_record_open(NULL, "out/run.pvd", trial.model, NULL, &record, &error),
                     COND_OK);
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

static void test_full_disk(void** state)
{
    (void)state;
    Trial trial = trial_begin(dot_scene());
    CondRecord* record;
    CondError error;
    assert_int_equal(cond_record_open(NULL, "full.pvd", trial.model, NULL, &record, &error),
                     COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    limit_files(1000);
    CondStatus status = cond_record_frame(record, NULL, trial.state, NULL, &error);
    limit_files(-1);
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
        CondStatus status = cond_record_open(&context, "m.pvd", trial.model, NULL, &record, &error);
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
    limit_files(-1);
    assert_int_equal(output.code, 2);
    assert_non_null(strstr(output.err, "run.pvd: could not be written to its end"));
    assert_non_null(strstr(output.err, "60 steps"));
    cli_output_free(&output);
    VtuFile file = vtu_open("run.pvd");
    assert_non_null(strstr(file.bytes, "run_contacts_000020.vtu"));
    assert_null(strstr(file.bytes, "run_contacts_000060.vtu"));
    vtu_close(&file);
    remove_frames("run", 61);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames), cmocka_unit_test(test_robot),
        cmocka_unit_test(test_paths),  cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
