// A recording read back. Nothing in the file is trusted: sizes and indices are checked when it is
// opened, the rest when a frame is read.
#include "cond/recording.h"

#include "base/error.h"
#include "base/memory.h"
#include "hdf5/data_file.h"
#include "hdf5/hdf_file.h"
#include "hdf5/hdf_read.h"
#include "record/snapshot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The arrays of a frame, in the order of CondMoment.
enum { POSITION, VELOCITY, DISPLACEMENT, VON_MISES, ROD_FORCE, ROD_MOMENT, N_BODY_ARRAY };
enum { C_POSITION, C_FORCE, C_FRAME, C_FRICTION, C_GAP, C_ERROR, C_BODY, C_OTHER, N_CONTACT_ARRAY };

static const CondHdfRows body_place[N_BODY_ARRAY] = {
    {"/VTKHDF/bodies/Points", 3, 0, 0},
    {"/VTKHDF/bodies/PointData/velocity", 3, 0, 0},
    {"/VTKHDF/bodies/PointData/displacement", 3, 0, 0},
    {"/VTKHDF/bodies/CellData/von_mises", 1, 0, 0},
    {"/VTKHDF/bodies/PointData/rod_force", 3, 0, 0},
    {"/VTKHDF/bodies/PointData/rod_moment", 3, 0, 0},
};
static const CondHdfRows contact_place[N_CONTACT_ARRAY] = {
    {"/VTKHDF/contacts/Points", 3, 0, 0},          {"/VTKHDF/contacts/PointData/force", 3, 0, 0},
    {"/VTKHDF/contacts/PointData/frame", 9, 0, 0}, {"/VTKHDF/contacts/PointData/friction", 2, 0, 0},
    {"/VTKHDF/contacts/PointData/gap", 1, 0, 0},   {"/VTKHDF/contacts/PointData/error", 1, 0, 0},
    {"/VTKHDF/contacts/PointData/body", 1, 1, 0},  {"/VTKHDF/contacts/PointData/other", 1, 1, 0},
};

struct CondRecording {
    CondContext context;
    char* path;
    hid_t id;
    CondHdfJournal journal; // what the file's bytes are read through
    char* scene;
    int n_frame;
    CondScenery scenery;
    CondMoment moment;
    char (*name)[COND_NAME_SIZE];
    char (*kind)[COND_NAME_SIZE];
    char (*sensor)[COND_NAME_SIZE];
    double*
        sensed[COND_N_SENSED]; // of all frames; NULL: not there   (n_frame x n_sensor x columns)
    int *corner, *corner_end, *body, *colour;
    uint8_t* type;
    double* number[COND_N_NUMBER];       //                                    (n_frame each)
    int* n_contact;                      // of each frame                      (n_frame)
    int64_t* contact_begin;              // rows before a frame's              (n_frame)
    double* body_data[N_BODY_ARRAY];     // of one frame
    void* contact_data[N_CONTACT_ARRAY]; // of one frame, room for the largest
};

// Corners of a cell of a type; 0: not one that is drawn.
static int corners_of(int type)
{
    return type == COND_CELL_VERTEX        ? 1
           : type == COND_CELL_TRIANGLE    ? 3
           : type == COND_CELL_TETRAHEDRON ? 4
                                           : 0;
}

// Every index within its range.
static CondStatus check_mesh(const CondRecording* r, const CondDataFile* file, const int* begin,
                             const int* types)
{
    const CondScenery* s = &r->scenery;
    static const char offsets[] = "/VTKHDF/bodies/Offsets";
    if (s->n_point < 0 || s->plane_begin < 0 || s->plane_begin > s->n_point)
        return cond_data_fail(file, COND_BAD_INPUT, "/cond/mesh", "wrong number of points");
    if (begin[0] != 0)
        return cond_data_fail(file, COND_BAD_INPUT, offsets, "starts with %d, expected 0",
                              begin[0]);
    for (int c = 0; c < s->n_cell; c++) {
        int n = corners_of(types[c]);
        if (n == 0 || begin[c] > s->n_corner - n || begin[c + 1] != begin[c] + n)
            return cond_data_fail(file, COND_BAD_INPUT, offsets,
                                  "cell %d of type %d has corners %d to %d of %d", c, types[c],
                                  begin[c], begin[c + 1], s->n_corner);
        if (r->body[c] < COND_DRAWN_PLANE || r->body[c] >= s->n_body)
            return cond_data_fail(file, COND_BAD_INPUT, "/VTKHDF/bodies/CellData/body",
                                  "cell %d belongs to body %d of %d", c, r->body[c], s->n_body);
    }
    for (int k = 0; k < s->n_corner; k++)
        if (r->corner[k] < 0 || r->corner[k] >= s->n_point)
            return cond_data_fail(file, COND_BAD_INPUT, "/VTKHDF/bodies/Connectivity",
                                  "entry %d: point %d of %d", k, r->corner[k], s->n_point);
    return COND_OK;
}

