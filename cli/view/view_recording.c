// Answers the page's requests from a recording (view_recording.h).
#define _POSIX_C_SOURCE 200809L
#include "view/view_recording.h"

#include "cli.h"
#include "memory.h"
#include "view/view_encode.h"

#include <stdlib.h>
#include <string.h>

int view_recording_open(const char* path, ViewRecording* view)
{
    CondError error;
    memset(view, 0, sizeof *view);
    pthread_mutex_init(&view->lock, NULL);
    CondStatus status = cond_recording_open(memory_context(), path, &view->recording, &error);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    if (view_page_read(&view->page))
        return CLI_INPUT;
    json_t* scene = view_scene_json(cond_recording_scenery(view->recording),
                                    cond_recording_scene(view->recording), view->recording);
    char* text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    if (text)
        bytes_add(&view->scene, text, strlen(text));
    free(text);
    if (view->scene.size > 0)
        return CLI_FINE;
    cli_complain("%s: out of memory", path);
    return CLI_INPUT;
}

void view_recording_close(ViewRecording* view)
{
    cond_recording_close(view->recording);
    bytes_free(&view->page);
    bytes_free(&view->scene);
    pthread_mutex_destroy(&view->lock);
}

static void answer_frame(ViewRecording* view, int k, ViewAnswer* answer)
{
    const CondMoment* moment;
    CondError error;
    pthread_mutex_lock(&view->lock);
    CondStatus status = cond_recording_frame(view->recording, k, &moment, &error);
    if (!status)
        view_encode_frame(cond_recording_scenery(view->recording), moment, k, &answer->body);
    pthread_mutex_unlock(&view->lock);
    if (status) {
        view_answer_text(answer, status == COND_BAD_ARGUMENT ? 404 : 500, error.message);
        return;
    }
    answer->code = 200;
    answer->type = "application/octet-stream";
}

void view_recording_get(void* user, const char* path, ViewAnswer* answer)
{
    ViewRecording* view = user;
    long k = view_path_number(path, "/frame/");
    if (strcmp(path, "/") == 0) {
        answer->code = 200;
        answer->type = "text/html; charset=utf-8";
        bytes_add(&answer->body, view->page.data, view->page.size);
    } else if (strcmp(path, "/scene.json") == 0) {
        answer->code = 200;
        answer->type = "application/json";
        bytes_add(&answer->body, view->scene.data, view->scene.size);
    } else if (k >= 0 && k < cond_recording_n_frame(view->recording)) {
        answer_frame(view, (int)k, answer);
    } else {
        view_answer_text(answer, 404, "There is nothing at this address.\n");
    }
}
