// CondMesh: memory, surface and motion.
#include "cond/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh_build.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

CondStatus cond_mesh_create(const CondContext* context, int n_node, int n_tet, int n_triangle,
                            CondMesh** mesh, CondError* error)
{
    *mesh = NULL;
    if (n_node < 0 || n_tet < 0 || n_triangle < 0 || n_tet > INT_MAX / 4 ||
        n_triangle > INT_MAX / 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "a mesh of %d nodes, %d tetrahedra and %d triangles is not possible",
                              n_node, n_tet, n_triangle);
    CondContext from = cond_context_or_default(context);
    CondMesh* made = cond_allocate(&from, 1, sizeof *made);
    if (made) {
        made->context = from;
        made->n_node = n_node;
        made->n_tet = n_tet;
        made->n_triangle = n_triangle;
        made->node = cond_allocate(&from, (size_t)n_node, 3 * sizeof *made->node);
        made->tet = cond_allocate(&from, (size_t)n_tet, 4 * sizeof *made->tet);
        made->triangle = cond_allocate(&from, (size_t)n_triangle, 3 * sizeof *made->triangle);
    }
    if (!made || !made->node || !made->tet || !made->triangle) {
        cond_mesh_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a mesh of %d nodes",
                              n_node);
    }
    *mesh = made;
    return COND_OK;
}

void cond_mesh_destroy(CondMesh* mesh)
{
    if (!mesh)
        return;
    CondContext context = mesh->context;
    cond_release(&context, mesh->node);
    cond_release(&context, mesh->tet);
    cond_release(&context, mesh->triangle);
    cond_release(&context, mesh->middle);
    cond_release(&context, mesh);
}

int cond_mesh_key_same(const CondMeshKey* a, const CondMeshKey* b)
{
    return memcmp(a->node, b->node, sizeof a->node) == 0;
}

static int compare_key(const void* left, const void* right)
{
    const CondMeshKey *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->node[k] != b->node[k])
            return a->node[k] < b->node[k] ? -1 : 1;
    return (a->origin > b->origin) - (a->origin < b->origin);
}

void cond_mesh_key_sort(CondMeshKey* key, int n)
{
    qsort(key, (size_t)n, sizeof *key, compare_key);
}

static void swap_if_falling(int* a, int* b)
{
    if (*a > *b) {
        int kept = *a;
        *a = *b;
        *b = kept;
    }
}

CondMeshKey* cond_mesh_faces(const CondContext* context, const CondMesh* mesh)
{
    int n = 4 * mesh->n_tet;
    CondMeshKey* key = cond_allocate(context, (size_t)n, sizeof *key);
    if (!key)
        return NULL;
    for (int i = 0; i < n; i++) {
        int* node = key[i].node;
        for (int k = 0; k < 3; k++)
            node[k] = mesh->tet[4 * (i / 4) + cond_tet_face[i % 4][k]];
        swap_if_falling(&node[0], &node[1]);
        swap_if_falling(&node[1], &node[2]);
        swap_if_falling(&node[0], &node[1]);
        key[i].origin = i;
    }
    cond_mesh_key_sort(key, n);
    return key;
}

CondStatus cond_mesh_surface(CondMesh* mesh, CondError* error)
{
    CondContext context = cond_context_or_default(&mesh->context);
    int n = 4 * mesh->n_tet, n_triangle = 0;
    CondMeshKey* key = cond_mesh_faces(&context, mesh);
    unsigned char* outer = cond_allocate(&context, (size_t)n, 1); // 1: the face is on the surface
    int* triangle = NULL;
    if (key && outer) {
        for (int i = 0, next; i < n; i = next) {
            for (next = i + 1; next < n && cond_mesh_key_same(&key[i], &key[next]);)
                next++;
            if (next == i + 1) {
                outer[key[i].origin] = 1;
                n_triangle++;
            }
        }
        triangle = cond_allocate(&context, (size_t)n_triangle, 3 * sizeof *triangle);
    }
    if (triangle) {
        int* put = triangle;
        for (int i = 0; i < n; i++)
            for (int k = 0; outer[i] && k < 3; k++)
                *put++ = mesh->tet[4 * (i / 4) + cond_tet_face[i % 4][k]];
        cond_release(&context, mesh->triangle);
        mesh->triangle = triangle;
        mesh->n_triangle = n_triangle;
    }
    cond_release(&context, key);
    cond_release(&context, outer);
    if (!triangle)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for the surface of a mesh");
    return COND_OK;
}

double cond_tet_volume6(const double* node, const int tet[4], double* longest)
{
    double e[3][3], most = 0.0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[k][i] = node[3 * (size_t)tet[k + 1] + i] - node[3 * (size_t)tet[0] + i];
    for (int a = 0; longest && a < 4; a++) {
        for (int b = a + 1; b < 4; b++) {
            const double *p = node + 3 * (size_t)tet[a], *q = node + 3 * (size_t)tet[b];
            most = fmax(most, hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]));
        }
    }
    if (longest)
        *longest = most;
    return (e[0][1] * e[1][2] - e[0][2] * e[1][1]) * e[2][0] +
           (e[0][2] * e[1][0] - e[0][0] * e[1][2]) * e[2][1] +
           (e[0][0] * e[1][1] - e[0][1] * e[1][0]) * e[2][2];
}

