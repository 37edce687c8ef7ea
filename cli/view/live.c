// cond run --view: the simulation runs here, the server's threads hand its frames out and bring the
// user's wishes in. All that both touch is behind one lock.
#define _POSIX_C_SOURCE 200809L
#include "live.h"

#include "interrupt.h"
#include "json.h"
#include "memory.h"
#include "view/view_encode.h"
#include "view/view_server.h"

#include <cond/snapshot.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The scene and what is made of it; a changed setting replaces all of it but the state's values.
typedef struct World {
    CondModel* model;
    CondState* state;
    CondSim* sim;
    CondSnapshot* snapshot;
    CondStepInfo info; // of the last step
    int stepped;       // 1: there was one
} World;

typedef struct Live {
    const LiveRun* run;
    World world; // only the simulating thread's
    TextList set;
    Bytes page, scene; // never change
    int n_body;        //
    double gravity[2]; // along x and y, of the scene [m/s2]
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Bytes frame; // the latest
    int index;   // of it; -1: none yet
    // wishes, taken by the simulating thread
    int watched; // 1: somebody has asked for a frame; the run waits for that
    int paused, restart, ended;
    long steps_wanted; // while paused
    double speed;      // simulated seconds per second
    char wish[128];    // an override; "" none
    int wish_state;    // 1: open, 2: granted, -1: refused
    char message[512]; // why it was refused
    int grab;          // body to hold; -1: none
    double grab_at[3];
    int held;          // point that is held; -1: none
    double pull_to[3]; //
} Live;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Waits for a change at most so long; the lock is held.
static void wait_change(Live* live, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long long nano = until.tv_nsec + (long long)(1e9 * seconds);
    until.tv_sec += (time_t)(nano / 1000000000LL);
    until.tv_nsec = (long)(nano % 1000000000LL);
    pthread_cond_timedwait(&live->changed, &live->lock, &until);
}

static void world_destroy(World* world)
{
    cond_snapshot_destroy(world->snapshot);
    cond_sim_destroy(world->sim);
    cond_state_destroy(world->state);
    cond_model_destroy(world->model);
    memset(world, 0, sizeof *world);
}

static CondStatus world_create(const LiveRun* run, const TextList* set, World* world,
                               CondError* error)
{
    memset(world, 0, sizeof *world);
    CondStatus status = run_load(run->path, set->n, set->item, run->seed, run->tolerance,
                                 run->threads, &world->model, error);
    if (!status)
        status = cond_state_create(world->model, &world->state, error);
    if (!status)
        status = cond_sim_create(world->model, &world->sim, error);
    if (!status && run->solver)
        status = run_use_solver(world->sim, world->model, run->solver, error);
    if (!status)
        status = cond_snapshot_create(memory_context(), world->model, &world->snapshot, error);
    if (status)
        world_destroy(world);
    return status;
}

// The same run under other settings: a new world with the state of the old one.
static CondStatus change_world(Live* live, const char* wish, CondError* error)
{
    World next;
    size_t n = (size_t)live->set.n + 1;
    const char** item = realloc(live->set.item, n * sizeof *item);
    if (item)
        live->set.item = item;
    char* text = item ? malloc(strlen(wish) + 1) : NULL;
    if (!text)
        return COND_OUT_OF_MEMORY;
    strcpy(text, wish);
    live->set.item[n - 1] = text;
    TextList set = {(int)n, live->set.item};
    CondStatus status = world_create(live->run, &set, &next, error);
    if (!status)
        status = cond_state_copy(next.state, live->world.state);
    if (status) {
        free(text);
        return status;
    }
    live->set.n++;
    world_destroy(&live->world);
    live->world = next;
    return COND_OK;
}

static CondStatus restart_world(Live* live, CondError* error)
{
    World* world = &live->world;
    CondState* fresh = NULL;
    CondStatus status = cond_state_create(world->model, &fresh, error);
    if (!status) {
        cond_state_destroy(world->state);
        world->state = fresh;
        world->stepped = 0;
    }
    return status;
}

