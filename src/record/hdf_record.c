// A recording in one HDF5 file: a VTKHDF collection of two grids that change with time, bodies and
// contacts, and beside it what VTK has no place for: state, poses, and the numbers of the frames.
#include "record/hdf_grid.h"
#include "record/record_sink.h"
#include "record/tuning.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/timer.h"
#include "model/state.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const CondHdfArray body_array[] = {
    {"velocity", 3, 0, 0, 0},   {"displacement", 3, 0, 0, 0},
    {"von_mises", 1, 1, 0, 0},  {"body", 1, 1, 1, 1},
    {"colour", 1, 1, 1, 1},     {"rod_force", 3, 0, 0, 0}, // these two only where there are rods
    {"rod_moment", 3, 0, 0, 0},
};
static const CondHdfArray contact_array[] = {
    {"force", 3, 0, 0, 0}, {"frame", 9, 0, 0, 0}, {"friction", 2, 0, 0, 0}, {"gap", 1, 0, 0, 0},
    {"error", 1, 0, 0, 0}, {"body", 1, 0, 1, 0},  {"other", 1, 0, 1, 0},
};
enum { ROOM = 1 << 19 }; // bytes for what surrounds the numbers in the file

// Frames wait in memory until a commit is worth its time: so many seconds since the last, or so
// many bytes. A process that is killed loses no more.
enum { MOST_BYTES = 1 << 20 };

enum { POSE_POSITION, POSE_ORIENTATION, POSE_VELOCITY, POSE_SPIN, N_POSE };

typedef struct HdfRecord {
    CondArena arena;
    const CondSnapshot* snapshot;
    CondRecordSettings settings;
    char* path;
    char* xdmf_path; // NULL: there is no such file
    CondHdfFile file;
    CondXdmf xdmf;
    CondHdfGrid bodies, contacts;
    CondHdfSeries number[COND_N_NUMBER];
    CondHdfSeries q, v, pose[N_POSE];
    CondHdfSeries sensor[COND_N_SENSED];
    int senses[COND_N_SENSED]; // 1: some sensor of the scene does
    CondHdfSeries joint[COND_N_JOINT_NUMBER];
    double* row;       // scratch: one part of all poses                    (n_body x 4)
    int* list;         // scratch: cells as XDMF writes them, and shorter lists
    int64_t n_mixed;   // numbers of the cells as XDMF writes them
    int64_t n_contact; // of all frames so far
    int64_t* whole;    // scratch: 0, 1, 2 ... of a frame's contacts        (largest n + 1)
    uint8_t* vertex;   // scratch: types of a frame's contacts              (largest n)
    int n_frame;       // so far, and how many of them are in the file
    int n_committed;   //
    double committed;  // when the last commit ended, and the last frame came [s]
    double last;       //
} HdfRecord;

static CondStatus fail(const HdfRecord* record, CondError* error)
{
    return cond_error_set(error, COND_NO_FILE, "%.1000s: cannot be written", record->path);
}

// A series of a column or more at group/name.
static int add_series(HdfRecord* record, const char* group, const char* name, hid_t file_type,
                      hid_t memory_type, int columns, int block, CondHdfSeries* series)
{
    return cond_hdf_add_columns(&record->file, group, name, file_type, memory_type, columns, block,
                                record->settings.compression, series);
}

// The cells as XDMF has them in one list: the number of the type, how many corners where that may
// vary, the corners. XDMF's numbers are its own.
static int add_mixed(HdfRecord* record, const CondScenery* s)
{
    int *mixed = record->list, n = 0;
    for (int c = 0, k = 0; c < s->n_cell; c++) {
        mixed[n++] = s->type[c] == COND_CELL_TETRAHEDRON ? 6
                     : s->type[c] == COND_CELL_TRIANGLE  ? 4
                                                         : 1;
        if (s->type[c] == COND_CELL_VERTEX)
            mixed[n++] = 1;
        for (; k < s->corner_end[c]; k++)
            mixed[n++] = s->corner[k];
    }
    int failed = cond_hdf_add_array(&record->file, "/cond/mesh/xdmf_cells", H5T_STD_I32LE,
                                    H5T_NATIVE_INT, n, mixed);
    record->n_mixed = n;
    return failed;
}

