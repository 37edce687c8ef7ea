// With T = diag(1, mu1, mu2), z = T^-1 lambda and y = T (u + c lambda) + s e1 the law says that y
// and z lie in the round cone x_0 >= |x_t| and that y'z = 0. c is the slip per force that belongs
// to the law; s = |T u_t| for the strict law (de Saxce's change of variables), 0 for the proximal
// one. On the central path y o z = mu e, and Newton's step with the Nesterov-Todd scaling W, W z =
// W^-1 y,
//     A dv - Jc' T dz                     = -rd        rd = A v - b - Jc' lambda
//     E T (Jc dv + c T dz) - dy           = -rp        rp = T (u + c lambda) + s e1 - y
//     dy + W^2 dz                         =  rc
// with E = I + theta e1 (ds/dT u_t)' leaves, dy and dz eliminated,
//     (A + Jc' T M E T Jc) dv = -rd + Jc' T M (rc - rp),      M = (W^2 + c E T^2)^-1:
// the matrix of a Newton step on the natural map with another 3x3 block per contact. theta = 1 is
// Newton's step. A contact that slips has D = T M E T = a p q' up to what stays small, with
// p = (1, -mu d), q = (1, -(1 - theta) mu d), d the direction of slip and a large: for theta = 0
// the matrix is positive definite, for theta = 1 it is not, and in a wall that is struck its
// determinant changes its sign on the way. There the path turns back, and the step points the wrong
// way. With theta a little less than 1 a contact that would slip faster in this step also opens a
// little, which resists; s follows in the next step. The step has
// Mehrotra's predictor and corrector. M grows as the pair nears the cone's boundary; what rounding
// then leaves is taken out by one step of refinement on the system with dz. In E, M and dy c has a
// little resistance added to it, which does not change where the iterations end.
#include "newton/interior_point.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "newton/interior_cone.h"
#include "newton/interior_interval.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 60 };
static const double LEAST_CENTRING = 0.05, MOST_CENTRING = 0.8; // share of mu that is aimed at
static const double TO_BOUNDARY = 0.99; // of the way to the boundary is gone
static const double SHORT_STEP = 0.3;   // after a shorter one the pair goes back to the path first
static const double LEAST_STEP = 1e-2;  // shorter ones, twice in a row, are rounding
static const double MOST_FORCE = 1e6;   // beyond that many times what stops the fastest contact
                                        // forces press against each other: no solution

