"""Scenes in memory: listed, read, changed, reduced, copied and put together."""
from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cond
from cond.scene import KINDS

SHIPPED = [name for name in cond.scenes() if name not in ("materials", "bin1000", "dominoes")]


def refused(call: Callable[[], Any], match: str, error: type[Exception] = cond.BadArgument) -> None:
    with pytest.raises(error, match=match):
        call()


def remove(definitions: cond.Definitions[Any], key: int | str) -> None:
    del definitions[key]


def arm() -> cond.Scene:
    """A robot of two links with a ball at its hand."""
    scene = cond.Scene()
    links = [cond.LinkDef(name="upper", kind="revolute", axis=(0, 1, 0), mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0)),
             cond.LinkDef(name="hand", parent="upper", kind="revolute", axis=(0, 1, 0), position=(0, 0, -1), mass=0.5,
                          inertia=(0.1, 0.1, 0.1, 0, 0, 0),
                          shapes=[cond.LinkShapeDef(shape="sphere", size=(0.05, 0, 0))])]
    scene.add(cond.BodyDef(name="arm", kind="robot", links=links, motor_stiffness=10.0))
    scene.add(cond.BodyDef(name="ball", kind="rigid", mass=0.2, shape="sphere", size=(0.05, 0, 0), position=(2, 0, 0)))
    scene.add(cond.AttachmentDef(name="grip", end=[cond.EndDef(body="arm", link="hand"), cond.EndDef(body="ball")]))
    scene.add(cond.SensorDef(name="feel", attachment="grip"))
    scene.add(cond.PlaneDef(name="floor", normal=(0, 0, 1), offset=-3.0))
    return scene


def test_what_a_scene_holds() -> None:
    scene = arm()
    assert scene.bodies.names == ("arm", "ball") and len(scene.bodies) == 2 and "ball" in scene.bodies
    assert [body.kind for body in scene.bodies] == [cond.BodyKind.ROBOT, cond.BodyKind.RIGID]
    assert scene.bodies[-1].name == "ball" and scene.bodies["ball"] is scene.bodies[1]
    assert [body.mass for body in scene.bodies[0:2]] == [0.0, 0.2]
    assert scene.bodies["arm"].links.names == ("upper", "hand")
    assert scene.attachments[0].end[1].body == "ball" and scene.planes["floor"].offset == -3.0
    assert scene.sensors.index("feel") == 0 and scene.sensors.add(cond.SensorDef(on=cond.EndDef(body="ball"))) == 1
    assert scene.sensors.names == ("feel", "sensor1") and scene.of_kind("sensor").names == scene.sensors.names
    assert "'arm', 'ball'" in repr(scene.bodies) and "none" in repr(scene.springs)
    refused(lambda: scene.bodies["bal"], "the scene has no body 'bal'; did you mean 'ball'")
    refused(lambda: scene.bodies[2], "the scene has no body 2; it has 2, numbered from 0")
    refused(lambda: scene.bodies[1.5], "a body goes by its name or its number", TypeError)  # type: ignore[call-overload]
    refused(lambda: scene.bodies.add(cond.PlaneDef()), "bodies: expected a cond.BodyDef", TypeError)  # type: ignore[arg-type]
    refused(lambda: scene.add(cond.Pose()), "Pose is nothing that a scene holds; it holds ActionDef, AttachmentDef")


def test_every_definition_of_every_scene_is_read() -> None:
    n = 0
    for name in SHIPPED:
        scene = cond.Scene(name)
        before = scene.to_text()
        for kind in KINDS:
            for definition in scene.of_kind(kind):
                assert definition.asdict()["name"] and definition.copy().asdict().keys() == definition.asdict().keys()
                n += 1
        assert scene.to_text() == before
    assert n > 300


