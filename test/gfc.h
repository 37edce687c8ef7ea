// Contact problems as plain text with reference answers (test/data/fclib/README.md), for tests.
#ifndef COND_TEST_GFC_H
#define COND_TEST_GFC_H

#include "cond/fclib.h"

typedef struct GfcMatrix {
    int n_row;
    int n_col;
    int n_entry;
    int* row;      //                                          (n_entry)
    int* column;   //                                          (n_entry)
    double* value; //                                          (n_entry)
} GfcMatrix;

// M v = H r + f, u = H' v + w. Vectors the file does not have are NULL.
typedef struct Gfc {
    int n_contact;
    int n_dof;
    GfcMatrix M;
    GfcMatrix H;
    double* f;     //                                          (n_dof)
    double* w;     //                                          (3 n_contact)
    double* mu;    //                                          (n_contact)
    double* r_ref; // the strict law                           (3 n_contact)
    double* u_ref; //                                          (3 n_contact)
    double* v_ref; //                                          (n_dof)
    double* r_ccp; // the convex relaxation                    (3 n_contact)
    double* u_ccp; //                                          (3 n_contact)
    double* v_ccp; //                                          (n_dof)
    double residual_natural;
    double residual_ccp;
} Gfc;

// 1 when the file was read, 0 otherwise; gfc_free is fine after either.
int gfc_read(const char* path, Gfc* gfc);
void gfc_free(Gfc* gfc);

// The same as a CondProblem; NULL on failure. Release with cond_problem_file_destroy.
CondProblemFile* gfc_problem(const Gfc* gfc);

// y = A x and y = A' x.
void gfc_multiply(const GfcMatrix* A, const double* x, double* y);
void gfc_multiply_transposed(const GfcMatrix* A, const double* x, double* y);

#endif