// What never changes: the cells of the bodies.
static int add_mesh(HdfRecord* record)
{
    const CondScenery* s = &record->snapshot->scenery;
    CondHdfFile* file = &record->file;
    int* begin = record->list;
    begin[0] = 0;
    memcpy(begin + 1, s->corner_end, (size_t)s->n_cell * sizeof *begin);
    int failed =
        cond_hdf_add_array(file, "/VTKHDF/bodies/Connectivity", H5T_STD_I64LE, H5T_NATIVE_INT,
                           s->n_corner, s->corner) ||
        cond_hdf_add_array(file, "/VTKHDF/bodies/Offsets", H5T_STD_I64LE, H5T_NATIVE_INT,
                           s->n_cell + 1, begin) ||
        cond_hdf_add_array(file, "/VTKHDF/bodies/Types", H5T_STD_U8LE, H5T_NATIVE_UINT8, s->n_cell,
                           s->type) ||
        cond_hdf_add_texts(file, "/cond/mesh/body_name", s->n_body, COND_NAME_SIZE, s->name[0]) ||
        cond_hdf_add_texts(file, "/cond/mesh/body_kind", s->n_body, COND_NAME_SIZE, s->kind[0]) ||
        cond_hdf_set_ints(file, "/cond/mesh", "plane_begin", 1, &s->plane_begin) ||
        add_mixed(record, s);
    return failed;
}

