// The certificate, computed in this one place for every solver.
#include "solve/certificate.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "nodalize/nodal.h"

#include <math.h>
#include <string.h>

enum {
    PART = 32,         // contacts that one thread looks at in a row
    PARTS = 64,        // of these at a time
    CONTACT_WORK = 64, // of one contact, in multiply-adds
};
static const double SELF_STRESS = 1e-9; // share of gamma |lambda| that counts in any case

double cond_certificate_residual(const CondCertificate* certificate)
{
    return fmax(certificate->dynamics, certificate->contact);
}

// |f|_D = sqrt(sum f_i^2 / a_ii)
static double weighted_norm(const CondCertificateData* data, const double* f)
{
    int n = data->problem->n_dof, threads = data->threads > 0 ? data->threads : 1;
    return sqrt(cond_dot_over(n, data->diagonal, f, f, threads));
}

// |A v - b - Jc' lambda|_D / max(|A v|_D, |b|_D, |Jc' lambda|_D)
static double dynamics_residual(const CondCertificateData* data, const double* v,
                                const double* lambda, const double* r, double* work)
{
    const CondProblem* problem = data->problem;
    int n = problem->n_dof;
    double *Av = work, *f = work + n;
    memset(f, 0, (size_t)n * sizeof *f);
    for (int c = 0; c < problem->n_contact; c++)
        cond_contact_add_force(&problem->contact[c], 1.0, lambda + 3 * c, f);
    if (!r)
        cond_problem_multiply(problem, v, Av);
    for (int i = 0; i < n && r; i++)
        Av[i] = r[i] + problem->b[i] + f[i];
    double scale = weighted_norm(data, Av);
    scale = fmax(scale, weighted_norm(data, f));
    scale = fmax(scale, weighted_norm(data, problem->b));
    for (int i = 0; i < n; i++)
        f[i] = Av[i] - problem->b[i] - f[i];
    double residual = weighted_norm(data, f);
    if (residual == 0.0)
        return 0.0;
    return residual / scale;
}

// Velocity at play in contact c: its own, what all contact forces together change of it, J_c D^-1
// Jc' lambda, and its slip. Forces that cancel each other, as those on a body squeezed between two
// walls, set nothing in motion; they count as far as rounding needs it.
static double speed_at_play(const CondCertificateData* data, int c, const double* change,
                            const double* u, double force)
{
    const CondContact* contact = &data->problem->contact[c];
    double w[3], speed = 0.0, changed = 0.0, slip = cond_certificate_slip(data, c);
    cond_contact_velocity(contact, change, w);
    for (int i = 0; i < 3; i++) {
        speed += (u[i] - contact->phi[i]) * (u[i] - contact->phi[i]);
        changed += (w[i] - contact->phi[i]) * (w[i] - contact->phi[i]);
    }
    speed = sqrt(fmax(speed, changed));
    return fmax(speed, fmax(slip, SELF_STRESS * (data->delassus[c] + slip)) * force);
}

// What a part of the contacts gives: the largest of each.
typedef struct Part {
    CondCertificate out;
    double worst, velocity;
} Part;

// change = D^-1 Jc' lambda (n_dof). `essential`: what decides alone, without the law's details.
typedef struct ContactLoop {
    const CondCertificateData* data;
    const double *v, *lambda, *change;
    int essential;
    int first; // contact of the first part
    Part* part;
} ContactLoop;

