// Hands out the entries of a sweep and counts their ends (sweep_head.h).
#include "sweep_head.h"

#include "interrupt.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 2, DONE = 255 };

// Counts an entry that is there.
static void count_kept(SweepHead* head, int code)
{
    head->failed += code != CLI_FINE && code != CLI_TOLERANCE;
    head->missed += code == CLI_TOLERANCE;
    head->code = code > head->code ? code : head->code;
}

int sweep_head_begin(SweepHead* head, const SweepJob* job, int (*select)(const void*, int entry),
                     const void* data)
{
    int n = job->store.n;
    *head = (SweepHead){.job = job};
    head->state = calloc((size_t)n + 1, sizeof *head->state);
    head->again = calloc((size_t)n + 1, sizeof *head->again);
    if (!head->state || !head->again) {
        cli_complain("out of memory");
        free(head->state);
        free(head->again);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        int there = sweep_store_has(&job->store, i);
        head->state[i] = there || (select && !select(data, i)) ? DONE : 0;
        head->total += head->state[i] == 0;
        if (there && !select) {
            json_t* entry = sweep_store_read(&job->store, i);
            count_kept(head, (int)json_integer_value(json_object_get(entry, "code")));
            json_decref(entry);
        }
    }
    head->left = head->total;
    snprintf(head->title, sizeof head->title, "%.80s", job->name);
    head->progress = progress_start(head->title);
    return 0;
}

int sweep_head_next(SweepHead* head)
{
    int n = head->job->store.n, entry = -1;
    while (head->next < n && head->state[head->next])
        head->next++;
    if (head->next < n)
        entry = head->next++;
    else if (head->n_again > 0)
        entry = head->again[--head->n_again];
    if (entry >= 0)
        head->state[entry]++;
    return entry;
}

static void complain(SweepHead* head, const SweepOutcome* outcome, const char* what)
{
    char name[160];
    sweep_entry_name(head->job, outcome->entry, name, sizeof name);
    progress_end(&head->progress);
    cli_complain("entry %d (%s): %s%s", outcome->entry, name, outcome->reason, what);
}

void sweep_head_take(SweepHead* head, const SweepOutcome* outcome)
{
    int entry = outcome->entry;
    if (entry < 0 || entry >= head->job->store.n || head->state[entry] == DONE)
        return;
    if (!outcome->kept && head->state[entry] < TRIES) {
        complain(head, outcome, "; it is tried again");
        head->again[head->n_again++] = entry;
        head->retried++;
        return;
    }
    head->state[entry] = DONE;
    head->left--;
    head->made++;
    if (outcome->kept) {
        count_kept(head, outcome->code);
        if (outcome->code != CLI_FINE && outcome->code != CLI_TOLERANCE)
            complain(head, outcome, "");
    } else {
        sweep_store_note(&head->job->store, entry, outcome->reason);
        head->failed++;
        head->code = outcome->code > head->code ? outcome->code : head->code;
        complain(head, outcome, "; given up, --resume tries it again");
    }
    if (head->failed > 0)
        snprintf(head->title, sizeof head->title, "%.60s, %d failed", head->job->name,
                 head->failed);
}

void sweep_head_show(SweepHead* head)
{
    progress_update(&head->progress, head->made, head->total);
}

int sweep_head_end(SweepHead* head)
{
    const SweepStore* store = &head->job->store;
    progress_end(&head->progress);
    int there = sweep_store_count(store);
    if (!head->job->options->quiet)
        fprintf(stderr,
                "%s: %d of %d entries are there, %d made now; %d missed a tolerance, %d failed, "
                "%d were begun again\n",
                head->job->name, there, store->n, head->made, head->missed, head->failed,
                head->retried);
    if (head->left > 0)
        cli_complain("sweep: %d entries were not made; --resume goes on", head->left);
    int code = head->left > 0 && head->code < CLI_INPUT ? CLI_INPUT : head->code;
    free(head->state);
    free(head->again);
    return interrupt_code(code);
}
