// Pieces of a step added up (tally.h): substeps of a piece, and the pieces of a step that knows its
// error.
#include "step/tally.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void cond_tally_begin(CondTally* tally)
{
    tally->n_piece = tally->n_all = 0;
    tally->weight = 0.0;
    tally->info = (CondStepInfo){.substeps = 0};
}

static void add_info(const CondStepInfo* one, int first, CondStepInfo* sum)
{
    if (first) {
        sum->kinetic_before = one->kinetic_before;
        sum->potential_before = one->potential_before;
    }
    sum->time = one->time;
    sum->substeps += one->substeps;
    sum->attempts += one->attempts;
    sum->n_contact = one->n_contact;
    sum->newton_iterations += one->newton_iterations;
    sum->rounds += one->rounds;
    sum->added += one->added;
    sum->penetration = fmax(sum->penetration, one->penetration);
    sum->corrected += one->corrected;
    sum->kinetic_after = one->kinetic_after;
    sum->potential_after = one->potential_after;
    sum->work_friction += one->work_friction;
    sum->work_impact += one->work_impact;
    sum->work_other += one->work_other;
    sum->work_given += one->work_given;
    sum->work_damping += one->work_damping;
    sum->work_numerical += one->work_numerical;
    sum->work_correction += one->work_correction;
    cond_sim_add_solve(&one->solve, &sum->solve);
    cond_sim_add_solve(&one->impact, &sum->impact);
    cond_sim_add_solve(&one->correction, &sum->correction);
}

// The contact number c of the piece that was made last, with its impulse.
static CondSubstepContact contact_of(const CondSim* sim, int c)
{
    CondSubstepContact now = {.candidate = sim->attempt.candidates.candidate[c]};
    memcpy(now.place, sim->readings.place + 6 * c, sizeof now.place);
    now.touched = sim->readings.touched[c];
    mat3_multiply_transposed(now.candidate.frame, sim->attempt.impulse + 3 * c, now.impulse);
    return now;
}

// Adds the impulses of the piece. Both lists ascend with the key.
static CondStatus add_contacts(CondSim* sim, CondTally* tally, const CondTally* within)
{
    int n = 0, k = 0, n_now = within ? within->n_all : sim->attempt.candidates.n;
    if (COND_RESERVE(&sim->arena, tally->all, tally->n_all + n_now) ||
        COND_RESERVE(&sim->arena, tally->merge, tally->n_all + n_now))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n_now; c++) {
        CondSubstepContact now = within ? within->all[c] : contact_of(sim, c);
        while (k < tally->n_all && cond_key_less(tally->all[k].candidate.key, now.candidate.key))
            tally->merge[n++] = tally->all[k++];
        if (k < tally->n_all && cond_key_equal(tally->all[k].candidate.key, now.candidate.key)) {
            for (int i = 0; i < 3; i++)
                now.impulse[i] += tally->all[k].impulse[i];
            now.touched = fmin(now.touched, tally->all[k].touched);
            k++;
        }
        tally->merge[n++] = now;
    }
    while (k < tally->n_all)
        tally->merge[n++] = tally->all[k++];
    memcpy(tally->all, tally->merge, (size_t)n * sizeof *tally->all);
    tally->n_all = n;
    return COND_OK;
}

static void add_numbers(int n, double weight, const double* x, int first, double* sum)
{
    for (int i = 0; i < n; i++)
        sum[i] = (first ? 0.0 : sum[i]) + weight * x[i];
}

static CondStatus reserve_readings(CondSim* sim, CondTally* tally)
{
    const CondModel* model = sim->model;
    int none = COND_RESERVE(&sim->arena, tally->wrench, 6 * sim->readings.n_wrench) ||
               COND_RESERVE(&sim->arena, tally->sensor, 6 * model->n_sensor) ||
               COND_RESERVE(&sim->arena, tally->joint, model->n_target);
    return none ? COND_OUT_OF_MEMORY : COND_OK;
}

// Adds what attachments, sensors and joints read in the piece.
static CondStatus add_readings(CondSim* sim, CondTally* tally, double weight)
{
    int first = tally->n_piece == 0;
    if (reserve_readings(sim, tally))
        return COND_OUT_OF_MEMORY;
    add_numbers(6 * sim->readings.n_wrench, weight, sim->readings.wrench, first, tally->wrench);
    for (int i = 0; i < sim->model->n_sensor; i++) {
        const CondSensorReading* reading = &sim->readings.reading[i];
        add_numbers(3, weight, reading->force, first, tally->sensor + 6 * i);
        add_numbers(3, weight, reading->torque, first, tally->sensor + 6 * i + 3);
    }
    cond_joint_rows_add(sim, weight, first, tally->joint);
    return COND_OK;
}

