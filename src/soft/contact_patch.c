// Patches of neighbouring contacts, and what sticking ones of a patch can hold together.
#include "soft/contact_patch.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "linear/aggregate.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

enum {
    LOAD = 8, // numbers of a patch: load, capacity, normal, contacts
};

#define RESERVE(array, count) COND_RESERVE(&patches->arena, patches->array, count)
#define RESERVE_LEVEL(array, count) COND_RESERVE(&patches->arena, level->array, count)

// The first node of a soft body that the contact touches; -1: none.
static int first_node(const CondSoftSystem* system, const CondContact* contact)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++)
            if (system->node[contact->side[s].coordinate[k]] >= 0)
                return system->node[contact->side[s].coordinate[k]];
    return -1;
}

// Numbers the nodes that contacts touch, in order: mark, and node of each contact.
static int number_nodes(CondContactPatches* patches, const CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    int count = 0;
    for (int i = 0; i < system->n_node; i++)
        patches->mark[i] = -1;
    for (int c = 0; c < problem->n_contact; c++) {
        patches->node[c] = first_node(system, &problem->contact[c]);
        if (patches->node[c] >= 0)
            patches->mark[patches->node[c]] = 0;
    }
    for (int i = 0; i < system->n_node; i++)
        if (patches->mark[i] >= 0)
            patches->mark[i] = count++;
    for (int c = 0; c < problem->n_contact; c++)
        if (patches->node[c] >= 0)
            patches->node[c] = patches->mark[patches->node[c]];
    return count;
}

// Level 0: the neighbours of numbered nodes among themselves.
static CondStatus take_graph(CondContactPatches* patches, const CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    CondPatchLevel* level = patches->level;
    level->n = number_nodes(patches, system);
    if (RESERVE_LEVEL(row_begin, level->n + 1))
        return COND_OUT_OF_MEMORY;
    int size = 0, row = 0;
    level->row_begin[0] = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        const int* mark = patches->mark + system->node[block->dof_begin];
        for (int i = 0; i < block->n_dof / 3; i++) {
            if (mark[i] < 0)
                continue;
            int first = block->row_begin[i], last = block->row_begin[i + 1];
            if (RESERVE_LEVEL(column, size + last - first))
                return COND_OUT_OF_MEMORY;
            for (int k = first; k < last; k++)
                if (mark[block->column[k]] >= 0)
                    level->column[size++] = mark[block->column[k]];
            level->row_begin[++row] = size;
        }
    }
    return COND_OK;
}

// The next level: patches are neighbours where nodes of theirs are.
static CondStatus coarsen(CondContactPatches* patches, int l)
{
    const CondPatchLevel* fine = &patches->level[l];
    CondPatchLevel* level = &patches->level[l + 1];
    int *mark = patches->mark, *member = patches->member, size = 0;
    level->n = fine->n_group;
    if (RESERVE_LEVEL(row_begin, level->n + 1) || RESERVE_LEVEL(column, fine->row_begin[fine->n]))
        return COND_OUT_OF_MEMORY;
    int* begin = level->row_begin; // first of the members of each group, until the rows are made
    memset(begin, 0, (size_t)(level->n + 1) * sizeof *begin);
    for (int i = 0; i < fine->n; i++)
        begin[fine->group[i] + 1]++;
    for (int g = 0; g < level->n; g++) {
        begin[g + 1] += begin[g];
        mark[g] = begin[g];
    }
    for (int i = 0; i < fine->n; i++)
        member[mark[fine->group[i]]++] = i;
    for (int g = 0; g < level->n; g++)
        mark[g] = -1;
    for (int g = 0, next; g < level->n; g++) {
        int first = g == 0 ? 0 : next;
        next = begin[g + 1];
        begin[g] = size;
        for (int m = first; m < next; m++)
            for (int k = fine->row_begin[member[m]]; k < fine->row_begin[member[m] + 1]; k++) {
                int h = fine->group[fine->column[k]];
                if (mark[h] == g)
                    continue;
                mark[h] = g;
                level->column[size++] = h;
            }
    }
    begin[level->n] = size;
    return COND_OK;
}

