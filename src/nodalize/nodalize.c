// The stage that nodalizes: views of one problem, or of many that share no coordinates, its
// islands, in one memory.
#include "nodalize/nodalize.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"

void cond_nodalization_begin(const CondContext* context, CondNodalization* nodalization)
{
    cond_arena_begin(context, &nodalization->arena);
}

void cond_nodalization_end(CondNodalization* nodalization)
{
    cond_arena_release(&nodalization->arena);
}

typedef struct Loop {
    CondNodalization* all;
    const CondProblem* problem;
    const int* bare;
    double kv_scale;
    int large, threads;
} Loop;

// Nodes of the contacts, and the lines that a view needs, in line_begin behind its own.
static void plan(const void* loop, int first, int last)
{
    const Loop* l = loop;
    for (int i = first; i < last; i++) {
        CondNodal* view = &l->all->view[i];
        const CondNodalRoom* room = &l->all->room[i];
        *view = (CondNodal){.threads = i == l->large ? l->threads : 1,
                            .bare = l->bare && l->bare[i],
                            .problem = &l->problem[i],
                            .own = l->all->node + 4 * (ptrdiff_t)room->contact,
                            .node = l->all->node + 4 * (ptrdiff_t)room->contact +
                                    2 * (ptrdiff_t)l->problem[i].n_contact,
                            .mark = l->all->mark + room->dof}; // scratch until it has its own
        l->all->line_begin[i + 1] =
            view->bare ? 0 : cond_nodal_plan(view, &l->problem[i], view->mark);
    }
}

static void fill(const void* loop, int first, int last)
{
    const Loop* l = loop;
    for (int i = first; i < last; i++)
        if (!l->all->view[i].bare)
            cond_nodal_fill(&l->all->view[i], l->all->memory + l->all->line_begin[i], l->kv_scale);
}

// The problem that has more than half of all coordinates; -1: none.
static int find_large(int n, const CondProblem* problem, int n_dof)
{
    for (int i = 0; i < n; i++)
        if (2LL * problem[i].n_dof > n_dof)
            return i;
    return -1;
}

// All of them; a large one by all threads, the others side by side.
static void run(CondLoopBody body, const Loop* loop, int large, int team)
{
    int n = loop->all->n;
    if (large < 0) {
        cond_parallel(n, team, body, loop);
        return;
    }
    body(loop, large, large + 1);
    body(loop, 0, large);
    body(loop, large + 1, n);
}

CondStatus cond_nodalize(CondNodalization* all, int n, const CondProblem* problem, const int* bare,
                         double kv_scale, int threads)
{
    CondArena* m = &all->arena;
    int n_dof = 0, n_contact = 0;
    if (COND_RESERVE(m, all->room, n))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        all->room[i] = (CondNodalRoom){n_dof, n_contact};
        n_dof += problem[i].n_dof;
        n_contact += problem[i].n_contact;
    }
    if (COND_RESERVE(m, all->view, n) || COND_RESERVE(m, all->node, 4 * n_contact) ||
        COND_RESERVE(m, all->mark, n_dof) || COND_RESERVE(m, all->line_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    int large = find_large(n, problem, n_dof);
    Loop loop = {all, problem, bare, kv_scale, large, threads};
    int team =
        cond_threads(COND_COORDINATE_WORK * ((size_t)n_dof + 2 * (size_t)n_contact), threads);
    all->n = n;
    all->line_begin[0] = 0;
    run(plan, &loop, large, team);
    for (int i = 0; i < n; i++)
        all->line_begin[i + 1] += all->line_begin[i];
    if (COND_RESERVE(m, all->memory, all->line_begin[n]))
        return COND_OUT_OF_MEMORY;
    run(fill, &loop, large, team);
    return COND_OK;
}
