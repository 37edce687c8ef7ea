// Joints of robots in a run: their torques as a table over time, and in the summary the joints
// at a limit.
#ifndef COND_CLI_JOINTS_H
#define COND_CLI_JOINTS_H

#include "json.h"

#include <cond/sim.h>
#include <stdio.h>

// What is added up per joint, in steps and peaks.
typedef struct JointSum {
    int lower, upper;  // steps in which a position limit carried a force
    int saturated;     // steps in which the motor was at its effort limit
    int fastest;       // steps in which the velocity limit held it
    double peak_limit; // largest reaction of a position limit [N m, N]
    CondJointReading latest;
} JointSum;

// Joints of all robots together.
int joints_count(const CondModel* model);

void joints_csv_header(FILE* file, const CondModel* model);
void joints_csv_row(FILE* file, const CondModel* model, const CondSim* sim, double time);

// sum: one per joint, zero at first.
void joints_add(const CondModel* model, const CondSim* sim, JointSum* sum);
void joints_print(FILE* file, const CondModel* model, const JointSum* sum);
json_t* joints_json(const CondModel* model, const JointSum* sum);

#endif
