// Functions in headers that compile as C and as CUDA: inline, for the host and the device.
#ifndef COND_BASE_INLINE_H
#define COND_BASE_INLINE_H

#ifdef __CUDACC__
#define COND_DEVICE static inline __host__ __device__
#else
#define COND_DEVICE static inline
#endif

#endif
