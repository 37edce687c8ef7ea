// The rules that definitions obey. Ranges of single fields come from the table of keys; what is
// written out here are the rules between fields and between definitions.
#include "base/error.h"
#include "scene/scene_keys.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_issue_set(CondSceneIssue* issue, const char* field, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(issue->field, sizeof issue->field, "%s", field);
    vsnprintf(issue->text, sizeof issue->text, format, arguments);
    va_end(arguments);
    return COND_BAD_ARGUMENT;
}

// A text field of fixed size ends within it and holds nothing that would garble a message.
static int is_clean_text(const char* text)
{
    for (int i = 0; i < COND_NAME_SIZE; ++i) {
        unsigned char letter = (unsigned char)text[i];
        if (letter == 0)
            return 1;
        if (letter < 0x20 || letter == 0x7f)
            return 0;
    }
    return 0;
}

static int is_clean_choice(const CondKey* key, int index)
{
    return index >= 0 && index < key->count;
}

static CondStatus check_field(const CondKey* key, const char* field, const char* at,
                              CondSceneIssue* issue)
{
    const CondSceneKey* text = &key->text;
    int whole = 0;
    switch (key->type) {
    case COND_KEY_TEXT:
        if (!is_clean_text(at))
            return cond_scene_issue_set(issue, field, "expected a %s, without control characters",
                                        text->type);
        return COND_OK;
    case COND_KEY_WHOLE:
    case COND_KEY_SWITCH:
    case COND_KEY_CHOICE:
        memcpy(&whole, at, sizeof whole);
        if (key->type == COND_KEY_CHOICE ? !is_clean_choice(key, whole)
                                         : !cond_key_accepts(key, whole))
            return cond_scene_issue_set(issue, field, "expected %s%s, not %d",
                                        cond_key_article(key), text->type, whole);
        return COND_OK;
    case COND_KEY_NUMBER:
    case COND_KEY_VECTOR:
    case COND_KEY_SAME:
    case COND_KEY_SHORT:
        break;
    default:
        return COND_OK; // not a field
    }
    int n_unset = 0;
    for (int i = 0; i < key->count; ++i) {
        double value;
        memcpy(&value, at + (size_t)i * sizeof value, sizeof value);
        if (!cond_key_accepts(key, value))
            return cond_scene_issue_set(issue, field, "expected a %s, not %g", text->type, value);
        n_unset += isnan(value);
    }
    if (n_unset != 0 && n_unset != key->count)
        return cond_scene_issue_set(issue, field, "expected a %s, all of it given or none",
                                    text->type);
    return COND_OK;
}

static size_t field_size(const CondKey* key)
{
    switch (key->type) {
    case COND_KEY_TEXT:
        return COND_NAME_SIZE;
    case COND_KEY_WHOLE:
    case COND_KEY_SWITCH:
    case COND_KEY_CHOICE:
        return sizeof(int);
    default:
        return (size_t)key->count * sizeof(double);
    }
}

CondStatus cond_keys_check(const char* section, const void* structure, size_t size,
                           CondSceneIssue* issue)
{
    // Issues in an entry of a list name the field within the entry; those in the settings begin
    // with the section.
    static const char* const lists[] = {"planes", "bodies", "forces", "springs"};
    const char* prefix = section;
    for (int i = 0; i < 4; ++i) {
        size_t length = strlen(lists[i]);
        if (strncmp(section, lists[i], length) == 0)
            prefix = section[length] == '.' ? section + length + 1 : "";
    }
    int n_key;
    const CondKey* key = cond_keys_section(section, &n_key);
    for (int i = 0; i < n_key; ++i) {
        if (key[i].offset + field_size(&key[i]) > size)
            continue;
        char field[48];
        snprintf(field, sizeof field, "%s%s%s", prefix, *prefix ? "." : "", key[i].text.key);
        CondStatus status =
            check_field(&key[i], field, (const char*)structure + key[i].offset, issue);
        if (status)
            return status;
    }
    return COND_OK;
}

