// Shared by the files of a live run: the data of the simulating thread and of the server
// threads.
#ifndef COND_CLI_VIEW_LIVE_PART_H
#define COND_CLI_VIEW_LIVE_PART_H

#include "json.h"
#include "live.h"
#include "view/view_server.h"

#include <cond/snapshot.h>
#include <pthread.h>

// The scene and what is made of it; a changed setting replaces all of it but the state's values.
typedef struct World {
    CondModel* model;
    CondState* state;
    CondSim* sim;
    CondSnapshot* snapshot;
    CondStepInfo info; // of the last step
    int stepped;       // 1: there was one
} World;

// What the user holds.
typedef struct Grab {
    int body;       // -1: none
    int point;      // of the scenery; -1: not chosen yet
    double at[3];   // where it was taken hold of [m]
    double pull[3]; // where it is pulled to [m]
} Grab;

// An override that the user wishes for. Tickets count up: the wish in the text is open, and stays
// as it is, while `asked` is ahead of `done`.
typedef struct Wish {
    long asked, done;
    int refused;                                  // the last one that is done,
    char message[sizeof((CondError){0}).message]; // and why
    char text[128];
} Wish;

typedef struct Live {
    const LiveRun* run;
    World world; // only the simulating thread's
    TextList set;
    Bytes page, scene; // never change, nor do the next two
    int n_body;        //
    double gravity[2]; // along x and y, of the scene [m/s2]
    pthread_mutex_t lock;
    pthread_cond_t changed;
    // All that follows is behind the lock.
    Bytes frame; // the latest
    int index;   // of it; -1: none yet
    int watched; // 1: somebody has asked for a frame; the run waits for that
    int paused, restart, ended;
    long steps_wanted; // while paused
    double speed;      // simulated seconds per second
    Wish wish;
    Grab grab;
} Live;

// Speeds that can be asked for; the clock is looked at anew after a while at any of them.
#define LIVE_SLOWEST 1e-3
#define LIVE_FASTEST 1e3

double live_now(void); // [s]

// Waits for a change at most so long; the lock is held.
void live_wait(Live* live, double seconds);

// The server's side of it; user is the Live.
void live_get(void* user, const char* path, ViewAnswer* answer);
void live_post(void* user, const char* path, const Bytes* body, ViewAnswer* answer);

// Adds what can be set, with its values now, to the description of the scene.
void live_describe_settings(const CondSceneSettings* settings, json_t* scene);

#endif
