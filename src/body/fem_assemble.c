// Forces, system matrix and stresses of an elastic body. Elements are evaluated in parallel, each
// into its own place; then each node gathers its force and its row of blocks, adding elements in
// ascending order. No two threads write to one number, and no sum depends on their count.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/sum.h"
#include "body/fem.h"
#include "math/polar.h"
#include "math/vec3.h"
#include "potential/strain.h"

enum { ELEMENT_WORK = 500 }; // of one element, in the unit of COND_PARALLEL_FROM

const CondStrainOps* cond_strain_ops(CondFemMaterialKind kind)
{
    static const CondStrainOps* const ops[COND_FEM_MATERIAL_KINDS] = {
        [COND_FEM_COROTATIONAL] = &cond_strain_corotational,
        [COND_FEM_NEOHOOKEAN] = &cond_strain_neohookean,
    };
    return ops[kind];
}

static const CondStrainOps* ops_of(const CondFem* fem, int i_tet)
{
    return cond_strain_ops(fem->material[fem->material_of_tet[i_tet]].kind);
}

// f_i: the sources of block (i, i) are the corners at node i.
static void gather_force(const CondFem* fem, const double* element_force, int i, double f[3])
{
    int block = fem->pattern.diagonal[i];
    f[0] = f[1] = f[2] = 0.0;
    for (int k = fem->source_begin[block]; k < fem->source_begin[block + 1]; k++) {
        const double* part =
            element_force + 12 * (size_t)(fem->source[k] / 16) + 3 * (fem->source[k] % 4);
        for (int j = 0; j < 3; j++)
            f[j] += part[j];
    }
}

// B: the sum of the element blocks (a, b); those below the diagonal are kept transposed. The nine
// sums are spelled out so that they stay in registers: this loop moves most of the data.
static void gather_block(const CondFem* fem, const double* element_stiffness, int block,
                         double B[9])
{
    double b0 = 0.0, b1 = 0.0, b2 = 0.0, b3 = 0.0, b4 = 0.0, b5 = 0.0, b6 = 0.0, b7 = 0.0, b8 = 0.0;
    for (int k = fem->source_begin[block]; k < fem->source_begin[block + 1]; k++) {
        unsigned source = (unsigned)fem->source[k];
        int a = (int)(source / 4 % 4), b = (int)(source % 4), upper = a <= b;
        const double* S = element_stiffness + COND_STRAIN_HALF * (size_t)(source / 16) +
                          (upper ? cond_strain_block(a, b) : cond_strain_block(b, a));
        b0 += S[0];
        b1 += S[upper ? 1 : 3];
        b2 += S[upper ? 2 : 6];
        b3 += S[upper ? 3 : 1];
        b4 += S[4];
        b5 += S[upper ? 5 : 7];
        b6 += S[upper ? 6 : 2];
        b7 += S[upper ? 7 : 5];
        b8 += S[8];
    }
    B[0] = b0, B[1] = b1, B[2] = b2;
    B[3] = b3, B[4] = b4, B[5] = b5;
    B[6] = b6, B[7] = b7, B[8] = b8;
}

// What the loops over elements and nodes read and write; each uses a part of it.
typedef struct FemLoop {
    const CondFem* fem;
    const double* x;
    const CondFemWork* work;
    double mass_scale, stiffness_scale;
    const double* rayleigh;
    const CondFemPolicy* policy;
    double *A, *f;
    double *energy, *stress, *von_mises;
} FemLoop;

static int element_threads(const CondFem* fem, int threads)
{
    return cond_threads(ELEMENT_WORK * (size_t)fem->n_tet, threads);
}

static void evaluate_forces(const void* loop, int first, int last)
{
    const FemLoop* l = loop;
    for (int i = first; i < last; i++)
        ops_of(l->fem, i)->evaluate(l->fem, i, l->x, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0,
                                    l->work->energy + i, l->work->force + 12 * (size_t)i, NULL);
}

static void gather_forces(const void* loop, int first, int last)
{
    const FemLoop* l = loop;
    for (int i = first; i < last; i++)
        gather_force(l->fem, l->work->force, i, l->f + 3 * (size_t)i);
}

