// Cameras, and <sensor>: what has a counterpart among the scene's sensors.
//
//     force, torque                                what the joint of the site's link carries
//     accelerometer, gyro, velocimeter             motion of the site, in its axes
//     framepos, framequat, framelinvel,            place and motion of a frame, in world axes
//     frameangvel, framelinacc
//     rangefinder                                  distance along the site's z axis
//     touch                                        contact forces on the site's body
#include "robot_file/mjcf_make.h"

#include <math.h>
#include <string.h>

static const struct {
    const char* name;
    CondSensorKind kind;
    int world_axes;
} kinds[] = {
    {"force", COND_SENSOR_JOINT, 0},       {"torque", COND_SENSOR_JOINT, 0},
    {"accelerometer", COND_SENSOR_IMU, 0}, {"gyro", COND_SENSOR_IMU, 0},
    {"velocimeter", COND_SENSOR_IMU, 0},   {"framepos", COND_SENSOR_IMU, 1},
    {"framequat", COND_SENSOR_IMU, 1},     {"framelinvel", COND_SENSOR_IMU, 1},
    {"frameangvel", COND_SENSOR_IMU, 1},   {"framelinacc", COND_SENSOR_IMU, 1},
    {"rangefinder", COND_SENSOR_RANGE, 0}, {"touch", COND_SENSOR_CONTACT, 0},
};

static int find_geom(const CondMjcf* m, const char* name)
{
    for (int g = 0; name && g < m->n_geom; g++)
        if (strcmp(m->geom[g].name, name) == 0)
            return g;
    return -1;
}

// The frame that a sensor reads, in the axes of its body; NULL, or why there is none. *fault is 1
// where the file is wrong.
static const char* find_frame(CondMjcf* m, const CondMjcfNode* node, int* body, CondMjcfPose* pose,
                              int* fault)
{
    const char* type = cond_mjcf_own(node, "objtype");
    const char* name = cond_mjcf_own(node, type ? "objname" : "site");
    int found = -1;
    *fault = 0;
    *pose = cond_mjcf_unit();
    if (cond_mjcf_own(node, "reftype") || cond_mjcf_own(node, "refname"))
        return "it is read from another frame";
    if (!type || strcmp(type, "site") == 0) {
        found = cond_mjcf_find_site(m, name);
        if (found >= 0) {
            *body = m->site[found].body;
            *pose = m->site[found].pose;
        }
    } else if (strcmp(type, "xbody") == 0 || strcmp(type, "body") == 0) {
        found = *body = cond_mjcf_find_body(m, name);
        if (found >= 0 && strcmp(type, "body") == 0) // its centre of mass
            memcpy(pose->p, m->body[found].com, sizeof pose->p);
    } else if (strcmp(type, "geom") == 0) {
        found = find_geom(m, name);
        if (found >= 0) {
            *body = m->geom[found].body;
            *pose = m->geom[found].pose;
        }
    } else {
        return "cameras are not read";
    }
    if (found >= 0)
        return NULL;
    *fault = 1;
    cond_mjcf_refuse(m, node, "there is no %.20s '%.60s'", type ? type : "site", name ? name : "");
    return "";
}

static void make_sensor(CondMjcf* m, CondMjcfNode* node, CondSensorKind kind, int world_axes)
{
    CondSensorDef def = cond_sensor_def_default();
    CondSceneIssue issue;
    CondMjcfPose own;
    const char* name = cond_mjcf_own(node, "name");
    int b = 0, fault;
    cond_mjcf_visit(m, node);
    const char* why = find_frame(m, node, &b, &own, &fault);
    if (fault)
        return;
    const CondMjcfBody* body = &m->body[b];
    if (!why && !body->scene_body[0])
        why = "what it is on does not move";
    if (!why && kind == COND_SENSOR_JOINT && !body->link[0])
        why = "its site is on no robot";
    if (why) {
        cond_mjcf_warn(m, node, "sensor <%.40s> '%.60s' is left out: %s", node->name,
                       name ? name : "", why);
        return;
    }
    CondMjcfPose pose = cond_mjcf_times(&body->in_link, &own);
    cond_mjcf_scene_name(m, node, name ? name : "", def.name);
    def.kind = kind;
    def.world_axes = world_axes;
    def.on = cond_end_def_default();
    memcpy(def.on.body, body->scene_body, sizeof def.on.body);
    memcpy(def.on.link, body->link, sizeof def.on.link);
    memcpy(def.on.point, pose.p, sizeof def.on.point);
    memcpy(def.orientation, pose.q, sizeof def.orientation);
    if (kind == COND_SENSOR_RANGE) { // MuJoCo looks as far as there is anything
        double cutoff = cond_mjcf_number(m, node, "cutoff", 0.0);
        def.range = cutoff > 0.0 ? cutoff : 1000.0;
    }
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_SENSOR, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, node, "%s: %.1000s", issue.field, issue.text);
}

void cond_mjcf_make_sensors(CondMjcf* m)
{
    int n_touch = 0;
    const CondMjcfNode* touch = NULL;
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "sensor") ? section->first : NULL;
             node && !cond_mjcf_ends(m); node = node->next) {
            section->used = 1;
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                if (cond_mjcf_is(node, kinds[k].name))
                    make_sensor(m, node, kinds[k].kind, kinds[k].world_axes);
            if (cond_mjcf_is(node, "touch") && n_touch++ == 0)
                touch = node;
        }
    if (touch)
        cond_mjcf_warn(m, touch,
                       "<touch> reads all contacts of its body, not those at the site alone (%d "
                       "times)",
                       n_touch);
}

static void make_camera(CondMjcf* m, const CondMjcfCamera* camera)
{
    static const double ahead[3] = {0.0, 0.0, -1.0}, above[3] = {0.0, 1.0, 0.0};
    const CondMjcfBody* body = &m->body[camera->body];
    CondMjcfPose pose = cond_mjcf_times(&body->in_link, &camera->pose);
    CondCameraDef def = cond_camera_def_default();
    CondSceneIssue issue;
    const char* name = cond_mjcf_own(camera->node, "name");
    cond_mjcf_scene_name(m, camera->node, name ? name : "", def.name);
    memcpy(def.body, body->scene_body, sizeof def.body);
    memcpy(def.link, body->link, sizeof def.link);
    memcpy(def.position, pose.p, sizeof def.position);
    cond_mjcf_place(&pose, ahead, def.target);
    cond_mjcf_place(&pose, above, def.up);
    for (int i = 0; i < 3; i++)
        def.up[i] -= pose.p[i];
    def.field = camera->field;
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_CAMERA, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_warn(m, camera->node, "camera '%.60s' is left out: %s: %.500s", name ? name : "",
                       issue.field, issue.text);
}

void cond_mjcf_make_cameras(CondMjcf* m)
{
    for (int i = 0; i < m->n_camera && !cond_mjcf_ends(m); i++)
        make_camera(m, &m->camera[i]);
}
