"""Lifetimes, threads, processes and Ctrl-C."""
from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest

import cond


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))))
def test_deleting_in_any_order(order: tuple[int, ...]) -> None:
    model = cond.Model.from_path("push")
    state, sim = model.state(), cond.Sim(model)
    sim.run(state, 2)
    query = cond.Query(model, state)
    held: list[Any] = [model, state, sim, state.q, query]
    expected = state.q.copy()
    del model, state, sim, query
    for index in order:
        held[index] = None
        gc.collect(0)
        if held[3] is not None:
            assert np.array_equal(held[3], expected)
        if held[2] is not None and held[1] is not None:
            held[2].step(held[1])
            expected = held[1].q.copy()


def test_views_of_results_outlive_them() -> None:
    model = cond.Model.from_path("push")
    state = model.state()
    seconds = cond.Sim(model).step(state).seconds
    position = state.pose("box").position
    corner = cond.Snapshot(model).scenery.corner
    del model, state
    gc.collect()
    assert seconds.shape == (len(cond.Stage),) and position.shape == (3,) and corner.max() >= 0


def run_in_thread(model: cond.Model, steps: int, out: list[int]) -> None:
    sim, state = cond.Sim(model), model.state()
    for _ in range(steps):
        sim.step(state)
    out.append(state.hash())


