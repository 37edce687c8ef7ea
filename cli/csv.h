// Fields of tables of values separated by commas.
#ifndef COND_CLI_CSV_H
#define COND_CLI_CSV_H

#include "text.h"

#include <stdio.h>

// A text, in quotes where it holds a comma, a quote or the end of a line (RFC 4180).
void csv_text(Text* text, const char* field);

// A comma and the head NAME.PART of a column.
void csv_column(Text* text, const char* name, const char* part);

// A comma and a number of so many digits; nothing behind the comma where it is not finite.
void csv_number(FILE* file, int digits, double value);
void csv_numbers(FILE* file, int digits, const double* value, int n);

// A table to write to while a run goes on, and what closes it. "-" is standard output. Both return
// 0, or 1 after a message; no path is no table.
int csv_open(const char* path, FILE** file);
int csv_close(const char* path, FILE* file);

#endif