// Lists the contacts of each patch of level l, whose nodes are at; then at has their patches.
static CondStatus list_contacts(CondContactPatches* patches, int l, int nc)
{
    CondPatchLevel* level = &patches->level[l];
    int *at = patches->at, n = level->n_group, count = 0;
    if (RESERVE_LEVEL(begin, n + 1) || RESERVE_LEVEL(contact, nc))
        return COND_OUT_OF_MEMORY;
    memset(level->begin, 0, (size_t)(n + 1) * sizeof *level->begin);
    for (int c = 0; c < nc; c++)
        if (at[c] >= 0) {
            at[c] = level->group[at[c]];
            level->begin[at[c] + 1]++;
        }
    for (int g = 0; g < n; g++) // where the next one of g + 1 goes
        level->begin[g + 1] = count += level->begin[g + 1];
    for (int c = nc - 1; c >= 0; c--) // from the end, so that each is where its patch begins
        if (at[c] >= 0)
            level->contact[--level->begin[at[c] + 1]] = c;
    for (int g = 0; g < n; g++)
        level->begin[g] = level->begin[g + 1];
    level->begin[n] = count;
    return COND_OK;
}

CondStatus cond_contact_patches_plan(CondContactPatches* patches, const CondSoftSystem* system)
{
    int nc = system->problem->n_contact;
    patches->n_level = 0;
    patches->threads = system->threads;
    if (RESERVE(node, nc) || RESERVE(at, nc) || RESERVE(x_patch, 3 * nc) ||
        RESERVE(mark, system->n_node))
        return COND_OUT_OF_MEMORY;
    CondStatus status = take_graph(patches, system);
    if (status || RESERVE(member, patches->level[0].n))
        return COND_OUT_OF_MEMORY;
    memcpy(patches->at, patches->node, (size_t)nc * sizeof *patches->at);
    while (patches->n_level < COND_PATCH_LEVELS) {
        CondPatchLevel* level = &patches->level[patches->n_level];
        if (RESERVE_LEVEL(group, level->n))
            return COND_OUT_OF_MEMORY;
        level->n_group = cond_aggregate(level->n, level->row_begin, level->column, level->group);
        if (level->n_group == level->n || level->n_group < COND_PATCH_FEWEST)
            break;
        if (list_contacts(patches, patches->n_level, nc))
            return COND_OUT_OF_MEMORY;
        patches->n_level++;
        if (patches->n_level < COND_PATCH_LEVELS && coarsen(patches, patches->n_level - 1))
            return COND_OUT_OF_MEMORY;
    }
    return COND_OK;
}

static double capacity(const CondContact* contact, const double* x)
{
    return fmax(contact->friction[0], contact->friction[1]) * x[0];
}

int cond_contact_patches_any(const CondProblem* problem, int first, int last, const int* sticks,
                             const double* x)
{
    for (int c = first; c < last; c++)
        if (sticks[c] &&
            hypot(x[3 * c + 1], x[3 * c + 2]) > capacity(&problem->contact[c], x + 3 * c))
            return 1;
    return 0;
}

// 1 where the contact's normal is about that of the patch, the one of its first contact.
static int belongs(const CondContact* contact, const double* load)
{
    const double* R = contact->frame;
    return R[0] * load[4] + R[1] * load[5] + R[2] * load[6] >= COND_ALIGNED;
}

// load: sum of x_t in world axes, sum of mu x_n, normal, contacts.
static void add_load(const CondContact* contact, const double* x, double* load)
{
    const double* R = contact->frame;
    if (load[7] == 0.0)
        memcpy(load + 4, R, 3 * sizeof *load);
    if (!belongs(contact, load))
        return;
    for (int k = 0; k < 3; k++)
        load[k] += R[3 + k] * x[1] + R[6 + k] * x[2];
    load[3] += capacity(contact, x);
    load[7] += 1.0;
}

