// Version and export macros. A shared library exports exactly the functions that these headers
// mark.
//
//     COND_API            libcond: bodies, collision, problems, solvers, steps
//     COND_IO_API         libcond_io: scene files, robots, meshes, recordings, environments
//     COND_BASELINES_API  libcond_baselines
//
// Definitions and settings carry their own size, which their default function fills in. A later
// library of the same major version may have added fields at the end of a struct. It reads the
// fields that the program was compiled with and uses the defaults of the others, so that the
// program goes on working.
#ifndef COND_API_H
#define COND_API_H

#include <stddef.h>

#define COND_VERSION_MAJOR 0
#define COND_VERSION_MINOR 2
#define COND_VERSION_PATCH 0

#if defined(__GNUC__)
#define COND_API __attribute__((visibility("default")))
#else
#define COND_API
#endif
#define COND_IO_API COND_API
#define COND_BASELINES_API COND_API

// Defines name(), which returns a definition or settings with their defaults. The library fills the
// struct up to the size that it has in the program, so that later versions may add fields at its
// end.
#define COND_DEFAULT(api, Type, name) COND_DEFAULT_OF(api, Type, name, (void)0)
// The same with a statement that sets fields of `made`: the sizes that the elements of its arrays
// have in the program.
#define COND_DEFAULT_OF(api, Type, name, statement)                                                \
    api void name##_fill(Type* made, size_t size);                                                 \
    static inline Type name(void)                                                                  \
    {                                                                                              \
        Type made;                                                                                 \
        name##_fill(&made, sizeof made);                                                           \
        statement;                                                                                 \
        return made;                                                                               \
    }

#ifdef __cplusplus
extern "C" {
#endif

// The version of the library, such as "0.2.0"; the macros above are that of the headers.
COND_API const char* cond_version(void);

#ifdef __cplusplus
}
#endif

#endif
