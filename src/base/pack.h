// Hashing, measuring, saving and loading of the fields of an object with one list of fields.
#ifndef COND_BASE_PACK_H
#define COND_BASE_PACK_H

#include "base/hash.h"

#include <string.h>

typedef enum CondPackKind {
    COND_PACK_HASH,
    COND_PACK_MEASURE,
    COND_PACK_SAVE,
    COND_PACK_LOAD,
} CondPackKind;

typedef struct CondPack {
    CondPackKind kind;
    uint64_t hash;        // begins with COND_HASH_START
    unsigned char* bytes; // destination of save, source of load
    size_t at;            // bytes passed so far
} CondPack;

// Only load changes the data.
static inline void cond_pack_pass(CondPack* pack, void* data, size_t bytes)
{
    if (bytes == 0)
        return;
    if (pack->kind == COND_PACK_HASH)
        pack->hash = cond_hash_bytes(pack->hash, data, bytes);
    else if (pack->kind == COND_PACK_SAVE)
        memcpy(pack->bytes + pack->at, data, bytes);
    else if (pack->kind == COND_PACK_LOAD)
        memcpy(data, pack->bytes + pack->at, bytes);
    pack->at += bytes;
}

#endif
