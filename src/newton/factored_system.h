// The linear system of a Newton step, factored: H = A + Jc' D Jc by sparse blocks (block_lu.h).
// Serves rigid bodies, robots and rods in any number, and meshes where that does not cost too much.
#ifndef COND_NEWTON_FACTORED_SYSTEM_H
#define COND_NEWTON_FACTORED_SYSTEM_H

#include "base/arena.h"
#include "cond/problem.h"
#include "linear/block_lu.h"
#include "newton/contact_blocks.h"
#include "newton/contact_terms.h"

typedef struct CondFactoredSystem {
    CondArena arena;
    int threads;      // of a factorisation, 0: the run time's own
    int planned;      // 1: H has the pattern of the problem
    double price;     // and one factorisation costs so many products with A; 0: it has no mesh
    double allowed;   // so many it may cost
    int* node;        // node of a coordinate                               (n_dof)
    int* node_size;   // coordinates of a node                              (n_node)
    int* column_node; // scratch: nodes of a contact or coupling
    double* column;   // scratch: R J of both sides of a contact, and K J of a term
    int n_build;      // factorisations with this pattern
    int keeps;        // 1: A is kept from one to the next
    int n_plan;       // the plan of H that `entry` is for
    CondBlockLuEntry* entry; // where the 3x3 blocks of meshes lie in H, one block after the other
    CondBlockLu H;           // its nodes tile the coordinates
    CondContactBlocks contacts; // of rigid bodies
    CondContactTerms terms;     // the others
} CondFactoredSystem;

// The nodes of H and where they meet, unless `planned` says that they are known, for all steps of a
// solve; open contacts count as well. *serves is 0 where a factorisation costs more than allowed.
CondStatus cond_factored_system_plan(CondFactoredSystem* system, const CondProblem* problem,
                                     int* serves);

// Factors H; COND_DIVERGED where it is singular.                        D: stride doubles apart
CondStatus cond_factored_system_build(CondFactoredSystem* system, const CondProblem* problem,
                                      const double* D, int stride);

// x = H^-1 x
void cond_factored_system_solve(const CondFactoredSystem* system, double* x);

void cond_factored_system_destroy(CondFactoredSystem* system);

#endif
