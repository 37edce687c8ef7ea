// What the subcommands of cond-mpi share.
#ifndef COND_MPI_TOOL_H
#define COND_MPI_TOOL_H

#include "../world.h"
#include "cli.h"

#include <jansson.h>

int tool_run(CondMpiWorld* world, int argc, char** argv);
int tool_solve(CondMpiWorld* world, int argc, char** argv);

// What this rank has sent so far.
typedef CondMpiCount ToolTraffic;
ToolTraffic tool_traffic(const CondMpiWorld* world);

// What was sent since, in all and over `iterations` of conjugate gradients, as JSON on rank 0; all
// ranks call it.
json_t* tool_traffic_json(const CondMpiWorld* world, const ToolTraffic* before, double iterations);

// The most memory that a rank has held so far [bytes], of all ranks.
double tool_memory(const CondMpiWorld* world);

#endif
