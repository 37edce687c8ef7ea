// The loop that the methods on the Delassus operator share: build Ac, iterate lambda, stop, v.
#ifndef COND_BASELINES_DUAL_H
#define COND_BASELINES_DUAL_H

#include "delassus.h"
#include "judge.h"

typedef struct CondDual CondDual;

// One method. Both functions keep u = Ac lambda + q true of lambda.
typedef struct CondDualMethod {
    CondFactorKind kind;
    int convex;   // 1: whatever the law of the settings, the convex problem is solved
    int n_vector; // vectors of length n that the method needs
    void (*begin)(CondDual* dual);
    void (*iterate)(CondDual* dual, CondSolveInfo* info);
} CondDualMethod;

struct CondDual {
    CondContext context;
    CondSolverSettings settings;
    const CondDualMethod* method;
    CondDelassus delassus;
    CondJudge judge;
    double* lambda;     //                                                  (n)
    double* u;          // Ac lambda + q                                    (n)
    double* old_lambda; // of the iteration before                          (n)
    double* old_u;      //                                                  (n)
    double* vector;     // the method's own                                 (n_vector x n)
    double* v;          //                                                  (n_dof)
    double state[4];    // the method's own numbers
    double energy;      // sqrt(d'Ac d) of the last exact step length,
    double ratio;       // and the step length over it
    int cap_lambda, cap_u, cap_old_lambda, cap_old_u, cap_vector, cap_v;
};

// The verbs of CondSolverOps.
void* cond_dual_create(const CondContext* context, const CondSolverSettings* settings,
                       const CondDualMethod* method);
CondStatus cond_dual_solve(void* work, const CondProblem* problem, double* v, double* lambda,
                           CondSolveInfo* info);
const double* cond_dual_history(const void* work, int* n);
void cond_dual_destroy(void* work);

#endif
