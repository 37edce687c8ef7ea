// Contacts of surface vertices with a tetrahedral volume. docs/collision.md tells why it is done
// this way.
#include "base/memory.h"
#include "base/tuning.h"
#include "collide/tuning.h"
#include "collide/volume_vertex.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct CondVolumeFound {
    int triangle;
    int tet; // that holds the vertex; -1: outside, -2: outside and dropped
    double distance;
    double way[3]; // vertex - point
    double side;   // normal . way
    double cost;   // of leaving a tetrahedron
    int touching;  // outside: a contact, if no neighbour is better
    double material[3];
    double weight[3];
};

// One vertex of a against the volume of b.
typedef struct Search {
    const CondVolume* a;
    const CondVolume* b;
    const char* near_mesh; // vertices of b that are too near in the mesh; NULL: two bodies
    int vertex;            //
    int last;              // triangle of the last step, -1: none
    const double* p;       // the vertex
    double n[3];           // its normal, zero when unknown
    double tiny;           // [m]
    double material[3];    // the place in b at rest of the vertex inside
    double thickness;      // smallest height at rest of the tetrahedron around it [m]
} Search;

static int is_excluded(const Search* search, int width, const int* corner)
{
    for (int i = 0; i < width && search->near_mesh; i++)
        if (search->near_mesh[corner[i]])
            return 1;
    return 0;
}

static int is_usable(const Search* search, int t)
{
    const double* n = search->b->normal + 3 * (size_t)t;
    return (n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0) &&
           !is_excluded(search, 3, search->b->triangle + 3 * (size_t)t);
}

// Cosine between the normals of vertex and triangle; -1, face to face, for a vertex without.
static double facing(const Search* search, int t)
{
    const double* n = search->n;
    if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0)
        return -1.0;
    return vec3_dot(n, search->b->normal + 3 * (size_t)t);
}

// Cost of a way out of length d:  (1 + COND_TURNED_COST turned) d + 2 turned thickness, where
// `turned` grows from 0 for a triangle that faces the vertex (within 60 degrees) to 1 for one that
// looks the same way. The second term is for vertices on the rim of the other surface: they have no
// way at all to go sideways, and yet should leave through the face.
static double weighted(const Search* search, int t, double distance)
{
    double cosine = fmin(fmax(facing(search, t), -0.5), 1.0), turned = (cosine + 0.5) / 1.5;
    return (1.0 + COND_TURNED_COST * turned) * (distance + search->tiny) +
           2.0 * turned * search->thickness;
}

static double nearest_on(const double* x, const int* corner, const double p[3], double weight[3],
                         double point[3])
{
    return sqrt(triangle_nearest(p, x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                                 x + 3 * (size_t)corner[2], weight, point));
}

// Cost of leaving through triangle t, measured in the body at rest.
static double rest_cost(void* user, int t)
{
    const Search* search = user;
    double weight[3], point[3];
    if (!is_usable(search, t))
        return INFINITY;
    return weighted(search, t,
                    nearest_on(search->b->rest, search->b->triangle + 3 * (size_t)t,
                               search->material, weight, point));
}

// Cost of leaving through triangle t, measured now.
static double present_cost(const Search* search, int t)
{
    double weight[3], point[3];
    if (!is_usable(search, t))
        return INFINITY;
    return weighted(search, t,
                    nearest_on(search->b->position, search->b->triangle + 3 * (size_t)t, search->p,
                               weight, point));
}

// From triangle to neighbouring triangle (a shared corner is enough) as long as the cost falls.
static int walk_surface(const Search* search, int t)
{
    const CondVolume* b = search->b;
    double cost = present_cost(search, t);
    for (int from = -1; from != t;) {
        from = t;
        for (int c = 0; c < 3; c++) {
            int v = b->triangle[3 * (size_t)from + c];
            for (int k = b->fan_begin[v]; k < b->fan_begin[v + 1]; k++) {
                double other = present_cost(search, b->fan[k]);
                if (other < cost) {
                    cost = other;
                    t = b->fan[k];
                }
            }
        }
    }
    return t;
}

static void measure_triangle(const Search* search, int t, CondVolumeFound* found)
{
    double point[3];
    const double* n = search->b->normal + 3 * (size_t)t;
    found->triangle = t;
    found->distance = nearest_on(search->b->position, search->b->triangle + 3 * (size_t)t,
                                 search->p, found->weight, point);
    for (int i = 0; i < 3; i++)
        found->way[i] = search->p[i] - point[i];
    found->side = vec3_dot(n, found->way);
}

