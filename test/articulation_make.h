// Articulated bodies for the tests.
#ifndef COND_TEST_ARTICULATION_MAKE_H
#define COND_TEST_ARTICULATION_MAKE_H

#include "scene_make.h"

#include "model/articulation.h"

// A tree of n_link links after the base with random frames, axes, inertias and joint kinds; about
// one in five joints mimics another when asked. Finished.
CondArticulation* make_tree(Dice* dice, int n_link, int floating, int with_mimics);
// The same; with all_kinds > 0 every other joint is spherical, planar or floating, in turn from
// another one for each value.
CondArticulation* make_tree_of(Dice* dice, int n_link, int floating, int with_mimics,
                               int all_kinds);
// scenes/panda.urdf
CondArticulation* make_panda(void);
CondArticulationWork* make_work(const CondArticulation* a);
// Joints within their limits, or within one turn; the base anywhere near.              q (n_q)
void random_configuration(Dice* dice, const CondArticulation* a, double* q);
void random_vector(Dice* dice, int n, double scale, double* x);

#endif
