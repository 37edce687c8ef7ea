// <attach> and <replicate>: the tree of a file becomes one that has neither.
//
// Attaching takes a body of another file with all that refers to what is in it: assets, classes and
// elements of the sections, under names with a prefix, read by the compiler settings of that file.
// A replica is a frame, moved by offset and euler from the one before it; what is in it and all
// that refers to that has the number of the replica behind its name.
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/mjcf_copy.h"

#include <stdio.h>
#include <string.h>

// Sections whose elements refer to bodies and what is in them, each after those it refers to.
static const char* const sections[] = {"contact",  "deformable", "tendon",
                                       "equality", "actuator",   "sensor"};
enum { N_SECTION = sizeof sections / sizeof *sections };

static CondMjcfNode* find_section(CondMjcf* m, CondMjcfNode* root, const char* name)
{
    CondMjcfNode* found = cond_mjcf_named(root->first, name);
    if (!found && (found = cond_mjcf_make(m, name, root, root)))
        cond_mjcf_append(root, found);
    return found;
}

// Copies the elements of a section that refer to what is in the set, and to nothing else, from one
// tree to another; their own names are then in the set too.
static void copy_section(CondMjcf* m, CondMjcfNode* from, CondMjcfNode* to, const char* name,
                         CondMjcfNames* set, const CondMjcfRenaming* renaming)
{
    for (CondMjcfNode* section = from->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, name) ? section->first : NULL;
             node && !cond_mjcf_ends(m); node = node->next) {
            int within = 0, others = 0;
            cond_mjcf_count_references(node, set, &within, &others);
            if (within == 0 || others > 0)
                continue;
            cond_mjcf_gather(m, node, set);
            CondMjcfNode* target = find_section(m, to, name);
            CondMjcfNode* copy = target ? cond_mjcf_copy(m, node, renaming, target) : NULL;
            if (copy)
                cond_mjcf_append(target, copy);
        }
}

// Marks what copies stand for, then takes it out.
static void mark_replaced(CondMjcf* m, CondMjcfNode* root, CondMjcfNames* set)
{
    for (int k = 0; k < N_SECTION; k++)
        for (CondMjcfNode* section = root->first; section; section = section->next)
            for (CondMjcfNode* node = cond_mjcf_is(section, sections[k]) ? section->first : NULL;
                 node; node = node->next) {
                int within = 0, others = 0;
                cond_mjcf_count_references(node, set, &within, &others);
                if (within > 0)
                    cond_mjcf_gather(m, node, set);
                node->replaced = within > 0;
            }
}

static void remove_replaced(CondMjcfNode* root)
{
    for (CondMjcfNode* section = root->first; section; section = section->next)
        for (CondMjcfNode *node = section->first, *next; node; node = next) {
            next = node->next;
            if (node->replaced)
                cond_mjcf_replace(node, NULL);
        }
}

// A frame at a pose, in numbers that are read as they are.
static CondMjcfNode* make_frame(CondMjcf* m, const CondMjcfNode* like, CondMjcfNode* list,
                                const CondMjcfPose* pose)
{
    char text[2][160];
    snprintf(text[0], sizeof text[0], "%.17g %.17g %.17g", pose->p[0], pose->p[1], pose->p[2]);
    snprintf(text[1], sizeof text[1], "%.17g %.17g %.17g %.17g", pose->q[0], pose->q[1], pose->q[2],
             pose->q[3]);
    CondMjcfNode* frame = cond_mjcf_make(m, "frame", like, list);
    if (!frame)
        return NULL;
    cond_mjcf_put_attribute(m, frame, "pos", cond_mjcf_join(m, text[0], "", ""));
    cond_mjcf_put_attribute(m, frame, "quat", cond_mjcf_join(m, text[1], "", ""));
    cond_mjcf_append(list, frame);
    return frame;
}

