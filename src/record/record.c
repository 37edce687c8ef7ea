// A record: takes a snapshot for every frame and hands it to the files of its kind.
#define _POSIX_C_SOURCE 200809L
#include "cond/record.h"

#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/state.h"
#include "record/record_sink.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <strings.h>

struct CondRecord {
    CondContext context;
    CondSnapshot* snapshot;
    const CondRecordSink* kind;
    void* sink;
    int n_frame;
    double most; // largest number that the files can hold
};

void cond_record_settings_default_fill(CondRecordSettings* made, size_t size)
{
    const CondRecordSettings defaults = {.all_digits = 0, .compression = 1};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondRecordSettings, struct_size));
}

static const CondRecordSink* kind_of(const char* ending)
{
    static const char* const hdf[] = {".h5", ".hdf", ".hdf5", ".vtkhdf", ".xdmf"};
    if (!ending)
        return NULL;
    if (strcasecmp(ending, ".pvd") == 0)
        return &cond_record_vtu;
    for (size_t k = 0; k < sizeof hdf / sizeof *hdf; k++)
        if (strcasecmp(ending, hdf[k]) == 0)
            return &cond_record_hdf;
    return NULL;
}

CondStatus cond_record_open(const CondContext* context, const char* path, const CondModel* model,
                            const CondRecordSettings* settings, CondRecord** record,
                            CondError* error)
{
    *record = NULL;
    const char* dot = strrchr(path, '.');
    const CondRecordSink* kind = kind_of(dot);
    CondRecordSettings chosen = cond_record_settings_default();
    if (!kind)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.1000s: a record is a .h5, .hdf, .vtkhdf, .xdmf or .pvd file, and "
                              "this has another ending",
                              path);
    if (cond_model_n_body(model) == 0)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.1000s: the scene has no body that could be recorded", path);
    CondStatus status = COND_OK;
    if (settings)
        status = cond_definition_take(settings, &chosen, sizeof chosen,
                                      offsetof(CondRecordSettings, struct_size),
                                      "cond_record_settings_default", error);
    if (status)
        return status;
    if (chosen.compression < 0 || chosen.compression > 9)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "settings of a record: compression is 0 to 9");
    CondContext m = cond_context_or_default(context);
    CondRecord* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = m;
    made->kind = kind;
    made->most = kind == &cond_record_hdf && !chosen.all_digits ? FLT_MAX : DBL_MAX;
    status = cond_snapshot_create(&m, model, &made->snapshot, error);
    if (!status)
        status =
            kind->open(&m, path, (size_t)(dot - path), made->snapshot, &chosen, &made->sink, error);
    if (status) {
        cond_record_close(made);
        return status;
    }
    *record = made;
    return COND_OK;
}

// What of a frame is written point by point or contact by contact.
typedef struct Written {
    const char* name;
    const double* value;
    size_t rows;
    int columns;
} Written;

// No number that is not finite gets into a file, and none that would not be in 32 bits. The numbers
// of the step are NaN where there are none.
static CondStatus check_frame(const CondRecord* record, const CondState* state, CondError* error)
{
    const CondSnapshot* s = record->snapshot;
    const CondContactCloud* c = &s->contacts;
    size_t points = (size_t)s->scenery.n_point, cells = (size_t)s->scenery.n_cell;
    size_t contacts = (size_t)c->n, sensors = (size_t)s->scenery.n_sensor;
    size_t on_rods = s->scenery.has_rods ? points : 0;
    const Written all[] = {
        {"position of point", s->position, points, 3},
        {"velocity of point", s->velocity, points, 3},
        {"displacement of point", s->displacement, points, 3},
        {"stress of cell", s->von_mises, cells, 1},
        {"force in the rod at point", s->rod_force, on_rods, 3},
        {"moment in the rod at point", s->rod_moment, on_rods, 3},
        {"place of contact", c->position, contacts, 3},
        {"force of contact", c->force, contacts, 3},
        {"frame of contact", c->frame, contacts, 9},
        {"friction of contact", c->friction, contacts, 2},
        {"gap of contact", c->gap, contacts, 1},
        {"error of contact", c->error, contacts, 1},
        {"force of sensor", s->sensed[COND_SENSED_FORCE], sensors, 3},
        {"torque of sensor", s->sensed[COND_SENSED_TORQUE], sensors, 3},
        {"acceleration of sensor", s->sensed[COND_SENSED_ACCELERATION], sensors, 3},
        {"angular velocity of sensor", s->sensed[COND_SENSED_SPIN], sensors, 3},
        {"number of joint", s->joint, COND_N_JOINT_NUMBER * (size_t)s->n_joint, 1},
    };
    int body = cond_state_not_finite(s->model, state);
    if (body >= 0)
        return cond_error_set(error, COND_DIVERGED, "body %s has numbers that are not finite",
                              cond_model_body_name(s->model, body));
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t i = 0; i < all[k].rows * (size_t)all[k].columns; i++)
            if (!(fabs(all[k].value[i]) <= record->most))
                return cond_error_set(error, COND_DIVERGED, "%s %zu is %g: it cannot be recorded",
                                      all[k].name, i / (size_t)all[k].columns, all[k].value[i]);
    return COND_OK;
}

static CondStatus record_frame_whole(CondRecord* record, const CondSim* sim, const CondState* state,
                                     const CondStepInfo* info, CondError* error)
{
    CondStatus status = cond_snapshot_take(record->snapshot, sim, state, info, error);
    if (!status)
        status = check_frame(record, state, error);
    if (!status)
        status = record->kind->frame(record->sink, record->n_frame, state, error);
    if (!status)
        record->n_frame++;
    return status;
}

CondStatus cond_record_frame_sized(CondRecord* record, const CondSim* sim, const CondState* state,
                                   const CondStepInfo* info, CondError* error, size_t size)
{
    COND_SIZED_IN(CondStatus, CondStepInfo, info, size,
                  record_frame_whole(record, sim, state, it, error));
}

CondStatus cond_record_flush(CondRecord* record, CondError* error)
{
    return record->kind->flush ? record->kind->flush(record->sink, error) : COND_OK;
}

int cond_record_n_frame(const CondRecord* record)
{
    return record->n_frame;
}

void cond_record_close(CondRecord* record)
{
    if (!record)
        return;
    CondContext m = record->context;
    if (record->sink)
        record->kind->close(record->sink);
    cond_snapshot_destroy(record->snapshot);
    cond_release(&m, record);
}
