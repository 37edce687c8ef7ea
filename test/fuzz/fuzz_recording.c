// Recordings, as bytes. mutate_recording.c changes what is in them.
#include "fuzz.h"
#include "show_recording.h"

enum { MEMORY = 256 << 20 };

uint8_t* fuzz_seed(size_t* size)
{
    show_recording_make("seed.h5");
    return fuzz_get("seed.h5", size);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_put("input.h5", data, size);
    show_recording("input.h5", MEMORY);
    return 0;
}
