// Sums over the steps of a run, and how they are printed.
#ifndef COND_CLI_RUN_SUMMARY_H
#define COND_CLI_RUN_SUMMARY_H

#include "audit.h"
#include "forces.h"
#include "joints.h"
#include "json.h"

typedef struct RunSummary {
    CondStatus status;  // worst of all steps
    int steps, missed;  // steps made, steps beyond their tolerance or too deep
    int unsolved;       // those beyond their tolerance
    int first_unsolved; // -1: none
    int too_deep;       // steps that left something beyond contact.penetration_limit
    double residual;    // worst certificate of all three problems of a step
    double penetration;
    double iterations, passes, contacts; // sums over steps
    int max_iterations, max_passes;
    int rounds, added; // solves again, with so many contacts found at the end of a step
    double asleep;     // bodies, summed over the steps
    int last_asleep;   // in the last step
    int rechecked;     // steps with any
    int solved_by[COND_N_SOLVED_BY]; // steps by what made their answer
    int max_relaxed;                 // contacts held to the proximal law instead of the strict one
    double seconds[COND_N_STAGE];
    double energy_start, energy_end;
    double work_friction, work_impact, work_given, work_damping, work_numerical, work_correction,
        work_other;    // [J]
    long long pieces;  // that steps were made of
    SensorSum* sensor; //                                                     (n_sensor)
    JointSum* joint;   // of all robots, one after the other                  (joints_count)
    AuditSum audit;
} RunSummary;

// Worst certificate of the three problems of a step.
double run_residual(const CondStepInfo* info);

void run_summary_add(RunSummary* s, const CondStepInfo* info);

// A step that left something too deep, by its contacts or by the audit, is missed; the first one is
// named.
void run_summary_judge_depth(const CondModel* model, int k, CondStatus audited, CondStepInfo* info,
                             RunSummary* summary);

void run_summary_print(const CondModel* model, const CondState* state, const RunSummary* s);
json_t* run_summary_json(const char* path, const CondModel* model, const CondSim* sim,
                         const CondState* state, const RunSummary* s, CondStatus status);

#endif
