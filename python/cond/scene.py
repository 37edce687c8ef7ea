"""Scene: what the user describes, read from YAML, MJCF or URDF, or built by calls."""
from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from cond._cond import ffi, lib
from cond.errors import BadArgument, BadInput, NoFile, check, new_error
from cond.memory import Path, own, path_bytes, share, strings, text
from cond.mesh import Mesh
from cond.names import Handle, suggestion
from cond.structs import BodyDef, BodyKind, SceneKey, SceneSettings, VariationDef


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


class Scene(Handle):
    """A description that becomes a Model. Definitions are checked as they are added: a mistake raises at once,
    with a message that names it.

        scene = cond.Scene("drop")                          # ships with COND; or the path of a YAML or MJCF file
        scene = cond.Scene("push.yaml", ["bodies.box.mass=2"])
        scene = cond.Scene.from_text("bodies: [{kind: particle, mass: 1}]")
        scene = cond.Scene()                                # empty, to be built by calls
        scene.add(cond.BodyDef(name="box", kind="rigid", mass=1.0, ...))
    """

    __slots__ = ("_folder",)

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

    def add(self, definition: Any) -> None:
        """Adds what a definition says: a BodyDef, PlaneDef, ObstacleDef, AttachmentDef, SensorDef and so on."""
        kind = getattr(type(definition), "c_name", "")
        function = getattr(lib, "cond_scene_add_" + kind.removeprefix("Cond").removesuffix("Def").lower(), None)
        if function is None or not kind.endswith("Def"):
            adders = [name.removeprefix("cond_scene_add_") for name in dir(lib)
                      if name.startswith("cond_scene_add_") and name != "cond_scene_add_mesh"]
            kinds = ", ".join(sorted(f"{name.title()}Def" for name in adders))
            raise BadArgument(f"{type(definition).__name__} is nothing that a scene holds; it holds {kinds}")
        error = new_error()
        check(function(self._c, definition.pointer, error), error)

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
        check(lib.cond_scene_write(self._c, path_bytes(path), error), error)

    def to_text(self) -> str:
        """The scene as a text in YAML that is read as the same scene. Relative paths in it begin where they begin
        here: in the directory that was the working one when the scene was made."""
        size, error = ffi.new("size_t*"), new_error()
        check(lib.cond_scene_save(self._c, ffi.NULL, 0, size, error), error)
        buffer = ffi.new("char[]", size[0])
        check(lib.cond_scene_save(self._c, buffer, size[0], size, error), error)
        return text(buffer)

    def __reduce__(self) -> Any:
        return scene_of, (type(self), self.to_text(), self._folder)

    @property
    def variations(self) -> tuple[VariationDef, ...]:
        """What a seed draws: the section `randomise`."""
        return tuple(VariationDef.from_c(lib.cond_scene_variation(self._c, i), self._c).copy()
                     for i in range(lib.cond_scene_n_variation(self._c)))

    def draw(self, variation: int, seed: int) -> float:
        """The value that a seed draws for a variation."""
        return float(lib.cond_scene_draw(self._c, variation, seed_of(seed)))

    def __repr__(self) -> str:
        return f"<cond.Scene {text(lib.cond_scene_settings(self._c).name)!r}>"


def scene_of(kind: type[Scene], text: str, folder: str) -> Scene:
    """What a pickle of a scene becomes."""
    return kind.from_text(text, folder=folder)


def scene_keys() -> Iterator[SceneKey]:
    """The keys that a scene file may hold."""
    key, index = SceneKey(), 0
    while lib.cond_scene_key(index, key.pointer):
        yield key.copy()
        index += 1
