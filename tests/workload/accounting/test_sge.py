"""The file `accounting` of Grid Engine; tests/data/accounting/README.md has the sources of the lines."""

import re
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from paretosched.workload.accounting.sge import _readings
from support.accounting import RECORDED, column, import_into
from support.commands import command

SAMPLE = RECORDED / "sge-accounting"
PUBLISHED = RECORDED / "sge-published"


def test_lines_of_two_versions_with_colons_in_names(tmp_path: Path) -> None:
    log = import_into(tmp_path, "sge", SAMPLE)
    assert column(log, "width") == {2: 32, 3: 1, 43: 1, 44: 2, 45: 2}
    assert column(log, "submit") == {2: 0, 3: 1, 43: 5, 44: 5, 45: 5}
    assert column(log, "wait") == {2: 6, 3: 6, 43: 10, 44: 20, 45: 20}
    assert column(log, "run") == {2: 3600, 3: 100, 43: 1, 44: 100, 45: 100}
    assert column(log, "estimate") == {2: 14400, 3: 3600, 43: 1, 44: 14400, 45: 14400}
    assert column(log, "status") == {2: 1, 3: 0, 43: 1, 44: 1, 45: 0}
    assert log.names.users == {1: "anna", 2: "bert"}
    assert log.names.queues == {1: "all.q", 2: "old.q"}


def test_published_lines_of_four_versions(tmp_path: Path) -> None:
    """43, 45, 46 and 53 fields, the last ones in milliseconds; a job that was killed at its limit, on nine slots."""
    log = import_into(tmp_path, "sge", PUBLISHED, "--capacity", 100)
    assert column(log, "run") == {43: 1, 6972834: 180001, 1630912: 20572, 3294013: 359, 3872561: 220}
    assert column(log, "wait") == {43: 8, 6972834: 10, 1630912: 3, 3294013: 1470, 3872561: 5}
    assert column(log, "width") == {43: 1, 6972834: 9, 1630912: 1, 3294013: 1, 3872561: 1}
    assert column(log, "status") == {43: 1, 6972834: 0, 1630912: 0, 3294013: 1, 3872561: 1}
    assert log.jobs[6972834]["estimate"] == 180300
    assert {*log.names.queues.values()} == {"dteam", "large", "lcg_analysis", "grid.q"}
    assert {*log.names.users.values()} == {"anna", "bert"}


def test_a_file_of_windows_and_one_that_is_still_being_written(tmp_path: Path) -> None:
    text = PUBLISHED.read_text()
    (tmp_path / "x").write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    assert import_into(tmp_path, "sge", tmp_path / "x").jobs == import_into(tmp_path, "sge", PUBLISHED).jobs
    (tmp_path / "x").write_text(text[: text.rindex(":-u anna")])
    message = command("import", "sge", tmp_path / "x").err
    assert ":5: a line must have the 45 fields of sge_accounting(5) between colons, but this one has others" in message


def test_colons_in_the_fields_behind_the_known_ones_and_in_names(tmp_path: Path) -> None:
    lines = PUBLISHED.read_text().splitlines()
    lines[4] = lines[4].replace("qsub /tmp/", "qsub a:b:/tmp/").replace("cream_814542935:387", "my:job:387")
    (tmp_path / "x").write_text("\n".join(lines) + "\n")
    changed = import_into(tmp_path, "sge", tmp_path / "x", "--capacity", 100)
    assert changed.jobs == import_into(tmp_path, "sge", PUBLISHED, "--capacity", 100).jobs


def test_a_line_that_is_there_twice_counts_once_and_tasks_of_an_array_each(tmp_path: Path) -> None:
    line = PUBLISHED.read_text().splitlines()[1]
    values = line.split(":")
    values[35] = "7"  # the number of a task
    (tmp_path / "x").write_text("\n".join([line, ":".join(values), line]) + "\n")
    log = import_into(tmp_path, "sge", tmp_path / "x", "--capacity", 100)
    assert len(log.jobs) == 2
    assert log.counts["recorded twice, letter for letter"] == ("dropped", 1)


def test_a_job_that_was_queued_again_waits_from_the_end_of_its_first_life(tmp_path: Path) -> None:
    """sge_accounting(5): several lines of one job if it was started several times, all with the first submission."""
    line = PUBLISHED.read_text().splitlines()[1]
    first = line.replace("1318740255:100:138", "1318561254:25:0")  # rescheduled after 1000 s
    second = line.replace("1318560254:1318740255:100:138", "1318562000:1318563000:0:99")  # asks to be run again
    third = line.replace("1318560254:1318740255:100:138", "1318564000:1318565000:0:0")
    (tmp_path / "x").write_text("".join(f"{life}\n" for life in (first, second, third)))
    log = import_into(tmp_path, "sge", tmp_path / "x")
    assert [job["submit"] for job in log.jobs.values()] == [0, 1010, 2756]
    assert [job["wait"] for job in log.jobs.values()] == [10, 746, 1000]
    assert [job["status"] for job in log.jobs.values()] == [5, 5, 1]


