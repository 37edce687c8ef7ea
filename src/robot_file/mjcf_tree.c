// Reads an MJCF file and its includes into one tree (mjcf_tree.h). Reads files; takes memory of
// the arena.
#include "robot_file/mjcf_tree.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 8192 };

static char* keep(CondArena* arena, const char* text)
{
    size_t length = strlen(text) + 1;
    char* copy = cond_arena_allocate(arena, length, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

// All files so far, the robot's first. Each may be there once, as in MuJoCo.
typedef struct Paths {
    const char* robot;
    int n;
    const char** path; // (n)
} Paths;

// What is being read: the file of a robot, or one that it includes.
typedef struct Source {
    CondUrdfFile file; // messages name it
    CondArena* arena;
    Paths* paths;
} Source;

static CondStatus no_memory(const Source* source)
{
    return cond_urdf_refuse(&source->file, NULL, COND_OUT_OF_MEMORY, "no memory to read the file");
}

static CondStatus make_node(const Source* source, const xmlNode* from, CondMjcfNode* parent,
                            CondMjcfNode** made)
{
    CondMjcfNode* node = cond_arena_allocate(source->arena, 1, sizeof *node);
    *made = node;
    if (!node)
        return no_memory(source);
    node->name = keep(source->arena, (const char*)from->name);
    node->file = source->file.path;
    node->line = xmlGetLineNo(from);
    int n = 0;
    for (const xmlAttr* a = from->properties; a; a = a->next)
        n++;
    node->attribute = cond_arena_allocate(source->arena, (size_t)n, sizeof *node->attribute);
    if (!node->name || !node->attribute)
        return no_memory(source);
    for (const xmlAttr* a = from->properties; a; a = a->next) {
        CondMjcfAttribute* to = &node->attribute[node->n_attribute++];
        to->name = keep(source->arena, (const char*)a->name);
        to->value = keep(source->arena, a->children ? (const char*)a->children->content : "");
        if (!to->name || !to->value)
            return no_memory(source);
    }
    node->parent = parent;
    if (parent && parent->last)
        parent->last->next = node;
    else if (parent)
        parent->first = node;
    if (parent)
        parent->last = node;
    return COND_OK;
}

static CondStatus read_file(Source* source, CondMjcfNode* parent, CondMjcfNode** root);

// The path of an included file: beside the robot's file, or beside the one that includes it.
static void join_path(const char* beside, const char* name, char* path)
{
    const char* slash = *name == '/' ? NULL : strrchr(beside, '/');
    snprintf(path, LONGEST_PATH, "%.*s%s", slash ? (int)(slash - beside) + 1 : 0, beside, name);
}

static int is_readable(const char* path)
{
    FILE* stream = fopen(path, "rb");
    if (stream)
        fclose(stream);
    return stream != NULL;
}

static CondStatus include_file(Source* source, const xmlNode* node, CondMjcfNode* parent)
{
    const char* name = cond_urdf_text(node, "file");
    char path[LONGEST_PATH];
    if (!name || !*name)
        return cond_urdf_refuse(&source->file, node, COND_BAD_INPUT, "<include> without file");
    join_path(source->paths->robot, name, path);
    if (!is_readable(path))
        join_path(source->file.path, name, path);
    if (!is_readable(path))
        return cond_urdf_refuse(&source->file, node, COND_BAD_INPUT,
                                "the included file %.1000s cannot be opened", name);
    Paths* paths = source->paths;
    for (int i = 0; i < paths->n; i++)
        if (strcmp(paths->path[i], path) == 0)
            return cond_urdf_refuse(&source->file, node, COND_BAD_INPUT,
                                    "%.1000s is included a second time", name);
    Source inner = *source;
    inner.file.path = keep(source->arena, path);
    return inner.file.path ? read_file(&inner, parent, NULL) : no_memory(source);
}

// The children of an element; faults of includes add up.
static CondStatus take_children(Source* source, const xmlNode* from, CondMjcfNode* parent)
{
    CondStatus status = COND_OK;
    for (xmlNode* child = cond_urdf_element(from->children); child && !cond_urdf_ends(status);
         child = cond_urdf_element(child->next)) {
        CondMjcfNode* node = NULL;
        CondStatus one;
        if (cond_urdf_is(child, "include")) {
            one = include_file(source, child, parent);
        } else {
            one = make_node(source, child, parent, &node);
            if (!one)
                one = take_children(source, child, node);
        }
        status = one ? one : status;
    }
    return status;
}

// parent NULL: the robot's own file, whose root becomes *root; else the children of its root go to
// the parent, in place of the element that includes it.
static CondStatus read_file(Source* source, CondMjcfNode* parent, CondMjcfNode** root)
{
    Paths* paths = source->paths;
    if (COND_RESERVE(source->arena, paths->path, paths->n + 1))
        return no_memory(source);
    paths->path[paths->n++] = source->file.path;
    source->file.document = NULL;
    CondStatus status = cond_urdf_xml_read(&source->file);
    const xmlNode* top = status ? NULL : xmlDocGetRootElement(source->file.document);
    if (!status && !parent && (!top || !cond_urdf_is(top, "mujoco")))
        status = cond_urdf_refuse(&source->file, top, COND_BAD_INPUT,
                                  "the file holds no <mujoco> and no <robot>");
    if (!status && !parent) {
        status = make_node(source, top, NULL, root);
        parent = *root;
    }
    if (!status && top)
        status = take_children(source, top, parent);
    if (source->file.document)
        xmlFreeDoc(source->file.document);
    return status;
}

CondStatus cond_mjcf_tree_read(const CondUrdfFile* file, CondArena* arena, CondMjcfNode** root)
{
    Paths paths = {.robot = keep(arena, file->path)};
    Source source = {.file = *file, .arena = arena, .paths = &paths};
    *root = NULL;
    source.file.path = paths.robot ? paths.robot : file->path;
    return paths.robot ? read_file(&source, NULL, root) : no_memory(&source);
}

int cond_mjcf_is(const CondMjcfNode* node, const char* name)
{
    return strcmp(node->name, name) == 0;
}

CondMjcfNode* cond_mjcf_named(CondMjcfNode* node, const char* name)
{
    while (node && !cond_mjcf_is(node, name))
        node = node->next;
    return node;
}

const char* cond_mjcf_own(const CondMjcfNode* node, const char* name)
{
    for (int i = 0; i < node->n_attribute; i++) {
        if (strcmp(node->attribute[i].name, name) != 0)
            continue;
        node->attribute[i].used = 1;
        return node->attribute[i].value;
    }
    return NULL;
}

static CondStatus add_left(CondArena* arena, const CondMjcfNode* node, const char* attribute,
                           CondMjcfLeft** left, int* n_left)
{
    for (int i = 0; i < *n_left; i++) {
        CondMjcfLeft* known = &(*left)[i];
        int same = attribute ? known->attribute && strcmp(known->attribute, attribute) == 0
                             : !known->attribute;
        if (same && strcmp(known->node->name, node->name) == 0) {
            known->count++;
            return COND_OK;
        }
    }
    if (cond_arena_reserve(arena, left, *n_left + 1, sizeof **left))
        return COND_OUT_OF_MEMORY;
    (*left)[(*n_left)++] = (CondMjcfLeft){node, attribute, 1};
    return COND_OK;
}

CondStatus cond_mjcf_tree_left(CondArena* arena, const CondMjcfNode* node, CondMjcfLeft** left,
                               int* n_left)
{
    // A section with nothing in it says nothing.
    if (!node->used && !node->first && node->n_attribute == 0 && node->parent &&
        !node->parent->parent)
        return COND_OK;
    if (!node->used)
        return add_left(arena, node, NULL, left, n_left);
    CondStatus status = COND_OK;
    for (int i = 0; i < node->n_attribute && !status; i++)
        if (!node->attribute[i].used)
            status = add_left(arena, node, node->attribute[i].name, left, n_left);
    for (const CondMjcfNode* child = node->first; child && !status; child = child->next)
        status = cond_mjcf_tree_left(arena, child, left, n_left);
    return status;
}