void cond_fem_forces(const CondFem* fem, const double* x, CondFemWork* work, double* f,
                     double* energy, int threads)
{
    FemLoop loop = {.fem = fem, .x = x, .work = work, .f = f};
    int n_thread = element_threads(fem, threads);
    cond_parallel(fem->n_tet, n_thread, evaluate_forces, &loop);
    if (f)
        cond_parallel(fem->n_node, n_thread, gather_forces, &loop);
    if (energy) {
        double sum = 0.0;
        for (int i = 0; i < fem->n_tet; i++)
            sum += work->energy[i];
        *energy = sum;
    }
}

static void evaluate_stiffness(const void* loop, int first, int last)
{
    const FemLoop* l = loop;
    const CondFem* fem = l->fem;
    for (int i = first; i < last; i++) {
        double beta =
            l->rayleigh ? l->rayleigh[1] : fem->material[fem->material_of_tet[i]].stiffness_damping;
        ops_of(fem, i)->evaluate(fem, i, l->x, l->policy->geometric, l->stiffness_scale + beta,
                                 l->stiffness_scale, l->work->energy + i,
                                 l->work->force + 12 * (size_t)i,
                                 l->work->stiffness + COND_STRAIN_HALF * (size_t)i);
    }
}

static void gather_rows(const void* loop, int first, int last)
{
    const FemLoop* l = loop;
    const CondFem* fem = l->fem;
    const int* row_begin = fem->pattern.row_begin;
    double constant =
        l->policy->geometric == COND_FEM_GEOMETRIC_CONSTANT ? l->policy->constant : 0.0;
    for (int i = first; i < last; i++) {
        for (int k = row_begin[i]; k < row_begin[i + 1]; k++)
            gather_block(fem, l->work->stiffness, k, l->A + 9 * (size_t)k);
        double damping = l->rayleigh ? l->rayleigh[0] * fem->mass[i] : fem->mass_damping[i];
        double inertia = l->mass_scale * fem->mass[i] + damping + l->stiffness_scale * constant;
        for (int j = 0; j < 3; j++)
            l->A[9 * (size_t)fem->pattern.diagonal[i] + 4 * j] += inertia;
        if (l->f)
            gather_force(fem, l->work->force, i, l->f + 3 * (size_t)i);
    }
}

void cond_fem_assemble(const CondFem* fem, const double* x, double mass_scale,
                       double stiffness_scale, const double* rayleigh, const CondFemPolicy* policy,
                       CondFemWork* work, CondBsr3* A, double* f, int threads)
{
    FemLoop loop = {.fem = fem,
                    .x = x,
                    .work = work,
                    .mass_scale = mass_scale,
                    .stiffness_scale = stiffness_scale,
                    .rayleigh = rayleigh,
                    .policy = policy,
                    .A = A->value,
                    .f = f};
    int n_thread = element_threads(fem, threads);
    cond_parallel(fem->n_tet, n_thread, evaluate_stiffness, &loop);
    cond_parallel(fem->n_node, n_thread, gather_rows, &loop);
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

static void evaluate_stress(const void* loop, int first, int last)
{
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    const FemLoop* l = loop;
    const CondFem* fem = l->fem;
    for (int i = first; i < last; i++) {
        double F[9], R[9], P[9], T[6]; // T = sym(P R')
        cond_strain_deformation(fem, i, l->x, F);
        cond_polar_rotation(F, R);
        ops_of(fem, i)->piola(fem->moduli + fem->material_of_tet[i], F, P);
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
    FemLoop loop = {.fem = fem, .x = x, .stress = stress, .von_mises = von_mises};
    cond_parallel(fem->n_tet, element_threads(fem, threads), evaluate_stress, &loop);
}

static void evaluate_energy(const void* loop, int first, int last)
{
    const FemLoop* l = loop;
    for (int i = first; i < last; i++) {
        double f[12];
        ops_of(l->fem, i)->evaluate(l->fem, i, l->x, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0,
                                    l->energy + i, f, NULL);
    }
}

void cond_fem_element_energy(const CondFem* fem, const double* x, double* energy, int threads)
{
    FemLoop loop = {.fem = fem, .x = x, .energy = energy};
    cond_parallel(fem->n_tet, element_threads(fem, threads), evaluate_energy, &loop);
}
