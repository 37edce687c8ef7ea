// CondProblemFile: a CondProblem and the arrays it points to, made from plain sparse matrices.
#ifndef COND_FCLIB_FCLIB_PROBLEM_H
#define COND_FCLIB_FCLIB_PROBLEM_H

#include "cond/fclib.h"
#include "fclib/csr.h"
#include "fclib/fclib_interval.h"

struct CondProblemFile {
    CondContext context;
    CondProblem problem;  // points to the arrays below
    int local;            // 1: read from a local problem
    char* title;          //
    char* description;    //
    CondBlock* block;     //                                   (n_block)
    double* block_value;  // values of all blocks
    int* block_row_begin; // row offsets of all sparse blocks
    int* block_column;    // columns of all sparse blocks
    CondContact* contact; //                                   (n_contact)
    int* coordinate;      // coordinates of all contacts
    double* jacobian;     // Jacobians of all contacts
    double* b;            //                                   (n_dof)
};

// The data of a problem. A is exactly symmetric; contact c has the rows 3 c .. 3 c + 2 of Jc.
typedef struct CondProblemParts {
    const CondCsr* A;  //                                      (n_dof x n_dof)
    const CondCsr* Jc; //                                      (3 n_contact x n_dof)
    const double* b;   //                                      (n_dof)
    const double* phi; //                                      (3 n_contact)
    const double* mu;  //                                      (n_contact)
    const double* kv;  // NULL: INFINITY everywhere            (n_contact)
    const CondFclibIntervals* intervals; // among the contacts; NULL: none
    int split; // 1: A is divided into blocks by the bodies that its pattern shows; 0: one sparse
               // block
} CondProblemParts;

// Copies everything. COND_BAD_INPUT if a contact touches no coordinate; *idle_contact is its index.
CondStatus cond_problem_file_create(const CondContext* context, const CondProblemParts* parts,
                                    CondProblemFile** file, int* idle_contact);

#endif
