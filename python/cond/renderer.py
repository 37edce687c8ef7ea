"""BatchRenderer: pictures of many states at once, to learn from: colour, depth, and which body each pixel shows."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cond._cond import ffi, lib
from cond.env import Env, EnvBatch
from cond.errors import BadArgument, check, new_error
from cond.memory import own
from cond.names import Handle, choice
from cond.picture import Picture
from cond.structs import Camera, CameraDef, DeviceKind

SHAPES = ("visual", "collision")


class Frames(NamedTuple):
    """Pictures of n states, row by row from the upper edge; None: not asked for."""

    rgb: NDArray[np.uint8] | None       # (n, height, width, 3)
    depth: NDArray[np.float32] | None   # distance along the camera's axis [m], infinite: nothing (n, height, width)
    body: NDArray[np.int32] | None      # index of the body; -1: static, -2: a plane, -3: nothing (n, height, width)


def camera_def(camera: Camera) -> CameraDef:
    """A camera of cond.Picture with nothing left open, as a camera at rest in the world."""
    a, e = math.radians(camera.azimuth), math.radians(camera.elevation)
    back = np.array([math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e)])
    made = CameraDef(field=camera.field)
    made.position, made.target = np.asarray(camera.target) + camera.distance * back, camera.target
    return made


class BatchRenderer(Handle):
    """Draws many states of one scene with one call. Equal states give equal pixels for any number of threads.

        renderer = cond.BatchRenderer(batch, 84, 84, camera="wrist", depth=True)
        frames = renderer.draw(batch)              # frames.rgb (n, 84, 84, 3), frames.depth (n, 84, 84)
        renderer.draw(batch, frames)               # into the same arrays
    """

    __slots__ = ("_arrays", "_env", "_shape", "_wanted")

    def __init__(self, source: Any, width: int = 84, height: int = 84, *,
                 camera: str | CameraDef | Camera | None = None, rgb: bool = True, depth: bool = False,
                 body: bool = False, shapes: str = "visual", triangles: int = 2000, around: int = 16,
                 nearest: float = 0.01, device: DeviceKind | str = DeviceKind.CPU, threads: int = 0) -> None:
        """source: an EnvBatch, an Env or a Model. camera: the name of one of the scene's; a CameraDef, at rest or on a
        body or link; a Camera; None: the first of the scene, or one that sees all of the first state. shapes: what is
        drawn of robots, "visual" or "collision"; triangles: most of the visual meshes of a robot; around: corners of
        circles; nearest: where pictures begin [m]; threads: 0 for as many as the machine has."""
        if shapes not in SHAPES:
            raise BadArgument(f"shapes: expected one of {', '.join(SHAPES)}, not {shapes!r}")
        d, keep = ffi.new("CondRendererDef*", lib.cond_renderer_def_default()), []
        d.width, d.height, d.triangles, d.around, d.nearest = width, height, triangles, around, nearest
        d.collision, d.device, d.threads = shapes == "collision", choice(DeviceKind, device, "device"), threads
        if isinstance(camera, Camera):
            camera = self._fit(source, width, height, camera)
        if isinstance(camera, str):
            keep.append(ffi.new("char[]", camera.encode()))
            d.camera = keep[-1]
        elif isinstance(camera, CameraDef):
            d.view = camera.pointer
        elif camera is not None:
            raise BadArgument(f"camera: expected a name, a CameraDef or a Camera, not {camera!r}")
        made, error = ffi.new("CondRenderer**"), new_error()
        self._env = isinstance(source, Env | EnvBatch)
        if self._env:
            with source._alone():
                env = source._env(0) if isinstance(source, EnvBatch) else source._c
                check(lib.cond_env_renderer_create(env, d, made, error), error)
            self._c = own(made[0], lib.cond_renderer_destroy)
        else:
            model = getattr(source, "_c", source)
            check(lib.cond_renderer_create(ffi.NULL, model, d, made, error), error)
            self._c = own(made[0], lib.cond_renderer_destroy, model)
        self._shape, self._wanted = (height, width), (rgb, depth, body)
        self._arrays = ffi.new("CondRendererArrays*", lib.cond_renderer_arrays_default())

    @staticmethod
    def _fit(source: Any, width: int, height: int, camera: Camera) -> CameraDef:
        """What a camera leaves open is chosen so that all of the first state is seen."""
        if isinstance(source, EnvBatch):
            model, state, _ = source.picture_parts(0)
        elif isinstance(source, Env):
            model, state = source.model, source.state
        else:
            model, state = source, source.state()
        picture = Picture(model, width, height, camera=camera, samples=1, shadows=0)
        picture.look(state)
        return camera_def(picture.camera)

    @property
    def n_triangle(self) -> int:
        """How many triangles are drawn of one state."""
        return int(lib.cond_renderer_n_triangle(self._c))

    def frames(self, n: int) -> Frames:
        """Arrays for n states."""
        rgb, depth, body = self._wanted
        shape = (n, *self._shape)
        return Frames(np.empty((*shape, 3), np.uint8) if rgb else None,
                      np.empty(shape, np.float32) if depth else None,
                      np.empty(shape, np.int32) if body else None)

    def _fill(self, n: int, frames: Frames | None) -> Frames:
        """Hands the arrays to C, those that are given if they fit."""
        made = self.frames(n) if frames is None else frames
        for name, given, like in zip(Frames._fields, made, self.frames(0), strict=True):
            if given is None:
                setattr(self._arrays, name, ffi.NULL)
                continue
            wanted = "none" if like is None else f"{like.dtype} of the shape {(n, *like.shape[1:])}"
            if like is None or given.dtype != like.dtype or given.shape != (n, *like.shape[1:]) \
                    or not given.flags.c_contiguous or not given.flags.writeable:
                raise BadArgument(f"{name}: expected {wanted}, not {given.dtype} of the shape {given.shape}")
            kind = {"rgb": "uint8_t*", "depth": "float*", "body": "int32_t*"}[name]
            setattr(self._arrays, name, ffi.cast(kind, given.ctypes.data))
        return made

    def draw(self, what: EnvBatch | Env | Sequence[Any], frames: Frames | None = None) -> Frames:
        """Pictures of all environments of a batch, of one environment, or of states of the model. frames: arrays of
        an earlier call, which are written again and returned."""
        error = new_error()
        if isinstance(what, EnvBatch):
            with what._alone():
                made = self._fill(what.n, frames)
                check(lib.cond_env_batch_draw(what._c, self._c, self._arrays, error), error)
            return made
        if isinstance(what, Env):
            with what._alone():
                model = ffi.new("CondModel*[]", [ffi.cast("CondModel*", lib.cond_env_model(what._c))])
                state = ffi.new("CondState*[]", [ffi.cast("CondState*", lib.cond_env_state(what._c))])
                made = self._fill(1, frames)
                check(lib.cond_renderer_draw(self._c, 1, model, state, self._arrays, error), error)
            return made
        if self._env:
            raise BadArgument("the renderer was made for environments: expected an EnvBatch or an Env")
        states = [getattr(one, "_c", one) for one in what]
        pointers = ffi.new("CondState*[]", [ffi.cast("CondState*", one) for one in states])
        made = self._fill(len(states), frames)
        check(lib.cond_renderer_draw(self._c, len(states), ffi.NULL, pointers, self._arrays, error), error)
        return made
