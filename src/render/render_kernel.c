// The kernels of pictures, compiled for the vector instructions of the present processor.
#include "render/render_kernel.h"

#include "base/processor.h"

#if defined(__GNUC__)
#define FLATTEN __attribute__((flatten)) // all that it calls becomes a part of it
#else
#define FLATTEN
#endif

#define WIDE(name)                                                                                 \
    COND_AVX2 FLATTEN static void name##_avx2(const void* args, int first, int last)               \
    {                                                                                              \
        const CondRenderArgs a = *(const CondRenderArgs*)args;                                     \
        for (int i = first; i < last; i++)                                                         \
            name##_item(&a, i);                                                                    \
    }                                                                                              \
    static const CondKernel name##_wide = {#name, name##_avx2, NULL, sizeof(CondRenderArgs)};      \
    const CondKernel* name##_kernel(void)                                                          \
    {                                                                                              \
        return COND_HAS_AVX2 ? &name##_wide : &name;                                               \
    }

WIDE(cond_render_vertices)
WIDE(cond_render_triangles)
WIDE(cond_render_tiles)
