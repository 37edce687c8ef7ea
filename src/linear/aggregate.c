// Groups of neighbouring nodes of a symmetric graph, for coarse spaces.
#include "linear/aggregate.h"

enum { FREE = -1 };

static int all_free(const int* row_begin, const int* column, const int* group, int i)
{
    for (int k = row_begin[i]; k < row_begin[i + 1]; k++)
        if (group[column[k]] != FREE)
            return 0;
    return group[i] == FREE;
}

int cond_aggregate(int n, const int* row_begin, const int* column, int* group)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        group[i] = FREE;
    for (int i = 0; i < n; i++)
        if (all_free(row_begin, column, group, i)) {
            group[i] = count;
            for (int k = row_begin[i]; k < row_begin[i + 1]; k++)
                group[column[k]] = count;
            count++;
        }
    // Those that join are marked below FREE until all have looked, so that groups grow by one
    // layer only.
    for (int i = 0; i < n; i++)
        for (int k = row_begin[i]; k < row_begin[i + 1] && group[i] == FREE; k++)
            if (group[column[k]] >= 0)
                group[i] = -2 - group[column[k]];
    for (int i = 0; i < n; i++) {
        if (group[i] < FREE)
            group[i] = -2 - group[i];
        else if (group[i] == FREE)
            group[i] = count++;
    }
    return count;
}
