// Bounding boxes of bodies, and the list of joints of robots (outline.h).
#include "outline.h"

#include "json.h"
#include "memory.h"

#include <cond/snapshot.h>
#include <math.h>

enum { MOST = 20 }; // bodies that are told of, one a line

CondStatus outline_boxes(const CondModel* model, const CondState* state, double* box,
                         CondError* error)
{
    CondSnapshot* snapshot = NULL;
    CondStatus status = cond_snapshot_create(memory_context(), model, &snapshot, error);
    if (!status)
        status = cond_snapshot_take(snapshot, NULL, state, NULL, error);
    for (int k = 0; k < 6 * cond_model_n_body(model); k++)
        box[k] = k % 6 < 3 ? INFINITY : -INFINITY;
    const CondScenery* s = status ? NULL : cond_snapshot_scenery(snapshot);
    for (int c = 0, k = 0; s && c < s->n_cell; c++)
        for (; k < s->corner_end[c]; k++) {
            const double* x = cond_snapshot_moment(snapshot)->position + 3 * (size_t)s->corner[k];
            double* own = s->body[c] >= 0 ? box + 6 * (size_t)s->body[c] : NULL;
            for (int i = 0; i < 3 && own; i++) {
                own[i] = fmin(own[i], x[i]);
                own[3 + i] = fmax(own[3 + i], x[i]);
            }
        }
    cond_snapshot_destroy(snapshot);
    return status;
}

// In the order of the configuration, with their numbers.
static void print_joints(FILE* out, const CondModel* model, int body)
{
    int n = cond_model_n_coordinate(model, body);
    if (n > 0)
        fprintf(out, "  joints    %s:", cond_model_body_name(model, body));
    for (int j = 0; j < n; j++)
        fprintf(out, "%s %d %s", j ? "," : "", j, cond_model_coordinate_name(model, body, j));
    fputs(n > 0 ? "\n" : "", out);
}

void outline_print(FILE* out, const CondModel* model, const double* box)
{
    int n = cond_model_n_body(model);
    for (int b = 0; b < n && b < MOST; b++) {
        const double *low = box + 6 * (size_t)b, *high = low + 3;
        if (low[0] <= high[0])
            fprintf(out, "  %-9s %s from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m\n",
                    b ? "" : "boxes", cond_model_body_name(model, b), low[0], low[1], low[2],
                    high[0], high[1], high[2]);
    }
    if (n > MOST)
        fprintf(out, "            and %d more (--json has all)\n", n - MOST);
    for (int b = 0; b < n; b++)
        print_joints(out, model, b);
}

json_t* outline_boxes_json(const CondModel* model, const double* box)
{
    json_t* boxes = json_array();
    for (int b = 0; b < cond_model_n_body(model); b++) {
        const double* own = box + 6 * (size_t)b;
        json_t* one = json_object();
        json_object_set_new(one, "body", json_text(cond_model_body_name(model, b)));
        json_object_set_new(one, "low", json_numbers(own, 3));
        json_object_set_new(one, "high", json_numbers(own + 3, 3));
        json_array_append_new(boxes, one);
    }
    return boxes;
}

json_t* outline_joints_json(const CondModel* model)
{
    json_t* robots = json_object();
    for (int b = 0; b < cond_model_n_body(model); b++) {
        int n = cond_model_n_coordinate(model, b);
        json_t* names = json_array();
        for (int j = 0; j < n; j++)
            json_array_append_new(names, json_text(cond_model_coordinate_name(model, b, j)));
        if (n > 0)
            json_object_set_new(robots, cond_model_body_name(model, b), names);
        else
            json_decref(names);
    }
    return robots;
}