// Older recordings have no colours.
static CondStatus read_colours(CondRecording* r, const CondDataFile* file)
{
    static const char place[] = "/VTKHDF/bodies/CellData/colour";
    int n = r->scenery.n_cell;
    if (cond_data_exists(file, place))
        return cond_data_read_ints(file, place, n, n, &r->colour, NULL);
    r->colour = cond_allocate(&r->context, (size_t)n, sizeof *r->colour);
    if (!r->colour)
        return cond_data_out_of_memory(file);
    for (int c = 0; c < n; c++)
        r->colour[c] = COND_COLOUR_NONE;
    return COND_OK;
}

static CondStatus read_mesh(CondRecording* r, const CondDataFile* file)
{
    CondScenery* s = &r->scenery;
    int *types = NULL, *begin = NULL;
    CondStatus status =
        cond_data_read_ints(file, "/VTKHDF/bodies/Types", 0, INT_MAX - 1, &types, &s->n_cell);
    if (!status)
        status = cond_data_read_ints(file, "/VTKHDF/bodies/Offsets", s->n_cell + 1, s->n_cell + 1,
                                     &begin, NULL);
    if (!status)
        status = cond_data_read_ints(file, "/VTKHDF/bodies/Connectivity", 0, INT_MAX, &r->corner,
                                     &s->n_corner);
    if (!status)
        status = cond_data_read_int(file, "/VTKHDF/bodies/NumberOfPoints", &s->n_point);
    if (!status)
        status = cond_data_read_ints(file, "/VTKHDF/bodies/CellData/body", s->n_cell, s->n_cell,
                                     &r->body, NULL);
    if (!status)
        status = read_colours(r, file);
    if (!status)
        status = check_mesh(r, file, begin, types);
    size_t n = (size_t)s->n_cell;
    if (!status && (!(r->type = cond_allocate(&r->context, n, 1)) ||
                    !(r->corner_end = cond_allocate(&r->context, n, sizeof(int)))))
        status = cond_data_out_of_memory(file);
    for (int c = 0; c < s->n_cell && !status; c++) {
        r->type[c] = (uint8_t)types[c];
        r->corner_end[c] = begin[c + 1];
    }
    cond_release(&r->context, types);
    cond_release(&r->context, begin);
    return status;
}

static CondStatus read_names(CondRecording* r, const CondDataFile* file)
{
    static const char kinds[] = "/cond/mesh/body_kind";
    char *name, *kind = NULL;
    int n_kind = 0;
    CondStatus status = cond_hdf_names_take(file, "/cond/mesh/body_name", COND_NAME_SIZE,
                                            &r->scenery.n_body, &name);
    if (!status)
        status = cond_hdf_names_take(file, kinds, COND_NAME_SIZE, &n_kind, &kind);
    r->name = (void*)name;
    r->kind = (void*)kind;
    if (!status && n_kind != r->scenery.n_body)
        status = cond_data_fail(file, COND_BAD_INPUT, kinds, "%d entries, expected %d", n_kind,
                                r->scenery.n_body);
    return status;
}

