"""Pictures of many environments: their arrays, cameras, and the observations of Gymnasium that they become."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cond

SCENE = """
gravity: [0, 0, 0]
bodies:
  - {name: cart, kind: rigid, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 1]}
  - {name: ball, kind: rigid, mass: 1, shape: {sphere: 0.1}, position: [1, 0, 1]}
planes: [{name: ground}]
randomise: [{path: "bodies.ball.position[1]", low: -0.2, high: 0.2}]
attachments: [{name: hold, from: {body: cart}, to: {}}]
actions: [{name: hold, kind: anchor, attachment: hold, linear: 0.01, angular: 0.05}]
environment: {steps: 3}
cameras:
  - {name: front, position: [3, 0, 2], target: [0, 0, 1]}
  - {name: mounted, body: cart, position: [0.1, 0, 0], target: [1, 0, 0]}
"""


def batch(n: int = 4) -> cond.EnvBatch:
    made = cond.EnvBatch(text=SCENE, n=n, threads=1)
    made.reset(list(range(n)))
    return made


def test_frames_are_written_again_and_equal_for_any_number_of_threads() -> None:
    envs = batch()
    one = cond.BatchRenderer(envs, 40, 30, camera="front", depth=True, body=True, threads=1)
    frames = one.draw(envs)
    assert frames.rgb is not None and frames.depth is not None and frames.body is not None
    assert frames.rgb.shape == (4, 30, 40, 3) and frames.rgb.dtype == np.uint8
    assert frames.depth.shape == frames.body.shape == (4, 30, 40)
    assert {int(k) for k in np.unique(frames.body)} <= {0, 1, -2, -3}
    assert np.array_equal(np.isinf(frames.depth), frames.body == -3)
    assert len({frames.rgb[k].tobytes() for k in range(4)}) == 4
    kept = frames.rgb.copy()
    assert one.draw(envs, frames) is frames
    assert np.array_equal(frames.rgb, kept)
    many = cond.BatchRenderer(envs, 40, 30, camera="front", threads=3).draw(envs)
    assert many.depth is None and many.rgb is not None and np.array_equal(many.rgb, kept)
    single = cond.Env(text=SCENE)
    single.reset(2)
    alone = one.draw(single)
    assert alone.rgb is not None and np.array_equal(alone.rgb[0], kept[2])


def test_states_of_a_model_and_a_camera_of_its_own() -> None:
    model = cond.Model.from_text(SCENE)
    states = [model.state(), model.state()]
    camera = cond.CameraDef(body="cart", position=[0.1, 0.0, 0.0], target=[1.0, 0.0, 0.0], field=60.0)
    renderer = cond.BatchRenderer(model, 33, 33, camera=camera, depth=True)
    frames = renderer.draw(states)
    assert frames.depth is not None and abs(float(frames.depth[0, 16, 16]) - 0.8) < 0.01
    assert model.cameras == ("front", "mounted")
    orbit = cond.BatchRenderer(model, 60, 45, camera=cond.Camera(azimuth=30.0), depth=True, triangles=24000, around=24)
    picture = cond.Picture(model, 60, 45, camera=cond.Camera(azimuth=30.0), samples=1, shadows=0)
    picture.draw(states[0])
    theirs, ours = picture.depth(), orbit.draw(states[:1]).depth
    assert ours is not None
    near = np.isclose(ours[0], theirs, rtol=1e-3) | (np.isinf(ours[0]) & np.isinf(theirs))
    assert near.mean() > 0.97


@pytest.mark.parametrize(("options", "message"), [
    ({"camera": "rear"}, "the scene has no camera 'rear'"),
    ({"shapes": "solid"}, "shapes: expected one of visual, collision"),
    ({"width": 0}, "a picture of 0 x 84 pixels"),
    ({"device": "gpu"}, "device"),
    ({"camera": 3}, "camera: expected a name"),
])
def test_what_is_wrong_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cond.BadArgument, match=message):
        cond.BatchRenderer(batch(1), **options)


def test_arrays_that_do_not_fit_are_refused() -> None:
    envs = batch(2)
    renderer = cond.BatchRenderer(envs, 20, 10)
    with pytest.raises(cond.BadArgument, match="rgb: expected uint8"):
        renderer.draw(envs, cond.Frames(np.zeros((2, 20, 10, 3), np.uint8), None, None))
    with pytest.raises(cond.BadArgument, match="expected an EnvBatch"):
        renderer.draw([])


def test_single_environment_passes_the_checker(recwarn: pytest.WarningsRecorder) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    env = cond.gym.PixelEnv(text=SCENE, pixels=(30, 40))
    assert env.observation_space == gymnasium.spaces.Box(0, 255, (30, 40, 3), np.uint8)
    check_env(env, skip_render_check=True)
    full = cond.gym.PixelEnv(text=SCENE, pixels=cond.gym.PixelOptions(20, 20, camera="mounted", depth=True, state=True))
    check_env(full, skip_render_check=True)
    observation, _ = full.reset(seed=1)
    assert set(observation) == {"pixels", "depth", "state"} and observation["depth"].max() <= 10.0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_many_environments_are_seen_as_one_is(mode: str) -> None:
    pytest.importorskip("gymnasium")
    options = cond.gym.PixelOptions(24, 24, camera="front", depth=True)
    envs = cond.gym.PixelVectorEnv(text=SCENE, num_envs=3, pixels=options, autoreset_mode=mode)
    one = cond.gym.PixelEnv(text=SCENE, pixels=options)
    seen, _ = envs.reset(seed=5)
    alone, _ = one.reset(seed=6)
    assert envs.observation_space.contains(seen)
    rng = np.random.default_rng(0)
    for _ in range(7):
        assert np.array_equal(seen["pixels"][1], alone["pixels"])
        assert np.array_equal(seen["depth"][1], alone["depth"])
        actions = rng.uniform(-0.01, 0.01, envs.action_space.shape)
        over = one.env.over
        seen, _, terminated, truncated, info = envs.step(actions)
        if mode == "NextStep" and over:
            alone, _ = one.reset()
            continue
        alone, *_ = one.step(actions[1])
        if mode == "SameStep" and one.env.over:
            assert truncated.all() and not terminated.any()
            assert np.array_equal(info["final_obs"][1]["pixels"], alone["pixels"])
            alone, _ = one.reset()


def test_arrays_are_used_again_where_it_is_asked_for() -> None:
    pytest.importorskip("gymnasium")
    envs = cond.gym.PixelVectorEnv(text=SCENE, num_envs=2, pixels=(16, 16), reuse=True)
    first, _ = envs.reset(seed=0)
    second, *_ = envs.step(np.zeros(envs.action_space.shape))
    assert first is second
    shared = np.from_dlpack(second)
    assert shared.shape == (2, 16, 16, 3)


def test_cameras_stand_in_files(tmp_path: Path) -> None:
    scene = cond.Scene.from_text(SCENE)
    assert [camera.name for camera in scene.cameras] == ["front", "mounted"]
    scene.add(cond.CameraDef(name="side", position=[0.0, -2.0, 1.0]))
    scene.write(tmp_path / "scene.yaml")
    again = cond.Scene.from_path(tmp_path / "scene.yaml")
    assert list(again.cameras[2].position) == [0.0, -2.0, 1.0] and again.cameras[1].body == "cart"
    with pytest.raises(cond.Error, match="camera 'eye': position: is required"):
        scene.add(cond.CameraDef(name="eye"))
