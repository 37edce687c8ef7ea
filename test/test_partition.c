// Orders in which neighbours lie together: every node once, leaves and groups of the sizes asked
// for, and groups that hang together.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "failing_allocator.h"
#include "linear/partition.h"

// The pattern of a grid of nx x ny nodes with their eight neighbours, itself included.
typedef struct Grid {
    int n;
    int *row_begin, *column;
} Grid;

static Grid make_grid(int nx, int ny)
{
    Grid grid = {nx * ny, calloc((size_t)(nx * ny) + 1, sizeof(int)),
                 calloc(9 * (size_t)(nx * ny), sizeof(int))};
    int k = 0;
    for (int i = 0; i < grid.n; i++) {
        for (int j = 0; j < grid.n; j++)
            if (abs(i % nx - j % nx) <= 1 && abs(i / nx - j / nx) <= 1)
                grid.column[k++] = j;
        grid.row_begin[i + 1] = k;
    }
    return grid;
}

static void free_grid(Grid* grid)
{
    free(grid->row_begin);
    free(grid->column);
}

// How many of the nodes of a group are reached from its first one within it.
static int count_reached(const Grid* grid, const int* group, int g)
{
    int *queue = calloc((size_t)grid->n, sizeof *queue),
        *seen = calloc((size_t)grid->n, sizeof *seen);
    int end = 0;
    for (int i = 0; i < grid->n && end == 0; i++)
        if (group[i] == g) {
            queue[end++] = i;
            seen[i] = 1;
        }
    for (int at = 0; at < end; at++)
        for (int k = grid->row_begin[queue[at]]; k < grid->row_begin[queue[at] + 1]; k++) {
            int j = grid->column[k];
            if (group[j] == g && !seen[j]) {
                seen[j] = 1;
                queue[end++] = j;
            }
        }
    free(queue);
    free(seen);
    return end;
}

static void nodes_come_once_in_groups_that_hang_together(void** state)
{
    (void)state;
    const int size[][2] = {{1, 1}, {7, 3}, {32, 1}, {33, 1}, {27, 27}, {100, 11}};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++) {
        Grid grid = make_grid(size[s][0], size[s][1]);
        CondPartition partition = {.arena.context = cond_context_or_default(NULL)};
        assert_int_equal(
            cond_partition_add(&partition, grid.n, grid.row_begin, grid.column, 32, 96), COND_OK);
        int* count = calloc((size_t)grid.n, sizeof *count);
        int* group = calloc((size_t)grid.n, sizeof *group);
        int* members = calloc((size_t)partition.n_group, sizeof *members);
        assert_int_equal(partition.n, grid.n);
        assert_int_equal(partition.n_leaf, (grid.n + 31) / 32);
        for (int l = 0; l < partition.n_leaf; l++) {
            int first = partition.leaf_begin[l], last = partition.leaf_begin[l + 1];
            assert_true(last - first == 32 || l == partition.n_leaf - 1);
            assert_true(l == 0 || partition.leaf_group[l] >= partition.leaf_group[l - 1]);
            for (int k = first; k < last; k++) {
                count[partition.order[k]]++;
                group[partition.order[k]] = partition.leaf_group[l];
                members[partition.leaf_group[l]]++;
            }
        }
        for (int i = 0; i < grid.n; i++)
            assert_int_equal(count[i], 1);
        int whole = 0;
        for (int g = 0; g < partition.n_group; g++) {
            assert_in_range(members[g], 1, 96);
            whole += count_reached(&grid, group, g) == members[g];
        }
        assert_true(whole >= partition.n_group - partition.n_group / 4);
        free(members);
        free(group);
        free(count);
        cond_partition_destroy(&partition);
        free_grid(&grid);
    }
}

// Two bodies: no leaf has nodes of both.
static void bodies_stay_apart(void** state)
{
    (void)state;
    Grid first = make_grid(9, 5), second = make_grid(8, 8);
    CondPartition partition = {.arena.context = cond_context_or_default(NULL)};
    for (int again = 0; again < 2; again++) {
        cond_partition_clear(&partition);
        assert_int_equal(
            cond_partition_add(&partition, first.n, first.row_begin, first.column, 32, 64),
            COND_OK);
        assert_int_equal(
            cond_partition_add(&partition, second.n, second.row_begin, second.column, 32, 64),
            COND_OK);
        assert_int_equal(partition.n, first.n + second.n);
        assert_int_equal(partition.n_leaf, 4);
        assert_int_equal(partition.n_group, 2);
        for (int l = 0; l < 4; l++)
            for (int k = partition.leaf_begin[l]; k < partition.leaf_begin[l + 1]; k++)
                assert_int_equal(partition.order[k] < first.n, partition.leaf_group[l] == 0);
    }
    cond_partition_destroy(&partition);
    free_grid(&first);
    free_grid(&second);
}

static void memory_runs_out(void** state)
{
    (void)state;
    Grid grid = make_grid(20, 20);
    int failures = 0;
    for (int call = 1; call < 100; call++) {
        FailingAllocator allocator = {.fail_at = call};
        CondPartition partition = {.arena.context = failing_allocator_context(&allocator)};
        CondStatus status =
            cond_partition_add(&partition, grid.n, grid.row_begin, grid.column, 32, 64);
        cond_partition_destroy(&partition);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        failures++;
    }
    assert_in_range(failures, 5, 50);
    free_grid(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_once_in_groups_that_hang_together),
        cmocka_unit_test(bodies_stay_apart),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
