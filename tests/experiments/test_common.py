"""What the experiments share."""

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.core.tables import load_rows
from support.experiments import ROOT, script

OF_NO_PAPER = (
    "bounds",
    "limits",
    "modern_logs",
    "nodes",
    "online",
    "questions",
    "slurm",
)
EXPERIMENTS = ("ci190_05", "ctc1024", "gfs", "greedy", "groupopt", "pgga", *OF_NO_PAPER)
RUN = {
    "ci190_05": {"--quick", "--part", "--workers", "--work", "--results"},
    "ctc1024": {"--quick", "--work", "--results"},
    "gfs": {
        "--quick", "--part", "--log", "--seed", "--evaluations", "--workers", "--work", "--fronts", "--results",
    },
    "greedy": {"--quick", "--part", "--workers", "--work", "--fronts", "--results"},
    "groupopt": {"--quick", "--part", "--results"},
    "pgga": {"--quick", "--part", "--work", "--results"},
    "online": {"--quick", "--part", "--log", "--seeds", "--learner", "--workers", "--work", "--results"},
    "bounds": {"--quick", "--part", "--workers", "--results"},
    "modern_logs": {"--quick", "--results"},
    "nodes": {"--quick", "--part", "--results"},
    "limits": {"--quick", "--part", "--results"},
    "questions": {"--quick", "--part", "--results"},
    "slurm": {
        "--quick", "--part", "--log", "--windows", "--window", "--rate", "--at-once", "--work", "--results",
    },
}  # fmt: skip
ANALYSIS = {name: {"--results", "--no-figures"} for name in EXPERIMENTS if name != "online"}
for name in ("ci190_05", "ctc1024", "gfs", "greedy"):
    ANALYSIS[name] |= {"--work"}
for name in ("gfs", "greedy"):
    ANALYSIS[name] |= {"--quick", "--fronts"}


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    monkeypatch.delitem(sys.modules, "common", raising=False)
    return importlib.import_module("common")


def test_every_experiment_has_the_same_files() -> None:
    folders = {path.parent.name for path in (ROOT / "experiments").glob("*/run.py")}
    assert folders == set(EXPERIMENTS)
    for folder in folders:
        files = {path.name for path in (ROOT / "experiments" / folder).iterdir()}
        assert {"README.md", "run.py", "settings.py"} <= files
        assert "analysis.py" in files or (ROOT / "results" / folder / "kept.sha256").is_file()
        if folder not in OF_NO_PAPER:
            assert "paper.csv" in files
            assert (ROOT / "results" / folder / "summary.md").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_option_is_still_there(experiment: str) -> None:
    for name, options in (("run.py", RUN), ("analysis.py", ANALYSIS)):
        if experiment not in options:
            continue
        words = re.findall(r"--[a-z-]+", script(experiment, name, "--help"))
        assert set(words) == options[experiment] | {"--help"}


def test_the_help_says_that_a_part_may_need_another(common: Any) -> None:
    text = common.run_parser("gfs", "", "", ("iterative", "applied")).format_help()
    assert "some need what earlier ones have written" in " ".join(text.split())


@pytest.mark.parametrize("experiment", sorted(RUN))
def test_a_quick_run_does_not_write_over_the_results(common: Any, experiment: str) -> None:
    parser = common.run_parser(experiment, None, "")
    common.add_work(parser, experiment)
    whole, quick = parser.parse_args([]), parser.parse_args(["--quick"])
    folder = common.EXPERIMENTS / experiment / "work" / "quick"
    assert (whole.results, whole.work) == (common.ROOT / "results" / experiment, folder.parent)
    assert (quick.results, quick.work) == (folder / "results", folder / "work")
    named = parser.parse_args(["--quick", "--results", "R", "--work", "W"])
    assert (named.results, named.work) == (Path("R"), Path("W"))


def test_stand_ins_of_two_logs_differ_and_are_the_same_again(common: Any) -> None:
    size = {"jobs": 50, "processors": 32, "seed": 3}
    ctc, kth = (common.stand_in(log, size) for log in ("CTC", "KTH"))
    assert len(ctc) == len(kth) == 50
    assert ctc.digest == common.stand_in("CTC", size).digest
    assert ctc.digest != kth.digest


def test_the_work_that_cutting_takes_is_that_of_the_table(common: Any) -> None:
    whole, quick = {"quick": False}, {"quick": True}
    shares = {log: f"{percent:.1f}" for log, percent in cut_percents().items()}
    assert set(shares) == set(common.LOGS)
    remark = common.cut_remark(whole, ["KTH", "LANL", "KTH", "SDSC96"])
    in_order = f"LANL {shares['LANL']} %, SDSC96 {shares['SDSC96']} %, KTH {shares['KTH']} %. "
    assert remark == f"A run beyond its request is cut there; of all work of a log, as recorded, that takes: {in_order}"
    both_ways = common.cut_remark(whole, ["LANL", common.RAISED])
    assert both_ways.startswith("A run beyond its request is cut there, unless requests are said to be raised; of all")
    assert common.cut_remark(whole, [common.RAISED]) == common.cut_remark(quick, ["LANL"]) == ""
    with pytest.raises(KeyError):
        common.cut_remark(whole, ["no log"])


