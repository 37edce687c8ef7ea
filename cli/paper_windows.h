// Solvers compared on the same windows of a run.
//
// COND leads a run of the scene. At several moments of it every solver is given the same state and
// makes a few steps of its own; penetration, iterations and times are means over these steps.
// Errors are against the same steps made by COND to a certificate of 1e-9: our own ground truth by
// excess iterations, as the paper has it.
#ifndef COND_CLI_PAPER_WINDOWS_H
#define COND_CLI_PAPER_WINDOWS_H

#include "paper_grip.h"
#include "paper_trace.h"

enum { PAPER_N_WINDOW = 6, PAPER_WINDOW_STEPS = 2, PAPER_MAX_VARIANT = 10 };

typedef struct PaperVariant {
    const char* label;
    const char* solver;
    double stop;                     // of the step test [m/s]; 0: the scene's
    CondAcceleratorKind accelerator; //
    int iterations;                  // not 0: exactly so many, no stop test
    int baseline;                    // 1: it has a Delassus operator
    double certificate;              // not 0: stop by the certificate at this value
    int own;                         // 1: COND's default settings instead of the paper's
    int proximal;                    // 1: solves, and is judged by, the proximal law
} PaperVariant;

// Sums over steps.
typedef struct PaperTally {
    double penetration;               // [mm]
    double internal;                  // error of the norm of the internal forces [N]
    double force;                     // error of the grip force or of an attachment's [N]
    double displacement;              // error of the held body's place at the end of a window [mm]
    double dynamics, solve, delassus; // [ms]
    double iterations, passes;
    double residual; // the worst
    int steps, windows;
} PaperTally;

typedef struct PaperWindows {
    const PaperScene* scene;
    const PaperVariant* variant; //                                        (n_variant)
    int lead;                    // the variant that leads the run
    int n_variant;
    int trials; // where the options do not say
    int steps;  // where the options do not say; 0: the scene's
    int blind;  // 1: no ground truth is made, and there are no errors
    int n_extra;
    const char* const* extra;            // more overrides                 (n_extra)
    PaperTally tally[PAPER_MAX_VARIANT]; // by paper_windows_run           (n_variant)
    int left_out[PAPER_MAX_VARIANT];     // 1: not asked for, not built    (by run)
    double contacts;                     // mean                           (by run)
    int missed, led;                     // steps of the leading run, in all trials: those that
                                         // missed their tolerance, all       (by run)
    PaperGrip grip;                      // of the first trial's run       (by run)
    PaperTrace trace;                    // of the first trial's run       (by run)
} PaperWindows;

// 0 when it ran, else an exit code after a message. Makes result->settings where there are none.
int paper_windows_run(PaperWindows* windows, const PaperOptions* options, PaperResult* result);

// Plots of the trace: moves it into result->csv.
void paper_windows_plots(PaperWindows* windows, const PaperPlot* plot, int n_plot,
                         PaperResult* result);

// A row per variant that was asked for: label, mp_mm, ie, dt_ms, st_ms, iterations, passes,
// residual, steps, with a baseline delassus_ms, and fe_N and de_mm where something is gripped.
// Makes result->rows where there are none.
void paper_windows_rows(const PaperWindows* windows, PaperResult* result);

#endif
