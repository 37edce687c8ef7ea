// cond-mpi solve: one contact problem from a file over all ranks.
#include "../solver.h"
#include "json.h"
#include "memory.h"
#include "tool.h"

#include <cond/fclib.h>
#include <math.h>
#include <stdlib.h>

typedef struct SolveOptions {
    const char *path, *json, *write, *law;
    CondSolverSettings settings;
} SolveOptions;

static int read_options(int argc, char** argv, SolveOptions* o, int* n)
{
    CondSolverSettings* s = &o->settings;
    const Option option[] = {
        {"--tol", OPTION_POSITIVE(&s->tolerance), "X", "largest certificate (default: 1e-8)"},
        {"--law", OPTION_TEXT(&o->law), "NAME", "contact law: strict or proximal"},
        {"--omega", OPTION_NUMBER(&s->omega, 0.0, DBL_MAX), "X",
         "regularisation of the law [m/(N s)]"},
        {"--max-iterations", OPTION_INT(&s->max_iterations, 1, INT_MAX), "N",
         "limit of iterations (default: 20000)"},
        {"--write", OPTION_TEXT(&o->write), "FILE", "the problem with its solution, as FCLib"},
        {"--json", OPTION_TEXT(&o->json), "FILE", "write the results as JSON; -: standard output"},
    };
    static const Command command = {"solve", "cond-mpi solve FILE [options]",
                                    "Solves a contact problem of an FCLib file over all ranks.",
                                    NULL};
    *n = 0;
    return options_read(&command, option, sizeof option / sizeof option[0], argc, argv, &o->path, 1,
                        n);
}

static json_t* describe(const CondMpiWorld* world, const CondProblem* problem,
                        const CondSolveInfo* info, const ToolTraffic* before)
{
    json_t* traffic = tool_traffic_json(world, before, info->cg_iterations);
    double memory = tool_memory(world);
    if (world->rank > 0)
        return NULL;
    return json_pack("{s:i,s:i,s:i,s:s,s:f,s:f,s:i,s:i,s:i,s:f,s:f,s:o}", "ranks", world->size,
                     "coordinates", problem->n_dof, "contacts", problem->n_contact, "status",
                     cond_status_name(info->status), "dynamics", info->certificate.dynamics,
                     "contact", info->certificate.contact, "newton_steps", info->passes,
                     "iterations", info->iterations, "products", info->products, "seconds",
                     info->seconds, "memory", memory, "traffic", traffic);
}

static int solve_file(CondMpiWorld* world, const SolveOptions* o, const CondProblem* problem)
{
    CondSolver* solver = NULL;
    CondSolveInfo info = {.status = COND_OUT_OF_MEMORY};
    CondError error = {COND_OK, ""};
    double* v = calloc((size_t)problem->n_dof + 1, sizeof *v);
    double* lambda = calloc(3 * (size_t)problem->n_contact + 1, sizeof *lambda);
    ToolTraffic before = tool_traffic(world);
    CondStatus status = v && lambda ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_mpi_solver_create(world, &o->settings, &solver, &error);
    if (!status)
        status = cond_solver_solve(solver, problem, v, lambda, &info);
    cond_solver_destroy(solver);
    if (status < 0)
        cli_complain("%s: %s", o->path,
                     status == COND_NOT_SUPPORTED
                         ? "rods (tridiagonal blocks) are not spread over ranks"
                         : cond_status_name(status));
    json_t* json = status < 0 ? NULL : describe(world, problem, &info, &before);
    if (status >= 0)
        printf("%s: %d coordinates, %d contacts over %d ranks: certificate %.1e, %d Newton steps, "
               "%d iterations\n",
               o->path, problem->n_dof, problem->n_contact, world->size,
               cond_certificate_residual(&info.certificate), info.passes, info.iterations);
    int code = cli_exit(status);
    if (world->rank == 0 && status >= 0 && o->json && json_put(json, o->json))
        code = CLI_INPUT;
    else if (!o->json)
        json_decref(json);
    if (world->rank == 0 && status >= 0 && o->write &&
        cond_fclib_write(NULL, o->write, problem, COND_FCLIB_ROWS, "COND contact problem", v,
                         lambda, &error)) {
        cli_complain("%s", error.message);
        code = CLI_INPUT;
    }
    free(v);
    free(lambda);
    return code;
}

int tool_solve(CondMpiWorld* world, int argc, char** argv)
{
    SolveOptions o = {.settings = cond_solver_settings_default()};
    CondProblemFile* file = NULL;
    CondError error;
    int n = 0;
    if (read_options(argc, argv, &o, &n))
        return n < 0 ? CLI_FINE : CLI_USAGE;
    if (n != 1) {
        cli_complain("solve: expected one FILE");
        return CLI_USAGE;
    }
    int law = o.law ? cli_enum("--law", o.law, cli_law_name) : (int)o.settings.law;
    if (law < 0)
        return CLI_USAGE;
    o.settings.law = (CondLaw)law;
    if (cond_fclib_read(NULL, o.path, &file, &error)) {
        cli_complain("%s", error.message);
        return CLI_INPUT;
    }
    int code = solve_file(world, &o, cond_problem_file_problem(file));
    cond_problem_file_destroy(file);
    return code;
}
