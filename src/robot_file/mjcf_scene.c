// Fixed geoms become planes and obstacles; equalities become attachments.
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/mjcf_make.h"
#include "robot_file/tuning.h"
#include "scene/tuning.h"

#include <stdio.h>
#include <string.h>

static void refuse_issue(CondMjcf* m, const CondMjcfNode* node, CondStatus status,
                         const CondSceneIssue* issue)
{
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, node, "%s: %.1000s", issue->field, issue->text);
}

void cond_mjcf_scene_name(CondMjcf* m, const CondMjcfNode* node, const char* own,
                          char name[COND_NAME_SIZE])
{
    const char* prefix = m->options.prefix ? m->options.prefix : "";
    size_t begin = strlen(prefix), length = strlen(own);
    memset(name, 0, COND_NAME_SIZE);
    if (begin + length >= COND_NAME_SIZE) {
        cond_mjcf_refuse(m, node, "the name '%.60s' with its prefix is longer than %d characters",
                         own, COND_NAME_SIZE - 1);
    } else if (*own) {
        memcpy(name, prefix, begin);
        memcpy(name + begin, own, length);
    }
}

void cond_mjcf_put_body(CondMjcf* m, const CondMjcfNode* node, const CondBodyDef* def)
{
    CondSceneIssue issue;
    refuse_issue(m, node, cond_scene_put_def(m->scene, COND_SCENE_BODY, def, &issue), &issue);
}

int cond_mjcf_check_mesh(CondMjcf* m, const CondMjcfGeom* geom)
{
    const CondMjcfMesh* mesh = &m->mesh[geom->mesh];
    if (!mesh->file[0]) {
        cond_mjcf_warn(m, geom->node, "geom '%s': a mesh given by its vertices is left out",
                       geom->name);
        return 0;
    }
    FILE* stream = fopen(mesh->file, "rb");
    if (stream)
        fclose(stream);
    else
        cond_mjcf_refuse(m, mesh->node, "the mesh %.1000s cannot be opened", mesh->file);
    return stream != NULL;
}

void cond_mjcf_put_friction(const CondMjcfGeom* geom, CondSurfaceDef* surface,
                            CondRubbingDef* rubbing)
{
    surface->friction[0] = surface->friction[1] = geom->friction;
    rubbing->rule = COND_FRICTION_LARGER;
    rubbing->priority = geom->priority;
    rubbing->frictionless = geom->condim == 1;
}

int cond_mjcf_rub_alike(const CondMjcfGeom* a, const CondMjcfGeom* b)
{
    return a->friction == b->friction && a->priority == b->priority &&
           (a->condim == 1) == (b->condim == 1);
}

// A plane: its z axis is the normal.
static void put_plane(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* pose)
{
    CondPlaneDef def = cond_plane_def_default();
    CondSceneIssue issue;
    double R[9];
    quat_matrix(pose->q, R);
    cond_mjcf_scene_name(m, geom->node, geom->name, def.name);
    cond_mjcf_put_groups(m, geom->body, (int)(geom - m->geom), &def.groups, &def.touches);
    for (int i = 0; i < 3; i++)
        def.normal[i] = R[3 * i + 2];
    def.offset = vec3_dot(def.normal, pose->p);
    cond_mjcf_put_friction(geom, &def.surface, &def.rubbing);
    refuse_issue(m, geom->node, cond_scene_put_def(m->scene, COND_SCENE_PLANE, &def, &issue),
                 &issue);
}

static void put_obstacle(CondMjcf* m, const CondMjcfGeom* geom, const CondLinkShapeDef* shape)
{
    CondObstacleDef def = cond_obstacle_def_default();
    CondSceneIssue issue;
    cond_mjcf_scene_name(m, geom->node, geom->name, def.name);
    cond_mjcf_put_groups(m, geom->body, (int)(geom - m->geom), &def.groups, &def.touches);
    def.shape = shape->shape;
    memcpy(def.size, shape->size, sizeof def.size);
    memcpy(def.position, shape->position, sizeof def.position);
    memcpy(def.orientation, shape->orientation, sizeof def.orientation);
    cond_mjcf_put_friction(geom, &def.surface, &def.rubbing);
    refuse_issue(m, geom->node, cond_scene_put_def(m->scene, COND_SCENE_OBSTACLE, &def, &issue),
                 &issue);
}

