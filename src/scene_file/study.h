// Internals of CondStudy.
#ifndef COND_SCENE_FILE_STUDY_H
#define COND_SCENE_FILE_STUDY_H

#include "cond/study.h"

#include "base/arena.h"
#include "cond/scene.h"

typedef enum CondStudyMethod {
    COND_STUDY_GRID,   // every combination, the last variable fastest
    COND_STUDY_LIST,   // the first values of all variables, the second ones, ...
    COND_STUDY_RANDOM, // each drawn on its own
    COND_STUDY_LATIN,  // Latin hypercube: each of n equal parts of every range once
} CondStudyMethod;

// A value that varies: one of a list of texts, or a number of a range.
typedef struct CondStudyVariable {
    CondVariationDef def; // name, path, and the range
    int count;            // points of a range in a grid or a list; 0: not given
    int n_value;          // 0: a range
    const char** value;   // as YAML                                             (n_value)
} CondStudyVariable;

typedef struct CondStudyColumn {
    const char *name, *path;
} CondStudyColumn;

struct CondStudy {
    CondArena arena;
    char scene[COND_PATH_SIZE];
    CondStudyMethod method;
    CondStudyRun run;
    int samples, seed;       // of drawn methods
    int trials, first_trial; // runs of each point and the seed of the first; 0: nothing is drawn
    int n_point;             // entries are points times trials
    int n_set, n_variable, n_column;
    const char** set;            // overrides of all runs                          (n_set)
    CondStudyVariable* variable; //                                                (n_variable)
    CondStudyColumn* column;     //                                                (n_column)
    double*
        u; // where in their ranges the points are, 0 .. 1, of drawn methods (n_point x n_variable)
};

// Number of points of a variable in a grid or a list.
int cond_study_n_choice(const CondStudyVariable* variable);
// Draws u for all points of a drawn method.
CondStatus cond_study_draw(CondStudy* study);

#endif
