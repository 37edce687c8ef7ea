// Numbers in the text of scene, robot and mesh files.
#ifndef COND_BASE_NUMBER_H
#define COND_BASE_NUMBER_H

// A number as YAML writes it: decimal, with or without exponent, .inf or inf. The same in every
// locale. Returns 0 if the text is not a number, or too large for a double.
int cond_number_parse(const char* text, double* value);

#endif
