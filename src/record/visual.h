// The appearance of a link of a robot: triangles and their colours.
#ifndef COND_RECORD_VISUAL_H
#define COND_RECORD_VISUAL_H

#include "model/articulation.h"
#include "record/tessellate.h"

// Replaces what the tessellation holds by a visual shape, in its own axes. Meshes with more
// triangles than a share of what a robot of n_mesh of them may have are made coarser. The colour of
// the robot's file comes before that of the mesh. Where the mesh cannot be read, the status says
// so.
CondStatus cond_visual_tessellate(const CondLinkShape* visual, int n_mesh, CondTessellation* out);

#endif
