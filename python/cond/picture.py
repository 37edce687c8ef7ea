"""Picture: what a simulation looks like, as an array of pixels, drawn by the library without a window or a GPU."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Path, own, path_bytes
from cond.names import Handle, expected
from cond.structs import Camera, PictureDef

Pixels = NDArray[np.uint8]


class Picture(Handle):
    """Draws states of one model. Equal states give equal pixels.

        picture = cond.Picture(model, width=640, height=480, camera=cond.Camera(azimuth=30))
        pixels = picture.draw(state, sim)          # (480, 640, 3), red, green, blue
    """

    __slots__ = ("_camera", "_looked", "_shape", "_snapshot")

    def __init__(self, model: Any, width: int = 480, height: int = 360, *, camera: Camera | None = None,
                 samples: int = 2, shadows: int = 768, force_length: float = 0.0) -> None:
        """samples: along each edge of a pixel; shadows: sharpness of them, 0 for none; force_length: of contact
        forces as arrows [m/N]. The camera is placed by the first state that is drawn."""
        snapshot, picture, error = ffi.new("CondSnapshot**"), ffi.new("CondPicture**"), new_error()
        handle = getattr(model, "_c", model)
        check(lib.cond_snapshot_create(ffi.NULL, handle, snapshot, error), error)
        self._snapshot = own(snapshot[0], lib.cond_snapshot_destroy, handle)
        definition = PictureDef(width=width, height=height, samples=samples, shadows=shadows,
                                force_length=force_length)
        check(lib.cond_picture_create(ffi.NULL, lib.cond_snapshot_scenery(self._snapshot), definition.pointer, picture,
                                      error),
              error)
        self._c = own(picture[0], lib.cond_picture_destroy)
        self._shape = (height, width)
        self._camera = Camera() if camera is None else expected(camera, Camera, "camera")
        self._looked = False

    def _take(self, state: Any, sim: Any) -> Any:
        error = new_error()
        c_sim = ffi.NULL if sim is None else getattr(sim, "_c", sim)
        check(lib.cond_snapshot_take(self._snapshot, c_sim, getattr(state, "_c", state), ffi.NULL, error), error)
        return lib.cond_snapshot_moment(self._snapshot)

    def look(self, state: Any, camera: Camera | None = None) -> None:
        """Places the camera; what it leaves open is chosen so that all of the state is seen."""
        self._camera = self._camera if camera is None else expected(camera, Camera, "camera")
        self._place(self._take(state, None))

    def _place(self, moment: Any) -> None:
        error = new_error()
        check(lib.cond_picture_look(self._c, self._camera.pointer, moment, error), error)
        self._looked = True

    @property
    def camera(self) -> Camera:
        """Where it looks from; once something was drawn, with nothing left open."""
        if not self._looked:
            return self._camera
        used = Camera()
        used.pointer[0] = lib.cond_picture_camera(self._c)
        return used

    def draw(self, state: Any, sim: Any = None) -> Pixels:
        """The pixels of a state; sim gives the contact forces of the step before it."""
        moment, error = self._take(state, sim), new_error()
        if not self._looked:
            self._place(moment)
        pixels: Pixels = np.empty((*self._shape, 3), np.uint8)
        check(lib.cond_picture_draw(self._c, moment, ffi.from_buffer("uint8_t[]", pixels), error), error)
        return pixels

    def depth(self) -> NDArray[np.float32]:
        """Distance along the camera's axis of what the last drawing shows [m]; infinite: nothing."""
        depth: NDArray[np.float32] = np.empty(self._shape, np.float32)
        lib.cond_picture_depth(self._c, ffi.from_buffer("float[]", depth))
        return depth


def write_png(path: Path, pixels: Pixels) -> None:
    """Writes pixels, as Picture.draw gives them, as a PNG file."""
    array = np.ascontiguousarray(pixels)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise BadArgument("pixels: expected numbers from 0 to 255 as uint8 of the shape (height, width, 3), not "
                          f"{array.dtype} of the shape {array.shape}")
    error = new_error()
    height, width, _ = array.shape
    data = ffi.from_buffer("uint8_t[]", array)
    check(lib.cond_png_write(ffi.NULL, path_bytes(path), width, height, data, error), error)
