// What the next step knows of the contacts of a soft body.
#ifndef COND_TEST_VOLUME_LAST_H
#define COND_TEST_VOLUME_LAST_H

#include "collide/volume.h"

// The triangle of each vertex of one body in the other, that of its deepest contact; -1: none.
static inline void volume_last(const CondVolumeContacts* contacts, int body, int other,
                               int n_vertex, int* last)
{
    for (int v = 0; v < n_vertex; v++)
        last[v] = -1;
    for (int k = 0, deepest = -1; k < contacts->n; k++) {
        const CondVolumeContact* contact = &contacts->contact[k];
        if (contact->body != body || contact->other != other)
            continue;
        // The contacts of one vertex follow one another.
        int first = last[contact->vertex] < 0;
        if (first || contact->gap < contacts->contact[deepest].gap) {
            last[contact->vertex] = contact->triangle;
            deepest = k;
        }
    }
}

#endif
