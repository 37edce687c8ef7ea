// Parses the options of a command from its table, and prints its help (cli.h).
#include "cli.h"
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What every command understands.
static const char limit_name[] = "--memory-limit";

// "a whole number from 0 to 65535"; an end that only the type sets is not mentioned.
static void range_text(OptionKind kind, double low, double high, char* out, size_t size)
{
    const char* what = kind == OPTION_KIND_INT ? "a whole number" : "a number";
    int from = low > -DBL_MAX, to = high < (kind == OPTION_KIND_INT ? INT_MAX : DBL_MAX);
    int used = low == DBL_MIN ? snprintf(out, size, "a positive number")
               : from         ? snprintf(out, size, "%s from %g", what, low)
                              : snprintf(out, size, "%s that is finite", what);
    if (to && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " to %.10g", high);
}

static void print_help(const Command* command, const Option* option, int n_option)
{
    int other = strncmp(command->usage, "cond-", 5) == 0; // a tool that shares the options
    printf("usage: %s%s\n\n%s\n\noptions:\n", other ? "" : "cond ", command->usage,
           command->summary);
    for (int i = 0; i < n_option; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", option[i].name,
                 option[i].argument ? option[i].argument : "");
        printf("  %-22s %s\n", left, option[i].help);
    }
    printf("  %-22s %s\n", "--memory-limit SIZE", "memory limit, such as 500M or 2G");
    printf("  %-22s %s\n", "--help", "this text");
}

// Is the text from `text` to `end` a number in the range? A comparison with NaN never holds.
static int in_range(const char* text, const char* end, double value, double low, double high)
{
    return end != text && errno == 0 && value >= low && value <= high;
}

static int refuse(const char* command, const char* name, const char* text, OptionKind kind,
                  double low, double high)
{
    char expected[96];
    range_text(kind, low, high, expected, sizeof expected);
    cli_complain("%s: %s %s: expected %s", command, name, text, expected);
    return 1;
}

int options_numbers(const char* text, char separator, OptionKind kind, double low, double high,
                    int max, double* out)
{
    const char* at = text;
    for (int n = 0; n < max; n++) {
        char* end = NULL;
        errno = 0;
        out[n] = kind == OPTION_KIND_INT ? (double)strtol(at, &end, 10) : strtod(at, &end);
        if (!in_range(at, end, out[n], low, high) || (*end && *end != separator))
            return -1;
        if (!*end)
            return n + 1;
        at = end + 1;
    }
    return -1;
}

int text_list_add(TextList* list, const char* text)
{
    const char** grown = realloc(list->item, ((size_t)list->n + 1) * sizeof *grown);
    if (!grown) {
        cli_complain("out of memory");
        return 1;
    }
    list->item = grown;
    list->item[list->n++] = text;
    return 0;
}

static int store(const Command* command, const Option* option, const char* text)
{
    char* end = NULL;
    errno = 0;
    switch (option->kind) {
    case OPTION_KIND_FLAG:
        *(int*)option->target = 1;
        return 0;
    case OPTION_KIND_TEXT:
        *(const char**)option->target = text;
        return 0;
    case OPTION_KIND_INT: {
        long value = strtol(text, &end, 10);
        if (!in_range(text, end, (double)value, option->low, option->high) || *end)
            return refuse(command->name, option->name, text, option->kind, option->low,
                          option->high);
        *(int*)option->target = (int)value;
        return 0;
    }
    case OPTION_KIND_NUMBER: {
        double value = strtod(text, &end);
        if (!in_range(text, end, value, option->low, option->high) || *end)
            return refuse(command->name, option->name, text, option->kind, option->low,
                          option->high);
        *(double*)option->target = value;
        return 0;
    }
    case OPTION_KIND_LIST:
        return text_list_add(option->target, text);
    }
    return 1;
}

int options_read(const Command* command, const Option* option, int n_option, int argc, char** argv,
                 const char** positional, int max, int* n_positional)
{
    *n_positional = 0;
    for (int i = 0; i < argc; i++) {
        const char* word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(command, option, n_option);
            *n_positional = -1;
            return 1;
        }
        if (word[0] != '-' || word[1] == '\0') {
            if (*n_positional == max) {
                cli_complain("%s: unexpected word '%s'; usage: cond %s", command->name, word,
                             command->usage);
                return 1;
            }
            positional[(*n_positional)++] = word;
            continue;
        }
        const char* limit = NULL;
        const Option common = {limit_name, OPTION_TEXT(&limit), NULL, NULL};
        const Option* found = NULL;
        const char* equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) : strlen(word);
        for (int k = 0; k < n_option; k++)
            if (strlen(option[k].name) == length && strncmp(option[k].name, word, length) == 0)
                found = &option[k];
        if (strlen(limit_name) == length && strncmp(limit_name, word, length) == 0)
            found = &common;
        if (!found) {
            cli_complain("%s: unknown option %s; `cond %s --help` lists them", command->name, word,
                         command->name);
            return 1;
        }
        const char* text = equals ? equals + 1 : NULL;
        if (found->kind == OPTION_KIND_FLAG && text) {
            cli_complain("%s: %s takes no value", command->name, found->name);
            return 1;
        }
        if (found->kind != OPTION_KIND_FLAG && !text) {
            if (i + 1 == argc) {
                cli_complain("%s: %s needs a value", command->name, found->name);
                return 1;
            }
            text = argv[++i];
        }
        if (store(command, found, text) || (limit && memory_limit(limit)))
            return 1;
    }
    return 0;
}
