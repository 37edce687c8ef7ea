// The viewer with a recording in it, as one file.
#ifndef COND_CLI_VIEW_EXPORT_H
#define COND_CLI_VIEW_EXPORT_H

#include "view/view_recording.h"

// Exit code, after a message where it is not CLI_FINE.
int view_export(ViewRecording* view, const char* path);

#endif
