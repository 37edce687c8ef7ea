// Fuzz targets: each reads one kind of file from bytes of which nothing is known. A target is one
// file that defines LLVMFuzzerTestOneInput; it is linked with fuzz_main.c, which makes a fixed
// number of mutations of the files it is given, or with libFuzzer.
#ifndef COND_FUZZ_H
#define COND_FUZZ_H

#include "cond/context.h"

#include <stddef.h>
#include <stdint.h>

// Reads the bytes, and ends the program when something is wrong that a sanitizer would not see.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A file to begin with that the target makes itself, from malloc; NULL: it needs none.
uint8_t* fuzz_seed(size_t* size);

// Writes the bytes to a file of the current folder, for readers that take a path. It is what is
// left behind when a reader crashes.
void fuzz_put(const char* path, const uint8_t* data, size_t size);
// The bytes of a file, from malloc; NULL when it cannot be read.
uint8_t* fuzz_get(const char* path, size_t* size);

// Memory of at most so many bytes, for objects that are all released before the next is begun. What
// is still there then is a leak, and ends the program.
typedef struct FuzzPurse {
    size_t limit, taken;
    long pieces;
} FuzzPurse;
CondContext fuzz_purse_context(FuzzPurse* purse);
void fuzz_purse_check(const FuzzPurse* purse);

// Random numbers that are the same everywhere (splitmix64).
typedef struct FuzzDice {
    uint64_t state;
} FuzzDice;
uint64_t fuzz_dice_next(FuzzDice* dice);
size_t fuzz_dice_below(FuzzDice* dice, size_t n); // 0 .. n - 1; 0 where n is 0

#endif