// 3 volume / largest face
double cond_volume_tet_height(const CondVolume* b, int tet)
{
    const double* x[4];
    double n[3], edge[3], largest = 0.0;
    for (int i = 0; i < 4; i++)
        x[i] = b->rest + 3 * (size_t)b->tet[4 * (size_t)tet + i];
    for (int i = 0; i < 4; i++) {
        triangle_area_vector(x[i], x[(i + 1) % 4], x[(i + 2) % 4], n);
        largest = fmax(largest, vec3_norm(n));
    }
    for (int i = 0; i < 3; i++)
        edge[i] = x[2][i] - x[3][i]; // n is now that of the face 3, 0, 1
    return largest > 0.0 ? fabs(vec3_dot(n, edge)) / largest : 0.0;
}

// The triangle through which the vertex leaves tetrahedron `tet`; 0 when there is none. The
// material point says which part of the surface is near through the body, the normals on which
// side of a thin layer, the last triangle settles what is nearly even.
static int leave_tet(Search* search, int tet, CondVolumeFound* found)
{
    const CondVolume* b = search->b;
    search->thickness = cond_volume_tet_height(b, tet);
    double cost = INFINITY;
    int t = cond_clusters_nearest(&b->triangles, b->rest_box, search->material, rest_cost, search,
                                  &cost);
    if (t < 0)
        return 0;
    t = walk_surface(search, t);
    if (search->last >= 0 && is_usable(search, search->last)) {
        int kept = walk_surface(search, search->last);
        double kept_cost = COND_KEPT_COST * rest_cost(search, kept);
        if (kept_cost <= cost) {
            t = kept;
            cost = kept_cost;
        }
    }
    measure_triangle(search, t, found);
    memcpy(found->material, search->material, sizeof found->material);
    found->tet = tet;
    found->cost = cost;
    return 1;
}

// Where a vertex inside `tet` lies at rest; 1 when another tetrahedron has said the same, as those
// do that share the face, edge or corner it lies on.
static int locate(Search* search, int tet, const double weight[4], const CondVolumeFound* found,
                  int n_found)
{
    const CondVolume* b = search->b;
    for (int i = 0; i < 3; i++) {
        search->material[i] = 0.0;
        for (int c = 0; c < 4; c++)
            search->material[i] += weight[c] * b->rest[3 * (size_t)b->tet[4 * (size_t)tet + c] + i];
    }
    for (int k = 0; k < n_found; k++) {
        double off = 0.0;
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(found[k].material[i] - search->material[i]));
        if (off <= search->tiny)
            return 1;
    }
    return 0;
}

static int share_corner(int n_a, const int* a, int n_b, const int* b)
{
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b; k++)
            if (a[i] == b[k])
                return 1;
    return 0;
}

static int are_neighbours(const CondVolume* b, const CondVolumeFound* x, const CondVolumeFound* y)
{
    if (share_corner(3, b->triangle + 3 * (size_t)x->triangle, 3,
                     b->triangle + 3 * (size_t)y->triangle))
        return 1;
    return x->tet >= 0 && y->tet >= 0 &&
           share_corner(4, b->tet + 4 * (size_t)x->tet, 4, b->tet + 4 * (size_t)y->tet);
}

static CondStatus reserve_found(CondVolumeRoom* room, int n)
{
    return cond_reserve(&room->context, &room->found, &room->cap_found, n, sizeof *room->found);
}

static void box_around(const double p[3], double reach, double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = p[i] - reach;
        box[3 + i] = p[i] + reach;
    }
}

// Fills found with one way out for each part of the body that holds the vertex; room->hits has
// the tetrahedra whose boxes it is in.
static CondStatus find_inside(Search* search, CondVolumeRoom* room, int* n_found)
{
    const CondVolume* b = search->b;
    const double* p = search->p;
    CondStatus status = COND_OK;
    for (int h = 0; h < room->hits.n && !status; h++) {
        int tet = room->hits.primitive[h];
        const int* corner = b->tet + 4 * (size_t)tet;
        const double* x = b->position;
        double weight[4];
        if (is_excluded(search, 4, corner) ||
            tetrahedron_weights(p, x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                                x + 3 * (size_t)corner[2], x + 3 * (size_t)corner[3], weight))
            continue;
        if (!(fmin(fmin(weight[0], weight[1]), fmin(weight[2], weight[3])) >= -COND_ROUNDING))
            continue;
        CondVolumeFound found = {0};
        if (locate(search, tet, weight, room->found, *n_found) || !leave_tet(search, tet, &found))
            continue;
        int same = 0;
        while (same < *n_found && !are_neighbours(b, &room->found[same], &found))
            same++;
        status = reserve_found(room, same + 1);
        if (status)
            break;
        CondVolumeFound* place = &room->found[same];
        if (same == *n_found)
            (*n_found)++;
        else if (place->cost < found.cost ||
                 (place->cost == found.cost && place->triangle <= found.triangle))
            continue;
        *place = found;
    }
    return status;
}

