// Neighbourhoods in the mesh of a volume.
#ifndef COND_COLLIDE_VOLUME_RING_H
#define COND_COLLIDE_VOLUME_RING_H

#include "collide/volume.h"

// The items around each vertex, of n items with `width` corners each: offsets and list.
//                                                      begin (n_vertex + 1), list (n x width)
CondStatus cond_volume_incidence(const CondVolume* volume, int n, int width, const int* corner,
                                 int** begin, int** list);

// ring_begin and ring.
CondStatus cond_volume_make_rings(CondVolume* volume, int n_ring);

// 1 if vertex w is too near to vertex v in the mesh for self-contact.
static inline int cond_volume_in_ring(const CondVolume* volume, int v, int w)
{
    for (int r = volume->ring_begin[v]; r < volume->ring_begin[v + 1]; r++)
        if (volume->ring[r] == w)
            return 1;
    return 0;
}

#endif