// Where the coordinates of each body are in q and v.
static int add_state(HdfRecord* record)
{
    static const struct {
        const char* name;
        int columns;
    } pose[N_POSE] = {
        {"position", 3}, {"orientation", 4}, {"velocity", 3}, {"angular_velocity", 3}};
    const CondModel* model = record->snapshot->model;
    CondHdfFile* file = &record->file;
    int n = model->n_body;
    int failed = add_series(record, "/cond/state", "q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                            model->n_q, 1, &record->q) ||
                 add_series(record, "/cond/state", "v", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                            model->n_dof, 1, &record->v);
    for (int k = 0; k < N_POSE && !failed; k++) {
        char location[COND_HDF_LOCATION];
        const hsize_t tail[2] = {(hsize_t)n, (hsize_t)pose[k].columns};
        snprintf(location, sizeof location, "/cond/pose/%s", pose[k].name);
        failed = cond_hdf_add_series(file, location, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, tail, 1,
                                     record->settings.compression, &record->pose[k]);
    }
    int* begin = record->list;
    for (int b = 0; b < n; b++) {
        begin[b] = model->body[b].q_begin;
        begin[n + 1 + b] = model->body[b].dof_begin;
    }
    begin[n] = model->n_q;
    begin[2 * n + 1] = model->n_dof;
    failed = failed ||
             cond_hdf_add_array(file, "/cond/state/q_begin", H5T_STD_I32LE, H5T_NATIVE_INT, n + 1,
                                begin) ||
             cond_hdf_add_array(file, "/cond/state/v_begin", H5T_STD_I32LE, H5T_NATIVE_INT, n + 1,
                                begin + n + 1);
    return failed;
}

static int add_sensors(HdfRecord* record)
{
    const CondScenery* s = &record->snapshot->scenery;
    record->senses[COND_SENSED_FORCE] = record->senses[COND_SENSED_TORQUE] = s->n_sensor > 0;
    for (int i = 0; i < s->n_sensor; i++) {
        CondSensorKind kind = cond_model_sensor_kind(record->snapshot->model, i);
        record->senses[COND_SENSED_ACCELERATION] |= kind == COND_SENSOR_IMU;
        record->senses[COND_SENSED_SPIN] |= kind == COND_SENSOR_IMU;
        record->senses[COND_SENSED_DISTANCE] |= kind == COND_SENSOR_RANGE;
    }
    int failed = cond_hdf_add_group(&record->file, "/cond/sensors", 0) ||
                 cond_hdf_add_texts(&record->file, "/cond/sensors/name", s->n_sensor,
                                    COND_NAME_SIZE, s->sensor[0]);
    for (int k = 0; k < COND_N_SENSED && !failed; k++) {
        const hsize_t tail[2] = {(hsize_t)s->n_sensor, (hsize_t)cond_sensed[k].columns};
        if (record->senses[k])
            failed = cond_hdf_add_series(&record->file, cond_sensed[k].location, H5T_IEEE_F64LE,
                                         H5T_NATIVE_DOUBLE, 3, tail, 1,
                                         record->settings.compression, &record->sensor[k]);
    }
    return failed;
}

// Scenes without robots have none of it.
static int add_joints(HdfRecord* record)
{
    static const char* const names[COND_N_JOINT_NUMBER] = {
        "position", "velocity", "motor", "friction", "limit", "velocity_limit"};
    enum { SIZE = 2 * COND_NAME_SIZE + 8 };
    const CondModel* model = record->snapshot->model;
    int n = record->snapshot->n_joint, k = 0;
    if (n == 0)
        return 0;
    char* text = cond_arena_allocate(&record->arena, (size_t)n, SIZE);
    int failed = !text || cond_hdf_add_group(&record->file, "/cond/joints", 0);
    for (int b = 0; b < model->n_body && !failed; b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++, k++)
            snprintf(text + (ptrdiff_t)SIZE * k, SIZE, "%s.%s", model->body[b].name,
                     cond_model_coordinate_name(model, b, j));
    failed = failed || cond_hdf_add_texts(&record->file, "/cond/joints/name", n, SIZE, text);
    for (int i = 0; i < COND_N_JOINT_NUMBER && !failed; i++)
        failed = add_series(record, "/cond/joints", names[i], H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n,
                            1, &record->joint[i]);
    return failed;
}

static int add_numbers(HdfRecord* record)
{
    int failed = 0;
    for (int k = 0; k < COND_N_NUMBER && !failed; k++) {
        char name[COND_HDF_LOCATION], location[2 * COND_HDF_LOCATION];
        snprintf(name, sizeof name, "%s%s", k < COND_NUMBER_STAGE ? "" : "seconds_",
                 cond_number_name((CondNumber)k));
        failed = add_series(record, "/cond/frames", name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, 1,
                            &record->number[k]);
        snprintf(location, sizeof location, "/cond/frames/%s", name);
        if (!failed && *cond_number_unit((CondNumber)k))
            failed =
                cond_hdf_set_text(&record->file, location, "unit", cond_number_unit((CondNumber)k));
    }
    return failed;
}

static int add_all(HdfRecord* record)
{
    static const int version[2] = {2, 1}, format = 1;
    const CondModel* model = record->snapshot->model;
    const CondScenery* s = &record->snapshot->scenery;
    CondHdfFile* file = &record->file;
    return cond_hdf_add_group(file, "/VTKHDF", 1) ||
           cond_hdf_set_ints(file, "/VTKHDF", "Version", 2, version) ||
           cond_hdf_set_text(file, "/VTKHDF", "Type", "PartitionedDataSetCollection") ||
           cond_hdf_add_group(file, "/VTKHDF/Assembly", 1) ||
           cond_hdf_grid_add(file, &record->bodies, 0, s->n_point, s->n_cell) ||
           cond_hdf_grid_add(file, &record->contacts, 1, 1, 1) ||
           cond_hdf_add_group(file, "/cond", 0) ||
           cond_hdf_set_ints(file, "/cond", "format", 1, &format) ||
           cond_hdf_set_text(file, "/cond", "version", cond_version()) ||
           cond_hdf_set_text(file, "/cond", "scene", model->settings.name) ||
           cond_hdf_set_number(file, "/cond", "time_step", model->settings.time_step) ||
           cond_hdf_add_group(file, "/cond/mesh", 0) ||
           cond_hdf_add_group(file, "/cond/state", 0) ||
           cond_hdf_add_group(file, "/cond/pose", 0) ||
           cond_hdf_add_group(file, "/cond/frames", 1) || add_mesh(record) || add_state(record) ||
           add_sensors(record) || add_joints(record) || add_numbers(record);
}

static int put_bodies(HdfRecord* record, int i)
{
    const CondSnapshot* s = record->snapshot;
    CondHdfGrid* grid = &record->bodies;
    const void* data[] = {s->velocity,       s->displacement, s->von_mises, s->drawing.body,
                          s->drawing.colour, s->rod_force,    s->rod_moment};
    int64_t n_point = s->scenery.n_point, n_cell = s->scenery.n_cell;
    int failed = cond_hdf_put(&grid->points, i * n_point, n_point, s->position) ||
                 cond_hdf_grid_put(grid, i, s->moment.number[COND_NUMBER_TIME], i * n_point,
                                   i * n_cell, 0, 0);
    for (int k = 0; k < grid->n_array && !failed; k++) {
        int64_t rows = grid->array[k].cell ? n_cell : n_point;
        if (i == 0 || !grid->array[k].fixed)
            failed = cond_hdf_put(&grid->data[k], i * rows, rows, data[k]);
    }
    const int64_t count[COND_HDF_N_COUNT] = {n_point, n_cell, s->scenery.n_corner};
    for (int k = 0; k < COND_HDF_N_COUNT && i == 0 && !failed; k++)
        failed = cond_hdf_put(&grid->count[k], 0, 1, &count[k]);
    return failed;
}

static int put_contacts(HdfRecord* record, int i)
{
    const CondContactCloud* c = &record->snapshot->contacts;
    CondHdfGrid* grid = &record->contacts;
    const void* data[] = {c->force, c->frame, c->friction, c->gap, c->error, c->body, c->other};
    int64_t before = record->n_contact, n = c->n;
    int failed = cond_hdf_put(&grid->points, before, n, c->position) ||
                 cond_hdf_grid_put(grid, i, record->snapshot->moment.number[COND_NUMBER_TIME],
                                   before, before, before, i) ||
                 cond_hdf_put(&grid->corner, before, n, record->whole) ||
                 cond_hdf_put(&grid->corner_end, before + i, n + 1, record->whole) ||
                 cond_hdf_put(&grid->type, before, n, record->vertex);
    for (int k = 0; k < grid->n_array && !failed; k++)
        failed = cond_hdf_put(&grid->data[k], before, n, data[k]);
    for (int k = 0; k < COND_HDF_N_COUNT && !failed; k++)
        failed = cond_hdf_put(&grid->count[k], i, 1, &n);
    return failed;
}

static int put_state(HdfRecord* record, int i, const CondState* state)
{
    const CondModel* model = record->snapshot->model;
    int failed =
        cond_hdf_put(&record->q, i, 1, state->q) || cond_hdf_put(&record->v, i, 1, state->v);
    for (int part = 0; part < N_POSE && !failed; part++) {
        double* to = record->row;
        for (int b = 0; b < model->n_body; b++) {
            CondPose pose = cond_state_pose(model, state, b);
            const double* from[N_POSE] = {pose.position, pose.orientation, pose.velocity,
                                          pose.angular_velocity};
            int n = part == POSE_ORIENTATION ? 4 : 3;
            memcpy(to, from[part], (size_t)n * sizeof *to);
            to += n;
        }
        failed = cond_hdf_put(&record->pose[part], i, 1, record->row);
    }
    const CondMoment* moment = &record->snapshot->moment;
    for (int k = 0; k < COND_N_SENSED && !failed; k++)
        if (record->senses[k])
            failed = cond_hdf_put(&record->sensor[k], i, 1, record->snapshot->sensed[k]);
    int n = record->snapshot->n_joint;
    for (int k = 0; k < COND_N_JOINT_NUMBER && n > 0 && !failed; k++)
        failed = cond_hdf_put(&record->joint[k], i, 1, record->snapshot->joint + (ptrdiff_t)k * n);
    for (int k = 0; k < COND_N_NUMBER && !failed; k++)
        failed = cond_hdf_put(&record->number[k], i, 1, &moment->number[k]);
    return failed;
}

static CondStatus put_xdmf(HdfRecord* record, int i)
{
    const CondSnapshot* s = record->snapshot;
    char location[2][COND_HDF_MAX_ARRAY + 1][COND_HDF_LOCATION];
    CondXdmfArray array[2][COND_HDF_MAX_ARRAY];
    int64_t n_point = s->scenery.n_point, n_cell = s->scenery.n_cell, n = s->contacts.n;
    CondXdmfGrid grid[2] = {
        cond_hdf_grid_xdmf(&record->bodies, n_point, n_cell, i * n_point, i * n_cell, location[0],
                           array[0]),
        cond_hdf_grid_xdmf(&record->contacts, n, n, record->n_contact, record->n_contact,
                           location[1], array[1]),
    };
    grid[0].mixed = 1;
    grid[0].topology = (CondXdmfArray){"", "/cond/mesh/xdmf_cells", "Int", 4, 1, 1, 1, 0};
    grid[0].n_topology = record->n_mixed;
    grid[1].topology =
        (CondXdmfArray){"", "/VTKHDF/contacts/Connectivity", "Int", 8, 1, 1, 0, record->n_contact};
    grid[1].n_topology = n;
    return cond_xdmf_frame(&record->xdmf, i, s->moment.number[COND_NUMBER_TIME], 2, grid);
}

static CondStatus make_room(HdfRecord* record)
{
    int n = record->snapshot->contacts.n;
    if (COND_RESERVE(&record->arena, record->whole, n + 1) ||
        COND_RESERVE(&record->arena, record->vertex, n))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k <= n; k++)
        record->whole[k] = k;
    for (int k = 0; k < n; k++)
        record->vertex[k] = COND_CELL_VERTEX;
    return COND_OK;
}