static CondStatus check_cookie(int cookie, const char* function, CondSceneIssue* issue)
{
    if (cookie == COND_SCENE_COOKIE)
        return COND_OK;
    return cond_scene_issue_set(issue, "", "the definition was not made by %s()", function);
}

// Entries of a kind have different names; "" stands for a name yet to be given.
static CondStatus check_name(const char* kind, const char* name, const CondNameIndex* index,
                             const void* names, size_t stride, CondSceneIssue* issue)
{
    if (*name && cond_name_index_find(index, names, stride, name) >= 0)
        return cond_scene_issue_set(issue, "name", "another %s is called '%s' already", kind, name);
    return COND_OK;
}

// A direction that is normalised later must have a length that can be divided by.
static CondStatus check_length(const char* field, int n, const double* x, CondSceneIssue* issue)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += x[i] * x[i];
    if (sum == 0.0)
        return cond_scene_issue_set(issue, field, "must not be zero");
    if (!(sum > 1e-18 && sum < 1e18))
        return cond_scene_issue_set(issue, field, "its length must lie in 1e-9 .. 1e9");
    return COND_OK;
}

static int is_zero(int n, const double* x)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0.0)
            return 0;
    return 1;
}

// Sylvester: a symmetric 3x3 matrix (xx, yy, zz, xy, xz, yz) is positive definite exactly when its
// leading minors are positive. The matrix is scaled by its trace first, against over- and
// underflow.
static int is_positive_definite(const double* a)
{
    double trace = a[0] + a[1] + a[2];
    if (!(trace > 0.0 && isfinite(trace)))
        return 0;
    double xx = a[0] / trace, yy = a[1] / trace, zz = a[2] / trace;
    double xy = a[3] / trace, xz = a[4] / trace, yz = a[5] / trace;
    double minor = xx * yy - xy * xy;
    double determinant = zz * minor - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    return xx > 0.0 && minor > 0.0 && determinant > 0.0;
}

// The inertia I = integral of (|r|^2 1 - r r') dm is that of some distribution of mass exactly when
// integral of r r' dm = tr(I)/2 1 - I has no negative eigenvalue, which is the triangle inequality
// of the principal moments. A flat body meets it with equality, so rounding is allowed for.
static CondStatus check_inertia(const double* inertia, CondSceneIssue* issue)
{
    if (!is_positive_definite(inertia))
        return cond_scene_issue_set(issue, "inertia", "must be positive definite");
    double trace = inertia[0] + inertia[1] + inertia[2];
    double slack = 1e-9 * trace;
    double second[6];
    for (int i = 0; i < 3; ++i) {
        second[i] = 0.5 * trace - inertia[i] + slack;
        second[3 + i] = -inertia[3 + i];
    }
    if (!is_positive_definite(second))
        return cond_scene_issue_set(issue, "inertia",
                                    "no body has it: each principal moment must be at most the "
                                    "sum of the other two");
    return COND_OK;
}

static CondStatus check_particle(const CondBodyDef* def, CondSceneIssue* issue)
{
    static const double identity[4] = {1.0, 0.0, 0.0, 0.0};
    const char* field = NULL;
    if (def->shape != COND_SHAPE_NONE)
        field = "shape";
    else if (!is_zero(6, def->inertia))
        field = "inertia";
    else if (memcmp(def->orientation, identity, sizeof identity) != 0)
        field = "orientation";
    else if (!is_zero(3, def->angular_velocity))
        field = "angular_velocity";
    if (field)
        return cond_scene_issue_set(issue, field, "a particle has none (only kind: rigid does)");
    return COND_OK;
}

