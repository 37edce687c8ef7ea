// The certificate, computed in this one place for every solver.
#include "law/certificate.h"
#include "base/error.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "device/sum.h"
#include "law/tuning.h"
#include "nodalize/nodal.h"
#include "problem/block.h"
#include "problem/contact_parts.h"

#include <math.h>
#include <string.h>

enum {
    LEAST = 32,  // contacts that one thread looks at in a row
    PARTS = 128, // of contacts, and of coordinates at a time
};

double cond_certificate_residual(const CondCertificate* certificate)
{
    return fmax(certificate->dynamics, certificate->contact);
}

// |A v - b - Jc' lambda|_D and what it is held against, from partial sums.
typedef struct Norms {
    double Av, f, b, residual; // squares
} Norms;

// Parts of the coordinates, of a partial sum each. Where the parts of the contacts are known the
// loop makes f, otherwise it is there. With r it makes Av, otherwise that is there. f becomes
// the residual, Av the change D^-1 Jc' lambda.
typedef struct DynamicsLoop {
    const CondCertificateData* data;
    const double *lambda, *r;
    double *Av, *f;
    int first; // part
    Norms* norms;
} DynamicsLoop;

// Coordinates that count: of a problem over ranks, those of this one.
static int n_counted(const CondCertificateData* data)
{
    return data->ranks ? data->ranks->n_own : data->problem->n_dof;
}

// Work of the parts before, as threads share it out, and the parts of a share.
static int work_before(const CondCertificateData* data, int part)
{
    return data->parts ? cond_contact_parts_before(data->parts, part) : part;
}

static CondPartRange part_range(const DynamicsLoop* l, int first, int last)
{
    int before = work_before(l->data, l->first);
    if (l->data->parts)
        return cond_contact_parts_range(l->data->parts, before + first, before + last);
    return (CondPartRange){before + first, before + last};
}

static void judge_coordinates(const void* loop, int first, int last)
{
    const DynamicsLoop* l = loop;
    const CondCertificateData* data = l->data;
    const double *b = data->problem->b, *d = data->diagonal;
    double *Av = l->Av, *f = l->f;
    CondPartRange range = part_range(l, first, last);
    for (int part = range.first; part < range.last; part++) {
        int begin = part * COND_SUM_BLOCK, n = n_counted(data) - begin;
        n = n < COND_SUM_BLOCK ? n : COND_SUM_BLOCK;
        if (data->parts) {
            memset(f + begin, 0, (size_t)n * sizeof *f);
            cond_contact_parts_add(data->parts, part, 1.0, l->lambda, f);
        }
        for (int i = begin; i < begin + n && l->r; i++)
            Av[i] = l->r[i] + b[i] + f[i];
        Norms* norms = &l->norms[part - l->first];
        norms->Av = cond_dot_over(n, d + begin, Av + begin, Av + begin, 1);
        norms->f = cond_dot_over(n, d + begin, f + begin, f + begin, 1);
        norms->b = cond_dot_over(n, d + begin, b + begin, b + begin, 1);
        for (int i = begin; i < begin + n; i++) {
            f[i] = Av[i] - b[i] - f[i];
            Av[i] = (Av[i] - b[i] - f[i]) / d[i];
        }
        norms->residual = cond_dot_over(n, d + begin, f + begin, f + begin, 1);
    }
}

// |A v - b - Jc' lambda|_D / max(|A v|_D, |b|_D, |Jc' lambda|_D)
static double dynamics_residual(const Norms* all)
{
    double scale = fmax(fmax(sqrt(all->Av), sqrt(all->f)), sqrt(all->b));
    double residual = sqrt(all->residual);
    return residual == 0.0 ? 0.0 : residual / scale;
}

// Of the forces of an interval, what counts in any case. Dry friction that nothing works against
// has neither a velocity nor a force, and what rounding leaves of them is no error.
static double interval_share(const CondContact* contact, double force)
{
    double width = contact->bound[1] - contact->bound[0];
    double share =
        contact->compliance > 0.0 || isinf(width) ? 0.0 : 0.5 * COND_CERTIFICATE_WIDTH * width;
    return fmax(share, COND_INPUT_ROUNDING * force);
}

