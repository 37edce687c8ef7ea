// Products with blocks of six columns, as the coarse levels of a soft body have them: six motions
// of a group of nodes. Every variant adds in the same order without fused operations, so all give
// the same bits, and so does any number of threads (0: as the run time decides).
#ifndef COND_SPARSE_BLOCK6_H
#define COND_SPARSE_BLOCK6_H

// A matrix in compressed rows of 6x6 blocks, row-major.
typedef struct CondBlock6Rows {
    int n_row;            // of blocks
    const int* row_begin; //                                                  (n_row + 1)
    const int* column;    //                                                  (n_block)
    const double* value;  //                                                  (36 n_block)
} CondBlock6Rows;

// y = r - A x                                                                (6 n_row)
void cond_block6_residual(const CondBlock6Rows* A, const double* x, const double* r, double* y,
                          int threads);

// P takes six motions of groups to the `width` coordinates of nodes (3 or 6); its blocks, width x 6
// row-major, are listed by node and, in another order, by group. Floats do, for P only steers a
// preconditioner; sums are made in double.
typedef struct CondBlock6Map {
    int width;
    int n_node;
    const int* node_begin;  // blocks of a node follow one another            (n_node + 1)
    const int* group;       // of each block                                  (n_block)
    int n_group;            //
    const int* group_begin; // into node and block                            (n_group + 1)
    const int* node;        //                                                (n_block)
    const int* block;       // the number of the block                        (n_block)
    const float* value;     //                                                (6 width n_block)
} CondBlock6Map;

// e = P' r
void cond_block6_restrict(const CondBlock6Map* P, const double* r, double* e, int threads);
// x += P e
void cond_block6_prolong(const CondBlock6Map* P, const double* e, double* x, int threads);

#endif
