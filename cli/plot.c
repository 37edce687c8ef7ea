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
    static const char* const colours[] = {"#1f6feb", "#e8894a", "#2da44e", "#b050c8", "#d1242f",
                                          "#2aa5ab", "#b98a00", "#6e7781", "#1f2733"};
    for (size_t k = 0; k < sizeof colours / sizeof *colours; k++)
        fprintf(gnuplot, "set linetype %d lc rgb '%s'\n", (int)k + 1, colours[k]);
    fprintf(gnuplot,
            "set terminal svg size 760,460 font 'sans,13' background 'white'\n"
            "set output '%s/%s.svg'\n"
            "data = '%s/%s.csv'\n"
            "set datafile separator ','\n"
            "set title \"%s\"\n"
            "set grid lc rgb '#dddddd'\n"
            "set border 3 lc rgb '#444444'\n"
            "set tics nomirror\n"
            "%s\n",
            directory, name, directory, data, title, script);
    int status = pclose(gnuplot);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
