// A record: the collection, and for each frame one file of the bodies and one of the contacts.
#define _POSIX_C_SOURCE 200809L
#include "cond/record.h"

#include "base/error.h"
#include "base/memory.h"
#include "body/posture.h"
#include "record/contact_cloud.h"
#include "record/drawing.h"
#include "record/vtu_file.h"
#include "step/state.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_TAIL = 48 }; // longest addition to the stem of a name

struct CondRecord {
    CondContext context;
    const CondModel* model;
    CondPosture posture;
    CondDrawing drawing;
    CondContactCloud contacts;
    char* path;           // of the collection
    char* stem;           // the path without its ending
    char* name;           // scratch: a file's path                  (strlen(stem) + MAX_TAIL)
    char* temporary;      // and the name it has while it is written (strlen(stem) + MAX_TAIL)
    int n_frame;          //
    CondMeshText list;    // entries of the collection
    CondMeshText head;    // scratch: a file's tags
    CondMeshText data;    // and its numbers
    double* position;     // of the drawing's points, world [m]      (n_point x 3)
    double* velocity;     // [m/s]                                   (n_point x 3)
    double* displacement; // of soft bodies, from rest [m]; else 0   (n_point x 3)
    double* von_mises;    // of soft bodies [Pa]; else 0             (n_cell)
    int* coordinate;      // scratch                                 (max_point_dof)
    double* J;            // scratch                                 (3 x max_point_dof)
};

// One number of a frame.
typedef struct FrameField {
    double time, certificate, kinetic, potential;
} FrameField;

static FrameField field_of(const CondState* state, const CondStepInfo* info)
{
    FrameField field = {state->time, NAN, NAN, NAN};
    if (!info)
        return field;
    field.certificate = fmax(cond_certificate_residual(&info->solve.certificate),
                             fmax(cond_certificate_residual(&info->impact.certificate),
                                  cond_certificate_residual(&info->correction.certificate)));
    field.kinetic = info->kinetic_after;
    field.potential = info->potential_after;
    return field;
}

// Positions, velocities J v, displacements and stresses at a state.
static void measure(CondRecord* record, const CondState* state)
{
    const CondModel* model = record->model;
    CondDrawing* drawing = &record->drawing;
    cond_posture_set(&record->posture, state->q);
    for (int p = 0; p < drawing->n_point; p++) {
        double* u = record->velocity + 3 * (size_t)p;
        int n = cond_posture_point(&record->posture, &drawing->point[p],
                                   record->position + 3 * (size_t)p, record->coordinate, record->J);
        for (int i = 0; i < 3; i++) {
            u[i] = 0.0;
            for (int k = 0; k < n; k++)
                u[i] += record->J[i * n + k] * state->v[record->coordinate[k]];
        }
    }
    cond_drawing_fit_planes(drawing, model, record->position);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double* x = state->q + body->q_begin;
        if (body->kind != COND_BODY_SOFT)
            continue;
        double* d = record->displacement + 3 * (size_t)drawing->point_begin[b];
        for (int i = 0; i < 3 * body->fem->n_node; i++)
            d[i] = x[i] - body->fem->rest[i];
        cond_fem_stress(body->fem, x, NULL, record->von_mises + drawing->cell_begin[b],
                        model->settings.solver.threads);
    }
}

// Makes the next file's name: stem, kind, number of the frame.
static CondStatus put_grid(CondRecord* record, const char* kind, const CondVtuGrid* grid,
                           CondError* error)
{
    size_t size = strlen(record->stem) + MAX_TAIL;
    const CondMeshText* const text[2] = {&record->head, &record->data};
    snprintf(record->name, size, "%s%s_%06d.vtu", record->stem, kind, record->n_frame);
    snprintf(record->temporary, size, "%s%s_%06d.vtu.part", record->stem, kind, record->n_frame);
    cond_vtu_make(grid, &record->head, &record->data);
    return cond_file_replace(record->name, record->temporary, 2, text, error);
}

