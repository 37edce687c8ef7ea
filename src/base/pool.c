// The threads that the loops of base/parallel.h run on. They are made when first needed, look for
// work for a short time and then sleep; a caller never waits for one that has not begun. Each has a
// number from 1 on, and those with the lowest are asked first: a thread does much the same part of
// every loop, which it then finds in its own caches. Who sees work wakes the next two that sleep.
#define _POSIX_C_SOURCE 200809L // clock_gettime, pthread_sigmask
#include "base/pool.h"

#include "base/parallel.h"
#include "base/tuning.h"
#include "cond/context.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What is on offer, in one word, so that a thread that takes a place sees all of it: places taken,
// places, whether it is still open, and which offer it is.
static const uint64_t PLACES = 2 * COND_MAX_THREADS; // more than there can be
static const uint64_t OPEN = 4 * (uint64_t)COND_MAX_THREADS * COND_MAX_THREADS;

static int taken(uint64_t offer)
{
    return (int)(offer % PLACES);
}

static int places(uint64_t offer)
{
    return (int)(offer / PLACES % PLACES);
}

static uint64_t number(uint64_t offer)
{
    return offer / OPEN / 2;
}

typedef struct Worker {
    _Alignas(COND_CACHE_LINE) _Atomic int asleep;
    int number; // from 1 on
    pthread_cond_t offered;
    pthread_t thread;
} Worker;

static struct Pool {
    atomic_flag busy; // some caller has it
    // On lines of their own: those who wait read one of them while others write to the rest.
    _Alignas(COND_CACHE_LINE) _Atomic uint64_t offer;
    _Alignas(COND_CACHE_LINE) _Atomic int done;   // of those that have taken a place
    _Alignas(COND_CACHE_LINE) _Atomic int closed; // 1: the size of the team is known
    int size;
    CondPoolWork serve; // written by the caller before the offer; the other is NULL
    CondPoolTeam gather;
    void* data;
    int n_worker; // written by the caller
    Worker worker[COND_MAX_THREADS];
    _Alignas(COND_CACHE_LINE) _Atomic int stops, waiting;
    pthread_mutex_t lock;
    pthread_cond_t raised;
    long spin; // [ns]
} pool = {.busy = ATOMIC_FLAG_INIT,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .raised = PTHREAD_COND_INITIALIZER};

static _Thread_local int inside; // 1: at work for the pool
static _Thread_local int own_rank;

long cond_pool_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000000000L + t.tv_nsec;
}

int cond_pool_rank(void)
{
    return own_rank;
}

void cond_pool_set_rank(int rank)
{
    own_rank = rank;
}

int cond_pool_inside(void)
{
    return inside;
}

int cond_pool_enter(void)
{
    int before = inside;
    inside = 1;
    return before;
}

void cond_pool_leave(int before)
{
    inside = before;
}

static void relax(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
}

// Sleeps where it takes long, so that the processor is for who is waited for.
static void sleep_until(const _Atomic int* word, int value)
{
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.waiting, 1);
    while (atomic_load(word) < value)
        pthread_cond_wait(&pool.raised, &pool.lock);
    atomic_fetch_sub(&pool.waiting, 1);
    pthread_mutex_unlock(&pool.lock);
}

static int is_there(const _Atomic int* word, int value, int looks)
{
    for (int k = 0; k < looks; k++) {
        if (atomic_load_explicit(word, memory_order_acquire) >= value)
            return 1;
        relax();
    }
    return 0;
}

// To ask for the time takes longer than to look: it is asked for after twice as many looks each
// time.
long cond_pool_wait(const _Atomic int* word, int value)
{
    if (is_there(word, value, 1))
        return 0;
    long since = cond_pool_now();
    for (int looks = 1; cond_pool_now() - since < COND_SPIN; looks *= 2)
        if (is_there(word, value, looks))
            return cond_pool_now() - since;
    sleep_until(word, value);
    return cond_pool_now() - since;
}

