// How much too stiffly a body of linear tetrahedra bends, from its mesh alone.
#ifndef COND_MODEL_FEM_BENDING_H
#define COND_MODEL_FEM_BENDING_H

// Energy of the linear elements on a mesh in pure bending across its thinnest extent, over that of
// the body itself; 1 where they bend as they should. An upper bound: elements in a body
// that is bent give way a little.                               node (3 n_node), tet (4 n_tet)
double cond_fem_bending_excess(const double* node, int n_tet, const int* tet, double poisson_ratio);

#endif
