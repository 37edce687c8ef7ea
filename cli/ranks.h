// What runs over the ranks of MPI. The tool itself knows nothing of MPI: started by mpirun, it
// becomes the program cond-ranks beside it, which is the same tool with MPI inside and is built
// where MPI is installed. So `cond` loads no libmpi, and works where there is none.
#ifndef COND_CLI_RANKS_H
#define COND_CLI_RANKS_H

#include "sweep.h"

#include <stdint.h>

// Begins MPI where the tool was started by mpirun, or where `asked` says so; else nothing. The
// command and its words are those that the tool was started with. 0, or an exit code after a
// message.
int ranks_begin(const char* command, int asked, int argc, char** argv);
// Ends MPI; gives the exit code of the first rank to all.
int ranks_end(int code);

// The largest code of all ranks; all of them call it.
int ranks_agree(int code);

// 1 after ranks_begin with two ranks or more.
int ranks_are_many(void);
int ranks_count(void);
int ranks_own(void); // from 0

// The numbers of all ranks, one rank after the other, on the first: the order of what they count.
void ranks_gather(const uint64_t* own, int n, uint64_t* all);
// Sums and largest values over all ranks, in place on all of them.
void ranks_total(double* sum, int n_sum, double* most, int n_most);

// A sweep whose entries the first rank hands out to the others; the exit code, which the first has.
int ranks_sweep(const SweepJob* job);

#endif
