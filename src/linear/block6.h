// Products with 6x6 blocks in single precision, as the coarse levels of a soft body have them: six
// motions of a group of nodes. Vectors have eight numbers a row, the last two of them zero. Every
// variant adds in the same order without fused operations, so all give the same bits.
#ifndef COND_LINEAR_BLOCK6_H
#define COND_LINEAR_BLOCK6_H

// A matrix in compressed rows of 6x6 blocks, each by columns. Two numbers behind the last block are
// read, whatever they are.
typedef struct CondBlock6Rows {
    const int* row_begin; //                                                  (n_row + 1)
    const int* column;    //                                                  (n_block)
    const float* value;   //                                                  (36 n_block + 2)
} CondBlock6Rows;

// For the rows first .. last - 1:
// residual: y = r - A x; r = NULL stands for zero.
// relax: y = x + s D r, D one block a row; x = NULL stands for zero. y may be r.
typedef struct CondBlock6Kernel {
    void (*residual)(const CondBlock6Rows* A, const float* x, const float* r, float* y, int first,
                     int last);
    void (*relax)(const float* D, const float* x, const float* r, float s, float* y, int first,
                  int last);
} CondBlock6Kernel;

// For the processor it runs on.
const CondBlock6Kernel* cond_block6_kernel(void);

#endif
