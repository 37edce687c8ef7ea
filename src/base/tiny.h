// Subnormal numbers in single precision: far from any disturbance a vector decays below every
// bound, and processors are a hundred times slower with such numbers.
#ifndef COND_BASE_TINY_H
#define COND_BASE_TINY_H

#if defined(__x86_64__) && defined(__GNUC__)
#include <xmmintrin.h>
#endif

// Flushes them to zero in this thread from now on. Returns the previous setting.
static inline unsigned cond_tiny_flush(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U);
    return before;
#else
    return 0;
#endif
}

static inline void cond_tiny_restore(unsigned before)
{
#if defined(__x86_64__) && defined(__GNUC__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

#endif
