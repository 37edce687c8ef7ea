// Levenshtein's distance of two names.
#include "base/name_distance.h"

#include <string.h>

// Levenshtein's distance, row by row: d(i, j) is the least number of changes that make the first j
// letters of `known` from the first i letters of `name`.
int cond_name_distance(const char* name, const char* known)
{
    enum { LONGEST = 64 };
    size_t n = strlen(name);
    size_t m = strlen(known);
    if (n >= LONGEST || m >= LONGEST)
        return -1;
    int row[LONGEST];
    for (size_t j = 0; j <= m; ++j)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; ++i) {
        int diagonal = row[0]; // d(i - 1, j - 1)
        row[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            int above = row[j]; // d(i - 1, j)
            int best = diagonal + (name[i - 1] != known[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    // A third of the letters may be wrong: more than that is another word.
    return row[m] <= (int)(m + 2) / 3 ? row[m] : -1;
}
