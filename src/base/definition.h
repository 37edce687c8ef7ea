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

#endif
