"""COND: simulation of bodies in contact with friction, whose forces are certified."""

from cond._cond import ffi, lib

__version__: str = ffi.string(lib.cond_version()).decode()
