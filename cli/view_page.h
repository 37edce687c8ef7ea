// The interactive page of a recording, for commands that write reports.
#ifndef COND_CLI_VIEW_PAGE_H
#define COND_CLI_VIEW_PAGE_H

// Writes the viewer with the recording in it as one file. 1 when it was written; 0 after a message,
// also where the tool was built without the viewer.
int view_page_write(const char* recording, const char* page);

#endif
