// The table of all keys of a scene file: what they are called, what they may hold, and where in
// the definitions it goes. Reading, checking and documenting are driven by it.
#ifndef COND_SCENE_SCENE_KEYS_H
#define COND_SCENE_SCENE_KEYS_H

#include "scene/scene.h"

typedef enum CondKeyType {
    COND_KEY_TEXT,    // char[count]
    COND_KEY_NUMBER,  // double
    COND_KEY_WHOLE,   // int
    COND_KEY_SWITCH,  // int, 0 or 1
    COND_KEY_CHOICE,  // an enum, counted from 0
    COND_KEY_VECTOR,  // double[count], from a list of that many
    COND_KEY_SAME,    // double[count], from a list, or from one number for all of them
    COND_KEY_SHORT,   // double[count], from a list, or from half as many and zeros
    COND_KEY_GROUPS,  // uint32_t, from the names of groups
    COND_KEY_POINTS,  // a list of vectors of 3; read by the body
    COND_KEY_SECTION, // a mapping with keys of its own
    COND_KEY_LIST,    // a list of such mappings; read by hand
} CondKeyType;

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

// How a field says that it was not given.
typedef enum CondUnset {
    COND_UNSET_NEVER,  // it cannot
    COND_UNSET_ABSENT, // by NaN
    COND_UNSET_AUTO,   // by NaN, and by the word auto in a file
    COND_UNSET_ZERO,   // by 0, which a file may not say; what needs it is checked by hand
} CondUnset;

typedef struct CondKey {
    CondSceneKey text;
    CondKeyType type;
    size_t offset; // in the structure of the section
    int count;     // of a vector, of the choices, or of the bytes of a text
    CondRange range;
    CondUnset unset;
    const char* (*choice)(int index);
} CondKey;

// What the reader fills for the sections that hold more than the definition does. The definition
// comes first, so that offsets in it are offsets in the draft too.
typedef struct CondSettingsDraft {
    CondSceneSettings settings;
    int preset; // 0 default, 1 paper
    char library[COND_PATH_SIZE];
} CondSettingsDraft;

// A rotation as files give it, which becomes an orientation at once.
typedef struct CondRotationDraft {
    double axis[3];
    double degrees;
} CondRotationDraft;

// An MJCF file, whose bodies join the scene at once.
typedef struct CondMjcfDraft {
    char file[COND_PATH_SIZE];
    char keyframe[COND_NAME_SIZE]; // "": "home" where there is one; "none": none
    char prefix[COND_NAME_SIZE];
    double position[3], orientation[4];
} CondMjcfDraft;

// Sizes of the numbers in a scene and of what is made from them, masses, moments of inertia and
// stiffnesses: products of three, as determinants are, must neither overflow nor vanish.
#define COND_LEAST 1e-100
#define COND_MOST 1e100

// Most keys a section has.
#define COND_SECTION_SIZE 48

// The table (src/scene/scene_key_table.c).
extern const CondKey cond_key_table[];
extern const int cond_key_table_size;

// The rows of a section: the first one, and how many.
const CondKey* cond_keys_section(const char* section, int* n_key);
const CondKey* cond_keys_find(const char* section, const char* key);
// A key with this name anywhere else, NULL when there is none.
const CondKey* cond_keys_find_elsewhere(const char* section, const char* key);

// The key of the section that looks most like `key`, NULL when none is near.
const CondKey* cond_keys_nearest(const char* section, const char* key);
// Whether `name` could be a slip for `known`: the number of single-letter changes, -1 for too many.
int cond_keys_distance(const char* name, const char* known);

// Whether the key accepts this number.
int cond_key_accepts(const CondKey* key, double value);
// Whether it is of a size to compute with: 0 or COND_LEAST .. COND_MOST, infinity where the key
// accepts it. Coordinates, forces and the like may be anything: what they lead to is looked at.
int cond_key_can_hold(const CondKey* key, double value);
// The article that reads well before the key's type: "a " or "".
const char* cond_key_article(const CondKey* key);

// Whether two structures of the key's section hold the same in its field.
int cond_key_same(const CondKey* key, const void* structure, const void* other);

// Checks every field of a section against its row; fields that lie beyond `size` are left out.
// Issues name the field within the entry of a list (nested lists with their place: "joints[2]" is
// then the prefix), or with the section for the settings; cond_keys_check finds the prefix itself.
CondStatus cond_keys_check(const char* section, const void* structure, size_t size,
                           CondSceneIssue* issue);
CondStatus cond_keys_check_at(const char* section, const char* prefix, const void* structure,
                              size_t size, CondSceneIssue* issue);
// The same for one field.
CondStatus cond_key_check(const CondKey* key, const char* prefix, const void* structure,
                          CondSceneIssue* issue);

#endif
