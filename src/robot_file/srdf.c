// Reads pairs of links that never touch from an SRDF file (srdf.h).
#include "robot_file/srdf.h"

#include "base/memory.h"
#include "robot_file/urdf_xml.h"

// The link that an attribute names; -1 after a warning where the robot has none.
static CondStatus find_link(const CondUrdfFile* file, const xmlNode* node, const char* attribute,
                            int* link)
{
    const char* name = NULL;
    *link = -1;
    CondStatus status = cond_urdf_name(file, node, attribute, &name);
    if (status)
        return status;
    *link = cond_articulation_find_link(file->articulation, name);
    return *link >= 0 ? COND_OK
                      : cond_urdf_warn(file, node, "the robot has no link '%.63s': ignored", name);
}

static CondStatus find_pair(const CondUrdfFile* file, const xmlNode* node, int link[2])
{
    CondStatus status = find_link(file, node, "link1", &link[0]);
    return status ? status : find_link(file, node, "link2", &link[1]);
}

// 1 where <enable_collisions> names the two links.
static int is_enabled(const CondUrdfFile* file, xmlNode* robot, int a, int b)
{
    for (xmlNode* node = cond_urdf_element(robot->children); node;
         node = cond_urdf_element(node->next)) {
        const char* name[2] = {cond_urdf_text(node, "link1"), cond_urdf_text(node, "link2")};
        if (!cond_urdf_is(node, "enable_collisions") || !name[0] || !name[1])
            continue;
        int one = cond_articulation_find_link(file->articulation, name[0]);
        int two = cond_articulation_find_link(file->articulation, name[1]);
        if ((one == a && two == b) || (one == b && two == a))
            return 1;
    }
    return 0;
}

static CondStatus disable(const CondUrdfFile* file, int a, int b)
{
    CondStatus status = cond_articulation_disable(file->articulation, a, b);
    return status ? cond_urdf_refuse(file, NULL, status, "no memory for a pair of links") : COND_OK;
}

static CondStatus disable_default(const CondUrdfFile* file, xmlNode* robot, const xmlNode* node)
{
    int link;
    CondStatus status = find_link(file, node, "link", &link);
    for (int i = 0; i < file->articulation->n_link && link >= 0 && !status; i++)
        if (i != link && !is_enabled(file, robot, link, i))
            status = disable(file, link, i);
    return status;
}

static CondStatus read_robot(const CondUrdfFile* file)
{
    xmlNode* robot = xmlDocGetRootElement(file->document);
    CondStatus status = COND_OK;
    if (!robot || !cond_urdf_is(robot, "robot"))
        return cond_urdf_refuse(file, robot, COND_BAD_INPUT, "the file holds no <robot>");
    for (xmlNode* node = cond_urdf_element(robot->children); node && !status;
         node = cond_urdf_element(node->next)) {
        int link[2] = {-1, -1};
        if (cond_urdf_is(node, "disable_default_collisions"))
            status = disable_default(file, robot, node);
        if (!cond_urdf_is(node, "disable_collisions"))
            continue;
        status = find_pair(file, node, link);
        if (!status && link[0] >= 0 && link[1] >= 0 && link[0] != link[1])
            status = disable(file, link[0], link[1]);
    }
    return status;
}

CondStatus cond_srdf_read(const CondContext* context, const char* path, CondArticulation* robot,
                          CondError* error)
{
    int n_fault = 0;
    CondUrdfFile file = {.context = cond_context_or_default(context),
                         .path = path,
                         .articulation = robot,
                         .error = error,
                         .n_fault = &n_fault};
    CondStatus status = cond_urdf_xml_read(&file);
    if (!status)
        status = read_robot(&file);
    if (file.document)
        xmlFreeDoc(file.document);
    return status;
}
