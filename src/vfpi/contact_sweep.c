// Four contacts go side by side, operation by operation as one does, so that the bits are those of
// one after the other. Contacts with the strict law and an isotropic cone go so; the others, and
// numbers so large or small that their squares leave the range, go one by one.
#include "vfpi/contact_sweep.h"

#include "base/lanes.h"
#include "base/processor.h"
#include "law/law_lanes.h"

struct CondContactBatch {
    int contact[COND_LANES]; //
    int node[COND_LANES][2]; // first coordinates, -1 static
    int serves;              // 1: all four may go side by side
    int second;              // 1: one of them has a second side that moves
    int carried;             // 1: one of them carries a multiplier
    int padded;              // 1: their nodes have four numbers each, and there are no second sides
    double R[9][COND_LANES];
    double phi[3][COND_LANES];
    double mu[COND_LANES];
    double slip[COND_LANES];  // compliance of those that carry one, else 0
    double w[2][COND_LANES];  // of the two sides
    double scale[COND_LANES]; // -1 / (gamma + omega)
};

typedef struct SweepLoop {
    const CondContactSweep* sweep;
    double *v, *lambda;
} SweepLoop;

// No contact: reads where the first one does, finds no force, and writes nothing.
static void fill_lane(CondContactBatch* batch, int l)
{
    batch->node[l][0] = batch->node[0][0];
    batch->node[l][1] = -1;
    for (int k = 0; k < 9; k++)
        batch->R[k][l] = 0.0;
    batch->phi[0][l] = 1.0;
    batch->phi[1][l] = batch->phi[2][l] = batch->mu[l] = batch->slip[l] = 0.0;
}

// Contact c, as lane l.
static void fill_contact(CondContactBatch* batch, int l, const CondContactSolve* one, int padded)
{
    const CondNodal* nodal = one->nodal;
    int c = batch->contact[l], i = one->node[2 * c], j = one->node[2 * c + 1];
    const CondContact* contact = &nodal->problem->contact[c];
    batch->node[l][0] = i;
    batch->node[l][1] = j;
    batch->second |= j >= 0;
    batch->padded &= i < padded && !batch->second;
    batch->serves &=
        contact->set == COND_FORCE_CONE && contact->friction[0] == contact->friction[1];
    batch->slip[l] = nodal->carried[c] ? nodal->compliance[c] : 0.0;
    batch->carried |= nodal->carried[c];
    for (int k = 0; k < 9; k++)
        batch->R[k][l] = contact->frame[k];
    for (int k = 0; k < 3; k++)
        batch->phi[k][l] = contact->phi[k];
    batch->mu[l] = contact->friction[0];
}

CondStatus cond_contact_sweep_build(CondContactSweep* sweep, const CondContactSolve* one,
                                    const int* order, int n_order, int padded)
{
    sweep->one = *one;
    sweep->n_batch = n_order / COND_LANES;
    if (COND_RESERVE(&sweep->arena, sweep->batch, sweep->n_batch))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < sweep->n_batch; b++) {
        CondContactBatch* batch = &sweep->batch[b];
        batch->serves = one->law == COND_LAW_STRICT;
        batch->second = batch->carried = 0;
        batch->padded = 1;
        for (int l = 0; l < COND_LANES; l++) {
            batch->contact[l] = order[b * COND_LANES + l];
            if (batch->contact[l] < 0)
                fill_lane(batch, l);
            else
                fill_contact(batch, l, one, padded);
            int j = batch->node[l][1];
            batch->w[0][l] = one->w[batch->node[l][0]];
            batch->w[1][l] = j >= 0 ? one->w[j] : 0.0;
            batch->scale[l] = -1.0 / (batch->w[0][l] + batch->w[1][l] + one->omega);
        }
    }
    return COND_OK;
}

COND_LANES_INLINE void load(const double from[COND_LANES], CondLanes* to)
{
    *to = *(const CondLanesAnywhere*)from;
}

// x of coordinate k of the four nodes of one side; 0 where it is static.
#define NODE(lane, side) batch->node[lane][side]
#define GATHER(x, k)                                                                               \
    ((CondLanes){(x)[NODE(0, 0) + (k)], (x)[NODE(1, 0) + (k)], (x)[NODE(2, 0) + (k)],              \
                 (x)[NODE(3, 0) + (k)]})
#define SECOND(x, lane, k) (NODE(lane, 1) < 0 ? 0.0 : (x)[NODE(lane, 1) + (k)])
#define GATHER_SECOND(x, k)                                                                        \
    ((CondLanes){SECOND(x, 0, k), SECOND(x, 1, k), SECOND(x, 2, k), SECOND(x, 3, k)})

// The results of one lane: v is new on side 0, less by `take` on side 1.
COND_LANES_INLINE void keep_lane(const SweepLoop* l, const CondContactBatch* batch, int lane,
                                 const CondLanes lambda[3], const CondLanes v[3],
                                 const CondLanes take[3])
{
    if (batch->contact[lane] < 0)
        return;
    double* vi = l->v + batch->node[lane][0];
    for (int k = 0; k < 3; k++)
        vi[k] = v[k][lane];
    for (int k = 0; k < 3 && l->lambda; k++)
        l->lambda[3 * batch->contact[lane] + k] = lambda[k][lane];
    if (!batch->second || batch->node[lane][1] < 0)
        return;
    double* vj = l->v + batch->node[lane][1];
    vj[0] -= take[0][lane];
    vj[1] -= take[1][lane];
    vj[2] -= take[2][lane];
}

