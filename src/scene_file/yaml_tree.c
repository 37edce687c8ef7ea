// Parses YAML by libyaml into a tree, with its limits (yaml_tree.h).
#include "scene_file/yaml_tree.h"
#include "base/tuning.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

CondStatus cond_yaml_error(CondError* error, CondStatus status, const char* path, int line,
                           const char* override, const char* format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (override)
        return cond_error_set(error, status, "--set %.1000s: %s", override, text);
    const char* tail = cond_path_tail(path);
    if (line > 0)
        return cond_error_set(error, status, "%s:%d: %s", tail, line, text);
    return cond_error_set(error, status, "%s: %s", tail, text);
}

CondYamlNode* cond_yaml_create(const CondContext* context, CondYamlKind kind, int line)
{
    CondYamlNode* node = cond_allocate(context, 1, sizeof *node);
    if (node) {
        node->kind = kind;
        node->line = line;
    }
    return node;
}

void cond_yaml_append(CondYamlNode* parent, CondYamlNode* child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    ++parent->n_child;
}

void cond_yaml_destroy(const CondContext* context, CondYamlNode* node)
{
    if (!node)
        return;
    for (CondYamlNode* child = node->first; child;) {
        CondYamlNode* next = child->next;
        cond_yaml_destroy(context, child); // no deeper than COND_NESTING and an override
        child = next;
    }
    cond_release(context, node->text);
    cond_release(context, node->key);
    cond_release(context, node);
}

