// Sorting in place, without memory of its own, unlike qsort.
#include "geometry/sort.h"

static int key_before(const CondIndexKey* a, const CondIndexKey* b)
{
    for (int i = 0; i < 3; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i];
    return a->value < b->value;
}

// Lets the key at i sink until no child in the heap of n is larger.
static void key_sink(CondIndexKey* key, int i, int n)
{
    CondIndexKey moved = key[i];
    while (i < n / 2) {
        int child = 2 * i + 1;
        if (child + 1 < n && key_before(&key[child], &key[child + 1]))
            child++;
        if (!key_before(&moved, &key[child]))
            break;
        key[i] = key[child];
        i = child;
    }
    key[i] = moved;
}

void cond_keys_sort(CondIndexKey* key, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        key_sink(key, i, n);
    for (int last = n - 1; last > 0; last--) {
        CondIndexKey largest = key[0];
        key[0] = key[last];
        key[last] = largest;
        key_sink(key, 0, last);
    }
}

int cond_keys_differ(const CondIndexKey* a, const CondIndexKey* b)
{
    return a->part[0] != b->part[0] || a->part[1] != b->part[1] || a->part[2] != b->part[2];
}
