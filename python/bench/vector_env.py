"""Environment-steps of the pusher per second of processor time, in 64 environments with random actions: the loop of
`cond bench env`, which makes the same calls of the C library, and Gymnasium's VectorEnv, in turn, so that both meet the
same machine, however busy. Episodes that end are followed by others; resets count apart, as they do in the tool.

    python python/bench/vector_env.py [--rounds N] [--steps N] [--threads N]
"""
from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np

import cond
from cond.gym import TaskVectorEnv


def rate_in_c(batch: cond.EnvBatch, actions: list[np.ndarray]) -> float:
    """The loop of the tool, with the calls of the C library alone: step, then reset what is over."""
    from cond._cond import ffi, lib

    n, seed = batch.n, np.arange(batch.n, dtype=np.uint64)
    result, over, seconds = ffi.new("CondEnvResult[]", n), np.zeros(n, np.int32), 0.0
    error = ffi.new("CondError*")
    for action in actions:
        pointer = ffi.from_buffer("double[]", action)
        start = time.process_time()
        lib.cond_env_batch_step(batch._c, pointer, result)
        seconds += time.process_time() - start
        for k in range(n):
            over[k] = lib.cond_env_is_over(lib.cond_env_batch_env(batch._c, k))
        seed += n * over.astype(np.uint64)
        lib.cond_env_batch_reset(batch._c, ffi.from_buffer("uint64_t[]", seed), ffi.from_buffer("int[]", over), error)
    return n * len(actions) / seconds


def rate_in_python(envs: TaskVectorEnv, actions: list[np.ndarray]) -> float:
    """As a learner steps it. Calls that only begin episodes are left out, as resets are in C."""
    seconds, steps = 0.0, 0
    over = np.zeros(envs.num_envs, np.bool_)
    for action in actions:
        start = time.process_time()
        _, _, done, cut, _ = envs.step(action)
        took = time.process_time() - start
        if not over.any():
            seconds, steps = seconds + took, steps + envs.num_envs
        over = done | cut
    return steps / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    batch = cond.EnvBatch("pusher", options.envs, threads=options.threads)
    envs = gymnasium.make_vec("cond/Pusher-v0", num_envs=options.envs, vectorization_mode="vector_entry_point",
                              threads=options.threads)
    rng = np.random.default_rng(0)
    low, high = batch.action_bounds
    ratios = []
    for k in range(options.rounds):
        actions = [rng.uniform(low, high, (options.envs, batch.n_action)) for _ in range(options.steps)]
        batch.reset(list(range(options.envs)))
        envs.reset(seed=0)
        c, python = rate_in_c(batch, actions), rate_in_python(envs, actions)
        ratios.append(python / c)
        print(f"round {k}: C {c:.0f}, VectorEnv {python:.0f} steps a processor second, ratio {ratios[-1]:.3f}")
    print(f"median ratio {np.median(ratios):.3f}")


if __name__ == "__main__":
    main()
