// Disjoint sets (union-find) over 0 .. n - 1: of[i] leads from i towards the item that stands for
// its set, which is the lowest. Start with of[i] = i.
#ifndef COND_BASE_DISJOINT_H
#define COND_BASE_DISJOINT_H

// The item that stands for the set of i; shortens the way there.
static inline int cond_disjoint_find(int* of, int i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

// Joins two sets; returns who stands for both.
static inline int cond_disjoint_join(int* of, int i, int j)
{
    int a = cond_disjoint_find(of, i), b = cond_disjoint_find(of, j), low = a < b ? a : b;
    of[a < b ? b : a] = low;
    return low;
}

#endif