// Of two neighbouring triangles the one to keep: the nearer; on a shared edge the one that makes a
// contact, then the one that looks more at the vertex, so that the gap does not jump as the vertex
// crosses the edge, then that of the last step.
static int is_better(const Search* search, const CondVolumeFound* x, const CondVolumeFound* y)
{
    if (fabs(x->distance - y->distance) > search->tiny)
        return x->distance < y->distance;
    if (x->touching != y->touching)
        return x->touching;
    if (fabs(x->side - y->side) > search->tiny)
        return x->side > y->side;
    if ((x->triangle == search->last) != (y->triangle == search->last))
        return x->triangle == search->last;
    return x->triangle < y->triangle;
}

// 1 for triangles on either side of the vertex, as in a narrow fold of a shell: it keeps off both.
static int are_opposite(const Search* search, const CondVolumeFound* x, const CondVolumeFound* y)
{
    return search->b->n_front > 0 && vec3_dot(x->way, y->way) < 0.0;
}

// 1 when no neighbouring triangle is a better one.
static int is_local_best(const Search* search, const CondVolumeRoom* room,
                         const CondVolumeFound* found)
{
    const CondVolume* b = search->b;
    for (int c = 0; c < 3; c++) {
        int v = b->triangle[3 * (size_t)found->triangle + c];
        for (int k = b->fan_begin[v]; k < b->fan_begin[v + 1]; k++) {
            int place = room->place[b->fan[k]];
            if (place > 0 && is_better(search, &room->found[place - 1], found) &&
                !are_opposite(search, &room->found[place - 1], found))
                return 0;
        }
    }
    return 1;
}

// 1 when the vertex stands in front of the triangle, the two face each other, and, within one body,
// they have come nearer than they were made.
static int is_touching(const Search* search, const CondVolumeFound* found)
{
    // A shell is as thick around its rims and creases: there a vertex may stand anywhere.
    double least = search->b->n_front > 0 ? 0.0 : COND_ALIGNED * found->distance;
    if (!(found->side >= least - search->tiny) || !(facing(search, found->triangle) < -COND_BESIDE))
        return 0;
    if (!search->near_mesh)
        return 1;
    double weight[3], point[3];
    double apart = nearest_on(search->b->rest, search->b->triangle + 3 * (size_t)found->triangle,
                              search->a->rest + 3 * (size_t)search->vertex, weight, point);
    return found->distance <= 0.5 * apart;
}

// Appends to the n_inside ways out the triangles that the vertex hovers over: the local minima of
// the distance to the surface. room->hits has those whose boxes are within the margin.
static CondStatus find_outside(const Search* search, double margin, CondVolumeRoom* room,
                               int n_inside, int* n_found)
{
    CondStatus status = COND_OK;
    int n = n_inside;
    for (int h = 0; h < room->hits.n && !status; h++) {
        int t = room->hits.primitive[h];
        if (!is_usable(search, t))
            continue;
        CondVolumeFound found = {.tet = -1};
        measure_triangle(search, t, &found);
        if (!(found.distance <= margin))
            continue;
        status = reserve_found(room, n + 1);
        if (status)
            break;
        found.touching = is_touching(search, &found);
        room->found[n++] = found;
        room->place[t] = n;
    }
    // Which ones stay is settled before any is moved, because the places refer to all of them.
    for (int k = n_inside; k < n && !status; k++) {
        CondVolumeFound* found = &room->found[k];
        found->tet = found->touching && is_local_best(search, room, found) ? -1 : -2;
        for (int i = 0; i < n_inside; i++)
            if (are_neighbours(search->b, &room->found[i], found))
                found->tet = -2;
    }
    for (int k = n_inside; k < n; k++) {
        room->place[room->found[k].triangle] = 0;
        if (room->found[k].tet == -1)
            room->found[(*n_found)++] = room->found[k];
    }
    return status;
}

// On a shell: along the way from its nearest point.
static void turn_to_vertex(const Search* search, const CondVolumeFound* found,
                           CondVolumeContact* contact)
{
    const int* corner = search->b->triangle + 3 * (size_t)found->triangle;
    if (!(found->distance > search->tiny))
        return;
    contact->gap = found->distance;
    for (int i = 0; i < 3; i++) {
        double point = 0.0;
        for (int k = 0; k < 3; k++)
            point += found->weight[k] * search->b->position[3 * (size_t)corner[k] + i];
        contact->normal[i] = (search->p[i] - point) / found->distance;
    }
}

