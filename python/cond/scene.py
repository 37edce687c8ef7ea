"""Scene: what the user describes, read from YAML, MJCF or URDF, or built by calls."""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Path, own, path_bytes, share, strings, text
from cond.structs import BodyDef, BodyKind, SceneKey, SceneSettings, VariationDef


def scene_path(path: Path) -> bytes:
    """The path of a scene file; a bare word is a scene that ships with COND, as `cond run` takes it."""
    name = os.fspath(path)
    if "/" not in name and "." not in name and not os.path.exists(name):
        name = share(f"scenes/{name}.yaml")
    return path_bytes(name)


def overrides_of(overrides: Sequence[str] | dict[str, Any]) -> list[str]:
    """Texts "path=value", also from a dict of them."""
    if isinstance(overrides, str):
        return [overrides]
    if isinstance(overrides, dict):
        return [f"{path}={value}" for path, value in overrides.items()]
    return list(overrides)


class Scene:
    """A description that becomes a Model. Definitions are checked as they are added: a mistake raises at once,
    with a message that names it.

        scene = cond.Scene("drop")                          # ships with COND; or the path of a YAML or MJCF file
        scene = cond.Scene("push.yaml", ["bodies.box.mass=2"])
        scene = cond.Scene.from_text("bodies: [{kind: particle, mass: 1}]")
        scene = cond.Scene()                                # empty, to be built by calls
        scene.add(cond.BodyDef(name="box", kind=cond.BodyKind.RIGID, mass=1.0, ...))
    """

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
                check(lib.cond_scene_read_drawn(ffi.NULL, name, n, texts, seed, made, error), error)
        self._c = own(made[0], lib.cond_scene_destroy)

    @classmethod
    def from_text(cls, text: str, overrides: Sequence[str] | dict[str, Any] = (), *,
                  folder: Path | None = None) -> Scene:
        """Reads a text in YAML. Files that it names are looked for from the folder, or from the working directory."""
        made, error = ffi.new("CondScene**"), new_error()
        n, texts, _kept = strings(overrides_of(overrides))
        where = ffi.NULL if folder is None else ffi.new("char[]", path_bytes(folder))
        check(lib.cond_scene_read_text(ffi.NULL, text.encode(), where, n, texts, made, error), error)
        scene = cls.__new__(cls)
        scene._c = own(made[0], lib.cond_scene_destroy)
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
            raise BadArgument(f"{type(definition).__name__} is nothing that a scene holds")
        error = new_error()
        check(function(self._c, definition.pointer, error), error)

    def write(self, path: Path) -> None:
        """Writes a YAML file that is read as the same scene."""
        error = new_error()
        check(lib.cond_scene_write(self._c, path_bytes(path), error), error)

    @property
    def variations(self) -> tuple[VariationDef, ...]:
        """What a seed draws: the section `randomise`."""
        return tuple(VariationDef.from_c(lib.cond_scene_variation(self._c, i), self._c).copy()
                     for i in range(lib.cond_scene_n_variation(self._c)))

    def draw(self, variation: int, seed: int) -> float:
        """The value that a seed draws for a variation."""
        return float(lib.cond_scene_draw(self._c, variation, seed))

    def __repr__(self) -> str:
        return f"<cond.Scene {text(lib.cond_scene_settings(self._c).name)!r}>"


def scene_keys() -> Iterator[SceneKey]:
    """The keys that a scene file may hold."""
    key, index = SceneKey(), 0
    while lib.cond_scene_key(index, key.pointer):
        yield key.copy()
        index += 1