def test_parallel_parts_and_jobs_that_never_started_are_counted(tmp_path: Path) -> None:
    log = import_into(tmp_path, "sge", SAMPLE)
    assert log.counts["a parallel part of a job, which has a line of its own"] == ("dropped", 1)
    assert log.counts["never ran"] == ("dropped", 1)


@pytest.mark.parametrize(
    ("groups", "names"),
    [("project", {"physics"}), ("department", {"lab", "defaultdepartment"}), ("group", {"users", "guests"})],
)
def test_groups(tmp_path: Path, groups: str, names: set[str]) -> None:
    assert {*import_into(tmp_path, "sge", SAMPLE, "--groups", groups).names.groups.values()} == names


def test_times_in_milliseconds_are_those_of_univa(tmp_path: Path) -> None:
    text = SAMPLE.read_text()
    for second in {part for line in text.splitlines() for part in line.split(":") if part.startswith("13956")}:
        text = text.replace(f":{second}", f":{second}000")
    (tmp_path / "accounting").write_text(text)
    log = import_into(tmp_path, "sge", tmp_path / "accounting")
    assert log.jobs == import_into(tmp_path, "sge", SAMPLE).jobs
    assert "fractions of a second" not in log.counts


@pytest.mark.parametrize("text", ["a:b:c\n", ":" * 44 + "\n", ":" * 60 + "\n", "1:" * 5000 + "\n"])
def test_what_is_not_that_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    outcome = command("import", "sge", tmp_path / "x")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert ":1: a line must have the 45 fields of sge_accounting(5) between colons, but this one has" in outcome.err


@pytest.mark.parametrize("line", [-1, 6])
def test_a_number_with_a_comma_is_named(tmp_path: Path, line: int) -> None:
    """In a line of 45 fields, and in one of 43."""
    cells = SAMPLE.read_text().splitlines()[line].split(":")
    cells[36] = "0,325949"
    (tmp_path / "x").write_text(":".join(cells) + "\n")
    assert 'between colons, but field 37 is no number: "0,325949"' in command("import", "sge", tmp_path / "x").err


@pytest.mark.parametrize("word", ["x", "1"])
def test_names_of_many_colons_and_more_fields_behind_take_no_time(tmp_path: Path, word: str) -> None:
    """75 ms a line, if all ways to read it were tried."""
    cells = PUBLISHED.read_text().splitlines()[1].split(":")
    cells[4] += f":{word}" * 30
    (tmp_path / "x").write_text(f"{':'.join([*cells, *['y'] * 40])}\n" * 1000)
    began = time.monotonic()
    outcome = command("import", "sge", tmp_path / "x")
    assert time.monotonic() - began < 5
    assert outcome.status == (0 if word == "x" else 2)


def _line(number: int = 7, name: str = "a", account: str = "sge", slots: int = 1, asked: str = "NONE") -> str:
    """Return the line of a job that waited for 10 s and ran for 100 s."""
    times = f"{1490016710 + number}:{1490016720 + number}:{1490016820 + number}"
    used = ":".join("0" for _ in range(18))
    behind = f"NONE:lab:NONE:{slots}:0:0.1:0.0:0.0:{asked}:0.0:NONE:0.0:0:0"
    return f"long:n1:users:anna:{name}:{number}:{account}:0:{times}:0:0:{used}:{behind}\n"


@pytest.mark.parametrize(
    ("name", "account"),
    [("run:x:00123:post", "sge"), ("9:8:7:6:5", "sge"), ("a", "x:y"), ("12:00", "sge")],
)
def test_numbers_between_colons_of_a_name_are_not_the_job(tmp_path: Path, name: str, account: str) -> None:
    (tmp_path / "x").write_text(_line(4321, name, account))
    log = import_into(tmp_path, "sge", tmp_path / "x")
    assert column(log, "wait") == {4321: 10}
    assert {*log.names.groups.values()} == {account}


