// The extent of a scene: bounding boxes of its bodies, and the order of the joints of its
// robots.
#ifndef COND_CLI_OUTLINE_H
#define COND_CLI_OUTLINE_H

#include <cond/sim.h>
#include <jansson.h>
#include <stdio.h>

// A box around what is drawn of each body of a state, world axes [m]: low and high corner; of a
// body that is not drawn low is above high.                                       box (n_body x 6)
CondStatus outline_boxes(const CondModel* model, const CondState* state, double* box,
                         CondError* error);

void outline_print(FILE* out, const CondModel* model, const double* box);
json_t* outline_boxes_json(const CondModel* model, const double* box);
// Of each robot the names of its joint coordinates, in the order of its configuration.
json_t* outline_joints_json(const CondModel* model);

#endif
