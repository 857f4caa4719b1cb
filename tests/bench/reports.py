"""How long the report of a large class takes to make, to open and to search. Run: python -m tests.bench.reports

It prints JSON: seconds for all pages, bytes of the page of the class, and milliseconds in Debian's chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from autograder.report.web import write_report
from autograder.runs.run_folder import RunFolder
from tests.report.web.made_class import write_class

CHROMIUM = "/usr/bin/chromium"
WORDS = ("s01", "name 7", "s19", "9", "name 42")
SEARCH = """(words) => words.map((word) => {
  const box = document.getElementById("search");
  const start = performance.now();
  box.value = word;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.offsetHeight;  // the layout is part of it
  return performance.now() - start;
})"""


def making(out: Path, *, anew: bool) -> float:
    """Return the seconds for all pages of a run: ``anew``, or where none of a student changes."""
    if anew:
        shutil.rmtree(out / "report")
    with contextlib.closing(RunFolder(out, "bahdanau", resume=True)) as folder:
        started = time.perf_counter()
        folder.finish(write_report)
        return time.perf_counter() - started


def in_browser(page: Path) -> dict[str, Any]:
    """Return how long the page takes to open, and the median and the longest of some searches."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(60_000)
        started = time.perf_counter()
        opened.goto(page.as_uri(), wait_until="load")
        opened.wait_for_function("document.getElementById('count').textContent !== ''")
        seconds = time.perf_counter() - started
        searches = opened.evaluate(SEARCH, list(WORDS))
        browser.close()
    return {
        "open_seconds": round(seconds, 2),
        "search_ms": round(statistics.median(searches), 1),
        "slowest_search_ms": round(max(searches), 1),
    }


def main() -> None:
    """Make a class, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        page = write_class(Path(place) / "out", options.students)
        out = Path(place) / "out"
        times, again = ([making(out, anew=anew) for _ in range(options.repeats)] for anew in (True, False))
        facts = {
            "students": options.students,
            "make_seconds": round(statistics.median(times), 2),
            "again_seconds": round(statistics.median(again), 2),
            "bytes": page.stat().st_size,
        }
        print(json.dumps(facts | in_browser(page), indent=2))


if __name__ == "__main__":
    main()
