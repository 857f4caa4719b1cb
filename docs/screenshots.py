"""Make docs/images/: the class, a cause, a student and a phone, as a browser shows them.

Run it in a checkout with the grader and Debian's chromium installed: python docs/screenshots.py
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
MADE = tomllib.loads((ROOT / "docs" / "screenshots.toml").read_text(encoding="utf-8"))
ASSIGNMENT = MADE["assignment"]


def submissions(folder: Path) -> None:
    """Write a class and its roster. Raises ValueError if the model solution has changed."""
    chance = random.Random(7)
    solution = (ROOT / "solutions" / ASSIGNMENT / f"{ASSIGNMENT}.py").read_text(encoding="utf-8")
    solution = "\n".join(line for line in solution.split("\n") if "SOLUTION" not in line)
    works = [made["changes"] for made in MADE["work"] for _ in range(made["students"])]
    people = chance.sample([f"{last}, {first}" for last in MADE["last"] for first in MADE["first"]], len(works))
    rows = ["Student ID,Name,Email,Section"]
    for number, (person, changes) in enumerate(zip(people, works, strict=True), start=1):
        text = solution
        for right, wrong in changes:
            if right not in text:
                raise ValueError(f"the model solution no longer has {right!r}")
            text = text.replace(right, wrong)
        id = f"s{4000 + number * 7}"
        (folder / "in" / id).mkdir(parents=True)
        (folder / "in" / id / f"{ASSIGNMENT}.py").write_text(f"# {person}\n{text}", encoding="utf-8")
        rows.append(f'{id},"{person}",{id}@example.org,CS 10{1 + number % 3}')
    rows.append('s4999,"Weiss, Tia",s4999@example.org,CS 101')
    (folder / "roster.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def shots(browser: Browser, report: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each picture's name and its PNG."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto((report / "index.html").as_uri())
    yield "class", page.screenshot(clip={"x": 0, "y": 0, "width": 1100, "height": 1250}, full_page=True)
    page.locator("details.cause summary").first.click()
    card = page.locator("details.cause[open]")
    yield "cause", card.screenshot()
    name = card.locator('a[href^="students/"]').first.get_attribute("href") or ""
    page.set_viewport_size({"width": 900, "height": 900})
    page.goto((report / name).as_uri())
    yield "student", page.screenshot(clip={"x": 0, "y": 0, "width": 900, "height": 1100}, full_page=True)
    phone = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2, color_scheme="dark")
    phone.goto((report / name).as_uri())
    yield "phone", phone.screenshot()


def main() -> None:
    """Grade a made class and take the pictures."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        folder = Path(place)
        submissions(folder)
        call = ("grade", folder / "in", "-a", ASSIGNMENT, "-o", folder / "out", "--roster", folder / "roster.csv")
        subprocess.run([sys.executable, "-m", "autograder", *map(str, call), "--no-timing"], check=True)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, data in shots(browser, folder / "out" / "report"):
            (TARGET / f"{name}.png").write_bytes(data)
            print(TARGET / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