static void judge_contact(const ContactLoop* loop, int c, Part* part)
{
    const CondCertificateData* data = loop->data;
    const CondContact* contact = &data->problem->contact[c];
    const double* l = loop->lambda + (ptrdiff_t)3 * c;
    CondCertificate* out = &part->out;
    double u[3], force = 0.0;
    double slip = data->carried[c] ? 0.0 : data->compliance[c];
    double gamma = data->delassus[c] + slip + data->omega;
    cond_contact_velocity(contact, loop->v, u);
    for (int i = 0; i < 3; i++)
        force += l[i] * l[i];
    force = sqrt(force);
    part->velocity = fmax(part->velocity, speed_at_play(data, c, loop->change, u, force));
    for (int i = 0; i < 3; i++) {
        u[i] += (slip + data->omega) * l[i]; // the law holds at the virtual node
        if (data->carry && data->carried[c])
            u[i] += data->compliance[c] * (l[i] - data->carry[3 * c + i]);
    }
    CondLaw law = cond_certificate_law(data, c);
    CondLawError e = loop->essential ? cond_law_essential_error(law, contact->friction, gamma, u, l)
                                     : cond_law_error(law, contact->friction, gamma, u, l);
    // With a large mu the natural map of a slipping contact shrinks what is wrong in its normal
    // direction by 1/mu; penetration counts in full.
    double law_error = isnan(e.natural) ? e.natural : fmax(e.natural, e.penetration);
    if (!isnan(part->worst) && !(law_error <= part->worst)) { // also takes NaN, and keeps it
        part->worst = law_error;
        out->worst_contact = c;
    }
    if (data->error)
        data->error[c] = law_error;
    out->penetration = fmax(out->penetration, e.penetration);
    out->pull = fmax(out->pull, e.pull);
    out->cone = fmax(out->cone, e.cone);
    out->complementarity = fmax(out->complementarity, e.complementarity);
    out->angle = fmax(out->angle, e.angle);
    out->coupling_slip = fmax(out->coupling_slip, slip * force);
}

static void judge_parts(const void* data, int first, int last)
{
    const ContactLoop* loop = data;
    int n = loop->data->problem->n_contact;
    for (int k = first; k < last; k++) {
        int begin = loop->first + k * PART, end = begin + PART < n ? begin + PART : n;
        loop->part[k] = (Part){.out = {.worst_contact = -1}, .worst = -1.0};
        for (int c = begin; c < end; c++)
            judge_contact(loop, c, &loop->part[k]);
    }
}

static void join_part(const Part* part, Part* all)
{
    if (!isnan(all->worst) && !(part->worst <= all->worst)) {
        all->worst = part->worst;
        all->out.worst_contact = part->out.worst_contact;
    }
    all->velocity = fmax(all->velocity, part->velocity);
    all->out.penetration = fmax(all->out.penetration, part->out.penetration);
    all->out.pull = fmax(all->out.pull, part->out.pull);
    all->out.cone = fmax(all->out.cone, part->out.cone);
    all->out.complementarity = fmax(all->out.complementarity, part->out.complementarity);
    all->out.angle = fmax(all->out.angle, part->out.angle);
    all->out.coupling_slip = fmax(all->out.coupling_slip, part->out.coupling_slip);
}

static void contact_residual(const CondCertificateData* data, const double* v, const double* lambda,
                             const double* change, int essential, CondCertificate* out)
{
    int n = data->problem->n_contact, threads = data->threads > 0 ? data->threads : 1;
    Part part[PARTS], all = {.out = *out, .worst = -1.0};
    for (int first = 0; first < n; first += PARTS * PART) {
        int left = (n - first + PART - 1) / PART, count = left < PARTS ? left : PARTS;
        ContactLoop loop = {data, v, lambda, change, essential, first, part};
        size_t work = (size_t)CONTACT_WORK * PART * (size_t)count;
        cond_parallel(count, cond_threads(work, threads), judge_parts, &loop);
        for (int k = 0; k < count; k++)
            join_part(&part[k], &all);
    }
    *out = all.out;
    out->velocity_scale = all.velocity;
    out->contact_speed = n > 0 ? all.worst : 0.0;
    out->contact = out->contact_speed == 0.0 ? 0.0 : out->contact_speed / all.velocity;
}

