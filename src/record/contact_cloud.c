#include "record/contact_cloud.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "record/drawing.h"

#include <string.h>

static CondStatus make_room(CondContactCloud* c, int n)
{
    const CondContext* m = &c->context;
    if (cond_reserve(m, &c->position, &c->cap_position, 3 * n, sizeof(double)) ||
        cond_reserve(m, &c->force, &c->cap_force, 3 * n, sizeof(double)) ||
        cond_reserve(m, &c->normal, &c->cap_normal, 3 * n, sizeof(double)) ||
        cond_reserve(m, &c->gap, &c->cap_gap, n, sizeof(double)) ||
        cond_reserve(m, &c->body, &c->cap_body, n, sizeof(int)) ||
        cond_reserve(m, &c->other, &c->cap_other, n, sizeof(int)) ||
        cond_reserve(m, &c->corner, &c->cap_corner, n, sizeof(int)) ||
        cond_reserve(m, &c->corner_end, &c->cap_corner_end, n, sizeof(int)) ||
        cond_reserve(m, &c->type, &c->cap_type, n, sizeof *c->type))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

CondStatus cond_contact_cloud_fill(CondContactCloud* cloud, const CondSim* sim, double time_step)
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
        // The mean force over the step is what changed the momentum, divided by its length.
        mat3_multiply_transposed(info.frame, info.impulse, force);
        for (int i = 0; i < 3; i++)
            force[i] /= time_step;
        cloud->gap[k] = info.gap;
        cloud->body[k] = info.body;
        cloud->other[k] = info.other;
        cloud->corner[k] = k;
        cloud->corner_end[k] = k + 1;
        cloud->type[k] = COND_CELL_VERTEX;
    }
    cloud->n = n;
    return COND_OK;
}

void cond_contact_cloud_destroy(CondContactCloud* cloud)
{
    void* arrays[] = {cloud->position, cloud->force,  cloud->normal,     cloud->gap, cloud->body,
                      cloud->other,    cloud->corner, cloud->corner_end, cloud->type};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&cloud->context, arrays[i]);
    memset(cloud, 0, sizeof *cloud);
}
