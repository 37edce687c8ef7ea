// The linear system of a Newton step with soft bodies, solved by conjugate gradients
// (soft_system.h), and how deep their preconditioner goes: blocks alone, then a few groups of
// nodes, then many levels, as iterations become many.
#ifndef COND_NEWTON_SOFT_BACK_END_H
#define COND_NEWTON_SOFT_BACK_END_H

#include "cond/solver.h"
#include "device/device.h"
#include "newton/linear_law.h"
#include "problem/device_matrix.h"
#include "soft/soft_system.h"

typedef struct CondSoftBackEnd {
    CondSoftSystem system;
    int planned, serves; // 1: it is that of the problem; and can solve it
    CondMultilevelUse multilevel;
    CondStorage storage;
    int on_device;             // 1: a CUDA device makes the inner iterations, and what else it can
    struct CondDevice* device; // what the method runs on where it can (resident.h); NULL: the host
    CondDevice cuda;           // that of CUDA
    CondDeviceMatrix* matrix;  // where problems have their A; NULL: on the host
    enum { COND_DEPTH_BLOCKS, COND_DEPTH_GROUPS, COND_DEPTH_LEVELS } depth;
    int products;   // of the solve so far
    int longest;    // products of a step of this problem
    int sharpened;  // 1: they have been solved better once
    double sharper; // share of the reduction that steps else make do with, for this problem
    double* work;   // of biconjugate gradients                                       (5 n_dof)
} CondSoftBackEnd;

// Lays out the system unless `planned`; *serves is 1 where there are soft bodies.
CondStatus cond_soft_back_end_plan(CondSoftBackEnd* soft, const CondProblem* problem, int threads,
                                   int* serves);

// 1: a coarse correction of many levels from the start.
int cond_soft_back_end_levels(const CondSoftBackEnd* soft);

// What a solve begins with.
CondStatus cond_soft_back_end_begin(CondSoftBackEnd* soft);

// `follows`: D is not symmetric where contacts slip.
CondStatus cond_soft_back_end_build(CondSoftBackEnd* soft, const CondLinearLaw* law, int follows,
                                    int slipping);

// How well, and with how many products, a step's system is to be solved; and what came of it, after
// which the preconditioner may go deeper.
typedef struct CondSoftEffort {
    double reduction;
    int most, limit; // of the depth; of this step
} CondSoftEffort;

CondSoftEffort cond_soft_back_end_effort(const CondSoftBackEnd* soft, int follows,
                                         int max_products);
CondStatus cond_soft_back_end_record(CondSoftBackEnd* soft, const CondSoftEffort* effort,
                                     int count);

// As CondLinearBackEnd.solve.
int cond_soft_back_end_solve(CondSoftBackEnd* soft, double* f, double* x, int follows,
                             int max_products);

// Steps of this problem solve their systems a hundred times better from now on; 0 where they have
// done so before, or where no step needed so many products that the system must be ill-conditioned.
int cond_soft_back_end_sharpen(CondSoftBackEnd* soft);
// As before that.
void cond_soft_back_end_blunt(CondSoftBackEnd* soft);

// Least resistance of a contact where D is symmetric, a share of gamma.
double cond_soft_back_end_resistance(const CondSoftBackEnd* soft, const CondContact* contact);

void cond_soft_back_end_destroy(CondSoftBackEnd* soft);

#endif
