// What the subcommands share: exit codes, options, messages.
#ifndef COND_CLI_CLI_H
#define COND_CLI_CLI_H

#include <cond/cond.h>
#include <stdio.h>

enum CliExit {
    CLI_FINE = 0,
    CLI_USAGE = 1,     // the command line makes no sense
    CLI_INPUT = 2,     // a file or a value in it is wrong
    CLI_TOLERANCE = 3, // finished, but a step or a solve missed its tolerance
    CLI_DIVERGED = 4,  // the numbers ran away
};

// The exit code a status asks for.
int cli_exit(CondStatus status);

typedef enum OptionKind {
    OPTION_FLAG,   // int, set to 1
    OPTION_INT,    // int
    OPTION_NUMBER, // double
    OPTION_TEXT,   // const char*
    OPTION_LIST,   // TextList, may be given more than once
} OptionKind;

typedef struct TextList {
    int n;
    const char** item; // (n), released by the caller with free
} TextList;

typedef struct Option {
    const char* name; // "--steps"
    OptionKind kind;
    void* target;
    const char* argument; // "N", for the help
    const char* help;
} Option;

// One subcommand.
typedef struct Command {
    const char* name;
    const char* usage;   // "run SCENE [options]"
    const char* summary; // one line
    int (*run)(int argc, char** argv);
} Command;

extern const Command cli_bench, cli_check, cli_convert, cli_env, cli_paper, cli_run, cli_solve;
// Of a tool that is built with its server.
extern const Command cli_render, cli_view;

// Reads options into their targets. Words that are no options go to positional (at most max).
// `--help` prints the help of the command and returns 1 with *n_positional = -1. 0 when all is
// well, 1 after a message on standard error.
int options_read(const Command* command, const Option* option, int n_option, int argc, char** argv,
                 const char** positional, int max, int* n_positional);

// "cond: <message>" on standard error.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cli_complain(const char* format, ...);

// Value of an enum by name; -1 after a message that lists the names.
int cli_enum(const char* option, const char* text, const char* (*name)(int));

// The enum names of the library behind one signature each.
const char* cli_law_name(int index);
const char* cli_surrogate_name(int index);
const char* cli_accelerator_name(int index);
const char* cli_multilevel_name(int index);
const char* cli_storage_name(int index);
const char* cli_stop_name(int index);

// Path of a file that ships with COND: share/cond/NAME beside the program. Writes into out (size
// bytes).
void cli_share_path(const char* name, char* out, size_t size);

// Path of a scene that ships with COND: the text itself when it is a file or has a slash or a dot,
// else share/cond/scenes/TEXT.yaml beside the program. Writes into out (size bytes).
void cli_scene_path(const char* text, char* out, size_t size);

#endif
