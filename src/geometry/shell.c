#include "geometry/shell.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/sort.h"
#include "geometry/triangle.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Every directed edge must occur once, and once the other way round; the two are neighbours.
static CondStatus find_neighbours(CondShell* shell, const int* face, CondError* error)
{
    int n = 3 * shell->n_face;
    CondIndexKey* key = cond_allocate(&shell->context, (size_t)n, sizeof *key);
    if (!key)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < n; k++) {
        int from = face[k], to = face[k - k % 3 + (k + 1) % 3];
        key[k] = (CondIndexKey){{from < to ? from : to, from < to ? to : from, 0}, k};
    }
    cond_keys_sort(key, n);
    CondStatus status = COND_OK;
    for (int k = 0; k < n && !status; k += 2) {
        int pair = k + 1 < n && !cond_keys_differ(&key[k], &key[k + 1]);
        int third = pair && k + 2 < n && !cond_keys_differ(&key[k], &key[k + 2]);
        int a = key[k].value, b = pair ? key[k + 1].value : a;
        // Both begin at the same vertex where they run the same way.
        if (!pair || third || face[a] == face[b])
            status = cond_error_set(error, COND_BAD_ARGUMENT,
                                    "the mesh is not closed and oriented at the edge of the "
                                    "vertices %d and %d",
                                    key[k].part[0], key[k].part[1]);
        shell->neighbour[a] = b / 3;
        shell->neighbour[b] = a / 3;
    }
    cond_release(&shell->context, key);
    return status;
}

// Copies the vertices in use and renumbers the faces.
static CondStatus copy_mesh(CondShell* shell, int n_vertex, const double* vertex, const int* face,
                            CondError* error)
{
    int* number = cond_allocate(&shell->context, (size_t)n_vertex, sizeof *number);
    if (!number)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 * shell->n_face && !status; k++) {
        if (face[k] < 0 || face[k] >= n_vertex)
            status = cond_error_set(error, COND_BAD_ARGUMENT, "face %d names vertex %d of %d",
                                    k / 3, face[k], n_vertex);
        else
            number[face[k]] = 1;
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int v = 0; v < n_vertex && !status; v++) {
        if (!number[v])
            continue;
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], vertex[3 * v + i]);
            high[i] = fmax(high[i], vertex[3 * v + i]);
            shell->vertex[3 * shell->n_vertex + i] = vertex[3 * v + i];
            if (!isfinite(vertex[3 * v + i]))
                status = cond_error_set(error, COND_BAD_ARGUMENT, "vertex %d is not finite", v);
        }
        number[v] = shell->n_vertex++;
    }
    for (int k = 0; k < 3 * shell->n_face && !status; k++)
        shell->face[k] = number[face[k]];
    double diagonal[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    shell->size = vec3_norm(diagonal);
    cond_release(&shell->context, number);
    return status;
}

// Turns all faces outward, by the sign of the enclosed volume about the first vertex.
static void turn_outward(CondShell* shell)
{
    double volume = 0.0, n[3], r[3];
    for (int f = 0; f < shell->n_face; f++) {
        const int* face = shell->face + 3 * f;
        const double* a = shell->vertex + 3 * face[0];
        triangle_area_vector(a, shell->vertex + 3 * face[1], shell->vertex + 3 * face[2], n);
        for (int i = 0; i < 3; i++)
            r[i] = a[i] - shell->vertex[i];
        volume += vec3_dot(r, n);
    }
    for (int f = 0; f < shell->n_face && volume < 0.0; f++) {
        int* face = shell->face + 3 * f;
        int* next = shell->neighbour + 3 * f;
        int second = face[1], first = next[0];
        face[1] = face[2];
        face[2] = second;
        next[0] = next[2];
        next[2] = first;
    }
}

static CondStatus make_planes(CondShell* shell, CondError* error)
{
    for (int f = 0; f < shell->n_face; f++) {
        const int* face = shell->face + 3 * f;
        double* plane = shell->plane + 4 * f;
        const double* a = shell->vertex + 3 * face[0];
        triangle_area_vector(a, shell->vertex + 3 * face[1], shell->vertex + 3 * face[2], plane);
        double area = vec3_norm(plane);
        if (!(area > 1e-14 * shell->size * shell->size))
            return cond_error_set(error, COND_BAD_ARGUMENT, "face %d has no area", f);
        for (int i = 0; i < 3; i++)
            plane[i] /= area;
        plane[3] = vec3_dot(plane, a);
    }
    return COND_OK;
}

