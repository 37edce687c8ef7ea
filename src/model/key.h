// The name of a contact: the two things that touch, and which of the contacts between them it is.
// It stays from step to step, and lists of contacts ascend with it.
#ifndef COND_MODEL_KEY_H
#define COND_MODEL_KEY_H

#include <stdint.h>

typedef struct CondContactKey {
    uint64_t pair; // kind in the top 4 bits (collide/candidate.h), then the numbers of both things
    uint64_t role; // which corner or edges of the two; 0 where there is one contact at the most
} CondContactKey;

static inline int cond_key_equal(CondContactKey a, CondContactKey b)
{
    return a.pair == b.pair && a.role == b.role;
}

static inline int cond_key_less(CondContactKey a, CondContactKey b)
{
    return a.pair != b.pair ? a.pair < b.pair : a.role < b.role;
}

// Both in one number, for where names are only told apart: other contacts have other numbers, but
// for a chance of 2^-64.
static inline uint64_t cond_key_mix(CondContactKey key)
{
    uint64_t x = key.pair + 0x9e3779b97f4a7c15u * (key.role + 1);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x ? x : 1;
}

#endif
