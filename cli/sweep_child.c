// Starts and watches the process of one entry of a sweep (sweep_child.h).
#define _GNU_SOURCE
#include "sweep_child.h"

#include "memory.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The child ends with its parent, however that ends: an entry nobody waits for is not to go on.
static void tie_to(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

int sweep_child_start(const SweepJob* job, int entry, SweepChild* child)
{
    char tool[PATH_MAX], number[16], threads[16], limit[40], memory[40];
    const char* argv[16] = {"cond",    "sweep", job->name,   "--out", job->store.folder,
                            "--entry", number,  "--threads", threads};
    int n = 9;
    snprintf(number, sizeof number, "%d", entry);
    snprintf(threads, sizeof threads, "%d", job->options->threads);
    snprintf(limit, sizeof limit, "--step-limit=%.17g", job->options->step_limit);
    snprintf(memory, sizeof memory, "--memory-limit=%zu", memory_limit_now());
    if (job->options->step_limit < DBL_MAX)
        argv[n++] = limit;
    if (memory_limit_now() > 0)
        argv[n++] = memory;
    cli_sibling_path("cond", tool, sizeof tool);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        tie_to(parent);
        execv(tool, (char* const*)argv);
        _exit(127);
    }
    if (pid < 0) {
        cli_complain("sweep: no process can be started: %s", strerror(errno));
        return 1;
    }
    *child = (SweepChild){.pid = pid, .entry = entry, .start = now()};
    return 0;
}

// Why a process left no entry: its own last words where it had any.
static void explain(const SweepJob* job, const SweepChild* child, int status, char* out,
                    size_t size)
{
    char path[SWEEP_PATH], last[200];
    sweep_store_part_path(&job->store, child->entry, child->pid, "messages.txt", path);
    sweep_last_message(path, last, sizeof last);
    if (child->late)
        snprintf(out, size, "not finished after %g s (--limit)", job->options->limit);
    else if (WIFSIGNALED(status))
        snprintf(out, size, "its process was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(out, size, "its process ended with code %d%s%s", WEXITSTATUS(status),
                 *last ? ": " : "", last);
}

// What entry.json says of an entry that is there.
static void read_entry(const SweepJob* job, SweepOutcome* outcome)
{
    json_t* entry = sweep_store_read(&job->store, outcome->entry);
    const char* reason = json_string_value(json_object_get(entry, "reason"));
    outcome->kept = 1;
    outcome->code = (int)json_integer_value(json_object_get(entry, "code"));
    snprintf(outcome->reason, sizeof outcome->reason, "%s", reason ? reason : "");
    json_decref(entry);
}

int sweep_child_poll(const SweepJob* job, SweepChild* child, SweepOutcome* outcome)
{
    int status;
    if (waitpid(child->pid, &status, WNOHANG) == 0) {
        if (!child->late && now() - child->start > job->options->limit) {
            child->late = 1;
            kill(child->pid, SIGKILL);
        }
        return 0;
    }
    *outcome = (SweepOutcome){.entry = child->entry, .seconds = now() - child->start};
    if (sweep_store_has(&job->store, child->entry)) {
        read_entry(job, outcome);
    } else {
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_INPUT;
        outcome->code = child->late || code == CLI_CANCELLED ? CLI_CANCELLED : CLI_INPUT;
        explain(job, child, status, outcome->reason, sizeof outcome->reason);
    }
    sweep_store_discard(&job->store, child->entry, child->pid);
    child->pid = 0;
    return 1;
}

void sweep_child_kill(const SweepJob* job, SweepChild* child)
{
    if (child->pid == 0)
        return;
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
    sweep_store_discard(&job->store, child->entry, child->pid);
    child->pid = 0;
}