def test_definitions_are_changed_in_place() -> None:
    scene = arm()
    scene.bodies["arm"].links[1].mass = 3.0
    scene.bodies["arm"].links["hand"].shapes[0].size[0] = 0.07
    scene.bodies["ball"].position[2] = 0.5
    scene.bodies["ball"].set(mass=0.3, velocity=(0, 0, 1))
    scene.attachments["grip"].end[1].point = (0, 0, 0.05)
    model = cond.Model(scene)
    assert model.mass("arm") == 4.0 and model.mass("ball") == 0.3
    state = model.state()
    assert state.pose("ball").position[2] == 0.5 and state.pose("ball").velocity[2] == 1.0
    again = cond.Scene.from_text(scene.to_text())
    assert again.bodies["arm"].links[1].mass == 3.0 and again.bodies["arm"].links[1].shapes[0].size[0] == 0.07
    scene.bodies["arm"].links.append(
        cond.LinkDef(name="tip", parent="hand", kind="fixed", mass=0.1, inertia=(1e-3, 1e-3, 1e-3, 0, 0, 0)))
    assert cond.Model(scene).mass("arm") == pytest.approx(4.1)
    assert cond.Model(again).mass("arm") == 4.0


def test_changes_are_checked_when_the_scene_is_used() -> None:
    scene = arm()
    ball = scene.bodies["ball"]
    ball.mass = -1.0
    for use in (lambda: cond.Model(scene), scene.to_text, scene.copy, lambda: cond.Env(scene)):
        refused(use, "body 'ball': mass")
    ball.mass = 0.2
    ball.shape, ball.size = "box", (0.1, 0.1, 0.1)  # type: ignore[assignment]
    assert cond.Model(scene).size("ball") == pytest.approx(0.1)
    ball.name = "cube"
    refused(lambda: cond.Model(scene), "body 'ball': attachment 'grip' refers to it")
    ball.name = "ball"
    cond.Model(scene)


def test_new_names() -> None:
    scene = arm()
    del scene.sensors["feel"]
    scene.attachments["grip"].name = "hold"
    assert scene.attachments.names == ("hold",) and "hold" in scene.attachments
    scene.sensors.add(cond.SensorDef(name="feel", attachment="hold"))
    assert cond.Model(scene).attachments == ("hold",)
    refused(lambda: scene.attachments["grip"], "the scene has no attachment 'grip'")


def test_definitions_are_replaced_and_removed() -> None:
    scene = arm()
    old = scene.bodies["ball"]
    scene.bodies["ball"] = cond.BodyDef(kind="rigid", mass=0.7, shape="box", size=(0.1, 0.1, 0.1))
    assert scene.bodies.names == ("arm", "ball") and cond.Model(scene).mass("ball") == 0.7
    refused(lambda: setattr(old, "mass", 1.0), "removed from its scene", AttributeError)
    refused(lambda: remove(scene.bodies, "ball"), "body 'ball': attachment 'grip' refers to it")
    refused(lambda: remove(scene.attachments, "grip"), "attachment 'grip': sensor 'feel' refers to it")
    assert scene.bodies.users("ball") == ((cond.SceneKind.ATTACHMENT, "grip"),)
    assert scene.users("attachment", "grip") == ((cond.SceneKind.SENSOR, "feel"),)
    kept = scene.planes["floor"]
    scene.bodies.remove("ball", users=True)
    assert scene.bodies.names == ("arm",) and len(scene.attachments) == len(scene.sensors) == 0
    scene.bodies.add(cond.BodyDef(name="point", kind="particle", mass=1.0))
    first = scene.bodies["point"]
    del scene.bodies["arm"]
    first.mass, kept.offset = 2.0, -1.0  # they moved up, and are still the scene's
    assert scene.bodies[0] is first and cond.Model(scene).mass("point") == 2.0
    assert cond.Scene.from_text(scene.to_text()).planes[0].offset == -1.0


@pytest.mark.parametrize("name", SHIPPED)
def test_users_are_those_that_the_library_knows(name: str) -> None:
    """What cond.Scene.users finds is what refuses a removal, and with its users everything can be removed."""
    scene = cond.Scene(name)
    for kind in KINDS:
        for what in scene.of_kind(kind).names[:20]:
            once = scene.copy()
            users = once.users(kind, what)
            try:
                del once.of_kind(kind)[what]
                assert not users, what
            except cond.BadArgument as error:
                named = re.search(r": (\w+) '(.*)' refers to it", str(error))
                assert named and (cond.SceneKind[named[1].upper()], named[2]) in users, str(error)
                once.of_kind(kind).remove(what, users=True)
                assert what not in once.of_kind(kind)
    for kind in reversed(KINDS):
        for what in scene.of_kind(kind).names:
            del scene.of_kind(kind)[what]
    for mesh in scene.meshes.names:
        del scene.meshes[mesh]
    assert not any(len(scene.of_kind(kind)) for kind in KINDS)