// vertex_normal = sum over the faces around a vertex of (angle there) (normal), made a unit vector.
static void make_vertex_normals(CondShell* shell)
{
    for (int k = 0; k < 3 * shell->n_face; k++) {
        const int* face = shell->face + k - k % 3;
        const double* at = shell->vertex + 3 * face[k % 3];
        const double* next = shell->vertex + 3 * face[(k + 1) % 3];
        const double* last = shell->vertex + 3 * face[(k + 2) % 3];
        double a[3], b[3], c[3];
        for (int i = 0; i < 3; i++) {
            a[i] = next[i] - at[i];
            b[i] = last[i] - at[i];
        }
        vec3_cross(a, b, c);
        double angle = atan2(vec3_norm(c), vec3_dot(a, b));
        for (int i = 0; i < 3; i++)
            shell->vertex_normal[3 * face[k % 3] + i] += angle * shell->plane[4 * (k / 3) + i];
    }
    for (int v = 0; v < shell->n_vertex; v++) {
        double length = vec3_norm(shell->vertex_normal + 3 * v);
        for (int i = 0; i < 3 && length > 0.0; i++)
            shell->vertex_normal[3 * v + i] /= length;
    }
}

// fan: the directed edges by the vertex where they begin.
static void make_fans(CondShell* shell)
{
    int n = 3 * shell->n_face;
    for (int k = 0; k < n; k++)
        shell->fan_begin[shell->face[k]]++;
    for (int v = 0; v < shell->n_vertex; v++)
        shell->fan_begin[v + 1] += shell->fan_begin[v];
    // Now each entry is the end of its vertex's part; filling from behind moves it to the
    // beginning.
    for (int k = n - 1; k >= 0; k--)
        shell->fan[--shell->fan_begin[shell->face[k]]] = k;
    shell->fan_begin[shell->n_vertex] = n;
}

int cond_shell_is_corner(const CondShell* shell, int vertex)
{
    const double same = 1.0 - 1e-9; // cosine of normals that agree
    const double *first = NULL, *second = NULL;
    for (int k = shell->fan_begin[vertex]; k < shell->fan_begin[vertex + 1]; k++) {
        const double* n = shell->plane + 4 * (shell->fan[k] / 3);
        if (!first)
            first = n;
        else if (vec3_dot(first, n) > same)
            continue;
        else if (!second)
            second = n;
        else if (!(vec3_dot(second, n) > same))
            return 1;
    }
    return 0;
}

static CondStatus make_tree(CondShell* shell)
{
    double* box = cond_allocate(&shell->context, 6 * (size_t)shell->n_face, sizeof *box);
    if (!box)
        return COND_OUT_OF_MEMORY;
    for (int f = 0; f < shell->n_face; f++) {
        for (int i = 0; i < 3; i++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = shell->vertex[3 * shell->face[3 * f + k] + i];
            box[6 * f + i] = fmin(x[0], fmin(x[1], x[2]));
            box[6 * f + 3 + i] = fmax(x[0], fmax(x[1], x[2]));
        }
    }
    CondStatus status = cond_tree_build(&shell->tree, shell->n_face, box);
    cond_release(&shell->context, box);
    return status;
}

CondStatus cond_shell_create(const CondContext* context, int n_vertex, const double* vertex,
                             int n_face, const int* face, CondShell** out, CondError* error)
{
    *out = NULL;
    if (n_vertex < 4 || n_face < 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "a solid needs 4 vertices and 4 faces, not %d and %d", n_vertex,
                              n_face);
    CondContext own = cond_context_or_default(context);
    CondShell* shell = cond_allocate(&own, 1, sizeof *shell);
    if (!shell)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    shell->context = own;
    shell->n_face = n_face;
    cond_tree_begin(&own, &shell->tree);
    shell->vertex = cond_allocate(&own, (size_t)n_vertex, 3 * sizeof(double));
    shell->vertex_normal = cond_allocate(&own, (size_t)n_vertex, 3 * sizeof(double));
    shell->face = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    shell->neighbour = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    shell->plane = cond_allocate(&own, (size_t)n_face, 4 * sizeof(double));
    shell->fan_begin = cond_allocate(&own, (size_t)n_vertex + 1, sizeof(int));
    shell->fan = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    CondStatus status = COND_OK;
    if (!shell->vertex || !shell->vertex_normal || !shell->face || !shell->neighbour ||
        !shell->plane || !shell->fan_begin || !shell->fan)
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status)
        status = copy_mesh(shell, n_vertex, vertex, face, error);
    if (!status)
        status = find_neighbours(shell, face, error);
    if (!status) {
        turn_outward(shell);
        status = make_planes(shell, error);
    }
    if (!status) {
        make_vertex_normals(shell);
        make_fans(shell);
        status = make_tree(shell);
        if (!status)
            status = cond_polyhedron_make(shell, &shell->poly);
        if (status)
            cond_error_set(error, status, "out of memory");
    }
    if (status)
        cond_shell_destroy(shell);
    else
        *out = shell;
    return status;
}

