// All surface vertices of a body against a volume. Vertices that lie together at rest are looked up
// in the trees together: one walk finds what is near to any of them.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "collide/tuning.h"
#include "collide/volume_vertex.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Marks in room->near_mesh the ring of vertex v, or takes the marks back.
static void mark_ring(const CondVolume* volume, int v, char mark, CondVolumeRoom* room)
{
    for (int r = volume->ring_begin[v]; r < volume->ring_begin[v + 1]; r++)
        room->near_mesh[volume->ring[r]] = mark;
}

static void box_around(const double low[3], const double high[3], double reach, double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = low[i] - reach;
        box[3 + i] = high[i] + reach;
    }
}

// 1 when an item of a leaf, of those whose bits are set, overlaps the box.
static int meets_rim(const CondVolume* volume, const CondClusters* clusters, int leaf,
                     unsigned used, const double box[6])
{
    const int* item = clusters->item + clusters->begin[clusters->node[leaf].cluster];
    int met = 0;
    for (unsigned left = used; left && !met; left >>= 1, item++) {
        double own[6];
        if (!(left & 1))
            continue;
        cond_clusters_box(clusters, volume->position, *item, own);
        met = cond_tree_overlap(own, box);
    }
    return met;
}

// 1 when a vertex of group g may touch one of the primitives of its own body within `reach`; else
// none does.
static int meets_itself(const CondVolume* volume, const CondClusters* clusters,
                        const CondVolumeSkip* skip, int g, const double whole[6], double reach,
                        CondVolumeRoom* room)
{
    CondFloatBox wide = cond_float_box(whole);
    if (cond_clusters_may_meet(clusters, &wide, skip->begin[g + 1] - skip->begin[g],
                               skip->node + skip->begin[g], &room->hits.visited))
        return 1;
    const int* rim = skip->rim + skip->rim_begin[g];
    const unsigned char* used = skip->used + skip->used_begin[g];
    int n_rim = skip->rim_begin[g + 1] - skip->rim_begin[g];
    for (int m = volume->groups.begin[g]; m < volume->groups.begin[g + 1]; m++, used += n_rim) {
        const double* p = volume->position + 3 * (size_t)volume->surface[volume->groups.item[m]];
        double box[6];
        box_around(p, p, reach, box);
        wide = cond_float_box(box);
        room->hits.visited += n_rim;
        for (int r = 0; r < n_rim; r++)
            if (used[r] && cond_float_overlap(&clusters->node[rim[r]].box, &wide) &&
                meets_rim(volume, clusters, rim[r], used[r], box))
                return 1;
    }
    return 0;
}

// What of b is near to group g of the vertices of a.
static CondStatus look_up_group(const CondVolume* a, const CondVolume* b, int g, double margin,
                                CondVolumeRoom* room)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double box[6], tiny = COND_INPUT_ROUNDING * b->size;
    int skip = a == b && b->tet_skip.rim != NULL;
    CondStatus status = COND_OK;
    for (int m = a->groups.begin[g]; m < a->groups.begin[g + 1]; m++) {
        const double* p = a->position + 3 * (size_t)a->surface[a->groups.item[m]];
        for (int i = 0; i < 3; i++) {
            low[i] = p[i] < low[i] ? p[i] : low[i];
            high[i] = p[i] > high[i] ? p[i] : high[i];
        }
    }
    room->tets.n = room->triangles.n = 0;
    box_around(low, high, tiny, box);
    if (!skip || meets_itself(b, &b->tets, &b->tet_skip, g, box, tiny, room))
        status = cond_near_find(&b->tets, b->position, box, &room->tets);
    box_around(low, high, margin, box);
    if (!status &&
        (!skip || meets_itself(b, &b->triangles, &b->triangle_skip, g, box, margin, room)))
        status = cond_near_find(&b->triangles, b->position, box, &room->triangles);
    return status;
}

// All groups of a against b. Several threads take turns: thread k has the groups k, k + n, ... of
// COND_TURN_BLOCK each, and what it finds stays in its room until all are done.
typedef struct GroupLoop {
    const CondVolume *a, *b;
    double margin;
    const int* last;
    CondVolumeContacts* contacts;
    int n_thread;
} GroupLoop;

