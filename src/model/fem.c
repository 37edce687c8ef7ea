// Elastic bodies: building, checking, mass.
#include "model/fem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/fem_element.h"
#include "model/fem_smoothed.h"
#include "model/shell.h"
#include "model/strain.h"

CondFemMaterial cond_fem_material_default(void)
{
    CondFemMaterial material = {.kind = COND_FEM_COROTATIONAL,
                                .youngs_modulus = 1e6,
                                .poisson_ratio = 0.4,
                                .density = 1000.0};
    return material;
}

static CondStatus check_shell(const CondFemMaterial* material, CondError* error)
{
    const char* name[] = {"weft_modulus", "shear_modulus", "bending", "bending_weft"};
    const double value[] = {material->weft_modulus, material->shear_modulus, material->bending,
                            material->bending_weft};
    for (int i = 0; i < 4; i++)
        if (!(value[i] >= 0.0) || !isfinite(value[i]))
            return cond_error_set(error, COND_BAD_ARGUMENT, "material: %s %g must not be negative",
                                  name[i], value[i]);
    double nu = material->poisson_ratio, ratio = material->weft_modulus / material->youngs_modulus;
    if (!(nu * nu * ratio < 1.0))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: weft_modulus %g Pa with poisson_ratio %g is not stable",
                              material->weft_modulus, nu);
    if (!(material->yield_curvature >= 0.0) || !isfinite(material->yield_curvature))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: yield_curvature %g 1/m must not be negative",
                              material->yield_curvature);
    if (!(material->yield_hardening >= 0.0 && material->yield_hardening < 1.0))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: yield_hardening %g must lie in 0 .. 1 and not be 1",
                              material->yield_hardening);
    return COND_OK;
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
    return check_shell(material, error);
}

static CondStatus check_arrays(const CondFemShape* shape, int n_material,
                               const CondFemMaterial* material, const int* material_of_element,
                               CondError* error)
{
    int shell = shape->kind == COND_FEM_SHELL, n = shell ? 3 : cond_fem_corners(shape->kind);
    int n_node = shape->n_node, n_element = shape->n_element;
    const char* noun = shell ? "triangle" : "tetrahedron";
    // All pairs of the nodes of an element have to be counted in int.
    if (n_node < (shell ? 3 : 4) || n_element < 1 || n_material < 1 || n_element > INT_MAX / 200 ||
        n_node > INT_MAX / 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "elastic body: %d nodes, %d %s, %d materials", n_node, n_element,
                              shell ? "triangles" : "tetrahedra", n_material);
    if (shell && (!(shape->thickness > 0.0) || !isfinite(shape->thickness)))
        return cond_error_set(error, COND_BAD_ARGUMENT, "shell: thickness %g m must be positive",
                              shape->thickness);
    for (int i = 0; i < n_material; i++) {
        CondStatus status = cond_fem_material_check(material + i, error);
        if (status < 0)
            return status;
    }
    for (int i = 0; i < n_node; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(shape->node[3 * (size_t)i + k]))
                return cond_error_set(error, COND_BAD_ARGUMENT, "node %d is not finite", i);
    for (int i = 0; i < n_element; i++) {
        const int* corner = shape->element + (size_t)n * i;
        for (int a = 0; a < n; a++)
            if (corner[a] < 0 || corner[a] >= n_node)
                return cond_error_set(error, COND_BAD_ARGUMENT, "%s %d: corner %d is node %d of %d",
                                      noun, i, a, corner[a], n_node);
        if (material_of_element &&
            (material_of_element[i] < 0 || material_of_element[i] >= n_material))
            return cond_error_set(error, COND_BAD_ARGUMENT, "%s %d: material %d of %d", noun, i,
                                  material_of_element[i], n_material);
    }
    return COND_OK;
}

