// The part of the block surrogate that inverts rods exactly, together with the dense blocks that
// couplings tie to them: one band with a border, O(n) in the links.
#ifndef COND_SOLVE_SURROGATE_CHAIN_H
#define COND_SOLVE_SURROGATE_CHAIN_H

#include "linear/bordered.h"
#include "nodalize/nodal.h"

typedef struct CondChain {
    CondContext context;
    CondBordered matrix;
    int* member; // 1: the block belongs to the chain                          (n_block)
    int* place;  // of a coordinate in the matrix; -1: not in the chain        (n_dof)
    double* x;   // scratch of apply                                           (n_band + n_border)
    int cap_member, cap_place, cap_x;
} CondChain;

// Chooses the members: block tridiagonal blocks, and dense blocks that couplings join to them
// directly or through others, as long as the border stays small. closed[b] = 1 leaves block b out.
// Fills the matrix with the members' blocks.
CondStatus cond_chain_begin(CondChain* chain, const CondProblem* problem, const int* closed);
void cond_chain_destroy(CondChain* chain);

// 1 when the band can hold the term's entries between members.
int cond_chain_holds(const CondChain* chain, const CondNodal* nodal, const CondTerm* term);
// Adds p J'K J restricted to the members; of a term that the band cannot hold, only what lies
// within one link or one border block.
void cond_chain_add(CondChain* chain, const CondNodal* nodal, const CondTerm* term, double p);

// 0 when done, 1 when the matrix is singular.
int cond_chain_factor(CondChain* chain);
// out = v - matrix^-1 g on the members.                                      g, v, out (n)
void cond_chain_apply(const CondChain* chain, const CondProblem* problem, const double* g,
                      const double* v, double* out);

#endif