void cond_pool_raise(_Atomic int* word)
{
    atomic_fetch_add(word, 1); // before the look at who waits, as these look at it after that
    if (atomic_load(&pool.waiting) == 0)
        return;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.raised);
    pthread_mutex_unlock(&pool.lock);
}

// ---- those who come

// The rank is the thread's number; in a team for which some have not come, as they came.
static void do_place(int came, int n_place, int own)
{
    inside = 1;
    own_rank = own;
    if (pool.serve) {
        pool.serve(pool.data, own_rank);
    } else {
        cond_pool_wait(&pool.closed, 1);
        own_rank = pool.size == n_place + 1 ? own : came;
        pool.gather(pool.data, own_rank, pool.size);
    }
    own_rank = inside = 0;
    cond_pool_raise(&pool.done);
}

// Takes a place of an offer, and does what there is to do; 0 where there is none for it.
static int come(uint64_t offer, int own)
{
    while (offer & OPEN && own <= places(offer))
        if (atomic_compare_exchange_weak_explicit(&pool.offer, &offer, offer + 1,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            do_place(taken(offer) + 1, places(offer), own);
            return 1;
        }
    return 0;
}

// Those behind a thread in a tree of twos, as far as there are places, where they sleep.
static void wake_next(int own, int n_place)
{
    for (int next = 2 * own + 1; next <= 2 * own + 2 && next <= n_place; next++) {
        Worker* worker = &pool.worker[next - 1];
        if (!atomic_load(&worker->asleep))
            continue;
        pthread_mutex_lock(
            &pool.lock); // whoever is about to sleep has looked before, or does so now
        pthread_cond_signal(&worker->offered);
        pthread_mutex_unlock(&pool.lock);
    }
}

static void sleep_until_other(Worker* worker, uint64_t seen)
{
    pthread_mutex_lock(&pool.lock);
    atomic_store(&worker->asleep, 1);
    while (number(atomic_load(&pool.offer)) == seen && !atomic_load(&pool.stops))
        pthread_cond_wait(&worker->offered, &pool.lock);
    atomic_store(&worker->asleep, 0);
    pthread_mutex_unlock(&pool.lock);
}

// Waits for an offer with another number than the last one that was seen; *since: when it had work
// for the last time, or was woken.
static uint64_t wait_for_offer(Worker* worker, uint64_t seen, long* since)
{
    for (int look = 0, looks = 1;;) {
        uint64_t offer = atomic_load_explicit(&pool.offer, memory_order_acquire);
        if (number(offer) != seen || atomic_load_explicit(&pool.stops, memory_order_relaxed))
            return offer;
        relax();
        if (++look < looks)
            continue;
        look = 0;
        looks *= 2;
        if (cond_pool_now() - *since < pool.spin)
            continue;
        looks = 1;
        sleep_until_other(worker, seen);
        *since = cond_pool_now();
    }
}

static void* work(void* data)
{
    Worker* worker = data;
    uint64_t seen = 0; // offers begin with 1
    long since = cond_pool_now();
    while (!atomic_load_explicit(&pool.stops, memory_order_relaxed)) {
        uint64_t offer = wait_for_offer(worker, seen, &since);
        seen = number(offer);
        if (offer & OPEN)
            wake_next(worker->number, places(offer));
        if (come(offer, worker->number))
            since = cond_pool_now();
    }
    return NULL;
}

// ---- the caller's

// A process that was forked has none of the threads.
static void begin_anew(void)
{
    pool.n_worker = 0;
    atomic_store(&pool.offer, 0);
    atomic_flag_clear(&pool.busy);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.raised, NULL);
    atomic_store(&pool.waiting, 0);
    own_rank = inside = 0;
}

static void prepare(void)
{
    const char* policy = getenv("OMP_WAIT_POLICY");
    pool.spin = !policy                                                    ? COND_SPIN
                : !strcmp(policy, "passive") || !strcmp(policy, "PASSIVE") ? 0
                : !strcmp(policy, "active") || !strcmp(policy, "ACTIVE")   ? COND_TEAM_SPIN
                                                                           : COND_SPIN;
    pthread_atfork(NULL, NULL, begin_anew);
}

