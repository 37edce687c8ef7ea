// One product of panels, as the variants of cond_panel_subtract take it.
#ifndef COND_LINEAR_BLOCK_LU_PRODUCT_H
#define COND_LINEAR_BLOCK_LU_PRODUCT_H

#include "linear/block_lu_kernel.h"

typedef struct CondPanelProduct {
    int rows, columns, depth;
    CondPanel A;
    const double* B;
    double* C;
    ptrdiff_t b_row, c_row;
} CondPanelProduct;

#if defined(__x86_64__) && defined(__GNUC__)
#define COND_PANEL_AVX512
void cond_panel_subtract_avx512(const CondPanelProduct* p);
void cond_six_divide_avx512(const double* D, const int* pivot, int n, double* X, ptrdiff_t row);
#endif

#endif
