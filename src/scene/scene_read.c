// cond_scene_read: file -> tree -> overrides -> sections, as the table of keys says -> scene.
#include "base/error.h"
#include "base/memory.h"
#include "scene/scene_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The nodes of a section, by the row of their key.
typedef struct Section {
    const CondKey* key; //                                   (n_key)
    int n_key;
    const CondYamlNode* node[COND_SECTION_SIZE]; // NULL: not in the file
} Section;

static void join_path(char* path, const char* parent, const char* key)
{
    snprintf(path, COND_PATH_SIZE, "%.80s%s%.64s", parent, *parent ? "." : "", key);
}

static CondStatus refuse_unknown(const CondSceneReader* reader, const char* section,
                                 const CondYamlNode* child, const char* path)
{
    const CondKey* near = cond_keys_nearest(section, child->key);
    if (near)
        return cond_scene_refuse(reader, child, path, "unknown key (did you mean %s?)",
                                 near->text.key);
    const CondKey* other = cond_keys_find_elsewhere(section, child->key);
    if (other)
        return cond_scene_refuse(reader, child, path, "unknown key here; %s belongs %s%s",
                                 child->key, *other->text.section ? "in " : "to the top level",
                                 other->text.section);
    char known[240] = "";
    size_t length = 0;
    int n_key;
    const CondKey* key = cond_keys_section(section, &n_key);
    for (int i = 0; i < n_key && length < sizeof known - 40; ++i)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                   key[i].text.key);
    return cond_scene_refuse(reader, child, path, "unknown key (known: %s)", known);
}

// Finds the row of every key of a mapping, and refuses those that are unknown, doubled or empty.
static CondStatus match_section(const CondSceneReader* reader, const char* name,
                                const CondYamlNode* mapping, const char* path, Section* section)
{
    memset(section, 0, sizeof *section);
    section->key = cond_keys_section(name, &section->n_key);
    char at[COND_PATH_SIZE];
    for (const CondYamlNode* child = mapping->first; child; child = child->next) {
        join_path(at, path, child->key);
        const CondKey* key = cond_keys_find(name, child->key);
        if (!key)
            return refuse_unknown(reader, name, child, at);
        const CondYamlNode** place = &section->node[key - section->key];
        if (*place)
            return cond_scene_refuse(reader, child, at, "given twice (first on line %d)",
                                     (*place)->line);
        if (cond_yaml_is_null(child))
            return cond_scene_refuse(reader, child, at, "has no value (expected %s%s)",
                                     cond_key_article(key), key->text.type);
        *place = child;
    }
    return COND_OK;
}

static int is_field(const CondKey* key)
{
    return key->type != COND_KEY_SECTION && key->type != COND_KEY_LIST &&
           key->type != COND_KEY_POINTS;
}

// Reads a mapping into the structure: all fields of the section, but not what is nested in it.
static CondStatus read_section(const CondSceneReader* reader, const char* name,
                               const CondYamlNode* mapping, const char* path, void* structure,
                               Section* section)
{
    if (mapping->kind != COND_YAML_MAPPING)
        return cond_scene_refuse(reader, mapping, path, "expected a mapping of keys and values");
    CondStatus status = match_section(reader, name, mapping, path, section);
    for (int i = 0; i < section->n_key && !status; ++i) {
        const CondKey* key = &section->key[i];
        char at[COND_PATH_SIZE];
        join_path(at, path, key->text.key);
        if (section->node[i] && is_field(key))
            status = cond_scene_read_value(reader, key, section->node[i], at, structure);
        else if (!section->node[i] && strcmp(key->text.initial, "required") == 0)
            // Said by hand and not by refuse(): a key that is absent has no node of its own.
            status = cond_yaml_error(reader->error, COND_BAD_INPUT, reader->file, mapping->line,
                                     mapping->override, "%s: is required (%s%s)", at,
                                     cond_key_article(key), key->text.type);
    }
    return status;
}

static const CondYamlNode* node_of(const Section* section, const char* key)
{
    for (int i = 0; i < section->n_key; ++i)
        if (strcmp(section->key[i].text.key, key) == 0)
            return section->node[i];
    return NULL;
}

// Turns what is wrong with a definition into a message that names the line of the field, or of the
// nearest thing around it that the file does hold.
static CondStatus refuse_issue(const CondSceneReader* reader, CondStatus status,
                               const CondYamlNode* item, const char* path,
                               const CondSceneIssue* issue)
{
    if (status == COND_OUT_OF_MEMORY)
        return cond_error_set(reader->error, status, "%s", issue->text);
    const CondYamlNode* node = item;
    const char* rest = issue->field;
    while (*rest) {
        char key[48] = "";
        size_t length = strcspn(rest, ".");
        memcpy(key, rest, length);
        const CondYamlNode* child = cond_yaml_find(node, key);
        if (!child)
            break;
        node = child;
        rest += length + (rest[length] == '.');
    }
    char at[COND_PATH_SIZE];
    join_path(at, path, issue->field);
    if (!*issue->field)
        snprintf(at, sizeof at, "%s", path);
    return cond_scene_refuse(reader, node, at, "%s", issue->text);
}

