// What the files of the resident method share.
#ifndef COND_NEWTON_RESIDENT_PART_H
#define COND_NEWTON_RESIDENT_PART_H

#include "base/arena.h"
#include "device/device.h"
#include "newton/resident.h"
#include "newton/resident_item.h"
#include "soft/coarse_item.h"

enum { COND_RESIDENT_BUFFERS = 256 };

// Memory of the device that grows. Those of a workspace are taken in an order of their own: the
// n-th call of a round is always the same array.
typedef struct CondDeviceBuffer {
    void* data;
    size_t size;
} CondDeviceBuffer;

typedef struct CondDeviceBuffers {
    CondDeviceBuffer buffer[COND_RESIDENT_BUFFERS];
    int next;
} CondDeviceBuffers;

typedef struct CondPatchView {
    int n_group, n_chunk;
    int *chunk_group, *chunk_begin, *group_chunk, *group_begin, *group_contact;
} CondPatchView;

struct CondResident {
    CondDevice* device;
    int apart; // 1: its memory is not the host's
    CondArena arena;
    const CondSoftSystem* system; // of the problem
    CondStatus status;
    CondDeviceBuffers of_pattern, of_problem, of_patches, of_levels;
    uint64_t key;    // of the pattern on the device; 0: none
    uint64_t plan;   // of the hierarchy
    uint64_t n_made; // hierarchies
    int n_left;      // solves that the host went on with
    CondResidentView view;
    CondPairView reference;
    CondCoarseView coarse, level[COND_LEVELS]; // of the nodes; of each level
    float* arm[COND_LEVELS];                   // of the nodes of each level
    float *x[COND_LEVELS], *y[COND_LEVELS];    // for powers
    float* inverse;
    int nnz[COND_LEVELS];
    CondPatchView patch[COND_PATCH_LEVELS];
    int n_patch_level;
    // Scratch of the host.
    int *list, *contact_begin, *contact_of, *next;
    CondFineBlock* fine;
    int *fine_begin, *block_row;
    double* numbers;
};

// Room in the n-th buffer for so many bytes; NULL, and the status is set, where there is none.
void* cond_resident_room(CondResident* r, CondDeviceBuffers* buffers, size_t bytes);
// The same with a copy of the host's array.
void* cond_resident_put(CondResident* r, CondDeviceBuffers* buffers, const void* from,
                        size_t bytes);
void cond_resident_write(CondResident* r, void* to, const void* from, size_t bytes);
void cond_resident_read(CondResident* r, void* to, const void* from, size_t bytes);
void cond_resident_loop(CondResident* r, const CondKernel* kernel, int n, size_t work,
                        const void* args);
void cond_resident_sum(CondResident* r, const CondKernel* kernel, int n, size_t work,
                       const void* args, double* total);
void cond_resident_most(CondResident* r, const CondKernel* kernel, int n, size_t work,
                        const void* args, double* total);
void cond_resident_wait(CondResident* r);

// Pattern of the nodes, and the lists of the levels: once a pattern. Where the nodes are, and their
// arms: once a problem.
void cond_resident_lay_out_levels(CondResident* r, CondSoftSystem* system);
void cond_resident_place_levels(CondResident* r, CondSoftSystem* system);
// The levels of the system at hand, whose blocks on the diagonal are there. COND_DIVERGED where
// they are not positive.
CondStatus cond_resident_build_levels(CondResident* r, CondSoftSystem* system);

#endif
