// Contributions of contacts between rigid bodies to the matrix of a Newton step: J' D J on the six
// coordinates of one body or of two. Contacts of the same bodies are taken together; where their
// blocks lie is known from the plan.
#ifndef COND_NEWTON_CONTACT_BLOCKS_H
#define COND_NEWTON_CONTACT_BLOCKS_H

#include "base/arena.h"
#include "cond/problem.h"
#include "linear/block_lu.h"

enum { COND_PAIR_BLOCKS = 4 }; // first body with itself, both, both the other way, second

typedef struct CondPairBlocks {
    int node[2];                              // of the matrix; the second is -1 beside the world
    int begin, end;                           // contacts, in `contact`
    int n_row;                                // rows of those that are not open, by update
    CondBlockLuEntry block[COND_PAIR_BLOCKS]; //
} CondPairBlocks;

typedef struct CondContactBlocks {
    CondArena arena;
    int n_pair, n_contact;
    CondPairBlocks* pair;    // by the share of the factorisation that makes their rows
    int share[COND_TOP + 2]; // first pair of each share, then n_pair
    CondPairBlocks* found;   // scratch: the pairs as they come
    int* number;             // scratch: where they go
    int* contact;    // by pairs                                                   (n_contact)
    double* J;       // of both bodies, in the axes of the contact         (n_contact x 3 x 12)
    const double* D; // of all contacts, `stride` numbers apart, of the factorisation at hand
    int stride;      //
    double* row;     // of J, those of contacts that are not open          (n_contact x 3 x 12)
    double* force;   // - D J likewise                                     (n_contact x 3 x 12)
    int* job_begin;  // first job of a supernode                                 (n_super + 1)
    int* job;        // COND_PAIR_BLOCKS pair + block                              (job_begin)
    int* last;       // scratch: the last pair of a node; the next job    (n_node or n_super)
    int* next;       // scratch: another pair of the same first node               (n_contact)
    int* home;       // 2 pair + side of its first node, of every contact; -1: not served
} CondContactBlocks;

// After the plan of H: the pairs of bodies of the contacts that it serves, those that join one or
// two nodes of six coordinates, in order.                                         node (n_dof)
CondStatus cond_contact_blocks_plan(CondContactBlocks* blocks, const CondProblem* problem,
                                    const CondBlockLu* H, const int* node);

// What a factorisation with these D adds to what stays.                  D: stride doubles apart
CondBlockLuSource cond_contact_blocks_source(CondContactBlocks* blocks, const double* D,
                                             int stride);

void cond_contact_blocks_destroy(CondContactBlocks* blocks);

#endif
