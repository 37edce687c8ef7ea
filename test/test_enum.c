// Every enumeration of the public headers has names both ways. The test reads the headers, so that
// an enumeration or a value without a name fails it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/cond.h"
#ifdef COND_BASELINES
#include "cond/baselines.h"
#endif

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENUMS(X)                                                                                   \
    X(CondStatus, cond_status)                                                                     \
    X(CondLaw, cond_law)                                                                           \
    X(CondBlockKind, cond_block_kind)                                                              \
    X(CondForceSet, cond_force_set)                                                                \
    X(CondSurrogateKind, cond_surrogate)                                                           \
    X(CondAcceleratorKind, cond_accelerator)                                                       \
    X(CondStop, cond_stop)                                                                         \
    X(CondDeviceKind, cond_device)                                                                 \
    X(CondMultilevelUse, cond_multilevel)                                                          \
    X(CondStorage, cond_storage)                                                                   \
    X(CondSolvedBy, cond_solved_by)                                                                \
    X(CondMeshEncoding, cond_mesh_encoding)                                                        \
    X(CondMeshPattern, cond_mesh_pattern)                                                          \
    X(CondBodyKind, cond_body_kind)                                                                \
    X(CondShapeKind, cond_shape_kind)                                                              \
    X(CondElasticity, cond_elasticity)                                                             \
    X(CondElement, cond_element)                                                                   \
    X(CondSceneKind, cond_scene_kind)                                                              \
    X(CondGeometricStiffness, cond_geometric_stiffness)                                            \
    X(CondJointKind, cond_joint_kind)                                                              \
    X(CondFrictionRule, cond_friction_rule)                                                        \
    X(CondNeighbours, cond_neighbours)                                                             \
    X(CondCollision, cond_collision)                                                               \
    X(CondRodShape, cond_rod_shape)                                                                \
    X(CondRodRest, cond_rod_rest)                                                                  \
    X(CondSensorKind, cond_sensor_kind)                                                            \
    X(CondScale, cond_scale)                                                                       \
    X(CondActionKind, cond_action_kind)                                                            \
    X(CondActionMode, cond_action_mode)                                                            \
    X(CondObservationKind, cond_observation_kind)                                                  \
    X(CondRewardKind, cond_reward_kind)                                                            \
    X(CondKeyType, cond_key_type)                                                                  \
    X(CondKeyUnset, cond_key_unset)                                                                \
    X(CondIntegrator, cond_integrator)                                                             \
    X(CondStepMethod, cond_step_method)                                                            \
    X(CondImpactLaw, cond_impact)                                                                  \
    X(CondLeftOutReason, cond_left_out)                                                            \
    X(CondStage, cond_stage)                                                                       \
    X(CondContactChange, cond_contact_change)                                                      \
    X(CondControl, cond_control)                                                                   \
    X(CondAutoreset, cond_autoreset)                                                               \
    X(CondNumber, cond_number)                                                                     \
    X(CondFclibLayout, cond_fclib_layout)

#define WRAP(Type, prefix)                                                                         \
    static const char* prefix##_by_value(int value)                                                \
    {                                                                                              \
        return prefix##_name((Type)value);                                                         \
    }                                                                                              \
    static CondStatus prefix##_by_name(const char* name, int* value)                               \
    {                                                                                              \
        Type found = (Type)*value;                                                                 \
        CondStatus status = prefix##_from_name(name, &found);                                      \
        *value = (int)found;                                                                       \
        return status;                                                                             \
    }
ENUMS(WRAP)
#ifdef COND_BASELINES
WRAP(CondSiconosWay, cond_siconos_way)
#endif

typedef struct Names {
    const char* type;
    const char* (*by_value)(int value);
    CondStatus (*by_name)(const char* name, int* value);
} Names;

#define ROW(Type, prefix) {#Type, prefix##_by_value, prefix##_by_name},
static const Names all[] = {ENUMS(ROW)
#ifdef COND_BASELINES
                                ROW(CondSiconosWay, cond_siconos_way)
#endif
};
enum { N_ALL = sizeof all / sizeof all[0] };

