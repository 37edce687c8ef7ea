// Forces and matrix of a body's elements, four elements at a time.
#ifndef COND_MODEL_FEM_SUM_H
#define COND_MODEL_FEM_SUM_H

#include "model/fem.h"

typedef struct CondFemSum {
    const CondFem* fem;
    const double* x;                    // positions                             (3 n_node)
    double mass_scale, stiffness_scale; // see cond_fem_assemble
    const double* rayleigh;             //                                       (2 or NULL)
    CondFemPolicy policy;               //
    double* A;                          // blocks of the pattern                 (9 n_block or NULL)
    double* f;                          // forces                                (3 n_node or NULL)
    double* energy;                     // of each element, J                    (n_element)
    const unsigned char* own;           // 1: nodes that are computed; NULL: all      (n_node)
} CondFemSum;

// Adds the elements, in ascending order, to f and to the rows of A of the nodes order[first] ..
// order[last - 1], and sets the energy of those whose first corner is one of them.
void cond_fem_add_elements(const CondFemSum* sum, int first, int last);

// Sets the energy of the elements first .. last - 1; no forces and no matrix. Only for bodies that
// are not distributed (own is NULL).
void cond_fem_add_energies(const CondFemSum* sum, int first, int last);

// The variants of it, which give the same bits: `plain` processes one element at a time and is the
// reference.
void cond_fem_add_elements_plain(const CondFemSum* sum, int first, int last);
void cond_fem_add_elements_generic(const CondFemSum* sum, int first, int last);
#if defined(__x86_64__) && defined(__GNUC__)
#define COND_FEM_SUM_AVX2 1
void cond_fem_add_elements_avx2(const CondFemSum* sum, int first, int last);
#endif

#endif
