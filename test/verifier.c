// The independent verifier: recomputes the certificate from the problem's data with code of its
// own, and checks that a solver told the truth about its answer.
#include "verifier.h"

#include "cone.h"
#include "dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What two honest computations of the same number may differ by: this share of the number, and
// ROUNDING of the largest quantity that entered it.
static const double SHARE = 1e-6;
static const double ROUNDING = 1e-12;

int verifier_virtual_sides(const CondProblem* problem, int* sides)
{
    int* taken = calloc((size_t)problem->n_dof + 1, sizeof *taken);
    int total = 0;
    assert_non_null(taken);
    for (int c = 0; c < problem->n_contact; c++) {
        sides[c] = 0;
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &problem->contact[c].side[s];
            if (side->n_coordinate == 0)
                continue;
            int free_node = side->jacobian == NULL;
            for (int k = 0; k < side->n_coordinate && free_node; k++)
                free_node = !taken[side->coordinate[k]];
            for (int k = 0; k < side->n_coordinate && free_node; k++)
                taken[side->coordinate[k]] = 1;
            sides[c] += !free_node;
        }
        total += sides[c];
    }
    free(taken);
    return total;
}

// One entry of A: into the product and the diagonal.
typedef struct Product {
    const double* v;
    long double* sum; // extended precision
    double* diagonal;
} Product;

static void take(Product* out, int i, int j, double a)
{
    out->sum[i] += (long double)a * out->v[j];
    if (i == j)
        out->diagonal[i] = a;
}

// Every entry of one block, whatever its kind.
static void take_block(Product* out, const CondBlock* block)
{
    int first = block->dof_begin, n = block->n_dof;
    if (block->kind == COND_BLOCK_DENSE) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                take(out, first + i, first + j, block->values[(size_t)i * n + j]);
        return;
    }
    if (block->kind == COND_BLOCK_TRIDIAGONAL) {
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 18; c++) {
                int j = 6 * (i / 6) - 6 + c;
                if (j >= 0 && j < n)
                    take(out, first + i, first + j, block->values[18 * (size_t)i + (size_t)c]);
            }
        return;
    }
    int size = block->kind == COND_BLOCK_BSR3 ? 3 : 1; // of the entries of the pattern
    for (int row = 0; row < n / size; row++)
        for (int k = block->row_begin[row]; k < block->row_begin[row + 1]; k++)
            for (int e = 0; e < size * size; e++)
                take(out, first + size * row + e / size, first + size * block->column[k] + e % size,
                     block->values[(size_t)(size * size) * k + e]);
}

// A v and diag(A), entry by entry.
static void product_and_diagonal(const CondProblem* problem, const double* v, double* Av,
                                 double* diagonal)
{
    long double* sum = calloc((size_t)problem->n_dof + 1, sizeof *sum);
    assert_non_null(sum);
    Product out = {v, sum, diagonal};
    for (int b = 0; b < problem->n_block; b++)
        take_block(&out, &problem->block[b]);
    for (int c = 0; c < problem->n_coupling; c++) {
        const CondCoupling* p = &problem->coupling[c];
        int n = p->n_coordinate;
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) {
                long double a = 0.0L;
                for (int r = 0; r < p->n_row; r++)
                    for (int s = 0; s < p->n_row; s++)
                        a += (long double)p->jacobian[r * n + k] * p->gain[r * p->n_row + s] *
                             p->jacobian[s * n + l];
                sum[p->coordinate[k]] += a * v[p->coordinate[l]];
                if (k == l)
                    diagonal[p->coordinate[k]] += (double)a;
            }
    }
    for (int i = 0; i < problem->n_dof; i++)
        Av[i] = (double)sum[i];
    free(sum);
}

// Entry (i, k) of a side's Jacobian in world axes.
static double side_entry(const CondSide* side, int i, int k)
{
    return side->jacobian ? side->jacobian[i * side->n_coordinate + k] : (double)(i == k);
}

