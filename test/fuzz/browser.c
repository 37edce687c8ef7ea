// A browser that draws nothing, for `cond render --browser`: it gets the page, the scene and all
// frames as the viewer does, and says that it is done.
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Sends a request and reads the answer to its end; the HTTP code, -1 when nothing came.
static int ask(int port, const char* method, const char* path)
{
    char request[512], answer[1 << 16];
    int code = -1, s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int n = snprintf(request, sizeof request,
                     "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
                     "Content-Length: 0\r\nConnection: close\r\n\r\n",
                     method, path, port, port);
    if (s >= 0 && connect(s, (struct sockaddr*)&to, sizeof to) == 0 &&
        write(s, request, (size_t)n) == n) {
        ssize_t got = read(s, answer, sizeof answer - 1);
        answer[got > 0 ? got : 0] = '\0';
        if (sscanf(answer, "HTTP/1.1 %d", &code) != 1)
            code = -1;
        while (got > 0)
            got = read(s, answer, sizeof answer);
    }
    if (s >= 0)
        close(s);
    return code;
}

int main(int argc, char** argv)
{
    int port = 0;
    const char* address = argc > 1 ? argv[argc - 1] : "";
    if (sscanf(address, "http://127.0.0.1:%d/", &port) != 1)
        return 1;
    ask(port, "GET", "/");
    ask(port, "GET", "/scene.json");
    for (int k = 0;; k++) {
        char path[64];
        snprintf(path, sizeof path, "/frame/%d", k);
        if (ask(port, "GET", path) != 200)
            break;
    }
    ask(port, "POST", "/done");
    return 0;
}
