#include "linear/bsr3_part.h"

#include <stddef.h>

// Four sums side by side, for the processor's sake.
static uint64_t mix(uint64_t key, const int* x, size_t n)
{
    const uint64_t prime = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t lane[4] = {key, key + 1, key + 2, key + 3};
    for (size_t i = 0; i < n; i++) {
        lane[i % 4] = (lane[i % 4] ^ (uint64_t)x[i]) * prime;
        lane[i % 4] ^= lane[i % 4] >> 29;
    }
    for (int k = 0; k < 4; k++)
        key = (key ^ lane[k]) * prime;
    return key ^ key >> 31;
}

uint64_t cond_bsr3_parts_key(int n_part, const CondBsr3Part* part)
{
    uint64_t key = (uint64_t)n_part;
    for (int p = 0; p < n_part; p++) {
        int n = part[p].n_row, sizes[2] = {n, part[p].begin};
        key = mix(key, sizes, 2);
        key = mix(key, part[p].rows.row_begin, (size_t)n + 1);
        key = mix(key, part[p].rows.column, (size_t)part[p].rows.row_begin[n]);
    }
    return key;
}
