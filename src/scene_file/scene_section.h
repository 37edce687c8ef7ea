// Mappings and lists of a scene file, as the table of keys knows them.
#ifndef COND_SCENE_FILE_SCENE_SECTION_H
#define COND_SCENE_FILE_SCENE_SECTION_H

#include "scene_file/scene_value.h"

// The nodes of a section, by the row of their key.
typedef struct CondSection {
    const CondKey* key; //                                   (n_key)
    int n_key;
    const CondYamlNode* node[COND_SECTION_SIZE]; // NULL: not in the file
} CondSection;

// path <- parent.key, in COND_KEY_PATH_SIZE bytes; what is too long is cut.
void cond_path_join(char* path, const char* parent, const char* key);

// Reads a mapping into the structure: all fields of the section, but not what is nested in it.
CondStatus cond_section_read(const CondSceneReader* reader, const char* name,
                             const CondYamlNode* mapping, const char* path, void* structure,
                             CondSection* section);

// The node of a key, NULL where the file does not hold it.
// Reads the sections within a section that are fields of the same structure, where they are there:
// from, to, motor, observe, ...
CondStatus cond_section_read_inner(const CondSceneReader* reader, const CondSection* section,
                                   const char* name, const char* path, void* structure);
const CondYamlNode* cond_section_node(const CondSection* section, const char* key);

// Turns what is wrong with a definition into a message that names the line of the field, or of the
// nearest thing around it that the file does hold.
CondStatus cond_scene_refuse_issue(const CondSceneReader* reader, CondStatus status,
                                   const CondYamlNode* item, const char* path,
                                   const CondSceneIssue* issue);

// Reads the entry of a list at this place, counted from 0.
typedef CondStatus CondEntryRead(const CondSceneReader* reader, const CondYamlNode* node,
                                 const char* path, int place, void* target);

// How messages call the entry of a list: "bodies.box", or "bodies[2]" where it has no name; in
// COND_KEY_PATH_SIZE bytes.
void cond_entry_path(char* path, const char* list, const CondYamlNode* entry, int place);

// Reads every entry of a list; the key gives the words of a message.
CondStatus cond_list_read(const CondSceneReader* reader, const CondKey* key,
                          const CondYamlNode* list, const char* path, CondEntryRead* read,
                          void* target);

#endif
