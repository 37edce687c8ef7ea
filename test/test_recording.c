// Recordings in HDF5: what is read back is what was there, the layout is VTKHDF's, and neither a
// killed run, a full disk nor a damaged file does harm.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli_run.h"
#include "cond/cond.h"
#include "failing_allocator.h"
#include "model/model.h"
#include "model/state.h"
#include "record_make.h"
#include "scene_make.h"

static char folder[] = "recording_XXXXXX";

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

// Fails when a test left a file behind.
static int leave_folder(void** state)
{
    (void)state;
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void remove_record(const char* stem)
{
    char name[64];
    snprintf(name, sizeof name, "%s.h5", stem);
    remove(name);
    snprintf(name, sizeof name, "%s.xdmf", stem);
    remove(name);
}

static void same(const double* a, const double* b, int n, double tolerance)
{
    for (int i = 0; i < n; i++)
        if (!(isnan(a[i]) && isnan(b[i])))
            assert_near(a[i], b[i], tolerance * fmax(1.0, fabs(b[i])));
}

// Everything of two moments of one scenery.
static void same_moment(const CondScenery* s, const CondMoment* a, const CondMoment* b, double tol)
{
    assert_memory_equal(a->number, b->number, sizeof a->number);
    same(a->position, b->position, 3 * s->n_point, tol);
    same(a->velocity, b->velocity, 3 * s->n_point, tol);
    same(a->displacement, b->displacement, 3 * s->n_point, tol);
    same(a->von_mises, b->von_mises, s->n_cell, tol);
    assert_true(!a->rod_force && !b->rod_force); // test_recording_rod.c has a rod
    int n = a->n_contact;
    assert_int_equal(n, b->n_contact);
    same(a->contact_position, b->contact_position, 3 * n, tol);
    same(a->contact_force, b->contact_force, 3 * n, tol);
    same(a->contact_frame, b->contact_frame, 9 * n, tol);
    same(a->contact_friction, b->contact_friction, 2 * n, tol);
    same(a->contact_gap, b->contact_gap, n, tol);
    same(a->contact_error, b->contact_error, n, tol);
    same(a->sensor_force, b->sensor_force, 3 * s->n_sensor, 0.0);
    same(a->sensor_torque, b->sensor_torque, 3 * s->n_sensor, 0.0);
    for (int k = 0; k < n; k++) {
        assert_int_equal(a->contact_body[k], b->contact_body[k]);
        assert_int_equal(a->contact_other[k], b->contact_other[k]);
    }
}

static void same_scenery(const CondScenery* a, const CondScenery* b)
{
    assert_int_equal(a->n_body, b->n_body);
    assert_int_equal(a->n_point, b->n_point);
    assert_int_equal(a->n_cell, b->n_cell);
    assert_int_equal(a->n_corner, b->n_corner);
    assert_int_equal(a->plane_begin, b->plane_begin);
    assert_memory_equal(a->corner, b->corner, (size_t)a->n_corner * sizeof(int));
    assert_memory_equal(a->corner_end, b->corner_end, (size_t)a->n_cell * sizeof(int));
    assert_memory_equal(a->type, b->type, (size_t)a->n_cell);
    assert_memory_equal(a->body, b->body, (size_t)a->n_cell * sizeof(int));
    assert_int_equal(a->n_sensor, b->n_sensor);
    for (int k = 0; k < a->n_sensor; k++)
        assert_string_equal(a->sensor[k], b->sensor[k]);
    for (int k = 0; k < a->n_body; k++) {
        assert_string_equal(a->name[k], b->name[k]);
        assert_string_equal(a->kind[k], b->kind[k]);
    }
}

enum { N_FRAME = 5 };

// Records the zoo; every frame is compared with a snapshot of its own while the file still grows.
static void check_round_trip(int all_digits, int compression)
{
    Trial trial = trial_begin(zoo_scene());
    CondRecordSettings settings = cond_record_settings_default();
    CondRecord* record;
    CondSnapshot* snapshot;
    CondError error;
    settings.all_digits = all_digits;
    settings.compression = compression;
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    assert_int_equal(cond_record_open(NULL, "zoo.h5", trial.model, &settings, &record, &error),
                     COND_OK);
    for (int k = 0; k < N_FRAME; k++) {
        const CondSim* sim = k ? trial.sim : NULL;
        const CondStepInfo* info = k ? &trial.info : NULL;
        CondRecording* recording;
        const CondMoment* moment;
        if (k)
            trial_step(&trial, 4);
        assert_int_equal(cond_record_frame(record, sim, trial.state, info, &error), COND_OK);
        assert_int_equal(cond_record_flush(record, &error), COND_OK);
        assert_int_equal(cond_snapshot_take(snapshot, sim, trial.state, info, &error), COND_OK);
        if (cond_recording_open(NULL, "zoo.h5", &recording, &error))
            fail_msg("%s", error.message);
        assert_int_equal(cond_recording_n_frame(recording), k + 1);
        same_scenery(cond_recording_scenery(recording), cond_snapshot_scenery(snapshot));
        if (cond_recording_frame(recording, k, &moment, &error))
            fail_msg("%s", error.message);
        same_moment(cond_recording_scenery(recording), moment, cond_snapshot_moment(snapshot),
                    all_digits ? 0.0 : 1e-7);
        // The sensor under the box reads what the contacts say.
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 1, force, torque);
        assert_int_equal(cond_recording_scenery(recording)->n_sensor, 1);
        for (int i = 0; i < 3; i++)
            assert_near(cond_recording_sensor_forces(recording)[3 * k + i], k ? force[i] : 0.0,
                        1e-9);
        assert_near(cond_recording_numbers(recording, COND_NUMBER_TIME)[k],
                    cond_state_time(trial.state), 0.0);
        assert_int_equal(cond_recording_frame(recording, k + 1, &moment, &error),
                         COND_BAD_ARGUMENT);
        cond_recording_close(recording);
    }
    cond_record_close(record);
    cond_snapshot_destroy(snapshot);
    remove_record("zoo");
    trial_end(&trial);
}

