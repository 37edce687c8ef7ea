// A collection for ParaView, and for each frame one file of the bodies and one of the contacts.
// Each file appears under its name only once it is whole.
#define _POSIX_C_SOURCE 200809L
#include "record/record_sink.h"

#include "base/error.h"
#include "base/memory.h"
#include "record/vtu_file.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

enum NameSize { MAX_TAIL = 48 }; // longest addition to the stem of a name

typedef struct VtuRecord {
    CondContext context;
    const CondSnapshot* snapshot;
    char* path;        // of the collection
    char* stem;        // the path without its ending
    char* name;        // scratch: a file's path                  (strlen(stem) + MAX_TAIL)
    int i_frame;       // of the frame being written
    CondMeshText list; // entries of the collection
    CondMeshText head; // scratch: a file's tags
    CondMeshText data; // and its numbers
} VtuRecord;

// Makes the next file's name: stem, kind, number of the frame.
static CondStatus put_grid(VtuRecord* record, const char* kind, const CondVtuGrid* grid,
                           CondError* error)
{
    size_t size = strlen(record->stem) + MAX_TAIL;
    const CondMeshText* const text[2] = {&record->head, &record->data};
    snprintf(record->name, size, "%s%s_%06d.vtu", record->stem, kind, record->i_frame);
    cond_vtu_make(grid, &record->head, &record->data);
    return cond_mesh_text_file(&record->context, record->name, 2, text, error);
}

static CondStatus put_bodies(VtuRecord* record, int n_field, const CondVtuArray* field,
                             CondError* error)
{
    const CondSnapshot* snapshot = record->snapshot;
    const CondDrawing* drawing = &snapshot->drawing;
    const CondVtuArray point_data[] = {
        {"velocity", COND_VTU_DOUBLE, 3, snapshot->velocity},
        {"displacement", COND_VTU_DOUBLE, 3, snapshot->displacement},
        {"rod_force", COND_VTU_DOUBLE, 3, snapshot->rod_force},
        {"rod_moment", COND_VTU_DOUBLE, 3, snapshot->rod_moment},
    };
    const CondVtuArray cell_data[] = {
        {"body", COND_VTU_INT, 1, drawing->body},
        {"colour", COND_VTU_INT, 1, drawing->colour},
        {"von_mises", COND_VTU_DOUBLE, 1, snapshot->von_mises},
    };
    const CondVtuGrid grid = {.n_point = drawing->n_point,
                              .n_cell = drawing->n_cell,
                              .n_corner = drawing->n_corner,
                              .point = snapshot->position,
                              .corner = drawing->corner,
                              .corner_end = drawing->corner_end,
                              .type = drawing->type,
                              .n_field = n_field,
                              .n_point_data = snapshot->scenery.has_rods ? 4 : 2,
                              .n_cell_data = sizeof cell_data / sizeof *cell_data,
                              .field = field,
                              .point_data = point_data,
                              .cell_data = cell_data};
    return put_grid(record, "", &grid, error);
}

static CondStatus put_contacts(VtuRecord* record, int n_field, const CondVtuArray* field,
                               CondError* error)
{
    const CondContactCloud* cloud = &record->snapshot->contacts;
    const CondVtuArray point_data[] = {
        {"force", COND_VTU_DOUBLE, 3, cloud->force}, {"normal", COND_VTU_DOUBLE, 3, cloud->normal},
        {"gap", COND_VTU_DOUBLE, 1, cloud->gap},     {"body", COND_VTU_INT, 1, cloud->body},
        {"other", COND_VTU_INT, 1, cloud->other},
    };
    const CondVtuGrid grid = {.n_point = cloud->n,
                              .n_cell = cloud->n,
                              .n_corner = cloud->n,
                              .point = cloud->position,
                              .corner = cloud->corner,
                              .corner_end = cloud->corner_end,
                              .type = cloud->type,
                              .n_field = n_field,
                              .n_point_data = sizeof point_data / sizeof *point_data,
                              .field = field,
                              .point_data = point_data};
    return put_grid(record, "_contacts", &grid, error);
}

