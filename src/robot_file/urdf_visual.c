// Reads <visual> elements and their colours (urdf_visual.h).
#include "robot_file/urdf_visual.h"

#include "base/memory.h"
#include "robot_file/urdf_part.h"

#include <string.h>

// The <color rgba> of a <material>; 0 where it has none that can be read.
static int own_colour(const CondUrdfFile* file, const xmlNode* material, float colour[4])
{
    double rgba[4] = {0.0, 0.0, 0.0, 1.0};
    for (xmlNode* node = cond_urdf_element(material->children); node;
         node = cond_urdf_element(node->next)) {
        if (!cond_urdf_is(node, "color"))
            continue;
        if (cond_urdf_numbers(file, node, "rgba", 4, 1, rgba) &&
            cond_urdf_numbers(file, node, "rgba", 3, 1, rgba))
            return 0;
        for (int k = 0; k < 4; k++)
            colour[k] = rgba[k] > 0.0 ? (rgba[k] < 1.0 ? (float)rgba[k] : 1.0f) : 0.0f;
        return 1;
    }
    return 0;
}

// Looks for the colour of a material by its name among these elements and what is in them.
static int named_colour(const CondUrdfFile* file, const xmlNode* node, const char* name,
                        float colour[4])
{
    for (; node; node = cond_urdf_element(node->next)) {
        const char* own = cond_urdf_is(node, "material") ? cond_urdf_text(node, "name") : NULL;
        if (own && strcmp(own, name) == 0 && own_colour(file, node, colour))
            return 1;
        if ((cond_urdf_is(node, "link") || cond_urdf_is(node, "visual")) &&
            named_colour(file, cond_urdf_element(node->children), name, colour))
            return 1;
    }
    return 0;
}

CondStatus cond_urdf_read_visual(const CondUrdfFile* file, const xmlNode* node,
                                 CondLinkShape* shape, int* counts, int* missing)
{
    CondUrdfFile quiet = *file;
    xmlNode* material = NULL;
    quiet.quiet = 1;
    CondStatus status = cond_urdf_read_shape(&quiet, node, shape, counts);
    if (status && !cond_urdf_ends(status)) {
        *counts = 0;
        status = COND_OK;
    }
    if (*counts && shape->kind == COND_LINK_MESH && shape->missing) {
        ++*missing;
        *counts = 0;
    }
    if (status || !*counts)
        return status;
    cond_urdf_child(&quiet, node, "material", &material);
    const char* name = material ? cond_urdf_text(material, "name") : NULL;
    const xmlNode* robot = xmlDocGetRootElement(file->document);
    if (material && !own_colour(&quiet, material, shape->colour) && name && *name)
        named_colour(&quiet, cond_urdf_element(robot->children), name, shape->colour);
    return COND_OK;
}
