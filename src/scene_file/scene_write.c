// cond_scene_write: definitions -> YAML. What a key's row says about reading it holds here too.
#include "scene_file/scene_write.h"

#include "base/error.h"
#include "base/memory.h"
#include "scene/scene_kind.h"
#include "scene/shape_kind.h"

#include <math.h>
#include <string.h>

// How the entries of a mapping are set apart: each on a line of its own, or all within braces.
typedef struct Style {
    const char* first; // before the first entry
    const char* next;  // before the others
    const char* last;  // behind the last
    int n;             // entries so far
} Style;

static void put_key(CondSceneText* text, Style* style, const char* key)
{
    cond_scene_put(text, "%s%s: ", style->n++ ? style->next : style->first, key);
}

static int is_path(const CondKey* key)
{
    return key->type == COND_KEY_TEXT && key->count == COND_PATH_SIZE &&
           strcmp(key->text.key, "source") != 0 && strcmp(key->text.key, "path") != 0;
}

static void put_groups(CondSceneText* text, const CondScene* scene, uint32_t bits)
{
    const char* comma = "";
    if (bits == COND_GROUP_ALL) {
        cond_scene_put(text, "all");
        return;
    }
    cond_scene_put(text, "[");
    for (int k = 0; k < COND_MAX_GROUP; k++) {
        if (!(bits & (1u << k)))
            continue;
        cond_scene_put(text, "%s", comma);
        if (k < scene->n_group)
            cond_scene_put_word(text, scene->group[k]);
        else if (k == 0)
            cond_scene_put(text, "default");
        else
            cond_scene_put(text, "group%d", k);
        comma = ", ";
    }
    cond_scene_put(text, "]");
}

static void put_vector(CondSceneText* text, const double* x, int n)
{
    cond_scene_put(text, "[");
    for (int i = 0; i < n; i++) {
        cond_scene_put(text, i ? ", " : "");
        cond_scene_put_number(text, x[i]);
    }
    cond_scene_put(text, "]");
}

static int is_same(const double* x, int n)
{
    for (int i = 1; i < n; i++)
        if (x[i] != x[0])
            return 0;
    return 1;
}

static int is_short(const double* x, int n)
{
    for (int i = n / 2; i < n; i++)
        if (x[i] != 0.0)
            return 0;
    return 1;
}

static void put_value(CondSceneText* text, const CondScene* scene, const CondKey* key,
                      const void* structure)
{
    const char* at = (const char*)structure + key->offset;
    double x[8];
    int whole;
    uint32_t bits;
    switch (key->type) {
    case COND_KEY_TEXT:
        (is_path(key) ? cond_scene_put_path : cond_scene_put_word)(text, at);
        break;
    case COND_KEY_WHOLE:
        memcpy(&whole, at, sizeof whole);
        cond_scene_put(text, "%d", whole);
        break;
    case COND_KEY_SWITCH:
        memcpy(&whole, at, sizeof whole);
        cond_scene_put(text, whole ? "true" : "false");
        break;
    case COND_KEY_CHOICE:
        memcpy(&whole, at, sizeof whole);
        cond_scene_put(text, "%s", key->choice(whole));
        break;
    case COND_KEY_GROUPS:
        memcpy(&bits, at, sizeof bits);
        put_groups(text, scene, bits);
        break;
    default:
        memcpy(x, at, (size_t)key->count * sizeof *x);
        if (isnan(x[0]))
            cond_scene_put(text, "auto");
        else if (key->type == COND_KEY_NUMBER)
            cond_scene_put_number(text, x[0]);
        else if (key->type == COND_KEY_SAME && is_same(x, key->count))
            cond_scene_put_number(text, x[0]);
        else if (key->type == COND_KEY_SHORT && is_short(x, key->count))
            put_vector(text, x, key->count / 2);
        else
            put_vector(text, x, key->count);
    }
}

static int is_field(const CondKey* key)
{
    return key->type != COND_KEY_SECTION && key->type != COND_KEY_LIST &&
           key->type != COND_KEY_POINTS;
}

