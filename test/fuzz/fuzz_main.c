// Runs a fuzz target on files, and on a number of mutations of them that follow from a seed alone.
//
//     fuzz_NAME [--mutations N] [--seed S] [--first K] FILE...
//
// An input has ten seconds. The number of a mutation is printed when it is the last thing the
// program does: --first K --mutations 1 makes it again.
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 10, MAX_SEED = 256, MAX_OPERATION = 6, MAX_PART = 64 };

typedef struct Bytes {
    uint8_t* data;
    size_t size;
} Bytes;

typedef struct Corpus {
    Bytes item[MAX_SEED];
    size_t n;
} Corpus;

// Puts n bytes in place of `old` bytes at a place.
static void replace(Bytes* b, size_t at, size_t old, const uint8_t* put, size_t n)
{
    uint8_t* made = malloc(b->size - old + n + 1);
    if (!made)
        abort();
    memcpy(made, b->data, at);
    if (n > 0)
        memcpy(made + at, put, n);
    memcpy(made + at + n, b->data + at + old, b->size - at - old);
    free(b->data);
    b->data = made;
    b->size = b->size - old + n;
}

static void flip_bit(Bytes* b, FuzzDice* dice)
{
    size_t bit = fuzz_dice_below(dice, 8 * b->size);
    if (b->size > 0)
        b->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

// Numbers in binary that readers may not expect.
static void put_number(Bytes* b, FuzzDice* dice)
{
    static const int64_t whole[] = {0,          1,         -1,        127,       128,
                                    255,        256,       65535,     INT32_MAX, INT32_MIN,
                                    UINT32_MAX, INT64_MAX, INT64_MIN, 1000000000};
    static const uint64_t real[] = {0x7ff8000000000000u, 0x7ff0000000000000u,
                                    0x7fefffffffffffffu, 0x1u,
                                    0x8000000000000000u, 0xc1e0000000000000u};
    uint8_t bytes[8];
    size_t width = (size_t)1 << fuzz_dice_below(dice, 4);
    if (fuzz_dice_below(dice, 3) == 0)
        memcpy(bytes, &real[fuzz_dice_below(dice, sizeof real / sizeof *real)], 8);
    else
        memcpy(bytes, &whole[fuzz_dice_below(dice, sizeof whole / sizeof *whole)], 8);
    if (width <= b->size)
        memcpy(b->data + fuzz_dice_below(dice, b->size - width + 1), bytes, width);
}

// Puts another text in place of a number in the text, the first one behind some place.
static void put_text_number(Bytes* b, FuzzDice* dice)
{
    static const char* const texts[] = {"0",
                                        "-1",
                                        "1e308",
                                        "-1e308",
                                        "1e-320",
                                        ".nan",
                                        ".inf",
                                        "nan",
                                        "inf",
                                        "1e9",
                                        "1e-6",
                                        "4294967296",
                                        "99999999999999999999",
                                        "",
                                        "[",
                                        "0x7fffffff"};
    size_t at = fuzz_dice_below(dice, b->size), end;
    while (at < b->size && !isdigit(b->data[at]))
        at++;
    for (end = at; end < b->size && (isdigit(b->data[end]) || strchr(".eE+-", b->data[end]));)
        end++;
    const char* text = texts[fuzz_dice_below(dice, sizeof texts / sizeof *texts)];
    if (end > at)
        replace(b, at, end - at, (const uint8_t*)text, strlen(text));
}

static void copy_part(Bytes* b, FuzzDice* dice, const Bytes* from)
{
    size_t begin = fuzz_dice_below(dice, from->size), n = fuzz_dice_below(dice, MAX_PART);
    n = n < from->size - begin ? n : from->size - begin;
    uint8_t part[MAX_PART];
    memcpy(part, from->data + begin, n);
    replace(b, fuzz_dice_below(dice, b->size + 1), 0, part, n);
}

static void remove_part(Bytes* b, FuzzDice* dice)
{
    size_t begin = fuzz_dice_below(dice, b->size), n = fuzz_dice_below(dice, MAX_PART);
    replace(b, begin, n < b->size - begin ? n : b->size - begin, NULL, 0);
}

static void mutate(Bytes* b, FuzzDice* dice, const Corpus* corpus)
{
    size_t n = 1 + fuzz_dice_below(dice, MAX_OPERATION);
    for (size_t k = 0; k < n; k++) {
        switch (fuzz_dice_below(dice, 8)) {
        case 0:
        case 1:
            flip_bit(b, dice);
            break;
        case 2:
        case 3:
            put_number(b, dice);
            break;
        case 4:
        case 5:
            put_text_number(b, dice);
            break;
        case 6:
            copy_part(b, dice, &corpus->item[fuzz_dice_below(dice, corpus->n)]);
            break;
        default:
            if (fuzz_dice_below(dice, 8) == 0)
                b->size = fuzz_dice_below(dice, b->size + 1);
            else
                remove_part(b, dice);
        }
    }
}

static void add_item(Corpus* corpus, uint8_t* data, size_t size, const char* name)
{
    if (!data || corpus->n == MAX_SEED) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(1);
    }
    corpus->item[corpus->n++] = (Bytes){data, size};
}

// What is run when the program is ended by a signal: which input it was. Only what may be called
// there is.
static char current[64];

static void on_end(int number)
{
    static const char head[] = "\nended by a signal in ";
    if (write(STDERR_FILENO, head, sizeof head - 1) < 0 ||
        write(STDERR_FILENO, current, strlen(current)) < 0)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

static void try_input(const Bytes* b, const char* kind, long k)
{
    snprintf(current, sizeof current, "%s %ld\n", kind, k);
    alarm(SECONDS);
    LLVMFuzzerTestOneInput(b->data, b->size);
    alarm(0);
}

int main(int argc, char** argv)
{
    static Corpus corpus;
    long mutations = 0, first = 0;
    uint64_t seed = 1;
    size_t size;
    uint8_t* made = fuzz_seed(&size);
    if (made)
        add_item(&corpus, made, size, "seed");
    for (int i = 1; i < argc; i++) {
        long* number = strcmp(argv[i], "--mutations") == 0 ? &mutations
                       : strcmp(argv[i], "--first") == 0   ? &first
                                                           : NULL;
        if (number && i + 1 < argc) {
            *number = strtol(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            seed = strtoull(argv[++i], NULL, 10);
        } else {
            uint8_t* data = fuzz_get(argv[i], &size);
            add_item(&corpus, data, size, argv[i]);
        }
    }
    signal(SIGALRM, on_end);
    signal(SIGABRT, on_end);
    for (size_t k = 0; k < corpus.n && first == 0; k++)
        try_input(&corpus.item[k], "file", (long)k);
    for (long k = first; k < first + mutations && corpus.n > 0; k++) {
        FuzzDice dice = {seed * 1000003u + (uint64_t)k};
        const Bytes* from = &corpus.item[fuzz_dice_below(&dice, corpus.n)];
        Bytes b = {malloc(from->size + 1), from->size};
        if (!b.data)
            abort();
        memcpy(b.data, from->data, from->size);
        mutate(&b, &dice, &corpus);
        try_input(&b, "mutation", k);
        free(b.data);
    }
    printf("%zu files, %ld mutations\n", corpus.n, mutations);
    for (size_t k = 0; k < corpus.n; k++)
        free(corpus.item[k].data);
    return 0;
}
