// The border of the arrow: coordinates of rigid bodies and robots, and how nodes go with them.
#ifndef COND_SOLVE_TIE_BORDER_H
#define COND_SOLVE_TIE_BORDER_H

#include "solve/tie_system.h"
#include "solve/tie_term.h"

// Adds the term's entries of the border, to C, E and S.
void cond_tie_border_add(CondTieSystem* system, const CondTieTerm* term);

// BC = B C, EB = B' E, then S -= E' B C and its factor. Not 0: there is none.
int cond_tie_border_finish(CondTieSystem* system);

// The border's part in the preconditioner of the inner iterations.
void cond_tie_border_pack(CondTieSystem* system);

#endif