static CondStatus check_rigid(const CondBodyDef* def, CondSceneIssue* issue)
{
    CondStatus status = COND_OK;
    if (def->shape == COND_SHAPE_BOX)
        status = cond_keys_check("bodies.shape", def, sizeof *def, issue);
    if (def->shape == COND_SHAPE_POINTS) {
        if (def->n_point < 1 || !def->point)
            return cond_scene_issue_set(issue, "shape.points", "expected at least one point");
        for (int i = 0; i < 3 * def->n_point; ++i)
            if (!isfinite(def->point[i]))
                return cond_scene_issue_set(issue, "shape.points", "point %d is not finite", i / 3);
    }
    if (status)
        return status;
    if (!def->inertia_from_shape)
        return check_inertia(def->inertia, issue);
    if (def->shape != COND_SHAPE_BOX)
        return cond_scene_issue_set(issue, "inertia",
                                    "is required: 3 or 6 numbers (only a box can do without)");
    if (!is_zero(6, def->inertia))
        return cond_scene_issue_set(
            issue, "inertia", "is given, but inertia_from_shape says to make it from the box");
    return COND_OK;
}

CondStatus cond_scene_check_body(const CondScene* scene, const CondBodyDef* def,
                                 CondSceneIssue* issue)
{
    CondStatus status = check_cookie(def->cookie, "cond_body_def_default", issue);
    if (!status)
        status = cond_keys_check("bodies", def, sizeof *def, issue);
    if (!status)
        status = check_name("body", def->name, &scene->body_name, scene->body, sizeof *def, issue);
    if (!status)
        status = check_length("orientation", 4, def->orientation, issue);
    if (status)
        return status;
    int shape = (int)def->shape;
    if (shape < COND_SHAPE_NONE || shape > COND_SHAPE_POINTS)
        return cond_scene_issue_set(issue, "shape", "there is no shape number %d", shape);
    return def->kind == COND_BODY_PARTICLE ? check_particle(def, issue) : check_rigid(def, issue);
}

