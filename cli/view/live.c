// cond run --view: the simulation runs here, the server's threads hand its frames out and bring the
// user's wishes in. All that both touch is behind one lock.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"
#include "json.h"
#include "memory.h"
#include "view/live_part.h"
#include "view/view_encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double live_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void live_wait(Live* live, double seconds)
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
    if (!text) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return COND_OUT_OF_MEMORY;
    }
    strcpy(text, wish);
    live->set.item[n - 1] = text;
    TextList set = {(int)n, live->set.item};
    CondStatus status = world_create(live->run, &set, &next, error);
    if (!status && (status = cond_state_copy(next.state, live->world.state))) {
        snprintf(error->message, sizeof error->message, "%s", cond_status_name(status));
        world_destroy(&next);
    }
    if (!status) // a time is a number of steps
        cond_state_set_time(next.model, next.state, cond_state_time(live->world.state));
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

// Takes over a wish that is open. Returns 1 when there was one.
static int take_wish(Live* live, CondError* error)
{
    Wish* wish = &live->wish;
    char text[sizeof wish->text];
    pthread_mutex_lock(&live->lock);
    int open = wish->asked > wish->done;
    memcpy(text, wish->text, sizeof text); // nobody writes it while it is open
    pthread_mutex_unlock(&live->lock);
    if (!open)
        return 0;
    CondStatus status = change_world(live, text, error);
    pthread_mutex_lock(&live->lock);
    wish->refused = status != COND_OK;
    snprintf(wish->message, sizeof wish->message, "%s", status ? error->message : "");
    wish->done = wish->asked;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
    return 1;
}

// Pulls at what the user holds, or lets go.
static void follow_grab(Live* live)
{
    pthread_mutex_lock(&live->lock);
    Grab grab = live->grab;
    pthread_mutex_unlock(&live->lock);
    if (grab.body >= 0 && grab.point < 0) {
        grab.point = nearest_point(&live->world, grab.body, grab.at);
        pthread_mutex_lock(&live->lock);
        // Meanwhile the user may have let go, or taken hold of something else.
        if (live->grab.body == grab.body && live->grab.point < 0 &&
            memcmp(live->grab.at, grab.at, sizeof grab.at) == 0)
            live->grab.point = grab.point;
        pthread_mutex_unlock(&live->lock);
    }
    if (grab.body >= 0 && grab.point >= 0)
        pull_point(live, grab.point, grab.pull);
    else
        cond_sim_pull(live->world.sim, live->world.snapshot, 0, grab.pull, 0.0, 0.0);
}

// What the simulating thread knows of its own pace.
typedef struct Pace {
    double clock, begin; // when the clock was looked at anew, and the run's time then [s]
    double speed;        // simulated seconds a second
    double shown;        // when the last picture was
    long left;           // steps that --steps leaves; -1: as long as the scene lasts
    int unseen;          // 1: steps since the last picture
} Pace;

static long first_left(const Live* live)
{
    return live->run->steps > 0 ? live->run->steps : -1;
}

// Takes over what was wished for. Returns 1 when the clock must start anew.
static int take_wishes(Live* live, Pace* pace, CondError* error)
{
    pthread_mutex_lock(&live->lock);
    int restart = live->restart;
    live->restart = 0;
    pthread_mutex_unlock(&live->lock);
    if (restart && restart_world(live, error) == COND_OK)
        pace->left = first_left(live);
    int changed = take_wish(live, error);
    follow_grab(live);
    if (restart || changed)
        publish(live, error);
    return restart || changed;
}

// What is next: to end, to wait for a change, to wait for the clock, or a step.
typedef enum Turn { TURN_WAIT, TURN_PACE, TURN_STEP, TURN_SINGLE } Turn;

static Turn next_turn(Live* live, Pace* pace, int anew)
{
    const CondSceneSettings* settings = cond_model_settings(live->world.model);
    const double moment = 0.1; // seconds after which wishes are looked at again
    double time = cond_state_time(live->world.state), ahead = 0.0;
    int over = pace->left == 0 ||
               (pace->left < 0 && time >= settings->duration - 0.5 * settings->time_step);
    pthread_mutex_lock(&live->lock);
    int single = live->steps_wanted > 0;
    int waiting = !single && (live->paused || over || !live->watched);
    if (anew || waiting || single || live->speed != pace->speed) {
        pace->clock = live_now();
        pace->begin = time;
        pace->speed = live->speed;
    } else {
        ahead = (time - pace->begin) / pace->speed - (live_now() - pace->clock);
    }
    live->steps_wanted -= single;
    if (!interrupt_signal() && (waiting || ahead > 0.0))
        live_wait(live, waiting ? 2.0 * moment : fmin(ahead, moment));
    pthread_mutex_unlock(&live->lock);
    return single ? TURN_SINGLE : waiting ? TURN_WAIT : ahead > 0.0 ? TURN_PACE : TURN_STEP;
}

// One step; where it fails the run waits for a restart.
static void make_step(Live* live, Pace* pace)
{
    World* world = &live->world;
    interrupt_limit_step(live->run->step_limit);
    CondStatus status = cond_sim_step(world->sim, world->state, &world->info);
    interrupt_limit_step(INFINITY);
    if (status >= 0) { // a missed tolerance is seen in the plots
        world->stepped = 1;
        pace->left -= pace->left > 0;
        pace->unseen = 1;
        return;
    }
    if (!interrupt_signal())
        cli_complain("step at t = %g s: %s; the run waits for a restart",
                     cond_state_time(world->state), cond_status_name(status));
    pthread_mutex_lock(&live->lock);
    live->paused = 1;
    live->steps_wanted = 0;
    pthread_mutex_unlock(&live->lock);
}

// Simulates until the user ends it; the picture follows about 60 times a second.
static CondStatus simulate(Live* live)
{
    const double picture = 1.0 / 60.0;
    CondError error = {0};
    CondStatus status = publish(live, &error);
    Pace pace = {.clock = live_now(), .speed = 1.0, .left = first_left(live)};
    while (!status && !interrupt_signal()) {
        int anew = take_wishes(live, &pace, &error);
        Turn turn = next_turn(live, &pace, anew);
        if (interrupt_signal())
            break;
        if (turn == TURN_STEP || turn == TURN_SINGLE)
            make_step(live, &pace);
        int due = turn != TURN_STEP || live_now() - pace.shown >= picture;
        if (pace.unseen && due) {
            pace.shown = live_now();
            pace.unseen = 0;
            status = publish(live, &error);
        }
    }
    if (status)
        cli_complain("%s", *error.message ? error.message : cond_status_name(status));
    return status;
}

static int describe(Live* live)
{
    const CondSceneSettings* settings = cond_model_settings(live->world.model);
    json_t* scene =
        view_scene_json(cond_snapshot_scenery(live->world.snapshot), settings->name, NULL);
    live->n_body = cond_model_n_body(live->world.model);
    memcpy(live->gravity, settings->gravity, sizeof live->gravity);
    live_describe_settings(settings, scene);
    char* text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    if (text)
        bytes_add(&live->scene, text, strlen(text));
    free(text);
    return live->scene.size == 0;
}

static int serve(Live* live)
{
    ViewHandler handler = {.user = live, .max_post = 4096, .get = live_get, .post = live_post};
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
    Live live = {.run = run, .index = -1, .speed = 1.0, .grab = {.body = -1, .point = -1}};
    CondError error = {COND_OK, ""};
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
