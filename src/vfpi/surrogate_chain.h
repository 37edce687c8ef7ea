// The exact inverse of rods in the block surrogate, together with the dense blocks that couplings
// join to them: a sparse block factorisation, O(n) in the links.
#ifndef COND_VFPI_SURROGATE_CHAIN_H
#define COND_VFPI_SURROGATE_CHAIN_H

#include "linear/block_lu.h"
#include "nodalize/nodal.h"

typedef struct CondChain {
    CondArena arena;
    CondBlockLu matrix; // a node is a link of a rod or a dense block
    int n_node;         // 0: there are no rods
    int* member;        // 1: the block belongs to the chain                   (n_block)
    int* node;          // of a coordinate in the matrix; -1: not in the chain (n_dof)
    int* place;         // index of a coordinate in its vectors; -1: not in the chain   (n_dof)
    int* size;          // coordinates of a node                               (n_node)
    double* x;          // scratch of apply
} CondChain;

// Chooses the members: block tridiagonal blocks, and dense blocks that couplings join to them
// directly or through others. closed[b] = 1 leaves block b out. Fills the matrix with the members'
// blocks.
CondStatus cond_chain_begin(CondChain* chain, const CondNodal* nodal, const int* closed);
void cond_chain_destroy(CondChain* chain);

// Adds p J'K J restricted to the members.
void cond_chain_add(CondChain* chain, const CondNodal* nodal, const CondTerm* term, double p);

// 0 on success, 1 if the matrix is singular.
int cond_chain_factor(CondChain* chain);
// out = v - matrix^-1 g on the members.                                      g, v, out (n)
void cond_chain_apply(const CondChain* chain, const CondProblem* problem, const double* g,
                      const double* v, double* out);

#endif
