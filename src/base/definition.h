// Definitions and settings between a program and a library of different versions: each stores its
// size, and new fields are added only at the end.
#ifndef COND_BASE_DEFINITION_H
#define COND_BASE_DEFINITION_H

#include "cond/status.h"

// Fills a definition of `size` bytes from its defaults of `known` bytes; a program may know fewer
// or more, and bytes beyond `known` are zero. at: offset of the size field.
void cond_definition_fill(void* made, size_t size, const void* defaults, size_t known, size_t at);

// Copies the fields that a program knows over the defaults in own, of `known` bytes. Fails, with a
// message, if the definition was not made by `function`, or comes from headers newer than this
// library.
CondStatus cond_definition_take(const void* def, void* own, size_t known, size_t at,
                                const char* function, CondError* error);

// 1 if `size` is a valid size of a definition that has `known` bytes in this library.
int cond_definition_fits(size_t size, size_t known);

// Convert between a program's struct of `size` bytes and the library's struct of `known` bytes:
// common bytes are copied, the rest of the destination is zero.
void cond_struct_take(void* own, size_t known, const void* given, size_t size);
void cond_struct_give(void* given, size_t size, const void* own, size_t known);

// The body of a function NAME_sized(.., Type* given, .., size_t size) that calls another one with
// the library's struct, `it`: `given` itself if the sizes agree (or NULL), else a local copy.
// COND_SIZED_IN: the struct is only read.
#define COND_SIZED(Result, Type, given, size, call)                                                \
    Type own;                                                                                      \
    Type* it = (given);                                                                            \
    if (it && (size) != sizeof own) {                                                              \
        cond_struct_take(&own, sizeof own, it, (size));                                            \
        it = &own;                                                                                 \
    }                                                                                              \
    Result returned = (call);                                                                      \
    if (it == &own)                                                                                \
        cond_struct_give((given), (size), &own, sizeof own);                                       \
    return returned
#define COND_SIZED_IN(Result, Type, given, size, call)                                             \
    Type own;                                                                                      \
    const Type* it = (given);                                                                      \
    if (it && (size) != sizeof own) {                                                              \
        cond_struct_take(&own, sizeof own, it, (size));                                            \
        it = &own;                                                                                 \
    }                                                                                              \
    return call

#endif
