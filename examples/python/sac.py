"""Learning to grip and to lift: soft actor-critic with demonstrations of the task's script, tried on seeds it
never saw.

    python examples/python/sac.py cond/BallGrip-v0 --policy ball_grip.npz [--curve ball_grip.csv] [--steps 60000]

Needs PyTorch. The learner is SAC (Haarnoja et al. 2018) on environments that step in C, with the changes that Ball et
al. (2023) found to matter with demonstrations: half of every batch are transitions of the script, and critics have
layer normalisation. As in Nair et al. (2018) the actor is also drawn towards the demonstrated action where the critics
prefer it to its own. Observations are scaled once, by those of the demonstrations.

What the actor has learnt is a small network (cond.gym.Policy), which needs NumPy alone. It is tried on 100 seeds that
neither learning nor demonstrations use. Seeds: demonstrations from 0, learning from 100,000, trials on the way from
1,000,000, by which the best policy is chosen, and the last trial from 2,000,000.
"""
from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import cond  # noqa: F401  makes the tasks known
from cond.gym import LearnVectorEnv, Normaliser, Policy, success
from cond.tasks import TASKS

LEARNING, TRIALS, LAST = 100_000, 1_000_000, 2_000_000  # where seeds begin


@dataclass
class Settings:
    """What a run is made with."""

    n_env: int = 16  # environments side by side
    demonstrations: int = 60  # episodes of the script
    noise: float = 0.1  # deviation of what is added to the script's actions in every second of these episodes
    steps: int = 60_000  # actions in all environments together, demonstrations not counted
    first: int = 1_000  # of them before the first update
    updates: float = 0.5  # gradient steps per action
    batch: int = 256  # half of it demonstrations
    width: int = 256  # of two hidden layers
    gamma: float = 0.98
    rate: float = 3e-4  # of Adam
    average: float = 0.005  # share of the critics that their slow copies take over in an update
    reward_scale: float = 0.1
    imitation: float = 1.0  # weight of the demonstrated actions, falling to nothing at half of the steps
    trial_every: int = 5_000
    trial_seeds: int = 40


class Memory:
    """Transitions in arrays that are as large as the run needs."""

    def __init__(self, size: int, n: int, m: int) -> None:
        self.rows = [np.zeros((size, k), np.float32) for k in (n, m, 1, n, 1)]
        self.count = 0

    def add(self, *parts: Any) -> None:
        """Rows of observation, action, reward, next observation, and 1 where the episode goes on."""
        k = len(parts[0])
        for rows, part in zip(self.rows, parts, strict=True):
            rows[self.count:self.count + k] = np.asarray(part, np.float32).reshape(k, -1)
        self.count += k

    def draw(self, rng: np.random.Generator, k: int) -> list[Tensor]:
        """k of them by chance."""
        chosen = rng.integers(self.count, size=k)
        return [torch.from_numpy(rows[chosen]) for rows in self.rows]


def network(n: int, m: int, width: int, norm: bool) -> nn.Sequential:
    """Two hidden layers."""
    layers: list[nn.Module] = []
    for k in (n, width):
        layers += [nn.Linear(k, width), *([nn.LayerNorm(width)] if norm else []), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, m))


