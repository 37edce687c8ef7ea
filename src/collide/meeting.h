// When and where moving features meet: a point and a triangle, or two segments, whose corners move
// along straight lines; either may have a radius.
#ifndef COND_COLLIDE_MEETING_H
#define COND_COLLIDE_MEETING_H

// How the four corners belong together: the first `n_side` of them are side 0, the others side 1.
typedef enum CondMeetingKind {
    COND_MEETING_TRIANGLE = 1, // corner 0, and the triangle 1 2 3
    COND_MEETING_SEGMENTS = 2, // the segments 0 1 and 2 3
} CondMeetingKind;

// Where four corners begin and end [m].
typedef struct CondMotion {
    double from[4][3], to[4][3];
} CondMotion;

typedef struct CondMeeting {
    double time;      // 0 .. 1
    double weight[4]; // of the corners, sum 1 on either side
    double normal[3]; // from side 1 towards side 0, as it was before they met
    double gap;       // of the same points along the normal at the end [m]
} CondMeeting;

// 1 when the two come within `radius` of each other on the way, and are then nearer than that along
// the normal at the end. Without a radius they meet where the four corners lie in a plane; with
// one, the time is found by conservative advancement: no point is faster than the fastest corner,
// so that they cannot meet within the distance over that speed. What is within the radius at the
// start already counts when it comes nearer by a tenth.
int cond_meeting_find(CondMeetingKind kind, double radius, const CondMotion* motion,
                      CondMeeting* meeting);

#endif
