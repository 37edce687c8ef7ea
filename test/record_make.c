// A scene to record, and files that end early.
#define _XOPEN_SOURCE 700
#include "record_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "scene_make.h"

CondScene* zoo_scene(void)
{
    static const double corner[12] = {0.1, 0, 0, -0.1, 0.1, 0, -0.1, -0.1, 0, 0, 0, 0.2};
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 0.002;
    CondMaterialDef material = cond_material_def_default();
    snprintf(material.name, sizeof material.name, "rubber");
    material.youngs_modulus = 1e5;
    material.poisson_ratio = 0.4;
    material.density = 1000.0;
    assert_int_equal(cond_scene_add_material(scene, &material, NULL), COND_OK);
    CondBodyDef soft = cond_body_def_default();
    soft.kind = COND_BODY_SOFT;
    snprintf(soft.mesh, sizeof soft.mesh, "box:2,2,1:0.1,0.1,0.05");
    snprintf(soft.material, sizeof soft.material, "rubber");
    soft.position[2] = 0.0251;
    add_body(scene, &soft);
    CondBodyDef box = make_box(0.5, 0.1, 0.2, 0.3, 0.5, 0.0, 0.151);
    snprintf(box.name, sizeof box.name, "box");
    box.angular_velocity[2] = 1.0;
    box.velocity[0] = 0.2;
    add_body(scene, &box);
    CondBodyDef points = make_box(0.5, 0.1, 0.2, 0.3, -0.5, 0.0, 0.001);
    points.shape = COND_SHAPE_POINTS;
    points.inertia_from_shape = 0;
    points.inertia[0] = points.inertia[1] = points.inertia[2] = 0.01;
    points.n_point = 4;
    points.point = corner;
    add_body(scene, &points);
    CondBodyDef particle = make_particle(0.1, 0.0, 0.5, 0.001);
    particle.velocity[1] = 0.3;
    add_body(scene, &particle);
    CondObstacleDef peg = cond_obstacle_def_default();
    peg.shape = COND_SHAPE_SPHERE;
    peg.size[0] = 0.1;
    peg.position[1] = -1.0;
    CondError error;
    if (cond_scene_add_obstacle(scene, &peg, &error))
        fail_msg("%s", error.message);
    add_floor(scene, 0.5, NAN);
    CondSensorDef scale = cond_sensor_def_default();
    snprintf(scale.name, sizeof scale.name, "scale");
    snprintf(scale.on.body, sizeof scale.on.body, "box");
    scale.world_axes = 1;
    if (cond_scene_add_sensor(scene, &scale, &error))
        fail_msg("%s", error.message);
    return scene;
}

void limit_files(long bytes)
{
    // A program with the thread sanitizer makes a file in TMPDIR when it starts and maps more of it
    // than the limit lets it write, which ends it; where it can make none it does without.
    struct rlimit limit;
    assert_int_equal(bytes < 0 ? unsetenv("TMPDIR") : setenv("TMPDIR", "/dev/null", 1), 0);
    signal(SIGXFSZ, bytes < 0 ? SIG_DFL : SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
