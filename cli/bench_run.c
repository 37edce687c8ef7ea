// Runs a model by the default solver and sums up what its steps needed (bench_run.h).
#include "bench_run.h"
#include "progress.h"

#include <math.h>

// Every problem of the step counts: the step itself, impact and position.
static double worst_residual(const CondStepInfo* info)
{
    double residual = cond_certificate_residual(&info->solve.certificate);
    if (info->impact.iterations > 0)
        residual = fmax(residual, cond_certificate_residual(&info->impact.certificate));
    if (info->correction.iterations > 0)
        residual = fmax(residual, cond_certificate_residual(&info->correction.certificate));
    return residual;
}

static void add_step(const CondStepInfo* info, int step, double tolerance, BenchRun* run)
{
    double residual = worst_residual(info);
    if (!(residual <= tolerance)) {
        run->missed++;
        run->first_missed = run->first_missed < 0 ? step : run->first_missed;
    }
    run->residual = fmax(run->residual, residual);
    run->contacts += info->n_contact;
    run->iterations += info->solve.iterations;
    run->products += info->solve.products;
    run->passes += info->solve.passes;
    run->seconds += info->solve.seconds;
    if (info->solve.products > run->most_products)
        run->most_products = info->solve.products;
    run->steps++;
}

int bench_run(const CondModel* model, const char* name, int from, int to, double tolerance,
              BenchRun* run)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    *run = (BenchRun){.first_missed = -1};
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (status)
        cli_complain("%s: %s", name, error.message);
    Progress progress = progress_start(name);
    for (int k = 0; k < to && status >= 0; k++) {
        CondStepInfo info;
        status = cond_sim_step(sim, state, &info);
        if (status < 0)
            cli_complain("%s: step %d: %s", name, k, cond_status_name(status));
        else if (k >= from)
            add_step(&info, k, tolerance, run);
        progress_update(&progress, k + 1, to);
    }
    progress_end(&progress);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

void bench_run_row(const BenchRun* run, json_t* row)
{
    double n = run->steps > 0 ? run->steps : 1;
    json_object_update_new(
        row,
        json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "steps", run->steps,
                  "missed", run->missed, "first_missed", run->first_missed, "residual",
                  json_number(run->residual), "contacts", json_number(run->contacts / n),
                  "iterations", json_number(run->iterations / n), "products",
                  json_number(run->products / n), "most_products", run->most_products, "passes",
                  json_number(run->passes / n), "solve_ms", json_number(1e3 * run->seconds / n)));
}
