// Primal-dual passes: what the one-shot contact solve predicts (open, stick, slip and where to)
// becomes linear ties lambda = fix - D u, and (A + Jc' D Jc) v = b + Jc' (fix - D phi) is solved
// directly. Newton's method on the natural map in the scaling of V-FPI; a handful of passes where
// V-FPI needs thousands of iterations. The tie system is factored sparsely, by blocks: rigid
// bodies, robots, rods and small meshes in any number.
#ifndef COND_NEWTON_PRIMAL_DUAL_H
#define COND_NEWTON_PRIMAL_DUAL_H

#include "law/certificate.h"
#include "linear/block_lu.h"

// lambda = fix - D u for one contact in one pass.
typedef struct CondTie {
    double D[9];
    double fix[3];
    double slip[2]; // direction of the trial friction force while slipping, else 0
} CondTie;

typedef struct CondPrimalDual {
    CondContext context;
    int rods;         // 1: most coordinates belong to rods
    int planned;      // 1: H has the pattern of the problem
    double price;     // and one factorisation costs so many products with A; 0: it has no mesh
    double allowed;   // so many it may cost
    int fits;         // 1: it does not cost more
    int* node;        // node of a coordinate                               (n_dof)
    int* node_size;   // coordinates of a node                              (n_node)
    int* column_node; // scratch: nodes of a contact or coupling
    double* column;   // scratch: R J of both sides of a contact, and K J of a term
    CondBlockLu H;    // tie matrix; its nodes tile the coordinates
    double* gamma;    // scale of the natural map                           (n_contact)
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
    double dynamics;              // r'r / diagonal of A at the current pair
    double* work;                 // of the certificate                                 (2 n_dof)
    int cap_node, cap_node_size, cap_column_node, cap_column, cap_gamma, cap_middle, cap_before,
        cap_behind, cap_tie, cap_v, cap_lambda;
    int cap_v_new, cap_lambda_new, cap_u, cap_u_new, cap_v_best, cap_lambda_best, cap_f;
    int cap_work, cap_D, cap_gap, cap_v_ref, cap_lambda_ref;
} CondPrimalDual;

// The problem that the calls below serve, until the next one.
void cond_primal_dual_plan(CondPrimalDual* pd, const CondProblem* problem);

// Passes from (v, lambda) until the certificate's residual is at most the tolerance. On return v,
// lambda and *certificate are the best pair seen, the start included. The solves are added to
// *passes, products with A (one a certificate) to *products.
CondStatus cond_primal_dual_solve(CondPrimalDual* pd, const CondCertificateData* data,
                                  double tolerance, int max_passes, double* v, double* lambda,
                                  CondCertificate* certificate, int* passes, int* products);

// Room, pattern and scale for the problem it was planned for; pd->fits says whether H can be
// factored in reasonable time.
CondStatus cond_primal_dual_prepare(CondPrimalDual* pd, const CondCertificateData* data);

// Full Newton steps with the same resistance against changes of the forces, a share of gamma, in
// each of them, from a pair that is nearly right, as long as they make progress: nearly redundant
// contacts then go on sharing a load as they did. The rest as above.
CondStatus cond_primal_dual_polish(CondPrimalDual* pd, const CondCertificateData* data,
                                   double tolerance, double damping, double* v, double* lambda,
                                   CondCertificate* certificate, int* passes, int* products);

void cond_primal_dual_destroy(CondPrimalDual* pd);

#endif
