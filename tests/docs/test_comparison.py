"""What the comparison with other courses says of us is what is there."""

from __future__ import annotations

import re

from autograder import assignments
from autograder.feedback.causes import CAUSES
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


def _said(pattern: str) -> int:
    (found,) = re.findall(pattern, PAGE)
    return int(found)


def test_its_numbers_are_counted() -> None:
    parts = [part for name in assignments.NAMES for part in assignments.load(name).parts]
    assert _said(r"yes, (\d+) functions and classes") == len(parts)
    assert _said(r"(\d+) with shapes on the arrows") == len(list((ROOT / "assignments").glob("*/figure.svg")))
    assert _said(r"(\d+) causes, each with a hint") == len(CAUSES)
