// Lengths of the steps of an iteration, in a growing array.
#ifndef COND_LAW_HISTORY_H
#define COND_LAW_HISTORY_H

#include "base/arena.h"
#include "law/tuning.h"

typedef struct CondHistory {
    CondArena arena;
    double* length; //                                                      (n)
    int n;
    int failed; // 1: memory ran out; later lengths are lost
} CondHistory;

static inline void cond_history_add(CondHistory* history, double length)
{
    int need = history->n < COND_HISTORY_BLOCK ? COND_HISTORY_BLOCK : history->n + 1;
    if (history->failed || COND_RESERVE(&history->arena, history->length, need)) {
        history->failed = 1;
        return;
    }
    history->length[history->n++] = length;
}

#endif
