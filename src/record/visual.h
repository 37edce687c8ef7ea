// The appearance of a link of a robot: triangles and their colours.
#ifndef COND_RECORD_VISUAL_H
#define COND_RECORD_VISUAL_H

#include "model/articulation.h"
#include "record/tessellate.h"

// Replaces the contents of the tessellation by a visual shape, in its own axes. Meshes are
// coarsened if they have more triangles than their share of the limit of a robot with n_mesh
// meshes. The colour in the robot's file takes precedence over that of the mesh. Returns a failure
// if the mesh cannot be read.
CondStatus cond_visual_tessellate(const CondLinkShape* visual, int n_mesh, CondTessellation* out);

#endif
