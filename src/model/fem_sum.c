// Where material and policy allow it, points go through a batch of four: four linear elements or
// the four points of a quadratic one. The rest, and the few of a batch that are close to singular,
// are evaluated one by one.
#include "model/fem_sum.h"

#include <string.h>

#include "base/lanes.h"
#include "model/fem_element.h"
#include "model/shell.h"
#include "model/strain_batch.h"

// The corners of an element that have a node of their own, as bits.
static inline int used_corners(const CondFem* fem, const int* corner)
{
    return fem->kind == COND_FEM_SHELL ? cond_shell_corners(corner) : (1 << fem->n_corner) - 1;
}

// Those whose nodes lie in the part.
static inline int owned_corners(const CondFemSum* sum, int i_element, int first, int last)
{
    const CondFem* fem = sum->fem;
    const int* corner = fem->element + (size_t)fem->n_corner * i_element;
    int owned = 0, used = used_corners(fem, corner);
    for (int a = 0; a < fem->n_corner; a++) {
        int r = fem->rank[corner[a]];
        owned |= (used >> a & 1 && r >= first && r < last && (!sum->own || sum->own[corner[a]]))
                 << a;
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
    int used = used_corners(fem, corner);
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
            if (!(used >> b & 1))
                continue;
            double* B = row + 9 * (size_t)place[n * a + b];
            const double* T =
                S + (a <= b ? cond_strain_block(n, a, b) : cond_strain_block(n, b, a));
            if (a <= b)
                for (int k = 0; k < 9; k++)
                    B[k] += T[k];
            else
                for (int k = 0; k < 9; k++)
                    B[k] += T[k % 3 * 3 + k / 3];
        }
    }
}