def test_threads_step_at_once() -> None:
    model = cond.Model.from_path("springs")
    alone: list[int] = []
    run_in_thread(model, 50, alone)
    out: list[int] = []
    threads = [threading.Thread(target=run_in_thread, args=(model, 50, out)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == alone * 4


def test_threads_that_share_a_sim_take_turns() -> None:
    model = cond.Model.from_path("push")
    sim, states = cond.Sim(model), [cond.Model.state(model) for _ in range(3)]
    threads = [threading.Thread(target=lambda s=s: [sim.step(s) for _ in range(30)]) for s in states]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({state.hash() for state in states}) == 1


def test_python_runs_while_c_computes() -> None:
    model = cond.Model.from_path("gripper")
    sim, state, counted, done = cond.Sim(model), model.state(), [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    sim.step(state)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 10  # a step takes tens of milliseconds


def step_elsewhere(data: bytes) -> int:
    model = cond.Model.from_path("push")
    sim, state = cond.Sim(model), model.state()
    state.load(data)
    sim.run(state, 5)
    return state.hash()


def test_spawned_processes_work() -> None:
    model = cond.Model.from_path("push")
    sim, state = cond.Sim(model), model.state()
    sim.run(state, 2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(step_elsewhere, (state.save(),))
    sim.run(state, 5)
    assert there == state.hash()


def step_that(state: cond.State) -> cond.State:
    cond.Sim(state.model).run(state, 5)
    return state


def test_states_go_to_spawned_processes_by_themselves() -> None:
    state = cond.Model.from_path("push").state()
    cond.Sim(state.model).run(state, 2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(step_that, (state,))
    assert there.hash() == step_that(state).hash()


def run_script(text: str, *, interrupt_after: str = "") -> tuple[int, str]:
    """A program of its own; Ctrl-C comes once it has printed a line. Shells start jobs in the background with
    SIGINT ignored, which programs inherit, so it is set to what it is at a terminal."""
    begin = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program = subprocess.Popen([sys.executable, "-u", "-W", "ignore", "-c", begin + textwrap.dedent(text)],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert program.stdout is not None
    output = ""
    if interrupt_after:
        while interrupt_after not in output:
            line = program.stdout.readline()
            assert line, output
            output += line
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
    rest, _ = program.communicate(timeout=60)
    return program.returncode, output + rest


def test_fork_after_use_works() -> None:
    """The threads that wait for loops are ended before a fork, and both processes start their own."""
    code, output = run_script("""
        import os, signal, cond
        model = cond.Model.from_path("gripper")
        sim, state = cond.Sim(model), model.state()
        sim.run(state, 1)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # where it waits for ever
            sim.run(state, 1)
            again = cond.Sim(model)
            again.run(state, 1)
            os.write(write, str(state.hash()).encode())
            os._exit(7)
        sim.run(state, 1)
        cond.Sim(model).run(state, 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(int(os.read(read, 100)) == state.hash())
        """)
    assert code == 0 and output == "7\nTrue\n", output


def test_fork_within_a_call_is_refused() -> None:
    code, output = run_script("""
        import os, cond
        children = []
        def reward(observation):
            if not children:
                child = os.fork()
                if child == 0:
                    try:
                        cond.Model.from_path("gripper").state()
                    except cond.Forked as error:
                        os._exit(7 if "within a call" in str(error) else 2)
                    os._exit(3)
                children.append(child)
            return 0.0, False
        cond.EnvBatch("pusher", 4, reward=reward, threads=2).step([[0.0, 0.0, 0.0]] * 4)
        print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]))
        """)
    assert code == 0 and output in ("7\n", "3\n"), output  # 3 where the machine is so busy that there is no loop


def test_fork_before_use_works() -> None:
    code, output = run_script("""
        import os, cond
        child = os.fork()
        model = cond.Model.from_path("push")
        n = cond.Sim(model).run(model.state(), 2).n_step
        if child == 0:
            os._exit(n)
        print(n, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """)
    assert code == 0 and output == "2 2\n"


def test_interrupt_ends_between_steps() -> None:
    code, output = run_script("""
        import cond
        model = cond.Model.from_path("push")
        sim, state = cond.Sim(model), model.state()
        print("running")
        try:
            sim.run(state, 10**7)
        except KeyboardInterrupt as stopped:
            run = stopped.run
            print(run.n_step > 0, run.time[-1] == state.time, round(state.time / model.time_step) == run.n_step)
            print(sim.run(state, 3).n_step)
        """, interrupt_after="running")
    assert code == 0 and output.endswith("True True True\n3\n"), output


def test_interrupt_of_a_rollout() -> None:
    code, output = run_script("""
        import cond, numpy as np
        model = cond.Model.from_path("push")
        states = [model.state() for _ in range(4)]
        print("running")
        try:
            cond.Rollout(model, 2).run(states, n_step=10**5)
        except KeyboardInterrupt as stopped:
            result = stopped.result
            made = [int(n) for n in result.n_step]
            whole = [np.isfinite(result.q[i, :n]).all() and np.isnan(result.q[i, n:]).all() for i, n in enumerate(made)]
            print(max(made) > 0, min(made) < 10**5, all(whole))
        """, interrupt_after="running")
    assert code == 0 and output.endswith("True True True\n"), output


def test_exception_of_each_keeps_the_run() -> None:
    model = cond.Model.from_path("push")
    sim, state = cond.Sim(model), model.state()

    def stop(state: cond.State, info: cond.StepInfo) -> None:
        if info.time > 0.045:
            raise StopIteration

    with pytest.raises(StopIteration) as stopped:
        sim.run(state, 100, each=stop)
    assert stopped.value.run.n_step == 5  # type: ignore[attr-defined]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux says how much memory is in use")
def test_objects_are_released() -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    def use() -> None:
        model = cond.Model.from_path("push")
        sim, state = cond.Sim(model), model.state()
        sim.set_hooks(step=lambda info: None)
        sim.run(state, 1)
        cond.Mechanics(model, state)
        cond.Query(model, state)
        state.copy()

    for _ in range(20):
        use()
    gc.collect()
    before = resident()
    for _ in range(200):
        use()
    gc.collect()
    assert resident() - before < 500  # pages of 4 KiB; a model alone that stays has dozens


def test_circles_are_released_in_any_order() -> None:
    for _ in range(20):
        model = cond.Model.from_path("push")
        state, sim = model.state(), cond.Sim(model)
        circle: list[Any] = [model, sim, state, cond.Query(model, state), state.q, cond.Rollout(model)]
        circle.append(circle)
        sim.set_hooks(step=circle.append)
        del model, state, sim, circle
    gc.collect()


def test_a_solver_is_given_to_a_sim() -> None:
    model = cond.Model.from_path("push")
    sim, state, solver = cond.Sim(model), model.state(), cond.Solver()
    sim.set_solver(solver)
    sim.run(state, 2)
    with pytest.raises(cond.BadArgument, match="given to a sim"):
        solver.reset()


@pytest.mark.parametrize("many", [False, True])
def test_threads_that_share_an_environment_take_turns(many: bool) -> None:
    env = cond.EnvBatch("pusher", 2, threads=1) if many else cond.Env("pusher", {"environment.steps": 1000})
    action = np.zeros((2, env.n_action) if many else env.n_action)
    wrong: list[BaseException] = []

    def use(kind: int) -> None:
        try:
            for k in range(40):
                if kind == 0:
                    env.step(action)
                elif kind == 1:
                    env.reset([k, k + 1] if many else k)  # type: ignore[arg-type]
                elif kind == 2:
                    env.load(env.save())  # type: ignore[arg-type]
                else:
                    assert np.isfinite(env.observation).all()
                    if isinstance(env, cond.Env):
                        assert env.state.q.shape == (env.model.n_q,)
        except BaseException as raised:
            wrong.append(raised)

    threads = [threading.Thread(target=use, args=(kind,)) for kind in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_environments_share_a_base() -> None:
    shared = {"layout", "action_layout", "units", "n_observation", "n_action", "n_goal", "goal_layout", "action_bounds"}
    assert not shared & (set(vars(cond.Env)) | set(vars(cond.EnvBatch)))
    assert cond.EnvBatch("pusher", 1).units == cond.Env("pusher").units
