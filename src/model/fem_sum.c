// Elements go through a batch of four where their material and policy allow it; the rest, and the
// few of a batch that are close to singular, are evaluated one by one.
#include "model/fem_sum.h"

#include <string.h>

#include "base/lanes.h"
#include "model/fem_element.h"
#include "model/strain_batch.h"

// The nodes of an element that lie in the part, as bits.
static inline int owned_corners(const CondFemSum* sum, int i_element, int first, int last)
{
    const CondFem* fem = sum->fem;
    const int* corner = fem->element + (size_t)fem->n_corner * i_element;
    int owned = 0;
    for (int a = 0; a < fem->n_corner; a++) {
        int r = fem->rank[corner[a]];
        owned |= (r >= first && r < last && (!sum->own || sum->own[corner[a]])) << a;
    }
    return owned;
}

static inline double stiffness_scale_of(const CondFemSum* sum, int i_element)
{
    const CondFem* fem = sum->fem;
    double beta = sum->rayleigh
                      ? sum->rayleigh[1]
                      : fem->material[fem->material_of_element[i_element]].stiffness_damping;
    return sum->stiffness_scale + beta;
}

// Adds the rows of the owned nodes.
static void add_element(const CondFemSum* sum, int i_element, int owned, double energy,
                        const double* f, const double* S)
{
    const CondFem* fem = sum->fem;
    int n = fem->n_corner;
    const int* corner = fem->element + (size_t)n * i_element;
    const uint16_t* place = fem->place + (size_t)(n * n) * i_element;
    if (owned & 1)
        sum->energy[i_element] = energy;
    for (int a = 0; a < n; a++) {
        if (!(owned >> a & 1))
            continue;
        for (int k = 0; k < 3 && sum->f; k++)
            sum->f[3 * (size_t)corner[a] + k] += f[3 * a + k];
        double* row = sum->A ? sum->A + 9 * (size_t)fem->pattern.row_begin[corner[a]] : NULL;
        for (int b = 0; b < n && row; b++) {
            double* B = row + 9 * (size_t)place[n * a + b];
            const double* T =
                S + (a <= b ? cond_strain_block(n, a, b) : cond_strain_block(n, b, a));
            for (int k = 0; k < 9; k++)
                B[k] += T[a <= b ? k : k % 3 * 3 + k / 3];
        }
    }
}

static void add_one(const CondFemSum* sum, int i_element, int owned)
{
    double energy, f[3 * COND_STRAIN_NODES], S[COND_STRAIN_MOST];
    cond_fem_evaluate_element(sum->fem, i_element, sum->x,
                              sum->A ? sum->policy.geometric : COND_FEM_GEOMETRIC_NONE,
                              stiffness_scale_of(sum, i_element), sum->stiffness_scale, &energy, f,
                              sum->A ? S : NULL);
    add_element(sum, i_element, owned, energy, f, S);
}

void cond_fem_add_elements_plain(const CondFemSum* sum, int first, int last)
{
    for (int i = 0; i < sum->fem->n_element; i++) {
        int owned = owned_corners(sum, i, first, last);
        if (owned)
            add_one(sum, i, owned);
    }
}

static int batch_serves(const CondFemSum* sum, int i_tet)
{
    const CondFem* fem = sum->fem;
    CondFemGeometric geometric = sum->A ? sum->policy.geometric : COND_FEM_GEOMETRIC_NONE;
    for (int l = 0; l < COND_LANES; l++)
        if (!cond_strain_batch_serves(fem->material[fem->material_of_element[i_tet + l]].kind,
                                      geometric))
            return 0;
    return 1;
}

COND_LANES_INLINE void load_batch(const CondFemSum* sum, int i_tet, CondStrainBatch* batch)
{
    const CondFem* fem = sum->fem;
    for (int l = 0; l < COND_LANES; l++) {
        int i = i_tet + l;
        const CondFemModuli* moduli = fem->moduli + fem->material_of_element[i];
        batch->lambda[l] = moduli->lambda;
        batch->mu[l] = moduli->mu;
        batch->volume[l] = fem->volume[i];
        batch->k[l] = stiffness_scale_of(sum, i);
        batch->g[l] = sum->stiffness_scale;
    }
    const double* g = fem->gradient + 9 * (size_t)i_tet;
    for (int k = 0; k < 9; k++)
        batch->gradient[k] = (CondLanes){g[k], g[9 + k], g[18 + k], g[27 + k]};
    const int* corner = fem->tet + 4 * (size_t)i_tet;
    for (int a = 0; a < 4; a++) {
        const double *p0 = sum->x + 3 * (size_t)corner[a], *p1 = sum->x + 3 * (size_t)corner[4 + a];
        const double* p2 = sum->x + 3 * (size_t)corner[8 + a];
        const double* p3 = sum->x + 3 * (size_t)corner[12 + a];
        for (int k = 0; k < 3; k++)
            batch->x[a][k] = (CondLanes){p0[k], p1[k], p2[k], p3[k]};
    }
}

