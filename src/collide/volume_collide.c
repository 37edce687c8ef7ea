// All surface vertices of a body against a volume. Vertices that lie together at rest are looked up
// in the trees together: one walk finds what is near to any of them.
#include "base/memory.h"
#include "collide/volume_vertex.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// What of b is near to group g of the vertices of a.
static CondStatus look_up_group(const CondVolume* a, const CondVolume* b, int g, double margin,
                                CondVolumeContacts* contacts)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double box[6], tiny = COND_VOLUME_TINY * b->size;
    int end = (g + 1) * COND_VOLUME_GROUP;
    for (int k = g * COND_VOLUME_GROUP; k < end && k < a->n_surface; k++) {
        const double* p = a->position + 3 * (size_t)a->surface[a->group[k]];
        for (int i = 0; i < 3; i++) {
            low[i] = p[i] < low[i] ? p[i] : low[i];
            high[i] = p[i] > high[i] ? p[i] : high[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        box[i] = low[i] - tiny;
        box[3 + i] = high[i] + tiny;
    }
    CondStatus status = cond_tree_near_find(&b->tet_tree, box, &contacts->near_tets);
    for (int i = 0; i < 3; i++) {
        box[i] = low[i] - margin;
        box[3 + i] = high[i] + margin;
    }
    return status ? status : cond_tree_near_find(&b->triangle_tree, box, &contacts->near_triangles);
}

static CondStatus collide_group(const CondVolume* a, const CondVolume* b, int g, double margin,
                                const int* last, CondVolumeContacts* contacts)
{
    CondStatus status = look_up_group(a, b, g, margin, contacts);
    int end = (g + 1) * COND_VOLUME_GROUP;
    for (int m = g * COND_VOLUME_GROUP; m < end && m < a->n_surface && !status; m++) {
        int k = a->group[m], v = a->surface[k], *run = contacts->run + 2 * (size_t)k;
        run[0] = contacts->n;
        run[1] = 0;
        if (contacts->near_tets.leaf.n == 0 && contacts->near_triangles.leaf.n == 0)
            continue;
        for (int r = a->ring_begin[v]; r < a->ring_begin[v + 1] && a == b; r++)
            contacts->near_mesh[a->ring[r]] = 1;
        status = cond_volume_collide_vertex(a, b, v, last ? last[v] : -1, margin, contacts);
        for (int r = a->ring_begin[v]; r < a->ring_begin[v + 1] && a == b; r++)
            contacts->near_mesh[a->ring[r]] = 0;
        run[1] = contacts->n - run[0];
    }
    return status;
}

// The contacts from `begin` on, which came by groups, by ascending vertex.
static CondStatus sort_runs(int begin, int n_surface, CondVolumeContacts* contacts)
{
    int n = contacts->n - begin;
    if (n == 0)
        return COND_OK;
    if (cond_reserve(&contacts->context, &contacts->unsorted, &contacts->cap_unsorted, n,
                     sizeof *contacts->unsorted))
        return COND_OUT_OF_MEMORY;
    memcpy(contacts->unsorted, contacts->contact + begin, (size_t)n * sizeof *contacts->unsorted);
    CondVolumeContact* to = contacts->contact + begin;
    for (int k = 0; k < n_surface; k++) {
        const int* run = contacts->run + 2 * (size_t)k;
        for (int i = 0; i < run[1]; i++)
            *to++ = contacts->unsorted[run[0] - begin + i];
    }
    return COND_OK;
}

CondStatus cond_volume_collide(const CondVolume* a, const CondVolume* b, double margin,
                               const int* last, CondVolumeContacts* contacts)
{
    if (!(margin >= 0.0))
        return COND_BAD_ARGUMENT;
    if (cond_reserve(&contacts->context, &contacts->place, &contacts->cap_place, b->n_triangle,
                     sizeof *contacts->place) ||
        cond_reserve(&contacts->context, &contacts->near_mesh, &contacts->cap_near_mesh,
                     b->n_vertex, 1) ||
        cond_reserve(&contacts->context, &contacts->run, &contacts->cap_run, 2 * a->n_surface,
                     sizeof *contacts->run))
        return COND_OUT_OF_MEMORY;
    CondStatus status = COND_OK;
    int begin = contacts->n;
    for (int g = 0; g < a->n_group && !status; g++)
        status = collide_group(a, b, g, margin, last, contacts);
    return status ? status : sort_runs(begin, a->n_surface, contacts);
}

void cond_volume_contacts_begin(const CondContext* context, CondVolumeContacts* contacts)
{
    *contacts = (CondVolumeContacts){.context = cond_context_or_default(context)};
    cond_tree_hits_begin(context, &contacts->hits);
    cond_tree_near_begin(context, &contacts->near_tets);
    cond_tree_near_begin(context, &contacts->near_triangles);
}

void cond_volume_contacts_end(CondVolumeContacts* contacts)
{
    CondContext own = contacts->context;
    cond_release(&own, contacts->contact);
    cond_release(&own, contacts->found);
    cond_release(&own, contacts->place);
    cond_release(&own, contacts->near_mesh);
    cond_release(&own, contacts->run);
    cond_release(&own, contacts->unsorted);
    cond_tree_hits_end(&contacts->hits);
    cond_tree_near_end(&contacts->near_tets);
    cond_tree_near_end(&contacts->near_triangles);
    *contacts = (CondVolumeContacts){.context = own};
}

void cond_volume_contacts_last(const CondVolumeContacts* contacts, int body, int other,
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
