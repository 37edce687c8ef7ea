// Writes fields of CSV tables, quoted where they need it (csv.h).
#include "csv.h"

#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void csv_text(Text* text, const char* field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        text_add(text, "%s", field);
        return;
    }
    text_add(text, "\"");
    for (const char* at = field; *at; at++)
        text_add(text, *at == '"' ? "\"\"" : "%c", *at);
    text_add(text, "\"");
}

void csv_column(Text* text, const char* name, const char* part)
{
    Text whole = {0};
    text_add(&whole, "%s.%s", name, part);
    text_add(text, ",");
    csv_text(text, whole.data ? whole.data : "");
    free(whole.data);
}

void csv_number(FILE* file, int digits, double value)
{
    if (isfinite(value))
        fprintf(file, ",%.*g", digits, value);
    else
        fputc(',', file);
}

void csv_numbers(FILE* file, int digits, const double* value, int n)
{
    for (int k = 0; k < n; k++)
        csv_number(file, digits, value[k]);
}

int csv_open(const char* path, FILE** file)
{
    *file = !path ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!path || *file)
        return 0;
    cli_complain("%s: cannot write: %s", path, strerror(errno));
    return 1;
}

int csv_close(const char* path, FILE* file)
{
    if (!file || (file == stdout ? fflush(file) : fclose(file)) == 0)
        return 0;
    cli_complain("%s: cannot write: %s", path, strerror(errno));
    return 1;
}
