// The kernels of all item functions that loops of the device `cuda` run.
#include "cuda/kernel.cuh"

#include "model/fem_item.h"
#include "newton/resident_item.h"
#include "newton/resident_judge_item.h"
#include "newton/resident_patch_item.h"
#include "newton/resident_system_item.h"
#include "newton/resident_term_item.h"
#include "newton/resident_vector_item.h"
#include "render/render_item.h"
#include "soft/coarse_item.h"

// Called by the table of the device, so that a static library has this file too.
void cond::link_kernels()
{
}
