// The HTTP server, on libmicrohttpd (view_server.h).
#define _POSIX_C_SOURCE 200809L
#include "view/view_server.h"

#include "cli.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STACK = 1 << 20,
    MOST_CONNECTIONS = 64, // that are kept
    HARD_LIMIT = 256,      // while those too many are on their way out
    SECONDS = 30,          // without a word, after which a connection ends
};

// A connection and when something was last heard of it. Whoever holds connections without using
// them is in nobody's way: where there are too many, the one that has been silent longest goes.
typedef struct Line {
    int fd;     // of its socket; -1: the place is free
    long heard; // counts what is heard of any connection
} Line;

// Port and address are there before the first request, and never change.
struct ViewServer {
    ViewHandler handler;
    struct MHD_Daemon* daemon;
    int port;
    char address[64];
    pthread_mutex_t lock;
    long heard;            // behind the lock, as what follows
    Line line[HARD_LIMIT]; //
};

// A request while its body arrives.
typedef struct Request {
    Bytes body;
    int too_large;
} Request;

void view_answer_text(ViewAnswer* answer, int code, const char* text)
{
    answer->code = code;
    answer->type = "text/plain; charset=utf-8";
    answer->body.size = 0;
    bytes_add(&answer->body, text, strlen(text));
}

// Does a Host or Origin name this server by a loopback name?
static int is_own(const ViewServer* server, const char* name)
{
    static const char* const hosts[] = {"127.0.0.1", "localhost"};
    char own[64];
    for (size_t k = 0; k < sizeof hosts / sizeof *hosts; k++) {
        snprintf(own, sizeof own, "%s:%d", hosts[k], server->port);
        if (strcasecmp(name, own) == 0)
            return 1;
    }
    return 0;
}

static int is_allowed(const ViewServer* server, struct MHD_Connection* connection)
{
    const char* host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char* origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    if (!host || !is_own(server, host))
        return 0;
    return !origin || (strncmp(origin, "http://", 7) == 0 && is_own(server, origin + 7));
}

static enum MHD_Result reply(struct MHD_Connection* connection, ViewAnswer* answer)
{
    static const char* const headers[][2] = {{"Cache-Control", "no-store"},
                                             {"X-Content-Type-Options", "nosniff"}};
    if (answer->body.failed)
        view_answer_text(answer, 500, "out of memory");
    // MHD releases the bytes when they are sent.
    struct MHD_Response* response = MHD_create_response_from_buffer(
        answer->body.size, answer->body.data, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        bytes_free(&answer->body);
        return MHD_NO;
    }
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        MHD_add_response_header(response, headers[k][0], headers[k][1]);
    MHD_add_response_header(response, "Content-Type", answer->type ? answer->type : "text/plain");
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)answer->code, response);
    MHD_destroy_response(response);
    return result;
}

static void drop_silent(ViewServer* server)
{
    int n = 0, silent = -1;
    for (int k = 0; k < HARD_LIMIT; k++) {
        const Line* line = &server->line[k];
        n += line->fd >= 0;
        if (line->fd >= 0 && (silent < 0 || line->heard < server->line[silent].heard))
            silent = k;
    }
    if (n > MOST_CONNECTIONS)
        shutdown(server->line[silent].fd, SHUT_RDWR); // its thread sees the end and cleans up
}

// A connection begins or ends; its place is kept with it. A socket is closed after its end is told,
// so that the one that is shut down here is never another's.
static void on_line(void* user, struct MHD_Connection* connection, void** place,
                    enum MHD_ConnectionNotificationCode code)
{
    ViewServer* server = user;
    const union MHD_ConnectionInfo* info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*place)
            ((Line*)*place)->fd = -1;
    } else {
        for (int k = 0; k < HARD_LIMIT && !*place && info; k++)
            if (server->line[k].fd < 0) {
                server->line[k] = (Line){info->connect_fd, ++server->heard};
                *place = &server->line[k];
            }
        drop_silent(server);
    }
    pthread_mutex_unlock(&server->lock);
}

static void hear(ViewServer* server, struct MHD_Connection* connection)
{
    const union MHD_ConnectionInfo* info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (!info || !info->socket_context)
        return;
    pthread_mutex_lock(&server->lock);
    ((Line*)info->socket_context)->heard = ++server->heard;
    pthread_mutex_unlock(&server->lock);
}

