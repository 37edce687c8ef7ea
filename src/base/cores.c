// The default number of threads: OMP_NUM_THREADS, else the processors that this process may use, by
// its affinity and the limits of its cgroups.
#include "base/cores.h"

#include <limits.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

// quota/period in processors, rounded up; 0: none.
static int processors(double quota, double period)
{
    double n = quota > 0.0 && period > 0.0 ? quota / period : 0.0;
    return n <= 0.0 ? 0 : n >= INT_MAX ? INT_MAX : (int)n + (n > (int)n);
}

// The first two numbers of the file `name` in a folder under root; returns how many there are.
static int read_numbers(const char* root, const char* folder, const char* name, double value[2])
{
    char path[2 * PATH];
    int n = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    FILE* file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    if (!file)
        return 0;
    n = fscanf(file, "%lf %lf", &value[0], &value[1]);
    fclose(file);
    return n > 0 ? n : 0;
}

// The path of the process in the second version's only hierarchy, "0::/path"; "" where there is
// none.
static void own_path(const char* own, char path[PATH])
{
    char line[PATH];
    FILE* file = fopen(own, "r");
    path[0] = '\0';
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "0::", 3)) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(path, PATH, "%s", line + 3);
        }
    if (file)
        fclose(file);
}

static int fewer(int a, int b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

int cond_cores_of_group(const char* root, const char* own)
{
    char path[PATH];
    int least = 0;
    double value[2], period[2];
    own_path(own, path);
    for (char* last = path; last;) { // a group has no more than those that it is in
        if (read_numbers(root, path, "cpu.max", value) == 2) // "max 100000" has no limit
            least = fewer(least, processors(value[0], value[1]));
        last = strrchr(path, '/');
        if (last)
            *last = '\0';
    }
    if (read_numbers(root, "/cpu", "cpu.cfs_quota_us", value) == 1 && // of the first version
        read_numbers(root, "/cpu", "cpu.cfs_period_us", period) == 1)
        least = fewer(least, processors(value[0], period[0]));
    return least;
}

int cond_cores(void)
{
    static _Atomic int limit; // 0: not looked at yet
    int most = atomic_load_explicit(&limit, memory_order_relaxed), own = omp_get_max_threads();
    if (most == 0) {
        most = getenv("OMP_NUM_THREADS")
                   ? 0
                   : cond_cores_of_group("/sys/fs/cgroup", "/proc/self/cgroup");
        most = most > 0 ? most : INT_MAX;
        atomic_store_explicit(&limit, most, memory_order_relaxed);
    }
    return own < most ? own : most;
}
