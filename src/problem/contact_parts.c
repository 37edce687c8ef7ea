// Which contacts act on each part of the coordinates, so that threads can add up contact forces in
// a fixed order.
#include "problem/contact_parts.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"

#include <stddef.h>

// Shares of the contacts, one after the other: each counts those of every part, or with `place`
// puts them where `count` says that the next one goes.
typedef struct PartLoop {
    const CondContactParts* parts;
    int n_share, place;
} PartLoop;

static void find(const void* loop, int begin, int end)
{
    const PartLoop* l = loop;
    const CondContactParts* parts = l->parts;
    const CondProblem* problem = parts->problem;
    for (int share = begin; share < end; share++) {
        int* last = parts->last + (ptrdiff_t)share * parts->n_part;
        int* count = parts->count + (ptrdiff_t)share * parts->n_part;
        for (int part = 0; part < parts->n_part; part++) {
            last[part] = -1;
            count[part] = l->place ? count[part] : 0;
        }
        for (int c = cond_team_first(problem->n_contact, share, l->n_share);
             c < cond_team_first(problem->n_contact, share + 1, l->n_share); c++)
            for (int s = 0; s < 2; s++) {
                const CondSide* side = &problem->contact[c].side[s];
                for (int k = 0; k < side->n_coordinate; k++) {
                    int part = side->coordinate[k] / COND_SUM_BLOCK;
                    if (last[part] == c)
                        continue;
                    last[part] = c;
                    if (l->place)
                        parts->contact[count[part]] = c;
                    count[part]++;
                }
            }
    }
}

// Counts become the places of the first ones; begin has the parts.
static void make_places(CondContactParts* parts, int n_share)
{
    int at = 0, n = parts->n_part;
    for (int part = 0; part < n; part++) {
        parts->begin[part] = at;
        for (int share = 0; share < n_share; share++) {
            int* count = &parts->count[(ptrdiff_t)share * n + part];
            int here = *count;
            *count = at;
            at += here;
        }
    }
    parts->begin[n] = at;
}

CondStatus cond_contact_parts_build(CondContactParts* parts, const CondProblem* problem,
                                    int threads)
{
    int n = cond_sum_parts(problem->n_dof), n_share = cond_loop_parts((size_t)problem->n_contact);
    int team = cond_threads(COND_COORDINATE_WORK * (size_t)problem->n_contact, threads);
    parts->problem = problem;
    parts->n_part = n;
    if (COND_RESERVE(&parts->arena, parts->begin, n + 1) ||
        COND_RESERVE(&parts->arena, parts->last, n_share * n) ||
        COND_RESERVE(&parts->arena, parts->count, n_share * n))
        return COND_OUT_OF_MEMORY;
    PartLoop loop = {parts, n_share, 0};
    cond_parallel(n_share, team, find, &loop);
    make_places(parts, n_share);
    if (COND_RESERVE(&parts->arena, parts->contact, parts->begin[n]))
        return COND_OUT_OF_MEMORY;
    loop.place = 1;
    cond_parallel(n_share, team, find, &loop);
    return cond_contact_rows_build(&parts->rows, &parts->arena, problem, threads);
}

void cond_contact_parts_destroy(CondContactParts* parts)
{
    cond_arena_release(&parts->arena);
}

int cond_contact_parts_before(const CondContactParts* parts, int part)
{
    const int own = COND_SUM_BLOCK * COND_COORDINATE_WORK / COND_CONTACT_WORK;
    return own * part + parts->begin[part];
}

int cond_contact_parts_work(const CondContactParts* parts)
{
    return cond_contact_parts_before(parts, parts->n_part);
}

// The first part with so much work before it.
static int find_part(const CondContactParts* parts, int work)
{
    int low = 0, high = parts->n_part;
    while (low < high) {
        int middle = (low + high) / 2;
        if (cond_contact_parts_before(parts, middle) < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

CondPartRange cond_contact_parts_range(const CondContactParts* parts, int first, int last)
{
    return (CondPartRange){find_part(parts, first), find_part(parts, last)};
}

void cond_contact_parts_add(const CondContactParts* parts, int part, double scale,
                            const double* lambda, double* f)
{
    int first = cond_contact_parts_first(parts, part);
    int last = cond_contact_parts_first(parts, part + 1);
    cond_contact_rows_add_forces(
        &parts->rows, parts->problem->contact, parts->begin[part + 1] - parts->begin[part],
        parts->contact + parts->begin[part], scale, lambda, first, last, f);
}
