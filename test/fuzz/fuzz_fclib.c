// Contact problems in the FCLib layout.
#include "fuzz.h"

#include "cond/fclib.h"
#include "cond/problem.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 256 << 20 };

uint8_t* fuzz_seed(size_t* size)
{
    *size = 0;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FuzzPurse purse = {.limit = MEMORY};
    CondContext context = fuzz_purse_context(&purse);
    CondProblemFile* file = NULL;
    CondError error;
    fuzz_put("input.hdf5", data, size);
    CondStatus status = cond_fclib_read(&context, "input.hdf5", &file, &error);
    if (status && !strstr(error.message, "input.hdf5"))
        abort(); // the message names the file
    if (!status)
        cond_problem_check(&context, cond_problem_file_problem(file), &error);
    cond_problem_file_destroy(file);
    fuzz_purse_check(&purse);
    return 0;
}
