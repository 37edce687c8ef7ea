// A text that grows.
#ifndef COND_CLI_TEXT_H
#define COND_CLI_TEXT_H

#include <stddef.h>

typedef struct Text {
    char* data; // always ends with 0; NULL when nothing was added; from malloc
    size_t size;
    int failed; // memory ran out: the text is cut
} Text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void text_add(Text* text, const char* format, ...);

// Writes the parts one after the other as a file, which is there whole or as it was before; 0, or 1
// after a message.
int text_put(const char* path, const Text* const* part, int n);

// 1 when the list of words, separated by commas, has this one.
int text_lists(const char* list, const char* word);

// A word of the list that is none of the names, which name(data, i) gives until it returns NULL;
// into out. 1 when there is one.
int text_unknown(const char* list, const char* (*name)(const void* data, int i), const void* data,
                 char* out, size_t size);

#endif
