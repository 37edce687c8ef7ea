"""Learning to grip and to lift: proximal policy optimisation from demonstrations of the task's script, tried on
seeds it never saw.

    python examples/python/ppo.py cond/BallGrip-v0 [--policy ball_grip.npz] [--curve ball_grip.csv]

Needs PyTorch. The policy begins as a clone of the demonstrations (behaviour cloning) and is improved by PPO (Schulman
et al. 2017) with generalised advantage estimation on environments that step in C. As Rajeswaran et al. (2018) do it,
the demonstrated actions stay part of the loss with a weight that falls from one iteration to the next. The networks see
a few numbers of an observation and differences of them (`FEATURES`), scaled once, by those of the demonstrations.

Seeds: demonstrations from 0, learning from 100,000, a new one for every episode, and the last trial from 2,000,000: on
100 seeds that nothing else uses, beside the clone alone and random actions. The curve is the success of the episodes
of learning, with the noise of their actions. The policy that is tried is the last one; none is chosen.
"""
from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import cond  # noqa: F401  makes the tasks known
from cond.gym import LearnVectorEnv, Normaliser, Policy, success
from cond.tasks import TASKS

# What the networks see: slots of the observation, entries of them, and differences. They are scaled to deviation 1 in
# the demonstrations, or where a length is given [m], measured by it from their median, and cut at ten of it.
PANDA = ("arm.joints", "hand.goal_position", "hand.goal_orientation", "hand.goal_position - tip", "fingers.target",
         "arm.joints[7:8] - fingers.target")
FEATURES = {
    "cond/BallGrip-v0": (
        "ball.position - palm.goal_position", "ball.position - palm.goal_position / 0.004",
        "track.desired - ball.position", "track.desired - ball.position / 0.01", "ball.position",
        "ball.position - gripper.position", "ball.velocity", "gripper.velocity", "gripper.joints", "fingers.target",
        "gripper.joints - fingers.target"),
    "cond/LiftCable-IK-v0": (
        *PANDA, "points[18:21] - hand.goal_position", "points[18:21] - hand.goal_position / 0.002",
        "points[18:21] - tip", "track.desired - points[18:21]", "track.desired - points[18:21] / 0.01",
        "points[21:24] - points[15:18]", "points[20:21]", "cable.velocity"),
    "cond/LiftSoft-IK-v0": (
        *PANDA, "cube.position - hand.goal_position", "cube.position - hand.goal_position / 0.002",
        "cube.position - tip", "track.desired - cube.position", "track.desired - cube.position / 0.01",
        "cube.position[2:3]", "cube.velocity"),
}
LEARNING, LAST = 100_000, 2_000_000  # where seeds begin


@dataclass(frozen=True)
class Settings:
    """What a run is made with."""

    demonstrations: int = 40  # episodes of the script
    noise: float = 0.05  # deviation of what is added to the script's actions in every second of these episodes
    width: int = 128  # of two hidden layers
    rate: float = 3e-4  # of Adam; of the clone it falls to a tenth
    actor_rate: float = 5e-5  # of the last layer, which alone is trained after the clone
    bias_rate: float = 1e-3  # of the biases in it
    batch: int = 512
    sample: int = 1_200  # actions of a gradient step of PPO
    clone: int = 12_000  # gradient steps of the clone that the policy begins as
    only_clone: int = 12_000  # and of the clone that is tried for comparison
    value: int = 1_500  # gradient steps of the value towards the returns of the demonstrations
    n_env: int = 24  # environments side by side
    actions: int = 250  # in each of them in an iteration
    iterations: int = 40
    epochs: int = 6  # passes over the actions of an iteration
    clip: float = 0.2
    divergence: float = 0.08  # between the policies before and after, that ends the passes
    gamma: float = 0.99
    trace: float = 0.95  # lambda of the advantages
    deviation: float = 0.06  # of actions, to begin with
    imitation: float = 0.01  # weight of the demonstrated actions
    fall: float = 0.95  # of that weight, from one iteration to the next
    reward_scale: float = 0.02
    enough: float = 0.95  # two iterations in a row whose episodes reach this share of successes end the run
    last_seeds: int = 100  # of the last trial
    threads: int = 0  # that step environments; 0 for as many as the machine has