static void put_heightfield(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* pose)
{
    CondObstacleDef def = cond_obstacle_def_default();
    CondSceneIssue issue;
    if (!cond_mjcf_put_heightfield(m, geom, &def))
        return;
    cond_mjcf_scene_name(m, geom->node, geom->name, def.name);
    cond_mjcf_put_groups(m, geom->body, (int)(geom - m->geom), &def.groups, &def.touches);
    memcpy(def.position, pose->p, sizeof def.position);
    memcpy(def.orientation, pose->q, sizeof def.orientation);
    cond_mjcf_put_friction(geom, &def.surface, &def.rubbing);
    refuse_issue(m, geom->node, cond_scene_put_def(m->scene, COND_SCENE_OBSTACLE, &def, &issue),
                 &issue);
}

// A body that stands still with one link: a robot without joints.
static void put_still(CondMjcf* m, const CondMjcfNode* node, const char* name,
                      const CondLinkShapeDef* shape, int n_shape, CondBodyDef* def)
{
    CondLinkDef link = cond_link_def_default();
    cond_mjcf_scene_name(m, node, name, def->name);
    snprintf(link.name, sizeof link.name, "base");
    def->kind = COND_BODY_ROBOT;
    def->link = &link;
    def->n_link = 1;
    link.n_shape = n_shape;
    link.shape = shape;
    cond_mjcf_put_body(m, node, def);
}

// Hulls that stand still are the shapes of a robot without joints: obstacles are not scaled along
// axes and not made convex.
static void put_hull(CondMjcf* m, CondMjcfGeom* geom, const CondLinkShapeDef* shape)
{
    CondBodyDef def = cond_body_def_default();
    if (cond_mjcf_find_body(m, geom->name) >= 0) {
        char own[COND_NAME_SIZE];
        snprintf(own, sizeof own, "%.50s_geom", geom->name);
        memcpy(geom->name, own, sizeof own);
    }
    cond_mjcf_put_groups(m, geom->body, (int)(geom - m->geom), &def.groups, &def.touches);
    cond_mjcf_put_friction(geom, &def.surface, &def.rubbing);
    put_still(m, geom->node, geom->name, shape, 1, &def);
}

// What of a body that stands still is there to be seen alone.
static void put_scenery(CondMjcf* m, int b)
{
    CondBodyDef def = cond_body_def_default();
    CondLinkShapeDef* shape = NULL;
    const CondMjcfNode* first = NULL;
    char name[COND_NAME_SIZE];
    int n = 0;
    for (int g = 0; g < m->n_geom; g++) {
        CondLinkShapeDef one;
        if (m->geom[g].body != b || cond_mjcf_touches(&m->geom[g]) ||
            !cond_mjcf_put_visual(m, &m->geom[g], &m->body[b].world, &one))
            continue;
        if (COND_RESERVE(&m->arena, shape, n + 1)) {
            cond_mjcf_no_memory(m);
            return;
        }
        first = first ? first : m->geom[g].node;
        shape[n++] = one;
    }
    snprintf(name, sizeof name, "%.50s_visual", m->body[b].name);
    for (int k = 2; cond_mjcf_find_body(m, name) >= 0; k++)
        snprintf(name, sizeof name, "%.45s_visual%d", m->body[b].name, k);
    if (n > 0)
        put_still(m, first, name, shape, n, &def);
}

static void make_static(CondMjcf* m, CondMjcfGeom* geom)
{
    const CondMjcfPose* body = &m->body[geom->body].world;
    CondMjcfPose pose = cond_mjcf_times(body, &geom->pose);
    CondLinkShapeDef shape;
    if (geom->kind == COND_MJCF_PLANE)
        put_plane(m, geom, &pose);
    else if (geom->kind == COND_MJCF_HFIELD)
        put_heightfield(m, geom, &pose);
    else if (cond_mjcf_put_shape(m, geom, body, &shape)) {
        if (shape.shape == COND_SHAPE_CONVEX)
            put_hull(m, geom, &shape);
        else
            put_obstacle(m, geom, &shape);
    }
    geom->made = geom->kind != COND_MJCF_HFIELD;
}

