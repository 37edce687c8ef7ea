// The triangles of a picture: those of the scenery, the outside of its tetrahedra, spheres for its
// dots, arrows for its forces.
#include "geometry/sort.h"
#include "math/vec3.h"
#include "record/light.h"
#include "record/picture.h"

#include <math.h>
#include <string.h>

enum { RINGS = 4, SECTORS = 8, DOT_POINTS = 2 + RINGS * SECTORS }; // of the sphere of a dot
enum { SIDES = 6, ARROW_POINTS = 3 * SIDES + 1, ARROW_TRIANGLES = 3 * SIDES };

void cond_picture_linear(int colour, float rgb[3])
{
    for (int i = 0; i < 3; i++) {
        double s = (colour >> (16 - 8 * i) & 255) / 255.0;
        rgb[i] = (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
    }
}

// As in the viewer: robots are light, what stands is grey, the rest takes turns.
void cond_picture_body_colour(int body, int is_robot, float rgb[3])
{
    static const int palette[] = {0x4c8fd6, 0xe8894a, 0x5fb878, 0xb781d1,
                                  0xe0b23c, 0xd9657a, 0x49b3b8, 0x9a8f7d};
    int colour = 0x9aa3ad;
    if (body >= 0)
        colour = is_robot ? 0xeef0f2 : palette[body % (int)(sizeof palette / sizeof *palette)];
    cond_picture_linear(colour, rgb);
}

static void body_colour(const CondScenery* scenery, int body, float rgb[3])
{
    cond_picture_body_colour(body, body >= 0 && strcmp(scenery->kind[body], "robot") == 0, rgb);
}

static CondStatus add_vertex(CondPicture* picture, int point, const float offset[3])
{
    CondPictureMesh* mesh = &picture->mesh;
    int k = mesh->n_vertex;
    if (COND_RESERVE(&picture->arena, mesh->point, k + 1) ||
        COND_RESERVE(&picture->arena, mesh->offset, 3 * (k + 1)))
        return COND_OUT_OF_MEMORY;
    mesh->point[k] = point;
    memcpy(mesh->offset + 3 * k, offset, 3 * sizeof *offset);
    mesh->n_vertex++;
    return COND_OK;
}

static CondStatus add_triangle(CondPicture* picture, int a, int b, int c, const float colour[3])
{
    CondPictureMesh* mesh = &picture->mesh;
    int k = mesh->n_triangle;
    if (COND_RESERVE(&picture->arena, mesh->corner, 3 * (k + 1)) ||
        COND_RESERVE(&picture->arena, mesh->colour, 3 * (k + 1)))
        return COND_OUT_OF_MEMORY;
    memcpy(mesh->corner + 3 * k, (int[3]){a, b, c}, 3 * sizeof(int));
    memcpy(mesh->colour + 3 * k, colour, 3 * sizeof *colour);
    mesh->n_triangle++;
    return COND_OK;
}

// A sphere around a point; offsets are in units of its radius.
static CondStatus add_dot(CondPicture* picture, int point, const float colour[3])
{
    int first = picture->mesh.n_vertex;
    CondStatus status = COND_OK;
    for (int k = 0; k < DOT_POINTS && !status; k++) {
        double pole = acos(-1.0) *
                      (k == 0                ? 0
                       : k == DOT_POINTS - 1 ? RINGS + 1
                                             : 1 + (k - 1) / SECTORS) /
                      (RINGS + 1);
        double turn = 2.0 * acos(-1.0) * ((k - 1) % SECTORS) / SECTORS;
        float at[3] = {(float)(sin(pole) * cos(turn)), (float)(sin(pole) * sin(turn)),
                       (float)cos(pole)};
        status = add_vertex(picture, point, at);
    }
    for (int ring = 0; ring <= RINGS; ring++)
        for (int s = 0; s < SECTORS && !status; s++) {
            int next = (s + 1) % SECTORS, last = first + DOT_POINTS - 1;
            int upper = first + 1 + (ring - 1) * SECTORS, lower = upper + SECTORS;
            if (ring > 0)
                status = add_triangle(picture, upper + s, ring < RINGS ? lower + s : last,
                                      upper + next, colour);
            if (ring < RINGS && !status)
                status = add_triangle(picture, ring > 0 ? upper + next : first, lower + s,
                                      lower + next, colour);
        }
    return status;
}

static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}; // outward

