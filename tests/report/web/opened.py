"""A page in a browser, and how well colours on it stand out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, such as ``rgb(1, 2, 3)`` (WCAG 2.1)."""

    def luminance(colour: str) -> float:
        shares = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


class Opened:
    """A page in the browser, and what its console said."""

    def __init__(self, browser: Any, path: Path, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.said.append(request.url) if request.url[:4] == "http" else None)
        self.page.goto(path.as_uri())

    def shown(self) -> list[str]:
        """The names in the rows that are shown, in their order."""
        names = self.page.locator("table.students tbody tr:not([hidden]) td.who a").all_inner_texts()
        return [str(name) for name in names]
