"""Learning from rewards alone: proximal policy optimisation, tried on seeds it never saw.

    python examples/python/ppo.py cond/Pusher-v0 [--policy pusher.npz] [--curve pusher.csv]
    python examples/python/ppo.py cond/BallGrip-v0 --start clone.npz

The loop is that of CleanRL's ppo_continuous_action.py, with NumPy in place of PyTorch: roll out, estimate advantages
(Schulman et al. 2016), improve (Schulman et al. 2017). The policy begins from nothing, or from a file of
cond.gym.Policy, as examples/python/imitate.py writes them; of such a policy the last layer alone is trained, because
gradients of all layers change it by noise faster than they improve it.

Seeds: learning from 100,000, a new one for every episode, and the last trial from 2,000,000: on 100 seeds that nothing
else uses. The curve is the success of the episodes of learning, with the noise of their actions. The policy that is
tried is the last one; none is chosen.
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

LEARNING, LAST = 100_000, 2_000_000  # where seeds begin


@dataclass(frozen=True)
class Settings:
    """What a run is made with."""

    n_env: int = 16  # environments side by side
    actions: int = 200  # in each of them in an iteration
    iterations: int = 100
    epochs: int = 6  # passes over the actions of an iteration
    batch: int = 400  # actions of a gradient step
    width: int = 64  # of two hidden layers
    rate: float = 3e-4  # of Adam; falls to 0
    clip: float = 0.2
    divergence: float = 0.03  # between the policies before and after, that ends the passes for the policy
    gamma: float = 0.99
    trace: float = 0.95  # lambda of the advantages
    deviation: float = 0.5  # of actions, to begin with
    last_deviation: float = 0.1  # and in the end
    reward_scale: float = 1.0
    enough: float = 0.98  # two iterations in a row whose episodes reach this share of successes end the run
    last_seeds: int = 100  # of the last trial
    threads: int = 0  # that step environments; 0 for as many as the machine has


SETTINGS = {  # of tasks that need others
    "cond/BallGrip-v0": Settings(iterations=40, n_env=24, batch=1_200, width=128, rate=1e-4, deviation=0.06,
                                 last_deviation=0.03, divergence=0.08, reward_scale=0.02),
}


class Learner:
    """Policy and value, and what they see."""

    def __init__(self, s: Settings, n: int, m: int, start: Policy | None) -> None:
        self.s = s
        rng = np.random.default_rng(0)
        self.seen = start.normaliser if start else Normaliser(n)
        self.features = start.features if start else None
        self.frozen = start is not None
        n = len(self.seen.mean)
        self.actor, self.critic = Network([n, s.width, s.width, m], rng), Network([n, s.width, s.width, 1], rng)
        if start:
            self.actor = Network([n, *(len(b) for _, b in start.layers)], rng)
            self.actor.layers = [(w.copy(), b.copy()) for w, b in start.layers]
        self.share = [0.0, 0.0, 1.0] if start else 1.0  # of the rate, of each layer

    def see(self, raw: Any, update: bool = False) -> Any:
        """What the networks see of observations."""
        x = raw if self.features is None else np.asarray(raw, np.float64) @ self.features.T
        if update and not self.frozen:
            self.seen.update(x)
        return self.seen(x)

    def value(self, x: Any) -> Any:
        """What episodes still bring."""
        return self.critic.run(x)[:, 0]

    def density(self, x: Any, a: Any, deviation: float) -> Any:
        """Logarithms of the densities of actions, but for a constant."""
        return -0.5 * (((a - np.tanh(self.actor.run(x))) / deviation) ** 2).sum(axis=-1)

    def improve(self, x: Any, a: Any, before: Any, advantage: Any, deviation: float, rate: float) -> float:
        """One gradient step of the policy; its divergence from what it was."""
        found = 0.0

        def slope(y: Any) -> Any:
            nonlocal found
            middle = np.tanh(y)
            z = (a - middle) / deviation
            change = -0.5 * (z**2).sum(axis=-1) - before
            ratio = np.exp(change)
            found = float((ratio - 1.0 - change).mean())
            goes = np.where(advantage > 0.0, ratio < 1.0 + self.s.clip, ratio > 1.0 - self.s.clip)
            return (-advantage * ratio * goes / len(x))[:, None] * z / deviation * (1.0 - middle**2)

        self.actor.learn(x, slope, rate * np.asarray(self.share))
        return found

    def judge(self, x: Any, target: Any, rate: float) -> None:
        """One gradient step of the value."""
        self.critic.learn(x, lambda y: (y - target[:, None]) / len(x), rate)

    def policy(self) -> Policy:
        """What it does without noise."""
        return Policy([(w.copy(), b.copy()) for w, b in self.actor.layers], self.seen, features=self.features)


@dataclass
class Rollout:
    """Actions of an iteration, (actions x environments) rows."""

    x: Any
    a: Any
    before: Any  # their densities
    advantage: Any
    target: Any  # of the value
    good: list[bool]  # which of the episodes that ended succeeded


def act(learner: Learner, envs: LearnVectorEnv, raw: Any, deviation: float, s: Settings,
        rng: np.random.Generator) -> tuple[Rollout, Any]:
    """Acts with noise; advantages by the differences of the value."""
    xs, actions, rewards, values, nexts, ends = [], [], [], [], [], []
    good: list[bool] = []
    for _ in range(s.actions):
        x = learner.see(raw, update=True)
        middle = np.tanh(learner.actor.run(x))
        a = (middle + deviation * rng.standard_normal(middle.shape)).astype(np.float32)
        raw, reward, terminated, truncated, info = envs.step(a)
        ended = terminated | truncated
        after = np.where(ended[:, None], info["final_obs"], raw) if ended.any() else raw
        following = learner.value(learner.see(after)) * ~terminated  # an episode that is cut goes on
        for part, of in zip((x, a, reward * s.reward_scale, learner.value(x), following, ended),
                            (xs, actions, rewards, values, nexts, ends), strict=True):
            of.append(part)
        if ended.any():
            good += [bool(one) for one in info["final_info"]["is_success"][ended]]
    advantages, later = [], np.zeros(len(raw), np.float32)
    for reward, value, following, ended in zip(rewards[::-1], values[::-1], nexts[::-1], ends[::-1], strict=True):
        later = reward + s.gamma * following - value + s.gamma * s.trace * ~ended * later
        advantages.append(later)
    x, a, advantage = np.concatenate(xs), np.concatenate(actions), np.concatenate(advantages[::-1])
    before = learner.density(x, a, deviation)
    return Rollout(x, a, before, advantage, advantage + np.concatenate(values), good), raw


def update(learner: Learner, got: Rollout, policy_too: bool, deviation: float, rate: float, s: Settings,
           rng: np.random.Generator) -> float:
    """Passes over the actions of an iteration; the policy's divergence in the end."""
    advantage = (got.advantage - got.advantage.mean()) / (got.advantage.std() + 1e-8)
    going, divergence = policy_too, 0.0
    for _ in range(s.epochs):
        for rows in np.array_split(rng.permutation(len(got.x)), max(len(got.x) // s.batch, 1)):
            learner.judge(got.x[rows], got.target[rows], 1e-3)
            if going:
                divergence = learner.improve(got.x[rows], got.a[rows], got.before[rows], advantage[rows], deviation,
                                             rate)
                going = divergence < s.divergence
    return divergence


def learn(task: str, s: Settings, start: Policy | None, curve: list[list[Any]]) -> Policy:
    """Learns until the iterations are used up, or episodes succeed often enough."""
    envs = LearnVectorEnv(task, s.n_env, threads=s.threads)
    raw, _ = envs.reset(seed=LEARNING)
    learner, rng = Learner(s, raw.shape[1], envs.action_space.shape[1], start), np.random.default_rng(1)
    row = 0
    for k in range(s.iterations):
        left = 1.0 - k / s.iterations
        deviation = s.last_deviation * (s.deviation / s.last_deviation) ** left
        got, raw = act(learner, envs, raw, deviation, s, rng)
        # A policy that is given is changed once the value has learned what it is worth.
        divergence = update(learner, got, k > 0 or start is None, deviation, s.rate * left, s, rng)
        share = float(np.mean(got.good)) if got.good else 0.0
        curve.append([(k + 1) * s.n_env * s.actions, round(time.process_time(), 1), round(share, 3)])
        print(f"  {curve[-1][0]} actions, {curve[-1][1]} s: {share:.0%} of {len(got.good)} episodes succeed, value "
              f"{float(got.target.mean()):.2f}, divergence {divergence:.3f}", flush=True)
        row = row + 1 if share >= s.enough else 0
        if row == 2:
            break
    envs.close()
    return learner.policy()


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Learns, tries, and writes; returns the success of the policy, of what it began as and of random actions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=list(TASKS))
    parser.add_argument("--start", help="policy to begin with, .npz")
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
    found["policy"] = learn(given.task, s, Policy.load(given.start) if given.start else None, curve)
    print(f"learnt in {time.monotonic() - start:.0f} s, {time.process_time():.0f} s of processor time", flush=True)
    if given.curve:
        with open(given.curve, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["actions", "seconds", "success"], *curve])
    if given.policy:
        found["policy"].save(given.policy)
        found["policy"] = Policy.load(given.policy)
    if given.start:
        found["start"] = Policy.load(given.start)
    envs = LearnVectorEnv(given.task, s.last_seeds, threads=s.threads)
    rng = np.random.default_rng(2)
    found["random"] = lambda x: rng.uniform(-1.0, 1.0, envs.action_space.shape)
    shares = {}
    for name, policy in found.items():
        good, missed = success(policy, envs, LAST)
        shares[name] = float(good.mean())
        print(f"{given.task}: {name}: {shares[name]:.0%} of {s.last_seeds} unseen seeds succeed, {missed} time steps "
              "missed", flush=True)
    envs.close()
    return shares


if __name__ == "__main__":
    main()
