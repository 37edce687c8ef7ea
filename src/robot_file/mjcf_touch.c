// Pairs that may touch: contype and conaffinity become groups, <exclude> pairs of names.
//
// Two geoms touch where contype of one meets conaffinity of the other, one way or the other. Every
// pair of numbers that occurs becomes a group, which touches the groups it meets.
#include "robot_file/mjcf_make.h"

#include <stdio.h>
#include <string.h>

static int meets(const CondMjcfMask* a, const CondMjcfMask* b)
{
    return (a->contype & b->conaffinity) || (b->contype & a->conaffinity);
}

static int find_mask(const CondMjcf* m, const CondMjcfGeom* geom)
{
    for (int i = 0; i < m->n_mask; i++)
        if (m->mask[i].contype == geom->contype && m->mask[i].conaffinity == geom->conaffinity)
            return i;
    return -1;
}

// The names of the groups, which a scene file tells them by.
static void name_groups(CondMjcf* m)
{
    CondScene* scene = m->scene;
    if (COND_RESERVE(&scene->arena, scene->group, m->n_mask)) {
        cond_mjcf_no_memory(m);
        return;
    }
    for (int i = 0; i < m->n_mask; i++) {
        memset(scene->group[i], 0, sizeof scene->group[i]);
        if (i == 0)
            snprintf(scene->group[i], sizeof scene->group[i], "default");
        else
            snprintf(scene->group[i], sizeof scene->group[i], "contype%d_conaffinity%d",
                     m->mask[i].contype, m->mask[i].conaffinity);
    }
    scene->n_group = m->n_mask;
}

void cond_mjcf_find_masks(CondMjcf* m)
{
    for (int pass = 0; pass < 2; pass++) // the usual one is the first group
        for (int g = 0; g < m->n_geom; g++) {
            const CondMjcfGeom* geom = &m->geom[g];
            int usual = geom->contype == 1 && geom->conaffinity == 1;
            if (!cond_mjcf_touches(geom) || find_mask(m, geom) >= 0 || usual == pass)
                continue;
            if (m->n_mask == COND_MAX_GROUP) {
                cond_mjcf_warn(m, geom->node,
                               "more than %d kinds of contype and conaffinity: the "
                               "others are treated as the first",
                               COND_MAX_GROUP);
                return;
            }
            m->mask[m->n_mask++] = (CondMjcfMask){geom->contype, geom->conaffinity};
        }
    // Groups are told where they make a difference, and the scene has none of its own.
    m->masked = m->n_mask > 1 || (m->n_mask == 1 && !meets(&m->mask[0], &m->mask[0]));
    if (m->masked && m->scene->n_group > 1) {
        m->masked = 0;
        cond_mjcf_warn(m, m->root,
                       "contype and conaffinity are left out: the scene has groups of "
                       "its own");
    }
    if (m->masked)
        name_groups(m);
}

void cond_mjcf_put_groups(CondMjcf* m, int body, int geom, uint32_t* groups, uint32_t* touches)
{
    uint32_t in = 0, touched = 0;
    for (int g = 0; g < m->n_geom && m->masked; g++) {
        if ((geom >= 0 ? g != geom : m->geom[g].body != body) || !cond_mjcf_touches(&m->geom[g]))
            continue;
        int mask = find_mask(m, &m->geom[g]);
        mask = mask < 0 ? 0 : mask;
        in |= 1u << mask;
        for (int k = 0; k < m->n_mask; k++)
            if (meets(&m->mask[mask], &m->mask[k]))
                touched |= 1u << k;
    }
    if (in) {
        *groups = in;
        *touches = touched;
    }
}

// Excludes all that one body is from all that the other is: a static one is its geoms.
static void exclude(CondMjcf* m, const CondMjcfNode* node, int a, int b)
{
    for (int i = -1; i < m->n_geom; i++)
        for (int k = -1; k < m->n_geom && !cond_mjcf_ends(m); k++) {
            CondExcludeDef def = cond_exclude_def_default();
            CondSceneIssue issue;
            if (!cond_mjcf_thing(m, a, i, def.thing[0]) || !cond_mjcf_thing(m, b, k, def.thing[1]))
                continue;
            CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_EXCLUDE, &def, &issue);
            if (status == COND_OUT_OF_MEMORY)
                cond_mjcf_no_memory(m);
            else if (status)
                cond_mjcf_warn(m, node, "<exclude> is left out: %.1000s", issue.text);
        }
}

