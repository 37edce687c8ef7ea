// The contacts of the interior-point method: what an iteration does in each of them, four side by
// side.
#include "newton/interior_contacts.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "base/processor.h"
#include "base/tuning.h"
#include "law/law_lanes.h"
#include "newton/interior_cone.h"
#include "newton/interior_interval.h"

#include <float.h>
#include <string.h>

enum { FOUR = COND_LANES };

typedef struct Loop {
    const CondInteriorContacts* at;
    const double *x, *rd, *change; //                                          (n_dof)
    double* sum;                   // right-hand side                          (n_dof)
    double aim, length;
    int correct, again;
} Loop;

// ---- fours

COND_LANES_INLINE void load(const double* array, int n, int four, CondLanes* x)
{
    for (int i = 0; i < n; i++)
        x[i] = *(const CondLanesAnywhere*)(array + (ptrdiff_t)FOUR * (n * four + i));
}

COND_LANES_INLINE void store(double* array, int n, int four, const CondLanes* x)
{
    for (int i = 0; i < n; i++)
        *(CondLanesAnywhere*)(array + (ptrdiff_t)FOUR * (n * four + i)) = x[i];
}

// Three numbers of each contact to where they lie in vectors of all contacts.
COND_LANES_INLINE void scatter(const CondLanes x[3], int n, double* out)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            out[3 * k + i] = x[i][k];
}

// Contacts of a four: all but the last have four.
static int count(const CondInteriorContacts* at, int four)
{
    int left = at->n - FOUR * four;
    return left < FOUR ? left : FOUR;
}

// The sum over the contacts of a four.
COND_LANES_INLINE void add_lanes(const CondInteriorContacts* at, int four, const CondLanes* x,
                                 double* sum)
{
    *sum = 0.0;
    for (int k = 0; k < count(at, four); k++)
        *sum += (*x)[k];
}

// Contact c where its force lies in an interval; contact NULL: it has a friction cone.
static CondInteriorInterval interval_of(const CondInteriorContacts* at, int c)
{
    const CondContact* contact = &at->data->problem->contact[c];
    ptrdiff_t lane = c % FOUR, four = c / FOUR, place = 3 * FOUR * four + lane;
    if (contact->set != COND_FORCE_INTERVAL)
        return (CondInteriorInterval){.contact = NULL};
    return (CondInteriorInterval){.contact = contact,
                                  .y = at->y + place,
                                  .z = at->z + place,
                                  .dy = at->dy + place,
                                  .dz = at->dz + place,
                                  .rp = at->rp + place,
                                  .r = at->r + place,
                                  .eta = at->eta + FOUR * four + lane,
                                  .w = at->w + place,
                                  .M = at->M + 9 * FOUR * four + lane};
}

// Jc x + phi of a four.
COND_LANES_INLINE void velocity(const CondInteriorContacts* at, const double* x, int four,
                                CondLanes u[3])
{
    double few[3 * FOUR] = {0.0};
    cond_certificate_velocity(at->data, x, FOUR * four, FOUR * four + count(at, four), few);
    cond_law_lanes_gather(few, u);
}

// w = T x
COND_LANES_INLINE void weigh(const CondLanes mu[2], const CondLanes x[3], CondLanes w[3])
{
    w[0] = x[0];
    w[1] = mu[0] * x[1];
    w[2] = mu[1] * x[2];
}

// E x = x + e1 (e . x_t), in place.
COND_LANES_INLINE void bend(const CondLanes e[2], CondLanes x[3])
{
    x[0] = x[0] + (e[0] * x[1] + e[1] * x[2]);
}

// ---- begin

