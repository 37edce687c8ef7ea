// Definitions of a scene from what an MJCF file says.
#ifndef COND_IO_MJCF_MAKE_H
#define COND_IO_MJCF_MAKE_H

#include "io/mjcf_model.h"

// 1 where the geom may touch anything.
int cond_mjcf_touches(const CondMjcfGeom* geom);
// A geom as a shape in the axes that the body's frame is given in; 0 where there is none for it.
int cond_mjcf_put_shape(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                        CondLinkShapeDef* shape);
// 1 where the file of a geom's mesh can be opened; a fault, or a warning where it is given by
// vertices.
int cond_mjcf_check_mesh(CondMjcf* m, const CondMjcfGeom* geom);
// The friction of the geoms of a body, or with `tree` of all bodies below it.
void cond_mjcf_put_friction(CondMjcf* m, int body, int tree, CondSurfaceDef* surface);
// Adds a checked definition, or refuses it at the node.
void cond_mjcf_put_body(CondMjcf* m, const CondMjcfNode* node, const CondBodyDef* def);

// Rigid bodies and robots.
void cond_mjcf_make_trees(CondMjcf* m);

#endif
