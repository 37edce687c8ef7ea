// Reading an MJCF file: tree, compiler settings and classes of defaults, then part by part.
#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"
#include "robot_file/mjcf_model.h"
#include "robot_file/tuning.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cond_mjcf_refuse(CondMjcf* m, const CondMjcfNode* node, const char* format, ...)
{
    char text[1100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (cond_mjcf_ends(m))
        return;
    CondStatus status = cond_urdf_refuse_at(&m->file, node ? node->file : m->file.path,
                                            node ? node->line : 0, COND_BAD_INPUT, text);
    m->status = m->status ? m->status : status;
}

void cond_mjcf_warn(CondMjcf* m, const CondMjcfNode* node, const char* format, ...)
{
    char text[COND_WARNING_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (cond_scene_warn(m->scene, "%s%s:%ld: %s", cond_urdf_cut(node->file),
                        cond_urdf_tail(node->file), node->line, text))
        cond_mjcf_no_memory(m);
}

void cond_mjcf_no_memory(CondMjcf* m)
{
    if (m->status != COND_OUT_OF_MEMORY)
        m->status = cond_urdf_refuse_at(&m->file, m->file.path, 0, COND_OUT_OF_MEMORY,
                                        "no memory to read the file");
}

int cond_mjcf_ends(const CondMjcf* m)
{
    return cond_urdf_ends(m->status);
}

static void read_eulerseq(CondMjcf* m, const CondMjcfNode* node, CondMjcfSettings* s)
{
    const char* text = cond_mjcf_text(m, node, "eulerseq");
    if (!text)
        return;
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        cond_mjcf_refuse(m, node, "eulerseq='%.20s' is not three of the letters x, y, z, X, Y, Z",
                         text);
    else
        memcpy(s->eulerseq, text, 4);
}

static void read_settings(CondMjcf* m, CondMjcfNode* node, CondMjcfSettings* s)
{
    static const char* const angles[] = {"radian", "degree", NULL};
    static const char* const from_geom[] = {"false", "true", "auto", NULL};
    double range[2];
    cond_mjcf_visit(m, node);
    s->degrees = cond_mjcf_word(m, node, "angle", angles, s->degrees);
    s->autolimits = cond_mjcf_true(m, node, "autolimits", s->autolimits);
    s->inertia_from_geom =
        cond_mjcf_word(m, node, "inertiafromgeom", from_geom, s->inertia_from_geom);
    s->balance = cond_mjcf_true(m, node, "balanceinertia", s->balance);
    s->strip_path = cond_mjcf_true(m, node, "strippath", s->strip_path);
    s->bound_mass = cond_mjcf_number(m, node, "boundmass", s->bound_mass);
    s->bound_inertia = cond_mjcf_number(m, node, "boundinertia", s->bound_inertia);
    s->total_mass = cond_mjcf_number(m, node, "settotalmass", s->total_mass);
    if (cond_mjcf_numbers(m, node, "inertiagrouprange", 2, 2, range)) {
        s->group_range[0] = (int)range[0];
        s->group_range[1] = (int)range[1];
    }
    read_eulerseq(m, node, s);
    const char* assets = cond_mjcf_text(m, node, "assetdir");
    const char* meshes = cond_mjcf_text(m, node, "meshdir");
    s->mesh_folder = meshes ? meshes : assets ? assets : s->mesh_folder;
    // Without effect here: what is static moves with nothing either way, and pictures.
    static const char* const unused[] = {"fusestatic", "discardvisual", "texturedir", "usethread",
                                         "convexhull"};
    for (size_t k = 0; k < sizeof unused / sizeof *unused; k++)
        cond_mjcf_own(node, unused[k]);
    const char* coordinate = cond_mjcf_text(m, node, "coordinate");
    if (coordinate && strcmp(coordinate, "global") == 0)
        cond_mjcf_refuse(m, node, "coordinate='global' is not understood, nor is it by MuJoCo");
}

void cond_mjcf_read_compiler(CondMjcf* m)
{
    for (int k = 0; k < m->n_model; k++) {
        CondMjcfSettings* s = &m->model[k];
        s->degrees = s->autolimits = 1;
        s->inertia_from_geom = 2;
        s->group_range[1] = 5;
        s->total_mass = -1.0;
        memcpy(s->eulerseq, "xyz", 4);
        for (CondMjcfNode* node = s->root->first; node; node = node->next)
            if (cond_mjcf_is(node, "compiler"))
                read_settings(m, node, s);
    }
}

static void add_classes(CondMjcf* m, CondMjcfNode* node, const char* parent)
{
    const char* name = cond_mjcf_own(node, "class");
    node->used = 1;
    if (!name && parent)
        cond_mjcf_refuse(m, node, "<default> inside another needs a class");
    const char* main = cond_mjcf_settings(m, node)->main;
    name = name ? name : main;
    if (COND_RESERVE(&m->arena, m->classes, m->n_class + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    if (!parent && strcmp(name, main) != 0)
        parent = main;
    m->classes[m->n_class++] = (CondMjcfClass){name, parent, node};
    for (CondMjcfNode* child = node->first; child && !cond_mjcf_ends(m); child = child->next) {
        child->used = 1; // its attributes are told where nobody asks for them
        if (cond_mjcf_is(child, "default"))
            add_classes(m, child, name);
    }
}

void cond_mjcf_read_classes(CondMjcf* m)
{
    for (CondMjcfNode* node = m->root->first; node && !cond_mjcf_ends(m); node = node->next)
        if (cond_mjcf_is(node, "default"))
            add_classes(m, node, NULL);
}

static void read_flags(CondMjcf* m, CondMjcfNode* option)
{
    CondSceneSettings* settings = cond_scene_settings(m->scene);
    for (CondMjcfNode* flag = option->first; flag; flag = flag->next) {
        if (!cond_mjcf_is(flag, "flag"))
            continue;
        cond_mjcf_visit(m, flag);
        const char* gravity = cond_mjcf_own(flag, "gravity");
        if (gravity && strcmp(gravity, "disable") == 0)
            memset(settings->gravity, 0, sizeof settings->gravity);
        const char* contact = cond_mjcf_own(flag, "contact");
        m->contactless |= contact && strcmp(contact, "disable") == 0;
        const char* constraint = cond_mjcf_own(flag, "constraint");
        if (constraint && strcmp(constraint, "disable") == 0) {
            m->contactless = 1;
            cond_mjcf_warn(m, flag,
                           "constraint='disable': nothing touches; limits, dry friction and "
                           "equalities stay");
        }
        const char* parents = cond_mjcf_own(flag, "filterparent");
        m->all_touch |= parents && strcmp(parents, "disable") == 0;
    }
}

static void read_options(CondMjcf* m)
{
    CondSceneSettings* settings = cond_scene_settings(m->scene);
    CondSceneSettings before = *settings;
    const char* name = cond_mjcf_own(m->root, "model");
    m->root->used = 1;
    snprintf(settings->name, sizeof settings->name, "%s", name ? name : "");
    settings->time_step = COND_MUJOCO_STEP;
    for (CondMjcfNode* node = m->root->first; node; node = node->next) {
        if (!cond_mjcf_is(node, "option"))
            continue;
        cond_mjcf_visit(m, node);
        settings->time_step = cond_mjcf_number(m, node, "timestep", settings->time_step);
        if (!(settings->time_step > 0.0))
            cond_mjcf_refuse(m, node, "timestep='%g' of <option> is not above 0",
                             settings->time_step);
        cond_mjcf_numbers(m, node, "gravity", 3, 3, settings->gravity);
        read_flags(m, node);
        // How MuJoCo solves its own equations has no meaning for ours.
        static const char* const own[] = {"integrator", "solver",   "iterations",   "tolerance",
                                          "cone",       "jacobian", "ls_iterations"};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            cond_mjcf_own(node, own[k]);
    }
    if (!m->options.whole)
        *settings = before;
}

static void read_parts(CondMjcf* m)
{
    void (*const parts[])(CondMjcf*) = {
        cond_mjcf_attach,
        cond_mjcf_read_classes,
        cond_mjcf_read_compiler,
        cond_mjcf_replicate,
        read_options,
        cond_mjcf_read_meshes,
        cond_mjcf_read_bodies,
        cond_mjcf_inertias,
        cond_mjcf_spring_dampers,
        cond_mjcf_read_joint_equalities,
        cond_mjcf_read_keyframe,
        cond_mjcf_read_actuators,
    };
    void (*const makers[])(CondMjcf*) = {cond_mjcf_make_bodies,     cond_mjcf_make_cables,
                                         cond_mjcf_make_equalities, cond_mjcf_make_couplings,
                                         cond_mjcf_make_sensors,    cond_mjcf_make_cameras,
                                         cond_mjcf_make_excludes,   cond_mjcf_list_left};
    for (size_t k = 0; k < sizeof parts / sizeof *parts && !cond_mjcf_ends(m); k++)
        parts[k](m);
    // Definitions are made of a file without faults alone.
    for (size_t k = 0; k < sizeof makers / sizeof *makers && !m->status; k++)
        makers[k](m);
}

CondStatus cond_mjcf_read(CondScene* scene, const char* path, const CondMjcfOptions* options,
                          CondError* error)
{
    int n_fault = 0;
    CondMjcf m = {.scene = scene};
    if (options)
        m.options = *options;
    cond_arena_begin(&scene->arena.context, &m.arena);
    m.file = (CondUrdfFile){
        .context = scene->arena.context, .path = path, .error = error, .n_fault = &n_fault};
    m.place = cond_mjcf_unit();
    memcpy(m.place.p, m.options.position, sizeof m.place.p);
    double square = 0.0;
    for (int i = 0; i < 4; i++)
        square += m.options.orientation[i] * m.options.orientation[i];
    if (square > 0.0) {
        memcpy(m.place.q, m.options.orientation, sizeof m.place.q);
        quat_normalize(m.place.q);
    }
    m.status = cond_mjcf_tree_read(&m.file, &m.arena, &m.root);
    if (m.root && !cond_mjcf_ends(&m))
        read_parts(&m);
    cond_arena_release(&m.arena);
    return m.status;
}

int cond_mjcf_is_xml(const char* path)
{
    FILE* stream = fopen(path, "rb");
    int c = stream ? fgetc(stream) : EOF;
    if (c == 0xef) // a byte order mark
        for (int k = 0; k < 3; k++)
            c = fgetc(stream);
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        c = fgetc(stream);
    if (stream)
        fclose(stream);
    return c == '<';
}
