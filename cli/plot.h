// Plots by gnuplot, as SVG.
#ifndef COND_CLI_PLOT_H
#define COND_CLI_PLOT_H

#include "text.h"

// Draws directory/name.svg from directory/data.csv; the script finds the data as `data`. 0 when
// gnuplot did it, 1 when it is missing or failed.
int plot_svg(const char* directory, const char* name, const char* data, const char* title,
             const char* script);

// A text as a script of gnuplot has it: between quotes, on one line.
void plot_quote(Text* text, const char* from);

#endif
