// Contacts without friction between rigid bodies and particles that nothing else couples, above all
// those of position corrections. They are a convex problem in the contact forces, on a matrix that
// is known contact by contact: conjugate gradients on it need neither nodes nor a factorisation
// (docs/stepping.md).
#ifndef COND_STRATEGY_FRICTIONLESS_H
#define COND_STRATEGY_FRICTIONLESS_H

#include "base/arena.h"
#include "base/components.h"
#include "cond/solver.h"
#include "law/certificate.h"

enum { COND_FRICTIONLESS_SIX = 6 }; // coordinates of a body at most

// A contact that knows its bodies: its rows of Jn and of A^-1 Jn', on both sides.
typedef struct CondFrictionlessRow {
    int at[2]; // first coordinate of either body; behind the last one: the ground
    double J[2 * COND_FRICTIONLESS_SIX], W[2 * COND_FRICTIONLESS_SIX];
} CondFrictionlessRow;

typedef struct CondFrictionless {
    CondArena arena;
    CondCertifier certifier;
    // by block of the problem
    int* block_of;  // of a coordinate                                           (n_dof)
    int* count;     // its contacts; 0: its matrix is not factored               (n_block)
    double* factor; // LU of its matrix                                          (n_block x 36)
    int* pivot;     //                                                           (n_block x 6)
    CondComponents island; // of the blocks
    int* begin;            // first contact of an island                      (island.n + 1)
    // by contact, those of an island together
    int* contact;             // which of the problem's it is                    (n_contact)
    CondFrictionlessRow* row; //                                                 (n_contact)
    double* phi;              // normal offset [m/s]                             (n_contact)
    double* gamma;            // scale by which the certificate judges it        (n_contact)
    double* diagonal;         // of D                                            (n_contact)
    double* bound;            // diag(bound) - D is not negative                 (n_contact)
    double *z, *g;            // forces, and the gradient D z + phi              (n_contact)
    double *p, *Dp;           // direction                                       (n_contact)
    double *z_kept, *g_kept;  // while a longer step is tried                    (n_contact)
    double* y;                // A^-1 Jn' z, with room behind it                 (n_dof + 12)
    double* scale;            // diagonal of A                                   (n_dof)
} CondFrictionless;

void cond_frictionless_begin(const CondContext* context, CondFrictionless* f);
void cond_frictionless_end(CondFrictionless* f);

// 1 where all contacts of a problem are such, b is zero, and none is to slip by a finite kv.
int cond_frictionless_serves(const CondProblem* problem);

// Solves such a problem from zero, each island by conjugate gradients. COND_NOT_CONVERGED where so
// many products with D do not bring it to the tolerance: v and lambda are then what was reached.
CondStatus cond_frictionless_solve(CondFrictionless* f, const CondProblem* problem, CondLaw law,
                                   double tolerance, int max_products, double* v, double* lambda,
                                   CondSolveInfo* info);

// Jn y of a contact, and y += force Jn'.
static inline double cond_frictionless_velocity(const CondFrictionlessRow* row, const double* y)
{
    const double *a = y + row->at[0], *b = y + row->at[1];
    double sum = 0.0, other = 0.0;
    for (int i = 0; i < COND_FRICTIONLESS_SIX; i++)
        sum += row->J[i] * a[i];
    for (int i = 0; i < COND_FRICTIONLESS_SIX; i++)
        other += row->J[COND_FRICTIONLESS_SIX + i] * b[i];
    return sum + other;
}

static inline void cond_frictionless_push(const CondFrictionlessRow* row, double force, double* y)
{
    double *a = y + row->at[0], *b = y + row->at[1];
    for (int i = 0; i < COND_FRICTIONLESS_SIX; i++)
        a[i] += force * row->J[i];
    for (int i = 0; i < COND_FRICTIONLESS_SIX; i++)
        b[i] += force * row->J[COND_FRICTIONLESS_SIX + i];
}

#endif
