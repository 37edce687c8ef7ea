// Writes one value as YAML, and the text that grows (scene_write.h).
#define _XOPEN_SOURCE 700
#include "base/memory.h"
#include "cond/mesh.h"
#include "scene/scene_files.h"
#include "scene_file/scene_write.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cond_scene_put(CondSceneText* text, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (text->status || n < 0)
        return;
    text->status =
        cond_reserve(&text->context, &text->text, &text->capacity, text->length + n + 1, 1);
    if (text->status)
        return;
    va_start(arguments, format);
    vsnprintf(text->text + text->length, (size_t)n + 1, format, arguments);
    va_end(arguments);
    text->length += n;
}

void cond_scene_text_release(CondSceneText* text)
{
    cond_release(&text->context, text->text);
    text->text = NULL;
}

void cond_number_write(double value, char number[40])
{
    if (isinf(value)) {
        strcpy(number, value > 0.0 ? ".inf" : "-.inf");
        return;
    }
    for (int digits = 6; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(number, 40, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
    // Files have a decimal point, whatever the language of the host program.
    char* comma = strchr(number, localeconv()->decimal_point[0]);
    if (comma)
        *comma = '.';
}

void cond_scene_put_number(CondSceneText* text, double value)
{
    char number[40];
    cond_number_write(value, number);
    cond_scene_put(text, "%s", number);
}

// 1 for a word that YAML takes as a text without quotes, and that is not one of its own words.
static int is_plain(const char* word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "0123456789-./";
    static const char* const words[] = {"true", "false", "null", "yes",   "no",   "on",  "off",
                                        "inf",  "auto",  "True", "False", "Null", "Yes", "No",
                                        "On",   "Off",   "y",    "n",     "Y",    "N"};
    size_t length = strlen(word);
    if (!*word || !strchr(letters, *word))
        return 0;
    for (size_t i = 0; i < length; i++)
        if (!strchr(letters, word[i]) && !strchr(others, word[i]))
            return 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(word, words[k]) == 0)
            return 0;
    return 1;
}

void cond_scene_put_word(CondSceneText* text, const char* word)
{
    if (is_plain(word)) {
        cond_scene_put(text, "%s", word);
        return;
    }
    cond_scene_put(text, "\"");
    for (const unsigned char* c = (const unsigned char*)word; *c; c++) {
        if (*c == '"' || *c == '\\')
            cond_scene_put(text, "\\%c", *c);
        else if (*c < 0x20)
            cond_scene_put(text, "\\x%02x", *c);
        else
            cond_scene_put(text, "%c", *c);
    }
    cond_scene_put(text, "\"");
}

// How one path is seen from a folder: so many times ../, then the rest.
static int seen_from(const char* folder, const char* path, char* out, size_t size)
{
    char from[PATH_MAX], to[PATH_MAX];
    if (!realpath(*folder ? folder : ".", from) || !realpath(path, to))
        return 0;
    size_t same = 0, slash = 0;
    while (from[same] && from[same] == to[same]) {
        if (from[same] == '/')
            slash = same;
        same++;
    }
    if (!from[same] && to[same] == '/')
        slash = same;
    char* at = out;
    const char* end = out + size;
    for (const char* c = from + slash; *c && at + 4 < end; c++)
        if (*c == '/' && c[1])
            at += snprintf(at, (size_t)(end - at), "../");
    return snprintf(at, (size_t)(end - at), "%s", to + slash + 1) < end - at;
}

void cond_scene_put_path(CondSceneText* text, const char* path)
{
    char seen[COND_PATH_SIZE];
    int moved = text->folder && *path && !cond_mesh_is_recipe(path) &&
                !(text->scene && cond_scene_find_mesh(text->scene, path)) &&
                seen_from(text->folder, path, seen, sizeof seen);
    cond_scene_put_word(text, moved ? seen : path);
}
