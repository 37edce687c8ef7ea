// Semismooth Newton on the contact problem,
//     r = A v - b - Jc' lambda = 0,      lambda = P(lambda - (u + c lambda)/gamma) in each contact,
// docs/newton.md. One loop; two back ends solve the linear system of a step.
#ifndef COND_NEWTON_SEMISMOOTH_H
#define COND_NEWTON_SEMISMOOTH_H

#include "cond/solver.h"
#include "law/answer.h"
#include "law/certificate.h"
#include "newton/factored_system.h"
#include "newton/linear_law.h"
#include "newton/rod_scale.h"
#include "newton/soft_back_end.h"
#include "soft/contact_patch.h"

typedef struct CondPair {
    double *v, *lambda; //                                          (n_dof), (n_contact x 3)
    double* r;          // A v - b - Jc' lambda                     (n_dof)
    double* u;          // Jc v + phi, of pairs that were judged    (n_contact x 3)
} CondPair;

typedef struct CondSemismooth CondSemismooth;

// A linear solver of H x = f, H = A + Jc' D Jc with the D of newton->law.
typedef struct CondLinearBackEnd {
    double resistance; // least resistance of contacts, a share of gamma, where D is not symmetric
    int symmetric;     // 1: it wants D symmetric as long as that makes progress
    // Lays out the system, once a problem; *serves is 0 where another back end is better.
    CondStatus (*serves)(CondSemismooth* newton, const CondProblem* problem, int* serves);
    CondStatus (*build)(CondSemismooth* newton, const CondProblem* problem);
    // Of a symmetric one: what a solve begins with, and the least resistance of a contact while D
    // is symmetric, a share of gamma.
    CondStatus (*begin)(CondSemismooth* newton);
    double (*resist)(const CondSemismooth* newton, const CondContact* contact);
    // x = H^-1 f to the digits that a step needs; f becomes f - H x. The products made, or a
    // negative status.
    int (*solve)(CondSemismooth* newton, double* f, double* x, int max_products);
} CondLinearBackEnd;

extern const CondLinearBackEnd cond_back_end_factored;  // a sparse factorisation
extern const CondLinearBackEnd cond_back_end_iterative; // conjugate gradients: soft bodies

struct CondSemismooth {
    CondArena arena;
    int threads;
    const CondLinearBackEnd* back_end; // of the solve at hand
    CondFactoredSystem factored;
    CondSoftBackEnd soft;
    // The vectors are on a device, resident.h; NULL: here. And what is kept for that.
    struct CondResident *resident, *residence;
    void* other; // the workspace of a back end that is not of libcond
    CondRodScale rods;
    CondContactParts parts;
    CondContactPatches patches;
    int parted, patched; // 1: these two are those of the problem
    double* w;           // 1 / sum of absolute values of a row of A                   (n_dof)
    double* gamma;       // scale of the natural map of each contact               (n_contact)
    double* tangential;  // scale of its tangential rows over gamma, where `by_rows` (n_contact)
    double* trial;       // forces of the prediction                           (n_contact x 3)
    CondLinearLaw* law;  // at the trial forces                                    (n_contact)
    double* slip_before; // direction of slip of the last step taken           (n_contact x 2)
    int* kind;           // before and now; first: 1 where a cone sticks and stays closed
                         //                                                        (n_contact)
    double* share;       // of each contact in the merit                       (n_contact + 1)
    int* count;          // of each block of contacts: turned, closed, slipping (3 n_block)
    double* predicted;   // Jc (v - W r) + phi of the current pair, by predict     (n_contact x 3)
    double* arrived;     // the same at the end of the step, by the first trial of it
                         //                                                        (n_contact x 3)
    int has_arrived;     // 1: it is there
    double* part;        // partial sums of the merit, of coordinates and of contacts
                         //        (cond_sum_parts(n_dof) + cond_sum_parts(n_contact))
    CondPair now, next;  // current pair; the end of the step
    CondPair tried;      // on the way there
    CondPair reference;  // the one with the least merit, while steps lead away from it
    double *v_best, *lambda_best; // best by the certificate
    double *x, *work;             // scratch                             (n_dof), (2 n_dof)
    double play[2];               // velocities at play of the pair measured last
    double merit;                 // of the reference
    int turned;           // contacts that the step made open, sticking or slipping and were not
    int closed, slipping; // contacts not open; of these, slipping
    int follows;          // 1: friction follows the normal force within a step
    int by_rows;          // 1: the solve at hand has a scale for the tangential rows
};

typedef struct CondSemismoothLimits {
    double tolerance;
    int max_steps, max_products;
    double near;       // residual of a start beyond which no step is made; 0: none is
    double resistance; // of all steps at least, a share of gamma
    int patience;      // steps in a row that need not halve the certificate, with a resistance that
                       // falls where it holds the steps back; 0: any number, and it stays
    int brief;         // 1: where the steps that leave the least merit behind get nowhere the
                       // method ends; 0: damped steps from there follow
    int at_least;      // steps to be made whatever the start is worth
    int gives_way;  // 1: conjugate gradients end where a linear system is ill-conditioned, because
                    // a factorisation may follow
    int by_rows;    // 1: tangential rows have a scale of their own, and with a factorisation
                    // the first prediction is that of the start
    int may_follow; // 1: where friction that belongs to the last normal force makes little
                    // progress, it follows within a step; 0: the method ends there
} CondSemismoothLimits;

void cond_semismooth_create(const CondContext* context, const CondSolverSettings* settings,
                            CondSemismooth* newton);
void cond_semismooth_destroy(CondSemismooth* newton);

// Forgets the problem of the calls before.
void cond_semismooth_plan(CondSemismooth* newton);

// Steps from *answer until its residual is at most the tolerance, a limit is reached or nothing
// gets better any more (COND_NOT_CONVERGED). *answer becomes the best pair seen, the start
// included.
CondStatus cond_semismooth_solve(CondSemismooth* newton, const CondLinearBackEnd* back_end,
                                 const CondCertificateData* data,
                                 const CondSemismoothLimits* limits, CondAnswer* answer,
                                 CondSolveInfo* info);

// Prepares a solve, for other methods on the same system: memory, pattern and scales.
CondStatus cond_semismooth_prepare(CondSemismooth* newton, const CondLinearBackEnd* back_end,
                                   const CondCertificateData* data, int* serves);

#endif
