// Elastic bodies of linear tetrahedra: building, checking, mass.
#include "model/fem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/strain.h"

// A tetrahedron whose volume is below this part of its longest edge cubed is called flat: its
// shape gradients would have lost most of their digits.
static const double FLAT = 1e-9;

CondFemMaterial cond_fem_material_default(void)
{
    CondFemMaterial material = {COND_FEM_COROTATIONAL, 1e6, 0.4, 1000.0, 0.0, 0.0};
    return material;
}

CondStatus cond_fem_material_check(const CondFemMaterial* material, CondError* error)
{
    if ((unsigned)material->kind >= COND_FEM_MATERIAL_KINDS)
        return cond_error_set(error, COND_BAD_ARGUMENT, "material: unknown kind %d",
                              (int)material->kind);
    if (!(material->youngs_modulus > 0.0) || !isfinite(material->youngs_modulus))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: youngs_modulus %g Pa must be positive",
                              material->youngs_modulus);
    if (!(material->poisson_ratio > -1.0 && material->poisson_ratio < 0.5))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: poisson_ratio %g must lie between -1 and 0.5",
                              material->poisson_ratio);
    if (!(material->density > 0.0) || !isfinite(material->density))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: density %g kg/m3 must be positive", material->density);
    if (!(material->mass_damping >= 0.0) || !isfinite(material->mass_damping))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: mass_damping %g 1/s must not be negative",
                              material->mass_damping);
    if (!(material->stiffness_damping >= 0.0) || !isfinite(material->stiffness_damping))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: stiffness_damping %g s must not be negative",
                              material->stiffness_damping);
    return COND_OK;
}

static CondStatus check_arrays(int n_node, const double* node, int n_tet, const int* tet,
                               int n_material, const CondFemMaterial* material,
                               const int* material_of_tet, CondError* error)
{
    // 16 blocks per tetrahedron have to be counted in int.
    if (n_node < 4 || n_tet < 1 || n_material < 1 || n_tet > INT_MAX / 32 || n_node > INT_MAX / 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "elastic body: %d nodes, %d tetrahedra, %d materials", n_node, n_tet,
                              n_material);
    for (int i = 0; i < n_material; i++) {
        CondStatus status = cond_fem_material_check(material + i, error);
        if (status < 0)
            return status;
    }
    for (int i = 0; i < n_node; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(node[3 * (size_t)i + k]))
                return cond_error_set(error, COND_BAD_ARGUMENT, "node %d is not finite", i);
    for (int i = 0; i < n_tet; i++) {
        for (int a = 0; a < 4; a++)
            if (tet[4 * i + a] < 0 || tet[4 * i + a] >= n_node)
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "tetrahedron %d: corner %d is node %d of %d", i, a,
                                      tet[4 * i + a], n_node);
        if (material_of_tet && (material_of_tet[i] < 0 || material_of_tet[i] >= n_material))
            return cond_error_set(error, COND_BAD_ARGUMENT, "tetrahedron %d: material %d of %d", i,
                                  material_of_tet[i], n_material);
    }
    return COND_OK;
}

static CondStatus allocate_arrays(CondFem* fem)
{
    CondArena* m = &fem->arena;
    size_t n_node = (size_t)fem->n_node, n_tet = (size_t)fem->n_tet;
    size_t n_material = (size_t)fem->n_material;
    fem->rest = cond_arena_allocate(m, 3 * n_node, sizeof *fem->rest);
    fem->tet = cond_arena_allocate(m, 4 * n_tet, sizeof *fem->tet);
    fem->material_of_tet = cond_arena_allocate(m, n_tet, sizeof *fem->material_of_tet);
    fem->material = cond_arena_allocate(m, n_material, sizeof *fem->material);
    fem->moduli = cond_arena_allocate(m, n_material, sizeof *fem->moduli);
    fem->gradient = cond_arena_allocate(m, 9 * n_tet, sizeof *fem->gradient);
    fem->volume = cond_arena_allocate(m, n_tet, sizeof *fem->volume);
    fem->mass = cond_arena_allocate(m, n_node, sizeof *fem->mass);
    fem->mass_damping = cond_arena_allocate(m, n_node, sizeof *fem->mass_damping);
    fem->place = cond_arena_allocate(m, 16 * n_tet, sizeof *fem->place);
    fem->order = cond_arena_allocate(m, n_node, sizeof *fem->order);
    fem->rank = cond_arena_allocate(m, n_node, sizeof *fem->rank);
    int complete = fem->rest && fem->tet && fem->material_of_tet && fem->material && fem->moduli &&
                   fem->gradient && fem->volume && fem->mass && fem->mass_damping && fem->place &&
                   fem->order && fem->rank;
    return complete ? COND_OK : COND_OUT_OF_MEMORY;
}

