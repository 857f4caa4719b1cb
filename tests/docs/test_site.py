"""docs/ builds without a warning, and its pages load nothing from the network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

LOADED = re.compile(r"<(?:script|link|img|iframe|source|object|video|audio)\b[^>]*?(?:src|href|data)=[\"']?([^\"' >]+)")
IN_STYLE = re.compile(r"(?:url\(|@import )[\"']?(?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return target


def test_the_site_has_every_page(site: Path) -> None:
    assert {path.stem for path in DOCS.glob("*.md")} <= {path.stem for path in site.glob("*.html")}


def test_no_page_loads_anything_from_the_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = LOADED.findall(page.read_text(encoding="utf-8"))
        assert loaded, page
        assert not [url for url in loaded if re.match(r"(?:https?:)?//", url)], page
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        assert not IN_STYLE.search(path.read_text(encoding="utf-8")), path


def test_the_picture_shows_a_cause_and_loads_nothing() -> None:
    picture = (DOCS / "picture.svg").read_text(encoding="utf-8")
    assert "softmax-unstable" in picture
    assert "@font-face" not in picture
    assert set(re.findall(r"https?://[^\"' <]+", picture)) <= {
        "http://www.w3.org/2000/svg",
        "https://www.textualize.io",  # in a comment
    }


def test_a_broken_anchor_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n[nowhere](#nowhere)\n", encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "nowhere" in done.stderr