int cond_mjcf_thing(CondMjcf* m, int body, int geom, char thing[2 * COND_NAME_SIZE])
{
    const CondMjcfBody* at = &m->body[body];
    memset(thing, 0, 2 * COND_NAME_SIZE);
    if (geom < 0) {
        if (at->link[0])
            snprintf(thing, 2 * COND_NAME_SIZE, "%.63s/%.63s", at->scene_body, at->link);
        else
            snprintf(thing, 2 * COND_NAME_SIZE, "%.63s", at->scene_body);
        return at->scene_body[0] != 0;
    }
    const CondMjcfGeom* own = &m->geom[geom];
    if (at->scene_body[0] || own->body != body || !cond_mjcf_touches(own) || !own->made)
        return 0;
    char name[COND_NAME_SIZE];
    cond_mjcf_scene_name(m, own->node, own->name, name);
    snprintf(thing, 2 * COND_NAME_SIZE, "%s", name);
    return 1;
}

static int find_geom(const CondMjcf* m, const char* name)
{
    for (int g = 0; name && g < m->n_geom; g++)
        if (strcmp(m->geom[g].name, name) == 0)
            return g;
    return -1;
}

// The geoms of a body that touch.
static int count_touching(const CondMjcf* m, int body)
{
    int n = 0;
    for (int g = 0; g < m->n_geom; g++)
        n += m->geom[g].body == body && cond_mjcf_touches(&m->geom[g]);
    return n;
}

// One end of a <pair>: what moves is told by its link; 0 where there is none.
static int put_pair_end(CondMjcf* m, const CondMjcfNode* node, const char* name,
                        char thing[2 * COND_NAME_SIZE])
{
    int g = find_geom(m, name);
    if (g < 0) {
        cond_mjcf_refuse(m, node, "there is no geom '%.60s'", name ? name : "");
        return 0;
    }
    int body = m->geom[g].body, moves = m->body[body].scene_body[0] != 0;
    if (!cond_mjcf_touches(&m->geom[g])) {
        cond_mjcf_warn(m, node, "<pair> is left out: geom '%.60s' touches nothing else", name);
        return 0;
    }
    if (moves && count_touching(m, body) > 1)
        cond_mjcf_warn(m, node, "<pair> of geom '%.60s' is one of all geoms of body '%s'", name,
                       m->body[body].name);
    return cond_mjcf_thing(m, body, moves ? -1 : g, thing);
}

// Two geoms that touch whatever contype and conaffinity say.
static void make_pair(CondMjcf* m, CondMjcfNode* node)
{
    CondExcludeDef def = cond_exclude_def_default();
    CondSceneIssue issue;
    double friction[5];
    cond_mjcf_visit(m, node);
    def.touches = 1;
    if (!put_pair_end(m, node, cond_mjcf_own(node, "geom1"), def.thing[0]) ||
        !put_pair_end(m, node, cond_mjcf_own(node, "geom2"), def.thing[1]))
        return;
    int n = cond_mjcf_numbers(m, node, "friction", 1, 5, friction);
    if (n > 0) {
        def.surface.friction[0] = friction[0];
        def.surface.friction[1] = n > 1 ? friction[1] : friction[0];
    }
    if (cond_mjcf_whole(m, node, "condim", 3) == 1)
        def.surface.friction[0] = def.surface.friction[1] = 0.0;
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_EXCLUDE, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_warn(m, node, "<pair> is left out: %.150s", issue.text);
}

