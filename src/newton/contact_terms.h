// Contributions to the matrix of a Newton step of contacts that contact_blocks.h does not serve:
// those of soft bodies, robots and more than two nodes. J' D J term by term; J, and where its
// blocks lie, are known from the plan.
#ifndef COND_NEWTON_CONTACT_TERMS_H
#define COND_NEWTON_CONTACT_TERMS_H

#include "base/arena.h"
#include "cond/problem.h"
#include "linear/block_lu.h"

// A block of a term: entries of two nodes.
typedef struct CondTermBlock {
    int term;               // index into `contact`
    int row[2], column[2];  // first entry and the end
    CondBlockLuEntry entry; // of the node's first coordinate
} CondTermBlock;

typedef struct CondContactTerms {
    CondArena arena;
    int n;                // contacts
    int* contact;         //                                                      (n)
    int* begin;           // first entry of a contact                         (n + 1)
    int* coordinate;      // of the entries                                (begin[n])
    int* place;           // coordinate within the node                    (begin[n])
    double* J;            // by columns, in the axes of the contact        (begin[n] x 3)
    double* KJ;           //                                               (begin[n] x 3)
    int* open;            // 1: no term in the factorisation at hand               (n)
    int* job_begin;       // first block of a supernode                  (n_super + 1)
    CondTermBlock* job;   // by supernodes, then contacts
    CondTermBlock* found; // scratch: as they come
    int* holder;          // scratch: their supernodes
    int n_job;
    const double* D; // of all contacts, `stride` numbers apart, of the factorisation at hand
    int stride;      //
} CondContactTerms;

// After the plan of H: of the contacts with home[c] < 0.                     node (n_dof)
CondStatus cond_contact_terms_plan(CondContactTerms* terms, const CondProblem* problem,
                                   const CondBlockLu* H, const int* node, const int* home);

// The D of the next factorisation.
void cond_contact_terms_set(CondContactTerms* terms, const double* D, int stride);
// D J of a share of them.
void cond_contact_terms_prepare(CondContactTerms* terms, int share);
// Adds the blocks that a supernode holds.
void cond_contact_terms_fill(const CondContactTerms* terms, int super);

void cond_contact_terms_destroy(CondContactTerms* terms);

#endif
