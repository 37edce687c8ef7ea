// cond bench: speed, on this machine.
#include "bench.h"

#include <string.h>

static const Benchmark* const benchmarks[] = {&bench_env};
enum { N_BENCHMARK = sizeof benchmarks / sizeof benchmarks[0] };

static void print_rows(const Benchmark* benchmark, const json_t* rows)
{
    for (int k = 0; k < benchmark->n_column; k++)
        fprintf(stderr, benchmark->column[k].format ? "%14s" : "%-28s",
                benchmark->column[k].heading);
    fputc('\n', stderr);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        for (int k = 0; k < benchmark->n_column; k++) {
            const BenchColumn* column = &benchmark->column[k];
            const json_t* value = json_object_get(json_array_get(rows, i), column->key);
            char cell[64] = "";
            if (json_is_string(value))
                snprintf(cell, sizeof cell, "%s", json_string_value(value));
            else if (json_is_number(value) && column->format)
                snprintf(cell, sizeof cell, column->format, json_number_value(value));
            fprintf(stderr, column->format ? "%14s" : "%-28s", cell);
        }
        fputc('\n', stderr);
    }
    fputc('\n', stderr);
}

static int run_one(const Benchmark* benchmark, const BenchOptions* options, json_t* all)
{
    json_t* rows = json_array();
    fprintf(stderr, "%s\n\n", benchmark->title);
    int code = benchmark->run(options, rows);
    if (code == CLI_FINE || code == CLI_TOLERANCE)
        print_rows(benchmark, rows);
    json_array_append_new(all, json_pack("{s:s, s:o, s:o}", "benchmark", benchmark->name, "machine",
                                         json_machine(options->threads), "rows", rows));
    return code;
}

static int run(int argc, char** argv)
{
    BenchOptions options = {0};
    const char *name = NULL, *path = NULL;
    const Option table[] = {
        {"--steps", OPTION_INT, &options.steps, "N", "instead of the benchmark's own number"},
        {"--threads", OPTION_INT, &options.threads, "N", "most threads that are tried"},
        {"--quick", OPTION_FLAG, &options.quick, NULL, "small sizes, to see that it works"},
        {"--json", OPTION_TEXT, &path, "FILE", "the rows as JSON; - is standard output"},
    };
    int n_positional, found = 0;
    if (options_read(&cli_bench, table, sizeof table / sizeof table[0], argc, argv, &name, 1,
                     &n_positional))
        return n_positional < 0 ? CLI_FINE : CLI_USAGE;
    json_t* all = json_array();
    int code = CLI_FINE;
    for (int i = 0; i < N_BENCHMARK; i++) {
        if (name && strcmp(name, benchmarks[i]->name) != 0)
            continue;
        int one = run_one(benchmarks[i], &options, all);
        code = one > code ? one : code;
        found = 1;
    }
    if (!found) {
        cli_complain("bench: no benchmark is named '%s'; there are:", name);
        for (int i = 0; i < N_BENCHMARK; i++)
            fprintf(stderr, "  %-10s %s\n", benchmarks[i]->name, benchmarks[i]->title);
        code = CLI_USAGE;
    } else if (path) {
        json_t* out = name ? json_incref(json_array_get(all, 0)) : json_incref(all);
        if (json_put(out, path))
            code = CLI_INPUT;
    }
    json_decref(all);
    return code;
}

const Command cli_bench = {"bench", "bench [NAME] [options]", "speed, on this machine", run};