// Faces of tetrahedra that occur once are outside.
static CondStatus add_outside(CondPicture* picture, const CondScenery* scenery, int n_face,
                              CondIndexKey* key)
{
    CondStatus status = COND_OK;
    cond_keys_sort(key, n_face);
    for (int k = 0; k < n_face && !status; k++) {
        if (k + 1 < n_face && !cond_keys_differ(&key[k], &key[k + 1])) {
            k++;
            continue;
        }
        int cell = key[k].value / 4;
        const int* f = face[key[k].value % 4];
        const int* p = scenery->corner + scenery->corner_end[cell] - 4;
        float colour[3];
        body_colour(scenery, scenery->body[cell], colour);
        status = add_triangle(picture, p[f[0]], p[f[1]], p[f[2]], colour);
    }
    return status;
}

static CondStatus add_soft(CondPicture* picture, const CondScenery* scenery)
{
    CondIndexKey* key = NULL;
    int n = 0;
    for (int c = 0; c < scenery->n_cell; c++)
        n += 4 * (scenery->type[c] == COND_CELL_TETRAHEDRON);
    if (n == 0)
        return COND_OK;
    key = cond_arena_allocate(&picture->arena, (size_t)n, sizeof *key);
    if (!key)
        return COND_OUT_OF_MEMORY;
    n = 0;
    for (int c = 0; c < scenery->n_cell; c++) {
        const int* p = scenery->corner + scenery->corner_end[c] - 4;
        for (int f = 0; f < 4 && scenery->type[c] == COND_CELL_TETRAHEDRON; f++, n++) {
            int a = p[face[f][0]], b = p[face[f][1]], d = p[face[f][2]];
            int low = a < b ? a : b, high = a < b ? b : a;
            int least = d < low ? d : low, most = d > high ? d : high;
            key[n] = (CondIndexKey){{least, a + b + d - least - most, most}, 4 * c + f};
        }
    }
    CondStatus status = add_outside(picture, scenery, n, key);
    cond_arena_drop(&picture->arena, key);
    return status;
}

// What touches of a link that is seen otherwise is not drawn, and planes are drawn as floors.
static int is_seen(const CondScenery* scenery, int cell)
{
    return scenery->body[cell] != COND_DRAWN_PLANE &&
           !(scenery->colour && scenery->colour[cell] == COND_COLOUR_HIDDEN);
}

static CondStatus add_cells(CondPicture* picture, const CondScenery* scenery)
{
    CondStatus status = COND_OK;
    for (int c = 0; c < scenery->n_cell && !status; c++) {
        int begin = c > 0 ? scenery->corner_end[c - 1] : 0;
        const int* p = scenery->corner + begin;
        float colour[3];
        if (!is_seen(scenery, c))
            continue;
        body_colour(scenery, scenery->body[c], colour);
        if (scenery->colour && scenery->colour[c] >= 0)
            cond_picture_linear(scenery->colour[c], colour);
        if (scenery->type[c] == COND_CELL_TRIANGLE)
            status = add_triangle(picture, p[0], p[1], p[2], colour);
        else if (scenery->type[c] == COND_CELL_VERTEX)
            status = add_dot(picture, p[0], colour);
    }
    return status;
}

CondStatus cond_picture_mesh_create(CondPicture* picture, const CondScenery* scenery)
{
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    CondStatus status = COND_OK;
    // At first every point is a vertex of its own number.
    for (int p = 0; p < scenery->plane_begin && !status; p++)
        status = add_vertex(picture, p, none);
    if (!status)
        status = add_cells(picture, scenery);
    if (!status)
        status = add_soft(picture, scenery);
    picture->mesh.n_fixed = picture->mesh.n_triangle;
    picture->mesh.n_fixed_vertex = picture->mesh.n_vertex;
    return status;
}

