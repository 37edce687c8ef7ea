// Definitions and settings between a program and a library of different age: each carries its size,
// and grows at its end alone.
#ifndef COND_BASE_DEFINITION_H
#define COND_BASE_DEFINITION_H

#include "cond/status.h"

// Fills the first `size` bytes of a definition from its defaults of `known` bytes, of which a
// program may know fewer; what is beyond is zero. at: where in it the size stands.
void cond_definition_fill(void* made, size_t size, const void* defaults, size_t known, size_t at);

// Puts what a program knows of a definition over the defaults in own, of `known` bytes. Where it
// does not fit the message says so: it was not made by `function`, or is from headers that are
// newer than this library.
CondStatus cond_definition_take(const void* def, void* own, size_t known, size_t at,
                                const char* function, CondError* error);

// 1 for what may be the size of a definition that has `known` bytes here.
int cond_definition_fits(size_t size, size_t known);

// Between a struct of `size` bytes as a program knows it and the same struct of `known` bytes as
// the library does: what both know is copied, the rest of the other one is zero.
void cond_struct_take(void* own, size_t known, const void* given, size_t size);
void cond_struct_give(void* given, size_t size, const void* own, size_t known);

// The body of a function NAME_sized(.., Type* given, .., size_t size) that calls another one with
// the library's struct, `it`: given itself where both know the same (or NULL), else one beside it.
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
