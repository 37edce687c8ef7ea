"""Definitions: what a scene holds of one kind, such as its bodies, by index or by name; and how names refer to what."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.fields import Struct, StructArray, StructList
from cond.memory import text, view
from cond.mesh import Mesh
from cond.names import Sealed, missing, number_of
from cond.structs import SceneKind

if TYPE_CHECKING:
    from cond.scene import Scene

D = TypeVar("D", bound=Struct)
T = TypeVar("T")

WHY = "a definition that was removed from its scene is for reading"

# Fields whose text is the name of something of these kinds; of a field called as a kind, of that kind.
REFERS = {"against": (SceneKind.BODY,), "takes": (SceneKind.BODY,), "mesh": (SceneKind.MESH,),
          "thing": (SceneKind.BODY, SceneKind.OBSTACLE, SceneKind.PLANE)}
REFERS.update({kind.name.lower(): (kind,) for kind in (SceneKind.BODY, SceneKind.MATERIAL, SceneKind.PATCH,
                                                       SceneKind.TRAJECTORY, SceneKind.ATTACHMENT)})


def plural(word: str) -> str:
    """What many things of a kind are called."""
    if word.endswith("y"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("ch", "sh", "s")) else "s")


def content(struct: Struct) -> bytes:
    """All values of a definition, lists and arrays included, to see whether they have changed."""
    data, more = bytearray(ffi.buffer(struct._c)), []
    types = dict(ffi.typeof(struct.c_name).fields) if struct._lists or struct._arrays else {}
    for name, c_name in {**struct._lists, **struct._arrays}.items():
        for field in (c_name, "n_" + c_name):  # the pointer and the count of what follows
            if field in types:
                begin = types[field].offset
                size = ffi.sizeof(types[field].type)
                data[begin:begin + size] = bytes(size)
        held = struct._keep.get(name, ())
        more += [b"|", *map(content, held)] if name in struct._lists else [np.asarray(held).tobytes()]
    return b"".join([bytes(data), *more])


def replace_names(struct: Struct, new: Callable[[tuple[SceneKind, ...], str], str]) -> bool:
    """Gives every name that a definition refers to others by its new one; says whether one has changed."""
    changed = False
    for field in struct.fields():
        value: Any = getattr(struct, field)
        if isinstance(value, Struct):
            changed |= replace_names(value, new)
        elif isinstance(value, (StructArray, StructList)):
            changed |= any([replace_names(item, new) for item in value])
        elif field in REFERS and value:
            many = (value,) if isinstance(value, str) else value
            named = tuple(new(REFERS[field], one) if one else one for one in many)
            if named != many:
                setattr(struct, field, named[0] if isinstance(value, str) else named)
                changed = True
    return changed


def named_by(struct: Struct) -> set[tuple[SceneKind, str]]:
    """All that a definition may refer to, as kinds and names."""
    found: set[tuple[SceneKind, str]] = set()

    def note(kinds: tuple[SceneKind, ...], name: str) -> str:
        found.update((kind, name) for kind in kinds)
        found.update((SceneKind.BODY, name[:i]) for i, c in enumerate(name) if c == "/" and len(kinds) > 1)
        return name

    replace_names(struct, note)
    return found


class Definitions(Sealed, Sequence[D], Generic[D]):
    """What a scene holds of one kind, in the order in which it was added, by index or by name.

        scene.bodies["box"].mass = 2.0          # changes the scene; nested values and lists as well
        scene.bodies.names, len(scene.bodies), "box" in scene.bodies
        [body.name for body in scene.bodies if body.kind == cond.BodyKind.SOFT]
        scene.bodies["box"] = cond.BodyDef(...) # in its place
        del scene.bodies["box"]                 # refused while something refers to it

    A definition of a scene is checked when the scene is compiled, written or copied, so that several fields may be
    changed one after the other.
    """

    __slots__ = ("_kind", "_scene", "_type")
    _kind: SceneKind
    _scene: Scene
    _type: type[D]

    def __init__(self, scene: Scene, kind: SceneKind, definition: type[D]) -> None:
        self._scene, self._kind, self._type = scene, kind, definition

    def __len__(self) -> int:
        return int(lib.cond_scene_count(self._scene._c, self._kind))

    def _name(self, index: int) -> str:
        return text(lib.cond_scene_name(self._scene._c, self._kind, index))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all, in their order."""
        self._scene._put_back(strict=False)
        return tuple(map(self._name, range(len(self))))

    def _find(self, name: str) -> int:
        return int(lib.cond_scene_find(self._scene._c, self._kind, name.encode()))

    def index(self, key: int | str, *_: Any) -> int:
        """Index of the one with this name; negative indices count from the end."""
        n = len(self)
        if isinstance(key, str):
            found = self._find(key)
            held = self._scene._held[self._kind].get(found)
            if found < 0 or (held is not None and getattr(held.definition, "name", key) != key):
                self._scene._put_back(strict=False)  # a name may be new
                found = self._find(key)
            if found >= 0:
                return found
        else:
            at = number_of(key, self._word)
            if -n <= at < n:
                return at % n
        raise missing("the scene", self._word, key, self.names)

    @property
    def _word(self) -> str:
        return self._kind.name.lower()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.names

    def __iter__(self) -> Iterator[D]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int | str) -> D: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[D, ...]: ...
    def __getitem__(self, index: int | str | slice) -> D | tuple[D, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        return self._scene._definition(self._kind, self.index(index), self._type)

    def __setitem__(self, key: int | str, definition: D) -> None:
        """Puts another definition in the place of one, which keeps its name where the new one has none."""
        self._scene._replace(self._kind, self.index(key), self._expected(definition))

    def _expected(self, definition: Any) -> D:
        if not isinstance(definition, self._type):
            raise TypeError(f"{plural(self._word)}: expected a cond.{self._type.__name__}, not {definition!r}")
        return definition

    def add(self, definition: D) -> int:
        """Adds a copy of a definition; returns its index."""
        return self._scene.add(self._expected(definition))

    def __delitem__(self, key: int | str) -> None:
        self.remove(key)

    def remove(self, key: int | str, *, users: bool = False) -> None:
        """Removes one; those after it move up. While another definition refers to it that is refused, with the name
        of the other one. users: those that refer to it are removed first, and those that refer to them."""
        index = self.index(key)
        if users:
            name = self._name(index)
            for kind, user in self._scene.users(self._kind, name):
                others = self._scene.of_kind(kind)
                if user in others:  # not yet removed with another one
                    others.remove(user, users=True)
            index = self.index(name)
        self._scene._remove(self._kind, index)

    def users(self, key: int | str) -> tuple[tuple[SceneKind, str], ...]:
        """Kind and name of all definitions that refer to one."""
        return self._scene.users(self._kind, self._name(self.index(key)))

    def __repr__(self) -> str:
        return f"<cond.Definitions {plural(self._word)}: {', '.join(map(repr, self.names)) or 'none'}>"


class Meshes(Sealed, Sequence[Mesh]):
    """The meshes that stand in a scene itself, by index or by name; what is read is a copy (cond.Mesh). Scene.add_mesh
    adds one."""

    __slots__ = ("_scene",)
    _scene: Scene

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def __len__(self) -> int:
        return int(lib.cond_scene_count(self._scene._c, SceneKind.MESH))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all, in their order."""
        return tuple(text(lib.cond_scene_name(self._scene._c, SceneKind.MESH, i)) for i in range(len(self)))

    def index(self, key: int | str, *_: Any) -> int:
        """Index of the one with this name; negative indices count from the end."""
        n = len(self)
        at = (int(lib.cond_scene_find(self._scene._c, SceneKind.MESH, key.encode())) if isinstance(key, str)
              else number_of(key, "mesh"))
        if at >= n or at < (0 if isinstance(key, str) else -n):
            raise missing("the scene", "mesh", key, self.names)
        return at % n

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.names

    def __iter__(self) -> Iterator[Mesh]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int | str) -> Mesh: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Mesh, ...]: ...
    def __getitem__(self, index: int | str | slice) -> Mesh | tuple[Mesh, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        c = ffi.cast("const CondMesh*", lib.cond_scene_get(self._scene._c, SceneKind.MESH, self.index(index)))
        return Mesh.of(view(c.node, (c.n_node, 3), None), view(c.tet, (c.n_tet, 4), None),
                       view(c.triangle, (c.n_triangle, 3), None))

    def __delitem__(self, key: int | str) -> None:
        self._scene._remove(SceneKind.MESH, self.index(key))

    def remove(self, key: int | str) -> None:
        """Removes one; refused while a definition refers to it."""
        del self[key]

    def __repr__(self) -> str:
        return f"<cond.Meshes: {', '.join(map(repr, self.names)) or 'none'}>"


class Held:
    """A definition of a scene that Python has, and its values as the scene has them."""

    __slots__ = ("content", "definition")

    def __init__(self, definition: Struct) -> None:
        self.definition = definition
        self.content = content(definition)

    @property
    def changed(self) -> bool:
        return content(self.definition) != self.content


class Holding:
    """What a scene does with the definitions that Python has: gives them out, and puts those back that have changed."""

    __slots__ = ()
    _c: Any
    _held: dict[SceneKind, dict[int, Held]]

    def _definition(self, kind: SceneKind, index: int, definition: type[D]) -> D:
        """The definition with this index: the same object each time, so that all changes are of one."""
        held = self._held[kind].get(index)
        if held is None:
            place = ffi.cast(f"{definition.c_name}*", lib.cond_scene_get(self._c, kind, index))
            held = self._held[kind][index] = Held(definition.from_c(place, None, WHY).copy())
        return held.definition  # type: ignore[return-value]

    def _put_back(self, strict: bool = True) -> None:
        """Gives the scene the definitions that have changed since they were read. Two that need each other, such as a
        new name and a definition that refers to it, are tried again. strict: raises where one is refused."""
        left = [(kind, index, held) for kind, some in self._held.items() for index, held in some.items()
                if held.changed]
        refused: list[Exception] = []
        while left:
            again: list[tuple[SceneKind, int, Held]] = []
            refused = []
            for kind, index, held in left:
                error = new_error()
                try:
                    check(lib.cond_scene_replace(self._c, kind, index, held.definition.pointer, error), error)
                    held.content = content(held.definition)
                except BadArgument as exception:
                    refused.append(exception)
                    again.append((kind, index, held))
            if len(again) == len(left):
                break
            left = again
        if strict and refused:
            raise refused[0]

    def _replace(self, kind: SceneKind, index: int, definition: Struct) -> None:
        error = new_error()
        self._put_back(strict=False)
        check(lib.cond_scene_replace(self._c, kind, index, definition.pointer, error), error)
        self._forget(kind, index)

    def _forget(self, kind: SceneKind, index: int) -> None:
        """A definition that Python has is no longer the scene's."""
        held = self._held[kind].pop(index, None)
        if held is not None:
            held.definition._lock(WHY)

    def _remove(self, kind: SceneKind, index: int) -> None:
        error = new_error()
        self._put_back(strict=False)
        check(lib.cond_scene_remove(self._c, kind, index, error), error)
        self._forget(kind, index)
        self._held[kind] = {i - (i > index): held for i, held in self._held[kind].items()}


def prefixed(kinds: Iterable[SceneKind], names: dict[SceneKind, set[str]], prefix: str, name: str) -> str:
    """The new name of something whose scene is added to another one with a prefix; what that scene does not have, such
    as the path of a mesh file, keeps its own."""
    for kind in kinds:
        known = names[kind]
        if name in known or (kind is SceneKind.BODY and any(name.startswith(one + "/") for one in known)):
            return prefix + name
    return name


def prefixed_path(names: dict[SceneKind, set[str]], prefix: str, path: str) -> str:
    """The same of the paths of a variation: "bodies.box.mass"."""
    kinds = {plural(kind.name.lower()): kind for kind in SceneKind}
    new = []
    for one in path.split(","):
        words = one.strip().split(".", 2)
        if len(words) > 1 and words[0] in kinds and words[1] in names[kinds[words[0]]]:
            words[1] = prefix + words[1]
        new.append(".".join(words))
    return ",".join(new)