// Trial force of a contact as one of a patch that slips; none where the patch holds, or where the
// contact slips alone.
static void share(const CondContact* contact, const double* x, const double* load, double* x_patch)
{
    const double* R = contact->frame;
    double t = sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2]);
    double held = capacity(contact, x);
    if (!(t > load[3]) || load[7] < 2.0 || !belongs(contact, load) || hypot(x[1], x[2]) > held)
        return;
    x_patch[0] = x[0];
    for (int i = 1; i < 3; i++)
        x_patch[i] =
            held / load[3] * (R[3 * i] * load[0] + R[3 * i + 1] * load[1] + R[3 * i + 2] * load[2]);
}

// Loops over the contacts, or over the patches of a level.
typedef struct SlipLoop {
    const CondContactPatches* patches;
    const CondPatchLevel* level;
    const CondProblem* problem;
    const int* sticks;
    double* x;
} SlipLoop;

static void forget_shares(const void* data, int first, int last)
{
    const SlipLoop* loop = data;
    for (int c = first; c < last; c++)
        loop->patches->x_patch[3 * c] = 0.0; // none
}

// The shares become the trial forces; how many, by parts of the contacts.
typedef struct TakeLoop {
    const CondContactPatches* patches;
    int n_contact, n_part;
    double* x;
    int* count; //                                                       (n_part)
} TakeLoop;

static void take_shares(const void* data, int first, int last)
{
    const TakeLoop* loop = data;
    const double* shared = loop->patches->x_patch;
    for (int part = first; part < last; part++) {
        loop->count[part] = 0;
        for (int c = cond_team_first(loop->n_contact, part, loop->n_part);
             c < cond_team_first(loop->n_contact, part + 1, loop->n_part); c++)
            if (shared[3 * c] > 0.0) {
                memcpy(loop->x + (ptrdiff_t)3 * c, shared + (ptrdiff_t)3 * c, 3 * sizeof *shared);
                loop->count[part]++;
            }
    }
}

static void share_patches(const void* data, int first, int last)
{
    const SlipLoop* loop = data;
    const CondPatchLevel* level = loop->level;
    for (int g = first; g < last; g++) {
        double load[LOAD] = {0.0};
        for (int k = level->begin[g]; k < level->begin[g + 1]; k++) {
            int c = level->contact[k];
            if (loop->sticks[c])
                add_load(&loop->problem->contact[c], loop->x + (ptrdiff_t)3 * c, load);
        }
        for (int k = level->begin[g]; k < level->begin[g + 1]; k++) {
            int c = level->contact[k];
            if (loop->sticks[c])
                share(&loop->problem->contact[c], loop->x + (ptrdiff_t)3 * c, load,
                      loop->patches->x_patch + (ptrdiff_t)3 * c);
        }
    }
}

int cond_contact_patches_slip(CondContactPatches* patches, const CondProblem* problem,
                              const int* sticks, double* x)
{
    int nc = problem->n_contact, count = 0, n = patches->n_level;
    SlipLoop loop[COND_PATCH_LEVELS];
    int counts[COND_LOOP_PARTS];
    CondPhase phase[COND_PATCH_LEVELS + 2] = {{forget_shares, loop, nc, 0}};
    TakeLoop take = {patches, nc, cond_loop_parts((size_t)nc), x, counts};
    for (int l = 0; l < n; l++) {
        loop[l] = (SlipLoop){patches, &patches->level[l], problem, sticks, x};
        phase[l + 1] = (CondPhase){share_patches, &loop[l], patches->level[l].n_group, 1};
    }
    if (n == 0)
        return 0;
    size_t work = COND_COORDINATE_WORK * (size_t)nc * (size_t)n;
    phase[n + 1] = (CondPhase){take_shares, &take, take.n_part, 1};
    cond_parallel_phases(n + 2, phase, cond_threads(work, patches->threads), __func__);
    for (int part = 0; part < take.n_part; part++)
        count += counts[part];
    return count;
}

void cond_contact_patches_destroy(CondContactPatches* patches)
{
    cond_arena_release(&patches->arena);
}