static CondStatus collide_group(const GroupLoop* l, int g, int i_room)
{
    const CondVolume *a = l->a, *b = l->b;
    CondVolumeRoom* room = &l->contacts->room[i_room];
    CondStatus status = look_up_group(a, b, g, l->margin, room);
    int far = room->tets.n == 0 && room->triangles.n == 0, begin = room->n;
    for (int m = a->groups.begin[g]; m < a->groups.begin[g + 1] && !status; m++) {
        int k = a->groups.item[m], v = a->surface[k], *run = l->contacts->run + 3 * (size_t)k;
        run[0] = i_room;
        run[1] = room->n;
        run[2] = 0;
        if (far)
            continue;
        if (a == b)
            mark_ring(a, v, 1, room);
        status = cond_volume_collide_vertex(a, b, v, l->last ? l->last[v] : -1, l->margin, room);
        if (a == b)
            mark_ring(a, v, 0, room);
        run[2] = room->n - run[1];
    }
    if (status)
        room->n = begin;
    return status;
}

// Does the groups that are left to a thread, until there are none or its room gives out.
static CondStatus collide_turns(const GroupLoop* l, int i_room)
{
    CondVolumeRoom* room = &l->contacts->room[i_room];
    int n_group = l->a->groups.n_cluster;
    while (room->group < n_group) {
        CondStatus status = collide_group(l, room->group, i_room);
        if (status)
            return status;
        room->group++;
        if (room->group % COND_TURN_BLOCK == 0)
            room->group += (l->n_thread - 1) * COND_TURN_BLOCK;
    }
    return COND_OK;
}

static void collide_threads(const void* loop, int first, int last)
{
    for (int k = first; k < last; k++)
        collide_turns(loop, k);
}

static void* refuse(size_t bytes, void* user)
{
    (void)bytes, (void)user;
    return NULL;
}

static void set_context(CondVolumeRoom* room, const CondContext* context)
{
    room->context = room->hits.context = *context;
    room->tets.hit.context = room->triangles.hit.context = *context;
    room->tets.arena.context = room->triangles.arena.context = *context;
}

// The user's allocator may not be made for threads, so that none of them allocates: one whose room
// gives out leaves the rest of its groups to the caller's thread. After a few steps none does.
static CondStatus collide_groups(const GroupLoop* l)
{
    CondVolumeContacts* contacts = l->contacts;
    CondContext sealed = contacts->context;
    sealed.allocate = refuse;
    for (int k = 0; k < l->n_thread; k++) {
        contacts->room[k].n = 0;
        contacts->room[k].group = k * COND_TURN_BLOCK;
        if (l->n_thread > 1)
            set_context(&contacts->room[k], &sealed);
    }
    if (l->n_thread > 1)
        cond_parallel(l->n_thread, l->n_thread, collide_threads, l);
    CondStatus status = COND_OK;
    for (int k = 0; k < l->n_thread; k++) {
        set_context(&contacts->room[k], &contacts->context);
        if (!status)
            status = collide_turns(l, k);
    }
    return status;
}

// Appends what lies in the rooms, by ascending vertex.
static CondStatus gather_runs(int n_surface, int n_thread, CondVolumeContacts* contacts)
{
    int n = 0;
    for (int k = 0; k < n_thread; k++) {
        CondVolumeRoom* room = &contacts->room[k];
        n += room->n;
        contacts->visited +=
            room->hits.visited + room->tets.hit.visited + room->triangles.hit.visited;
        room->hits.visited = room->tets.hit.visited = room->triangles.hit.visited = 0;
    }
    if (n == 0)
        return COND_OK;
    if (cond_reserve(&contacts->context, &contacts->contact, &contacts->cap, contacts->n + n,
                     sizeof *contacts->contact))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < n_surface; k++) {
        const int* run = contacts->run + 3 * (size_t)k;
        if (run[2] > 0)
            memcpy(contacts->contact + contacts->n, contacts->room[run[0]].contact + run[1],
                   (size_t)run[2] * sizeof *contacts->contact);
        contacts->n += run[2];
    }
    return COND_OK;
}

