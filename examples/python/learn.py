"""Learning to push: a policy for cond/Pusher-v0 is found by an evolution strategy, from the distance of the cube to its
goal, and tried on seeds it never saw.

    python examples/python/learn.py [--minutes 15] [--curve learn.csv] [--picture learn.png]

The policy is linear: action = high * tanh(W z), z where on the floor the cube is from the goal, the ball from the cube
and the hand from the ball, in units of 3 cm and no more than three of them, and 1; the hand keeps its height. A
generation draws W from a normal distribution with a deviation of its own for every number, tries each on the same
seeds, all at once in one VectorEnv, and moves mean, deviations and step towards the better half: the evolution strategy
with adaptation of a diagonal covariance (Ros and Hansen 2008). Every random number comes from a seed: a run can be
repeated bit by bit.
"""
from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from typing import Any, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

import cond  # noqa: F401  makes the tasks known

Array = NDArray[np.float64]
TASK = "cond/Pusher-v0"
GOAL = np.array([0.2, 0.0, 0.05])  # of the scene: where the cube is to be [m]
LED = 2  # numbers of the action that the policy sets, x and y; the third is the height
UNSEEN = 1_000_000  # the first of the seeds that no generation uses; by these it is told when to stop
LAST = 2_000_000  # the first of those that are used once, in the end


class Trial:
    """Episodes of many policies at once, one in each environment."""

    def __init__(self, n: int, threads: int, actions: int = 200) -> None:
        envs = gymnasium.make_vec(TASK, num_envs=n, vectorization_mode="vector_entry_point", threads=threads,
                                  autoreset_mode="Disabled", overrides=[f"environment.steps={actions}"])
        self.envs = cast(Any, envs)
        self.n, self.steps = n, 0
        layout = self.envs.layout
        self.box, self.ball, self.hand = (layout[name] for name in
                                          ("box.position", "ball.position", "hand.goal_position"))
        self.high: Array = self.envs.single_action_space.high

    def places(self, observation: Array) -> Array:
        """What the policy sees: z."""
        box, ball, hand = (observation[:, slot][:, :LED] for slot in (self.box, self.ball, self.hand))
        return np.hstack([(box - GOAL[:LED]) / 0.03, (ball - box) / 0.03, (hand - ball) / 0.03, np.ones((self.n, 1))])

    def run(self, act: Callable[[Array], Array], seeds: list[int]) -> tuple[Array, NDArray[np.bool_]]:
        """One episode each: the mean of minus the distance over all its steps, and whether it succeeded. After the end
        the last distance counts on, so that it does not pay to give up; after success nothing does."""
        observation, _ = self.envs.reset(seed=seeds)
        over, good = np.zeros(self.n, np.bool_), np.zeros(self.n, np.bool_)
        score, steps = np.zeros(self.n), 0
        while not over.all():
            self.steps += int(self.n - over.sum())
            observation, _, done, cut, info = self.envs.step(act(self.places(observation)))
            over |= done | cut
            good |= info["is_success"]
            score -= np.where(good, 0.0, np.linalg.norm(observation[:, self.box] - GOAL, axis=1))
            steps += 1
        return score / steps, good


SHAPE = (LED, 3 * LED + 1)  # of W


def act(z: Array, W: Array, high: Array) -> Array:
    """Actions of one W (LED x n), or of one for each row (rows x LED x n)."""
    action = np.zeros((z.shape[0], high.size))
    action[:, :LED] = high[:LED] * np.tanh((W @ np.clip(z, -3.0, 3.0)[:, :, None])[:, :, 0])
    return action


