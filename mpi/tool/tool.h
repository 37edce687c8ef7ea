// What the subcommands of cond-mpi share.
#ifndef COND_MPI_TOOL_H
#define COND_MPI_TOOL_H

#include "../world.h"
#include "cli.h"

#include <jansson.h>

int tool_run(CondMpiWorld* world, int argc, char** argv);
int tool_solve(CondMpiWorld* world, int argc, char** argv);

// What was sent since it was asked last, by COND and by PETSc; a sum over all ranks and the most of
// one.
typedef struct ToolTraffic {
    CondMpiCount own;
    double messages, bytes, reductions; // of PETSc
} ToolTraffic;
ToolTraffic tool_traffic(const CondMpiWorld* world);

// As JSON, over `iterations` of conjugate gradients, on rank 0; all ranks call it.
json_t* tool_traffic_json(const CondMpiWorld* world, const ToolTraffic* before, double iterations);

// The most memory that a rank has held so far [bytes], of all ranks.
double tool_memory(const CondMpiWorld* world);

#endif
