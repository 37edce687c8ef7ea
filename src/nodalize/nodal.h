// The nodalized system (paper eq. (15)) as a view of a CondProblem: contacts act on nodes, and
// where there is no node a massless virtual one is tied to the point by kv |J v - v_v|^2 / 2.
//
//     A = [ A0 + sum kv J'J   -kv J' ]      coordinates: the problem's own first,
//         [ -kv J              kv I  ]      then three per virtual node
//
// A is never assembled: it is the problem's blocks plus a list of terms J' K J, which holds the
// couplings and the ties alike. Methods that solve the problem as it is do without nodes and ties:
// a view has sizes and scales at once, and the rest when it is completed.
#ifndef COND_NODALIZE_NODAL_H
#define COND_NODALIZE_NODAL_H

#include "base/arena.h"
#include "problem/term.h"

// Where a term touches a coordinate: its entry k, with what adding its force takes.
typedef struct CondIncidence {
    int term, entry;
    int n_row;    // of the term
    int row;      // its first, into force
    int jacobian; // the column of J, into incidence_jacobian
} CondIncidence;

// Memory of the arrays of a view, in lines of the cache.
typedef struct CondNodalLine {
    char byte[COND_ARENA_ALIGNMENT];
} CondNodalLine;

typedef struct CondNodal {
    CondArena arena; // of a view that is built alone; else all arrays are another's (nodalize.h)
    int threads;     // that build it
    int bare;        // 1: there is nothing of it but the problem
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
    int* carried;          // 1: kv = INFINITY, the multiplier must be carried   (n_contact)
    int any_carried;       //
    double* diagonal;      // of the problem's A                                 (n_dof)
    double* delassus;      // scale of each contact's Delassus block             (n_contact)
    int bounded;           // 1: some contacts have an interval of forces
    double kv_scale;       // as it was built with
    int complete;          // 1: terms, nodes and what comes of them are made
    int* mark;             // scratch                                            (n)
    int* scratch;          // of a view that is built alone (n_dof)
    CondNodalLine* memory; // of one: all of the above but own and node
} CondNodal;

// own[2 c + s] = 1 where side s of contact c is a node used for the first time, so that the
// contact acts on it directly. mark (n_dof) is scratch.
void cond_nodal_own_sides(const CondProblem* problem, int threads, int* mark, int* own);

// Builds the view of one problem. kv_scale / Delassus scale stands in for kv = INFINITY.
CondStatus cond_nodal_build(CondNodal* nodal, const CondProblem* problem, double kv_scale);
void cond_nodal_destroy(CondNodal* nodal);

// The same in three steps, for many views in one memory. First which sides have nodes of their own,
// in nodal->own, which is given as nodal->node is; mark (n_dof) is scratch. Returns how many lines
// of memory the view takes. Then the view, in these lines.
int cond_nodal_plan(CondNodal* nodal, const CondProblem* problem, int* mark);
void cond_nodal_fill(CondNodal* nodal, CondNodalLine* memory, double kv_scale);
// Makes terms and nodes where that has not been done; all that follows needs them.
void cond_nodal_complete(CondNodal* nodal);

// y = A x, the same bits for any number of threads.                         x, y (n)
void cond_nodal_multiply(CondNodal* nodal, const double* x, double* y, int threads);

// y += J' K J x of all terms; y is set on the virtual nodes, which have nothing else.  x, y (n)
void cond_nodal_add_terms(CondNodal* nodal, const double* x, double* y, int threads);

// The two halves of it, for loops of several threads that are made elsewhere: force = K J x of the
// terms first .. last - 1, and afterwards `sum` plus the force of all terms on coordinate i.
// `coordinate` says where x has the entries of the terms: nodal->coordinate, or other places.
void cond_nodal_term_forces(const CondNodal* nodal, const int* coordinate, const double* x,
                            int first, int last);
double cond_nodal_add_forces(const CondNodal* nodal, int i, double sum);

// g = A v - b, b being zero on the virtual nodes.                            v, g (n)
void cond_nodal_residual(CondNodal* nodal, const double* v, double* g, int threads);

// Row i of A: adds the entries into row (n, zero on entry), lists the columns touched in list (n),
// which mark (n, zero on entry and exit) keeps free of repeats. Returns how many; the caller
// zeroes row at the listed columns again.
int cond_nodal_row(const CondNodal* nodal, int i, double* row, int* list, int* mark);

// Index of the block that holds coordinate i, by bisection.
int cond_nodal_block(const CondProblem* problem, int i);

// Where the entries of term t begin in nodal->coordinate.
static inline int cond_nodal_entries(const CondNodal* nodal, int t)
{
    return (int)(nodal->term[t].coordinate - nodal->coordinate);
}

// Velocities of the virtual nodes from those of the points they are tied to: v_v = J v.
void cond_nodal_lift(const CondNodal* nodal, double* v);

#endif