// Numbers that older recordings do not have.
static int is_late(int number)
{
    return number == COND_NUMBER_SOLVED_BY || number == COND_NUMBER_RELAXED ||
           number == COND_NUMBER_SUBSTEPS || number == COND_NUMBER_STAGE + COND_STAGE_MATRIX ||
           number == COND_NUMBER_STAGE + COND_STAGE_NODALIZE ||
           number == COND_NUMBER_STAGE + COND_STAGE_COMMIT;
}

static CondStatus read_numbers(CondRecording* r, const CondDataFile* file)
{
    CondStatus status = COND_OK;
    for (int k = 0; k < COND_N_NUMBER && !status; k++) {
        char location[COND_DATA_LOCATION];
        void* taken = NULL;
        snprintf(location, sizeof location, "/cond/frames/%s%.30s",
                 k < COND_NUMBER_STAGE ? "" : "seconds_", cond_number_name((CondNumber)k));
        const CondHdfRows rows = {location, 1, 0, 0};
        if (!is_late(k) || cond_data_exists(file, location))
            status = cond_hdf_rows_take(file, &rows, r->n_frame, &taken);
        else if (!(taken = cond_allocate(&r->context, (size_t)r->n_frame, sizeof(double))))
            status = cond_data_out_of_memory(file);
        else
            for (int i = 0; i < r->n_frame; i++)
                ((double*)taken)[i] = NAN;
        r->number[k] = taken;
    }
    return status;
}

// Recordings of a scene without sensors may not even have their names.
static CondStatus read_sensors(CondRecording* r, const CondDataFile* file)
{
    CondStatus status = COND_OK;
    char* names = NULL;
    if (cond_data_exists(file, "/cond/sensors/name"))
        status = cond_hdf_names_take(file, "/cond/sensors/name", COND_NAME_SIZE,
                                     &r->scenery.n_sensor, &names);
    r->sensor = (void*)names;
    for (int k = 0; k < COND_N_SENSED && !status && r->scenery.n_sensor > 0; k++) {
        const CondHdfRows rows = {cond_sensed[k].location, cond_sensed[k].columns, 0,
                                  r->scenery.n_sensor};
        void* taken;
        if (k > COND_SENSED_TORQUE && !cond_data_exists(file, rows.location))
            continue; // no sensor of the scene says so
        status = cond_hdf_rows_take(file, &rows, r->n_frame, &taken);
        r->sensed[k] = taken;
    }
    return status;
}

// How many contacts each frame has, and where they begin. All of them must be there: no room is
// taken for contacts that only a count knows of.
static CondStatus read_contact_counts(CondRecording* r, const CondDataFile* file, int* largest)
{
    static const char where[] = "/VTKHDF/contacts/NumberOfPoints";
    const CondHdfRows rows = {where, 1, 1, 0};
    int64_t have = 0, before = 0;
    void* taken;
    CondStatus status = cond_hdf_rows_take(file, &rows, r->n_frame, &taken);
    r->n_contact = taken;
    if (!status)
        status = cond_hdf_rows_count(file, &contact_place[C_POSITION], &have);
    r->contact_begin = cond_allocate(&r->context, (size_t)r->n_frame, sizeof *r->contact_begin);
    if (!status && !r->contact_begin)
        status = cond_data_out_of_memory(file);
    *largest = 0;
    for (int k = 0; k < r->n_frame && !status; k++) {
        int n = r->n_contact[k];
        if (n < 0 || n > have - before)
            return cond_data_fail(file, COND_BAD_INPUT, where,
                                  "frame %d has %d contacts, of which %lld are in the file", k, n,
                                  (long long)(have - before));
        *largest = n > *largest ? n : *largest;
        r->contact_begin[k] = before;
        before += n;
    }
    return status;
}

// The two of the rods are only there where there are rods.
static int n_body_array(const CondRecording* r)
{
    return r->scenery.has_rods ? N_BODY_ARRAY : ROD_FORCE;
}

static int body_rows(const CondRecording* r, int array)
{
    return array == VON_MISES ? r->scenery.n_cell : r->scenery.n_point;
}

