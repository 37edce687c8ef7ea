// Copies of MJCF elements with other names, for replicas and attached models: what refers to the
// original refers to the copy.
#include "robot_file/mjcf_copy.h"

#include <string.h>

// Attributes that name an element of some kind.
static const struct {
    const char* attribute;
    const char* kind;
} references[] = {
    {"body", "body"},
    {"body1", "body"},
    {"body2", "body"},
    {"target", "body"},
    {"joint", "joint"},
    {"joint1", "joint"},
    {"joint2", "joint"},
    {"jointinparent", "joint"},
    {"site", "site"},
    {"site1", "site"},
    {"site2", "site"},
    {"sidesite", "site"},
    {"refsite", "site"},
    {"cranksite", "site"},
    {"slidersite", "site"},
    {"geom", "geom"},
    {"geom1", "geom"},
    {"geom2", "geom"},
    {"tendon", "tendon"},
    {"tendon1", "tendon"},
    {"tendon2", "tendon"},
    {"actuator", "actuator"},
    {"camera", "camera"},
    {"mesh", "mesh"},
    {"hfield", "hfield"},
    {"material", "material"},
    {"texture", "texture"},
    {"class", "class"},
    {"childclass", "childclass"},
    {"objname", "objname"},
    {"refname", "refname"},
};

static const char* own_value(const CondMjcfNode* node, const char* name)
{
    for (int i = 0; i < node->n_attribute; i++)
        if (strcmp(node->attribute[i].name, name) == 0)
            return node->attribute[i].value;
    return NULL;
}

// What an attribute refers to; NULL: to nothing.
static const char* kind_of(const CondMjcfNode* node, const char* attribute)
{
    for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
        if (strcmp(references[k].attribute, attribute) != 0)
            continue;
        const char* kind = references[k].kind;
        if (strcmp(kind, "objname") == 0 || strcmp(kind, "refname") == 0) {
            const char* type = own_value(node, kind[0] == 'o' ? "objtype" : "reftype");
            return type && strcmp(type, "xbody") == 0 ? "body" : type;
        }
        return strcmp(kind, "childclass") == 0 ? "class" : kind;
    }
    return NULL;
}

// What elements of this name are called by those that refer to them.
static const char* kind_of_element(const CondMjcfNode* node)
{
    const char* group = node->parent ? node->parent->name : "";
    if (strcmp(group, "actuator") == 0 || strcmp(group, "tendon") == 0 ||
        strcmp(group, "sensor") == 0)
        return group;
    return strcmp(node->name, "freejoint") == 0 ? "joint" : node->name;
}

static int has(const CondMjcfNames* set, const char* kind, const char* name)
{
    for (int i = 0; i < set->n; i++)
        if (strcmp(set->name[i].kind, kind) == 0 && strcmp(set->name[i].name, name) == 0)
            return 1;
    return 0;
}

void cond_mjcf_gather(CondMjcf* m, const CondMjcfNode* node, CondMjcfNames* names)
{
    const char* name = own_value(node, "name");
    if (name && *name) {
        if (COND_RESERVE(&m->arena, names->name, names->n + 1)) {
            cond_mjcf_no_memory(m);
            return;
        }
        names->name[names->n++] = (CondMjcfName){kind_of_element(node), name};
    }
    for (const CondMjcfNode* child = node->first; child; child = child->next)
        cond_mjcf_gather(m, child, names);
}

void cond_mjcf_count_references(const CondMjcfNode* node, const CondMjcfNames* set, int* within,
                                int* beyond)
{
    static const char* const assets[] = {"mesh", "hfield", "material", "texture", "class"};
    for (int i = 0; i < node->n_attribute; i++) {
        const char* kind = kind_of(node, node->attribute[i].name);
        int asset = 0;
        for (size_t k = 0; kind && k < sizeof assets / sizeof *assets; k++)
            asset |= strcmp(kind, assets[k]) == 0;
        if (!kind || asset)
            continue;
        if (has(set, kind, node->attribute[i].value))
            (*within)++;
        else if (strcmp(node->attribute[i].value, "world") != 0)
            (*beyond)++;
    }
    for (const CondMjcfNode* child = node->first; child; child = child->next)
        cond_mjcf_count_references(child, set, within, beyond);
}