void cond_mjcf_make_bodies(CondMjcf* m)
{
    cond_mjcf_find_masks(m);
    cond_mjcf_make_mocaps(m);
    for (int b = 0; b < m->n_body; b++) // the world's frames, until they become something else
        if (!m->body[b].moves && !m->body[b].mocap)
            m->body[b].in_link = m->body[b].world;
    for (int g = 0; g < m->n_geom && !m->status; g++)
        if (cond_mjcf_touches(&m->geom[g]) && !m->body[m->geom[g].body].moves &&
            !m->body[m->geom[g].body].mocap)
            make_static(m, &m->geom[g]);
    for (int b = 0; b < m->n_body && !m->status; b++)
        if (!m->body[b].moves && !m->body[b].mocap)
            put_scenery(m, b);
    cond_mjcf_make_trees(m);
}

// A point of an MJCF body as an end of an attachment.
static void put_end(const CondMjcf* m, int body, const double point[3], CondEndDef* end)
{
    const CondMjcfBody* at = &m->body[body];
    memcpy(end->body, at->scene_body, sizeof end->body);
    memcpy(end->link, at->link, sizeof end->link);
    cond_mjcf_place(&at->in_link, point, end->point);
}

// The frames that an equality of two bodies makes one, in their axes: a point is all that counts of
// those of <connect>, whose anchor is in the first body; that of <weld> is in the second one.
static void find_frames(CondMjcf* m, const CondMjcfNode* node, const int body[2],
                        CondMjcfPose frame[2])
{
    int weld = cond_mjcf_is(node, "weld");
    double relative[7] = {0.0}, square = 0.0;
    cond_mjcf_numbers(m, node, "anchor", 3, 3, frame[weld].p);
    // At the references the two are one, unless <weld> says where the second body is then.
    CondMjcfPose back = cond_mjcf_inverse(&m->body[body[!weld]].world);
    CondMjcfPose world = cond_mjcf_times(&m->body[body[weld]].world, &frame[weld]);
    frame[!weld] = cond_mjcf_times(&back, &world);
    if (!weld || !cond_mjcf_numbers(m, node, "relpose", 7, 7, relative))
        return;
    for (int i = 3; i < 7; i++)
        square += relative[i] * relative[i];
    if (square < COND_INPUT_ROUNDING * COND_INPUT_ROUNDING) // that is: not given
        return;
    memcpy(frame[0].p, relative, sizeof frame[0].p);
    memcpy(frame[0].q, relative + 3, sizeof frame[0].q);
    quat_normalize(frame[0].q);
}

// The two bodies of an equality and the frames that it makes one, by bodies or by sites; 0 after a
// fault.
static int find_ends(CondMjcf* m, CondMjcfNode* node, int body[2], CondMjcfPose frame[2])
{
    const char* site[2] = {cond_mjcf_own(node, "site1"), cond_mjcf_own(node, "site2")};
    const char* name[2] = {cond_mjcf_own(node, "body1"), cond_mjcf_own(node, "body2")};
    frame[0] = frame[1] = cond_mjcf_unit();
    if (site[0] && site[1]) {
        for (int k = 0; k < 2; k++) {
            int s = cond_mjcf_find_site(m, site[k]);
            if (s < 0) {
                cond_mjcf_refuse(m, node, "there is no site '%.60s'", site[k]);
                return 0;
            }
            body[k] = m->site[s].body;
            frame[k] = m->site[s].pose;
        }
        return 1;
    }
    for (int k = 0; k < 2; k++) {
        body[k] = name[k] ? cond_mjcf_find_body(m, name[k]) : 0;
        if (body[k] < 0 && cond_mjcf_is_of_cable(m, name[k])) {
            cond_mjcf_warn(m, node, "<%.40s> of '%.60s', a body of a <composite>, is left out",
                           node->name, name[k]);
            return 0;
        }
        if (body[k] < 0 || (k == 0 && !name[k])) {
            cond_mjcf_refuse(m, node, "there is no body '%.60s'", name[k] ? name[k] : "");
            return 0;
        }
    }
    find_frames(m, node, body, frame);
    return 1;
}

