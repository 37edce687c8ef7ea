// The middles of the edges of a mesh, where it says or halfway. An edge gets its number where it
// stands among all edges of all tetrahedra, sorted by their nodes, so that the numbering depends on
// the mesh alone.
#include "mesh/mesh_quadratic.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh_build.h"

#include <limits.h>
#include <string.h>

static const int EDGE[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

void cond_mesh_quadratic_destroy(CondMeshQuadratic* quadratic)
{
    CondContext context = quadratic->context;
    cond_release(&context, quadratic->node);
    cond_release(&context, quadratic->element);
    memset(quadratic, 0, sizeof *quadratic);
}

static CondMeshKey* list_edges(const CondContext* context, const CondMesh* mesh)
{
    CondMeshKey* key = cond_allocate(context, 6 * (size_t)mesh->n_tet, sizeof *key);
    for (int k = 0; k < 6 * mesh->n_tet && key; k++) {
        const int* tet = mesh->tet + 4 * (size_t)(k / 6);
        int a = tet[EDGE[k % 6][0]], b = tet[EDGE[k % 6][1]];
        key[k] = (CondMeshKey){{a < b ? a : b, a < b ? b : a, 0}, k};
    }
    if (key)
        cond_mesh_key_sort(key, 6 * mesh->n_tet);
    return key;
}

CondStatus cond_mesh_quadratic_create(const CondContext* context, const CondMesh* mesh,
                                      CondMeshQuadratic* quadratic, CondError* error)
{
    memset(quadratic, 0, sizeof *quadratic);
    if (mesh->n_tet < 1 || mesh->n_tet > INT_MAX / 64)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "%d tetrahedra cannot be made quadratic (1 to %d)", mesh->n_tet,
                              INT_MAX / 64);
    int n = 6 * mesh->n_tet, n_edge = 0;
    quadratic->context = cond_context_or_default(context);
    quadratic->n_tet = mesh->n_tet;
    CondMeshKey* key = list_edges(&quadratic->context, mesh);
    for (int k = 0; k < n && key; k++)
        n_edge += k == 0 || !cond_mesh_key_same(&key[k - 1], &key[k]);
    size_t n_node = (size_t)mesh->n_node + (size_t)n_edge;
    quadratic->n_node = (int)n_node;
    quadratic->node = cond_allocate(&quadratic->context, 3 * n_node, sizeof *quadratic->node);
    quadratic->element =
        cond_allocate(&quadratic->context, 10 * (size_t)mesh->n_tet, sizeof *quadratic->element);
    if (!key || !quadratic->node || !quadratic->element) {
        cond_release(&quadratic->context, key);
        cond_mesh_quadratic_destroy(quadratic);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    memcpy(quadratic->node, mesh->node, 3 * (size_t)mesh->n_node * sizeof *mesh->node);
    for (int t = 0; t < mesh->n_tet; t++)
        memcpy(quadratic->element + 10 * (size_t)t, mesh->tet + 4 * (size_t)t, 4 * sizeof(int));
    for (int k = 0, node = mesh->n_node - 1; k < n; k++) {
        int is_new = k == 0 || !cond_mesh_key_same(&key[k - 1], &key[k]);
        node += is_new;
        const double* given = mesh->middle ? mesh->middle + 3 * (size_t)key[k].origin : NULL;
        for (int i = 0; i < 3 && is_new; i++)
            quadratic->node[3 * (size_t)node + i] =
                given ? given[i]
                      : 0.5 * (mesh->node[3 * (size_t)key[k].node[0] + i] +
                               mesh->node[3 * (size_t)key[k].node[1] + i]);
        quadratic->element[10 * (size_t)(key[k].origin / 6) + 4 + key[k].origin % 6] = node;
    }
    cond_release(&quadratic->context, key);
    return COND_OK;
}