def test_lines_of_univa_in_milliseconds_with_many_fields_behind(tmp_path: Path) -> None:
    lines = []
    for fields in (74, 80):
        cells = _line(fields, "a:1:b", slots=16, asked="-l gpu=2,h_rt=10:00:00,s_rt=09:59:00 -pe smp 16").split(":")
        cells = [f"{cell}789" if cell.startswith("14900") else cell for cell in cells]
        more = ["NONE", "1", "X", "qsub a.sh", "1.0", "NONE", "0"]
        lines.append(":".join([*cells, *(more * 6)[: fields - 45]]).replace("\n", "") + "\n")
    (tmp_path / "x").write_text("".join(lines))
    log = import_into(tmp_path, "sge", tmp_path / "x")
    assert column(log, "run") == {74: 100, 80: 100}
    assert log.counts["fractions of a second"] == ("changed", 2)
    assert column(log, "estimate") == {74: 36000, 80: 36000}
    assert column(log, "width") == {74: 16, 80: 16}
    gpus = import_into(tmp_path, "sge", tmp_path / "x", "--width", "gpus")
    assert column(gpus, "width") == {74: 2, 80: 2}


def test_what_jobs_ask_for_is_kept(tmp_path: Path) -> None:
    """Memory is that of a slot, times slots; what is only wished for does not count."""
    asked = (
        "-U lab -u anna -q long.q -l h_rt=7200,h_vmem=2G,mem_free=1500M,exclusive=true -pe smp 4",
        "-l arch=lx-amd64,bigmem=TRUE,s_vmem=1000k,h_stack=16M -l ngpus=1",
        "-l gpus=0.25,m_mem_free=0.5G -pe smp 8",
        "-soft -l gpu=9,fast=true -hard -l h_rt=INFINITY,h_vmem=INFINITY",
        "-q a.q@n1",
    )
    slots = (4, 1, 8, 1, 1)
    (tmp_path / "x").write_text("".join(_line(1 + k, slots=slots[k], asked=asked[k]) for k in range(5)))
    log = import_into(tmp_path, "sge", tmp_path / "x")
    kept = {word: dict(zip(*(part.tolist() for part in each), strict=True)) for word, each in log.names.asked.items()}
    assert column(log, "asked_memory") == {1: 2 * 1024**2, 2: 976, 3: 512 * 1024, 4: -1, 5: -1}
    assert kept == {"gpus": {2: 1, 3: 2}, "exclusive": {1: 1}, "constraint": {2: 1}}
    assert log.names.constraints == {1: "arch=lx-amd64,bigmem"}
    assert column(log, "estimate") == {1: 7200, 2: 7200, 3: 7200, 4: 7200, 5: 7200}
    assert log.counts["GPUs and several slots"] == ("assumed", 1)


def test_a_line_is_read_as_if_all_ways_were_tried() -> None:
    """The first one that fits counts, with up to four colons and up to thirty fields behind."""
    line = PUBLISHED.read_text().splitlines()[1].split(":")
    for name, account, category, behind in product(
        ("a", "a:b", "7:8", "1:2:x"), ("b", "b:1"), ("c", "c:0:1", "h_rt=01:00:00,s_rt=00:59:00"), (0, 1, 30)
    ):
        cells = [*line[:4], name, line[5], account, *line[7:39], category, *line[40:45], *["1"] * behind]
        cells = ":".join(cells).split(":")
        fitting = next((fields for fields in _all_readings(cells) if _fits(fields)), None)
        assert fitting is not None
        assert next(_readings(cells)) == fitting
        assert fitting[39] == category


_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_NUMBER = re.compile(r"-?\d+(\.\d*)?", re.ASCII)


def _fits(fields: list[str]) -> bool:
    """Return whether numbers are where they belong, and none is where a parallel part has its name."""
    whole = all(_WHOLE.fullmatch(fields[place]) for place in (5, 8, 9, 10, 34))
    numbers = (7, 12, 13, 35, 36, 37, 38, 40, 42, *range(43, min(len(fields), 45)))
    part = not {*" ,="} & {*fields[41]} and not _NUMBER.fullmatch(fields[41])
    return whole and part and all(_NUMBER.fullmatch(fields[place]) for place in numbers)


def _all_readings(cells: list[str]) -> Iterator[list[str]]:
    """Yield all ways to read a line, in their order: of 45, 44 and 43 fields, then of 45 with others behind."""
    sizes = [(cells, len(cells) - size) for size in (45, 44, 43)]
    sizes += [(cells[: 45 + colons], colons) for colons in range(min(len(cells) - 45, 31))]
    for some, colons in sizes:
        for before in range(colons + 1):
            for in_account in range(before + 1):
                parts, places = [], iter(some)
                for place in range(len(some) - colons):
                    more = {4: before - in_account, 6: in_account, 39: colons - before}.get(place, 0)
                    parts.append(":".join(next(places) for _ in range(more + 1)))
                yield parts
