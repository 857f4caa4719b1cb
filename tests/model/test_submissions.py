"""A submission's cells as people read them."""

from __future__ import annotations

import pytest

from autograder import model


@pytest.mark.parametrize(
    ("kind", "cells", "texts"),
    [
        ("script", (b"a = 1\r\nb = 2\rc = 3",), ("a = 1\nb = 2\nc = 3",)),
        ("script", ("# coding: latin-1\ns = 'é'\n".encode("latin-1"),), ("# coding: latin-1\ns = 'é'\n",)),
        ("script", (b"s = '\xe9'\n",), ("s = '\ufffd'\n",)),  # no UTF-8: people see it all the same
        ("notebook", (b"a = 1\x0cb", b"# coding: latin-1\n\xc3\xa9"), ("a = 1\x0cb", "# coding: latin-1\né")),
    ],
)
def test_any_line_end_is_a_newline_and_what_can_not_be_decoded_is_shown(
    kind: str, cells: tuple[bytes, ...], texts: tuple[str, ...]
) -> None:
    work = model.Submission("ada", "ready", kind, cells=cells)  # type: ignore[arg-type]
    assert work.texts == texts