class Evolution:
    """The distribution that policies are drawn from: mean, step, deviations."""

    def __init__(self, n: int, n_draw: int, step: float, seed: int) -> None:
        self.rng, self.n, self.n_draw = np.random.default_rng(seed), n, n_draw
        self.mean, self.step, self.variance = np.zeros(n), step, np.ones(n)
        weight = np.log(n_draw / 2 + 0.5) - np.log(np.arange(1, n_draw // 2 + 1))
        self.weight = weight / weight.sum()
        m = 1.0 / (self.weight**2).sum()  # how many of equal weight they are worth
        self.m = m
        self.path_step, self.path = np.zeros(n), np.zeros(n)
        self.c_step = (m + 2) / (n + m + 5)
        self.c_path = (4 + m / n) / (n + 4 + 2 * m / n)
        faster = (n + 2) / 3  # a diagonal is learned so much sooner than a matrix
        self.c_one = min(1.0, faster * 2 / ((n + 1.3) ** 2 + m))
        self.c_many = min(1.0 - self.c_one, faster * 2 * (m - 2 + 1 / m) / ((n + 2) ** 2 + m))
        self.usual = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # length of a normal vector

    def draw(self) -> Array:
        self.e = self.rng.standard_normal((self.n_draw, self.n)) * np.sqrt(self.variance)
        return self.mean + self.step * self.e

    def learn(self, score: Array) -> None:
        """Moves to where the scores are high."""
        best = self.e[np.argsort(-score)[: self.weight.size]]
        shift = self.weight @ best
        self.mean = self.mean + self.step * shift
        c = self.c_step
        self.path_step = (1 - c) * self.path_step + np.sqrt(c * (2 - c) * self.m) * shift / np.sqrt(self.variance)
        c = self.c_path
        self.path = (1 - c) * self.path + np.sqrt(c * (2 - c) * self.m) * shift
        self.variance = ((1 - self.c_one - self.c_many) * self.variance + self.c_one * self.path**2
                         + self.c_many * (self.weight @ best**2))
        self.step *= np.exp(self.c_step * (np.linalg.norm(self.path_step) / self.usual - 1))


def look_around(trial: Trial, seed: int) -> float:
    """How often random actions succeed."""
    rng = np.random.default_rng(seed)
    _, good = trial.run(lambda _: rng.uniform(-trial.high, trial.high, (trial.n, trial.high.size)),
                        [UNSEEN + k for k in range(trial.n)])
    return float(good.mean())


def draw_curve(path: str, rows: list[list[float]]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    data = np.array(rows)
    figure, axis = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    axis.plot(data[:, 1] / 1e3, 100 * data[:, 4], marker=".", label="success on 100 seeds it never saw")
    axis.set_xlabel("environment-steps, thousands")
    axis.set_ylabel("success, %")
    axis.axhline(80, color="grey", linestyle=":")
    axis.set_ylim(0, 102)
    axis.grid(alpha=0.3)
    axis.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> list[list[float]]:
    """Learns, and returns the curve: generation, steps, seconds, success of its policies, success on unseen seeds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=15.0, help="of the clock at most")
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--draws", type=int, default=12, help="policies of a generation")
    parser.add_argument("--seeds", type=int, default=8, help="episodes of each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--step", type=float, default=0.5)
    parser.add_argument("--actions", type=int, default=100, help="of an episode of a generation; of the task it is 200")
    parser.add_argument("--every", type=int, default=2, help="generations between trials on unseen seeds")
    parser.add_argument("--unseen", type=int, default=100, help="seeds of such a trial")
    parser.add_argument("--enough", type=float, default=0.95, help="success on unseen seeds that ends it")
    parser.add_argument("--curve", help="file for the numbers")
    parser.add_argument("--picture", help="file for the curve (matplotlib)")
    options = parser.parse_args(arguments)

    trial = Trial(options.draws * options.seeds, options.threads, options.actions)
    unseen = Trial(options.unseen, options.threads)
    evolution = Evolution(SHAPE[0] * SHAPE[1], options.draws, options.step, options.seed)
    print(f"random actions: {100 * look_around(unseen, options.seed):.0f} % of {options.unseen} seeds", flush=True)
    start, used = time.perf_counter(), time.process_time()
    rows: list[list[float]] = []
    for k in range(options.generations):
        W = np.repeat(evolution.draw().reshape(-1, *SHAPE), options.seeds, axis=0)
        seeds = [1 + k * options.seeds + i for i in range(options.seeds)] * options.draws
        score, good = trial.run(lambda z, W=W: act(z, W, trial.high), seeds)  # type: ignore[misc]
        evolution.learn(score.reshape(options.draws, options.seeds).mean(1))
        late = time.perf_counter() - start > 60 * options.minutes
        if (k + 1) % options.every == 0 or late:
            W = evolution.mean.reshape(SHAPE)
            _, arrived = unseen.run(lambda z, W=W: act(z, W, trial.high),  # type: ignore[misc]
                                    [UNSEEN + i for i in range(options.unseen)])
            rows.append([k + 1, trial.steps, time.process_time() - used, float(good.mean()), float(arrived.mean())])
            print(f"generation {k + 1:3d}: {trial.steps:8d} steps, {rows[-1][2]:5.0f} s of processor time, success of "
                  f"its policies {100 * rows[-1][3]:.0f} %, on unseen seeds {100 * rows[-1][4]:.0f} %", flush=True)
            if rows[-1][4] >= options.enough or late:
                break
    W = evolution.mean.reshape(SHAPE)
    _, arrived = unseen.run(lambda z: act(z, W, trial.high), [LAST + i for i in range(options.unseen)])
    print(f"in the end, on {options.unseen} other seeds: {100 * arrived.mean():.0f} %", flush=True)
    if options.curve:
        with open(options.curve, "w", newline="") as file:
            csv.writer(file).writerows([["generation", "steps", "processor_seconds", "success", "unseen"], *rows])
    if options.picture:
        draw_curve(options.picture, rows)
    return rows


if __name__ == "__main__":
    main()