// Velocity at play in contact c: its own, what all contact forces together change of it, J_c D^-1
// Jc' lambda, and its slip. Forces that cancel each other, as those on a body squeezed between two
// walls, set nothing in motion; they count as far as rounding needs it.
// The slip of an interval is no motion: a weak motor far from its aim has much of it at rest.
//                                                        w = J_c D^-1 Jc' lambda + phi
static double speed_at_play(const CondCertificateData* data, int c, const double* u,
                            const double* w, double force)
{
    const CondContact* contact = &data->problem->contact[c];
    double speed = 0.0, changed = 0.0, slip = cond_certificate_slip(data, c);
    if (contact->set == COND_FORCE_INTERVAL) { // without squares, however small it is
        speed = fmax(fabs(u[0] - contact->phi[0]), fabs(w[0] - contact->phi[0]));
        return fmax(speed, interval_share(contact, force) * data->delassus[c]);
    }
    for (int i = 0; i < 3; i++) {
        speed += (u[i] - contact->phi[i]) * (u[i] - contact->phi[i]);
        changed += (w[i] - contact->phi[i]) * (w[i] - contact->phi[i]);
    }
    speed = sqrt(scalar_max(speed, changed));
    return scalar_max(speed,
                      scalar_max(slip, COND_INPUT_ROUNDING * (data->delassus[c] + slip)) * force);
}

// Friction cones share one unit, metres a second, and are judged together. An interval of forces
// has its own, which may be radians a second; u^2/gamma is a power whatever the unit, so intervals
// are judged by e/sqrt(gamma) against the largest u/sqrt(gamma) of all contacts.
enum { CONES, INTERVALS, N_CLASS };

// What a part of the contacts gives: the largest of each.
typedef struct Part {
    CondCertificate out;
    double worst[N_CLASS], velocity[N_CLASS];
    double unit[N_CLASS]; // of the worst contact of intervals: the root of its scale
    int at[N_CLASS];      // the worst contact; -1: none
    int own[N_CLASS];     // the same as this rank counts
} Part;

static const Part no_part = {
    .out = {.worst_contact = -1}, .worst = {-1.0, -1.0}, .at = {-1, -1}, .own = {-1, -1}};

static void take_worst(int k, double error, double unit, int at, int own, Part* part)
{
    if (!isnan(part->worst[k]) && !(error <= part->worst[k])) { // also takes NaN, and keeps it
        part->worst[k] = error;
        part->unit[k] = unit;
        part->at[k] = at;
        part->own[k] = own;
    }
}

// change = D^-1 Jc' lambda (n_dof).
typedef struct ContactLoop {
    const CondCertificateData* data;
    const double *v, *lambda, *change;
    int size; // contacts of a part
    Part* part;
} ContactLoop;

// Its velocity, what all forces change of that, and the error of its law.
typedef struct Seen {
    const double *u, *w; //                                                            (3)
    double natural, penetration;
} Seen;

static void judge_contact(const ContactLoop* loop, int c, const Seen* seen, Part* part)
{
    const CondCertificateData* data = loop->data;
    const double* l = loop->lambda + (ptrdiff_t)3 * c;
    CondCertificate* out = &part->out;
    double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    int kind = data->problem->contact[c].set == COND_FORCE_INTERVAL ? INTERVALS : CONES;
    double speed = speed_at_play(data, c, seen->u, seen->w, force);
    if (kind == CONES)
        part->velocity[CONES] = scalar_max(part->velocity[CONES], speed);
    if (data->bounded)
        part->velocity[INTERVALS] =
            scalar_max(part->velocity[INTERVALS], speed / sqrt(data->delassus[c]));
    // With a large mu the natural map of a slipping contact shrinks what is wrong in its normal
    // direction by 1/mu; penetration counts in full.
    double law_error = scalar_max(seen->natural, seen->penetration); // NaN where natural is
    double unit = kind == CONES ? 1.0 : sqrt(data->delassus[c]);
    take_worst(kind, law_error / unit, unit, data->ranks ? data->ranks->contact[c] : c, c, part);
    if (data->error)
        data->error[c] = law_error;
    out->penetration = scalar_max(out->penetration, seen->penetration);
    if (!data->carried[c])
        out->coupling_slip = scalar_max(out->coupling_slip, data->compliance[c] * force);
}

