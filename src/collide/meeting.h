// Time and position at which two moving features meet: a point and a triangle, or two segments.
// Their corners move along straight lines, and each may have a radius.
#ifndef COND_COLLIDE_MEETING_H
#define COND_COLLIDE_MEETING_H

// The features that the four corners form: side 0 first, then side 1.
typedef enum CondMeetingKind {
    COND_MEETING_TRIANGLE = 1, // corner 0, and the triangle 1 2 3
    COND_MEETING_SEGMENTS = 2, // the segments 0 1 and 2 3
} CondMeetingKind;

// Initial and final positions of the four corners [m].
typedef struct CondMotion {
    double from[4][3], to[4][3];
} CondMotion;

typedef struct CondMeeting {
    double time;      // 0 .. 1
    double weight[4]; // of the corners, sum 1 on either side
    double normal[3]; // from side 1 towards side 0, before they met
    double gap;       // of the same points along the normal at the end [m]
} CondMeeting;

// 1 if the two features come within `radius` of each other during the motion, and their gap along
// the normal is below it at the end. With radius 0 they meet when the four corners are coplanar.
// With a radius, the time is found by conservative advancement: no point is faster than the fastest
// corner, so that they cannot meet before the distance over that speed. Features within the radius
// at the start count if they come nearer by a tenth.
int cond_meeting_find(CondMeetingKind kind, double radius, const CondMotion* motion,
                      CondMeeting* meeting);

#endif
