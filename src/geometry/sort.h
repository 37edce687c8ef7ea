// In-place sorting without allocation, unlike qsort.
#ifndef COND_GEOMETRY_SORT_H
#define COND_GEOMETRY_SORT_H

// A key of up to three indices, with a value.
typedef struct CondIndexKey {
    int part[3];
    int value;
} CondIndexKey;

// Ascending by part[0], part[1], part[2], value.
void cond_keys_sort(CondIndexKey* key, int n);
// 0 if all three parts are equal.
int cond_keys_differ(const CondIndexKey* a, const CondIndexKey* b);

#endif
