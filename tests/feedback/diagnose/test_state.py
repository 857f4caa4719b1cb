"""State that earlier calls left behind is told from a device that is named: alone, a case raises nothing."""

from __future__ import annotations

import numpy as np
import pytest

from autograder import model, protocol
from autograder.feedback.diagnose import FailedCheck, VariantTable, causes
from tests.small_suite_helpers import answered, asked, call, check

X = np.arange(6.0).reshape(2, 3)
MIXED = protocol.Raised("RuntimeError", ("RuntimeError", "Exception"), "Expected all tensors to be on the same device")
FINDING = model.Finding("mixed-devices", "out", {"raised": MIXED})


@pytest.mark.parametrize(
    ("alone", "cause"), [(2 * X, "stateful"), (MIXED, "device-hardcoded"), (None, "device-hardcoded")]
)
def test_a_case_that_mixes_devices_only_after_others_shows_state(alone: object, cause: str) -> None:
    case = asked("on-meta", call("double", "x"), {"out": 2 * X}, x=X)
    failed = [FailedCheck(check("double"), {"on-meta": FINDING})]
    again = None if alone is None else answered({"out": alone})
    answers = {"on-meta": answered({"out": MIXED})}
    found = causes(failed, {"on-meta": case}, answers, VariantTable(()), lambda _: (again, again))
    assert found == {"double": cause}
