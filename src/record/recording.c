// A recording read back. Nothing in the file is trusted: sizes and indices are checked when it is
// opened, the rest when a frame is read.
#include "cond/recording.h"

#include "base/error.h"
#include "base/memory.h"
#include "record/fclib_hdf5.h"
#include "record/hdf_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The arrays of a frame, in the order of CondMoment.
enum { POSITION, VELOCITY, DISPLACEMENT, VON_MISES, ROD_FORCE, ROD_MOMENT, N_BODY_ARRAY };
enum { C_POSITION, C_FORCE, C_FRAME, C_FRICTION, C_GAP, C_ERROR, C_BODY, C_OTHER, N_CONTACT_ARRAY };

typedef struct Place {
    const char* location;
    int columns;
    int integer;
    int rows; // of each entry, where it is a matrix; else 0
} Place;

static const Place body_place[N_BODY_ARRAY] = {
    {"/VTKHDF/bodies/Points", 3, 0, 0},
    {"/VTKHDF/bodies/PointData/velocity", 3, 0, 0},
    {"/VTKHDF/bodies/PointData/displacement", 3, 0, 0},
    {"/VTKHDF/bodies/CellData/von_mises", 1, 0, 0},
    {"/VTKHDF/bodies/PointData/rod_force", 3, 0, 0},
    {"/VTKHDF/bodies/PointData/rod_moment", 3, 0, 0},
};
static const Place contact_place[N_CONTACT_ARRAY] = {
    {"/VTKHDF/contacts/Points", 3, 0, 0},          {"/VTKHDF/contacts/PointData/force", 3, 0, 0},
    {"/VTKHDF/contacts/PointData/frame", 9, 0, 0}, {"/VTKHDF/contacts/PointData/friction", 2, 0, 0},
    {"/VTKHDF/contacts/PointData/gap", 1, 0, 0},   {"/VTKHDF/contacts/PointData/error", 1, 0, 0},
    {"/VTKHDF/contacts/PointData/body", 1, 1, 0},  {"/VTKHDF/contacts/PointData/other", 1, 1, 0},
};

struct CondRecording {
    CondContext context;
    char* path;
    hid_t id;
    char* scene;
    int n_frame;
    CondScenery scenery;
    CondMoment moment;
    char (*name)[COND_NAME_SIZE];
    char (*kind)[COND_NAME_SIZE];
    char (*sensor)[COND_NAME_SIZE];
    double* sensor_data[2]; // force and torque of all frames         (n_frame x n_sensor x 3)
    int *corner, *corner_end, *body;
    uint8_t* type;
    double* number[COND_N_NUMBER];       //                                    (n_frame each)
    int* n_contact;                      // of each frame                      (n_frame)
    int64_t* contact_begin;              // rows before a frame's              (n_frame)
    double* body_data[N_BODY_ARRAY];     // of one frame
    void* contact_data[N_CONTACT_ARRAY]; // of one frame, room for the largest
};

// Rows first .. first + n of a dataset that must have them and as many columns as said.
static CondStatus read_rows(const CondFclib* file, const Place* place, int64_t first, int64_t n,
                            void* out)
{
    hsize_t size[3] = {0, 0, 0}, begin[3] = {(hsize_t)first, 0, 0};
    hsize_t count[3] = {(hsize_t)n, (hsize_t)place->columns, 0};
    int rank = place->rows > 0 ? 3 : place->columns > 1 ? 2 : 1;
    if (rank == 3) {
        count[1] = (hsize_t)place->rows;
        count[2] = (hsize_t)place->columns;
    }
    if (!cond_fclib_exists(file, place->location))
        return cond_fclib_fail(file, COND_BAD_INPUT, place->location, "is missing");
    hid_t set = H5Dopen2(file->id, place->location, H5P_DEFAULT);
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    int fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank && n >= 0 &&
               H5Sget_simple_extent_dims(space, size, NULL) == rank && size[0] >= begin[0] &&
               size[0] - begin[0] >= count[0] && (rank < 2 || size[1] == count[1]) &&
               (rank < 3 || size[2] == count[2]);
    CondStatus status = COND_OK;
    if (!fits) {
        status = cond_fclib_fail(file, COND_BAD_INPUT, place->location,
                                 "has not the shape of a recording");
    } else if (n > 0) {
        hid_t memory = H5Screate_simple(rank, count, NULL);
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL) < 0 ||
            H5Dread(set, place->integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, memory, space,
                    H5P_DEFAULT, out) < 0)
            status = cond_fclib_fail(file, COND_BAD_INPUT, place->location,
                                     "cannot be read: the file is damaged or cut");
        H5Sclose(memory);
    }
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

