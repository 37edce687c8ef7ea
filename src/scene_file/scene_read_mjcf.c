// MJCF files in scenes: as the whole scene, or among other things. A URDF is a scene of one robot.
#include "base/error.h"
#include "robot_file/mjcf.h"
#include "robot_file/urdf_xml.h"
#include "scene_file/scene_part.h"
#include "scene_file/scene_write.h"

#include <string.h>

static const char KEYFRAME[] = "keyframe=";

static int is_keyframe(const char* override)
{
    return strncmp(override, KEYFRAME, sizeof KEYFRAME - 1) == 0;
}

static CondStatus add_robot(CondScene* scene, const char* file, const char* name, CondError* error)
{
    CondBodyDef def = cond_body_def_default();
    if (strlen(file) >= sizeof def.urdf)
        return cond_error_set(error, COND_BAD_INPUT, "%s: the path is longer than %d bytes", file,
                              COND_PATH_SIZE - 1);
    memcpy(def.name, name, strlen(name));
    memcpy(def.urdf, file, strlen(file));
    def.kind = COND_BODY_ROBOT;
    return cond_scene_add_body(scene, &def, error);
}

// The file as the text of a scene: what `cond convert` would write. Its warnings go to the reader's
// scene.
static CondStatus write_mjcf(CondSceneReader* reader, const CondMjcfOptions* options,
                             CondSceneText* text)
{
    CondScene* made = NULL;
    char robot[COND_NAME_SIZE];
    int is_robot = 0;
    CondStatus status = cond_scene_create(&reader->context, &made, reader->error);
    if (!status && cond_urdf_find_robot(&reader->context, reader->file, robot, &is_robot))
        status =
            cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory to read %s", reader->file);
    if (!status)
        status = is_robot ? add_robot(made, reader->file, robot, reader->error)
                          : cond_mjcf_read(made, reader->file, options, reader->error);
    if (!status) {
        status = cond_scene_write_text(made, text);
        for (int i = 0; i < made->n_warning && !status; i++)
            status = cond_scene_warn(reader->scene, "%s", made->warning[i]);
        if (status)
            cond_error_set(reader->error, status, "no memory to read %.1000s", reader->file);
    }
    cond_scene_destroy(made);
    return status;
}

// The lines of the text mean nothing to who reads the file.
static void forget_lines(CondYamlNode* node)
{
    node->line = 0;
    for (CondYamlNode* child = node->first; child; child = child->next)
        forget_lines(child);
}

CondStatus cond_mjcf_tree(CondSceneReader* reader, int n_override, const char* const* override,
                          CondYamlNode** root)
{
    CondMjcfOptions options = {.whole = 1};
    char folder[4096] = "";
    const char* slash = strrchr(reader->file, '/');
    for (int i = 0; i < n_override; i++)
        if (is_keyframe(override[i]))
            options.keyframe = override[i] + sizeof KEYFRAME - 1;
    if (slash && (size_t)(slash - reader->file) + 2 <= sizeof folder)
        memcpy(folder, reader->file, (size_t)(slash - reader->file) + 1);
    CondSceneText text = {.context = reader->context, .folder = folder};
    CondStatus status = write_mjcf(reader, &options, &text);
    if (!status)
        status = cond_yaml_parse(&reader->context, text.text, (size_t)text.length, reader->file,
                                 NULL, root, reader->error);
    if (!status)
        forget_lines(*root);
    for (int i = 0; i < n_override && !status; ++i)
        if (!is_keyframe(override[i]))
            status = cond_yaml_override(&reader->context, *root, override[i], reader->error);
    cond_scene_text_release(&text);
    return status;
}

// What came from the file stands, for messages, where the scene names it.
static CondStatus note_lines(const CondSceneReader* reader, const int* before, int line)
{
    CondScene* scene = reader->scene;
    CondStatus status = COND_OK;
    for (int k = 0; k < COND_SCENE_N_KIND; k++)
        for (int i = before[k]; i < cond_scene_count(scene, (CondSceneKind)k) && !status; i++)
            status = cond_scene_note_line(scene, (CondSceneKind)k, i, line);
    return status ? cond_error_set(reader->error, status, "no memory for a scene") : COND_OK;
}

CondStatus cond_mjcf_read_entry(const CondSceneReader* reader, const CondYamlNode* node,
                                const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondMjcfDraft draft = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    CondSection section;
    CondError error = {COND_OK, ""};
    CondStatus status = cond_section_read(reader, "mjcf", node, path, &draft, &section);
    if (!status)
        status = cond_path_resolve(reader, cond_section_node(&section, "file"), path, draft.file);
    if (!status)
        status = cond_rotation_read(reader, &section, "mjcf.rotation", path, draft.orientation);
    if (status)
        return status;
    CondMjcfOptions options = {.keyframe = draft.keyframe[0] ? draft.keyframe : NULL,
                               .prefix = draft.prefix};
    if (strcmp(draft.keyframe, "none") == 0)
        options.keyframe = "";
    memcpy(options.position, draft.position, sizeof options.position);
    memcpy(options.orientation, draft.orientation, sizeof options.orientation);
    int before[COND_SCENE_N_KIND];
    for (int k = 0; k < COND_SCENE_N_KIND; k++)
        before[k] = cond_scene_count(reader->scene, (CondSceneKind)k);
    status = cond_mjcf_read(reader->scene, draft.file, &options, &error);
    if (status == COND_NO_FILE)
        return cond_scene_refuse(reader, node, path, "the file %.1000s cannot be read", draft.file);
    return status ? cond_error_set(reader->error, status, "%s", error.message)
                  : note_lines(reader, before, node->line);
}
