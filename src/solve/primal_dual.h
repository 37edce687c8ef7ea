// Primal-dual passes: what the one-shot contact solve predicts (open, stick, slip and where to)
// becomes linear ties lambda = fix - D u, and (A + Jc' D Jc) v = b + Jc' (fix - D phi) is solved
// directly. Newton's method on the natural map in the scaling of V-FPI; a handful of passes where
// V-FPI needs thousands of iterations. The tie system splits into the groups of bodies that
// couplings and contacts join. Of a group, block tridiagonal blocks (rods) are factored as a band,
// everything else as its dense border: this serves problems whose largest border is small.
#ifndef COND_SOLVE_PRIMAL_DUAL_H
#define COND_SOLVE_PRIMAL_DUAL_H

#include "solve/certificate.h"
#include "sparse/bordered.h"

// lambda = fix - D u for one contact in one pass.
typedef struct CondTie {
    double D[9];
    double fix[3];
    double slip[2]; // direction of the trial friction force while slipping, else 0
} CondTie;

// Items sorted by group: those of group g are item[begin[g]] .. item[begin[g + 1] - 1], ascending.
typedef struct CondBucket {
    int* begin; //                                                             (n_group + 1)
    int* item;  //                                                             (n_item)
    int cap_begin, cap_item;
} CondBucket;

typedef struct CondPrimalDual {
    CondContext context;
    int* group;           // of each block                                      (n_block)
    int n_group;          //
    int largest;          // unknowns of the largest group
    int widest;           // of these at most in a border
    int band;             // 1: most coordinates lie in bands
    int* place;           // place of a coordinate in its group, band first     (n_dof)
    int* n_band;          // coordinates in the band of a group                 (n_group)
    int* n_border;        // unknowns in its border                             (n_group)
    int* far;             // 1: the contact joins far places of the band: its force is an
                          // unknown of the border                              (n_contact)
    int* coupling_slack;  // border place of a coupling that does, else -1      (n_coupling)
    int most_columns;     // coordinates of a contact, at most
    int* column_place;    // scratch: their places                              (most_columns)
    double* column;       // scratch: R J and D R J                             (6 most_columns)
    CondBucket dofs;      // coordinates by group
    CondBucket blocks;    //
    CondBucket couplings; //
    CondBucket contacts;  //
    int* key;             // scratch: group of each item                        (n_item)
    CondBordered K;       // tie matrix of one group
    double* x;            // its right-hand side                                (largest)
    double* gamma;        // scale of the natural map                           (n_contact)
    double *middle, *before, *behind; // its scratch on rods                            (n_dof x 6)
    CondTie* tie;       //                                                    (n_contact)
    double* D;          // of the ties, damped                                (n_contact x 9)
    double* gap;        // what they ask for at the current pair, damped      (n_contact x 3)
    double *v, *lambda; // current pair
    double *v_new, *lambda_new; // after the pass
    double *u, *u_new; // their contact velocities                           (n_contact x 3)
    double *v_ref, *lambda_ref;   // pair with the least merit
    double *v_best, *lambda_best; // best certified
    double* f;                    // right-hand side, then dv                            (n_dof)
    double scale;                 // fastest contact of start and first pair; 0: not known yet
    double merit;                 // of the pair in v_ref and lambda_ref
    int turn;                     // scales that were left for another
    double dynamics;              // r'r / diagonal of A at the current pair
    double* work;                 // of the certificate                                 (2 n_dof)
    int cap_group, cap_place, cap_n_band, cap_n_border, cap_far, cap_coupling_slack,
        cap_column_place, cap_column;
    int cap_key, cap_x, cap_gamma, cap_middle, cap_before, cap_behind, cap_tie, cap_v, cap_lambda;
    int cap_v_new, cap_lambda_new, cap_u, cap_u_new, cap_v_best, cap_lambda_best, cap_f;
    int cap_work, cap_D, cap_gap, cap_v_ref, cap_lambda_ref;
} CondPrimalDual;

// Groups the problem's bodies; *fits is 1 when the passes can serve it.
CondStatus cond_primal_dual_plan(CondPrimalDual* pd, const CondProblem* problem, CondLaw law,
                                 int* fits);

// Passes from (v, lambda) until the certificate's residual is at most the tolerance. On return v,
// lambda and *certificate are the best pair seen, the start included. The solves are added to
// *passes, products with A (one a certificate) to *products.
CondStatus cond_primal_dual_solve(CondPrimalDual* pd, const CondCertificateData* data,
                                  double tolerance, int max_passes, double* v, double* lambda,
                                  CondCertificate* certificate, int* passes, int* products);

void cond_primal_dual_destroy(CondPrimalDual* pd);

#endif
