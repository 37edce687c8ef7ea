"""Values that a simulation changes between two steps, and contacts that begin and end."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cond


def hash_after(model: cond.Model, change: Callable[[cond.Sim], Any] | None, steps: int = 20) -> int:
    sim, state = cond.Sim(model), model.state()
    if change is not None:
        change(sim)
    sim.run(state, steps)
    return state.hash()


def with_friction(sim: cond.Sim, friction: float) -> None:
    surface = sim.surface("box")
    surface.friction = friction
    sim.set_surface("box", surface)
    sim.set_plane_surface(0, cond.SurfaceDef(friction=friction))


def test_values_give_the_bits_of_a_scene_with_them() -> None:
    scene = cond.Scene("push")
    plain = cond.Model(scene)
    scene.settings.gravity = (0.0, 0.0, -1.62)
    assert hash_after(plain, lambda sim: sim.set_gravity((0, 0, -1.62))) == hash_after(cond.Model(scene), None)
    scene = cond.Scene("push")
    scene.bodies["box"].mass *= 2.0
    heavy = cond.Model(scene)
    assert hash_after(plain, lambda sim: sim.set_mass("box", heavy.mass("box"))) == hash_after(heavy, None)
    scene = cond.Scene("push")
    scene.bodies["box"].surface.friction = scene.planes[0].surface.friction = 0.05
    assert hash_after(plain, lambda sim: with_friction(sim, 0.05)) == hash_after(cond.Model(scene), None)


def test_values_are_the_sims_own() -> None:
    model = cond.Model.from_path("push")
    sim, other, state = cond.Sim(model), cond.Sim(model), model.state()
    before = model.parameters
    sim.set_mass("box", 7.0)
    sim.set_gravity((0, 0, -3.0))
    assert sim.inertia("box").mass == 7.0 and other.inertia("box").mass == model.mass("box") != 7.0
    assert sim.current_model.mass("box") == 7.0 and sim.gravity.tolist() == [0, 0, -3]
    assert model.parameters == other.current_model.parameters == before != sim.current_model.parameters
    sim.step(state)
    assert state.parameters == sim.current_model.parameters
    mechanics = cond.Mechanics(sim.current_model, state)
    assert mechanics.weight("box")[2] == pytest.approx(-21.0)
    sim.reset_parameters()
    assert sim.current_model.parameters == before and sim.inertia("box").mass == model.mass("box")


def test_materials_and_links() -> None:
    model = cond.Model.from_text(
        "materials: [{name: rubber, youngs_modulus: 1e5, poisson_ratio: 0.3, density: 1000}]\n"
        "bodies: [{name: block, kind: soft, mesh: 'box:2,2,2:0.1,0.1,0.1', material: rubber, position: [2, 0, 1]},\n"
        "         {name: arm, kind: robot, urdf: panda.urdf}]", folder=cond.share("scenes"))
    sim = cond.Sim(model)
    material = sim.material("block")
    material.density *= 3.0
    sim.set_material("block", material)
    assert sim.current_model.mass("block") == pytest.approx(3.0 * model.mass("block"))
    held = sim.inertia("arm", "panda_hand").mass
    sim.set_mass("arm", held + 1.5, "panda_hand")
    assert sim.current_model.mass("arm") == pytest.approx(model.mass("arm") + 1.5)
    sim.set_surface("arm", cond.SurfaceDef(friction=0.9), "panda_hand")
    assert sim.surface("arm", "panda_hand").friction.tolist() == [0.9, 0.9]


def test_what_is_refused() -> None:
    model = cond.Model.from_path("push")
    sim = cond.Sim(model)
    for call, match in ((lambda: sim.set_mass("box", -1.0), "mass"),
                        (lambda: sim.set_gravity((0, np.nan, 0)), "gravity"),
                        (lambda: sim.set_surface("box", cond.SurfaceDef(restitution=2.0)), "restitution"),
                        (lambda: sim.material("box"), "box"), (lambda: sim.plane_surface("flor"), "no plane 'flor'"),
                        (lambda: sim.obstacle_surface(0), "no obstacle 0")):
        with pytest.raises(cond.Error, match=match):
            call()
    with pytest.raises(cond.BadArgument, match="belongs to an environment"):
        cond.Env("pusher").sim.set_gravity((0, 0, 0))
    with pytest.raises(TypeError, match=r"surface: expected a cond\.SurfaceDef"):
        sim.set_surface("box", 0.5)  # type: ignore[arg-type]


def test_contacts_begin_and_end() -> None:
    model = cond.Model.from_text("planes: [{name: floor}]\nbodies: [{name: ball, kind: rigid, mass: 1, shape: {sphere: "
                                 "0.1}, position: [0, 0, 0.12], restitution: 0.8}]")
    sim, state = cond.Sim(model), model.state()
    changes: list[tuple[cond.ContactChange, int, int]] = []
    for _ in range(60):
        sim.step(state)
        for event in sim.events():
            changes.append((cond.ContactChange(event["change"]), int(event["body"][0]), int(event["plane"])))
            if event["change"] == cond.ContactChange.BEGAN:
                assert event["impulse"] > 0.0 and event["normal"] == pytest.approx([0, 0, 1])
    began = [change is cond.ContactChange.BEGAN for change, _, _ in changes]
    assert len(changes) >= 3 and began == [k % 2 == 0 for k in range(len(began))]
    assert all(body == 0 and plane == 0 for _, body, plane in changes)
    assert model.planes == ("floor",) and model.plane("floor") == 0 and model.obstacles == ()
