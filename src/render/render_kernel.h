// The kernels of pictures (render_item.h).
#ifndef COND_RENDER_RENDER_KERNEL_H
#define COND_RENDER_RENDER_KERNEL_H

#include "render/render_item.h"

const CondKernel* cond_render_vertices_kernel(void);
const CondKernel* cond_render_triangles_kernel(void);
const CondKernel* cond_render_tiles_kernel(void);

#endif