// The drawn point of a body that is nearest to a place.
static int nearest_point(const World* world, int body, const double at[3])
{
    const CondScenery* s = cond_snapshot_scenery(world->snapshot);
    const double* x = cond_snapshot_moment(world->snapshot)->position;
    double best = INFINITY;
    int found = -1;
    for (int c = 0, k = 0; c < s->n_cell; c++)
        for (; k < s->corner_end[c]; k++) {
            const double* p = x + 3 * s->corner[k];
            double d = hypot(hypot(p[0] - at[0], p[1] - at[1]), p[2] - at[2]);
            if (s->body[c] == body && d < best) {
                best = d;
                found = s->corner[k];
            }
        }
    return found;
}

// A spring that swings the held body about once a second and hardly overshoots.
static void pull_point(Live* live, int point, const double target[3])
{
    World* world = &live->world;
    double mass = cond_snapshot_point_mass(world->snapshot, point), omega = 8.0;
    cond_sim_pull(world->sim, world->snapshot, point, target, mass * omega * omega,
                  1.4 * mass * omega);
}

// Shows the state to whoever looks.
static CondStatus publish(Live* live, CondError* error)
{
    World* world = &live->world;
    CondStatus status =
        cond_snapshot_take(world->snapshot, world->stepped ? world->sim : NULL, world->state,
                           world->stepped ? &world->info : NULL, error);
    if (status)
        return status;
    pthread_mutex_lock(&live->lock);
    live->index++;
    view_encode_frame(cond_snapshot_scenery(world->snapshot), cond_snapshot_moment(world->snapshot),
                      live->index, &live->frame);
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
    return COND_OK;
}

// Takes over what was wished for. Returns 1 when the clock must start anew.
static int take_wishes(Live* live, CondError* error)
{
    char wish[sizeof live->wish] = "";
    double target[3];
    pthread_mutex_lock(&live->lock);
    int restart = live->restart, grab = live->grab, held = live->held;
    if (live->wish_state == 1)
        memcpy(wish, live->wish, sizeof wish);
    live->restart = 0;
    memcpy(target, live->pull_to, sizeof target);
    pthread_mutex_unlock(&live->lock);
    if (restart)
        restart_world(live, error);
    if (wish[0]) {
        CondStatus status = change_world(live, wish, error);
        pthread_mutex_lock(&live->lock);
        live->wish_state = status ? -1 : 2;
        if (status)
            snprintf(live->message, sizeof live->message, "%s", error->message);
        pthread_cond_broadcast(&live->changed);
        pthread_mutex_unlock(&live->lock);
    }
    if (grab >= 0 && held < 0) {
        held = nearest_point(&live->world, grab, live->grab_at);
        pthread_mutex_lock(&live->lock);
        live->held = held;
        pthread_mutex_unlock(&live->lock);
    }
    if (grab >= 0 && held >= 0)
        pull_point(live, held, target);
    else
        cond_sim_pull(live->world.sim, live->world.snapshot, 0, target, 0.0, 0.0);
    if (restart || wish[0])
        publish(live, error);
    return restart || wish[0];
}

