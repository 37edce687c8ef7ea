// Variations of a scene file.
#include "scene_file/scene_part.h"

static CondStatus read_choices(const CondSceneReader* reader, const CondYamlNode* list,
                               const char* path, CondVariationDef* def)
{
    static const CondKey number = {.text = {"", "", "number", "", "", ""}, .type = COND_KEY_NUMBER};
    const int most = (int)(sizeof def->choice / sizeof *def->choice);
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "choices");
    if (list && (list->kind != COND_YAML_SEQUENCE || list->n_child < 1 || list->n_child > most))
        return cond_scene_refuse(reader, list, at, "expected a list of 1 to %d numbers", most);
    for (const CondYamlNode* node = list ? list->first : NULL; node; node = node->next) {
        CondStatus status =
            cond_scene_read_number(reader, &number, node, at, &def->choice[def->n_choice++]);
        if (status)
            return status;
    }
    return COND_OK;
}

CondStatus cond_variation_read(const CondSceneReader* reader, const CondYamlNode* node,
                               const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondVariationDef def = cond_variation_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "randomise", node, path, &def, &section);
    if (status)
        return status;
    status = read_choices(reader, cond_section_node(&section, "choices"), path, &def);
    if (status)
        return status;
    status = cond_scene_put_def(reader->scene, COND_SCENE_VARIATION, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}
