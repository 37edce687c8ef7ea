// cond-mpi run: a scene whose contact problems are solved by all ranks together.
#include "../elements.h"
#include "../solver.h"
#include "ending.h"
#include "json.h"
#include "memory.h"
#include "tool.h"

#include <cond/record.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct RunOptions {
    const char *path, *json, *record, *save, *resume;
    int steps, every, save_every, seed, compare;
    double tolerance;
    TextList set;
} RunOptions;

// What a run adds up.
typedef struct Sum {
    int steps, missed;
    double residual;                               // worst certificate of a step
    double contacts, newton, iterations, products; // over all steps
    double difference;                             // of velocities from those of one rank [m/s]
    double seconds[COND_N_STAGE];
} Sum;

typedef struct Run {
    const RunOptions* options;
    CondMpiWorld* world;
    CondModel* model;
    CondSim *sim, *alone; // alone: of one rank, to compare with; else NULL
    CondState *state, *copy;
    CondRecord* record; // of rank 0
    CondMpiElements elements;
    Sum sum;
} Run;

static int read_options(int argc, char** argv, RunOptions* o, int* n)
{
    const Option option[] = {
        {"--steps", OPTION_INT(&o->steps, 1, CLI_MOST_STEPS), "N",
         "number of steps; by default the scene's duration"},
        {"--set", OPTION_LIST(&o->set), "PATH=VALUE", "set a value of the scene; may be repeated"},
        {"--seed", OPTION_INT(&o->seed, 0, INT_MAX), "S", "seed of the scene's random values"},
        {"--tol", OPTION_POSITIVE(&o->tolerance), "X", "tolerance of the solver"},
        {"--record", OPTION_TEXT(&o->record), "FILE", "record the run, as cond run does"},
        {"--every", OPTION_INT(&o->every, 1, CLI_MOST_STEPS), "N", "record every N-th step"},
        {"--save", OPTION_TEXT(&o->save), "FILE", "checkpoint: the state at the end"},
        {"--save-every", OPTION_INT(&o->save_every, 1, CLI_MOST_STEPS), "N",
         "and after every N-th step"},
        {"--resume", OPTION_TEXT(&o->resume), "FILE",
         "go on from a checkpoint, of any number of ranks"},
        {"--compare", OPTION_FLAG(&o->compare), NULL,
         "make every step by one rank's solver as well, and tell the difference"},
        {"--json", OPTION_TEXT(&o->json), "FILE", "write the results as JSON; -: standard output"},
    };
    static const Command command = {"run", "cond-mpi run SCENE [options]",
                                    "Simulates a scene over all ranks.", NULL};
    *n = 0;
    return options_read(&command, option, sizeof option / sizeof option[0], argc, argv, &o->path, 1,
                        n);
}

// ---- what it cannot do

// COND_NOT_SUPPORTED with the name of what the scene has.
static CondStatus refuse(const CondModel* model, CondError* error)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    const char* what = NULL;
    if (settings->method != COND_STEP_VELOCITY)
        what = "step.method: penalty and pbd";
    else if (settings->solver.stop != COND_STOP_CERTIFICATE)
        what = "solver.stop: step";
    if (what)
        snprintf(error->message, sizeof error->message, "%s: not over ranks; use cond run", what);
    for (int b = 0; b < cond_model_n_body(model) && !what; b++)
        if (cond_model_body_kind(model, b) == COND_BODY_ROD) {
            what = cond_model_body_name(model, b);
            snprintf(error->message, sizeof error->message,
                     "bodies.%s: rods are not spread over ranks; use cond run", what);
        }
    return what ? COND_NOT_SUPPORTED : COND_OK;
}

// ---- beginning

static CondStatus load(Run* run, CondError* error)
{
    const RunOptions* o = run->options;
    char path[4096];
    CondScene* scene = NULL;
    cli_scene_path(o->path, path, sizeof path);
    CondStatus status =
        o->seed < 0 ? cond_scene_read(memory_context(), path, o->set.n, o->set.item, &scene, error)
                    : cond_scene_read_drawn(memory_context(), path, o->set.n, o->set.item,
                                            (uint64_t)o->seed, &scene, error);
    if (!status) {
        CondSolverSettings* solver = &cond_scene_settings(scene)->solver;
        solver->threads = 1; // ranks take the place of threads
        if (!isnan(o->tolerance))
            solver->tolerance = o->tolerance;
        status = cond_scene_compile(scene, &run->model, error);
    }
    cond_scene_destroy(scene);
    return status ? status : refuse(run->model, error);
}

