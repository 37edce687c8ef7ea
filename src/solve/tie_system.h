// The linear system of a primal-dual pass, for problems too large to factor:
//     H = A + sum over contacts of G' T G,    G = J0 - J1,  T = R' D R,
// with D the tie of the contact. H is known by its product; conjugate gradients solve it with the
// "arrow" as preconditioner: a 3x3 block for every node of a soft body, and the exact small Schur
// complement of all other coordinates (rigid bodies, robots), the border. Where D is not symmetric
// (friction that follows the normal force) the arrow is not either, and stabilised biconjugate
// gradients solve the system.
//
// A term |sum_i y_i + y_r|^2 in K that joins several nodes i and the border r enters the arrow as
//     sum_i |y_i + theta_i y_r|^2 / theta_i,    theta_i > 0,  sum theta_i = 1,
// which is not less (Jensen), the same where there is but one node, and has no blocks between
// nodes.
#ifndef COND_SOLVE_TIE_SYSTEM_H
#define COND_SOLVE_TIE_SYSTEM_H

#include "base/arena.h"
#include "cond/problem.h"
#include "problem/contact_parts.h"
#include "solve/tie_packed.h"

// What a contact joins: one node at its own coordinates, one node some way, or several.
enum { COND_JOINS_LONE, COND_JOINS_ONE, COND_JOINS_SEVERAL };

typedef struct CondTieSystem {
    CondArena arena;
    const CondProblem* problem;
    int n_node;     // nodes of soft bodies
    int n_border;   // all other coordinates
    int n_bordered; // nodes that a term joins to the border
    int threads;
    CondContactParts parts; // of the contacts
    int* node;              // of each coordinate; -1: border                             (n_dof)
    int* place;             // first coordinate of each node                              (n_node)
    int* border;            // place in the border of each coordinate; -1: a node's       (n_dof)
    int* member;            // coordinates of the border                                  (n_border)
    int* slot;              // place of a node among the bordered ones; -1: none          (n_node)
    int* bordered; // those nodes                                                (n_bordered)
    double* T;     // R' D R of each contact                                     (n_contact x 9)
    int rested;    // 1: the next four are those of the problem at hand
    double *rest, *rest_C, *rest_S; // B, C and S of A and couplings; in B those of one node
    int n_mixed;
    int* mixed;          // nodes of couplings of several                          (n_mixed)
    double* mixed_block; // what these add to B                                    (n_mixed x 9)
    double* B;           // inverse of the nodes' blocks                               (n_node x 9)
    double*
        C; // of the bordered nodes                                      (n_bordered x 3 x n_border)
    double* BC;    // B C                                                        (n_bordered x 3 x
                   // n_border)
    double* E;     // of the border's rows, transposed; ties not symmetric only  (as C)
    double* EB;    // (E' B)'; BC where ties are symmetric                       (as C)
    double* S;     // factor of the Schur complement: Cholesky's, or LU          (n_border^2)
    int* pivot;    // of LU                                                      (n_border)
    int general;   // 1: the ties are not symmetric
    int pack_from; // nodes from which iterations in single precision pay
    CondTiePacked packed; // in single precision, where the ties are symmetric
    int* joins;           // what each contact joins                                   (n_contact)
    int n_other;          // contacts that are not lone
    int* other;           // those                                                       (n_other)
    int* lone;            // the node of each lone contact; -1: others               (n_contact)
    int* node_begin;      // first node of each part of the contacts' coordinates    (n_part + 1)
    double* peak;         // scratch: the largest number of each part                     (n_part)
    int* failed;          // 1: a node of the part has no inverse block                   (n_part)
    int grouped;          // 1: a coarse correction of few unknowns goes with the arrow
    int deep;             // 1: the arrow smooths, and one of many levels goes with it
    double* small;        // scratch                                         (n_border)
    int* entry;           // scratch: coordinates of a term                             (n_dof)
    double* column;       // scratch: its Jacobian J by columns, then K J
    double *p, *q, *z;    // of conjugate gradients                                 (n_dof)
} CondTieSystem;

// Below this many nodes a product lies in the first cache and packing does not pay.
enum { COND_PACK_FROM = 256 };

// Splits the coordinates; *fits is 1 when the system can be solved this way: there are nodes, and
// the border is small.
CondStatus cond_tie_system_plan(CondTieSystem* system, const CondProblem* problem, int threads,
                                int* fits);

// The node of a contact that acts on this node alone, at its own coordinates; -1: others.
int cond_tie_system_lone_node(const CondTieSystem* system, const CondContact* contact);

// From the next build on, until the next plan: a coarse correction of groups of nodes
// (aggregation.h) beside the arrow. It costs little and needs far fewer products. *fits is 0, and
// nothing changes, where it cannot serve.
CondStatus cond_tie_system_group(CondTieSystem* system, int* fits);

// The same with many levels in its place, where the meshes are so fine that a few
// groups do not do.
CondStatus cond_tie_system_deepen(CondTieSystem* system, int* fits);

// Takes the ties, D of each contact (row-major, contact frame; symmetric unless `general`), and
// prepares the preconditioner. COND_DIVERGED: it is not positive definite, or singular.
//                                                                       D: stride doubles apart
CondStatus cond_tie_system_build(CondTieSystem* system, const double* D, int stride, int general);

// y = H x
void cond_tie_system_multiply(const CondTieSystem* system, const double* x, double* y);

// Solves H x = r from x = 0 until the preconditioned residual has fallen by `reduction`; r becomes
// r - H x. Returns the products made, or a negative status.
int cond_tie_system_solve(CondTieSystem* system, double* r, double* x, double reduction,
                          int max_iterations);

// The same as cond_tie_system_solve for ties that are not symmetric (stabilised biconjugate
// gradients, two products an iteration). work holds 5 n_dof numbers.
int cond_tie_system_solve_general(CondTieSystem* system, double* r, double* x, double reduction,
                                  int max_products, double* work);

void cond_tie_system_destroy(CondTieSystem* system);

// For build and deepen: what the inner iterations need beside the gains of the contacts.
CondStatus cond_tie_system_plan_packed(CondTieSystem* system);

#endif
