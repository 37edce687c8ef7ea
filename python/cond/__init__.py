"""COND: simulation of bodies in contact with friction, whose forces are certified.

    import cond

    model = cond.Model.from_path("push")          # ships with COND; or the path of a YAML, MJCF scene
    sim, state = cond.Sim(model), model.state()
    for _ in range(100):
        info = sim.step(state)
    print(state.time, state.pose("box").position, sim.body_force("box"), cond.residual(info.solve.certificate))

Names are those of the C library (docs/python.md); arrays are NumPy's, on the library's memory where that is safe.
"""
import importlib.util

from cond import law
from cond._cond import ffi, lib
from cond.audit import Audit
from cond.definitions import Definitions, Meshes
from cond.env import Env, EnvBatch
from cond.errors import (
    BadArgument,
    BadInput,
    Cancelled,
    Diverged,
    Error,
    Forked,
    NoEffect,
    NoFile,
    NotSupported,
    OutOfMemory,
)
from cond.mechanics import Mechanics
from cond.memory import dtype_of, share
from cond.mesh import Mesh
from cond.model import Model
from cond.picture import Picture, write_png
from cond.problem import Problem, Solver, residual, solver_names
from cond.query import Query
from cond.recording import Moment, Record, Recording, Scenery, Snapshot
from cond.renderer import BatchRenderer, Frames
from cond.rollouts import Rollout, RolloutResult, rollout
from cond.scene import Scene, key_choices, keys, scene_keys, scenes
from cond.sim import ANY_BODY, STATIC_BODY, ForceSink, Run, Sim
from cond.state import State, place_of
from cond.structs import *  # noqa: F403
from cond.structs import __all__ as struct_names
from cond.study import Study
from cond.view import view

__version__: str = ffi.string(lib.cond_version()).decode()

__all__ = [
    "ANY_BODY", "STATIC_BODY", "Audit", "BadArgument", "BadInput", "BatchRenderer", "Cancelled", "Definitions",
    "Diverged", "Env", "EnvBatch", "Error", "ForceSink", "Forked", "Frames", "Mechanics", "Mesh", "Meshes", "Model",
    "Moment", "NoEffect", "NoFile", "NotSupported", "OutOfMemory", "Picture", "Problem", "Query", "Record",
    "Recording", "Rollout", "RolloutResult", "Run", "Scene", "Scenery", "Sim", "Snapshot", "Solver", "State", "Study",
    "dtype_of", "key_choices", "keys", "law", "place_of", "residual", "rollout", "scene_keys", "scenes", "share",
    "solver_names", "view", "write_png",
]
__all__ += struct_names


def __getattr__(name: str) -> object:
    """What is missing without Gymnasium says so."""
    if name == "gym":
        raise AttributeError("cond.gym needs Gymnasium, which is not installed: pip install gymnasium")
    raise AttributeError(f"module 'cond' has no attribute {name!r}")


# The environments are known to gymnasium.make where Gymnasium is installed.
if importlib.util.find_spec("gymnasium") is not None:
    from cond.gym import register

    register()