CondYamlNode* cond_yaml_find(const CondYamlNode* mapping, const char* key)
{
    if (mapping->kind != COND_YAML_MAPPING)
        return NULL;
    for (CondYamlNode* child = mapping->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

int cond_yaml_is_null(const CondYamlNode* node)
{
    return node->kind == COND_YAML_SCALAR && node->plain &&
           (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

// The tree while it grows: the containers that are open, and the key that waits for its value.
typedef struct Builder {
    const CondContext* context;
    const char* input;
    size_t length;
    const char* path;
    const char* override;
    CondError* error;
    CondYamlNode* root;
    CondYamlNode* open[COND_NESTING];
    int depth;
    char* key;
    int key_line;
} Builder;

static CondStatus refuse(const Builder* builder, int line, const char* text)
{
    return cond_yaml_error(builder->error, COND_BAD_INPUT, builder->path, line, builder->override,
                           "%s", text);
}

static CondStatus no_memory(const Builder* builder)
{
    return cond_error_set(builder->error, COND_OUT_OF_MEMORY, "no memory to read %.1000s",
                          builder->override ? builder->override : builder->path);
}

static int line_of(yaml_mark_t mark)
{
    return mark.line < INT_MAX ? (int)mark.line + 1 : INT_MAX;
}

// Whether the given line is indented with a tab, which YAML does not allow.
static int has_tab(const Builder* builder, int line)
{
    size_t i = 0;
    for (int at = 1; at < line && i < builder->length; ++i)
        at += builder->input[i] == '\n';
    for (; i < builder->length && (builder->input[i] == ' ' || builder->input[i] == '\t'); ++i)
        if (builder->input[i] == '\t')
            return 1;
    return 0;
}

// Says in one sentence what libyaml found.
static CondStatus refuse_syntax(const Builder* builder, const yaml_parser_t* parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return no_memory(builder);
    int line = line_of(parser->problem_mark);
    if (parser->error == YAML_READER_ERROR) {
        // The reader knows the byte only.
        line = 1;
        for (size_t i = 0; i < parser->problem_offset && i < builder->length; ++i)
            line += builder->input[i] == '\n';
        return cond_yaml_error(builder->error, COND_BAD_INPUT, builder->path, line,
                               builder->override, "this is not text: %s",
                               parser->problem ? parser->problem : "unreadable bytes");
    }
    if (has_tab(builder, line))
        return refuse(builder, line, "a tab is used to indent; YAML allows spaces only");
    return cond_yaml_error(builder->error, COND_BAD_INPUT, builder->path, line, builder->override,
                           "not valid YAML: %s%s%s",
                           parser->problem ? parser->problem : "cannot be parsed",
                           parser->context ? " " : "", parser->context ? parser->context : "");
}

// A copy of the event's scalar, with the terminating zero.
static CondStatus copy_scalar(const Builder* builder, const yaml_event_t* event, char** text)
{
    size_t length = event->data.scalar.length;
    if (memchr(event->data.scalar.value, 0, length))
        return refuse(builder, line_of(event->start_mark), "a text holds a zero byte");
    *text = cond_allocate(builder->context, length + 1, 1);
    if (!*text)
        return no_memory(builder);
    memcpy(*text, event->data.scalar.value, length);
    return COND_OK;
}

// Hangs a new node where the builder stands, and takes the waiting key.
static CondStatus attach(Builder* builder, CondYamlKind kind, int line, CondYamlNode** made)
{
    CondYamlNode* parent = builder->depth ? builder->open[builder->depth - 1] : NULL;
    CondYamlNode* node = cond_yaml_create(builder->context, kind, line);
    *made = node;
    if (!node)
        return no_memory(builder);
    node->override = builder->override;
    if (!parent) {
        builder->root = node;
        return COND_OK;
    }
    if (builder->key) {
        node->key = builder->key;
        node->line = builder->key_line;
        builder->key = NULL;
    }
    cond_yaml_append(parent, node);
    return COND_OK;
}

static int awaits_key(const Builder* builder)
{
    return builder->depth && !builder->key &&
           builder->open[builder->depth - 1]->kind == COND_YAML_MAPPING;
}

static CondStatus take_scalar(Builder* builder, const yaml_event_t* event)
{
    int line = line_of(event->start_mark);
    if (awaits_key(builder)) {
        builder->key_line = line;
        CondStatus status = copy_scalar(builder, event, &builder->key);
        if (!status && strcmp(builder->key, "<<") == 0)
            return refuse(builder, line, "merge keys (<<) are not supported: write the keys out");
        return status;
    }
    CondYamlNode* node;
    CondStatus status = attach(builder, COND_YAML_SCALAR, line, &node);
    if (status)
        return status;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return copy_scalar(builder, event, &node->text);
}

static CondStatus take_start(Builder* builder, const yaml_event_t* event, CondYamlKind kind)
{
    int line = line_of(event->start_mark);
    if (awaits_key(builder))
        return refuse(builder, line, "a key must be a plain word, not a list or a mapping");
    if (builder->depth == COND_NESTING)
        return refuse(builder, line, "lists and mappings are nested too deeply");
    CondYamlNode* node;
    CondStatus status = attach(builder, kind, line, &node);
    if (!status)
        builder->open[builder->depth++] = node;
    return status;
}

static CondStatus take_event(Builder* builder, const yaml_event_t* event)
{
    int line = line_of(event->start_mark);
    const yaml_char_t* anchor = NULL;
    const yaml_char_t* tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor || event->type == YAML_ALIAS_EVENT)
        return refuse(builder, line,
                      "anchors (&) and aliases (*) are not supported: write the value out");
    if (tag)
        return refuse(builder, line, "tags (!) are not supported");
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return builder->root ? refuse(builder, line, "a second document begins here; one is read")
                             : COND_OK;
    case YAML_SCALAR_EVENT:
        return take_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return take_start(builder, event, COND_YAML_SEQUENCE);
    case YAML_MAPPING_START_EVENT:
        return take_start(builder, event, COND_YAML_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --builder->depth;
        return COND_OK;
    default:
        return COND_OK;
    }
}

CondStatus cond_yaml_parse(const CondContext* context, const char* text, size_t length,
                           const char* path, const char* override, CondYamlNode** root,
                           CondError* error)
{
    Builder builder = {.context = context,
                       .input = text,
                       .length = length,
                       .path = path,
                       .override = override,
                       .error = error};
    *root = NULL;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return no_memory(&builder);
    yaml_parser_set_input_string(&parser, (const unsigned char*)text, length);
    CondStatus status = COND_OK;
    int done = 0;
    while (!status && !done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = refuse_syntax(&builder, &parser);
            break;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        status = take_event(&builder, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (!status && (!builder.root || (!override && cond_yaml_is_null(builder.root))))
        status = refuse(&builder, 1, "the file is empty");
    cond_release(context, builder.key);
    if (status)
        cond_yaml_destroy(context, builder.root);
    else
        *root = builder.root;
    return status;
}

// The whole file in memory, up to COND_YAML_LARGEST bytes.
static CondStatus load(const CondContext* context, const char* path, FILE* file, char** text,
                       size_t* length, CondError* error)
{
    int capacity = 0;
    int n = 0;
    for (;;) {
        if (cond_reserve(context, text, &capacity, n + 4096, 1))
            return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to read %.1000s", path);
        size_t got = fread(*text + n, 1, (size_t)(capacity - n), file);
        n += (int)got;
        if ((unsigned)n > COND_YAML_LARGEST)
            return cond_yaml_error(error, COND_BAD_INPUT, path, 0, NULL,
                                   "the file is larger than %u MiB", COND_YAML_LARGEST >> 20);
        if (got == 0)
            break;
    }
    if (ferror(file))
        return cond_yaml_error(error, COND_NO_FILE, path, 0, NULL, "the file cannot be read");
    *length = (size_t)n;
    return COND_OK;
}

CondStatus cond_yaml_read(const CondContext* context, const char* path, CondYamlNode** root,
                          CondError* error)
{
    *root = NULL;
    FILE* file = fopen(path, "rb");
    if (!file)
        return cond_yaml_error(error, COND_NO_FILE, path, 0, NULL, "the file cannot be opened");
    char* text = NULL;
    size_t length = 0;
    CondStatus status = load(context, path, file, &text, &length, error);
    fclose(file);
    if (!status)
        status = cond_yaml_parse(context, text, length, path, NULL, root, error);
    cond_release(context, text);
    return status;
}
