// Counts messages and bytes between ranks, as sums and maxima over them.
#define _DEFAULT_SOURCE
#include "tool.h"

#include <string.h>
#include <sys/resource.h>

ToolTraffic tool_traffic(const CondMpiWorld* world)
{
    return world->count;
}

enum { N = sizeof(CondMpiCount) / sizeof(double) };

json_t* tool_traffic_json(const CondMpiWorld* world, const ToolTraffic* before, double iterations)
{
    static const char* const names[N] = {
        "exchanges",      "messages",     "bytes",           "gathers",     "gather_bytes",
        "spreads",        "spread_bytes", "setup_messages",  "setup_bytes", "setup_reductions",
        "cycle_messages", "cycle_bytes",  "cycle_reductions"};
    double now[N], mine[N], sum[N], most[N];
    memcpy(now, &world->count, sizeof now);
    memcpy(mine, before, sizeof mine);
    for (int k = 0; k < N; k++)
        mine[k] = now[k] - mine[k];
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
