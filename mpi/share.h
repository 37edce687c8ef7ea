// One rank's share of a contact problem, as Newton's method sees it: a CondProblem of its own
// coordinates and copies of others', without blocks, whose rows of A it multiplies itself.
//
// Own coordinates stand in this order: nodes whose rows are 3x3 blocks, nodes whose rows are
// numbers (from files), everything else.
#ifndef COND_MPI_SHARE_H
#define COND_MPI_SHARE_H

#include "deal.h"
#include "halo.h"
#include "law/certificate.h"

// Rows of numbers, columns in the coordinates of the share.
typedef struct CondMpiRows {
    int* begin;    //                                                   (n + 1)
    int* column;   //                                                   (begin[n])
    double* value; //                                                   (begin[n])
} CondMpiRows;

typedef struct CondMpiShare {
    CondArena arena;
    CondMpiWorld* world;
    const CondProblem* whole;
    CondProblem problem; // couplings and contacts of this rank
    CondRanks ranks;     //
    CondMpiHalo halo;
    int n_own;     // coordinates of its own
    int n_blocked; // nodes with rows of 3x3 blocks
    int n_node;    // nodes in all
    int* global;   // numbers in the whole problem                       (problem.n_dof)
    int* local;    // of the whole problem's coordinates; -1: not here   (whole n_dof)
    // Rows of the nodes with blocks: columns are the first coordinates of nodes of the share.
    int* row_begin;          //                                          (n_blocked + 1)
    int* column;             //                                          (row_begin[n_blocked])
    const double** value;    // nine numbers a block, in the problem     (n_blocked)
    const double** position; // of the node [m]; NULL: not known         (n_node)
    CondMpiRows rows;        // of all other own coordinates
    // What the certificate needs.
    double* diagonal;   // of A                                     (problem.n_dof)
    double* delassus;   //                                          (n_contact)
    double* compliance; //                                          (n_contact)
    int* carried;       // all 0                                    (n_contact)
    int bounded;        // 1: some contacts have an interval of forces
    // Pools.
    CondCoupling* coupling; //
    CondContact* contact;   //
    int* coordinate;        // of both
    int* number;            // of the contacts in the whole problem     (n_contact)
    unsigned char* counted; //                                          (n_contact)
    int *copy, *copy_owner; // scratch of the halo
    int* sides;             // virtual ones of each contact of the whole problem
    void* gathered;         // of the last gather
    double* spread;         // scratch: a vector in the order of the ranks
    int *lengths, *begins;  //                                          (world size)
} CondMpiShare;

// Takes this rank's share; the problem must outlive it. Owners are those of the deal.
CondStatus cond_mpi_share_take(CondMpiShare* share, CondMpiWorld* world, const CondMpiDeal* deal,
                               const CondProblem* whole);

// v and lambda of the whole problem to those of the share, and back on every rank.
void cond_mpi_share_enter(const CondMpiShare* share, const double* v, const double* lambda,
                          double* own_v, double* own_lambda);
CondStatus cond_mpi_share_leave(CondMpiShare* share, const CondMpiDeal* deal, const double* own_v,
                                const double* own_lambda, double* v, double* lambda);

void cond_mpi_share_destroy(CondMpiShare* share);

// Completes a vector of which every rank has the coordinates that it owns. owner (n); the scratch
// is the caller's: spread (n), lengths and begins (world size).
void cond_mpi_spread(CondMpiWorld* world, int n, const int* owner, double* spread, int* lengths,
                     int* begins, double* x);

#endif