// The nine lanes of a block, in the order `from`, to a block for each element.
COND_LANES_INLINE void turn_block(const CondLanes* S, const int from[9], CondLanes out[4][3])
{
    CondLanes low[4], high[4], in[8];
    for (int k = 0; k < 8; k++)
        in[k] = S[from[k]];
    cond_lanes_transpose(in, low);
    cond_lanes_transpose(in + 4, high);
    for (int l = 0; l < COND_LANES; l++) {
        out[l][0] = low[l];
        out[l][1] = high[l];
        out[l][2][0] = S[8][l];
    }
}

// A batch whose corners all lie in the part. Elements are added one after the other: two of them
// may share a place.
COND_LANES_INLINE void add_batch(const CondFemSum* sum, int i_tet, const CondStrainBatch* batch)
{
    static const int straight[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const int transposed[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    const CondFem* fem = sum->fem;
    const int* corner = fem->tet + 4 * (size_t)i_tet;
    const uint16_t* place = fem->place + 16 * (size_t)i_tet;
    CondLanes out[16][4][3];
    for (int l = 0; l < COND_LANES; l++)
        sum->energy[i_tet + l] = batch->energy[l];
    for (int l = 0; l < COND_LANES && sum->f; l++)
        for (int k = 0; k < 12; k++)
            sum->f[3 * (size_t)corner[4 * l + k / 3] + k % 3] += batch->f[k][l];
    if (!sum->A)
        return;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) {
            const CondLanes* S = batch->S + cond_strain_block(4, a, b);
            turn_block(S, straight, out[4 * a + b]);
            if (a != b)
                turn_block(S, transposed, out[4 * b + a]);
        }
    for (int l = 0; l < COND_LANES; l++)
        for (int k = 0; k < 16; k++) {
            int row = fem->pattern.row_begin[corner[4 * l + k / 4]];
            double* B = sum->A + 9 * ((size_t)row + place[16 * l + k]);
            cond_lanes_add_to(B, &out[k][l][0]);
            cond_lanes_add_to(B + 4, &out[k][l][1]);
            B[8] += out[k][l][2][0];
        }
}

// One lane of a batch.
static void add_lane(const CondFemSum* sum, int i_tet, int l, int owned,
                     const CondStrainBatch* batch)
{
    double f[12], S[COND_STRAIN_HALF];
    for (int k = 0; k < 12; k++)
        f[k] = batch->f[k][l];
    for (int k = 0; k < COND_STRAIN_HALF && sum->A; k++)
        S[k] = batch->S[k][l];
    add_element(sum, i_tet + l, owned, batch->energy[l], f, S);
}

COND_LANES_INLINE void add_elements(const CondFemSum* sum, int first, int last)
{
    const CondFem* fem = sum->fem;
    const CondFemGeometric geometric = sum->policy.geometric;
    CondStrainBatch batch;
    int i = 0;
    for (; fem->kind == COND_FEM_LINEAR && i + COND_LANES <= fem->n_element; i += COND_LANES) {
        int owned[COND_LANES], any = 0, all = 15;
        for (int l = 0; l < COND_LANES; l++) {
            owned[l] = owned_corners(sum, i + l, first, last);
            any |= owned[l];
            all &= owned[l];
        }
        if (!any)
            continue;
        CondLaneMask rare = {-1, -1, -1, -1};
        if (batch_serves(sum, i)) {
            load_batch(sum, i, &batch);
            cond_strain_batch_evaluate(&batch, sum->A != NULL, geometric, &rare);
        }
        if (all == 15 && !cond_lanes_any(&rare)) {
            add_batch(sum, i, &batch);
            continue;
        }
        for (int l = 0; l < COND_LANES; l++) {
            if (owned[l] && rare[l])
                add_one(sum, i + l, owned[l]);
            else if (owned[l])
                add_lane(sum, i, l, owned[l], &batch);
        }
    }
    for (; i < fem->n_element; i++) {
        int owned = owned_corners(sum, i, first, last);
        if (owned)
            add_one(sum, i, owned);
    }
}

void cond_fem_add_elements_generic(const CondFemSum* sum, int first, int last)
{
    add_elements(sum, first, last);
}

#ifdef COND_FEM_SUM_AVX2
__attribute__((target("avx2"))) void cond_fem_add_elements_avx2(const CondFemSum* sum, int first,
                                                                int last)
{
    add_elements(sum, first, last);
}
#endif

void cond_fem_add_elements(const CondFemSum* sum, int first, int last)
{
#ifdef COND_FEM_SUM_AVX2
    if (__builtin_cpu_supports("avx2")) {
        cond_fem_add_elements_avx2(sum, first, last);
        return;
    }
#endif
    cond_fem_add_elements_generic(sum, first, last);
}
