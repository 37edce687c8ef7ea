// A sweep on the processes of this machine: each entry has one of its own, so many at a time.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"
#include "sweep_child.h"
#include "sweep_head.h"

#include <omp.h>
#include <stdlib.h>
#include <time.h>

typedef struct Task {
    int first, stride; // stride 0: the first alone
} Task;

static int in_task(const void* data, int entry)
{
    const Task* task = data;
    return task->stride > 0 ? entry % task->stride == task->first : entry == task->first;
}

static int read_task(const char* text, int n, Task* task)
{
    double number[2] = {0.0, 0.0};
    int count = options_numbers(text, ':', OPTION_KIND_INT, 0.0, n, 2, number);
    task->first = (int)number[0];
    task->stride = (int)number[1];
    if (count > 0 && task->first < n && (count == 1 || task->first < task->stride))
        return 0;
    cli_complain("sweep: --task %s: expected an entry from 0 to %d, or N:K with N below K", text,
                 n - 1);
    return 1;
}

// Starts what there is room for; 1 when no process can be started.
static int fill(const SweepJob* job, SweepHead* head, SweepChild* child, int jobs)
{
    for (int k = 0; k < jobs; k++) {
        int entry = child[k].pid == 0 ? sweep_head_next(head) : -1;
        if (entry >= 0 && sweep_child_start(job, entry, &child[k]))
            return 1;
    }
    return 0;
}

static void work(const SweepJob* job, SweepHead* head, SweepChild* child, int jobs)
{
    const struct timespec moment = {0, 2000000};
    SweepOutcome outcome;
    while (head->left > 0 && !interrupt_signal() && !fill(job, head, child, jobs)) {
        int ended = 0;
        for (int k = 0; k < jobs; k++)
            if (child[k].pid != 0 && sweep_child_poll(job, &child[k], &outcome)) {
                ended = 1;
                if (!interrupt_signal())
                    sweep_head_take(head, &outcome);
            }
        sweep_head_show(head);
        if (!ended)
            nanosleep(&moment, NULL);
    }
    for (int k = 0; k < jobs; k++)
        sweep_child_kill(job, &child[k]);
}

int sweep_pool_run(const SweepJob* job, const char* task)
{
    SweepHead head;
    Task which = {0};
    int own = omp_get_num_procs() / (job->options->threads > 0 ? job->options->threads : 1);
    int jobs = task ? 1 : job->options->jobs > 0 ? job->options->jobs : own > 0 ? own : 1;
    if (task && read_task(task, job->store.n, &which))
        return CLI_USAGE;
    SweepChild* child = calloc((size_t)jobs, sizeof *child);
    if (!child || sweep_head_begin(&head, job, task ? in_task : NULL, &which)) {
        free(child);
        return CLI_INPUT;
    }
    work(job, &head, child, jobs);
    free(child);
    return sweep_head_end(&head);
}
