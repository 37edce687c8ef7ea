// A text that grows, and text files (text.h).
#include "text.h"

#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void text_add(Text* text, const char* format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int more = vsnprintf(NULL, 0, format, arguments);
    if (more >= 0 && !text->failed) {
        size_t need = text->size + (size_t)more + 1;
        size_t held = text->size ? text->size + 1 : 0;
        // Double at powers of two: the capacity is the next one above the size.
        size_t capacity = 64;
        while (capacity < held)
            capacity *= 2;
        char* data = text->data;
        if (!data || need > capacity) {
            while (capacity < need)
                capacity *= 2;
            data = realloc(text->data, capacity);
        }
        if (data) {
            text->data = data;
            vsnprintf(data + text->size, (size_t)more + 1, format, again);
            text->size += (size_t)more;
        } else {
            text->failed = 1;
        }
    }
    va_end(again);
    va_end(arguments);
}

int text_put(const char* path, const Text* const* part, int n)
{
    CondError error;
    CondFile* file;
    int whole = 1;
    if (cond_file_begin(NULL, path, &file, &error)) {
        cli_complain("%s", error.message);
        return 1;
    }
    for (int k = 0; k < n && whole; k++)
        whole = !part[k]->failed;
    for (int k = 0; k < n && whole; k++)
        fwrite(part[k]->data ? part[k]->data : "", 1, part[k]->size, cond_file_stream(file));
    int failed = cond_file_end(file, whole, &error) || !whole;
    if (failed)
        cli_complain("%s", whole ? error.message : "out of memory");
    return failed;
}

int text_lists(const char* list, const char* word)
{
    size_t n = strlen(word);
    for (const char* at = list; *at;) {
        size_t length = strcspn(at, ",");
        if (length == n && strncmp(at, word, n) == 0)
            return 1;
        at += length + (at[length] == ',');
    }
    return 0;
}

int text_unknown(const char* list, const char* (*name)(const void* data, int i), const void* data,
                 char* out, size_t size)
{
    for (const char* at = list; *at;) {
        size_t length = strcspn(at, ",");
        int known = 0;
        for (int i = 0; !known && name(data, i); i++)
            known = strlen(name(data, i)) == length && strncmp(at, name(data, i), length) == 0;
        if (!known) {
            snprintf(out, size, "%.*s", (int)length, at);
            return 1;
        }
        at += length + (at[length] == ',');
    }
    return 0;
}
