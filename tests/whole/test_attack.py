"""The campaign of attacks sees what is broken: faults are planted for it."""

import multiprocessing
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from attack import __main__ as attack_main
from attack import bombs, mutated_inputs
from attack.campaign import in_words, save
from attack.disks import must_be_refused, same
from attack.kills import EVALUATIONS, fault_of, killed_and_continued, results
from attack.mutated_inputs import ATTACKS, attack_of, attempt, check_values, verdict_on
from attack.tally import ACCEPTED, REFUSED, Tally, Verdict, judge, tally
from paretosched.cli import command_info
from paretosched.core.errors import InputError
from support.commands import succeed


@pytest.fixture(autouse=True)
def memory_of_the_tests_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests ran in this process, and kernels were compiled in it: its peak is not that of an attack."""
    monkeypatch.setattr(mutated_inputs, "peak_memory", lambda: 0)


@pytest.mark.parametrize(
    ("status", "out", "err", "end"),
    [
        (0, "table", "", ACCEPTED),
        (2, "", "paretosched info: w.swf: no such file\n", REFUSED),
        (2, "", "paretosched: exploring: 8 of 12\nparetosched explore: run: cannot write\n", REFUSED),
        (2, "half a table", "paretosched info: no\n", "refused, but with 12 characters on standard output"),
        (2, "", "", "refused without its line: ''"),
        (2, "", "oops\nparetosched info: no\n", "more than one line: 'oops'"),
        (1, "", "Traceback (most recent call last):\nKeyError: 3\n", "traceback: KeyError: 3"),
        (0, "", "x.py:1: RuntimeWarning: overflow\n", "warning of a library: x.py:1: RuntimeWarning: overflow"),
        (-11, "", "", "exit status -11: "),
    ],
)
def test_only_success_and_one_line_are_not_broken(status: int, out: str, err: str, end: str) -> None:
    verdict = judge(["info", "w.swf"], status, out, err)
    assert verdict == Verdict(end, "info w.swf")
    assert verdict.broken == (end not in (REFUSED, ACCEPTED))


def number_of(attack: str) -> int:
    """Return the first attempt of seed 1 that is this attack."""
    return next(number for number in range(1000) if attack_of(1, number)[0] == attack)


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_attempts_can_be_repeated(house: Path, tmp_path: Path, attack: str) -> None:
    first, again = (attempt(1, number_of(attack), house, tmp_path / name) for name in ("here", "hers"))
    assert first[0] == again[0] == attack
    assert [v.end for v in first[1]] == [v.end for v in again[1]]
    assert not any(verdict.broken for verdict in first[1]), first


def test_a_reader_that_fails_is_broken(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(options: Any) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(command_info, "run", fail)
    assert verdict_on("info", house / "w.swf.gz").end == "traceback: ValueError: planted"


def test_a_refusal_that_leaves_something_or_does_not_name_its_file_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(options: Any) -> None:
        Path("half.csv").touch()
        raise InputError("no")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command_info, "run", refuse)
    assert verdict_on("info", "w.swf").end == "refused, and left ['half.csv']"
    assert verdict_on("info", "w.swf").end == REFUSED
    assert verdict_on("info", "w.swf", names="w.swf").end.startswith("refused without w.swf: ")


def test_a_command_that_changes_its_input_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "w.swf").write_text("sound")

    def overwrite(r: Random, house: Path, folder: Path) -> Any:
        (house / "w.swf").write_text("changed")
        yield Verdict(ACCEPTED, "overwrite")

    monkeypatch.setattr(mutated_inputs, "ATTACKS", {"overwriting": (1, overwrite)})
    _, verdicts = attempt(1, 0, tmp_path / "house", tmp_path / "here")
    assert verdicts[-1] == Verdict("inputs were changed: ['w.swf']", "seed 1, attempt 0: overwrite")


def test_an_attack_that_takes_too_much_memory_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house").mkdir()

    def accept(r: Random, house: Path, folder: Path) -> Any:
        yield Verdict(ACCEPTED, "accept")

    monkeypatch.setattr(mutated_inputs, "ATTACKS", {"accepting": (1, accept)})
    for peak, end in ((1 << 20, ACCEPTED), ((1 << 20) + 1, "more than 1 GiB of memory")):
        monkeypatch.setattr(mutated_inputs, "peak_memory", lambda peak=peak: peak)
        _, verdicts = attempt(1, 0, tmp_path / "house", tmp_path / f"here {peak}")
        assert verdicts[-1].end == end


def test_processes_that_crash_or_hang_are_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []
    process: Any = SimpleNamespace(join=lambda: None, kill=lambda: ends.append("killed"), exitcode=-11)
    here, there = multiprocessing.Pipe()
    monkeypatch.setattr(mutated_inputs, "MOST_SECONDS", 0.01)
    [(_, hang)] = mutated_inputs.answer_of(here, process, 1, 7)
    there.close()
    [(_, crash)] = mutated_inputs.answer_of(here, process, 1, 7)
    assert (hang.end, ends) == ("no end within 0 s", ["killed"])
    assert crash == Verdict("the process ended with -11", "seed 1, attempt 7")


def test_what_is_accepted_with_other_values_is_broken(house: Path, tmp_path: Path) -> None:
    succeed("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--evaluations", 12, "--population", 4, "--seed", 9)
    assert check_values(Verdict(ACCEPTED), house / "run", house / "front.parquet").end == ACCEPTED
    assert check_values(Verdict(ACCEPTED), house / "run", tmp_path / "run").broken


@pytest.mark.slow
def test_a_continued_run_that_differs_is_broken(house: Path, tmp_path: Path) -> None:
    words = ["explore", str(house / "w.swf.gz"), "-o", "run", "--evaluations", "40", "--population", "4"]
    (tmp_path / "whole").mkdir()
    assert fault_of(words, tmp_path / "whole") == ""
    whole = results(tmp_path / "whole")
    other = whole | {EVALUATIONS: whole[EVALUATIONS][:-1]}  # type: ignore[index]  # as if it had lost one
    for place, expected, wrong in (
        ("killed", whole, ""),
        ("lost", other, "the result differs from that of a run that was not killed"),
    ):
        faults = [*killed_and_continued(words, expected, 0.01, Random(1), tmp_path / place)]
        assert ([*filter(None, faults)] or [""])[-1] == wrong


def test_a_disk_that_is_not_heeded_is_broken(tmp_path: Path) -> None:
    assert must_be_refused(Verdict(ACCEPTED)).end == "accepted without a place to write"
    assert must_be_refused(Verdict(REFUSED)).end == REFUSED
    assert same(Verdict(REFUSED), tmp_path, {}).end == "refused although there is room again"
    assert same(Verdict(ACCEPTED), tmp_path, {"out.csv": b""}).broken
    assert same(Verdict(ACCEPTED), tmp_path, {}).end == ACCEPTED


@pytest.mark.slow
def test_too_much_memory_is_broken(house: Path, tmp_path: Path) -> None:
    assert bombs.measure(["info", str(house / "w.swf.gz")], tmp_path).end == ACCEPTED
    assert bombs.measure(["info", str(house / "w.swf.gz")], tmp_path, most=1000).end.endswith("MiB of memory")


ROWS = [
    tally("sound", [Verdict(ACCEPTED), Verdict(REFUSED)]),
    tally("planted", [Verdict(ACCEPTED), Verdict("traceback: KeyError", "info w.swf")]),
    Tally("accounts", 0, 0, 0, 0, remark="only root can"),
]


def test_the_table_names_what_is_broken(tmp_path: Path) -> None:
    assert in_words(ROWS).splitlines()[-2:] == [
        "BROKEN planted: info w.swf: traceback: KeyError",
        "NOT TRIED accounts: only root can",
    ]
    save(ROWS, 1, 90, tmp_path)
    text = (tmp_path / "summary.md").read_text()
    assert "| planted | 2 | 0 | 1 | 1 |" in text
    assert text.endswith("- Broken, planted: info w.swf: traceback: KeyError\n- Not tried, accounts: only root can\n")
    assert (tmp_path / "attack.csv").read_text().splitlines()[2] == "planted,2,0,1,1,info w.swf: traceback: KeyError,"


@pytest.mark.parametrize(("rows", "status"), [(ROWS[:1], 0), (ROWS, 1)])
def test_a_campaign_that_breaks_something_fails(
    rows: list[Tally], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attack_main, "campaign", lambda *_: rows)
    monkeypatch.setattr("sys.argv", ["attack", "--selection"])
    assert attack_main.main() == status
    assert "results/reliability stays as it is" in capsys.readouterr().out