static CondStatus allocate_arrays(CondFem* fem)
{
    CondArena* m = &fem->arena;
    size_t n_node = (size_t)fem->n_node, n_element = (size_t)fem->n_element;
    size_t n_material = (size_t)fem->n_material, n = (size_t)fem->n_corner;
    size_t n_point = (size_t)fem->n_point * n_element;
    fem->rest = cond_arena_allocate(m, 3 * n_node, sizeof *fem->rest);
    fem->element = cond_arena_allocate(m, n * n_element, sizeof *fem->element);
    fem->tet = fem->kind == COND_FEM_LINEAR
                   ? fem->element
                   : cond_arena_allocate(m, 4 * (size_t)fem->n_tet, sizeof *fem->tet);
    fem->material_of_element = cond_arena_allocate(m, n_element, sizeof *fem->material_of_element);
    fem->material = cond_arena_allocate(m, n_material, sizeof *fem->material);
    fem->moduli = cond_arena_allocate(m, n_material, sizeof *fem->moduli);
    if (fem->kind == COND_FEM_SHELL) {
        fem->shell = cond_arena_allocate(m, n_element, sizeof *fem->shell);
        fem->shell_moduli = cond_arena_allocate(m, n_material, sizeof *fem->shell_moduli);
        if (!fem->shell || !fem->shell_moduli)
            return COND_OUT_OF_MEMORY;
    }
    if (fem->kind == COND_FEM_SMOOTHED) {
        fem->material_of_tet =
            cond_arena_allocate(m, (size_t)fem->n_tet, sizeof *fem->material_of_tet);
        if (!fem->material_of_tet)
            return COND_OUT_OF_MEMORY;
    }
    size_t n_gradient = fem->kind == COND_FEM_SHELL ? 0 : 3 * (n - 1) * n_point;
    fem->gradient = cond_arena_allocate(m, n_gradient, sizeof *fem->gradient);
    fem->volume = cond_arena_allocate(m, n_point, sizeof *fem->volume);
    fem->mass = cond_arena_allocate(m, n_node, sizeof *fem->mass);
    fem->mass_damping = cond_arena_allocate(m, n_node, sizeof *fem->mass_damping);
    fem->place = cond_arena_allocate(m, n * n * n_element, sizeof *fem->place);
    fem->order = cond_arena_allocate(m, n_node, sizeof *fem->order);
    fem->rank = cond_arena_allocate(m, n_node, sizeof *fem->rank);
    fem->span = cond_arena_allocate(m, 2 * ((n_element + 3) / 4), sizeof *fem->span);
    int complete = fem->rest && fem->element && fem->tet && fem->material_of_element &&
                   fem->material && fem->moduli && fem->gradient && fem->volume && fem->mass &&
                   fem->mass_damping && fem->place && fem->order && fem->rank && fem->span;
    return complete ? COND_OK : COND_OUT_OF_MEMORY;
}

// Each element's mass on its nodes; needs the volumes.
static void weigh(CondFem* fem)
{
    double share[COND_STRAIN_NODES];
    cond_fem_mass_shares(fem->kind, share);
    fem->total_volume = fem->total_mass = 0.0;
    memset(fem->mass, 0, (size_t)fem->n_node * sizeof *fem->mass);
    memset(fem->mass_damping, 0, (size_t)fem->n_node * sizeof *fem->mass_damping);
    for (int i = 0; i < fem->n_element; i++) {
        const int* corner = fem->element + (size_t)fem->n_corner * i;
        const CondFemMaterial* material = fem->material + fem->material_of_element[i];
        double volume = 0.0;
        for (int k = 0; k < fem->n_point; k++)
            volume += fem->volume[(size_t)fem->n_point * i + k];
        for (int a = 0; a < fem->n_corner; a++) {
            double mass = share[a] * material->density * volume;
            fem->mass[corner[a]] += mass;
            fem->mass_damping[corner[a]] += material->mass_damping * mass;
        }
        fem->total_volume += volume;
        fem->total_mass += material->density * volume;
    }
}

// Volumes, gradients and masses.
static CondStatus measure(CondFem* fem, CondError* error)
{
    for (int i = 0; i < fem->n_element; i++) {
        double volume;
        CondStatus status = cond_fem_measure_element(fem, i, &volume, error);
        if (status < 0)
            return status;
    }
    weigh(fem);
    for (int i = 0; i < fem->n_node; i++)
        if (!(fem->mass[i] > 0.0))
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "node %d belongs to no %s and has no mass", i,
                                  fem->shell ? "triangle" : "tetrahedron");
    return COND_OK;
}

