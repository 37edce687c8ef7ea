// The linear system of a Newton step over ranks, H = A + sum J' D J, by PETSc: conjugate gradients,
// or stabilised biconjugate ones where D is not symmetric. H is known by its product, which asks
// for one exchange between neighbours. The preconditioner is PETSc's algebraic multigrid (GAMG) on
// the nodes of the meshes, with their rigid motions, and a factorisation of all other coordinates
// (rigid bodies, robots), which is the same on every rank.
//
// PETSc sees S H S, S = diag(A)^-1/2, so that the norm of its residual is that of the certificate.
#ifndef COND_MPI_SYSTEM_H
#define COND_MPI_SYSTEM_H

#include "newton/linear_law.h"
#include "problem/term.h"
#include "share.h"

#include <petscksp.h>

typedef struct CondMpiSystem {
    CondArena arena;
    CondMpiShare* share;
    int planned;                     // 1: all of PETSc's objects are there
    int n_soft, n_other;             // own coordinates of nodes, and others
    PetscInt all_soft;               // of all ranks
    PetscInt all_other;              //
    PetscInt first_soft;             // number of the first own one among all
    PetscInt first_other;            //
    Mat H, K, C;                     // the product; nodes; others
    KSP ksp;                         //
    PC soft, other;                  //
    Vec f, x;                        // own coordinates, arrays are put in
    Vec part[4];                     // nodes, twice; others, twice: the same
    const CondLinearLaw* law;        // of the contacts
    int general;                     // 1: D is not symmetric
    PetscInt* index;                 // among all nodes; others: -1 - index        (problem n_dof)
    double* scale;                   // S                                          (n_own)
    double* b;                       // S f                                        (n_own)
    double* z;                       //                                            (n_own)
    double* p;                       // a vector with copies                       (problem n_dof)
    double* q;                       //                                            (problem n_dof)
    double* gain;                    // of the contacts at own nodes alone         (9 n_node)
    double* mode;                    // rigid motions                              (6 x n_soft)
    int* list;                       // scratch: coordinates of a term
    double* entry;                   // scratch: its Jacobian, then K J
    PetscInt *own_size, *other_size; // scratch: entries of the rows of K
    double norm[2], reduction; // of the residual before and after the first iteration; what of the
                               // latter may be left
    int products, iterations;  // of all steps of this problem
} CondMpiSystem;

// Lays out the system of a share.
CondStatus cond_mpi_system_plan(CondMpiSystem* system, CondMpiShare* share);

// Takes the linearised law of the share's contacts.
CondStatus cond_mpi_system_build(CondMpiSystem* system, const CondLinearLaw* law, int general);

// x = H^-1 f on own coordinates and copies, f becomes f - H x. Products made, or a status.
int cond_mpi_system_solve(CondMpiSystem* system, double* f, double* x, double reduction,
                          int max_products);

// A contact with its gain as the preconditioner sees it, in the scratch of the system.
CondTerm cond_mpi_system_contact(CondMpiSystem* system, int c, double gain[9]);

// What PETSc holds of the problem is given back.
void cond_mpi_system_clear(CondMpiSystem* system);
void cond_mpi_system_destroy(CondMpiSystem* system);

#endif