// How the first end's axes are turned, seen from those of the second, where the frames are one.
static void put_turn(const CondMjcf* m, const int body[2], const CondMjcfPose frame[2],
                     double turn[4])
{
    CondMjcfPose at[2];
    for (int k = 0; k < 2; k++)
        at[k] = cond_mjcf_times(&m->body[body[k]].in_link, &frame[k]);
    CondMjcfPose back = cond_mjcf_inverse(&at[0]), both = cond_mjcf_times(&at[1], &back);
    memcpy(turn, both.q, sizeof both.q);
}

void cond_mjcf_read_softness(CondMjcf* m, const CondMjcfNode* node, double* stiffness,
                             double* damping)
{
    double ref[2] = {COND_MUJOCO_SOLREF, 1.0}, imp[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
    cond_mjcf_numbers(m, node, "solref", 1, 2, ref);
    cond_mjcf_numbers(m, node, "solimp", 1, 5, imp);
    double d = fmin(fmax(imp[1], 0.5), COND_MUJOCO_SOLIMP), share = d / (1.0 - d);
    const double usual = COND_MUJOCO_SOLREF;
    double b = 2.0 / (d * usual), k = 1.0 / (d * d * usual * usual);
    if (ref[0] > 0.0 && ref[1] > 0.0) {
        b = 2.0 / (d * ref[0]);
        k = 1.0 / (d * d * ref[0] * ref[0] * ref[1] * ref[1]);
    } else if (ref[0] < 0.0) { // stiffness and damping themselves, by d^2 and d
        k = -ref[0] / (d * d);
        b = -ref[1] / d;
    }
    *stiffness = d * k * share;
    *damping = b * share;
}

static void set_stiffness(CondMjcf* m, CondMjcfNode* node, const int body[2],
                          CondAttachmentDef* def)
{
    double mass = INFINITY, inertia = INFINITY, k, b;
    cond_mjcf_read_softness(m, node, &k, &b);
    for (int i = 0; i < 2; i++) {
        const CondMjcfBody* at = &m->body[body[i]];
        if (!(at->mass > 0.0))
            continue;
        mass = fmin(mass, at->mass);
        inertia = fmin(inertia, (at->inertia[0] + at->inertia[4] + at->inertia[8]) / 3.0);
    }
    mass = isfinite(mass) ? mass : 1.0;
    inertia = isfinite(inertia) ? inertia : COND_POINT_SIZE * COND_POINT_SIZE;
    def->stiffness = mass * k;
    def->damping = mass * b;
    def->rotation_stiffness = inertia * k;
    def->rotation_damping = inertia * b;
}

static void make_equality(CondMjcf* m, CondMjcfNode* node)
{
    CondAttachmentDef def = cond_attachment_def_default();
    CondSceneIssue issue;
    const char* name = cond_mjcf_own(node, "name");
    int body[2];
    CondMjcfPose frame[2];
    cond_mjcf_visit(m, node);
    if (!find_ends(m, node, body, frame))
        return;
    if (!cond_mjcf_true(m, node, "active", 1)) {
        cond_mjcf_warn(m, node, "<%.40s> is not active and left out", node->name);
        return;
    }
    cond_mjcf_scene_name(m, node, name ? name : "", def.name);
    def.turns = cond_mjcf_is(node, "weld");
    def.contact = 0;
    for (int k = 0; k < 2; k++)
        put_end(m, body[k], frame[k].p, &def.end[k]);
    memset(def.position, 0, sizeof def.position);
    if (def.turns)
        put_turn(m, body, frame, def.orientation);
    set_stiffness(m, node, body, &def);
    if (!def.end[0].body[0] && !def.end[1].body[0]) {
        cond_mjcf_warn(m, node, "<%.40s> holds two fixed bodies: left out", node->name);
        return;
    }
    cond_mjcf_warn_apart(m, node, body[0], body[1]);
    refuse_issue(m, node, cond_scene_put_def(m->scene, COND_SCENE_ATTACHMENT, &def, &issue),
                 &issue);
}

void cond_mjcf_make_equalities(CondMjcf* m)
{
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "equality") ? section->first : NULL;
             node && !cond_mjcf_ends(m); node = node->next)
            if (cond_mjcf_is(node, "connect") || cond_mjcf_is(node, "weld"))
                make_equality(m, node);
}

