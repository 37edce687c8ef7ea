"""Copies and pickles: what comes back goes on with the same bits, and what cannot says what to do."""
from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cond


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("name", ["push", "kitchen", "pusher", "shapes", "hills", "two_arms", "tasks/lift_soft"])
def test_scenes_models_and_states(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = cond.Scene(name)
    model = cond.Model(scene)
    state = model.state()
    cond.Sim(model).run(state, 2)
    monkeypatch.chdir(tmp_path)
    hashes = set()
    for made in (state, again(state), copy.deepcopy(state)):
        cond.Sim(made.model).run(made, 3)
        hashes.add(made.hash())
    assert len(hashes) == 1
    for other in (again(scene), copy.deepcopy(scene)):
        assert other.to_text() == scene.to_text()
        assert cond.Model(other).state().hash() == model.state().hash()
    assert again(model).state().hash() == model.state().hash() and copy.deepcopy(model) is model


def test_copies_of_scenes_are_their_own() -> None:
    scene = cond.Scene("push")
    other = copy.copy(scene)
    other.settings.time_step = 0.001
    model = cond.Model(scene)
    scene.settings.time_step = 0.004
    assert again(model).time_step == model.time_step == 0.01 and other.settings.time_step == 0.001


def test_relative_paths_begin_where_the_scene_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    monkeypatch.chdir(first)
    cond.Mesh("box:1,1,1:0.1,0.1,0.1").boundary().write("box.obj")
    scene = cond.Scene()
    scene.add(cond.BodyDef(name="box", kind="rigid", mass=1.0, shape="mesh", mesh="box.obj"))
    model = cond.Model(scene)
    monkeypatch.chdir(second)
    assert again(model).state().hash() == model.state().hash()


def test_states_share_their_model_in_a_pickle() -> None:
    model = cond.Model.from_path("push")
    first, second = again([model.state(), model.state()])
    assert first.model is second.model
    second.set(first)


def test_what_a_rollout_and_a_recording_say() -> None:
    model = cond.Model.from_path("push")
    result = again(cond.rollout(model, model.state(), n_step=3))
    assert result.q.shape == (1, 3, 7) and result.final[0].time == pytest.approx(3 * model.time_step)
    moment = again(cond.Snapshot(model).take(model.state()))
    assert moment.time == 0.0 and len(moment.position)
    run = again(cond.Sim(model).run(model.state(), 2))
    assert run.n_step == 2 and run.time.shape == (2,)


def test_workspaces_say_what_to_do() -> None:
    model = cond.Model.from_path("push")
    for thing in (cond.Sim(model), cond.Mechanics(model), cond.Query(model), cond.Solver(), cond.Rollout(model),
                  cond.Audit(model), cond.Snapshot(model), cond.Picture(model)):
        for copied in (pickle.dumps, copy.deepcopy, copy.copy):
            with pytest.raises(TypeError, match=f"a cond.{type(thing).__name__} is a workspace .* make another one"):
                copied(thing)
    problem = cond.Problem([-1.0, 0.0, 0.0])
    problem.add_dense(np.eye(3))
    assert copy.deepcopy(problem).n_dof == 3
    with pytest.raises(TypeError, match=r"problem.write"):
        pickle.dumps(problem)


def test_views_are_copied_whole_and_are_not_written_to_through_dlpack() -> None:
    state = cond.Model.from_path("push").state()
    before = state.q.copy()

    class Elsewhere:
        """Another library, which does not ask whether it may write."""

        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack__(self, **asked: Any) -> Any:
            return self.array.__dlpack__()

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    for view in (state.q, state.configuration("box"), state.q[:3]):
        taken = np.from_dlpack(Elsewhere(view))  # type: ignore[arg-type]
        assert np.array_equal(taken, view) and not np.shares_memory(taken, view)
        if taken.flags.writeable:
            taken[:] = 7.0
    assert np.array_equal(state.q, before)
    with pytest.raises(BufferError, match="for reading: copy it"):
        state.q.__dlpack__(copy=False)
    for plain in (state.q + 1.0, state.q.copy(), again(state.q), copy.deepcopy(state.q), np.array(state.q)):
        assert type(plain) is np.ndarray and plain.flags.writeable
    assert repr(state.q) == repr(before) and type(state.q.sum()) is np.float64


def reward(observation: Any) -> tuple[float, bool]:
    return float(observation[0]), False


def test_environments_go_on_with_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(cond.share("scenes/pusher.yaml")).read_text(encoding="utf-8")
    for make in (lambda: cond.Env("pusher", {"environment.steps": 9}), lambda: cond.Env(cond.Scene("pusher")),
                 lambda: cond.Env(text=text, reward=reward)):
        env = make()
        env.reset(5)
        env.step(env.draw_action(1))
        monkeypatch.chdir(tmp_path)
        for other in (again(env), copy.deepcopy(env), copy.copy(env)):
            assert other is not env and other.hash == env.hash
            copied, result = copy.deepcopy(env), other.step(env.draw_action(2))
            assert result == copied.step(env.draw_action(2)) and other.hash == copied.hash != env.hash
            assert np.array_equal(other.reset(), copied.reset()) and other.hash == copied.hash


def test_batches_go_on_with_the_same_bits() -> None:
    batch = cond.EnvBatch("pusher", 3, {"environment.steps": 4}, threads=2)
    batch.reset([1, 2, 3])
    action = np.full((3, batch.n_action), 0.01)
    batch.step(action)
    other, saved = again(batch), batch.save()
    for _ in range(6):
        assert np.array_equal(other.step(action).observation, batch.step(action).observation)
    batch.load(saved)
    assert batch.save() == saved and other.save() != saved
