// Forces, system matrix and stresses of an elastic body. A thread has a part of the nodes and adds
// to their forces and rows whatever the elements around them give, in ascending order; an element
// that touches two parts is evaluated by both threads. No two threads write to one number, and no
// sum depends on their count.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "device/sum.h"
#include "math/polar.h"
#include "math/vec3.h"
#include "model/fem_element.h"
#include "model/fem_sum.h"
#include "model/strain.h"
#include "model/tuning.h"

const CondStrainOps* cond_strain_ops(CondFemMaterialKind kind)
{
    static const CondStrainOps* const ops[COND_FEM_MATERIAL_KINDS] = {
        [COND_FEM_COROTATIONAL] = &cond_strain_corotational,
        [COND_FEM_NEOHOOKEAN] = &cond_strain_neohookean,
    };
    return ops[kind];
}

static int element_threads(const CondFem* fem, int threads)
{
    return cond_threads(COND_ELEMENT_WORK * (size_t)(fem->n_tet ? fem->n_tet : fem->n_element),
                        threads);
}

// The elements around the nodes order[first] .. order[last - 1].
static void assemble_part(const CondFemSum* sum, int first, int last)
{
    const CondFem* fem = sum->fem;
    const int* row_begin = fem->pattern.row_begin;
    for (int r = first; r < last; r++) {
        size_t i = (size_t)fem->order[r], begin = 9 * (size_t)row_begin[i];
        if (sum->own && !sum->own[i])
            continue;
        if (sum->f)
            memset(sum->f + 3 * i, 0, 3 * sizeof *sum->f);
        if (sum->A)
            memset(sum->A + begin, 0, (9 * (size_t)row_begin[i + 1] - begin) * sizeof *sum->A);
    }
    cond_fem_add_elements(sum, first, last);
    double constant =
        sum->A && sum->policy.geometric == COND_FEM_GEOMETRIC_CONSTANT ? sum->policy.constant : 0.0;
    for (int r = first; r < last && sum->A; r++) {
        int i = fem->order[r];
        if (sum->own && !sum->own[i])
            continue;
        double damping = sum->rayleigh ? sum->rayleigh[0] * fem->mass[i] : fem->mass_damping[i];
        double inertia = sum->mass_scale * fem->mass[i] + damping + sum->stiffness_scale * constant;
        for (int j = 0; j < 3; j++)
            sum->A[9 * (size_t)fem->pattern.diagonal[i] + 4 * j] += inertia;
    }
}

// Parts of the nodes, one for each thread: elements between two of them are evaluated twice.
typedef struct PartLoop {
    const CondFemSum* sum;
    int n_part;
} PartLoop;

static void assemble_parts(const void* data, int first, int last)
{
    const PartLoop* loop = data;
    int n = loop->sum->fem->n_node;
    for (int k = first; k < last; k++)
        assemble_part(loop->sum, cond_team_first(n, k, loop->n_part),
                      cond_team_first(n, k + 1, loop->n_part));
}

// Energies of the elements 4 first .. 4 last - 1.
static void evaluate_energies(const void* loop, int first, int last)
{
    const CondFemSum* sum = loop;
    int n = sum->fem->n_element;
    cond_fem_add_energies(sum, 4 * first, 4 * last < n ? 4 * last : n);
}

// The elements, whose nodes' rows and forces threads share out, or energies alone.
static void run_elements(const CondFemSum* sum, int threads)
{
    const CondFem* fem = sum->fem;
    int n_thread = element_threads(fem, threads);
    PartLoop loop = {sum, n_thread};
    if (sum->f || sum->A || sum->own)
        cond_parallel(n_thread, n_thread, assemble_parts, &loop);
    else
        cond_parallel((fem->n_element + 3) / 4, n_thread, evaluate_energies, sum);
}

void cond_fem_forces(const CondFem* fem, const double* x, CondFemWork* work, double* f,
                     double* energy, int threads)
{
    const CondFemOwn* own = work->own;
    CondFemSum sum = {
        .fem = fem, .x = x, .f = f, .energy = work->energy, .own = own ? own->node : NULL};
    run_elements(&sum, threads);
    if (own && f)
        own->complete(own->data, f);
    if (energy) {
        double total = 0.0;
        for (int i = 0; i < fem->n_element; i++)
            if (!own || own->node[fem->element[(size_t)fem->n_corner * i]]) // whose first node is
                total += work->energy[i];
        *energy = own ? own->sum(own->data, total) : total;
    }
}

void cond_fem_assemble(const CondFem* fem, const double* x, double mass_scale,
                       double stiffness_scale, const double* rayleigh, const CondFemPolicy* policy,
                       CondFemWork* work, CondBsr3* A, double* f, int threads)
{
    CondFemSum sum = {.fem = fem,
                      .x = x,
                      .mass_scale = mass_scale,
                      .stiffness_scale = stiffness_scale,
                      .rayleigh = rayleigh,
                      .policy = *policy,
                      .A = A->value,
                      .f = f,
                      .energy = work->energy,
                      .own = work->own && work->own->rows ? work->own->node : NULL};
    run_elements(&sum, threads);
    if (sum.own && f)
        work->own->complete(work->own->data, f);
}

double cond_fem_force_norm(const CondFem* fem, const double* x, CondFemWork* work, double* f,
                           int threads)
{
    cond_fem_forces(fem, x, work, f, NULL, threads);
    return sqrt(cond_dot(3 * fem->n_node, f, f, threads));
}

// sqrt(3/2 dev : dev)
static double von_mises_of(const double T[6])
{
    double xy = T[0] - T[1], yz = T[1] - T[2], zx = T[2] - T[0];
    double shear2 = T[3] * T[3] + T[4] * T[4] + T[5] * T[5];
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * shear2);
}

typedef struct StressLoop {
    const CondFem* fem;
    const double* x;
    double *stress, *von_mises;
} StressLoop;

static void evaluate_stress(const void* loop, int first, int last)
{
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    const StressLoop* l = loop;
    const CondFem* fem = l->fem;
    for (int i = first; i < last; i++) {
        int material = fem->material_of_tet
                           ? fem->material_of_tet[i]
                           : fem->material_of_element[i / cond_fem_tets(fem->kind)];
        double R[9], T[6]; // T = sym(P R')
        CondStrainPoint point;
        const double* P = point.P;
        cond_fem_deformation(fem, i, l->x, point.F);
        cond_polar_rotation(point.F, R);
        const CondStrainOps* ops = cond_strain_ops(fem->material[material].kind);
        const CondFemModuli* moduli = fem->moduli + material;
        ops->measure(&point);
        point.pressure = moduli->lambda * (point.theta - ops->theta_free(moduli));
        ops->evaluate(moduli, &point);
        for (int k = 0; k < 6; k++)
            T[k] = 0.5 * (vec3_dot(P + 3 * row[k], R + 3 * column[k]) +
                          vec3_dot(P + 3 * column[k], R + 3 * row[k]));
        if (l->stress)
            memcpy(l->stress + 6 * (size_t)i, T, sizeof T);
        if (l->von_mises)
            l->von_mises[i] = von_mises_of(T);
    }
}

void cond_fem_stress(const CondFem* fem, const double* x, double* stress, double* von_mises,
                     int threads)
{
    StressLoop loop = {fem, x, stress, von_mises};
    cond_parallel(fem->n_tet, element_threads(fem, threads), evaluate_stress, &loop);
}

void cond_fem_element_energy(const CondFem* fem, const double* x, double* energy, int threads)
{
    CondFemSum sum = {.fem = fem, .x = x, .energy = energy};
    run_elements(&sum, threads);
}