CondCertificate cond_certificate_estimate(const CondCertificateData* data, const double* v,
                                          const double* lambda, const double* r, double* work)
{
    CondCertificate out = {.worst_contact = -1};
    int n = data->problem->n_dof;
    out.dynamics = dynamics_residual(data, v, lambda, r, work);
    for (int i = 0; i < n; i++) // A v and the residual are there: D^-1 Jc' lambda
        work[i] = (work[i] - data->problem->b[i] - work[n + i]) / data->diagonal[i];
    contact_residual(data, v, lambda, work, r != NULL, &out);
    if (!isfinite(out.dynamics))
        out.dynamics = INFINITY;
    if (!isfinite(out.contact))
        out.contact = INFINITY;
    return out;
}

CondCertificate cond_certificate_compute(const CondCertificateData* data, const double* v,
                                         const double* lambda, double* work)
{
    return cond_certificate_estimate(data, v, lambda, NULL, work);
}

CondStatus cond_problem_virtual_sides(const CondContext* context, const CondProblem* problem,
                                      int* virtual_sides)
{
    CondContext m = cond_context_or_default(context);
    int* mark = cond_allocate(&m, (size_t)problem->n_dof, sizeof *mark);
    int* own = cond_allocate(&m, 2 * (size_t)problem->n_contact, sizeof *own);
    CondStatus status = mark && own ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status) {
        cond_nodal_own_sides(problem, mark, own);
        for (int c = 0; c < problem->n_contact; c++) {
            virtual_sides[c] = 0;
            for (int s = 0; s < 2; s++)
                if (problem->contact[c].side[s].n_coordinate > 0 && !own[2 * c + s])
                    virtual_sides[c]++;
        }
    }
    cond_release(&m, mark);
    cond_release(&m, own);
    return status;
}

static CondStatus certify(const CondContext* context, const CondProblem* problem, CondLaw law,
                          double omega, const int* relaxed, const double* v, const double* lambda,
                          double* error, CondCertificate* certificate)
{
    CondContext m = cond_context_or_default(context);
    size_t n = (size_t)problem->n_dof, nc = (size_t)problem->n_contact;
    double* work = cond_allocate(&m, 3 * n + 2 * nc, sizeof *work);
    int* sides = cond_allocate(&m, 2 * nc, sizeof *sides); // virtual sides, then carried flags
    CondStatus status = work && sides ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_problem_virtual_sides(context, problem, sides);
    if (!status) {
        double *diagonal = work + 2 * n, *delassus = work + 3 * n, *compliance = delassus + nc;
        cond_problem_diagonal(problem, diagonal);
        for (int c = 0; c < problem->n_contact; c++) {
            double kv = problem->contact[c].kv;
            delassus[c] = cond_contact_delassus(&problem->contact[c], diagonal);
            compliance[c] = isfinite(kv) ? sides[c] / kv : 0.0;
        }
        CondCertificateData data = {.problem = problem,
                                    .law = law,
                                    .omega = omega,
                                    .diagonal = diagonal,
                                    .delassus = delassus,
                                    .compliance = compliance,
                                    .carried = sides + nc,
                                    .relaxed = relaxed,
                                    .error = error};
        *certificate = cond_certificate_compute(&data, v, lambda, work);
    }
    cond_release(&m, work);
    cond_release(&m, sides);
    return status;
}

CondStatus cond_certify(const CondContext* context, const CondProblem* problem, CondLaw law,
                        double omega, const double* v, const double* lambda,
                        CondCertificate* certificate)
{
    return certify(context, problem, law, omega, NULL, v, lambda, NULL, certificate);
}

CondStatus cond_certify_relaxed(const CondContext* context, const CondProblem* problem, CondLaw law,
                                double omega, const int* relaxed, const double* v,
                                const double* lambda, CondCertificate* certificate)
{
    return certify(context, problem, law, omega, relaxed, v, lambda, NULL, certificate);
}

CondStatus cond_certify_contacts(const CondContext* context, const CondProblem* problem,
                                 CondLaw law, double omega, const double* v, const double* lambda,
                                 double* error)
{
    CondCertificate certificate;
    return certify(context, problem, law, omega, NULL, v, lambda, error, &certificate);
}
