#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const Command* command, const Option* option, int n_option)
{
    printf("usage: cond %s\n\n%s\n\noptions:\n", command->usage, command->summary);
    for (int i = 0; i < n_option; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", option[i].name,
                 option[i].argument ? option[i].argument : "");
        printf("  %-22s %s\n", left, option[i].help);
    }
    printf("  %-22s %s\n", "--help", "this text");
}

static int store(const Command* command, const Option* option, const char* text)
{
    char* end = NULL;
    errno = 0;
    switch (option->kind) {
    case OPTION_FLAG:
        *(int*)option->target = 1;
        return 0;
    case OPTION_TEXT:
        *(const char**)option->target = text;
        return 0;
    case OPTION_INT: {
        long value = strtol(text, &end, 10);
        if (end != text && !*end && errno == 0 && value >= 0 && value <= INT_MAX) {
            *(int*)option->target = (int)value;
            return 0;
        }
        cli_complain("%s: %s %s: expected a whole number, not negative", command->name,
                     option->name, text);
        return 1;
    }
    case OPTION_NUMBER: {
        double value = strtod(text, &end);
        if (end != text && !*end && errno == 0) {
            *(double*)option->target = value;
            return 0;
        }
        cli_complain("%s: %s %s: expected a number", command->name, option->name, text);
        return 1;
    }
    case OPTION_LIST: {
        TextList* list = option->target;
        const char** grown = realloc(list->item, ((size_t)list->n + 1) * sizeof *grown);
        if (!grown) {
            cli_complain("out of memory");
            return 1;
        }
        list->item = grown;
        list->item[list->n++] = text;
        return 0;
    }
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
        const Option* found = NULL;
        const char* equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) : strlen(word);
        for (int k = 0; k < n_option; k++)
            if (strlen(option[k].name) == length && strncmp(option[k].name, word, length) == 0)
                found = &option[k];
        if (!found) {
            cli_complain("%s: unknown option %s; `cond %s --help` lists them", command->name, word,
                         command->name);
            return 1;
        }
        const char* text = equals ? equals + 1 : NULL;
        if (found->kind == OPTION_FLAG && text) {
            cli_complain("%s: %s takes no value", command->name, found->name);
            return 1;
        }
        if (found->kind != OPTION_FLAG && !text) {
            if (i + 1 == argc) {
                cli_complain("%s: %s needs a value", command->name, found->name);
                return 1;
            }
            text = argv[++i];
        }
        if (store(command, found, text))
            return 1;
    }
    return 0;
}
