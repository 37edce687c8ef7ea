// Reads and writes the folder of a sweep (sweep_store.h).
#define _XOPEN_SOURCE 700
#include "sweep_store.h"

#include "cli.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOST = 64 };

static void join(const SweepStore* store, const char* part, char out[SWEEP_PATH])
{
    snprintf(out, SWEEP_PATH, "%s/%s", store->folder, part);
}

static void host_name(char out[HOST])
{
    if (gethostname(out, HOST))
        strcpy(out, "host");
    out[HOST - 1] = '\0';
}

void sweep_store_entry_path(const SweepStore* store, int entry, const char* file,
                            char out[SWEEP_PATH])
{
    snprintf(out, SWEEP_PATH, "%s/entries/%06d%s%s", store->folder, entry, *file ? "/" : "", file);
}

void sweep_store_part_path(const SweepStore* store, int entry, pid_t maker, const char* file,
                           char out[SWEEP_PATH])
{
    char host[HOST];
    host_name(host);
    snprintf(out, SWEEP_PATH, "%s/part/%06d.%s.%ld%s%s", store->folder, entry, host, (long)maker,
             *file ? "/" : "", file);
}

static int make_folder(const char* path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    cli_complain("%s: cannot make the folder: %s", path, strerror(errno));
    return 1;
}

// All of a file; no data after a message.
static Text read_text(const char* path)
{
    Text text = {0};
    char buffer[4096];
    FILE* file = fopen(path, "rb");
    if (!file) {
        cli_complain("%s: cannot be read: %s", path, strerror(errno));
        return text;
    }
    text_add(&text, "%s", "");
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add(&text, "%.*s", (int)n, buffer);
    fclose(file);
    return text;
}

// Keeps a copy of a file, or holds it against the one that is there.
static int keep_copy(const SweepStore* store, const char* name, const char* from)
{
    char path[SWEEP_PATH];
    join(store, name, path);
    Text now = read_text(from), then = {0};
    int failed = !now.data;
    if (!failed && access(path, F_OK) != 0) {
        const Text* part = &now;
        failed = text_put(path, &part, 1);
    } else if (!failed) {
        then = read_text(path);
        failed = !then.data || then.size != now.size || memcmp(then.data, now.data, now.size) != 0;
        if (failed)
            cli_complain("%s has changed since the sweep began (%s); name another folder by "
                         "--out",
                         from, path);
    }
    free(now.data);
    free(then.data);
    return failed;
}

int sweep_store_open(SweepStore* store, const char* folder, int n, const char* file,
                     const char* scene, int resume)
{
    static const char* const parts[] = {"entries", "failed", "part"};
    char path[SWEEP_PATH], absolute[PATH_MAX];
    if (make_folder(folder))
        return 1;
    if (!realpath(folder, absolute) || strlen(absolute) >= sizeof store->folder) {
        cli_complain("%s: cannot be used: %s", folder, strerror(errno ? errno : ENAMETOOLONG));
        return 1;
    }
    *store = (SweepStore){.n = n, .lock = -1};
    strcpy(store->folder, absolute);
    for (int k = 0; k < 3; k++) {
        join(store, parts[k], path);
        if (make_folder(path))
            return 1;
    }
    int there = sweep_store_count(store);
    if (there > 0 && !resume) {
        cli_complain("sweep: %s has %d of %d entries already; --resume goes on, --out names "
                     "another folder",
                     folder, there, n);
        return 1;
    }
    return keep_copy(store, "sweep.yaml", file) || keep_copy(store, "scene", scene);
}

