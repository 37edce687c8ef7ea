// Values of MJCF attributes: from the element or its class of defaults to numbers and poses.
#include "base/number.h"
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/mjcf_model.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char blank[] = " \t\r\n";

// The class that an element takes its defaults from: its own, or that of the body around it.
static const char* class_of(const CondMjcf* m, const CondMjcfNode* node)
{
    const char* own = cond_mjcf_own(node, "class");
    for (const CondMjcfNode* at = node->parent; !own && at; at = at->parent)
        own = cond_mjcf_own(at, "childclass");
    return own ? own : cond_mjcf_settings(m, node)->main;
}

const CondMjcfSettings* cond_mjcf_settings(const CondMjcf* m, const CondMjcfNode* node)
{
    return &m->model[node->model];
}

static int is_class(const CondMjcf* m, const char* name)
{
    for (int i = 0; i < m->n_class; i++)
        if (strcmp(m->classes[i].name, name) == 0)
            return 1;
    for (int k = 0; k < m->n_model; k++)
        if (strcmp(m->model[k].main, name) == 0)
            return 1;
    return 0;
}

void cond_mjcf_visit(CondMjcf* m, CondMjcfNode* node)
{
    static const char* const names[] = {"class", "childclass"};
    node->used = 1;
    cond_mjcf_own(node, "name");
    for (int k = 0; k < 2; k++) {
        const char* class = cond_mjcf_own(node, names[k]);
        if (class && !is_class(m, class))
            cond_mjcf_refuse(m, node, "there is no default class '%.60s'", class);
    }
}

// All kinds of actuators share one default, and so do all equalities and all tendons.
static int is_kind(const CondMjcfNode* node, const CondMjcfNode* element)
{
    static const char* const actuators[] = {"general",  "motor",       "position",
                                            "velocity", "intvelocity", "damper",
                                            "cylinder", "muscle",      "adhesion"};
    const char* group = element->parent ? element->parent->name : "";
    if (strcmp(group, "equality") == 0 || strcmp(group, "tendon") == 0)
        return cond_mjcf_is(node, group);
    for (size_t i = 0; strcmp(group, "actuator") == 0 && i < sizeof actuators / sizeof *actuators;
         i++)
        if (cond_mjcf_is(node, actuators[i]))
            return 1;
    return cond_mjcf_is(node, element->name);
}

// The attribute that one class gives to elements of this kind; *parent: the class above it.
static const char* find_default(const CondMjcf* m, const char* class, const CondMjcfNode* element,
                                const char* name, const char** parent)
{
    *parent = NULL;
    for (int i = m->n_class - 1; i >= 0; i--) {
        const char* found = NULL;
        if (strcmp(m->classes[i].name, class) != 0)
            continue;
        *parent = *parent ? *parent : m->classes[i].parent;
        for (CondMjcfNode* child = m->classes[i].node->first; child; child = child->next)
            if (is_kind(child, element) && cond_mjcf_own(child, name))
                found = cond_mjcf_own(child, name);
        if (found)
            return found;
    }
    return NULL;
}

static void note_asked(CondMjcf* m, const CondMjcfNode* node, const char* name)
{
    for (int i = 0; i < m->n_asked; i++)
        if (strcmp(m->asked[i].attribute, name) == 0 && is_kind(m->asked[i].node, node))
            return;
    if (COND_RESERVE(&m->arena, m->asked, m->n_asked + 1))
        cond_mjcf_no_memory(m);
    else
        m->asked[m->n_asked++] = (CondMjcfAsked){node, name};
}

void cond_mjcf_mark_asked(CondMjcf* m)
{
    for (int c = 0; c < m->n_class; c++)
        for (CondMjcfNode* child = m->classes[c].node->first; child; child = child->next)
            for (int i = 0; i < m->n_asked; i++)
                if (is_kind(child, m->asked[i].node))
                    cond_mjcf_own(child, m->asked[i].attribute);
}

// The class above one; NULL: none.
static const char* parent_of(const CondMjcf* m, const char* class)
{
    for (int i = m->n_class - 1; i >= 0; i--)
        if (strcmp(m->classes[i].name, class) == 0 && m->classes[i].parent)
            return m->classes[i].parent;
    return NULL;
}

void cond_mjcf_each_default(CondMjcf* m, const CondMjcfNode* node,
                            void (*take)(CondMjcf*, const CondMjcfNode*, void*), void* data)
{
    const char* chain[COND_NESTING];
    int n = 0;
    for (const char* at = class_of(m, node); at && n < COND_NESTING; at = parent_of(m, at))
        chain[n++] = at;
    while (n-- > 0)
        for (int i = 0; i < m->n_class; i++)
            for (CondMjcfNode* child =
                     strcmp(m->classes[i].name, chain[n]) == 0 ? m->classes[i].node->first : NULL;
                 child; child = child->next)
                if (is_kind(child, node))
                    take(m, child, data);
}

