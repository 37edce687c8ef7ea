// The contact solves of one V-FPI iteration: Alg. 2 and line 11 of Alg. 1 for every contact.
//   eta = Jc v* + phi,  lambda = SOL(eta, gamma),  v** = v* + W Jc' lambda
// Every node is in one contact only, so contacts never meet.
#ifndef COND_VFPI_CONTACT_SWEEP_H
#define COND_VFPI_CONTACT_SWEEP_H

#include "cond/solver.h"
#include "nodalize/nodal.h"

typedef struct CondContactBatch CondContactBatch;

typedef struct CondContactSweep {
    CondContext context;
    const CondNodal* nodal;
    const int* node;  // where v has the contacts' nodes, -1 static         (n_contact x 2)
    const int* order; // in which contacts are taken; NULL: as they come    (n_order)
    int n_order;      //
    CondLaw law;
    const int* relaxed; // not NULL: 1 where it is the proximal one        (n_contact)
    double omega;
    int n_batch;             // contacts / 4, those left over not counted
    const double* w;         // diagonal of W                                 (nodal->n)
    CondContactBatch* batch; //                                               (n_batch)
    int cap_batch;
} CondContactSweep;

// Where another order of v has the contacts' nodes, and the order in which contacts are taken, a
// multiple of four in all: -1 fills up fours of which the first is a contact.
typedef struct CondContactPlaces {
    const int* node;  // -1 static                                           (n_contact x 2)
    const int* order; //                                                     (n_order)
    int n_order;
    int padded; // nodes before it have four numbers, of which the last is zero
} CondContactPlaces;

// Lays out the contacts of a problem, four side by side; nodal and relaxed are borrowed, and so are
// the places where they are given; NULL: v has the nodes where nodal has them.
CondStatus cond_contact_sweep_build(CondContactSweep* sweep, const CondNodal* nodal,
                                    const CondContactPlaces* places,
                                    const CondSolverSettings* settings, const int* relaxed);
void cond_contact_sweep_destroy(CondContactSweep* sweep);

// Takes the diagonal of W, which is borrowed: before the first run, and whenever W has changed.
//                                                                            w (nodal->n)
void cond_contact_sweep_weigh(CondContactSweep* sweep, const double* w);

// v holds v* and receives v**, laid out as w; carry is the multiplier of the contacts that carry
// one; lambda may be NULL, if it is not asked for. The same bits for any number of threads.
//                                                       v (as w), carry, lambda (n_contact x 3)
void cond_contact_sweep_run(const CondContactSweep* sweep, const double* carry, double* v,
                            double* lambda, int threads);

// The same in parts, for loops of several threads that are made elsewhere: first .. last - 1 of
// cond_contact_sweep_parts.
int cond_contact_sweep_parts(const CondContactSweep* sweep);
void cond_contact_sweep_run_parts(const CondContactSweep* sweep, const double* carry, double* v,
                                  double* lambda, int first, int last);

#endif
