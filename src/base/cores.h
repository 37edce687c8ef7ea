// How many threads a loop has where the user does not say.
#ifndef COND_BASE_CORES_H
#define COND_BASE_CORES_H

#include "cond/api.h"

// As many as OpenMP would have: OMP_NUM_THREADS, or the processors that the process may run on, of
// these no more than the time that its group is given (cgroup). At least 1.
int cond_cores(void);

// Processors by which the group of this process is limited, rounded up; 0: by none. `root` is where
// the file system of the groups is, `own` the file that says which groups the process is in.
int cond_cores_of_group(const char* root, const char* own);

#endif
