// Loops over threads, with the same result for any number of them.
#include "base/parallel.h"

#include "base/account.h"
#include "base/cores.h"
#include "base/pool.h"
#include "cond/context.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// Where other programs want the processors, a thread that has begun its share may then not run for
// milliseconds, and the others wait for it: a step would take several times as long as with one
// thread. So teams keep an account of the time that they save and of that which they wait in vain.
// It and the threads themselves are all of the library that outlives a call. No result depends on
// it: a number is the same whatever the number of threads.
static _Atomic long saved;         // [ns]
static _Atomic long crowded_until; // [ns] of the clock below
static _Atomic long crowded_for;   // how long there were none the last time [ns]

static int is_crowded(void)
{
    long until = atomic_load_explicit(&crowded_until, memory_order_relaxed);
    return until > 0 && cond_pool_now() < until;
}

static void leave_alone(long lost)
{
    long next = 2 * atomic_load_explicit(&crowded_for, memory_order_relaxed);
    next = next > COND_TEAM_TIMES * lost ? next : COND_TEAM_TIMES * lost;
    next = next < COND_TEAM_LATER ? next : COND_TEAM_LATER;
    atomic_store_explicit(&crowded_for, next, memory_order_relaxed);
    atomic_store_explicit(&crowded_until, cond_pool_now() + next, memory_order_relaxed);
}

