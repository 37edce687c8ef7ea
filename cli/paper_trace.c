// Writes traces of penetration and force over time, and the scripts that plot them
// (paper_trace.h).
#include "paper_trace.h"

#include <math.h>
#include <stdlib.h>

// Penetrations span many powers of ten, and the best are 0: those lie on the lower edge.
const char paper_trace_penetration[] =
    "set xlabel 'time [s]'\nset key below\nset datafile missing 'nan'\n"
    "stats data index 1 skip 1 nooutput\nn = (STATS_columns - 3)/3\n"
    "low(x) = x > 1e-9 ? x : x >= 0 ? 1e-9 : NaN\nset logscale y\nset yrange [5e-10:*]\nset format "
    "y '10^{%L}'\n"
    "set ylabel 'penetration [mm], at least 10^{-9}'\n"
    "plot data index 0 skip 1 using 1:(low($2)) with lines lc rgb '#bbbbbb' title 'the run', "
    "for [i=0:n-1] data index 1 using 1:(low(column(4+3*i))) with points pt i+4 lt i+1 lw 1.5 "
    "title columnheader(4+3*i)";

// c is the column of the run; the windows have the truth in c - 1, and solver i in c + 2 + 3 i.
#define FORCE(c, name)                                                                             \
    "c = " #c "\nset ylabel '" name " [N]'\nset xlabel 'time [s]'\nset key below\n"                \
    "set datafile missing 'nan'\nstats data index 1 skip 1 nooutput\nn = (STATS_columns - 3)/3\n"  \
    "plot data index 0 skip 1 using 1:(column(c)) with lines lw 2 lc rgb '#bbbbbb' "               \
    "title 'the run', data index 1 skip 1 using 1:(column(c-1)) with points pt 3 lc rgb 'black' "  \
    "title 'converged', for [i=0:n-1] data index 1 using 1:(column(c+2+3*i)) with points pt i+4 "  \
    "lt i+1 lw 1.5 title columnheader(4+3*i)"
const char paper_trace_internal[] = FORCE(3, "norm of the internal forces");
const char paper_trace_force[] = FORCE(4, "force");

void paper_trace_step(PaperTrace* trace, double time, const PaperSample* sample, double iterations)
{
    if (!trace->run.data)
        text_add(&trace->run, "time_s,penetration_mm,internal_N,force_N,iterations\n");
    text_add(&trace->run, "%.9g,%.9g,%.9g,%.9g,%.9g\n", time, sample->penetration, sample->internal,
             sample->force, iterations);
}

void paper_trace_heading(PaperTrace* trace, int n, const char* const* label)
{
    if (trace->windows.data)
        return;
    text_add(&trace->windows, "time_s,converged internal_N,converged force_N");
    for (int i = 0; i < n; i++)
        text_add(&trace->windows, ",%s,%s internal_N,%s force_N", label[i], label[i], label[i]);
    text_add(&trace->windows, "\n");
}

void paper_trace_window(PaperTrace* trace, double time, const PaperSample* truth, int n,
                        const PaperSample* sample)
{
    text_add(&trace->windows, "%.9g,%.9g,%.9g", time, truth->internal, truth->force);
    for (int i = 0; i < n; i++)
        text_add(&trace->windows, ",%.9g,%.9g,%.9g", sample[i].penetration, sample[i].internal,
                 sample[i].force);
    text_add(&trace->windows, "\n");
}

char* paper_trace_csv(PaperTrace* trace)
{
    Text text = {0};
    if (trace->run.data && trace->windows.data)
        text_add(&text, "%s\n\n%s", trace->run.data, trace->windows.data);
    free(trace->run.data);
    free(trace->windows.data);
    *trace = (PaperTrace){{0}, {0}};
    return text.data;
}