static CondStatus begin(Run* run, CondError* error)
{
    const RunOptions* o = run->options;
    CondSolver* solver = NULL;
    CondStatus status = load(run, error);
    if (!status)
        status = cond_state_create(run->model, &run->state, error);
    if (!status)
        status = cond_sim_create(run->model, &run->sim, error);
    if (!status)
        status = cond_mpi_solver_create(run->world, &cond_model_settings(run->model)->solver,
                                        &solver, error);
    if (status)
        return status;
    cond_sim_set_solver(run->sim, solver);
    status = cond_mpi_elements_begin(&run->elements, run->world, run->model, run->sim);
    if (status)
        snprintf(error->message, sizeof error->message, "out of memory");
    if (!status && o->resume)
        status = cond_state_read(run->model, run->state, o->resume, error);
    if (!status && o->compare && !(status = cond_sim_create(run->model, &run->alone, error)))
        status = cond_state_create(run->model, &run->copy, error);
    if (!status && o->record && run->world->rank == 0)
        status =
            cond_record_open(memory_context(), o->record, run->model, NULL, &run->record, error);
    return status;
}

static void end(Run* run)
{
    cond_record_close(run->record);
    cond_sim_destroy(run->sim);
    cond_sim_destroy(run->alone);
    cond_mpi_elements_destroy(&run->elements);
    cond_state_destroy(run->state);
    cond_state_destroy(run->copy);
    cond_model_destroy(run->model);
}

// ---- steps

// Every rank makes its own copy of the state: they must be the same.
static int ranks_agree(const Run* run)
{
    uint64_t mine = cond_state_hash(run->state), low = 0, high = 0;
    MPI_Allreduce(&mine, &low, 1, MPI_UINT64_T, MPI_MIN, run->world->comm);
    MPI_Allreduce(&mine, &high, 1, MPI_UINT64_T, MPI_MAX, run->world->comm);
    return low == high;
}

static double worst_of(const CondStepInfo* info)
{
    double solve = cond_certificate_residual(&info->solve.certificate);
    double impact = cond_certificate_residual(&info->impact.certificate);
    return fmax(solve, fmax(impact, cond_certificate_residual(&info->correction.certificate)));
}

static void add_step(Run* run, const CondStepInfo* info)
{
    Sum* sum = &run->sum;
    sum->steps++;
    sum->missed += info->status != COND_OK;
    sum->residual = fmax(sum->residual, worst_of(info));
    sum->contacts += info->n_contact;
    sum->newton += info->solve.passes;
    sum->iterations += info->solve.iterations;
    sum->products += info->solve.products;
    for (int k = 0; k < COND_N_STAGE; k++)
        sum->seconds[k] += info->seconds[k];
}

// The same step from the same state by one rank's solver.
static CondStatus compare(Run* run, const double* velocity)
{
    CondStepInfo info;
    CondStatus status = cond_sim_step(run->alone, run->copy, &info);
    const double* other = cond_state_velocity(run->copy);
    for (int i = 0; i < cond_model_n_dof(run->model) && status >= 0; i++)
        run->sum.difference = fmax(run->sum.difference, fabs(velocity[i] - other[i]));
    return status < 0 ? status : COND_OK;
}

// Only rank 0 writes; a file that cannot be written does not end the run.
static void keep(Run* run, int k, int last, const CondStepInfo* info)
{
    const RunOptions* o = run->options;
    CondError error;
    if (run->record && (k % o->every == 0 || !info) &&
        cond_record_frame(run->record, info ? run->sim : NULL, run->state, info, &error))
        cli_complain("%s", error.message);
    int due = o->save && (last || (k > 0 && o->save_every > 0 && k % o->save_every == 0));
    if (run->world->rank > 0 || !due)
        return;
    if (cond_state_write(run->model, run->state, o->save, &error))
        cli_complain("%s; the run goes on", error.message);
    else
        ending_note(o->save, k, cond_state_time(run->state));
}