@pytest.mark.parametrize("experiment", ["bounds", "ci190_05", "greedy"])
def test_a_summary_says_what_work_is_not_in_its_logs(experiment: str) -> None:
    summary = (ROOT / "results" / experiment / "summary.md").read_text(encoding="utf-8")
    for log in ("LANL", "SDSC96", "SDSC00"):
        assert f" {log} {cut_percents()[log]:.1f} %" in summary.partition("\n## ")[0].partition("is cut there")[2]


def cut_percents() -> dict[str, float]:
    """The share of the work of each log that cutting takes."""
    return {row["log"]: float(row["work_percent"]) for row in load_rows(ROOT / "results/gfs/cut.csv")}


def test_logs_have_the_papers_factors(common: Any) -> None:
    assert common.file_of("CTC") == "CTC-SP2-1996-3.1-cln.swf.gz"
    factors = {log: common.factor_of(log) for log in common.LOGS}
    assert factors == {"CTC": 2.45, "KTH": 10.71, "LANL": 1, "SDSC00": 8.21, "SDSC96": 2.48, "NASA": 8}


def test_without_logs_one_line_says_what_to_do(common: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path))
    with pytest.raises(InputError, match=r'"paretosched fetch SDSC-SP2 --cache" .* or set PARETOSCHED_TRACES'):
        common.log_of("SDSC00")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            ("greedy", "run.py", "--quick", "--part", "positions"),
            "no policy of the training none-f2; run the parts",
        ),
        (
            ("gfs", "run.py", "--quick", "--part", "weeks"),
            "no symbiotic rule base of CTC; run the part symbiotic",
        ),
        (("gfs", "run.py", "--quick", "--part", "positions"), "no symbiotic rule base of CTC; run the part symbiotic"),
        (("ci190_05", "run.py", "--quick", "--part", "workloads"), "was not explored; run the part paper002"),
        (("groupopt", "analysis.py"), "has no provenance.json, and so no results; run.py makes them"),
    ],
)
def test_a_part_that_needs_another_one_says_so_in_a_line(call: tuple[str, ...], words: str, tmp_path: Path) -> None:
    places = [f"--{name}={tmp_path / name}" for name in ("results", "work") if name == "results" or "run.py" in call]
    with pytest.raises(AssertionError) as error:  # of `script`: another end than status 0, with what was printed
        script(*call, *places)
    (line,) = [line for line in str(error.value).splitlines() if words in line]
    assert f"{call[1]}: {tmp_path}" in line


@pytest.mark.traces
def test_a_log_is_scaled_as_for_the_stored_results(common: Any, traces: Path) -> None:
    digests = common.load_provenance(ROOT / "results" / "gfs")["workloads"]
    workload = common.scaled_log("SDSC96")
    assert {"file", "factor", "jobs", "digest"} == set(digests["SDSC96"])
    assert common.about_workloads(["SDSC96"], lambda log: workload)["SDSC96"] == digests["SDSC96"]
    assert np.all(np.diff(workload.submit) >= 0)


def test_provenance_is_read_as_it_was_written(common: Any, tmp_path: Path) -> None:
    assert common.earlier_parts(tmp_path) == []
    common.save_provenance(tmp_path, {}, ("scipy",), ["one"])
    assert common.earlier_parts(tmp_path) == ["one"]
    note = common.load_provenance(tmp_path)
    assert [set(session) for session in note["sessions"]] == [{"seconds", "cpu_seconds", "cores"}]
    common.save_provenance(tmp_path, {}, (), ["two"])
    assert common.earlier_parts(tmp_path) == ["one", "two"]
    (session,) = common.load_provenance(tmp_path)["sessions"]  # it is still the same call
    assert session["seconds"] >= note["sessions"][0]["seconds"]
    common._earlier_sessions.cache_clear()  # as in another call
    common.save_provenance(tmp_path, {})
    assert common.load_provenance(tmp_path)["sessions"][0] == session
    assert len(common.load_provenance(tmp_path)["sessions"]) == 2
    common._earlier_sessions.cache_clear()
    common.save_provenance(tmp_path, {"quick": True})
    assert len(common.load_provenance(tmp_path)["sessions"]) == 2
    assert list(note["versions"]) == ["python", "paretosched", "numpy", "numba", "scipy"]
    assert common.versions_text(note).startswith(f"python {sys.version.split()[0]}, paretosched ")
