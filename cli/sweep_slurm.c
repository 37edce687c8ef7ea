// The script of a Slurm job array, a task for every entry that is missing.
#define _XOPEN_SOURCE 700
#include "memory.h"
#include "sweep.h"
#include "text.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_LIST = 8000 }; // of entries, in bytes; longer ones are too long for some sbatch

// A word for the shell.
static void put_quoted(Text* text, const char* word)
{
    text_add(text, "'");
    for (; *word; word++)
        text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(text, "'");
}

// "0-4,7,9-12": the entries that are missing; returns how many.
static int list_missing(const SweepStore* store, Text* list)
{
    int n = 0;
    for (int i = 0; i < store->n; i++) {
        int first = i;
        while (i < store->n && !sweep_store_has(store, i))
            i++;
        if (i == first)
            continue;
        n += i - first;
        text_add(list, "%s%d", list->size ? "," : "", first);
        if (i - first > 1)
            text_add(list, "-%d", i - 1);
    }
    return n;
}

static void put_head(Text* text, const SweepJob* job, const char* list)
{
    text_add(text, "#!/bin/sh\n#SBATCH --job-name=");
    for (const char* c = job->name; *c && *c != '.'; c++)
        text_add(text, "%c", *c > ' ' && *c < 127 && *c != '\'' && *c != '"' ? *c : '_');
    text_add(text,
             "\n#SBATCH --array=%s\n#SBATCH --output=\"%s/slurm/%%A_%%a.log\"\n"
             "#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n#SBATCH --requeue\n\n"
             "# What a partition, an account or a limit of time is called differs from cluster to "
             "cluster:\n# say so here, or to sbatch.\n",
             list, job->store.folder, job->options->threads);
}

static void put_command(Text* text, const SweepJob* job, const char* file, int stride)
{
    char tool[SWEEP_PATH];
    const char* packages = getenv("ROS_PACKAGE_PATH"); // --package-dir is in it
    cli_sibling_path("cond", tool, sizeof tool);
    if (packages) {
        text_add(text, "export ROS_PACKAGE_PATH=");
        put_quoted(text, packages);
        text_add(text, "\n");
    }
    text_add(text, "exec ");
    put_quoted(text, tool);
    text_add(text, " sweep ");
    put_quoted(text, file);
    text_add(text, " --out ");
    put_quoted(text, job->store.folder);
    text_add(text, " --threads %d", job->options->threads);
    if (job->options->limit < DBL_MAX)
        text_add(text, " --limit %.17g", job->options->limit);
    if (job->options->step_limit < DBL_MAX)
        text_add(text, " --step-limit %.17g", job->options->step_limit);
    if (memory_limit_now() > 0)
        text_add(text, " --memory-limit %zu", memory_limit_now());
    text_add(text, " --task \"$SLURM_ARRAY_TASK_ID");
    if (stride > 0)
        text_add(text, ":%d", stride);
    text_add(text, "\"\n");
}

int sweep_slurm_write(const SweepJob* job)
{
    const SweepStore* store = &job->store;
    char logs[SWEEP_PATH], *file = realpath(job->name, NULL);
    Text list = {0}, script = {0};
    int n = list_missing(store, &list), stride = 0, code = CLI_INPUT;
    snprintf(logs, sizeof logs, "%s/slurm", store->folder);
    mkdir(logs, 0777);
    if (n > job->options->array || store->n > job->options->array || list.size > LONGEST_LIST) {
        stride = n < job->options->array ? n : job->options->array;
        list.size = 0;
        text_add(&list, "0-%d", stride - 1);
    }
    put_head(&script, job, list.data ? list.data : "");
    put_command(&script, job, file ? file : job->name, stride);
    const Text* part = &script;
    if (n == 0)
        cli_complain("sweep: all %d entries are there; nothing is left to submit", store->n);
    if (n == 0)
        code = CLI_FINE;
    else if (!text_put(job->options->slurm, &part, 1) && chmod(job->options->slurm, 0755) == 0) {
        fprintf(stderr,
                "%d entries, array %s: submit it by sbatch %s; then `cond sweep %s "
                "--status --report` tells how it went\n",
                n, list.data, job->options->slurm, job->name);
        code = CLI_FINE;
    }
    free(list.data);
    free(script.data);
    free(file);
    return code;
}