// The fields of a section that differ from those of `defaults`; those called `skip` are left out.
static void put_fields(CondSceneText* text, const CondScene* scene, const char* section,
                       const void* structure, const void* defaults, const char* const* skip,
                       Style* style)
{
    int n_key;
    const CondKey* key = cond_keys_section(section, &n_key);
    for (int i = 0; i < n_key; i++) {
        int skipped = 0;
        for (int k = 0; skip && skip[k]; k++)
            skipped |= strcmp(skip[k], key[i].text.key) == 0;
        int needed = cond_key_is_required(&key[i]);
        if (!is_field(&key[i]) || skipped ||
            (!needed && cond_key_same(&key[i], structure, defaults)))
            continue;
        put_key(text, style, key[i].text.key);
        put_value(text, scene, &key[i], structure);
    }
}

static Style braces(void)
{
    return (Style){"{", ", ", "}", 0};
}

// A mapping within braces under a key, where anything in it differs.
static void put_section(CondSceneText* text, const CondScene* scene, const char* section,
                        const char* key, const void* structure, const void* defaults, Style* outer)
{
    CondSceneText start = *text;
    Style inner = braces();
    int n = outer->n;
    put_key(text, outer, key);
    put_fields(text, scene, section, structure, defaults, NULL, &inner);
    if (inner.n > 0) {
        cond_scene_put(text, "}");
        return;
    }
    // Nothing: take the key back.
    outer->n = n;
    if (!text->status) {
        text->length = start.length;
        if (text->text)
            text->text[text->length] = 0;
    }
}

static void put_points(CondSceneText* text, const char* key, const double* point, int n,
                       Style* style)
{
    put_key(text, style, key);
    cond_scene_put(text, "[");
    for (int i = 0; i < n; i++) {
        cond_scene_put(text, i ? ", " : "");
        put_vector(text, point + 3 * (size_t)i, 3);
    }
    cond_scene_put(text, "]");
}

// The one key of a shape.
static void put_shape(CondSceneText* text, const CondScene* scene, const char* section,
                      CondShapeKind shape, const void* structure, Style* style)
{
    const CondKey* key = cond_keys_find(section, cond_shape_row(shape)->name);
    put_key(text, style, key->text.key);
    put_value(text, scene, key, structure);
}

static const char* const shape_keys[] = {"box",  "sphere",      "capsule", "cylinder", "convex",
                                         "mesh", "heightfield", "terrain", NULL};

static void put_links(CondSceneText* text, const CondScene* scene, const CondBodyDef* def)
{
    const CondLinkDef initial = cond_link_def_default();
    const CondLinkShapeDef plain = cond_link_shape_def_default();
    cond_scene_put(text, "\n    links:");
    for (int i = 0; i < def->n_link; i++) {
        const CondLinkDef* link = &def->link[i];
        Style lines = {"\n      - ", "\n        ", "", 0};
        put_fields(text, scene, "bodies.links", link, &initial, NULL, &lines);
        // That of the base says what its coordinates have where it floats.
        if (i > 0 || def->floating)
            put_section(text, scene, "bodies.links.joint", "joint", link, &initial, &lines);
        if (link->n_shape > 0)
            cond_scene_put(text, "\n        shapes:");
        for (int k = 0; k < link->n_shape; k++) {
            Style inner = {"\n          - {", ", ", "}", 0};
            put_shape(text, scene, "bodies.links.shapes", link->shape[k].shape, &link->shape[k],
                      &inner);
            put_fields(text, scene, "bodies.links.shapes", &link->shape[k], &plain, shape_keys,
                       &inner);
            cond_scene_put(text, "}");
        }
    }
}

// Entries of a nested list, one in braces on each line.
static void put_list(CondSceneText* text, const CondScene* scene, const char* section,
                     const char* key, const void* entry, size_t size, int n, const void* defaults)
{
    if (n > 0)
        cond_scene_put(text, "\n    %s:", key);
    for (int i = 0; i < n; i++) {
        Style inner = {"\n      - {", ", ", "}", 0};
        put_fields(text, scene, section, (const char*)entry + (size_t)i * size, defaults, NULL,
                   &inner);
        cond_scene_put(text, inner.n ? "}" : "\n      - {}");
    }
}

// Folders with colons between them, each as a path.
static void put_folders(CondSceneText* text, const char* folders, Style* style)
{
    if (!*folders)
        return;
    put_key(text, style, "package_dirs");
    for (const char* comma = "["; *folders; comma = ", ") {
        char folder[COND_PATH_SIZE];
        size_t length = strcspn(folders, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, folders);
        cond_scene_put(text, "%s", comma);
        cond_scene_put_path(text, folder);
        folders += length + (folders[length] == ':');
    }
    cond_scene_put(text, "]");
}

