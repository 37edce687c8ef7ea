// Macros for the rows of tables of keys: that of scene files (scene_key_table.c) and those of
// studies (src/scene_file/study_read.c), the only files that include this header.
#ifndef COND_SCENE_SCENE_KEY_ROW_H
#define COND_SCENE_SCENE_KEY_ROW_H

#include "scene/scene_keys.h"

#include <stddef.h>

// The type of a number in documents and messages, for each range.
#define TYPE_FINITE "number"
#define TYPE_POSITIVE "number > 0"
#define TYPE_POSITIVE_OR_INFINITE "number > 0 or .inf"
#define TYPE_NOT_NEGATIVE "number >= 0"
#define TYPE_NOT_NEGATIVE_OR_INFINITE "number >= 0 or .inf"
#define TYPE_ABOVE "number or .inf"
#define TYPE_UNIT "number in 0 .. 1"
#define TYPE_SHARE "number > 0 and <= 1"
#define TYPE_THETA "number in 0.5 .. 1"
#define TYPE_FROM_ONE ">= 1"
#define TYPE_POISSON "number > -1 and < 0.5"

// clang-format off
// Each row begins with section, key, structure and field, and ends with the default and the meaning.
// DEFAULT means that of the structure's default function. A row may be followed by .bodies (the
// kinds that have it), .alias (an older name, which is read as well) and .since.
#define DEFAULT NULL
#define FIELD(structure_, field_) .structure = #structure_, .field = #field_, .offset = offsetof(structure_, field_)
#define TEXT_OF(section, key, structure, field, size, words, initial, meaning) \
    .text = {section, key, words, "", initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_TEXT, .count = size
#define TEXT(section, key, structure, field, initial, meaning) \
    TEXT_OF(section, key, structure, field, COND_NAME_SIZE, "text of at most 63 bytes", initial, meaning)
#define LONG_TEXT(section, key, structure, field, initial, meaning) \
    TEXT_OF(section, key, structure, field, COND_PATH_SIZE, "text of at most 255 bytes", initial, meaning)
#define REAL(section, key, structure, field, range_, unset_, words, unit, initial, meaning) \
    .text = {section, key, words, unit, initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_NUMBER, .count = 1, .range = COND_RANGE_##range_, .unset = COND_UNSET_##unset_
#define NUMBER(section, key, structure, field, range, unit, initial, meaning) \
    REAL(section, key, structure, field, range, NEVER, TYPE_##range, unit, initial, meaning)
#define NUMBER_OR_ABSENT(section, key, structure, field, range, unit, initial, meaning) \
    REAL(section, key, structure, field, range, ABSENT, TYPE_##range, unit, initial, meaning)
#define NUMBER_OR_AUTO(section, key, structure, field, range, unit, initial, meaning) \
    REAL(section, key, structure, field, range, AUTO, TYPE_##range " or auto", unit, initial, meaning)
#define NUMBER_OR_ZERO(section, key, structure, field, range, unit, initial, meaning) \
    REAL(section, key, structure, field, range, ZERO, TYPE_##range, unit, initial, meaning)
#define WHOLE(section, key, structure, field, range_, bound, initial, meaning) \
    .text = {section, key, "whole number" bound, "", initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_WHOLE, .count = 1, .range = COND_RANGE_##range_
#define SWITCH(section, key, structure, field, initial, meaning) \
    .text = {section, key, "true or false", "", initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_SWITCH, .count = 1, .range = COND_RANGE_UNIT
#define CHOICE(section, key, structure, field, count_, name, names, initial, meaning) \
    .text = {section, key, "one of " names, "", initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_CHOICE, .count = count_, .choice = name
#define VECTOR_OF(section, key, structure, field, kind, count_, range_, unset_, words, unit, initial, meaning) \
    .text = {section, key, words, unit, initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_##kind, .count = count_, .range = COND_RANGE_##range_, .unset = COND_UNSET_##unset_
#define VECTOR(section, key, structure, field, unit, initial, meaning) \
    VECTOR_OF(section, key, structure, field, VECTOR, 3, FINITE, NEVER, "vector of 3", unit, initial, meaning)
#define ORIENTATION(section, structure, field, meaning) \
    VECTOR_OF(section, "orientation", structure, field, VECTOR, 4, FINITE, NEVER, "vector of 4", "", DEFAULT, meaning)
#define SIZES(section, key, structure, count, numbers, meaning) \
    VECTOR_OF(section, key, structure, size, VECTOR, count, POSITIVE, NEVER, numbers ", each > 0", "m", "none", meaning)
#define NESTED(section, key, kind, words, initial, meaning) \
    .text = {section, key, words, "", initial, meaning}, .type = COND_KEY_##kind
#define GROUPS(section, key, structure, field, initial, meaning) \
    .text = {section, key, "name or list of names", "", initial, meaning}, FIELD(structure, field), \
    .type = COND_KEY_GROUPS, .count = 1

// Friction of a surface, and its rules for the friction with other surfaces.
#define SURFACE(section, structure, friction_meaning, restitution_meaning) \
    {VECTOR_OF(section, "friction", structure, surface.friction, SAME, 2, NOT_NEGATIVE, ABSENT, "number >= 0 or list of 2", "", DEFAULT, friction_meaning)}, \
    {NUMBER_OR_ABSENT(section, "restitution", structure, surface.restitution, UNIT, "", DEFAULT, restitution_meaning)}
#define RUBBING(section, structure) \
    {CHOICE(section, "friction_rule", structure, rubbing.rule, 2, cond_choice_friction_rule, "geometric, larger", DEFAULT, "how two frictions combine: their geometric mean, or the larger one if either surface has this rule")}, \
    {WHOLE(section, "friction_priority", structure, rubbing.priority, FINITE, "", DEFAULT, "of two surfaces that differ in it the one with the larger value gives the friction alone")}, \
    {SWITCH(section, "frictionless", structure, rubbing.frictionless, DEFAULT, "no friction with surfaces that are frictionless too, or have less priority")}
#define ROTATION(section, axes) \
    {VECTOR(section, "axis", CondRotationDraft, axis, "", "required", axes "; any length")}, \
    {NUMBER(section, "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis")}
#define ATTACHED(section, i) \
    {TEXT(section, "body", CondAttachmentDef, end[i].body, DEFAULT, "the body; by default the world")}, \
    {TEXT(section, "link", CondAttachmentDef, end[i].link, DEFAULT, "required for robots: the link that is held")}, \
    {TEXT(section, "patch", CondAttachmentDef, end[i].patch, DEFAULT, "required for soft bodies: the patch that is held")}, \
    {TEXT(section, "trajectory", CondAttachmentDef, end[i].trajectory, DEFAULT, "instead of a body: the frame that moves along this trajectory")}, \
    {VECTOR(section, "point", CondAttachmentDef, end[i].point, "m", DEFAULT, "in the axes of the body, the link or the world; a patch has its own centre")}, \
    {NUMBER_OR_ABSENT(section, "at", CondAttachmentDef, end[i].at, NOT_NEGATIVE, "m", DEFAULT, "required for rods: distance from the start of the rod, along it; point is then in link axes, from there")}
#define SPRING_END(section, i) \
    {TEXT(section, "body", CondSpringDef, body[i], DEFAULT, "the particle, rigid body or rod to which it is fixed, or the robot of `joint`; by default the world")}, \
    {NUMBER_OR_ABSENT(section, "at", CondSpringDef, at[i], NOT_NEGATIVE, "m", DEFAULT, "required for rods: distance from the start of the rod, along it")}, \
    {VECTOR(section, "point", CondSpringDef, point[i], "m", DEFAULT, "in body axes, or in world axes; of rods in link axes, from at")}, \
    {TEXT(section, "joint", CondSpringDef, joint[i], DEFAULT, "the joint of the robot `body` whose position is the end of the spring, instead of a point; the other end is a joint too, or left out")}, \
    {NUMBER(section, "ratio", CondSpringDef, ratio[i], FINITE, "", DEFAULT, "length of the spring per position of the joint")}
#define REWARDED(section, structure, end) \
    {TEXT(section, "body", structure, end.body, DEFAULT, "the body; of observations by default the world")}, \
    {TEXT(section, "link", structure, end.link, DEFAULT, "of a robot: the link")}, \
    {TEXT(section, "patch", structure, end.patch, DEFAULT, "of a soft body: the patch; by default its centre of mass")}, \
    {NUMBER_OR_ABSENT(section, "at", structure, end.at, NOT_NEGATIVE, "m", DEFAULT, "of a rod: distance from its start, along it; by default its centre of mass")}, \
    {VECTOR(section, "point", structure, end.point, "m", DEFAULT, "in the axes of the body, the link or the world")}

enum {
    PARTICLE = 1 << COND_BODY_PARTICLE,
    RIGID = 1 << COND_BODY_RIGID,
    SOFT = 1 << COND_BODY_SOFT,
    ROBOT = 1 << COND_BODY_ROBOT,
    ROD = 1 << COND_BODY_ROD,
    SHELL = 1 << COND_BODY_SHELL,
};
// clang-format on

#endif
