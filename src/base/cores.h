// The default number of threads of a loop.
#ifndef COND_BASE_CORES_H
#define COND_BASE_CORES_H

#include "cond/api.h"

// The number that OpenMP would use: OMP_NUM_THREADS, or the processors that the process may run on,
// limited by the processor time of its cgroup. At least 1.
int cond_cores(void);

// The limit of processors of this process's cgroup, rounded up; 0: none. `root` is the mount point
// of the cgroup file system, `own` the file that lists the groups of the process.
int cond_cores_of_group(const char* root, const char* own);

#endif