static CondStatus reserve(CondInteriorContacts* at, CondArena* arena, int n)
{
    int four = (n + FOUR - 1) / FOUR;
    at->n = n;
    at->n_four = four;
#define RESERVE(array, numbers) COND_RESERVE(arena, at->array, FOUR*(numbers)*four)
    if (RESERVE(y, 3) || RESERVE(z, 3) || RESERVE(dy, 3) || RESERVE(dz, 3) || RESERVE(rp, 3) ||
        RESERVE(r, 3) || RESERVE(left, 3) || RESERVE(du, 3) || RESERVE(eta, 1) || RESERVE(w, 3) ||
        RESERVE(M, 9) || RESERVE(e, 2) || RESERVE(mu, 2) || RESERVE(slip, 1) ||
        RESERVE(softer, 1) || RESERVE(phi, 3) || RESERVE(strict, 1) || RESERVE(u, 3) ||
        RESERVE(lambda, 3) || RESERVE(force, 3) || COND_RESERVE(arena, at->intervals, four) ||
        COND_RESERVE(arena, at->sum, 3 * four) || COND_RESERVE(arena, at->step, four))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

CondStatus cond_interior_contacts_begin(CondInteriorContacts* at, CondArena* arena,
                                        const CondCertificateData* data, double resistance)
{
    if (reserve(at, arena, data->problem->n_contact))
        return COND_OUT_OF_MEMORY;
    at->data = data;
    memset(at->intervals, 0, (size_t)at->n_four * sizeof *at->intervals);
    for (int c = 0; c < FOUR * at->n_four; c++) { // beyond the last: as the last
        int like = c < at->n ? c : at->n - 1;
        const CondContact* contact = &data->problem->contact[like];
        int interval = contact->set == COND_FORCE_INTERVAL;
        ptrdiff_t four = c / FOUR, lane = c % FOUR;
        at->intervals[four] |= interval;
        at->slip[c] = cond_certificate_slip(data, like);
        at->softer[c] = at->slip[c] + (interval ? 0.0 : resistance * data->delassus[like]);
        at->strict[c] = !interval && cond_certificate_law(data, like) == COND_LAW_STRICT;
        for (int i = 0; i < 2; i++)
            at->mu[FOUR * (2 * four + i) + lane] = interval ? 0.0 : contact->friction[i];
        for (int i = 0; i < 3; i++)
            at->phi[FOUR * (3 * four + i) + lane] = contact->phi[i];
    }
    return COND_OK;
}

// (x_0, x_t) with x_0 raised to |x_t| and beyond by `inwards`, as contact c of an array.
static void set_inside(double* array, int c, const double x[3], double inwards)
{
    double* at = array + 3 * FOUR * (ptrdiff_t)(c / FOUR) + c % FOUR;
    at[0] = fmax(x[0], hypot(x[1], x[2])) + inwards;
    at[FOUR] = x[1];
    at[2 * FOUR] = x[2];
}

int cond_interior_contacts_set(CondInteriorContacts* at, int c, const double u[3],
                               const double lambda[3], double velocity, double force)
{
    CondInteriorInterval interval = interval_of(at, c);
    if (interval.contact) {
        cond_interior_interval_begin(&interval, force, velocity * force);
        return cond_interior_interval_pairs(interval.contact);
    }
    double y[3] = {u[0], 0.0, 0.0}, z[3] = {lambda[0], 0.0, 0.0};
    for (int i = 1; i < 3; i++) {
        double mu = at->data->problem->contact[c].friction[i - 1];
        y[i] = mu * u[i];
        z[i] = mu > 0.0 ? lambda[i] / mu : 0.0;
    }
    y[0] += at->strict[c] * hypot(y[1], y[2]);
    set_inside(at->y, c, y, velocity);
    set_inside(at->z, c, z, force);
    return 1;
}

// ---- loops

#define LOOP_OVER_FOURS(name)                                                                      \
    static void name##_generic(const void* loop, int first, int last)                              \
    {                                                                                              \
        for (int four = first; four < last; four++)                                                \
            name(loop, four);                                                                      \
    }                                                                                              \
    COND_AVX2 static void name##_avx2(const void* loop, int first, int last)                       \
    {                                                                                              \
        for (int four = first; four < last; four++)                                                \
            name(loop, four);                                                                      \
    }
#define RUN(name, loop) run(COND_HAS_AVX2 ? name##_avx2 : name##_generic, loop)

static void run(CondLoopBody body, const Loop* loop)
{
    const CondInteriorContacts* at = loop->at;
    int threads = cond_threads_chained(COND_CONTACT_WORK * (size_t)at->n, at->threads);
    cond_parallel(at->n_four, threads, body, loop);
}

// T M r of a four.
COND_LANES_INLINE void press(const CondInteriorContacts* at, int four, const CondLanes mu[2],
                             const CondLanes M[9], const CondLanes r[3])
{
    CondLanes h[3], force[3];
    cond_cone_transform(M, r, h);
    weigh(mu, h, force);
    scatter(force, FOUR, at->force + 3 * FOUR * (ptrdiff_t)four);
}

// D = T M E T
COND_LANES_INLINE void take_law(const CondInteriorContacts* at, int four, const CondLanes mu[2],
                                const CondLanes M[9], const CondLanes e[2])
{
    int n = count(at, four);
    CondLanes one = {1.0, 1.0, 1.0, 1.0}, T[3] = {one, mu[0], mu[1]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            CondLanes bent = j > 0 ? M[3 * i + j] + M[3 * i] * e[j - 1] : M[3 * i];
            CondLanes D = T[i] * bent * T[j];
            for (int k = 0; k < n; k++)
                at->law[FOUR * four + k].D[3 * i + j] = D[k];
        }
}

// What differs in contacts with an interval.
static void linearise_intervals(const CondInteriorContacts* at, int four)
{
    for (int c = FOUR * four; c < FOUR * four + count(at, four); c++) {
        CondInteriorInterval interval = interval_of(at, c);
        if (!interval.contact)
            continue;
        double velocity = at->u[3 * (ptrdiff_t)c] + at->slip[c] * at->lambda[3 * (ptrdiff_t)c];
        cond_interior_interval_linearise(&interval, velocity, at->slip[c], at->gamma[c]);
        cond_interior_interval_aim(&interval, 0.0, 0);
    }
}

// Row e1 of E beyond the identity, ds/d(T u_t), times theta; and rp.
COND_LANES_INLINE void find_slope(const CondInteriorContacts* at, int four, const CondLanes mu[2],
                                  const CondLanes y[3], const CondLanes z[3], CondLanes e[2],
                                  CondLanes rp[3])
{
    CondLanes none = {0.0}, u[3], v[3], slip, strict;
    cond_law_lanes_gather(at->u + 3 * FOUR * (ptrdiff_t)four, u);
    load(at->slip, 1, four, &slip);
    load(at->strict, 1, four, &strict);
    weigh(mu, z, v); // lambda
    for (int i = 0; i < 3; i++)
        u[i] = u[i] + slip * v[i];
    weigh(mu, u, v);
    CondLanes length = v[1] * v[1] + v[2] * v[2];
    cond_lanes_sqrt(&length);
    CondLaneMask slides = (length > DBL_MIN) & (strict > 0.0);
    for (int i = 0; i < 2; i++)
        e[i] = COND_LANES_SELECT(slides, v[1 + i] / length, none);
    for (int i = 0; i < 3; i++)
        rp[i] = v[i] - y[i];
    rp[0] = rp[0] + (e[0] * v[1] + e[1] * v[2]); // s: it is homogeneous
    for (int i = 0; i < 2; i++)
        e[i] = at->theta * e[i];
}

// The predictor's rc is -y.
COND_LANES_INLINE void linearise(const Loop* loop, int four)
{
    const CondInteriorContacts* at = loop->at;
    CondLanes y[3], z[3], mu[2], e[2], rp[3], r[3], M[9], softer, product;
    CondConeScaling W;
    load(at->y, 3, four, y);
    load(at->z, 3, four, z);
    load(at->mu, 2, four, mu);
    load(at->softer, 1, four, &softer);
    find_slope(at, four, mu, y, z, e, rp);
    cond_cone_scaling(y, z, &W);
    cond_cone_gain(&W, &softer, mu, e, M);
    for (int i = 0; i < 3; i++)
        r[i] = -(y[i] + rp[i]);
    store(at->e, 2, four, e);
    store(at->rp, 3, four, rp);
    store(at->eta, 1, four, &W.eta);
    store(at->w, 3, four, W.w);
    store(at->M, 9, four, M);
    store(at->r, 3, four, r);
    if (at->intervals[four]) {
        linearise_intervals(at, four);
        load(at->M, 9, four, M);
        load(at->r, 3, four, r);
    }
    press(at, four, mu, M, r);
    take_law(at, four, mu, M, e);
    cond_cone_dot(y, z, &product);
    add_lanes(at, four, &product, at->sum + 3 * (ptrdiff_t)four);
}

LOOP_OVER_FOURS(linearise)

// In the order of the fours, whatever thread has made them.
static double add_up(const CondInteriorContacts* at, int which)
{
    double sum = 0.0;
    for (int four = 0; four < at->n_four; four++)
        sum += at->sum[3 * (ptrdiff_t)four + which];
    return sum;
}

double cond_interior_contacts_linearise(const CondInteriorContacts* at)
{
    Loop loop = {.at = at};
    RUN(linearise, &loop);
    return add_up(at, 0);
}

// rc = W (l \ (-l o l - correction + aim e)), l = W z: with the predictor's dy and dz the
// correction is (W^-1 dy) o (W dz).
COND_LANES_INLINE void aim_cones(const Loop* loop, int four, const CondConeScaling* W,
                                 CondLanes rc[3])
{
    const CondInteriorContacts* at = loop->at;
    CondLanes z[3], l[3], s[3], x[3];
    load(at->z, 3, four, z);
    cond_cone_scale(W, z, l);
    cond_cone_multiply(l, l, s);
    if (loop->correct) {
        CondLanes dy[3], dz[3], a[3], b[3], more[3];
        load(at->dy, 3, four, dy);
        load(at->dz, 3, four, dz);
        cond_cone_unscale(W, dy, a);
        cond_cone_scale(W, dz, b);
        cond_cone_multiply(a, b, more);
        for (int i = 0; i < 3; i++)
            s[i] = s[i] + more[i];
    }
    for (int i = 0; i < 3; i++)
        s[i] = (i == 0 ? loop->aim : 0.0) - s[i];
    cond_cone_divide(l, s, x);
    cond_cone_scale(W, x, rc);
}

static void aim_intervals(const Loop* loop, int four)
{
    for (int c = FOUR * four; c < FOUR * four + count(loop->at, four); c++) {
        CondInteriorInterval interval = interval_of(loop->at, c);
        if (interval.contact)
            cond_interior_interval_aim(&interval, loop->aim, loop->correct);
    }
}

COND_LANES_INLINE void aim(const Loop* loop, int four)
{
    const CondInteriorContacts* at = loop->at;
    CondLanes mu[2], M[9], rp[3], r[3];
    CondConeScaling W;
    load(at->eta, 1, four, &W.eta);
    load(at->w, 3, four, W.w);
    load(at->M, 9, four, M);
    load(at->mu, 2, four, mu);
    load(at->rp, 3, four, rp);
    aim_cones(loop, four, &W, r);
    for (int i = 0; i < 3; i++)
        r[i] = r[i] - rp[i];
    store(at->r, 3, four, r);
    if (at->intervals[four]) {
        aim_intervals(loop, four);
        load(at->r, 3, four, r);
    }
    press(at, four, mu, M, r);
}

LOOP_OVER_FOURS(aim)

void cond_interior_contacts_aim(const CondInteriorContacts* at, double target, int correct)
{
    Loop loop = {.at = at, .aim = target, .correct = correct};
    RUN(aim, &loop);
}

// x = -rd - change + Jc' force, by parts of the coordinates.
static void add_parts(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondInteriorContacts* at = loop->at;
    const CondContactParts* parts = at->data->parts;
    CondPartRange range = cond_contact_parts_range(parts, first, last);
    for (int part = range.first; part < range.last; part++) {
        int end = cond_contact_parts_first(parts, part + 1);
        for (int i = cond_contact_parts_first(parts, part); i < end; i++)
            loop->sum[i] = loop->change ? -loop->rd[i] - loop->change[i] : -loop->rd[i];
        cond_contact_parts_add(parts, part, 1.0, at->force, loop->sum);
    }
}

void cond_interior_contacts_add(const CondInteriorContacts* at, const double* rd,
                                const double* change, double* x)
{
    Loop loop = {.at = at, .rd = rd, .change = change, .sum = x};
    int work = cond_contact_parts_work(at->data->parts);
    int threads = cond_threads_chained(COND_CONTACT_WORK * (size_t)at->n, at->threads);
    cond_parallel(work, threads, add_parts, &loop);
}

// dz = M (r - E T du), du = Jc x
COND_LANES_INLINE void find_force(const CondLanes mu[2], const CondLanes e[2], const CondLanes M[9],
                                  const CondLanes du[3], const CondLanes r[3], CondLanes dz[3])
{
    CondLanes w[3];
    weigh(mu, du, w);
    bend(e, w);
    for (int i = 0; i < 3; i++)
        w[i] = r[i] - w[i];
    cond_cone_transform(M, w, dz);
}

// E T (du + c T dz)
COND_LANES_INLINE void find_velocity(const CondLanes mu[2], const CondLanes e[2],
                                     const CondLanes* slip, const CondLanes du[3],
                                     const CondLanes dz[3], CondLanes w[3])
{
    CondLanes change[3];
    weigh(mu, dz, change);
    for (int i = 0; i < 3; i++)
        change[i] = du[i] + *slip * change[i];
    weigh(mu, change, w);
    bend(e, w);
}

// The direction so far leaves r - E T (Jc dv + c T dz) - W^2 dz.
COND_LANES_INLINE void refine(const Loop* loop, int four)
{
    const CondInteriorContacts* at = loop->at;
    CondLanes mu[2], e[2], M[9], phi[3], r[3], du[3], dz[3], w[3], once[3], twice[3], softer, h[3];
    CondConeScaling W;
    load(at->mu, 2, four, mu);
    load(at->e, 2, four, e);
    load(at->M, 9, four, M);
    load(at->phi, 3, four, phi);
    load(at->r, 3, four, r);
    load(at->eta, 1, four, &W.eta);
    load(at->w, 3, four, W.w);
    load(at->softer, 1, four, &softer);
    velocity(at, loop->x, four, du);
    for (int i = 0; i < 3; i++)
        du[i] = du[i] - phi[i];
    find_force(mu, e, M, du, r, dz);
    find_velocity(mu, e, &softer, du, dz, w);
    cond_cone_scale(&W, dz, once);
    cond_cone_scale(&W, once, twice);
    for (int i = 0; i < 3; i++)
        r[i] = r[i] - w[i] - twice[i];
    store(at->du, 3, four, du);
    store(at->dz, 3, four, dz);
    store(at->left, 3, four, r);
    cond_cone_transform(M, r, h);
    for (int i = 0; i < 3; i++)
        h[i] = h[i] + dz[i];
    weigh(mu, h, w);
    scatter(w, FOUR, at->force + 3 * FOUR * (ptrdiff_t)four);
}

LOOP_OVER_FOURS(refine)

void cond_interior_contacts_refine(const CondInteriorContacts* at, const double* x)
{
    Loop loop = {.at = at, .x = x};
    RUN(refine, &loop);
}

// Directions of intervals, and the longest step of a four with them: theirs and those of the cones.
static double direct_intervals(const CondInteriorContacts* at, int four, const CondLanes* cones)
{
    double step = 1.0;
    for (int k = 0; k < count(at, four); k++) {
        CondInteriorInterval interval = interval_of(at, FOUR * four + k);
        if (interval.contact)
            cond_interior_interval_direct(&interval);
        step =
            fmin(step, interval.contact ? cond_interior_interval_longest(&interval) : (*cones)[k]);
    }
    return step;
}

// What a four adds to y'dz + z'dy and to dy'dz.
COND_LANES_INLINE void add_products(const CondInteriorContacts* at, int four, const CondLanes dy[3],
                                    const CondLanes dz[3], const CondLanes y[3],
                                    const CondLanes z[3])
{
    CondLanes a, b, c;
    cond_cone_dot(y, dz, &a);
    cond_cone_dot(z, dy, &b);
    cond_cone_dot(dy, dz, &c);
    a = a + b;
    add_lanes(at, four, &a, at->sum + 3 * (ptrdiff_t)four + 1);
    add_lanes(at, four, &c, at->sum + 3 * (ptrdiff_t)four + 2);
}

// du and dz of a four for the velocity x, which comes to the one before where it is refined.
COND_LANES_INLINE void find_change(const Loop* loop, int four, const CondLanes mu[2],
                                   const CondLanes e[2], CondLanes du[3], CondLanes dz[3])
{
    const CondInteriorContacts* at = loop->at;
    CondLanes M[9], phi[3], r[3];
    load(at->M, 9, four, M);
    load(at->phi, 3, four, phi);
    load(loop->again ? at->left : at->r, 3, four, r);
    velocity(at, loop->x, four, du);
    for (int i = 0; i < 3; i++)
        du[i] = du[i] - phi[i];
    find_force(mu, e, M, du, r, dz);
    if (loop->again) {
        CondLanes before[3], sum[3];
        load(at->du, 3, four, before);
        load(at->dz, 3, four, sum);
        for (int i = 0; i < 3; i++) {
            du[i] = before[i] + du[i];
            dz[i] = sum[i] + dz[i];
        }
    }
}

COND_LANES_INLINE void direct(const Loop* loop, int four)
{
    const CondInteriorContacts* at = loop->at;
    CondLanes mu[2], e[2], rp[3], du[3], dy[3], dz[3], y[3], z[3], softer;
    CondLanes step = {1.0, 1.0, 1.0, 1.0};
    load(at->mu, 2, four, mu);
    load(at->e, 2, four, e);
    load(at->rp, 3, four, rp);
    load(at->y, 3, four, y);
    load(at->z, 3, four, z);
    load(at->softer, 1, four, &softer);
    find_change(loop, four, mu, e, du, dz);
    find_velocity(mu, e, &softer, du, dz, dy);
    for (int i = 0; i < 3; i++)
        dy[i] = dy[i] + rp[i];
    cond_cone_shorten(y, dy, &step);
    cond_cone_shorten(z, dz, &step);
    store(at->dy, 3, four, dy);
    store(at->dz, 3, four, dz);
    at->step[four] = 1.0;
    for (int k = 0; k < count(at, four) && !at->intervals[four]; k++)
        at->step[four] = fmin(at->step[four], step[k]);
    if (at->intervals[four]) {
        at->step[four] = direct_intervals(at, four, &step);
        load(at->dy, 3, four, dy);
        load(at->dz, 3, four, dz);
    }
    add_products(at, four, dy, dz, y, z);
}

LOOP_OVER_FOURS(direct)

double cond_interior_contacts_direct(const CondInteriorContacts* at, const double* x, int again,
                                     double* first, double* second)
{
    Loop loop = {.at = at, .x = x, .again = again};
    double step = 1.0;
    RUN(direct, &loop);
    for (int four = 0; four < at->n_four; four++)
        step = fmin(step, at->step[four]);
    *first = add_up(at, 1);
    *second = add_up(at, 2);
    return step;
}

COND_LANES_INLINE void take(const Loop* loop, int four)
{
    const CondInteriorContacts* at = loop->at;
    CondLanes mu[2], y[3], z[3], dy[3], dz[3];
    load(at->mu, 2, four, mu);
    load(at->y, 3, four, y);
    load(at->z, 3, four, z);
    load(at->dy, 3, four, dy);
    load(at->dz, 3, four, dz);
    for (int i = 0; i < 3; i++) {
        y[i] = y[i] + loop->length * dy[i];
        z[i] = z[i] + loop->length * dz[i];
    }
    store(at->y, 3, four, y);
    store(at->z, 3, four, z);
    weigh(mu, z, dz);
    scatter(dz, FOUR, at->lambda + 3 * FOUR * (ptrdiff_t)four);
}

LOOP_OVER_FOURS(take)

void cond_interior_contacts_take(const CondInteriorContacts* at, double a)
{
    Loop loop = {.at = at, .length = a};
    RUN(take, &loop);
}

void cond_interior_contacts_press(const CondInteriorContacts* at)
{
    memset(at->dy, 0, 3 * FOUR * (size_t)at->n_four * sizeof *at->dy);
    memset(at->dz, 0, 3 * FOUR * (size_t)at->n_four * sizeof *at->dz);
    cond_interior_contacts_take(at, 0.0);
}
