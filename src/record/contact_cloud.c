// Fills the points and fields of a step's contacts (contact_cloud.h). Reads the simulation.
#include "record/contact_cloud.h"

#include "math/vec3.h"
#include "record/drawing.h"
#include "sleep/sleep.h"

#include <string.h>

static CondStatus make_room(CondContactCloud* c, int n)
{
    CondArena* m = &c->arena;
    if (COND_RESERVE(m, c->position, 3 * n) || COND_RESERVE(m, c->force, 3 * n) ||
        COND_RESERVE(m, c->normal, 3 * n) || COND_RESERVE(m, c->frame, 9 * n) ||
        COND_RESERVE(m, c->friction, 2 * n) || COND_RESERVE(m, c->error, n) ||
        COND_RESERVE(m, c->gap, n) || COND_RESERVE(m, c->body, n) || COND_RESERVE(m, c->other, n) ||
        COND_RESERVE(m, c->corner, n) || COND_RESERVE(m, c->corner_end, n) ||
        COND_RESERVE(m, c->type, n))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

CondStatus cond_contact_cloud_fill(CondContactCloud* cloud, const CondSim* sim,
                                   const CondSceneSettings* settings)
{
    int n = sim ? cond_sim_n_contact(sim) : 0;
    cloud->n = 0;
    if (make_room(cloud, n))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) {
        CondContactInfo info = cond_sim_contact(sim, k);
        double* force = cloud->force + 3 * k;
        memcpy(cloud->position + 3 * k, info.position, sizeof info.position);
        memcpy(cloud->normal + 3 * k, info.frame, 3 * sizeof *info.frame);
        memcpy(cloud->frame + 9 * k, info.frame, sizeof info.frame);
        memcpy(cloud->friction + 2 * k, info.friction, sizeof info.friction);
        // The mean force over the step is what changed the momentum, divided by its length.
        mat3_multiply_transposed(info.frame, info.impulse, force);
        for (int i = 0; i < 3; i++)
            force[i] /= settings->time_step;
        cloud->gap[k] = info.gap;
        cloud->body[k] = info.body;
        cloud->other[k] = info.other;
        cloud->corner[k] = k;
        cloud->corner_end[k] = k + 1;
        cloud->type[k] = COND_CELL_VERTEX;
    }
    cloud->n = n;
    return sim ? cond_sim_contact_errors(sim, cloud->error) : COND_OK;
}

void cond_contact_cloud_destroy(CondContactCloud* cloud)
{
    cond_arena_release(&cloud->arena);
    memset(cloud, 0, sizeof *cloud);
}
