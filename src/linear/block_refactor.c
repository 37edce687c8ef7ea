// Factorisations of a matrix of which a part stays, by one thread or several.
#include "linear/block_lu_panel.h"

#include "base/parallel.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&lu->order.arena, lu->array, count)

enum { LINE = COND_ARENA_ALIGNMENT / sizeof(double) };

static CondStatus keep_block(CondBlockLu* lu, const double* at, int row, int rows, int n)
{
    CondKeptBlock block = {(size_t)(at - lu->value), row, rows, n};
    return cond_block_kept_add(&lu->kept, &lu->order.arena, lu->value, block);
}

// The blocks of a supernode in the rows of place k: those of D, U and L'.
static CondStatus keep_place(CondBlockLu* lu, int s, int k)
{
    const CondBlockSuper* super = &lu->super;
    int height = cond_block_lu_height(lu, s), width = lu->width[s],
        row = (int)cond_block_lu_row(lu, s);
    int rows = cond_block_lu_size(lu, k);
    const double* upper = cond_block_lu_upper(lu, s) + (ptrdiff_t)cond_block_lu_offset(lu, k) * row;
    const double* lower =
        cond_block_lu_lower(lu, s) + (ptrdiff_t)cond_block_lu_offset(lu, k) * width;
    CondStatus status = COND_OK;
    for (int p = super->first[s]; p < super->first[s + 1] && !status; p++)
        status = keep_block(lu, upper + cond_block_lu_offset(lu, p), row, rows,
                            cond_block_lu_size(lu, p));
    for (int a = super->begin[s]; a < super->begin[s + 1] && !status; a++) {
        int n = cond_block_lu_size(lu, super->later[a]);
        status = keep_block(lu, upper + height + lu->column[a], row, rows, n);
        if (!status)
            status = keep_block(lu, lower + lu->column[a], width, rows, n);
    }
    return status;
}

CondStatus cond_block_lu_keep(CondBlockLu* lu)
{
    CondBlockKept* kept = &lu->kept;
    int n = lu->super.n;
    if (RESERVE(kept.begin, n + 1) || RESERVE(kept.value_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    kept->n_block = 0;
    kept->n_value = 0;
    for (int s = 0; s <= n; s++) {
        kept->begin[s] = kept->n_block;
        kept->value_begin[s] = kept->n_value;
        for (int k = lu->super.first[s]; s < n && k < lu->super.first[s + 1]; k++)
            if (keep_place(lu, s, k))
                return COND_OUT_OF_MEMORY;
    }
    return COND_OK;
}

// A refactorisation by a team.
typedef struct Refactor {
    CondBlockLu* lu;
    const CondBlockLuSource* source;
    _Atomic int failed;
} Refactor;

// The supernodes of a share, each filled when its turn comes.
static void refactor_share(Refactor* job, int share)
{
    CondBlockLu* lu = job->lu;
    for (int s = lu->super.share[share]; s < lu->super.share[share + 1]; s++) {
        size_t size =
            (size_t)cond_block_lu_height(lu, s) * (size_t)(cond_block_lu_row(lu, s) + lu->width[s]);
        memset(cond_block_lu_upper(lu, s), 0, size * sizeof *lu->value);
        cond_block_kept_put(&lu->kept, s, lu->value);
        job->source->fill(job->source->data, s);
        if (cond_block_lu_factor_super(lu, s))
            atomic_store(&job->failed, 1); // the others need not know
    }
}

// Reads what another thread has written in one go, which its processor foresees; the panels are
// read here and there, which it does not.
static void bring(const CondBlockLu* lu, int share)
{
    const volatile double* value = lu->value;
    int s = lu->super.share[share], last = lu->super.share[share + 1];
    if (s == last)
        return;
    size_t end = last < lu->super.n ? lu->panel[last] : lu->n_value;
    for (size_t i = lu->panel[s]; i < end; i += LINE)
        (void)value[i];
}

// The shares of a level that a thread makes: those below its own of the level above.
static void find_own(int level, int rank, int size, int* first, int* last)
{
    *first = cond_block_level_first(level) + cond_team_first(1 << level, rank, size);
    *last = cond_block_level_first(level) + cond_team_first(1 << level, rank + 1, size);
}

static void refactor_team(void* data, CondTeam* team, int rank, int size)
{
    Refactor* job = data;
    int first, last;
    for (int level = COND_SHARE_LEVELS; level > 0; level--) {
        find_own(level, rank, size, &first, &last);
        for (int share = first; share < last; share++)
            job->source->prepare(job->source->data, share);
    }
    if (rank == 0)
        job->source->prepare(job->source->data, COND_TOP);
    for (int level = COND_SHARE_LEVELS; level > 0; level--) {
        cond_team_wait(team, size);
        find_own(level, rank, size, &first, &last);
        for (int share = first; share < last; share++)
            refactor_share(job, share);
    }
    cond_team_wait(team, size);
    if (rank > 0)
        return;
    find_own(1, rank, size, &first, &last);
    for (int share = cond_block_level_first(1); share < COND_TOP && size > 1; share++)
        if (share < first || share >= last)
            bring(job->lu, share);
    refactor_share(job, COND_TOP);
}

int cond_block_lu_team(const CondBlockLu* lu, int threads)
{
    int n_thread = cond_threads_chained((size_t)(lu->super.schedule.gain * lu->work), threads);
    return n_thread < COND_WORKERS ? n_thread : COND_WORKERS;
}

int cond_block_lu_refactor(CondBlockLu* lu, const CondBlockLuSource* source, int threads)
{
    Refactor job = {lu, source, 0};
    cond_team(cond_block_lu_team(lu, threads), refactor_team, &job, __func__);
    return job.failed;
}
