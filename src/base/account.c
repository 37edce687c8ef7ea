// The account of the threads: where their time goes while a benchmark asks for it (account.h). Its
// one account belongs to the process; no result depends on it.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "base/account.h"

#include "base/pool.h"
#include "base/timer.h"
#include "cond/context.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { ENTRIES = 48, LOOPS = 256 };

// A loop of a stage; its `outside` is the time between the loop before and it.
typedef struct Loop {
    const char* stage; // NULL: it belongs to the next mark
    CondThreadsWork work;
} Loop;

// Written by the thread that steps; others write to what it hands them.
static struct Account {
    _Atomic int threads;
    int n, n_loop;
    CondThreadsWork entry[ENTRIES]; //                                    (n)
    Loop loop[LOOPS];               //                                    (n_loop)
    Loop* open;                     // the loop that runs
    long since;                     // processor time of the calling thread [ns]
    long asking;                    // what it takes to ask for the time [ns]
} account;

int cond_account_threads(void)
{
    return atomic_load_explicit(&account.threads, memory_order_relaxed);
}

long cond_account_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (long)t.tv_sec * 1000000000L + t.tv_nsec;
}

long cond_account_passed(long since)
{
    long took = cond_account_now() - since - account.asking;
    return took > 0 ? took : 0;
}

void cond_account_begin(int threads)
{
    int n = threads < COND_ACCOUNT_THREADS ? threads : COND_ACCOUNT_THREADS;
    atomic_store(&account.threads, 0);
    account.n = account.n_loop = 0;
    account.since = cond_account_now();
    for (int k = 0; k < LOOPS; k++)
        cond_account_now();
    account.asking = (cond_account_now() - account.since) / (LOOPS + 1);
    account.since = cond_account_now();
    atomic_store(&account.threads, n > 0 ? n : 0);
}

static void add(CondThreadsWork* to, const CondThreadsWork* more)
{
    to->outside += more->outside;
    to->within += more->within;
    to->longest += more->longest;
    to->loops += more->loops;
    to->barriers += more->barriers;
    to->met += more->met;
}

int cond_account_read(int entry, CondThreadsWork* work)
{
    if (account.n_loop > 0 && !account.loop[account.n_loop - 1].stage)
        cond_account_mark("other");
    if (entry < 0 || entry >= account.n)
        return 0;
    *work = account.entry[entry];
    return 1;
}

int cond_account_read_loop(int entry, const char** stage, CondThreadsWork* work)
{
    if (entry < 0 || entry >= account.n_loop)
        return 0;
    *stage = account.loop[entry].stage;
    *work = account.loop[entry].work;
    return 1;
}

static CondThreadsWork* find(const char* name)
{
    for (int i = 0; i < account.n; i++)
        if (!strcmp(account.entry[i].name, name))
            return &account.entry[i];
    if (account.n == ENTRIES)
        return &account.entry[ENTRIES - 1];
    account.entry[account.n] = (CondThreadsWork){.name = name};
    return &account.entry[account.n++];
}

static Loop* find_loop(const char* stage, const char* name)
{
    for (int i = 0; i < account.n_loop; i++) {
        const char* of = account.loop[i].stage;
        if (!strcmp(account.loop[i].work.name, name) &&
            (of == stage || (of && stage && !strcmp(of, stage))))
            return &account.loop[i];
    }
    if (account.n_loop == LOOPS)
        return &account.loop[LOOPS - 1];
    account.loop[account.n_loop] = (Loop){stage, {.name = name}};
    return &account.loop[account.n_loop++];
}

void cond_account_mark(const char* name)
{
    if (!cond_account_threads() || cond_pool_inside())
        return;
    find_loop(NULL, "end")->work.outside += cond_seconds_of(cond_account_passed(account.since));
    CondThreadsWork* to = find(name);
    int first = account.n_loop; // those without a stage are the last
    while (first > 0 && !account.loop[first - 1].stage)
        first--;
    for (int i = first, end = account.n_loop; i < end; i++) {
        Loop loop = account.loop[i];
        account.n_loop = i == first ? first : account.n_loop;
        add(to, &loop.work);
        add(&find_loop(name, loop.work.name)->work, &loop.work);
    }
    account.since = cond_account_now();
}

void cond_account_open(const char* name)
{
    account.open = find_loop(NULL, name);
    account.open->work.outside += cond_seconds_of(cond_account_passed(account.since));
}

void cond_account_close(long spent, long longest, int barriers, double met)
{
    CondThreadsWork* work = &account.open->work;
    work->met += met;
    work->within += cond_seconds_of(spent);
    work->longest += cond_seconds_of(longest);
    work->loops++;
    work->barriers += barriers;
    account.since = cond_account_now();
}

void cond_account_deal(CondAccountDeal* deal, long took)
{
    int first = 0;
    for (int k = 1; k < deal->n_thread; k++)
        if (deal->busy[k] < deal->busy[first])
            first = k;
    deal->busy[first] += took;
    deal->spent += took;
}

long cond_account_longest(const CondAccountDeal* deal)
{
    long longest = 0;
    for (int k = 0; k < deal->n_thread; k++)
        longest = deal->busy[k] > longest ? deal->busy[k] : longest;
    return longest;
}

void cond_account_meet(CondAccountDeal* deal)
{
    long longest = cond_account_longest(deal);
    for (int k = 0; k < deal->n_thread; k++)
        deal->busy[k] = longest;
}
