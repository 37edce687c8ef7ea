"""Model: a compiled scene. It never changes, so that threads may share it."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Array, Path, maybe, own, text, view
from cond.mesh import Mesh
from cond.names import Handle, numbered
from cond.scene import Scene
from cond.structs import (
    BodyKind,
    JointInfo,
    LeftOut,
    SceneSettings,
    SensorKind,
)

if TYPE_CHECKING:
    from cond.state import State

Name = int | str  # of a body, link, joint, sensor: its number or its name


class Model(Handle):
    """What a scene compiles to: sizes, names, joints, settings. Bodies, links and joints go by number or by name.

        model = cond.Model.from_path("drop")
        state = model.state()
    """

    __slots__ = ("_base", "_source")

    def __init__(self, scene: Scene) -> None:
        """Compiles a scene, which may be changed or forgotten afterwards."""
        self._compile(scene)
        self._source: Scene | None = scene.copy()

    @classmethod
    def _of(cls, scene: Scene) -> Model:
        """Of a scene that the caller does not keep, which needs no copy."""
        model = cls.__new__(cls)
        model._compile(scene)
        model._source = scene
        return model

    def _compile(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(f"expected a cond.Scene, not {scene!r}; a file is read by cond.Model.from_path")
        made, error = ffi.new("CondModel**"), new_error()
        check(lib.cond_scene_compile(scene._ready(), made, error), error)
        self._c = own(made[0], lib.cond_model_destroy)
        self._base = self._c  # of the model whose states this one takes

    def __reduce__(self) -> Any:
        """A pickle has the scene, from which the model is compiled again: the same bits, by the same version."""
        if self._source is None:
            raise TypeError("a cond.Model that an environment lends cannot be pickled: pickle the environment")
        make, described = self._source.__reduce__()
        return model_of, (type(self), make, described)

    def __copy__(self) -> Model:
        return self  # it never changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self

    @classmethod
    def from_path(cls, path: Path, overrides: Sequence[str] | dict[str, Any] = (), *,
                  seed: int | None = None) -> Model:
        """Reads and compiles a scene: a YAML or MJCF file, or the name of one that ships with COND (cond.scenes)."""
        return cls._of(Scene.from_path(path, overrides, seed=seed))

    @classmethod
    def from_text(cls, text: str, overrides: Sequence[str] | dict[str, Any] = (), *,
                  folder: Path | None = None) -> Model:
        """Compiles a text in YAML, whose files are looked for from the folder."""
        return cls._of(Scene.from_text(text, overrides, folder=folder))

    @classmethod
    def from_urdf(cls, path: Path, **fields: Any) -> Model:
        """Compiles a scene with one robot and nothing else."""
        return cls._of(Scene.from_urdf(path, **fields))

    @classmethod
    def at(cls, pointer: Any, owner: Any, base: Any = None) -> Model:
        """The model where C has it; `owner`, a handle, keeps it alive. base: the handle of the model whose states it
        takes, where that is another one."""
        model = cls.__new__(cls)
        model._c = own(pointer, lambda _: None, owner)
        model._base = model._c if base is None else base
        model._source = None
        return model

    def state(self) -> State:
        """A state at the model's initial configuration."""
        from cond.state import State

        return State(self)

    @property
    def settings(self) -> SceneSettings:
        """The settings that it was compiled with, for reading."""
        return SceneSettings.from_c(
            lib.cond_model_settings(self._c), self._c,
            "the settings of a model are for reading, because a model never changes; set cond.Scene.settings and "
            "compile the scene, or take a copy: settings.copy()")

    @property
    def name(self) -> str:
        """Of the scene."""
        return text(lib.cond_model_settings(self._c).name)

    @property
    def time_step(self) -> float:
        """[s]"""
        return float(lib.cond_model_settings(self._c).time_step)

    # Sizes.

    @property
    def n_dof(self) -> int:
        """Velocity coordinates of all bodies."""
        return int(lib.cond_model_n_dof(self._c))

    @property
    def n_q(self) -> int:
        """Numbers of the configuration of all bodies."""
        return sum(lib.cond_model_body_n_q(self._c, b) for b in range(self.n_body))

    @property
    def n_body(self) -> int:
        """How many bodies there are."""
        return int(lib.cond_model_n_body(self._c))

    @property
    def n_attachment(self) -> int:
        """How many attachments the scene has."""
        return int(lib.cond_model_n_attachment(self._c))

    @property
    def n_trajectory(self) -> int:
        """How many trajectories the scene has."""
        return int(lib.cond_model_n_trajectory(self._c))

    @property
    def n_sensor(self) -> int:
        """How many sensors there are."""
        return int(lib.cond_model_n_sensor(self._c))

    # Bodies.

    def body(self, body: Name) -> int:
        """Number of a body by name; raises where there is none."""
        return numbered("body", body, lib.cond_model_n_body(self._c),
                        lambda text: lib.cond_model_find_body(self._c, text), lambda: self.bodies)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return tuple(self.body_name(b) for b in range(self.n_body))

    def body_name(self, body: int) -> str:
        """Name of the body with this index."""
        return text(lib.cond_model_body_name(self._c, self.body(body)))

    def body_kind(self, body: Name) -> BodyKind:
        """Whether a body is a particle, rigid, soft, a robot or a rod."""
        return BodyKind(lib.cond_model_body_kind(self._c, self.body(body)))

    def mass(self, body: Name) -> float:
        """Of a whole body [kg]."""
        return float(lib.cond_model_mass(self._c, self.body(body)))

    def size(self, body: Name) -> float:
        """The longest edge of a box around what may touch of a body, at the start [m]."""
        return float(lib.cond_model_size(self._c, self.body(body)))

    def dofs(self, body: Name) -> slice:
        """Where the velocity coordinates of a body are: state.v[model.dofs("box")]."""
        index = self.body(body)
        begin = lib.cond_model_dof_begin(self._c, index)
        return slice(begin, begin + lib.cond_model_body_n_dof(self._c, index))

    def qs(self, body: Name) -> slice:
        """Where the configuration of a body is: state.q[model.qs("box")]."""
        index = self.body(body)
        begin = sum(lib.cond_model_body_n_q(self._c, b) for b in range(index))
        return slice(begin, begin + lib.cond_model_body_n_q(self._c, index))

    def n_node(self, body: Name) -> int:
        """Nodes of a soft body; 0 for others."""
        return int(lib.cond_model_n_node(self._c, self.body(body)))

    def n_tet(self, body: Name) -> int:
        """Tetrahedra of a soft body; 0 for others."""
        return int(lib.cond_model_n_tet(self._c, self.body(body)))

    def rest(self, body: Name) -> Array:
        """Nodes of a soft body where it is free of stress, world axes as the scene places it [m] (n_node x 3);
        read-only."""
        index = self._soft(body)
        return view(lib.cond_model_rest(self._c, index), (lib.cond_model_n_node(self._c, index), 3), self._c)

    def tets(self, body: Name) -> NDArray[np.int32]:
        """Nodes of the tetrahedra of a soft body (n_tet x 4); read-only."""
        index = self._soft(body)
        return view(lib.cond_model_tet(self._c, index), (lib.cond_model_n_tet(self._c, index), 4), self._c)

    def triangles(self, body: Name) -> NDArray[np.int32]:
        """Nodes of the surface of a soft body, outward (n_triangle x 3); read-only."""
        index, n = self._soft(body), ffi.new("int*")
        triangle = lib.cond_model_triangle(self._c, index, n)
        return view(triangle, (n[0], 3), self._c)

    def mesh(self, body: Name) -> Mesh:
        """A soft body free of stress, as a mesh of its own."""
        return Mesh.of(self.rest(body), self.tets(body))

    def _soft(self, body: Name) -> int:
        index = self.body(body)
        if (kind := self.body_kind(index)) != BodyKind.SOFT:
            raise BadArgument(f"{self.body_name(index)!r} is of the kind {kind.name.lower()}; only soft bodies have "
                              "tetrahedra")
        return index

    # Links and joints.

    def n_link(self, body: Name) -> int:
        """Links of a rod or a robot; 0 for other bodies."""
        return int(lib.cond_model_n_link(self._c, self.body(body)))

    def link(self, body: Name, link: Name) -> int:
        """Number of a link by name; raises where there is none."""
        index = self.body(body)
        return numbered("link", link, lib.cond_model_n_link(self._c, index),
                        lambda text: lib.cond_model_find_link(self._c, index, text), lambda: self.links(index), body)

    def links(self, body: Name) -> tuple[str, ...]:
        """Names of the links of a robot, its base first; those of a rod have none."""
        index = self.body(body)
        names = (maybe(lib.cond_model_link_name(self._c, index, k)) for k in range(self.n_link(index)))
        return tuple(name or "" for name in names)

    def link_name(self, body: Name, link: int) -> str | None:
        """Of a robot; None where there is no such link."""
        return maybe(lib.cond_model_link_name(self._c, self.body(body), link))

    def n_joint(self, body: Name) -> int:
        """Joints of a robot that move."""
        return int(lib.cond_model_n_joint(self._c, self.body(body)))

    def find_joint(self, body: Name, joint: Name) -> int:
        """Number of a joint by name; raises where there is none."""
        index = self.body(body)
        return numbered("joint", joint, lib.cond_model_n_joint(self._c, index),
                        lambda text: lib.cond_model_find_joint(self._c, index, text), lambda: self.joints(index), body)

    def joint(self, body: Name, joint: Name) -> JointInfo:
        """Kind, place in q and v, limits, effort, damping of a joint."""
        info = JointInfo()
        status = lib.cond_model_joint(self._c, self.body(body), self.find_joint(body, joint), info.pointer)
        check(status, what=f"joint {joint!r} of {body!r}")
        info._keep[""] = self._c  # its name is the model's
        return info

    def joints(self, body: Name) -> tuple[str, ...]:
        """Names of the joints of a robot that move, base to tips."""
        return tuple(self.joint(body, j).name for j in range(self.n_joint(body)))

    def n_coordinate(self, body: Name) -> int:
        """Slides and angles of all joints of a robot: what motors drive and limits bound."""
        return int(lib.cond_model_n_coordinate(self._c, self.body(body)))

    def coordinates(self, body: Name) -> tuple[str, ...]:
        """Their names."""
        index = self.body(body)
        return tuple(text(lib.cond_model_coordinate_name(self._c, index, c)) for c in range(self.n_coordinate(index)))

    def coordinate(self, body: Name, coordinate: Name) -> int:
        """Number of a coordinate by name; raises where there is none."""
        index = self.body(body)
        return numbered("joint coordinate", coordinate, lib.cond_model_n_coordinate(self._c, index),
                        lambda text: lib.cond_model_find_coordinate(self._c, index, text),
                        lambda: self.coordinates(index), body)

    def n_rod_joint(self, body: Name) -> int:
        """Joints between the links of a rod; 0 for other bodies."""
        return int(lib.cond_model_n_rod_joint(self._c, self.body(body)))

    def _rod(self, body: Name) -> int:
        index = self.body(body)
        if (kind := self.body_kind(index)) != BodyKind.ROD:
            raise BadArgument(f"{self.body_name(index)!r} is of the kind {kind.name.lower()}; only rods have this "
                              "stress")
        return index

    # What else the scene holds.

    @property
    def planes(self) -> tuple[str, ...]:
        """Names of the planes."""
        return self._names(lib.cond_model_plane_name)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Names of the obstacles."""
        return self._names(lib.cond_model_obstacle_name)

    def _names(self, name_of: Any) -> tuple[str, ...]:
        """All names that a function of the library gives, until it gives none."""
        found: list[str] = []
        while (name := maybe(name_of(self._c, len(found)))) is not None:
            found.append(name)
        return tuple(found)

    def plane(self, plane: Name) -> int:
        """Number of a plane by name; raises where there is none."""
        names = self.planes
        return numbered("plane", plane, len(names), lambda text: find(names, text), lambda: names)

    def obstacle(self, obstacle: Name) -> int:
        """Number of an obstacle by name; raises where there is none."""
        names = self.obstacles
        return numbered("obstacle", obstacle, len(names), lambda text: find(names, text), lambda: names)

    @property
    def parameters(self) -> int:
        """A number that two models share only if the values that a sim may change are the same."""
        return int(lib.cond_model_parameters(self._c))

    def plane_name(self, plane: int) -> str | None:
        """Name of the plane with this index; None where there is none."""
        return maybe(lib.cond_model_plane_name(self._c, plane))

    def obstacle_name(self, obstacle: int) -> str | None:
        """Name of the obstacle with this index; None where there is none."""
        return maybe(lib.cond_model_obstacle_name(self._c, obstacle))

    def sensor(self, sensor: Name) -> int:
        """Number of a sensor by name; raises where there is none."""
        return numbered("sensor", sensor, lib.cond_model_n_sensor(self._c),
                        lambda text: lib.cond_model_find_sensor(self._c, text), lambda: self.sensors)

    def sensor_kind(self, sensor: Name) -> SensorKind:
        """What a sensor measures."""
        return SensorKind(lib.cond_model_sensor_kind(self._c, self.sensor(sensor)))

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors."""
        return tuple(text(lib.cond_model_sensor_name(self._c, i)) for i in range(self.n_sensor))

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the scene's cameras."""
        return tuple(text(lib.cond_model_camera_name(self._c, i)) for i in range(lib.cond_model_n_camera(self._c)))

    @property
    def attachments(self) -> tuple[str, ...]:
        """Names of the scene's attachments."""
        return tuple(text(lib.cond_model_attachment_name(self._c, i)) for i in range(self.n_attachment))

    def attachment(self, attachment: Name) -> int:
        """Number of one of the scene's attachments by name; raises where there is none."""
        return numbered("attachment", attachment, self.n_attachment,
                        lambda text: lib.cond_model_find_attachment(self._c, text), lambda: self.attachments)

    @property
    def patches(self) -> tuple[str, ...]:
        """Names of the patches of soft bodies."""
        return tuple(text(lib.cond_model_patch_name(self._c, i)) for i in range(lib.cond_model_n_patch(self._c)))

    def patch(self, patch: Name) -> int:
        """Number of a patch by name; raises where there is none."""
        return numbered("patch", patch, lib.cond_model_n_patch(self._c),
                        lambda text: lib.cond_model_find_patch(self._c, text), lambda: self.patches)

    def patch_body(self, patch: Name) -> int:
        """Whose a patch is."""
        return int(lib.cond_model_patch_body(self._c, self.patch(patch)))

    def penetration_limit(self, body: Name, other: Name | None = None, obstacle: int = -1) -> float:
        """The deepest that a step may leave two things in each other [m]."""
        second = -1 if other is None else self.body(other)
        if obstacle >= 0 and self.obstacle_name(obstacle) is None:
            raise BadArgument(f"the model has no obstacle {obstacle}")
        return float(lib.cond_model_penetration_limit(self._c, self.body(body), second, obstacle))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the readers of robots' files changed or left out, "file:line: text", and soft bodies whose bending is
        far too stiff."""
        return self._names(lib.cond_model_warning)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Pairs that could touch and are left out of contact detection, and why."""
        return tuple(LeftOut.from_c(lib.cond_model_left_out(self._c, i), self._c, "what a model says is for reading")
                     for i in range(lib.cond_model_n_left_out(self._c)))

    def __repr__(self) -> str:
        return f"<cond.Model {self.name!r}: {self.n_body} bodies, {self.n_dof} coordinates>"


def find(names: tuple[str, ...], name: bytes) -> int:
    """Index of a name; -1 where there is none."""
    text = name.decode()
    return names.index(text) if text in names else -1


def model_of(kind: type[Model], make: Callable[..., Scene], described: tuple[Any, ...]) -> Model:
    """What a pickle of a model becomes."""
    return kind(make(*described))
