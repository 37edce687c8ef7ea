// Features of bodies against static planes.
#include "collide/plane.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "collide/tuning.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/entity.h"

#include <string.h>

// The point of a feature that is nearest to the plane: its centre, moved by the radius against the
// normal. Its place in the body's axes is found by turning that move back.
static CondPoint nearest_point(const CondKinematics* kinematics, const CondFeature* feature,
                               const double normal[3])
{
    CondPoint point = feature->point;
    if (feature->radius == 0.0 ||
        (point.body >= 0 && kinematics->model->body[point.body].kind == COND_BODY_SOFT))
        return point;
    double R[9], origin[3], local[3];
    cond_kinematics_axes(kinematics, point.body, point.link, origin, R);
    mat3_multiply_transposed(R, normal, local);
    for (int i = 0; i < 3; i++)
        point.local[i] -= feature->radius * local[i];
    return point;
}

// The touches that were found, with body, plane, gap and, for now as its triangle, the number of
// the feature within its body.
typedef struct FillLoop {
    const CondKinematics* kinematics;
    const double* place;
    CondCandidate* candidate;
} FillLoop;

static void fill_candidates(const void* loop, int first, int last)
{
    const FillLoop* l = loop;
    const CondModel* model = l->kinematics->model;
    for (int c = first; c < last; c++) {
        CondCandidate* candidate = &l->candidate[c];
        int b = candidate->point[0].body, i = candidate->plane, k = candidate->triangle;
        const CondPlane* plane = &model->plane[i];
        const CondBody* body = &model->body[b];
        const CondFeature* feature = &model->feature[body->feature_begin + k];
        const double* x = l->place + 3 * (size_t)(body->feature_begin + k);
        *candidate = (CondCandidate){.plane = i, .triangle = -1, .gap = candidate->gap};
        candidate->point[0] = nearest_point(l->kinematics, feature, plane->frame);
        candidate->point[1].body = -1;
        for (int j = 0; j < 3; j++)
            candidate->position[j] = x[j] - feature->radius * plane->frame[j];
        memcpy(candidate->frame, plane->frame, sizeof candidate->frame);
        // Ascends with (body, plane, feature), the order in which they were found.
        uint64_t pair = (uint64_t)i + (uint64_t)model->n_plane * (uint64_t)body->number;
        candidate->key =
            (CondContactKey){.pair = 1 + (uint64_t)k + (uint64_t)model->n_numbered[0] * pair};
        cond_candidate_surfaces(&plane->surface, &body->surface, candidate);
    }
}

enum { BLOCKS = 128 }; // of the features of a body

// Features in blocks of equal length, which are counted and then put where those before end.
typedef struct NearLoop {
    const CondKinematics* kinematics;
    const double* place;
    double reach;
    int body, plane, n_block;
    int* begin;               // counts, then offsets                  (n_block)
    CondCandidate* candidate; // NULL: they are counted
} NearLoop;

// 1 where feature k of the body is near the plane.
static int is_near(const NearLoop* l, int k, double* gap)
{
    const CondModel* model = l->kinematics->model;
    const CondPlane* plane = &model->plane[l->plane];
    int at = model->body[l->body].feature_begin + k;
    const CondFeature* feature = &model->feature[at];
    if (feature->shaped)
        return 0;
    *gap = vec3_dot(plane->frame, l->place + 3 * (size_t)at) - plane->offset - feature->radius;
    return *gap <= l->reach;
}

static void find_blocks(const void* data, int first, int last)
{
    const NearLoop* l = data;
    int n = l->kinematics->model->body[l->body].n_feature;
    double gap;
    for (int block = first; block < last; block++) {
        int next = l->candidate ? l->begin[block] : 0;
        for (int k = cond_team_first(n, block, l->n_block);
             k < cond_team_first(n, block + 1, l->n_block); k++) {
            if (!is_near(l, k, &gap))
                continue;
            if (l->candidate) {
                CondCandidate* candidate = &l->candidate[next];
                candidate->point[0].body = l->body;
                candidate->plane = l->plane;
                candidate->triangle = k;
                candidate->gap = gap;
            }
            next++;
        }
        if (!l->candidate)
            l->begin[block] = next;
    }
}

// The features of a body near a plane.
static CondStatus find_candidates(const CondKinematics* kinematics, const double* place,
                                  double reach, int b, int i, CondCandidateList* list)
{
    const CondModel* model = kinematics->model;
    int begin[BLOCKS], n = model->body[b].n_feature;
    NearLoop loop = {kinematics, place, reach, b, i, n < BLOCKS ? 1 : BLOCKS, begin, NULL};
    int threads =
        cond_threads(2 * COND_COORDINATE_WORK * (size_t)n, model->settings.solver.threads);
    cond_parallel(loop.n_block, threads, find_blocks, &loop);
    int found = 0;
    for (int block = 0; block < loop.n_block; block++) {
        int count = begin[block];
        begin[block] = list->n + found;
        found += count;
    }
    if (found == 0)
        return COND_OK;
    if (cond_candidates_reserve(list, list->n + found))
        return COND_OUT_OF_MEMORY;
    loop.candidate = list->candidate;
    cond_parallel(loop.n_block, threads, find_blocks, &loop);
    list->n += found;
    return COND_OK;
}

CondStatus cond_collide_planes(const CondKinematics* kinematics, const double* place,
                               const double* reach, CondCandidateList* list)
{
    const CondModel* model = kinematics->model;
    int before = list->n;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int i = 0; i < model->n_plane; i++) {
            const CondPlane* plane = &model->plane[i];
            // Links of robots have solids, which meet planes themselves.
            if (!cond_entities_touch(model, body->entity, plane->entity) &&
                body->kind != COND_BODY_ROBOT)
                continue;
            // Rigid bodies far away are passed over whole.
            if (body->kind == COND_BODY_RIGID &&
                vec3_dot(plane->frame, kinematics->q + body->q_begin) - plane->offset >
                    body->radius + reach[b])
                continue;
            CondStatus status = find_candidates(kinematics, place, reach[b], b, i, list);
            if (status)
                return status;
        }
    }
    if (list->n == before)
        return COND_OK;
    FillLoop loop = {kinematics, place, list->candidate + before};
    size_t work = COND_CONTACT_WORK * (size_t)(list->n - before);
    cond_parallel(list->n - before, cond_threads(work, model->settings.solver.threads),
                  fill_candidates, &loop);
    return COND_OK;
}
