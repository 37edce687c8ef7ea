// cond_study_read: file -> tree -> sections, by the rows below -> sweep.
#include "base/tuning.h"
#include "scene_file/study.h"

#include "base/error.h"
#include "base/name_distance.h"
#include "scene/scene_choices.h"
#include "scene/scene_key_row.h"
#include "scene_file/scene_part.h"
#include "scene_file/scene_write.h"

#include <stdio.h>
#include <string.h>

typedef struct Reading {
    CondSceneReader reader; // of messages; it has no scene
    CondStudy* study;
} Reading;

static const char* method_name(int index)
{
    static const char* const names[] = {"grid", "list", "random", "latin"};
    return index >= 0 && index < 4 ? names[index] : NULL;
}

// clang-format off
static const CondKey top_keys[] = {
    {TEXT_OF("", "scene", CondStudy, scene, COND_PATH_SIZE, "path of at most 255 bytes", "", "")},
    {CHOICE("", "method", CondStudy, method, 4, method_name, "grid, list, random, latin", "", "")},
    {WHOLE("", "samples", CondStudy, samples, FROM_ONE, " >= 1", "", "")},
    {WHOLE("", "seed", CondStudy, seed, NOT_NEGATIVE, " >= 0", "", "")},
    {WHOLE("", "trials", CondStudy, trials, FROM_ONE, " >= 1", "", "")},
    {WHOLE("", "first_trial", CondStudy, first_trial, NOT_NEGATIVE, " >= 0", "", "")},
    {WHOLE("", "steps", CondStudy, run.steps, FROM_ONE, " >= 1", "", "")},
    {WHOLE("", "every", CondStudy, run.every, FROM_ONE, " >= 1", "", "")},
    {NESTED("", "set", LIST, "list of path=value", "", "")},
    {NESTED("", "vary", LIST, "list of mappings", "", "")},
    {NESTED("", "keep", LIST, "list of csv, sensors, joints, record, state", "", "")},
    {NESTED("", "table", LIST, "mapping of names to places in the summary", "", "")},
};

static const CondKey vary_keys[] = {
    {TEXT("", "name", CondStudyVariable, def.name, "", "")},
    {LONG_TEXT("", "path", CondStudyVariable, def.path, "", "")},
    {NUMBER("", "low", CondStudyVariable, def.low, FINITE, "", "", "")},
    {NUMBER("", "high", CondStudyVariable, def.high, FINITE, "", "", "")},
    {CHOICE("", "scale", CondStudyVariable, def.scale, 2, cond_choice_scale, "linear, log", "", "")},
    {WHOLE("", "count", CondStudyVariable, count, FROM_ONE, " >= 1", "", "")},
    {NESTED("", "values", LIST, "list of values", "", "")},
};
// clang-format on
enum {
    N_TOP = sizeof top_keys / sizeof top_keys[0],
    N_VARY = sizeof vary_keys / sizeof vary_keys[0],
};

static CondStatus no_memory(const Reading* r)
{
    return cond_error_set(r->reader.error, COND_OUT_OF_MEMORY, "no memory to read %.1000s",
                          r->reader.file);
}

static CondStatus refuse_unknown(const Reading* r, const CondKey* keys, int n_key,
                                 const CondYamlNode* child, const char* path)
{
    char known[300] = "";
    for (int i = 0; i < n_key; i++) {
        if (cond_name_distance(child->key, keys[i].text.key) >= 0)
            return cond_scene_refuse(&r->reader, child, path, "unknown key (did you mean %s?)",
                                     keys[i].text.key);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", keys[i].text.key);
    }
    return cond_scene_refuse(&r->reader, child, path, "unknown key (known: %s)", known);
}

static const CondKey* find_key(const CondKey* keys, int n_key, const char* name)
{
    for (int i = 0; i < n_key; i++)
        if (strcmp(keys[i].text.key, name) == 0)
            return &keys[i];
    return NULL;
}

