// The key of a contact: the two things that touch, and the contact between them. It is the same in
// every step, and lists of contacts are sorted by it.
#ifndef COND_MODEL_KEY_H
#define COND_MODEL_KEY_H

#include <stdint.h>

typedef struct CondContactKey {
    uint64_t pair; // kind in the top 4 bits (collide/candidate.h), then the numbers of both things
    uint64_t role; // the corner or edges of the two; 0 if there is at most one contact
} CondContactKey;

static inline int cond_key_equal(CondContactKey a, CondContactKey b)
{
    return a.pair == b.pair && a.role == b.role;
}

static inline int cond_key_less(CondContactKey a, CondContactKey b)
{
    return a.pair != b.pair ? a.pair < b.pair : a.role < b.role;
}

// A hash of both, where keys are only compared for equality: two contacts have the same number with
// probability 2^-64.
static inline uint64_t cond_key_mix(CondContactKey key)
{
    uint64_t x = key.pair + 0x9e3779b97f4a7c15u * (key.role + 1);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x ? x : 1;
}

#endif
