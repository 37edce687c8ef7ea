// CondProblem: one contact problem A v = b + Jc' lambda, the input of every velocity solver.
//
// A is not stored as one matrix. It is a sum of
//   blocks     one per body, stored as the body is best multiplied and solved,
//   couplings  J' K J between bodies (springs, attachments, joints), kept in factored form.
// A contact has two sides; each is a point of the world that moves with some coordinates.
// The relative velocity in the contact frame is u = R (J0 v - J1 v) + phi, in the order
// (normal, tangent 1, tangent 2), and lambda is the contact force on side 0 in that frame [N].
//
// A CondProblem only points to data: the caller owns the arrays and keeps them alive.
#ifndef COND_PROBLEM_H
#define COND_PROBLEM_H

#include <stdint.h>

#include "cond/context.h"
#include "cond/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondBlockKind {
    COND_BLOCK_DENSE = 0,       // values (n_dof x n_dof), row-major, symmetric
    COND_BLOCK_SPARSE = 1,      // compressed rows, the full symmetric pattern, columns ascending
    COND_BLOCK_BSR3 = 2,        // the same with 3x3 blocks in place of numbers (finite elements)
    COND_BLOCK_TRIDIAGONAL = 3, // 6x6 blocks on the diagonal and beside it (rods)
} CondBlockKind;
COND_ENUM_NAMES(COND_API, CondBlockKind, cond_block_kind)

// A row of a tridiagonal block holds the columns of three 6x6 blocks: the previous one, its own and
// the next one. Entries outside of the matrix, in the first and the last rows, are not read.
#define COND_TRIDIAGONAL_ROW 18

typedef struct CondBlock {
    CondBlockKind kind;
    int dof_begin;          // first coordinate of the block; blocks tile 0..n_dof in order
    int n_dof;              // size of the block
    const double* values;   // dense: (n_dof x n_dof); sparse: (row_begin[n_dof]);
                            // bsr3: nine numbers per 3x3 block, row-major;
                            // tridiagonal: (n_dof x COND_TRIDIAGONAL_ROW)
    const int* row_begin;   // sparse: (n_dof + 1); bsr3: rows of blocks      (n_dof / 3 + 1)
    const int* column;      // sparse and bsr3 (columns of blocks), relative to dof_begin
    const double* position; // bsr3: positions of the nodes [m], for coarse spaces; NULL: not known
                            //                                                 (n_dof / 3 x 3)
} CondBlock;

// Row i of a block has cond_block_row_size entries; the k-th is returned, with its column in *j,
// ascending with k. Dense rows hold all columns. This access is slow; cond_problem_multiply uses a
// product for each kind.
COND_API int cond_block_row_size(const CondBlock* block, int i);
COND_API double cond_block_entry(const CondBlock* block, int i, int k, int* j);

// Adds J' K J to A, with K symmetric positive semi-definite.
typedef struct CondCoupling {
    int n_row;              // rows of J
    int n_coordinate;       // columns of J
    const int* coordinate;  // the coordinates J acts on, each once         (n_coordinate)
    const double* jacobian; // J, row-major                                 (n_row x n_coordinate)
    const double* gain;     // K, row-major [N s/m and the like]            (n_row x n_row)
} CondCoupling;

// One side of a contact: the world velocity of its point is J v.
typedef struct CondSide {
    int n_coordinate;      // 0: static ground
    const int* coordinate; // each once                                    (n_coordinate)
    const double*
        jacobian; // J, row-major (3 x n_coordinate); NULL: a node, three coordinates, J = I
} CondSide;

// The set of admissible forces of a contact; u and lambda obey -u in N(lambda), N the normal cone
// of that set (for the friction cone by the strict or the proximal law).
typedef enum CondForceSet {
    COND_FORCE_CONE = 0,     // the friction cone
    COND_FORCE_INTERVAL = 1, // bound[0] <= lambda[0] <= bound[1], lambda[1] = lambda[2] = 0: limits
                             // of joints (0, INFINITY), dry friction (-F, F), motors that saturate
} CondForceSet;
COND_ENUM_NAMES(COND_API, CondForceSet, cond_force_set)
// An interval acts along the first row of its frame alone; the other two rows of its Jacobian may
// be zero. Its force and velocity may be a torque and an angular velocity [N m, rad/s].

typedef struct CondContact {
    CondSide side[2];   // u = R (J0 v - J1 v) + phi; side 0 is never static
    double frame[9];    // R, row-major: rows are normal (towards side 0), tangent 1, tangent 2
    double friction[2]; // mu along tangent 1 and tangent 2; equal: the isotropic cone; 0, 0 of an
                        // interval
    double phi[3];      // velocity offset [m/s]; the normal one carries the gap
    double kv;          // gain of virtual nodes [N s/m]; INFINITY: no slip at all
    uint64_t key;       // the same contact in the next step has the same key; 0: unknown
    CondForceSet set;   // set of its admissible forces
    double bound[2];    // of an interval: lowest and highest force [N, N m]; may be infinite
    double compliance;  // of an interval: the law sees u + compliance lambda [m/(N s), ..]; >= 0
} CondContact;

typedef struct CondProblem {
    int n_dof;
    int n_block;
    int n_coupling;
    int n_contact;
    const CondBlock* block;       //                                          (n_block)
    const CondCoupling* coupling; //                                          (n_coupling)
    const CondContact* contact;   //                                          (n_contact)
    const double* b;              // right-hand side [N, N m]                 (n_dof)
} CondProblem;

// Checks sizes, indices, finite numbers, symmetry, positive diagonals, orthonormal frames.
// COND_OK, or COND_BAD_ARGUMENT with a message that names the first wrong item.
COND_API CondStatus cond_problem_check(const CondContext* context, const CondProblem* problem,
                                       CondError* error);

// y = A x, blocks and couplings.                                            x, y (n_dof)
COND_API void cond_problem_multiply(const CondProblem* problem, const double* x, double* y);

// d = diag(A).                                                              d (n_dof)
COND_API void cond_problem_diagonal(const CondProblem* problem, double* d);

// u = R (J0 v - J1 v) + phi of one contact.                                 v (n_dof), u (3)
COND_API void cond_contact_velocity(const CondContact* contact, const double* v, double* u);

// f += scale J' R' lambda of one contact.                                   lambda (3), f (n_dof)
COND_API void cond_contact_add_force(const CondContact* contact, double scale, const double* lambda,
                                     double* f);

// trace(R J D^-1 J' R') / 3 over both sides: the scale of the contact's Delassus block [m/(N s)].
// Of an interval the first entry of that matrix in place of the mean of three.
COND_API double cond_contact_delassus(const CondContact* contact, const double* diagonal);

#ifdef __cplusplus
}
#endif
#endif
