"""The pages in a browser: search, sort and filters, everybody can use them, on a phone and on paper."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from autograder import model
from autograder.feedback import shown
from autograder.model import text
from autograder.report.web.compared_page import changes_page, difference_page
from autograder.report.web.student_page import student_page
from autograder.runs import results
from autograder.runs.changes import CheckChange, GradeChange, Proposal
from autograder.runs.differences import difference
from tests.integrations.made_grades import grade, outcome
from tests.report.web.made_class import CODE, write_class
from tests.report.web.opened import Opened, contrast
from tests.report.web.test_report import HOSTILE

CHROMIUM = Path("/usr/bin/chromium")
STUDENTS = 60
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
PAGES = ("class", "student", "feedback", "empty", "difference", "changes")

BARS = (  # what is drawn, and the property that colours it
    ("rect.wanted", "fill"),
    (".gradients rect.over", "fill"),
    (".gradients rect.had", "fill"),
    (".speed rect.had", "fill"),
    (".speed rect.limit", "fill"),
    (".plot path.returned", "stroke"),
    (".plot path.reference", "stroke"),
    (".plot path.limit", "stroke"),
)

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kinds of pages."""
    folder = tmp_path_factory.mktemp("run")
    page = write_class(folder / "out", STUDENTS)
    wrong = max((page.parent / "students").iterdir(), key=lambda path: path.read_text().count('class="costs'))
    one = results.read_result(folder / "out" / "results" / f"{wrong.stem}.json")
    (folder / "feedback.html").write_text(
        student_page(
            shown.as_seen(replace(one, message="found it")), "Bahdanau attention", staff=False, cells=[CODE.decode()]
        )
    )
    (folder / "difference.html").write_text(_difference(folder / "out", one))
    (folder / "changes.html").write_text(_changes())
    empty = write_class(folder / "empty", 0)
    made = {name: folder / f"{name}.html" for name in ("feedback", "difference", "changes")}
    return {"class": page, "student": wrong, "empty": empty} | made


def _difference(out: Path, one: model.Grade) -> str:
    other = next(found for path in (out / "results").iterdir() if (found := results.read_result(path)).score == 100)
    found = difference(one, other, ("s1", "s2"))
    return difference_page(
        found, ["--- s1", "+++ s2", "@@ -1 +1 @@", "-x = 1", "+x = 2", " y"], "", "Bahdanau attention"
    )


