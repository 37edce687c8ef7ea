// Inside of the ladder: its workspace and its rungs.
#ifndef COND_SOLVE_LADDER_PART_H
#define COND_SOLVE_LADDER_PART_H

#include "solve/augmented.h"
#include "solve/interior_point.h"
#include "solve/ladder.h"
#include "solve/lagged.h"
#include "solve/primal_dual.h"
#include "solve/vfpi.h"

typedef struct CondLadder {
    CondContext context;
    CondSolverSettings asked; // what the user set
    CondSolverSettings
        settings; // the same with the tolerance and the iterations of the present rung
    CondVfpi vfpi;
    CondPrimalDual factored;
    CondInteriorPoint interior;
    CondLagged lagged;
    CondAugmented augmented;
    int soft;           // 1: passes by conjugate gradients serve the problem
    int small;          // 1: passes that factor do
    CondAnswer best;    // what the next rung goes on from
    CondAnswer aside;   // the start, then what the first way found, while the other is tried
    CondAnswer central; // the best answer, while the interior-point method looks for a better one
    CondAnswer before;  // the best answer, while other problems are solved along the friction path,
    CondAnswer kept;    // and while contacts are relaxed
    CondContact* contact; // of that other problem: less friction                 (n_contact)
    int* relaxed;         // 1: the contact is held to the proximal law           (n_contact)
    int n_relaxed;        // of them; 0 while all are held to the law asked for
    double* error;        // of each contact [m/s]                                (n_contact)
    int cap_contact, cap_relaxed, cap_error;
} CondLadder;

// The rungs below go on from the pair in ladder->best, leave the best one they saw there, and say
// in *end whether its certificate holds (COND_VFPI_DONE).

// What the certificate is computed from, for the law that the contacts are held to now.
CondCertificateData cond_ladder_certificate_data(const CondLadder* ladder);

// The tolerance of the rungs that follow, and how many iterations the solve may have made after
// them; not more than were asked for.
void cond_ladder_aim(CondLadder* ladder, double tolerance, int iterations);

// V-FPI for at most that many iterations and passes of the multiplier loop.
CondStatus cond_ladder_vfpi(CondLadder* ladder, int max_iterations, int max_outer,
                            CondSolveInfo* info, CondVfpiEnd* end);

// At most that many primal-dual passes that factor.
CondStatus cond_ladder_factored(CondLadder* ladder, int max_passes, CondSolveInfo* info,
                                CondVfpiEnd* end);

// The interior-point method and what polishes its answer, where the problem can be factored.
CondStatus cond_ladder_interior(CondLadder* ladder, CondSolveInfo* info, CondVfpiEnd* end);

// The ways that suit the problem, V-FPI with all the iterations left out.
CondStatus cond_ladder_usual(CondLadder* ladder, CondSolveInfo* info, CondVfpiEnd* end);

// The proximal law by the method of multipliers, where passes by conjugate gradients serve the
// problem; nothing otherwise.
CondStatus cond_ladder_augmented(CondLadder* ladder, CondSolveInfo* info, CondVfpiEnd* end);

// The strict law along a path of problems with growing friction (src/solve/ladder_friction.c).
CondStatus cond_ladder_friction(CondLadder* ladder, CondSolveInfo* info, CondVfpiEnd* end);

// The proximal law for the contacts that miss the strict one (src/solve/ladder_relax.c). Where that
// reaches the tolerance, ladder->best is the answer, with its certificate against the strict law,
// and info says how many contacts were relaxed; else it is as before.
CondStatus cond_ladder_relax(CondLadder* ladder, CondSolveInfo* info, CondVfpiEnd* end);

#endif
