// Runs the geometric audit within a run and sums up its findings (audit.h).
#include "audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SLACK = 0.1; // of the limit, by which a pair must have become deeper

// Keeps the pairs of the last run.
static CondStatus remember(AuditSum* sum)
{
    int n = cond_audit_n_pair(sum->audit);
    CondAuditPair* before = realloc(sum->before, ((size_t)n + 1) * sizeof *before);
    if (!before)
        return COND_OUT_OF_MEMORY;
    sum->before = before;
    sum->n_before = n;
    for (int i = 0; i < n; i++)
        before[i] = cond_audit_pair(sum->audit, i);
    return COND_OK;
}

CondStatus audit_begin(const CondModel* model, const CondState* state, int every, AuditSum* sum,
                       CondError* error)
{
    *sum = (AuditSum){.every = every, .worst_step = -1};
    if (every == 0)
        return COND_OK;
    CondStatus status = cond_audit_create(model, &sum->audit, error);
    if (!status)
        status = cond_audit_run(sum->audit, state, 0.0);
    return status ? status : remember(sum);
}

void audit_end(AuditSum* sum)
{
    cond_audit_destroy(sum->audit);
    free(sum->before);
    sum->audit = NULL;
    sum->before = NULL;
}

// How deep the same pair was in the run before; 0 where it was not there.
static double depth_before(const AuditSum* sum, const CondAuditPair* pair)
{
    for (int i = 0; i < sum->n_before; i++) {
        const CondAuditPair* old = &sum->before[i];
        if (memcmp(old->body, pair->body, sizeof old->body) == 0 &&
            memcmp(old->link, pair->link, sizeof old->link) == 0 && old->plane == pair->plane &&
            old->obstacle == pair->obstacle)
            return old->depth;
    }
    return 0.0;
}

// The deepest pair that is beyond its limit and has become deeper; 0 where there is none.
static int find_too_deep(AuditSum* sum, const CondModel* model)
{
    int found = 0;
    for (int i = 0; i < cond_audit_n_pair(sum->audit); i++) {
        CondAuditPair pair = cond_audit_pair(sum->audit, i);
        double limit =
            cond_model_penetration_limit(model, pair.body[0], pair.body[1], pair.obstacle);
        if (pair.depth > limit && pair.depth > depth_before(sum, &pair) + SLACK * limit &&
            (!found || pair.depth > sum->too_deep.depth)) {
            sum->too_deep = pair;
            found = 1;
        }
    }
    return found;
}

CondStatus audit_step(AuditSum* sum, const CondModel* model, const CondState* state, int k,
                      double penetration)
{
    if (!sum->audit || (k + 1) % sum->every != 0)
        return COND_OK;
    struct timespec from, to;
    timespec_get(&from, TIME_UTC);
    CondStatus status = cond_audit_run(sum->audit, state, 0.0);
    timespec_get(&to, TIME_UTC);
    sum->seconds += (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    sum->runs++;
    if (status)
        return status;
    int deepest = cond_audit_deepest(sum->audit), beyond = find_too_deep(sum, model);
    CondAuditPair pair = {.depth = 0.0};
    if (deepest >= 0)
        pair = cond_audit_pair(sum->audit, deepest);
    if (pair.depth > 0.0 && (sum->worst_step < 0 || pair.depth > sum->worst.depth)) {
        sum->worst = pair;
        sum->worst_step = k;
        sum->found = penetration;
    }
    status = remember(sum);
    return status || !beyond ? status : COND_TOO_DEEP;
}

void audit_print(FILE* out, const AuditSum* sum)
{
    if (sum->runs == 0)
        return;
    fprintf(out, "  audit         %d times, %.3g ms each: ", sum->runs,
            1e3 * sum->seconds / sum->runs);
    if (sum->worst_step < 0)
        fputs("nothing overlaps\n", out);
    else
        fprintf(out,
                "%.3g m at most (%.1e of the size), %s and %s after step %d; the step found %.3g "
                "m\n",
                sum->worst.depth, sum->worst.depth / sum->worst.size, sum->worst.name[0],
                sum->worst.name[1], sum->worst_step, sum->found);
}

static json_t* pair_json(const CondAuditPair* pair)
{
    return json_pack("{s:[s,s], s:o, s:o, s:o, s:[o,o]}", "pair", pair->name[0], pair->name[1],
                     "depth", json_number(pair->depth), "size", json_number(pair->size), "normal",
                     json_numbers(pair->normal, 3), "points", json_numbers(pair->point[0], 3),
                     json_numbers(pair->point[1], 3));
}

json_t* audit_json(const AuditSum* sum)
{
    if (sum->runs == 0)
        return json_null();
    json_t* out = json_pack("{s:i, s:o}", "runs", sum->runs, "ms",
                            json_number(1e3 * sum->seconds / sum->runs));
    if (sum->worst_step >= 0) {
        json_object_set_new(out, "worst", pair_json(&sum->worst));
        json_object_set_new(out, "step", json_integer(sum->worst_step));
        json_object_set_new(out, "found", json_number(sum->found));
    }
    return out;
}

// The deepest pair that is less deep than `below`, or as deep and later in the list; -1: none.
static int next_pair(const CondAudit* audit, double below, int last)
{
    int best = -1;
    for (int i = 0; i < cond_audit_n_pair(audit); i++) {
        double depth = cond_audit_pair(audit, i).depth;
        if (!(depth > 0.0) || depth > below || (depth == below && i <= last))
            continue;
        if (best < 0 || depth > cond_audit_pair(audit, best).depth)
            best = i;
    }
    return best;
}

void audit_print_pairs(FILE* out, const CondAudit* audit, int most)
{
    int last = next_pair(audit, INFINITY, -1), n = 0, more = 0;
    if (last < 0)
        fputs("  audit     nothing overlaps\n", out);
    while (last >= 0) {
        CondAuditPair pair = cond_audit_pair(audit, last);
        if (n++ < most)
            fprintf(out, "  overlap   %s and %s by %.3g m (%.1e of the size)\n", pair.name[0],
                    pair.name[1], pair.depth, pair.depth / pair.size);
        else
            more++;
        last = next_pair(audit, pair.depth, last);
    }
    if (more > 0)
        fprintf(out, "            and %d pairs more\n", more);
}

json_t* audit_pairs_json(const CondAudit* audit)
{
    json_t* out = json_array();
    for (int i = 0; i < cond_audit_n_pair(audit); i++) {
        CondAuditPair pair = cond_audit_pair(audit, i);
        if (pair.depth > 0.0)
            json_array_append_new(out, pair_json(&pair));
    }
    return out;
}
