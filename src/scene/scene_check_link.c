// The rules that the links of a robot obey: names, parents, what a mimic follows, shapes. Their
// inertias and limits are looked at when the scene is compiled.
#include "scene/compile.h"
#include "scene/scene_check.h"
#include "scene/shape_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondStatus check_shape(const CondLinkShapeDef* shape, int link, int index,
                              CondSceneIssue* issue)
{
    char at[40];
    snprintf(at, sizeof at, "links[%d].shapes[%d]", link, index);
    const CondKey* key = cond_shape_key("bodies.links.shapes", shape->shape);
    if (!key)
        return cond_scene_issue_set(issue, at, "a link has no shape number %d", (int)shape->shape);
    if (cond_shape_is_mesh(shape->shape) && !shape->mesh[0])
        return cond_scene_issue_set(issue, at, "needs the file of its surface");
    CondStatus status = COND_OK;
    if (!cond_shape_is_mesh(shape->shape))
        status = cond_key_check(key, at, shape, issue);
    static const char* const others[] = {"scale", "position", "orientation"};
    for (int k = 0; k < 3 && !status; k++)
        status = cond_key_check(cond_keys_find("bodies.links.shapes", others[k]), at, shape, issue);
    return status ? status : cond_check_length(at, 4, shape->orientation, issue);
}

static int is_joint_of(const CondBodyDef* def, const char* name)
{
    for (int i = 1; i < def->n_link; i++)
        if (strcmp(cond_link_joint_name(&def->link[i]), name) == 0)
            return 1;
    return 0;
}

// Names and what they refer to. There are seldom more than a hundred links.
static CondStatus check_names(const CondBodyDef* def, int i, CondSceneIssue* issue)
{
    const CondLinkDef* link = &def->link[i];
    char at[40];
    snprintf(at, sizeof at, "links[%d].name", i);
    if (!link->name[0])
        return cond_scene_issue_set(issue, at, "is required");
    int parent = -1;
    for (int k = 0; k < i; k++) {
        if (strcmp(def->link[k].name, link->name) == 0)
            return cond_scene_issue_set(issue, at, "another link is called '%s' already",
                                        link->name);
        if (strcmp(def->link[k].name, link->parent) == 0)
            parent = k;
    }
    snprintf(at, sizeof at, "links[%d].parent", i);
    if (i == 0 && link->parent[0])
        return cond_scene_issue_set(issue, at, "must be left out: the first link is the base");
    if (i > 0 && parent < 0)
        return cond_scene_issue_set(issue, at, "no link before it is called '%s'", link->parent);
    snprintf(at, sizeof at, "links[%d].joint.mimic", i);
    if (link->mimic[0] && !is_joint_of(def, link->mimic))
        return cond_scene_issue_set(issue, at, "there is no joint called '%s'", link->mimic);
    return COND_OK;
}

CondStatus cond_scene_check_links(const CondScene* scene, const CondBodyDef* def,
                                  CondSceneIssue* issue)
{
    (void)scene;
    if (def->n_link < 0 || (def->n_link > 0 && !def->link))
        return cond_scene_issue_set(issue, "links", "n_link is %d, but there are none",
                                    def->n_link);
    CondStatus status = COND_OK;
    for (int i = 0; i < def->n_link && !status; i++) {
        const CondLinkDef* link = &def->link[i];
        char at[40];
        snprintf(at, sizeof at, "links[%d]", i);
        status = cond_keys_check_at("bodies.links", at, link, sizeof *link, issue);
        snprintf(at, sizeof at, "links[%d].joint", i);
        if (!status)
            status = cond_keys_check_at("bodies.links.joint", at, link, sizeof *link, issue);
        if (!status)
            status = cond_check_length(at, 4, link->orientation, issue);
        if (!status)
            status = check_names(def, i, issue);
        if (!status && link->n_shape > 0 && !link->shape)
            status =
                cond_scene_issue_set(issue, at, "n_shape is %d, but there are none", link->n_shape);
        for (int k = 0; k < link->n_shape && !status; k++)
            status = check_shape(&link->shape[k], i, k, issue);
    }
    return status;
}
