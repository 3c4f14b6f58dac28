"""What version 0.1 wrote still opens, shows the same, and goes on."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.fronts.quality_indicators import indicators
from paretosched.search.runs import read_about
from paretosched.wishes.wish import wish_text
from paretosched.workload.reopening import reopen
from support.old_files import LOG, OLD, copy_old_files

RUNS = {
    "run-weighting": {"population": 10, "seed": 1},
    "run-sequence": {"population": 10, "seed": 2, "encoding": "sequence"},
}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy, since opening a run writes."""
    return copy_old_files(tmp_path / "old")


@pytest.mark.parametrize("name", ["run-weighting", "run-sequence", "run-groups"])
def test_the_log_of_a_run_is_found_by_the_command_that_made_it(name: str, old: Path) -> None:
    workload = reopen(old / name)
    assert workload.digest == read_about(old / name)["parameters"]["workload"] == ps.load_front(old / name).digest
    (old / LOG).unlink()
    with pytest.raises(ps.InputError, match="the file is gone"):
        reopen(old / name)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_shows_the_same_front_and_nothing_is_simulated_again(name: str, old: Path) -> None:
    progress: list[int] = []
    front = ps.explore(
        old / LOG,
        old / name,
        **RUNS[name],
        progress=lambda report: progress.append(report.evaluations - report.replayed),
    )
    assert progress == [0]
    stored_front = ps.load_front(OLD / name)
    for key in ("values", "genomes", "origin", "evaluation"):
        np.testing.assert_array_equal(getattr(front, key), getattr(stored_front, key))


def has_avx_512() -> bool:
    """Return whether numpy computes powers with AVX-512, as where the run of weightings was made."""
    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    return bool(features.get("X86_V4") or features.get("AVX512_SKX"))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_continued_as_if_it_were_new(name: str, old: Path, tmp_path: Path) -> None:
    workload = ps.read_swf(old / LOG)
    if name == "run-weighting" and not has_avx_512():  # its genes have other last bits here
        before = ps.load_front(old / name).values
        with pytest.raises(ps.InputError, match=r"generation 1 differs: .* on another kind of processor"):
            ps.explore(workload, old / name, evaluations=60, **RUNS[name])
        np.testing.assert_array_equal(ps.load_front(old / name).values, before)
        return
    versions = read_about(old / name)["versions"]
    again = ps.explore(workload, old / name, evaluations=60, **RUNS[name])
    known = read_about(old / name)["parameters"]  # some are not today's defaults
    words = RUNS[name] | {key: known[key] for key in ("algorithm", "decoding", "moves") if key in known}
    fresh = ps.explore(workload, tmp_path / name, evaluations=60, util_from="start", **words)
    assert "util_from" not in known  # so that UTIL is that of the papers, then and now
    assert again.util_from == ps.load_front(OLD / name).util_from == "start"
    np.testing.assert_array_equal(again.values, fresh.values)
    np.testing.assert_array_equal(again.genomes, fresh.genomes)
    about = read_about(old / name)
    assert about["versions"] == versions
    assert about["workload"]["source"][0]["path"] == str(old / LOG)  # which it did not say before
    assert len(about["sessions"]) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("fine_hypervolumes")
def test_a_merged_front_measures_the_same(old: Path) -> None:
    front = ps.load_front(old / "front.parquet")
    runs = [old / "run-weighting", old / "run-sequence"]
    again = ps.merge(runs)
    np.testing.assert_array_equal(again.values, front.values)
    np.testing.assert_array_equal(again.genomes, front.genomes)
    old_values = json.loads((old / "front.json").read_text())
    quality = indicators(front, runs)
    for key in ("size", "evaluations", "duplicates", "ideal", "nadir", "reference"):
        assert quality[key] == old_values[key]
    assert quality["hypervolume"] == pytest.approx(old_values["hypervolume"], rel=1e-12)


def test_wishes_mean_the_same(old: Path) -> None:
    assert wish_text(ps.load_wish(old / "sum.wish.json")) == "10*AWRT1 + 4*AWRT2 - 5*UTIL, AWRT5 <= 39600"
    assert wish_text(ps.load_wish(old / "near.wish.json")) == "near AWRT1 = 5000, UTIL = 60, AWRT in 1000..9000"
