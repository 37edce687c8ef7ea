// `cond --version`: the version, the libraries that are built in, and the licence that follows.
#include "version.h"

#include "cli.h"

#include "cond/solver.h"

#include <stdio.h>

// CMake says what is built in (cli/CMakeLists.txt).
#ifdef COND_BASELINES
static const char licence[] = "GPL-3.0-or-later for this build, because of CHOLMOD; COND itself "
                              "is under Apache-2.0";
#else
static const char licence[] = "Apache-2.0";
#endif

void version_print(void)
{
    const char* reason = "";
    const char* gpu = cond_device_cuda_name(&reason);
    printf("cond %s\nbuilt with %s\ncuda %s%s\nlicence %s\n", cond_version(), COND_BUILT_WITH,
           gpu ? "" : "none: ", gpu ? gpu : reason, licence);
}
