// Repairs masses and inertias of links, with a warning each (urdf_repair.h).
#include "robot_file/urdf_repair.h"

#include "robot_file/inertia_mend.h"
#include "robot_file/tuning.h"

#include <math.h>
#include <string.h>

double cond_urdf_given_mass(const CondArticulation* articulation)
{
    double sum = 0.0;
    int n = 0;
    for (int i = 0; i < articulation->n_link; i++) {
        sum += articulation->link[i].mass;
        n += articulation->link[i].mass > 0.0;
    }
    return n ? COND_MADE_UP * sum / n : COND_MADE_UP;
}

void cond_urdf_give_inertia(double mass, CondLink* link)
{
    link->mass = mass;
    memset(link->inertia, 0, sizeof link->inertia);
    for (int k = 0; k < 3; k++)
        link->inertia[4 * k] = cond_inertia_ball(link->mass);
}

CondStatus cond_urdf_repair_inertia(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    char text[COND_WARNING_SIZE];
    if (link->mass < 0.0)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "link '%s': mass %g is negative",
                                link->name, link->mass);
    return cond_inertia_mend(link, text, sizeof text) ? cond_urdf_warn(file, node, "%s", text)
                                                      : COND_OK;
}

CondStatus cond_urdf_repair_limits(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    CondStatus status = COND_OK;
    if (link->lower > link->upper) {
        status = cond_urdf_warn(file, node,
                                "joint '%s': lower limit %g is above upper limit %g: both "
                                "are ignored",
                                link->joint, link->lower, link->upper);
        link->lower = -INFINITY;
        link->upper = INFINITY;
    }
    // Bounds that leave no way are what exporters write for those they do not know; what cannot
    // move would be fixed.
    if (!status && link->lower == link->upper) {
        status = cond_urdf_warn(file, node,
                                "joint '%s': lower and upper limit are both %g: both are ignored",
                                link->joint, link->lower);
        link->lower = -INFINITY;
        link->upper = INFINITY;
    }
    if (!status && !(link->velocity > 0.0)) {
        status = cond_urdf_warn(file, node, "joint '%s': velocity limit %g is ignored", link->joint,
                                link->velocity);
        link->velocity = INFINITY;
    }
    if (!status && !(link->effort > 0.0)) {
        status = cond_urdf_warn(file, node, "joint '%s': effort limit %g is ignored", link->joint,
                                link->effort);
        link->effort = INFINITY;
    }
    link->effort_back = link->effort;
    return status;
}
