// cond sweep: many runs from one file, on the processes of this machine, over MPI, or as the tasks
// of a Slurm job array.
#define _XOPEN_SOURCE 700
#include "sweep.h"

#include "interrupt.h"
#include "memory.h"
#include "ranks.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A path that holds whatever folder the tool stands in.
static void make_absolute(const char* path, char out[PATH_MAX])
{
    char here[PATH_MAX / 2];
    if (*path == '/' || !getcwd(here, sizeof here))
        snprintf(out, PATH_MAX, "%s", path);
    else
        snprintf(out, PATH_MAX, "%s/%.*s", here, PATH_MAX / 3, path);
}

// FILE.yaml -> FILE.sweep
static void default_folder(const char* file, char out[PATH_MAX])
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    int stem = dot && dot > (slash ? slash : file) ? (int)(dot - file) : (int)strlen(file);
    snprintf(out, PATH_MAX, "%.*s.sweep", stem < PATH_MAX - 8 ? stem : PATH_MAX - 8, file);
}

// The tool stands in the folder of the file from here on: so all who make an entry name the scene,
// and what is wrong with it, by the same words.
static const char* enter_folder(const char* file)
{
    char folder[PATH_MAX];
    const char* slash = strrchr(file, '/');
    if (!slash)
        return file;
    snprintf(folder, sizeof folder, "%.*s/", (int)(slash - file), file);
    if (chdir(folder) == 0)
        return slash + 1;
    cli_complain("%s: %s", folder, strerror(errno));
    return NULL;
}

static CondStatus read_plan(const char* file, CondStudy** sweep)
{
    CondError error;
    CondStatus status = cond_study_read(memory_context(), file, sweep, &error);
    if (status)
        cli_complain("%s", error.message);
    return status;
}

static int obey(SweepJob* job)
{
    const SweepOptions* options = job->options;
    int first = ranks_own() == 0, handing = first && !options->task && !options->status;
    if (options->entry >= 0)
        return sweep_entry_run(job, options->entry);
    int code = handing && sweep_store_lock(&job->store) ? CLI_INPUT : CLI_FINE;
    code = ranks_agree(code);
    if (code)
        return code;
    sweep_store_clean(&job->store);
    if (options->slurm)
        return sweep_slurm_write(job);
    interrupt_keep(0.0);
    code = options->status    ? sweep_report_status(job)
           : ranks_are_many() ? ranks_sweep(job)
                              : sweep_pool_run(job, options->task);
    if (first && !options->task && sweep_report_write(job) && code < CLI_INPUT)
        code = CLI_INPUT;
    return code;
}

// Opens plan and folder; an exit code.
static int open_job(SweepJob* job, const char* file, const char* out)
{
    const SweepOptions* options = job->options;
    char scene[SWEEP_PATH];
    int again = options->resume || options->task || options->status || options->entry >= 0 ||
                ranks_own() > 0;
    CondStatus status = read_plan(file, &job->sweep); // its messages name the file as the user does
    if (status)
        return cli_exit(status);
    cond_study_destroy(job->sweep);
    job->sweep = NULL;
    job->name = enter_folder(file);
    if (!job->name || (status = read_plan(job->name, &job->sweep)))
        return cli_exit(status ? status : COND_NO_FILE);
    if (options->entry >= cond_study_n_entry(job->sweep)) {
        cli_complain("sweep: --entry %d: there are %d entries", options->entry,
                     cond_study_n_entry(job->sweep));
        return CLI_USAGE;
    }
    cli_scene_path(cond_study_scene(job->sweep), scene, sizeof scene);
    return sweep_store_open(&job->store, out, cond_study_n_entry(job->sweep), job->name, scene,
                            again)
               ? CLI_INPUT
               : CLI_FINE;
}

// The first rank makes the folder before the others look at it.
static int run_sweep(const SweepOptions* options, const char* file)
{
    char folder[PATH_MAX], out[PATH_MAX];
    SweepJob job = {.options = options};
    default_folder(file, folder);
    make_absolute(options->out ? options->out : folder, out);
    int code = ranks_agree(ranks_own() == 0 ? open_job(&job, file, out) : CLI_FINE);
    if (!code && ranks_own() > 0)
        code = open_job(&job, file, out);
    code = ranks_agree(code);
    if (!code)
        code = obey(&job);
    cond_study_destroy(job.sweep);
    return code;
}

static int run(int argc, char** argv)
{
    SweepOptions options = {
        .threads = 1, .limit = INFINITY, .step_limit = INFINITY, .entry = -1, .array = 1000};
    const Option table[] = {
        {"--out", OPTION_TEXT(&options.out), "DIR", "folder of the results (FILE.sweep)"},
        {"--resume", OPTION_FLAG(&options.resume), NULL, "make the entries that are missing"},
        {"--jobs", OPTION_INT(&options.jobs, 0, CLI_MOST_THREADS), "N",
         "processes at a time; 0: one per processor"},
        {"--threads", OPTION_INT(&options.threads, 1, CLI_MOST_THREADS), "N",
         "threads per run (1)"},
        {"--limit", OPTION_POSITIVE(&options.limit), "S",
         "time limit of an entry [s]; it is repeated once"},
        {"--step-limit", OPTION_POSITIVE(&options.step_limit), "S", "time limit of a step [s]"},
        {"--report", OPTION_FLAG(&options.report), NULL, "write table and plots to DIR/report"},
        {"--status", OPTION_FLAG(&options.status), NULL,
         "print the state of the sweep, write the table, and stop"},
        {"--mpi", OPTION_FLAG(&options.mpi), NULL,
         "use MPI even where no variable of mpirun is set"},
        {"--slurm", OPTION_TEXT(&options.slurm), "SCRIPT",
         "write a job array of missing entries for sbatch"},
        {"--array", OPTION_INT(&options.array, 1, 1000000), "N",
         "limit of tasks in the job array (1000)"},
        {"--task", OPTION_TEXT(&options.task), "N",
         "make entry N alone; N:K makes N, N + K, N + 2 K, ..."},
        {"--entry", OPTION_INT(&options.entry, 0, INT_MAX), "N",
         "make entry N in this process, without limit or repetition"},
        {"--quiet", OPTION_FLAG(&options.quiet), NULL,
         "do not print the summary on standard error"},
    };
    const char* file = NULL;
    int n_positional;
    if (options_read(&cli_sweep, table, sizeof table / sizeof table[0], argc, argv, &file, 1,
                     &n_positional))
        return n_positional < 0 ? CLI_FINE : CLI_USAGE;
    if (!file) {
        cli_complain("sweep: name a file; usage: cond %s", cli_sweep.usage);
        return CLI_USAGE;
    }
    int alone = options.entry >= 0 || options.task || options.status || options.slurm;
    if ((options.entry >= 0) + !!options.task + options.status + !!options.slurm > 1) {
        cli_complain("sweep: only one of --task, --entry, --status and --slurm");
        return CLI_USAGE;
    }
    char script[PATH_MAX];
    if (options.slurm) {
        make_absolute(options.slurm, script);
        options.slurm = script;
    }
    int code = alone ? CLI_FINE : ranks_begin("sweep", options.mpi, argc, argv);
    if (code == CLI_FINE)
        code = run_sweep(&options, file);
    return alone ? code : ranks_end(code);
}

const Command cli_sweep = {"sweep", "sweep FILE [options]",
                           "Runs a scene many times with other values.", run};