def test_copies_are_on_their_own() -> None:
    scene = arm()
    scene.bodies["ball"].mass = 0.4
    for other in (scene.copy(), copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert other.to_text() == scene.to_text()
        other.bodies["ball"].mass, other.settings.time_step = 0.9, 0.001
        assert scene.bodies["ball"].mass == 0.4 and scene.settings.time_step != 0.001
        assert cond.Model(other).mass("ball") == 0.9
    model = cond.Model(scene)
    scene.bodies["ball"].mass = 0.5
    assert pickle.loads(pickle.dumps(model)).mass("ball") == model.mass("ball") == 0.4


def test_scenes_are_put_together() -> None:
    scene = arm()
    scene.settings.time_step = 0.002
    held = scene.bodies["ball"]
    refused(lambda: scene.include(arm()), "another .* is called .* already")
    assert scene.bodies.names == ("arm", "ball") and len(scene.planes) == 1
    scene.include(arm(), prefix="left_")
    scene.include(scene, prefix="both_")
    assert scene.bodies.names == ("arm", "ball", "left_arm", "left_ball", "both_arm", "both_ball", "both_left_arm",
                                  "both_left_ball")
    assert [end.body for end in scene.attachments["both_left_grip"].end] == ["both_left_arm", "both_left_ball"]
    assert scene.sensors["left_feel"].attachment == "left_grip"
    held.mass = 0.6
    model = cond.Model(scene)
    assert model.mass("ball") == 0.6 and model.mass("left_ball") == 0.2 and model.time_step == 0.002
    refused(lambda: scene.include("push"), "other: expected a cond.Scene", TypeError)  # type: ignore[arg-type]


def test_meshes_and_variations_of_another_scene() -> None:
    ball = cond.Mesh("ball:0.05:3,1")
    first = cond.Scene()
    first.add_mesh("ball", ball)
    first.add(cond.MaterialDef(name="rubber", youngs_modulus=1e5, poisson_ratio=0.3, density=1000.0))
    first.add(cond.BodyDef(name="soft", kind="soft", mesh="ball", material="rubber"))
    first.add(cond.BodyDef(name="box", kind="rigid", mass=1.0, shape="box", size=(0.1, 0.1, 0.1), position=(1, 0, 0)))
    first.add(cond.ExcludeDef(thing=("soft", "box")))
    first.add(cond.VariationDef(name="mass", path="bodies.box.mass", low=1.0, high=2.0))
    both = first.copy()
    both.include(first, prefix="b_")
    assert both.meshes.names == ("ball", "b_ball") and np.array_equal(both.meshes["b_ball"].tet, ball.tet)
    assert both.bodies["b_soft"].mesh == "b_ball" and both.bodies["b_soft"].material == "b_rubber"
    assert both.excludes[1].thing == ("b_soft", "b_box") and both.variations["b_mass"].path == "bodies.b_box.mass"
    assert cond.Model(both).mass("b_soft") == cond.Model(first).mass("soft")
    refused(lambda: both.meshes.remove("b_ball"), "mesh 'b_ball': body 'b_soft' refers to it")
    assert both.users("mesh", "b_ball") == ((cond.SceneKind.BODY, "b_soft"),)
    both.bodies.remove("b_soft", users=True)
    both.meshes.remove("b_ball")
    assert both.meshes.names == ("ball",) and both.excludes.names == ("exclude0",)


def test_a_scene_in_memory_is_compiled_without_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(*_: Any) -> None:
        raise AssertionError("the scene was written as text")

    monkeypatch.setattr(cond.Scene, "to_text", written)
    model = cond.Model(arm())
    assert model.bodies == ("arm", "ball")
