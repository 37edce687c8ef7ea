// Steps that leave collision detection out where nothing is near are those that look each time.
#include "scene_make.h"

#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

// Bit by bit the same with and without, from apart to in contact. A state that was set elsewhere
// asks for a new search.
static void compare(const char* scene, int steps)
{
    Trial trial[2] = {trial_read(scene, 0, NULL), trial_read(scene, 0, NULL)};
    CondState* start = NULL;
    int left_out = 0;
    assert_int_equal(cond_state_create(trial[0].model, &start, NULL), COND_OK);
    trial[1].sim->collider.clearance.serves = 0;
    for (int i = 0; i < steps; i++) {
        long searches = trial[0].sim->collider.memory.search;
        for (int k = 0; k < 2; k++) {
            if (i == steps / 2)
                assert_int_equal(cond_state_copy(trial[k].state, start), COND_OK);
            trial_try(&trial[k], 1);
        }
        left_out += trial[0].sim->collider.memory.search == searches;
        assert_int_equal(trial[0].info.n_contact, trial[1].info.n_contact);
        assert_int_equal(cond_state_hash(trial[0].state), cond_state_hash(trial[1].state));
    }
    print_message("%s: %d of %d steps without a search\n", scene, left_out, steps);
    assert_true(10 * left_out > steps);
    cond_state_destroy(start);
    trial_end(&trial[0]);
    trial_end(&trial[1]);
}

static void same_steps(void** state)
{
    (void)state;
    compare("drop.yaml", 160);
    compare("small/panda.xml", 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
