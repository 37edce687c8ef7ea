// A live run and its server as a browser meets them: wishes while it runs, speeds, connections that
// are held and not used.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Served {
    pid_t tool;
    int port;
} Served;

// Without the page, which npm makes, there is nothing to serve.
static int has_page(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", COND_CLI);
    char* bin = strstr(path, "/bin/cond");
    if (!bin)
        return 0;
    strcpy(bin, "/share/cond/viewer.html");
    return access(path, R_OK) == 0;
}

static Served serve(const char* scene)
{
    int ends[2];
    char line[128] = "";
    Served served = {0};
    assert_int_equal(pipe(ends), 0);
    served.tool = fork();
    assert_true(served.tool >= 0);
    if (served.tool == 0) {
        alarm(300);
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        close(ends[0]);
        execl(COND_CLI, COND_CLI, "run", scene, "--view", "--no-open", "--threads", "1",
              (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE* out = fdopen(ends[0], "r");
    assert_non_null(out);
    assert_non_null(fgets(line, sizeof line, out));
    fclose(out);
    assert_int_equal(sscanf(line, "http://127.0.0.1:%d/", &served.port), 1);
    return served;
}

static void stop(const Served* served)
{
    int status = 0;
    assert_int_equal(kill(served->tool, SIGINT), 0);
    assert_int_equal(waitpid(served->tool, &status, 0), served->tool);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int connect_to(const Served* served)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)served->port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr*)&at, sizeof at), 0);
    return fd;
}

enum { ROOM = 1 << 20 };
static unsigned char heard[ROOM]; // the last answer

// Asks one thing; the code of the answer, whose body begins at *body in `heard`.
static int ask(const Served* served, const char* method, const char* path, const char* text,
               size_t* body)
{
    char request[1024];
    int fd = connect_to(served), code = 0;
    int n = snprintf(request, sizeof request,
                     "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     method, path, served->port, strlen(text), text);
    assert_int_equal(send(fd, request, (size_t)n, MSG_NOSIGNAL), n);
    size_t size = 0;
    for (ssize_t got; size + 1 < ROOM && (got = recv(fd, heard + size, ROOM - 1 - size, 0)) > 0;)
        size += (size_t)got;
    close(fd);
    heard[size] = '\0';
    assert_int_equal(sscanf((const char*)heard, "HTTP/1.1 %d", &code), 1);
    for (size_t k = 0; body && k + 4 <= size; k++)
        if (memcmp(heard + k, "\r\n\r\n", 4) == 0) {
            *body = k + 4;
            break;
        }
    return code;
}

static int command(const Served* served, const char* text)
{
    return ask(served, "POST", "/command", text, NULL);
}

// The next frame after number k: its number, and the run's time.
static int next_frame(const Served* served, int k, double* time)
{
    char path[32];
    int index;
    for (int tries = 0; tries < 100; tries++) {
        size_t body = 0;
        snprintf(path, sizeof path, "/next/%d", k);
        if (ask(served, "GET", path, "", &body) == 200) {
            assert_memory_equal(heard + body, "CFRM", 4);
            memcpy(&index, heard + body + 4, sizeof index);
            memcpy(time, heard + body + 24, sizeof *time);
            return index;
        }
    }
    fail_msg("no frame after %d", k);
    return -1;
}

// A changed setting replaces the model while the run goes on, and its time goes on too.
static void test_settings(void** state)
{
    (void)state;
    char text[128];
    double before = 0.0, time = 0.0;
    Served served = serve("drop");
    int k = next_frame(&served, -1, &before);
    assert_int_equal(command(&served, "{\"pause\": true}"), 200);
    for (int i = 0; i < 12; i++) {
        snprintf(text, sizeof text, "{\"set\": \"%s\", \"value\": %g}",
                 i % 2 ? "step.time_step" : "solver.tolerance", i % 2 ? 1e-3 * i : 1e-6 / (i + 1));
        assert_int_equal(command(&served, text), 200);
        assert_int_equal(command(&served, "{\"step\": 20}"), 200);
        assert_int_equal(command(&served, "{\"grab\": 0, \"at\": [0, 0, 0.3]}"), 200);
        assert_int_equal(command(&served, "{\"pull\": [0, 0, 0.5]}"), 200);
        do { // a time is a whole number of steps: it may be rounded down to one
            k = next_frame(&served, k, &time);
            assert_true(time > before - 0.02 && time < before + 1.0);
        } while (time <= before);
        before = time;
    }
    assert_int_equal(command(&served, "{\"set\": \"step.time_step\", \"value\": -1}"), 400);
    assert_non_null(strstr((const char*)heard, "time_step"));
    // What is not offered cannot be set, and a key that means nothing is no command.
    assert_int_equal(command(&served, "{\"set\": \"bodies.box.mass\", \"value\": 1}"), 400);
    assert_int_equal(command(&served, "{\"set\": \"name\", \"value\": 1}"), 400);
    assert_int_equal(command(&served, "{\"sing\": 1}"), 400);
    stop(&served);
}

static void test_speed(void** state)
{
    (void)state;
    double time = 0.0;
    Served served = serve("drop");
    static const char* const wrong[] = {"1e-12", "0", "-1", "1e12", "\"fast\"", "null"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"speed\": %s}", wrong[i]);
        assert_int_equal(command(&served, text), 400);
    }
    int k = next_frame(&served, -1, &time);
    // As slow as can be: the next step is seconds away, and a wish is heard all the same.
    assert_int_equal(command(&served, "{\"speed\": 0.001}"), 200);
    k = next_frame(&served, k, &time);
    assert_int_equal(command(&served, "{\"set\": \"solver.tolerance\", \"value\": 1e-7}"), 200);
    assert_int_equal(command(&served, "{\"speed\": 1000}"), 200);
    while (time < 1.0)
        k = next_frame(&served, k, &time);
    // A run that is through can be started again.
    while (time < 1.995)
        k = next_frame(&served, k, &time);
    assert_int_equal(command(&served, "{\"restart\": true}"), 200);
    while (time > 1.0)
        k = next_frame(&served, k, &time);
    stop(&served);
}

// More connections than the server keeps, silent, or in the middle of a request.
static void test_held(void** state)
{
    (void)state;
    enum { HELD = 150 };
    static const char part[] = "POST /command HTTP/1.1\r\nContent-Length: 4000\r\nHost: ";
    int fd[HELD];
    double time;
    Served served = serve("drop");
    for (int k = 0; k < HELD; k++) {
        fd[k] = connect_to(&served);
        if (k % 2)
            send(fd[k], part, sizeof part - 1, MSG_NOSIGNAL);
    }
    assert_int_equal(ask(&served, "GET", "/scene.json", "", NULL), 200);
    assert_true(next_frame(&served, -1, &time) >= 0);
    for (int k = 0; k < HELD; k++)
        close(fd[k]);
    assert_int_equal(ask(&served, "GET", "/scene.json", "", NULL), 200);
    stop(&served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_held),
    };
    if (!has_page()) {
        printf("the viewer's page is not built: nothing to test\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
