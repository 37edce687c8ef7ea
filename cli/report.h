// The report of one or all experiments: report.html and report.md in a folder, beside the plots.
#ifndef COND_CLI_REPORT_H
#define COND_CLI_REPORT_H

#include "paper.h"
#include "text.h"

typedef struct Report {
    Text html, markdown; // the experiments so far
    Text contents;       // list of links to them
} Report;

// Adds an experiment. drawn says of each plot whether there is a file (n_plot).
void report_add(Report* report, const Experiment* experiment, const PaperResult* result,
                const json_t* json, const int* drawn);

// Writes both files; 0 when written, 1 after a message.
int report_write(const Report* report, const char* directory, const json_t* machine);
void report_free(Report* report);

// What a row has in a column, as text.
void report_cell(const json_t* row, const PaperColumn* column, char* cell, size_t size);

#endif