// Triangles around every vertex: fan[begin[v]] .. fan[begin[v + 1] - 1], as 3 triangle + corner.
static void make_fans(const CondPictureMesh* mesh, int* begin, int* fan)
{
    for (int k = 0; k < 3 * mesh->n_triangle; k++)
        begin[mesh->corner[k] + 1]++;
    for (int v = 0; v < mesh->n_vertex; v++)
        begin[v + 1] += begin[v];
    for (int k = 3 * mesh->n_triangle - 1; k >= 0; k--) // backwards: the fans are in order
        fan[--begin[mesh->corner[k] + 1]] = k;
    // Filling moved every end back to its begin: entry v + 1 is the begin of fan v.
    memmove(begin, begin + 1, (size_t)mesh->n_vertex * sizeof *begin);
    begin[mesh->n_vertex] = 3 * mesh->n_triangle;
}

// Parts of a fan whose normals differ by less than the sharp angle from one to the next; the first
// keeps the vertex, the others get one each.
static CondStatus split_fan(CondPicture* picture, int vertex, int n, const int* fan,
                            const double* normal, int* part)
{
    const double limit = cos(40.0 * acos(-1.0) / 180.0);
    CondPictureMesh* mesh = &picture->mesh;
    int n_part = 0;
    for (int i = 0; i < n; i++)
        part[i] = -1;
    for (int seed = 0; seed < n; seed++) {
        if (part[seed] >= 0)
            continue;
        part[seed] = n_part;
        for (int grown = 1; grown;) {
            grown = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n && part[i] == n_part; j++)
                    if (part[j] < 0 &&
                        vec3_dot(normal + 3 * (fan[i] / 3), normal + 3 * (fan[j] / 3)) >= limit)
                        part[j] = n_part, grown = 1;
        }
        n_part++;
    }
    for (int k = 1, first = mesh->n_vertex; k < n_part; k++) {
        float offset[3];
        memcpy(offset, mesh->offset + 3 * vertex, sizeof offset);
        if (add_vertex(picture, mesh->point[vertex], offset))
            return COND_OUT_OF_MEMORY;
        for (int i = 0; i < n; i++)
            if (part[i] == k)
                mesh->corner[fan[i]] = first + k - 1;
    }
    return COND_OK;
}

static void triangle_normal(const CondPictureMesh* mesh, int t, double n[3])
{
    double u[3], v[3];
    const int* c = mesh->corner + 3 * t;
    for (int i = 0; i < 3; i++) {
        u[i] = mesh->position[3 * c[1] + i] - mesh->position[3 * c[0] + i];
        v[i] = mesh->position[3 * c[2] + i] - mesh->position[3 * c[0] + i];
    }
    vec3_cross(u, v, n);
}

static CondStatus place_vertices(CondPicture* picture, const double* position)
{
    CondPictureMesh* mesh = &picture->mesh;
    if (COND_RESERVE(&picture->arena, mesh->position, 3 * mesh->n_vertex) ||
        COND_RESERVE(&picture->arena, mesh->normal, 3 * mesh->n_vertex))
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < mesh->n_fixed_vertex; v++)
        for (int i = 0; i < 3; i++)
            mesh->position[3 * v + i] = position[3 * (size_t)mesh->point[v] + (size_t)i] +
                                        mesh->dot * mesh->offset[3 * v + i];
    return COND_OK;
}

CondStatus cond_picture_mesh_split(CondPicture* picture, const double* position)
{
    CondPictureMesh* mesh = &picture->mesh;
    CondArena* m = &picture->arena;
    size_t n = (size_t)mesh->n_triangle;
    int n_vertex = mesh->n_vertex, largest = 0;
    mesh->n_fixed_vertex = n_vertex; // more than at first where memory was short once
    mesh->dot = COND_PICTURE_DOT * picture->size;
    CondStatus status = place_vertices(picture, position);
    int* begin = cond_arena_allocate(m, (size_t)n_vertex + 2, sizeof *begin);
    int* fan = cond_arena_allocate(m, 3 * n + 1, sizeof *fan);
    double* normal = cond_arena_allocate(m, 3 * n + 1, sizeof *normal);
    if (!begin || !fan || !normal)
        status = COND_OUT_OF_MEMORY;
    for (size_t t = 0; t < n && !status; t++) {
        double* w = normal + 3 * t;
        triangle_normal(mesh, (int)t, w);
        double length = vec3_norm(w);
        for (int i = 0; i < 3; i++)
            w[i] = length > 0.0 ? w[i] / length : 0.0;
    }
    if (!status)
        make_fans(mesh, begin, fan);
    for (int v = 0; v < n_vertex && !status; v++)
        largest = begin[v + 1] - begin[v] > largest ? begin[v + 1] - begin[v] : largest;
    int* part = cond_arena_allocate(m, (size_t)largest + 1, sizeof *part);
    status = part ? status : COND_OUT_OF_MEMORY;
    for (int v = 0; v < n_vertex && !status; v++)
        status = split_fan(picture, v, begin[v + 1] - begin[v], fan + begin[v], normal, part);
    cond_arena_drop(m, part), cond_arena_drop(m, normal);
    cond_arena_drop(m, fan), cond_arena_drop(m, begin);
    mesh->n_fixed_vertex = mesh->n_vertex;
    return status;
}