// A loop to which `came` other threads came took so long, of which the calling thread waited in
// vain. In the rest of the time each of them did about as much as that one: half of that counts,
// for parts are not even. Where they are very uneven, or a thread does not run, the waiting is
// more.
static void keep_account(long took, long waited, int came)
{
    long sum = atomic_load_explicit(&saved, memory_order_relaxed) + (took - waited) / 2 * came;
    sum -= waited;
    if (sum < -COND_TEAM_CREDIT) {
        leave_alone(-sum);
        sum = 0;
    } else if (sum >= COND_TEAM_CREDIT) {
        atomic_store_explicit(&crowded_for, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&saved, sum < COND_TEAM_CREDIT ? sum : COND_TEAM_CREDIT,
                          memory_order_relaxed);
}

int cond_threads(size_t work, int threads)
{
    if (work < COND_PARALLEL_FROM)
        return 1;
    int wanted = threads > 0 ? threads : cond_cores(); // the environment may ask for more
    double worth = sqrt(16.0 * (double)work / COND_PARALLEL_FROM);
    wanted = wanted < COND_MAX_THREADS ? wanted : COND_MAX_THREADS;
    return worth < wanted ? (int)worth : wanted;
}

int cond_threads_chained(size_t work, int threads)
{
    return work < (size_t)COND_PARALLEL_CHAINED * COND_PARALLEL_FROM ? 1
                                                                     : cond_threads(work, threads);
}

int cond_threads_end(void)
{
    return cond_pool_end();
}

// Part k of n_part.
static void do_part(int n, int k, int n_part, CondLoopBody body, const void* loop)
{
    int first = cond_team_first(n, k, n_part), last = cond_team_first(n, k + 1, n_part);
    if (first < last)
        body(loop, first, last);
}

// ---- measurements (base/account.h)

static int is_measured(void)
{
    return cond_account_threads() > 0 && !cond_pool_inside();
}

// Threads that meet at so many barriers of all of them, and at both ends of the loop.
static double meetings(int n_thread, int barriers)
{
    return (2.0 + barriers) * n_thread;
}

typedef struct Measured {
    CondPoolWork work;
    void* data;
    _Atomic long spent, longest;
} Measured;

static void serve_measured(void* data, int rank)
{
    Measured* measured = data;
    long since = cond_account_now();
    measured->work(measured->data, rank);
    long took = cond_account_passed(since), longest = atomic_load(&measured->longest);
    atomic_fetch_add(&measured->spent, took);
    while (longest < took && !atomic_compare_exchange_weak(&measured->longest, &longest, took))
        ;
}

// Serves with others, and keeps the account.
static void serve(int n_thread, CondPoolWork work, void* data, const _Atomic long* waited_within,
                  const char* name)
{
    if (n_thread > 1 && is_measured()) {
        Measured measured = {.work = work, .data = data};
        long waited;
        cond_account_open(name);
        cond_pool_serve(n_thread, serve_measured, &measured, &waited);
        cond_account_close(measured.spent, measured.longest, 0, meetings(n_thread, 0));
        return;
    }
    if (n_thread <= 1 || is_crowded()) {
        work(data, 0);
        return;
    }
    long waited = 0, begun = cond_pool_now();
    int came = cond_pool_serve(n_thread, work, data, &waited);
    if (waited_within)
        waited += atomic_load_explicit(waited_within, memory_order_relaxed);
    if (came > 0)
        keep_account(cond_pool_now() - begun, waited, came);
}

// Phases as parts. A thread does the parts of its own rank first, the same of every loop, and then
// what others have not begun. Before the first part of a phase that begins apart all parts before
// it are through; those of it are all that can then be.
enum {
    BITS = CHAR_BIT * (int)sizeof(uint64_t),
    WORDS = (COND_LOOP_SHARES * COND_MAX_THREADS + BITS - 1) / BITS,
    PHASES = 32
};

typedef struct Parts {
    int n_phase, n_part; // of a phase
    const CondPhase* phase;
    int n_word;                                                       // of a phase
    _Alignas(COND_CACHE_LINE) _Atomic uint64_t begun[PHASES * WORDS]; // bits of the parts
    _Alignas(COND_CACHE_LINE) _Atomic int done;
    _Alignas(COND_CACHE_LINE) _Atomic long waited; // by the calling thread [ns]
} Parts;

static void wait_for(Parts* parts, int done)
{
    long waited = cond_pool_wait(&parts->done, done);
    if (waited > 0 && cond_pool_rank() == 0)
        atomic_fetch_add_explicit(&parts->waited, waited, memory_order_relaxed);
}

// Takes part k of a phase; 0 where another has.
static int take(_Atomic uint64_t* begun, int k)
{
    uint64_t bit = (uint64_t)1 << k % BITS;
    return !(atomic_load_explicit(&begun[k / BITS], memory_order_relaxed) & bit) &&
           !(atomic_fetch_or_explicit(&begun[k / BITS], bit, memory_order_relaxed) & bit);
}

static void do_phase(Parts* parts, int p, int rank)
{
    const CondPhase* phase = &parts->phase[p];
    _Atomic uint64_t* begun = &parts->begun[(ptrdiff_t)p * parts->n_word];
    int apart = p, first = COND_LOOP_SHARES * rank;
    while (apart > 0 && !parts->phase[apart].apart)
        apart--;
    for (int i = 0; i < parts->n_part; i++) {
        int k = (first + i) % parts->n_part;
        if (!take(begun, k))
            continue;
        wait_for(parts, apart * parts->n_part);
        do_part(phase->n, k, parts->n_part, phase->body, phase->loop);
        cond_pool_raise(&parts->done);
    }
}

static void do_parts(void* data, int rank)
{
    Parts* parts = data;
    for (int p = 0; p < parts->n_phase; p++)
        do_phase(parts, p, rank);
}

// The parts of all phases one after the other, dealt to threads.
static void measure_phases(int n_phase, const CondPhase* phase, int n_thread, const char* name)
{
    CondAccountDeal deal = {.n_thread =
                                n_thread < COND_ACCOUNT_THREADS ? n_thread : COND_ACCOUNT_THREADS};
    int barriers = 0;
    cond_account_open(name);
    for (int p = 0; p < n_phase; p++) {
        if (phase[p].apart) {
            cond_account_meet(&deal);
            barriers++;
        }
        for (int k = 0; k < COND_LOOP_SHARES * n_thread; k++) {
            long since = cond_account_now();
            do_part(phase[p].n, k, COND_LOOP_SHARES * n_thread, phase[p].body, phase[p].loop);
            cond_account_deal(&deal, cond_account_passed(since));
        }
    }
    cond_account_close(deal.spent, cond_account_longest(&deal), barriers,
                       meetings(n_thread, barriers));
}

void cond_parallel_phases(int n_phase, const CondPhase* phase, int n_thread, const char* name)
{
    if (n_thread > 1 && is_measured()) {
        measure_phases(n_phase, phase, n_thread, name);
        return;
    }
    for (int p = 0; p < n_phase && n_thread <= 1; p++)
        do_part(phase[p].n, 0, 1, phase[p].body, phase[p].loop);
    if (n_thread <= 1)
        return;
    if (n_phase > PHASES) { // what comes behind begins apart
        cond_parallel_phases(PHASES, phase, n_thread, name);
        cond_parallel_phases(n_phase - PHASES, phase + PHASES, n_thread, name);
        return;
    }
    Parts parts; // most of it is never looked at
    parts.n_phase = n_phase;
    parts.n_part = COND_LOOP_SHARES * n_thread;
    parts.phase = phase;
    parts.n_word = (parts.n_part + BITS - 1) / BITS;
    for (int k = 0; k < n_phase * parts.n_word; k++)
        atomic_init(&parts.begun[k], 0);
    atomic_init(&parts.done, 0);
    atomic_init(&parts.waited, 0);
    serve(n_thread, do_parts, &parts, &parts.waited, name);
}

void cond_parallel_team(int n, int n_thread, CondLoopBody body, const void* loop, const char* name)
{
    CondPhase phase = {body, loop, n, 0};
    cond_parallel_phases(1, &phase, n_thread, name);
}

typedef struct Items {
    int n;
    CondItemBody body;
    void* data;
    _Alignas(COND_CACHE_LINE) _Atomic int next;
} Items;

static void do_items(void* data, int rank)
{
    Items* items = data;
    for (int i; (i = atomic_fetch_add_explicit(&items->next, 1, memory_order_relaxed)) < items->n;)
        items->body(items->data, i, rank);
}

static void measure_items(int n, int n_thread, CondItemBody body, void* data, const char* name)
{
    CondAccountDeal deal = {.n_thread =
                                n_thread < COND_ACCOUNT_THREADS ? n_thread : COND_ACCOUNT_THREADS};
    cond_account_open(name);
    int before = cond_pool_enter();
    for (int i = 0; i < n; i++) {
        long since = cond_account_now();
        body(data, i, 0);
        cond_account_deal(&deal, cond_account_passed(since));
    }
    cond_pool_leave(before);
    cond_account_close(deal.spent, cond_account_longest(&deal), 0, meetings(n_thread, 0));
}

void cond_parallel_items(int n, int n_thread, CondItemBody body, void* data, const char* name)
{
    Items items = {.n = n, .body = body, .data = data};
    if (n_thread > 1 && is_measured())
        measure_items(n, n_thread, body, data, name);
    else
        serve(n_thread, do_items, &items, NULL, name);
}

void cond_parallel_serve(int n_thread, CondServeBody body, void* data, const char* name)
{
    serve(n_thread, body, data, NULL, name);
}

int cond_parallel_rank(void)
{
    return cond_pool_rank();
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

void cond_parallel_rows_named(int n, const int* begin, int n_thread, CondLoopBody body,
                              const void* loop, const char* name)
{
    RowLoop rows = {n, begin, body, loop};
    if (n_thread > 1 && begin[n] > 0)
        cond_parallel_named(begin[n], n_thread, do_rows, &rows, name);
    else
        cond_parallel_named(n, 1, body, loop, name);
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

typedef struct TeamCall {
    CondTeam team;
    CondTeamBody body;
    void* data;
} TeamCall;

static void call_team(void* data, int rank, int size)
{
    TeamCall* call = data;
    call->body(call->data, &call->team, rank, size);
}

static void measure_team(int n_thread, TeamCall* call, const char* name)
{
    CondAccountTeam account;
    cond_account_open(name);
    call->team.account = &account;
    if (cond_account_team(&account, n_thread, call_team, call)) {
        int before = cond_pool_enter();
        call->team.account = NULL;
        call_team(call, 0, 1);
        cond_pool_leave(before);
    }
    cond_account_close(account.spent, cond_account_team_longest(&account), account.barriers,
                       account.met + meetings(account.size, 0));
}

void cond_team(int n_thread, CondTeamBody body, void* data, const char* name)
{
    TeamCall call = {.body = body, .data = data};
    if (n_thread > 1 && is_measured()) {
        measure_team(n_thread, &call, name);
        return;
    }
    if (n_thread <= 1 || is_crowded()) {
        body(data, &call.team, 0, 1);
        return;
    }
    long waited = 0, begun = cond_pool_now();
    int came = cond_pool_gather(n_thread, call_team, &call, &waited);
    waited += atomic_load_explicit(&call.team.waited, memory_order_relaxed);
    keep_account(cond_pool_now() - begun, waited, came);
}

void cond_team_meet(CondTeam* team, CondGate* gate, int size)
{
    if (size == 1)
        return;
    if (team->account) {
        cond_account_meet_team(team->account, gate, size, cond_pool_rank());
        return;
    }
    int turn = atomic_load_explicit(&gate->turn, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&gate->arrived, 1, memory_order_acq_rel) == size - 1) {
        atomic_store_explicit(&gate->arrived, 0, memory_order_relaxed);
        cond_pool_raise(&gate->turn);
        return;
    }
    long waited = cond_pool_wait(&gate->turn, turn + 1);
    if (waited > COND_TEAM_LATE && cond_pool_rank() == 0)
        atomic_fetch_add_explicit(&team->waited, waited, memory_order_relaxed);
}

void cond_team_wait(CondTeam* team, int size)
{
    cond_team_meet(team, &team->all, size);
}