// Ends all threads, which are through with their work.
static void end_workers(void)
{
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.stops, 1);
    for (int i = 0; i < pool.n_worker; i++)
        pthread_cond_signal(&pool.worker[i].offered);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.n_worker; i++) {
        pthread_join(pool.worker[i].thread, NULL);
        pthread_cond_destroy(&pool.worker[i].offered);
    }
    pool.n_worker = 0;
    atomic_store(&pool.stops, 0);
}

int cond_pool_end(void)
{
    if (inside)
        return 1;
    if (atomic_flag_test_and_set_explicit(&pool.busy, memory_order_acquire))
        return 0; // another thread has them, and does not wait for them where it is not
    end_workers();
    atomic_flag_clear_explicit(&pool.busy, memory_order_release);
    return 0;
}

// Before the library is unloaded: who still has the threads keeps them.
__attribute__((destructor)) static void unload(void)
{
    cond_pool_end();
}

static int make_worker(Worker* worker, int number)
{
    atomic_store(&worker->asleep, 0);
    worker->number = number;
    pthread_cond_init(&worker->offered, NULL);
    return !pthread_create(&worker->thread, NULL, work, worker);
}

// As many threads as there may be of n; signals are for those of the program.
static int hire(int n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    if (pool.n_worker >= n)
        return n;
    pthread_once(&once, prepare);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.n_worker < n && make_worker(&pool.worker[pool.n_worker], pool.n_worker + 1))
        pool.n_worker++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool.n_worker < n ? pool.n_worker : n;
}

// Offers n places, and wakes the first of those that sleep.
static void offer_places(int n)
{
    uint64_t next = number(atomic_load_explicit(&pool.offer, memory_order_relaxed)) + 1;
    atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.closed, 0, memory_order_relaxed);
    atomic_store(&pool.offer, next * 2 * OPEN | OPEN | (uint64_t)n * PLACES);
    wake_next(0, n);
}

// Nobody comes any more; how many have.
static int close_offer(void)
{
    return taken(atomic_fetch_and_explicit(&pool.offer, ~OPEN, memory_order_acq_rel));
}

// Begins an offer; returns how many places it has. 0: the caller is alone.
static int begin(int n_thread, CondPoolWork serve, CondPoolTeam gather, void* data)
{
    int most = n_thread <= COND_MAX_THREADS ? n_thread : COND_MAX_THREADS;
    if (most <= 1 || inside || atomic_flag_test_and_set_explicit(&pool.busy, memory_order_acquire))
        return 0;
    int n = hire(most - 1);
    if (n == 0) {
        atomic_flag_clear_explicit(&pool.busy, memory_order_release);
        return 0;
    }
    pool.serve = serve;
    pool.gather = gather;
    pool.data = data;
    offer_places(n);
    inside = 1;
    return n;
}

static void end(int came, long* waited)
{
    *waited += cond_pool_wait(&pool.done, came);
    inside = 0;
    atomic_flag_clear_explicit(&pool.busy, memory_order_release);
}

int cond_pool_serve(int n_thread, CondPoolWork serve, void* data, long* waited)
{
    *waited = 0;
    int n = begin(n_thread, serve, NULL, data);
    serve(data, 0);
    if (n == 0)
        return 0;
    int came = close_offer();
    end(came, waited);
    return came;
}

int cond_pool_gather(int n_thread, CondPoolTeam gather, void* data, long* waited)
{
    *waited = 0;
    int n = begin(n_thread, NULL, gather, data);
    if (n == 0) {
        gather(data, 0, 1);
        return 0;
    }
    long since = cond_pool_now(), now = since;
    while (taken(atomic_load_explicit(&pool.offer, memory_order_acquire)) < n &&
           now - since <= COND_TEAM_LATE) {
        relax();
        now = cond_pool_now();
    }
    int came = close_offer();
    *waited = now - since;
    pool.size = came + 1;
    cond_pool_raise(&pool.closed);
    gather(data, 0, came + 1);
    end(came, waited);
    return came;
}
