// The resident method: a step, and its certificate.
#include "newton/resident_part.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "newton/tuning.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

#define ROOM(buffers, field, n)                                                                    \
    ((field) = cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)))
#define PUT(buffers, field, from, n)                                                               \
    ((field) = cond_resident_put(r, &r->buffers, from, (size_t)(n) * sizeof *(field)))

// ---- certificate

// Friction cones and intervals of forces are judged apart, as in law/certificate.c.
enum { CONES, INTERVALS, N_CLASS };

// Sums of the dynamics, and the largest of the contacts.
typedef struct Judged {
    double norm[4], speed[N_CLASS], error[N_CLASS], unit[N_CLASS], penetration, coupling;
    int at[N_CLASS]; // the worst contact; -1: none
} Judged;

void cond_resident_press(CondResident* r, const double* x)
{
    CondResidentView* v = &r->linear.v;
    v->from = x;
    cond_resident_loop(r, &cond_resident_rates, r->n_row, COND_CONTACT_WORK, v);
    cond_resident_loop(r, &cond_resident_presses, r->n_row, COND_COORDINATE_WORK, v);
}

static void find_largest(CondResident* r, const double* from, double* most)
{
    CondResidentView* v = &r->linear.v;
    v->from = from;
    cond_resident_most(r, &cond_resident_largest, v->n_contact, 1, v, most);
}

static void judge(CondResident* r, Judged* j)
{
    CondResidentView* v = &r->linear.v;
    memset(j, 0, sizeof *j);
    j->error[INTERVALS] = -1.0;
    if (!v->asked_r)
        cond_resident_press(r, v->asked_v);
    cond_resident_loop(r, &cond_resident_judges, v->n_point, COND_CONTACT_WORK, v);
    cond_resident_loop(r, &cond_resident_judges_contacts, v->n_contact, COND_CONTACT_WORK, v);
    for (int k = 0; k < 4; k++) {
        v->from = v->norm + (ptrdiff_t)k * v->n_point;
        cond_resident_sum(r, &cond_resident_adds, v->n_point, 1, v, &j->norm[k]);
    }
    find_largest(r, v->speed, &j->speed[CONES]);
    find_largest(r, v->error, &j->error[CONES]);
    find_largest(r, v->penetration, &j->penetration);
    if (v->bounded) {
        find_largest(r, v->power, &j->speed[INTERVALS]);
        find_largest(r, v->error_bounded, &j->error[INTERVALS]);
    }
    cond_resident_most(r, &cond_resident_couplings, v->n_contact, COND_COORDINATE_WORK, v,
                       &j->coupling);
    cond_resident_wait(r);
}

// The contact with the largest error of a class; the motions that cancel there are at play.
static void find_worst(CondResident* r, const CondCertificateData* data, int k, Judged* j)
{
    CondResidentView* v = &r->linear.v;
    double at = 0.0, motion = 0.0;
    j->at[k] = isnan(j->error[k]) ? 0 : -1;
    j->unit[k] = 1.0;
    if (r->status || isnan(j->error[k]) || j->error[k] < 0.0)
        return;
    v->worst = j->error[k];
    v->from = k == CONES ? v->error : v->error_bounded;
    cond_resident_most(r, &cond_resident_worst, v->n_contact, 1, v, &at);
    cond_resident_most(r, &cond_resident_motions, v->n_contact, 2, v, &motion);
    cond_resident_wait(r);
    if (r->status)
        return;
    j->at[k] = (int)-at;
    j->unit[k] = k == CONES ? 1.0 : sqrt(data->delassus[j->at[k]]);
    j->speed[k] = fmax(fmax(j->speed[k], 0.0), COND_CANCELS * motion / j->unit[k]);
}

// The class that is worse off, with its error and velocity in the unit of its worst contact.
static void conclude(const Judged* j, CondCertificate* out)
{
    double ratio[N_CLASS];
    for (int k = 0; k < N_CLASS; k++)
        ratio[k] = j->at[k] < 0 || j->error[k] == 0.0 ? 0.0 : j->error[k] / j->speed[k];
    int k = CONES;
    if (j->at[INTERVALS] >= 0 &&
        (j->at[CONES] < 0 || (!isnan(ratio[CONES]) && !(ratio[INTERVALS] <= ratio[CONES]))))
        k = INTERVALS;
    out->worst_contact = j->at[k];
    out->velocity_scale = j->unit[k] * j->speed[k];
    out->contact_speed = j->unit[k] * j->error[k];
    out->contact = ratio[k];
}

