// Writes benchmark results as CSV and compares them with stored ones (bench_store.h).
#define _POSIX_C_SOURCE 200809L
#include "bench_store.h"

#include "csv.h"
#include "report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double SLACK = 4.0 / 3.0;

// DIR/MACHINE.ENDING: processor and cores, in letters, digits and dashes.
static void machine_path(const char* directory, const json_t* machine, const char* ending,
                         char* out, size_t size)
{
    const char* cpu = json_string_value(json_object_get(machine, "cpu"));
    char name[128];
    size_t n = 0;
    for (const char* c = cpu ? cpu : "unknown"; *c && n + 1 < sizeof name; c++) {
        if (isalnum((unsigned char)*c))
            name[n++] = (char)tolower((unsigned char)*c);
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    name[n] = '\0';
    int cores = (int)json_integer_value(json_object_get(machine, "cores"));
    snprintf(out, size, "%s/%s-%d-cores.%s", directory, name, cores, ending);
}

static void add_row(Text* text, json_t* row)
{
    const char *key, *comma = "";
    json_t* value;
    json_object_foreach(row, key, value)
    {
        text_add(text, "%s", comma);
        if (json_is_string(value))
            csv_text(text, json_string_value(value));
        else if (json_is_number(value))
            text_add(text, "%.6g", json_number_value(value));
        comma = ",";
    }
    text_add(text, "\n");
}

int bench_store_csv(const char* directory, const json_t* machine, const json_t* rows)
{
    char path[4096];
    const char *key, *comma = "";
    json_t* value;
    Text text = {0};
    const Text* whole = &text;
    machine_path(directory, machine, "csv", path, sizeof path);
    json_object_foreach(json_array_get(rows, 0), key, value)
    {
        text_add(&text, "%s%s", comma, key);
        comma = ",";
    }
    text_add(&text, "\n");
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(&text, json_array_get(rows, i));
    int failed = report_folder(directory) || text_put(path, &whole, 1);
    if (!failed)
        fprintf(stderr, "results: %s\n", path);
    free(text.data);
    return failed;
}

int bench_store_ratios(const char* directory, const json_t* result)
{
    static const char* const keys[] = {"machine", "settings", "ratios", "at_least", "growth"};
    char path[4096];
    json_t* kept = json_object();
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        json_object_set(kept, keys[k], json_object_get(result, keys[k]));
    machine_path(directory, json_object_get(result, "machine"), "json", path, sizeof path);
    int failed = report_folder(directory) || json_put(kept, path);
    if (!failed)
        fprintf(stderr, "ratios: %s\n", path);
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

static int lists(const json_t* names, const char* name)
{
    for (size_t k = 0; k < json_array_size(names); k++)
        if (strcmp(json_string_value(json_array_get(names, k)), name) == 0)
            return 1;
    return 0;
}

static int compare(const char* where, const json_t* stored, const json_t* now, const json_t* bounds)
{
    const char* key;
    json_t* value;
    int worse = 0;
    json_object_foreach((json_t*)stored, key, value)
    {
        if (!lists(bounds, key))
            worse |= is_worse(where, key, value, json_object_get(now, key));
    }
    return worse;
}

int bench_store_check(const char* path, const json_t* result)
{
    json_error_t error;
    struct stat about;
    char own[4096];
    snprintf(own, sizeof own, "%s", path);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        machine_path(path, json_object_get(result, "machine"), "json", own, sizeof own);
    json_t* stored = json_load_file(own, 0, &error);
    if (!stored) {
        cli_complain("%s: line %d: %s", own, error.line, error.text);
        return -1;
    }
    const char* scene;
    json_t* value;
    const json_t *ratios = json_object_get(result, "ratios"),
                 *bounds = json_object_get(result, "at_least");
    int worse = 0;
    json_object_foreach(json_object_get(stored, "ratios"), scene, value) worse |=
        compare(scene, value, json_object_get(ratios, scene), json_object_get(bounds, scene));
    worse |= compare("growth", json_object_get(stored, "growth"), json_object_get(result, "growth"),
                     NULL);
    json_decref(stored);
    return worse;
}
