// Neighbourhoods in the mesh of a volume, for those who make one.
#ifndef COND_COLLIDE_VOLUME_RING_H
#define COND_COLLIDE_VOLUME_RING_H

#include "collide/volume.h"

// Which of n items (width corners each) stand around each vertex: offsets and list.
//                                                       begin (n_vertex + 1), list (n x width)
CondStatus cond_volume_incidence(const CondVolume* volume, int n, int width, const int* corner,
                                 int** begin, int** list);

// ring_begin and ring.
CondStatus cond_volume_make_rings(CondVolume* volume, int n_ring);

#endif