static void test_round_trip(void** state)
{
    (void)state;
    check_round_trip(1, 0);
    check_round_trip(1, 9);
    check_round_trip(0, 1);
}

// The contact errors are what the certificate has the worst of.
static char* read_bytes(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    char* bytes = malloc(*size + 1);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

// The bytes of a record of `n` frames, brought to the disk after each, after every seventh, or when
// the record likes.
static char* record_bytes(CondScene* scene, int n, int compression, int flush, size_t* size,
                          char** xdmf)
{
    Trial trial = trial_begin(scene);
    CondRecordSettings settings = cond_record_settings_default();
    CondRecord* record;
    CondError error;
    size_t n_xdmf;
    settings.compression = compression;
    assert_int_equal(cond_record_open(NULL, "wait.xdmf", trial.model, &settings, &record, &error),
                     COND_OK);
    for (int k = 0; k < n; k++) {
        CondStepInfo info = trial.info;
        memset(info.seconds, 0, sizeof info.seconds); // of the clock
        info.solve.seconds = 0.0;
        assert_int_equal(
            cond_record_frame(record, k ? trial.sim : NULL, trial.state, k ? &info : NULL, &error),
            COND_OK);
        if (flush > 0 && k % flush == 0)
            assert_int_equal(cond_record_flush(record, &error), COND_OK);
        assert_int_equal(cond_record_n_frame(record), k + 1);
        trial_step(&trial, 1);
    }
    cond_record_close(record);
    char* bytes = read_bytes("wait.h5", size);
    *xdmf = read_bytes("wait.xdmf", &n_xdmf);
    (*xdmf)[n_xdmf] = 0;
    remove_record("wait");
    trial_end(&trial);
    return bytes;
}

static CondScene* drop_scene(void)
{
    CondScene* scene;
    CondError error;
    if (cond_scene_read(NULL, COND_SCENES "/drop.yaml", 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

// When the frames come to the disk changes nothing in the files, and no frame is lost.
static void test_waiting(void** state)
{
    (void)state;
    for (int compression = 0; compression < 2; compression++)
        for (int zoo = 0; zoo < 2; zoo++) {
            int n = zoo ? 20 : 200;
            size_t size[3];
            char *bytes[3], *xdmf[3];
            for (int k = 0; k < 3; k++)
                bytes[k] = record_bytes(zoo ? zoo_scene() : drop_scene(), n, compression,
                                        (int[]){1, 7, 0}[k], &size[k], &xdmf[k]);
            for (int k = 1; k < 3; k++) {
                assert_int_equal(size[k], size[0]);
                assert_memory_equal(bytes[k], bytes[0], size[0]);
                assert_string_equal(xdmf[k], xdmf[0]);
            }
            for (int k = 0; k < 3; k++) {
                free(bytes[k]);
                free(xdmf[k]);
            }
        }
}

static void test_contact_errors(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondSnapshot* snapshot;
    CondError error;
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    trial_step(&trial, 6);
    assert_int_equal(cond_snapshot_take(snapshot, trial.sim, trial.state, &trial.info, &error),
                     COND_OK);
    const CondMoment* moment = cond_snapshot_moment(snapshot);
    double worst = 0.0;
    for (int k = 0; k < moment->n_contact; k++)
        worst = fmax(worst, moment->contact_error[k]);
    assert_true(moment->n_contact > 8);
    assert_near(worst, trial.info.solve.certificate.contact_speed, 1e-12);
    cond_snapshot_destroy(snapshot);
    trial_end(&trial);
}

// A pulled particle without weight swings as a damped oscillator does.
static void test_pull(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->time_step = 1e-4;
    for (int i = 0; i < 3; i++)
        settings->gravity[i] = 0.0;
    CondBodyDef particle = make_particle(0.5, 0.1, 0.0, 0.3);
    add_body(scene, &particle);
    Trial trial = trial_begin(scene);
    CondSnapshot* snapshot;
    CondError error;
    const double target[3] = {0.1, 0.0, 0.5}, omega = 10.0, mass = 0.5, stretch = -0.2;
    double wrong[3] = {NAN, 0.0, 0.0};
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    assert_near(cond_snapshot_point_mass(snapshot, 0), mass, 0.0);
    assert_int_equal(cond_sim_pull(trial.sim, snapshot, 7, target, 1.0, 0.0), COND_BAD_ARGUMENT);
    assert_int_equal(cond_sim_pull(trial.sim, snapshot, 0, wrong, 1.0, 0.0), COND_BAD_ARGUMENT);
    assert_int_equal(cond_sim_pull(trial.sim, snapshot, 0, target, -1.0, 0.0), COND_BAD_ARGUMENT);
    assert_int_equal(
        cond_sim_pull(trial.sim, snapshot, 0, target, mass * omega * omega, 2.0 * mass * omega),
        COND_OK);
    trial_step(&trial, 1000);
    // Critical damping: x = x0 (1 + omega t) exp(-omega t).
    assert_near(trial_pose(&trial, 0).position[2], 0.5 + stretch * 2.0 * exp(-1.0), 2e-4);
    assert_int_equal(cond_sim_pull(trial.sim, snapshot, 0, target, 0.0, 0.0), COND_OK);
    double speed = trial_pose(&trial, 0).velocity[2];
    trial_step(&trial, 10);
    assert_near(trial_pose(&trial, 0).velocity[2], speed, 1e-12);
    cond_snapshot_destroy(snapshot);
    trial_end(&trial);
}

static long long rows(hid_t file, const char* group, const char* name)
{
    char location[128];
    hsize_t size[3] = {0};
    snprintf(location, sizeof location, "/VTKHDF/%s/%s", group, name);
    hid_t set = H5Dopen2(file, location, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    assert_true(H5Sget_simple_extent_dims(space, size, NULL) >= 1);
    H5Sclose(space);
    H5Dclose(set);
    return (long long)size[0];
}

static long long whole_at(hid_t file, const char* group, const char* name, int k)
{
    char location[128];
    long long values[64] = {0};
    snprintf(location, sizeof location, "/VTKHDF/%s/%s", group, name);
    assert_true(rows(file, group, name) <= 64);
    hid_t set = H5Dopen2(file, location, H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    return values[k];
}

static int has_text(hid_t file, const char* location, const char* name, const char* text)
{
    char value[64] = "";
    hid_t at = H5Aopen_by_name(file, location, name, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(at >= 0);
    hid_t type = H5Aget_type(at);
    assert_true(H5Tget_size(type) < sizeof value && H5Aread(at, type, value) >= 0);
    H5Tclose(type);
    H5Aclose(at);
    return strcmp(value, text) == 0;
}

// The sizes that VTKHDF's specification demands of a grid that changes with time. `parts` of its
// arrays count parts: one for cells that stay, one per frame for cells that do not.
static void check_grid(hid_t file, const char* group, int n_frame, int parts)
{
    static const char* const per_frame[] = {"Steps/Values",        "Steps/PartOffsets",
                                            "Steps/NumberOfParts", "Steps/PointOffsets",
                                            "Steps/CellOffsets",   "Steps/ConnectivityIdOffsets"};
    long long points = 0, cells = 0, corners = 0;
    for (size_t k = 0; k < sizeof per_frame / sizeof *per_frame; k++)
        assert_int_equal(rows(file, group, per_frame[k]), n_frame);
    for (int k = 0; k < n_frame; k++) {
        int part = (int)whole_at(file, group, "Steps/PartOffsets", k);
        assert_int_equal(part, parts == 1 ? 0 : k);
        assert_int_equal(whole_at(file, group, "Steps/NumberOfParts", k), 1);
        assert_int_equal(whole_at(file, group, "Steps/PointOffsets", k), points);
        assert_int_equal(whole_at(file, group, "Steps/CellOffsets", k), parts == 1 ? 0 : cells);
        assert_int_equal(whole_at(file, group, "Steps/ConnectivityIdOffsets", k),
                         parts == 1 ? 0 : corners);
        points += whole_at(file, group, "NumberOfPoints", part);
        cells += whole_at(file, group, "NumberOfCells", part);
        corners += whole_at(file, group, "NumberOfConnectivityIds", part);
    }
    assert_int_equal(rows(file, group, "Points"), points);
    assert_int_equal(rows(file, group, "NumberOfPoints"), parts);
    assert_int_equal(rows(file, group, "Types"), parts == 1 ? cells / n_frame : cells);
    assert_int_equal(rows(file, group, "Connectivity"), parts == 1 ? corners / n_frame : corners);
    assert_int_equal(rows(file, group, "Offsets"), (parts == 1 ? cells / n_frame : cells) + parts);
}

static void test_layout(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    assert_int_equal(cond_record_open(NULL, "zoo.h5", trial.model, NULL, &record, NULL), COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, NULL), COND_OK);
    for (int k = 0; k < 3; k++) {
        trial_step(&trial, 2);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, NULL),
                         COND_OK);
    }
    cond_record_close(record);
    hid_t file = H5Fopen("zoo.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(has_text(file, "/VTKHDF", "Type", "PartitionedDataSetCollection"));
    assert_true(has_text(file, "/VTKHDF/Assembly/bodies", "Type", "UnstructuredGrid"));
    assert_true(has_text(file, "/VTKHDF/Assembly/contacts", "Type", "UnstructuredGrid"));
    check_grid(file, "bodies", 4, 1);
    check_grid(file, "contacts", 4, 4);
    assert_int_equal(rows(file, "bodies", "PointData/velocity"), rows(file, "bodies", "Points"));
    assert_int_equal(rows(file, "contacts", "PointData/force"), rows(file, "contacts", "Points"));
    assert_int_equal(whole_at(file, "bodies", "Steps/CellDataOffsets/von_mises", 3),
                     3 * rows(file, "bodies", "Types"));
    assert_int_equal(whole_at(file, "bodies", "Steps/CellDataOffsets/body", 3), 0);
    // The state has all its digits whatever the settings.
    double* q = malloc(4 * (size_t)trial.model->n_q * sizeof *q);
    hid_t set = H5Dopen2(file, "/cond/state/q", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, q) >= 0);
    assert_memory_equal(q + 3 * trial.model->n_q, trial.state->q,
                        (size_t)trial.model->n_q * sizeof *q);
    free(q);
    H5Dclose(set);
    H5Fclose(file);
    remove_record("zoo");
    trial_end(&trial);
}

static void read_last(hid_t file, const char* name, int n, int frame, double* last)
{
    double* all = malloc((size_t)n * (size_t)(frame + 1) * sizeof *all);
    char path[64];
    snprintf(path, sizeof path, "/cond/joints/%s", name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(all && set >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    memcpy(last, all + (ptrdiff_t)n * frame, (size_t)n * sizeof *last);
    H5Dclose(set);
    free(all);
}

// Joints of a robot: where they are, and what its motors and limits did in the step.
static void test_joints(void** state)
{
    (void)state;
    static const char* const override[] = {"bodies.arm.joint_limits=true",
                                           "bodies.arm.velocity_limits=true"};
    Trial trial = trial_read("limp.yaml", 2, override);
    CondRecord* record;
    enum { STEPS = 120, N = 7 };
    assert_int_equal(cond_record_open(NULL, "arm.h5", trial.model, NULL, &record, NULL), COND_OK);
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, NULL), COND_OK);
    for (int k = 0; k < STEPS; k++) {
        trial_step(&trial, 1);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, NULL),
                         COND_OK);
    }
    cond_record_close(record);
    hid_t file = H5Fopen("arm.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    double q[N], limit[N], velocity_limit[N];
    assert_true(file >= 0);
    read_last(file, "position", N, STEPS, q);
    read_last(file, "limit", N, STEPS, limit);
    read_last(file, "velocity_limit", N, STEPS, velocity_limit);
    int held = 0;
    for (int j = 0; j < N; j++) {
        CondJointReading r;
        assert_int_equal(cond_sim_joint(trial.sim, 0, j, &r), COND_OK);
        assert_true(q[j] == r.position && q[j] == trial.state->q[j]);
        assert_true(limit[j] == r.limit && velocity_limit[j] == r.velocity_limit);
        held += limit[j] != 0.0 || velocity_limit[j] != 0.0;
    }
    assert_true(held > 0);
    H5Fclose(file);
    remove_record("arm");
    trial_end(&trial);
}

static void wait_for(int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

// Runs the tool and kills it after some time; the file must hold whole frames. Returns 1 when
// programs that know nothing of COND may open it as well.
static int kill_run(int milliseconds)
{
    CondRecording* recording = NULL;
    CondError error;
    const CondMoment* moment;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(126);
        execl(COND_CLI, COND_CLI, "run", COND_SCENES "/push.yaml", "--steps", "100000000",
              "--record", "killed.h5", "--threads", "1", (char*)NULL);
        _exit(127);
    }
    // Wait until there is a frame, then the time asked for.
    for (int k = 0; k < 600 && !recording; k++) {
        wait_for(50);
        if (access("killed.h5", R_OK) == 0)
            cond_recording_open(NULL, "killed.h5", &recording, &error);
    }
    assert_non_null(recording);
    int before = cond_recording_n_frame(recording);
    cond_recording_close(recording);
    wait_for(milliseconds);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (cond_recording_open(NULL, "killed.h5", &recording, &error))
        fail_msg("%s", error.message);
    int n = cond_recording_n_frame(recording);
    assert_true(n >= before);
    for (int k = 0; k < n; k++) {
        if (cond_recording_frame(recording, k, &moment, &error))
            fail_msg("%s", error.message);
        assert_near(moment->number[COND_NUMBER_TIME], 0.01 * k, 1e-9);
        assert_int_equal(moment->n_contact, k ? 4 : 0);
    }
    cond_recording_close(recording);
    hid_t file = -1;
    H5E_BEGIN_TRY
    {
        file = H5Fopen("killed.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    H5E_END_TRY;
    if (file >= 0)
        H5Fclose(file);
    remove_record("killed");
    return file >= 0;
}

static void test_killed(void** state)
{
    (void)state;
    // HDF5's mark of a file being written is on it for some microseconds of each frame; a kill just
    // then leaves it there.
    int n_open = 0;
    for (int k = 0; k < 4; k++)
        n_open += kill_run(17 * k);
    assert_true(n_open >= 2);
}

// Frames until the disk is full, which is where the file ends now. Returns how many were written.
static int fill_disk(CondRecord* record, const CondState* state)
{
    CondError error;
    struct stat info;
    int n = 0;
    assert_int_equal(stat("full.h5", &info), 0);
    limit_files((long)info.st_size);
    CondStatus status = COND_OK;
    for (; n < 1000 && !status; n++)
        status = cond_record_frame(record, NULL, state, NULL, &error);
    assert_int_equal(status, COND_NO_FILE);
    assert_non_null(strstr(error.message, "full.h5: cannot be written"));
    return n - 1;
}

static void test_full_disk(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    CondRecording* recording;
    CondError error;
    const CondMoment* moment;
    assert_int_equal(cond_record_open(NULL, "full.h5", trial.model, NULL, &record, &error),
                     COND_OK);
    int n = fill_disk(record, trial.state);
    limit_files(-1);
    assert_int_equal(cond_record_n_frame(record), n);
    // What failed once may be tried again.
    assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_OK);
    n += 1 + fill_disk(record, trial.state);
    cond_record_close(record); // while the disk is full
    limit_files(-1);
    if (cond_recording_open(NULL, "full.h5", &recording, &error))
        fail_msg("%s", error.message);
    assert_int_equal(cond_recording_n_frame(recording), n);
    assert_int_equal(cond_recording_frame(recording, n - 1, &moment, &error), COND_OK);
    cond_recording_close(recording);
    // A file that cannot even begin.
    limit_files(40000);
    CondStatus status = cond_record_open(NULL, "full.h5", trial.model, NULL, &record, &error);
    limit_files(-1);
    assert_int_equal(status, COND_NO_FILE);
    remove_record("full");
    trial_end(&trial);
}

static void write_bytes(const char* path, const char* bytes, size_t n)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

// Opens and reads all frames of a file that may be broken; nothing may crash, and what fails says
// why. Returns the status.
static CondStatus read_broken(const char* path)
{
    CondRecording* recording;
    CondError error = {COND_OK, ""};
    const CondMoment* moment;
    CondStatus status = cond_recording_open(NULL, path, &recording, &error);
    int n = status ? 0 : cond_recording_n_frame(recording);
    for (int k = 0; k < n && !status; k++)
        status = cond_recording_frame(recording, k, &moment, &error);
    if (status) {
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.message, path));
    }
    cond_recording_close(recording);
    return status;
}

// The same in a process of its own: HDF5 may be unable to tidy up after a damaged file.
static int read_aside(const char* path)
{
    int outcome = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(read_broken(path) == COND_OK ? 0 : 1);
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFEXITED(outcome));
    return WEXITSTATUS(outcome);
}

static void test_damage(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    static char bytes[1 << 21];
    assert_int_equal(cond_record_open(NULL, "a.h5", trial.model, NULL, &record, NULL), COND_OK);
    for (int k = 0; k < 3; k++) {
        trial_step(&trial, 1);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, NULL),
                         COND_OK);
    }
    cond_record_close(record);
    FILE* file = fopen("a.h5", "rb");
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(n > 10000 && n < sizeof bytes);
    assert_int_equal(read_broken("a.h5"), COND_OK);
    assert_int_equal(read_broken("nothing.h5"), COND_NO_FILE);
    write_bytes("b.h5", bytes, n / 2);
    assert_int_equal(read_broken("b.h5"), COND_BAD_INPUT);
    write_bytes("b.h5", "VTK", 3);
    assert_int_equal(read_broken("b.h5"), COND_BAD_INPUT);
    // Other HDF5 files are not recordings.
    assert_int_equal(read_broken(COND_TEST_DATA "/fclib/LMGC_GFC3D-i00001-1-00000.hdf5"),
                     COND_BAD_INPUT);
    Dice dice = {11};
    int n_bad = 0;
    for (int k = 0; k < 60; k++) {
        size_t at = (size_t)dice_uniform(&dice, 0.0, (double)n);
        char was = bytes[at];
        bytes[at] = (char)(was ^ (1 << k % 8));
        write_bytes("b.h5", bytes, n);
        n_bad += read_aside("b.h5") != COND_OK;
        bytes[at] = was;
    }
    assert_true(n_bad > 0);
    remove("b.h5");
    remove_record("a");
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
        CondRecord* record = NULL;
        CondRecording* recording = NULL;
        CondError error = {COND_OK, ""};
        const CondMoment* moment;
        CondStatus status = cond_record_open(&context, "m.h5", trial.model, NULL, &record, &error);
        if (!status)
            status = cond_record_frame(record, trial.sim, trial.state, &trial.info, &error);
        if (!status)
            status = cond_recording_open(&context, "m.h5", &recording, &error);
        if (!status)
            status = cond_recording_frame(recording, 0, &moment, &error);
        if (status) {
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        }
        cond_recording_close(recording);
        cond_record_close(record);
        assert_int_equal(allocator.live, 0);
        if (allocator.calls < fail) {
            assert_true(fail > 60);
            break;
        }
    }
    remove_record("m");
    trial_end(&trial);
}

static void test_command(void** state)
{
    (void)state;
    static const char scene[] = COND_SCENES "/push.yaml";
    CondRecording* recording;
    CondError error;
    cli_expect(0, "7 steps", "run", scene, "--steps", "7", "--record", "run.h5", "--every", "3",
               "--digits", "all", "--compress", "5");
    assert_int_equal(cond_recording_open(NULL, "run.h5", &recording, &error), COND_OK);
    assert_int_equal(cond_recording_n_frame(recording), 3);
    assert_string_equal(cond_recording_scene(recording), "push");
    assert_string_equal(cond_recording_scenery(recording)->kind[0], "rigid");
    cond_recording_close(recording);
    remove_record("run");
    cli_expect(1, "--compress 10", "run", scene, "--record", "run.h5", "--compress", "10");
    cli_expect(1, "--digits some", "run", scene, "--record", "run.h5", "--digits", "some");
    cli_expect(2, "nowhere/run.h5", "run", scene, "--record", "nowhere/run.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_contact_errors), cmocka_unit_test(test_pull),
        cmocka_unit_test(test_layout),         cmocka_unit_test(test_joints),
        cmocka_unit_test(test_killed),         cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_memory),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