def _changes() -> str:
    check = CheckChange("a-check", "passed", "failed", 3.0, 0.0, "changed")
    change = GradeChange("s1", 50.0, 47.0, 100.0, 100.0, "graded", "partial", (check,))
    return changes_page(
        Proposal("bahdanau", [change], failed=["s2"], reasons={"it changed": 1}), "Bahdanau", applied=False
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def class_page(browser: Any, places: dict[str, Path]) -> Iterator[Opened]:
    opened = Opened(browser, places["class"])
    yield opened
    assert opened.said == []
    opened.context.close()


def test_search_narrows_the_table_and_clear_brings_it_back(class_page: Opened) -> None:
    page = class_page.page
    everybody = class_page.shown()
    assert len(everybody) == STUDENTS
    page.fill("#search", "name 7")
    assert class_page.shown() == [name for name in everybody if name.startswith("Name 7")] != []
    page.fill("#search", "s0042")
    assert class_page.shown() == ["Name 2400s"]
    assert page.inner_text("#count") == f"1 of {STUDENTS} students"
    page.click("#clear")
    assert class_page.shown() == everybody


def test_filters_hold_together(class_page: Opened) -> None:
    page = class_page.page
    cells = page.locator("table.students tbody tr")
    rows = cells.evaluate_all(
        "rows => rows.map(r => [r.dataset.causes, r.dataset.lost, r.dataset.status, r.dataset.section])"
    )
    page.select_option("#cause", "wrong-activation")
    assert len(class_page.shown()) == sum("wrong-activation" in causes for causes, *_ in rows)
    page.select_option("#section", "CS 1")
    assert len(class_page.shown()) == sum("wrong-activation" in one[0] and one[3] == "CS 1" for one in rows)
    page.select_option("#part", "softmax_vjp")
    both = [one for one in rows if "wrong-activation" in one[0] and one[3] == "CS 1" and "softmax_vjp" in one[1]]
    assert len(class_page.shown()) == len(both)
    page.click("#clear")
    page.select_option("#status", "late")
    assert len(class_page.shown()) == sum("late" in one[2].split() for one in rows) > 0


def test_sorting_by_score_and_back_with_the_keyboard(class_page: Opened) -> None:
    page = class_page.page
    head = page.locator("th.mark")

    def scores() -> list[float]:
        keys = page.locator("table.students td.mark").evaluate_all("cells => cells.map(c => c.dataset.key)")
        return [float(key) for key in keys]

    before = scores()
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert (head.get_attribute("aria-sort"), scores()) == ("ascending", sorted(before))
    page.keyboard.press("Enter")
    assert (head.get_attribute("aria-sort"), scores()) == ("descending", sorted(before, reverse=True))
    page.locator("th.who button").click()
    assert head.get_attribute("aria-sort") is None
    assert class_page.shown() == sorted(class_page.shown())


def test_a_cause_shows_its_students_in_the_table(class_page: Opened) -> None:
    page = class_page.page
    page.locator("details.cause summary").first.click()
    link = page.locator("details.cause[open] a[data-cause]")
    cause = link.get_attribute("data-cause")
    link.click()
    assert page.input_value("#cause") == cause
    assert 0 < len(class_page.shown()) < STUDENTS


def test_links_lead_to_students_and_back(class_page: Opened) -> None:
    page = class_page.page
    page.locator("table.students td.who a").first.click()
    assert page.locator("h1").inner_text().startswith("Name ")
    page.locator('a[href="../index.html"]').click()
    assert page.locator("h1").inner_text() == "Bahdanau attention"


def test_the_pages_hold_every_kind_of_picture(places: dict[str, Path]) -> None:
    """So the tests below look at each."""
    for name, drawn in (("student", ("weights", "gradients", "speed", "plot")), ("feedback", ("gradients", "speed"))):
        page = places[name].read_text()
        assert [word for word in drawn if re.search(rf'class="([a-z ]+ )?{word}"', page)] == list(drawn)
    assert '<details class="drawn" open>' in places["feedback"].read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", PAGES)
def test_axe_finds_nothing_serious(browser: Any, places: dict[str, Path], kind: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    opened = Opened(browser, places[kind], color_scheme=scheme)
    opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = axe.Axe().run(
        opened.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    )
    serious = [
        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"])
        for one in found.response["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]
    assert serious == []
    assert opened.said == []
    opened.context.close()


@pytest.mark.parametrize("staff", [True, False])
def test_the_largest_page_opens_at_once_and_runs_nothing(browser: Any, tmp_path: Path, staff: bool) -> None:
    """A hundred messages of the longest kind, and as much code as is highlighted, all of it hostile."""
    lines = [
        outcome(f"c{n}", "failed", 0.0, 1.0, message=(HOSTILE * 40)[: text.LIMIT], hint=HOSTILE) for n in range(100)
    ]
    page = student_page(grade("ana", lines), HOSTILE, staff=staff, cells=[("<i>+'" * 50 + "\n") * 199])
    assert 400_000 < len(page.encode()) < 3_000_000
    (tmp_path / "page.html").write_text(page)
    started = time.monotonic()
    opened = Opened(browser, tmp_path / "page.html")
    assert time.monotonic() - started < 10  # seconds; a tenth of it on two quiet cores
    assert opened.said == []
    assert opened.page.locator("img, script, i").count() == 0
    opened.context.close()


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("kind", PAGES)
def test_nothing_scrolls_sideways(browser: Any, places: dict[str, Path], kind: str, width: int) -> None:
    opened = Opened(browser, places[kind], viewport={"width": width, "height": 800})
    opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["student", "feedback"])
def test_bars_and_lines_stand_out(browser: Any, places: dict[str, Path], kind: str, scheme: str) -> None:
    """WCAG 2.1, 1.4.11: a graphic that says something differs from what is next to it by 3 to 1."""
    opened = Opened(browser, places[kind], color_scheme=scheme)
    paper = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    for name, property in BARS:
        found = opened.page.locator(name)
        if kind == "student" or not name.startswith(".plot"):
            assert found.count() > 0, name
        for number in range(found.count()):
            colour = found.nth(number).evaluate(f"one => getComputedStyle(one).{property}")
            assert contrast(colour, paper) >= 3, (name, colour, paper)
    opened.context.close()


def test_on_paper_pictures_stay_and_what_is_as_expected_takes_a_line(browser: Any, places: dict[str, Path]) -> None:
    opened = Opened(browser, places["feedback"])
    opened.page.emulate_media(media="print")
    assert opened.page.locator("table.gradients").first.is_visible()
    assert opened.page.locator("figure.speed svg").first.is_visible()
    assert opened.page.locator("details.right > summary").is_visible()
    assert not opened.page.locator("details.right > figure").first.is_visible()
    assert not opened.page.locator("pre.code").first.is_visible()
    opened.context.close()


@pytest.mark.parametrize(("kind", "most"), [("class", 6), ("student", 2), ("feedback", 2)])
def test_on_paper(browser: Any, places: dict[str, Path], kind: str, most: int) -> None:
    opened = Opened(browser, places[kind])
    printed = opened.page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "15mm"))
    assert 1 <= len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= most
    opened.context.close()
