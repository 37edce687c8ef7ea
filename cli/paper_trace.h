// Penetration and forces over the time of a run, and the results of the solvers on its windows:
// data and scripts of plots.
#ifndef COND_CLI_PAPER_TRACE_H
#define COND_CLI_PAPER_TRACE_H

#include "text.h"

// What a step is judged by; NaN where it was not made.
typedef struct PaperSample {
    double penetration; // [mm]
    double internal;    // norm of the internal forces of all soft bodies [N]
    double force;       // of the grip, or of an attachment [N]
    double place[3];    // of the held body [m]
} PaperSample;

// Two tables as CSV. The run: time, penetration, internal force, force, iterations. The windows:
// time, internal force and force of the converged steps, and those three of each solver.
typedef struct PaperTrace {
    Text run, windows;
} PaperTrace;

void paper_trace_step(PaperTrace* trace, double time, const PaperSample* sample, double iterations);
// Names the solvers, once.
void paper_trace_heading(PaperTrace* trace, int n, const char* const* label);
void paper_trace_window(PaperTrace* trace, double time, const PaperSample* truth, int n,
                        const PaperSample* sample);

// Both tables, two empty lines between, from malloc; NULL where there are none. Releases the trace.
char* paper_trace_csv(PaperTrace* trace);

// Scripts of plots of that: penetration, internal force, force.
extern const char paper_trace_penetration[], paper_trace_internal[], paper_trace_force[];

#endif