const char* cond_mjcf_text(CondMjcf* m, const CondMjcfNode* node, const char* name)
{
    const char *found = cond_mjcf_own(node, name), *class = class_of(m, node), *parent;
    note_asked(m, node, name);
    for (int depth = 0; !found && class && depth < COND_NESTING; depth++) {
        found = find_default(m, class, node, name, &parent);
        class = parent;
    }
    return found;
}

// The words of a text as numbers; -1 where one is none, or there are more than `most`.
static int parse_numbers(const char* text, int most, double* value)
{
    int n = 0;
    for (const char* at = text + strspn(text, blank); *at; n++) {
        char word[128];
        size_t length = strcspn(at, blank);
        if (n == most || length >= sizeof word)
            return -1;
        memcpy(word, at, length);
        word[length] = 0;
        if (!cond_number_parse(word, &value[n]))
            return -1;
        at += length;
        at += strspn(at, blank);
    }
    return n;
}

int cond_mjcf_list(const char* text, int n, double* numbers)
{
    static const char blank[] = " \t\r\n";
    int found = 0, good = 1;
    for (const char* at = text + strspn(text, blank); *at && good; found++) {
        char word[64];
        size_t length = strcspn(at, blank);
        good = found < n && length < sizeof word;
        if (good) {
            memcpy(word, at, length);
            word[length] = 0;
            good = cond_number_parse(word, &numbers[found]) && isfinite(numbers[found]);
        }
        at += length;
        at += strspn(at, blank);
    }
    return good ? found : -1;
}

// The numbers of an attribute's text, from least to most.
static int take_numbers(CondMjcf* m, const CondMjcfNode* node, const char* name, const char* text,
                        int least, int most, double* value)
{
    double number[16];
    if (!text)
        return 0;
    int n = parse_numbers(text, most, number);
    for (int i = 0; i < n; i++)
        if (!isfinite(number[i]))
            n = -1;
    if (n < least) {
        char many[32];
        snprintf(many, sizeof many, least == most ? "%d" : "%d to %d", least, most);
        cond_mjcf_refuse(m, node, "%s='%.60s' of <%.40s>: expected %s number%s", name, text,
                         node->name, many, most == 1 ? "" : "s");
        return 0;
    }
    memcpy(value, number, (size_t)n * sizeof *value);
    return n;
}

int cond_mjcf_numbers(CondMjcf* m, const CondMjcfNode* node, const char* name, int least, int most,
                      double* value)
{
    return take_numbers(m, node, name, cond_mjcf_text(m, node, name), least, most, value);
}

int cond_mjcf_own_numbers(CondMjcf* m, const CondMjcfNode* node, const char* name, int least,
                          int most, double* value)
{
    note_asked(m, node, name);
    return take_numbers(m, node, name, cond_mjcf_own(node, name), least, most, value);
}

double cond_mjcf_number(CondMjcf* m, const CondMjcfNode* node, const char* name, double initial)
{
    double value = initial;
    cond_mjcf_numbers(m, node, name, 1, 1, &value);
    return value;
}

int cond_mjcf_whole(CondMjcf* m, const CondMjcfNode* node, const char* name, int initial)
{
    double value = initial;
    if (cond_mjcf_numbers(m, node, name, 1, 1, &value) &&
        (value != floor(value) || fabs(value) > INT_MAX)) {
        cond_mjcf_refuse(m, node, "%s='%g' of <%.40s>: expected a whole number", name, value,
                         node->name);
        return initial;
    }
    return (int)value;
}

static int take_word(CondMjcf* m, const CondMjcfNode* node, const char* name, const char* text,
                     const char* const* words, int initial)
{
    if (!text)
        return initial;
    char known[160] = "";
    size_t length = 0;
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0)
            return i;
        if (length < sizeof known)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                       words[i]);
    }
    cond_mjcf_refuse(m, node, "%s='%.40s' of <%.40s> is none of %s", name, text, node->name, known);
    return initial;
}

int cond_mjcf_word(CondMjcf* m, const CondMjcfNode* node, const char* name,
                   const char* const* words, int initial)
{
    return take_word(m, node, name, cond_mjcf_text(m, node, name), words, initial);
}

int cond_mjcf_own_word(CondMjcf* m, const CondMjcfNode* node, const char* name,
                       const char* const* words, int initial)
{
    note_asked(m, node, name);
    return take_word(m, node, name, cond_mjcf_own(node, name), words, initial);
}