// Simulates until the user ends it; the picture follows about 60 times a second.
static CondStatus simulate(Live* live)
{
    const double picture = 1.0 / 60.0;
    CondError error;
    CondStatus status = publish(live, &error);
    double clock = now(), begin = cond_state_time(live->world.state), shown = 0.0, speed = 1.0;
    long left = live->run->steps > 0 ? live->run->steps : -1;
    int unseen = 0; // 1: steps since the last picture
    while (!status) {
        World* world = &live->world;
        const CondSceneSettings* settings = cond_model_settings(world->model);
        int anew = take_wishes(live, &error);
        double time = cond_state_time(world->state);
        pthread_mutex_lock(&live->lock);
        int over =
            left == 0 || (left < 0 && time >= settings->duration - 0.5 * settings->time_step);
        int waiting = (live->paused || over || !live->watched) && live->steps_wanted == 0;
        if (waiting && !interrupt_signal())
            wait_change(live, 0.2);
        int single = live->steps_wanted > 0;
        if (single && !waiting)
            live->steps_wanted--;
        anew |= waiting || single || live->speed != speed;
        speed = live->speed;
        pthread_mutex_unlock(&live->lock);
        if (interrupt_signal())
            break;
        if (anew) {
            clock = now();
            begin = time;
        }
        if (waiting) {
            if (unseen)
                status = publish(live, &error);
            unseen = 0;
            continue;
        }
        status = cond_sim_step(world->sim, world->state, &world->info);
        if (status < 0) {
            cli_complain("step at t = %g s: %s; the run waits for a restart", time,
                         cond_status_name(status));
            pthread_mutex_lock(&live->lock);
            live->paused = 1;
            pthread_mutex_unlock(&live->lock);
            status = COND_OK;
            continue;
        }
        status = COND_OK; // a missed tolerance is seen in the plots
        world->stepped = 1;
        left -= left > 0;
        double ahead = (cond_state_time(world->state) - begin) / speed - (now() - clock);
        unseen = 1;
        if (single || now() - shown >= picture || ahead > picture) {
            shown = now();
            unseen = 0;
            status = publish(live, &error);
        }
        if (ahead > 0.0 && !single) {
            struct timespec rest = {(time_t)ahead, (long)(1e9 * fmod(ahead, 1.0))};
            nanosleep(&rest, NULL);
        }
    }
    if (status)
        cli_complain("%s", error.message);
    return status;
}

static void on_get(void* user, const char* path, ViewAnswer* answer)
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
        double until = now() + 2.0;
        answer->type = "application/octet-stream";
        pthread_mutex_lock(&live->lock);
        live->watched = 1;
        while (live->index <= after && !live->ended && now() < until)
            wait_change(live, 0.5);
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

// Hands an override to the simulating thread and waits for what becomes of it; the lock is held.
static int ask_setting(Live* live, const json_t* command)
{
    const char* path = json_string_value(json_object_get(command, "set"));
    const json_t* value = json_object_get(command, "value");
    if (!path || strlen(path) > 60 || !json_is_number(value))
        return 1;
    while (live->wish_state == 1)
        wait_change(live, 1.0);
    // A scene need not say its gravity, so the whole of it is given.
    if (strcmp(path, "gravity") == 0)
        snprintf(live->wish, sizeof live->wish, "gravity=[%.12g, %.12g, %.12g]", live->gravity[0],
                 live->gravity[1], json_number_value(value));
    else
        snprintf(live->wish, sizeof live->wish, "%.60s=%.12g", path, json_number_value(value));
    live->wish_state = 1;
    live->message[0] = '\0';
    double until = now() + 10.0;
    pthread_cond_broadcast(&live->changed);
    while (live->wish_state == 1 && now() < until)
        wait_change(live, 0.5);
    int failed = live->wish_state != 2;
    live->wish_state = 0;
    return failed;
}

static int obey(Live* live, const json_t* command)
{
    const json_t* value;
    if (json_object_size(command) == 0)
        return 1;
    if ((value = json_object_get(command, "pause")))
        live->paused = json_is_true(value);
    if ((value = json_object_get(command, "step"))) {
        long long n = json_integer_value(value);
        if (n < 1 || n > 100000)
            return 1;
        live->steps_wanted += (long)n;
        live->paused = 1;
    }
    if (json_object_get(command, "restart"))
        live->restart = 1;
    if ((value = json_object_get(command, "speed"))) {
        if (!(json_number_value(value) > 0.0))
            return 1;
        live->speed = json_number_value(value);
    }
    if ((value = json_object_get(command, "grab"))) {
        int body = json_is_integer(value) ? (int)json_integer_value(value) : -1;
        if (body < 0 || body >= live->n_body ||
            read_vector(json_object_get(command, "at"), live->grab_at))
            return 1;
        live->grab = body;
        live->held = -1;
        memcpy(live->pull_to, live->grab_at, sizeof live->pull_to);
    }
    if ((value = json_object_get(command, "pull")) && read_vector(value, live->pull_to))
        return 1;
    if (json_object_get(command, "release"))
        live->grab = live->held = -1;
    return json_object_get(command, "set") ? ask_setting(live, command) : 0;
}