// "bodies.box" for an entry that has a name, "bodies[3]" for one that has none.
static void entry_path(char* path, const CondYamlNode* list, const CondYamlNode* entry, int place)
{
    const CondYamlNode* name = cond_yaml_find(entry, "name");
    if (name && name->kind == COND_YAML_SCALAR && *name->text)
        snprintf(path, COND_PATH_SIZE, "%s.%.63s", list->key, name->text);
    else
        snprintf(path, COND_PATH_SIZE, "%s[%d]", list->key, place);
}

static CondStatus read_points(const CondSceneReader* reader, const CondYamlNode* list,
                              const char* path, CondBodyDef* def, double** points)
{
    if (list->kind != COND_YAML_SEQUENCE || list->n_child == 0)
        return cond_scene_refuse_type(reader, cond_keys_find("bodies.shape", "points"), list, path);
    *points = cond_allocate(&reader->context, (size_t)list->n_child, 3 * sizeof **points);
    if (!*points)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", path);
    int n = 0;
    for (const CondYamlNode* point = list->first; point; point = point->next, ++n) {
        char at[COND_PATH_SIZE + 16];
        snprintf(at, sizeof at, "%s[%d]", path, n);
        CondStatus status = cond_scene_read_point(reader, point, at, *points + 3 * (size_t)n);
        if (status)
            return status;
    }
    def->n_point = n;
    def->point = *points;
    def->shape = COND_SHAPE_POINTS;
    return COND_OK;
}

static CondStatus read_shape(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, CondBodyDraft* body, double** points)
{
    if (node->kind == COND_YAML_SCALAR && strcmp(node->text, "none") == 0)
        return COND_OK;
    Section section;
    CondStatus status = read_section(reader, "bodies.shape", node, path, body, &section);
    if (status)
        return status;
    const CondYamlNode* box = node_of(&section, "box");
    const CondYamlNode* list = node_of(&section, "points");
    if (!box == !list)
        return cond_scene_refuse(reader, node, path, "expected one of box, points");
    if (box)
        body->def.shape = COND_SHAPE_BOX;
    char at[COND_PATH_SIZE];
    join_path(at, path, "points");
    return list ? read_points(reader, list, at, &body->def, points) : COND_OK;
}

// orientation = (cos(angle/2), sin(angle/2) axis / |axis|)
static CondStatus read_rotation(const CondSceneReader* reader, const CondYamlNode* node,
                                const char* path, CondBodyDraft* body)
{
    Section section;
    CondStatus status = read_section(reader, "bodies.rotation", node, path, body, &section);
    if (status)
        return status;
    const double* axis = body->axis;
    double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!(length > 0.0 && isfinite(length))) {
        char at[COND_PATH_SIZE];
        join_path(at, path, "axis");
        return cond_scene_refuse(reader, node_of(&section, "axis"), at, "must not be zero");
    }
    double half = fmod(body->degrees, 720.0) * (3.14159265358979323846 / 360.0);
    body->def.orientation[0] = cos(half);
    for (int i = 0; i < 3; ++i)
        body->def.orientation[1 + i] = sin(half) * (axis[i] / length);
    return COND_OK;
}

static CondStatus read_body_parts(const CondSceneReader* reader, const Section* section,
                                  const char* path, CondBodyDraft* body, double** points)
{
    CondStatus status = COND_OK;
    char at[COND_PATH_SIZE];
    const CondYamlNode* shape = node_of(section, "shape");
    const CondYamlNode* rotation = node_of(section, "rotation");
    body->def.inertia_from_shape = node_of(section, "inertia") == NULL;
    if (shape) {
        join_path(at, path, "shape");
        status = read_shape(reader, shape, at, body, points);
    }
    if (rotation && !status) {
        join_path(at, path, "rotation");
        if (node_of(section, "orientation"))
            return cond_scene_refuse(reader, rotation, at,
                                     "orientation is given already; only one of them may be");
        status = read_rotation(reader, rotation, at, body);
    }
    return status;
}

static CondStatus read_body(const CondSceneReader* reader, const CondYamlNode* node,
                            const char* path)
{
    CondBodyDraft body = {.def = cond_body_def_default()};
    double* points = NULL;
    Section section;
    CondStatus status = read_section(reader, "bodies", node, path, &body, &section);
    if (!status)
        status = read_body_parts(reader, &section, path, &body, &points);
    if (!status) {
        CondSceneIssue issue;
        status = cond_scene_put_body(reader->scene, &body.def, &issue);
        // A rotation is what the file called it.
        if (status && strcmp(issue.field, "orientation") == 0 && node_of(&section, "rotation"))
            strcpy(issue.field, "rotation");
        if (status)
            status = refuse_issue(reader, status, node, path, &issue);
    }
    cond_release(&reader->context, points);
    return status;
}

