// cond: the command line tool. One file per subcommand.
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "interrupt.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const Command* const commands[] = {&cli_run,     &cli_view,  &cli_render,
                                          &cli_paper,   &cli_solve, &cli_check,
                                          &cli_convert, &cli_env,   &cli_bench};
enum { N_COMMAND = sizeof commands / sizeof commands[0] };

static void print_usage(FILE* out)
{
    fputs("usage: cond COMMAND ...\n\n", out);
    for (int i = 0; i < N_COMMAND; i++)
        fprintf(out, "  cond %-34s %s\n", commands[i]->usage, commands[i]->summary);
    fputs("  cond --version\n\n"
          "`cond COMMAND --help` tells more. Exit codes: 0 fine, 1 wrong usage, 2 bad input,\n"
          "3 finished but a step missed its tolerance, 4 diverged, 5 a step took too long,\n"
          "128 + N ended by signal N.\n",
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

static int obey(int argc, char** argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return CLI_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("cond %s\n", cond_version());
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
    return close_output(obey(argc, argv));
}