// No frame takes more bytes of rows; ROOM is for a new chunk of every small series and the indices.
static int64_t frame_bytes(const HdfRecord* record)
{
    const CondSnapshot* s = record->snapshot;
    int64_t doubles = 15 * (int64_t)s->scenery.n_point + s->scenery.n_cell +
                      24 * (int64_t)s->contacts.n + s->model->n_q + s->model->n_dof +
                      13 * (int64_t)s->model->n_body + 13 * (int64_t)s->scenery.n_sensor +
                      COND_N_JOINT_NUMBER * (int64_t)s->n_joint;
    return (int64_t)sizeof(double) * (doubles + 128); // the numbers of the frame, and offsets
}

// All rows of the frames are on disk before the number of frames says so.
static CondStatus commit(HdfRecord* record, int n_frame, CondError* error)
{
    CondHdfFile* file = &record->file;
    int failed;
    if (n_frame == record->n_committed)
        return COND_OK;
    H5E_BEGIN_TRY
    {
        failed = cond_hdf_commit(file) ||
                 cond_hdf_change_int(file, "/VTKHDF/bodies/Steps", "NSteps", n_frame) ||
                 cond_hdf_change_int(file, "/VTKHDF/contacts/Steps", "NSteps", n_frame) ||
                 cond_hdf_commit(file);
    }
    H5E_END_TRY;
    if (failed)
        return fail(record, error);
    CondStatus status = record->xdmf_path ? cond_xdmf_flush(&record->xdmf) : COND_OK;
    if (status)
        return cond_error_set(error, status, "%.1000s: %s", record->xdmf_path,
                              status == COND_OUT_OF_MEMORY ? "out of memory" : "cannot be written");
    record->n_committed = n_frame;
    record->committed = cond_seconds();
    return COND_OK;
}

