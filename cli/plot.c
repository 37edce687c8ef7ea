#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <stdio.h>
#include <sys/wait.h>

int plot_svg(const char* directory, const char* name, const char* data, const char* title,
             const char* script)
{
    FILE* gnuplot = popen("gnuplot 2>/dev/null", "w");
    if (!gnuplot)
        return 1;
    fprintf(gnuplot,
            "set terminal svg size 760,460 font 'sans,13' background 'white'\n"
            "set output '%s/%s.svg'\n"
            "data = '%s/%s.csv'\n"
            "set datafile separator ','\n"
            "set title '%s'\n"
            "set grid lc rgb '#dddddd'\n"
            "set border 3 lc rgb '#444444'\n"
            "set tics nomirror\n"
            "%s\n",
            directory, name, directory, data, title, script);
    int status = pclose(gnuplot);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
