// Numbers too small for the exponent of single precision: far from where something happens a vector
// dies away below any bound, and a processor takes a hundred times as long for such numbers.
#ifndef COND_BASE_TINY_H
#define COND_BASE_TINY_H

#if defined(__x86_64__) && defined(__GNUC__)
#include <xmmintrin.h>
#endif

// They count as zero from now on in this thread. Returns what was set before.
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
