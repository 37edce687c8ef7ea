// The table of all keys of a scene file: their names, types and ranges, and their fields in the
// definitions. Reading, checking and documentation use it.
#ifndef COND_SCENE_SCENE_KEYS_H
#define COND_SCENE_SCENE_KEYS_H

#include "cond/key.h"
#include "scene/scene.h"

// The numbers a key accepts.
typedef enum CondRange {
    COND_RANGE_FINITE,
    COND_RANGE_POSITIVE,
    COND_RANGE_POSITIVE_OR_INFINITE,
    COND_RANGE_NOT_NEGATIVE,
    COND_RANGE_NOT_NEGATIVE_OR_INFINITE,
    COND_RANGE_ABOVE, // finite, or infinity above
    COND_RANGE_UNIT,  // 0 .. 1
    COND_RANGE_SHARE, // 0 .. 1 without 0
    COND_RANGE_THETA, // 1/2 .. 1
    COND_RANGE_FROM_ONE,
    COND_RANGE_POISSON, // -1 .. 1/2 without either
} CondRange;

typedef struct CondKey {
    CondSceneKey text;     // initial: NULL for the default of the structure
    const char* structure; // NULL: no field
    const char* field;
    CondKeyType type;
    size_t offset; // in the structure
    int count;     // of a vector, of the choices, or of the bytes of a text
    CondRange range;
    CondKeyUnset unset;
    const char* (*choice)(int index);
    unsigned bodies;   // kinds of bodies that have it, by bits; 0: all
    const char* alias; // an older name; NULL: none
    const char* since; // NULL: version 0.1
} CondKey;

// The reader's structure for sections with more fields than the definition. The definition is the
// first field, so that its offsets are also valid here.
typedef struct CondSettingsDraft {
    CondSceneSettings settings;
    int preset; // 0 default, 1 paper
    char library[COND_PATH_SIZE];
} CondSettingsDraft;

// A rotation in a file, which is converted to an orientation.
typedef struct CondRotationDraft {
    double axis[3];
    double degrees;
} CondRotationDraft;

// An MJCF file, whose bodies are added to the scene.
typedef struct CondMjcfDraft {
    char file[COND_PATH_SIZE];
    char keyframe[COND_NAME_SIZE]; // "": "home" if it exists; "none": none
    char prefix[COND_NAME_SIZE];
    double position[3], orientation[4];
} CondMjcfDraft;

// At least the number of rows of the table.
#define COND_KEY_ROWS 512
// Largest number of keys of a section.
#define COND_SECTION_SIZE 48

// The table (src/scene/scene_key_table.c).
extern const CondKey cond_key_table[];
extern const int cond_key_table_size;

// The rows of a section: the first one, and how many.
const CondKey* cond_keys_section(const char* section, int* n_key);
const CondKey* cond_keys_find(const char* section, const char* key);
// 1 for a nested section whose keys are fields of the same structure as those of the section around
// it, whose first row is given: "attachments.from", "bodies.motor".
int cond_keys_inner(const CondKey* around, const char* section);
// A key with this name anywhere else, NULL when there is none.
const CondKey* cond_keys_find_elsewhere(const char* section, const char* key);
// The key of the section that is most similar to `key`; NULL if none is similar.
const CondKey* cond_keys_nearest(const char* section, const char* key);

// Whether the key accepts this number.
int cond_key_accepts(const CondKey* key, double value);
// Whether it is in the range for computations: 0 or COND_LEAST .. COND_MOST, or infinity if the key
// accepts it. Coordinates, forces and the like are not limited: their effects are checked.
int cond_key_can_hold(const CondKey* key, double value);
// The article before the key's type in messages: "a " or "".
const char* cond_key_article(const CondKey* key);

// The default as a scene file writes it.
void cond_key_initial(const CondKey* key, char* text, size_t size);
// The kinds of bodies that have it, by bits, also for keys in their nested sections; 0: all.
unsigned cond_key_bodies(const CondKey* key);
void cond_key_put_bodies(const CondKey* key, char* text, size_t size); // by their names
int cond_key_is_required(const CondKey* key);

// The structures that keys are fields of, with the defaults of each (src/scene/scene_defaults.c).
typedef struct CondStructure {
    const char* name;
    size_t size;
    void (*fill)(void* made);
} CondStructure;
const CondStructure* cond_structure_find(const char* name);

// Whether two structures of the key's section have equal values in its field.
int cond_key_same(const CondKey* key, const void* structure, const void* other);

// Checks every field of a section against its row; fields beyond `size` are skipped. Issues name
// the field within the entry of a list (nested lists with their index: "joints[2]" is then the
// prefix), or with the section for the settings; cond_keys_check finds the prefix itself.
CondStatus cond_keys_check(const char* section, const void* structure, size_t size,
                           CondSceneIssue* issue);
CondStatus cond_keys_check_at(const char* section, const char* prefix, const void* structure,
                              size_t size, CondSceneIssue* issue);
// The same for one field.
CondStatus cond_key_check(const CondKey* key, const char* prefix, const void* structure,
                          CondSceneIssue* issue);

#endif