// Reads what is no list into the structure, and refuses what is unknown or given twice.
static CondStatus read_fields(const Reading* r, const CondKey* keys, int n_key,
                              const CondYamlNode* mapping, const char* path, void* structure)
{
    char at[COND_KEY_PATH_SIZE];
    CondStatus status = COND_OK;
    if (mapping->kind != COND_YAML_MAPPING)
        return cond_scene_refuse(&r->reader, mapping, path,
                                 "expected a mapping of keys and values");
    for (const CondYamlNode* child = mapping->first; child && !status; child = child->next) {
        cond_path_join(at, path, child->key);
        const CondKey* key = find_key(keys, n_key, child->key);
        const CondYamlNode* first = cond_yaml_find(mapping, child->key);
        if (!key)
            status = refuse_unknown(r, keys, n_key, child, at);
        else if (first != child)
            status = cond_scene_refuse(&r->reader, child, at, "given twice (first on line %d)",
                                       first->line);
        else if (cond_yaml_is_null(child))
            status = cond_scene_refuse(&r->reader, child, at, "has no value (expected %s%s)",
                                       cond_key_article(key), key->text.type);
        else if (key->type != COND_KEY_LIST)
            status = cond_scene_read_value(&r->reader, key, child, at, structure);
    }
    return status;
}

// Puts a node as YAML on one line.
static void put_node(CondSceneText* text, const CondYamlNode* node)
{
    int list = node->kind == COND_YAML_SEQUENCE;
    if (node->kind == COND_YAML_SCALAR) {
        if (node->plain)
            cond_scene_put(text, "%s", node->text);
        else
            cond_scene_put_word(text, node->text);
        return;
    }
    cond_scene_put(text, list ? "[" : "{");
    for (const CondYamlNode* child = node->first; child; child = child->next) {
        if (!list) {
            cond_scene_put_word(text, child->key);
            cond_scene_put(text, ": ");
        }
        put_node(text, child);
        cond_scene_put(text, child->next ? ", " : "");
    }
    cond_scene_put(text, list ? "]" : "}");
}

static CondStatus copy_text(const Reading* r, const char* from, const char** out)
{
    size_t size = strlen(from) + 1;
    char* made = cond_arena_allocate(&r->study->arena, size, 1);
    if (!made)
        return no_memory(r);
    *out = memcpy(made, from, size);
    return COND_OK;
}

static CondStatus read_values(const Reading* r, const CondYamlNode* list, const char* path,
                              CondStudyVariable* variable)
{
    char at[COND_KEY_PATH_SIZE + 16];
    if (list->kind != COND_YAML_SEQUENCE || list->n_child == 0)
        return cond_scene_refuse(&r->reader, list, path, "expected a list of values");
    variable->value =
        cond_arena_allocate(&r->study->arena, (size_t)list->n_child, sizeof *variable->value);
    CondStatus status = variable->value ? COND_OK : no_memory(r);
    for (const CondYamlNode* node = list->first; node && !status; node = node->next) {
        CondSceneText text = {.context = r->reader.context};
        snprintf(at, sizeof at, "%s[%d]", path, variable->n_value);
        put_node(&text, node);
        if (text.status)
            status = no_memory(r);
        else if (cond_yaml_is_null(node))
            status = cond_scene_refuse(&r->reader, node, at, "has no value");
        else if (text.length >= COND_STUDY_VALUE_SIZE)
            status = cond_scene_refuse(&r->reader, node, at, "is longer than %d bytes",
                                       COND_STUDY_VALUE_SIZE - 1);
        else
            status = copy_text(r, text.text, &variable->value[variable->n_value++]);
        cond_scene_text_release(&text);
    }
    return status;
}

// What a variable must have, which the method decides.
static CondStatus check_variable(const Reading* r, const CondYamlNode* node, const char* path,
                                 const CondStudyVariable* v)
{
    const CondSceneReader* reader = &r->reader;
    const CondYamlNode *low = cond_yaml_find(node, "low"), *high = cond_yaml_find(node, "high"),
                       *count = cond_yaml_find(node, "count");
    char at[COND_KEY_PATH_SIZE];
    int drawn = r->study->method >= COND_STUDY_RANDOM;
    if (!*v->def.path)
        return cond_scene_refuse(reader, node, path, "path is required");
    if (v->n_value > 0 && (low || high || count || cond_yaml_find(node, "scale")))
        return cond_scene_refuse(reader, node, path,
                                 "has values, so low, high, scale and count have no meaning");
    if (v->n_value > 0)
        return COND_OK;
    if (!low || !high)
        return cond_scene_refuse(reader, node, path, "needs values, or low and high");
    cond_path_join(at, path, "high");
    if (!(v->def.high >= v->def.low))
        return cond_scene_refuse(reader, high, at, "%g is below low, %g", v->def.high, v->def.low);
    cond_path_join(at, path, "low");
    if (v->def.scale == COND_SCALE_LOG && !(v->def.low > 0.0))
        return cond_scene_refuse(reader, low, at, "must be positive with scale: log");
    cond_path_join(at, path, "count");
    if (drawn && count)
        return cond_scene_refuse(reader, count, at, "method: %s says how many by samples",
                                 method_name((int)r->study->method));
    if (!drawn && !count)
        return cond_scene_refuse(reader, node, path, "needs a count with method: %s",
                                 method_name((int)r->study->method));
    return COND_OK;
}

