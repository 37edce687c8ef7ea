// The tree of a scene file, section by section, as the table of keys says, becomes a scene.
#include "base/error.h"
#include "scene/scene_kind.h"
#include "scene_file/scene_part.h"
#include "scene_file/scene_source.h"

#include <stddef.h>
#include <string.h>

// An entry whose keys are all fields of its definition.
static CondStatus read_plain(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, int place, void* target)
{
    union {
        CondMaterialDef material;
        CondPlaneDef plane;
        CondPatchDef patch;
        CondAttachmentDef attachment;
        CondSensorDef sensor;
        CondCameraDef camera;
        CondForceDef force;
        CondSpringDef spring;
        CondActionDef action;
        CondRewardDef reward;
        CondObservationDef observation;
    } def;
    const CondSceneListRow* list = target;
    const CondKey* orientation = cond_keys_find(list->key, "orientation");
    char rotation[COND_KEY_PATH_SIZE];
    CondSection section;
    CondSceneIssue issue;
    (void)place;
    cond_structure_find(cond_scene_kind_row(list->kind)->structure)->fill(&def);
    CondStatus status = cond_section_read(reader, list->key, node, path, &def, &section);
    if (!status)
        status = cond_section_read_inner(reader, &section, list->key, path, &def);
    cond_path_join(rotation, list->key, "rotation");
    if (!status && orientation)
        status = cond_rotation_read(reader, &section, rotation, path,
                                    (double*)(void*)((char*)&def + orientation->offset));
    if (status)
        return status;
    status = cond_scene_put_def(reader->scene, list->kind, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

// What is named comes before what names it, wherever it stands in the file.
static const CondSceneListRow lists[] = {
    {"meshes", cond_mesh_read_entry, COND_SCENE_N_KIND},
    {"materials", read_plain, COND_SCENE_MATERIAL},
    {"mjcf", cond_mjcf_read_entry, COND_SCENE_N_KIND},
    {"bodies", cond_body_read, COND_SCENE_BODY},
    {"planes", read_plain, COND_SCENE_PLANE},
    {"obstacles", cond_obstacle_read, COND_SCENE_OBSTACLE},
    {"exclude", cond_exclude_read, COND_SCENE_EXCLUDE},
    {"pairs", cond_pair_read, COND_SCENE_EXCLUDE},
    {"patches", read_plain, COND_SCENE_PATCH},
    {"trajectories", cond_trajectory_read, COND_SCENE_TRAJECTORY},
    {"attachments", read_plain, COND_SCENE_ATTACHMENT},
    {"sensors", read_plain, COND_SCENE_SENSOR},
    {"cameras", read_plain, COND_SCENE_CAMERA},
    {"forces", read_plain, COND_SCENE_FORCE},
    {"springs", read_plain, COND_SCENE_SPRING},
    {"randomise", cond_variation_read, COND_SCENE_VARIATION},
    {"actions", read_plain, COND_SCENE_ACTION},
    {"rewards", read_plain, COND_SCENE_REWARD},
    {"observations", read_plain, COND_SCENE_OBSERVATION},
};

// The materials of the library, a file that holds a list of them and nothing else.
static CondStatus read_library(const CondSceneReader* reader, const CondSection* top,
                               CondSettingsDraft* draft)
{
    const CondYamlNode* node = cond_section_node(top, "library");
    CondStatus status = cond_path_resolve(reader, node, "library", draft->library);
    if (status || !node)
        return status;
    CondSceneReader library = *reader;
    library.file = draft->library;
    CondYamlNode* root = NULL;
    status = cond_yaml_read(&library.context, library.file, &root, library.error);
    if (status == COND_NO_FILE)
        return cond_scene_refuse(reader, node, "library", "the file %.1000s cannot be read",
                                 library.file);
    const CondYamlNode* list = status ? NULL : cond_yaml_find(root, "materials");
    if (!status && (!list || root->n_child != 1))
        status = cond_scene_refuse(&library, list ? root->first : root, "",
                                   "a library holds the key materials and no other");
    if (!status)
        status = cond_list_read(&library, cond_keys_find("", "materials"), list, "materials",
                                read_plain, (void*)&lists[1]);
    cond_yaml_destroy(&library.context, root);
    return status;
}

static CondStatus read_settings(const CondSceneReader* reader, const CondYamlNode* root,
                                const CondSection* top, CondSettingsDraft* draft)
{
    CondStatus status = COND_OK;
    // The preset comes first, wherever it stands: it would undo the other keys.
    const CondYamlNode* solver = cond_section_node(top, "solver");
    const CondYamlNode* preset = solver ? cond_yaml_find(solver, "preset") : NULL;
    if (preset && !cond_yaml_is_null(preset))
        status = cond_scene_read_value(reader, cond_keys_find("solver", "preset"), preset,
                                       "solver.preset", draft);
    if (!status && draft->preset)
        draft->settings.solver = cond_solver_settings_paper();
    if (!status)
        status = cond_section_read_inner(reader, top, "", "", draft);
    CondSceneIssue issue;
    if (!status && cond_scene_check_settings(&draft->settings, &issue))
        status = cond_scene_refuse_issue(reader, COND_BAD_INPUT, root, "", &issue);
    return status;
}

// The lines of the last definitions of a kind, for messages of who compiles the scene.
static CondStatus note_lines(const CondSceneReader* reader, CondSceneKind kind,
                             const CondYamlNode* list)
{
    CondStatus status = COND_OK;
    int index = cond_scene_count(reader->scene, kind) - list->n_child;
    for (const CondYamlNode* entry = list->first; entry && !status; entry = entry->next)
        status = cond_scene_note_line(reader->scene, kind, index++, entry->line);
    return status ? cond_error_set(reader->error, status, "out of memory") : COND_OK;
}

const CondSceneListRow* cond_scene_list_row(int index)
{
    return index >= 0 && (size_t)index < sizeof lists / sizeof *lists ? &lists[index] : NULL;
}

static CondStatus read_scene(const CondSceneReader* reader, const CondYamlNode* root)
{
    CondSettingsDraft draft = {.settings = cond_scene_settings_default()};
    CondSection top;
    CondStatus status = cond_section_read(reader, "", root, "", &draft, &top);
    if (!status)
        status = read_settings(reader, root, &top, &draft);
    if (!status)
        status = read_library(reader, &top, &draft);
    if (status)
        return status;
    *cond_scene_settings(reader->scene) = draft.settings;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; ++i) {
        const char* key = lists[i].key;
        const CondYamlNode* list = cond_section_node(&top, key);
        if (list)
            status = cond_list_read(reader, cond_keys_find("", key), list, key, lists[i].read,
                                    (void*)&lists[i]);
        if (!status && list && lists[i].kind != COND_SCENE_N_KIND)
            status = note_lines(reader, lists[i].kind, list);
    }
    return status;
}

CondStatus cond_scene_source_read(const CondSceneSource* source, CondScene** scene,
                                  CondError* error)
{
    CondSceneReader reader = {source->context, source->file, error, NULL};
    *scene = NULL;
    CondStatus status = cond_scene_create(&source->context, &reader.scene, error);
    if (status)
        return status;
    cond_scene_set_files(reader.scene, cond_scene_files());
    if ((status = cond_scene_note_file(reader.scene, source->file)))
        cond_error_set(error, status, "out of memory");
    for (int i = 0; source->notes && i < source->notes->n_warning && !status; i++)
        if ((status = cond_scene_warn(reader.scene, "%s", source->notes->warning[i])))
            cond_error_set(error, status, "out of memory");
    if (!status)
        status = cond_groups_begin(&reader);
    if (!status)
        status = read_scene(&reader, source->root);
    if (!status)
        status = cond_groups_check(&reader, source->root);
    if (status)
        cond_scene_destroy(reader.scene);
    else
        *scene = reader.scene;
    return status;
}
