// A byte buffer that grows, and files read into one (bytes.h).
#include "view/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bytes_add(Bytes* bytes, const void* data, size_t size)
{
    if (bytes->failed || size == 0)
        return;
    if (bytes->size + size > bytes->capacity) {
        size_t capacity = bytes->capacity + bytes->capacity / 2 + size;
        unsigned char* grown = realloc(bytes->data, capacity);
        if (!grown) {
            bytes->failed = 1;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void bytes_free(Bytes* bytes)
{
    free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}

int bytes_read(Bytes* bytes, const char* path)
{
    unsigned char part[65536];
    FILE* file = fopen(path, "rb");
    if (!file)
        return 1;
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        bytes_add(bytes, part, n);
    int failed = ferror(file) || bytes->failed;
    fclose(file);
    return failed;
}
