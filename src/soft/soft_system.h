// The linear system of a Newton step for problems with soft bodies, too large to factor:
//     H = A + sum over contacts of G' T G,    G = J0 - J1,  T = R' D R,
// with D the gain of the contact's linearised law, lambda = fix - D u. H is not formed: conjugate
// gradients use its product and a block-Jacobi preconditioner with a Schur complement: a 3x3 block
// for every node of a soft body, and the exact small Schur complement of all other coordinates
// (rigid bodies, robots), the interface. Where D is not symmetric (friction that follows the normal
// force) neither is the preconditioner, and stabilised biconjugate gradients solve the system.
//
// A term |sum_i y_i + y_r|^2 in K that joins several nodes i and the interface r enters the
// preconditioner as
//     sum_i |y_i + theta_i y_r|^2 / theta_i,    theta_i > 0,  sum theta_i = 1,
// an upper bound (Jensen), exact for a single node, without blocks between different nodes.
#ifndef COND_SOFT_SOFT_SYSTEM_H
#define COND_SOFT_SOFT_SYSTEM_H

#include "base/arena.h"
#include "cond/problem.h"
#include "problem/contact_parts.h"
#include "soft/soft_packed.h"

// Coordinates of a contact. LONE: one node alone, without a Jacobian. ONE: otherwise at most one
// node, with or without the interface. SEVERAL: several nodes.
enum { COND_JOINS_LONE, COND_JOINS_ONE, COND_JOINS_SEVERAL };

// What a coupling of several nodes adds to the block of one of them.
typedef struct CondSoftJoined {
    int node;
    double B[9];
} CondSoftJoined;

typedef struct CondSoftSystem {
    CondArena arena;
    const CondProblem* problem;
    int n_node;      // nodes of soft bodies
    int n_interface; // all other coordinates
    int n_attached;  // nodes that a term joins to the interface
    int threads;
    int parted;             // 1: the next is there, since the first build
    CondContactParts parts; // of the contacts
    int* node;              // of each coordinate; -1: interface                             (n_dof)
    int* place;             // first coordinate of each node                              (n_node)
    int* interface;         // index of each coordinate in the interface; -1: a node's       (n_dof)
    int* member;   // coordinates of the interface                                  (n_interface)
    int* slot;     // index of a node among the attached ones; -1: none          (n_node)
    int* attached; // those nodes                                                (n_attached)
    double* T;     // R' D R of each contact                                     (n_contact x 9)
    int rested;    // 1: the next three arrays are computed for this problem
    double *rest, *rest_C, *rest_S; // B, C, S without contacts; in B couplings of one node
    int n_joined;                   // and what couplings of several nodes add to B, in their order:
    CondSoftJoined* joined; //                                                     (n_joined)
    double* B;     // inverse of the nodes' blocks                               (n_node x 9)
    double* C;     // of the attached nodes                                      (n_attached x 3 x
                   // n_interface)
    double* BC;    // B C                                                        (n_attached x 3 x
                   // n_interface)
    double* E;     // of the interface's rows, transposed; D not symmetric only  (as C)
    double* EB;    // (E' B)'; BC where D is symmetric                       (as C)
    double* S;     // factor of the Schur complement: Cholesky's, or LU          (n_interface^2)
    int* pivot;    // of LU                                                      (n_interface)
    int general;   // 1: D is not symmetric
    int pack_from; // smallest number of nodes for iterations in single precision
    CondSoftPacked packed;  // in single precision, where D is symmetric
    int n_coupled;          // the first joins of the packed system are couplings: how many
    int* joins;             // COND_JOINS_* of each contact                              (n_contact)
    int n_other;            // contacts that are not lone
    int* other;             // those                                                       (n_other)
    int* lone;              // the node of each lone contact; -1: others               (n_contact)
    int* node_begin;        // first node of each range of coordinates in `parts`      (n_part + 1)
    double* peak;           // scratch: the largest number of each range                    (n_part)
    int* failed;            // 1: a node of the range has no inverse block                  (n_part)
    int grouped;            // 1: coarse correction with few unknowns in addition to the blocks
    int deep;               // 1: multilevel coarse correction with the blocks as smoother
    double* small;          // scratch                                         (n_interface)
    int* entry;             // scratch: coordinates of a term                             (n_dof)
    CondSoftJoined* listed; // scratch: its blocks                                       (n_dof)
    double* column;         // scratch: its Jacobian J by columns, then K J
    double *p, *q, *z;      // of conjugate gradients                                 (n_dof)
} CondSoftSystem;

// Divides the coordinates into nodes and interface. *fits is 1 if the system can be solved by this
// method: it has nodes, and the interface is small.
CondStatus cond_soft_system_plan(CondSoftSystem* system, const CondProblem* problem, int threads,
                                 int* fits);

// The node of a contact that acts on this node alone, at its own coordinates; -1: others.
int cond_soft_system_lone_node(const CondSoftSystem* system, const CondContact* contact);

// Adds a coarse correction by groups of nodes (aggregation.h) to the preconditioner, from the next
// build until the next plan. It costs little and saves many products. If it cannot be used, *fits
// is 0 and nothing changes.
CondStatus cond_soft_system_group(CondSoftSystem* system, int* fits);

// Uses a multilevel coarse correction instead, for meshes too fine for a few groups.
CondStatus cond_soft_system_deepen(CondSoftSystem* system, int* fits);

// Takes the gain D of each contact (row-major, contact frame; symmetric unless `general`), and
// prepares the preconditioner. COND_DIVERGED: it is not positive definite, or singular.
//                                                                       D: stride doubles apart
CondStatus cond_soft_system_build(CondSoftSystem* system, const double* D, int stride, int general);

// y = H x
void cond_soft_system_multiply(const CondSoftSystem* system, const double* x, double* y);

// Solves H x = r from x = 0 until the preconditioned residual has fallen by `reduction`; r becomes
// r - H x. Returns the number of products, or, only with a device, a negative status.
int cond_soft_system_solve(CondSoftSystem* system, double* r, double* x, double reduction,
                           int max_iterations);

// The same as cond_soft_system_solve for D that is not symmetric (stabilised biconjugate
// gradients, two products an iteration). work holds 5 n_dof numbers.
int cond_soft_system_solve_general(CondSoftSystem* system, double* r, double* x, double reduction,
                                   int max_products, double* work);

void cond_soft_system_destroy(CondSoftSystem* system);

// Called by build and deepen: sets up the packed system except for the gains of the contacts.
CondStatus cond_soft_system_plan_packed(CondSoftSystem* system);

#endif
