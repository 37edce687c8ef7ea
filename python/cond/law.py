"""The contact law of one contact: lambda = SOL(eta, gamma), and whether a pair (u, lambda) obeys it."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cond._cond import ffi, lib
from cond.memory import Array, doubles, vector
from cond.names import choice
from cond.structs import Law, LawError


def friction_of(mu: ArrayLike) -> Array:
    """Two coefficients, along both tangents, also from one."""
    return np.ascontiguousarray(np.broadcast_to(np.asarray(mu, np.float64), (2,)))


def laws(law: Law | str) -> int:
    return int(choice(Law, law, "law"))


def project(mu: ArrayLike, trial: ArrayLike, law: Law | str = Law.STRICT) -> Array:
    """The strict or proximal projection on the cone of friction mu."""
    out = np.empty(3)
    lib.cond_law_project(laws(law), doubles(friction_of(mu)), vector(trial, 3, "trial"), doubles(out))
    return out


def solve(mu: ArrayLike, gamma: float, eta: ArrayLike, law: Law | str = Law.STRICT, omega: float = 0.0) -> Array:
    """The lambda for which u = eta + gamma lambda and lambda obey the law; omega > 0: the invertible law."""
    out = np.empty(3)
    lib.cond_law_solve(laws(law), doubles(friction_of(mu)), omega, gamma, vector(eta, 3, "eta"), doubles(out))
    return out


def error(mu: ArrayLike, gamma: float, u: ArrayLike, force: ArrayLike, law: Law | str = Law.STRICT) -> LawError:
    """How far (u, lambda) is from obeying the law; every number is zero exactly when it does."""
    value = lib.cond_law_error(laws(law), doubles(friction_of(mu)), gamma, vector(u, 3, "u"),
                               vector(force, 3, "force"))
    return LawError.from_c(ffi.new("CondLawError*", value), None)


def interval_solve(bound: ArrayLike, gamma: float, eta: ArrayLike, compliance: float = 0.0) -> Array:
    """The same of an interval of forces, lowest and highest in bound (2)."""
    out = np.empty(3)
    lib.cond_interval_solve(vector(bound, 2, "bound"), compliance, gamma, vector(eta, 3, "eta"), doubles(out))
    return out


def interval_error(bound: ArrayLike, delassus: float, u: ArrayLike, force: ArrayLike,
                   compliance: float = 0.0) -> LawError:
    value = lib.cond_interval_error(vector(bound, 2, "bound"), compliance, delassus, vector(u, 3, "u"),
                                    vector(force, 3, "force"))
    return LawError.from_c(ffi.new("CondLawError*", value), None)
