"""python -m cond.tasks: how often the scripts solve the tasks, beside random actions.

    python -m cond.tasks cond/LiftSoft-v0 --episodes 20
    python -m cond.tasks cond/LiftSoft-v0 --seed 3 --record lift.h5
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field

import numpy as np

from cond.env import Env
from cond.recording import Record
from cond.tasks import TASKS, Task


@dataclass
class Tally:
    """What came of some episodes."""

    returns: list[float] = field(default_factory=list)
    successes: int = 0
    actions: int = 0
    missed: int = 0
    certificate: float = 0.0
    seconds: float = 0.0  # of the processor, in the steps of the environment

    def line(self) -> str:
        n = len(self.returns)
        return (
            f"{self.successes:3d} of {n}   return {np.mean(self.returns):9.2f}   "
            f"{1e3 * self.seconds / self.actions:6.2f} ms an action   "
            f"certificate {self.certificate:.1e}   missed {self.missed}"
        )


def make(task: Task) -> Env:
    """The environment of a task."""
    from cond.memory import share

    return Env(share(task.scene), task.overrides)


def run(env: Env, task: Task, seed: int, random: bool, tally: Tally, record: str | None = None) -> None:
    """One episode; a script begins anew with each."""
    observation = env.reset(seed)
    script = task.make_script(env.layout)
    file = Record(record, env.model) if record else None
    total, success = 0.0, False
    while not env.over:
        action = env.draw_action((seed << 20) + env.n_step) if random else script(observation)
        start = time.process_time()
        result = env.step(action)
        tally.seconds += time.process_time() - start
        observation = env.observation
        total += result.reward
        success = result.success
        tally.actions += 1
        tally.missed += result.missed
        tally.certificate = max(tally.certificate, result.certificate)
        if file:
            file.frame(env.state, env.sim)
    tally.returns.append(total)
    tally.successes += success


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cond.tasks", description="tasks, by their scripts and at random")
    parser.add_argument("task", nargs="*", help="such as cond/LiftSoft-v0; all where none is given")
    parser.add_argument("--episodes", type=int, default=20, help="how many of each kind (20)")
    parser.add_argument("--seed", type=int, default=0, help="of the first episode (0)")
    parser.add_argument("--record", metavar="FILE.h5", help="one episode of the script, to look at by cond view")
    options = parser.parse_args()
    for name in options.task or TASKS:
        if name not in TASKS:
            print(f"cond.tasks: there is no task {name}; there are {', '.join(TASKS)}", file=sys.stderr)
            return 1
        env = make(TASKS[name])
        if options.record:
            tally = Tally()
            run(env, TASKS[name], options.seed, False, tally, options.record)
            print(f"{name:24s} script  {tally.line()}")
            continue
        for kind in ("script", "random"):
            tally = Tally()
            for seed in range(options.seed, options.seed + options.episodes):
                run(env, TASKS[name], seed, kind == "random", tally)
            print(f"{name:24s} {kind}  {tally.line()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
