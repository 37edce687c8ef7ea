"""Scene: what the user describes, read from YAML, MJCF or URDF, or built by calls; listed, changed and reduced."""
from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from cond._cond import ffi, lib
from cond.definitions import Definitions, Holding, Meshes, named_by, prefixed, prefixed_path, replace_names
from cond.errors import BadArgument, BadInput, NoFile, check, new_error
from cond.fields import Struct
from cond.memory import Path, own, path_bytes, share, strings, text
from cond.mesh import Mesh
from cond.names import Handle, choice, expected, suggestion
from cond.structs import (
    ActionDef,
    AttachmentDef,
    BodyDef,
    BodyKind,
    CameraDef,
    ExcludeDef,
    ForceDef,
    KeyInfo,
    MaterialDef,
    ObservationDef,
    ObstacleDef,
    PatchDef,
    PlaneDef,
    RewardDef,
    SceneKey,
    SceneKind,
    SceneSettings,
    SensorDef,
    SpringDef,
    TrajectoryDef,
    VariationDef,
)

# What each kind is described by.
KINDS: dict[SceneKind, type[Struct]] = {
    kind: globals()[f"{kind.name.title()}Def"] for kind in SceneKind if kind is not SceneKind.MESH
}


def scenes() -> tuple[str, ...]:
    """Names of the scenes that ship with COND, such as "drop" and "tasks/lift_soft", as Model.from_path takes them."""
    root, found = share("scenes"), []
    for folder, _, files in os.walk(root):
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        found += [os.path.normpath(f"{inside}/{name[:-5]}") for name in files if name.endswith(".yaml")]
    return tuple(sorted(found))


def scene_path(path: Path) -> bytes:
    """The path of a scene file, or the name of a scene that ships with COND, as `cond run` takes it: a file that is
    there comes first."""
    name = os.fsdecode(path_bytes(path))
    shipped = share(f"scenes/{name}.yaml")
    if os.path.isfile(name):
        return os.fsencode(name)
    if os.path.isfile(shipped):
        return os.fsencode(shipped)
    if os.path.isdir(name):
        raise NoFile(f"{name}: is a folder, expected the file of a scene in it")
    if not os.path.splitext(name)[1]:
        raise NoFile(f"there is no file {name!r} and no scene of that name{suggestion(name, scenes())} "
                     "(cond.scenes() lists them)")
    return os.fsencode(name)


def yaml_bytes(text: str) -> bytes:
    """A scene's text as the library takes it."""
    if not isinstance(text, str):
        raise TypeError(f"text: expected a scene in YAML as a str, not {text!r}")
    if text.lstrip().startswith("<"):
        raise BadInput("text: a scene in YAML was expected, and this is XML: MJCF and URDF are read from files, by "
                       "from_path and from_urdf")
    return text.encode()


def seed_of(seed: int) -> int:
    """A seed as the library takes it."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed: expected a whole number, not {seed!r}") from None
    if not 0 <= number < 2**64:
        raise BadArgument(f"a seed is a number from 0 to 2^64 - 1, not {number}")
    return number


def word(value: Any) -> str:
    """A value as a scene file has it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"[{', '.join(map(word, value))}]"
    return str(value)


def overrides_of(overrides: Sequence[str] | dict[str, Any]) -> list[str]:
    """Texts "path=value", also from a dict of them."""
    if overrides is None:
        return []
    if isinstance(overrides, str):
        return [overrides]
    if isinstance(overrides, dict):
        return [f"{path}={word(value)}" for path, value in overrides.items()]
    return list(overrides)