// Jc v in the contact frame, and f += Jc' lambda.
static void contact_maps(const CondContact* contact, const double* v, const double* lambda,
                         double* Jv, double* f)
{
    double p[3] = {0.0, 0.0, 0.0}, world[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++)
            world[i] += contact->frame[3 * r + i] * lambda[r];
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        double sign = s == 0 ? 1.0 : -1.0;
        for (int k = 0; k < side->n_coordinate; k++)
            for (int i = 0; i < 3; i++) {
                p[i] += sign * side_entry(side, i, k) * v[side->coordinate[k]];
                f[side->coordinate[k]] += sign * side_entry(side, i, k) * world[i];
            }
    }
    for (int r = 0; r < 3; r++)
        Jv[r] = contact->frame[3 * r] * p[0] + contact->frame[3 * r + 1] * p[1] +
                contact->frame[3 * r + 2] * p[2];
}

static int is_interval(const CondContact* contact)
{
    return contact->set == COND_FORCE_INTERVAL;
}

// Of an interval that of the first row of R J.
static double delassus_scale(const CondContact* contact, const double* diagonal)
{
    double trace = 0.0;
    for (int s = 0; s < 2 && is_interval(contact); s++) {
        const CondSide* side = &contact->side[s];
        for (int k = 0; k < side->n_coordinate; k++) {
            double along = 0.0;
            for (int i = 0; i < 3; i++)
                along += contact->frame[i] * side_entry(side, i, k);
            trace += along * along / diagonal[side->coordinate[k]];
        }
    }
    if (is_interval(contact))
        return trace;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        for (int k = 0; k < side->n_coordinate; k++)
            for (int i = 0; i < 3; i++)
                trace +=
                    side_entry(side, i, k) * side_entry(side, i, k) / diagonal[side->coordinate[k]];
    }
    return trace / 3.0;
}

// The law of an interval, case by case.
static ConeError interval_error(const CondContact* contact, double delassus, double slip,
                                const double* u, const double* l)
{
    ConeError e = {0};
    double low = contact->bound[0], high = contact->bound[1], gamma = delassus + slip;
    double next = l[0] - u[0] / gamma, aside = sqrt(l[1] * l[1] + l[2] * l[2]);
    next = next < low ? low : next > high ? high : next;
    e.natural = delassus * sqrt((l[0] - next) * (l[0] - next) + aside * aside);
    if (isinf(high) && u[0] < 0.0)
        e.penetration = -u[0] * delassus / gamma;
    if (isinf(low) && u[0] > 0.0)
        e.penetration = u[0] * delassus / gamma;
    e.pull = l[0] < low ? low - l[0] : 0.0;
    e.cone = fmax(l[0] > high ? l[0] - high : 0.0, aside);
    double room = u[0] > 0.0 ? l[0] - low : high - l[0];
    e.complementarity = fabs(isinf(room) ? l[0] * u[0] : room * u[0]);
    return e;
}

// What the checks need besides the certificate: scales for rounding, error per contact.
typedef struct Verified {
    CondCertificate certificate;
    double angle_high; // with the slips too near the floor to call counted in
    double force;      // largest |lambda|
    double worst[2];   // law error of cones; of intervals, over the root of their scale
    double speed[2];   // velocity at play of cones; of all contacts, over that root
    int at[2];         // contact of the former, -1: none
    double* unit;      // of velocity: root of the scale of an interval, 1        (n_contact)
    double* motion;    // what cancels in its velocity                            (n_contact)
    double push;       // largest gamma |lambda|
    double friction;   // largest mu
    double angle_slack;
    double* natural; //                                                       (n_contact)
} Verified;

static double weighted(int n, const double* diagonal, const double* f)
{
    long double sum = 0.0L;
    for (int i = 0; i < n; i++)
        sum += (long double)f[i] * f[i] / diagonal[i];
    return (double)sqrtl(sum);
}