SETTINGS = {  # of tasks that need others
    "cond/BallGrip-v0": Settings(actions=200, noise=0.1),
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
    """What networks see of an observation."""

    features: Any  # (features x observation)
    normaliser: Normaliser

    def __call__(self, observations: Any) -> Any:
        return self.normaliser(np.asarray(observations, np.float64) @ self.features.T)


@dataclass
class Shown:
    """Rows of the demonstrations."""

    x: Tensor  # what the networks see
    a: Tensor  # the script's action, without noise
    value: Tensor  # what the episode still brought

    def draw(self, rng: np.random.Generator, k: int) -> tuple[Tensor, Tensor, Tensor]:
        """k rows by chance."""
        rows = torch.from_numpy(rng.integers(len(self.x), size=k))
        return self.x[rows], self.a[rows], self.value[rows]


def network(n: int, m: int, width: int, norm: bool) -> nn.Sequential:
    """Two hidden layers."""
    layers: list[nn.Module] = []
    for k in (n, width):
        layers += [nn.Linear(k, width), *([nn.LayerNorm(width)] if norm else []), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, m))


class Learner:
    """Actor, deviations of its actions, and the value."""

    def __init__(self, n: int, m: int, s: Settings) -> None:
        self.s = s
        self.actor, self.critic = network(n, m, s.width, norm=False), network(n, 1, s.width, norm=True)
        self.log_deviation = torch.full((m,), float(np.log(s.deviation)), requires_grad=True)
        self.for_actor = torch.optim.Adam([*self.actor.parameters(), self.log_deviation], s.rate)
        self.for_critic = torch.optim.Adam(self.critic.parameters(), s.rate)

    def middle(self, x: Tensor) -> Tensor:
        """Actions without noise."""
        return torch.tanh(self.actor(x))

    def density(self, x: Tensor, a: Tensor) -> Tensor:
        """Logarithms of the densities of actions, but for a constant."""
        z = (a - self.middle(x)) / self.log_deviation.exp()
        return (-0.5 * z**2 - self.log_deviation).sum(dim=-1)

    def value(self, x: Tensor) -> Tensor:
        """What episodes still bring."""
        return self.critic(x)[:, 0]

    def imitate(self, x: Tensor, a: Tensor) -> None:
        """One gradient step of the actor towards demonstrated actions."""
        self.step(self.for_actor, ((self.middle(x) - a) ** 2).sum(dim=-1).mean())

    def judge(self, x: Tensor, target: Tensor) -> None:
        """One gradient step of the value."""
        self.step(self.for_critic, ((self.value(x) - target) ** 2).mean())

    def improve(self, x: Tensor, a: Tensor, before: Tensor, advantage: Tensor, shown: tuple[Tensor, ...],
                imitation: float) -> float:
        """One gradient step of the actor; the divergence of the policy from what it was."""
        change = self.density(x, a) - before
        ratio = change.exp()
        gain = torch.minimum(ratio * advantage, ratio.clamp(1.0 - self.s.clip, 1.0 + self.s.clip) * advantage)
        away = ((self.middle(shown[0]) - shown[1]) / self.log_deviation.exp().detach()) ** 2
        self.step(self.for_actor, imitation * 0.5 * away.sum(dim=-1).mean() - gain.mean())
        with torch.no_grad():
            return float((ratio - 1.0 - change).mean())

    @staticmethod
    def step(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    def policy(self, seen: Seen) -> Policy:
        """What it does without noise."""
        layers = [(layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
                  for layer in self.actor if isinstance(layer, nn.Linear)]
        return Policy(layers, seen.normaliser, features=seen.features)


def last_observations(after: Any, ended: Any, info: dict[str, Any]) -> Any:
    """What an action led to, where episodes began anew as well."""
    return np.where(ended[:, None], info["final_obs"], after) if ended.any() else after


def returns(reward: Any, goes_on: Any, episode: Any, s: Settings) -> Any:
    """What episodes still bring from every row on; those that are cut go on as they end."""
    found = np.zeros(len(reward), np.float32)
    later: dict[int, float] = {}
    for k in reversed(range(len(reward))):
        r = reward[k] * s.reward_scale
        found[k] = r + s.gamma * goes_on[k] * later.get(episode[k], r / (1.0 - s.gamma))
        later[episode[k]] = found[k]
    return found


def demonstrate(task: str, s: Settings) -> tuple[Shown, Seen, float]:
    """Episodes of the script with noise in every second one, and how many of those without it succeeded."""
    envs = LearnVectorEnv(task, s.demonstrations, threads=s.threads)
    x, _ = envs.reset(seed=0)
    n, m = x.shape[1], envs.action_space.shape[1]
    scripts = [TASKS[task].make_script(envs.layout) for _ in range(s.demonstrations)]
    rng = np.random.default_rng(0)
    noisy = np.arange(s.demonstrations)[:, None] % 2 == 1
    steps: list[list[Any]] = []
    over, good = np.zeros(s.demonstrations, np.bool_), np.zeros(s.demonstrations, np.bool_)
    while not over.all():
        wanted = np.stack([np.zeros(m) if over[k] else script(x[k].astype(np.float64))
                           for k, script in enumerate(scripts)])
        asked = envs.from_task(wanted)
        a = np.clip(asked + noisy * rng.normal(0.0, s.noise, asked.shape), -1.0, 1.0).astype(np.float32)
        raw, reward, terminated, truncated, info = envs.step(a)
        ended = terminated | truncated
        steps.append([part[~over] for part in (x, a, reward, 1.0 - terminated, asked, np.arange(len(x)))])
        if (ended & ~over).any():
            good[ended & ~over] = info["final_info"]["is_success"][ended & ~over]
        over |= ended
        x = raw
    rows = [np.concatenate(part) for part in zip(*steps, strict=True)]
    features, lengths = matrix(FEATURES[task], envs.layout, n) if task in FEATURES else (np.eye(n), np.zeros(n))
    envs.close()
    values = rows[0] @ features.T
    scales = Normaliser(len(features))
    scales.update(values)
    # What hardly varies in demonstrations may vary more in learning.
    scales.variance = np.where(lengths > 0.0, lengths**2, np.maximum(scales.variance, 1e-6))
    scales.mean = np.where(lengths > 0.0, np.median(values, axis=0), scales.mean)
    seen = Seen(features, scales)
    shown = Shown(torch.from_numpy(seen(rows[0])), torch.from_numpy(rows[4]),
                  torch.from_numpy(returns(rows[2], rows[3], rows[5], s)))
    return shown, seen, float(good[~noisy[:, 0]].mean())


def trial(task: str, s: Settings, policy: Any, seed: int, count: int) -> tuple[float, int]:
    """The share of seeds with success, and the time steps that missed their tolerance."""
    envs = LearnVectorEnv(task, count, threads=s.threads)
    good, missed = success(policy, envs, seed)
    envs.close()
    return float(good.mean()), missed


def begin(shown: Shown, s: Settings, rng: np.random.Generator) -> Learner:
    """A learner whose actor is a clone of the demonstrations."""
    torch.manual_seed(0)
    learner = Learner(shown.x.shape[1], shown.a.shape[1], s)
    for k in range(s.clone):
        learner.for_actor.param_groups[0]["lr"] = s.rate * (1.0 - 0.9 * k / s.clone)
        learner.imitate(*shown.draw(rng, s.batch)[:2])
    learner.for_actor = torch.optim.Adam([{"params": [learner.actor[-1].weight], "lr": s.actor_rate},
                                          {"params": [learner.actor[-1].bias], "lr": s.bias_rate},
                                          {"params": [learner.log_deviation], "lr": s.rate}])
    return learner


@dataclass
class Rollout:
    """Actions of an iteration, (actions x environments) rows."""

    x: Tensor
    a: Tensor
    before: Tensor  # their densities
    advantage: Tensor
    target: Tensor  # of the value
    good: list[bool]  # which of the episodes that ended succeeded


def act(learner: Learner, envs: LearnVectorEnv, seen: Seen, raw: Any, s: Settings,
        rng: np.random.Generator) -> tuple[Rollout, Any]:
    """Acts with noise; advantages by the differences of the value (Schulman et al. 2016)."""
    xs, actions, rewards, values, nexts, ends = [], [], [], [], [], []
    good: list[bool] = []
    deviation = learner.log_deviation.exp().detach().numpy()
    with torch.no_grad():
        for _ in range(s.actions):
            x = torch.from_numpy(seen(raw))
            middle = learner.middle(x).numpy()
            a = (middle + deviation * rng.standard_normal(middle.shape)).astype(np.float32)
            raw, reward, terminated, truncated, info = envs.step(a)
            ended = terminated | truncated
            after = last_observations(raw, ended, info)
            following = learner.value(torch.from_numpy(seen(after))).numpy() * ~terminated
            for row, part in zip((xs, actions, rewards, values, nexts, ends),
                                 (x, a, reward * s.reward_scale, learner.value(x).numpy(), following, ended),
                                 strict=True):
                row.append(part)
            if ended.any():
                good += [bool(one) for one in info["final_info"]["is_success"][ended]]
        advantages, later = [], np.zeros(len(raw), np.float32)
        for reward, value, following, ended in zip(rewards[::-1], values[::-1], nexts[::-1], ends[::-1], strict=True):
            later = reward + s.gamma * following - value + s.gamma * s.trace * ~ended * later
            advantages.append(later)
        x, a = torch.cat(xs), torch.from_numpy(np.concatenate(actions))
        advantage = torch.from_numpy(np.concatenate(advantages[::-1]).astype(np.float32))
        target = advantage + torch.from_numpy(np.concatenate(values))
        return Rollout(x, a, learner.density(x, a), advantage, target, good), raw


def update(learner: Learner, got: Rollout, shown: Shown, imitation: float, s: Settings,
           rng: np.random.Generator) -> float:
    """Passes over the actions of an iteration; without imitation (nan) those of the value alone. Returns the
    divergence at their end."""
    advantage = (got.advantage - got.advantage.mean()) / (got.advantage.std() + 1e-8)
    going, divergence = bool(np.isfinite(imitation)), 0.0
    for _ in range(s.epochs):
        for rows in torch.from_numpy(rng.permutation(len(got.x))).split(s.sample):
            learner.judge(got.x[rows], got.target[rows])
            if going:
                divergence = learner.improve(got.x[rows], got.a[rows], got.before[rows], advantage[rows],
                                             shown.draw(rng, s.batch), imitation)
                going = divergence < s.divergence
    return divergence


def learn(task: str, s: Settings, shown: Shown, seen: Seen, curve: list[list[Any]]) -> Policy:
    """Learns until the iterations are used up, or episodes succeed often enough."""
    rng = np.random.default_rng(1)
    learner = begin(shown, s, rng)
    for _ in range(s.value):
        x, _, value = shown.draw(rng, s.batch)
        learner.judge(x, value)
    envs = LearnVectorEnv(task, s.n_env, threads=s.threads)
    raw, _ = envs.reset(seed=LEARNING)
    row = 0
    for k in range(s.iterations):
        got, raw = act(learner, envs, seen, raw, s, rng)
        # The value has first to learn what the clone is worth.
        divergence = update(learner, got, shown, s.imitation * s.fall**k if k > 0 else np.nan, s, rng)
        share = float(np.mean(got.good)) if got.good else 0.0
        curve.append([(k + 1) * s.n_env * s.actions, round(time.process_time(), 1), round(share, 3)])
        print(f"  {curve[-1][0]} actions, {curve[-1][1]} s: {share:.0%} of {len(got.good)} episodes succeed, reward "
              f"{float((got.target - got.advantage).mean()):.2f}, deviation "
              f"{float(learner.log_deviation.detach().exp().mean()):.3f}, divergence {divergence:.3f}", flush=True)
        row = row + 1 if share >= s.enough else 0
        if row == 2:
            break
    envs.close()
    return learner.policy(seen)


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
    torch.set_num_threads(1)
    start = time.monotonic()
    shown, seen, share = demonstrate(given.task, s)
    print(f"{given.task}: {len(shown.x)} demonstrated actions, {share:.0%} of the episodes succeed; {s}", flush=True)
    found: dict[str, Any] = {}
    curve: list[list[Any]] = []
    found["policy"] = learn(given.task, s, shown, seen, curve)
    print(f"learnt in {time.monotonic() - start:.0f} s, {time.process_time():.0f} s of processor time", flush=True)
    if given.curve:
        with open(given.curve, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["actions", "seconds", "success"], *curve])
    if given.policy:
        found["policy"].save(given.policy)
        found["policy"] = Policy.load(given.policy)
    found["clone"] = begin(shown, replace(s, clone=s.only_clone), np.random.default_rng(1)).policy(seen)
    rng = np.random.default_rng(2)
    found["random"] = lambda x: rng.uniform(-1.0, 1.0, (len(x), shown.a.shape[1]))
    shares = {}
    for name, policy in found.items():
        shares[name], missed = trial(given.task, s, policy, LAST, s.last_seeds)
        print(f"{given.task}: {name}: {shares[name]:.0%} of {s.last_seeds} unseen seeds succeed, {missed} time steps "
              "missed", flush=True)
    return shares


if __name__ == "__main__":
    main()
