// Definitions and settings between a program and a library of different age: each carries its size,
// and grows at its end alone.
#include "base/definition.h"

#include "base/error.h"

#include <string.h>

static size_t size_of(const void* def, size_t at)
{
    size_t size;
    memcpy(&size, (const char*)def + at, sizeof size);
    return size;
}

static void set_size(void* def, size_t at, size_t size)
{
    memcpy((char*)def + at, &size, sizeof size);
}

void cond_definition_fill(void* made, size_t size, const void* defaults, size_t known, size_t at)
{
    memset(made, 0, size);
    memcpy(made, defaults, size < known ? size : known);
    if (size >= at + sizeof size)
        set_size(made, at, size);
}

// Whatever stands where nothing was filled in is hardly a size: those are small multiples of 4.
static int is_size(size_t size)
{
    return size > sizeof size && size % 4 == 0 && size < 1u << 20;
}

int cond_definition_fits(size_t size, size_t known)
{
    return is_size(size) && size <= known;
}

CondStatus cond_definition_take(const void* def, void* own, size_t known, size_t at,
                                const char* function, CondError* error)
{
    size_t size = size_of(def, at);
    if (!is_size(size))
        return cond_error_set(error, COND_BAD_ARGUMENT, "the definition was not made by %s()",
                              function);
    if (size > known)
        return cond_error_set(
            error, COND_BAD_ARGUMENT,
            "the definition has %zu bytes and this library knows %zu: it is older "
            "than the headers",
            size, known);
    memcpy(own, def, size);
    set_size(own, at, known);
    return COND_OK;
}

void cond_struct_take(void* own, size_t known, const void* given, size_t size)
{
    memset(own, 0, known);
    memcpy(own, given, size < known ? size : known);
}

void cond_struct_give(void* given, size_t size, const void* own, size_t known)
{
    cond_struct_take(given, size, own, known);
}
