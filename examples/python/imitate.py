"""Learning to grip, to lift, to fold and to route: a network that imitates the task's script, tried on seeds it never
saw.

    python examples/python/imitate.py cond/LiftSoft-IK-v0 [--policy lift_soft.npz] [--curve lift_soft.csv]

The method is DAgger (Ross, Gordon and Bagnell 2011). In the first round the script acts; in all others the network
does. In every state that they reach the script is asked what it would do, and the network is trained on the answers of
all rounds. Therefore it also learns how to go on from the states that its own errors lead to. The scripts of these
tasks depend on the observation alone, so that they can answer in any state. Rewards are not used.

The network sees a few numbers of an observation and differences of them (`FEATURES`). It needs NumPy and Gymnasium.

Seeds: the first round from 0, the others from 100,000, a new one for every episode, and the last trial from 2,000,000:
on 100 seeds that nothing else uses, beside the network after the first round (behaviour cloning) and random actions.
The curve is the success of the episodes of a round, whose seeds the network has not been trained on when it acts in
them. The policy that is tried is the last one; none is chosen.
"""
from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import cond  # noqa: F401  makes the tasks known
from cond.gym import LearnVectorEnv, Network, Normaliser, Policy, success
from cond.tasks import TASKS

# What the network sees: slots of the observation, entries of them, and differences. They are measured by the length
# that is given [m, s or 1] from their median in the first round, or scaled to deviation 1 in it, and cut at ten.
HAND = ("hand.goal_orientation / 0.3", "fingers.target / 0.01", "arm.joints[7:8] - fingers.target / 0.001")
LIFT_SOFT = (
    *HAND, "cube.position - hand.goal_position / 0.1", "cube.position - hand.goal_position / 0.003",
    "cube.position - tip / 0.003", "track.desired - cube.position / 0.1", "track.desired - cube.position / 0.01")
LIFT_CABLE = (
    *HAND, "points[18:21] - hand.goal_position / 0.1", "points[18:21] - hand.goal_position / 0.003",
    "points[18:21] - tip / 0.003", "track.desired - points[18:21] / 0.1", "track.desired - points[18:21] / 0.01",
    "points[21:24] - points[15:18] / 0.02")
BALL_GRIP = (
    "ball.position - palm.goal_position / 0.1", "ball.position - palm.goal_position / 0.003",
    "ball.position - gripper.position / 0.003", "track.desired - ball.position / 0.1",
    "track.desired - ball.position / 0.01", "fingers.target / 0.01", "gripper.joints - fingers.target / 0.005",
    "fingers.target[0:1] - fingers.target[1:2] / 0.002")
MAT_FOLD = ("time / 0.5", "hand.goal_position / 0.1", "hand.goal_position / 0.02", "hand.goal_orientation / 0.2",
            "first_clamp.holds", "second_clamp.holds")
CABLE_ROUTING = ("time / 1", "left.goal_position / 0.1", "right.goal_position / 0.1", "first_x / 0.01",
                 "first_y / 0.01", "second_x / 0.01", "second_y / 0.01", "first_route / 3", "second_route / 3")
FEATURES = {
    "cond/BallGrip-v0": BALL_GRIP, "cond/LiftSoft-IK-v0": LIFT_SOFT, "cond/LiftCable-IK-v0": LIFT_CABLE,
    "cond/MatFold-v0": MAT_FOLD, "cond/CableRouting-v0": CABLE_ROUTING,
}
LEARNING, LAST = 100_000, 2_000_000  # where seeds begin


@dataclass(frozen=True)
class Settings:
    """What a run is made with."""

    n_env: int = 16  # environments side by side
    actions: int = 250  # in each of them in a round
    rounds: int = 16  # the first by the script
    noise: float = 0.05  # deviation of what is added to the script's actions in every second environment
    width: int = 128  # of two hidden layers
    rate: float = 1e-3  # of Adam; in the steps of a round it falls to a thirtieth
    batch: int = 512  # states of a gradient step
    steps: int = 1_500  # gradient steps of a round
    last_steps: int = 6_000  # and after the last one
    enough: float = 0.95  # two rounds in a row whose episodes reach this share of successes end the run
    last_seeds: int = 100  # of the last trial
    other_seeds: int = 100  # of that of the clone and of random actions
    threads: int = 0  # that step environments; 0 for as many as the machine has


SETTINGS = {  # of tasks that need others
    "cond/BallGrip-v0": Settings(actions=200),
    "cond/MatFold-v0": Settings(actions=120, n_env=6, other_seeds=20),
    "cond/CableRouting-v0": Settings(actions=200, n_env=18, rounds=12),
}


def matrix(terms: tuple[str, ...], layout: dict[str, slice], n: int) -> tuple[Any, Any]:
    """The features as a matrix (features x n), and the lengths that they are measured by, 0 where none is given."""
    def rows(part: str) -> Any:
        name, _, entries = part.partition("[")
        where = np.arange(n)[layout[name]]
        if entries:
            begin, _, end = entries.rstrip("]").partition(":")
            where = where[int(begin):int(end)]
        return np.eye(n)[where]

    made, lengths = [], []
    for term in terms:
        difference, _, length = term.partition(" / ")
        parts = [rows(part) for part in difference.split(" - ")]
        made.append(parts[0] - parts[1] if len(parts) == 2 else parts[0])
        lengths += [float(length or 0.0)] * len(parts[0])
    return np.concatenate(made), np.array(lengths)