// Called when the headers are there, then for every part of the body, then once more at its end.
static enum MHD_Result on_request(void* user, struct MHD_Connection* connection, const char* path,
                                  const char* method, const char* version, const char* data,
                                  size_t* size, void** kept)
{
    ViewServer* server = user;
    Request* request = *kept;
    ViewAnswer answer = {404, "text/plain", {0}};
    int posts = strcmp(method, "POST") == 0 && server->handler.post;
    (void)version;
    hear(server, connection);
    if (!request) {
        *kept = calloc(1, sizeof *request);
        return *kept ? MHD_YES : MHD_NO;
    }
    if (*size > 0) {
        if (!posts || request->body.size + *size > server->handler.max_post) {
            request->too_large = 1; // the rest is read and forgotten
            bytes_free(&request->body);
        }
        if (!request->too_large)
            bytes_add(&request->body, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (!is_allowed(server, connection))
        view_answer_text(&answer, 403, "This server answers only its own page on this machine.");
    else if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Upgrade"))
        view_answer_text(&answer, 400, "This server speaks nothing but HTTP.");
    else if (request->too_large || request->body.failed)
        view_answer_text(&answer, 413, "The request is too large.");
    else if (strcmp(method, "GET") == 0)
        server->handler.get(server->handler.user, path, &answer);
    else if (posts)
        server->handler.post(server->handler.user, path, &request->body, &answer);
    else
        view_answer_text(&answer, 405, "This server does no such thing.");
    return reply(connection, &answer);
}

static void on_end(void* user, struct MHD_Connection* connection, void** kept,
                   enum MHD_RequestTerminationCode code)
{
    Request* request = *kept;
    (void)user;
    (void)connection;
    (void)code;
    if (request)
        bytes_free(&request->body);
    free(request);
}

// A socket that listens at the loopback address; -1 where there is none. *port 0: any free one,
// which it becomes.
static int listen_at(int* port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof loopback;
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && // not for the browser
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, (struct sockaddr*)&loopback, size) == 0 && listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, (struct sockaddr*)&loopback, &size) == 0) {
        *port = ntohs(loopback.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

ViewServer* view_server_start(const ViewHandler* handler, int port)
{
    ViewServer* server = calloc(1, sizeof *server);
    if (!server) {
        cli_complain("out of memory");
        return NULL;
    }
    server->handler = *handler;
    server->port = port;
    pthread_mutex_init(&server->lock, NULL);
    for (int k = 0; k < HARD_LIMIT; k++)
        server->line[k].fd = -1;
    int fd = listen_at(&server->port);
    snprintf(server->address, sizeof server->address, "http://127.0.0.1:%d/", server->port);
    if (fd >= 0)
        server->daemon = MHD_start_daemon(
            MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
            on_request, server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, on_end,
            NULL, MHD_OPTION_NOTIFY_CONNECTION, on_line, server, MHD_OPTION_THREAD_STACK_SIZE,
            (size_t)STACK, MHD_OPTION_CONNECTION_LIMIT, (unsigned)HARD_LIMIT,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_END);
    if (!server->daemon) {
        cli_complain("cannot serve at port %d of this machine: is it in use?", port);
        if (fd >= 0)
            close(fd);
        view_server_stop(server);
        return NULL;
    }
    return server;
}

void view_server_stop(ViewServer* server)
{
    if (!server)
        return;
    if (server->daemon)
        MHD_stop_daemon(server->daemon); // closes the socket too
    pthread_mutex_destroy(&server->lock);
    free(server);
}

const char* view_server_address(const ViewServer* server)
{
    return server->address;
}

int view_be_silent(void)
{
    int none = open("/dev/null", O_WRONLY);
    return none < 0 || dup2(none, STDOUT_FILENO) < 0 || dup2(none, STDERR_FILENO) < 0;
}

void view_browser_open(const char* address)
{
    // The browser is a child of a child, so that it outlives the tool and leaves nothing to wait
    // for.
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            if (view_be_silent())
                _exit(127);
            execlp("xdg-open", "xdg-open", address, (char*)NULL);
            _exit(127);
        }
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    fprintf(stderr, "The viewer is at %s (Ctrl-C ends it)\n", address);
}

int view_page_read(Bytes* page)
{
    char path[4096];
    cli_share_path("viewer.html", path, sizeof path);
    if (bytes_read(page, path) == 0 && page->size > 0)
        return 0;
    cli_complain("%s is not there: the viewer was not built. Install Node.js and npm, and build "
                 "again.",
                 path);
    return 1;
}

long view_path_number(const char* path, const char* prefix)
{
    size_t n = strlen(prefix);
    char* end = NULL;
    if (strncmp(path, prefix, n) != 0 || !path[n] || strlen(path + n) > 10)
        return -2;
    long value = strtol(path + n, &end, 10);
    return *end ? -2 : value;
}