CondStatus cond_tally_add(CondSim* sim, CondTally* tally, const CondStepInfo* info, double weight,
                          const CondTally* within)
{
    add_info(info, tally->n_piece == 0, &tally->info);
    CondStatus status = add_contacts(sim, tally, within);
    if (!status)
        status = add_readings(sim, tally, weight);
    tally->n_piece++;
    tally->weight += weight;
    return status;
}

// Impulses of the whole step for the contacts of its last piece; those of earlier ones follow, with
// nothing on their sides. What the last piece was made of itself may follow already.
static CondStatus spread_contacts(CondSim* sim, const CondTally* tally)
{
    int n = sim->attempt.candidates.n, all = tally->n_all;
    if (sim->attempt.assembly.problem.n_contact < n)
        n = sim->attempt.assembly.problem.n_contact;
    int next = n;
    if (cond_candidates_reserve(&sim->attempt.candidates, all) ||
        COND_RESERVE(&sim->attempt.assembly.arena, sim->attempt.assembly.contact, all) ||
        COND_RESERVE(&sim->arena, sim->attempt.lambda, 3 * all) ||
        COND_RESERVE(&sim->arena, sim->attempt.relaxed, all) ||
        COND_RESERVE(&sim->arena, sim->attempt.impulse, 3 * all) ||
        COND_RESERVE(&sim->arena, sim->readings.touched, all) ||
        COND_RESERVE(&sim->arena, sim->readings.place, 6 * all))
        return COND_OUT_OF_MEMORY;
    sim->attempt.assembly.problem.contact = sim->attempt.assembly.contact;
    for (int k = 0, c = 0; k < all; k++) {
        const CondSubstepContact* one = &tally->all[k];
        int last = c < n &&
                   cond_key_equal(sim->attempt.candidates.candidate[c].key, one->candidate.key),
            at = last ? c++ : next++;
        if (!last) {
            sim->attempt.candidates.candidate[at] = one->candidate;
            sim->attempt.assembly.contact[at] =
                (CondContact){.key = cond_key_mix(one->candidate.key)};
            memset(sim->attempt.lambda + 3 * at, 0, 3 * sizeof *sim->attempt.lambda);
            sim->attempt.relaxed[at] = 0;
            memcpy(sim->readings.place + 6 * at, one->place, sizeof one->place);
        }
        sim->readings.touched[at] = one->touched;
        mat3_multiply(sim->attempt.candidates.candidate[at].frame, one->impulse,
                      sim->attempt.impulse + 3 * at);
    }
    sim->attempt.candidates.n = sim->readings.n_ready = next;
    sim->attempt.assembly.problem.n_contact = n; // where the rows of the joints were
    sim->rows.n = 0;
    return COND_OK;
}

// What is read from the step is its mean.
static void spread_readings(CondSim* sim, const CondTally* tally)
{
    for (int i = 0; i < 6 * sim->readings.n_wrench; i++)
        sim->readings.wrench[i] = tally->wrench[i] / tally->weight;
    for (int i = 0; i < sim->model->n_sensor; i++)
        for (int k = 0; k < 3; k++) {
            sim->readings.reading[i].force[k] = tally->sensor[6 * i + k] / tally->weight;
            sim->readings.reading[i].torque[k] = tally->sensor[6 * i + 3 + k] / tally->weight;
        }
    cond_joint_rows_mean(sim, tally->weight, tally->joint);
}

CondStatus cond_tally_spread(CondSim* sim, const CondTally* tally)
{
    CondStatus status = spread_contacts(sim, tally);
    if (!status)
        spread_readings(sim, tally);
    return status;
}

CondStatus cond_tally_copy(CondSim* sim, const CondTally* from, CondTally* to)
{
    const CondModel* model = sim->model;
    if (COND_RESERVE(&sim->arena, to->all, from->n_all) || reserve_readings(sim, to))
        return COND_OUT_OF_MEMORY;
    to->info = from->info;
    to->weight = from->weight;
    to->n_piece = from->n_piece;
    to->n_all = from->n_all;
    if (from->n_piece == 0)
        return COND_OK;
    if (from->n_all > 0)
        memcpy(to->all, from->all, (size_t)from->n_all * sizeof *to->all);
    if (sim->readings.n_wrench > 0)
        memcpy(to->wrench, from->wrench, 6 * (size_t)sim->readings.n_wrench * sizeof(double));
    if (model->n_sensor > 0)
        memcpy(to->sensor, from->sensor, 6 * (size_t)model->n_sensor * sizeof(double));
    if (model->n_target > 0)
        memcpy(to->joint, from->joint, (size_t)model->n_target * sizeof *to->joint);
    return COND_OK;
}
