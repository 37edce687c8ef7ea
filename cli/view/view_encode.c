// Encodes scenes as JSON and frames as bytes for the page (view_encode.h).
#include "view/view_encode.h"

#include "json.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t* int_list(const int* value, int n)
{
    json_t* list = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(list, json_integer(value[k]));
    return list;
}

static double norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// |force| of a sensor over time; empty in a live run.
static json_t* sensor_series(const CondRecording* recording, int n_sensor, int sensor)
{
    json_t* list = json_array();
    int n_frame = recording ? cond_recording_n_frame(recording) : 0;
    for (int k = 0; k < n_frame; k++) {
        const double* force = cond_recording_sensor_forces(recording) +
                              3 * ((size_t)k * (size_t)n_sensor + (size_t)sensor);
        json_array_append_new(list, json_number(norm(force)));
    }
    return list;
}

// Fields of the points, in the order in which frames have them. A signed one has two directions.
typedef struct Field {
    const char *name, *label, *unit, *kind; // kind of the bodies that have it; NULL: all
    int is_signed;
} Field;
static const Field fields[] = {
    {"velocity", "velocity", "m/s", NULL, 0},
    {"stress", "stress (von Mises)", "Pa", "soft", 0},
    {"tension", "tension", "N", "rod", 1},
    {"bending", "bending moment", "N m", "rod", 0},
    {"twist", "twisting moment", "N m", "rod", 1},
};
enum { N_FIELD = sizeof fields / sizeof *fields, N_FIELD_OF_RODS = 3 };

static int n_field(const CondScenery* scenery)
{
    return N_FIELD - (scenery->has_rods ? 0 : N_FIELD_OF_RODS);
}

static json_t* field_list(const CondScenery* scenery)
{
    json_t* list = json_array();
    for (int k = 0; k < n_field(scenery); k++) {
        const Field* f = &fields[k];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:b}", "name", f->name, "label",
                                              f->label, "unit", f->unit, "kind",
                                              f->kind ? f->kind : "", "signed", f->is_signed));
    }
    return list;
}

// The colours of the cells; none where no cell has one.
static json_t* colour_list(const CondScenery* scenery)
{
    int n = 0;
    for (int c = 0; c < scenery->n_cell; c++)
        n = scenery->colour[c] != COND_COLOUR_NONE ? scenery->n_cell : n;
    return int_list(scenery->colour, n);
}

json_t* view_scene_json(const CondScenery* scenery, const char* name,
                        const CondRecording* recording)
{
    json_t *bodies = json_array(), *type = json_array(), *numbers = json_array();
    json_t* series = json_array();
    int n_frame = recording ? cond_recording_n_frame(recording) : 0;
    for (int b = 0; b < scenery->n_body; b++)
        json_array_append_new(
            bodies, json_pack("{s:s, s:s}", "name", scenery->name[b], "kind", scenery->kind[b]));
    for (int c = 0; c < scenery->n_cell; c++)
        json_array_append_new(type, json_integer(scenery->type[c]));
    for (int k = 0; k < COND_N_NUMBER; k++) {
        json_array_append_new(numbers,
                              json_pack("{s:s, s:s}", "name", cond_number_name((CondNumber)k),
                                        "unit", cond_number_unit((CondNumber)k)));
        json_array_append_new(
            series, recording
                        ? json_numbers(cond_recording_numbers(recording, (CondNumber)k), n_frame)
                        : json_array());
    }
    for (int k = 0; k < scenery->n_sensor; k++) {
        char name[COND_NAME_SIZE + 16];
        snprintf(name, sizeof name, "sensor %s", scenery->sensor[k]);
        json_array_append_new(numbers, json_pack("{s:s, s:s}", "name", name, "unit", "N"));
        json_array_append_new(series, sensor_series(recording, scenery->n_sensor, k));
    }
    return json_pack("{s:i, s:s, s:b, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "format", 2, "scene", name, "live", !recording, "n_frame", n_frame, "n_point",
                     scenery->n_point, "plane_begin", scenery->plane_begin, "bodies", bodies,
                     "corner", int_list(scenery->corner, scenery->n_corner), "end",
                     int_list(scenery->corner_end, scenery->n_cell), "type", type, "body",
                     int_list(scenery->body, scenery->n_cell), "numbers", numbers, "series", series,
                     "fields", field_list(scenery), "colour", colour_list(scenery));
}