static CondStatus map_blocks(CondFem* fem, CondError* error)
{
    size_t n = (size_t)fem->n_corner;
    for (size_t k = 0; k < n * n * (size_t)fem->n_element; k++) {
        const int* corner = fem->element + n * (k / (n * n));
        int a = corner[k / n % n];
        int place =
            cond_bsr3_pattern_find(&fem->pattern, a, corner[k % n]) - fem->pattern.row_begin[a];
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

static void span_elements(CondFem* fem)
{
    for (int i = 0; i < fem->n_element; i++) {
        int* span = fem->span + 2 * (size_t)(i / 4);
        for (int a = 0; a < fem->n_corner; a++) {
            int r = fem->rank[fem->element[(size_t)fem->n_corner * i + a]];
            span[0] = (i % 4 == 0 && a == 0) || r < span[0] ? r : span[0];
            span[1] = (i % 4 == 0 && a == 0) || r > span[1] ? r : span[1];
        }
    }
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
    span_elements(fem);
    return COND_OK;
}

CondStatus cond_fem_set_material(CondFem* fem, const CondFemMaterial* material, CondError* error)
{
    CondStatus status = cond_fem_material_check(material, error);
    if (status < 0)
        return status;
    if (fem->shell && material->yield_curvature > 0.0 && fem->n_inner == 0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "material: yield_curvature is part of a body from its start on or "
                              "never: its state has the creases");
    fem->material[0] = *material;
    fem->moduli[0] = cond_fem_moduli(fem->kind, material);
    if (fem->shell)
        fem->shell_moduli[0] = cond_shell_moduli(material, fem->thickness);
    for (int i = 0; i < fem->n_element && fem->shell; i++)
        if (fem->material_of_element[i] == 0)
            cond_shell_stiffen(fem, i);
    weigh(fem);
    return COND_OK;
}

// The tetrahedra of smoothed elements, and the domains around their edges.
static CondStatus take_smoothed(const CondFemShape* shape, const CondSmoothedPlan* plan,
                                const int* material_of_tet, CondFem* fem, CondError* error)
{
    memcpy(fem->tet, shape->element, 4 * (size_t)fem->n_tet * sizeof *fem->tet);
    if (material_of_tet)
        memcpy(fem->material_of_tet, material_of_tet,
               (size_t)fem->n_tet * sizeof *fem->material_of_tet);
    return cond_smoothed_fill(plan, fem, error);
}

// Elements, and what they are made of.
static CondStatus take_elements(const CondFemShape* shape, const CondSmoothedPlan* plan,
                                const CondFemMaterial* material, const int* material_of_element,
                                CondFem* fem, CondError* error)
{
    size_t n_element = (size_t)fem->n_element;
    CondStatus status = COND_OK;
    memcpy(fem->rest, shape->node, 3 * (size_t)fem->n_node * sizeof *shape->node);
    memcpy(fem->material, material, (size_t)fem->n_material * sizeof *material);
    if (material_of_element && fem->kind != COND_FEM_SMOOTHED)
        memcpy(fem->material_of_element, material_of_element,
               n_element * sizeof *material_of_element);
    for (int i = 0; i < fem->n_material; i++)
        fem->moduli[i] = cond_fem_moduli(fem->kind, material + i);
    for (int i = 0; i < fem->n_material && fem->shell; i++)
        fem->shell_moduli[i] = cond_shell_moduli(material + i, fem->thickness);
    if (fem->kind == COND_FEM_SMOOTHED)
        return take_smoothed(shape, plan, material_of_element, fem, error);
    if (fem->kind == COND_FEM_SHELL)
        status = cond_shell_neighbours(&fem->arena.context, fem->n_element, shape->element,
                                       fem->element, error);
    else
        memcpy(fem->element, shape->element,
               (size_t)fem->n_corner * n_element * sizeof *shape->element);
    for (int i = 0; i < fem->n_element && fem->kind == COND_FEM_QUADRATIC; i++)
        cond_fem_cut_quadratic(fem->rest, fem->element + 10 * (size_t)i, fem->tet + 32 * (size_t)i);
    return status;
}

// What is counted before anything is stored.
static void count_elements(const CondFemShape* shape, const CondSmoothedPlan* plan, CondFem* fem)
{
    int smoothed = shape->kind == COND_FEM_SMOOTHED;
    fem->kind = shape->kind;
    fem->n_node = shape->n_node;
    fem->n_element = smoothed ? plan->n_domain : shape->n_element;
    fem->n_corner = smoothed ? plan->n_corner : cond_fem_corners(shape->kind);
    fem->n_point = cond_fem_points(shape->kind);
    fem->n_tet = cond_fem_tets(shape->kind) * shape->n_element;
    fem->thickness = shape->thickness;
    double length = vec3_norm(shape->warp);
    for (int k = 0; k < 3; k++)
        fem->warp[k] = length > 0.0 ? shape->warp[k] / length : k == 0;
}

CondStatus cond_fem_create(const CondContext* context, const CondFemShape* shape, int n_material,
                           const CondFemMaterial* material, const int* material_of_element,
                           CondFem* fem, CondError* error)
{
    CondSmoothedPlan plan = {.n_domain = 0};
    memset(fem, 0, sizeof *fem);
    CondStatus status = check_arrays(shape, n_material, material, material_of_element, error);
    if (status < 0)
        return status;
    cond_arena_begin(context, &fem->arena);
    if (shape->kind == COND_FEM_SMOOTHED)
        status = cond_smoothed_plan(context, shape, material_of_element, &plan);
    count_elements(shape, &plan, fem);
    fem->n_material = n_material;
    for (int i = 0; i < n_material && shape->kind == COND_FEM_SHELL; i++)
        if (material[i].yield_curvature > 0.0)
            fem->n_inner = 3 * fem->n_element;
    if (status == COND_OK)
        status = allocate_arrays(fem);
    if (status == COND_OK)
        status = take_elements(shape, &plan, material, material_of_element, fem, error);
    if (status == COND_OK)
        status = measure(fem, error);
    if (status == COND_OK)
        status = cond_bsr3_pattern_create(&fem->arena.context, fem->n_node, fem->n_element,
                                          fem->n_corner, fem->element, &fem->pattern);
    if (status == COND_OK)
        status = order_nodes(fem);
    if (status == COND_OK)
        status = map_blocks(fem, error);
    if (status == COND_OUT_OF_MEMORY)
        cond_error_set(error, status, "no memory for an elastic body of %d elements",
                       fem->n_element);
    cond_smoothed_plan_destroy(&plan);
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
    work->energy = cond_allocate(&fem->arena.context, (size_t)fem->n_element, sizeof(double));
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
