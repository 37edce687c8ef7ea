// The part of CUDA's cooperative groups that src/cuda uses, on the processor.
#ifndef COND_EMULATION_COOPERATIVE_GROUPS_H
#define COND_EMULATION_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

namespace cooperative_groups
{

struct grid_group {
    void sync(EMULATION_PLACE) const
    {
        emulation::meet_grid({file, line});
    }
};

static inline grid_group this_grid()
{
    return grid_group();
}

} // namespace cooperative_groups
#endif