int sweep_store_lock(SweepStore* store)
{
    char path[SWEEP_PATH];
    join(store, "lock", path);
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock >= 0 && flock(store->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (store->lock >= 0 && errno != EWOULDBLOCK)
        return 0; // a file system without locks
    cli_complain("sweep: %s: %s", store->folder,
                 store->lock < 0 ? strerror(errno) : "another process hands out its entries");
    return 1;
}

int sweep_store_has(const SweepStore* store, int entry)
{
    char path[SWEEP_PATH];
    sweep_store_entry_path(store, entry, "", path);
    return access(path, F_OK) == 0;
}

int sweep_store_count(const SweepStore* store)
{
    int n = 0;
    for (int k = 0; k < store->n; k++)
        n += sweep_store_has(store, k);
    return n;
}

json_t* sweep_store_read(const SweepStore* store, int entry)
{
    char path[SWEEP_PATH];
    sweep_store_entry_path(store, entry, "entry.json", path);
    return json_load_file(path, 0, NULL);
}

int sweep_store_begin(const SweepStore* store, int entry)
{
    char path[SWEEP_PATH];
    sweep_store_part_path(store, entry, getpid(), "", path);
    return make_folder(path);
}

// Calls visit with the path of everything in a folder.
static void each_file(const char* folder, void (*visit)(const char* path, void* data), void* data)
{
    DIR* list = opendir(folder);
    for (struct dirent* d; list && (d = readdir(list));) {
        char path[SWEEP_PATH + 300];
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            visit(path, data);
    }
    if (list)
        closedir(list);
}

static void remove_file(const char* path, void* data)
{
    (void)data;
    remove(path);
}

static void remove_folder(const char* path)
{
    each_file(path, remove_file, NULL);
    rmdir(path);
}

static void sync_path(const char* path, void* failed)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fsync(descriptor) != 0)
        *(int*)failed = 1;
    if (descriptor >= 0)
        close(descriptor);
}

int sweep_store_commit(const SweepStore* store, int entry)
{
    char from[SWEEP_PATH], to[SWEEP_PATH];
    int failed = 0;
    sweep_store_part_path(store, entry, getpid(), "", from);
    sweep_store_entry_path(store, entry, "", to);
    each_file(from, sync_path, &failed);
    sync_path(from, &failed);
    if (!failed && rename(from, to) == 0) {
        sweep_store_note(store, entry, NULL);
        return 0;
    }
    int reason = errno;
    remove_folder(from);
    if (!failed && (reason == ENOTEMPTY || reason == EEXIST))
        return 0;
    cli_complain("%s: cannot be written: %s", to, strerror(reason));
    return 1;
}

void sweep_store_discard(const SweepStore* store, int entry, pid_t maker)
{
    char path[SWEEP_PATH];
    sweep_store_part_path(store, entry, maker, "", path);
    remove_folder(path);
}

// 1 while a process works. One that has ended stays a zombie until its parent, init where the head
// was killed, has asked for it, and that may take its time.
static int is_alive(pid_t pid)
{
    char path[64], line[256], state = 0;
    if (kill(pid, 0) != 0 && errno == ESRCH)
        return 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE* file = fopen(path, "r");
    const char* name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (name_end)
        sscanf(name_end + 1, " %c", &state);
    if (file)
        fclose(file);
    return state != 'Z' && state != 'X';
}

static void clean(const char* path, void* data)
{
    const char *name = strrchr(path, '/') + 1, *at = strchr(name, '.'), *pid = strrchr(name, '.');
    const char* host = data;
    if (at && pid > at && strlen(host) == (size_t)(pid - at - 1) &&
        strncmp(at + 1, host, strlen(host)) == 0 && !is_alive((pid_t)atol(pid + 1)))
        remove_folder(path);
}

void sweep_store_clean(const SweepStore* store)
{
    char path[SWEEP_PATH], host[HOST];
    host_name(host);
    join(store, "part", path);
    each_file(path, clean, host);
}

static void note_path(const SweepStore* store, int entry, char out[SWEEP_PATH])
{
    snprintf(out, SWEEP_PATH, "%s/failed/%06d.json", store->folder, entry);
}

void sweep_store_note(const SweepStore* store, int entry, const char* reason)
{
    char path[SWEEP_PATH];
    note_path(store, entry, path);
    if (reason)
        json_put(json_pack("{s:i, s:o}", "entry", entry, "reason", json_text(reason)), path);
    else
        remove(path);
}

json_t* sweep_store_noted(const SweepStore* store, int entry)
{
    char path[SWEEP_PATH];
    note_path(store, entry, path);
    return json_load_file(path, 0, NULL);
}
