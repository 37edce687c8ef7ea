// The kernels of the test of the device cuda.
#include "cuda/kernel.cuh"

#include "verbs_item.h"
