// How large a body is, for all that is measured by its size: the longest edge of a box around what
// may touch, in the axes of a rigid body or link, or of the world at the start.
#include "scene/compile.h"

#include "model/fem.h"
#include "model/rod.h"
#include "scene/tuning.h"

#include <math.h>

typedef struct Box {
    double low[3], high[3];
} Box;

static const Box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(Box* box, const double x[3], double radius)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], x[k] - radius);
        box->high[k] = fmax(box->high[k], x[k] + radius);
    }
}

static double longest(const Box* box)
{
    double size = 0.0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, box->high[k] - box->low[k]);
    return size;
}

// Of features that move together: those of a rigid body, or of the largest link of a robot.
static double feature_size(const CondModel* model, const CondBody* body)
{
    double size = 0.0;
    Box box = EMPTY;
    for (int k = 0; k < body->n_feature; k++) {
        const CondFeature* feature = &model->feature[body->feature_begin + k];
        if (k > 0 && feature->point.link != feature[-1].point.link)
            box = EMPTY;
        grow(&box, feature->point.local, feature->radius);
        size = fmax(size, longest(&box));
    }
    return size;
}

// Of n nodes or links: their positions lie `stride` numbers apart.
static double spread_size(const CondBody* body, int n, int stride, double radius)
{
    Box box = EMPTY;
    for (int i = 0; i < n * stride; i += stride)
        grow(&box, body->start + i, radius);
    return longest(&box);
}

void cond_compile_sizes(CondModel* model)
{
    for (int b = 0; b < model->n_body; b++) {
        CondBody* body = &model->body[b];
        if (body->kind == COND_BODY_SOFT)
            body->size = spread_size(body, body->fem->n_node, 3, 0.0);
        else if (body->kind == COND_BODY_ROD)
            body->size = spread_size(body, body->rod->n_link, 7, body->rod->radius);
        else if (body->kind != COND_BODY_PARTICLE)
            body->size = feature_size(model, body);
        if (!(body->size > 0.0))
            body->size = COND_POINT_SIZE;
    }
}
