// cond bench: speed, on this machine.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "interrupt.h"
#include "ranks.h"
#include "report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const Benchmark* const benchmarks[] = {
    &bench_speed,  &bench_convergence, &bench_sweeps,  &bench_trials,
    &bench_env,    &bench_geometry,    &bench_drops,   &bench_energy,
    &bench_motion, &bench_piles,       &bench_scaling, &bench_sleep,
    &bench_smalls, &bench_threads,     &bench_gpu,     &bench_pictures};
enum { N_BENCHMARK = sizeof benchmarks / sizeof benchmarks[0] };

int bench_asks(const char* list, const char* name)
{
    size_t n = strlen(name);
    for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return 1;
    return !list;
}

static void print_cell(const BenchColumn* column, const char* cell)
{
    int width = column->width ? column->width : column->format ? 14 : 28;
    fprintf(stderr, column->format ? "%*s" : "%-*s", width, cell);
}

static void print_table(const BenchTable* table, const json_t* rows)
{
    for (int k = 0; k < table->n_column; k++)
        print_cell(&table->column[k], table->column[k].heading);
    fputc('\n', stderr);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        for (int k = 0; k < table->n_column; k++) {
            const BenchColumn* column = &table->column[k];
            const PaperColumn same = {column->key, column->heading, column->format};
            char cell[64];
            report_cell(json_array_get(rows, i), &same, cell, sizeof cell);
            print_cell(column, cell);
        }
        fputc('\n', stderr);
    }
    fputc('\n', stderr);
}

static const Benchmark* find(const char* name)
{
    for (int i = 0; i < N_BENCHMARK; i++)
        if (strcmp(name, benchmarks[i]->name) == 0)
            return benchmarks[i];
    cli_complain("bench: no benchmark is named '%s'; there are:", name);
    for (int i = 0; i < N_BENCHMARK; i++)
        fprintf(stderr, "  %-12s %s\n", benchmarks[i]->name, benchmarks[i]->title);
    return NULL;
}

static int is_empty(const Benchmark* benchmark, const json_t* result)
{
    size_t n = 0;
    for (int i = 0; i < BENCH_MAX_TABLE && benchmark->table[i].key; i++)
        n += json_array_size(json_object_get(result, benchmark->table[i].key));
    return n == 0;
}

static int run_silently(const Benchmark* benchmark, const BenchOptions* options)
{
    json_t* result = json_object();
    interrupt_keep(0.0);
    int code = interrupt_code(benchmark->run(options, result));
    json_decref(result);
    return ranks_end(code);
}

