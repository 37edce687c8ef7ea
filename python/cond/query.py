"""Query: rays, the nearest surface, what lies within a sphere."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import accept, doubles, ints, new_lock, numbers, own, records, vector
from cond.model import Model, Name
from cond.names import Handle
from cond.state import State
from cond.structs import Closest, Hit

STATIC_BODY: int = lib.COND_STATIC_BODY
UNSOUND = "a direction must have a length, and a limit must be >= 0"


class Query(Handle):
    """Rays, distances and neighbours in the state that was given to `set`; a workspace of one thread.

        query = cond.Query(model, state)
        hits = query.rays(origins, directions)       # structured array: hits["distance"], hits["body"]
    """

    __slots__ = ("_lock", "_m", "model")

    def __init__(self, model: Model, state: State | None = None) -> None:
        made, error = ffi.new("CondQuery**"), new_error()
        check(lib.cond_query_create(model._c, made, error), error)
        self._c, self._m, self.model = own(made[0], lib.cond_query_destroy, model._c), model._base, model
        self._lock = new_lock()
        if state is not None:
            self.set(state)

    def set(self, state: State) -> None:
        """Puts everything where a state has it."""
        if state._m != self._m:
            raise BadArgument("the state belongs to another model than the query")
        with self._lock:
            lib.cond_query_set(self._c, state._c)

    def _without(self, bodies: tuple[Name, ...]) -> Any:
        if not bodies:
            return ffi.NULL
        mask = np.zeros(self.model.n_body, np.int32)
        mask[[self.model.body(b) for b in bodies]] = 1
        return ints(mask)

    def ray(self, origin: ArrayLike, direction: ArrayLike, limit: float = np.inf, *,
            without: tuple[Name, ...] = ()) -> Hit:
        """The first surface along a ray; nothing: distance infinite, indices -1."""
        hit = Hit()
        with self._lock:
            status = lib.cond_query_ray(self._c, vector(origin, 3, "origin"), vector(direction, 3, "direction"), limit,
                                        self._without(without), hit.pointer)
        accept(status, "ray", UNSOUND, origin=origin, direction=direction)
        return hit

    def rays(self, origins: ArrayLike, directions: ArrayLike, limits: ArrayLike = np.inf, *,
             without: tuple[Name, ...] = ()) -> NDArray[Any]:
        """The same for n rays (n x 3 each), as a structured array with the fields of Hit."""
        origin = np.atleast_2d(np.asarray(origins, np.float64))
        n = origin.shape[0]
        start = numbers(origin, (n, 3), "origins")
        toward = numbers(np.broadcast_to(np.asarray(directions, np.float64), (n, 3)), (n, 3), "directions")
        limit = np.ascontiguousarray(np.broadcast_to(np.asarray(limits, np.float64), (n,)))
        hits, place = records("CondHit", n)
        with self._lock:
            status = lib.cond_query_rays(self._c, n, doubles(start), doubles(toward), doubles(limit),
                                         self._without(without), place)
        accept(status, "rays", UNSOUND, origins=origins, directions=directions)
        return hits

    def nearest(self, point: ArrayLike, limit: float = np.inf, *, without: tuple[Name, ...] = ()) -> Hit:
        """The surface nearest to a point; negative distance inside a solid or a soft body."""
        hit = Hit()
        with self._lock:
            status = lib.cond_query_nearest(self._c, vector(point, 3, "point"), limit, self._without(without),
                                            hit.pointer)
        accept(status, "nearest", f"limit must be >= 0, not {limit}", point=point)
        return hit

    def closest(self, body: Name, other: Name = STATIC_BODY, limit: float = np.inf) -> Closest:
        """The nearest points of two bodies, or of one and everything static, of the true surfaces."""
        closest = Closest()
        second = other if other == STATIC_BODY else self.model.body(other)
        with self._lock:
            status = lib.cond_query_closest(self._c, self.model.body(body), second, limit, closest.pointer)
        accept(status, f"closest points of {body!r} and {other!r}", f"two bodies, and limit >= 0, not {limit}")
        return closest

    def within(self, point: ArrayLike, radius: float) -> NDArray[Any]:
        """Everything nearer to a point than `radius`: one hit for each plane, shape, link and soft body."""
        n, capacity = ffi.new("int*"), 16
        while True:
            hits, place = records("CondHit", capacity)
            with self._lock:
                status = lib.cond_query_within(self._c, vector(point, 3, "point"), radius, capacity, place, n)
            accept(status, "within", f"radius must be >= 0 and finite, not {radius}", point=point)
            if n[0] <= capacity:
                return hits[: n[0]]
            capacity = n[0]
