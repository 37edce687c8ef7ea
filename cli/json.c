// Makes JSON values, with infinities and missing values as null (json.h).
#include "json.h"

#include "cli.h"

#include <math.h>
#include <omp.h>
#include <string.h>

json_t* json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t* json_numbers(const double* value, int n)
{
    json_t* array = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(array, json_number(value[i]));
    return array;
}

json_t* json_text(const char* text)
{
    json_t* out = text ? json_string(text) : NULL;
    return out ? out : json_null();
}

static void cpu_name(char* out, size_t size)
{
    char line[256];
    snprintf(out, size, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char* colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(out, size, "%s", colon + 2);
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    }
    if (file)
        fclose(file);
}

json_t* json_machine(int threads)
{
    char cpu[256];
    cpu_name(cpu, sizeof cpu);
    return json_pack("{s:s, s:i, s:i, s:s, s:s}", "cpu", cpu, "cores", omp_get_num_procs(),
                     "threads", threads > 0 ? threads : omp_get_max_threads(), "compiler",
                     __VERSION__, "version", cond_version());
}

int json_put(json_t* value, const char* path)
{
    CondError error;
    CondFile* file = NULL;
    int failed = 1;
    if (!value) {
        cli_complain("out of memory");
        return 1;
    }
    if (strcmp(path, "-") == 0) {
        failed = json_dumpf(value, stdout, JSON_INDENT(1)) != 0;
        fputc('\n', stdout);
        failed |= fflush(stdout) != 0;
        if (failed)
            cli_complain("%s: cannot write", path);
    } else if (cond_file_begin(NULL, path, &file, &error)) {
        cli_complain("%s", error.message);
    } else {
        int whole = json_dumpf(value, cond_file_stream(file), JSON_INDENT(1)) == 0;
        failed = cond_file_end(file, whole, &error) || !whole;
        if (failed)
            cli_complain("%s", whole ? error.message : "out of memory");
    }
    json_decref(value);
    return failed;
}
