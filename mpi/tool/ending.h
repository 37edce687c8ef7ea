// The message of a run that is ended from outside: where a rank has died, MPI ends all others by
// SIGTERM.
#ifndef COND_MPI_ENDING_H
#define COND_MPI_ENDING_H

// From here on, where `speaks` is 1.
void ending_watch(int speaks);

// The checkpoint that stands by now, after so many steps of this run.
void ending_note(const char* path, int steps, double time);

#endif
