#include "base/parallel.h"
#include "base/sum.h"
#include "law/tuning.h"
#include "newton/lagged_part.h"
#include "newton/primal_dual_tie.h"
#include "problem/block.h"
#include "problem/side.h"

#include <math.h>
#include <stddef.h>

enum {
    CONTACT_WORK = 64,   // of one contact in a loop, in multiply-adds
    COORDINATE_WORK = 2, // of one coordinate
    PART_WORK = 8,       // of the coordinates of a part, over that of adding a contact's force
    N_KIND = 3,          // of ties: open, sticking, slipping
};

// Loops over parts of the coordinates, those of partial sums, or over contacts.
typedef struct Loop {
    CondLagged* lagged;
    const CondCertificateData* data;
    const double *v, *lambda, *r; // the pair looked at, and its residual
    double s;
    int moves; // 1: the pair is made by the loop
} Loop;

// Two loops that a team makes in one go; the second waits for the first.
static void run(const Loop* loop, const CondPhase* phase, int n_phase)
{
    const CondProblem* problem = loop->data->problem;
    size_t work =
        COORDINATE_WORK * (size_t)problem->n_dof + CONTACT_WORK * (size_t)problem->n_contact;
    cond_parallel_phases(n_phase, phase, cond_threads(work, loop->lagged->system.threads));
}

static CondPhase each_part(const Loop* loop, CondLoopBody body, int apart)
{
    return (CondPhase){body, loop, cond_sum_parts(loop->data->problem->n_dof), apart};
}

static CondPhase each_contact(const Loop* loop, CondLoopBody body, int apart)
{
    return (CondPhase){body, loop, loop->data->problem->n_contact, apart};
}

// First coordinate of a part.
static int part_begin(const Loop* loop, int part)
{
    return cond_contact_parts_first(&loop->lagged->system.parts, part);
}

static void invert_sums(const void* data, int first, int last)
{
    const Loop* loop = data;
    double* sum = loop->lagged->w;
    for (int i = part_begin(loop, first); i < part_begin(loop, last); i++)
        sum[i] = 1.0 / sum[i];
}

// Nodes of soft bodies that a contact joins.
static int count_nodes(const CondSoftSystem* system, const CondContact* contact)
{
    int count = 0, last = -1;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            int node = system->node[contact->side[s].coordinate[k]];
            count += node >= 0 && node != last;
            last = node;
        }
    return count;
}

// gamma = trace(J W J')/3 + slip, and the gain of what is held.
static void scale_contacts(const void* data, int first, int last)
{
    const Loop* loop = data;
    CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        const CondContact* contact = &loop->data->problem->contact[c];
        double trace = 0.0;
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &contact->side[s];
            int n = side->n_coordinate;
            for (int k = 0; k < n; k++) {
                double square = side->jacobian ? 0.0 : 1.0;
                for (int r = 0; r < 3 && side->jacobian; r++)
                    square += side->jacobian[r * n + k] * side->jacobian[r * n + k];
                trace += square * lagged->w[side->coordinate[k]];
            }
        }
        lagged->gamma[c] = trace / 3.0 + cond_certificate_slip(loop->data, c);
        lagged->gain[c] =
            (count_nodes(&lagged->system, contact) > 1 ? COND_GAIN_NODES : COND_GAIN_NODE) /
            lagged->gamma[c];
    }
}

// w_i = 1 / sum_j |a_ij|, so that no eigenvalue of W A exceeds 1; then the scale of each contact.
void cond_lagged_weigh(CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    double* sum = lagged->w;
    for (int b = 0; b < problem->n_block; b++)
        cond_block_row_sums(&problem->block[b], sum + problem->block[b].dof_begin,
                            lagged->system.threads);
    // |J'K J| <= |J|' |K| |J|, entry by entry.
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        int n = c->n_coordinate;
        for (int r = 0; r < c->n_row; r++) {
            double force = 0.0;
            for (int s = 0; s < c->n_row; s++)
                for (int k = 0; k < n; k++)
                    force += fabs(c->gain[r * c->n_row + s] * c->jacobian[s * n + k]);
            for (int k = 0; k < n; k++)
                sum[c->coordinate[k]] += fabs(c->jacobian[r * n + k]) * force;
        }
    }
    Loop loop = {.lagged = lagged, .data = data};
    CondPhase phase[] = {each_part(&loop, invert_sums, 0), each_contact(&loop, scale_contacts, 1)};
    run(&loop, phase, 2);
}