// Adds contact c to the certificate; Jv is its velocity without phi, w what all contact forces
// change of it.
static void verify_contact(Verified* out, const CondContact* contact, CondLaw law, double omega,
                           double slip, double delassus, const double* Jv, const double* w,
                           const double* l, int c)
{
    CondCertificate* z = &out->certificate;
    int interval = is_interval(contact), rows = interval ? 1 : 3;
    omega = interval ? contact->compliance : omega;
    double gamma = delassus + slip + omega, u[3], speed = 0.0, changed = 0.0;
    double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    for (int i = 0; i < rows; i++) {
        speed += Jv[i] * Jv[i];
        changed += w[i] * w[i];
    }
    speed = sqrt(speed), changed = sqrt(changed);
    for (int i = 0; i < 3; i++)
        u[i] = Jv[i] + contact->phi[i] + (slip + omega) * l[i];
    ConeError e = interval ? interval_error(contact, delassus, slip + omega, u, l)
                           : cone_law_error(law, contact->friction, gamma, u, l);
    double law_error = e.natural < e.penetration ? e.penetration : e.natural; // NaN stays NaN
    out->natural[c] = law_error;
    double root = sqrt(delassus), own = interval ? law_error / root : law_error;
    if (!(own <= out->worst[interval]) || out->at[interval] < 0) {
        out->worst[interval] = own;
        out->at[interval] = c;
    }
    out->unit[c] = interval ? root : 1.0;
    double play = fmax(fmax(speed, changed), interval ? 1e-9 * delassus * force
                                                      : fmax(slip + omega, 1e-9 * gamma) * force);
    double width = contact->bound[1] - contact->bound[0];
    if (interval && contact->compliance == 0.0 && isfinite(width))
        play = fmax(play, 0.005 * delassus * width);
    out->speed[0] = fmax(out->speed[0], interval ? 0.0 : play);
    out->speed[1] = fmax(out->speed[1], play / root);
    z->penetration = fmax(z->penetration, e.penetration);
    z->pull = fmax(z->pull, e.pull);
    z->cone = fmax(z->cone, e.cone);
    z->complementarity = fmax(z->complementarity, e.complementarity);
    z->coupling_slip = fmax(z->coupling_slip, slip * force);
    double unsure = 1e-13 * (1.0 + fmax(contact->friction[0], contact->friction[1])) *
                    fmax(speed + fabs(contact->phi[0]), gamma * force);
    if (!interval && e.slip > 2.0 * e.slip_floor + 100.0 * unsure)
        z->angle = fmax(z->angle, e.angle);
    if (!interval && e.slip > 0.5 * e.slip_floor - 100.0 * unsure) {
        out->angle_high = fmax(out->angle_high, e.angle);
        out->angle_slack = fmax(out->angle_slack, 10.0 * unsure / (e.slip + unsure));
    }
    out->force = fmax(out->force, force);
    out->push = fmax(out->push, gamma * force);
    out->friction = fmax(out->friction, fmax(contact->friction[0], contact->friction[1]));
}

// sum_k |J_k| |v_k|, of an interval along its one row.
static double motion_at(const CondContact* contact, const double* v)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            double column[3], length = 0.0;
            for (int i = 0; i < 3; i++) {
                column[i] = side_entry(&contact->side[s], i, k);
                length += column[i] * column[i];
            }
            length = is_interval(contact)
                         ? fabs(contact->frame[0] * column[0] + contact->frame[1] * column[1] +
                                contact->frame[2] * column[2])
                         : sqrt(length);
            sum += length * fabs(v[contact->side[s].coordinate[k]]);
        }
    return sum;
}

// The velocity at play of a class whose worst contact is c.
static double speed_with(const Verified* out, int k, int c)
{
    return c < 0 ? out->speed[k] : fmax(out->speed[k], 1e-6 * out->motion[c] / out->unit[c]);
}

