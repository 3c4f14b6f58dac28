"""Texts of sacct as sites have them: other columns, separators, spellings, and lines that a text broke."""

import re
from pathlib import Path

import pytest

from paretosched.workload.accounting import sacct_text
from paretosched.workload.accounting.sacct_columns import XDMOD
from support.accounting import Result, column, import_into
from support.commands import command

HEADER = (
    "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|Submit|Eligible|Start|End|Elapsed|State|NNodes|NCPUS|ReqTRES|"
    "AllocTRES|Timelimit"
)
ROWS = (
    "31|31|mesh|ines|geo|short|low"
    "|2024-10-26T22:00:00|2024-10-26T22:00:00|2024-10-26T22:00:10|2024-10-26T23:00:10|01:00:00|COMPLETED|"
    "1|4|cpu=4,mem=8G,node=1|billing=4,cpu=4,mem=8G,node=1|1-00:00:00",
    "32|32|mesh|omar|geo|short|low|2024-10-26T22:10:00|2024-10-26T22:10:00|2024-10-27T01:30:00|2024-10-27T02:30:00"
    "|02:00:00|TIMEOUT|"
    "2|8|cpu=8,mem=8G,node=2|billing=8,cpu=8,mem=8G,node=2|02:00:00",
    "33|33|mesh|ines|bio|gpu|high"
    "|2024-10-26T23:00:00|2024-10-26T23:00:00|2024-10-26T23:00:01|2024-10-28T23:00:00|2-00:59:59|CANCELLED by 44|"
    "1|2|cpu=2,mem=4G,node=1|billing=2,cpu=2,mem=4G,node=1|UNLIMITED",
)
NAMES = HEADER.split("|")
TABLE = [row.split("|") for row in ROWS]
ZONE = ("--zone", "Europe/Berlin")


def text_of(rows: list[list[str]], separator: str = "|", end: str = "\n") -> str:
    """Return a table as text."""
    return "".join(separator.join(row) + end for row in rows)


def import_text(folder: Path, text: str | bytes, *options: object) -> Result:
    """Return the import of a text."""
    path = folder / "sacct.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_into(folder, "slurm", path, *options)