// Contacts first .. last - 1, at most LEAST.
static void judge_few(const ContactLoop* loop, int first, int last, Part* part)
{
    const CondCertificateData* data = loop->data;
    const double* lambda = loop->lambda + (ptrdiff_t)3 * first;
    double u[3 * LEAST], w[3 * LEAST], at[3 * LEAST], natural[LEAST], penetration[LEAST];
    int n = last - first;
    cond_certificate_velocity(data, loop->v, first, last, u);
    cond_certificate_velocity(data, loop->change, first, last, w);
    memcpy(at, u, 3 * (size_t)n * sizeof *u);
    for (int k = 0; k < n; k++)
        cond_certificate_add_slip(data, first + k, lambda + 3 * k, at + 3 * k);
    cond_certificate_law_errors(data, first, n, at, lambda, natural, penetration);
    for (int k = 0; k < n; k++) {
        Seen seen = {u + 3 * k, w + 3 * k, natural[k], penetration[k]};
        judge_contact(loop, first + k, &seen, part);
    }
    if (data->u)
        memcpy(data->u + (ptrdiff_t)3 * first, u, 3 * (size_t)n * sizeof *u);
}

static void judge_parts(const void* data, int first, int last)
{
    const ContactLoop* loop = data;
    int n = loop->data->problem->n_contact;
    for (int k = first; k < last; k++) {
        int begin = k * loop->size, end = begin + loop->size < n ? begin + loop->size : n;
        loop->part[k] = no_part;
        for (int few = begin; few < end; few += LEAST)
            judge_few(loop, few, few + LEAST < end ? few + LEAST : end, &loop->part[k]);
    }
}

static void join_part(const Part* part, Part* all)
{
    for (int k = 0; k < N_CLASS; k++) {
        take_worst(k, part->worst[k], part->unit[k], part->at[k], part->own[k], all);
        all->velocity[k] = fmax(all->velocity[k], part->velocity[k]);
    }
    all->out.penetration = fmax(all->out.penetration, part->out.penetration);
    all->out.coupling_slip = fmax(all->out.coupling_slip, part->out.coupling_slip);
}

// Error over velocity of a class; 0 where it has no contacts.
static double ratio_of(const Part* all, int k)
{
    return all->at[k] < 0 || all->worst[k] == 0.0 ? 0.0 : all->worst[k] / all->velocity[k];
}

// The class that is worse off, with its error and velocity in the unit of its worst contact.
static void conclude(const Part* all, CondCertificate* out)
{
    double cones = ratio_of(all, CONES), intervals = ratio_of(all, INTERVALS);
    int k = CONES;
    if (all->at[INTERVALS] >= 0 && (all->at[CONES] < 0 || (!isnan(cones) && !(intervals <= cones))))
        k = INTERVALS;
    out->worst_contact = all->at[k];
    if (out->worst_contact < 0)
        return;
    out->velocity_scale = all->unit[k] * all->velocity[k];
    out->contact_speed = all->unit[k] * all->worst[k];
    out->contact = k == INTERVALS ? intervals : cones;
}

// sum_k |J_k| |v_k|, the columns in the rows in which the contact acts.
static double motion_of(const CondContact* contact, const double* v)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        for (int k = 0; k < side->n_coordinate; k++)
            sum += sqrt(cond_contact_square(contact, side, k)) * fabs(v[side->coordinate[k]]);
    }
    return sum;
}

// A ball that rolls has a velocity and a spin whose sum in the contact is rounding of both: of the
// worst contacts a share of what cancels there is at play too. Their indices are this rank's own.
static void add_cancelled(const CondCertificateData* data, const double* v, Part* all)
{
    for (int k = 0; k < N_CLASS; k++)
        if (all->own[k] >= 0)
            all->velocity[k] = scalar_max(
                all->velocity[k],
                COND_CANCELS * motion_of(&data->problem->contact[all->own[k]], v) / all->unit[k]);
}

static CondPhase contact_phase(const ContactLoop* loop)
{
    int n = loop->data->problem->n_contact;
    return (CondPhase){judge_parts, loop, (n + loop->size - 1) / loop->size, 1};
}

static void add_norms(int n, const Norms* norms, Norms* all)
{
    for (int k = 0; k < n; k++) {
        all->Av += norms[k].Av;
        all->f += norms[k].f;
        all->b += norms[k].b;
        all->residual += norms[k].residual;
    }
}