int cond_mjcf_true(CondMjcf* m, const CondMjcfNode* node, const char* name, int initial)
{
    static const char* const words[] = {"false", "true", NULL};
    return cond_mjcf_word(m, node, name, words, initial);
}

int cond_mjcf_limited(CondMjcf* m, const CondMjcfNode* node, const char* limited, const char* range)
{
    static const char* const words[] = {"false", "true", "auto", NULL};
    int word = cond_mjcf_word(m, node, limited, words, 2);
    const char* given = cond_mjcf_text(m, node, range);
    if (word == 1 && !given)
        cond_mjcf_refuse(m, node, "%s of <%.40s> is true, but there is no %s", limited, node->name,
                         range);
    return given && (word == 2 ? cond_mjcf_settings(m, node)->autolimits : word);
}

double cond_mjcf_angle(const CondMjcf* m, const CondMjcfNode* node, double angle)
{
    return cond_mjcf_settings(m, node)->degrees ? angle * (3.14159265358979323846 / 180.0) : angle;
}

void cond_mjcf_name(CondMjcf* m, const CondMjcfNode* node, const char* word, int number,
                    char name[COND_NAME_SIZE])
{
    const char* own = cond_mjcf_own(node, "name");
    memset(name, 0, COND_NAME_SIZE);
    if (own && strlen(own) >= COND_NAME_SIZE)
        cond_mjcf_refuse(m, node, "the name '%.80s...' is longer than %d characters", own,
                         COND_NAME_SIZE - 1);
    else if (own && *own)
        snprintf(name, COND_NAME_SIZE, "%s", own);
    else
        snprintf(name, COND_NAME_SIZE, "%.40s%d", word, number);
}

void cond_mjcf_unit_quat(const double given[4], double q[4])
{
    double square = 0.0;
    for (int i = 0; i < 4; i++)
        square += given[i] * given[i];
    memcpy(q,
           square > COND_INPUT_ROUNDING * COND_INPUT_ROUNDING ? given
                                                              : (double[4]){1.0, 0.0, 0.0, 0.0},
           4 * sizeof *q);
    quat_normalize(q);
}

