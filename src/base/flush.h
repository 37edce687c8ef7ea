// Numbers too small for single precision's exponent. Far from where something happens a residual
// dies away below any bound, and a processor takes a hundred times as long for such numbers; loops
// that only steer an iteration count them as zero.
#ifndef COND_BASE_FLUSH_H
#define COND_BASE_FLUSH_H

#if defined(__x86_64__) && defined(__GNUC__)
#include <xmmintrin.h>
#endif

// From here on, on this thread. Returns what was set before.
static inline unsigned cond_flush_tiny(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U);
    return before;
#else
    return 0;
#endif
}

static inline void cond_flush_end(unsigned before)
{
#if defined(__x86_64__) && defined(__GNUC__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

#endif