// Volume and Dm^-1 of one tetrahedron, Dm = [x1 - x0, x2 - x0, x3 - x0]. The rows of the inverse
// are cross products of the columns over the determinant: (c2 x c3, c3 x c1, c1 x c2)/det.
static CondStatus measure_tet(CondFem* fem, int i_tet, CondError* error)
{
    const int* corner = fem->tet + 4 * (size_t)i_tet;
    double* g = fem->gradient + 9 * (size_t)i_tet;
    double c[3][3], longest2 = 0.0;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) {
            double d[3];
            for (int k = 0; k < 3; k++)
                d[k] = fem->rest[3 * (size_t)corner[b] + k] - fem->rest[3 * (size_t)corner[a] + k];
            longest2 = fmax(longest2, vec3_dot(d, d));
            if (a == 0)
                memcpy(c[b - 1], d, sizeof d);
        }
    for (int a = 0; a < 3; a++)
        vec3_cross(c[(a + 1) % 3], c[(a + 2) % 3], g + 3 * a);
    double det = vec3_dot(c[0], g), volume = det / 6.0;
    double flat = FLAT * longest2 * sqrt(longest2);
    if (!(fabs(volume) > flat))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "tetrahedron %d is flat: volume %g m3, longest edge %g m", i_tet,
                              volume, sqrt(longest2));
    if (volume < 0.0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "tetrahedron %d is inverted: volume %g m3 (swap two corners)", i_tet,
                              volume);
    for (int k = 0; k < 9; k++)
        g[k] /= det;
    fem->volume[i_tet] = volume;
    return COND_OK;
}

// Volumes, gradients, and a quarter of each element's mass on each of its corners.
static CondStatus measure(CondFem* fem, CondError* error)
{
    for (int i = 0; i < fem->n_tet; i++) {
        CondStatus status = measure_tet(fem, i, error);
        if (status < 0)
            return status;
        const CondFemMaterial* material = fem->material + fem->material_of_tet[i];
        double quarter = 0.25 * material->density * fem->volume[i];
        for (int a = 0; a < 4; a++) {
            fem->mass[fem->tet[4 * (size_t)i + a]] += quarter;
            fem->mass_damping[fem->tet[4 * (size_t)i + a]] += material->mass_damping * quarter;
        }
        fem->total_volume += fem->volume[i];
        fem->total_mass += material->density * fem->volume[i];
    }
    for (int i = 0; i < fem->n_node; i++)
        if (!(fem->mass[i] > 0.0))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "node %d belongs to no tetrahedron and has no mass", i);
    return COND_OK;
}

static CondStatus map_blocks(CondFem* fem, CondError* error)
{
    for (size_t k = 0; k < 16 * (size_t)fem->n_tet; k++) {
        const int* corner = fem->tet + 4 * (k / 16);
        int a = corner[k / 4 % 4];
        int place =
            cond_bsr3_pattern_find(&fem->pattern, a, corner[k % 4]) - fem->pattern.row_begin[a];
        if (place > UINT16_MAX)
            return cond_error_set(error, COND_BAD_ARGUMENT, "node %d has more than %d neighbours",
                                  a, UINT16_MAX);
        fem->place[k] = (uint16_t)place;
    }
    return COND_OK;
}

