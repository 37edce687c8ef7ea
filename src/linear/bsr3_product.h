// The product with rows of a 3x3-block matrix, for the processor it runs on. Every variant adds in
// the same order without fused operations, so all give the same bits.
#ifndef COND_LINEAR_BSR3_PRODUCT_H
#define COND_LINEAR_BSR3_PRODUCT_H

// A as compressed rows of 3x3 blocks, row-major.
typedef struct CondBsr3Rows {
    const int* row_begin; //                                     (n_row + 1)
    const int* column;    // of blocks
    const double* value;  // nine numbers a block
} CondBsr3Rows;

// y = A x - shift for the block rows first .. last - 1; shift NULL stands for zero. x and y are
// whole vectors, apart from each other.
void cond_bsr3_rows(const CondBsr3Rows* A, int first, int last, const double* x,
                    const double* shift, double* y);

// The same for all n_row block rows, by several threads (0: as the run time decides).
void cond_bsr3_product(const CondBsr3Rows* A, int n_row, const double* x, const double* shift,
                       double* y, int threads);

// The variants behind it.
void cond_bsr3_rows_generic(const CondBsr3Rows* A, int first, int last, const double* x,
                            const double* shift, double* y);
#if defined(__x86_64__) && defined(__GNUC__)
#define COND_BSR3_AVX2 1
void cond_bsr3_rows_avx2(const CondBsr3Rows* A, int first, int last, const double* x,
                         const double* shift, double* y);
#endif

#endif