static void on_post(void* user, const char* path, const Bytes* body, ViewAnswer* answer)
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
        live->message[0] = '\0';
        if (obey(live, command))
            view_answer_text(answer, 400,
                             live->message[0] ? live->message : "This command makes no sense.\n");
        pthread_cond_broadcast(&live->changed);
        pthread_mutex_unlock(&live->lock);
    }
    json_decref(command);
}

static void add_setting(json_t* list, const char* path, const char* label, double value,
                        const char* unit)
{
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s}", "path", path, "label", label,
                                          "value", json_number(value), "unit", unit));
}

static int describe(Live* live)
{
    const CondSceneSettings* settings = cond_model_settings(live->world.model);
    json_t* scene =
        view_scene_json(cond_snapshot_scenery(live->world.snapshot), settings->name, NULL);
    json_t* list = json_array();
    live->n_body = cond_model_n_body(live->world.model);
    memcpy(live->gravity, settings->gravity, sizeof live->gravity);
    add_setting(list, "gravity", "gravity, z", settings->gravity[2], "m/s2");
    add_setting(list, "contact.friction_scale", "friction, times", settings->friction_scale, "");
    add_setting(list, "step.time_step", "time step", settings->time_step, "s");
    add_setting(list, "solver.tolerance", "tolerance", settings->solver.tolerance, "");
    add_setting(list, "solver.max_iterations", "iterations", settings->solver.max_iterations, "");
    json_object_set_new(scene, "settings", list);
    char* text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    if (text)
        bytes_add(&live->scene, text, strlen(text));
    free(text);
    return live->scene.size == 0;
}

static int serve(Live* live)
{
    ViewHandler handler = {.user = live, .max_post = 4096, .get = on_get, .post = on_post};
    interrupt_keep(1.0);
    ViewServer* server = view_server_start(&handler, live->run->port);
    if (!server)
        return CLI_INPUT;
    if (live->run->no_open)
        printf("%s\n", view_server_address(server)), fflush(stdout);
    else
        view_browser_open(view_server_address(server));
    CondStatus status = simulate(live);
    pthread_mutex_lock(&live->lock);
    live->ended = 1;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
    view_server_stop(server);
    return cli_exit(status);
}

int live_run(const LiveRun* run)
{
    Live live = {.run = run, .index = -1, .speed = 1.0, .grab = -1, .held = -1};
    CondError error;
    pthread_mutex_init(&live.lock, NULL);
    pthread_cond_init(&live.changed, NULL);
    live.set.item = malloc(((size_t)run->set.n + 1) * sizeof *live.set.item);
    for (int k = 0; k < run->set.n && live.set.item; k++)
        live.set.item[live.set.n++] = run->set.item[k];
    int code = live.set.item && view_page_read(&live.page) == 0 ? CLI_FINE : CLI_INPUT;
    if (code == CLI_FINE) {
        CondStatus status = world_create(run, &live.set, &live.world, &error);
        if (status)
            cli_complain("%s", error.message);
        code = cli_exit(status);
    }
    if (code == CLI_FINE && describe(&live)) {
        cli_complain("out of memory");
        code = CLI_INPUT;
    }
    if (code == CLI_FINE)
        code = serve(&live);
    for (int k = run->set.n; k < live.set.n; k++)
        free((char*)live.set.item[k]);
    free(live.set.item);
    world_destroy(&live.world);
    bytes_free(&live.page);
    bytes_free(&live.scene);
    bytes_free(&live.frame);
    pthread_cond_destroy(&live.changed);
    pthread_mutex_destroy(&live.lock);
    return code;
}