static const Names* find(const char* type)
{
    for (int i = 0; i < N_ALL; i++)
        if (strcmp(all[i].type, type) == 0)
            return &all[i];
    return NULL;
}

static void check_value(const Names* names, int value)
{
    int found = value + 1;
    const char* name = names->by_value(value);
    if (!name)
        fail_msg("%s %d has no name", names->type, value);
    if (names->by_name(name, &found) != COND_OK || found != value)
        fail_msg("%s: '%s' is %d, expected %d", names->type, name, found, value);
}

// Checks the values in the text of an enumeration; returns how many.
static int check_body(const Names* names, const char* text, const char* end)
{
    int value = -1, n = 0;
    while (text < end) {
        const char* line_end = strchr(text, '\n');
        char key[64] = "", number[64] = "";
        int read = sscanf(text, " COND_%63[A-Z0-9_] = %63[-A-Z0-9_]", key, number);
        int listed = read == 1 && strchr(text, ',') && strchr(text, ',') < line_end;
        if ((read == 2 || listed) && strncmp(key, "N_", 2) != 0) {
            value = read == 2 ? atoi(number) : value + 1;
            check_value(names, value);
            n++;
        }
        text = line_end + 1;
    }
    return n;
}

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
    fclose(file);
    return text;
}

static int check_header(const char* path)
{
    static const char START[] = "typedef enum ";
    char* text = read_text(path);
    int n = 0;
    for (char* at = strstr(text, START); at; at = strstr(at + 1, START)) {
        char type[64];
        assert_int_equal(sscanf(at + strlen(START), "%63s", type), 1);
        const Names* names = find(type);
        if (!names)
            fail_msg("%s: %s has no names, or is not listed here", path, type);
        assert_true(check_body(names, strchr(at, '\n') + 1, strchr(at, '}')) > 1);
        n++;
    }
    free(text);
    return n;
}

static void test_headers(void** state)
{
    (void)state;
    DIR* folder = opendir(COND_INCLUDE "/cond");
    assert_non_null(folder);
    int n = 0;
    for (struct dirent* entry; (entry = readdir(folder));) {
        char path[1024];
        int known = strstr(entry->d_name, ".h") != NULL;
#ifndef COND_BASELINES
        known = known && strcmp(entry->d_name, "baselines.h") != 0;
#endif
        snprintf(path, sizeof path, "%s/cond/%s", COND_INCLUDE, entry->d_name);
        if (known)
            n += check_header(path);
    }
    closedir(folder);
    assert_int_equal(n, N_ALL);
}

static void test_unknown(void** state)
{
    (void)state;
    for (int i = 0; i < N_ALL; i++) {
        int value = 12345;
        assert_int_equal(all[i].by_name("no such name", &value), COND_BAD_ARGUMENT);
        assert_int_equal(value, 12345);
        assert_int_equal(all[i].by_name(NULL, &value), COND_BAD_ARGUMENT);
        assert_non_null(strstr(cond_last_error()->message, all[i].type));
        if (strcmp(all[i].type, "CondStatus") == 0)
            assert_string_equal(all[i].by_value(12345), "unknown");
        else
            assert_null(all[i].by_value(12345));
    }
    CondLaw law = COND_LAW_STRICT;
    assert_int_equal(cond_law_from_name("proximaal", &law), COND_BAD_ARGUMENT);
    assert_string_equal(cond_last_error()->message,
                        "CondLaw: 'proximaal' is none of strict, proximal");
}

// What a program makes the last failure of its thread.
static void test_last(void** state)
{
    (void)state;
    assert_int_equal(cond_last_error_set(COND_DIVERGED, "of the program"), COND_DIVERGED);
    assert_int_equal(cond_last_error()->status, COND_DIVERGED);
    assert_string_equal(cond_last_error()->message, "of the program");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
