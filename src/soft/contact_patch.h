// Patches of neighbouring contacts, and the largest load that the sticking contacts of a patch can
// carry together.
//
// If a body slips on one side and sticks on the other, the first row of sticking contacts carries
// the load of the slipping side. When that row slips, the next one takes the load: a prediction for
// each contact alone moves the front by one row per Newton step, so that finer meshes need more
// steps. For a patch whose sticking contacts carry more than they can hold together,
//     |sum x_t| > sum mu x_n,    x the trial forces,
// the front must leave the patch, wherever in it the load is now: all its contacts slip at once.
// Every step tests patches of growing size, up to all contacts of a body.
#ifndef COND_SOFT_CONTACT_PATCH_H
#define COND_SOFT_CONTACT_PATCH_H

#include "base/arena.h"
#include "soft/soft_system.h"

enum { COND_PATCH_LEVELS = 10 };

// Nodes of contacts, or patches of them, and the patches they form.
typedef struct CondPatchLevel {
    int n;                   // nodes
    int *row_begin, *column; // their neighbours                          (n + 1), (row_begin[n])
    int* group;              // patch of each node                        (n)
    int n_group;
    int *begin, *contact; // contacts of each patch, ascending         (n_group + 1), (n_contact)
} CondPatchLevel;

typedef struct CondContactPatches {
    CondArena arena;
    CondPatchLevel level[COND_PATCH_LEVELS];
    int n_level;
    int threads;
    int* node;       // of each contact on level 0; -1: none             (n_contact)
    int* at;         // its patch on the present level; -1: none                   (n_contact)
    double* x_patch; // scratch: its trial force as one of the patch     (n_contact x 3)
    int* mark;       // scratch                                          (nodes of soft bodies)
    int* member;     // scratch                                          (nodes of level 0)
} CondContactPatches;

// Patches of the nodes that contacts touch; neighbours are those of the bodies' matrices.
CondStatus cond_contact_patches_plan(CondContactPatches* patches, const CondSoftSystem* system);

// 1 if a sticking contact of first .. last - 1 carries more than it can hold; if none does, no
// patch does.                           sticks (n_contact), x: contact frames (n_contact x 3)
int cond_contact_patches_any(const CondProblem* problem, int first, int last, const int* sticks,
                             const double* x);

// For a patch that cannot hold its load: gives the sticking contacts that could hold their own load
// a share of the patch's load as trial force, x_t = mu x_n |sum x_t| / sum mu x_n in the patch's
// direction. Returns their number.
int cond_contact_patches_slip(CondContactPatches* patches, const CondProblem* problem,
                              const int* sticks, double* x);

void cond_contact_patches_destroy(CondContactPatches* patches);

#endif
