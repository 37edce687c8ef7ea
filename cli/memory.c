// The tool's allocator, with a limit if one is asked for (memory.h).
#include "memory.h"

#include "cli.h"
#include "interrupt.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// In front of every piece of memory stands its size, in as much room as keeps the alignment.
enum { HEAD = 16 };
_Static_assert(HEAD >= sizeof(size_t) && HEAD % _Alignof(max_align_t) == 0, "aligned as malloc's");

// The memory of the program: there is one, so this is its one variable. Counts are atomic, because
// environments are made by several threads.
static struct Memory {
    size_t limit;              // 0: none
    _Atomic(size_t) used;      // bytes now taken
    _Atomic(size_t) refused;   // bytes of the first request that was refused; 0: none
    _Atomic(size_t) used_then; // what was taken then
} memory;

static void* take(size_t bytes, void* user)
{
    (void)user;
    size_t before = atomic_fetch_add(&memory.used, bytes), none = 0;
    unsigned char* piece = NULL;
    if (before <= memory.limit && bytes <= memory.limit - before)
        piece = malloc(bytes + HEAD);
    else if (atomic_compare_exchange_strong(&memory.refused, &none, bytes))
        atomic_store(&memory.used_then, before);
    if (!piece) {
        atomic_fetch_sub(&memory.used, bytes);
        return NULL;
    }
    memcpy(piece, &bytes, sizeof bytes);
    return piece + HEAD;
}

static void give_back(void* pointer, void* user)
{
    (void)user;
    if (!pointer)
        return;
    unsigned char* piece = (unsigned char*)pointer - HEAD;
    size_t bytes;
    memcpy(&bytes, piece, sizeof bytes);
    atomic_fetch_sub(&memory.used, bytes);
    free(piece);
}

int memory_limit(const char* text)
{
    static const char units[] = "kMGT";
    char* end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    const char* unit = end != text && *end ? strchr(units, *end) : NULL;
    for (const char* u = units; unit && u <= unit; u++)
        value *= 1024.0;
    if (end == text || errno || (*end && (!unit || end[1])) || !(value >= 1.0) ||
        !(value < (double)(SIZE_MAX / 2))) {
        cli_complain("--memory-limit %s: expected bytes, as in 500M or 2G", text);
        return 1;
    }
    memory.limit = (size_t)value;
    return 0;
}

size_t memory_limit_now(void)
{
    return memory.limit;
}

const CondContext* memory_context(void)
{
    static const CondContext limited = {
        .allocate = take, .release = give_back, .cancelled = interrupt_cancels};
    static const CondContext unlimited = {.cancelled = interrupt_cancels};
    return memory.limit > 0 ? &limited : &unlimited;
}

static const char* print_size(size_t bytes, char out[32])
{
    static const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    int k = 0;
    for (; value >= 1024.0 && k < 4; k++)
        value /= 1024.0;
    snprintf(out, 32, "%.4g %s", value, units[k]);
    return out;
}

void memory_report(void)
{
    char limit[32], used[32], asked[32];
    size_t refused = atomic_load(&memory.refused);
    if (refused > 0)
        cli_complain("the limit of memory was reached (--memory-limit): of %s, %s were in use when "
                     "%s more were requested",
                     print_size(memory.limit, limit),
                     print_size(atomic_load(&memory.used_then), used), print_size(refused, asked));
}
