// The joints of robots, for people: those that move, by number and name.
#include "base/definition.h"
#include "model/articulation.h"
#include "model/index.h"
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

// The link whose joint is the one with this number.
static int link_of(const CondArticulation* arm, int joint)
{
    int i = 1, left = joint;
    while (i < arm->n_link && (!moves(&arm->link[i]) || left-- > 0))
        i++;
    return i;
}

const char* cond_model_joint_name(const CondModel* model, int body, int joint)
{
    const CondArticulation* arm = arm_of(model, body);
    int link = arm && joint >= 0 ? link_of(arm, joint) : 0;
    return link > 0 && link < arm->n_link ? arm->link[link].joint : NULL;
}

int cond_model_find_joint(const CondModel* model, int body, const char* name)
{
    if (cond_model_check_kind(model, body, COND_BODY_ROBOT))
        return -1;
    return cond_index_find(model, body, "joint that moves", name, cond_model_n_joint(model, body),
                           cond_model_joint_name);
}

static CondStatus model_joint_whole(const CondModel* model, int body, int joint,
                                    CondJointInfo* info)
{
    CondStatus status = cond_model_check_kind(model, body, COND_BODY_ROBOT);
    if (!status)
        status = cond_index_check("joint", joint, cond_model_n_joint(model, body));
    if (status)
        return status;
    const CondArticulation* arm = model->body[body].arm;
    int i = link_of(arm, joint);
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
    if (cond_model_check_kind(model, body, COND_BODY_ROBOT))
        return -1;
    return cond_index_find(model, body, "joint coordinate", name,
                           cond_model_n_coordinate(model, body), cond_model_coordinate_name);
}