static void swap_places(double* a, double* b)
{
    double kept[3];
    memcpy(kept, a, sizeof kept);
    memcpy(a, b, sizeof kept);
    memcpy(b, kept, sizeof kept);
}

CondStatus cond_mesh_orient(CondMesh* mesh, int* turned, CondError* error)
{
    *turned = 0;
    for (int i = 0; i < mesh->n_tet; i++) {
        int* tet = mesh->tet + 4 * i;
        if (cond_tet_volume6(mesh->node, tet, NULL) < 0.0) {
            int kept = tet[2];
            tet[2] = tet[3];
            tet[3] = kept;
            double* middle = mesh->middle ? mesh->middle + 18 * (size_t)i : NULL;
            if (middle) { // 12 and 13, 02 and 03
                swap_places(middle + 3, middle + 12);
                swap_places(middle + 6, middle + 9);
            }
            ++*turned;
        }
    }
    return mesh->n_tet ? cond_mesh_surface(mesh, error) : COND_OK;
}

// new_of[i] becomes the number of node i among the used ones, or -1; returns how many are used.
static int number_used(int n_node, const int* first, size_t n_first, const int* second,
                       size_t n_second, int* new_of)
{
    for (size_t i = 0; i < n_first; i++)
        new_of[first[i]] = 1;
    for (size_t i = 0; i < n_second; i++)
        new_of[second[i]] = 1;
    int n = 0;
    for (int i = 0; i < n_node; i++)
        new_of[i] = new_of[i] ? n++ : -1;
    return n;
}

CondStatus cond_mesh_boundary(const CondContext* context, const CondMesh* mesh, CondMesh** boundary,
                              CondError* error)
{
    CondContext from = cond_context_or_default(context);
    *boundary = NULL;
    int* new_of = cond_allocate(&from, (size_t)mesh->n_node, sizeof *new_of);
    if (!new_of)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for the surface of a mesh");
    size_t n_corner = 3 * (size_t)mesh->n_triangle;
    int n = number_used(mesh->n_node, mesh->triangle, n_corner, NULL, 0, new_of);
    CondStatus status = cond_mesh_create(&from, n, 0, mesh->n_triangle, boundary, error);
    if (status == COND_OK) {
        for (int i = 0; i < mesh->n_node; i++)
            if (new_of[i] >= 0)
                memcpy((*boundary)->node + 3 * (size_t)new_of[i], mesh->node + 3 * (size_t)i,
                       3 * sizeof *mesh->node);
        for (size_t i = 0; i < n_corner; i++)
            (*boundary)->triangle[i] = new_of[mesh->triangle[i]];
    }
    cond_release(&from, new_of);
    return status;
}

CondStatus cond_mesh_compact(CondMesh* mesh, CondError* error)
{
    CondContext context = cond_context_or_default(&mesh->context);
    int* new_of = cond_allocate(&context, (size_t)mesh->n_node, sizeof *new_of);
    if (!new_of)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to compact a mesh");
    size_t n_tet = 4 * (size_t)mesh->n_tet, n_triangle = 3 * (size_t)mesh->n_triangle;
    int n = number_used(mesh->n_node, mesh->tet, n_tet, mesh->triangle, n_triangle, new_of);
    for (int i = 0; i < mesh->n_node; i++)
        if (new_of[i] >= 0)
            memmove(mesh->node + 3 * (size_t)new_of[i], mesh->node + 3 * (size_t)i,
                    3 * sizeof *mesh->node);
    for (size_t i = 0; i < n_tet; i++)
        mesh->tet[i] = new_of[mesh->tet[i]];
    for (size_t i = 0; i < n_triangle; i++)
        mesh->triangle[i] = new_of[mesh->triangle[i]];
    mesh->n_node = n;
    cond_release(&context, new_of);
    return COND_OK;
}

CondStatus cond_mesh_transform(CondMesh* mesh, double scale, const double rotation[4],
                               const double translation[3], CondError* error)
{
    if (!(scale > 0.0) || isinf(scale))
        return cond_error_set(error, COND_BAD_ARGUMENT, "the scale %g of a mesh is not positive",
                              scale);
    double q[4] = {1.0, 0.0, 0.0, 0.0}, t[3] = {0.0, 0.0, 0.0};
    if (rotation)
        memcpy(q, rotation, sizeof q);
    if (translation)
        memcpy(t, translation, sizeof t);
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0.0) || isinf(norm) || !isfinite(t[0]) || !isfinite(t[1]) || !isfinite(t[2]))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "the rotation of a mesh is zero or its motion is not finite");
    double w = q[0] / norm, x = q[1] / norm, y = q[2] / norm, z = q[3] / norm;
    double R[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    int n_middle = mesh->middle ? 6 * mesh->n_tet : 0;
    for (int i = 0; i < mesh->n_node + n_middle; i++) {
        double* p = i < mesh->n_node ? mesh->node + 3 * (size_t)i
                                     : mesh->middle + 3 * (size_t)(i - mesh->n_node);
        double a = scale * p[0], b = scale * p[1], c = scale * p[2];
        for (int k = 0; k < 3; k++)
            p[k] = R[k][0] * a + R[k][1] * b + R[k][2] * c + t[k];
    }
    return COND_OK;
}
