// Which contacts act on each part of the coordinates, so that threads can add up contact forces in
// a fixed order.
#include "problem/contact_parts.h"

#include "base/memory.h"
#include "base/tuning.h"

#include <stddef.h>
#include <string.h>

// Counts the contacts of each part in begin[part + 1], or with `place` puts them there: begin[part]
// is where the next one goes.
static void find(CondContactParts* parts, int place)
{
    const CondProblem* problem = parts->problem;
    for (int part = 0; part < parts->n_part; part++)
        parts->last[part] = -1;
    for (int c = 0; c < problem->n_contact; c++)
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &problem->contact[c].side[s];
            for (int k = 0; k < side->n_coordinate; k++) {
                int part = side->coordinate[k] / COND_SUM_BLOCK;
                if (parts->last[part] == c)
                    continue;
                parts->last[part] = c;
                if (place)
                    parts->contact[parts->begin[part]++] = c;
                else
                    parts->begin[part + 1]++;
            }
        }
}

CondStatus cond_contact_parts_build(CondContactParts* parts, const CondProblem* problem)
{
    int n = cond_sum_parts(problem->n_dof);
    parts->problem = problem;
    parts->n_part = n;
    if (COND_RESERVE(&parts->arena, parts->begin, n + 1) ||
        COND_RESERVE(&parts->arena, parts->last, n))
        return COND_OUT_OF_MEMORY;
    memset(parts->begin, 0, (size_t)(n + 1) * sizeof *parts->begin);
    find(parts, 0);
    for (int part = 0; part < n; part++)
        parts->begin[part + 1] += parts->begin[part];
    if (COND_RESERVE(&parts->arena, parts->contact, parts->begin[n]))
        return COND_OUT_OF_MEMORY;
    find(parts, 1);
    for (int part = n; part > 0; part--) // each has become the end of its part
        parts->begin[part] = parts->begin[part - 1];
    parts->begin[0] = 0;
    return cond_contact_rows_build(&parts->rows, &parts->arena, problem);
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
    for (int k = parts->begin[part]; k < parts->begin[part + 1]; k++) {
        int c = parts->contact[k];
        cond_contact_rows_add_force(&parts->rows, parts->problem->contact, c, scale,
                                    lambda + (ptrdiff_t)3 * c, first, last, f);
    }
}
