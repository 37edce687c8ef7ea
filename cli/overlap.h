// Overlaps at the start of a scene, as text and as JSON.
#ifndef COND_CLI_OVERLAP_H
#define COND_CLI_OVERLAP_H

#include <cond/sim.h>
#include <jansson.h>
#include <stdio.h>

// A line per pair, the deepest first, each after `indent`; the rest is counted.
void overlap_print(FILE* out, const char* indent, const CondModel* model,
                   const CondOverlap* overlap, int n);
json_t* overlap_json(const CondModel* model, const CondOverlap* overlap, int n);

// Says on standard error what overlaps in a state, or with `settle` pushes it apart first and says
// how far what moved.
CondStatus overlap_start(const CondModel* model, CondSim* sim, CondState* state, int settle,
                         int quiet, CondError* error);

#endif
