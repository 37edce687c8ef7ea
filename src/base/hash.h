// FNV-1a, 64 bits: detects changes of bytes; not cryptographic.
#ifndef COND_BASE_HASH_H
#define COND_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define COND_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t cond_hash_bytes(uint64_t hash, const void* data, size_t bytes)
{
    const unsigned char* p = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