CondCertificate cond_resident_certify(CondResident* r, const CondCertificateData* data, int which)
{
    CondResidentView* v = &r->linear.v;
    CondCertificate out;
    Judged j;
    memset(&out, 0, sizeof out);
    v->asked_v = which == COND_RESIDENT_BEST ? v->best_v : v->now.v;
    v->asked_lambda = which == COND_RESIDENT_BEST ? v->best_lambda : v->now.lambda;
    v->asked_r = which == COND_RESIDENT_BY_R ? v->now.r : NULL;
    v->measured_r = which == COND_RESIDENT_BEST ? v->dx : v->now.r;
    judge(r, &j);
    for (int k = 0; k < N_CLASS; k++)
        find_worst(r, data, k, &j);
    double scale = fmax(fmax(sqrt(j.norm[0]), sqrt(j.norm[1])), sqrt(j.norm[2]));
    out.dynamics = j.norm[3] == 0.0 ? 0.0 : sqrt(j.norm[3]) / scale;
    conclude(&j, &out);
    out.penetration = fmax(j.penetration, 0.0);
    out.coupling_slip = fmax(j.coupling, 0.0);
    for (int k = 0; k < N_CLASS && data->play; k++)
        data->play[k] = j.speed[k];
    if (r->status || !isfinite(out.dynamics))
        out.dynamics = INFINITY;
    if (r->status || !isfinite(out.contact))
        out.contact = INFINITY;
    return out;
}

void cond_resident_add_speeds(CondResident* r, double fastest[2])
{
    double most = 0.0;
    cond_resident_most(r, &cond_resident_speeds, r->linear.v.n_contact, COND_COORDINATE_WORK,
                       &r->linear.v, &most);
    double power = 0.0;
    if (r->linear.v.bounded)
        cond_resident_most(r, &cond_resident_powers, r->linear.v.n_contact, COND_COORDINATE_WORK,
                           &r->linear.v, &power);
    cond_resident_wait(r);
    fastest[0] = fmax(fastest[0], most);
    fastest[1] = fmax(fastest[1], power);
}

// ---- merits

static double join_merits(CondResident* r, double coordinates, double contacts)
{
    return r->status ? INFINITY : sqrt(coordinates + contacts);
}

double cond_resident_merit(CondResident* r)
{
    double a = 0.0, b = 0.0;
    const CondResidentView* v = &r->linear.v;
    cond_resident_sum(r, &cond_resident_merits, v->n_point, COND_COORDINATE_WORK, v, &a);
    cond_resident_sum(r, &cond_resident_merits_contacts, v->n_contact, COND_CONTACT_WORK, v, &b);
    cond_resident_wait(r);
    return join_merits(r, a, b);
}

double cond_resident_try(CondResident* r, double share)
{
    double a = 0.0, b = 0.0;
    CondResidentView* v = &r->linear.v;
    v->share = share;
    cond_resident_sum(r, &cond_resident_tries, v->n_point, COND_COORDINATE_WORK, v, &a);
    cond_resident_sum(r, &cond_resident_tries_contacts, v->n_contact, COND_CONTACT_WORK, v, &b);
    cond_resident_wait(r);
    return join_merits(r, a, b);
}

double cond_resident_strain(CondResident* r)
{
    double most = -INFINITY;
    cond_resident_most(r, &cond_resident_leaves, r->linear.v.n_contact, COND_CONTACT_WORK,
                       &r->linear.v, &most);
    cond_resident_wait(r);
    return -most;
}

// ---- prediction, with patches

