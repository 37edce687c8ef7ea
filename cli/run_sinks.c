// Opens, writes and closes the outputs of a run (run_sinks.h).
#include "run_sinks.h"

#include "cli.h"
#include "csv.h"
#include "memory.h"
#include "run_summary.h"

#include <math.h>
#include <stdlib.h>

void run_csv_header(FILE* file, const CondModel* model)
{
    static const char* const parts[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                        "vx", "vy", "vz", "wx", "wy", "wz"};
    Text text = {0};
    text_add(&text, "time");
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            csv_column(&text, cond_model_body_name(model, b), parts[k]);
    text_add(&text, ",certificate,penetration,kinetic,potential,contacts,iterations\n");
    fputs(text.data ? text.data : "", file);
    free(text.data);
}

void run_csv_row(FILE* file, const CondModel* model, const CondState* state,
                 const CondStepInfo* info)
{
    fprintf(file, "%.9g", info->time);
    for (int b = 0; b < cond_model_n_body(model); b++) {
        CondPose p = cond_state_pose(model, state, b);
        csv_numbers(file, 17, p.position, 3);
        csv_numbers(file, 17, p.orientation, 4);
        csv_numbers(file, 17, p.velocity, 3);
        csv_numbers(file, 17, p.angular_velocity, 3);
    }
    csv_number(file, 3, run_residual(info));
    csv_number(file, 6, info->penetration);
    csv_number(file, 17, info->kinetic_after);
    csv_number(file, 17, info->potential_after);
    fprintf(file, ",%d,%d\n", info->n_contact, info->solve.iterations);
}

void run_save_state(const char* path, const CondModel* model, const CondState* state,
                    RunSinks* sinks)
{
    CondError error;
    if (!path || !cond_state_write(model, state, path, &error))
        return;
    cli_complain("%s; the run goes on", error.message);
    sinks->failed = 1;
}

void run_warn_of_reuse(const CondModel* model, const CondState* state)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    long step = lround(cond_state_time(state) / settings->time_step);
    if (step % settings->solver.reuse != 0)
        cli_complain("the state was saved at step %ld, not a multiple of solver.reuse: %d; a run "
                     "resumed from it has other bits than one that was not interrupted",
                     step, settings->solver.reuse);
}

void run_record_frame(RunSinks* sinks, const CondSim* sim, const CondState* state,
                      const CondStepInfo* info)
{
    CondError error;
    if (!sinks->record || !cond_record_frame(sinks->record, sim, state, info, &error))
        return;
    cli_complain("%s; the record ends here with %d frames, the run goes on", error.message,
                 cond_record_n_frame(sinks->record));
    cond_record_close(sinks->record);
    sinks->record = NULL;
    sinks->failed = 1;
}

CondStatus run_dump_problem(CondSim* sim, const CondState* state, const char* path)
{
    CondError error = {COND_OK, ""}; // the stages have no message of their own
    CondStatus status = cond_sim_forces(sim, state);
    if (!status)
        status = cond_sim_matrix(sim);
    if (!status)
        status = cond_sim_collide(sim, state);
    if (!status)
        status = cond_sim_assemble(sim, state);
    if (!status)
        status = cond_fclib_write(memory_context(), path, cond_sim_problem(sim), COND_FCLIB_ROWS,
                                  "COND contact problem", NULL, NULL, &error);
    if (status)
        cli_complain("%s: %s", path, *error.message ? error.message : cond_status_name(status));
    return status;
}
