"""Study: many runs from one file, as `cond sweep` makes them."""
from __future__ import annotations

from cond._cond import ffi, lib
from cond.errors import check, new_error
from cond.memory import Path, own, path_bytes, text
from cond.model import Model
from cond.names import Handle
from cond.structs import StudyRun


class Study(Handle):
    """The plan of a study: its entries, and the model of each.

        for i in range(len(study := cond.Study("sweep.yaml"))):
            model = study.model(i)
    """

    __slots__ = ()

    def __init__(self, path: Path) -> None:
        made, error = ffi.new("CondStudy**"), new_error()
        check(lib.cond_study_read(ffi.NULL, path_bytes(path), made, error), error)
        self._c = own(made[0], lib.cond_study_destroy)

    def __len__(self) -> int:
        return int(lib.cond_study_n_entry(self._c))

    @property
    def scene(self) -> str:
        """Path or name of the scene."""
        return text(lib.cond_study_scene(self._c))

    @property
    def run(self) -> StudyRun:
        """What is kept of every run, and how it is made."""
        return StudyRun.from_c(lib.cond_study_run(self._c), self._c).copy()

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables of the sweep."""
        return tuple(text(lib.cond_study_variable(self._c, i)) for i in range(lib.cond_study_n_variable(self._c)))

    def _entry(self, entry: int) -> int:
        if not 0 <= entry < len(self):
            raise IndexError(f"the study has {len(self)} entries, not {entry}")
        return entry

    def values(self, entry: int) -> dict[str, str]:
        """The values of an entry, as text."""
        out, found = ffi.new("char[]", lib.COND_STUDY_VALUE_SIZE), {}
        for i, name in enumerate(self.variables):
            lib.cond_study_value(self._c, self._entry(entry), i, out)
            found[name] = text(out)
        return found

    def overrides(self, entry: int) -> list[str]:
        """The overrides of an entry, "path=value"."""
        out: list[str] = []
        line = ffi.new("char[]", lib.COND_STUDY_OVERRIDE_SIZE)
        while lib.cond_study_override(self._c, self._entry(entry), len(out), line):
            out.append(text(line))
        return out

    def seed(self, entry: int) -> int | None:
        """What draws the scene's section `randomise`; None: nothing is drawn."""
        seed = int(lib.cond_study_seed(self._c, self._entry(entry)))
        return None if seed < 0 else seed

    def model(self, entry: int) -> Model:
        """The model of an entry."""
        return Model.from_path(self.scene, self.overrides(entry), seed=self.seed(entry))
