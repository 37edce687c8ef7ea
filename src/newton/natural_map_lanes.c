// What many contacts add to the merit, four side by side where they have the strict law and an
// isotropic cone.
#include "base/processor.h"
#include "law/law_lanes.h"
#include "newton/linear_law.h"

static double find_share(const CondNaturalMap* map, const double* u, const double* lambda)
{
    double e[3];
    cond_natural_map_error(map, u, lambda, e);
    return map->gamma * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

static int serves(const CondNaturalMap* map)
{
    const CondContact* contact = map->contact;
    return map->law == COND_LAW_STRICT && contact->set == COND_FORCE_CONE &&
           contact->friction[0] == contact->friction[1];
}

// As find_share, with its operations; returns 0 where one of the four is rare.
COND_LANES_INLINE int find_four(const CondNaturalMap* map, const double* u, const double* lambda,
                                double* share)
{
    CondLanes v[3], l[3], x[3], p[3], e[3];
    CondLanes mu = {map[0].contact->friction[0], map[1].contact->friction[0],
                    map[2].contact->friction[0], map[3].contact->friction[0]};
    CondLanes gamma = {map[0].gamma, map[1].gamma, map[2].gamma, map[3].gamma};
    CondLanes c = {map[0].c, map[1].c, map[2].c, map[3].c};
    CondLaneMask rare;
    cond_law_lanes_gather(u, v);
    cond_law_lanes_gather(lambda, l);
    for (int i = 0; i < 3; i++)
        x[i] = l[i] - (v[i] + c * l[i]) / gamma;
    cond_law_lanes_project(&mu, x, p, &rare);
    for (int i = 0; i < 3; i++)
        e[i] = l[i] - p[i];
    *(CondLanesAnywhere*)share = gamma * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    return !cond_lanes_any(&rare);
}

COND_LANES_INLINE void find_shares(int n, const CondNaturalMap* map, const double* u,
                                   const double* lambda, double* share)
{
    for (int k = 0, step; k < n; k += step) {
        int four = k + COND_LANES <= n;
        for (int i = k; i < k + COND_LANES && four; i++)
            four = serves(&map[i]);
        step = four ? COND_LANES : 1;
        if (four && find_four(map + k, u + 3 * k, lambda + 3 * k, share + k))
            continue;
        for (int i = k; i < k + step; i++)
            share[i] = find_share(&map[i], u + 3 * i, lambda + 3 * i);
    }
}

static void find_shares_generic(int n, const CondNaturalMap* map, const double* u,
                                const double* lambda, double* share)
{
    find_shares(n, map, u, lambda, share);
}

COND_AVX2 static void find_shares_avx2(int n, const CondNaturalMap* map, const double* u,
                                       const double* lambda, double* share)
{
    find_shares(n, map, u, lambda, share);
}

void cond_natural_map_shares(int n, const CondNaturalMap* map, const double* u,
                             const double* lambda, double* share)
{
    (COND_HAS_AVX2 ? find_shares_avx2 : find_shares_generic)(n, map, u, lambda, share);
}
