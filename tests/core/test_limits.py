import threading
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.core.limits import Limits, check_limit, limit_names, limits_in_force, limits_text, reading_limits
from support.commands import command


def test_limits_hold_for_all_threads_until_the_end_of_the_block() -> None:
    jobs_limits: list[int] = []
    with ps.reading_limits(jobs=7), reading_limits(line=9) as inner:
        assert inner == Limits(jobs=7, line=9)
        other = threading.Thread(target=lambda: jobs_limits.append(limits_in_force().jobs))
        other.start()
        other.join()
    assert jobs_limits == [7]
    assert limits_in_force() == Limits()
    with pytest.raises(ZeroDivisionError), reading_limits(jobs=7):
        raise ZeroDivisionError
    assert limits_in_force() == Limits()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"job": 1}, 'limit must be one of jobs, line, .*, but is "job"'),
        ({"jobs": 0}, "limit jobs must be a whole number in 1..2.53, but is 0"),
        ({"jobs": 1.5}, "limit jobs must be a whole number in 1..2.53, but is 1.5"),
        ({"jobs": 2**53 + 1}, "limit jobs must be a whole number"),
    ],
)
def test_what_is_no_limit_is_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message), reading_limits(**changes):
        pass


def test_amounts_beyond_a_limit_are_refused() -> None:
    check_limit("w.swf", "jobs", 5_000_000)
    with pytest.raises(
        InputError, match=r"^w.swf: the number of jobs in a log must be at most 5,000,000 jobs, but is mo"
    ):
        check_limit("w.swf", "jobs", 5_000_001)
    with reading_limits(jobs=3), pytest.raises(InputError, match="at most 3 jobs, but is 4; --limit jobs=N sets anoth"):
        check_limit("w.swf", "jobs", 4, exact=True)


def test_the_text_of_limits_has_all_of_them() -> None:
    assert all(f"{name}: " in limits_text() for name in limit_names())


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "jobs",
            "is one of jobs, line, header, log, ratio, wait, text, conf, json, rows, cells, run, download, lives, "
            'but is "jobs"',
        ),
        (
            "cores=3",
            "is one of jobs, line, header, log, ratio, wait, text, conf, json, rows, cells, run, download, lives, "
            'but is "cores=3"',
        ),
        ("jobs=-1", 'jobs must be in 1..2^53, but is "-1"'),
        ("jobs=many", 'must be a whole number, but is "many"'),
    ],
)
def test_the_option_takes_names_and_whole_numbers(word: str, message: str) -> None:
    outcome = command("info", "w.swf", "--limit", word)
    assert outcome.status == 2
    assert message in outcome.err


def test_the_option_changes_limits_of_every_reader(tmp_path: Path) -> None:
    log = tmp_path / "w.swf"
    log.write_text("; MaxProcs: 8\n" + "1 0 -1 9 1 -1 -1 1 9 -1 1 1 -1 -1 -1 -1 -1 -1\n" * 3)
    assert command("info", log, "--limit", "jobs=3").status == 0
    outcome = command("info", log, "--limit", "jobs=9", "--limit", "jobs=2")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert "w.swf: the number of jobs in a log must be at most 2 jobs, but is more; --limit jobs=N sets" in outcome.err
    policy = tmp_path / "policy.json"
    policy.write_text("{}" + " " * 100)
    outcome = command("explain", policy, "--limit", "json=100")
    assert "must be a text of at most 100 bytes, but is longer; --limit json=N sets another limit" in outcome.err
    assert limits_in_force() == Limits()