static CondStatus put_bodies(CondRecord* record, int n_field, const CondVtuArray* field,
                             CondError* error)
{
    const CondDrawing* drawing = &record->drawing;
    const CondVtuArray point_data[] = {
        {"velocity", COND_VTU_DOUBLE, 3, record->velocity},
        {"displacement", COND_VTU_DOUBLE, 3, record->displacement},
    };
    const CondVtuArray cell_data[] = {
        {"body", COND_VTU_INT, 1, drawing->body},
        {"von_mises", COND_VTU_DOUBLE, 1, record->von_mises},
    };
    const CondVtuGrid grid = {.n_point = drawing->n_point,
                              .n_cell = drawing->n_cell,
                              .n_corner = drawing->n_corner,
                              .point = record->position,
                              .corner = drawing->corner,
                              .corner_end = drawing->corner_end,
                              .type = drawing->type,
                              .n_field = n_field,
                              .n_point_data = sizeof point_data / sizeof *point_data,
                              .n_cell_data = sizeof cell_data / sizeof *cell_data,
                              .field = field,
                              .point_data = point_data,
                              .cell_data = cell_data};
    return put_grid(record, "", &grid, error);
}

static CondStatus put_contacts(CondRecord* record, int n_field, const CondVtuArray* field,
                               CondError* error)
{
    const CondContactCloud* cloud = &record->contacts;
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

// Text inside an attribute.
static void add_escaped(CondMeshText* text, const char* from)
{
    for (; *from; from++) {
        switch (*from) {
        case '&':
            cond_mesh_text_add(text, "&amp;");
            break;
        case '<':
            cond_mesh_text_add(text, "&lt;");
            break;
        case '"':
            cond_mesh_text_add(text, "&quot;");
            break;
        default:
            cond_mesh_text_bytes(text, from, 1);
        }
    }
}

// One file of a frame, named relative to the collection.
static void add_entry(CondRecord* record, double time, int part, const char* kind)
{
    const char* slash = strrchr(record->stem, '/');
    cond_mesh_text_add(&record->list, "<DataSet timestep=\"%.15g\" part=\"%d\" file=\"", time,
                       part);
    add_escaped(&record->list, slash ? slash + 1 : record->stem);
    cond_mesh_text_add(&record->list, "%s_%06d.vtu\"/>\n", kind, record->n_frame);
}

static CondStatus put_collection(CondRecord* record, CondError* error)
{
    const CondMeshText* const text[3] = {&record->head, &record->list, &record->data};
    record->head.size = record->data.size = 0;
    record->head.failed = record->data.failed = 0;
    cond_mesh_text_add(&record->head, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                                      "version=\"1.0\">\n<Collection>\n");
    cond_mesh_text_add(&record->data, "</Collection>\n</VTKFile>\n");
    snprintf(record->temporary, strlen(record->stem) + MAX_TAIL, "%s.pvd.part", record->stem);
    return cond_file_replace(record->path, record->temporary, 3, text, error);
}

// Adds the frame to the collection; on failure its entries are taken back.
static CondStatus add_to_collection(CondRecord* record, double time, CondError* error)
{
    size_t before = record->list.size;
    // Numbers have a decimal point, whatever the language of the host program.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.200s", record->path);
    locale_t host = uselocale(plain);
    add_entry(record, time, 0, "");
    add_entry(record, time, 1, "_contacts");
    uselocale(host);
    freelocale(plain);
    CondStatus status = put_collection(record, error);
    if (status) {
        record->list.size = before;
        record->list.failed = 0;
    } else {
        record->n_frame++;
    }
    return status;
}

CondStatus cond_record_frame(CondRecord* record, const CondSim* sim, const CondState* state,
                             const CondStepInfo* info, CondError* error)
{
    const CondModel* model = record->model;
    if (state->n_q != model->n_q || state->n_dof != model->n_dof)
        return cond_error_set(error, COND_BAD_ARGUMENT, "the state belongs to another model");
    const FrameField value = field_of(state, info);
    // TimeValue is the name by which ParaView knows the time of a file.
    const CondVtuArray field[] = {
        {"TimeValue", COND_VTU_DOUBLE, 1, &value.time},
        {"certificate", COND_VTU_DOUBLE, 1, &value.certificate},
        {"kinetic_energy", COND_VTU_DOUBLE, 1, &value.kinetic},
        {"potential_energy", COND_VTU_DOUBLE, 1, &value.potential},
    };
    const int n_field = sizeof field / sizeof *field;
    if (cond_contact_cloud_fill(&record->contacts, sim, model->settings.time_step))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    measure(record, state);
    CondStatus status = put_bodies(record, n_field, field, error);
    if (!status)
        status = put_contacts(record, n_field, field, error);
    if (!status)
        status = add_to_collection(record, state->time, error);
    return status;
}

int cond_record_n_frame(const CondRecord* record)
{
    return record->n_frame;
}

static CondStatus allocate_all(CondRecord* record, const char* path, size_t length)
{
    const CondContext* m = &record->context;
    const CondModel* model = record->model;
    if (cond_posture_create(model, &record->posture) ||
        cond_drawing_create(m, model, &record->drawing))
        return COND_OUT_OF_MEMORY;
    size_t n = (size_t)record->drawing.n_point, k = (size_t)model->max_point_dof;
    record->path = cond_allocate(m, length + 5, 1);
    record->stem = cond_allocate(m, length + 1, 1);
    record->name = cond_allocate(m, length + MAX_TAIL, 1);
    record->temporary = cond_allocate(m, length + MAX_TAIL, 1);
    record->position = cond_allocate(m, 3 * n, sizeof(double));
    record->velocity = cond_allocate(m, 3 * n, sizeof(double));
    record->displacement = cond_allocate(m, 3 * n, sizeof(double));
    record->von_mises = cond_allocate(m, (size_t)record->drawing.n_cell, sizeof(double));
    record->coordinate = cond_allocate(m, k, sizeof(int));
    record->J = cond_allocate(m, 3 * k, sizeof(double));
    if (!record->path || !record->stem || !record->name || !record->temporary ||
        !record->position || !record->velocity || !record->displacement || !record->von_mises ||
        !record->coordinate || !record->J)
        return COND_OUT_OF_MEMORY;
    memcpy(record->path, path, length + 4);
    memcpy(record->stem, path, length);
    return COND_OK;
}

CondStatus cond_record_open(const CondContext* context, const char* path, const CondModel* model,
                            CondRecord** record, CondError* error)
{
    *record = NULL;
    const char* dot = strrchr(path, '.');
    if (!dot || strcasecmp(dot, ".pvd") != 0)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.200s: a record is a .pvd file, and this has another ending", path);
    CondContext m = cond_context_or_default(context);
    CondRecord* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = m;
    made->model = model;
    made->drawing.context = made->contacts.context = m;
    made->list.context = made->head.context = made->data.context = m;
    CondStatus status = allocate_all(made, path, (size_t)(dot - path));
    if (status)
        cond_error_set(error, status, "out of memory");
    else
        status = put_collection(made, error);
    if (status) {
        cond_record_close(made);
        return status;
    }
    *record = made;
    return COND_OK;
}

void cond_record_close(CondRecord* record)
{
    if (!record)
        return;
    CondContext m = record->context;
    cond_posture_destroy(&record->posture);
    cond_drawing_destroy(&record->drawing);
    cond_contact_cloud_destroy(&record->contacts);
    void* arrays[] = {record->path,        record->stem,      record->name,       record->temporary,
                      record->list.data,   record->head.data, record->data.data,  record->position,
                      record->velocity,    record->von_mises, record->coordinate, record->J,
                      record->displacement};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    cond_release(&m, record);
}
