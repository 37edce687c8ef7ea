// JSON output by jansson.
#ifndef COND_CLI_JSON_H
#define COND_CLI_JSON_H

#include <jansson.h>

// A number; null where it is not finite, which JSON cannot say.
json_t* json_number(double value);
json_t* json_numbers(const double* value, int n);

// A text from outside, such as a path; null where it is no UTF-8 and JSON cannot hold it.
json_t* json_text(const char* text);

// {"cpu", "cores", "threads", "compiler", "version"}
json_t* json_machine(int threads);

// Writes to a file or, for "-", to standard output; releases the value. 0 when written, else 1
// after a message.
int json_put(json_t* value, const char* path);

#endif
