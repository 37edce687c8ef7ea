// Vector instructions of the present processor. A loop is written once as an inline function and
// compiled for each kind:
//
//     COND_AVX2 static void add_avx2(...) { add(...); }
//     (COND_HAS_AVX2 ? add_avx2 : add_generic)(...);
//
// Without fused operations all kinds give the same bits.
#ifndef COND_BASE_PROCESSOR_H
#define COND_BASE_PROCESSOR_H

#if defined(__x86_64__) && defined(__GNUC__)
#define COND_AVX2 __attribute__((target("avx2")))
#define COND_HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define COND_AVX2
#define COND_HAS_AVX2 0
#endif

#endif