// The pair at a part s of the way, on its coordinates; velocity that predicts, that of the point
// after a step of V-FPI, x = v - W r; and r' W r.
static void coordinate_merits(const void* data, int first, int last)
{
    const Loop* loop = data;
    CondLagged* lagged = loop->lagged;
    for (int part = first; part < last; part++) {
        int begin = part_begin(loop, part), end = part_begin(loop, part + 1);
        for (int i = begin; i < end && loop->moves; i++) {
            lagged->v_try[i] = lagged->v[i] + loop->s * (lagged->v_new[i] - lagged->v[i]);
            lagged->r_try[i] = lagged->r[i] + loop->s * (lagged->r_new[i] - lagged->r[i]);
        }
        for (int i = begin; i < end; i++)
            lagged->x[i] = loop->v[i] - lagged->w[i] * loop->r[i];
        lagged->part[part] =
            cond_dot_scaled(end - begin, lagged->w + begin, loop->r + begin, loop->r + begin, 1);
    }
}

// The same of the contacts: gamma |lambda - P(l*)|^2 of each at the predicted velocity.
static void contact_merits(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    const CondProblem* problem = loop->data->problem;
    for (int i = 3 * first; i < 3 * last && loop->moves; i++)
        lagged->lambda_try[i] =
            lagged->lambda[i] + loop->s * (lagged->lambda_new[i] - lagged->lambda[i]);
    for (int c = first; c < last; c++) {
        double u[3], e[3];
        cond_contact_velocity(&problem->contact[c], lagged->x, u);
        cond_tie_error(cond_certificate_law(loop->data, c), problem->contact[c].friction,
                       lagged->gamma[c], cond_certificate_slip(loop->data, c), u,
                       loop->lambda + (ptrdiff_t)3 * c, e);
        lagged->share[c] = lagged->gamma[c] * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
}

// sqrt(sum gamma |lambda - P(l*)|^2 + r' W r)
static double merit(const Loop* loop)
{
    const CondLagged* lagged = loop->lagged;
    const CondProblem* problem = loop->data->problem;
    CondPhase phase[] = {each_part(loop, coordinate_merits, 0),
                         each_contact(loop, contact_merits, 1)};
    run(loop, phase, 2);
    double sum = cond_sum_total(cond_sum_parts(problem->n_dof), lagged->part);
    for (int c = 0; c < problem->n_contact; c++)
        sum += lagged->share[c];
    return sqrt(sum);
}

double cond_lagged_merit(CondLagged* lagged, const CondCertificateData* data)
{
    Loop loop = {
        .lagged = lagged, .data = data, .v = lagged->v, .lambda = lagged->lambda, .r = lagged->r};
    return merit(&loop);
}

double cond_lagged_try(CondLagged* lagged, const CondCertificateData* data, double s)
{
    Loop loop = {.lagged = lagged,
                 .data = data,
                 .v = lagged->v_try,
                 .lambda = lagged->lambda_try,
                 .r = lagged->r_try,
                 .s = s,
                 .moves = 1};
    return merit(&loop);
}

// Force of a tie at the velocity u.
static void tie_force(const CondTie* tie, const double* u, double* lambda)
{
    for (int i = 0; i < 3; i++)
        lambda[i] = tie->fix[i] - tie->D[3 * i] * u[0] - tie->D[3 * i + 1] * u[1] -
                    tie->D[3 * i + 2] * u[2];
}

// 0: open, 1: sticks, 2: slips.
static int kind_of(const CondTie* tie)
{
    if (tie->D[0] == 0.0 && tie->D[4] == 0.0 && tie->D[8] == 0.0)
        return 0;
    return tie->slip[0] != 0.0 || tie->slip[1] != 0.0 ? 2 : 1;
}

static void make_trials(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        double u[3], *x = lagged->trial + (ptrdiff_t)3 * c;
        cond_contact_velocity(&loop->data->problem->contact[c], lagged->x, u);
        cond_tie_trial(lagged->gamma[c], cond_certificate_slip(loop->data, c), u,
                       lagged->lambda + (ptrdiff_t)3 * c, x);
        lagged->sticks[c] = kind_of(&lagged->tie[c]) == 1 && x[0] > 0.0;
    }
}

