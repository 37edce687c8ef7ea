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

#include "base/account.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "newton/tuning.h"
#include "problem/block.h"

#include <float.h>
#include <math.h>
#include <string.h>

static CondStatus reserve(CondInteriorPoint* ip, const CondProblem* problem)
{
    CondArena* m = &ip->arena;
    int n = problem->n_dof;
#define RESERVE(array) COND_RESERVE(m, ip->array, n)
    return RESERVE(v) || RESERVE(dv) || RESERVE(rd) || RESERVE(x) || RESERVE(change)
               ? COND_OUT_OF_MEMORY
               : COND_OK;
#undef RESERVE
}

void cond_interior_point_destroy(CondInteriorPoint* ip)
{
    cond_arena_release(&ip->arena);
}

// |T u| of contact c, by its largest part; an interval's as far as its force could change it.
static double speed_at(const CondCertificateData* data, int c, const double* u)
{
    const CondContact* contact = &data->problem->contact[c];
    if (contact->set == COND_FORCE_INTERVAL)
        return fabs(u[0]) / (1.0 + cond_certificate_slip(data, c) / data->delassus[c]);
    return fmax(fabs(u[0]), hypot(contact->friction[0] * u[1], contact->friction[1] * u[2]));
}

// Of all friction cones, and of all contacts over the root of their scale
// (CondCertificateData.play).
static void find_fastest(const CondInteriorPoint* ip, const CondCertificateData* data,
                         double fastest[2])
{
    double* u = ip->contacts.u;
    fastest[0] = DBL_MIN, fastest[1] = 0.0;
    cond_certificate_velocity(data, ip->v, 0, data->problem->n_contact, u);
    for (int c = 0; c < data->problem->n_contact; c++) {
        double speed = speed_at(data, c, u + (ptrdiff_t)3 * c);
        if (data->problem->contact[c].set != COND_FORCE_INTERVAL)
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

// A start inside the cone, by the size of what moves. From the pair at hand the path is joined
// where that is not far off: the nearer, the fewer iterations, and the less room for them.
static void begin(CondInteriorPoint* ip, const CondCertificateData* data, const double* gamma,
                  const double fastest[2], const CondCentralStart* start, const double* lambda)
{
    static const double middle[3] = {0.0, 0.0, 0.0};
    int warm = start->near < 1.0;
    ip->n_pair = 0;
    for (int c = 0; c < data->problem->n_contact; c++) {
        ptrdiff_t at = (ptrdiff_t)3 * c;
        double speed = start->near * speed_of(data, c, fastest);
        ip->n_pair += cond_interior_contacts_set(
            &ip->contacts, c, warm ? ip->contacts.u + at : middle, warm ? lambda + at : middle,
            speed, start->force * speed / gamma[c]);
    }
    cond_interior_contacts_press(&ip->contacts);
}

// What a direction promises: the longest step, and the sum of y'z along it.
typedef struct Way {
    double longest;
    double first, second;
} Way;

// The direction for the r at hand, in dv and in the contacts; refined where the pair is to follow
// it: M grows as the pair nears the cone's boundary, and rounding with it.
static Way solve_direction(CondInteriorPoint* ip, const CondSemismooth* newton,
                           const CondProblem* problem, int refined)
{
    const CondInteriorContacts* contacts = &ip->contacts;
    size_t n = (size_t)problem->n_dof;
    Way way;
    cond_interior_contacts_add(contacts, ip->rd, NULL, ip->x);
    cond_factored_system_solve(&newton->factored, ip->x);
    memcpy(ip->dv, ip->x, n * sizeof *ip->dv);
    if (refined) {
        cond_interior_contacts_refine(contacts, ip->dv);
        cond_problem_multiply(problem, ip->dv, ip->change);
        cond_interior_contacts_add(contacts, ip->rd, ip->change, ip->x);
        cond_factored_system_solve(&newton->factored, ip->x);
        for (size_t i = 0; i < n; i++)
            ip->dv[i] += ip->x[i];
    }
    way.longest = cond_interior_contacts_direct(contacts, ip->x, refined, &way.first, &way.second);
    return way;
}

static void take(CondInteriorPoint* ip, const CondProblem* problem, double a)
{
    for (int i = 0; i < problem->n_dof; i++)
        ip->v[i] += a * ip->dv[i];
    cond_interior_contacts_take(&ip->contacts, a);
}

// One iteration after a step of length `last`; returns the length of the step, 0 where the matrix
// cannot be factored. A pair that came too near to the boundary has little room to go on: it is
// brought back to the central path at its mu.
static double iterate(CondInteriorPoint* ip, CondSemismooth* newton, const CondProblem* problem,
                      double last)
{
    double sum = cond_interior_contacts_linearise(&ip->contacts);
    if (!(sum > 0.0) || cond_back_end_factored.build(newton, problem))
        return 0.0;
    double centring = 1.0;
    if (last >= COND_SHORT_STEP) {
        Way way = solve_direction(ip, newton, problem, 0);
        double a = way.longest, left = (sum + a * way.first + a * a * way.second) / sum;
        centring = fmin(fmax(left * left * left, COND_LEAST_CENTRING), COND_MOST_CENTRING);
    }
    cond_interior_contacts_aim(&ip->contacts, centring * sum / ip->n_pair, last >= COND_SHORT_STEP);
    double step = COND_TO_BOUNDARY * solve_direction(ip, newton, problem, 1).longest;
    if (!isfinite(step))
        return 0.0;
    take(ip, problem, step);
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
        if (scale * vec3_norm(ip->contacts.lambda + (ptrdiff_t)3 * c) >
            COND_MOST_GROWTH * speed_of(data, c, fastest))
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
    CondInteriorContacts* contacts = &ip->contacts;
    CondStatus status = reserve(ip, problem);
    int serves = 0;
    if (!status)
        status = cond_semismooth_prepare(newton, &cond_back_end_factored, asked, &serves);
    if (status || !serves || problem->n_contact == 0)
        return status;
    CondCertificateData with = *asked, *data = &with; // contacts by parts, and their velocities
    with.parts = &newton->parts;
    with.threads = newton->threads;
    status = cond_interior_contacts_begin(contacts, &ip->arena, data, start.resistance);
    if (status)
        return status;
    with.u = contacts->u;
    contacts->theta = start.theta;
    contacts->threads = newton->threads;
    contacts->gamma = newton->gamma;
    contacts->law = newton->law;
    memcpy(ip->v, best->v, (size_t)problem->n_dof * sizeof *ip->v);
    double fastest[2], step = 1.0;
    find_fastest(ip, data, fastest);
    begin(ip, data, newton->gamma, fastest, &start, best->lambda);
    for (int k = 0, shorts = 0; k < COND_PATIENT_STEPS && best->residual > tolerance; k++) {
        CondCertificate now = cond_certificate_compute(data, ip->v, contacts->lambda, newton->work);
        memcpy(ip->rd, newton->work + problem->n_dof, (size_t)problem->n_dof * sizeof *ip->rd);
        double residual = cond_certificate_residual(&now);
        ++*products;
        if (is_strained(ip, data, newton->gamma, fastest))
            break;
        if (residual < best->residual)
            cond_answer_set(problem, ip->v, contacts->lambda, &now, best);
        if (!isfinite(residual) || residual <= tolerance || shorts == 2)
            break;
        step = iterate(ip, newton, problem, step);
        ++*passes;
        ++*products; // of the refinement
        if (!(step > 0.0))
            break;
        shorts = step < 1.0 - COND_TO_BOUNDARY ? shorts + 1 : 0;
    }
    cond_account_mark("solve: interior point");
    return COND_OK;
}
