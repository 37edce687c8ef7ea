// Runs gnuplot on a script (plot.h). Starts a process; the picture is a file.
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// gnuplot in the folder of the data, drawing to a stream: so no path is ever part of what it is
// told, and none of its words are taken for commands. Returns where to write to it; NULL: it could
// not be started.
static FILE* start_gnuplot(const char* directory, FILE* picture, pid_t* child)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(ends[0], STDIN_FILENO);
        dup2(fileno(picture), STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (chdir(directory) == 0)
            execlp("gnuplot", "gnuplot", (char*)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (*child < 0) {
        close(ends[1]);
        return NULL;
    }
    return fdopen(ends[1], "w");
}

void plot_quote(Text* text, const char* from)
{
    text_add(text, "'");
    for (; *from; from++)
        text_add(text, *from == '\'' ? "''" : "%c", (unsigned char)*from < ' ' ? ' ' : *from);
    text_add(text, "'");
}

static void make_script(Text* text, const char* data, const char* title, const char* script)
{
    static const char* const colours[] = {"#1f6feb", "#e8894a", "#2da44e", "#b050c8", "#d1242f",
                                          "#2aa5ab", "#b98a00", "#6e7781", "#1f2733"};
    for (size_t k = 0; k < sizeof colours / sizeof *colours; k++)
        text_add(text, "set linetype %d lc rgb '%s'\n", (int)k + 1, colours[k]);
    text_add(text,
             "set terminal svg size 760,460 font 'sans,13' background 'white'\n"
             "data = '%s.csv'\n"
             "set datafile separator ','\n"
             "set title ",
             data);
    plot_quote(text, title);
    text_add(text,
             "\nset grid lc rgb '#dddddd'\n"
             "set border 3 lc rgb '#444444'\n"
             "set tics nomirror\n"
             "%s\n",
             script);
}

int plot_svg(const char* directory, const char* name, const char* data, const char* title,
             const char* script)
{
    char path[4096];
    CondFile* picture;
    Text text = {0};
    pid_t child = -1;
    int status = -1;
    snprintf(path, sizeof path, "%s/%s.svg", directory, name);
    if (cond_file_begin(NULL, path, &picture, NULL))
        return 1;
    make_script(&text, data, title, script);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); // gnuplot may be missing
    FILE* gnuplot =
        text.failed ? NULL : start_gnuplot(directory, cond_file_stream(picture), &child);
    if (gnuplot) {
        fputs(text.data, gnuplot);
        fclose(gnuplot);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    signal(SIGPIPE, before);
    free(text.data);
    int drawn = gnuplot && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return cond_file_end(picture, drawn, NULL) || !drawn;
}