static void add_one(const CondFemSum* sum, int i_element, int owned)
{
    double energy, f[3 * COND_STRAIN_NODES], S[COND_STRAIN_MOST];
    cond_fem_evaluate_element(
        sum->fem, i_element, sum->x, sum->A ? sum->policy.geometric : COND_FEM_GEOMETRIC_NONE,
        stiffness_scale_of(sum, i_element), sum->stiffness_scale, &energy, f, sum->A ? S : NULL);
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

static CondFemGeometric geometric_of(const CondFemSum* sum)
{
    return sum->A ? sum->policy.geometric : COND_FEM_GEOMETRIC_NONE;
}

static int batch_serves(const CondFemSum* sum, int i_element)
{
    return cond_strain_batch_serves(
        sum->fem->material[sum->fem->material_of_element[i_element]].kind, geometric_of(sum));
}

// ---- four linear elements

// What a batch of them gives.
typedef struct LinearBatch {
    CondLanes energy, f[12], S[COND_STRAIN_HALF];
} LinearBatch;

COND_LANES_INLINE void load_linear(const CondFemSum* sum, int first, CondStrainBatch* batch,
                                   CondLanes gradient[9])
{
    const CondFem* fem = sum->fem;
    CondLanes d[3][3];
    for (int l = 0; l < COND_LANES; l++) {
        int i = first + l;
        const CondFemModuli* moduli = fem->moduli + fem->material_of_element[i];
        batch->lambda[l] = moduli->lambda;
        batch->mu[l] = moduli->mu;
        batch->volume[l] = fem->volume[i];
        batch->k[l] = stiffness_scale_of(sum, i);
        batch->g[l] = sum->stiffness_scale;
    }
    const double* g = fem->gradient + 9 * (size_t)first;
    for (int k = 0; k < 9; k++)
        gradient[k] = (CondLanes){g[k], g[9 + k], g[18 + k], g[27 + k]};
    const int* corner = fem->element + 4 * (size_t)first;
    const double* x0[4];
    for (int l = 0; l < 4; l++)
        x0[l] = sum->x + 3 * (size_t)corner[4 * l];
    for (int a = 1; a < 4; a++) {
        const double *p0 = sum->x + 3 * (size_t)corner[a], *p1 = sum->x + 3 * (size_t)corner[4 + a];
        const double* p2 = sum->x + 3 * (size_t)corner[8 + a];
        const double* p3 = sum->x + 3 * (size_t)corner[12 + a];
        for (int k = 0; k < 3; k++)
            d[a - 1][k] = (CondLanes){p0[k], p1[k], p2[k], p3[k]} -
                          (CondLanes){x0[0][k], x0[1][k], x0[2][k], x0[3][k]};
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            batch->F[3 * i + j] =
                d[0][i] * gradient[j] + d[1][i] * gradient[3 + j] + d[2][i] * gradient[6 + j];
}

COND_LANES_INLINE void evaluate_linear(const CondFemSum* sum, int first, LinearBatch* out,
                                       CondLaneMask* rare)
{
    CondStrainBatch batch;
    CondLanes gradient[9];
    load_linear(sum, first, &batch, gradient);
    cond_strain_batch_measure(&batch, rare);
    batch.pressure = batch.lambda * batch.theta;
    cond_strain_batch_evaluate(&batch);
    out->energy = batch.volume * (batch.energy + 0.5 * batch.lambda * batch.theta * batch.theta);
    cond_strain_batch_forces(4, &batch, gradient, out->f);
    if (sum->A)
        cond_strain_batch_stiffen(&batch, 4, gradient, sum->policy.geometric, out->S, rare);
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
// may share a block.
COND_LANES_INLINE void add_batch(const CondFemSum* sum, int first, const LinearBatch* batch)
{
    static const int straight[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const int transposed[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    const CondFem* fem = sum->fem;
    const int* corner = fem->element + 4 * (size_t)first;
    const uint16_t* place = fem->place + 16 * (size_t)first;
    CondLanes out[16][4][3];
    for (int l = 0; l < COND_LANES; l++)
        sum->energy[first + l] = batch->energy[l];
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
static void add_lane(const CondFemSum* sum, int first, int l, int owned, const LinearBatch* batch)
{
    double f[12], S[COND_STRAIN_HALF];
    for (int k = 0; k < 12; k++)
        f[k] = batch->f[k][l];
    for (int k = 0; k < COND_STRAIN_HALF && sum->A; k++)
        S[k] = batch->S[k][l];
    add_element(sum, first + l, owned, batch->energy[l], f, S);
}

// Of the elements i .. i + COND_LANES - 1.
COND_LANES_INLINE void add_four(const CondFemSum* sum, int i, int first, int last)
{
    int owned[COND_LANES], any = 0, all = 15, serves = 1;
    for (int l = 0; l < COND_LANES; l++) {
        owned[l] = owned_corners(sum, i + l, first, last);
        any |= owned[l];
        all &= owned[l];
        serves &= batch_serves(sum, i + l);
    }
    if (!any)
        return;
    LinearBatch batch;
    CondLaneMask rare = {-1, -1, -1, -1};
    if (serves)
        evaluate_linear(sum, i, &batch, &rare);
    if (all == 15 && !cond_lanes_any(&rare)) {
        add_batch(sum, i, &batch);
        return;
    }
    for (int l = 0; l < COND_LANES; l++) {
        if (owned[l] && rare[l])
            add_one(sum, i + l, owned[l]);
        else if (owned[l])
            add_lane(sum, i, l, owned[l], &batch);
    }
}

// Energies alone of the elements i .. i + COND_LANES - 1, by the operations of evaluate_linear. 0:
// they need to be evaluated one by one.
COND_LANES_INLINE int measure_four(const CondFemSum* sum, int i)
{
    CondStrainBatch batch;
    CondLanes gradient[9], square = {0.0};
    CondLaneMask rare;
    for (int l = 0; l < COND_LANES; l++)
        if (!batch_serves(sum, i + l))
            return 0;
    load_linear(sum, i, &batch, gradient);
    cond_strain_batch_measure(&batch, &rare);
    if (cond_lanes_any(&rare))
        return 0;
    for (int k = 0; k < 9; k++) {
        CondLanes e = batch.S[k] - (k % 4 == 0 ? 1.0 : 0.0);
        square += e * e;
    }
    CondLanes energy =
        batch.volume * (batch.mu * square + 0.5 * batch.lambda * batch.theta * batch.theta);
    for (int l = 0; l < COND_LANES; l++)
        sum->energy[i + l] = energy[l];
    return 1;
}

// ---- four smoothed elements

COND_LANES_INLINE void load_smoothed(const CondFemSum* sum, int first, CondStrainBatch* batch,
                                     CondLanes* gradient)
{
    const CondFem* fem = sum->fem;
    int n = fem->n_corner, stride = 3 * (n - 1);
    const double* g = fem->gradient + (size_t)stride * first;
    const int* corner = fem->element + (size_t)n * first;
    for (int l = 0; l < COND_LANES; l++) {
        const CondFemModuli* moduli = fem->moduli + fem->material_of_element[first + l];
        batch->lambda[l] = moduli->lambda;
        batch->mu[l] = moduli->mu;
        batch->volume[l] = fem->volume[first + l];
        batch->k[l] = stiffness_scale_of(sum, first + l);
        batch->g[l] = sum->stiffness_scale;
    }
    for (int k = 0; k < stride; k++)
        gradient[k] = (CondLanes){g[k], g[stride + k], g[2 * stride + k], g[3 * stride + k]};
    for (int a = 1; a < n; a++)
        for (int i = 0; i < 3; i++) {
            CondLanes d;
            for (int l = 0; l < COND_LANES; l++)
                d[l] = sum->x[3 * (size_t)corner[n * l + a] + i] -
                       sum->x[3 * (size_t)corner[n * l] + i];
            for (int j = 0; j < 3; j++) {
                CondLanes term = d * gradient[3 * (a - 1) + j];
                batch->F[3 * i + j] = a == 1 ? term : batch->F[3 * i + j] + term;
            }
        }
}

// Of the elements i .. i + COND_LANES - 1.
COND_LANES_INLINE void add_smoothed(const CondFemSum* sum, int i, int first, int last)
{
    int n = sum->fem->n_corner, owned[COND_LANES], any = 0, serves = 1;
    for (int l = 0; l < COND_LANES; l++) {
        owned[l] = owned_corners(sum, i + l, first, last);
        any |= owned[l];
        serves &= batch_serves(sum, i + l);
    }
    if (!any)
        return;
    CondStrainBatch batch;
    CondLanes gradient[3 * (COND_STRAIN_NODES - 1)], f[3 * COND_STRAIN_NODES], energy = {0.0};
    CondLanes S[COND_STRAIN_MOST];
    CondLaneMask rare = {-1, -1, -1, -1};
    int size = cond_strain_block(n, n, n);
    if (serves) {
        load_smoothed(sum, i, &batch, gradient);
        cond_strain_batch_measure(&batch, &rare);
        batch.pressure = batch.lambda * batch.theta;
        cond_strain_batch_evaluate(&batch);
        energy = batch.volume * (batch.energy + 0.5 * batch.lambda * batch.theta * batch.theta);
        cond_strain_batch_forces(n, &batch, gradient, f);
        if (sum->A)
            cond_strain_batch_stiffen(&batch, n, gradient, sum->policy.geometric, S, &rare);
    }
    for (int l = 0; l < COND_LANES; l++) {
        double of_f[3 * COND_STRAIN_NODES], of_S[COND_STRAIN_MOST];
        if (!owned[l])
            continue;
        if (rare[l]) {
            add_one(sum, i + l, owned[l]);
            continue;
        }
        for (int k = 0; k < 3 * n; k++)
            of_f[k] = f[k][l];
        for (int k = 0; k < size && sum->A; k++)
            of_S[k] = S[k][l];
        add_element(sum, i + l, owned[l], energy[l], of_f, of_S);
    }
}

// ---- the four points of a quadratic element

// a[0] + a[1] + a[2] + a[3] of four rows at once.
COND_LANES_INLINE void sum_lanes(const CondLanes a[4], double* out)
{
    CondLanes b[4];
    cond_lanes_transpose(a, b);
    b[0] = b[0] + b[1] + b[2] + b[3];
    for (int k = 0; k < 4; k++)
        out[k] = b[0][k];
}

// All of n rows.
COND_LANES_INLINE void sum_rows(int n, const CondLanes* a, double* out)
{
    int k = 0;
    for (; k + 4 <= n; k += 4)
        sum_lanes(a + k, out + k);
    for (; k < n; k++)
        out[k] = a[k][0] + a[k][1] + a[k][2] + a[k][3];
}

COND_LANES_INLINE void load_quadratic(const CondFemSum* sum, int i, CondStrainBatch* batch,
                                      CondLanes gradient[27])
{
    const CondFem* fem = sum->fem;
    const CondFemModuli* moduli = fem->moduli + fem->material_of_element[i];
    const double *g = cond_fem_gradient(fem, i, 0), *volume = fem->volume + 4 * (size_t)i;
    const int* corner = fem->element + 10 * (size_t)i;
    const double* x0 = sum->x + 3 * (size_t)corner[0];
    double k = stiffness_scale_of(sum, i), h = sum->stiffness_scale;
    batch->lambda = (CondLanes){0.0} + moduli->lambda_point;
    batch->mu = (CondLanes){0.0} + moduli->mu;
    batch->k = (CondLanes){0.0} + k;
    batch->g = (CondLanes){0.0} + h;
    batch->volume = (CondLanes){volume[0], volume[1], volume[2], volume[3]};
    for (int c = 0; c < 9 * 3; c++)
        gradient[c] = (CondLanes){g[c], g[27 + c], g[54 + c], g[81 + c]};
    for (int a = 1; a < 10; a++) {
        const double* xa = sum->x + 3 * (size_t)corner[a];
        for (int c = 0; c < 9; c++) {
            CondLanes term = (xa[c / 3] - x0[c / 3]) * gradient[3 * (a - 1) + c % 3];
            batch->F[c] = a == 1 ? term : batch->F[c] + term;
        }
    }
}

COND_LANES_INLINE void add_quadratic(const CondFemSum* sum, int i, int owned)
{
    const CondFem* fem = sum->fem;
    const CondFemModuli* moduli = fem->moduli + fem->material_of_element[i];
    double lambda = moduli->lambda_point, shared = moduli->lambda - lambda;
    double energy, f[30], S[COND_STRAIN_MOST], slope[9 * COND_LANES], whole = 0.0, theta = 0.0;
    CondStrainBatch batch;
    CondLanes gradient[27], of_f[30], of_S[COND_STRAIN_MOST];
    CondLaneMask rare;
    load_quadratic(sum, i, &batch, gradient);
    cond_strain_batch_measure(&batch, &rare);
    for (int p = 0; p < COND_LANES; p++) {
        whole += batch.volume[p];
        theta += batch.volume[p] * batch.theta[p];
    }
    theta /= whole;
    batch.pressure = lambda * batch.theta;
    if (shared > 0.0)
        batch.pressure += shared * theta;
    cond_strain_batch_evaluate(&batch);
    cond_strain_batch_forces(10, &batch, gradient, of_f);
    if (sum->A)
        cond_strain_batch_stiffen(&batch, 10, gradient, sum->policy.geometric, of_S, &rare);
    if (cond_lanes_any(&rare)) {
        add_one(sum, i, owned);
        return;
    }
    CondLanes all = batch.volume * (batch.energy + 0.5 * lambda * batch.theta * batch.theta);
    energy = shared > 0.0 ? whole * (0.5 * shared * theta * theta) : 0.0;
    for (int p = 0; p < COND_LANES; p++) {
        energy += all[p];
        for (int k = 0; k < 9; k++)
            slope[9 * p + k] = batch.R[k][p];
    }
    sum_rows(30, of_f, f);
    if (sum->A) {
        sum_rows(cond_strain_block(10, 10, 10), of_S, S);
        if (shared > 0.0)
            cond_fem_add_dilatation(fem, i, slope, whole,
                                    stiffness_scale_of(sum, i) * whole * shared, S);
    }
    add_element(sum, i, owned, energy, f, S);
}

// 1 where no corner of the four elements lies in the part.
static inline int is_apart(const CondFem* fem, int i, int first, int last)
{
    const int* span = fem->span + 2 * (size_t)(i / 4);
    return span[1] < first || span[0] >= last;
}

// Of the elements from .. to - 1; from is a multiple of four.
COND_LANES_INLINE void add_elements(const CondFemSum* sum, int first, int last, int from, int to)
{
    const CondFem* fem = sum->fem;
    int i = from;
    for (; fem->kind == COND_FEM_LINEAR && i + COND_LANES <= to; i += COND_LANES)
        if (!is_apart(fem, i, first, last))
            add_four(sum, i, first, last);
    for (; fem->kind == COND_FEM_SMOOTHED && i + COND_LANES <= to; i += COND_LANES)
        if (!is_apart(fem, i, first, last))
            add_smoothed(sum, i, first, last);
    for (; i < to; i++) {
        int owned = is_apart(fem, i, first, last) ? 0 : owned_corners(sum, i, first, last);
        if (owned && fem->kind == COND_FEM_QUADRATIC && batch_serves(sum, i))
            add_quadratic(sum, i, owned);
        else if (owned)
            add_one(sum, i, owned);
    }
}

// Energies of the elements first .. last - 1; first is a multiple of four.
COND_LANES_INLINE void add_energies(const CondFemSum* sum, int first, int last)
{
    int n_node = sum->fem->n_node, step;
    for (int i = first; i < last; i += step) {
        step = last - i < COND_LANES ? last - i : COND_LANES;
        if (sum->fem->kind != COND_FEM_LINEAR || step < COND_LANES || !measure_four(sum, i))
            add_elements(sum, 0, n_node, i, i + step);
    }
}

void cond_fem_add_elements_generic(const CondFemSum* sum, int first, int last)
{
    add_elements(sum, first, last, 0, sum->fem->n_element);
}

static void add_energies_generic(const CondFemSum* sum, int first, int last)
{
    add_energies(sum, first, last);
}

#ifdef COND_FEM_SUM_AVX2
__attribute__((target("avx2"))) void cond_fem_add_elements_avx2(const CondFemSum* sum, int first,
                                                                int last)
{
    add_elements(sum, first, last, 0, sum->fem->n_element);
}

__attribute__((target("avx2"))) static void add_energies_avx2(const CondFemSum* sum, int first,
                                                              int last)
{
    add_energies(sum, first, last);
}
#endif

void cond_fem_add_energies(const CondFemSum* sum, int first, int last)
{
#ifdef COND_FEM_SUM_AVX2
    if (__builtin_cpu_supports("avx2")) {
        add_energies_avx2(sum, first, last);
        return;
    }
#endif
    add_energies_generic(sum, first, last);
}

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
