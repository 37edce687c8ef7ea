// Version, and what the libraries show. Everything else in them is hidden: a shared library exports
// exactly the functions that these headers mark.
//
//     COND_API            libcond: bodies, collision, problems, solvers, steps
//     COND_IO_API         libcond_io: scene files, robots, meshes, recordings, environments
//     COND_BASELINES_API  libcond_baselines
//
// Definitions and settings that grow with time begin with their own size, which their default
// function fills in. A library takes what a program knows and fills in the defaults of the rest, so
// a program goes on working with a later library of the same major version.
#ifndef COND_API_H
#define COND_API_H

#define COND_VERSION_MAJOR 0
#define COND_VERSION_MINOR 1
#define COND_VERSION_PATCH 0

#if defined(__GNUC__)
#define COND_API __attribute__((visibility("default")))
#else
#define COND_API
#endif
#define COND_IO_API COND_API
#define COND_BASELINES_API COND_API

#ifdef __cplusplus
extern "C" {
#endif

// The version of the library, such as "0.1.0"; the macros above are that of the headers.
COND_API const char* cond_version(void);

#ifdef __cplusplus
}
#endif

#endif
