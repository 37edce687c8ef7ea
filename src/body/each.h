// Loops over the bodies of a model.
#ifndef COND_BODY_EACH_H
#define COND_BODY_EACH_H

#include "model/model.h"

// The first body that begins at a coordinate or behind it.
int cond_each_first(const CondModel* model, int coordinate);

// What a loop does for body b; it writes to what belongs to that body alone.
typedef void (*CondBodyItem)(const void* loop, int b);

// Calls it for every body. Soft bodies and robots, which have loops or scratch of their own, come
// one after the other on the calling thread; the others side by side, in parts of as many
// coordinates. work: multiply-adds for each of these.
void cond_each_body(const CondModel* model, size_t work, CondBodyItem item, const void* loop);

// What a loop does for the coordinates first .. last - 1 of the model, all of body b.
typedef void (*CondCoordinateItems)(const void* loop, int b, int first, int last);

// Calls it for all coordinates, in parts of as many, whatever they are of.
void cond_each_coordinate(const CondModel* model, size_t work, CondCoordinateItems items,
                          const void* loop);

#endif
