// Disjoint sets (union-find) over 0 .. n - 1: of[i] is the parent of i; the root of a set is its
// lowest item. Start with of[i] = i.
#ifndef COND_BASE_DISJOINT_H
#define COND_BASE_DISJOINT_H

// The root of the set of i; compresses the path.
static inline int cond_disjoint_find(int* of, int i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

// Joins two sets; returns their root.
static inline int cond_disjoint_join(int* of, int i, int j)
{
    int a = cond_disjoint_find(of, i), b = cond_disjoint_find(of, j), low = a < b ? a : b;
    of[a < b ? b : a] = low;
    return low;
}

#endif