static CondStatus read_plane(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path)
{
    CondPlaneDef plane = cond_plane_def_default();
    Section section;
    CondSceneIssue issue;
    CondStatus status = read_section(reader, "planes", node, path, &plane, &section);
    if (status)
        return status;
    status = cond_scene_put_plane(reader->scene, &plane, &issue);
    return status ? refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

static CondStatus read_force(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path)
{
    CondForceDef force = cond_force_def_default();
    Section section;
    CondSceneIssue issue;
    CondStatus status = read_section(reader, "forces", node, path, &force, &section);
    if (status)
        return status;
    status = cond_scene_put_force(reader->scene, &force, &issue);
    return status ? refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

static CondStatus read_spring(const CondSceneReader* reader, const CondYamlNode* node,
                              const char* path)
{
    CondSpringDef spring = cond_spring_def_default();
    Section section;
    Section end;
    CondSceneIssue issue;
    char at[COND_PATH_SIZE];
    CondStatus status = read_section(reader, "springs", node, path, &spring, &section);
    if (!status) {
        join_path(at, path, "from");
        status = read_section(reader, "springs.from", node_of(&section, "from"), at, &spring, &end);
    }
    if (!status) {
        join_path(at, path, "to");
        status = read_section(reader, "springs.to", node_of(&section, "to"), at, &spring, &end);
    }
    if (status)
        return status;
    status = cond_scene_put_spring(reader->scene, &spring, &issue);
    return status ? refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

static CondStatus read_list(const CondSceneReader* reader, const Section* top, const char* key,
                            CondStatus (*read)(const CondSceneReader* reader,
                                               const CondYamlNode* node, const char* path))
{
    const CondYamlNode* list = node_of(top, key);
    if (!list)
        return COND_OK;
    if (list->kind != COND_YAML_SEQUENCE)
        return cond_scene_refuse_type(reader, cond_keys_find("", key), list, key);
    int place = 0;
    for (const CondYamlNode* entry = list->first; entry; entry = entry->next) {
        char path[COND_PATH_SIZE];
        entry_path(path, list, entry, place++);
        CondStatus status = read(reader, entry, path);
        if (status)
            return status;
    }
    return COND_OK;
}

static CondStatus read_settings(const CondSceneReader* reader, const CondYamlNode* root,
                                const Section* top, CondSettingsDraft* draft)
{
    static const char* const sections[] = {"step", "contact", "solver", "penalty"};
    Section section;
    CondStatus status = COND_OK;
    // The preset comes first, wherever it stands: it would undo the other keys.
    const CondYamlNode* solver = node_of(top, "solver");
    const CondYamlNode* preset = solver ? cond_yaml_find(solver, "preset") : NULL;
    if (preset && !cond_yaml_is_null(preset))
        status = cond_scene_read_value(reader, cond_keys_find("solver", "preset"), preset,
                                       "solver.preset", draft);
    if (!status && draft->preset)
        draft->settings.solver = cond_solver_settings_paper();
    for (int i = 0; i < 4 && !status; ++i) {
        const CondYamlNode* node = node_of(top, sections[i]);
        if (node)
            status = read_section(reader, sections[i], node, sections[i], draft, &section);
    }
    CondSceneIssue issue;
    if (!status && cond_scene_check_settings(&draft->settings, &issue))
        status = refuse_issue(reader, COND_BAD_INPUT, root, "", &issue);
    return status;
}

static CondStatus read_scene(const CondSceneReader* reader, const CondYamlNode* root)
{
    CondSettingsDraft draft = {.settings = cond_scene_settings_default()};
    Section top;
    CondStatus status = read_section(reader, "", root, "", &draft, &top);
    if (!status)
        status = read_settings(reader, root, &top, &draft);
    if (status)
        return status;
    *cond_scene_settings(reader->scene) = draft.settings;
    // Bodies come first, wherever they stand: forces and springs name them.
    status = read_list(reader, &top, "bodies", read_body);
    if (!status)
        status = read_list(reader, &top, "planes", read_plane);
    if (!status)
        status = read_list(reader, &top, "forces", read_force);
    if (!status)
        status = read_list(reader, &top, "springs", read_spring);
    return status;
}

CondStatus cond_scene_read(const CondContext* context, const char* path, int n_override,
                           const char* const* override, CondScene** scene, CondError* error)
{
    CondSceneReader reader = {cond_context_or_default(context), path, error, NULL};
    CondYamlNode* root = NULL;
    *scene = NULL;
    if (!path)
        return cond_error_set(error, COND_BAD_ARGUMENT, "there is no path of a scene to read");
    CondStatus status = cond_yaml_read(&reader.context, path, &root, error);
    for (int i = 0; i < n_override && !status; ++i)
        status = cond_yaml_override(&reader.context, root, override[i], error);
    if (!status)
        status = cond_scene_create(context, &reader.scene, error);
    if (!status)
        status = read_scene(&reader, root);
    cond_yaml_destroy(&reader.context, root);
    if (status)
        cond_scene_destroy(reader.scene);
    else
        *scene = reader.scene;
    return status;
}
