// The table of motions. Those of theory are what tools/make_motion.py prints, which also writes the
// scenes. The others are converged runs of `cond bench motion --only NAME --time-steps T`: the
// value at the shortest step T that is named, extrapolated from the two shortest where these still
// differ.
#include "bench_motion.h"

static const char THEORY[] = "theory";

const Motion motions[] = {
    {"slide_stop", "box", MOTION_POSITION, 0, 0.67957866123, 0.68, 0, THEORY},
    {"ball_slides", "ball", MOTION_POSITION, 0, 1.51178514219, 1.5, 0, THEORY},
    {"ball_slope", "ball", MOTION_POSITION, 0, 1.19829200215, 1.2, 1, THEORY},
    {"billiard", "ball", MOTION_POSITION, 1, -0.115309242963, 0.115, 0, THEORY},
    {"bounces", "ball", MOTION_POSITION, 2, 0.267769145256, 0.27, 0, THEORY},
    {"ball_over_cylinder", "ball", MOTION_POSITION, 0, 0.289297702985, 0.15, 1, THEORY},
    {"falling_rod", "rod", MOTION_TILT, 0, 1.34856858581, 0.82, 1, THEORY},
    {"block_tips", "block", MOTION_TILT, 0, 0.0352075858586, 0.17, 1, THEORY},
    {"block_rocks", "block", MOTION_TILT, 0, -0.127002510759, 0.2, 0, THEORY},
    {"coin_circle", "disc", MOTION_HEADING, 2, 12.0, 12.0, 1, THEORY},
    {"euler_disc", "disc", MOTION_HEADING, 2, 28.3900001992, 28.39, 1, THEORY},
    {"disc_and_soft", "disc", MOTION_HEADING, 2, 14.1950000996, 14.195, 1, THEORY},
    {"top_attached", "top", MOTION_HEADING, 2, 3.0, 3.0, 1, THEORY},
    {"top_ball_joint", "top", MOTION_HEADING, 2, 3.0, 3.0, 1, THEORY},
    {"turntable", "ball", MOTION_POSITION, 0, 0.0551388967403, 0.15, 1, THEORY},
    {"thrust_bearing", "ball0", MOTION_AZIMUTH, 2, 3.0, 3.0, 1, THEORY},
    {"disc_on_plate", "wheel", MOTION_POSITION, 0, -0.0436338998125, 0.044, 1, THEORY},
    {"conveyor", "box", MOTION_POSITION, 0, 0.630105334692, 0.63, 0, THEORY},
    {"tumbling", "box", MOTION_SPIN, 0, 1.03467639335, 6.0, 1, THEORY},
    {"spring_pendulum", "ball", MOTION_POSITION, 0, 0.712905632655, 0.8, 1, THEORY},
    {"double_pendulum", "pendulum", MOTION_COORDINATE, 0, -2.42379301589, 4.4, 1, THEORY},
    {"robot_pendulum", "robot", MOTION_COORDINATE, 1, -0.980095237419, 1.0, 1, THEORY},
    {"soft_ball_rolls", "ball", MOTION_VELOCITY, 0, 1.405, 1.4, 0, "0.5 and 0.2 ms"},
    {"soft_cylinder_slope", "roll", MOTION_POSITION, 0, 0.5390, 0.5, 0, "0.2 and 0.1 ms"},
    {"soft_ball_bounces", "ball", MOTION_APEX, 2, 0.582, 0.5, 0,
     "auto at 0.05 and 0.025 ms, extrapolated"},
    {"soft_block_slides", "block", MOTION_POSITION, 0, 0.5617, 0.5, 0, "0.2 and 0.1 ms"},
    {"ball_on_soft", "ball", MOTION_APEX, 2, 0.2323, 0.1, 0,
     "auto at 0.05 and 0.025 ms, extrapolated"},
    {"soft_pendulum", "bar", MOTION_POSITION, 0, -0.0371775, 0.1, 1, "0.1 ms"},
    {"whip", "whip", MOTION_TIP, 2, -0.404004, 0.5, 1, "0.1 ms"},
    {"ring_bounces", "ring", MOTION_APEX, 2, 0.1350, 0.05, 0, "auto at 0.005 ms"},
    {"atwood_smooth", "b", MOTION_POSITION, 2, -0.656313, 0.16, 0, "0.05 ms"},
    {"atwood_pulley", "b", MOTION_POSITION, 2, -0.531715, 0.13, 0, "0.05 ms"},
    {"capstan", "b", MOTION_POSITION, 2, -0.615653, 0.12, 0, "0.05 ms"},
};
const int n_motion = sizeof motions / sizeof motions[0];