static CondStatus simulate(Run* run, int steps)
{
    CondStatus status = COND_OK;
    keep(run, 0, steps == 0, NULL);
    for (int k = 0; k < steps && status >= 0; k++) {
        CondStepInfo info;
        if (run->alone)
            cond_state_copy(run->copy, run->state);
        status = cond_sim_step(run->sim, run->state, &info);
        if (status < 0) {
            cli_complain("step %d at t = %g s: %s%s%s", k, cond_state_time(run->state),
                         cond_status_name(status), *cond_sim_message(run->sim) ? ": " : "",
                         cond_sim_message(run->sim));
            break;
        }
        add_step(run, &info);
        if (!ranks_agree(run)) {
            cli_complain("step %d: the ranks have come to different states: they must be the same "
                         "program on processors of the same kind",
                         k);
            return COND_DIVERGED;
        }
        if (run->alone && compare(run, cond_state_velocity(run->state)) < 0)
            cli_complain("step %d: a single rank failed", k);
        keep(run, k + 1, k + 1 == steps, &info);
    }
    return status < 0 ? status : run->sum.missed ? COND_NOT_CONVERGED : COND_OK;
}

// ---- what is told

static json_t* describe(const Run* run, CondStatus status, const ToolTraffic* before)
{
    const Sum* s = &run->sum;
    const CondMpiWorld* world = run->world;
    json_t* traffic = tool_traffic_json(world, before, s->iterations);
    double memory = tool_memory(world), n = s->steps > 0 ? s->steps : 1;
    if (world->rank > 0)
        return NULL;
    json_t* seconds = json_object();
    for (int k = 0; k < COND_N_STAGE; k++)
        json_object_set_new(seconds, cond_stage_name((CondStage)k), json_real(s->seconds[k] / n));
    return json_pack("{s:i,s:i,s:i,s:i,s:s,s:o,s:f,s:f,s:f,s:f,s:o,s:f,s:i,s:i,s:f,s:o,s:o}",
                     "ranks", world->size, "coordinates", cond_model_n_dof(run->model), "steps",
                     s->steps, "missed", s->missed, "status", cond_status_name(status),
                     "certificate", json_number(s->residual), "contacts", s->contacts / n,
                     "newton_steps", s->newton / n, "iterations", s->iterations / n, "products",
                     s->products / n, "difference",
                     run->alone ? json_real(s->difference) : json_null(), "time",
                     cond_state_time(run->state), "neighbours", world->neighbours, "copies",
                     world->copies, "memory", memory, "seconds", seconds, "traffic", traffic);
}

static void print(const Run* run)
{
    const Sum* s = &run->sum;
    double n = s->steps > 0 ? s->steps : 1;
    printf("%s: %d steps over %d ranks to t = %g s\n"
           "  coordinates   %d\n"
           "  certificate   %.1e at worst, %d steps beyond the tolerance\n"
           "  a step        %.1f contacts, %.1f Newton steps, %.1f iterations\n",
           cond_model_settings(run->model)->name, s->steps, run->world->size,
           cond_state_time(run->state), cond_model_n_dof(run->model), s->residual, s->missed,
           s->contacts / n, s->newton / n, s->iterations / n);
    if (run->alone)
        printf("  difference    %.1e m/s at most from steps of one rank\n", s->difference);
}

int tool_run(CondMpiWorld* world, int argc, char** argv)
{
    RunOptions o = {.every = 1, .seed = -1, .tolerance = NAN};
    Run run = {.options = &o, .world = world};
    CondError error = {COND_OK, ""};
    int n = 0, code;
    if (read_options(argc, argv, &o, &n))
        return n < 0 ? CLI_FINE : CLI_USAGE;
    if (n != 1) {
        cli_complain("run: expected one SCENE");
        return CLI_USAGE;
    }
    CondStatus status = begin(&run, &error), worst = COND_OK;
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, world->comm);
    if (worst < 0) { // said by the rank that knows; by another where rank 0 does not
        cli_complain("%s", status < 0 ? error.message : "another rank could not begin");
        code = cli_exit(worst);
    } else {
        const CondSceneSettings* settings = cond_model_settings(run.model);
        double left =
            round((settings->duration - cond_state_time(run.state)) / settings->time_step);
        int steps = o.steps > 0 ? o.steps : (int)fmin(fmax(left, 0.0), CLI_MOST_STEPS);
        ending_watch(world->rank == 0);
        ToolTraffic before = tool_traffic(world);
        status = simulate(&run, steps);
        print(&run);
        json_t* json = describe(&run, status, &before);
        code = cli_exit(status);
        if (o.json && world->rank == 0 && json_put(json, o.json))
            code = CLI_INPUT;
        else if (!o.json)
            json_decref(json);
    }
    end(&run);
    free(o.set.item);
    return code;
}