// relaxed: contacts held to the proximal law, or NULL.
static Verified verify(const CondProblem* problem, CondLaw law, double omega, const int* relaxed,
                       const double* v, const double* lambda)
{
    Verified out = {.certificate = {.worst_contact = -1}, .at = {-1, -1}};
    int n = problem->n_dof, nc = problem->n_contact;
    double *Av = dense_zeros((size_t)n), *diagonal = dense_zeros((size_t)n);
    double* f = dense_zeros((size_t)n);
    double *change = dense_zeros((size_t)n), *nothing = dense_zeros((size_t)n);
    double* Jv = dense_zeros(3 * (size_t)nc);
    int* sides = calloc((size_t)nc + 1, sizeof *sides);
    assert_non_null(sides);
    out.natural = dense_zeros((size_t)nc);
    out.unit = dense_zeros((size_t)nc);
    out.motion = dense_zeros((size_t)nc);
    product_and_diagonal(problem, v, Av, diagonal);
    verifier_virtual_sides(problem, sides);
    for (int c = 0; c < nc; c++)
        contact_maps(&problem->contact[c], v, lambda + 3 * c, Jv + 3 * c, f);
    for (int i = 0; i < n; i++)
        change[i] = f[i] / diagonal[i];
    for (int c = 0; c < nc; c++) {
        const CondContact* contact = &problem->contact[c];
        double slip = contact->kv < INFINITY ? sides[c] / contact->kv : 0.0, w[3];
        contact_maps(contact, change, (double[3]){0.0}, w, nothing);
        CondLaw own = relaxed && relaxed[c] ? COND_LAW_PROXIMAL : law;
        verify_contact(&out, contact, own, omega, slip, delassus_scale(contact, diagonal),
                       Jv + 3 * c, w, lambda + 3 * c, c);
        out.motion[c] = motion_at(contact, v);
    }
    CondCertificate* z = &out.certificate;
    double scale = fmax(weighted(n, diagonal, Av),
                        fmax(weighted(n, diagonal, f), weighted(n, diagonal, problem->b)));
    for (int i = 0; i < n; i++)
        f[i] = Av[i] - problem->b[i] - f[i];
    z->dynamics = weighted(n, diagonal, f);
    z->dynamics = z->dynamics == 0.0 ? 0.0 : z->dynamics / scale;
    double ratio[2];
    for (int k = 0; k < 2; k++)
        ratio[k] = out.at[k] < 0 || out.worst[k] == 0.0
                       ? 0.0
                       : out.worst[k] / speed_with(&out, k, out.at[k]);
    int worse = out.at[1] >= 0 && (out.at[0] < 0 || ratio[1] > ratio[0] || isnan(ratio[1]));
    z->worst_contact = out.at[worse];
    double unit = z->worst_contact < 0 ? 1.0 : out.unit[z->worst_contact];
    z->contact = ratio[worse];
    z->contact_speed = out.at[worse] < 0 ? 0.0 : unit * out.worst[worse];
    z->velocity_scale = unit * speed_with(&out, worse, out.at[worse]);
    if (!isfinite(z->dynamics))
        z->dynamics = INFINITY;
    if (!isfinite(z->contact))
        z->contact = INFINITY;
    free(Av);
    free(diagonal);
    free(f);
    free(change);
    free(nothing);
    free(Jv);
    free(sides);
    return out;
}

CondCertificate verifier_certificate(const CondProblem* problem, CondLaw law, double omega,
                                     const double* v, const double* lambda)
{
    Verified true_one = verify(problem, law, omega, NULL, v, lambda);
    free(true_one.natural), free(true_one.unit), free(true_one.motion);
    return true_one.certificate;
}

double verifier_relaxed_residual(const CondProblem* problem, CondLaw law, double omega,
                                 const int* relaxed, const double* v, const double* lambda)
{
    Verified true_one = verify(problem, law, omega, relaxed, v, lambda);
    free(true_one.natural), free(true_one.unit), free(true_one.motion);
    return cond_certificate_residual(&true_one.certificate);
}

static void same(const char* name, double reported, double mine, double scale)
{
    if (isinf(mine) && isinf(reported))
        return;
    if (!(fabs(reported - mine) <= SHARE * mine + ROUNDING * scale))
        fail_msg("%s: the solver reports %.17g, the problem says %.17g", name, reported, mine);
}

