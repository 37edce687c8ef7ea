// What every baseline keeps besides its method: the best iterate by its certificate, and step
// lengths.
#ifndef COND_BASELINES_JUDGE_H
#define COND_BASELINES_JUDGE_H

#include "cond/solver.h"

typedef struct CondJudge {
    CondContext context;
    CondSolverSettings settings;
    const CondProblem* problem;
    double* best_v;      // best certified pair                              (n_dof)
    double* best_lambda; //                                                  (n_contact x 3)
    double best;         // its residual
    CondCertificate best_certificate;
    double* history; // step lengths                                         (n_history)
    int n_history;
    int cap_best_v, cap_best_lambda, cap_history;
} CondJudge;

void cond_judge_create(CondJudge* judge, const CondContext* context,
                       const CondSolverSettings* settings);
void cond_judge_destroy(CondJudge* judge);

// Judges the start, which is the best pair so far.
CondStatus cond_judge_begin(CondJudge* judge, const CondProblem* problem, const double* v,
                            const double* lambda);
// Keeps (v, lambda) when it is better than the best pair, always with `take`.
CondStatus cond_judge_pair(CondJudge* judge, const double* v, const double* lambda, int take,
                           double* residual);
// Appends to the history.
CondStatus cond_judge_record(CondJudge* judge, double step);

// Hands out the best pair; returns the status that goes with it. `done` says that the stop test of
// the settings held.
CondStatus cond_judge_end(const CondJudge* judge, int done, double* v, double* lambda,
                          CondSolveInfo* info);

#endif
