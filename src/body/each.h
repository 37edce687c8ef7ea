// Loops over the bodies of a model.
#ifndef COND_BODY_EACH_H
#define COND_BODY_EACH_H

#include "model/model.h"

// The first body whose coordinates begin at or after a coordinate.
int cond_each_first(const CondModel* model, int coordinate);

// The work of a loop for body b; it writes only to data of that body.
typedef void (*CondBodyItem)(const void* loop, int b);

// Calls it for every body. Soft bodies and robots, which have parallel loops or scratch of their
// own, are processed in sequence on the calling thread; the others in parallel, in blocks of
// equally many coordinates. work: multiply-adds per coordinate.
void cond_each_body_named(const CondModel* model, size_t work, CondBodyItem item, const void* loop,
                          const char* name);
#define cond_each_body(model, work, item, loop) cond_each_body_named(model, work, item, loop, #item)

// The work of a loop for the coordinates first .. last - 1 of the model, all of body b.
typedef void (*CondCoordinateItems)(const void* loop, int b, int first, int last);

// Calls it for all coordinates, in blocks of equally many, regardless of bodies.
void cond_each_coordinate_named(const CondModel* model, size_t work, CondCoordinateItems items,
                                const void* loop, const char* name);
#define cond_each_coordinate(model, work, items, loop)                                             \
    cond_each_coordinate_named(model, work, items, loop, #items)

#endif
