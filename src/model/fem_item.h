// Forces and matrix rows of linear tetrahedra, one item per node, for C and for CUDA
// (cond_fem_assemble). The item of a node sums the contributions of its elements to its force and
// its row, in ascending order. Each of the four nodes of an element evaluates it, so that no two
// items write to the same number.
#ifndef COND_MODEL_FEM_ITEM_H
#define COND_MODEL_FEM_ITEM_H

#include "device/item.h"
#include "model/strain_item.h"

typedef struct CondFemView {
    int n_node;
    const double* x;                     // positions                            (3 n_node)
    const int *corner_begin, *corner_of; // corners of elements at each node, 4 element + a
                                         //                   (n_node + 1), (4 n_element)
    const int *element, *material;       // corners, 4 of each; its material     (n_element)
    const double *gradient, *volume;     //                            (9 n_element), ..
    const uint16_t* place;               //                                (16 n_element)
    const CondFemMaterial* of_material;  //
    const CondFemModuli* moduli;         // of each material
    const double *mass, *mass_damping;   //                                      (n_node)
    const int *row_begin, *diagonal;     // of the pattern
    double mass_scale, stiffness_scale;  // see cond_fem_assemble
    double constant;                     // of COND_FEM_GEOMETRIC_CONSTANT; else 0 [N/m]
    double *A, *f, *energy;              // A and f may be NULL
    double* d;                           // diagonal of A; may be NULL          (3 n_node)
} CondFemView;

// 1 if the items give the results of cond_fem_assemble: for linear elements with no or constant
// geometric stiffness; the neo-Hookean kind has, besides these, only the exact one.
static inline int cond_fem_item_serves(const CondFem* fem, CondFemGeometric geometric)
{
    if (fem->kind != COND_FEM_LINEAR || geometric == COND_FEM_GEOMETRIC_EXACT)
        return 0;
    for (int m = 0; m < fem->n_material && geometric >= COND_FEM_GEOMETRIC_BOUND; m++)
        if (fem->material[m].kind == COND_FEM_COROTATIONAL)
            return 0;
    return 1;
}

// The corners at each node, by element.               begin (n_node + 2: its end is scratch), of
static inline void cond_fem_list_corners(const CondFem* fem, int* begin, int* of)
{
    int n = fem->n_node;
    for (int i = 0; i < n + 2; i++) // shifted by one until all are counted
        begin[i] = 0;
    for (int k = 0; k < 4 * fem->n_element; k++)
        begin[fem->element[k] + 2]++;
    for (int i = 0; i < n; i++)
        begin[i + 2] += begin[i + 1];
    for (int k = 0; k < 4 * fem->n_element; k++)
        of[begin[fem->element[k] + 1]++] = k;
}

// A view with the body's own arrays; the caller sets positions, lists, scales and results.
static inline CondFemView cond_fem_view(const CondFem* fem)
{
    CondFemView view = {.n_node = fem->n_node,
                        .element = fem->element,
                        .material = fem->material_of_element,
                        .gradient = fem->gradient,
                        .volume = fem->volume,
                        .place = fem->place,
                        .of_material = fem->material,
                        .moduli = fem->moduli,
                        .mass = fem->mass,
                        .mass_damping = fem->mass_damping,
                        .row_begin = fem->pattern.row_begin,
                        .diagonal = fem->pattern.diagonal};
    return view;
}

// Data from which the blocks of an element are computed.
typedef struct CondFemBlocks {
    CondFemMaterialKind kind;
    double h[4][3];      // gradients in the frame of the element, or along the principal axes
    double lambda, mu;   // of the co-rotational kind, times k V
    double volume, U[9]; // of the neo-Hookean kind
    CondNeohookeanModes modes;
} CondFemBlocks;

COND_DEVICE void cond_fem_item_prepare(const CondFemModuli* moduli, const CondStrainPoint* point,
                                       CondFemMaterialKind kind, const double* gradient,
                                       double volume, double k, CondFemBlocks* blocks)
{
    double s[3], V[9], Vt[9];
    blocks->kind = kind;
    blocks->volume = volume;
    if (kind == COND_FEM_COROTATIONAL) {
        cond_strain_gradients(4, gradient, point->R, blocks->h);
        blocks->lambda = k * volume * moduli->lambda;
        blocks->mu = k * volume * moduli->mu;
        return;
    }
    cond_polar_svd(point->F, blocks->U, s, V);
    cond_neohookean_modes(moduli, s, point->pressure, moduli->lambda, &blocks->modes);
    cond_neohookean_combine(COND_FEM_GEOMETRIC_NONE, k, 0.0, &blocks->modes);
    for (int i = 0; i < 9; i++)
        Vt[i] = V[3 * (i % 3) + i / 3];
    cond_strain_gradients(4, gradient, Vt, blocks->h);
}