void verifier_check_certificate(const CondProblem* problem, CondLaw law, double omega,
                                const double* v, const double* lambda,
                                const CondCertificate* reported)
{
    Verified mine = verify(problem, law, omega, NULL, v, lambda);
    CondCertificate* z = &mine.certificate;
    // Where cones and intervals are off by as much, or two intervals, rounding says which is the
    // worst: its own unit counts.
    if (isfinite(z->contact) && reported->worst_contact >= 0 &&
        reported->worst_contact < problem->n_contact) {
        int c = reported->worst_contact, k = is_interval(&problem->contact[c]);
        z->contact_speed = mine.unit[c] * mine.worst[k];
        z->velocity_scale = mine.unit[c] * speed_with(&mine, k, c);
    }
    double stiff = 1.0 + mine.friction; // |u_t|_mu turns a rounding of u_t into mu times as much
    double speed = stiff * fmax(z->velocity_scale, mine.push), force = stiff * mine.force;
    same("dynamics", reported->dynamics, z->dynamics, 1.0);
    same("contact", reported->contact, z->contact,
         z->velocity_scale > 0.0 ? speed / z->velocity_scale : stiff);
    if (isfinite(z->contact)) {
        for (int c = 0; c < problem->n_contact; c++)
            speed = fmax(speed, stiff * dense_largest(3, problem->contact[c].phi));
        same("contact speed", reported->contact_speed, z->contact_speed, speed);
        same("velocity scale", reported->velocity_scale, z->velocity_scale, speed);
        same("penetration", reported->penetration, z->penetration, speed);
        same("pull", reported->pull, z->pull, force);
        same("cone", reported->cone, z->cone, force);
        same("complementarity", reported->complementarity, z->complementarity, speed * mine.force);
        same("coupling slip", reported->coupling_slip, z->coupling_slip, speed);
        double slack = 1e-6 + mine.angle_slack;
        if (!(reported->angle >= z->angle - slack && reported->angle <= mine.angle_high + slack))
            fail_msg("angle: the solver reports %.17g, the problem says %.17g to %.17g",
                     reported->angle, z->angle, mine.angle_high);
        assert_true(reported->worst_contact >= (problem->n_contact > 0 ? 0 : -1));
        assert_true(reported->worst_contact < problem->n_contact);
        if (problem->n_contact > 0)
            same("worst contact", mine.natural[reported->worst_contact], z->contact_speed, speed);
    }
    assert_true(cond_certificate_residual(reported) == fmax(reported->dynamics, reported->contact));
    free(mine.natural), free(mine.unit), free(mine.motion);
}

void verifier_check(const CondProblem* problem, const CondSolverSettings* settings, const double* v,
                    const double* lambda, const CondSolveInfo* info)
{
    verifier_check_certificate(problem, settings->law, settings->omega, v, lambda,
                               &info->certificate);
    double residual = cond_certificate_residual(&info->certificate);
    int by_certificate = settings->stop == COND_STOP_CERTIFICATE;
    if (info->status == COND_OK && by_certificate)
        assert_true(residual <= settings->tolerance);
    if (info->status == COND_OK && !by_certificate)
        assert_true(info->step_length < settings->tolerance);
    if (info->status == COND_NOT_CONVERGED && by_certificate)
        assert_true(residual > settings->tolerance);
    assert_true(info->status == COND_OK || info->status == COND_NOT_CONVERGED ||
                info->status == COND_DIVERGED);
    if (info->status == COND_OK)
        assert_true(isfinite(residual));
    assert_in_range(info->iterations, 0, settings->max_iterations);
    assert_in_range(info->cg_iterations, 0, info->passes > 0 ? info->iterations : 0);
    assert_in_range(info->outer, info->iterations > info->cg_iterations, settings->max_outer);
    assert_true(info->products >= info->iterations);
    assert_true(info->restarts >= 0);
    int primal_dual = settings->fallback || settings->accelerator == COND_ACCELERATOR_NEWTON;
    assert_true(info->passes == 0 || (primal_dual && by_certificate));
    assert_true(info->seconds >= 0.0);
    int* sides = calloc((size_t)problem->n_contact + 1, sizeof *sides);
    assert_non_null(sides);
    assert_int_equal(info->virtual_nodes, verifier_virtual_sides(problem, sides));
    free(sides);
}

CondStatus verifier_solve(const CondProblem* problem, const CondSolverSettings* settings, double* v,
                          double* lambda, CondSolveInfo* info)
{
    CondSolver* solver = NULL;
    CondError error;
    int n = 0;
    if (cond_solver_create(NULL, "strategy", settings, &solver, &error))
        fail_msg("%s", error.message);
    CondStatus status = cond_solver_solve(solver, problem, v, lambda, info);
    assert_int_equal(status, info->status);
    if (status >= 0 || status == COND_DIVERGED)
        verifier_check(problem, settings, v, lambda, info);
    cond_solver_history(solver, &n);
    if (status >= 0)
        assert_int_equal(n, info->iterations - info->cg_iterations);
    cond_solver_destroy(solver);
    return status;
}