// Room for a frame, once it is known that all frames have so many rows.
static CondStatus make_room(CondRecording* r, const CondDataFile* file, int largest)
{
    for (int k = 0; k < n_body_array(r); k++) {
        int64_t have, rows = body_rows(r, k);
        CondStatus status = cond_hdf_rows_count(file, &body_place[k], &have);
        if (status)
            return status;
        if (have / r->n_frame < rows)
            return cond_data_fail(file, COND_BAD_INPUT, body_place[k].location,
                                  "has %lld rows, expected %d frames of %lld", (long long)have,
                                  r->n_frame, (long long)rows);
        r->body_data[k] = cond_allocate(&r->context, (size_t)rows * (size_t)body_place[k].columns,
                                        sizeof(double));
        if (!r->body_data[k])
            return cond_data_out_of_memory(file);
    }
    for (int k = 0; k < N_CONTACT_ARRAY; k++) {
        size_t n = (size_t)largest * (size_t)contact_place[k].columns;
        r->contact_data[k] =
            cond_allocate(&r->context, n, contact_place[k].integer ? sizeof(int) : sizeof(double));
        if (!r->contact_data[k])
            return cond_data_out_of_memory(file);
    }
    return COND_OK;
}

static void point_views(CondRecording* r)
{
    r->scenery.name = (const char(*)[COND_NAME_SIZE])r->name;
    r->scenery.kind = (const char(*)[COND_NAME_SIZE])r->kind;
    r->scenery.sensor = (const char(*)[COND_NAME_SIZE])r->sensor;
    r->scenery.corner = r->corner;
    r->scenery.corner_end = r->corner_end;
    r->scenery.type = r->type;
    r->scenery.body = r->body;
    r->scenery.colour = r->colour;
    CondMoment* m = &r->moment;
    m->position = r->body_data[POSITION];
    m->velocity = r->body_data[VELOCITY];
    m->displacement = r->body_data[DISPLACEMENT];
    m->von_mises = r->body_data[VON_MISES];
    m->rod_force = r->body_data[ROD_FORCE];
    m->rod_moment = r->body_data[ROD_MOMENT];
    m->contact_position = r->contact_data[C_POSITION];
    m->contact_force = r->contact_data[C_FORCE];
    m->contact_frame = r->contact_data[C_FRAME];
    m->contact_friction = r->contact_data[C_FRICTION];
    m->contact_gap = r->contact_data[C_GAP];
    m->contact_error = r->contact_data[C_ERROR];
    m->contact_body = r->contact_data[C_BODY];
    m->contact_other = r->contact_data[C_OTHER];
}

static CondStatus read_all(CondRecording* r, const CondDataFile* file)
{
    int format = 0, largest = 0, n_step = 0;
    CondStatus status = cond_hdf_attribute_int(file, "/cond", "format", &format);
    if (!status && format != 1)
        status = cond_data_fail(file, COND_NOT_SUPPORTED, "/cond",
                                "a recording of format %d; this version reads 1", format);
    if (!status)
        status = cond_hdf_attribute_int(file, "/VTKHDF/bodies/Steps", "NSteps", &r->n_frame);
    if (!status)
        status = cond_hdf_attribute_int(file, "/VTKHDF/contacts/Steps", "NSteps", &n_step);
    // A run that was ended between the two numbers has the frames of the smaller one.
    r->n_frame = n_step < r->n_frame ? n_step : r->n_frame;
    if (!status && r->n_frame < 1)
        status = cond_data_fail(file, COND_BAD_INPUT, "", "the recording has no frame yet");
    if (!status)
        status = cond_hdf_attribute_text(file, "/cond", "scene", &r->scene);
    if (!status)
        status = cond_hdf_attribute_int(file, "/cond/mesh", "plane_begin", &r->scenery.plane_begin);
    if (!status)
        status = read_names(r, file);
    if (!status)
        status = read_mesh(r, file);
    if (!status)
        status = read_numbers(r, file);
    if (!status)
        status = read_sensors(r, file);
    if (!status)
        status = read_contact_counts(r, file, &largest);
    r->scenery.has_rods = cond_data_exists(file, body_place[ROD_FORCE].location);
    if (!status)
        status = make_room(r, file, largest);
    if (!status)
        point_views(r);
    return status;
}

