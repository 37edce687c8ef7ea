// The contact solves of the fused loop: cond_contact_solve for four contacts at a time.
#ifndef COND_VFPI_CONTACT_SWEEP_H
#define COND_VFPI_CONTACT_SWEEP_H

#include "vfpi/contact_solve.h"

typedef struct CondContactBatch CondContactBatch;

typedef struct CondContactSweep {
    CondArena arena;
    CondContactSolve one; // shared data
    int n_batch;
    CondContactBatch* batch; // of four contacts                               (n_batch)
} CondContactSweep;

// Lays out contacts in an order whose length is a multiple of four; -1 pads groups of four, the
// first of which is always a contact. Nodes before `padded` have four numbers in v, of which the
// last is zero. The arrays of *one are borrowed.                              order (n_order)
CondStatus cond_contact_sweep_build(CondContactSweep* sweep, const CondContactSolve* one,
                                    const int* order, int n_order, int padded);

// Batches first .. last - 1: v holds v* and receives v**; lambda may be NULL. The same bits as with
// cond_contact_solve for one contact after the other.   v (as one->w), lambda (n_contact x 3)
void cond_contact_sweep_run(const CondContactSweep* sweep, double* v, double* lambda, int first,
                            int last);

#endif
