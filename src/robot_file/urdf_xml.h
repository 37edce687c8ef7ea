// The XML side of reading URDF: a file as a tree, and attributes as numbers, with messages that
// name file and line.
#ifndef COND_ROBOT_FILE_URDF_XML_H
#define COND_ROBOT_FILE_URDF_XML_H

#include "robot_file/urdf.h"

#include <libxml/tree.h>

// Larger files are refused [bytes].
#define COND_URDF_LARGEST (64u << 20)

// Ignored elements, counted by name.
typedef struct CondUrdfIgnored {
    int n, n_other;
    struct {
        char name[32];
        int count;
    } kind[12];
} CondUrdfIgnored;

typedef struct CondUrdfFile {
    CondContext context;
    const char* path;
    const char* package_path; // folders separated by colons; NULL: none
    xmlDocPtr document;       // owned; NULL until read
    CondArticulation* articulation;
    CondError* error; // one line for every fault, as many as fit
    int* n_fault;
    CondUrdfIgnored* ignored;
    int quiet; // 1: faults and warnings are discarded, for visual shapes
} CondUrdfFile;

// Fills document; release it with xmlFreeDoc. libxml2 takes its memory from malloc. Comments may
// contain two hyphens and precede the declaration, as other readers of URDF allow; macros (xacro)
// are refused.
CondStatus cond_urdf_xml_read(CondUrdfFile* file);

// *found is 1 if the file is XML with a <robot>, whose name, truncated if too long, is stored.
// Reports no other faults of the file; fails only if memory runs out.
CondStatus cond_urdf_find_robot(const CondContext* context, const char* path,
                                char name[COND_NAME_SIZE], int* found);

// 1 if the search for further faults must end.
static inline int cond_urdf_ends(CondStatus status)
{
    return status == COND_OUT_OF_MEMORY || status == COND_NO_FILE;
}

// Adds a fault: "path:line: text" with the line of the node (NULL: none); returns the status.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
CondStatus
cond_urdf_refuse(const CondUrdfFile* file, const xmlNode* node, CondStatus status,
                 const char* format, ...);
// The same for a given path and line; 0: no line.
CondStatus cond_urdf_refuse_at(const CondUrdfFile* file, const char* path, long at,
                               CondStatus status, const char* text);
// The end of a very long path, which is more specific than the beginning.
enum { COND_URDF_PATH = 600 }; // characters of it
const char* cond_urdf_tail(const char* path);
// "..." if the path was truncated, to be put before it.
const char* cond_urdf_cut(const char* path);
// Adds "path:line: text" to the warnings of the articulation.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_urdf_warn(const CondUrdfFile* file, const xmlNode* node, const char* format, ...);

// Counts an ignored element; cond_urdf_warn_ignored reports all of them in one warning.
void cond_urdf_ignore(const CondUrdfFile* file, const xmlNode* node);
CondStatus cond_urdf_warn_ignored(const CondUrdfFile* file, const xmlNode* robot);

int cond_urdf_is(const xmlNode* node, const char* name);
// The first element at or after a node; NULL: none.
xmlNode* cond_urdf_element(xmlNode* node);
// The first child of that name; NULL: none. A second one gives a warning.
CondStatus cond_urdf_child(const CondUrdfFile* file, const xmlNode* parent, const char* name,
                           xmlNode** child);
// The text of an attribute, owned by the document; NULL: none.
const char* cond_urdf_text(const xmlNode* node, const char* name);
// A required, non-empty name of any length.
CondStatus cond_urdf_name(const CondUrdfFile* file, const xmlNode* node, const char* attribute,
                          const char** name);
// n finite numbers separated by blanks; cond_urdf_bound reads one that may be infinite. The value
// is unchanged if the attribute is missing, which is a fault if it is required.
CondStatus cond_urdf_numbers(const CondUrdfFile* file, const xmlNode* node, const char* name, int n,
                             int required, double* value);
CondStatus cond_urdf_bound(const CondUrdfFile* file, const xmlNode* node, const char* name,
                           double* value);
// <origin xyz rpy> of a parent: position and R = Rz(yaw) Ry(pitch) Rx(roll) as a quaternion; the
// identity if there is none.
CondStatus cond_urdf_origin(const CondUrdfFile* file, const xmlNode* parent, double position[3],
                            double orientation[4]);

#endif
