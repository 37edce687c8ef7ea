#define _POSIX_C_SOURCE 200809L // sched_yield, clock_gettime
#include "base/parallel.h"

#include "cond/context.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { SPINS = 5000 };               // some hundred microseconds
static const long LATE = 300000;     // who has not come after that long does not run [ns]
static const long CREDIT = 2000000;  // of time that teams have saved counts at most so much,
static const long DEBT = 5000000;    // and where they have lost that much more than they saved
static const long ALONE = 100000000; // there are none for so long

// Where other programs want the processors, a thread of a team may not run for milliseconds, and
// the others wait for it in every loop: a step would take ten times as long as with one thread. So
// teams keep an account of the time that they save and of that which they wait in vain. It is the
// one thing of the library that outlives a call. No result depends on it: a number is the same
// whatever the number of threads.
static _Atomic long saved;         // [ns]
static _Atomic long crowded_until; // [ns] of the clock below

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000000000L + t.tv_nsec;
}

static int is_crowded(void)
{
    long until = atomic_load_explicit(&crowded_until, memory_order_relaxed);
    return until > 0 && now() < until;
}

// A loop of a team took so long, of which it waited in vain: of the rest, it saved about as much.
static void keep_account(long took, long waited)
{
    long sum = atomic_load_explicit(&saved, memory_order_relaxed) + (took - waited) / 2 - waited;
    if (sum < -DEBT) {
        atomic_store_explicit(&crowded_until, now() + ALONE, memory_order_relaxed);
        sum = 0;
    }
    atomic_store_explicit(&saved, sum < CREDIT ? sum : CREDIT, memory_order_relaxed);
}

int cond_threads(size_t work, int threads)
{
    if (work < COND_PARALLEL_FROM)
        return 1;
    int wanted = threads > 0 ? threads : omp_get_max_threads(); // the environment may ask for more
    return wanted < COND_MAX_THREADS ? wanted : COND_MAX_THREADS;
}

int cond_threads_chained(size_t work, int threads)
{
    return cond_threads(work / COND_PARALLEL_CHAINED, threads);
}

int cond_threads_end(void)
{
    if (omp_get_level() > 0)
        return 1;
    omp_pause_resource_all(omp_pause_soft); // run times that mend themselves after a fork keep them
    return 0;
}

// Part k of n_part.
static void do_part(int n, int k, int n_part, CondLoopBody body, const void* loop)
{
    int first = cond_team_first(n, k, n_part), last = cond_team_first(n, k + 1, n_part);
    if (first < last)
        body(loop, first, last);
}

void cond_parallel_team(int n, int n_thread, CondLoopBody body, const void* loop)
{
    if (is_crowded()) {
        do_part(n, 0, 1, body, loop);
        return;
    }
    long begun = now(), done = begun;
#pragma omp parallel for schedule(static) num_threads(n_thread)
    for (int k = 0; k < n_thread; k++) {
        do_part(n, k, n_thread, body, loop);
        if (k == 0)
            done = now();
    }
    long end = now();
    keep_account(end - begun, end - done > LATE ? end - done : 0);
}

// Entries as items of a loop: the rows of a part are those that begin in it.
typedef struct RowLoop {
    int n;
    const int* begin;
    CondLoopBody body;
    const void* loop;
} RowLoop;

static int first_row(const RowLoop* rows, int entry)
{
    int low = 0, high = rows->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (rows->begin[middle] < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void do_rows(const void* data, int first, int last)
{
    const RowLoop* rows = data;
    int end = rows->begin[rows->n];
    int from = first == 0 ? 0 : first_row(rows, first);
    int to = last == end ? rows->n : first_row(rows, last); // empty rows at the end too
    if (from < to)
        rows->body(rows->loop, from, to);
}

void cond_parallel_rows(int n, const int* begin, int n_thread, CondLoopBody body, const void* loop)
{
    RowLoop rows = {n, begin, body, loop};
    if (n_thread > 1 && begin[n] > 0)
        cond_parallel(begin[n], n_thread, do_rows, &rows);
    else
        cond_parallel(n, 1, body, loop);
}

typedef struct CopyLoop {
    const double* from;
    double* to;
} CopyLoop;

static void copy_range(const void* data, int first, int last)
{
    const CopyLoop* loop = data;
    memcpy(loop->to + first, loop->from + first, (size_t)(last - first) * sizeof *loop->to);
}

void cond_parallel_copy(int n, const double* from, double* to, int threads)
{
    CopyLoop loop = {from, to};
    cond_parallel(n, cond_threads((size_t)n, threads), copy_range, &loop);
}

typedef struct PhaseLoop {
    int n_phase;
    const CondPhase* phase;
} PhaseLoop;

static void do_phases(void* data, CondTeam* team, int rank, int size)
{
    const PhaseLoop* loop = data;
    for (int p = 0; p < loop->n_phase; p++) {
        const CondPhase* phase = &loop->phase[p];
        if (phase->apart)
            cond_team_wait(team, size);
        do_part(phase->n, rank, size, phase->body, phase->loop);
    }
}

void cond_parallel_phases(int n_phase, const CondPhase* phase, int n_thread)
{
    PhaseLoop loop = {n_phase, phase};
    cond_team(n_thread, do_phases, &loop);
}

void cond_team(int n_thread, CondTeamBody body, void* data)
{
    CondTeam team = {0};
    if (n_thread <= 1 || is_crowded()) {
        body(data, &team, 0, 1);
        return;
    }
    long begun = now();
#pragma omp parallel num_threads(n_thread) // may give fewer
    body(data, &team, omp_get_thread_num(), omp_get_num_threads());
    keep_account(now() - begun, atomic_load_explicit(&team.waited, memory_order_relaxed));
}

static void relax(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
}

void cond_team_wait(CondTeam* team, int size)
{
    if (size == 1)
        return;
    int turn = atomic_load_explicit(&team->turn, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) == size - 1) {
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&team->turn, turn + 1, memory_order_release);
        return;
    }
    long since = 0;
    for (int spins = 0; atomic_load_explicit(&team->turn, memory_order_acquire) == turn; spins++) {
        if (spins == SPINS)
            since = now();
        if (spins < SPINS)
            relax();
        else
            sched_yield();
    }
    if (since > 0)
        atomic_fetch_add_explicit(&team->waited, now() - since, memory_order_relaxed);
}