static void put_body(CondSceneText* text, const CondScene* scene, const CondBodyDef* def)
{
    const CondBodyDef initial = cond_body_def_default();
    const CondJointDef joint = cond_joint_def_default();
    const CondLinkGroups groups = {.groups = COND_GROUP_DEFAULT, .touches = COND_GROUP_ALL};
    // The inertia that the shape gives was filled in; the mesh of a shape is its own key.
    int from_shape = def->kind == COND_BODY_RIGID && def->inertia_from_shape;
    int mesh = def->kind == COND_BODY_RIGID && cond_shape_is_mesh(def->shape);
    const char* const skip[] = {from_shape ? "inertia" : "-", mesh ? "mesh" : "-", NULL};
    Style lines = {"\n  - ", "\n    ", "", 0};
    put_fields(text, scene, "bodies", def, &initial, skip, &lines);
    if (def->kind == COND_BODY_RIGID && def->shape != COND_SHAPE_NONE) {
        Style inner = braces();
        put_key(text, &lines, "shape");
        if (def->shape == COND_SHAPE_POINTS) {
            inner.first = "{";
            put_points(text, "points", def->point, def->n_point, &inner);
        } else {
            put_shape(text, scene, "bodies.shape", def->shape, def, &inner);
        }
        cond_scene_put(text, "}");
    }
    if (def->kind == COND_BODY_ROD) {
        Style inner = braces();
        const char* const shape[] = {def->rod.shape == COND_ROD_POINTS ? "shape" : "-", NULL};
        put_key(text, &lines, "rod");
        put_fields(text, scene, "bodies.rod", def, &initial, shape, &inner);
        if (def->rod.shape == COND_ROD_POINTS)
            put_points(text, "points", def->point, def->n_point, &inner);
        cond_scene_put(text, "}");
    }
    put_section(text, scene, "bodies.motor", "motor", def, &initial, &lines);
    put_folders(text, def->package_dirs, &lines);
    put_list(text, scene, "bodies.joints", "joints", def->joint, sizeof *def->joint, def->n_joint,
             &joint);
    put_list(text, scene, "bodies.link_groups", "link_groups", def->link_groups,
             sizeof *def->link_groups, def->n_link_groups, &groups);
    if (def->n_link > 0)
        put_links(text, scene, def);
}

// The heights of a grid, row by row, or what they are read from or made by.
static void put_heights(CondSceneText* text, const CondObstacleDef* def, Style* style)
{
    put_key(text, style, "heightfield");
    if (def->n_row == 0) {
        cond_scene_put_path(text, def->mesh);
        return;
    }
    cond_scene_put(text, "[");
    for (int i = 0; i < def->n_row; i++) {
        cond_scene_put(text, i ? ", " : "");
        put_vector(text, def->heights + (size_t)i * (size_t)def->n_column, def->n_column);
    }
    cond_scene_put(text, "]");
}

static void put_obstacle(CondSceneText* text, const CondScene* scene, const CondObstacleDef* def)
{
    const CondObstacleDef initial = cond_obstacle_def_default();
    const char* const skip[] = {cond_shape_is_mesh(def->shape) ? "mesh" : "-", NULL};
    Style lines = {"\n  - ", "\n    ", "", 0}, inner = braces();
    put_fields(text, scene, "obstacles", def, &initial, skip, &lines);
    put_key(text, &lines, "shape");
    if (def->shape == COND_SHAPE_HEIGHTFIELD)
        put_heights(text, def, &inner);
    else
        put_shape(text, scene, "obstacles.shape", def->shape, def, &inner);
    put_fields(text, scene, "obstacles.shape", def, &initial, shape_keys, &inner);
    cond_scene_put(text, "}");
}

static void put_trajectory(CondSceneText* text, const CondScene* scene,
                           const CondTrajectoryDef* def)
{
    const CondTrajectoryDef initial = cond_trajectory_def_default();
    CondWaypoint waypoint = cond_waypoint_default();
    waypoint.time = NAN; // always written
    Style lines = {"\n  - ", "\n    ", "", 0};
    put_fields(text, scene, "trajectories", def, &initial, NULL, &lines);
    put_list(text, scene, "trajectories.waypoints", "waypoints", def->waypoint,
             sizeof *def->waypoint, def->n_waypoint, &waypoint);
}