static CondStatus read_variable(const Reading* r, const CondYamlNode* node, const char* path,
                                CondStudyVariable* variable)
{
    char at[COND_KEY_PATH_SIZE];
    variable->def = cond_variation_def_default();
    CondStatus status = read_fields(r, vary_keys, N_VARY, node, path, variable);
    const CondYamlNode* values = status ? NULL : cond_yaml_find(node, "values");
    cond_path_join(at, path, "values");
    if (!status && values)
        status = read_values(r, values, at, variable);
    if (!status)
        status = check_variable(r, node, path, variable);
    if (!status && !*variable->def.name)
        snprintf(variable->def.name, sizeof variable->def.name, "%.63s", variable->def.path);
    for (int v = 0; v < r->study->n_variable && !status; v++)
        if (strcmp(r->study->variable[v].def.name, variable->def.name) == 0)
            status = cond_scene_refuse(&r->reader, node, path, "two variables are named %s",
                                       variable->def.name);
    return status;
}

static CondStatus read_variables(const Reading* r, const CondYamlNode* list)
{
    CondStudy* study = r->study;
    if (!list)
        return COND_OK;
    if (list->kind != COND_YAML_SEQUENCE)
        return cond_scene_refuse(&r->reader, list, "vary", "expected a list of mappings");
    study->variable =
        cond_arena_allocate(&study->arena, (size_t)list->n_child + 1, sizeof *study->variable);
    CondStatus status = study->variable ? COND_OK : no_memory(r);
    for (const CondYamlNode* node = list->first; node && !status; node = node->next) {
        char path[32];
        snprintf(path, sizeof path, "vary[%d]", study->n_variable);
        status = read_variable(r, node, path, &study->variable[study->n_variable]);
        study->n_variable += !status;
    }
    return status;
}

static CondStatus read_set(const Reading* r, const CondYamlNode* list)
{
    CondStudy* study = r->study;
    if (!list)
        return COND_OK;
    if (list->kind != COND_YAML_SEQUENCE)
        return cond_scene_refuse(&r->reader, list, "set", "expected a list of path=value");
    study->set = cond_arena_allocate(&study->arena, (size_t)list->n_child + 1, sizeof *study->set);
    CondStatus status = study->set ? COND_OK : no_memory(r);
    for (const CondYamlNode* node = list->first; node && !status; node = node->next) {
        if (node->kind != COND_YAML_SCALAR || !strchr(node->text, '=') ||
            strlen(node->text) >= COND_STUDY_OVERRIDE_SIZE)
            status = cond_scene_refuse(&r->reader, node, "set", "expected path=value");
        else
            status = copy_text(r, node->text, &study->set[study->n_set++]);
    }
    return status;
}

static CondStatus read_keep(const Reading* r, const CondYamlNode* list)
{
    CondStudyRun* run = &r->study->run;
    const struct {
        const char* name;
        int* target;
    } words[] = {{"csv", &run->csv},
                 {"sensors", &run->sensors},
                 {"joints", &run->joints},
                 {"record", &run->record},
                 {"state", &run->state}};
    enum { N = sizeof words / sizeof words[0] };
    if (list && list->kind != COND_YAML_SEQUENCE)
        return cond_scene_refuse(&r->reader, list, "keep", "expected a list");
    for (const CondYamlNode* node = list ? list->first : NULL; node; node = node->next) {
        int k = 0;
        while (k < N && (node->kind != COND_YAML_SCALAR || strcmp(node->text, words[k].name) != 0))
            k++;
        if (k == N)
            return cond_scene_refuse(&r->reader, node, "keep",
                                     "expected one of csv, sensors, joints, record, state, not %s",
                                     node->kind == COND_YAML_SCALAR ? node->text : "a list");
        *words[k].target = 1;
    }
    return COND_OK;
}

