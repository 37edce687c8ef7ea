// The appearance of a link of a robot: triangles and their colours.
#ifndef COND_RECORD_VISUAL_H
#define COND_RECORD_VISUAL_H

#include "model/articulation.h"
#include "record/tessellate.h"

#include <stdint.h>

// Replaces the contents of the tessellation by a visual shape, in its own axes. Meshes are
// coarsened if they have more triangles than their share of `most`, the limit of a robot with
// n_mesh meshes (0: that of viewers). The colour in the robot's file takes precedence over that of
// the mesh. Returns a failure if the mesh cannot be read.
CondStatus cond_visual_tessellate(const CondLinkShape* visual, int n_mesh, int most,
                                  CondTessellation* out);

// Visual shapes that were tessellated before, with the same limit and number of meshes.
typedef struct CondVisualStore {
    CondArena arena;
    int n;
    CondTessellation** shape; //                                                 (n)
    uint64_t* key;            // hash of what each was made from                  (n)
} CondVisualStore;

// The same from the store, which reads each mesh once. *out is NULL if the mesh cannot be read.
CondStatus cond_visual_store_get(CondVisualStore* store, const CondLinkShape* visual, int n_mesh,
                                 int most, int around, const CondTessellation** out);
void cond_visual_store_release(CondVisualStore* store);

#endif
