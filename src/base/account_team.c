// Teams of threads while the account is on (account.h): one of them runs at a time, from barrier to
// barrier, all on one processor. Its own clock advances by the processor time that it took; at a
// barrier the clocks of those that meet are set to the latest. So the time of a team of 16 is found
// on one processor: other threads neither take it away nor spin beside it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_getcpu, sched_setaffinity
#endif
#include "base/account.h"

#include <sched.h>
#include <string.h>

void cond_account_team_begin(CondAccountTeam* team)
{
    memset(team, 0, sizeof *team);
    pthread_mutex_init(&team->lock, NULL);
    for (int k = 0; k < COND_ACCOUNT_THREADS; k++)
        pthread_cond_init(&team->moved[k], NULL);
    team->cpu = sched_getcpu();
}

// Keeps the calling thread on the processor of the team, or lets it run anywhere it might before.
static void settle(const CondAccountTeam* team, int stays)
{
    static _Thread_local cpu_set_t before;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (team->cpu >= 0)
        CPU_SET(team->cpu, &own);
    if (stays && sched_getaffinity(0, sizeof before, &before))
        CPU_ZERO(&before);
    const cpu_set_t* to = stays ? &own : &before;
    if (CPU_COUNT(to) > 0)
        sched_setaffinity(0, sizeof *to, to);
}

// The next thread after this one that may run gets its turn.
static void pass_on(CondAccountTeam* team, int rank)
{
    for (int k = 1; k <= team->size; k++) {
        int next = (rank + k) % team->size;
        if (team->gate[next] || team->ended[next])
            continue;
        team->turn = next;
        pthread_cond_signal(&team->moved[next]);
        return;
    }
}

static void wait_for_turn(CondAccountTeam* team, int rank)
{
    while (team->turn != rank || team->gate[rank])
        pthread_cond_wait(&team->moved[rank], &team->lock);
    pthread_mutex_unlock(&team->lock);
    team->since[rank] = cond_account_now();
}

// Ends the turn of a thread.
static void stop(CondAccountTeam* team, int rank)
{
    long took = cond_account_passed(team->since[rank]);
    pthread_mutex_lock(&team->lock);
    team->clock[rank] += took;
    team->spent += took;
}

void cond_account_join(CondAccountTeam* team, int rank, int size)
{
    settle(team, 1);
    pthread_mutex_lock(&team->lock);
    team->size = size;
    wait_for_turn(team, rank); // rank 0 is the first
}

// Opens a gate: all who wait there go on at the time of the last.
static void open_gate(CondAccountTeam* team, const void* gate)
{
    long latest = 0;
    for (int k = 0; k < team->size; k++)
        if (team->gate[k] == gate && team->clock[k] > latest)
            latest = team->clock[k];
    for (int k = 0; k < team->size; k++)
        if (team->gate[k] == gate) {
            team->clock[k] = latest;
            team->gate[k] = NULL;
        }
}

void cond_account_meet_team(CondAccountTeam* team, const void* gate, int size, int rank)
{
    int there = 0;
    stop(team, rank);
    team->gate[rank] = gate;
    for (int k = 0; k < team->size; k++)
        there += team->gate[k] == gate;
    if (there == size) {
        open_gate(team, gate);
        team->barriers++;
        team->met += size;
    }
    pass_on(team, rank);
    wait_for_turn(team, rank);
}

void cond_account_leave(CondAccountTeam* team, int rank)
{
    stop(team, rank);
    team->ended[rank] = 1;
    pass_on(team, rank);
    pthread_mutex_unlock(&team->lock);
    settle(team, 0);
}

void cond_account_close_team(CondAccountTeam* team)
{
    long latest = 0;
    for (int k = 0; k < team->size; k++)
        latest = team->clock[k] > latest ? team->clock[k] : latest;
    cond_account_close(team->spent, latest, team->size, team->barriers);
    pthread_mutex_destroy(&team->lock);
    for (int k = 0; k < COND_ACCOUNT_THREADS; k++)
        pthread_cond_destroy(&team->moved[k]);
}
