// Loops over the bodies of a model, in parts of equal cost (each.h).
#include "body/each.h"

#include "base/parallel.h"

typedef struct EachLoop {
    const CondModel* model;
    CondBodyItem item;
    const void* loop;
} EachLoop;

static int is_alone(const CondBody* body)
{
    return body->kind == COND_BODY_SOFT || body->kind == COND_BODY_ROBOT;
}

int cond_each_first(const CondModel* model, int coordinate)
{
    int low = 0, high = model->n_body;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->body[middle].dof_begin < coordinate)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Of the bodies that begin in a range of coordinates.
static void do_bodies(const void* data, int first, int last)
{
    const EachLoop* each = data;
    const CondModel* model = each->model;
    for (int b = cond_each_first(model, first);
         b < model->n_body && model->body[b].dof_begin < last; b++)
        if (!is_alone(&model->body[b]))
            each->item(each->loop, b);
}

void cond_each_body_named(const CondModel* model, size_t work, CondBodyItem item, const void* loop,
                          const char* name)
{
    EachLoop each = {model, item, loop};
    int n_thread = cond_threads(work * (size_t)(model->n_dof - model->n_alone),
                                model->settings.solver.threads);
    for (int b = 0; b < model->n_body && (n_thread == 1 || model->n_alone > 0); b++)
        if (n_thread == 1 || is_alone(&model->body[b]))
            item(loop, b);
    if (n_thread > 1)
        cond_parallel_named(model->n_dof, n_thread, do_bodies, &each, name);
}

typedef struct CoordinateLoop {
    const CondModel* model;
    CondCoordinateItems items;
    const void* loop;
} CoordinateLoop;

static void do_coordinates(const void* data, int first, int last)
{
    const CoordinateLoop* each = data;
    const CondModel* model = each->model;
    int b = cond_each_first(model, first);
    if (b == model->n_body || model->body[b].dof_begin > first)
        b--; // it begins before
    for (; b < model->n_body && model->body[b].dof_begin < last; b++) {
        int begin = model->body[b].dof_begin, end = begin + model->body[b].n_dof;
        begin = begin > first ? begin : first;
        end = end < last ? end : last;
        if (begin < end)
            each->items(each->loop, b, begin, end);
    }
}

void cond_each_coordinate_named(const CondModel* model, size_t work, CondCoordinateItems items,
                                const void* loop, const char* name)
{
    CoordinateLoop each = {model, items, loop};
    cond_parallel_named(model->n_dof,
                        cond_threads(work * (size_t)model->n_dof, model->settings.solver.threads),
                        do_coordinates, &each, name);
}
