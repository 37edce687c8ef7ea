// Where memory comes from. Every object copies the context it is created with.
#ifndef COND_CONTEXT_H
#define COND_CONTEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Both callbacks or neither; NULL means malloc and free. allocate may return NULL at any call.
// Memory must be aligned as malloc aligns it.
typedef struct CondContext {
    void* (*allocate)(size_t bytes, void* user);
    void (*release)(void* memory, void* user);
    void* user;
} CondContext;

#ifdef __cplusplus
}
#endif
#endif
