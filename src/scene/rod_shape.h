// The centreline a rod starts with: where its links begin and end, and how they are turned.
#ifndef COND_SCENE_ROD_SHAPE_H
#define COND_SCENE_ROD_SHAPE_H

#include "cond/scene.h"

// Links that the definition asks for.
int cond_rod_shape_links(const CondBodyDef* def);

// Ends of the links in body axes: points on the curve, moved apart a little such that the links
// together have the rod's length.                                      point (n_link + 1 x 3)
void cond_rod_shape_points(const CondBodyDef* def, double* point);

// Poses of the links in world axes and their lengths: the third axis along the link, the first
// carried along without twist from the body's x axis and then turned by the definition's twist.
//                                                       q (n_link x 7), length (n_link)
void cond_rod_shape_place(const CondBodyDef* def, const double* point, double* q, double* length);

#endif