class Scene(Handle, Holding):
    """A description that becomes a Model. Definitions are checked as they are added, and again when they have been
    changed and the scene is compiled, written or copied: a mistake raises an error that names it.

        scene = cond.Scene("drop")                          # ships with COND; or the path of a YAML or MJCF file
        scene = cond.Scene("push.yaml", ["bodies.box.mass=2"])
        scene = cond.Scene.from_text("bodies: [{kind: particle, mass: 1}]")
        scene = cond.Scene()                                # empty, to be built by calls
        scene.add(cond.BodyDef(name="box", kind="rigid", mass=1.0, ...))
        scene.bodies["box"].mass = 2.0                      # read and changed in place, nested values as well
        del scene.sensors["touch"]
        both = scene.copy()
        both.include(cond.Scene("drop"), prefix="second_")  # what another scene holds
    """

    __slots__ = ("_folder", "_held")

    def __init__(self, path: Path | None = None, overrides: Sequence[str] | dict[str, Any] = (), *,
                 seed: int | None = None) -> None:
        """Reads a file, or begins an empty scene. seed: draws what the section `randomise` names."""
        made, error = ffi.new("CondScene**"), new_error()
        if path is None:
            if overrides or seed is not None:
                raise BadArgument("a scene without a file has nothing to override or to draw")
            check(lib.cond_scene_create(ffi.NULL, made, error), error)
            lib.cond_scene_set_files(made[0], lib.cond_scene_files())
        else:
            n, texts, _kept = strings(overrides_of(overrides))
            name = ffi.new("char[]", scene_path(path))
            if seed is None:
                check(lib.cond_scene_read(ffi.NULL, name, n, texts, made, error), error)
            else:
                check(lib.cond_scene_read_drawn(ffi.NULL, name, n, texts, seed_of(seed), made, error), error)
        self._take(made[0])

    def _take(self, pointer: Any) -> None:
        self._c = own(pointer, lib.cond_scene_destroy)
        self._folder = os.getcwd()  # where relative paths in it begin
        self._held = {kind: {} for kind in SceneKind}

    def _ready(self) -> Any:
        """The scene for a function of the library, with all changes."""
        self._put_back()
        return self._c

    @classmethod
    def from_path(cls, path: Path, overrides: Sequence[str] | dict[str, Any] = (), *, seed: int | None = None) -> Scene:
        """Reads a YAML or MJCF file, or the scene of that name that ships with COND (cond.scenes)."""
        path_bytes(path)
        return cls(path, overrides, seed=seed)

    @classmethod
    def from_text(cls, text: str, overrides: Sequence[str] | dict[str, Any] = (), *,
                  folder: Path | None = None) -> Scene:
        """Reads a text in YAML. Files that it names are looked for from the folder, or from the working directory."""
        given = yaml_bytes(text)
        made, error = ffi.new("CondScene**"), new_error()
        n, texts, _kept = strings(overrides_of(overrides))
        where = ffi.NULL if folder is None else ffi.new("char[]", path_bytes(folder))
        check(lib.cond_scene_read_text(ffi.NULL, given, where, n, texts, made, error), error)
        scene = cls.__new__(cls)
        scene._take(made[0])
        return scene

    @classmethod
    def from_urdf(cls, path: Path, **fields: Any) -> Scene:
        """A scene with one robot of a URDF file and nothing else; `fields` are those of cond.BodyDef."""
        scene = cls()
        scene.add(BodyDef(**{"name": "robot", "kind": BodyKind.ROBOT, "urdf": os.fspath(path), **fields}))
        return scene

    @property
    def settings(self) -> SceneSettings:
        """Time step, gravity, solver and the rest, as they are in the scene: changing them changes it."""
        return SceneSettings.from_c(lib.cond_scene_settings(self._c), self._c)

    # What it holds.

    @property
    def materials(self) -> Definitions[MaterialDef]:
        """What soft bodies and rods are made of."""
        return Definitions(self, SceneKind.MATERIAL, MaterialDef)

    @property
    def bodies(self) -> Definitions[BodyDef]:
        """What moves: particles, rigid and soft bodies, robots, rods."""
        return Definitions(self, SceneKind.BODY, BodyDef)

    @property
    def planes(self) -> Definitions[PlaneDef]:
        """Fixed half-spaces, such as the ground."""
        return Definitions(self, SceneKind.PLANE, PlaneDef)

    @property
    def obstacles(self) -> Definitions[ObstacleDef]:
        """Fixed shapes."""
        return Definitions(self, SceneKind.OBSTACLE, ObstacleDef)

    @property
    def excludes(self) -> Definitions[ExcludeDef]:
        """Pairs that never touch, and pairs that touch in any case (the sections `exclude` and `pairs`)."""
        return Definitions(self, SceneKind.EXCLUDE, ExcludeDef)

    @property
    def patches(self) -> Definitions[PatchDef]:
        """Named groups of nodes of soft bodies."""
        return Definitions(self, SceneKind.PATCH, PatchDef)

    @property
    def trajectories(self) -> Definitions[TrajectoryDef]:
        """What links, joints and frames in space follow."""
        return Definitions(self, SceneKind.TRAJECTORY, TrajectoryDef)

    @property
    def attachments(self) -> Definitions[AttachmentDef]:
        """What holds bodies together."""
        return Definitions(self, SceneKind.ATTACHMENT, AttachmentDef)

    @property
    def sensors(self) -> Definitions[SensorDef]:
        """What measures forces, accelerations and distances."""
        return Definitions(self, SceneKind.SENSOR, SensorDef)

    @property
    def cameras(self) -> Definitions[CameraDef]:
        """Cameras for pictures to learn from."""
        return Definitions(self, SceneKind.CAMERA, CameraDef)

    @property
    def forces(self) -> Definitions[ForceDef]:
        """Forces from outside."""
        return Definitions(self, SceneKind.FORCE, ForceDef)

    @property
    def springs(self) -> Definitions[SpringDef]:
        """Spring-dampers between two points, or between joints."""
        return Definitions(self, SceneKind.SPRING, SpringDef)

    @property
    def variations(self) -> Definitions[VariationDef]:
        """What a seed draws: the section `randomise`."""
        return Definitions(self, SceneKind.VARIATION, VariationDef)

    @property
    def actions(self) -> Definitions[ActionDef]:
        """What the actions of an environment do."""
        return Definitions(self, SceneKind.ACTION, ActionDef)

    @property
    def rewards(self) -> Definitions[RewardDef]:
        """What an environment rewards, and what ends its episodes."""
        return Definitions(self, SceneKind.REWARD, RewardDef)

    @property
    def observations(self) -> Definitions[ObservationDef]:
        """What an environment observes besides `settings.environment`."""
        return Definitions(self, SceneKind.OBSERVATION, ObservationDef)

    @property
    def meshes(self) -> Meshes:
        """Meshes that stand in the scene itself."""
        return Meshes(self)

    def of_kind(self, kind: SceneKind | str) -> Definitions[Any]:
        """All definitions of a kind, such as cond.SceneKind.BODY or "body"."""
        chosen = choice(SceneKind, kind, "kind")
        if chosen is SceneKind.MESH:
            raise BadArgument("meshes have no definition; cond.Scene.meshes has them")
        return Definitions(self, chosen, KINDS[chosen])

    def users(self, kind: SceneKind | str, name: str) -> tuple[tuple[SceneKind, str], ...]:
        """Kind and name of all definitions that refer to what has this kind and name."""
        chosen = choice(SceneKind, kind, "kind")
        self._put_back(strict=False)
        found = []
        for other, definition in KINDS.items():
            for i in range(lib.cond_scene_count(self._c, other)):
                place = ffi.cast(f"{definition.c_name}*", lib.cond_scene_get(self._c, other, i))
                if (chosen, name) in named_by(definition.from_c(place, self._c, "a view")):
                    found.append((other, text(lib.cond_scene_name(self._c, other, i))))
        return tuple(found)

    def add(self, definition: Struct) -> int:
        """Adds a copy of a definition: a BodyDef, PlaneDef, ObstacleDef, AttachmentDef, SensorDef and so on. Returns
        its index among those of its kind: `scene.bodies[index]` is the scene's own, to be changed in place."""
        kind = next((kind for kind, made in KINDS.items() if isinstance(definition, made)), None)
        if kind is None:
            kinds = ", ".join(sorted(made.__name__ for made in KINDS.values()))
            raise BadArgument(f"{type(definition).__name__} is nothing that a scene holds; it holds {kinds}")
        error, index = new_error(), ffi.new("int*")
        status = lib.cond_scene_add(self._c, kind, definition.pointer, index, error)
        if status < 0 and any(self._held.values()):  # it may refer to what has a new name
            self._put_back(strict=False)
            status = lib.cond_scene_add(self._c, kind, definition.pointer, index, error)
        check(status, error)
        return int(index[0])

    def copy(self) -> Scene:
        """A scene of its own that holds the same."""
        made, error = ffi.new("CondScene**"), new_error()
        check(lib.cond_scene_copy(self._ready(), made, error), error)
        scene = type(self).__new__(type(self))
        scene._take(made[0])
        scene._folder = self._folder
        return scene

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Scene:
        return self.copy()

    def include(self, other: Scene, prefix: str = "") -> None:
        """Adds copies of all that another scene holds; the settings stay those of this one. prefix: stands before all
        names of the other one, where both use the same. Where one definition is refused, none is added. Groups are
        taken over by their bits, and relative paths of files begin where those of this scene do."""
        expected(other, Scene, "other")
        other._put_back()
        self._put_back(strict=False)
        before = {kind: lib.cond_scene_count(self._c, kind) for kind in SceneKind}
        try:
            self._include(other if other is not self else other.copy(), prefix)
        except BaseException:
            for kind in reversed((SceneKind.MESH, *KINDS)):
                for index in reversed(range(before[kind], lib.cond_scene_count(self._c, kind))):
                    lib.cond_scene_remove(self._c, kind, index, ffi.NULL)
            raise

    def _include(self, other: Scene, prefix: str) -> None:
        names = {kind: {text(lib.cond_scene_name(other._c, kind, i))
                        for i in range(lib.cond_scene_count(other._c, kind))} for kind in SceneKind}
        for name, mesh in zip(other.meshes.names, other.meshes, strict=True):
            self.add_mesh(prefix + name, mesh)
        for kind, definition in KINDS.items():
            for i in range(lib.cond_scene_count(other._c, kind)):
                place = ffi.cast(f"{definition.c_name}*", lib.cond_scene_get(other._c, kind, i))
                copied: Any = definition.from_c(place, other._c).copy()
                if prefix:
                    replace_names(copied, lambda kinds, name: prefixed(kinds, names, prefix, name))
                    copied.name = prefix + copied.name
                    if isinstance(copied, VariationDef):
                        copied.path = prefixed_path(names, prefix, copied.path)
                self.add(copied)

    def add_mesh(self, name: str, mesh: Mesh) -> None:
        """Adds a mesh, copied, which definitions name in place of a file: BodyDef(kind="rigid", shape="mesh",
        mesh=name), BodyDef(kind="soft", mesh=name). Tetrahedra are turned to be positive."""
        if not isinstance(mesh, Mesh):
            raise TypeError(f"expected a cond.Mesh, not {type(mesh).__name__}; cond.Mesh.of makes one of arrays")
        error = new_error()
        check(lib.cond_scene_add_mesh(self._c, name.encode(), mesh._c, error), error)

    def write(self, path: Path) -> None:
        """Writes a YAML file that is read as the same scene."""
        error = new_error()
        check(lib.cond_scene_write(self._ready(), path_bytes(path), error), error)

    def to_text(self) -> str:
        """The scene as a text in YAML that is read as the same scene. Relative paths in it begin where they begin
        here: in the directory that was the working one when the scene was made."""
        size, error = ffi.new("size_t*"), new_error()
        check(lib.cond_scene_save(self._ready(), ffi.NULL, 0, size, error), error)
        buffer = ffi.new("char[]", size[0])
        check(lib.cond_scene_save(self._c, buffer, size[0], size, error), error)
        return text(buffer)

    def __reduce__(self) -> Any:
        return scene_of, (type(self), self.to_text(), self._folder)

    def draw(self, variation: int, seed: int) -> float:
        """The value that a seed draws for a variation."""
        return float(lib.cond_scene_draw(self._ready(), variation, seed_of(seed)))

    def __repr__(self) -> str:
        return f"<cond.Scene {text(lib.cond_scene_settings(self._c).name)!r}>"


def scene_of(kind: type[Scene], text: str, folder: str) -> Scene:
    """What a pickle of a scene becomes."""
    return kind.from_text(text, folder=folder)


def keys() -> Iterator[KeyInfo]:
    """All that the table of keys says: of each key of a scene file its field, unit, default, range, bodies, meaning."""
    for index in range(lib.cond_key_count()):
        key = KeyInfo()
        lib.cond_key_get(index, key.pointer, ffi.sizeof("CondKeyInfo"))
        yield key


def key_choices(index: int) -> tuple[str, ...]:
    """The names that a key may have, by its place in keys(); () for one that is no choice."""
    names: list[str] = []
    while (name := lib.cond_key_choice(index, len(names))) != ffi.NULL:
        names.append(text(name))
    return tuple(names)


def scene_keys() -> Iterator[SceneKey]:
    """The keys that a scene file may hold, in words; keys() says more."""
    key, index = SceneKey(), 0
    while lib.cond_scene_key(index, key.pointer):
        yield key.copy()
        index += 1
