// The settings of a solve as JSON.
#ifndef COND_CLI_SETTINGS_H
#define COND_CLI_SETTINGS_H

#include "cli.h"
#include "json.h"

// Every field of the settings by its name; NULL when memory is short.
json_t* settings_json(const CondSolverSettings* settings);

#endif