// Block (a, b), a <= b.
COND_DEVICE void cond_fem_item_block(const CondFemBlocks* blocks, int a, int b, double B[9])
{
    if (blocks->kind == COND_FEM_COROTATIONAL) {
        cond_corotational_block(blocks->lambda, blocks->mu, blocks->h[a], blocks->h[b], B);
        return;
    }
    cond_neohookean_block(blocks->volume, &blocks->modes, blocks->U, blocks->h[a], blocks->h[b], B);
    if (a == b)
        cond_neohookean_symmetric(B);
}

COND_DEVICE void cond_fem_item_evaluate(const CondFemView* v, int e, CondStrainPoint* point)
{
    const CondFemModuli* moduli = v->moduli + v->material[e];
    CondFemMaterialKind kind = v->of_material[v->material[e]].kind;
    cond_strain_deformation(4, v->element + (size_t)4 * e, v->gradient + (size_t)9 * e, v->x,
                            point->F);
    if (kind == COND_FEM_COROTATIONAL) {
        cond_corotational_measure(point);
        point->pressure = moduli->lambda * point->theta;
        cond_corotational_evaluate(moduli, point);
    } else {
        cond_neohookean_measure(point);
        point->pressure = moduli->lambda * (point->theta - cond_neohookean_free(moduli));
        cond_neohookean_evaluate(moduli, point);
    }
}

// U_theta = lambda/2 ((theta - free)^2 - (rest - free)^2)
COND_DEVICE double cond_fem_item_energy(const CondFemView* v, int e, const CondStrainPoint* point)
{
    const CondFemModuli* moduli = v->moduli + v->material[e];
    int turns = v->of_material[v->material[e]].kind == COND_FEM_COROTATIONAL;
    double rest = turns ? 0.0 : 1.0, free = turns ? 0.0 : cond_neohookean_free(moduli);
    return v->volume[e] * (point->energy + 0.5 * moduli->lambda * (point->theta - rest) *
                                               (point->theta + rest - 2.0 * free));
}

// Contribution of element e to the force and the row of its corner a.
COND_DEVICE void cond_fem_item_add(const CondFemView* v, int i, int e, int a)
{
    CondStrainPoint point;
    int m = v->material[e];
    const double *gradient = v->gradient + (size_t)9 * e, volume = v->volume[e];
    cond_fem_item_evaluate(v, e, &point);
    if (a == 0)
        v->energy[e] = cond_fem_item_energy(v, e, &point);
    if (v->f) {
        double f[12] = {0.0};
        cond_strain_add_forces(4, gradient, volume, point.P, f);
        for (int k = 0; k < 3; k++)
            v->f[3 * (size_t)i + k] += f[3 * a + k];
    }
    if (!v->A)
        return;
    CondFemBlocks blocks;
    cond_fem_item_prepare(v->moduli + m, &point, v->of_material[m].kind, gradient, volume,
                          v->stiffness_scale + v->of_material[m].stiffness_damping, &blocks);
    for (int b = 0; b < 4; b++) {
        double B[9],
            *to = v->A + 9 * ((size_t)v->row_begin[i] + v->place[16 * (size_t)e + 4 * a + b]);
        cond_fem_item_block(&blocks, a < b ? a : b, a < b ? b : a, B);
        for (int k = 0; k < 9; k++)
            to[k] += B[a <= b ? k : k % 3 * 3 + k / 3];
    }
}

COND_DEVICE void cond_fem_row_item(const CondFemView* v, int i)
{
    for (int k = 0; k < 3 && v->f; k++)
        v->f[3 * (size_t)i + k] = 0.0;
    for (size_t k = 9 * (size_t)v->row_begin[i]; v->A && k < 9 * (size_t)v->row_begin[i + 1]; k++)
        v->A[k] = 0.0;
    for (int k = v->corner_begin[i]; k < v->corner_begin[i + 1]; k++)
        cond_fem_item_add(v, i, v->corner_of[k] / 4, v->corner_of[k] % 4);
    double inertia =
        v->mass_scale * v->mass[i] + v->mass_damping[i] + v->stiffness_scale * v->constant;
    for (int k = 0; k < 3 && v->A; k++)
        v->A[9 * (size_t)v->diagonal[i] + 4 * k] += inertia;
    for (int k = 0; k < 3 && v->d; k++)
        v->d[3 * (size_t)i + k] = v->A[9 * (size_t)v->diagonal[i] + 4 * k];
}
COND_KERNEL(cond_fem_rows, CondFemView, cond_fem_row_item)

#endif