static CondStatus read_table(const Reading* r, const CondYamlNode* mapping)
{
    CondStudy* study = r->study;
    if (!mapping)
        return COND_OK;
    if (mapping->kind != COND_YAML_MAPPING)
        return cond_scene_refuse(&r->reader, mapping, "table",
                                 "expected a mapping of names to places in the summary");
    study->column =
        cond_arena_allocate(&study->arena, (size_t)mapping->n_child + 1, sizeof *study->column);
    CondStatus status = study->column ? COND_OK : no_memory(r);
    for (const CondYamlNode* node = mapping->first; node && !status; node = node->next) {
        CondStudyColumn* column = &study->column[study->n_column];
        char at[COND_KEY_PATH_SIZE];
        cond_path_join(at, "table", node->key);
        if (node->kind != COND_YAML_SCALAR || !*node->text)
            status = cond_scene_refuse(&r->reader, node, at, "expected a place in the summary");
        for (int v = 0; v < study->n_variable && !status; v++)
            if (strcmp(study->variable[v].def.name, node->key) == 0)
                status = cond_scene_refuse(&r->reader, node, at, "a variable has this name");
        if (!status)
            status = copy_text(r, node->key, &column->name);
        if (!status)
            status = copy_text(r, node->text, &column->path);
        study->n_column += !status;
    }
    return status;
}

// How many points the method makes of the variables.
static CondStatus count_points(const Reading* r, const CondYamlNode* root)
{
    CondStudy* study = r->study;
    const CondYamlNode *samples = cond_yaml_find(root, "samples"),
                       *seed = cond_yaml_find(root, "seed"), *only = samples ? samples : seed;
    int drawn = study->method >= COND_STUDY_RANDOM;
    double n = drawn ? study->samples : 1;
    if (drawn && !samples)
        return cond_scene_refuse(&r->reader, root, "samples", "is required with method: %s",
                                 method_name((int)study->method));
    if (!drawn && only)
        return cond_scene_refuse(&r->reader, only, only->key, "has no meaning with method: %s",
                                 method_name((int)study->method));
    for (int v = 0; v < study->n_variable && !drawn; v++) {
        int count = cond_study_n_choice(&study->variable[v]);
        if (study->method == COND_STUDY_LIST && v > 0 && count != (int)n)
            return cond_scene_refuse(&r->reader, root, "vary",
                                     "%s has %d values and %s has %d; with method: list all have "
                                     "as many",
                                     study->variable[0].def.name, (int)n,
                                     study->variable[v].def.name, count);
        n = study->method == COND_STUDY_LIST ? count : n * count;
    }
    if (n * (study->trials > 0 ? study->trials : 1) > COND_FILE_ITEMS)
        return cond_scene_refuse(&r->reader, root, "vary", "more than %d entries", COND_FILE_ITEMS);
    if (study->n_variable == 0 && study->trials == 0)
        return cond_scene_refuse(&r->reader, root, "vary",
                                 "nothing differs from run to run: name values to vary, or trials");
    study->n_point = study->n_variable > 0 ? (int)n : 1;
    return drawn && study->n_variable > 0 && cond_study_draw(study) ? no_memory(r) : COND_OK;
}

static CondStatus read_study(const Reading* r, const CondYamlNode* root)
{
    CondStudy* study = r->study;
    CondStatus status = read_fields(r, top_keys, N_TOP, root, "", study);
    const CondYamlNode *scene = status ? NULL : cond_yaml_find(root, "scene"),
                       *first = status ? NULL : cond_yaml_find(root, "first_trial");
    if (!status && !scene)
        status = cond_scene_refuse(&r->reader, root, "scene", "is required");
    if (!status && first && study->trials == 0)
        status = cond_scene_refuse(&r->reader, first, "first_trial",
                                   "has no meaning without "
                                   "trials");
    if (!status && strpbrk(study->scene, "./"))
        status = cond_path_resolve(&r->reader, scene, "scene", study->scene);
    if (!status)
        status = read_set(r, cond_yaml_find(root, "set"));
    if (!status)
        status = read_variables(r, cond_yaml_find(root, "vary"));
    if (!status)
        status = read_keep(r, cond_yaml_find(root, "keep"));
    if (!status)
        status = read_table(r, cond_yaml_find(root, "table"));
    return status ? status : count_points(r, root);
}

CondStatus cond_study_read(const CondContext* context, const char* path, CondStudy** out,
                           CondError* error)
{
    CondContext m = cond_context_or_default(context);
    CondYamlNode* root = NULL;
    *out = NULL;
    CondStudy* study = cond_allocate(&m, 1, sizeof *study);
    if (!study)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to read %.1000s", path);
    cond_arena_begin(&m, &study->arena);
    study->run.every = 1;
    const Reading reading = {{m, path, error, NULL}, study};
    CondStatus status = cond_yaml_read(&m, path, &root, error);
    if (!status)
        status = read_study(&reading, root);
    cond_yaml_destroy(&m, root);
    if (status)
        cond_study_destroy(study);
    else
        *out = study;
    return status;
}