// Trial forces of the current pair, at the velocity in x that predicts.
static CondStatus predict(CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    Loop loop = {.lagged = lagged, .data = data};
    CondPhase phase = each_contact(&loop, make_trials, 0);
    run(&loop, &phase, 1);
    if (!cond_contact_patches_any(problem, lagged->sticks, lagged->trial))
        return COND_OK;
    CondStatus status =
        lagged->patched ? COND_OK : cond_contact_patches_plan(&lagged->patches, &lagged->system);
    lagged->patched = !status;
    if (!status)
        cond_contact_patches_slip(&lagged->patches, problem, lagged->sticks, lagged->trial);
    return status;
}

// The tie of each contact, its kind before and now in sticks, and what it changes of lambda at v in
// lambda_new.
static void make_each_tie(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        const CondContact* contact = &loop->data->problem->contact[c];
        const double* lambda = lagged->lambda + (ptrdiff_t)3 * c;
        double u[3], *change = lagged->lambda_new + (ptrdiff_t)3 * c;
        cond_contact_velocity(contact, lagged->v, u);
        int before = kind_of(&lagged->tie[c]);
        double k = lagged->full ? COND_GAIN_FOLLOWING / lagged->gamma[c] : lagged->gain[c];
        lagged->tie[c] = cond_tie_make_from(cond_certificate_law(loop->data, c), contact->friction,
                                            lagged->gamma[c], cond_certificate_slip(loop->data, c),
                                            k, lagged->trial + (ptrdiff_t)3 * c,
                                            lagged->full ? NULL : u, lambda, &lagged->tie[c]);
        lagged->sticks[c] = N_KIND * before + kind_of(&lagged->tie[c]);
        tie_force(&lagged->tie[c], u, change);
        for (int i = 0; i < 3; i++)
            change[i] -= lambda[i];
    }
}

// r_new = Jc' lambda_new - r
static void tied_residual(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    const CondContactParts* parts = &lagged->system.parts;
    CondPartRange range = cond_contact_parts_range(parts, PART_WORK, first, last);
    for (int part = range.first; part < range.last; part++) {
        for (int i = part_begin(loop, part); i < part_begin(loop, part + 1); i++)
            lagged->r_new[i] = -lagged->r[i];
        cond_contact_parts_add(parts, part, 1.0, lagged->lambda_new, lagged->r_new);
    }
}

CondStatus cond_lagged_make_ties(CondLagged* lagged, const CondCertificateData* data)
{
    CondStatus status = predict(lagged, data);
    if (status)
        return status;
    Loop loop = {.lagged = lagged, .data = data};
    int work = cond_contact_parts_work(&lagged->system.parts, PART_WORK);
    CondPhase phase[] = {each_contact(&loop, make_each_tie, 0), {tied_residual, &loop, work, 1}};
    run(&loop, phase, 2);
    lagged->turned = lagged->closed = lagged->slipping = 0;
    for (int c = 0; c < data->problem->n_contact; c++) {
        int kind = lagged->sticks[c] % N_KIND;
        lagged->turned += kind != lagged->sticks[c] / N_KIND;
        lagged->closed += kind > 0;
        lagged->slipping += kind == 2;
    }
    return COND_OK;
}

static void take_velocities(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int i = part_begin(loop, first); i < part_begin(loop, last); i++) {
        lagged->v_new[i] = lagged->v[i] + lagged->x[i];
        lagged->r_new[i] = -lagged->r_new[i]; // what is left of b + Jc' lambda - A v
    }
}

// lambda_new at v_new
static void take_forces(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        double u[3];
        cond_contact_velocity(&loop->data->problem->contact[c], lagged->v_new, u);
        tie_force(&lagged->tie[c], u, lagged->lambda_new + (ptrdiff_t)3 * c);
    }
}

void cond_lagged_take_step(CondLagged* lagged, const CondCertificateData* data)
{
    Loop loop = {.lagged = lagged, .data = data};
    CondPhase phase[] = {each_part(&loop, take_velocities, 0), each_contact(&loop, take_forces, 1)};
    run(&loop, phase, 2);
}

// 1 where the pair that was tried closes a contact whose tie is open. What closes counts as an
// error until the next pass ties it, and the merit grows; a search that shies away from it would go
// through many passes with the same ties.
int cond_lagged_closes(const CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    for (int c = 0; c < problem->n_contact; c++) {
        double u[3], x[3];
        if (kind_of(&lagged->tie[c]) != 0)
            continue;
        cond_contact_velocity(&problem->contact[c], lagged->x,
                              u); // x: predicted, by cond_lagged_try()
        cond_tie_trial(lagged->gamma[c], cond_certificate_slip(data, c), u,
                       lagged->lambda_try + 3 * c, x);
        if (x[0] > 0.0)
            return 1;
    }
    return 0;
}
