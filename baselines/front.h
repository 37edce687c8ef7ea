// Ac += Jc A^-1 Jc' from a supernodal factor, touching only what is not zero.
//
// With L L' = P A P' it is Y'Y with L Y = P Jc'. A column of Y is zero outside the path from its
// contact's coordinates to the root of the elimination tree. So the forward solve goes up the tree
// front by front, each with the few contacts that live below it:
//
//     front F = rows of the supernode s, columns of the contacts at or below s
//     Y_s = L_ss^-1 F_s                 dtrsm
//     F_below -= L_below,s Y_s          dgemm, handed on to the parent
//     Ac += Y_s' Y_s                    dsyrk
//
// Only near the root do all contacts meet, and the supernodes there are few. This costs a fraction
// of solving with dense columns; docs/baselines.md has the measurements.
#ifndef COND_BASELINES_FRONT_H
#define COND_BASELINES_FRONT_H

#include "factor.h"

// What a supernode hands on to its parent.
typedef struct CondFrontUpdate {
    int supernode;
    int parent;
    int n_contact;
    int contact_begin; // into contact_stack
    size_t data_begin; // into stack
} CondFrontUpdate;

typedef struct CondFront {
    CondContext context;
    int n_update;            // on the stack
    int n_contact_stack;     //
    size_t n_stack;          //
    CondFrontUpdate* update; // a stack: the supernodes are in postorder
    double* stack;           // their rows below, column-major
    int* contact_stack;      // their contacts, ascending
    double* F;               // the front, column-major
    double* T;               // Y_s' Y_s where not all contacts are active
    int* supernode_of;       // of a permuted row                            (n_dof)
    int* position;           // of a coordinate in the permutation           (n_dof)
    int* local;              // row of the front that holds a permuted row   (n_dof)
    int* entry_begin;        // entries of Jc by supernode                   (n_super + 1)
    int* entry;              //                                              (entries of Jc)
    int* entry_contact;      //                                              (entries of Jc)
    int* mark;               // last supernode that took the contact, + 1    (n_contact)
    int* column;             // of a contact in the front                    (n_contact)
    int* active;             // contacts of the front, ascending             (n_contact)
    size_t cap_stack, cap_F, cap_T;
    int cap_update, cap_contact_stack, cap_supernode_of, cap_position, cap_local;
    int cap_entry_begin, cap_entry, cap_entry_contact, cap_mark, cap_column, cap_active;
} CondFront;

void cond_front_destroy(CondFront* front);

// Adds to the lower triangle of Ac, column-major. The factor must be supernodal.
CondStatus cond_front_add(CondFront* front, const CondFactor* factor, const CondJacobian* Jc,
                          double* Ac);

// Makes *data hold count numbers, keeping its first `kept`.
CondStatus cond_front_reserve(const CondContext* context, double** data, size_t* capacity,
                              size_t count, size_t kept);

#endif