CondMjcfPose cond_mjcf_unit(void)
{
    return (CondMjcfPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

void cond_mjcf_place(const CondMjcfPose* a, const double x[3], double y[3])
{
    double R[9], Rx[3];
    quat_matrix(a->q, R);
    mat3_multiply(R, x, Rx);
    for (int i = 0; i < 3; i++)
        y[i] = a->p[i] + Rx[i];
}

CondMjcfPose cond_mjcf_times(const CondMjcfPose* a, const CondMjcfPose* b)
{
    CondMjcfPose c;
    cond_mjcf_place(a, b->p, c.p);
    quat_product(a->q, b->q, c.q);
    return c;
}

CondMjcfPose cond_mjcf_inverse(const CondMjcfPose* a)
{
    CondMjcfPose inverse = {{0.0, 0.0, 0.0}, {a->q[0], -a->q[1], -a->q[2], -a->q[3]}};
    double minus[3] = {-a->p[0], -a->p[1], -a->p[2]}, p[3];
    cond_mjcf_place(&inverse, minus, p);
    memcpy(inverse.p, p, sizeof p);
    return inverse;
}

static void turn(const double axis[3], double angle, double q[4])
{
    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++)
        q[1 + i] = sin(0.5 * angle) * axis[i];
}

void cond_mjcf_from_z(const double v[3], double q[4])
{
    double length = vec3_norm(v), z[3] = {0.0, 0.0, 1.0}, axis[3];
    const double unit[3] = {v[0] / length, v[1] / length, v[2] / length};
    vec3_cross(z, unit, axis);
    double s = vec3_norm(axis), angle = atan2(s, unit[2]);
    if (s < COND_INPUT_ROUNDING) { // along z already, or against it
        axis[0] = 1.0;
        axis[1] = axis[2] = 0.0;
    } else {
        for (int i = 0; i < 3; i++)
            axis[i] /= s;
    }
    turn(axis, angle, q);
}

// The rotation whose columns are x, y made orthogonal to it, and their product.
static int from_axes(const double xy[6], double q[4])
{
    double x[3], y[3], z[3], along = 0.0;
    double length = vec3_norm(xy);
    for (int i = 0; i < 3; i++)
        x[i] = xy[i] / length;
    for (int i = 0; i < 3; i++)
        along += x[i] * xy[3 + i];
    for (int i = 0; i < 3; i++)
        y[i] = xy[3 + i] - along * x[i];
    double width = vec3_norm(y);
    if (!(length > COND_INPUT_ROUNDING) || !(width > COND_INPUT_ROUNDING))
        return 0;
    for (int i = 0; i < 3; i++)
        y[i] /= width;
    vec3_cross(x, y, z);
    // Of the four numbers whose squares are these the largest is safe to divide by.
    double square[4] = {1.0 + x[0] + y[1] + z[2], 1.0 + x[0] - y[1] - z[2],
                        1.0 - x[0] + y[1] - z[2], 1.0 - x[0] - y[1] + z[2]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[best])
            best = i;
    double s = 2.0 * sqrt(square[best]); // 4 |q[best]|
    double all[4][4] = {
        {s / 4.0, (y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s},
        {(y[2] - z[1]) / s, s / 4.0, (x[1] + y[0]) / s, (z[0] + x[2]) / s},
        {(z[0] - x[2]) / s, (x[1] + y[0]) / s, s / 4.0, (y[2] + z[1]) / s},
        {(x[1] - y[0]) / s, (z[0] + x[2]) / s, (y[2] + z[1]) / s, s / 4.0},
    };
    memcpy(q, all[best], sizeof all[best]);
    return 1;
}

// Small letters turn about the axes as they have been turned so far, capital ones about those
// fixed.
static void from_euler(const CondMjcf* m, const CondMjcfNode* node, const double angle[3],
                       double q[4])
{
    memcpy(q, (double[4]){1.0, 0.0, 0.0, 0.0}, 4 * sizeof *q);
    for (int k = 0; k < 3; k++) {
        char letter = cond_mjcf_settings(m, node)->eulerseq[k];
        int fixed = letter >= 'X' && letter <= 'Z';
        double axis[3] = {0.0, 0.0, 0.0}, one[4], product[4];
        axis[letter - (fixed ? 'X' : 'x')] = 1.0;
        turn(axis, cond_mjcf_angle(m, node, angle[k]), one);
        quat_product(fixed ? one : q, fixed ? q : one, product);
        memcpy(q, product, sizeof product);
    }
}

void cond_mjcf_euler(CondMjcf* m, const CondMjcfNode* node, const char* name, double q[4])
{
    double angle[3];
    if (cond_mjcf_numbers(m, node, name, 3, 3, angle))
        from_euler(m, node, angle, q);
}

static int orient(const CondMjcf* m, const CondMjcfNode* node, const char* form,
                  const double* value, double q[4])
{
    if (strcmp(form, "quat") == 0) {
        double square = 0.0;
        for (int i = 0; i < 4; i++)
            square += value[i] * value[i];
        memcpy(q, value, 4 * sizeof *q);
        if (square > COND_INPUT_ROUNDING * COND_INPUT_ROUNDING)
            quat_normalize(q);
        return square > COND_INPUT_ROUNDING * COND_INPUT_ROUNDING;
    }
    if (strcmp(form, "axisangle") == 0) {
        double length = vec3_norm(value);
        const double axis[3] = {value[0] / length, value[1] / length, value[2] / length};
        turn(axis, cond_mjcf_angle(m, node, value[3]), q);
        return length > COND_INPUT_ROUNDING;
    }
    if (strcmp(form, "euler") == 0) {
        from_euler(m, node, value, q);
        return 1;
    }
    if (strcmp(form, "xyaxes") == 0)
        return from_axes(value, q);
    if (vec3_norm(value) > COND_INPUT_ROUNDING)
        cond_mjcf_from_z(value, q);
    return vec3_norm(value) > COND_INPUT_ROUNDING;
}

CondMjcfPose cond_mjcf_pose(CondMjcf* m, const CondMjcfNode* node)
{
    static const struct {
        const char* name;
        int n;
    } form[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
    CondMjcfPose pose = cond_mjcf_unit();
    cond_mjcf_numbers(m, node, "pos", 3, 3, pose.p);
    const char* given = NULL;
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        double value[6];
        // Of an element's own form and one of its class the own counts.
        const char* own = cond_mjcf_own(node, form[k].name);
        if ((given && !own) ||
            !cond_mjcf_numbers(m, node, form[k].name, form[k].n, form[k].n, value))
            continue;
        if (given && own && cond_mjcf_own(node, given))
            cond_mjcf_refuse(m, node, "<%.40s> has two orientations, %s and %s", node->name, given,
                             form[k].name);
        if (!orient(m, node, form[k].name, value, pose.q)) {
            cond_mjcf_refuse(m, node, "%s of <%.40s> is no orientation", form[k].name, node->name);
            pose = cond_mjcf_unit();
        }
        given = form[k].name;
    }
    return pose;
}
