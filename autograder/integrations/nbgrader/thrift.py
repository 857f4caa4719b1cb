"""What lets nbgrader's commands start, and run, in less time: nothing that they do is left out."""

from __future__ import annotations

import atexit
import gc
import sys
from typing import Any

WANTS = "rfc3987_syntax"


def without_grammars() -> None:
    """To be called before nbformat is imported. It imports jsonschema, which would compile 38 grammars, two CPU
    seconds, to check formats that no notebook's schema has; it does without where that package is not installed."""
    if "jsonschema" not in sys.modules:
        sys.modules.setdefault(WANTS, None)  # type: ignore[arg-type]  # so Python says: not importable


def seldom_look_for_garbage() -> None:
    """What nbgrader imports is a quarter of a million objects, none of them garbage. Python would look through them
    again and again, and thrice as it ends: a CPU second and a half."""
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)


class OneEngine:
    """Lends the engine of an open gradebook to ``nbgrader autograde``, which otherwise makes a new one, and looks for
    all tables, five times a student."""

    def __init__(self, gradebook: Any, db_url: str) -> None:
        from nbgrader import api
        from nbgrader.converters import autograde
        from sqlalchemy.orm import scoped_session, sessionmaker

        class Lent(api.Gradebook):  # type: ignore[misc]  # nbgrader has no types
            """A session of its own, as every gradebook has."""

            def __init__(self) -> None:
                self.engine, self.course_id = gradebook.engine, gradebook.course_id
                self.authenticator = gradebook.authenticator
                self.db = scoped_session(sessionmaker(autoflush=True, bind=self.engine, future=True))

            def close(self) -> None:
                self.db.remove()

        def opened(url: str, course: str = "default_course", *more: Any) -> Any:
            ours = (url, course) == (db_url, gradebook.course_id) and not more
            return Lent() if ours else api.Gradebook(url, course, *more)

        self.borrower, self.own = autograde, api.Gradebook
        self.borrower.Gradebook = opened

    def take_back(self) -> None:
        """From here on nbgrader opens its own."""
        self.borrower.Gradebook = self.own
