// Mocap bodies: rigid bodies that stiff attachments hold in the world, for the user to move by
// cond_state_move_attachment.
#include "robot_file/inertia_mend.h"
#include "robot_file/mjcf_make.h"

#include <math.h>
#include <string.h>

// Where the n-th mocap body starts: as it stands in the file, or as the key says.
static CondMjcfPose start_of(CondMjcf* m, const CondMjcfBody* body, int n, int n_mocap)
{
    CondMjcfPose start = body->pose; // against the file's world
    const double* p = m->key ? cond_mjcf_read_list(m, m->key, "mpos", 3 * n_mocap) : NULL;
    const double* q = m->key ? cond_mjcf_read_list(m, m->key, "mquat", 4 * n_mocap) : NULL;
    if (p)
        memcpy(start.p, p + 3 * (ptrdiff_t)n, sizeof start.p);
    if (q)
        cond_mjcf_unit_quat(q + 4 * (ptrdiff_t)n, start.q);
    return cond_mjcf_times(&m->place, &start);
}

// The only geom that touches; *good is 0 where a rigid body cannot have what there is.
static const CondMjcfGeom* find_shape(const CondMjcf* m, int b, int* good)
{
    const CondMjcfGeom* found = NULL;
    *good = 1;
    for (int g = 0; g < m->n_geom; g++) {
        const CondMjcfGeom* geom = &m->geom[g];
        if (geom->body != b || !cond_mjcf_touches(geom))
            continue;
        *good = !found && (geom->kind == COND_MJCF_SPHERE || geom->kind == COND_MJCF_CAPSULE ||
                           geom->kind == COND_MJCF_CYLINDER || geom->kind == COND_MJCF_BOX);
        found = geom;
        if (!*good)
            return NULL;
    }
    return found;
}

static void hold(CondMjcf* m, const CondMjcfBody* body, const CondMjcfPose* pose)
{
    CondAttachmentDef def = cond_attachment_def_default();
    CondSceneIssue issue;
    memcpy(def.name, body->scene_body, sizeof def.name);
    memcpy(def.end[0].body, body->scene_body, sizeof def.end[0].body);
    memcpy(def.end[0].point, body->in_link.p, sizeof def.end[0].point);
    memcpy(def.end[1].point, pose->p, sizeof def.end[1].point);
    def.stiffness = INFINITY;
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_ATTACHMENT, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, body->node, "%s: %.1000s", issue.field, issue.text);
}

static void make_mocap(CondMjcf* m, int b, const CondMjcfGeom* geom, const CondMjcfPose* start)
{
    CondMjcfBody* body = &m->body[b];
    CondBodyDef def = cond_body_def_default();
    CondLinkShapeDef shape;
    CondMjcfPose unit = cond_mjcf_unit(), own = geom ? geom->pose : unit;
    cond_mjcf_scene_name(m, body->node, body->name, def.name);
    if (geom && cond_mjcf_put_shape(m, geom, &unit, &shape)) {
        cond_mjcf_put_groups(m, b, -1, &def.groups, &def.touches);
        cond_mjcf_put_friction(geom, &def.surface, &def.rubbing);
        def.shape = shape.shape;
        memcpy(def.size, shape.size, sizeof def.size);
    }
    CondMjcfPose pose = cond_mjcf_times(start, &own);
    memcpy(def.position, pose.p, sizeof def.position);
    memcpy(def.orientation, pose.q, sizeof def.orientation);
    def.mass = 1.0; // any: it moves as it is told
    def.inertia_from_shape = 0;
    for (int i = 0; i < 3; i++)
        def.inertia[i] = cond_inertia_ball(def.mass);
    memcpy(body->scene_body, def.name, sizeof def.name);
    body->in_link = cond_mjcf_inverse(&own);
    cond_mjcf_put_body(m, body->node, &def);
    if (!m->status)
        hold(m, body, start);
}

void cond_mjcf_make_mocaps(CondMjcf* m)
{
    int n_mocap = 0, n = 0, good;
    for (int b = 1; b < m->n_body; b++)
        n_mocap += m->body[b].mocap;
    for (int b = 1; b < m->n_body && !m->status; b++) {
        if (!m->body[b].mocap)
            continue;
        CondMjcfPose start = start_of(m, &m->body[b], n++, n_mocap);
        const CondMjcfGeom* geom = find_shape(m, b, &good);
        int alone = b + 1 == m->n_body || m->body[b + 1].top != b;
        if (good && alone) {
            make_mocap(m, b, geom, &start);
            continue;
        }
        m->body[b].mocap = 0; // it stands still as any other
        cond_mjcf_warn(m, m->body[b].node, "mocap body '%s' stays where it is: %s", m->body[b].name,
                       good ? "there are bodies on it" : "its shape is no single primitive");
    }
}