// Rooms for so many threads to search b.
static CondStatus reserve_rooms(const CondVolume* b, int n_thread, CondVolumeContacts* contacts)
{
    const CondContext* m = &contacts->context;
    if (cond_reserve(m, &contacts->room, &contacts->cap_room, n_thread, sizeof *contacts->room))
        return COND_OUT_OF_MEMORY;
    for (; contacts->n_room < n_thread; contacts->n_room++) {
        CondVolumeRoom* room = &contacts->room[contacts->n_room];
        *room = (CondVolumeRoom){.context = *m};
        cond_tree_hits_begin(m, &room->hits);
        cond_near_begin(m, &room->tets);
        cond_near_begin(m, &room->triangles);
    }
    for (int k = 0; k < n_thread; k++) {
        CondVolumeRoom* room = &contacts->room[k];
        if (cond_reserve(m, &room->place, &room->cap_place, b->n_triangle, sizeof *room->place) ||
            cond_reserve(m, &room->near_mesh, &room->cap_near_mesh, b->n_vertex, 1))
            return COND_OUT_OF_MEMORY;
    }
    return COND_OK;
}

CondStatus cond_volume_collide(const CondVolume* a, const CondVolume* b, double margin,
                               const int* last, CondVolumeContacts* contacts)
{
    size_t work = COND_COORDINATE_WORK * COND_CONTACT_WORK * (size_t)a->n_surface;
    int n_thread = cond_threads(work, contacts->threads);
    GroupLoop loop = {a, b, margin, last, contacts, n_thread};
    if (!(margin >= 0.0))
        return COND_BAD_ARGUMENT;
    if (reserve_rooms(b, n_thread, contacts) ||
        cond_reserve(&contacts->context, &contacts->run, &contacts->cap_run, 3 * a->n_surface,
                     sizeof *contacts->run))
        return COND_OUT_OF_MEMORY;
    CondStatus status = collide_groups(&loop);
    return status ? status : gather_runs(a->n_surface, n_thread, contacts);
}

CondStatus cond_volume_collide_point(const CondVolume* b, const double p[3], const double n[3],
                                     double margin, int last, CondVolumeContacts* contacts)
{
    if (!(margin >= 0.0))
        return COND_BAD_ARGUMENT;
    if (reserve_rooms(b, 1, contacts))
        return COND_OUT_OF_MEMORY;
    CondVolumeRoom* room = &contacts->room[0];
    room->n = 0;
    CondStatus status = cond_volume_collide_one(b, p, n, margin, last, room);
    if (status || room->n == 0)
        return status;
    if (cond_reserve(&contacts->context, &contacts->contact, &contacts->cap, contacts->n + room->n,
                     sizeof *contacts->contact))
        return COND_OUT_OF_MEMORY;
    memcpy(contacts->contact + contacts->n, room->contact, (size_t)room->n * sizeof *room->contact);
    contacts->n += room->n;
    return COND_OK;
}

void cond_volume_contacts_begin(const CondContext* context, CondVolumeContacts* contacts)
{
    *contacts = (CondVolumeContacts){.context = cond_context_or_default(context), .threads = 1};
    cond_tree_hits_begin(context, &contacts->hits);
    cond_near_begin(context, &contacts->near);
}

void cond_volume_contacts_end(CondVolumeContacts* contacts)
{
    CondContext own = contacts->context;
    for (int k = 0; k < contacts->n_room; k++) {
        CondVolumeRoom* room = &contacts->room[k];
        cond_release(&own, room->contact);
        cond_release(&own, room->found);
        cond_release(&own, room->place);
        cond_release(&own, room->near_mesh);
        cond_tree_hits_end(&room->hits);
        cond_near_end(&room->tets);
        cond_near_end(&room->triangles);
    }
    cond_release(&own, contacts->room);
    cond_release(&own, contacts->contact);
    cond_release(&own, contacts->run);
    cond_tree_hits_end(&contacts->hits);
    cond_near_end(&contacts->near);
    *contacts = (CondVolumeContacts){.context = own, .threads = contacts->threads};
}
