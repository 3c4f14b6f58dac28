"""Jobs that ran longer than they had requested: cut, or their requests raised; and how much work was cut."""

import warnings
from pathlib import Path

import pytest

from paretosched.core.errors import InputError
from paretosched.simulation.simulator import simulate
from paretosched.workload.from_paths import by_consumption
from paretosched.workload.reopening import record, reopen
from paretosched.workload.swf import read_swf, write_swf
from support.commands import command, succeed

OVERRUN_LOG = "; MaxProcs: 8\n" + "".join(
    f"{job} {submit} 0 {run} {width} -1 -1 {width} {request} -1 1 3 -1 -1 -1 -1 -1 -1\n"
    for job, submit, run, width, request in (
        (1, 0, 100, 4, 40),
        (2, 9, 10, 2, 20),
        (3, 12, 30, 1, 30),
        (4, 15, 9, 8, 5),
    )
)


def little_is_cut() -> str:
    """Return a log of which 0.2 % of the work is beyond requests."""
    rest = "".join(f"{job} 20 0 1000 8 -1 -1 8 1000 -1 1 3 -1 -1 -1 -1 -1 -1\n" for job in range(5, 20))
    return OVERRUN_LOG + rest


def test_runs_beyond_the_request_are_cut_or_the_request_is_raised(tmp_path: Path) -> None:
    path = tmp_path / "w.swf"
    path.write_text(OVERRUN_LOG)
    cut, raised = read_swf(path), read_swf(path, overrun="raise")
    assert (cut.run.tolist(), cut.estimate.tolist()) == ([40, 10, 30, 5], [40, 20, 30, 5])
    assert (raised.run.tolist(), raised.estimate.tolist()) == ([100, 10, 30, 9], [100, 20, 30, 9])
    [shorter], [longer] = cut.repairs[-1:], raised.repairs[-1:]
    assert shorter.work_percent == pytest.approx(100 * (60 * 4 + 4 * 8) / (400 + 20 + 30 + 72))
    assert (shorter.jobs, longer.jobs, longer.work_percent) == (2, 2, None)
    assert (shorter.if_cut_percent, longer.if_cut_percent) == (None, shorter.work_percent)
    assert longer.reason == "run time beyond the request: the request raised to it"
    for w in (cut, raised):  # a run finds its workload again
        assert reopen(record(w)).digest == w.digest
    with pytest.raises(InputError, match=r'^overrun must be one of cut, raise, but is "keep"'):
        read_swf(path, overrun="keep")


def test_python_is_warned_of_work_that_is_cut_unless_it_has_chosen(tmp_path: Path) -> None:
    path = tmp_path / "w.swf"
    path.write_text(OVERRUN_LOG)
    for read in (read_swf, by_consumption, lambda log: simulate(log, "easy")):
        with pytest.warns(UserWarning, match='52.1 % of all work is cut off.*give read_swf overrun="raise"'):
            read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for overrun in ("cut", "raise"):
            w = read_swf(path, overrun=overrun)
            reopen(record(w))
        path.write_text(little_is_cut())
        read_swf(path)


def test_what_is_dropped_does_not_count_as_cut(tmp_path: Path) -> None:
    path = tmp_path / "w.swf"
    path.write_text(OVERRUN_LOG + "5 20 0 900 99 -1 -1 99 10 -1 1 3 -1 -1 -1 -1 -1 -1\n")
    assert read_swf(path).repairs[-1].work_percent == pytest.approx(100 * 272 / 522)


def test_a_log_that_is_written_again_needs_no_more_cutting(tmp_path: Path) -> None:
    path, again = tmp_path / "w.swf", tmp_path / "again.swf"
    path.write_text(OVERRUN_LOG)
    raised = read_swf(path, overrun="raise")
    write_swf(raised, again)
    assert read_swf(again).digest == raised.digest
    assert all(repair.action == "assumed" for repair in read_swf(again).repairs)


def test_every_command_warns_of_work_that_is_cut_and_names_the_option(tmp_path: Path) -> None:
    path = tmp_path / "w.swf"
    path.write_text(OVERRUN_LOG)
    words = "52.1 % of all work is cut off, because 2 jobs ran longer than they had requested; if the machine let them"
    for name in ("simulate", "compare"):
        assert words in succeed(name, path, "--policy", "easy").err
        for overrun in ("raise", "cut"):  # who has chosen is not asked again
            assert "cut off" not in succeed(name, path, "--policy", "easy", "--overrun", overrun).err
        assert (
            "2 changed, 52.1 % of all work cut, 2 assumptions"
            in succeed(name, path, "--policy", "easy", "--overrun", "cut").err
        )
    about = succeed("info", path)
    assert words in about.err
    assert "cut off" not in succeed("info", path, "--overrun", "cut").err
    assert "% of work cut" in about.out
    assert "52.11" in about.out
    assert "if cut" not in about.out
    raised = succeed("info", path, "--overrun", "raise").out
    assert "% of work, if cut" in raised
    assert "52.11" in raised
    refused = command("simulate", path, "--policy", "easy", "--overrun", "keep")
    assert (refused.status, "--overrun" in refused.err) == (2, True)


def test_little_work_is_cut_without_a_remark_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "w.swf"
    path.write_text(little_is_cut())
    result = succeed("simulate", path, "--policy", "easy")
    assert "2 changed, 0.2 % of all work cut, 2 assumptions" in result.err
    assert "cut off" not in result.err


def test_a_front_of_raised_requests_is_refused_for_a_cut_log_and_the_option_named(tmp_path: Path) -> None:
    path, run = tmp_path / "w.swf", tmp_path / "run"
    path.write_text(OVERRUN_LOG)
    raised = ("--overrun", "raise")
    succeed("explore", path, *raised, "-o", run, "--evaluations", 8, "--population", 4)
    refused = command("compare", path, "--front", run)
    assert refused.status == 2
    assert "give the log with the capacity, groups and overrun of the front's run" in refused.err
    succeed("compare", path, *raised, "--front", run)