static void add_integer(Bytes* bytes, int64_t value)
{
    unsigned char text[4];
    for (int k = 0; k < 4; k++)
        text[k] = (unsigned char)((uint64_t)value >> 8 * k);
    bytes_add(bytes, text, sizeof text);
}

static void add_double(Bytes* bytes, double value)
{
    unsigned char text[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 8; k++)
        text[k] = (unsigned char)(bits >> 8 * k);
    bytes_add(bytes, text, sizeof text);
}

static void add_float(Bytes* bytes, double value)
{
    // A file may hold what 32 bits cannot, or what is no number.
    float narrow = isnan(value) ? 0.0f : (float)fmax(-FLT_MAX, fmin(value, FLT_MAX));
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    add_integer(bytes, bits);
}

static void add_floats(Bytes* bytes, const double* value, size_t n)
{
    for (size_t k = 0; k < n; k++)
        add_float(bytes, value[k]);
}

// The stress of a point is the mean over the cells around it.
static void add_stresses(const CondScenery* scenery, const CondMoment* moment, Bytes* bytes)
{
    size_t n = (size_t)scenery->n_point;
    double* sum = calloc(2 * n + 1, sizeof *sum);
    double* count = sum + n;
    if (!sum) {
        bytes->failed = 1;
        return;
    }
    for (int c = 0, k = 0; c < scenery->n_cell; c++)
        for (; k < scenery->corner_end[c]; k++) {
            sum[scenery->corner[k]] += moment->von_mises[c];
            count[scenery->corner[k]] += 1.0;
        }
    for (size_t p = 0; p < n; p++)
        add_float(bytes, count[p] > 0.0 ? sum[p] / count[p] : 0.0);
    free(sum);
}

static void add_rods(const CondScenery* scenery, const CondMoment* moment, Bytes* bytes)
{
    size_t n = (size_t)scenery->n_point;
    for (size_t p = 0; p < n; p++)
        add_float(bytes, moment->rod_force[3 * p + 2]);
    for (size_t p = 0; p < n; p++)
        add_float(bytes, hypot(moment->rod_moment[3 * p], moment->rod_moment[3 * p + 1]));
    for (size_t p = 0; p < n; p++)
        add_float(bytes, moment->rod_moment[3 * p + 2]);
}

void view_encode_frame(const CondScenery* scenery, const CondMoment* moment, int index,
                       Bytes* bytes)
{
    bytes->size = 0;
    bytes->failed = 0;
    bytes_add(bytes, "CFRM", 4);
    add_integer(bytes, index);
    add_integer(bytes, scenery->n_point);
    add_integer(bytes, moment->n_contact);
    add_integer(bytes, COND_N_NUMBER + scenery->n_sensor);
    add_integer(bytes, n_field(scenery));
    for (int k = 0; k < COND_N_NUMBER; k++)
        add_double(bytes, moment->number[k]);
    for (int k = 0; k < scenery->n_sensor; k++)
        add_double(bytes, norm(moment->sensor_force + 3 * k));
    add_floats(bytes, moment->position, 3 * (size_t)scenery->n_point);
    for (int p = 0; p < scenery->n_point; p++) {
        const double* u = moment->velocity + 3 * (size_t)p;
        add_float(bytes, norm(u));
    }
    add_stresses(scenery, moment, bytes);
    if (scenery->has_rods)
        add_rods(scenery, moment, bytes);
    size_t n_contact = (size_t)moment->n_contact;
    for (size_t c = 0; c < n_contact; c++) {
        add_floats(bytes, moment->contact_position + 3 * c, 3);
        add_floats(bytes, moment->contact_force + 3 * c, 3);
        add_floats(bytes, moment->contact_frame + 9 * c, 6);
        add_floats(bytes, moment->contact_friction + 2 * c, 2);
        add_float(bytes, moment->contact_gap[c]);
        add_float(bytes, moment->contact_error[c]);
    }
    for (size_t c = 0; c < n_contact; c++) {
        add_integer(bytes, moment->contact_body[c]);
        add_integer(bytes, moment->contact_other[c]);
    }
}