def refusal(folder: Path, text: str, *options: object) -> str:
    """Return the message with which a text is refused."""
    (folder / "sacct.txt").write_text(text)
    outcome = command("import", "slurm", folder / "sacct.txt", *options)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1), outcome
    return outcome.err


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Return the import of the table as sacct -P writes it."""
    return import_text(tmp_path_factory.mktemp("whole"), text_of([NAMES, *TABLE]), *ZONE)


def test_local_times_and_durations_in_words_are_those_of_the_site(whole: Result) -> None:
    """Job 32 ran for two hours by the run time, from half past one until half past two for the second time."""
    assert column(whole, "run") == {31: 3600, 32: 7200, 33: 176399}
    assert column(whole, "wait") == {31: 10, 32: 12000, 33: 1}
    assert column(whole, "estimate") == {31: 86400, 32: 7200, 33: 176399}  # no limit in its partition
    assert column(whole, "status") == {31: 1, 32: 0, 33: 5}
    assert "; UnixStartTime: 1729972800" in whole.header
    assert "a time in the hour that comes twice in autumn, and nothing tells which" not in whole.counts


@pytest.mark.parametrize("separator", ["|", "\t", ";", ","])
@pytest.mark.parametrize("end", ["\n", "\r\n", "|\n"])
def test_any_separator_order_and_spelling_of_columns(whole: Result, tmp_path: Path, separator: str, end: str) -> None:
    end = end.replace("|", separator)
    rows = [[name.swapcase() for name in NAMES], *TABLE]
    assert import_text(tmp_path, text_of(rows, separator, end), *ZONE).jobs == whole.jobs
    back = [row[::-1] for row in rows]
    assert import_text(tmp_path, "\ufeff" + text_of(back, separator, end), *ZONE).jobs == whole.jobs
    quoted = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in back]
    assert import_text(tmp_path, text_of(quoted, separator, end), *ZONE).jobs == whole.jobs


def test_a_text_without_header_has_the_order_that_is_named_or_that_of_xdmod(whole: Result, tmp_path: Path) -> None:
    bare = text_of([[*row, "noise"] for row in TABLE])
    names = ",".join([*(name.lower() for name in NAMES), "-"])
    assert import_text(tmp_path, bare, *ZONE, "--columns", names).jobs == whole.jobs
    assert "their order is not known; --columns JobIDRaw,Submit,... names them" in refusal(tmp_path, bare, *ZONE)
    assert "the file names its columns itself; leave --columns out" in refusal(
        tmp_path, f"{HEADER}\n{bare}", "--columns", names
    )
    assert "--columns names Submit twice" in refusal(tmp_path, bare, "--columns", "submit,jobid,SUBMIT")
    assert "are not those of the 3 in --columns" in refusal(tmp_path, bare, "--columns", "jobid,submit,elapsed")
    more = {"Cluster": "west", "Group": "staff", "GID": "100", "UID": "4242", "ExitCode": "0:0", "ReqCPUS": "4"}
    more |= {"ReqMem": "8Gn", "ReqGRES": "gpu:0", "NodeList": "n[1-2,4]", "JobName": "a b"}
    for order in XDMOD:
        rows = [[{**more, **dict(zip(NAMES, row, strict=True))}[name] for name in order] for row in TABLE]
        log = import_text(tmp_path, text_of(rows), *ZONE)
        assert column(log, "width") == column(whole, "width"), order
        assert column(log, "wait") == column(whole, "wait"), order
        assert {*log.names.groups.values()} == {"geo", "bio"}, order


def test_a_bar_or_a_line_end_in_a_text_costs_at_most_its_job(whole: Result, tmp_path: Path) -> None:
    names = [*NAMES[:9], "SubmitLine", *NAMES[9:], "Comment"]
    rows = [[*row[:9], "sbatch x", *row[9:], "fine"] for row in TABLE]
    rows[0][2], rows[0][9], rows[1][9], rows[2][2] = "a|b", "cat x | sort | uniq", "sh\nsecond|2\n\nlast", "|"
    log = import_text(tmp_path, text_of([names, *rows]), *ZONE)
    assert log.jobs == whole.jobs
    assert log.counts["a separator or a line end in a free text, such as JobName or SubmitLine"] == ("changed", 3)
    rows[1][-1] = "two\nlines | more\n"
    log = import_text(tmp_path, text_of([names, *rows]), *ZONE)
    assert log.jobs == whole.jobs
    assert log.counts["a line end in the text of the last column"] == ("changed", 1)
    del rows[0][11:14]  # a line that lost some cells
    log = import_text(tmp_path, text_of([names, *rows]), *ZONE)
    assert [*log.jobs] == [32, 33]
    [count] = [count for count in log.names.dropped if count.action == "dropped" and count.work is None]
    assert (count.jobs, count.first) == (1, "line 2")


def test_a_text_of_mostly_damaged_lines_is_refused_and_so_is_one_that_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = text_of([NAMES, TABLE[0]]) + "x|y\nz\n" + text_of([[*TABLE[1], "b"]] * 3)
    assert "sacct.txt:3: a line must have 18 columns, but this one has" in refusal(tmp_path, text, *ZONE)
    monkeypatch.setattr(sacct_text, "STEPS", 1)
    monkeypatch.setattr(sacct_text, "STEPS_A_LINE", 0)
    row = [*TABLE[0][:2], "a|b", *TABLE[0][3:]]
    assert "too many lines have separators in their texts" in refusal(tmp_path, text_of([NAMES, row]), *ZONE)


def test_sacct_without_options_writes_a_table_between_blanks(tmp_path: Path, whole: Result) -> None:
    widths = [max(10, len(name), *(len(row[place]) for row in TABLE)) for place, name in enumerate(NAMES)]
    dashes = ["-" * width for width in widths]

    def line(row: list[str]) -> str:
        cut = (cell if len(cell) <= width else cell[: width - 1] + "+" for cell, width in zip(row, widths, strict=True))
        return " ".join(cell.rjust(width) for cell, width in zip(cut, widths, strict=True)) + " \n"

    text = "".join(map(line, [NAMES, dashes, *TABLE]))
    log = import_text(tmp_path, text, *ZONE)
    assert log.jobs == whole.jobs
    assert "a cell that sacct cut off, marked with +" not in log.counts
    assert import_text(tmp_path, text + text, *ZONE).jobs == whole.jobs  # a second month, with its own header
    for name in ("AllocTRES", "State"):
        widths[NAMES.index(name)] = 9
    dashes = ["-" * width for width in widths]
    text = "".join(map(line, [NAMES, dashes, *TABLE]))
    log = import_text(tmp_path, text, *ZONE)
    assert (column(log, "width"), column(log, "status")) == (column(whole, "width"), column(whole, "status"))
    assert log.counts["a cell that sacct cut off, marked with +"] == ("assumed", 3)
    assert "must have sacct's line of dashes below their names" in refusal(tmp_path, text.replace("-----", "====="))


@pytest.mark.parametrize(
    ("gone", "fact"),
    [
        (("JobID", "JobIDRaw"), "JobIDRaw is missing: no column says the number of a job; sacct -o JobIDRaw brings it"),
        (("Submit",), "Submit is missing: no column says when a job was submitted; sacct -o Submit brings it"),
        (("Elapsed", "End"), "ElapsedRaw is missing: no column says how long a job ran; sacct -o ElapsedRaw brings it"),
        (("AllocTRES", "ReqTRES", "NCPUS"), "AllocTRES is missing: no column says how many cpus a job had; sacct -o A"),
    ],
)
def test_what_is_missing_is_named_with_the_option_that_brings_it(
    tmp_path: Path, gone: tuple[str, ...], fact: str
) -> None:
    kept = [place for place, name in enumerate(NAMES) if name not in gone]
    message = refusal(tmp_path, text_of([[row[place] for place in kept] for row in [NAMES, *TABLE]]), *ZONE)
    assert f"sacct.txt:1: {fact}" in message
    assert "paretosched import slurm --command prints" in message


@pytest.mark.parametrize(
    ("gone", "same", "reason"),
    [
        (("Eligible",), ("run", "wait", "width"), "no column Eligible"),
        (("JobIDRaw", "QOS", "Partition"), ("run", "wait", "width", "status"), "no column QOS"),
        (("AllocTRES",), ("run", "wait", "width", "status"), None),
        (("AllocTRES", "NCPUS"), ("run", "width"), "no column says what jobs occupied"),
        (("Elapsed",), ("run", "wait"), None),
        (("Start",), ("run", "wait"), "no column Start"),
        (("End",), ("run",), "no column End"),
        (("State",), ("run", "wait"), "no column State"),
        (("User", "Account"), ("run", "wait"), "no column User"),
        (("ReqTRES",), ("run", "wait", "width"), "no column ReqTRES"),
    ],
)
def test_columns_that_are_missing_are_said_once(
    whole: Result, tmp_path: Path, gone: tuple[str, ...], same: tuple[str, ...], reason: str | None
) -> None:
    kept = [place for place, name in enumerate(NAMES) if name not in gone]
    log = import_text(tmp_path, text_of([[row[place] for place in kept] for row in [NAMES, *TABLE]]), *ZONE)
    for name in same:
        others = {32: 0} if gone in (("Elapsed",), ("Start",)) else {}  # the run time had settled its hour
        assert {**column(log, name), **others} == {**column(whole, name), **others}, name
    assert reason is None or log.counts[reason] == ("assumed", 3)


def test_tasks_and_components_without_raw_numbers_are_jobs_of_their_own(tmp_path: Path) -> None:
    kept = [0, *range(3, len(NAMES))]
    rows = [[TABLE[0][place] for place in kept] for _ in range(6)]
    for row, number in zip(rows, ("7_1", "7_2", "7_2", "8+0", "8+1", "9_[3-5%2]"), strict=True):
        row[0] = number
    end, elapsed, state = (kept.index(NAMES.index(name)) for name in ("End", "Elapsed", "State"))
    rows[5][end], rows[5][elapsed], rows[5][state] = "Unknown", "00:00:00", "PENDING"
    log = import_text(tmp_path, text_of([[NAMES[place] for place in kept], *rows]), *ZONE)
    assert column(log, "width") == {7: 4, 8: 8, 10: 4}
    assert log.counts["listed twice"] == ("dropped", 1)
    assert log.counts["still waiting"] == ("dropped", 1)
    rows[0][0] = "seven"
    assert 'JobID is "seven", not the number of a job' in refusal(
        tmp_path, text_of([[NAMES[place] for place in kept], *rows]), *ZONE
    )


def test_memory_is_that_of_reqmem_where_resources_do_not_say(tmp_path: Path) -> None:
    names = [*NAMES, "ReqMem"]
    memory = ("4000Mn", "2147484448Mn", "odd")
    rows = [[*row[:15], "", *row[16:], cell] for row, cell in zip(TABLE, memory, strict=True)]
    log = import_text(tmp_path, text_of([names, *rows]), *ZONE)
    assert column(log, "asked_memory") == {31: 1000 * 1024, 32: 800 * 1024, 33: -1}  # kilobytes a processor
    assert log.counts["ReqMem cannot be read"] == ("assumed", 1)


def test_times_with_a_zone_and_seconds_may_stand_beside_local_ones(whole: Result, tmp_path: Path) -> None:
    rows = [[*row] for row in TABLE]
    rows[0][7:9] = ["1729972800", "2024-10-26T20:00:00Z"]
    assert import_text(tmp_path, text_of([NAMES, *rows]), *ZONE).jobs == whole.jobs
    message = refusal(tmp_path, text_of([NAMES, *rows]))
    assert re.search(r"sacct.txt:3: Submit is .* a local time without its zone; .*--zone Europe/Berlin", message)


def test_hours_that_nothing_settles_are_counted(tmp_path: Path) -> None:
    rows = [[*row] for row in TABLE]
    rows[0][7:12] = [*["2024-10-27T02:10:00"] * 3, "2024-10-27T02:20:00", "00:10:00"]
    rows[2][7:12] = [*["2024-03-31T02:10:00"] * 3, "2024-03-31T03:20:00", "00:10:00"]
    log = import_text(tmp_path, text_of([NAMES, *rows]), *ZONE)
    assert log.counts["a time in the hour that comes twice in autumn, and nothing tells which"] == ("assumed", 1)
    assert log.counts["a time that the local clock left out in spring"] == ("changed", 1)
    assert column(log, "run") == {31: 600, 32: 7200, 33: 600}


def test_run_times_that_are_invalid_are_from_start_to_end(tmp_path: Path) -> None:
    rows = [[*row] for row in TABLE]
    rows[0][11] = "INVALID"
    log = import_text(tmp_path, text_of([NAMES, *rows]), *ZONE)
    assert column(log, "run")[31] == 3600
    assert log.counts["Elapsed is INVALID"] == ("assumed", 1)
    rows[1][11] = "2 h"
    assert 'sacct.txt:3: Elapsed is "2 h", but must be' in refusal(tmp_path, text_of([NAMES, *rows]), *ZONE)


@pytest.mark.parametrize(
    "before",
    [
        "$ sacct -a -X -P -o " + ",".join(NAMES) + "\n",
        "[ines@login ~]$ sacct -X --format=" + ",".join(NAMES) + "\nsacct: warning: the cache is cold\n\n",
    ],
)
def test_lines_above_the_names_of_columns_are_left_out(whole: Result, tmp_path: Path, before: str) -> None:
    result = import_text(tmp_path, before + text_of([NAMES, *TABLE]), *ZONE)
    assert result.jobs == whole.jobs
    lines = before.count("\n") - before.count("\n\n")
    assert result.counts["a line before the one that names the columns"] == ("dropped", lines)


def test_the_first_column_may_be_one_that_is_not_known(whole: Result, tmp_path: Path) -> None:
    rows = [["MaxRSS", *NAMES], *([str(place), *row] for place, row in enumerate(TABLE))]
    twice = text_of(rows[:2]) + text_of([rows[0], *rows[2:]])
    result = import_text(tmp_path, twice, *ZONE)
    assert (result.jobs, result.counts) == (whole.jobs, whole.counts)


@pytest.mark.parametrize("separator", ["^", "::", "!|!", "#"])
def test_a_separator_that_the_names_of_columns_show(whole: Result, tmp_path: Path, separator: str) -> None:
    assert import_text(tmp_path, text_of([NAMES, *TABLE], separator), *ZONE).jobs == whole.jobs


def test_names_and_rows_may_end_differently(whole: Result, tmp_path: Path) -> None:
    """The names may end with a bar where the rows do not, and the reverse where no text could have the bar."""
    names, rows = text_of([NAMES], end="|\n"), text_of(TABLE)
    assert import_text(tmp_path, names + rows, *ZONE).jobs == whole.jobs
    place = NAMES.index("JobName")
    names, rows = (text_of([row[:place] + row[place + 1 :] for row in each]) for each in ([NAMES], TABLE))
    assert import_text(tmp_path, names + rows.replace("\n", "|\n"), *ZONE).jobs == whole.jobs


def test_counts_may_have_units(tmp_path: Path) -> None:
    text = (
        "JobID|Submit|Start|End|ElapsedRaw|ReqNodes|NNodes|NCPUS|ReqMem|User\n1|100|100|400|300|0.00K|2|2K|3Gn|ines\n"
    )
    result = import_text(tmp_path, text)
    assert column(result, "width") == {1: 2048}
    assert not any("ReqMem" in reason for reason in result.counts)
    message = refusal(tmp_path, text.replace("2K", "0.09K"))
    assert 'sacct.txt:2: NCPUS is "0.09K", a count that sacct rounded; run it with --noconvert' in message
    with_list = text.replace("|User", "|AllocTRES").replace("|ines", "|cpu=96").replace("2K", "0.09K")
    assert column(import_text(tmp_path, with_list), "width") == {1: 96}


def test_cells_that_were_cut_off_cost_no_more_than_what_is_lost(tmp_path: Path) -> None:
    times = "2024-03-04T08:00:00 2024-03-04T08:00:00 2024-03-16T11:04:50"
    text = (
        "JobID      Submit              Start               End                    Elapsed NCPUS  Timelimit   ReqMem\n"
        "---------- ------------------- ------------------- ------------------- ---------- ----- ---------- --------\n"
        f"51         {times} 12-03:04:+     4 28-00:00:+ 1234567+\n"
        f"51.batch   {times} 12-03:04:+     4                    \n"
        f"51.extern+ {times} 12-03:04:+     4                    \n"
        f"51.long-n+ {times} 12-03:04:+     4                    \n"
    )
    result = import_text(tmp_path, text, *ZONE)
    assert column(result, "run") == {51: (12 * 24 + 3) * 3600 + 4 * 60}
    assert column(result, "estimate") == {51: 28 * 24 * 3600}
    assert result.counts["a step of a job, not a job"] == ("dropped", 3)
    assert result.counts["a cell that sacct cut off, marked with +"] == ("assumed", 4)


def test_a_limit_in_words_that_was_cut_off_is_no_limit(tmp_path: Path) -> None:
    text = (
        "     JobID     Submit      Start        End    Elapsed NCPUS  Timelimit\n"
        "---------- ---------- ---------- ---------- ---------- ----- ----------\n"
        "61         1700000000 1700000010 1700000070   00:01:00     4   00:30:00\n"
        "62         1700000001 1700000010 1700000070   00:01:00     4 Partition+\n"
    )
    result = import_text(tmp_path, text)
    assert column(result, "estimate") == {61: 1800, 62: 1800}
    assert result.counts["a cell that sacct cut off, marked with +"] == ("assumed", 1)


def test_single_blanks_between_cells(whole: Result, tmp_path: Path) -> None:
    """As of sacct -P --delimiter=" ", where some states have blanks, too; a line that fits in two ways is dropped."""
    for end in ("\n", " \n"):
        assert import_text(tmp_path, text_of([NAMES, *TABLE], " ", end), *ZONE).jobs == whole.jobs
    names, *rows = ([*row[:2], *row[3:], row[2]] for row in [NAMES, *TABLE])  # the free text last
    rows[0][-1] = "mesh of blocks"
    result = import_text(tmp_path, text_of([names, *rows], " "), *ZONE)
    assert result.jobs == whole.jobs
    assert "a separator or a line end in a free text" not in result.counts
    message = refusal(tmp_path, text_of([NAMES, *TABLE], "  "), *ZONE)
    assert "must have sacct's line of dashes below their names" in message


@pytest.mark.parametrize("begin", ['{\n  "jobs": [', "[\n", "---\njobs:\n"])
def test_json_and_yaml_are_refused_by_name(tmp_path: Path, begin: str) -> None:
    message = refusal(tmp_path, begin)
    assert "sacct.txt:1: must be a table of sacct, not the output of sacct --json or --yaml" in message
    assert "paretosched import slurm --command" in message


@pytest.mark.parametrize("last", ["NCPUS", "NCPUS|SubmitLine"])
def test_loose_lines_are_refused_after_some_of_them(tmp_path: Path, last: str) -> None:
    row = "1|100|100|400|300|2" + ("|run" if "|" in last else "")
    message = refusal(tmp_path, f"JobID|Submit|Start|End|ElapsedRaw|{last}\n{row}\n" + "loose words\n" * 300_000)
    assert ":3: a line must have" in message
    assert 'but this one has 1: "loose words"; 102 such lines' in message
