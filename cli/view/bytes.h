// Bytes that grow.
#ifndef COND_CLI_BYTES_H
#define COND_CLI_BYTES_H

#include <stddef.h>

typedef struct Bytes {
    unsigned char* data; // from malloc
    size_t size, capacity;
    int failed; // memory ran out: the bytes are cut
} Bytes;

void bytes_add(Bytes* bytes, const void* data, size_t size);
void bytes_free(Bytes* bytes);
// The whole of a file; 0 when read, 1 when it cannot be.
int bytes_read(Bytes* bytes, const char* path);

#endif