static void put_choices(CondSceneText* text, const CondVariationDef* def, Style* style)
{
    if (def->n_choice == 0)
        return;
    put_key(text, style, "choices");
    put_vector(text, def->choice, def->n_choice);
}

// The things of a kind whose definitions are fields, and sections of such: one of these that says
// nothing is the world.
static void put_plain(CondSceneText* text, const CondScene* scene, CondSceneKind kind)
{
    const CondKindRow* row = cond_scene_kind_row(kind);
    const char* list = row->section[0];
    double initial[512]; // aligned for any definition
    cond_structure_find(row->structure)->fill(initial);
    if (cond_scene_count(scene, kind) > 0)
        cond_scene_put(text, "\n%s:", list);
    for (int i = 0; i < cond_scene_count(scene, kind); i++) {
        const void* entry = cond_scene_get(scene, kind, i);
        Style lines = {"\n  - ", "\n    ", "", 0};
        put_fields(text, scene, list, entry, initial, NULL, &lines);
        if (kind == COND_SCENE_VARIATION)
            put_choices(text, entry, &lines);
        for (int k = 1; k < 3 && row->section[k]; k++) {
            const char* key = strchr(row->section[k], '.') + 1;
            int before = lines.n;
            put_section(text, scene, row->section[k], key, entry, initial, &lines);
            if (lines.n == before) {
                put_key(text, &lines, key);
                cond_scene_put(text, "{}");
            }
        }
    }
}

// Numbers of nodes, so many a row.
static void put_corners(CondSceneText* text, const char* key, const int* corner, int n, int width,
                        Style* style)
{
    if (n == 0)
        return;
    put_key(text, style, key);
    for (int i = 0; i < n * width; i++)
        cond_scene_put(text, "%s%d", i == 0 ? "[[" : i % width ? ", " : "], [", corner[i]);
    cond_scene_put(text, "]]");
}

static void put_meshes(CondSceneText* text, const CondScene* scene)
{
    if (scene->n_mesh > 0)
        cond_scene_put(text, "\nmeshes:");
    for (int i = 0; i < scene->n_mesh; i++) {
        const CondMesh* mesh = &scene->mesh[i].mesh;
        const CondSceneMesh initial = {.name = ""};
        Style lines = {"\n  - ", "\n    ", "", 0};
        put_fields(text, scene, "meshes", &scene->mesh[i], &initial, NULL, &lines);
        put_points(text, "nodes", mesh->node, mesh->n_node, &lines);
        put_corners(text, "tets", mesh->tet, mesh->n_tet, 4, &lines);
        if (mesh->n_tet == 0) // else their surface
            put_corners(text, "triangles", mesh->triangle, mesh->n_triangle, 3, &lines);
    }
}

static void put_settings(CondSceneText* text, const CondScene* scene)
{
    static const char* const sections[] = {"step", "contact", "solver", "penalty", "pbd"};
    const CondSettingsDraft initial = {.settings = cond_scene_settings_default()};
    const CondSettingsDraft draft = {.settings = scene->settings};
    Style lines = {"", "\n", "", 0};
    put_fields(text, scene, "", &draft, &initial, NULL, &lines);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        put_section(text, scene, sections[k], sections[k], &draft, &initial, &lines);
    // Of the environment one section is inside another: is there anything in it?
    Style inner = braces();
    CondSceneText start = *text;
    put_section(text, scene, "environment.observe", "observe", &draft, &initial, &inner);
    int differs = inner.n > 0;
    if (!text->status)
        text->length = start.length;
    if (!differs) {
        put_section(text, scene, "environment", "environment", &draft, &initial, &lines);
        return;
    }
    inner = braces();
    put_key(text, &lines, "environment");
    put_fields(text, scene, "environment", &draft, &initial, NULL, &inner);
    put_section(text, scene, "environment.observe", "observe", &draft, &initial, &inner);
    cond_scene_put(text, "}");
}

