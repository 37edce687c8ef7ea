"""Audit: how deep things truly are in each other, found without the collision detection."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import new_lock, own, records
from cond.model import Model
from cond.names import Handle
from cond.state import State


class Audit(Handle):
    """Looks at every pair that may touch: audit.run(state)["depth"]."""

    __slots__ = ("_lock", "_m")

    def __init__(self, model: Model) -> None:
        made, error = ffi.new("CondAudit**"), new_error()
        check(lib.cond_audit_create(model._c, made, error), error)
        self._c, self._m = own(made[0], lib.cond_audit_destroy, model._c), model._c
        self._lock = new_lock()

    def run(self, state: State, reach: float = np.inf) -> NDArray[Any]:
        """Pairs within `reach` [m] as a structured array with the fields of AuditPair."""
        if state._m != self._m:
            raise BadArgument("the state belongs to another model than the audit")
        with self._lock, state._lock:
            check(lib.cond_audit_run(self._c, state._c, reach), what=f"audit: reach must be >= 0, not {reach}")
            pairs, place = records("CondAuditPair", lib.cond_audit_n_pair(self._c))
            for i in range(len(pairs)):
                place[i] = lib.cond_audit_pair(self._c, i)
        return pairs