// Appends what was found for one vertex, by ascending triangle.
static CondStatus add_contacts(const Search* search, CondVolumeRoom* room, int n_found)
{
    if (n_found > 0 && cond_reserve(&room->context, &room->contact, &room->cap, room->n + n_found,
                                    sizeof *room->contact))
        return COND_OUT_OF_MEMORY;
    int begin = room->n;
    for (int k = 0; k < n_found; k++) {
        const CondVolumeFound* found = &room->found[k];
        CondVolumeContact contact = {.body = search->a ? search->a->body : -1,
                                     .vertex = search->vertex,
                                     .other = search->b->body,
                                     .triangle = found->triangle,
                                     .inside = found->tet >= 0,
                                     .gap = found->side};
        if (contact.inside) // beside a triangle of a tangled body the sign may be lost
            contact.gap = fmin(contact.gap, 0.0);
        memcpy(contact.weight, found->weight, sizeof contact.weight);
        memcpy(contact.normal, search->b->normal + 3 * (size_t)found->triangle,
               sizeof contact.normal);
        if (search->b->n_front > 0)
            turn_to_vertex(search, found, &contact);
        int place = room->n++;
        for (; place > begin && room->contact[place - 1].triangle > contact.triangle; place--)
            room->contact[place] = room->contact[place - 1];
        room->contact[place] = contact;
    }
    return COND_OK;
}

// 1 when one of the hits is not too near in the mesh.
static int any_usable(const Search* search, int width, const int* corner, const CondTreeHits* hits)
{
    for (int h = 0; h < hits->n; h++)
        if (!is_excluded(search, width, corner + (size_t)width * (size_t)hits->primitive[h]))
            return 1;
    return 0;
}

// 1 when one of the hits may turn out a touching triangle: it faces the vertex, which is not behind
// it and not too far in front. The normal of the vertex must be known.
static int any_facing(const Search* search, double margin, const CondTreeHits* hits)
{
    const CondVolume* b = search->b;
    double slack = 10.0 * search->tiny; // rounding of the height over the plane
    for (int h = 0; h < hits->n; h++) {
        int t = hits->primitive[h];
        if (!(facing(search, t) < -COND_BESIDE))
            continue;
        const double* n = b->normal + 3 * (size_t)t;
        const double* x = b->position + 3 * (size_t)b->triangle[3 * (size_t)t];
        double height = 0.0;
        for (int i = 0; i < 3; i++)
            height += n[i] * (search->p[i] - x[i]);
        if (height >= -slack && height <= margin + slack &&
            !is_excluded(search, 3, b->triangle + 3 * (size_t)t))
            return 1;
    }
    return 0;
}

CondStatus cond_volume_collide_vertex(const CondVolume* a, const CondVolume* b, int v, int last,
                                      double margin, CondVolumeRoom* room)
{
    Search search = {.a = a,
                     .b = b,
                     .near_mesh = a == b ? room->near_mesh : NULL,
                     .vertex = v,
                     .last = last < b->n_triangle ? last : -1,
                     .p = a->position + 3 * (size_t)v,
                     .tiny = COND_INPUT_ROUNDING * b->size};
    int n_found = 0, turned = 0;
    double box[6];
    box_around(search.p, search.tiny, box);
    CondStatus status = cond_near_query(&room->tets, box, &room->hits);
    if (!status && any_usable(&search, 4, b->tet, &room->hits)) {
        cond_volume_vertex_normal(a, v, search.n);
        turned = 1;
        status = find_inside(&search, room, &n_found);
    }
    if (status || margin == 0.0)
        return status ? status : add_contacts(&search, room, n_found);
    box_around(search.p, margin, box);
    status = cond_near_query(&room->triangles, box, &room->hits);
    if (!status && any_usable(&search, 3, b->triangle, &room->hits)) {
        if (!turned)
            cond_volume_vertex_normal(a, v, search.n);
        if (any_facing(&search, margin, &room->hits))
            status = find_outside(&search, margin, room, n_found, &n_found);
    }
    return status ? status : add_contacts(&search, room, n_found);
}

CondStatus cond_volume_collide_one(const CondVolume* b, const double p[3], const double n[3],
                                   double margin, int last, CondVolumeRoom* room)
{
    int n_found = 0;
    Search search = {.b = b,
                     .vertex = -1,
                     .last = last < b->n_triangle ? last : -1,
                     .p = p,
                     .n = {n[0], n[1], n[2]},
                     .tiny = COND_INPUT_ROUNDING * b->size};
    double box[6];
    box_around(p, search.tiny, box);
    CondStatus status = cond_clusters_query(&b->tets, b->position, box, &room->hits);
    if (!status)
        status = find_inside(&search, room, &n_found);
    box_around(p, margin, box);
    if (!status && margin > 0.0)
        status = cond_clusters_query(&b->triangles, b->position, box, &room->hits);
    if (!status && margin > 0.0)
        status = find_outside(&search, margin, room, n_found, &n_found);
    return status ? status : add_contacts(&search, room, n_found);
}