CondStatus cond_recording_open(const CondContext* context, const char* path,
                               CondRecording** recording, CondError* error)
{
    CondContext m = cond_context_or_default(context);
    CondRecording* made = cond_allocate(&m, 1, sizeof *made);
    CondDataFile file = {&m, path, -1, error};
    *recording = NULL;
    if (!made)
        return cond_data_out_of_memory(&file);
    made->context = m;
    made->id = -1;
    made->path = cond_allocate(&m, strlen(path) + 1, 1);
    CondStatus status = cond_hdf_journal_begin(&m, &made->journal) || !made->path
                            ? cond_data_out_of_memory(&file)
                            : COND_OK;
    H5E_BEGIN_TRY
    {
        if (!status) {
            memcpy(made->path, path, strlen(path));
            made->id = file.id = cond_hdf_open(path, &made->journal);
            if (file.id < 0) {
                status = cond_data_open(&file); // says why
                made->id = file.id;
            }
        }
        if (!status)
            status = read_all(made, &file);
    }
    H5E_END_TRY;
    if (status) {
        cond_recording_close(made);
        return status;
    }
    *recording = made;
    return COND_OK;
}

void cond_recording_close(CondRecording* recording)
{
    if (!recording)
        return;
    CondContext m = recording->context;
    if (recording->id >= 0)
        H5Fclose(recording->id);
    cond_hdf_journal_end(&recording->journal);
    void* arrays[] = {recording->path,          recording->scene,  recording->name,
                      recording->kind,          recording->corner, recording->corner_end,
                      recording->body,          recording->type,   recording->n_contact,
                      recording->contact_begin, recording->sensor, recording->colour};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    for (int k = 0; k < COND_N_SENSED; k++)
        cond_release(&m, recording->sensed[k]);
    for (int k = 0; k < COND_N_NUMBER; k++)
        cond_release(&m, recording->number[k]);
    for (int k = 0; k < N_BODY_ARRAY; k++)
        cond_release(&m, recording->body_data[k]);
    for (int k = 0; k < N_CONTACT_ARRAY; k++)
        cond_release(&m, recording->contact_data[k]);
    cond_release(&m, recording);
}

int cond_recording_n_frame(const CondRecording* recording)
{
    return recording->n_frame;
}

const char* cond_recording_scene(const CondRecording* recording)
{
    return recording->scene;
}

const CondScenery* cond_recording_scenery(const CondRecording* recording)
{
    return &recording->scenery;
}

const double* cond_recording_sensor_forces(const CondRecording* recording)
{
    return recording->sensed[COND_SENSED_FORCE];
}

const double* cond_recording_numbers(const CondRecording* recording, CondNumber number)
{
    return (int)number >= 0 && number < COND_N_NUMBER ? recording->number[number] : NULL;
}

CondStatus cond_recording_frame(CondRecording* recording, int frame, const CondMoment** moment,
                                CondError* error)
{
    CondRecording* r = recording;
    CondDataFile file = {&r->context, r->path, r->id, error};
    CondStatus status = COND_OK;
    *moment = NULL;
    if (frame < 0 || frame >= r->n_frame)
        return cond_data_fail(&file, COND_BAD_ARGUMENT, "", "frame %d of %d", frame, r->n_frame);
    H5E_BEGIN_TRY
    {
        for (int k = 0; k < n_body_array(r) && !status; k++)
            status = cond_hdf_rows_read(&file, &body_place[k], (int64_t)frame * body_rows(r, k),
                                        body_rows(r, k), r->body_data[k]);
        for (int k = 0; k < N_CONTACT_ARRAY && !status; k++)
            status = cond_hdf_rows_read(&file, &contact_place[k], r->contact_begin[frame],
                                        r->n_contact[frame], r->contact_data[k]);
    }
    H5E_END_TRY;
    if (status)
        return status;
    for (int k = 0; k < COND_N_NUMBER; k++)
        r->moment.number[k] = r->number[k][frame];
    if (r->scenery.n_sensor > 0)
        cond_moment_sense(&r->moment, r->sensed, (size_t)r->scenery.n_sensor * (size_t)frame);
    r->moment.n_contact = r->n_contact[frame];
    *moment = &r->moment;
    return COND_OK;
}