// Dynamics, and with the last of its parts contacts.
static Norms judge_all(DynamicsLoop* dynamics, const ContactLoop* contacts)
{
    const CondCertificateData* data = dynamics->data;
    int n_part = cond_sum_parts(n_counted(data)), first = 0, apart = data->ranks != NULL;
    size_t work = (size_t)COND_CONTACT_WORK * (size_t)data->problem->n_contact +
                  COND_COORDINATE_WORK * (size_t)data->problem->n_dof;
    int threads = cond_threads_chained(work, data->threads > 0 ? data->threads : 1);
    Norms norms[PARTS], all = {0.0, 0.0, 0.0, 0.0};
    dynamics->norms = norms;
    do {
        int count = n_part - first < PARTS ? n_part - first : PARTS;
        int shares = work_before(data, first + count) - work_before(data, first);
        dynamics->first = first;
        first += count;
        CondPhase phase[2] = {{judge_coordinates, dynamics, shares, 0}, contact_phase(contacts)};
        cond_parallel_phases(first < n_part || apart ? 1 : 2, phase, threads, __func__);
        add_norms(count, norms, &all);
    } while (first < n_part);
    if (apart) { // contacts see the change of others' coordinates
        CondPhase phase = contact_phase(contacts);
        data->ranks->exchange(data->ranks->data, dynamics->Av);
        cond_parallel_phases(1, &phase, threads, __func__);
    }
    return all;
}

// Dynamics and contacts of all ranks, from those of this one.
static void join_ranks(const CondRanks* ranks, Norms* norms, Part* part)
{
    typedef struct Share {
        Norms norms;
        Part part;
    } Share;
    Share mine = {*norms, *part};
    const Share* share = ranks->gather(ranks->data, sizeof mine, &mine);
    *norms = (Norms){0.0, 0.0, 0.0, 0.0};
    *part = no_part;
    for (int r = 0; r < ranks->n_rank; r++) {
        add_norms(1, &share[r].norms, norms);
        join_part(&share[r].part, part);
    }
}

CondCertificate cond_certificate_estimate(const CondCertificateData* data, const double* v,
                                          const double* lambda, const double* r, double* work)
{
    const CondProblem* problem = data->problem;
    int n = problem->n_dof, nc = problem->n_contact;
    double *Av = work, *f = work + n;
    CondCertificate out;
    memset(&out, 0, sizeof out); // what lies between its numbers too: answers are compared by bytes
    out.worst_contact = -1;
    Part part[PARTS], all = no_part;
    all.out = out;
    int size = (nc + PARTS - 1) / PARTS > LEAST ? (nc + PARTS - 1) / PARTS : LEAST;
    if (!data->parts) {
        memset(f, 0, (size_t)n * sizeof *f);
        for (int c = 0; c < nc; c++)
            cond_contact_add_force(&problem->contact[c], 1.0, lambda + (ptrdiff_t)3 * c, f);
    }
    if (!r && data->ranks) {
        data->ranks->multiply(data->ranks->data, v, Av);
    } else if (!r) {
        cond_problem_multiply_blocks(problem, v, NULL, Av, data->threads > 0 ? data->threads : 1);
        cond_problem_add_couplings(problem, v, Av);
    }
    DynamicsLoop dynamics = {.data = data, .lambda = lambda, .r = r, .Av = Av, .f = f};
    ContactLoop contacts = {data, v, lambda, Av, size, part};
    Norms norms = judge_all(&dynamics, &contacts);
    for (int k = 0; k * size < nc; k++)
        join_part(&part[k], &all);
    add_cancelled(data, v, &all);
    if (data->ranks)
        join_ranks(data->ranks, &norms, &all);
    out = all.out;
    out.dynamics = dynamics_residual(&norms);
    conclude(&all, &out);
    for (int k = 0; k < N_CLASS && data->play; k++)
        data->play[k] = all.velocity[k];
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

static int count_virtual(const CondContact* contact, const int own[2])
{
    return (contact->side[0].n_coordinate > 0 && !own[0]) +
           (contact->side[1].n_coordinate > 0 && !own[1]);
}

CondStatus cond_problem_virtual_sides(const CondContext* context, const CondProblem* problem,
                                      int* virtual_sides)
{
    CondContext m = cond_context_or_default(context);
    int* mark = cond_allocate(&m, (size_t)problem->n_dof, sizeof *mark);
    int* own = cond_allocate(&m, 2 * (size_t)problem->n_contact, sizeof *own);
    CondStatus status = mark && own ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status) {
        cond_nodal_own_sides(problem, 1, mark, own);
        for (int c = 0; c < problem->n_contact; c++)
            virtual_sides[c] = count_virtual(&problem->contact[c], own + 2 * (size_t)c);
    }
    cond_release(&m, mark);
    cond_release(&m, own);
    return status;
}