static void put_patch_level(CondResident* r, const CondPatchLevel* level, CondPatchView* to)
{
    int n = 0, *list = r->list; // chunks
    for (int g = 0; g < level->n_group; g++)
        n += (level->begin[g + 1] - level->begin[g] + COND_PACKED_BLOCK - 1) / COND_PACKED_BLOCK;
    if (COND_RESERVE(&r->arena, r->list, 2 * n + 1 + level->n_group + 1)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    list = r->list;
    int *group = list, *begin = group + n, *chunk = begin + n + 1, at = 0;
    for (int g = 0; g < level->n_group; g++) {
        chunk[g] = at;
        for (int k = level->begin[g]; k < level->begin[g + 1]; k += COND_PACKED_BLOCK) {
            group[at] = g;
            begin[at++] = k;
        }
    }
    chunk[level->n_group] = at;
    begin[n] = level->begin[level->n_group];
    to->n_group = level->n_group;
    to->n_chunk = n;
    PUT(of_patches, to->chunk_group, group, n);
    PUT(of_patches, to->chunk_begin, begin, n + 1);
    PUT(of_patches, to->group_chunk, chunk, level->n_group + 1);
    PUT(of_patches, to->group_contact, level->contact, level->begin[level->n_group]);
}

static void put_patches(CondResident* r, CondSemismooth* newton)
{
    CondContactPatches* patches = &newton->patches;
    int most_chunks = 0, most_groups = 0;
    if (!newton->patched) {
        CondStatus status = cond_contact_patches_plan(patches, &newton->soft.system);
        r->status = r->status ? r->status : status;
        newton->patched = !status;
    }
    r->of_patches.next = 0;
    r->n_patch_level = 0;
    for (int l = 0; l < patches->n_level && !r->status; l++) {
        put_patch_level(r, &patches->level[l], &r->patch[l]);
        most_chunks = r->patch[l].n_chunk > most_chunks ? r->patch[l].n_chunk : most_chunks;
        most_groups = r->patch[l].n_group > most_groups ? r->patch[l].n_group : most_groups;
        r->n_patch_level++;
    }
    ROOM(of_patches, r->linear.v.chunk_first, most_chunks);
    ROOM(of_patches, r->linear.v.group_first, most_groups);
    ROOM(of_patches, r->linear.v.chunk_load, COND_PATCH_LOAD * (size_t)most_chunks);
    ROOM(of_patches, r->linear.v.group_load, COND_PATCH_LOAD * (size_t)most_groups);
}

static void let_patches_slip(CondResident* r)
{
    CondResidentView v = r->linear.v;
    cond_resident_loop(r, &cond_patch_forgets, v.n_contact, 1, &v);
    for (int l = 0; l < r->n_patch_level; l++) {
        const CondPatchView* patch = &r->patch[l];
        v.chunk_group = patch->chunk_group;
        v.chunk_begin = patch->chunk_begin;
        v.group_chunk = patch->group_chunk;
        v.group_contact = patch->group_contact;
        cond_resident_loop(r, &cond_patch_firsts, patch->n_chunk, COND_COORDINATE_WORK, &v);
        cond_resident_loop(r, &cond_patch_firsts_of_groups, patch->n_group, COND_COORDINATE_WORK,
                           &v);
        cond_resident_loop(r, &cond_patch_loads, patch->n_chunk, COND_CONTACT_WORK, &v);
        cond_resident_loop(r, &cond_patch_loads_of_groups, patch->n_group, COND_CONTACT_WORK, &v);
        cond_resident_loop(r, &cond_patch_shares, patch->n_chunk, COND_CONTACT_WORK, &v);
    }
    cond_resident_loop(r, &cond_patch_takes, v.n_contact, 4, &v);
}

void cond_resident_predict(CondSemismooth* newton)
{
    CondResident* r = newton->resident;
    const CondResidentView* v = &r->linear.v;
    double overloaded = 0.0;
    cond_resident_loop(r, &cond_resident_predicts, v->n_contact, COND_CONTACT_WORK, v);
    cond_resident_sum(r, &cond_resident_overloads, v->n_contact, COND_COORDINATE_WORK, v,
                      &overloaded);
    cond_resident_wait(r);
    if (r->status || overloaded == 0.0)
        return;
    if (r->n_patch_level < 0)
        put_patches(r, newton);
    let_patches_slip(r);
}

void cond_resident_linearise(CondSemismooth* newton, double resistance)
{
    CondResident* r = newton->resident;
    CondResidentView* v = &r->linear.v;
    double turned = 0.0, closed = 0.0, slipping = 0.0;
    v->resistance = resistance;
    v->follows = newton->follows;
    cond_resident_loop(r, &cond_resident_linearises, v->n_contact, COND_CONTACT_WORK, v);
    cond_resident_loop(r, &cond_resident_right_hand, v->n_point, COND_COORDINATE_WORK, v);
    cond_resident_sum(r, &cond_resident_turned, v->n_contact, 1, v, &turned);
    cond_resident_sum(r, &cond_resident_closed, v->n_contact, 1, v, &closed);
    cond_resident_sum(r, &cond_resident_slipping, v->n_contact, 1, v, &slipping);
    cond_resident_wait(r);
    newton->turned = (int)turned;
    newton->closed = (int)closed;
    newton->slipping = (int)slipping;
}

// ---- pairs

static void copy(CondResident* r, int n, const double* from, double* to)
{
    CondResidentView v = r->linear.v;
    v.from = from;
    v.to = to;
    cond_resident_loop(r, &cond_resident_copies, n, 1, &v);
}

static void swap(CondPairView* a, CondPairView* b)
{
    CondPairView kept = *a;
    *a = *b;
    *b = kept;
}

void cond_resident_arrive(CondResident* r)
{
    const CondResidentView* v = &r->linear.v;
    cond_resident_loop(r, &cond_resident_arrives, v->n_point, 4, v);
    cond_resident_loop(r, &cond_resident_arrives_contacts, v->n_contact, COND_COORDINATE_WORK, v);
}

void cond_resident_keep_slips(CondResident* r)
{
    cond_resident_loop(r, &cond_resident_slips_kept, r->linear.v.n_contact, 2, &r->linear.v);
}

void cond_resident_forget_slips(CondResident* r)
{
    cond_resident_loop(r, &cond_resident_slips_forgotten, r->linear.v.n_contact, 2, &r->linear.v);
}

void cond_resident_keep_best(CondResident* r)
{
    copy(r, 3 * r->linear.v.n_point, r->linear.v.now.v, r->linear.v.best_v);
    copy(r, 3 * r->linear.v.n_contact, r->linear.v.now.lambda, r->linear.v.best_lambda);
}

void cond_resident_take_tried(CondResident* r)
{
    swap(&r->linear.v.now, &r->linear.v.tried);
}

void cond_resident_swap_reference(CondResident* r)
{
    swap(&r->linear.v.now, &r->reference);
}
