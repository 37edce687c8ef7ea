"""Environments: the forms of Gymnasium, the same bits alone and in a batch, pictures and the page."""
from __future__ import annotations

import gc
import json
import urllib.error
import urllib.request
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cond
from cond.tasks import TASKS

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

SHORT = ("environment.steps=7",)  # many episodes in few steps


def make_vec(n: int, mode: AutoresetMode, **kwargs: object) -> Any:
    return gymnasium.make_vec("cond/Pusher-v0", num_envs=n, vectorization_mode="vector_entry_point", overrides=SHORT,
                              autoreset_mode=mode, **kwargs)


@pytest.mark.parametrize("name", TASKS)
def test_check_env(name: str) -> None:
    """Gymnasium's checker, and what learners ask of goals: only tasks that have them have compute_reward, and that
    gives the rewards of steps to the bit, alone and in rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers without bounds
        env = gymnasium.make(name).unwrapped
        check_env(env, skip_render_check=True)
        check_env(cond.gym.LearnEnv(name), skip_render_check=True)
    has_goals = isinstance(env.observation_space, gymnasium.spaces.Dict)
    assert hasattr(env, "compute_reward") == has_goals
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(3 if has_goals else 0):
        observation, reward, _, _, info = env.step(env.action_space.sample())
        achieved, desired = observation["achieved_goal"], observation["desired_goal"]
        assert env.compute_reward(achieved, desired, info) == reward
        rows = env.compute_reward(np.stack([achieved] * 2), np.stack([desired] * 2), np.array([info, info]))
        assert rows.shape == (2,) and rows[0] == reward
        assert env.compute_reward(achieved, desired, {}) == info["goal_reward"]
        reached = env.compute_reward(achieved, achieved, info)
        best = env.compute_reward(achieved, achieved, {})
        assert np.isclose(reached, reward + best - info["goal_reward"]) and reached > reward


@pytest.mark.parametrize("name", TASKS)
def test_check_stable_baselines(name: str) -> None:
    """Stable-Baselines3's checker, where that is installed."""
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    env = gymnasium.make(name).unwrapped
    checker.check_env(env, warn=False, skip_render_check=True)
    env.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(cond.gym.LearnEnv(name), skip_render_check=True)


def test_render() -> None:
    env = gymnasium.make("cond/Pusher-v0", render_mode="rgb_array")
    env.reset(seed=1)
    pixels = env.render()
    assert pixels.shape == (360, 480, 3) and pixels.dtype == np.uint8 and pixels.std() > 5
    env.close()
    env.close()


