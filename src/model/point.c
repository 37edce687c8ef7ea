// Resolves places of bodies to material points (point.h). Reads the model alone.
#include "model/point.h"
#include "base/error.h"
#include "model/index.h"

#include "model/articulation.h"
#include "model/fem.h"
#include "model/rod.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

// How many links or nodes a place may be on.
static int n_part(const CondBody* body)
{
    switch (body->kind) {
    case COND_BODY_ROBOT:
        return body->arm->n_link;
    case COND_BODY_ROD:
        return body->rod->n_link;
    case COND_BODY_SOFT:
        return body->fem->n_node;
    default:
        return 1;
    }
}

CondStatus cond_place_point(const CondModel* model, const CondPlace* place, CondPoint* point)
{
    if (cond_model_check_body(model, place->body))
        return COND_BAD_ARGUMENT;
    const CondBody* body = &model->body[place->body];
    if (place->part < 0 || place->part >= n_part(body))
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "part %d: '%s' has %d", place->part,
                              body->name, n_part(body));
    for (int i = 0; i < 3; i++)
        if (!isfinite(place->point[i]))
            return cond_error_set(NULL, COND_BAD_ARGUMENT,
                                  "point[%d] is %g, expected a finite number", i, place->point[i]);
    *point = (CondPoint){.body = place->body, .link = place->part};
    if (body->kind == COND_BODY_SOFT) {
        point->n_node = 1;
        point->node[0] = place->part;
        point->local[0] = 1.0;
    } else if (body->kind != COND_BODY_PARTICLE) {
        memcpy(point->local, place->point, sizeof place->point);
    }
    return COND_OK;
}
