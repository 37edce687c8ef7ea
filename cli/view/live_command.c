// The server's side of a live run: hands frames out and takes the user's wishes in.
#include "view/live_part.h"

#include <math.h>
#include <string.h>

void live_get(void* user, const char* path, ViewAnswer* answer)
{
    Live* live = user;
    long after = view_path_number(path, "/next/");
    const Bytes* whole = NULL;
    if (strcmp(path, "/") == 0) {
        whole = &live->page;
        answer->type = "text/html; charset=utf-8";
    } else if (strcmp(path, "/scene.json") == 0) {
        whole = &live->scene;
        answer->type = "application/json";
    } else if (after >= -1) {
        double until = live_now() + 2.0;
        answer->type = "application/octet-stream";
        pthread_mutex_lock(&live->lock);
        live->watched = 1;
        while (live->index <= after && !live->ended && live_now() < until)
            live_wait(live, 0.5);
        answer->code = live->index > after ? 200 : 204;
        if (answer->code == 200)
            bytes_add(&answer->body, live->frame.data, live->frame.size);
        pthread_mutex_unlock(&live->lock);
        return;
    } else {
        view_answer_text(answer, 404, "There is nothing at this address.\n");
        return;
    }
    answer->code = 200;
    bytes_add(&answer->body, whole->data, whole->size);
}

static int read_vector(const json_t* list, double out[3])
{
    for (size_t i = 0; i < 3; i++) {
        const json_t* value = json_array_get(list, i);
        if (!json_is_number(value) || !isfinite(json_number_value(value)))
            return 1;
        out[i] = json_number_value(value);
    }
    return json_array_size(list) != 3;
}

// The settings that can be changed while the run goes on: none of them changes what is drawn.
typedef struct Setting {
    const char *path, *label, *unit;
} Setting;

static const Setting settings_known[] = {
    {"gravity", "gravity, z", "m/s2"},           {"contact.friction_scale", "friction, times", ""},
    {"step.time_step", "time step", "s"},        {"solver.tolerance", "tolerance", ""},
    {"solver.max_iterations", "iterations", ""},
};
enum { N_SETTING = sizeof settings_known / sizeof settings_known[0] };

void live_describe_settings(const CondSceneSettings* settings, json_t* scene)
{
    const double value[N_SETTING] = {settings->gravity[2], settings->friction_scale,
                                     settings->time_step, settings->solver.tolerance,
                                     settings->solver.max_iterations};
    json_t* list = json_array();
    for (int k = 0; k < N_SETTING; k++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:s}", "path", settings_known[k].path,
                                        "label", settings_known[k].label, "value",
                                        json_number(value[k]), "unit", settings_known[k].unit));
    json_object_set_new(scene, "settings", list);
}

static int is_known(const char* path)
{
    for (int k = 0; path && k < N_SETTING; k++)
        if (strcmp(path, settings_known[k].path) == 0)
            return 1;
    return 0;
}

// Hands an override to the simulating thread and waits for what becomes of it; the lock is held.
static const char* ask_setting(Live* live, const json_t* command)
{
    const char* path = json_string_value(json_object_get(command, "set"));
    const json_t* value = json_object_get(command, "value");
    Wish* wish = &live->wish;
    double until = live_now() + 10.0;
    if (!is_known(path) || !json_is_number(value))
        return "There is no such setting, or its value is no number.\n";
    while (wish->asked > wish->done && !live->ended && live_now() < until)
        live_wait(live, 0.5);
    if (wish->asked > wish->done || live->ended)
        return "An earlier wish is not granted yet.\n";
    // A scene need not say its gravity, so the whole of it is given.
    if (strcmp(path, "gravity") == 0)
        snprintf(wish->text, sizeof wish->text, "gravity=[%.12g, %.12g, %.12g]", live->gravity[0],
                 live->gravity[1], json_number_value(value));
    else
        snprintf(wish->text, sizeof wish->text, "%s=%.12g", path, json_number_value(value));
    long ticket = ++wish->asked;
    pthread_cond_broadcast(&live->changed);
    while (wish->done < ticket && !live->ended && live_now() < until)
        live_wait(live, 0.5);
    if (wish->done < ticket)
        return "The wish is not granted yet.\n";
    return wish->done == ticket && wish->refused ? wish->message : NULL;
}

static const char* grab_body(Live* live, const json_t* command, const json_t* value)
{
    Grab grab = {.body = -1, .point = -1};
    json_int_t body = json_is_integer(value) ? json_integer_value(value) : -1;
    if (body < 0 || body >= live->n_body || read_vector(json_object_get(command, "at"), grab.at))
        return "There is no such body to grab.\n";
    grab.body = (int)body;
    memcpy(grab.pull, grab.at, sizeof grab.pull);
    live->grab = grab;
    return NULL;
}

// Does what a command says; NULL, or what is wrong with it. The lock is held.
static const char* obey(Live* live, const json_t* command)
{
    static const char* const known[] = {"pause", "step", "restart", "speed",
                                        "grab",  "pull", "release", "set"};
    const json_t* value;
    const char* wrong = NULL;
    size_t n_known = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        n_known += json_object_get(command, known[k]) != NULL;
    if (n_known == 0)
        return "This command makes no sense.\n";
    if ((value = json_object_get(command, "pause"))) {
        live->paused = json_is_true(value);
        live->steps_wanted = 0;
    }
    if ((value = json_object_get(command, "step"))) {
        json_int_t n = json_integer_value(value);
        if (n < 1 || n > 100000)
            return "A run can be stepped by 1 to 100000.\n";
        live->steps_wanted = (long)n;
        live->paused = 1;
    }
    if (json_object_get(command, "restart"))
        live->restart = 1;
    if ((value = json_object_get(command, "speed"))) {
        double speed = json_number_value(value);
        if (!(speed >= LIVE_SLOWEST && speed <= LIVE_FASTEST))
            return "The speed can be 0.001 to 1000.\n";
        live->speed = speed;
    }
    if ((value = json_object_get(command, "grab")) && (wrong = grab_body(live, command, value)))
        return wrong;
    if ((value = json_object_get(command, "pull")) && read_vector(value, live->grab.pull))
        return "A place is three numbers.\n";
    if (json_object_get(command, "release"))
        live->grab.body = live->grab.point = -1;
    return json_object_get(command, "set") ? ask_setting(live, command) : NULL;
}

void live_post(void* user, const char* path, const Bytes* body, ViewAnswer* answer)
{
    Live* live = user;
    json_t* command = NULL;
    if (strcmp(path, "/command") != 0) {
        view_answer_text(answer, 404, "There is nothing at this address.\n");
        return;
    }
    command = json_loadb((const char*)body->data, body->size, 0, NULL);
    view_answer_text(answer, 200, "");
    if (!json_is_object(command)) {
        view_answer_text(answer, 400, "A command is a JSON object.\n");
    } else {
        pthread_mutex_lock(&live->lock);
        const char* wrong = obey(live, command);
        if (wrong)
            view_answer_text(answer, 400, wrong);
        pthread_cond_broadcast(&live->changed);
        pthread_mutex_unlock(&live->lock);
    }
    json_decref(command);
}
