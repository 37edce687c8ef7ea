// When and where moving features meet, against small steps of time.
#include "collide/meeting.h"
#include "geometry/segment.h"
#include "geometry/triangle.h"
#include "scene_make.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void place(const CondMotion* motion, double time, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = (1.0 - time) * motion->from[k][i] + time * motion->to[k][i];
}

static double distance(CondMeetingKind kind, const CondMotion* motion, double time)
{
    double x[4][3], d[3], e[3], weight[3], point[3], s, t;
    place(motion, time, x);
    if (kind == COND_MEETING_TRIANGLE)
        return sqrt(triangle_nearest(x[0], x[1], x[2], x[3], weight, point));
    for (int i = 0; i < 3; i++) {
        d[i] = x[1][i] - x[0][i];
        e[i] = x[3][i] - x[2][i];
    }
    return cond_segment_nearest(x[0], d, x[2], e, &s, &t);
}

static CondMotion throw_dice(Dice* dice, double speed)
{
    CondMotion motion;
    double shift[2][3];
    for (int k = 0; k < 6; k++)
        shift[k / 3][k % 3] = dice_uniform(dice, -speed, speed);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            motion.from[k][i] = dice_uniform(dice, -1.0, 1.0);
            motion.to[k][i] = motion.from[k][i] + shift[k > 1][i] + dice_uniform(dice, -0.3, 0.3);
        }
    return motion;
}

// The points of the meeting are where they should be at its time, and the gap is theirs at the end.
static void check_meeting(CondMeetingKind kind, double radius, const CondMotion* motion,
                          const CondMeeting* met)
{
    double x[4][3], w[2][3], end = -radius;
    for (int k = 0; k < 2; k++) {
        place(motion, k ? 1.0 : met->time, x);
        for (int i = 0; i < 3; i++) {
            w[k][i] = 0.0;
            for (int c = 0; c < 4; c++)
                w[k][i] += (c < (int)kind ? 1.0 : -1.0) * met->weight[c] * x[c][i];
        }
    }
    for (int i = 0; i < 3; i++)
        end += met->normal[i] * w[1][i];
    assert_near(vec3_norm(met->normal), 1.0, 1e-12);
    assert_near(met->gap, end, 1e-12);
    assert_true(met->gap < 0.0);
    assert_near(vec3_norm(w[0]), distance(kind, motion, met->time), 1e-6);
}

// Found where the least distance over fine steps of time is nearly 0 and the two go on through each
// other, not found where it is clearly not.
static void test_sharp(void** state)
{
    (void)state;
    Dice dice = {4711};
    int found = 0, missed = 0;
    for (int trial = 0; trial < 20000; trial++) {
        CondMeetingKind kind = trial & 1 ? COND_MEETING_TRIANGLE : COND_MEETING_SEGMENTS;
        CondMotion motion = throw_dice(&dice, 2.0);
        CondMeeting met;
        double least = INFINITY;
        for (int k = 0; k <= 200; k++)
            least = fmin(least, distance(kind, &motion, k / 200.0));
        if (cond_meeting_find(kind, 0.0, &motion, &met)) {
            found++;
            assert_true(least < 0.05); // the fastest goes 0.03 in a step
            assert_near(distance(kind, &motion, met.time), 0.0, 1e-7);
            check_meeting(kind, 0.0, &motion, &met);
        } else if (least < 1e-4) {
            missed++; // a near miss, or an end that lies beyond the other again
        }
    }
    print_message("%d met, %d nearly\n", found, missed);
    assert_true(found > 1000 && missed < found / 50);
}

static void test_round(void** state)
{
    (void)state;
    Dice dice = {99};
    const double radius = 0.1;
    int found = 0, missed = 0;
    for (int trial = 0; trial < 20000; trial++) {
        CondMeetingKind kind = trial & 1 ? COND_MEETING_TRIANGLE : COND_MEETING_SEGMENTS;
        CondMotion motion = throw_dice(&dice, 2.0);
        CondMeeting met;
        double least = INFINITY;
        if (distance(kind, &motion, 0.0) < radius / 0.9)
            continue;
        for (int k = 0; k <= 200; k++)
            least = fmin(least, distance(kind, &motion, k / 200.0));
        if (cond_meeting_find(kind, radius, &motion, &met)) {
            found++;
            assert_true(least < radius + 0.05);
            assert_near(distance(kind, &motion, met.time), radius, 0.1 * radius);
            check_meeting(kind, radius, &motion, &met);
        } else if (least < 0.01) {
            missed++; // through the middle, and yet not beyond along the normal
        }
    }
    print_message("%d met, %d nearly\n", found, missed);
    assert_true(found > 1000 && missed < found / 50);
}

// Segments that rest on each other and slide do not meet.
static void test_sliding(void** state)
{
    (void)state;
    CondMotion motion = {.from = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -0.1}, {0, 1, -0.1}}};
    memcpy(motion.to, motion.from, sizeof motion.to);
    for (int k = 0; k < 2; k++)
        motion.to[k][1] += 0.5;
    CondMeeting met;
    assert_int_equal(cond_meeting_find(COND_MEETING_SEGMENTS, 0.1, &motion, &met), 0);
    assert_int_equal(cond_meeting_find(COND_MEETING_SEGMENTS, 0.0, &motion, &met), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharp),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_sliding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
