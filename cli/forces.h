// Forces of a run: sensors as a table in time and in the summary, pairs of bodies at its end.
#ifndef COND_CLI_FORCES_H
#define COND_CLI_FORCES_H

#include "json.h"

#include <cond/sim.h>
#include <stdio.h>

// What is added up per sensor.
typedef struct SensorSum {
    double mean[6];           // sums of force and torque until they are divided by n
    double peak_force;        // largest size [N]
    double peak_torque;       // [N m]
    CondSensorReading latest; //
    int n;                    // steps
} SensorSum;

void forces_csv_header(FILE* file, const CondModel* model);
void forces_csv_row(FILE* file, const CondModel* model, const CondSim* sim, double time);

// sum: one per sensor, zero at first.
void forces_add(const CondModel* model, const CondSim* sim, SensorSum* sum);
void forces_print(FILE* file, const CondModel* model, const SensorSum* sum);
json_t* forces_sensors_json(const CondModel* model, const SensorSum* sum);

// The pairs of bodies that touched in the last step, each once.
json_t* forces_pairs_json(const CondModel* model, const CondSim* sim);

#endif
