// Teams of threads while the account is on (account.h): all ranks run on the calling thread, each
// on a stack of its own and up to its next barrier, then the next one. Its clock advances by the
// processor time that it took; at a barrier the clocks of those that meet are set to the latest. So
// the time of a team of 16 is found on one processor.
#include "base/account.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

// Thread sanitizers do not follow a thread from one stack to another: with them a team is one.
#if defined(__SANITIZE_THREAD__)
#define ONE_STACK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ONE_STACK 1
#endif
#endif

enum { STACK = 1 << 18 }; // [bytes] of a rank; that of conjugate gradients has the interface on it

static CondAccountTeam* running; // of the one simulation that may be measured

// Goes on with the next rank after this one that may; with the caller if all have ended.
static void pass_on(CondAccountTeam* team, int rank)
{
    int next = -1;
    for (int k = 1; k <= team->size && next < 0; k++) {
        int other = (rank + k) % team->size;
        next = team->gate[other] || team->ended[other] ? -1 : other;
    }
    if (next == rank)
        return;
    cond_pool_set_rank(next > 0 ? next : 0);
    team->turn = next;
    swapcontext(&team->rank[rank], next < 0 ? &team->caller : &team->rank[next]);
}

// Ends the turn of a rank.
static void stop(CondAccountTeam* team, int rank)
{
    long took = cond_account_passed(team->since);
    team->clock[rank] += took;
    team->spent += took;
}

static void run_rank(void)
{
    CondAccountTeam* team = running;
    int rank = team->turn;
    team->since = cond_account_now();
    team->body(team->data, rank, team->size);
    stop(team, rank);
    team->ended[rank] = 1;
    pass_on(team, rank);
}

// Not inlined: getcontext counts as a call that may return twice, which loops do not stand.
__attribute__((noinline)) static void make_rank(ucontext_t* context, char* stack)
{
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = STACK;
    makecontext(context, run_rank, 0);
}

int cond_account_team(CondAccountTeam* team, int size, CondPoolTeam body, void* data)
{
    memset(team, 0, sizeof *team);
    team->body = body;
    team->data = data;
    team->size = size < COND_ACCOUNT_THREADS ? size : COND_ACCOUNT_THREADS;
    char* stack = NULL;
#ifndef ONE_STACK
    stack = malloc((size_t)team->size * STACK);
#endif
    if (!stack)
        return 1;
    for (int k = 0; k < team->size; k++)
        make_rank(&team->rank[k], stack + (size_t)k * STACK);
    CondAccountTeam* outer = running;
    int before = cond_pool_enter();
    running = team;
    swapcontext(&team->caller, &team->rank[0]);
    running = outer;
    cond_pool_leave(before);
    free(stack);
    return 0;
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
    team->since = cond_account_now();
}

long cond_account_team_longest(const CondAccountTeam* team)
{
    long latest = 0;
    for (int k = 0; k < team->size; k++)
        latest = team->clock[k] > latest ? team->clock[k] : latest;
    return latest;
}