def test_vector_of_processes() -> None:
    """Gymnasium's own vector environments in processes: forked, after the library was used, and spawned."""
    ours = make_vec(2, AutoresetMode.NEXT_STEP)
    first, _ = ours.reset(seed=5)
    rows = [ours.step(np.full((2, 3), 0.002))[0] for _ in range(9)]
    for context in ("fork", "spawn"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of forks where there are threads, as BLAS has
            theirs = gymnasium.make_vec("cond/Pusher-v0", num_envs=2, vectorization_mode="async", overrides=SHORT,
                                        vector_kwargs={"context": context})
        other, _ = theirs.reset(seed=5)
        assert np.array_equal(first, other)
        for row in rows:
            assert np.array_equal(row, theirs.step(np.full((2, 3), 0.002))[0])
        theirs.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_vector_is_many(mode: AutoresetMode) -> None:
    """The batch gives the bits of environments stepped one by one by Gymnasium, and says of ends what that says."""
    n = 3
    ours = make_vec(n, mode)
    theirs = SyncVectorEnv([lambda: gymnasium.make("cond/Pusher-v0", overrides=SHORT) for _ in range(n)],
                           autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == mode
    first, info = ours.reset(seed=5)
    second, other = theirs.reset(seed=5)
    assert np.array_equal(first, second) and first in ours.observation_space and info.keys() == other.keys()
    ours.action_space.seed(2)
    for k in range(20):
        action = ours.action_space.sample()
        a, b = ours.step(action), theirs.step(action)
        for x, y in zip(a[:4], b[:4], strict=True):
            assert np.array_equal(x, y) and x.dtype == y.dtype, k
        assert a[4].keys() == b[4].keys()
        assert np.array_equal(a[4]["_certificate"], b[4]["_certificate"])
        if mode != AutoresetMode.SAME_STEP:
            assert np.array_equal(a[4]["certificate"], b[4]["certificate"])
        elif "final_obs" in a[4]:
            assert np.array_equal(a[4]["_final_obs"], b[4]["_final_obs"])
            for x, y in zip(a[4]["final_obs"], b[4]["final_obs"], strict=True):
                assert (x is None) == (y is None) and (x is None or np.array_equal(x, y))
            assert np.array_equal(a[4]["final_info"]["certificate"], b[4]["final_info"]["certificate"])
        if mode == AutoresetMode.DISABLED and (a[2] | a[3]).any():
            mask = a[2] | a[3]
            x, _ = ours.reset(options={"reset_mask": mask})
            y, _ = theirs.reset(options={"reset_mask": mask})
            assert np.array_equal(x, y)
    ours.close()


def test_overrides_add_to_the_task() -> None:
    """Overrides of the caller come after those that make the task what it is."""
    for make in (gymnasium.make, lambda name, **told: gymnasium.make_vec(
            name, num_envs=1, vectorization_mode="vector_entry_point", **told)):
        plain = make("cond/LiftSoft-IK-v0").unwrapped
        for overrides in (["step.time_step=0.004"], {"step.time_step": 0.004}):
            env = make("cond/LiftSoft-IK-v0", overrides=overrides).unwrapped
            assert env.action_layout == plain.action_layout
    assert gymnasium.make("cond/LiftSoft-IK-v0", overrides=overrides).unwrapped.env.model.time_step == 0.004
    with pytest.raises(cond.BadArgument, match="only one"):
        cond.gym.TaskEnv("pusher", task="cond/Pusher-v0")
    with pytest.raises(cond.BadArgument, match="cond/Pusher-v0"):
        cond.gym.TaskVectorEnv(task="cond/Pushr-v0")


def test_threads_and_seeds() -> None:
    """Bits depend on the seeds alone: not on threads, neighbours or the order."""
    runs = []
    for threads, seeds in ((1, [4, 9, 4]), (2, [9, 4, 4])):
        batch = cond.EnvBatch("pusher", 3, SHORT, threads=threads)
        start = batch.reset(seeds)
        action = np.full((3, batch.n_action), 0.004)
        rows = [start] + [batch.step(action).observation for _ in range(16)]
        runs.append(np.stack(rows))
    assert np.array_equal(runs[0][:, 0], runs[0][:, 2])
    assert np.array_equal(runs[0][:, 0], runs[1][:, 1]) and np.array_equal(runs[0][:, 1], runs[1][:, 0])
    assert not np.array_equal(runs[0][:, 0], runs[0][:, 1])


def test_certificate_and_layout() -> None:
    env = gymnasium.make("cond/Pusher-v0").unwrapped
    observation, info = env.reset(seed=0)
    assert info == {"certificate": 0.0, "missed": 0, "is_success": False}
    observation, reward, _, _, info = env.step(env.action_space.high)
    assert 0 < info["certificate"] <= 1e-6 and info["missed"] == 0
    assert observation[env.layout["certificate"]] == info["certificate"]
    box = observation[env.layout["box.position"]]
    assert np.isclose(np.linalg.norm(box - [0.2, 0, 0.05]), -reward, atol=1e-2)
    assert env.action_layout.keys() == {"hand"} or len(env.action_layout) >= 1


def test_errors_are_said() -> None:
    with pytest.raises(cond.BadInput, match="bodies"):
        cond.Env("pusher", ["bodies.none.mass=1"])
    with pytest.raises(cond.BadArgument, match="scene or of a text"):
        cond.Env()
    env = cond.Env("pusher")
    with pytest.raises(cond.BadArgument, match="shape"):
        env.step([0.0])
    with pytest.raises(cond.BadArgument):
        env.step([np.nan, 0, 0])
    with pytest.raises(gymnasium.error.UnsupportedMode):
        gymnasium.make("cond/Pusher-v0", render_mode="ascii")


def test_own_reward_and_text() -> None:
    """A reward in Python adds to the scene's, and what it raises is raised by the step."""
    text = Path(cond.share("scenes/pusher.yaml")).read_text(encoding="utf-8")
    plain = cond.Env(text=text)
    asked = []

    def reward(observation: np.ndarray) -> tuple[float, bool]:
        asked.append(observation[0])
        return 10.0, len(asked) == 3

    env = cond.Env(text=text, reward=reward)
    plain.reset(1), env.reset(1)
    for k in range(3):
        a, b = plain.step([0.001, 0, 0]), env.step([0.001, 0, 0])
        assert b.reward == a.reward + 10.0 and b.done == (k == 2)

    def wrong(observation: np.ndarray) -> tuple[float, bool]:
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"):
        cond.Env("pusher", reward=wrong).step([0, 0, 0])
    batch = cond.EnvBatch("pusher", 4, reward=lambda o: (float(o[0]), False))
    rewards = batch.step(np.zeros((4, 3))).reward
    assert np.isfinite(rewards).all()


GOALS = """
bodies: [{name: ball, mass: 0.2, shape: {sphere: 0.03}, position: [0, 0, 0.05]}]
attachments: [{name: hand, from: {body: ball}, to: {}, turns: false, stiffness: 2000, damping: 20}]
environment: {steps: 5, substeps: 2}
randomise: [{path: "rewards.way.goal[0]", low: -0.1, high: 0.1}]
actions: [{name: hand, kind: anchor, attachment: hand, turns: false, linear: 0.05}]
rewards: [{name: way, kind: distance, body: ball, goal: [0, 0, 0.05], weight: -1, desired: true, success_below: 0.02}]
"""


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_goals(mode: AutoresetMode) -> None:
    """Goals come as a dict, alone and in a batch, and the reward follows from them."""
    def make() -> Any:
        return cond.gym.TaskEnv(text=GOALS)

    env = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)
    ours: Any = cond.gym.TaskVectorEnv(text=GOALS, num_envs=2, autoreset_mode=mode)
    theirs: Any = SyncVectorEnv([make, make], autoreset_mode=mode)
    first, _ = ours.reset(seed=3)
    other, _ = theirs.reset(seed=3)
    assert first in ours.observation_space
    reached = 0
    for _ in range(9 if mode != AutoresetMode.DISABLED else 5):
        assert first.keys() == other.keys()
        assert all(np.array_equal(first[name], other[name]) for name in first)
        action = np.clip(first["desired_goal"] - first["achieved_goal"], -0.05, 0.05)
        first, reward, _, _, info = ours.step(action)
        other, expected, _, _, more = theirs.step(action)
        assert np.array_equal(reward, expected) and info.keys() == more.keys()
        assert np.array_equal(info["is_success"], more["is_success"]) or mode == AutoresetMode.SAME_STEP
        reached += int(info["is_success"].sum())
    assert reached > 0
    observation, _ = env.reset(seed=1)
    achieved, desired = observation["achieved_goal"], observation["desired_goal"]
    assert np.isclose(env.compute_reward(achieved, desired, {}), -np.linalg.norm(achieved - desired))
    assert env.compute_reward(np.stack([achieved, desired]), np.stack([desired, desired]), {})[1] == 0.0


def test_borrowed_outlives() -> None:
    """What is kept of an environment stays as it was, whatever that does next."""
    env, plain = cond.Env("pusher"), cond.Env("pusher")
    env.reset(1), plain.reset(1)
    env.step([0.005, 0, 0]), plain.step([0.005, 0, 0])
    state, model, sim = env.state, env.model, env.sim
    q, before = state.q, state.q.copy()
    picture = cond.Picture(env.model, 32, 24)
    pixels = picture.draw(state, sim)
    for _ in range(3):
        assert np.array_equal(env.reset(), plain.reset())
        env.step([0.001, 0, 0]), plain.step([0.001, 0, 0])
    assert env.hash == plain.hash
    assert np.array_equal(q, before) and np.array_equal(picture.draw(state, sim), pixels)
    with pytest.raises(cond.BadArgument):
        picture.draw(cond.Model.from_path("drop").state())
    del env
    assert np.array_equal(state.q, before) and model.n_body == 2
    del state, model, sim
    assert np.array_equal(q, before)


def test_cycles() -> None:
    """Objects that go together, in a circle of references, are destroyed in an order that C can bear."""
    for turned in (False, True):
        for _ in range(4):
            env = cond.Env("pusher")
            state = env.state
            things: list[object] = [env, env.model, state, env.sim, state.q]
            picture = cond.Picture(env.model, 16, 12)
            picture.draw(state, env.sim)
            model = cond.Model.from_path("drop")
            things += [picture, model, model.state(), cond.Sim(model), cond.Query(model), cond.Mechanics(model)]
            things = things[::-1] if turned else things
            things.append(things)
            del env, state, picture, model, things
            gc.collect()


def test_save_and_load() -> None:
    env, other = cond.Env("pusher"), cond.Env("pusher")
    env.reset(3)
    for k in range(5):
        env.step(env.draw_action(k))
    other.load(env.save())
    assert other.hash == env.hash
    for k in range(3):
        assert other.step(env.draw_action(k)) == env.step(env.draw_action(k))
    with pytest.raises(cond.Error):
        other.load(b"nothing")


def test_pictures() -> None:
    model = cond.Model.from_path("drop")
    state = model.state()
    camera = cond.Camera(azimuth=20.0, elevation=35.0)
    picture = cond.Picture(model, 64, 48, camera=camera)
    first = picture.draw(state)
    assert first.shape == (48, 64, 3)
    depth = picture.depth()
    assert depth.shape == (48, 64) and np.isfinite(depth).any() and np.nanmin(depth) > 0
    used = picture.camera
    assert used.azimuth == 20.0 and np.isfinite(used.distance) and np.isfinite(used.target).all()
    again = cond.Picture(model, 64, 48, camera=used)
    assert np.array_equal(first, again.draw(state))
    with pytest.raises(cond.BadArgument, match="0 x 48"):
        cond.Picture(model, 0, 48)


def test_vector_pictures() -> None:
    envs = make_vec(2, AutoresetMode.NEXT_STEP, render_mode="rgb_array", width=32, height=24)
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 2 and frames[0].shape == (24, 32, 3)
    for _ in range(9):
        envs.step(envs.action_space.sample())
    assert len(envs.render()) == 2
    envs.close()


def get(address: str, **headers: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
        data: bytes = answer.read()
    return data


def test_live_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page is sent: the scene, and frames whose sizes are those that it says."""
    try:
        model = cond.Model.from_path("drop")
        sim, state = cond.Sim(model), model.state()
        page: Any = cond.view(sim, state, show=False)
    except cond.NoFile:
        pytest.skip("the viewer's page is not built")
    with page:
        assert b"<html" in get(page.address)
        scene = json.loads(get(page.address + "scene.json"))
        assert scene["format"] == 2 and scene["live"]
        frame = get(page.address + "next/-1")
        page.update(info=sim.step(state))
        later = get(page.address + "next/0")
        for index, data in ((0, frame), (1, later)):
            head = np.frombuffer(data, "<i4", 6)
            assert data[:4] == b"CFRM" and head[1] == index and head[2] == scene["n_point"]
            assert head[4] == len(scene["numbers"]) and head[5] == len(scene["fields"])
            assert len(data) == 24 + 8 * head[4] + 4 * ((3 + head[5]) * head[2] + 18 * head[3])
        with pytest.raises(urllib.error.HTTPError):
            get(page.address, Host="elsewhere.example")
        assert page.address in page._repr_html_()
    with pytest.raises(urllib.error.URLError):
        get(page.address)


def test_options_that_do_nothing_are_refused() -> None:
    env = gymnasium.make("cond/Pusher-v0")
    envs = gymnasium.make_vec("cond/Pusher-v0", num_envs=2)
    with pytest.raises(cond.BadArgument, match="a reset has no option 'goal'"):
        env.reset(options={"goal": 1})
    with pytest.raises(cond.BadArgument, match="no option 'reset_msk'; did you mean 'reset_mask'"):
        envs.reset(options={"reset_msk": np.ones(2, np.bool_)})
    with pytest.raises(cond.BadArgument, match="a picture of -1 x 360 pixels"):
        gymnasium.make("cond/Pusher-v0", render_mode="rgb_array", width=-1)
    env.reset(seed=0, options={})
    envs.reset(seed=0)
    envs.reset(options={"reset_mask": np.array([True, False])})
    env.close()
    envs.close()