const char* cond_mjcf_join(CondMjcf* m, const char* a, const char* b, const char* c)
{
    size_t n[3] = {strlen(a), strlen(b), strlen(c)};
    char* text = cond_arena_allocate(&m->arena, n[0] + n[1] + n[2] + 1, 1);
    if (!text) {
        cond_mjcf_no_memory(m);
        return "";
    }
    memcpy(text, a, n[0]);
    memcpy(text + n[0], b, n[1]);
    memcpy(text + n[0] + n[1], c, n[2]);
    return text;
}

CondMjcfNode* cond_mjcf_make(CondMjcf* m, const char* name, const CondMjcfNode* like,
                             CondMjcfNode* parent)
{
    CondMjcfNode* node = cond_arena_allocate(&m->arena, 1, sizeof *node);
    if (!node) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    node->name = name;
    node->file = like->file;
    node->line = like->line;
    node->model = like->model;
    node->parent = parent;
    return node;
}

void cond_mjcf_put_attribute(CondMjcf* m, CondMjcfNode* node, const char* name, const char* value)
{
    if (COND_RESERVE(&m->arena, node->attribute, node->n_attribute + 1))
        cond_mjcf_no_memory(m);
    else
        node->attribute[node->n_attribute++] = (CondMjcfAttribute){name, value, 0};
}

void cond_mjcf_append(CondMjcfNode* parent, CondMjcfNode* node)
{
    node->parent = parent;
    node->next = NULL;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
}

void cond_mjcf_replace(CondMjcfNode* child, CondMjcfNode* list)
{
    CondMjcfNode* parent = child->parent;
    CondMjcfNode** at = &parent->first;
    while (*at != child)
        at = &(*at)->next;
    for (CondMjcfNode* one = list ? list->first : NULL; one; one = one->next) {
        one->parent = parent;
        *at = one;
        at = &one->next;
    }
    *at = child->next;
    parent->last = NULL;
    for (CondMjcfNode* one = parent->first; one; one = one->next)
        parent->last = one;
}

// The value of an attribute of a copy.
static const char* renamed(CondMjcf* m, const CondMjcfNode* node, const CondMjcfAttribute* a,
                           const CondMjcfRenaming* r)
{
    int own = strcmp(a->name, "name") == 0;
    const char* kind = own ? kind_of_element(node) : kind_of(node, a->name);
    // A class of defaults is told by the attribute that refers to it elsewhere.
    if (!kind || !*a->value || (strcmp(kind, "body") == 0 && strcmp(a->value, "world") == 0) ||
        (!own && r->set && !has(r->set, kind, a->value)))
        return a->value;
    return cond_mjcf_join(m, r->prefix, a->value, r->suffix);
}

CondMjcfNode* cond_mjcf_copy(CondMjcf* m, const CondMjcfNode* node, const CondMjcfRenaming* r,
                             CondMjcfNode* parent)
{
    CondMjcfNode* copy = cond_mjcf_make(m, node->name, node, parent);
    if (!copy)
        return NULL;
    copy->used = node->used;
    copy->model = r->model ? r->model[node->model] : node->model;
    for (int i = 0; i < node->n_attribute && !cond_mjcf_ends(m); i++)
        cond_mjcf_put_attribute(m, copy, node->attribute[i].name,
                                renamed(m, node, &node->attribute[i], r));
    for (const CondMjcfNode* child = node->first; child && !cond_mjcf_ends(m);
         child = child->next) {
        CondMjcfNode* one = cond_mjcf_copy(m, child, r, copy);
        if (one)
            cond_mjcf_append(copy, one);
    }
    return copy;
}
