// The keys of scene files, which are the fields of definitions and settings. One table serves to
// read, check and write scene files, and to make the reference pages and the schema for editors.
#ifndef COND_KEY_H
#define COND_KEY_H

#include "cond/api.h"
#include "cond/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Type of a key, in a scene file and in its field.
typedef enum CondKeyType {
    COND_KEY_TEXT = 0,     // text; char[count]
    COND_KEY_NUMBER = 1,   // number; double
    COND_KEY_WHOLE = 2,    // whole number; int
    COND_KEY_SWITCH = 3,   // true or false; int, 0 or 1
    COND_KEY_CHOICE = 4,   // one of `count` names; an enumeration or int, counted from 0
    COND_KEY_VECTOR = 5,   // list of `count` numbers; double[count]
    COND_KEY_SAME = 6,     // the same, or one number for all; double[count]
    COND_KEY_SHORT = 7,    // the same, or count / 2 numbers, the rest being 0; double[count]
    COND_KEY_GROUPS = 8,   // names of groups; uint32_t
    COND_KEY_POINTS = 9,   // list of lists of numbers; no single field
    COND_KEY_SECTION = 10, // mapping with keys of its own; no single field
    COND_KEY_LIST = 11,    // list of such mappings, or of texts or numbers; no single field
} CondKeyType;

// Value of a field that was not given.
typedef enum CondKeyUnset {
    COND_UNSET_NEVER = 0,  // the field always has a value
    COND_UNSET_ABSENT = 1, // by NaN
    COND_UNSET_AUTO = 2,   // by NaN, and by the word auto in a file
    COND_UNSET_ZERO = 3,   // by 0, which a file must not give
} CondKeyUnset;

// The names of the types: "text", "number", ...; and "never", "absent", "auto", "zero".
COND_ENUM_NAMES(COND_API, CondKeyType, cond_key_type)
COND_ENUM_NAMES(COND_API, CondKeyUnset, cond_key_unset)

typedef struct CondKeyInfo {
    const char* section;   // of the scene file: "", "bodies", "bodies.rod", ..; lists as sections
    const char* key;       //
    const char* alias;     // an older name, which is read as well; "": none
    const char* structure; // of the C library, "CondBodyDef"; "": no field of one
    const char* field;     // within it, "rod.length"; "": no field of one
    size_t offset;         // of the field in the structure [bytes]
    CondKeyType type;      //
    int count;             // numbers of a vector, names of a choice, bytes of a text with its end
    CondKeyUnset unset;    //
    const char* words;     // the type and the range in words, "number > 0"
    double low, high;      // bounds of every number; infinite: none
    int low_is_open;       // 1: the bound itself is not allowed
    int high_is_open;      //
    int infinite;          // 1: infinity is allowed above
    int required;          // 1: a file must give it
    const char* unit;      // "": none
    char initial[96];      // the default as a scene file writes it, or "required", "not given", ..
    char bodies[40];       // the kinds of bodies that have it, "rigid, soft"; "": all, or not a key
                           // of bodies
    const char* since;     // version of the library
    const char* meaning;   //
} CondKeyInfo;

COND_API int cond_key_count(void);
// Row `index` of the table: the rows of a section follow each other. size: sizeof(CondKeyInfo) in
// the program. Returns 0 past the end.
COND_API int cond_key_get(int index, CondKeyInfo* key, size_t size);
// The name of a value of a choice; NULL past the last, and for keys of other types.
COND_API const char* cond_key_choice(int index, int value);

#ifdef __cplusplus
}
#endif
#endif
