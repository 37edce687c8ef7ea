// Domains of smoothed tetrahedra. With a sixth of the volume V_t of each tetrahedron to each of its
// edges, a domain has
//   V = sum_t V_t/6,   g_a = sum_t V_t/6 grad_t N_a / V,   F = sum_a x_a g_a' = sum_t V_t/6 F_t /
//   V,
// so constant strain stays exact, and the energy V psi(F) is that of an element with one point. F
// of a tetrahedron is no longer bound to be what its own corners give, which is what makes linear
// tetrahedra stiff in bending; no motion but that of a rigid body leaves all F as they are.
#include "model/fem_smoothed.h"

#include <string.h>

#include "math/vec3.h"
#include "model/fem_element.h"

// Nodes of a domain: those of the edge, then the others of its tetrahedra.
typedef struct Nodes {
    int n, node[COND_STRAIN_NODES];
} Nodes;

static int number_of(const Nodes* nodes, int node)
{
    int k = 0;
    while (k < nodes->n && nodes->node[k] != node)
        k++;
    return k;
}

// Adds the corners of a tetrahedron; 0, with the nodes as they were, where there is no room.
static int add_tet(Nodes* nodes, const int* corner)
{
    Nodes all = *nodes;
    for (int a = 0; a < 4; a++) {
        if (number_of(&all, corner[a]) < all.n)
            continue;
        if (all.n == COND_STRAIN_NODES)
            return 0;
        all.node[all.n++] = corner[a];
    }
    *nodes = all;
    return 1;
}

// Cuts the sorted edges into domains: one for each edge and material, more around an edge with many
// tetrahedra. begin NULL: they are only counted.
static void cut(const CondFemShape* shape, CondSmoothedPlan* plan, int* begin)
{
    Nodes nodes = {.n = 0};
    plan->n_domain = plan->n_corner = 0;
    for (int k = 0; k < 6 * shape->n_element; k++) {
        const CondIndexKey* key = &plan->key[k];
        const int* corner = shape->element + 4 * (size_t)(key->value / 6);
        int same = k > 0 && !cond_keys_differ(key, key - 1) && add_tet(&nodes, corner);
        if (!same) {
            if (begin)
                begin[plan->n_domain] = k;
            plan->n_domain++;
            nodes = (Nodes){2, {key->part[0], key->part[1]}};
            add_tet(&nodes, corner);
        }
        plan->n_corner = nodes.n > plan->n_corner ? nodes.n : plan->n_corner;
    }
    if (begin)
        begin[plan->n_domain] = 6 * shape->n_element;
}

CondStatus cond_smoothed_plan(const CondContext* context, const CondFemShape* shape,
                              const int* material_of_tet, CondSmoothedPlan* plan)
{
    memset(plan, 0, sizeof *plan);
    cond_arena_begin(context, &plan->arena);
    if (COND_RESERVE(&plan->arena, plan->key, 6 * shape->n_element))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < 6 * shape->n_element; k++) {
        const int* corner = shape->element + 4 * (size_t)(k / 6);
        int a = corner[cond_fem_edge[k % 6][0]], b = corner[cond_fem_edge[k % 6][1]];
        int material = material_of_tet ? material_of_tet[k / 6] : 0;
        plan->key[k] = (CondIndexKey){{a < b ? a : b, a < b ? b : a, material}, k};
    }
    cond_keys_sort(plan->key, 6 * shape->n_element);
    cut(shape, plan, NULL);
    if (COND_RESERVE(&plan->arena, plan->begin, plan->n_domain + 1)) {
        cond_smoothed_plan_destroy(plan);
        return COND_OUT_OF_MEMORY;
    }
    cut(shape, plan, plan->begin);
    return COND_OK;
}

void cond_smoothed_plan_destroy(CondSmoothedPlan* plan)
{
    cond_arena_release(&plan->arena);
    memset(plan, 0, sizeof *plan);
}

// Domain i: nodes, volume and gradients; what is left of its nodes repeats the first, with a
// gradient of zero.
static CondStatus fill_domain(const CondSmoothedPlan* plan, int i, CondFem* fem, CondError* error)
{
    int n = fem->n_corner, *element = fem->element + (size_t)n * i;
    double g[COND_STRAIN_NODES][3] = {{0.0}}, *gradient = fem->gradient + 3 * (size_t)(n - 1) * i;
    const CondIndexKey* first = &plan->key[plan->begin[i]];
    Nodes nodes = {2, {first->part[0], first->part[1]}};
    fem->volume[i] = 0.0;
    fem->material_of_element[i] = first->part[2];
    for (int k = plan->begin[i]; k < plan->begin[i + 1]; k++) {
        int tet = plan->key[k].value / 6;
        const int* corner = fem->tet + 4 * (size_t)tet;
        double of_tet[9], volume;
        CondStatus status = cond_fem_measure_tet(fem, tet, of_tet, &volume, error);
        if (status < 0)
            return status;
        add_tet(&nodes, corner);
        fem->volume[i] += volume / 6.0;
        for (int a = 1; a < 4; a++)
            for (int c = 0; c < 3; c++)
                g[number_of(&nodes, corner[a])][c] += volume / 6.0 * of_tet[3 * (a - 1) + c];
        for (int c = 0; c < 3; c++)
            g[number_of(&nodes, corner[0])][c] -=
                volume / 6.0 * (of_tet[c] + of_tet[3 + c] + of_tet[6 + c]);
    }
    for (int a = 0; a < n; a++) {
        element[a] = nodes.node[a < nodes.n ? a : 0];
        for (int c = 0; c < 3 && a > 0; c++)
            gradient[3 * (a - 1) + c] = g[a][c] / fem->volume[i];
    }
    return COND_OK;
}

CondStatus cond_smoothed_fill(const CondSmoothedPlan* plan, CondFem* fem, CondError* error)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < fem->n_element && !status; i++)
        status = fill_domain(plan, i, fem, error);
    return status;
}
