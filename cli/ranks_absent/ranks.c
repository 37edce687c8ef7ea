// The tool without MPI: under mpirun it goes on as cond-ranks.
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What Open MPI, and what others that speak PMI, tell the programs that they start.
static int is_rank(void)
{
    const char* size = getenv("OMPI_COMM_WORLD_SIZE");
    size = size ? size : getenv("PMI_SIZE");
    return size && atoi(size) > 1;
}

int ranks_begin(const char* command, int asked, int argc, char** argv)
{
    char path[SWEEP_PATH];
    if (!asked && !is_rank())
        return CLI_FINE;
    char** words = calloc((size_t)argc + 3, sizeof *words);
    if (!words) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    cli_sibling_path("cond-ranks", path, sizeof path);
    words[0] = path;
    words[1] = (char*)command;
    for (int i = 0; i < argc; i++)
        words[i + 2] = argv[i];
    execv(path, words);
    cli_complain("%s over MPI: %s: %s. It is built where MPI is installed (Debian: "
                 "libopenmpi-dev)",
                 command, path, strerror(errno));
    free(words);
    return CLI_INPUT;
}

int ranks_end(int code)
{
    return code;
}

int ranks_agree(int code)
{
    return code;
}

int ranks_are_many(void)
{
    return 0;
}

int ranks_count(void)
{
    return 1;
}

int ranks_own(void)
{
    return 0;
}

void ranks_gather(const uint64_t* own, int n, uint64_t* all)
{
    memcpy(all, own, (size_t)n * sizeof *all);
}

void ranks_total(double* sum, int n_sum, double* most, int n_most)
{
    (void)sum;
    (void)n_sum;
    (void)most;
    (void)n_most;
}

int ranks_sweep(const SweepJob* job)
{
    (void)job;
    return CLI_INPUT; // there is one rank alone
}
