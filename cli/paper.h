// The paper's experiments: each fills a result, and one place prints, writes and plots it.
#ifndef COND_CLI_PAPER_H
#define COND_CLI_PAPER_H

#include "cli.h"
#include "json.h"

typedef struct PaperOptions {
    int trials;            // 0: the experiment's own number
    int steps;             // 0: the experiment's own number
    int seed;              //
    int threads;           // 0: as the run time decides
    int all;               // 1: this is one of all experiments, which have rows of other labels
    const char* rows;      // only the rows of these labels, separated by commas; NULL: all
    const char* directory; // of the report; NULL: there is none
} PaperOptions;

// One column of a table.
typedef struct PaperColumn {
    const char* key;
    const char* heading;
    const char* format; // of a number, such as "%.4f"
} PaperColumn;

// One plot: a gnuplot script body that reads the experiment's CSV file through the variable `data`.
typedef struct PaperPlot {
    const char* name; // file name without ending
    const char* title;
    const char* script;
} PaperPlot;

// What a recorded run looks like: NAME.png, and NAME.html where that is interactive.
typedef struct PaperView {
    const char *name, *title;
    int interactive; // 1: NAME.html was written
} PaperView;

enum { PAPER_MOST_VIEWS = 8 };

typedef struct PaperResult {
    CondStatus status;         // worst of all steps
    json_t* settings;          // object
    json_t* rows;              // array of objects, ours
    json_t* paper;             // array of objects, the paper's
    int whole;                 // steps of a whole run, where --steps makes fewer; 0: all are made
    const char* remarks;       // Markdown, what the reader must know
    const PaperColumn* column; // of the table, `label` first          (n_column)
    int n_column;
    const PaperPlot* plot; //                                          (n_plot)
    int n_plot;
    PaperView view[PAPER_MOST_VIEWS]; //                               (n_view)
    int n_view;
    char* csv; // data of the plots, from malloc
    int alone; // 1: there is no other to compare with, so no column says whose a row is
} PaperResult;

typedef struct Experiment {
    const char* name;
    const char* title;
    // 0 when it ran, else an exit code after a message.
    int (*run)(const PaperOptions* options, PaperResult* result);
} Experiment;

extern const Experiment paper_anisotropic, paper_ball, paper_box, paper_ccs, paper_chebyshev,
    paper_cable, paper_gripper, paper_hertz, paper_hold, paper_invertible, paper_manipulation,
    paper_mat, paper_pbd, paper_scaling, paper_stiffness;

// Reads a shipped scene with overrides and compiles it; exit code after a message.
int paper_load(const char* scene, int n_override, const char* const* override, CondModel** model);

// The same with what the scene randomises drawn with a seed, from 0.
int paper_load_drawn(const char* scene, int n_override, const char* const* override, int seed,
                     CondModel** model);

// The same with a list of overrides that NULL ends, 15 at most, and the number of threads.
int paper_load_set(const char* scene, const char* const* override, const PaperOptions* options,
                   CondModel** model);

// Settings that every experiment reports; the caller adds its own.
json_t* paper_settings(const PaperOptions* options, const CondModel* model, int steps, int trials,
                       double mean_contacts, const char* preset);

// Steps to make where the experiment's own number is `own`. The rows of a run that is cut short are
// not set beside the paper's.
int paper_steps(const PaperOptions* options, int own, PaperResult* result);

// Rows of the paper, from JSON with single quotes.
json_t* paper_quote(const char* text);

// 1 when the options ask for the row of that label.
int paper_asked(const PaperOptions* options, const char* label);

// The worst of two statuses: a failure beats a warning beats fine.
CondStatus paper_worst(CondStatus a, CondStatus b);

#endif
