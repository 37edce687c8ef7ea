// MJCF files that stand in the text of a test.
#ifndef COND_TEST_MJCF_TEXT_H
#define COND_TEST_MJCF_TEXT_H

#include "cond/scene.h"

// Where mjcf_read writes what it reads, in the test's own folder.
#define MJCF_FILE "r.xml"

void mjcf_write(const char* name, const char* text);
// The test fails with the message where the text is refused.
CondScene* mjcf_read(const char* text);
// 1 where a warning of the scene has this part.
int mjcf_warns(const CondScene* scene, const char* part);

#endif
