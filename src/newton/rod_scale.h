// How a rod gives way at each of its links: the diagonal blocks of A^-1. The diagonal of A says how
// stiff links are against each other, which is far more; with the scale gamma from it Newton's
// method may cycle.
#ifndef COND_NEWTON_ROD_SCALE_H
#define COND_NEWTON_ROD_SCALE_H

#include "base/arena.h"
#include "cond/problem.h"

typedef struct CondRodScale {
    CondArena arena;
    int serves; // 1: most coordinates belong to rods, and the blocks are there
    double *middle, *before, *behind; // D, F and B of the links                     (n_dof x 6)
} CondRodScale;

CondStatus cond_rod_scale_build(CondRodScale* rods, const CondProblem* problem);

// trace(J (A^-1)_ii J') of side s in the rows in which the contact acts, or a negative number where
// the point is not on one link.
double cond_rod_scale_trace(const CondRodScale* rods, const CondProblem* problem,
                            const CondContact* contact, int s);

void cond_rod_scale_destroy(CondRodScale* rods);

#endif
