// Links of a robot in a scene file: each with its joint and its shapes.
#include "base/error.h"
#include "base/memory.h"
#include "scene_file/scene_part.h"

#include <string.h>

static CondStatus read_shape(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, int place, void* target)
{
    static const char name[] = "bodies.links.shapes";
    CondLinkShapeDef* shape = (CondLinkShapeDef*)target + place;
    CondSection section;
    *shape = cond_link_shape_def_default();
    CondStatus status = cond_shape_read(reader, name, node, path, shape, &shape->shape, &section);
    for (int k = 0; k < 2 && !status; k++)
        status = cond_path_resolve(reader, cond_section_node(&section, k ? "mesh" : "convex"), path,
                                   shape->mesh);
    return status ? status
                  : cond_rotation_read(reader, &section, "bodies.links.shapes.rotation", path,
                                       shape->orientation);
}

static CondStatus read_shapes(const CondSceneReader* reader, const CondYamlNode* list,
                              const char* path, CondLinkDef* link)
{
    if (!list)
        return COND_OK;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "shapes");
    CondLinkShapeDef* shape = cond_allocate(&reader->context, (size_t)list->n_child, sizeof *shape);
    if (!shape)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", at);
    link->shape = shape;
    link->n_shape = list->n_child;
    return cond_list_read(reader, cond_keys_find("bodies.links", "shapes"), list, at, read_shape,
                          shape);
}

static CondStatus read_link(const CondSceneReader* reader, const CondYamlNode* node,
                            const char* path, int place, void* target)
{
    CondLinkDef* link = (CondLinkDef*)target + place;
    CondSection section, joint;
    *link = cond_link_def_default();
    CondStatus status = cond_section_read(reader, "bodies.links", node, path, link, &section);
    const CondYamlNode* moves = status ? NULL : cond_section_node(&section, "joint");
    if (moves) {
        char at[COND_KEY_PATH_SIZE];
        cond_path_join(at, path, "joint");
        status = cond_section_read(reader, "bodies.links.joint", moves, at, link, &joint);
        if (!status)
            status = cond_rotation_read(reader, &joint, "bodies.links.joint.rotation", at,
                                        link->orientation);
    }
    return status ? status : read_shapes(reader, cond_section_node(&section, "shapes"), path, link);
}

CondStatus cond_links_read(const CondSceneReader* reader, const CondYamlNode* list,
                           const char* path, CondBodyDef* def)
{
    if (!list)
        return COND_OK;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "links");
    CondLinkDef* link = cond_allocate(&reader->context, (size_t)list->n_child, sizeof *link);
    if (!link)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", at);
    def->link = link;
    def->n_link = list->n_child;
    return cond_list_read(reader, cond_keys_find("bodies", "links"), list, at, read_link, link);
}

void cond_links_release(const CondContext* context, CondBodyDef* def)
{
    for (int i = 0; i < def->n_link; i++)
        cond_release(context, (void*)def->link[i].shape);
    cond_release(context, (void*)def->link);
    def->link = NULL;
    def->n_link = 0;
}