// Elements and attributes that are there for pictures, or for MuJoCo's own memory and solvers.
static int is_picture(const CondMjcfLeft* left)
{
    static const char* const names[] = {
        "visual",         "statistic",  "light",     "camera", "texture",    "material",
        "skin",           "rgba",       "group",     "size",   "custom",     "user",
        "fitscale",       "fovy",       "headlight", "mode",   "margin_",    "width",
        "springlength_",  "resolution", "ipd",       "focal",  "focalpixel", "principal",
        "principalpixel", "sensorsize"};
    const char* name = left->attribute ? left->attribute : left->node->name;
    if (!left->attribute && strcmp(name, "group") == 0)
        return 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0)
            return 1;
    return 0;
}

// What is not drawn: geoms of rigid bodies beside their one shape, and meshes that are not there.
static void list_unseen(CondMjcf* m)
{
    const CondMjcfGeom* first = NULL;
    int n = 0;
    for (int g = 0; g < m->n_geom; g++) {
        const CondMjcfGeom* geom = &m->geom[g];
        const CondMjcfBody* body = &m->body[geom->body];
        if (cond_mjcf_touches(geom) || !geom->seen || !(body->moves || body->mocap) ||
            body->link[0])
            continue;
        first = first ? first : geom;
        n++;
    }
    if (first)
        cond_mjcf_warn(m, first->node,
                       "geoms without contact are not drawn where another geom is the shape of a "
                       "rigid body: %d of %d",
                       n, m->n_geom);
    if (m->n_unseen > 0)
        cond_mjcf_warn(m, m->unseen, "%d visual mesh%s not there", m->n_unseen,
                       m->n_unseen > 1 ? "es are" : " is");
}

// Numbers of MuJoCo's soft constraints: what is hard here has none.
static int is_softness(const CondMjcfLeft* left)
{
    static const char* const names[] = {
        "solref",         "solimp",    "solreflimit", "solimplimit", "solreffriction",
        "solimpfriction", "solreffix", "solimpfix",   "solmix",      "o_solref",
        "o_solimp",       "o_margin",  "o_friction",  "impratio"};
    for (size_t k = 0; left->attribute && k < sizeof names / sizeof *names; k++)
        if (strcmp(left->attribute, names[k]) == 0)
            return 1;
    return 0;
}

// One line for all of one sort that are left.
typedef struct Gathered {
    char text[COND_WARNING_SIZE - 120];
    size_t length;
    const CondMjcfNode* first;
} Gathered;

static void gather(Gathered* g, const CondMjcfLeft* left, const char* what)
{
    g->first = g->first ? g->first : left->node;
    if (g->length < sizeof g->text)
        g->length += (size_t)snprintf(g->text + g->length, sizeof g->text - g->length, "%s%s",
                                      *g->text ? ", " : "", what);
}

// A file of which nothing became a part of the scene is not fine.
static void list_nothing(CondMjcf* m)
{
    const CondScene* scene = m->scene;
    if (scene->n_body + scene->n_plane + scene->n_obstacle == 0)
        cond_mjcf_warn(m, m->root, "nothing in the file became a body, a plane or an obstacle");
}

void cond_mjcf_list_left(CondMjcf* m)
{
    list_unseen(m);
    list_nothing(m);
    cond_mjcf_list_touch(m);
    CondMjcfLeft* left = NULL;
    int n = 0;
    Gathered pictures = {.length = 0}, softness = {.length = 0};
    cond_mjcf_mark_asked(m);
    if (cond_mjcf_tree_left(&m->arena, m->root, &left, &n)) {
        cond_mjcf_no_memory(m);
        return;
    }
    for (int i = 0; i < n; i++) {
        const CondMjcfLeft* one = &left[i];
        char what[128], often[32] = "";
        snprintf(what, sizeof what, one->attribute ? "<%.40s> %.60s" : "<%.40s>", one->node->name,
                 one->attribute);
        if (one->count > 1)
            snprintf(often, sizeof often, " (%d times)", one->count);
        if (is_picture(one))
            gather(&pictures, one, what);
        else if (is_softness(one))
            gather(&softness, one, what);
        else
            cond_mjcf_warn(m, one->node, "%s is left out%s", what, often);
    }
    if (softness.first)
        cond_mjcf_warn(m, softness.first,
                       "contacts, limits and dry friction are hard here, without %s",
                       softness.text);
    if (pictures.first)
        cond_mjcf_warn(m, pictures.first, "of no effect on the motion: %s", pictures.text);
}
