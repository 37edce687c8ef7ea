#include "bench_store.h"

#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double SLACK = 4.0 / 3.0;

// The name of the processor as the name of a file.
static void machine_name(const json_t* machine, char* out, size_t size)
{
    const char* cpu = json_string_value(json_object_get(machine, "cpu"));
    size_t n = 0;
    for (const char* c = cpu ? cpu : "unknown"; *c && n + 8 < size; c++) {
        if (isalnum((unsigned char)*c))
            out[n++] = (char)tolower((unsigned char)*c);
        else if (n > 0 && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n > 0 && out[n - 1] == '-')
        n--;
    out[n] = '\0';
}

int bench_store_csv(const char* directory, const json_t* machine, const json_t* rows)
{
    char name[256], path[4096];
    machine_name(machine, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s.csv", directory, name);
    FILE* file = report_folder(directory) ? NULL : fopen(path, "w");
    if (!file) {
        cli_complain("%s: cannot write: %s", path, strerror(errno));
        return 1;
    }
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t* row = json_array_get(rows, i);
        const char *key, *comma = "";
        json_t* value;
        json_object_foreach(row, key, value)
        {
            if (i == 0)
                fprintf(file, "%s%s", comma, key);
            comma = ",";
        }
        comma = i == 0 ? "\n" : "";
        json_object_foreach(row, key, value)
        {
            fputs(comma, file);
            if (json_is_string(value))
                fputs(json_string_value(value), file);
            else if (json_is_number(value))
                fprintf(file, "%.6g", json_number_value(value));
            comma = ",";
        }
        fputc('\n', file);
    }
    int failed = fclose(file) != 0;
    if (failed)
        cli_complain("%s: cannot write: %s", path, strerror(errno));
    else
        fprintf(stderr, "results: %s\n", path);
    return failed;
}

// 1 when a number that should be small (or large) is no longer what it was.
static int is_worse(const char* where, const char* key, const json_t* stored, const json_t* now)
{
    static const char* const small[] = {"step_over_factorisation", "exponent", "bytes_per_dof"};
    int lower = 0;
    if (!json_is_number(stored) || !json_is_number(now))
        return 0;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++)
        lower |= strcmp(key, small[k]) == 0;
    double before = json_number_value(stored), value = json_number_value(now);
    if (lower ? value <= before * SLACK : value >= before / SLACK)
        return 0;
    fprintf(stderr, "%s: %s was %.3g and is %.3g\n", where, key, before, value);
    return 1;
}

static int compare(const char* where, const json_t* stored, const json_t* now)
{
    const char* key;
    json_t* value;
    int worse = 0;
    json_object_foreach((json_t*)stored, key, value) worse |=
        is_worse(where, key, value, json_object_get(now, key));
    return worse;
}

int bench_store_check(const char* path, const json_t* result)
{
    json_error_t error;
    json_t* stored = json_load_file(path, 0, &error);
    if (!stored) {
        cli_complain("%s: line %d: %s", path, error.line, error.text);
        return -1;
    }
    const char* scene;
    json_t* value;
    const json_t* ratios = json_object_get(result, "ratios");
    int worse = 0;
    json_object_foreach(json_object_get(stored, "ratios"), scene, value) worse |=
        compare(scene, value, json_object_get(ratios, scene));
    worse |=
        compare("growth", json_object_get(stored, "growth"), json_object_get(result, "growth"));
    json_decref(stored);
    return worse;
}
