// The random number generator of the library: SplitMix64, the same bits on every machine. Not
// cryptographic.
#ifndef COND_BASE_RANDOM_H
#define COND_BASE_RANDOM_H

#include <stdint.h>

typedef struct CondRandom {
    uint64_t state; // any seed is valid
} CondRandom;

static inline uint64_t cond_random_bits(CondRandom* random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Uniform in [0, 1): the upper 53 bits.
static inline double cond_random_uniform(CondRandom* random)
{
    return (double)(cond_random_bits(random) >> 11) * 0x1p-53;
}

#endif
