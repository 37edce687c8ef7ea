// An HTTP server on the loopback address, for one page and its data. It serves what its owner
// answers and nothing else; requests that come under another host's name are refused, so that other
// pages in the browser cannot use it.
#ifndef COND_CLI_VIEW_SERVER_H
#define COND_CLI_VIEW_SERVER_H

#include "view/bytes.h"

typedef struct ViewAnswer {
    int code;         // 200, 204, 400, 404 ...
    const char* type; // of the body, such as "application/json"
    Bytes body;       // released by the server
} ViewAnswer;

// Says something in words; an answer's body becomes it.
void view_answer_text(ViewAnswer* answer, int code, const char* text);

// What the owner does. Both are called from several threads at once.
typedef struct ViewHandler {
    void* user;
    size_t max_post; // bytes of a request's body, more are refused
    void (*get)(void* user, const char* path, ViewAnswer* answer);
    void (*post)(void* user, const char* path, const Bytes* body, ViewAnswer* answer);
} ViewHandler;

typedef struct ViewServer ViewServer;

// port 0: any free one. NULL after a message.
ViewServer* view_server_start(const ViewHandler* handler, int port);
void view_server_stop(ViewServer* server); // NULL is fine
// Such as "http://127.0.0.1:8080/".
const char* view_server_address(const ViewServer* server);

// In a child that is about to become another program: nothing of it is printed. The parent has
// threads, so nothing that may take a lock is called; 1 when it fails.
int view_be_silent(void);

// Opens an address in the user's browser; says the address where there is none.
void view_browser_open(const char* address);

// The viewer's page; 0 when read, else 1 after a message that says how to get it.
int view_page_read(Bytes* page);

// "/frame/12" with prefix "/frame/" is 12; -2 where the path is something else.
long view_path_number(const char* path, const char* prefix);

#endif
