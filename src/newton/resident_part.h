// What the files of the resident method share.
#ifndef COND_NEWTON_RESIDENT_PART_H
#define COND_NEWTON_RESIDENT_PART_H

#include "base/arena.h"
#include "device/device.h"
#include "newton/resident.h"
#include "newton/resident_item.h"
#include "newton/resident_judge_item.h"
#include "newton/resident_patch_item.h"
#include "newton/resident_system_item.h"
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
    CondDeviceBuffers of_pattern, of_problem, of_terms, of_system, of_coarse, of_patches, of_levels,
        of_wide;
    uint64_t key;     // of the pattern on the device; 0: none
    uint64_t plan;    // of the hierarchy
    uint64_t n_made;  // hierarchies
    uint64_t n_begun; // solves

    int n_soft_block, n_block; // blocks of A: of the nodes, of all points
    int n_join_contact;        // joins of the packed system that are contacts
    int n_row, n_gain;         // rows of the couplings, numbers of their gains
    CondResidentSystemView linear;
    CondPairView reference;
    int depth; // of the preconditioner on the device, as CondSoftBackEnd.depth
    CondCoarseView coarse, level[COND_LEVELS]; // of the nodes; of each level
    CondJoinView joins;                        // effect of the coarse motions on them
    float* arm[COND_LEVELS];                   // of the nodes of each level
    float *x[COND_LEVELS], *y[COND_LEVELS];    // for powers
    float* inverse;
    int nnz[COND_LEVELS];
    CondPatchView patch[COND_PATCH_LEVELS];
    int n_patch_level;
    // Scratch of the host.
    int *list, *next;
    CondFineBlock* fine;
    int *fine_begin, *block_row;
    double* numbers;
    CondTermEntry *entry, *coupling_entry;
    double *jacobian, *coupling_jacobian, *gains;
    int *other_begin, *other_several;
    int *coupling_begin, *coupling_row, *coupling_gain, *coupling_several, *row_coupling;
    double *schur, *schur_inverse, *column; // of the interface
    int* pivot;
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

// Vectors of the problem's coordinates, to the points and back. Up to two coordinates behind the
// interface are none; they become `rest`.
void cond_resident_write_points(CondResident* r, double* to, const double* from, double rest);
void cond_resident_read_points(CondResident* r, double* to, const double* from);
// Where the blocks of the points are, once a pattern; and the problem, with the pair that a solve
// begins with.
void cond_resident_put_pattern(CondResident* r, const CondSoftSystem* system);
void cond_resident_put_problem(CondResident* r, CondSemismooth* newton,
                               const CondCertificateData* data, const CondAnswer* answer);
// Contacts and couplings: their entries and the lists of the points, once a problem.
void cond_resident_put_terms(CondResident* r, const CondSoftSystem* system);
// The linear system but for the gains of contacts, once a problem.
void cond_resident_put_system(CondResident* r, CondSoftSystem* system);
// Forces of the couplings at x, for products; and of the contacts too, for those with H.
void cond_resident_press(CondResident* r, const double* x);
void cond_resident_multiply(CondResident* r, const double* x);
// The interface's share of a residual, less what the nodes take of it: linear.small.
void cond_resident_reduce(CondResident* r, const double* x);
// H x = r in double, from the x there is; r becomes what is left. The second for H that is not
// symmetric: the products, or a negative status.
void cond_resident_solve_wide(CondResident* r, CondCg* cg);
int cond_resident_solve_general(CondResident* r, const CondContext* context, double reduction,
                                int max_products);

// The coarse correction of a depth: lists of its levels, once a pattern; where the nodes are, and
// their arms, once a problem.
void cond_resident_lay_out_levels(CondResident* r, CondSoftSystem* system);
// The levels of the system at hand, whose blocks on the diagonal are there. COND_DIVERGED where
// they are not positive.
CondStatus cond_resident_build_levels(CondResident* r, CondSoftSystem* system);

#endif
