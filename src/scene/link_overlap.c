// Whether shapes of a robot's links are in each other as the scene starts.
#include "scene/link_overlap.h"
#include "base/tuning.h"

#include "geometry/box.h"
#include "geometry/mesh_surface.h"
#include "geometry/separation.h"
#include "math/quat.h"
#include "model/articulation.h"

#include <math.h>
#include <string.h>

void cond_link_overlap_begin(const CondContext* context, CondLinkOverlap* overlap)
{
    memset(overlap, 0, sizeof *overlap);
    overlap->context = *context;
    cond_depth_begin(context, &overlap->depth);
    for (int s = 0; s < 2; s++)
        cond_boundary_begin(context, &overlap->boundary[s]);
}

void cond_link_overlap_end(CondLinkOverlap* overlap)
{
    cond_depth_end(&overlap->depth);
    for (int s = 0; s < 2; s++)
        cond_boundary_end(&overlap->boundary[s]);
    cond_articulation_work_destroy(overlap->work);
}

CondStatus cond_link_overlap_place(CondLinkOverlap* overlap, const CondBody* robot)
{
    cond_articulation_work_destroy(overlap->work);
    overlap->work = NULL;
    CondStatus status =
        cond_articulation_work_create(&overlap->context, robot->arm, &overlap->work, NULL);
    if (!status)
        cond_articulation_kinematics(robot->arm, robot->start, overlap->work);
    return status;
}

static void put_solid(const CondArticulationWork* work, const CondSolid* solid, double pose[7])
{
    const double* link = work->position + 3 * (size_t)solid->part;
    double moved[3];
    mat3_multiply(work->rotation + 9 * (size_t)solid->part, solid->position, moved);
    for (int i = 0; i < 3; i++)
        pose[i] = link[i] + moved[i];
    quat_product(work->orientation + 4 * (size_t)solid->part, solid->orientation, pose + 3);
}

int cond_link_overlap_is_hollow(const CondSolid* solid)
{
    return solid->shape.form == COND_FORM_MESH && !solid->shape.mesh_surface->poly.convex;
}

CondStatus cond_link_overlap_find(CondLinkOverlap* overlap, const CondSolid* a, const CondSolid* b,
                                  double* depth)
{
    const CondSolid* solid[2] = {a, b};
    double pose[2][7], box[2][6], round = 0.0;
    CondCore core[2];
    CondStatus status = COND_OK;
    *depth = 0.0;
    for (int s = 0; s < 2; s++) {
        put_solid(overlap->work, solid[s], pose[s]);
        cond_shape_bound(&solid[s]->shape, pose[s], box[s]);
    }
    if (cond_boxes_apart(box[0], box[1], 0.0))
        return COND_OK;
    for (int s = 0; s < 2; s++) {
        cond_core_make(&solid[s]->shape, pose[s], pose[0], &core[s]);
        round += core[s].round;
    }
    double small = COND_SINGLE_PRECISION * fmin(core[0].size, core[1].size);
    if (!cond_link_overlap_is_hollow(a) && !cond_link_overlap_is_hollow(b)) {
        CondSeparation apart;
        if (cond_cores_separate(&core[0], &core[1], 0.0, &apart) && apart.apart < -small)
            *depth = -apart.apart;
        return COND_OK;
    }
    CondDepth found = {.gap = INFINITY};
    for (int s = 0; s < 2 && !status; s++)
        status = cond_boundary_take_core(&overlap->boundary[s], &core[s]);
    if (!status)
        status = cond_boundaries_depth(&overlap->depth, &overlap->boundary[0],
                                       &overlap->boundary[1], round, &found);
    if (!status && found.gap - round < -small)
        *depth = round - found.gap;
    return status;
}
