// The XML side of reading URDF: a file as a tree, and attributes as numbers, with messages that
// name file and line.
#ifndef COND_ROBOT_FILE_URDF_XML_H
#define COND_ROBOT_FILE_URDF_XML_H

#include "robot_file/urdf.h"

#include <libxml/tree.h>

// Larger files are refused: no robot comes near.
#define COND_URDF_LARGEST (64u << 20)

// Elements that are passed over, counted by their names.
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
    const char* package_path; // folders with colons between them; NULL: none
    xmlDocPtr document;       // owned; NULL until read
    CondArticulation* articulation;
    CondError* error; // one line for every fault, as many as it holds
    int* n_fault;
    CondUrdfIgnored* ignored;
    int quiet; // 1: faults and warnings are not kept: of what is only seen
} CondUrdfFile;

// Fills document; release it with xmlFreeDoc. libxml2 takes its memory from malloc. Comments may
// hold two hyphens and stand before the declaration, as other readers of URDF allow; macros
// (xacro) are refused.
CondStatus cond_urdf_xml_read(CondUrdfFile* file);

// *found is 1 where the file is XML with a <robot>, whose name is filled in, cut where it is too
// long. All other faults of the file are left to who reads it whole: fails for lack of memory
// alone.
CondStatus cond_urdf_find_robot(const CondContext* context, const char* path,
                                char name[COND_NAME_SIZE], int* found);

// 1 where there is no sense in looking for further faults.
static inline int cond_urdf_ends(CondStatus status)
{
    return status == COND_OUT_OF_MEMORY || status == COND_NO_FILE;
}

// Refuses: "path:line: text", the line being that of the node (NULL: none). Faults add up; returns
// the status.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
CondStatus
cond_urdf_refuse(const CondUrdfFile* file, const xmlNode* node, CondStatus status,
                 const char* format, ...);
// The same for a place that is known by its path and line alone; 0: none.
CondStatus cond_urdf_refuse_at(const CondUrdfFile* file, const char* path, long at,
                               CondStatus status, const char* text);
// Of a very long path the end, which says more than the beginning.
enum { COND_URDF_PATH = 600 }; // characters of it
const char* cond_urdf_tail(const char* path);
// "..." where that is not all of it, to stand before it.
const char* cond_urdf_cut(const char* path);
// Keeps "path:line: text" among the warnings of the articulation.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_urdf_warn(const CondUrdfFile* file, const xmlNode* node, const char* format, ...);

// Counts an element that means nothing here; cond_urdf_warn_ignored tells of all in one warning.
void cond_urdf_ignore(const CondUrdfFile* file, const xmlNode* node);
CondStatus cond_urdf_warn_ignored(const CondUrdfFile* file, const xmlNode* robot);

int cond_urdf_is(const xmlNode* node, const char* name);
// The first element at or after a node, NULL when there is none.
xmlNode* cond_urdf_element(xmlNode* node);
// The first child of that name, NULL when there is none; a second one gets a warning.
CondStatus cond_urdf_child(const CondUrdfFile* file, const xmlNode* parent, const char* name,
                           xmlNode** child);
// The text of an attribute, owned by the document; NULL when it is not there.
const char* cond_urdf_text(const xmlNode* node, const char* name);
// A name that must be there and not be empty; it may be of any length.
CondStatus cond_urdf_name(const CondUrdfFile* file, const xmlNode* node, const char* attribute,
                          const char** name);
// n finite numbers with blanks between them; cond_urdf_bound reads one that may be infinite. Left
// alone when the attribute is not there, unless it is required.
CondStatus cond_urdf_numbers(const CondUrdfFile* file, const xmlNode* node, const char* name, int n,
                             int required, double* value);
CondStatus cond_urdf_bound(const CondUrdfFile* file, const xmlNode* node, const char* name,
                           double* value);
// <origin xyz rpy> of a parent: position and R = Rz(yaw) Ry(pitch) Rx(roll) as a quaternion; the
// unit pose when there is none.
CondStatus cond_urdf_origin(const CondUrdfFile* file, const xmlNode* parent, double position[3],
                            double orientation[4]);

#endif
