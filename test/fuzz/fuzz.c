// Fuzz targets: each reads one kind of file from bytes of which nothing is known.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_put(const char* path, const uint8_t* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "%s: cannot be written\n", path);
        abort();
    }
}

uint8_t* fuzz_get(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t* data = end >= 0 ? malloc((size_t)end + 1) : NULL;
    *size = (size_t)(end > 0 ? end : 0);
    if (data) {
        rewind(file);
        if (fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    if (file)
        fclose(file);
    return data;
}

enum { HEAD = 16 }; // in front of every piece of memory: its size

static void* take(size_t bytes, void* user)
{
    FuzzPurse* purse = user;
    if (bytes > purse->limit - purse->taken)
        return NULL;
    unsigned char* piece = malloc(bytes + HEAD);
    if (!piece)
        return NULL;
    memcpy(piece, &bytes, sizeof bytes);
    purse->taken += bytes;
    purse->pieces++;
    return piece + HEAD;
}

static void give_back(void* memory, void* user)
{
    FuzzPurse* purse = user;
    unsigned char* piece = (unsigned char*)memory - HEAD;
    size_t bytes;
    memcpy(&bytes, piece, sizeof bytes);
    purse->taken -= bytes;
    purse->pieces--;
    free(piece);
}

CondContext fuzz_purse_context(FuzzPurse* purse)
{
    return (CondContext){.allocate = take, .release = give_back, .user = purse};
}

void fuzz_purse_check(const FuzzPurse* purse)
{
    if (purse->pieces == 0)
        return;
    fprintf(stderr, "%ld pieces of memory were not released\n", purse->pieces);
    abort();
}

uint64_t fuzz_dice_next(FuzzDice* dice)
{
    uint64_t x = dice->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

size_t fuzz_dice_below(FuzzDice* dice, size_t n)
{
    return n > 0 ? (size_t)(fuzz_dice_next(dice) % n) : 0;
}
