// The links of all rods as capsules: where they are, boxes around them and a tree over these.
#include "collide/rod_link.h"

#include "math/vec3.h"
#include "model/rod.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

static CondStatus reserve(CondRodLinks* links, int n, int n_body)
{
    CondArena* m = &links->arena;
    if (COND_RESERVE(m, links->first, n_body + 1) || COND_RESERVE(m, links->body, n) ||
        COND_RESERVE(m, links->link, n) || COND_RESERVE(m, links->clamped, n) ||
        COND_RESERVE(m, links->end, 6 * n) || COND_RESERVE(m, links->from, 6 * n) ||
        COND_RESERVE(m, links->box, 6 * n))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

CondStatus cond_rod_links_create(const CondModel* model, CondRodLinks* links)
{
    const CondContext* m = &model->arena.context;
    int n = 0;
    memset(links, 0, sizeof *links);
    cond_arena_begin(m, &links->arena);
    cond_tree_begin(m, &links->tree);
    cond_tree_pairs_begin(m, &links->pairs);
    cond_tree_hits_begin(m, &links->hits);
    for (int b = 0; b < model->n_body; b++)
        n += model->body[b].kind == COND_BODY_ROD ? model->body[b].rod->n_link : 0;
    if (reserve(links, n, model->n_body))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        links->first[b] = links->n;
        for (int i = 0; body->kind == COND_BODY_ROD && i < body->rod->n_link; i++) {
            links->body[links->n] = b;
            links->link[links->n++] = i;
        }
    }
    links->first[model->n_body] = links->n;
    return COND_OK;
}

void cond_rod_links_destroy(CondRodLinks* links)
{
    cond_tree_end(&links->tree);
    cond_tree_pairs_end(&links->pairs);
    cond_tree_hits_end(&links->hits);
    cond_arena_release(&links->arena);
}

void cond_rod_link_ends(const CondKinematics* kinematics, int body, int link, double end[6])
{
    double origin[3], R[9], half = 0.5 * kinematics->model->body[body].rod->length[link];
    cond_kinematics_axes(kinematics, body, link, origin, R);
    for (int k = 0; k < 3; k++) {
        end[k] = origin[k] - half * R[3 * k + 2];
        end[3 + k] = origin[k] + half * R[3 * k + 2];
    }
}

// The ends of rods that the world holds: between a clamp and the centre of its link nothing bends.
static void find_clamps(CondRodLinks* links, const CondModel* model, const CondState* state)
{
    memset(links->clamped, 0, (size_t)links->n * sizeof *links->clamped);
    for (int h = 0; h < 2 * state->n_weld; h++) {
        const CondWeld* weld = &state->weld[h / 2];
        const CondPoint* at = &weld->what.end[h % 2].point;
        if (!weld->active || weld->what.end[1 - h % 2].point.body >= 0 || at->body < 0 ||
            model->body[at->body].kind != COND_BODY_ROD)
            continue;
        int last = model->body[at->body].rod->n_link - 1;
        int* clamped = &links->clamped[links->first[at->body] + at->link];
        *clamped |= at->link == 0 && at->local[2] < 0.0 ? 1 : 0;
        *clamped |= at->link == last && at->local[2] > 0.0 ? 2 : 0;
    }
}

CondStatus cond_rod_links_place(CondRodLinks* links, const CondKinematics* kinematics,
                                const CondState* state, const double* reach)
{
    const CondModel* model = kinematics->model;
    if (links->n == 0)
        return COND_OK;
    find_clamps(links, model, state);
    for (int i = 0; i < links->n; i++) {
        double *end = links->end + 6 * (size_t)i, *box = links->box + 6 * (size_t)i;
        double wide = model->body[links->body[i]].rod->radius + reach[links->body[i]];
        cond_rod_link_ends(kinematics, links->body[i], links->link[i], end);
        for (int k = 0; k < 3; k++) {
            box[k] = fmin(end[k], end[3 + k]) - wide;
            box[3 + k] = fmax(end[k], end[3 + k]) + wide;
        }
    }
    CondStatus status = COND_OK;
    if (links->built)
        cond_tree_refit(&links->tree, links->box);
    else
        status = cond_tree_build(&links->tree, links->n, links->box);
    links->built = !status;
    return status;
}

void cond_rod_links_sweep(CondRodLinks* links, const CondKinematics* before)
{
    links->travel = 0.0;
    for (int n = 0; n < links->n; n++) {
        double *from = links->from + 6 * (size_t)n, *box = links->box + 6 * (size_t)n;
        const double* to = links->end + 6 * (size_t)n;
        double radius = before->model->body[links->body[n]].rod->radius;
        cond_rod_link_ends(before, links->body[n], links->link[n], from);
        for (int k = 0; k < 3; k++) {
            box[k] = fmin(fmin(from[k], from[3 + k]), fmin(to[k], to[3 + k])) - radius;
            box[3 + k] = fmax(fmax(from[k], from[3 + k]), fmax(to[k], to[3 + k])) + radius;
        }
        for (int end = 0; end < 6; end += 3) {
            double d[3] = {to[end] - from[end], to[end + 1] - from[end + 1],
                           to[end + 2] - from[end + 2]};
            links->travel = fmax(links->travel, vec3_norm(d));
        }
    }
    if (links->n > 0)
        cond_tree_refit(&links->tree, links->box);
}

void cond_rod_link_core(const CondRodLinks* links, const CondKinematics* kinematics, int i,
                        int clamped, const double origin[3], CondCore* core)
{
    int b = links->body[i], half = clamped ? links->clamped[i] : 0;
    const CondRod* rod = kinematics->model->body[b].rod;
    double length = rod->length[links->link[i]], centre[3];
    *core = (CondCore){.form = COND_FORM_CAPSULE, .round = rod->radius};
    cond_kinematics_axes(kinematics, b, links->link[i], centre, core->R);
    core->half[2] = 0.5 * length;
    if (half == 1 || half == 2) { // centre and half of what is left
        core->half[2] = 0.25 * length;
        for (int k = 0; k < 3; k++)
            centre[k] += (half == 1 ? 0.25 : -0.25) * length * core->R[3 * k + 2];
    }
    for (int k = 0; k < 3; k++)
        core->p[k] = centre[k] - origin[k];
    core->size = 2.0 * (core->half[2] + core->round);
}

int cond_rod_is_held(const CondModel* model, const CondAttachment* what, int end,
                     const CondCandidate* candidate)
{
    const CondPoint* held = &what->end[end].point;
    if (held->body < 0 || model->body[held->body].kind != COND_BODY_ROD)
        return 0;
    int other = what->end[1 - end].point.body;
    for (int side = 0; side < 2; side++) {
        const CondPoint* at = &candidate->point[side];
        const CondRod* rod = model->body[held->body].rod;
        if (at->body != held->body || candidate->point[1 - side].body != other || other < 0)
            continue;
        double here = rod->arc[at->link], there = rod->arc[held->link];
        if (fabs(here - there) <= 2.0 * COND_ROD_NEIGHBOURS * rod->radius)
            return 1;
    }
    return 0;
}