// 1 when the frame should not wait: another like it would come too late for the next commit.
static int is_due(HdfRecord* record, int i_frame)
{
    double now = cond_seconds(), pause = now - record->last;
    record->last = now;
    return i_frame == 0 || record->file.hasty || record->file.promised > MOST_BYTES ||
           now + pause - record->committed >= COND_COMMIT_SECONDS;
}

static CondStatus put_rows(HdfRecord* record, int i_frame, const CondState* state, CondError* error)
{
    int failed;
    H5E_BEGIN_TRY
    {
        failed = cond_hdf_reserve(&record->file, frame_bytes(record), ROOM) ||
                 put_bodies(record, i_frame) || put_contacts(record, i_frame) ||
                 put_state(record, i_frame, state);
    }
    H5E_END_TRY;
    if (failed && record->file.no_memory)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    return failed ? fail(record, error) : COND_OK;
}

static CondStatus put_frame(void* sink, int i_frame, const CondState* state, CondError* error)
{
    HdfRecord* record = sink;
    if (make_room(record))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    size_t before = record->xdmf.text.size;
    CondStatus status = put_rows(record, i_frame, state, error);
    if (!status && record->xdmf_path && put_xdmf(record, i_frame))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status && is_due(record, i_frame))
        status = commit(record, i_frame + 1, error);
    if (status) {
        if (record->xdmf.text.size > before)
            record->xdmf.text.size = before;
        return status;
    }
    record->n_frame = i_frame + 1;
    record->n_contact += record->snapshot->contacts.n;
    return COND_OK;
}

static CondStatus flush_record(void* sink, CondError* error)
{
    HdfRecord* record = sink;
    return commit(record, record->n_frame, error);
}

static void close_record(void* sink)
{
    HdfRecord* record = sink;
    CondContext m = record->arena.context;
    commit(record, record->n_frame, NULL);
    H5E_BEGIN_TRY
    {
        cond_hdf_grid_close(&record->bodies);
        cond_hdf_grid_close(&record->contacts);
        cond_hdf_close_series(record->number, COND_N_NUMBER);
        cond_hdf_close_series(&record->q, 1);
        cond_hdf_close_series(&record->v, 1);
        cond_hdf_close_series(record->pose, N_POSE);
        for (int k = 0; k < COND_N_SENSED; k++)
            cond_hdf_close_series(&record->sensor[k], record->senses[k]);
        cond_hdf_close_series(record->joint, COND_N_JOINT_NUMBER);
        cond_hdf_close(&record->file);
    }
    H5E_END_TRY;
    cond_xdmf_close(&record->xdmf);
    cond_arena_release(&record->arena);
    cond_release(&m, record);
}

