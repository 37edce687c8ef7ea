// The joints of robots, for people: those that move, by number and name.
#include "base/definition.h"
#include "model/articulation.h"
#include "model/model.h"

#include <string.h>

static const CondArticulation* arm_of(const CondModel* model, int body)
{
    return body >= 0 && body < model->n_body ? model->body[body].arm : NULL;
}

static int moves(const CondLink* link)
{
    return link->kind != COND_LINK_FIXED;
}

// The number of a link's joint among those that move.
static int number_of(const CondArticulation* arm, int link)
{
    int n = 0;
    for (int i = 1; i < link; i++)
        n += moves(&arm->link[i]);
    return n;
}

int cond_model_n_joint(const CondModel* model, int body)
{
    const CondArticulation* arm = arm_of(model, body);
    return arm ? number_of(arm, arm->n_link) : 0;
}

int cond_model_find_joint(const CondModel* model, int body, const char* name)
{
    const CondArticulation* arm = arm_of(model, body);
    int link = arm ? cond_articulation_find_joint(arm, name) : -1;
    return link > 0 && moves(&arm->link[link]) ? number_of(arm, link) : -1;
}

static CondStatus model_joint_whole(const CondModel* model, int body, int joint,
                                    CondJointInfo* info)
{
    const CondArticulation* arm = arm_of(model, body);
    int i = 1, left = joint;
    while (arm && i < arm->n_link && (!moves(&arm->link[i]) || left-- > 0))
        i++;
    if (!arm || joint < 0 || i >= arm->n_link)
        return COND_BAD_ARGUMENT;
    const CondLink* link = &arm->link[i];
    int own = link->mimic < 0 && link->coordinate >= 0;
    *info = (CondJointInfo){.name = link->joint,
                            .kind = (CondJointKind)link->kind,
                            .link = i,
                            .follows = link->mimic < 0 ? -1 : number_of(arm, link->mimic),
                            .n_coordinate = own ? link->n_slide + (link->n_turn == 1) : 0,
                            .q_begin = own ? arm->n_q - arm->n_joint + link->coordinate : -1,
                            .dof_begin = own ? arm->n_dof - arm->n_joint + link->coordinate : -1,
                            .turn_begin = -1,
                            .spin_begin = -1,
                            .lower = link->lower,
                            .upper = link->upper,
                            .velocity = link->velocity,
                            .effort = link->effort,
                            .damping = link->damping,
                            .friction = link->friction,
                            .armature = link->armature};
    if (link->ball >= 0) {
        info->turn_begin = cond_articulation_ball_q(arm) + 4 * link->ball;
        info->spin_begin = cond_articulation_ball_v(arm) + 3 * link->ball;
    }
    return COND_OK;
}

CondStatus cond_model_joint_sized(const CondModel* model, int body, int joint, CondJointInfo* info,
                                  size_t size)
{
    COND_SIZED(CondStatus, CondJointInfo, info, size, model_joint_whole(model, body, joint, it));
}

int cond_model_n_coordinate(const CondModel* model, int body)
{
    const CondArticulation* arm = arm_of(model, body);
    return arm ? arm->n_joint : 0;
}

const char* cond_model_coordinate_name(const CondModel* model, int body, int coordinate)
{
    int known = coordinate >= 0 && coordinate < cond_model_n_coordinate(model, body);
    return known ? model->body[body].arm->coordinate[coordinate].name : NULL;
}

int cond_model_find_coordinate(const CondModel* model, int body, const char* name)
{
    const CondArticulation* arm = arm_of(model, body);
    return arm ? cond_articulation_find_coordinate(arm, name) : -1;
}
