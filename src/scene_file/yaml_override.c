// Overrides: "path=value" written into a tree, as if the file had said so.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "scene_file/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

// One step of a path: a key or a name, or an index when key is empty.
typedef struct Step {
    char key[64];
    long index;
} Step;

typedef struct Override {
    const CondContext* context;
    const char* text;
    CondError* error;
} Override;

#define REFUSE(override, ...)                                                                      \
    cond_yaml_error((override)->error, COND_BAD_INPUT, "", 0, (override)->text, __VA_ARGS__)

static CondStatus no_memory(const Override* override)
{
    return cond_error_set(override->error, COND_OUT_OF_MEMORY, "no memory for --set %.1000s",
                          override->text);
}

// Reads the step at *at, which ends where the path does, and moves *at past it and its dot.
static CondStatus next_step(const Override* override, const char** at, const char* end, Step* step)
{
    const char* from = *at;
    memset(step, 0, sizeof *step);
    if (*from == '[') {
        char* stop;
        step->index = strtol(from + 1, &stop, 10);
        if (stop == from + 1 || *stop != ']' || step->index < 0)
            return REFUSE(override, "expected a number from 0 in the brackets");
        from = stop + 1;
    } else {
        size_t length = strcspn(from, ".[=");
        if (length == 0 || length >= sizeof step->key)
            return REFUSE(override, "expected path=value, such as step.time_step=0.001 or "
                                    "bodies.box.mass=2");
        memcpy(step->key, from, length);
        from += length;
    }
    if (*from == '.' && from + 1 < end)
        ++from;
    else if (*from != '[' && from != end)
        return REFUSE(override, "expected path=value, such as step.time_step=0.001 or "
                                "bodies.box.mass=2");
    *at = from;
    return COND_OK;
}

// Entry of a list by its place or by its name.
static CondStatus find_entry(const Override* override, const CondYamlNode* list, const Step* step,
                             CondYamlNode** entry)
{
    long place = 0;
    for (CondYamlNode* child = list->first; child; child = child->next, ++place) {
        const CondYamlNode* name = step->key[0] ? cond_yaml_find(child, "name") : NULL;
        int found = step->key[0] ? name && name->text && strcmp(name->text, step->key) == 0
                                 : place == step->index;
        *entry = child;
        if (found)
            return COND_OK;
    }
    *entry = NULL;
    const char* what = list->key ? list->key : "the list";
    if (step->key[0])
        return REFUSE(override, "%s has no entry with name: %s", what, step->key);
    return REFUSE(override, "%s has %d entries, counted from 0", what, list->n_child);
}

// The child that the step leads to; a key that a mapping lacks is made, with nothing in it yet.
static CondStatus follow(const Override* override, CondYamlNode* node, const Step* step,
                         CondYamlNode** child)
{
    if (node->kind == COND_YAML_SEQUENCE)
        return find_entry(override, node, step, child);
    if (node->kind != COND_YAML_MAPPING)
        return REFUSE(override, "%s is a single value, with nothing inside",
                      node->key ? node->key : "this");
    if (!step->key[0])
        return REFUSE(override, "%s is not a list", node->key ? node->key : "the scene");
    *child = cond_yaml_find(node, step->key);
    if (*child)
        return COND_OK;
    CondYamlNode* made = cond_yaml_create(override->context, COND_YAML_MAPPING, 0);
    if (!made)
        return no_memory(override);
    made->key = cond_allocate(override->context, strlen(step->key) + 1, 1);
    if (!made->key) {
        cond_yaml_destroy(override->context, made);
        return no_memory(override);
    }
    strcpy(made->key, step->key);
    made->override = override->text;
    cond_yaml_append(node, made);
    *child = made;
    return COND_OK;
}

// Gives the node the kind and the contents of the value, which is used up. Its key and its place
// stay.
static void replace(const CondContext* context, CondYamlNode* node, CondYamlNode* value)
{
    CondYamlNode old = *node;
    *node = *value;
    node->key = old.key;
    node->next = old.next;
    node->override_root = 1;
    *value = old; // carries the old contents away; the key is the node's again
    value->key = NULL;
    value->next = NULL;
    cond_yaml_destroy(context, value);
}

CondStatus cond_yaml_override(const CondContext* context, CondYamlNode* root, const char* text,
                              CondError* error)
{
    CondYamlNode* place;
    return cond_yaml_override_at(context, root, text, &place, error);
}

CondStatus cond_yaml_override_at(const CondContext* context, CondYamlNode* root, const char* text,
                                 CondYamlNode** place, CondError* error)
{
    Override override = {context, text, error};
    const char* equals = strchr(text, '=');
    if (!equals)
        return REFUSE(&override, "expected path=value, such as step.time_step=0.001");
    if (strlen(equals + 1) > COND_YAML_LARGEST)
        return REFUSE(&override, "the value is too long");
    if (!equals[1 + strspn(equals + 1, " \t\r\n")])
        return REFUSE(&override, "has no value");
    CondYamlNode* value;
    CondStatus status =
        cond_yaml_parse(context, equals + 1, strlen(equals + 1), "", text, &value, error);
    CondYamlNode* node = root;
    const char* at = text;
    int depth = 0;
    while (!status) {
        Step step;
        status = next_step(&override, &at, equals, &step);
        if (!status && ++depth > COND_NESTING)
            status = REFUSE(&override, "the path is too long");
        if (!status)
            status = follow(&override, node, &step, &node);
        if (at == equals)
            break;
    }
    if (status)
        cond_yaml_destroy(context, value);
    else
        replace(context, node, value);
    *place = node;
    return status;
}
