// Law errors of many contacts, four side by side where they have the strict law and an isotropic
// cone.
#include "base/parallel.h"
#include "base/processor.h"
#include "law/certificate.h"
#include "law/law_lanes.h"

#include <string.h>

static void find_error(const CondCertificateData* data, int c, const double* u,
                       const double* lambda, double* natural, double* penetration)
{
    double slip = cond_certificate_slip(data, c), delassus = data->delassus[c];
    CondLawError e =
        cond_contact_law_error(cond_certificate_law(data, c), &data->problem->contact[c], delassus,
                               slip, delassus + slip, u, lambda, 1);
    *natural = e.natural;
    *penetration = e.penetration;
}

static int serves(const CondCertificateData* data, int c)
{
    const CondContact* contact = &data->problem->contact[c];
    return cond_certificate_law(data, c) == COND_LAW_STRICT && contact->set == COND_FORCE_CONE &&
           contact->friction[0] == contact->friction[1];
}

// Contacts c .. c + 3, as essential_error of src/law/law.c with the strict law; returns 0 where one
// of them is rare.
COND_LANES_INLINE int find_four(const CondCertificateData* data, int c, const double* u,
                                const double* lambda, double* natural, double* penetration)
{
    const CondContact* at = &data->problem->contact[c];
    CondLanes v[3], l[3], trial[3], nearest[3], slip, none = {0.0}, sum = {0.0};
    CondLanes mu = {at[0].friction[0], at[1].friction[0], at[2].friction[0], at[3].friction[0]};
    CondLanes gamma = *(const CondLanesAnywhere*)(data->delassus + c);
    CondLaneMask rare = {0};
    gamma += (CondLanes){cond_certificate_slip(data, c), cond_certificate_slip(data, c + 1),
                         cond_certificate_slip(data, c + 2), cond_certificate_slip(data, c + 3)};
    cond_law_lanes_gather(u, v);
    cond_law_lanes_gather(lambda, l);
    CondLanes a = mu * v[1], b = mu * v[2];
    cond_law_lanes_length(&a, &b, &slip, &rare);
    trial[0] = l[0] - (v[0] + slip) / gamma;
    trial[1] = l[1] - v[1] / gamma;
    trial[2] = l[2] - v[2] / gamma;
    cond_law_lanes_nearest(&mu, trial, nearest, &rare);
    for (int i = 0; i < 3; i++)
        sum += (l[i] - nearest[i]) * (l[i] - nearest[i]);
    cond_lanes_sqrt(&sum);
    *(CondLanesAnywhere*)natural = gamma * sum;
    *(CondLanesAnywhere*)penetration = COND_LANES_SELECT(-v[0] > 0.0, -v[0], none);
    return !cond_lanes_any(&rare);
}

COND_LANES_INLINE void find_errors(const CondCertificateData* data, int first, int n,
                                   const double* u, const double* lambda, double* natural,
                                   double* penetration)
{
    for (int k = 0, step; k < n; k += step) {
        int c = first + k, four = k + COND_LANES <= n;
        for (int i = 0; i < COND_LANES && four; i++)
            four = serves(data, c + i);
        step = four ? COND_LANES : 1;
        if (four && find_four(data, c, u + 3 * k, lambda + 3 * k, natural + k, penetration + k))
            continue;
        for (int i = k; i < k + step; i++)
            find_error(data, first + i, u + 3 * i, lambda + 3 * i, natural + i, penetration + i);
    }
}

static void find_errors_generic(const CondCertificateData* data, int first, int n, const double* u,
                                const double* lambda, double* natural, double* penetration)
{
    find_errors(data, first, n, u, lambda, natural, penetration);
}

COND_AVX2 static void find_errors_avx2(const CondCertificateData* data, int first, int n,
                                       const double* u, const double* lambda, double* natural,
                                       double* penetration)
{
    find_errors(data, first, n, u, lambda, natural, penetration);
}

void cond_certificate_law_errors(const CondCertificateData* data, int first, int n, const double* u,
                                 const double* lambda, double* natural, double* penetration)
{
    (COND_HAS_AVX2 ? find_errors_avx2 : find_errors_generic)(data, first, n, u, lambda, natural,
                                                             penetration);
}

enum { PULL, CONE, COMPLEMENTARITY, ANGLE, N_DETAIL };

// The largest details of each share of the contacts.
typedef struct DetailLoop {
    const CondCertificateData* data;
    const double *v, *lambda;
    double (*most)[N_DETAIL]; //                                        (COND_LOOP_PARTS)
} DetailLoop;

static void find_details(const void* loop, int begin, int end)
{
    const DetailLoop* l = loop;
    const CondCertificateData* data = l->data;
    int n = data->problem->n_contact, parts = cond_loop_parts((size_t)n);
    for (int share = begin; share < end; share++)
        for (int c = cond_team_first(n, share, parts); c < cond_team_first(n, share + 1, parts);
             c++) {
            const double *force = l->lambda + (ptrdiff_t)3 * c,
                         slip = cond_certificate_slip(data, c);
            double u[3];
            cond_certificate_velocity(data, l->v, c, c + 1, u);
            cond_certificate_add_slip(data, c, force, u);
            CondLawError e = cond_contact_law_error(cond_certificate_law(data, c),
                                                    &data->problem->contact[c], data->delassus[c],
                                                    slip, data->delassus[c] + slip, u, force, 0);
            double detail[N_DETAIL] = {e.pull, e.cone, e.complementarity, e.angle};
            for (int k = 0; k < N_DETAIL; k++)
                l->most[share][k] = scalar_max(l->most[share][k], detail[k]);
        }
}

void cond_certificate_detail(const CondCertificateData* data, const double* v, const double* lambda,
                             CondCertificate* certificate)
{
    double most[N_DETAIL] = {0.0}, of[COND_LOOP_PARTS][N_DETAIL] = {{0.0}};
    DetailLoop loop = {data, v, lambda, of};
    size_t work = COND_CONTACT_WORK * (size_t)data->problem->n_contact;
    int parts = cond_loop_parts((size_t)data->problem->n_contact);
    cond_parallel(parts, data->threads > 1 ? cond_threads(work, data->threads) : 1, find_details,
                  &loop);
    for (int share = 0; share < parts; share++)
        for (int k = 0; k < N_DETAIL; k++)
            most[k] = scalar_max(most[k], of[share][k]);
    const CondRanks* ranks = data->ranks;
    const double* all = ranks ? ranks->gather(ranks->data, sizeof most, most) : most;
    for (int k = 0; k < N_DETAIL * (ranks ? ranks->n_rank : 1); k++)
        most[k % N_DETAIL] = scalar_max(most[k % N_DETAIL], all[k]);
    certificate->pull = most[PULL];
    certificate->cone = most[CONE];
    certificate->complementarity = most[COMPLEMENTARITY];
    certificate->angle = most[ANGLE];
}
