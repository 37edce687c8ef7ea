// The nodalized system (paper eq. (15)) as a view of a CondProblem: contacts act on nodes. A
// contact point that is not a node gets a massless virtual one, tied to it by kv |J v - v_v|^2 / 2.
//
//     A = [ A0 + sum kv J'J   -kv J' ]      coordinates: the problem's own first,
//         [ -kv J              kv I  ]      then three per virtual node
//
// A is never assembled: it is the problem's blocks plus a list of terms J' K J, which holds both
// the couplings and the ties. Methods that solve the problem without nodes need only sizes and
// scales, which a view always has; terms and nodes are added when the view is completed.
#ifndef COND_NODALIZE_NODAL_H
#define COND_NODALIZE_NODAL_H

#include "base/arena.h"
#include "problem/term.h"

// The entry of a term at a coordinate, with the data to add its force.
typedef struct CondIncidence {
    int term, entry;
    int n_row;    // of the term
    int row;      // its first row, into force
    int jacobian; // the column of J, into incidence_jacobian
} CondIncidence;

// Memory of the arrays of a view, in cache lines.
typedef struct CondNodalLine {
    char byte[COND_ARENA_ALIGNMENT];
} CondNodalLine;

typedef struct CondNodal {
    CondArena arena; // of a view that is built alone; else the arrays belong to nodalize.h
    int threads;     // that build it
    int bare;        // 1: only the problem is set
    const CondProblem* problem;
    int n_dof;                  // coordinates of the problem
    int n_virtual;              // virtual nodes
    int n;                      // n_dof + 3 n_virtual
    int n_term;                 // couplings, then one tie per virtual node
    CondTerm* term;             //                                                    (n_term)
    int* term_row;              // their first rows, into force and rate              (n_term)
    int* coordinate;            // of the entries of all terms
    double* jacobian;           // of the ties
    double* force;              // K J x of every row, by multiply
    double* rate;               // J x of every row, by multiply
    int* incidence_begin;       // terms that touch a coordinate, into incidence      (n + 1)
    CondIncidence* incidence;   // in the order of the terms
    double* incidence_jacobian; // the columns of J in the order of incidence
    int* touched;               // the coordinates that any term touches              (n_touched)
    int n_touched;              //
    int* own;              // 1: the side is a node of its own                   (n_contact x 2)
    int* node;             // first coordinate of the contact's nodes, -1 static (n_contact x 2)
    double* compliance;    // virtual sides / kv, the slip per force             (n_contact)
    int* carried;          // 1: kv = INFINITY, needs the multiplier loop          (n_contact)
    int any_carried;       //
    double* diagonal;      // of the problem's A                                 (n_dof)
    double* delassus;      // scale of each contact's Delassus block             (n_contact)
    int bounded;           // 1: some contacts have an interval of forces
    double kv_scale;       // as it was built with
    int complete;          // 1: terms, nodes and derived data are computed
    int* mark;             // scratch                                            (n)
    int* scratch;          // of a view that is built alone (n_dof)
    CondNodalLine* memory; // of such a view: all arrays above except own and node
} CondNodal;

// own[2 c + s] = 1 if side s of contact c is a node that is used for the first time, so that the
// contact acts on it directly. mark (n_dof) is scratch.
void cond_nodal_own_sides(const CondProblem* problem, int threads, int* mark, int* own);

// Builds the view of one problem. kv_scale / Delassus scale replaces kv = INFINITY.
CondStatus cond_nodal_build(CondNodal* nodal, const CondProblem* problem, double kv_scale);
void cond_nodal_destroy(CondNodal* nodal);

// The same in three steps, for many views in one memory. plan determines the sides with their own
// nodes, in nodal->own, which the caller provides, as nodal->node; mark (n_dof) is scratch. It
// returns the number of cache lines that the view needs. fill builds the view in these lines.
int cond_nodal_plan(CondNodal* nodal, const CondProblem* problem, int* mark);
void cond_nodal_fill(CondNodal* nodal, CondNodalLine* memory, double kv_scale);
// complete adds terms and nodes, if that has not been done; the functions below need them.
void cond_nodal_complete(CondNodal* nodal);

// y = A x, the same bits for any number of threads.                         x, y (n)
void cond_nodal_multiply(CondNodal* nodal, const double* x, double* y, int threads);

// y += J' K J x of all terms; y is set on the virtual nodes, which have no other entries. x, y (n)
void cond_nodal_add_terms(CondNodal* nodal, const double* x, double* y, int threads);

// The two halves of it, for parallel loops of the caller: force = K J x of the terms first .. last
// - 1; and afterwards `sum` plus the force of all terms on coordinate i. `coordinate` holds the
// indices in x of the entries of the terms: nodal->coordinate, or those of another order.
void cond_nodal_term_forces(const CondNodal* nodal, const int* coordinate, const double* x,
                            int first, int last);
double cond_nodal_add_forces(const CondNodal* nodal, int i, double sum);

// g = A v - b, b being zero on the virtual nodes.                            v, g (n)
void cond_nodal_residual(CondNodal* nodal, const double* v, double* g, int threads);

// Row i of A: adds the entries to row (n, zero on entry), and lists its columns, each once, in list
// (n); mark (n, zero on entry and exit) is scratch. Returns their number; the caller resets row to
// zero at the listed columns.
int cond_nodal_row(const CondNodal* nodal, int i, double* row, int* list, int* mark);

// Index of the block that holds coordinate i, by bisection.
int cond_nodal_block(const CondProblem* problem, int i);

// Index of the first entry of term t in nodal->coordinate.
static inline int cond_nodal_entries(const CondNodal* nodal, int t)
{
    return (int)(nodal->term[t].coordinate - nodal->coordinate);
}

// Velocities of the virtual nodes from those of the points they are tied to: v_v = J v.
void cond_nodal_lift(const CondNodal* nodal, double* v);

#endif