// A node and its place along the longest side.
typedef struct Station {
    double along;
    int node;
} Station;

static int by_station(const void* a, const void* b)
{
    const Station *p = a, *q = b;
    if (p->along != q->along)
        return p->along < q->along ? -1 : 1;
    return p->node < q->node ? -1 : 1;
}

// Threads take parts of the body that follow each other along its longest side, so that few
// elements belong to two of them, however the nodes are numbered.
static CondStatus order_nodes(CondFem* fem)
{
    Station* station = cond_allocate(&fem->arena.context, (size_t)fem->n_node, sizeof *station);
    if (!station)
        return COND_OUT_OF_MEMORY;
    int longest = 0;
    double length = -1.0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < fem->n_node; i++) {
            low = fmin(low, fem->rest[3 * (size_t)i + k]);
            high = fmax(high, fem->rest[3 * (size_t)i + k]);
        }
        longest = high - low > length ? k : longest;
        length = fmax(length, high - low);
    }
    for (int i = 0; i < fem->n_node; i++)
        station[i] = (Station){fem->rest[3 * (size_t)i + longest], i};
    qsort(station, (size_t)fem->n_node, sizeof *station, by_station);
    for (int i = 0; i < fem->n_node; i++) {
        fem->order[i] = station[i].node;
        fem->rank[station[i].node] = i;
    }
    cond_release(&fem->arena.context, station);
    return COND_OK;
}

CondStatus cond_fem_create(const CondContext* context, int n_node, const double* node, int n_tet,
                           const int* tet, int n_material, const CondFemMaterial* material,
                           const int* material_of_tet, CondFem* fem, CondError* error)
{
    memset(fem, 0, sizeof *fem);
    CondStatus status =
        check_arrays(n_node, node, n_tet, tet, n_material, material, material_of_tet, error);
    if (status < 0)
        return status;
    cond_arena_begin(context, &fem->arena);
    fem->n_node = n_node;
    fem->n_tet = n_tet;
    fem->n_material = n_material;
    status = allocate_arrays(fem);
    if (status == COND_OK) {
        memcpy(fem->rest, node, 3 * (size_t)n_node * sizeof *node);
        memcpy(fem->tet, tet, 4 * (size_t)n_tet * sizeof *tet);
        memcpy(fem->material, material, (size_t)n_material * sizeof *material);
        if (material_of_tet)
            memcpy(fem->material_of_tet, material_of_tet, (size_t)n_tet * sizeof *material_of_tet);
        for (int i = 0; i < n_material; i++)
            fem->moduli[i] = cond_strain_ops(material[i].kind)->moduli(material + i);
        status = measure(fem, error);
    }
    if (status == COND_OK)
        status = cond_bsr3_pattern_create(&fem->arena.context, n_node, n_tet, tet, &fem->pattern);
    if (status == COND_OK)
        status = order_nodes(fem);
    if (status == COND_OK)
        status = map_blocks(fem, error);
    if (status == COND_OUT_OF_MEMORY)
        cond_error_set(error, status, "no memory for an elastic body of %d tetrahedra", n_tet);
    if (status < 0)
        cond_fem_destroy(fem);
    return status;
}

void cond_fem_destroy(CondFem* fem)
{
    cond_bsr3_pattern_destroy(&fem->arena.context, &fem->pattern);
    cond_arena_release(&fem->arena);
    memset(fem, 0, sizeof *fem);
}

CondStatus cond_fem_work_create(const CondFem* fem, CondFemWork* work)
{
    work->own = NULL;
    work->energy = cond_allocate(&fem->arena.context, (size_t)fem->n_tet, sizeof(double));
    return work->energy ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_fem_work_destroy(const CondFem* fem, CondFemWork* work)
{
    cond_release(&fem->arena.context, work->energy);
    memset(work, 0, sizeof *work);
}

double* cond_fem_block(const CondFem* fem, int i, int j, double* values)
{
    return values + 9 * (ptrdiff_t)cond_bsr3_pattern_find(&fem->pattern, i, j);
}
