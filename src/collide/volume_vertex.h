// One vertex against a volume, for the loops over all of them.
#ifndef COND_COLLIDE_VOLUME_VERTEX_H
#define COND_COLLIDE_VOLUME_VERTEX_H

#include "collide/volume.h"

// Of the size of a volume: rounding of a distance.

// Appends to room->contact the contacts of vertex v of a with the volume of b, among the primitives
// of b in room->tets and room->triangles. Within one body room->near_mesh marks excluded vertices.
CondStatus cond_volume_collide_vertex(const CondVolume* a, const CondVolume* b, int v, int last,
                                      double margin, CondVolumeRoom* room);

// The same for a point that does not belong to a volume; see cond_volume_collide_point.
CondStatus cond_volume_collide_one(const CondVolume* b, const double p[3], const double n[3],
                                   double margin, int last, CondVolumeRoom* room);

#endif
