// What the viewer's page receives: the scene as JSON, and frames as bytes. viewer/src/decode.ts
// reads them.
#ifndef COND_CLI_VIEW_ENCODE_H
#define COND_CLI_VIEW_ENCODE_H

#include "view/bytes.h"

#include <cond/recording.h>
#include <jansson.h>

// recording NULL: a live run, whose numbers come with its frames. NULL when memory is short.
json_t* view_scene_json(const CondScenery* scenery, const char* name,
                        const CondRecording* recording);

// A frame, little-endian: "CFRM", index, n_point, n_contact, n_number and n_field as 32-bit
// integers; the numbers in 64 bits, |force| of the sensors behind them; then in 32 bits the
// positions of the points, the fields, each with a value per point, 16 numbers of each contact
// (position, force, normal, tangent 1, two frictions, gap, error) and the two bodies of each
// contact. Fields are speed and stress, and where there are rods tension, bending moment and twist;
// the scene names them. Replaces what bytes hold.
void view_encode_frame(const CondScenery* scenery, const CondMoment* moment, int index,
                       Bytes* bytes);

#endif
