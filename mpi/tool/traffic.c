#define _DEFAULT_SOURCE
#include "tool.h"

#include <petscsys.h>
#include <sys/resource.h>

ToolTraffic tool_traffic(const CondMpiWorld* world)
{
    return (ToolTraffic){.own = world->count,
                         .messages = petsc_isend_ct + petsc_send_ct,
                         .bytes = petsc_isend_len + petsc_send_len,
                         .reductions = petsc_allreduce_ct};
}

enum { N = 10 };

json_t* tool_traffic_json(const CondMpiWorld* world, const ToolTraffic* before, double iterations)
{
    static const char* const names[N] = {
        "exchanges", "messages",     "bytes",          "gathers",     "gather_bytes",
        "spreads",   "spread_bytes", "petsc_messages", "petsc_bytes", "petsc_reductions"};
    ToolTraffic now = tool_traffic(world);
    const CondMpiCount *a = &before->own, *b = &now.own;
    double mine[N] = {b->exchanges - a->exchanges,
                      b->messages - a->messages,
                      b->bytes - a->bytes,
                      b->gathers - a->gathers,
                      b->gather_bytes - a->gather_bytes,
                      b->spreads - a->spreads,
                      b->spread_bytes - a->spread_bytes,
                      now.messages - before->messages,
                      now.bytes - before->bytes,
                      now.reductions - before->reductions};
    double sum[N], most[N];
    MPI_Reduce(mine, sum, N, MPI_DOUBLE, MPI_SUM, 0, world->comm);
    MPI_Reduce(mine, most, N, MPI_DOUBLE, MPI_MAX, 0, world->comm);
    if (world->rank > 0)
        return NULL;
    json_t* all = json_object();
    for (int k = 0; k < N; k++) {
        json_t* one = json_object();
        json_object_set_new(one, "mean", json_real(sum[k] / world->size));
        json_object_set_new(one, "most", json_real(most[k]));
        if (iterations > 0.0)
            json_object_set_new(one, "per_iteration", json_real(most[k] / iterations));
        json_object_set_new(all, names[k], one);
    }
    return all;
}

double tool_memory(const CondMpiWorld* world)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double mine = 1024.0 * (double)usage.ru_maxrss, most = 0.0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, world->comm);
    return most;
}