static int run(int argc, char** argv)
{
    BenchOptions options = {.tolerance = 1e-6, .limit = 4.0, .accuracy = 1e-3};
    const char *name = NULL, *path = NULL;
    const Option table[] = {
        {"--scenes", OPTION_TEXT(&options.scenes), "NAMES",
         "only these scenes, separated by commas"},
        {"--only", OPTION_TEXT(&options.scenes), "NAMES", "the same as --scenes"},
        {"--time-steps", OPTION_TEXT(&options.time_steps), "MS",
         "motion: lengths of a step in ms, separated by commas (10,5,2,1)"},
        {"--accuracy", OPTION_NUMBER(&options.accuracy, 0.0, 1.0), "X",
         "motion: step.accuracy of one more run (1e-3); 0: none"},
        {"--stages", OPTION_TEXT(&options.stages), "STEPS", "steps at which a scene is measured"},
        {"--solvers", OPTION_TEXT(&options.solvers), "NAMES",
         "only these, separated by commas (energy, motion: integrators; piles, small: engines)"},
        {"--tol", OPTION_POSITIVE(&options.tolerance), "X", "certificate to reach (1e-6)"},
        {"--cold", OPTION_FLAG(&options.cold), NULL, "start solvers from zero"},
        {"--states", OPTION_TEXT(&options.states), "DIR",
         "folder that keeps states for the next run"},
        {"--max-dof", OPTION_INT(&options.max_dof, 1, INT_MAX), "N",
         "coordinates of the largest mat"},
        {"--limit", OPTION_POSITIVE(&options.limit), "S",
         "time limit of a solve by another solver [s] (4)"},
        {"--results", OPTION_TEXT(&options.results), "DIR",
         "write rows and ratios into this folder, named by the machine"},
        {"--check", OPTION_TEXT(&options.check), "PATH",
         "fail where ratios are worse than those of an earlier run"},
        {"--trials", OPTION_INT(&options.trials, 1, 100000), "N", "randomised trials (20)"},
        {"--poses", OPTION_INT(&options.poses, 1, 100000000), "N",
         "geometry: number of poses (100000)"},
        {"--pairs", OPTION_INT(&options.pairs, 1, 100000000), "N", "drops: number of pairs (2000)"},
        {"--first", OPTION_INT(&options.first, 0, 100000000), "N",
         "drops: number of the first pair (0)"},
        {"--kinds", OPTION_TEXT(&options.kinds), "NAMES",
         "geometry, drops: only these kinds of shapes"},
        {"--seed", OPTION_INT(&options.seed, 0, INT_MAX), "S", "geometry, drops: seed (0)"},
        {"--steps", OPTION_INT(&options.steps, 1, CLI_MOST_STEPS), "N",
         "number of steps; by default the benchmark's own"},
        {"--threads", OPTION_INT(&options.threads, 0, CLI_MOST_THREADS), "N",
         "number of threads; 0: one per processor"},
        {"--quick", OPTION_FLAG(&options.quick), NULL, "small sizes, as a test of the command"},
        {"--out", OPTION_TEXT(&options.out), "DIR", "write a report with table, data and plots"},
        {"--json", OPTION_TEXT(&path), "FILE", "write the result as JSON; -: standard output"},
    };
    int n_positional;
    if (options_read(&cli_bench, table, sizeof table / sizeof table[0], argc, argv, &name, 1,
                     &n_positional))
        return n_positional < 0 ? CLI_FINE : CLI_USAGE;
    const Benchmark* benchmark = find(name ? name : benchmarks[0]->name);
    if (!benchmark)
        return CLI_USAGE;
    if (options.check && access(options.check, R_OK) != 0) {
        cli_complain("bench: --check %s: %s", options.check, strerror(errno));
        return CLI_INPUT;
    }
    if (options.out && report_folder(options.out))
        return CLI_INPUT;
    // Environments run over the ranks of MPI too; then the first of them speaks for all.
    int begun = benchmark == &bench_env ? ranks_begin("bench", 0, argc, argv) : CLI_FINE;
    if (begun)
        return begun;
    if (ranks_own() > 0)
        return run_silently(benchmark, &options);
    fprintf(stderr, "%s\n\n", benchmark->title);
    json_t* result = json_pack("{s:s, s:o}", "benchmark", benchmark->name, "machine",
                               json_machine(options.threads));
    interrupt_keep(0.0);
    int code = interrupt_code(benchmark->run(&options, result));
    for (int i = 0; i < BENCH_MAX_TABLE && benchmark->table[i].key; i++)
        print_table(&benchmark->table[i], json_object_get(result, benchmark->table[i].key));
    if (code == CLI_FINE && is_empty(benchmark, result)) {
        cli_complain("bench: nothing was measured: --scenes and --solvers exclude everything");
        code = CLI_USAGE;
    }
    if (interrupt_signal())
        cli_complain("bench: ended by signal %d; what was measured before is kept",
                     interrupt_signal());
    int whole = code == CLI_FINE || code == CLI_TOLERANCE || interrupt_signal();
    if (path && whole && json_put(json_incref(result), path) && code < CLI_INPUT)
        code = CLI_INPUT;
    json_decref(result);
    return ranks_end(code);
}

const Command cli_bench = {"bench",
                           "bench "
                           "[speed|convergence|sweeps|trials|env|geometry|drops|energy|motion|"
                           "piles|pictures|scaling|sleep|small|threads] "
                           "[options]",
                           "Measures speed and convergence on this machine.", run};