static int64_t mesh_bytes(const HdfRecord* record)
{
    const CondScenery* s = &record->snapshot->scenery;
    return (int64_t)sizeof(int64_t) * (2 * (int64_t)s->n_corner + 4 * (int64_t)s->n_cell) +
           2 * COND_NAME_SIZE * (int64_t)s->n_body;
}

static CondStatus begin_files(HdfRecord* record, CondError* error)
{
    int failed;
    if (cond_file_is_special(record->path))
        return cond_error_set(error, COND_NO_FILE,
                              "%.1000s: cannot be written: a recording is a regular file",
                              record->path);
    if (cond_hdf_journal_begin(&record->arena.context, &record->file.journal))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    H5E_BEGIN_TRY
    {
        failed = cond_hdf_create(&record->file) ||
                 cond_hdf_reserve(&record->file, mesh_bytes(record), ROOM) || add_all(record) ||
                 cond_hdf_start(&record->file) || cond_hdf_commit(&record->file);
    }
    H5E_END_TRY;
    if (failed)
        return fail(record, error);
    if (!record->xdmf_path)
        return COND_OK;
    const char* slash = strrchr(record->path, '/');
    return cond_xdmf_open(&record->arena.context, record->xdmf_path,
                          slash ? slash + 1 : record->path, &record->xdmf, error);
}

// A path that ends in .xdmf stands for that file and the .h5 beside it, into which it points.
static CondStatus name_files(HdfRecord* record, const char* path, size_t length)
{
    static const char data[] = ".h5";
    size_t whole = strlen(path);
    int with_xdmf = strcasecmp(path + length, ".xdmf") == 0;
    record->path = cond_arena_allocate(&record->arena, whole + sizeof data, 1);
    record->file.path = record->path;
    if (!record->path)
        return COND_OUT_OF_MEMORY;
    memcpy(record->path, path, whole);
    if (!with_xdmf)
        return COND_OK;
    memcpy(record->path + length, data, sizeof data);
    record->xdmf_path = cond_arena_allocate(&record->arena, whole + 1, 1);
    if (!record->xdmf_path)
        return COND_OUT_OF_MEMORY;
    memcpy(record->xdmf_path, path, whole);
    return COND_OK;
}

static CondStatus open_record(const CondContext* context, const char* path, size_t length,
                              const CondSnapshot* snapshot, const CondRecordSettings* settings,
                              void** sink, CondError* error)
{
    const CondContext m = *context;
    size_t n_body = (size_t)snapshot->model->n_body;
    HdfRecord* made = cond_allocate(&m, 1, sizeof *made);
    *sink = NULL;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->xdmf.text.context = made->xdmf.name.context = made->file.context = m;
    cond_arena_begin(&m, &made->arena);
    made->snapshot = snapshot;
    made->settings = *settings;
    made->file.id = made->file.descriptor = -1;
    made->bodies = (CondHdfGrid){.name = "bodies", .array = body_array};
    made->bodies.n_array =
        (int)(sizeof body_array / sizeof *body_array) - (snapshot->scenery.has_rods ? 0 : 2);
    made->contacts = (CondHdfGrid){.name = "contacts", .array = contact_array, .moving = 1};
    made->contacts.n_array = sizeof contact_array / sizeof *contact_array;
    made->bodies.all_digits = made->contacts.all_digits = settings->all_digits;
    made->bodies.compression = made->contacts.compression = settings->compression;
    made->row = cond_arena_allocate(&made->arena, 4 * n_body, sizeof *made->row);
    const CondScenery* s = &snapshot->scenery;
    made->list = cond_arena_allocate(&made->arena,
                                     (size_t)s->n_corner + 2 * (size_t)s->n_cell + 2 * n_body + 2,
                                     sizeof *made->list);
    CondStatus status = COND_OK;
    if (name_files(made, path, length) || !made->row || !made->list)
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    else
        status = begin_files(made, error);
    if (status)
        close_record(made);
    else
        *sink = made;
    return status;
}

const CondRecordSink cond_record_hdf = {open_record, put_frame, flush_record, close_record};
