// Definitions of programs that are older or newer than the library: what an old one does not know
// gets its default, a newer one is refused, and so is one that no default function made.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/definition.h"
#include "cond/cond.h"

// A struct at three ages: each has grown at its end.
typedef struct Thing {
    char name[8];
    size_t size;
    double mass;
    int colour; // since 2
    double age; // since 3
} Thing;

static const Thing now = {.mass = 1.0, .colour = 7, .age = 3.0};
enum { FIRST = offsetof(Thing, colour), SECOND = offsetof(Thing, age), AT = offsetof(Thing, size) };

static void test_ages(void** unused)
{
    (void)unused;
    for (size_t size = FIRST; size <= sizeof now; size += size == FIRST ? SECOND - FIRST : 8) {
        Thing def, own = now;
        memset(&def, 0x5a, sizeof def); // beyond its end an old program has other things
        cond_definition_fill(&def, size, &now, sizeof now, AT);
        assert_int_equal(def.size, size);
        assert_true(def.mass == 1.0);
        for (size_t k = size; k < sizeof def; k++)
            assert_int_equal(((unsigned char*)&def)[k], 0x5a); // nothing was written there
        def.mass = 2.0;
        assert_int_equal(cond_definition_take(&def, &own, sizeof own, AT, "thing", NULL), COND_OK);
        assert_true(own.mass == 2.0 && own.colour == 7 && own.age == 3.0);
        assert_int_equal(own.size, sizeof own);
    }
}

static void test_refused(void** unused)
{
    (void)unused;
    struct {
        Thing thing;
        double later;
    } newer;
    Thing own = now;
    CondError error;
    cond_definition_fill(&newer, sizeof newer, &now, sizeof now, AT);
    assert_true(newer.later == 0.0 && newer.thing.colour == 7);
    assert_int_equal(cond_definition_take(&newer, &own, sizeof own, AT, "thing", &error),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "older than the headers"));
    const size_t nonsense[] = {0, 3, 41, SIZE_MAX, SIZE_MAX - 3};
    for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; k++) {
        Thing def = now;
        def.size = nonsense[k];
        assert_int_equal(cond_definition_take(&def, &own, sizeof own, AT, "thing", &error),
                         COND_BAD_ARGUMENT);
        assert_string_equal(error.message, "the definition was not made by thing()");
    }
}

// A program that knows a body up to its rod: the rest is as the library's defaults have it.
static void test_old_body(void** unused)
{
    (void)unused;
    CondScene* scene;
    CondBodyDef def;
    memset(&def, 0x5a, sizeof def);
    cond_body_def_default_fill(&def, offsetof(CondBodyDef, rod));
    snprintf(def.name, sizeof def.name, "old");
    def.shape = COND_SHAPE_SPHERE;
    def.size[0] = 0.1;
    def.mass = 1.0;
    assert_int_equal(cond_scene_create(NULL, &scene, NULL), COND_OK);
    assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    cond_scene_destroy(scene);
}

// Two values as defaults have them: NaN is not given.
static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Parts that are made alone are as they are in the definitions that hold them.
static void test_parts(void** unused)
{
    (void)unused;
    const CondBodyDef body = cond_body_def_default();
    const CondRodDef rod = cond_rod_def_default();
    const CondSurfaceDef surface = cond_surface_def_default();
    const CondLinkGroups groups = cond_link_groups_default();
    const CondWaypoint waypoint = cond_waypoint_default();
    const CondEndDef end = cond_end_def_default();
    const CondEnvironmentSettings environment = cond_environment_settings_default();
    const CondSceneSettings settings = cond_scene_settings_default();
    assert_true(isnan(rod.contact_radius) && rod.links == 50 && rod.shear_factor == 1.0);
    assert_true(same(rod.contact_radius, body.rod.contact_radius) && rod.links == body.rod.links &&
                rod.shear_factor == body.rod.shear_factor);
    assert_true(isnan(surface.restitution) && isnan(surface.friction[0]) &&
                isnan(surface.friction[1]) && isnan(body.surface.restitution));
    assert_true(groups.groups == body.groups && groups.touches == body.touches);
    assert_true(isnan(waypoint.position[2]) && isnan(waypoint.target) &&
                waypoint.orientation[0] == 1.0 && waypoint.time == 0.0);
    assert_true(isnan(end.at) && isnan(cond_attachment_def_default().end[1].at) &&
                isnan(cond_reward_def_default().to.at) && isnan(cond_sensor_def_default().on.at));
    assert_int_equal(environment.steps, 200);
    assert_memory_equal(&environment, &settings.environment, sizeof environment);
    const CondRubbingDef rubbing = cond_rubbing_def_default();
    assert_int_equal(rubbing.rule, COND_FRICTION_GEOMETRIC);
    assert_true(rubbing.priority == 0 && !rubbing.frictionless && body.rubbing.priority == 0);
    assert_true(cond_pose_default().orientation[0] == 1.0);
    assert_true(isnan(cond_motor_gains_default().effort));
}

static void test_version(void** unused)
{
    (void)unused;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", COND_VERSION_MAJOR, COND_VERSION_MINOR,
             COND_VERSION_PATCH);
    assert_string_equal(cond_version(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ages),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_old_body), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