// Shaft, head and the ring between them, from a point along a force.
static CondStatus add_arrow(CondPicture* picture, const double from[3], const double force[3],
                            const float colour[3])
{
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    CondPictureMesh* mesh = &picture->mesh;
    double norm = vec3_norm(force), length = picture->def.force_length * norm;
    double radius = 0.0035 * picture->size, head = fmin(0.45 * length, 5.0 * radius), R[9], n[3];
    double hint[3] = {1.0, 0.0, 0.0};
    int first = mesh->n_vertex;
    if (!(length > 0.0) || !isfinite(length))
        return COND_OK;
    for (int k = 0; k < ARROW_POINTS; k++)
        if (add_vertex(picture, 0, none))
            return COND_OUT_OF_MEMORY;
    if (COND_RESERVE(&picture->arena, mesh->position, 3 * mesh->n_vertex) ||
        COND_RESERVE(&picture->arena, mesh->normal, 3 * mesh->n_vertex))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < 3; i++)
        n[i] = force[i] / norm;
    mat3_frame(n, hint, R);
    for (int k = 0; k < ARROW_POINTS; k++) {
        int ring = k / SIDES; // begin and end of the shaft, of the head, its point
        double turn = 2.0 * acos(-1.0) * (k % SIDES) / SIDES;
        double r = ring == 3 ? 0.0 : ring == 2 ? 2.2 * radius : radius;
        double z = ring == 0 ? 0.0 : ring == 3 ? length : length - head;
        for (int i = 0; i < 3; i++)
            mesh->position[3 * (first + k) + i] =
                from[i] + z * R[i] + r * (cos(turn) * R[3 + i] + sin(turn) * R[6 + i]);
    }
    CondStatus status = COND_OK;
    for (int k = 0; k < SIDES && !status; k++) {
        int next = (k + 1) % SIDES, a = first + k, b = first + next;
        status = add_triangle(picture, a, b, a + SIDES, colour);
        if (!status)
            status = add_triangle(picture, b, b + SIDES, a + SIDES, colour);
        if (!status)
            status = add_triangle(picture, a + 2 * SIDES, b + 2 * SIDES, first + 3 * SIDES, colour);
    }
    return status;
}

CondStatus cond_picture_mesh_move(CondPicture* picture, const CondMoment* moment)
{
    CondPictureMesh* mesh = &picture->mesh;
    float red[3];
    mesh->n_vertex = mesh->n_fixed_vertex;
    mesh->n_triangle = mesh->n_fixed;
    CondStatus status = place_vertices(picture, moment->position);
    cond_picture_linear(0xd1242f, red);
    for (int k = 0; k < moment->n_contact && !status && picture->def.force_length > 0.0; k++)
        status = add_arrow(picture, moment->contact_position + 3 * k, moment->contact_force + 3 * k,
                           red);
    if (status)
        return status;
    memset(mesh->normal, 0, 3 * (size_t)mesh->n_vertex * sizeof *mesh->normal);
    for (int t = 0; t < mesh->n_triangle; t++) { // by their areas
        double n[3];
        triangle_normal(mesh, t, n);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                mesh->normal[3 * mesh->corner[3 * t + k] + i] += n[i];
    }
    for (int v = 0; v < mesh->n_vertex; v++) {
        double* n = mesh->normal + 3 * v;
        double length = vec3_norm(n);
        for (int i = 0; i < 3 && length > 0.0; i++)
            n[i] /= length;
    }
    return COND_OK;
}
