// Runs an experiment of the paper through the tool and reads its result, for tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli_paper.h"

double number_of(const json_t* object, const char* key)
{
    json_t* value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("%s: no number", key);
    return json_number_value(value);
}

const json_t* row_of(const json_t* result, const char* part, const char* label)
{
    const json_t* rows = json_object_get(result, part);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t* row = json_array_get(rows, i);
        const char* text = json_string_value(json_object_get(row, "label"));
        if (text && strcmp(text, label) == 0)
            return row;
    }
    fail_msg("%s: no row '%s'", part, label);
    return NULL;
}

static json_t* result_of(const char* name, CliOutput output)
{
    if (output.code != 0)
        fail_msg("paper %s: exit code %d:\n%s", name, output.code, output.err);
    json_t* result = cli_output_json(&output);
    cli_output_free(&output);
    assert_string_equal(json_string_value(json_object_get(result, "experiment")), name);
    assert_true(json_is_object(json_object_get(result, "settings")));
    assert_true(json_is_object(json_object_get(result, "machine")));
    return result;
}

json_t* run_paper(const char* name, const char* steps, const char* trials)
{
    return result_of(name, cli_run("paper", name, "--steps", steps, "--trials", trials, "--threads",
                                   "1", "--json", "-"));
}

json_t* run_paper_rows(const char* name, const char* steps, const char* trials, const char* rows)
{
    return result_of(name, cli_run("paper", name, "--steps", steps, "--trials", trials, "--threads",
                                   "1", "--rows", rows, "--json", "-"));
}