static void replicate(CondMjcf* m, CondMjcfNode* node)
{
    CondMjcfPose step = cond_mjcf_unit(), at = cond_mjcf_unit();
    CondMjcfNames set = {0, NULL};
    const char* sep = cond_mjcf_own(node, "sep");
    CondMjcfNode* list = cond_mjcf_make(m, "frame", node, node->parent);
    int count = cond_mjcf_whole(m, node, "count", 0), width = 1;
    cond_mjcf_numbers(m, node, "offset", 3, 3, step.p);
    cond_mjcf_euler(m, node, "euler", step.q);
    node->used = 1;
    if (count < 1 || count > COND_FILE_ITEMS) {
        cond_mjcf_refuse(m, node, "count of <replicate>: expected 1 to %d", COND_FILE_ITEMS);
        return;
    }
    if (!list)
        return;
    for (int most = count - 1; most >= 10; most /= 10)
        width++;
    for (const CondMjcfNode* child = node->first; child; child = child->next)
        cond_mjcf_gather(m, child, &set);
    mark_replaced(m, m->root, &set);
    for (int i = 0; i < count && !cond_mjcf_ends(m); i++) {
        char number[32];
        snprintf(number, sizeof number, "%0*d", width % 10, i);
        CondMjcfRenaming renaming = {
            .prefix = "", .suffix = cond_mjcf_join(m, sep ? sep : "", number, ""), .set = &set};
        CondMjcfNode* frame = make_frame(m, node, list, &at);
        for (const CondMjcfNode* child = node->first; child && frame && !cond_mjcf_ends(m);
             child = child->next) {
            CondMjcfNode* copy = cond_mjcf_copy(m, child, &renaming, frame);
            if (copy)
                cond_mjcf_append(frame, copy);
        }
        for (CondMjcfNode* section = m->root->first; section; section = section->next) {
            CondMjcfNode* last = section->last;
            for (CondMjcfNode* one = section->first; one && !cond_mjcf_ends(m);
                 one = one == last ? NULL : one->next) {
                CondMjcfNode* copy =
                    one->replaced ? cond_mjcf_copy(m, one, &renaming, section) : NULL;
                if (copy)
                    cond_mjcf_append(section, copy);
            }
        }
        at = cond_mjcf_times(&at, &step);
    }
    remove_replaced(m->root);
    cond_mjcf_replace(node, list);
}

// The innermost first.
static void replicate_below(CondMjcf* m, CondMjcfNode* node)
{
    for (CondMjcfNode *child = node->first, *next; child && !cond_mjcf_ends(m); child = next) {
        next = child->next;
        replicate_below(m, child);
        if (cond_mjcf_is(child, "replicate"))
            replicate(m, child);
    }
}

void cond_mjcf_replicate(CondMjcf* m)
{
    for (CondMjcfNode* node = m->root->first; node; node = node->next)
        if (cond_mjcf_is(node, "worldbody"))
            replicate_below(m, node);
}

static void attach_all(CondMjcf* m, CondMjcfNode* root, const char* path, int depth);

// A file that <asset><model> names: its tree, in which nothing is attached any more.
static CondMjcfNode* read_model(CondMjcf* m, const CondMjcfNode* asset, const char* beside,
                                int depth)
{
    const char* name = cond_mjcf_own(asset, "file");
    const char* slash = strrchr(beside, '/');
    if (!name || !*name) {
        cond_mjcf_refuse(m, asset, "<model> without file");
        return NULL;
    }
    char* folder = cond_arena_allocate(&m->arena, strlen(beside) + 1, 1);
    if (!folder) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    memcpy(folder, beside, slash && *name != '/' ? (size_t)(slash - beside) + 1 : 0);
    const char* path = cond_mjcf_join(m, folder, name, "");
    FILE* stream = fopen(path, "rb");
    CondUrdfFile file = m->file;
    CondMjcfNode* root = NULL;
    if (!stream) {
        cond_mjcf_refuse(m, asset, "the model %s cannot be opened", name);
        return NULL;
    }
    fclose(stream);
    file.path = path;
    CondStatus status = cond_mjcf_tree_read(&file, &m->arena, &root);
    m->status = m->status ? m->status : status;
    if (status || !root)
        return NULL;
    attach_all(m, root, path, depth + 1);
    return root;
}

static const char* model_name(const CondMjcfNode* asset, const CondMjcfNode* root)
{
    const char* name = cond_mjcf_own(asset, "name");
    return name ? name : root ? cond_mjcf_own(root, "model") : NULL;
}

// The <model> that an <attach> names, and its tree.
static CondMjcfNode* find_model(CondMjcf* m, CondMjcfNode* root, const char* name, const char* path,
                                int depth)
{
    for (CondMjcfNode* section = root->first; section; section = section->next)
        for (CondMjcfNode* asset = cond_mjcf_is(section, "asset") ? section->first : NULL; asset;
             asset = asset->next) {
            const char* own = cond_mjcf_own(asset, "name");
            if (!cond_mjcf_is(asset, "model") || (own && strcmp(own, name) != 0))
                continue;
            asset->used = 1;
            cond_mjcf_own(asset, "content_type");
            CondMjcfNode* model = read_model(m, asset, path, depth);
            const char* called = model ? model_name(asset, model) : NULL;
            if (!model || (called && strcmp(called, name) == 0))
                return model;
        }
    return NULL;
}

static CondMjcfNode* find_body(CondMjcfNode* node, const char* name)
{
    CondMjcfNode* found = NULL;
    for (CondMjcfNode* child = node->first; child && !found; child = child->next) {
        const char* own = cond_mjcf_is(child, "body") ? cond_mjcf_own(child, "name") : NULL;
        found = own && strcmp(own, name) == 0 ? child : find_body(child, name);
    }
    return found;
}

