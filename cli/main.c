// cond: the command line tool. One file per subcommand.
#include "cli.h"
#include "memory.h"

#include <string.h>

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
          "3 finished but a step missed its tolerance, 4 diverged.\n",
          out);
}

int main(int argc, char** argv)
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
