// cond: the command line tool. One file per subcommand.
#define _XOPEN_SOURCE 700
#include "cli.h"
#include "interrupt.h"
#include "memory.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Command* const commands[] = {&cli_run,   &cli_settle, &cli_view,  &cli_render,
                                          &cli_paper, &cli_solve,  &cli_check, &cli_convert,
                                          &cli_env,   &cli_sweep,  &cli_bench};
enum { N_COMMAND = sizeof commands / sizeof commands[0] };

static void print_usage(FILE* out)
{
    fputs("usage: cond COMMAND ...\n\n", out);
    for (int i = 0; i < N_COMMAND; i++)
        fprintf(out, "  cond %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  cond --version  Prints the version and the libraries of this build.\n\n"
          "`cond COMMAND --help` lists the options of a command. Every command accepts "
          "--package-dir\n"
          "DIR, any number of times: a folder in which package://NAME/FILE of robots is searched.\n"
          "Exit codes: 0 success, 1 wrong usage, 2 bad input, 3 finished but a step missed its\n"
          "tolerance, 4 diverged, 5 a step exceeded its time limit, 128 + N ended by signal N.\n",
          out);
}

// A tool that is started without one of its standard streams would open a file in its place, and
// write messages into it.
static int open_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
            return 1;
    return 0;
}

// What was printed must have arrived, or the command has not done what it was asked for.
static int close_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    cli_complain("standard output: %s", strerror(errno));
    return code > CLI_INPUT ? code : CLI_INPUT;
}

// Puts a folder before those in which packages of robots are searched. The reader of robots takes
// them from the variable that ROS sets.
static int add_package_dir(const char* folder)
{
    static const char variable[] = "ROS_PACKAGE_PATH";
    const char* before = getenv(variable);
    char path[2 * PATH_MAX], whole[PATH_MAX];
    // A command may leave the folder that it was started in.
    const char* known = realpath(folder, whole) ? whole : folder;
    int length = snprintf(path, sizeof path, "%s:%s", known, before ? before : "");
    if (*folder && length < (int)sizeof path && setenv(variable, path, 1) == 0)
        return 0;
    cli_complain("--package-dir: %s", *folder ? "too many folders" : "a folder is missing");
    return 1;
}

// --package-dir DIR or --package-dir=DIR, any number of times, anywhere behind the command. Returns
// how many arguments are left, -1 for a fault.
static int take_package_dirs(int argc, char** argv)
{
    static const char option[] = "--package-dir";
    const size_t n = sizeof option - 1;
    int left = 0, wrong = 0;
    for (int i = 0; i < argc; i++) {
        const char* rest = i > 1 && strncmp(argv[i], option, n) == 0 ? argv[i] + n : "no";
        if (*rest == '=')
            wrong |= add_package_dir(rest + 1);
        else if (*rest == 0)
            wrong |= add_package_dir(i + 1 < argc ? argv[++i] : "");
        else
            argv[left++] = argv[i];
    }
    return wrong ? -1 : left;
}

static int run_command(int argc, char** argv)
{
    argc = take_package_dirs(argc, argv);
    if (argc < 0)
        return CLI_USAGE;
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return CLI_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_print();
        return CLI_FINE;
    }
    for (int i = 0; i < N_COMMAND; i++)
        if (strcmp(argv[1], commands[i]->name) == 0) {
            int code = commands[i]->run(argc - 2, argv + 2);
            memory_report();
            return code;
        }
    cli_complain("no command is named '%s'", argv[1]);
    print_usage(stderr);
    return CLI_USAGE;
}

int main(int argc, char** argv)
{
    if (open_streams())
        return CLI_INPUT;
    interrupt_watch();
    return close_output(run_command(argc, argv));
}