void cond_mjcf_make_excludes(CondMjcf* m)
{
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "contact") ? section->first : NULL;
             node && !cond_mjcf_ends(m); node = node->next) {
            section->used = 1;
            if (cond_mjcf_is(node, "pair"))
                make_pair(m, node);
            if (!cond_mjcf_is(node, "exclude"))
                continue;
            cond_mjcf_visit(m, node);
            const char* name[2] = {cond_mjcf_own(node, "body1"), cond_mjcf_own(node, "body2")};
            int b[2];
            for (int k = 0; k < 2; k++) {
                b[k] = cond_mjcf_find_body(m, name[k]);
                if (b[k] < 0 && cond_mjcf_is_of_cable(m, name[k]))
                    cond_mjcf_warn(m, node,
                                   "<exclude> of '%.60s', a body of a <composite>, is left out",
                                   name[k]);
                else if (b[k] < 0)
                    cond_mjcf_refuse(m, node, "there is no body '%.60s'", name[k] ? name[k] : "");
            }
            if (b[0] >= 0 && b[1] >= 0 && b[0] != b[1])
                exclude(m, node, b[0], b[1]);
        }
}

// 1 where an <exclude> names the two.
static int is_excluded(const CondMjcf* m, int a, int b)
{
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "contact") ? section->first : NULL; node;
             node = node->next) {
            if (!cond_mjcf_is(node, "exclude"))
                continue;
            int one = cond_mjcf_find_body(m, cond_mjcf_own(node, "body1"));
            int other = cond_mjcf_find_body(m, cond_mjcf_own(node, "body2"));
            if ((one == a && other == b) || (one == b && other == a))
                return 1;
        }
    return 0;
}

// The body that carries one without joints.
static int carrier(const CondMjcf* m, int body)
{
    while (body > 0 && m->body[body].n_joint == 0)
        body = m->body[body].parent;
    return body;
}

// 1 where geoms of the two, or of what is fixed to them, touch each other in MuJoCo.
static int may_meet(const CondMjcf* m, int a, int b)
{
    for (int i = 0; i < m->n_geom; i++)
        for (int k = 0; k < m->n_geom && carrier(m, m->geom[i].body) == a; k++) {
            const CondMjcfGeom *one = &m->geom[i], *other = &m->geom[k];
            CondMjcfMask mask[2] = {{one->contype, one->conaffinity},
                                    {other->contype, other->conaffinity}};
            if (carrier(m, other->body) == b && meets(&mask[0], &mask[1]) &&
                !is_excluded(m, one->body, other->body))
                return 1;
        }
    return 0;
}

void cond_mjcf_warn_apart(CondMjcf* m, const CondMjcfNode* node, int a, int b)
{
    int one = carrier(m, a), other = carrier(m, b);
    if (one > 0 && other > 0 && one != other && may_meet(m, one, other))
        cond_mjcf_warn(m, node,
                       "<%.40s>: bodies '%.60s' and '%.60s' do not touch each other while it holds",
                       node->name, m->body[a].name, m->body[b].name);
}

// Torsional and rolling friction of what touches.
static void list_spinning(CondMjcf* m)
{
    const CondMjcfGeom* first = NULL;
    int n = 0;
    for (int g = 0; g < m->n_geom; g++)
        if (cond_mjcf_touches(&m->geom[g]) && m->geom[g].condim > 3) {
            first = first ? first : &m->geom[g];
            n++;
        }
    if (first)
        cond_mjcf_warn(m, first->node,
                       "condim %d of geom '%s': torsional and rolling friction are left out, it "
                       "slides as with condim 3 (%d of %d geoms)",
                       first->condim, first->name, n, m->n_geom);
}

// Ellipsoids are hulls of points on them, which leave out a little of their volume.
static void list_ellipsoids(CondMjcf* m)
{
    const CondMjcfGeom* first = NULL;
    int n = 0;
    for (int g = 0; g < m->n_geom; g++)
        if (cond_mjcf_touches(&m->geom[g]) && m->geom[g].kind == COND_MJCF_ELLIPSOID) {
            first = first ? first : &m->geom[g];
            n++;
        }
    if (first)
        cond_mjcf_warn(m, first->node,
                       "geom '%s': an ellipsoid touches as the hull of 162 points on it, which is "
                       "up to 2 %% of its half axes inside (%d of %d geoms)",
                       first->name, n, m->n_geom);
}

void cond_mjcf_list_touch(CondMjcf* m)
{
    list_spinning(m);
    list_ellipsoids(m);
}
