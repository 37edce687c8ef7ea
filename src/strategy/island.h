// Islands: the parts of a contact problem that no contact and no coupling joins. Each is a problem
// of its own, smaller, with its own scale and its own certificate, and the islands of a step are
// solved side by side.
#ifndef COND_STRATEGY_ISLAND_H
#define COND_STRATEGY_ISLAND_H

#include "base/components.h"
#include "cond/problem.h"

typedef struct CondIsland {
    int n_dof, n_block, n_coupling, n_contact;
    int dof, block, coupling, contact; // where its own begin among those of all, island by island
} CondIsland;

// Where a block goes.
typedef struct CondBlockPlace {
    int block;      // among those of all islands
    int dof, first; // its island's coordinates begin; its own within these
} CondBlockPlace;

typedef struct CondIslands {
    CondArena arena;
    int n;
    int threads;            // 1 at first
    CondComponents blocks;  // of which islands are made
    CondIsland* island;     // by their first block                              (n)
    int* block_of;          // block of each coordinate                          (n_dof)
    int* number;            // of each coordinate within its island              (n_dof)
    int* dof_at;            // coordinate of the problem, island by island       (n_dof)
    int* contact_at;        // contact of the problem, island by island          (n_contact)
    int* named;             // place of its coordinates, island by island        (n_contact)
    CondBlockPlace* place;  // of the problem's blocks                           (n_block)
    CondBlock* block;       // island by island                                  (n_block)
    CondCoupling* coupling; //                                                   (n_coupling)
    CondContact* contact;   //                                                   (n_contact)
    int* coordinate;        // of couplings and sides, within their islands
    double* b;              //                                                   (n_dof)
} CondIslands;

void cond_islands_begin(const CondContext* context, CondIslands* islands);
void cond_islands_end(CondIslands* islands);

// Finds the islands of a problem.
CondStatus cond_islands_find(CondIslands* islands, const CondProblem* problem);
// Makes a problem of each; they point to data of the problem they are parts of.
CondStatus cond_islands_split(CondIslands* islands, const CondProblem* problem);
// Island i as a problem, after cond_islands_split.
CondProblem cond_islands_problem(const CondIslands* islands, int i);

// v (n_dof) and lambda (n_contact x 3) of the problem, island by island, and back.
void cond_islands_gather(const CondIslands* islands, int i, const double* v, const double* lambda,
                         double* own_v, double* own_lambda);
void cond_islands_scatter(const CondIslands* islands, int i, const double* own_v,
                          const double* own_lambda, double* v, double* lambda);
// Of all islands, each where its own begin.
void cond_islands_gather_all(const CondIslands* islands, const double* v, const double* lambda,
                             double* own_v, double* own_lambda);
void cond_islands_scatter_all(const CondIslands* islands, const double* own_v,
                              const double* own_lambda, double* v, double* lambda);

#endif
