// The account of the threads: where their time goes while a benchmark asks for it (account.h). Its
// one account belongs to the process; no result depends on it.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "base/account.h"

#include "base/pool.h"
#include "base/timer.h"
#include "cond/context.h"

#include <string.h>
#include <time.h>

enum { ENTRIES = 48 };

// Written by the thread that steps; others write to what it hands them.
static struct Account {
    _Atomic int threads;
    int n;
    CondThreadsWork entry[ENTRIES]; //                                    (n)
    CondThreadsWork open;           // since the last mark
    long since;                     // processor time of the calling thread [ns]
    long asking;                    // what it takes to ask for the time [ns]
} account;

int cond_account_threads(void)
{
    return atomic_load_explicit(&account.threads, memory_order_relaxed);
}

static long processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (long)t.tv_sec * 1000000000L + t.tv_nsec;
}

long cond_account_now(void)
{
    return processor_time();
}

// Time since then, less what asking for it takes.
static long passed(long since, long now)
{
    long took = now - since - account.asking;
    return took > 0 ? took : 0;
}

void cond_account_begin(int threads)
{
    int n = threads < COND_ACCOUNT_THREADS ? threads : COND_ACCOUNT_THREADS;
    atomic_store(&account.threads, 0);
    memset(account.entry, 0, sizeof account.entry);
    memset(&account.open, 0, sizeof account.open);
    account.n = 0;
    account.since = processor_time();
    for (int k = 0; k < ENTRIES; k++)
        processor_time();
    account.asking = (processor_time() - account.since) / ENTRIES;
    account.since = processor_time();
    atomic_store(&account.threads, n > 0 ? n : 0);
}

int cond_account_read(int entry, CondThreadsWork* work)
{
    if (account.open.loops > 0 || account.open.outside > 0.0)
        cond_account_mark("other");
    if (entry < 0 || entry >= account.n)
        return 0;
    *work = account.entry[entry];
    return 1;
}

static CondThreadsWork* find(const char* name)
{
    for (int i = 0; i < account.n; i++)
        if (!strcmp(account.entry[i].name, name))
            return &account.entry[i];
    if (account.n == ENTRIES)
        return &account.entry[ENTRIES - 1];
    account.entry[account.n].name = name;
    return &account.entry[account.n++];
}

void cond_account_mark(const char* name)
{
    if (!cond_account_threads() || cond_pool_inside())
        return;
    CondThreadsWork *to = find(name), *open = &account.open;
    long now = processor_time();
    to->outside += open->outside + cond_seconds_of(passed(account.since, now));
    to->within += open->within;
    to->longest += open->longest;
    to->loops += open->loops;
    to->barriers += open->barriers;
    to->met += open->met;
    memset(open, 0, sizeof *open);
    account.since = processor_time();
}

void cond_account_open(void)
{
    account.open.outside += cond_seconds_of(passed(account.since, processor_time()));
}

void cond_account_close(long spent, long longest, int threads, int barriers)
{
    account.open.met += (2.0 + barriers) * threads; // and at both ends
    account.open.within += cond_seconds_of(spent);
    account.open.longest += cond_seconds_of(longest);
    account.open.loops++;
    account.open.barriers += barriers;
    account.since = processor_time();
}

void cond_account_deal(CondAccountDeal* deal, long took)
{
    int first = 0;
    long own = took > account.asking ? took - account.asking : 0;
    for (int k = 1; k < deal->n_thread; k++)
        if (deal->busy[k] < deal->busy[first])
            first = k;
    deal->busy[first] += own;
    deal->spent += own;
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

void cond_account_part(CondAccountTeam* team, long took)
{
    long own = took > account.asking ? took - account.asking : 0;
    atomic_fetch_add(&team->spent, own);
    long longest = atomic_load(&team->part);
    while (longest < own && !atomic_compare_exchange_weak(&team->part, &longest, own))
        ;
}

void cond_account_met(CondAccountTeam* team)
{
    atomic_fetch_add(&team->longest, atomic_exchange(&team->part, 0));
    atomic_fetch_add(&team->met, 1);
}