void cond_shell_destroy(CondShell* shell)
{
    if (!shell)
        return;
    CondContext own = shell->context;
    cond_tree_end(&shell->tree);
    cond_polyhedron_end(&own, &shell->poly);
    void* arrays[] = {shell->vertex, shell->vertex_normal, shell->face, shell->neighbour,
                      shell->plane,  shell->fan_begin,     shell->fan,  shell};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&own, arrays[i]);
}

CondStatus cond_shell_shift(CondShell* shell, const double shift[3])
{
    for (int k = 0; k < 3 * shell->n_vertex; k++)
        shell->vertex[k] += shift[k % 3];
    for (int f = 0; f < shell->n_face; f++)
        shell->plane[4 * f + 3] += vec3_dot(shell->plane + 4 * f, shift);
    for (int f = 0; f < shell->poly.n_face; f++)
        shell->poly.plane[4 * f + 3] += vec3_dot(shell->poly.plane + 4 * f, shift);
    return make_tree(shell);
}

// ---- distance

typedef struct Query {
    const CondShell* shell;
    const double* x;
} Query;

static double face_distance2(const Query* query, int f, double weight[3], double point[3])
{
    const CondShell* shell = query->shell;
    const int* corner = shell->face + 3 * f;
    return triangle_nearest(query->x, shell->vertex + 3 * corner[0], shell->vertex + 3 * corner[1],
                            shell->vertex + 3 * corner[2], weight, point);
}

static double face_distance(void* user, int f)
{
    double weight[3], point[3];
    return sqrt(face_distance2(user, f, weight, point));
}

double cond_shell_face_distance(const CondShell* shell, int face, const double x[3])
{
    Query query = {shell, x};
    return face_distance(&query, face);
}

// The outward normal at a point of a face with these weights.
static void normal_at(const CondShell* shell, int f, const double weight[3], double normal[3])
{
    const double small = 1e-12;
    const double* plane = shell->plane + 4 * f;
    memcpy(normal, plane, 3 * sizeof *normal);
    for (int k = 0; k < 3; k++) {
        if (weight[k] >= 1.0 - small) {
            memcpy(normal, shell->vertex_normal + 3 * shell->face[3 * f + k], 3 * sizeof *normal);
            return;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (weight[k] > small)
            continue;
        // Opposite to corner k lies the edge that begins at corner k + 1.
        const double* other = shell->plane + 4 * shell->neighbour[3 * f + (k + 1) % 3];
        double sum[3], length;
        for (int i = 0; i < 3; i++)
            sum[i] = plane[i] + other[i];
        length = vec3_norm(sum);
        for (int i = 0; i < 3 && length > small; i++)
            normal[i] = sum[i] / length;
        return;
    }
}

void cond_shell_nearest(const CondShell* shell, const double x[3], CondShellPoint* nearest)
{
    Query query = {shell, x};
    double weight[3], pseudo[3], distance = INFINITY;
    int f = cond_tree_nearest(&shell->tree, x, face_distance, &query, &distance);
    nearest->face = f > 0 ? f : 0;
    distance = sqrt(face_distance2(&query, nearest->face, weight, nearest->point));
    normal_at(shell, nearest->face, weight, pseudo);
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - nearest->point[i];
    double sign = vec3_dot(d, pseudo) < 0.0 ? -1.0 : 1.0;
    nearest->gap = sign * distance;
    memcpy(nearest->normal, pseudo, sizeof pseudo);
    // So near the surface the direction to it is lost in rounding.
    for (int i = 0; i < 3 && distance > 1e-10 * shell->size; i++)
        nearest->normal[i] = sign * d[i] / distance;
}