// One after the other.
static void solve_lanes(const SweepLoop* l, const CondContactBatch* batch)
{
    for (int lane = 0; lane < COND_LANES; lane++) {
        int c = batch->contact[lane];
        double unkept[3];
        if (c >= 0)
            cond_contact_solve(&l->sweep->one, c, l->v,
                               l->lambda ? l->lambda + (ptrdiff_t)3 * c : unkept);
    }
}

// x of coordinate r of the four contacts.
#define CONTACT(x, lane, r) (batch->contact[lane] < 0 ? 0.0 : (x)[3 * batch->contact[lane] + (r)])
#define CONTACTS(x, r)                                                                             \
    ((CondLanes){CONTACT(x, 0, r), CONTACT(x, 1, r), CONTACT(x, 2, r), CONTACT(x, 3, r)})

// v of the first sides, by coordinates; of a fourth one where nodes have four numbers.
COND_LANES_INLINE void gather_nodes(const SweepLoop* l, const CondContactBatch* batch,
                                    CondLanes v[4])
{
    if (!batch->padded) {
        v[0] = GATHER(l->v, 0);
        v[1] = GATHER(l->v, 1);
        v[2] = GATHER(l->v, 2);
        v[3] = (CondLanes){0.0};
        return;
    }
    CondLanes node[4];
    for (int lane = 0; lane < COND_LANES; lane++)
        load(l->v + NODE(lane, 0), &node[lane]);
    cond_lanes_transpose(node, v);
}

// And back, where nodes have four numbers and there are no second sides.
COND_LANES_INLINE void spread_nodes(const SweepLoop* l, const CondContactBatch* batch,
                                    const CondLanes v[4])
{
    CondLanes node[4];
    cond_lanes_transpose(v, node);
    for (int lane = 0; lane < COND_LANES; lane++)
        if (batch->contact[lane] >= 0)
            *(CondLanesAnywhere*)(l->v + NODE(lane, 0)) = node[lane];
}

COND_LANES_INLINE void solve_batch(const SweepLoop* l, const CondContactBatch* batch)
{
    CondLanes eta[3], trial[3], lambda[3], take[3], R[9], phi, slip, mu, scale, wi, wj;
    for (int k = 0; k < 9; k++)
        load(batch->R[k], &R[k]);
    load(batch->w[0], &wi);
    load(batch->w[1], &wj);
    CondLanes v[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    gather_nodes(l, batch, v);
    CondLanes d0 = v[0], d1 = v[1], d2 = v[2];
    if (batch->second) {
        d0 -= GATHER_SECOND(l->v, 0);
        d1 -= GATHER_SECOND(l->v, 1);
        d2 -= GATHER_SECOND(l->v, 2);
    }
    for (int r = 0; r < 3; r++) {
        load(batch->phi[r], &phi);
        eta[r] = phi + R[3 * r] * d0 + R[3 * r + 1] * d1 + R[3 * r + 2] * d2;
    }
    if (batch->carried) {
        load(batch->slip, &slip);
        for (int r = 0; r < 3; r++)
            eta[r] -= slip * CONTACTS(l->sweep->one.carry, r);
    }
    load(batch->mu, &mu);
    load(batch->scale, &scale);
    for (int r = 0; r < 3; r++)
        trial[r] = eta[r] * scale;
    CondLaneMask rare;
    cond_law_lanes_project(&mu, trial, lambda, &rare); // lambda from l* = eta scale
    for (int k = 0; k < 3; k++) {
        CondLanes d = R[k] * lambda[0] + R[3 + k] * lambda[1] + R[6 + k] * lambda[2];
        v[k] += wi * d;
        take[k] = wj * d;
    }
    if (cond_lanes_any(&rare)) {
        solve_lanes(l, batch); // the others would give the same bits
        return;
    }
    if (batch->padded && !l->lambda) {
        spread_nodes(l, batch, v);
        return;
    }
    keep_lane(l, batch, 0, lambda, v, take); // lanes by number stay in registers
    keep_lane(l, batch, 1, lambda, v, take);
    keep_lane(l, batch, 2, lambda, v, take);
    keep_lane(l, batch, 3, lambda, v, take);
}

COND_LANES_INLINE void solve_batches(const SweepLoop* l, int first, int last)
{
    for (int b = first; b < last; b++) {
        const CondContactBatch* batch = &l->sweep->batch[b];
        if (batch->serves)
            solve_batch(l, batch);
        else
            solve_lanes(l, batch);
    }
}

static void solve_batches_generic(const SweepLoop* loop, int first, int last)
{
    solve_batches(loop, first, last);
}

COND_AVX2 static void solve_batches_avx2(const SweepLoop* loop, int first, int last)
{
    solve_batches(loop, first, last);
}

void cond_contact_sweep_run(const CondContactSweep* sweep, double* v, double* lambda, int first,
                            int last)
{
    SweepLoop loop = {sweep, v, lambda};
    (COND_HAS_AVX2 ? solve_batches_avx2 : solve_batches_generic)(&loop, first, last);
}
