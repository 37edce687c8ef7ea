// Looks up what a model holds by name, and says what is wrong with an index or a name; touches
// nothing but the last failure of the thread.
#include "model/index.h"

#include "base/error.h"
#include "base/name_distance.h"
#include "model/articulation.h"
#include "model/rod.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 6 }; // names in a message

// Adds a name to the list in text.
static void add_name(char* text, size_t size, const char* name)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%s'%s'", at > 0 ? ", " : "", name);
}

// Names near the one given, or that hold it; else the first ones.
static void list_names(const CondModel* model, int body, const char* name, int n, CondNameAt* at,
                       char* text, size_t size)
{
    int near = 0;
    for (int i = 0; i < n && near < SHOWN; i++) {
        const char* known = at(model, body, i);
        if (cond_name_distance(name, known) >= 0 || (*name && strstr(known, name))) {
            add_name(text, size, known);
            near++;
        }
    }
    for (int i = 0; i < n && i < SHOWN && near == 0; i++)
        add_name(text, size, at(model, body, i));
    if (near == 0 && n > SHOWN)
        snprintf(text + strlen(text), size - strlen(text), " and %d more", n - SHOWN);
}

int cond_index_find(const CondModel* model, int body, const char* what, const char* name, int n,
                    CondNameAt* at)
{
    for (int i = 0; name && i < n; i++)
        if (strcmp(at(model, body, i), name) == 0)
            return i;
    char text[SHOWN * (COND_NAME_SIZE + 16)] = "", owner[COND_NAME_SIZE + 8] = "";
    if (body >= 0 && body < model->n_body)
        snprintf(owner, sizeof owner, " of '%s'", model->body[body].name);
    if (name)
        list_names(model, body, name, n, at, text, sizeof text);
    cond_error_set(NULL, COND_BAD_ARGUMENT, "there is no %s '%.80s'%s; %s%s", what,
                   name ? name : "(null)", owner, *text ? "there are " : "there is none", text);
    return -1;
}

CondStatus cond_index_check(const char* what, int index, int n)
{
    if (index >= 0 && index < n)
        return COND_OK;
    if (n < 1)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "%s %d: there is none", what, index);
    return cond_error_set(NULL, COND_BAD_ARGUMENT, "%s %d: expected 0 to %d", what, index, n - 1);
}

CondStatus cond_model_check_body(const CondModel* model, int body)
{
    if (body >= 0 && body < model->n_body)
        return COND_OK;
    return cond_index_check("body", body, model->n_body);
}

CondStatus cond_model_check_kind(const CondModel* model, int body, CondBodyKind kind)
{
    CondStatus status = cond_model_check_body(model, body);
    if (status || model->body[body].kind == kind)
        return status;
    return cond_error_set(NULL, COND_BAD_ARGUMENT, "body %d: '%s' is of kind %s, expected %s", body,
                          model->body[body].name, cond_body_kind_name(model->body[body].kind),
                          cond_body_kind_name(kind));
}

CondStatus cond_model_check_link(const CondModel* model, int body, int link)
{
    CondStatus status = cond_model_check_body(model, body);
    if (status)
        return status;
    const CondBody* b = &model->body[body];
    int n = b->arm ? b->arm->n_link : b->rod ? b->rod->n_link : 1;
    if (link >= 0 && link < n)
        return COND_OK;
    return cond_error_set(NULL, COND_BAD_ARGUMENT, "link %d: '%s' has %d", link, b->name, n);
}