static CondStatus reserve(CondInteriorPoint* ip, const CondProblem* problem)
{
    CondArena* m = &ip->arena;
    int n = problem->n_dof, nc = problem->n_contact;
#define RESERVE(array, count) COND_RESERVE(m, ip->array, count)
    if (RESERVE(y, 3 * nc) || RESERVE(z, 3 * nc) || RESERVE(dy, 3 * nc) || RESERVE(dz, 3 * nc) ||
        RESERVE(rp, 3 * nc) || RESERVE(rc, 3 * nc) || RESERVE(W, 9 * nc) || RESERVE(M, 9 * nc) ||
        RESERVE(e, 2 * nc) || RESERVE(v, n) || RESERVE(dv, n) || RESERVE(rd, n) || RESERVE(x, n) ||
        RESERVE(lambda, 3 * nc) || RESERVE(u, 3 * nc) || RESERVE(du, 3 * nc))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

void cond_interior_point_destroy(CondInteriorPoint* ip)
{
    cond_arena_release(&ip->arena);
}

// Contact c where its force lies in an interval; contact NULL: it has a friction cone. What is not
// asked of it here is the same for both, with T = diag(1, 0, 0) of an interval.
static CondInteriorInterval interval_of(const CondInteriorPoint* ip, const CondProblem* problem,
                                        int c)
{
    ptrdiff_t at = 3 * (ptrdiff_t)c;
    if (problem->contact[c].set != COND_FORCE_INTERVAL)
        return (CondInteriorInterval){.contact = NULL};
    return (CondInteriorInterval){.contact = &problem->contact[c],
                                  .y = ip->y + at,
                                  .z = ip->z + at,
                                  .dy = ip->dy + at,
                                  .dz = ip->dz + at,
                                  .rp = ip->rp + at,
                                  .rc = ip->rc + at,
                                  .W = ip->W + 3 * at,
                                  .M = ip->M + 3 * at};
}

// Diagonal of T.
static void scale_of(const CondProblem* problem, int c, double T[3])
{
    T[0] = 1.0;
    T[1] = problem->contact[c].friction[0];
    T[2] = problem->contact[c].friction[1];
}

// Row e1 of E beyond the identity: ds/d(T u_t).
static void slope(const CondCertificateData* data, int c, const double w[3], double e[2])
{
    double length = hypot(w[1], w[2]);
    int strict = cond_certificate_law(data, c) == COND_LAW_STRICT;
    for (int i = 0; i < 2; i++)
        e[i] = strict && length > DBL_MIN ? w[1 + i] / length : 0.0;
}

// w = T (u + slip lambda) of contact c, with u = Jc v + phi.
static void scaled_velocity(const CondCertificateData* data, int c, const double* u,
                            const double* lambda, double w[3])
{
    double T[3], slip = cond_certificate_slip(data, c);
    scale_of(data->problem, c, T);
    for (int i = 0; i < 3; i++)
        w[i] = T[i] * (u[i] + slip * lambda[i]);
}

// The same with the resistance against changes of the force, a proximal term centred at the force
// at hand: where a slipping contact presses others that press it, the matrix without it may be
// singular, and directions have no bound.
static double direction_slip(const CondInteriorPoint* ip, const CondCertificateData* data, int c)
{
    int cone = data->problem->contact[c].set != COND_FORCE_INTERVAL;
    return cond_certificate_slip(data, c) + (cone ? ip->resistance * data->delassus[c] : 0.0);
}

// E x = x + e1 (e . x_t)
static void bend(const double e[2], double x[3])
{
    x[0] += e[0] * x[1] + e[1] * x[2];
}

// Of all friction cones, and of all contacts over the root of their scale
// (CondCertificateData.play); of an interval as far as its force could change it.
static void find_fastest(const CondInteriorPoint* ip, const CondCertificateData* data,
                         double fastest[2])
{
    double w[3], zero[3] = {0.0};
    fastest[0] = DBL_MIN, fastest[1] = 0.0;
    cond_certificate_velocity(data, ip->v, 0, data->problem->n_contact, ip->u);
    for (int c = 0; c < data->problem->n_contact; c++) {
        scaled_velocity(data, c, ip->u + 3 * c, zero, w);
        double speed = fmax(fabs(w[0]), hypot(w[1], w[2]));
        if (data->problem->contact[c].set == COND_FORCE_INTERVAL)
            speed /= 1.0 + cond_certificate_slip(data, c) / data->delassus[c];
        else
            fastest[0] = fmax(fastest[0], speed);
        if (data->bounded)
            fastest[1] = fmax(fastest[1], speed / sqrt(data->delassus[c]));
    }
}

// The fastest as contact c would feel it.
static double speed_of(const CondCertificateData* data, int c, const double fastest[2])
{
    double own = sqrt(data->delassus[c]) * fastest[1];
    return data->problem->contact[c].set == COND_FORCE_INTERVAL ? fmax(own, DBL_MIN)
                                                                : fmax(own, fastest[0]);
}

// A start in the middle of the cone, of the size of what moves.
static void begin(CondInteriorPoint* ip, const CondCertificateData* data, const double* gamma,
                  const double fastest[2], double force)
{
    ip->n_pair = 0;
    memset(ip->y, 0, 3 * (size_t)data->problem->n_contact * sizeof *ip->y);
    memset(ip->z, 0, 3 * (size_t)data->problem->n_contact * sizeof *ip->z);
    for (int c = 0; c < data->problem->n_contact; c++) {
        CondInteriorInterval at = interval_of(ip, data->problem, c);
        double speed = speed_of(data, c, fastest);
        if (at.contact) {
            double push = force * speed / gamma[c];
            ip->n_pair += cond_interior_interval_pairs(at.contact);
            cond_interior_interval_begin(&at, push, speed * push);
            continue;
        }
        ip->n_pair++;
        ip->y[3 * c] = speed;
        ip->z[3 * c] = force * speed / gamma[c];
    }
}

static void make_forces(CondInteriorPoint* ip, const CondProblem* problem)
{
    for (int c = 0; c < problem->n_contact; c++) {
        double T[3];
        scale_of(problem, c, T);
        for (int i = 0; i < 3; i++)
            ip->lambda[3 * c + i] = T[i] * ip->z[3 * c + i];
    }
}

// The law's D = T M E T of contact c.
static void take_law(const double T[3], const double* M, const double* e, double D[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 * i + j] = T[i] * (M[3 * i + j] + (j > 0 ? M[3 * i] * e[j - 1] : 0.0)) * T[j];
}

// rp, W, M, e and D of every contact; returns the mean of y'z.
static double linearise(CondInteriorPoint* ip, CondSemismooth* newton,
                        const CondCertificateData* data)
{
    int nc = data->problem->n_contact;
    double sum = 0.0;
    for (int c = 0; c < nc; c++) {
        const double *y = ip->y + 3 * c, *z = ip->z + 3 * c;
        double w[3], T[3], *M = ip->M + 9 * c, *e = ip->e + 2 * c, *rp = ip->rp + 3 * c;
        CondInteriorInterval at = interval_of(ip, data->problem, c);
        scale_of(data->problem, c, T);
        scaled_velocity(data, c, ip->u + 3 * c, ip->lambda + 3 * c, w);
        slope(data, c, w, e);
        if (at.contact) {
            sum += cond_interior_interval_linearise(&at, w[0], cond_certificate_slip(data, c),
                                                    newton->gamma[c]);
            take_law(T, M, e, newton->law[c].D);
            continue;
        }
        for (int i = 0; i < 3; i++)
            rp[i] = w[i] - y[i];
        rp[0] += e[0] * w[1] + e[1] * w[2]; // s: it is homogeneous in w
        e[0] *= ip->theta, e[1] *= ip->theta;
        cond_cone_scaling(y, z, ip->W + 9 * c);
        cond_cone_gain(ip->W + 9 * c, direction_slip(ip, data, c), T, e, M);
        sum += vec3_dot(y, z);
        take_law(T, M, e, newton->law[c].D);
    }
    return ip->n_pair > 0 ? sum / ip->n_pair : 0.0;
}

// T Jc d of contact c from Jc d + phi.
static void scaled_change(const CondProblem* problem, int c, const double* du, double w[3])
{
    const double* phi = problem->contact[c].phi;
    double T[3];
    scale_of(problem, c, T);
    for (int i = 0; i < 3; i++)
        w[i] = T[i] * (du[i] - phi[i]);
}

// f += Jc' T x of contact c.
static void add_scaled(const CondCertificateData* data, int c, const double x[3], double* f)
{
    const CondProblem* problem = data->problem;
    double T[3], force[3];
    scale_of(problem, c, T);
    for (int i = 0; i < 3; i++)
        force[i] = T[i] * x[i];
    cond_contact_rows_add_force(&data->parts->rows, problem->contact, c, 1.0, force, 0,
                                problem->n_dof, f);
}

// What the direction so far leaves of the third and second equation:
// rc - rp - E T (Jc dv + c T dz) - W^2 dz, with Jc dv + phi in du.
static void leftover(const CondInteriorPoint* ip, const CondCertificateData* data, int c,
                     double r[3])
{
    const double *W = ip->W + 9 * c, *dz = ip->dz + 3 * c;
    double T[3], w[3], Wz[3], slip = direction_slip(ip, data, c);
    scale_of(data->problem, c, T);
    scaled_change(data->problem, c, ip->du + 3 * c, w);
    for (int i = 0; i < 3; i++)
        w[i] += slip * T[i] * T[i] * dz[i];
    bend(ip->e + 2 * c, w);
    cond_cone_scale(W, dz, Wz);
    cond_cone_scale(W, Wz, Wz);
    for (int i = 0; i < 3; i++)
        r[i] = ip->rc[3 * c + i] - ip->rp[3 * c + i] - w[i] - Wz[i];
}

// The right-hand side of a solve in x and, in dy, what it leaves to a contact. A direction that is
// still zero takes no products.
static void make_sides(CondInteriorPoint* ip, const CondCertificateData* data, int from_zero)
{
    const CondProblem* problem = data->problem;
    double* x = ip->x;
    if (from_zero)
        memset(x, 0, (size_t)problem->n_dof * sizeof *x);
    else
        cond_problem_multiply(problem, ip->dv, x);
    for (int i = 0; i < problem->n_dof; i++)
        x[i] = -ip->rd[i] - x[i];
    for (int c = 0; c < problem->n_contact; c++) {
        double h[3], *r = ip->dy + 3 * c;
        for (int i = 0; i < 3 && from_zero; i++)
            r[i] = ip->rc[3 * c + i] - ip->rp[3 * c + i];
        if (!from_zero)
            leftover(ip, data, c, r);
        mat3_multiply(ip->M + 9 * c, r, h);
        for (int i = 0; i < 3; i++)
            h[i] += ip->dz[3 * c + i];
        add_scaled(data, c, h, x);
    }
}

// Improves dv and dz by one solve: from zero it makes the direction, then it refines it. du
// becomes Jc x + phi of what it adds to dv.
static void refine(CondInteriorPoint* ip, const CondSemismooth* newton,
                   const CondCertificateData* data, int from_zero)
{
    const CondProblem* problem = data->problem;
    double* x = ip->x;
    make_sides(ip, data, from_zero);
    cond_factored_system_solve(&newton->factored, x);
    cond_certificate_velocity(data, x, 0, problem->n_contact, ip->du);
    for (int c = 0; c < problem->n_contact; c++) {
        double w[3], h[3];
        const double* r = ip->dy + 3 * c;
        scaled_change(problem, c, ip->du + 3 * c, w);
        bend(ip->e + 2 * c, w);
        for (int i = 0; i < 3; i++)
            w[i] = r[i] - w[i];
        mat3_multiply(ip->M + 9 * c, w, h);
        for (int i = 0; i < 3; i++)
            ip->dz[3 * c + i] += h[i];
    }
    for (int i = 0; i < problem->n_dof; i++)
        ip->dv[i] += x[i];
}

// The direction for rc, with dy from the second equation; refined where the pair is to follow it.
static void solve_direction(CondInteriorPoint* ip, const CondSemismooth* newton,
                            const CondCertificateData* data, int refined)
{
    const CondProblem* problem = data->problem;
    memset(ip->dv, 0, (size_t)problem->n_dof * sizeof *ip->dv);
    memset(ip->dz, 0, 3 * (size_t)problem->n_contact * sizeof *ip->dz);
    refine(ip, newton, data, 1);
    if (refined) {
        refine(ip, newton, data, 0);
        cond_certificate_velocity(data, ip->dv, 0, problem->n_contact, ip->du);
    }
    for (int c = 0; c < problem->n_contact; c++) {
        double T[3], *dy = ip->dy + 3 * c, slip = direction_slip(ip, data, c);
        CondInteriorInterval at = interval_of(ip, problem, c);
        if (at.contact) {
            cond_interior_interval_direct(&at);
            continue;
        }
        scale_of(problem, c, T);
        scaled_change(problem, c, ip->du + 3 * c, dy);
        for (int i = 0; i < 3; i++)
            dy[i] += slip * T[i] * T[i] * ip->dz[3 * c + i];
        bend(ip->e + 2 * c, dy);
        for (int i = 0; i < 3; i++)
            dy[i] += ip->rp[3 * c + i];
    }
}

static double longest_step(const CondInteriorPoint* ip, const CondProblem* problem)
{
    double step = 1.0;
    for (int c = 0; c < problem->n_contact; c++) {
        CondInteriorInterval at = interval_of(ip, problem, c);
        if (at.contact)
            step = fmin(step, cond_interior_interval_longest(&at));
        else
            step = fmin(step, fmin(cond_cone_longest(ip->y + 3 * c, ip->dy + 3 * c),
                                   cond_cone_longest(ip->z + 3 * c, ip->dz + 3 * c)));
    }
    return step;
}

// rc = W (l \ (-l o l - correction + aim e)), l = W z: with the predictor's dy and dz the
// correction is (W^-1 dy) o (W dz), without them nothing.
static void aim_at(CondInteriorPoint* ip, const CondProblem* problem, double aim, int correct)
{
    for (int c = 0; c < problem->n_contact; c++) {
        const double* W = ip->W + 9 * c;
        double l[3], r[3], more[3] = {0.0}, x[3];
        CondInteriorInterval at = interval_of(ip, problem, c);
        if (at.contact) {
            cond_interior_interval_aim(&at, aim, correct);
            continue;
        }
        cond_cone_scale(W, ip->z + 3 * c, l);
        cond_cone_multiply(l, l, r);
        if (correct) {
            double a[3], b[3];
            memcpy(a, ip->dy + 3 * c, sizeof a);
            cond_cone_unscale(W, a);
            cond_cone_scale(W, ip->dz + 3 * c, b);
            cond_cone_multiply(a, b, more);
        }
        for (int i = 0; i < 3; i++)
            r[i] = -r[i] - more[i] + (i == 0 ? aim : 0.0);
        cond_cone_divide(l, r, x);
        cond_cone_scale(W, x, ip->rc + 3 * c);
    }
}

// Mean of y'z after a step of length a.
static double product_after(const CondInteriorPoint* ip, int n_contact, double a)
{
    double sum = 0.0;
    for (int k = 0; k < 3 * n_contact; k++)
        sum += (ip->y[k] + a * ip->dy[k]) * (ip->z[k] + a * ip->dz[k]);
    return sum / ip->n_pair;
}

static void take(CondInteriorPoint* ip, const CondProblem* problem, double a)
{
    for (int i = 0; i < problem->n_dof; i++)
        ip->v[i] += a * ip->dv[i];
    for (int k = 0; k < 3 * problem->n_contact; k++) {
        ip->y[k] += a * ip->dy[k];
        ip->z[k] += a * ip->dz[k];
    }
    make_forces(ip, problem);
}

// One iteration after a step of length `last`; returns the length of the step, 0 where the matrix
// cannot be factored. A pair that came too near to the boundary has little room to go on: it is
// brought back to the central path at its mu.
static double iterate(CondInteriorPoint* ip, CondSemismooth* newton,
                      const CondCertificateData* data, double last)
{
    int nc = data->problem->n_contact;
    double mean = linearise(ip, newton, data);
    if (!(mean > 0.0) || cond_back_end_factored.build(newton, data->problem))
        return 0.0;
    double centring = 1.0;
    if (last >= SHORT_STEP) {
        aim_at(ip, data->problem, 0.0, 0);
        solve_direction(ip, newton, data, 0);
        double left = product_after(ip, nc, longest_step(ip, data->problem)) / mean;
        centring = fmin(fmax(left * left * left, LEAST_CENTRING), MOST_CENTRING);
    }
    aim_at(ip, data->problem, centring * mean, last >= SHORT_STEP);
    solve_direction(ip, newton, data, 1);
    double step = TO_BOUNDARY * longest_step(ip, data->problem);
    if (!isfinite(step))
        return 0.0;
    take(ip, data->problem, step);
    return step;
}

// 1 where a force is so large that it can only press against another. An interval with two bounds
// limits its force itself; others are measured without their slip.
static int is_strained(const CondInteriorPoint* ip, const CondCertificateData* data,
                       const double* gamma, const double fastest[2])
{
    for (int c = 0; c < data->problem->n_contact; c++) {
        const double* bound = data->problem->contact[c].bound;
        double scale = gamma[c];
        if (data->problem->contact[c].set == COND_FORCE_INTERVAL)
            scale = isfinite(bound[0]) && isfinite(bound[1])
                        ? 0.0
                        : gamma[c] - cond_certificate_slip(data, c);
        if (scale * vec3_norm(ip->lambda + 3 * c) > MOST_FORCE * speed_of(data, c, fastest))
            return 1;
    }
    return 0;
}

CondStatus cond_interior_point_solve(CondInteriorPoint* ip, CondSemismooth* newton,
                                     const CondCertificateData* asked, double tolerance,
                                     CondCentralStart start, CondAnswer* best, int* passes,
                                     int* products)
{
    const CondProblem* problem = asked->problem;
    CondStatus status = reserve(ip, problem);
    int serves = 0;
    if (!status)
        status = cond_semismooth_prepare(newton, &cond_back_end_factored, asked, &serves);
    if (status || !serves || problem->n_contact == 0)
        return status;
    CondCertificateData with = *asked, *data = &with; // contacts by parts, and their velocities
    with.parts = &newton->parts;
    with.u = ip->u;
    memcpy(ip->v, best->v, (size_t)problem->n_dof * sizeof *ip->v);
    double fastest[2];
    find_fastest(ip, data, fastest);
    ip->theta = start.theta;
    ip->resistance = start.resistance;
    begin(ip, data, newton->gamma, fastest, start.force);
    make_forces(ip, problem);
    double step = 1.0;
    for (int k = 0, shorts = 0; k < MOST_ITERATIONS && best->residual > tolerance; k++) {
        CondCertificate now = cond_certificate_compute(data, ip->v, ip->lambda, newton->work);
        memcpy(ip->rd, newton->work + problem->n_dof, (size_t)problem->n_dof * sizeof *ip->rd);
        double residual = cond_certificate_residual(&now);
        ++*products;
        if (is_strained(ip, data, newton->gamma, fastest))
            break;
        if (residual < best->residual)
            cond_answer_set(problem, ip->v, ip->lambda, &now, best);
        if (!isfinite(residual) || residual <= tolerance || shorts == 2)
            break;
        step = iterate(ip, newton, data, step);
        ++*passes;
        *products += 4;
        if (!(step > 0.0))
            break;
        shorts = step < LEAST_STEP ? shorts + 1 : 0;
    }
    return COND_OK;
}
