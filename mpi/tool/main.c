// cond-mpi: one contact problem over the ranks of MPI.
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include <petscksp.h>
#include <string.h>
#include <unistd.h>

static int help(void)
{
    puts(
        "usage: mpirun -n RANKS cond-mpi COMMAND ...\n\n"
        "One contact problem over many ranks, for scenes that one machine is too small or too slow "
        "for.\n\n"
        "  run SCENE      simulate a scene\n"
        "  solve FILE     solve a contact problem of an FCLib file\n\n"
        "cond-mpi COMMAND --help lists the options. Words of the form -cond_.. are options of "
        "PETSc,\n"
        "as -cond_ksp_monitor.");
    return CLI_FINE;
}

// Words for PETSc begin with one dash; they are taken out.
static int split_words(int argc, char** argv, int* n_petsc, char** petsc)
{
    int kept = 0;
    *n_petsc = 1;
    petsc[0] = argv[0];
    for (int i = 0; i < argc; i++) {
        int ours = strncmp(argv[i], "-cond_", 6) != 0 && strncmp(argv[i], "-log_", 5) != 0 &&
                   strncmp(argv[i], "-info", 5) != 0;
        if (ours) {
            argv[kept++] = argv[i];
            continue;
        }
        petsc[(*n_petsc)++] = argv[i];
        if (i + 1 < argc && argv[i + 1][0] != '-')
            petsc[(*n_petsc)++] = argv[++i];
    }
    argv[kept] = NULL;
    return kept;
}

// All ranks would say the same.
static void hush(const CondMpiWorld* world)
{
    if (world->rank > 0 &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        _exit(CLI_INPUT);
}

static int dispatch(CondMpiWorld* world, int argc, char** argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0)
        return help();
    if (strcmp(argv[1], "run") == 0)
        return tool_run(world, argc - 2, argv + 2);
    if (strcmp(argv[1], "solve") == 0)
        return tool_solve(world, argc - 2, argv + 2);
    cli_complain("cond-mpi: no command is named '%s'; there are run and solve", argv[1]);
    return CLI_USAGE;
}

int main(int argc, char** argv)
{
    char* words[256] = {NULL};
    char** petsc = words;
    int n_petsc = 0, code = CLI_INPUT;
    if (argc >= 250)
        return CLI_USAGE;
    MPI_Init(&argc, &argv);
    argc = split_words(argc, argv, &n_petsc, petsc);
    CondMpiWorld world = {.comm = MPI_COMM_WORLD};
    MPI_Comm_rank(world.comm, &world.rank);
    MPI_Comm_size(world.comm, &world.size);
    hush(&world);
    if (!PetscInitialize(&n_petsc, &petsc, NULL, NULL)) {
        PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
        code = dispatch(&world, argc, argv);
        PetscFinalize();
    }
    MPI_Finalize();
    return code;
}
