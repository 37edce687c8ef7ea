"""What the tests share."""
from __future__ import annotations

import pytest

import cond


@pytest.fixture
def model() -> cond.Model:
    """A box that is pushed over the floor."""
    return cond.Model.from_path("push")
