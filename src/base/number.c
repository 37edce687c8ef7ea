// Numbers in text, read the same in every locale. No memory, no files.
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* skip_digits(const char* text)
{
    while (isdigit((unsigned char)*text))
        ++text;
    return text;
}

// [digits][.digits][e[+-]digits] with at least one digit before the exponent, and nothing more.
static int is_decimal(const char* text)
{
    const char* whole = skip_digits(text);
    const char* end = whole;
    long n_digit = (long)(whole - text);
    if (*end == '.') {
        end = skip_digits(whole + 1);
        n_digit += (long)(end - whole - 1);
    }
    if (n_digit == 0)
        return 0;
    if (*end == 'e' || *end == 'E') {
        const char* exponent = end + 1;
        if (*exponent == '+' || *exponent == '-')
            ++exponent;
        end = skip_digits(exponent);
        if (end == exponent)
            return 0;
    }
    return *end == 0;
}

int cond_number_parse(const char* text, double* value)
{
    const char* body = text + (*text == '+' || *text == '-');
    static const char* const infinities[] = {".inf", ".Inf", ".INF", "inf"};
    for (int i = 0; i < 4; ++i) {
        if (strcmp(body, infinities[i]) == 0) {
            *value = *text == '-' ? -INFINITY : INFINITY;
            return 1;
        }
    }
    char copy[128];
    size_t length = strlen(text);
    if (length >= sizeof copy || !is_decimal(body))
        return 0;
    // strtod reads the decimal point of the program's locale, which printf shows.
    char half[16];
    snprintf(half, sizeof half, "%.1f", 0.5);
    memcpy(copy, text, length + 1);
    char* point = strchr(copy, '.');
    if (point)
        *point = half[1];
    char* end;
    *value = strtod(copy, &end);
    return *end == 0 && isfinite(*value);
}