CondStatus cond_scene_check_plane(const CondScene* scene, const CondPlaneDef* def,
                                  CondSceneIssue* issue)
{
    CondStatus status = check_cookie(def->cookie, "cond_plane_def_default", issue);
    if (!status)
        status = cond_keys_check("planes", def, sizeof *def, issue);
    if (!status)
        status =
            check_name("plane", def->name, &scene->plane_name, scene->plane, sizeof *def, issue);
    if (!status)
        status = check_length("normal", 3, def->normal, issue);
    if (status || isnan(def->direction[0]))
        return status;
    status = check_length("direction", 3, def->direction, issue);
    if (status)
        return status;
    // |n x d|^2 = |n|^2 |d|^2 sin^2 of their angle
    const double* n = def->normal;
    const double* d = def->direction;
    double x = n[1] * d[2] - n[2] * d[1];
    double y = n[2] * d[0] - n[0] * d[2];
    double z = n[0] * d[1] - n[1] * d[0];
    double lengths2 =
        (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (x * x + y * y + z * z < 1e-12 * lengths2)
        return cond_scene_issue_set(issue, "direction", "must not be parallel to the normal");
    return COND_OK;
}

// The body that a force or a spring names, and whether a point of it may be named too.
static CondStatus check_body_name(const CondScene* scene, const char* field, const char* name,
                                  int* body, CondSceneIssue* issue)
{
    *body = cond_scene_find_body(scene, name);
    if (*body >= 0)
        return COND_OK;
    int nearest = -1;
    int least = 0;
    for (int i = 0; i < scene->n_body; ++i) {
        int distance = cond_keys_distance(name, scene->body[i].name);
        if (distance >= 0 && (nearest < 0 || distance < least)) {
            nearest = i;
            least = distance;
        }
    }
    if (nearest < 0)
        return cond_scene_issue_set(issue, field, "there is no body called '%s'", name);
    return cond_scene_issue_set(issue, field, "there is no body called '%s' (did you mean '%s'?)",
                                name, scene->body[nearest].name);
}

static CondStatus check_point(const CondScene* scene, int body, const char* field,
                              const double* point, CondSceneIssue* issue)
{
    if (scene->body[body].kind == COND_BODY_PARTICLE && !is_zero(3, point))
        return cond_scene_issue_set(issue, field, "must be zero: '%s' is a particle",
                                    scene->body[body].name);
    return COND_OK;
}

CondStatus cond_scene_check_force(const CondScene* scene, const CondForceDef* def,
                                  CondSceneIssue* issue)
{
    int body = -1;
    CondStatus status = check_cookie(def->cookie, "cond_force_def_default", issue);
    if (!status)
        status = cond_keys_check("forces", def, sizeof *def, issue);
    if (!status)
        status =
            check_name("force", def->name, &scene->force_name, scene->force, sizeof *def, issue);
    if (!status)
        status = check_body_name(scene, "body", def->body, &body, issue);
    if (!status)
        status = check_point(scene, body, "point", def->point, issue);
    if (status)
        return status;
    if (scene->body[body].kind == COND_BODY_PARTICLE && !is_zero(3, def->torque))
        return cond_scene_issue_set(issue, "torque", "must be zero: '%s' is a particle",
                                    scene->body[body].name);
    if (!(def->end > def->start))
        return cond_scene_issue_set(issue, "end", "must come after the start (%g s), not at %g s",
                                    def->start, def->end);
    return COND_OK;
}

CondStatus cond_scene_check_spring(const CondScene* scene, const CondSpringDef* def,
                                   CondSceneIssue* issue)
{
    static const char* const sections[2] = {"springs.from", "springs.to"};
    static const char* const bodies[2] = {"from.body", "to.body"};
    static const char* const points[2] = {"from.point", "to.point"};
    CondStatus status = check_cookie(def->cookie, "cond_spring_def_default", issue);
    if (!status)
        status = cond_keys_check("springs", def, sizeof *def, issue);
    if (!status)
        status =
            check_name("spring", def->name, &scene->spring_name, scene->spring, sizeof *def, issue);
    int body[2] = {-1, -1};
    for (int end = 0; end < 2 && !status; ++end) {
        status = cond_keys_check(sections[end], def, sizeof *def, issue);
        if (!status && def->body[end][0])
            status = check_body_name(scene, bodies[end], def->body[end], &body[end], issue);
        if (!status && body[end] >= 0)
            status = check_point(scene, body[end], points[end], def->point[end], issue);
    }
    if (status)
        return status;
    if (body[0] < 0 && body[1] < 0)
        return cond_scene_issue_set(issue, "to.body", "at least one end must be on a body");
    if (body[0] == body[1])
        return cond_scene_issue_set(issue, "to.body", "must be another body than that of from");
    return COND_OK;
}

CondStatus cond_scene_check_settings(const CondSceneSettings* settings, CondSceneIssue* issue)
{
    static const char* const sections[] = {"", "step", "contact", "solver", "penalty"};
    CondStatus status = check_cookie(settings->cookie, "cond_scene_settings_default", issue);
    for (int i = 0; i < 5 && !status; ++i)
        status = cond_keys_check(sections[i], settings, sizeof *settings, issue);
    if (status)
        return status;
    CondError error;
    if (!cond_solver_settings_check(&settings->solver, &error))
        return COND_OK;
    // The solver's message begins with the field, "name: what is wrong".
    static const char* const homes[] = {"solver", "contact"};
    char name[32];
    const char* colon = strchr(error.message, ':');
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - error.message) : 0, error.message);
    for (int i = 0; i < 2; ++i) {
        if (!*name || !cond_keys_find(homes[i], name))
            continue;
        char field[48];
        snprintf(field, sizeof field, "%s.%s", homes[i], name);
        return cond_scene_issue_set(issue, field, "%.250s", colon + 1 + (colon[1] == ' '));
    }
    return cond_scene_issue_set(issue, "solver", "%.250s", error.message);
}

CondStatus cond_scene_settings_check(const CondSceneSettings* settings, CondError* error)
{
    CondSceneIssue issue;
    CondStatus status = cond_scene_check_settings(settings, &issue);
    if (!status)
        return COND_OK;
    return cond_error_set(error, status, "settings: %s%s%s", issue.field, *issue.field ? ": " : "",
                          issue.text);
}