class Learner:
    """Actor, two critics with slow copies, and the weight of the entropy."""

    def __init__(self, n: int, m: int, s: Settings) -> None:
        self.s, self.m = s, m
        self.actor = network(n, 2 * m, s.width, norm=False)
        self.critics = nn.ModuleList([network(n + m, 1, s.width, norm=True) for _ in range(2)])
        self.slow = nn.ModuleList([network(n + m, 1, s.width, norm=True) for _ in range(2)])
        self.slow.load_state_dict(self.critics.state_dict())
        self.log_weight = torch.tensor(np.log(0.1), dtype=torch.float32, requires_grad=True)
        self.for_actor = torch.optim.Adam(self.actor.parameters(), s.rate)
        self.for_critics = torch.optim.Adam(self.critics.parameters(), s.rate)
        self.for_weight = torch.optim.Adam([self.log_weight], s.rate)

    def act(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Actions drawn from the policy, and the logarithms of their densities."""
        mean, deviation = self.actor(x).split(self.m, dim=-1)
        deviation = torch.exp(torch.clamp(deviation, -5.0, 1.0))
        drawn = mean + deviation * torch.randn_like(mean)
        density = -0.5 * ((drawn - mean) / deviation) ** 2 - torch.log(deviation) - 0.5 * np.log(2.0 * np.pi)
        # of tanh(z): log(1 - tanh(z)^2) = 2 (log 2 - z - log(1 + exp(-2 z)))
        density = density - 2.0 * (np.log(2.0) - drawn - nn.functional.softplus(-2.0 * drawn))
        return torch.tanh(drawn), density.sum(dim=-1, keepdim=True)

    @staticmethod
    def worse(critics: Any, x: Tensor, a: Tensor) -> Tensor:
        """The smaller of the two values."""
        xa = torch.cat([x, a], dim=-1)
        return torch.minimum(critics[0](xa), critics[1](xa))

    def update(self, batch: list[Tensor], n_own: int, imitation: float) -> None:
        """One gradient step of each; rows from n_own on are demonstrations."""
        x, a, reward, after, goes_on = batch
        weight = self.log_weight.exp().detach()
        with torch.no_grad():
            b, density = self.act(after)
            target = reward * self.s.reward_scale + self.s.gamma * goes_on * (
                self.worse(self.slow, after, b) - weight * density)
        xa = torch.cat([x, a], dim=-1)
        loss: Tensor = sum(((critic(xa) - target) ** 2).mean() for critic in self.critics)  # type: ignore[assignment]
        self.for_critics.zero_grad()
        loss.backward()
        self.for_critics.step()

        b, density = self.act(x)
        value = self.worse(self.critics, x, b)
        loss = (weight * density - value).mean()
        if imitation > 0.0:
            own = torch.tanh(self.actor(x[n_own:])[:, :self.m])
            with torch.no_grad():
                prefers = self.worse(self.critics, x[n_own:], a[n_own:]) > self.worse(self.critics, x[n_own:], own)
            loss = loss + imitation * (prefers * (own - a[n_own:]) ** 2).sum(dim=-1).mean()
        self.for_actor.zero_grad()
        loss.backward()
        self.for_actor.step()

        loss = -(self.log_weight.exp() * (density.detach() - 0.5 * self.m)).mean()
        self.for_weight.zero_grad()
        loss.backward()
        self.for_weight.step()
        with torch.no_grad():
            for slow, fast in zip(self.slow.parameters(), self.critics.parameters(), strict=True):
                slow.lerp_(fast, self.s.average)

    def policy(self, normaliser: Normaliser) -> Policy:
        """The middle of what the actor does."""
        layers = [(layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
                  for layer in self.actor if isinstance(layer, nn.Linear)]
        weight, bias = layers[-1]
        return Policy([*layers[:-1], (weight[:self.m], bias[:self.m])], normaliser)


def last_observations(after: Any, ended: Any, info: dict[str, Any]) -> Any:
    """What an action led to, where episodes began anew as well."""
    return np.where(ended[:, None], info["final_obs"], after) if ended.any() else after


def demonstrate(task: str, s: Settings) -> tuple[Memory, Normaliser, float]:
    """Episodes of the script with noise in every second one, and how many of those without it succeeded."""
    envs = LearnVectorEnv(task, s.demonstrations)
    x, _ = envs.reset(seed=0)
    n, m = x.shape[1], envs.action_space.shape[1]
    scripts = [TASKS[task].make_script(envs.layout) for _ in range(s.demonstrations)]
    rng = np.random.default_rng(0)
    noisy = np.arange(s.demonstrations)[:, None] % 2 == 1
    steps: list[list[Any]] = []
    over, good = np.zeros(s.demonstrations, np.bool_), np.zeros(s.demonstrations, np.bool_)
    raw = x
    while not over.all():
        wanted = np.stack([np.zeros(m) if over[k] else script(raw[k].astype(np.float64))
                           for k, script in enumerate(scripts)])
        a = envs.from_task(wanted)
        a = np.clip(a + noisy * rng.normal(0.0, s.noise, a.shape), -1.0, 1.0).astype(np.float32)
        raw, reward, terminated, truncated, info = envs.step(a)
        ended = terminated | truncated
        after = last_observations(raw, ended, info)
        steps.append([part[~over] for part in (x, a, reward, after, 1.0 - terminated)])
        if (ended & ~over).any():
            good[ended & ~over] = info["final_info"]["is_success"][ended & ~over]
        over |= ended
        x = raw
    envs.close()
    rows = [np.concatenate(part) for part in zip(*steps, strict=True)]
    normaliser = Normaliser(n)
    normaliser.update(rows[0])
    # What hardly varies in demonstrations may vary more in learning.
    normaliser.variance = np.maximum(normaliser.variance, 1e-6)
    memory = Memory(len(rows[0]), n, m)
    memory.add(normaliser(rows[0]), rows[1], rows[2], normaliser(rows[3]), rows[4])
    return memory, normaliser, float(good[~noisy[:, 0]].mean())


def trial(task: str, policy: Any, seed: int, count: int) -> tuple[float, int]:
    """The share of seeds with success, and the time steps that missed their tolerance."""
    envs = LearnVectorEnv(task, count)
    good, missed = success(policy, envs, seed)
    envs.close()
    return float(good.mean()), missed


def learn(task: str, s: Settings, curve: list[list[Any]]) -> Policy:
    """Learns until the steps are used up, or two trials in a row succeed on all of their seeds."""
    begin = time.monotonic()
    demonstrated, normaliser, share = demonstrate(task, s)
    print(f"{task}: {demonstrated.count} demonstrated actions, {share:.0%} of the episodes succeed", flush=True)
    envs = LearnVectorEnv(task, s.n_env)
    n, m = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    learner, memory = Learner(n, m, s), Memory(s.steps + s.n_env, n, m)
    x, _ = envs.reset(seed=LEARNING)
    best, best_share, row, debt = learner.policy(normaliser), -1.0, 0, 0.0
    for count in range(0, s.steps, s.n_env):
        with torch.no_grad():
            a = learner.act(torch.from_numpy(normaliser(x)))[0].numpy()
        after, reward, terminated, truncated, info = envs.step(a)
        last = last_observations(after, terminated | truncated, info)
        memory.add(normaliser(x), a, reward, normaliser(last), 1.0 - terminated)
        x = after
        debt += s.updates * s.n_env if count >= s.first else 0.0
        imitation = s.imitation * max(0.0, 1.0 - 2.0 * count / s.steps)
        while debt >= 1.0:
            debt -= 1.0
            own, shown = memory.draw(rng, s.batch // 2), demonstrated.draw(rng, s.batch // 2)
            learner.update([torch.cat(pair) for pair in zip(own, shown, strict=True)], s.batch // 2, imitation)
        if (count + s.n_env) // s.trial_every > count // s.trial_every:
            policy = learner.policy(normaliser)
            share, missed = trial(task, policy, TRIALS, s.trial_seeds)
            curve.append([count + s.n_env, round(time.monotonic() - begin), share])
            print(f"  {count + s.n_env} actions, {curve[-1][1]} s: {share:.0%} succeed, {missed} missed", flush=True)
            row = row + 1 if share == 1.0 else 0
            if share >= best_share:
                best, best_share = policy, share
            if row == 2:
                break
    envs.close()
    return best


def main() -> None:
    """Learns, tries, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=list(TASKS))
    parser.add_argument("--policy", help="file to write, .npz")
    parser.add_argument("--curve", help="CSV: actions, seconds, success on the seeds of the trials on the way")
    for name, kind in (("steps", int), ("demonstrations", int), ("updates", float), ("gamma", float), ("n_env", int)):
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=getattr(Settings, name))
    given = parser.parse_args()
    s = Settings(steps=given.steps, demonstrations=given.demonstrations, updates=given.updates, gamma=given.gamma,
                 n_env=given.n_env)
    torch.set_num_threads(1)
    curve: list[list[Any]] = []
    policy = learn(given.task, s, curve)
    if given.curve:
        with open(given.curve, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["actions", "seconds", "success"], *curve])
    if given.policy:
        policy.save(given.policy)
        policy = Policy.load(given.policy)
    envs = LearnVectorEnv(given.task)
    m = envs.single_action_space.shape[0]
    envs.close()
    rng = np.random.default_rng(2)
    chance = trial(given.task, lambda x: rng.uniform(-1.0, 1.0, (len(x), m)), LAST, 100)
    share, missed = trial(given.task, policy, LAST, 100)
    print(f"{given.task}: {share:.0%} of 100 unseen seeds succeed, {missed} time steps missed; random actions: "
          f"{chance[0]:.0%}")


if __name__ == "__main__":
    main()
