// Inside of a CondSweep.
#ifndef COND_IO_SWEEP_H
#define COND_IO_SWEEP_H

#include "cond/sweep.h"

#include "base/arena.h"
#include "cond/scene.h"

typedef enum CondSweepMethod {
    COND_SWEEP_GRID,   // every combination, the last variable fastest
    COND_SWEEP_LIST,   // the first values of all variables, the second ones, ...
    COND_SWEEP_RANDOM, // each drawn on its own
    COND_SWEEP_LATIN,  // of n equal parts of every range, each is met once
} CondSweepMethod;

// A value that differs: one of a list of texts, or a number of a range.
typedef struct CondSweepVariable {
    CondVariationDef def; // name, path, and the range
    int count;            // points of a range in a grid or a list; 0: not said
    int n_value;          // 0: a range
    const char** value;   // as YAML                                             (n_value)
} CondSweepVariable;

typedef struct CondSweepColumn {
    const char *name, *path;
} CondSweepColumn;

struct CondSweep {
    CondArena arena;
    char scene[COND_PATH_SIZE];
    CondSweepMethod method;
    CondSweepRun run;
    int samples, seed;       // of drawn methods
    int trials, first_trial; // runs of each point and the seed of the first; 0: nothing is drawn
    int n_point;             // entries are points times trials
    int n_set, n_variable, n_column;
    const char** set;            // overrides of all runs                          (n_set)
    CondSweepVariable* variable; //                                                (n_variable)
    CondSweepColumn* column;     //                                                (n_column)
    double*
        u; // where in their ranges the points are, 0 .. 1, of drawn methods (n_point x n_variable)
};

// Most entries of a sweep.
enum { COND_SWEEP_LARGEST = 1000000 };

// How many points a variable has in a grid or a list.
int cond_sweep_n_choice(const CondSweepVariable* variable);
// Draws u for all points of a drawn method.
CondStatus cond_sweep_draw(CondSweep* sweep);

#endif
