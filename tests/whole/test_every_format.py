"""Every format of a file that a version has written is in tests/data, and opens."""

import re
import shutil
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.app import page_file
from paretosched.deployment.guard_books import read_books
from paretosched.deployment.records import read_state
from paretosched.policies.policy import as_policy
from paretosched.workload.log_names import read_names
from paretosched.workload.machine_toml import machine_of_text
from support.commands import ROOT, succeed

DATA = ROOT / "tests" / "data"
NEW = DATA / "version-0.2"
VERSIONS = sorted(DATA.glob("version-*"))
NAME = re.compile(rb'paretosched (?:[a-z]+ ){1,2}\d+(?=["\s\\])')
# Of the folder of a page, for its own server: what is to be trained or explored further; tests/app write and read them.
OF_A_PAGE = {"paretosched page training 1", "paretosched page queue 1", "paretosched page exploration 1"}
# No files: the beginning of a digest; the form of a copy that is made again where it is another one.
IN_MEMORY = {"paretosched requests 1", "paretosched workload 1", "paretosched log 2"}


def formats_in(paths: list[Path]) -> set[str]:
    return {match.decode() for path in paths for match in NAME.findall(path.read_bytes())}


def test_every_format_has_a_file() -> None:
    source = formats_in([*(ROOT / "paretosched").rglob("*.py")])
    files = formats_in([path for version in VERSIONS for path in version.rglob("*") if path.is_file()])
    assert source - OF_A_PAGE - IN_MEMORY == files


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """A copy, since opening writes."""
    return Path(shutil.copytree(NEW, tmp_path / "new"))


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_every_policy_wish_and_run_opens(version: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(version, tmp_path / "place"))
    heads = {path: path.read_text(encoding="utf-8")[:200] for path in place.glob("*.json")}
    policies = [path for path, head in heads.items() if "paretosched policy " in head]
    wishes = [path for path, head in heads.items() if "paretosched wish " in head]
    fronts = [path.parent for path in place.glob("*/run.json")]
    assert policies
    assert wishes
    assert fronts
    for path in policies:
        assert ps.explain(path).words()
    for path in wishes:
        assert ps.load_wish(path)
    for path in fronts:
        assert len(ps.load_front(path)) > 0
        assert succeed("front", path).out


def test_logs_machines_and_schedules_open(new: Path) -> None:
    names = read_names(new / "log.swf.gz")
    assert names is not None
    assert names.groups[1] == "physics"
    assert len(ps.read_swf(new / "log.swf.gz")) > 0
    log = ps.as_workload(new / "log.parquet")
    assert log.machine == machine_of_text((new / "machine.toml").read_text(encoding="utf-8"), "machine.toml")
    schedule = ps.load_schedule(log, new / "schedule.csv")
    assert schedule.objectives["AWRT"] == ps.simulate(log, "easy").objectives["AWRT"]
    w = ps.lublin(60, processors=32, seed=3)
    assert ps.load_segments(w, new / "segments.csv").objectives["UTIL"] == ps.simulate(w, "scojo").objectives["UTIL"]


def test_orders_are_the_same(new: Path) -> None:
    w = ps.lublin(60, processors=32, seed=3)
    for name, words in (("guarded", "guarded: 1, 2"), ("order", "order: 5 * wait + width; backfill: easy:8 for 1")):
        assert (ps.simulate(w, new / f"{name}.json").start == ps.simulate(w, as_policy(words)).start).all()


def test_what_a_daemon_and_a_page_keep_opens(new: Path) -> None:
    assert read_state(new).factors == {17: 5, 18: None}
    books = read_books(new)
    assert books is not None
    assert books.time == 1_700_000_000
    front = ps.load_front(new / "run-measures")
    state, lost = page_file.read((new / "page.json").read_text(encoding="utf-8"), front, "page.json")
    assert (state.present.picks, lost) == ((), 0)
