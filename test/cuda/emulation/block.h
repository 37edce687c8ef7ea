// Blocks of threads on the processor. The threads of a block are fibers, switched where they wait
// for each other; one thread runs at a time. The blocks of a cooperative grid are all begun before
// one ends; other blocks run one after the other.
//
// COND_EMULATED_ORDER chooses the order in which blocks, warps and lanes run between two barriers:
// `forward`, `reverse`, or a number from which a new order is drawn each time. A kernel whose
// result depends on it lacks a barrier. The program ends with a message
//
//     where threads of a block wait at different barriers, or some have ended,
//     where a barrier of the grid is not reached by all blocks, or the launch is not cooperative,
//     where a collective of a warp names lanes that do not come, or not its own.
#ifndef COND_EMULATION_BLOCK_H
#define COND_EMULATION_BLOCK_H

#include <cuda_runtime.h>

namespace emulation
{

// Runs a kernel to its end.
void run(const Body& body, dim3 grid, dim3 block, int cooperative);

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

} // namespace emulation
#endif