// Children of sections that are taken as they are, under new names.
static void copy_all(CondMjcf* m, const CondMjcfNode* from, CondMjcfNode* root, const char* name,
                     const CondMjcfRenaming* renaming)
{
    for (const CondMjcfNode* section = from->first; section; section = section->next) {
        if (!cond_mjcf_is(section, name) || cond_mjcf_ends(m))
            continue;
        CondMjcfNode* copy = cond_mjcf_copy(m, section, renaming, root);
        if (copy)
            cond_mjcf_append(root, copy);
    }
}

// Instances of another file's settings, and of those attached to it: what is copied from them is
// read by these. Returns the new numbers by the old ones; NULL where memory is short.
static int* add_models(CondMjcf* m, const CondMjcfNode* root, CondMjcfNode* from,
                       const char* prefix)
{
    int n = m->n_model, *map = cond_arena_allocate(&m->arena, (size_t)n, sizeof *map);
    if (!map || COND_RESERVE(&m->arena, m->model, 2 * n)) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    for (int k = 0; k < n; k++) {
        CondMjcfSettings made = m->model[k];
        if (k > 0 && made.into != from)
            continue;
        if (k == 0)
            made = (CondMjcfSettings){.root = from, .path = from->file, .main = "main"};
        made.into = root;
        made.main = cond_mjcf_join(m, prefix, made.main, "");
        map[k] = m->n_model;
        m->model[m->n_model++] = made;
    }
    return map;
}

static void attach(CondMjcf* m, CondMjcfNode* root, CondMjcfNode* node, const char* path, int depth)
{
    const char *name = cond_mjcf_own(node, "model"), *body = cond_mjcf_own(node, "body");
    const char* prefix = cond_mjcf_own(node, "prefix");
    CondMjcfNode* from =
        name && depth < COND_FILE_LEVELS ? find_model(m, root, name, path, depth) : NULL;
    node->used = 1;
    prefix = prefix ? prefix : "";
    if (!from) {
        if (!m->status)
            cond_mjcf_refuse(m, node,
                             depth < COND_FILE_LEVELS
                                 ? "<attach>: there is no model '%s'"
                                 : "<attach> '%s': models attach each other in a circle",
                             name ? name : "");
        return;
    }
    CondMjcfNames set = {0, NULL};
    CondMjcfNode* frame = cond_mjcf_make(m, "frame", node, node->parent);
    CondMjcfNode* list = cond_mjcf_make(m, "frame", node, node->parent);
    CondMjcfRenaming renaming = {.prefix = prefix, .suffix = ""};
    renaming.model = add_models(m, root, from, prefix);
    if (!frame || !list || !renaming.model || cond_mjcf_ends(m))
        return;
    int found = 0;
    for (CondMjcfNode* world = from->first; world; world = world->next) {
        CondMjcfNode* only =
            body && cond_mjcf_is(world, "worldbody") ? find_body(world, body) : NULL;
        if (!cond_mjcf_is(world, "worldbody") || (body && !only))
            continue;
        found = 1;
        for (CondMjcfNode* child = only ? only : world->first; child;
             child = only ? NULL : child->next) {
            cond_mjcf_gather(m, child, &set);
            CondMjcfNode* copy = cond_mjcf_copy(m, child, &renaming, frame);
            if (copy)
                cond_mjcf_append(frame, copy);
        }
    }
    if (!found)
        cond_mjcf_refuse(m, node, "<attach>: there is no body '%s' in %s", body ? body : "",
                         from->file);
    cond_mjcf_append(list, frame);
    cond_mjcf_replace(node, list);
    copy_all(m, from, root, "default", &renaming);
    copy_all(m, from, root, "asset", &renaming);
    for (int k = 0; k < N_SECTION; k++)
        copy_section(m, from, root, sections[k], &set, &renaming);
    if (cond_mjcf_named(from->first, "keyframe"))
        cond_mjcf_warn(m, node, "the keyframes of the attached model '%s' are left out", name);
}

static CondMjcfNode* find_attach(CondMjcfNode* node)
{
    CondMjcfNode* found = NULL;
    for (CondMjcfNode* child = node->first; child && !found; child = child->next)
        found = cond_mjcf_is(child, "attach") ? child : find_attach(child);
    return found;
}

static void attach_all(CondMjcf* m, CondMjcfNode* root, const char* path, int depth)
{
    for (CondMjcfNode* world = root->first; world; world = world->next) {
        CondMjcfNode* node = NULL;
        while (cond_mjcf_is(world, "worldbody") && !m->status && (node = find_attach(world)))
            attach(m, root, node, path, depth);
    }
}

void cond_mjcf_attach(CondMjcf* m)
{
    if (COND_RESERVE(&m->arena, m->model, 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    m->model[0] = (CondMjcfSettings){.root = m->root, .path = m->file.path, .main = "main"};
    m->n_model = 1;
    attach_all(m, m->root, m->file.path, 0);
}