static void put_excludes(CondSceneText* text, const CondScene* scene)
{
    const CondExcludeDef initial = cond_exclude_def_default();
    int n_pair = 0;
    for (int i = 0; i < scene->n_exclude; i++)
        n_pair += scene->exclude[i].touches != 0;
    if (scene->n_exclude > n_pair)
        cond_scene_put(text, "\nexclude:");
    for (int i = 0; i < scene->n_exclude; i++) {
        if (scene->exclude[i].touches)
            continue;
        cond_scene_put(text, "\n  - [");
        cond_scene_put_word(text, scene->exclude[i].thing[0]);
        cond_scene_put(text, ", ");
        cond_scene_put_word(text, scene->exclude[i].thing[1]);
        cond_scene_put(text, "]");
    }
    if (n_pair > 0)
        cond_scene_put(text, "\npairs:");
    for (int i = 0; i < scene->n_exclude; i++) {
        Style inner = {"\n  - {", ", ", "}", 0};
        if (!scene->exclude[i].touches)
            continue;
        put_fields(text, scene, "pairs", &scene->exclude[i], &initial, NULL, &inner);
        cond_scene_put(text, "}");
    }
}

CondStatus cond_scene_write_text(const CondScene* scene, CondSceneText* text)
{
    static const CondSceneKind after[] = {
        COND_SCENE_PATCH,  COND_SCENE_ATTACHMENT, COND_SCENE_SENSOR,    COND_SCENE_CAMERA,
        COND_SCENE_FORCE,  COND_SCENE_SPRING,     COND_SCENE_VARIATION, COND_SCENE_ACTION,
        COND_SCENE_REWARD, COND_SCENE_OBSERVATION};
    text->scene = scene;
    put_settings(text, scene);
    put_meshes(text, scene);
    put_plain(text, scene, COND_SCENE_MATERIAL);
    put_plain(text, scene, COND_SCENE_PLANE);
    if (scene->n_obstacle > 0)
        cond_scene_put(text, "\nobstacles:");
    for (int i = 0; i < scene->n_obstacle; i++)
        put_obstacle(text, scene, &scene->obstacle[i]);
    if (scene->n_body > 0)
        cond_scene_put(text, "\nbodies:");
    for (int i = 0; i < scene->n_body; i++)
        put_body(text, scene, &scene->body[i]);
    put_excludes(text, scene);
    if (scene->n_trajectory > 0)
        cond_scene_put(text, "\ntrajectories:");
    for (int i = 0; i < scene->n_trajectory; i++)
        put_trajectory(text, scene, &scene->trajectory[i]);
    for (size_t k = 0; k < sizeof after / sizeof *after; k++)
        put_plain(text, scene, after[k]);
    cond_scene_put(text, "\n");
    return text->status;
}

CondStatus cond_scene_write(const CondScene* scene, const char* path, CondError* error)
{
    char folder[4096] = "";
    const char* slash = path ? strrchr(path, '/') : NULL;
    if (!scene || !path || (slash && (size_t)(slash - path) + 2 > sizeof folder))
        return cond_error_set(error, COND_BAD_ARGUMENT, "no scene, or no path to write it to");
    if (slash)
        memcpy(folder, path, (size_t)(slash - path) + 1);
    CondSceneText text = {.context = scene->arena.context, .folder = folder};
    CondStatus status = cond_scene_write_text(scene, &text);
    if (status)
        cond_error_set(error, status, "no memory to write %.1000s", path);
    FILE* file = status ? NULL : fopen(path, "wb");
    if (!status && !file)
        status = cond_error_set(error, COND_NO_FILE, "%.1000s: the file cannot be opened", path);
    if (file) {
        int wrong = fwrite(text.text, 1, (size_t)text.length, file) != (size_t)text.length;
        if (fclose(file) || wrong)
            status =
                cond_error_set(error, COND_NO_FILE, "%.1000s: the file cannot be written", path);
    }
    cond_scene_text_release(&text);
    return status;
}

CondStatus cond_scene_save(const CondScene* scene, char* buffer, size_t capacity, size_t* size,
                           CondError* error)
{
    CondSceneText text = {.context = scene->arena.context};
    CondStatus status = cond_scene_write_text(scene, &text);
    *size = status ? 0 : (size_t)text.length + 1;
    if (status)
        cond_error_set(error, status, "no memory to write the scene");
    else if (buffer && capacity < *size)
        status = cond_error_set(error, COND_BAD_ARGUMENT,
                                "the scene needs a buffer of %zu bytes, not %zu", *size, capacity);
    else if (buffer)
        memcpy(buffer, text.text, *size);
    cond_scene_text_release(&text);
    return status;
}
