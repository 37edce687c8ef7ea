// What the subcommands share: exit codes, options, messages.
#ifndef COND_CLI_CLI_H
#define COND_CLI_CLI_H

#include <cond/cond.h>
#include <float.h>
#include <limits.h>
#include <stdio.h>

enum CliExit {
    CLI_FINE = 0,
    CLI_USAGE = 1,     // the command line makes no sense
    CLI_INPUT = 2,     // a file or a value in it is wrong
    CLI_TOLERANCE = 3, // finished, but a step or a solve missed its tolerance
    CLI_DIVERGED = 4,  // the numbers ran away
    CLI_CANCELLED = 5, // a step took longer than it may
};

// The exit code a status asks for.
int cli_exit(CondStatus status);

typedef enum OptionKind {
    OPTION_KIND_FLAG,   // int, set to 1
    OPTION_KIND_INT,    // int
    OPTION_KIND_NUMBER, // double
    OPTION_KIND_TEXT,   // const char*
    OPTION_KIND_LIST,   // TextList, may be given more than once
} OptionKind;

typedef struct TextList {
    int n;
    const char** item; // (n), released by the caller with free
} TextList;
// Appends a text, which must outlive the list; 0, or 1 where memory is short.
int text_list_add(TextList* list, const char* text);

typedef struct Option {
    const char* name; // "--steps"
    OptionKind kind;
    void* target;
    double low, high;     // what a number may be, both ends included; never NaN
    const char* argument; // "N", for the help
    const char* help;
} Option;

// Kind, target and range of an option: {"--port", OPTION_INT(&port, 0, 65535), "N", "..."}.
#define OPTION_FLAG(target) OPTION_KIND_FLAG, target, 0.0, 0.0
#define OPTION_TEXT(target) OPTION_KIND_TEXT, target, 0.0, 0.0
#define OPTION_LIST(target) OPTION_KIND_LIST, target, 0.0, 0.0
#define OPTION_INT(target, low, high) OPTION_KIND_INT, target, low, high
#define OPTION_NUMBER(target, low, high) OPTION_KIND_NUMBER, target, low, high
#define OPTION_POSITIVE(target) OPTION_KIND_NUMBER, target, DBL_MIN, DBL_MAX

enum {
    CLI_MOST_STEPS = 1000000000,
    CLI_MOST_THREADS = COND_MAX_THREADS,
};

// One subcommand.
typedef struct Command {
    const char* name;
    const char* usage;   // "run SCENE [options]"
    const char* summary; // one line
    int (*run)(int argc, char** argv);
} Command;

extern const Command cli_bench, cli_check, cli_convert, cli_env, cli_paper, cli_run, cli_settle,
    cli_solve, cli_sweep;
// Of a tool that is built with its server.
extern const Command cli_render, cli_view;

// Reads options into their targets. Words that are no options go to positional (at most max).
// `--help` prints the help of the command and returns 1 with *n_positional = -1. 0 when all is
// well, 1 after a message on standard error.
int options_read(const Command* command, const Option* option, int n_option, int argc, char** argv,
                 const char** positional, int max, int* n_positional);

// Reads up to `max` numbers from low to high; how many there were, or -1 where the text says
// anything else.
int options_numbers(const char* text, char separator, OptionKind kind, double low, double high,
                    int max, double* out);

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
const char* cli_device_name(int index);
const char* cli_storage_name(int index);
const char* cli_stop_name(int index);

// Path of another program beside this one. Writes into out (size bytes).
void cli_sibling_path(const char* name, char* out, size_t size);

// Path of a file that ships with COND: share/cond/NAME beside the program. Writes into out (size
// bytes).
void cli_share_path(const char* name, char* out, size_t size);

// Path of a scene that ships with COND: the text itself when it is a file or has a slash or a dot,
// else share/cond/scenes/TEXT.yaml beside the program. Writes into out (size bytes).
void cli_scene_path(const char* text, char* out, size_t size);

#endif
