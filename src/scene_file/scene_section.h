// Mappings and lists of a scene file, by the table of keys.
#ifndef COND_SCENE_FILE_SCENE_SECTION_H
#define COND_SCENE_FILE_SCENE_SECTION_H

#include "scene_file/scene_value.h"

// The nodes of a section, by the row of their key.
typedef struct CondSection {
    const CondKey* key; //                                   (n_key)
    int n_key;
    const CondYamlNode* node[COND_SECTION_SIZE]; // NULL: not in the file
} CondSection;

// path <- parent.key, truncated to COND_KEY_PATH_SIZE bytes.
void cond_path_join(char* path, const char* parent, const char* key);

// Reads a mapping into the structure: all fields of the section, without nested ones.
CondStatus cond_section_read(const CondSceneReader* reader, const char* name,
                             const CondYamlNode* mapping, const char* path, void* structure,
                             CondSection* section);

// read_inner reads the given nested sections that are fields of the same structure: from, to,
// motor, observe, ... section_node returns the node of a key, NULL if it is not in the file.
CondStatus cond_section_read_inner(const CondSceneReader* reader, const CondSection* section,
                                   const char* name, const char* path, void* structure);
const CondYamlNode* cond_section_node(const CondSection* section, const char* key);

// Converts an issue of a definition to a message with the line of the field, or of the nearest
// enclosing node in the file.
CondStatus cond_scene_refuse_issue(const CondSceneReader* reader, CondStatus status,
                                   const CondYamlNode* item, const char* path,
                                   const CondSceneIssue* issue);

// Reads the entry of a list at index `place`, from 0.
typedef CondStatus CondEntryRead(const CondSceneReader* reader, const CondYamlNode* node,
                                 const char* path, int place, void* target);

// The path of an entry of a list in messages: "bodies.box", or "bodies[2]" if it has no name; in
// COND_KEY_PATH_SIZE bytes.
void cond_entry_path(char* path, const char* list, const CondYamlNode* entry, int place);

// Reads every entry of a list; the key gives the words of a message.
CondStatus cond_list_read(const CondSceneReader* reader, const CondKey* key,
                          const CondYamlNode* list, const char* path, CondEntryRead* read,
                          void* target);

#endif
