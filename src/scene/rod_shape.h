// The initial centreline of a rod: the ends and orientations of its links.
#ifndef COND_SCENE_ROD_SHAPE_H
#define COND_SCENE_ROD_SHAPE_H

#include "cond/scene.h"

// Number of links in the definition.
int cond_rod_shape_links(const CondBodyDef* def);

// Ends of the links in body axes: points on the curve, spread slightly so that the lengths of the
// links add up to the rod's length.                                    point (n_link + 1 x 3)
void cond_rod_shape_points(const CondBodyDef* def, double* point);

// Poses of the links in world axes and their lengths: the third axis along the link, the first
// transported without twist from the body's x axis and then rotated by the definition's twist.
//                                                             q (n_link x 7), length (n_link)
void cond_rod_shape_place(const CondBodyDef* def, const double* point, double* q, double* length);

#endif