void cond_certifier_begin(const CondContext* context, CondCertifier* certifier)
{
    memset(certifier, 0, sizeof *certifier);
    cond_arena_begin(context, &certifier->arena);
}

void cond_certifier_end(CondCertifier* certifier)
{
    cond_arena_release(&certifier->arena);
}

static CondStatus reserve(CondCertifier* certifier, int n, int nc)
{
    CondArena* arena = &certifier->arena;
    return COND_RESERVE(arena, certifier->diagonal, n) ||
                   COND_RESERVE(arena, certifier->work, 2 * n) ||
                   COND_RESERVE(arena, certifier->delassus, nc) ||
                   COND_RESERVE(arena, certifier->compliance, nc) ||
                   COND_RESERVE(arena, certifier->mark, n) ||
                   COND_RESERVE(arena, certifier->own, 2 * nc) ||
                   COND_RESERVE(arena, certifier->carried, nc)
               ? COND_OUT_OF_MEMORY
               : COND_OK;
}

typedef struct ScaleLoop {
    const CondCertifier* certifier;
    const CondProblem* problem;
} ScaleLoop;

static void scale_some(const void* loop, int first, int last)
{
    const ScaleLoop* l = loop;
    for (int c = first; c < last; c++) {
        const CondContact* contact = &l->problem->contact[c];
        int sides = count_virtual(contact, l->certifier->own + 2 * (size_t)c);
        l->certifier->delassus[c] = cond_contact_delassus(contact, l->certifier->diagonal);
        l->certifier->compliance[c] = isfinite(contact->kv) ? sides / contact->kv : 0.0;
    }
}

CondStatus cond_certifier_judge(CondCertifier* certifier, const CondProblem* problem, CondLaw law,
                                double omega, const int* relaxed, const double* v,
                                const double* lambda, double* error, CondCertificate* certificate)
{
    if (reserve(certifier, problem->n_dof, problem->n_contact))
        return cond_error_set(NULL, COND_OUT_OF_MEMORY, "no memory for a certificate");
    int bounded = 0, threads = certifier->threads > 0 ? certifier->threads : 1;
    cond_nodal_own_sides(problem, threads, certifier->mark, certifier->own);
    cond_problem_diagonal_by(problem, certifier->diagonal, threads);
    for (int c = 0; c < problem->n_contact; c++)
        bounded |= problem->contact[c].set == COND_FORCE_INTERVAL;
    ScaleLoop scale = {certifier, problem};
    cond_parallel(problem->n_contact,
                  cond_threads(COND_CONTACT_WORK * (size_t)problem->n_contact, threads), scale_some,
                  &scale);
    CondCertificateData data = {.problem = problem,
                                .law = law,
                                .omega = omega,
                                .diagonal = certifier->diagonal,
                                .delassus = certifier->delassus,
                                .bounded = bounded,
                                .compliance = certifier->compliance,
                                .carried = certifier->carried,
                                .relaxed = relaxed,
                                .threads = threads,
                                .error = error};
    *certificate = cond_certificate_compute(&data, v, lambda, certifier->work);
    cond_certificate_detail(&data, v, lambda, certificate);
    return COND_OK;
}

static CondStatus certify(const CondContext* context, const CondProblem* problem, CondLaw law,
                          double omega, const int* relaxed, const double* v, const double* lambda,
                          double* error, CondCertificate* certificate)
{
    CondCertifier certifier;
    cond_certifier_begin(context, &certifier);
    CondStatus status = cond_certifier_judge(&certifier, problem, law, omega, relaxed, v, lambda,
                                             error, certificate);
    cond_certifier_end(&certifier);
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