@dataclass
class Seen:
    """What the network sees of an observation."""

    features: Any  # (features x observation)
    normaliser: Normaliser

    def __call__(self, observations: Any) -> Any:
        return self.normaliser(np.asarray(observations, np.float64) @ self.features.T)

    @classmethod
    def of(cls, task: str, layout: dict[str, slice], observations: Any) -> Seen:
        """Scales by the observations of the first round."""
        n = observations.shape[1]
        features, lengths = matrix(FEATURES[task], layout, n) if task in FEATURES else (np.eye(n), np.zeros(n))
        values = observations @ features.T
        scales = Normaliser(len(features))
        scales.update(values)
        # What hardly varies by the script may vary more by the network.
        scales.variance = np.where(lengths > 0.0, lengths**2, np.maximum(scales.variance, 1e-4))
        scales.mean = np.where(lengths > 0.0, np.median(values, axis=0), scales.mean)
        return cls(features, scales)


def act(envs: LearnVectorEnv, x: Any, s: Settings, script: Any, policy: Any, noise: Any) -> tuple[Any, Any, Any, Any]:
    """A round: states, what the script would do in them, the last state, and which episodes ended with success. The
    policy acts; without one the script, with noise."""
    rng = np.random.default_rng(3)
    states, answers, good = [], [], []
    for _ in range(s.actions):
        answer = envs.from_task(np.stack([script(row) for row in x.astype(np.float64)]))
        states.append(x)
        answers.append(answer)
        a = policy(x) if policy else answer + noise * rng.normal(size=answer.shape)
        x, _, terminated, truncated, info = envs.step(a)
        ended = terminated | truncated
        if ended.any():
            good += list(info["final_info"]["is_success"][ended])
    return np.concatenate(states), np.concatenate(answers), x, good


def train(network: Network, x: Any, a: Any, s: Settings, steps: int, rng: np.random.Generator) -> None:
    """Gradient steps of the mean square of tanh(network) - a over rows by chance."""
    for k in range(steps):
        rows = rng.integers(len(x), size=s.batch)

        def slope(y: Any, wanted: Any = a[rows]) -> Any:
            middle = np.tanh(y)
            return (middle - wanted) * (1.0 - middle**2) / s.batch

        network.learn(x[rows], slope, s.rate * 30.0 ** (-k / steps))


def learn(task: str, s: Settings, curve: list[list[Any]]) -> tuple[Policy, Policy]:
    """Learns in rounds; the policy at the end, and the one after the first round."""
    envs = LearnVectorEnv(task, s.n_env, threads=s.threads)
    script, rng = TASKS[task].make_script(envs.layout), np.random.default_rng(1)
    x, _ = envs.reset(seed=0)
    noise = s.noise * (np.arange(s.n_env)[:, None] % 2)
    states, answers, x, good = act(envs, x, s, script, None, noise)
    seen = Seen.of(task, envs.layout, states)
    n, m = len(seen.features), answers.shape[1]
    network = Network([n, s.width, s.width, m], rng)
    inputs, row, policy, clone = seen(states), 0, None, None
    for k in range(s.rounds):
        if k > 0:
            states, more, x, good = act(envs, x, s, script, policy, 0.0)
            inputs, answers = np.concatenate([inputs, seen(states)]), np.concatenate([answers, more])
        share = float(np.mean(good)) if good else 0.0
        curve.append([len(inputs), round(time.process_time(), 1), round(share, 3)])
        print(f"  {len(inputs)} actions, {curve[-1][1]} s: {share:.0%} of {len(good)} episodes succeed"
              f"{'' if k else ' (script)'}", flush=True)
        row = row + 1 if k > 0 and share >= s.enough else 0
        last = row == 2 or k == s.rounds - 1
        train(network, inputs, answers, s, s.last_steps if last else s.steps, rng)
        policy = Policy([(w.copy(), b.copy()) for w, b in network.layers], seen.normaliser, features=seen.features)
        if k == 0:
            clone = policy
            x, _ = envs.reset(seed=LEARNING)
        if last:
            break
    envs.close()
    assert policy is not None and clone is not None
    return policy, clone


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Learns, tries, and writes; returns the success of the policy, of the clone and of random actions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=list(TASKS))
    parser.add_argument("--policy", help="file to write, .npz")
    parser.add_argument("--curve", help="CSV: actions, seconds of processor time, success of the episodes")
    for field in fields(Settings):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default))
    given = parser.parse_args(arguments)
    changes = {field.name: getattr(given, field.name) for field in fields(Settings)}
    s = replace(SETTINGS.get(given.task, Settings()),
                **{name: value for name, value in changes.items() if value is not None})
    print(f"{given.task}: {s}", flush=True)
    start = time.monotonic()
    curve: list[list[Any]] = []
    found: dict[str, Any] = {}
    found["policy"], found["clone"] = learn(given.task, s, curve)
    print(f"learnt in {time.monotonic() - start:.0f} s, {time.process_time():.0f} s of processor time", flush=True)
    if given.curve:
        with open(given.curve, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["actions", "seconds", "success"], *curve])
    if given.policy:
        found["policy"].save(given.policy)
        found["policy"] = Policy.load(given.policy)
    rng = np.random.default_rng(2)
    found["random"] = lambda x: rng.uniform(-1.0, 1.0, (len(x), *envs.action_space.shape[1:]))
    shares = {}
    for name, policy in found.items():
        envs = LearnVectorEnv(given.task, s.last_seeds if name == "policy" else s.other_seeds, threads=s.threads)
        good, missed = success(policy, envs, LAST)
        shares[name] = float(good.mean())
        print(f"{given.task}: {name}: {good.sum()} of {len(good)} unseen seeds succeed, {missed} time steps missed",
              flush=True)
        envs.close()
    return shares


if __name__ == "__main__":
    main()