// n texts of COND_NAME_SIZE bytes.
static CondStatus read_texts(const CondFclib* file, const char* location, int* n,
                             char (**out)[COND_NAME_SIZE])
{
    *out = NULL;
    if (!cond_fclib_exists(file, location))
        return cond_fclib_fail(file, COND_BAD_INPUT, location, "is missing");
    hid_t set = H5Dopen2(file->id, location, H5P_DEFAULT);
    hid_t space = set >= 0 ? H5Dget_space(set) : -1, type = set >= 0 ? H5Dget_type(set) : -1;
    hssize_t found = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    CondStatus status = COND_OK;
    if (found < 0 || found > INT_MAX || type < 0 || H5Tget_class(type) != H5T_STRING ||
        H5Tget_size(type) != COND_NAME_SIZE || H5Tis_variable_str(type) != 0) {
        status = cond_fclib_fail(file, COND_BAD_INPUT, location, "is not a list of names");
    } else if (!(*out = cond_allocate(file->context, (size_t)found + 1, sizeof **out))) {
        status = cond_fclib_out_of_memory(file);
    } else if (found > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0) {
        status = cond_fclib_fail(file, COND_BAD_INPUT, location, "cannot be read");
    }
    for (hssize_t k = 0; k < found && !status; k++)
        (*out)[k][COND_NAME_SIZE - 1] = '\0';
    *n = (int)found;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

static CondStatus read_attribute(const CondFclib* file, const char* location, const char* name,
                                 int* value)
{
    hid_t at = -1;
    if (cond_fclib_exists(file, location))
        at = H5Aopen_by_name(file->id, location, name, H5P_DEFAULT, H5P_DEFAULT);
    int failed = at < 0 || H5Aread(at, H5T_NATIVE_INT, value) < 0;
    if (at >= 0)
        H5Aclose(at);
    if (failed)
        return cond_fclib_fail(file, COND_BAD_INPUT, location,
                               "has no %s: this is not a recording of COND", name);
    return COND_OK;
}

static CondStatus read_scene(CondRecording* r, const CondFclib* file)
{
    hid_t at = H5Aopen_by_name(file->id, "/cond", "scene", H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = at >= 0 ? H5Aget_type(at) : -1;
    size_t size = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0
                      ? H5Tget_size(type)
                      : 0;
    r->scene = cond_allocate(&r->context, size + 1, 1);
    if (r->scene && size > 0)
        H5Aread(at, type, r->scene);
    if (type >= 0)
        H5Tclose(type);
    if (at >= 0)
        H5Aclose(at);
    return r->scene ? COND_OK : cond_fclib_out_of_memory(file);
}

// The cells, with every index within its range.
static CondStatus read_mesh(CondRecording* r, const CondFclib* file)
{
    CondScenery* s = &r->scenery;
    int *types = NULL, *begin = NULL, *n_point = NULL, n_begin = 0;
    static const char where[] = "/VTKHDF/bodies/Offsets";
    CondStatus status =
        cond_fclib_read_ints(file, "/VTKHDF/bodies/Types", 0, INT_MAX - 1, &types, &s->n_cell);
    if (!status)
        status = cond_fclib_read_ints(file, where, s->n_cell + 1, s->n_cell + 1, &begin, &n_begin);
    if (!status)
        status = cond_fclib_read_ints(file, "/VTKHDF/bodies/Connectivity", 0, INT_MAX, &r->corner,
                                      &s->n_corner);
    if (!status)
        status = cond_fclib_read_ints(file, "/VTKHDF/bodies/NumberOfPoints", 1, 1, &n_point, NULL);
    if (!status)
        status = cond_fclib_read_ints(file, "/VTKHDF/bodies/CellData/body", s->n_cell, s->n_cell,
                                      &r->body, NULL);
    size_t n = (size_t)s->n_cell;
    if (!status && (!(r->type = cond_allocate(&r->context, n, 1)) ||
                    !(r->corner_end = cond_allocate(&r->context, n, sizeof(int)))))
        status = cond_fclib_out_of_memory(file);
    for (int c = 0; c < s->n_cell && !status; c++) {
        r->type[c] = (uint8_t)types[c];
        r->corner_end[c] = begin[c + 1];
        if (begin[0] != 0 || begin[c + 1] < begin[c] || begin[c + 1] > s->n_corner)
            status =
                cond_fclib_fail(file, COND_BAD_INPUT, where, "entry %d is out of order", c + 1);
        else if (r->body[c] < COND_DRAWN_PLANE || r->body[c] >= s->n_body)
            status = cond_fclib_fail(file, COND_BAD_INPUT, "/VTKHDF/bodies/CellData/body",
                                     "cell %d belongs to body %d of %d", c, r->body[c], s->n_body);
    }
    s->n_point = status ? 0 : n_point[0];
    if (!status && (s->n_point < 0 || s->plane_begin < 0 || s->plane_begin > s->n_point))
        status = cond_fclib_fail(file, COND_BAD_INPUT, "/cond/mesh", "wrong number of points");
    for (int k = 0; k < s->n_corner && !status; k++)
        if (r->corner[k] < 0 || r->corner[k] >= s->n_point)
            status = cond_fclib_fail(file, COND_BAD_INPUT, "/VTKHDF/bodies/Connectivity",
                                     "entry %d: point %d of %d", k, r->corner[k], s->n_point);
    cond_release(&r->context, types);
    cond_release(&r->context, begin);
    cond_release(&r->context, n_point);
    return status;
}

// Numbers that older recordings do not have.
static int is_late(int number)
{
    return number == COND_NUMBER_RUNG || number == COND_NUMBER_RELAXED ||
           number == COND_NUMBER_SUBSTEPS;
}

static CondStatus read_numbers(CondRecording* r, const CondFclib* file)
{
    CondStatus status = COND_OK;
    for (int k = 0; k < COND_N_NUMBER && !status; k++) {
        char location[COND_FCLIB_LOCATION];
        snprintf(location, sizeof location, "/cond/frames/%s%.30s",
                 k < COND_NUMBER_STAGE ? "" : "seconds_", cond_number_name(k));
        Place place = {location, 1, 0, 0};
        r->number[k] = cond_allocate(&r->context, (size_t)r->n_frame, sizeof(double));
        for (int64_t i = 0; i < r->n_frame && r->number[k]; i++)
            r->number[k][i] = NAN;
        if (r->number[k] && is_late(k) && !cond_fclib_exists(file, location))
            continue;
        status = r->number[k] ? read_rows(file, &place, 0, r->n_frame, r->number[k])
                              : cond_fclib_out_of_memory(file);
    }
    return status;
}

// Recordings of a scene without sensors may not even have their names.
static CondStatus read_sensors(CondRecording* r, const CondFclib* file)
{
    static const char* const names[] = {"/cond/sensors/force", "/cond/sensors/torque"};
    CondStatus status = COND_OK;
    if (cond_fclib_exists(file, "/cond/sensors/name"))
        status = read_texts(file, "/cond/sensors/name", &r->scenery.n_sensor, &r->sensor);
    if (status)
        r->scenery.n_sensor = 0;
    int64_t n = (int64_t)r->scenery.n_sensor;
    for (int k = 0; k < 2 && !status; k++) {
        Place place = {names[k], 3, 0, r->scenery.n_sensor};
        r->sensor_data[k] =
            cond_allocate(&r->context, 3 * (size_t)r->n_frame * (size_t)n, sizeof(double));
        if (!r->sensor_data[k])
            status = cond_fclib_out_of_memory(file);
        else if (n > 0)
            status = read_rows(file, &place, 0, r->n_frame, r->sensor_data[k]);
    }
    return status;
}

// How many contacts each frame has, and where they begin.
static CondStatus read_contact_counts(CondRecording* r, const CondFclib* file, int* largest)
{
    static const char where[] = "/VTKHDF/contacts/NumberOfPoints";
    const Place place = {where, 1, 1, 0};
    size_t n = (size_t)r->n_frame;
    r->n_contact = cond_allocate(&r->context, n, sizeof *r->n_contact);
    r->contact_begin = cond_allocate(&r->context, n, sizeof *r->contact_begin);
    if (!r->n_contact || !r->contact_begin)
        return cond_fclib_out_of_memory(file);
    CondStatus status = read_rows(file, &place, 0, r->n_frame, r->n_contact);
    *largest = 0;
    for (int k = 0; k < r->n_frame && !status; k++) {
        if (r->n_contact[k] < 0)
            return cond_fclib_fail(file, COND_BAD_INPUT, where, "frame %d has %d contacts", k,
                                   r->n_contact[k]);
        *largest = r->n_contact[k] > *largest ? r->n_contact[k] : *largest;
        if (k > 0)
            r->contact_begin[k] = r->contact_begin[k - 1] + r->n_contact[k - 1];
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

static CondStatus make_room(CondRecording* r, const CondFclib* file, int largest)
{
    int short_of_memory = 0;
    for (int k = 0; k < n_body_array(r); k++) {
        size_t n = (size_t)body_rows(r, k) * (size_t)body_place[k].columns;
        r->body_data[k] = cond_allocate(&r->context, n, sizeof(double));
        short_of_memory |= !r->body_data[k];
    }
    for (int k = 0; k < N_CONTACT_ARRAY; k++) {
        size_t n = (size_t)largest * (size_t)contact_place[k].columns;
        r->contact_data[k] =
            cond_allocate(&r->context, n, contact_place[k].integer ? sizeof(int) : sizeof(double));
        short_of_memory |= !r->contact_data[k];
    }
    return short_of_memory ? cond_fclib_out_of_memory(file) : COND_OK;
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

static CondStatus read_all(CondRecording* r, const CondFclib* file)
{
    int format = 0, n_kind = 0, largest = 0, n_step = 0;
    CondStatus status = read_attribute(file, "/cond", "format", &format);
    if (!status && format != 1)
        status = cond_fclib_fail(file, COND_NOT_SUPPORTED, "/cond",
                                 "a recording of format %d; this version reads 1", format);
    if (!status)
        status = read_attribute(file, "/VTKHDF/bodies/Steps", "NSteps", &r->n_frame);
    if (!status)
        status = read_attribute(file, "/VTKHDF/contacts/Steps", "NSteps", &n_step);
    // A run that was ended between the two numbers has the frames of the smaller one.
    r->n_frame = n_step < r->n_frame ? n_step : r->n_frame;
    if (!status && r->n_frame < 1)
        status = cond_fclib_fail(file, COND_BAD_INPUT, "", "the recording has no frame yet");
    if (!status)
        status = read_scene(r, file);
    if (!status)
        status = read_attribute(file, "/cond/mesh", "plane_begin", &r->scenery.plane_begin);
    if (!status)
        status = read_texts(file, "/cond/mesh/body_name", &r->scenery.n_body, &r->name);
    if (!status)
        status = read_texts(file, "/cond/mesh/body_kind", &n_kind, &r->kind);
    if (!status && n_kind != r->scenery.n_body)
        status = cond_fclib_fail(file, COND_BAD_INPUT, "/cond/mesh/body_kind",
                                 "%d entries, expected %d", n_kind, r->scenery.n_body);
    if (!status)
        status = read_mesh(r, file);
    if (!status)
        status = read_numbers(r, file);
    if (!status)
        status = read_sensors(r, file);
    if (!status)
        status = read_contact_counts(r, file, &largest);
    r->scenery.has_rods = cond_fclib_exists(file, body_place[ROD_FORCE].location);
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
    CondFclib file = {&m, path, -1, error};
    *recording = NULL;
    if (!made)
        return cond_fclib_out_of_memory(&file);
    made->context = m;
    made->id = -1;
    made->path = cond_allocate(&m, strlen(path) + 1, 1);
    CondStatus status = made->path ? COND_OK : cond_fclib_out_of_memory(&file);
    H5E_BEGIN_TRY
    {
        if (!status) {
            memcpy(made->path, path, strlen(path));
            made->id = file.id = cond_hdf_open(path);
            if (file.id < 0) {
                status = cond_fclib_open(&file); // says why
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
    void* arrays[] = {recording->path,          recording->scene,  recording->name,
                      recording->kind,          recording->corner, recording->corner_end,
                      recording->body,          recording->type,   recording->n_contact,
                      recording->contact_begin, recording->sensor, recording->sensor_data[0],
                      recording->sensor_data[1]};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
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
    return recording->sensor_data[0];
}

const double* cond_recording_numbers(const CondRecording* recording, CondNumber number)
{
    return (int)number >= 0 && number < COND_N_NUMBER ? recording->number[number] : NULL;
}

CondStatus cond_recording_frame(CondRecording* recording, int frame, const CondMoment** moment,
                                CondError* error)
{
    CondRecording* r = recording;
    CondFclib file = {&r->context, r->path, r->id, error};
    CondStatus status = COND_OK;
    *moment = NULL;
    if (frame < 0 || frame >= r->n_frame)
        return cond_fclib_fail(&file, COND_BAD_ARGUMENT, "", "frame %d of %d", frame, r->n_frame);
    H5E_BEGIN_TRY
    {
        for (int k = 0; k < n_body_array(r) && !status; k++)
            status = read_rows(&file, &body_place[k], (int64_t)frame * body_rows(r, k),
                               body_rows(r, k), r->body_data[k]);
        for (int k = 0; k < N_CONTACT_ARRAY && !status; k++)
            status = read_rows(&file, &contact_place[k], r->contact_begin[frame],
                               r->n_contact[frame], r->contact_data[k]);
    }
    H5E_END_TRY;
    if (status)
        return status;
    for (int k = 0; k < COND_N_NUMBER; k++)
        r->moment.number[k] = r->number[k][frame];
    size_t row = 3 * (size_t)r->scenery.n_sensor * (size_t)frame;
    r->moment.sensor_force = r->sensor_data[0] + row;
    r->moment.sensor_torque = r->sensor_data[1] + row;
    r->moment.n_contact = r->n_contact[frame];
    *moment = &r->moment;
    return COND_OK;
}
