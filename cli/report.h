// The report of one or all experiments: report.html and report.md in a folder, beside a page, the
// data and the plots of each.
#ifndef COND_CLI_REPORT_H
#define COND_CLI_REPORT_H

#include "paper.h"
#include "text.h"

typedef struct Report {
    const char* title;   // of the whole, set by the caller
    const char* about;   // a sentence below it
    const char* command; // "cond paper": makes an experiment when its name follows
    Text html, markdown; // the experiments so far
    Text contents;       // list of links to them
} Report;

// Writes NAME.md, NAME.csv and the plots as SVG into a folder, and adds the experiment to the
// report. json has its settings and the machine. 0 when written, 1 after a message.
int report_add(Report* report, const Experiment* experiment, const PaperResult* result,
               const json_t* json, const char* directory);

// Makes the folder unless it is there; 0, or 1 after a message.
int report_folder(const char* directory);

// Says that an experiment could not be made.
void report_add_failure(Report* report, const Experiment* experiment);

// Writes both files; 0 when written, 1 after a message.
int report_write(const Report* report, const char* directory, const json_t* machine);
void report_free(Report* report);

// The table of ours and the paper's rows, for a terminal or in Markdown.
void report_table(Text* text, const PaperResult* result, int markdown);

// The k-th row of the table, ours each with the paper's of the same label behind it: *row, and 0
// when it is ours, 1 when it is the paper's, -1 past the end.
int report_row(const PaperResult* result, int k, const json_t** row);

// What is said instead of the paper's rows where ours are of fewer steps.
#define REPORT_CUT_SHORT                                                                           \
    "Cut short by --steps: a whole run has %d steps. The paper's numbers are of whole runs and "   \
    "are left out."

// What a row has in a column, as text.
void report_cell(const json_t* row, const PaperColumn* column, char* cell, size_t size);

#endif
