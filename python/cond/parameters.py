"""What a simulation may change of its model between two steps: masses, surfaces, materials, gravity."""
from __future__ import annotations

import threading
from typing import Any

from numpy.typing import ArrayLike

from cond._cond import ffi, lib
from cond.errors import BadArgument, check
from cond.memory import Array, vector, view
from cond.model import Model, Name
from cond.structs import Inertia, MaterialDef, SurfaceDef


class Parameters:
    """The values of its model that a sim may change (cond/parameter.h). A sim has its own copy of them: the model and
    other sims keep theirs. A change counts from the next step on, whose bits are those of a scene that was compiled
    with these values.

        sim.set_mass("box", 2.0)
        surface = sim.surface("box")
        surface.friction = 0.2
        sim.set_surface("box", surface)
        sim.reset_parameters()

    Gains of motors belong to the state: cond.State.set_motor.
    """

    __slots__ = ()
    _c: Any
    _lent: bool
    _lock: threading.RLock
    _model: Model

    def _own(self) -> Any:
        """The sim of C, to be changed."""
        if self._lent:
            raise BadArgument("this sim belongs to an environment and is for reading; the scene's section `randomise` "
                              "changes values from episode to episode")
        return self._c

    @property
    def current_model(self) -> Model:
        """The model with the values that this sim steps with, for reading, such as for cond.Mechanics. The model that
        the sim was made from does not change."""
        return Model.at(ffi.cast("CondModel*", lib.cond_sim_model(self._c)), self._c, self._model._c)

    def reset_parameters(self) -> None:
        """Takes back all changes: the values are again those of the model."""
        with self._lock:
            check(lib.cond_sim_reset_parameters(self._own()), what="reset_parameters")

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity, world axes [m/s2] (3); a copy."""
        settings = lib.cond_model_settings(lib.cond_sim_model(self._c))
        value: Array = view(ffi.cast("double*", settings.gravity), (3,), self._c).copy()
        return value

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Sets the acceleration of gravity, world axes [m/s2] (3)."""
        given = vector(gravity, 3, "gravity")
        with self._lock:
            check(lib.cond_sim_set_gravity(self._own(), given), what="gravity")

    def inertia(self, body: Name, link: Name = 0) -> Inertia:
        """Mass [kg], centre of mass [m] and inertia [kg m2] of a rigid body, a particle, or a link of a robot; a copy,
        to be changed and given to set_inertia."""
        found, index = Inertia(), self._model.body(body)
        status = lib.cond_model_inertia(lib.cond_sim_model(self._c), index, self._link(index, link), found.pointer)
        check(status, what=f"inertia of {body!r}")
        return found

    def set_inertia(self, body: Name, inertia: Inertia, link: Name = 0) -> None:
        """Sets mass, centre of mass and inertia of a rigid body, a particle, or a link of a robot."""
        index = self._model.body(body)
        given, number = Inertia.given(inertia, "inertia"), self._link(index, link)
        with self._lock:
            check(lib.cond_sim_set_inertia(self._own(), index, number, given), what=f"inertia of {body!r}")

    def set_mass(self, body: Name, mass: float, link: Name = 0) -> None:
        """Sets the mass [kg] of a rigid body, a particle or a link of a robot and scales its inertia with it."""
        changed = self.inertia(body, link)
        if changed.mass > 0.0:
            changed.inertia = changed.inertia * (mass / changed.mass)
        changed.mass = mass
        self.set_inertia(body, changed, link)

    def _link(self, body: int, link: Name) -> int:
        return self._model.link(body, link) if isinstance(link, str) else link

    def surface(self, body: Name, link: Name | None = None) -> SurfaceDef:
        """Friction and restitution of a body, or of one link of a robot; NaN where the scene gives none. A copy, to be
        changed and given to set_surface."""
        found, index = SurfaceDef(), self._model.body(body)
        number = -1 if link is None else self._link(index, link)
        status = lib.cond_model_body_surface(lib.cond_sim_model(self._c), index, number, found.pointer)
        check(status, what=f"surface of {body!r}")
        return found

    def set_surface(self, body: Name, surface: SurfaceDef, link: Name | None = None) -> None:
        """Sets friction and restitution of all shapes of a body, or of one link of a robot."""
        index = self._model.body(body)
        given, number = SurfaceDef.given(surface, "surface"), -1 if link is None else self._link(index, link)
        with self._lock:
            check(lib.cond_sim_set_body_surface(self._own(), index, number, given), what=f"surface of {body!r}")

    def plane_surface(self, plane: Name) -> SurfaceDef:
        """Friction and restitution of a plane; a copy."""
        found = SurfaceDef()
        status = lib.cond_model_plane_surface(lib.cond_sim_model(self._c), self._model.plane(plane), found.pointer)
        check(status, what=f"surface of {plane!r}")
        return found

    def set_plane_surface(self, plane: Name, surface: SurfaceDef) -> None:
        """Sets friction and restitution of a plane."""
        index, given = self._model.plane(plane), SurfaceDef.given(surface, "surface")
        with self._lock:
            check(lib.cond_sim_set_plane_surface(self._own(), index, given), what=f"surface of {plane!r}")

    def obstacle_surface(self, obstacle: Name) -> SurfaceDef:
        """Friction and restitution of an obstacle; a copy."""
        found, index = SurfaceDef(), self._model.obstacle(obstacle)
        status = lib.cond_model_obstacle_surface(lib.cond_sim_model(self._c), index, found.pointer)
        check(status, what=f"surface of {obstacle!r}")
        return found

    def set_obstacle_surface(self, obstacle: Name, surface: SurfaceDef) -> None:
        """Sets friction and restitution of an obstacle."""
        index, given = self._model.obstacle(obstacle), SurfaceDef.given(surface, "surface")
        with self._lock:
            check(lib.cond_sim_set_obstacle_surface(self._own(), index, given), what=f"surface of {obstacle!r}")

    def material(self, body: Name) -> MaterialDef:
        """Material of a soft body or a rod; a copy, to be changed and given to set_material."""
        found = MaterialDef()
        status = lib.cond_model_material(lib.cond_sim_model(self._c), self._model.body(body), found.pointer)
        check(status, what=f"material of {body!r}")
        return found

    def set_material(self, body: Name, material: MaterialDef) -> None:
        """Sets the material of a soft body or a rod; its density changes the mass."""
        index, given = self._model.body(body), MaterialDef.given(material, "material")
        with self._lock:
            check(lib.cond_sim_set_material(self._own(), index, given), what=f"material of {body!r}")