// One file of a frame, named relative to the collection.
static void add_entry(VtuRecord* record, double time, int part, const char* kind)
{
    const char* slash = strrchr(record->stem, '/');
    cond_mesh_text_add(&record->list, "<DataSet timestep=\"%.15g\" part=\"%d\" file=\"", time,
                       part);
    cond_mesh_text_escaped(&record->list, slash ? slash + 1 : record->stem);
    cond_mesh_text_add(&record->list, "%s_%06d.vtu\"/>\n", kind, record->i_frame);
}

static CondStatus put_collection(VtuRecord* record, CondError* error)
{
    const CondMeshText* const text[3] = {&record->head, &record->list, &record->data};
    record->head.size = record->data.size = 0;
    record->head.failed = record->data.failed = 0;
    cond_mesh_text_add(&record->head, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                                      "version=\"1.0\">\n<Collection>\n");
    cond_mesh_text_add(&record->data, "</Collection>\n</VTKFile>\n");
    return cond_mesh_text_file(&record->context, record->path, 3, text, error);
}

// Adds the frame to the collection; on failure its entries are taken back.
static CondStatus add_to_collection(VtuRecord* record, double time, CondError* error)
{
    size_t before = record->list.size;
    // Numbers have a decimal point, whatever the language of the host program.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.1000s",
                              record->path);
    locale_t host = uselocale(plain);
    add_entry(record, time, 0, "");
    add_entry(record, time, 1, "_contacts");
    uselocale(host);
    freelocale(plain);
    CondStatus status = put_collection(record, error);
    if (status) {
        record->list.size = before;
        record->list.failed = 0;
    }
    return status;
}

static CondStatus put_frame(void* sink, int i_frame, const CondState* state, CondError* error)
{
    VtuRecord* record = sink;
    const double* number = record->snapshot->moment.number;
    (void)state;
    record->i_frame = i_frame;
    // TimeValue is the name by which ParaView knows the time of a file.
    const CondVtuArray field[] = {
        {"TimeValue", COND_VTU_DOUBLE, 1, number + COND_NUMBER_TIME},
        {"certificate", COND_VTU_DOUBLE, 1, number + COND_NUMBER_CERTIFICATE},
        {"kinetic_energy", COND_VTU_DOUBLE, 1, number + COND_NUMBER_KINETIC_ENERGY},
        {"potential_energy", COND_VTU_DOUBLE, 1, number + COND_NUMBER_POTENTIAL_ENERGY},
    };
    const int n_field = sizeof field / sizeof *field;
    CondStatus status = put_bodies(record, n_field, field, error);
    if (!status)
        status = put_contacts(record, n_field, field, error);
    if (!status)
        status = add_to_collection(record, number[COND_NUMBER_TIME], error);
    return status;
}

static void close_record(void* sink)
{
    VtuRecord* record = sink;
    CondContext m = record->context;
    void* arrays[] = {record->path,      record->stem,      record->name,
                      record->list.data, record->head.data, record->data.data};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    cond_release(&m, record);
}

static CondStatus open_record(const CondContext* context, const char* path, size_t length,
                              const CondSnapshot* snapshot, const CondRecordSettings* settings,
                              void** sink, CondError* error)
{
    const CondContext m = *context;
    VtuRecord* made = cond_allocate(&m, 1, sizeof *made);
    (void)settings;
    *sink = NULL;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = made->list.context = made->head.context = made->data.context = m;
    made->snapshot = snapshot;
    made->path = cond_allocate(&m, strlen(path) + 1, 1);
    made->stem = cond_allocate(&m, length + 1, 1);
    made->name = cond_allocate(&m, length + MAX_TAIL, 1);
    CondStatus status = COND_OK;
    if (!made->path || !made->stem || !made->name) {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    } else {
        memcpy(made->path, path, strlen(path));
        memcpy(made->stem, path, length);
        status = put_collection(made, error);
    }
    if (status)
        close_record(made);
    else
        *sink = made;
    return status;
}

const CondRecordSink cond_record_vtu = {open_record, put_frame, NULL, close_record};
