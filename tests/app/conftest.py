"""A desk with a front and known schedules, and a small run, for the tests of the page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from paretosched.app.desk import Desk
from support.browser import browser, executable
from support.browser_page import MISSING, Page, served_here, wait_for_known
from support.commands import process, succeed
from support.fronts import a_comparison
from support.page import FRONT


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(FRONT, tmp_path)
    desk.comparison = a_comparison(FRONT, ("EASY", "FCFS"))
    return desk


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workload and a run on it."""
    folder = tmp_path_factory.mktemp("house")
    succeed("generate", "lublin", "--jobs", 60, "--processors", 32, "--seed", 3, "-o", folder / "w.swf.gz")
    outcome = process("explore", "w.swf.gz", "-o", "run", "--evaluations", 60, "--population", 20, cwd=folder)
    assert outcome.returncode == 0, outcome
    return folder


@pytest.fixture(scope="session")
def browser_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workload and a run on it, for pages in a browser."""
    if executable() is None:
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("page")
    succeed("generate", "lublin", "--jobs", 150, "--processors", 32, "--seed", 5, "-o", folder / "w.swf.gz")
    # as a process: the run remembers its command, from which the page finds the log
    outcome = process("explore", "w.swf.gz", "-o", "run", "--evaluations", 400, "--population", 40, cwd=folder)
    assert outcome.returncode == 0, outcome
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as program:
        yield program


@pytest.fixture
def page(browser_house: Path, chromium: Any, tmp_path: Path) -> Iterator[Page]:
    """The page of a front file whose log is named, with the known schedules on it."""
    ps.save_front(ps.load_front(browser_house / "run"), tmp_path / "front.parquet")
    with served_here(tmp_path / "front.parquet", browser_house / "w.swf.gz") as url:
        page = Page(chromium, url)
        wait_for_known(page)
        yield page
        page.close()


@pytest.fixture
def front(browser_house: Path) -> ps.Front:
    return ps.load_front(browser_house / "run")
