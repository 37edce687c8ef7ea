// MPI as the tool uses it. One rank hands out entries, the others work. Waiting ranks sleep
// rather than spin, because they share processors with those that work.
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include "interrupt.h"
#include "sweep_child.h"
#include "sweep_head.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_ASK = 1, TAG_ENTRY = 2, NO_MORE = -1 };

static int is_begun(void)
{
    int begun = 0;
    MPI_Initialized(&begun);
    return begun;
}

int ranks_begin(const char* command, int asked, int argc, char** argv)
{
    (void)asked;
    (void)argc;
    (void)argv;
    if (MPI_Init(NULL, NULL) == MPI_SUCCESS)
        return CLI_FINE;
    cli_complain("%s: MPI cannot be initialised", command);
    return CLI_INPUT;
}

int ranks_end(int code)
{
    if (!is_begun())
        return code;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}

int ranks_agree(int code)
{
    int most = code;
    if (is_begun())
        MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

int ranks_count(void)
{
    int n = 1;
    if (is_begun())
        MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

int ranks_own(void)
{
    int own = 0;
    if (is_begun())
        MPI_Comm_rank(MPI_COMM_WORLD, &own);
    return own;
}

int ranks_are_many(void)
{
    return ranks_count() > 1;
}

void ranks_gather(const uint64_t* own, int n, uint64_t* all)
{
    int ranks = ranks_count();
    if (!is_begun()) {
        memcpy(all, own, (size_t)n * sizeof *all);
        return;
    }
    int* count = calloc(2 * (size_t)ranks, sizeof *count);
    if (!count)
        MPI_Abort(MPI_COMM_WORLD, CLI_INPUT);
    MPI_Gather(&n, 1, MPI_INT, count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int* begin = count + ranks;
    for (int r = 1; r < ranks; r++)
        begin[r] = begin[r - 1] + count[r - 1];
    MPI_Gatherv(own, n, MPI_UINT64_T, all, count, begin, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    free(count);
}

void ranks_total(double* sum, int n_sum, double* most, int n_most)
{
    if (!is_begun())
        return;
    MPI_Allreduce(MPI_IN_PLACE, sum, n_sum, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, most, n_most, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void rest(void)
{
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
}

static int wait_for(int from, int tag)
{
    MPI_Status status;
    for (int there = 0;;) {
        MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status);
        if (there)
            return status.MPI_SOURCE;
        rest();
    }
}

// Makes an entry in a process of its own, so that no run can end a rank, and with it all of them.
static void make_entry(const SweepJob* job, int entry, SweepOutcome* outcome)
{
    SweepChild child;
    *outcome = (SweepOutcome){.entry = entry, .code = CLI_INPUT};
    if (sweep_child_start(job, entry, &child)) {
        snprintf(outcome->reason, sizeof outcome->reason, "no process could be started");
        return;
    }
    while (!sweep_child_poll(job, &child, outcome)) {
        if (interrupt_signal())
            sweep_child_kill(job, &child);
        if (child.pid == 0)
            return;
        rest();
    }
}

static void work(const SweepJob* job)
{
    SweepOutcome outcome = {.entry = NO_MORE};
    for (;;) {
        int entry;
        MPI_Send(&outcome, (int)sizeof outcome, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
        wait_for(0, TAG_ENTRY);
        MPI_Recv(&entry, 1, MPI_INT, 0, TAG_ENTRY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (entry == NO_MORE)
            return;
        make_entry(job, entry, &outcome);
    }
}

// Gives the ranks that wait what there is to do, or lets them go when nothing will come any more.
static void give(SweepHead* head, int* waiting, int* n_waiting, int* working)
{
    int over = head->left == 0 || interrupt_signal();
    while (*n_waiting > 0) {
        int entry = over ? NO_MORE : sweep_head_next(head);
        if (entry == NO_MORE && !over)
            return;
        MPI_Send(&entry, 1, MPI_INT, waiting[--*n_waiting], TAG_ENTRY, MPI_COMM_WORLD);
        *working -= entry == NO_MORE;
    }
}

static int hand_out(const SweepJob* job)
{
    SweepHead head;
    SweepOutcome outcome;
    int n_waiting = 0, working = ranks_count() - 1;
    int* waiting = calloc((size_t)working, sizeof *waiting);
    if (!waiting || sweep_head_begin(&head, job, NULL, NULL))
        MPI_Abort(MPI_COMM_WORLD, CLI_INPUT);
    while (working > 0) {
        int from = wait_for(MPI_ANY_SOURCE, TAG_ASK);
        MPI_Recv(&outcome, (int)sizeof outcome, MPI_BYTE, from, TAG_ASK, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (outcome.entry >= 0 && !interrupt_signal())
            sweep_head_take(&head, &outcome);
        sweep_head_show(&head);
        waiting[n_waiting++] = from;
        give(&head, waiting, &n_waiting, &working);
    }
    free(waiting);
    return sweep_head_end(&head);
}

int ranks_sweep(const SweepJob* job)
{
    if (ranks_own() == 0)
        return hand_out(job);
    work(job);
    return CLI_FINE;
}
