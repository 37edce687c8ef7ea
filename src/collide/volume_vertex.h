// One vertex against a volume, for the loops over all of them.
#ifndef COND_COLLIDE_VOLUME_VERTEX_H
#define COND_COLLIDE_VOLUME_VERTEX_H

#include "collide/volume.h"

// Of the size of a volume: rounding of a distance.
#define COND_VOLUME_TINY 1e-9

// Appends the contacts of vertex v of a with the volume of b, from what contacts->near_tets and
// near_triangles hold of b. Within one body contacts->near_mesh marks what is left out.
CondStatus cond_volume_collide_vertex(const CondVolume* a, const CondVolume* b, int v, int last,
                                      double margin, CondVolumeContacts* contacts);

#endif
