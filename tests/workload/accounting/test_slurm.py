"""Every trap of sacct, in texts that a real Slurm wrote."""

import re
from collections import Counter
from pathlib import Path

import pytest

from paretosched.workload.accounting import lives
from paretosched.workload.accounting.lives import Numberings
from paretosched.workload.accounting.sacct_text import SacctText
from paretosched.workload.accounting.slurm import FIELDS, LONGEST_TRES, Format, _Reader, sacct_command
from paretosched.workload.accounting.tally import Tally
from paretosched.workload.accounting.text_lines import line_blocks
from support.accounting import RECORDED, Result, column, import_into
from support.commands import command
from support.slurm_cluster import slurm_cluster

HEADER = "|".join(FIELDS)
ALL = RECORDED / "slurm-all.txt"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Return the import of all jobs that were recorded."""
    return import_into(tmp_path_factory.mktemp("all"), "slurm", ALL)


def older(folder: Path, *changes: tuple[int, str, str]) -> Path:
    """Write the jobs of older versions, with some cells (job, field, value) changed."""
    lines = [line.split("|") for line in (RECORDED / "slurm-older.txt").read_text().splitlines()]
    for job, name, value in changes:
        lines[job][FIELDS.index(name)] = value
    path = folder / "sacct.txt"
    path.write_text("".join("|".join(cells) + "\n" for cells in lines))
    return path


def refusal(path: Path, *options: object) -> str:
    """Return the message with which a file is refused."""
    outcome = command("import", "slurm", path, *options)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1), outcome
    return outcome.err


def test_steps_are_no_jobs(whole: Result, tmp_path: Path) -> None:
    with_steps = import_into(tmp_path, "slurm", RECORDED / "slurm-steps.txt")
    assert with_steps.jobs == whole.jobs
    assert with_steps.counts["a step of a job, not a job"] == ("dropped", 26)


def test_each_life_that_used_the_machine_is_a_job(tmp_path: Path) -> None:
    lives = import_into(tmp_path, "slurm", RECORDED / "slurm-requeued.txt")
    assert column(lives, "run") == {1: 5, 2: 30, 3: 5, 4: 3, 5: 5, 7: 3, 8: 20, 9: 40}
    assert column(lives, "status") == {1: 5, 2: 1, 3: 5, 4: 1, 5: 1, 7: 1, 8: 1, 9: 1}
    # the second lives of jobs 1 and 3 count from their requeue, and Slurm holds them for two minutes
    assert [lives.jobs[job]["submit"] for job in (1, 8, 3, 9)] == [0, 5, 0, 5]
    assert [part.tolist() for part in lives.names.eligible] == [[8, 9], [121, 121]]
    assert lives.counts["another life or task of a job, or one without a number"] == ("changed", 2)


def test_without_option_d_first_lives_are_missing_and_large_logs_say_so(tmp_path: Path) -> None:
    lives = import_into(tmp_path, "slurm", RECORDED / "slurm-requeued-without-D.txt")
    assert column(lives, "submit")[1] == 5  # the requeue, not the submission: nothing in the text tells
    line = (RECORDED / "slurm-requeued-without-D.txt").read_text().splitlines()[1].partition("|")[2]
    rows = "".join(f"{job}|{line.replace('2|', f'{job}|', 1)}\n" for job in range(1, 1001))
    (tmp_path / "many.txt").write_text(f"{HEADER}\n{rows}")
    assert "sacct was called without -D" in import_into(tmp_path, "slurm", tmp_path / "many.txt").remarks


def test_tasks_of_an_array_are_jobs_and_those_that_wait_are_none(whole: Result) -> None:
    assert [whole.jobs[job]["run"] for job in (7, 8, 9)] == [2, 2, 2]
    assert 29 not in whole.jobs
    assert whole.counts["still waiting"] == ("dropped", 2)


def test_second_lives_have_no_number_of_a_job_that_still_waits(tmp_path: Path) -> None:
    text = (RECORDED / "slurm-requeued.txt").read_text().splitlines()
    waiting = next(line for line in ALL.read_text().splitlines() if line.split("|")[FIELDS.index("State")] == "PENDING")
    cells = waiting.split("|")
    for name in ("JobIDRaw", "JobID"):
        cells[FIELDS.index(name)] = "8"
    (tmp_path / "sacct.txt").write_text("\n".join([*text, "|".join(cells)]) + "\n")
    assert set(import_into(tmp_path, "slurm", tmp_path / "sacct.txt").jobs) == {1, 2, 3, 4, 5, 7, 9, 10}


def test_jobs_that_wait_are_known_by_group_and_day_until_a_later_export_has_them(tmp_path: Path) -> None:
    line = ALL.read_text().splitlines()[1].split("|")
    day, at = 86_400, FIELDS.index

    def row(job: int, submit: int, state: str, **cells: object) -> str:
        times = {"JobIDRaw": job, "JobID": job, "Submit": submit, "Eligible": submit, "State": state}
        if state == "PENDING":
            times |= {"Start": "Unknown", "End": "Unknown", "ElapsedRaw": 0}
        values = dict(zip(FIELDS, line, strict=True)) | times | cells
        return "|".join(str(values[name]) for name in FIELDS)

    begin = int(line[at("Submit")])
    rows = [
        HEADER,
        "|".join(line),
        row(901, begin + 3 * day, "PENDING"),
        row(902, begin + 3 * day, "PENDING", Eligible="Unknown"),  # held, or depends on another job
        row(903, begin + 4 * day, "PENDING", Account="nobody" * 10_000),
        row(904, begin + 4 * day, "PENDING", Partition="other,far"),
        row(905, begin + 4 * day, "PENDING"),
        row(901, begin + 3 * day, "PENDING"),  # again, in the next month
        row(905, begin + 4 * day, "CANCELLED by 7", Start="None", End=begin + 5 * day, ElapsedRaw=0),
    ]
    (tmp_path / "sacct.txt").write_text("\n".join(rows) + "\n")
    log = import_into(tmp_path, "slurm", tmp_path / "sacct.txt")
    (account,) = (number for number, name in log.names.groups.items() if name == line[at("Account")])
    assert log.names.waiting == ((-1, 4, 1), (account, 3, 1), (account, 4, 1))
    (tmp_path / "p").mkdir()
    own = import_into(tmp_path / "p", "slurm", tmp_path / "sacct.txt", "--partition", line[at("Partition")])
    assert own.names.waiting == ((-1, 4, 1), (account, 3, 1))
    (tmp_path / "key").mkdir()
    hidden = import_into(tmp_path / "key", "slurm", tmp_path / "sacct.txt", "--anonymise", tmp_path / "k")
    assert [each[1:] for each in hidden.names.waiting] == [(4, 1), (3, 1), (4, 1)]
    assert {each.group for each in hidden.names.waiting} == {-1, *hidden.names.groups}


def test_components_of_a_heterogeneous_job_are_joined(whole: Result, tmp_path: Path) -> None:
    job = whole.jobs[10]
    assert (job["width"], job["run"], job["estimate"], job["wait"]) == (6, 3, 1200, 1)
    assert 11 not in whole.jobs
    assert whole.counts["components of heterogeneous jobs"] == ("changed", 1)
    twice = tmp_path / "twice.txt"  # two windows of time
    twice.write_text(ALL.read_text() + ALL.read_text())
    assert import_into(tmp_path, "slurm", twice).jobs == whole.jobs


def test_a_job_that_was_cancelled_before_its_start_never_ran(tmp_path: Path) -> None:
    lives = import_into(tmp_path, "slurm", RECORDED / "slurm-requeued.txt")
    assert "|16|billing=16,cpu=16,mem=1000M,node=1||" in (RECORDED / "slurm-requeued.txt").read_text()  # NCPUS says 16
    assert 6 not in lives.jobs
    assert lives.counts["never ran"] == ("dropped", 1)


def test_exclusive_nodes_are_occupied_as_a_whole(whole: Result, tmp_path: Path) -> None:
    assert whole.jobs[16]["width"] == 4  # it asked for 2
    assert column(import_into(tmp_path, "slurm", ALL, "--width", "gpus"), "width") == {16: 2, 19: 1}
    assert import_into(tmp_path, "slurm", ALL, "--width", "nodes").jobs[10]["width"] == 2
    assert import_into(tmp_path, "slurm", ALL, "--width", "billing").jobs[19]["width"] == 16


def test_gpus_that_are_recorded_by_type_alone_are_added_up(tmp_path: Path) -> None:
    text = (
        (RECORDED / "slurm-states.txt").read_text().replace("gres/gpu:a100=2,gres/gpu=2", "gres/gpu:a=2,gres/gpu:b=1")
    )
    (tmp_path / "sacct.txt").write_text(text)
    log = import_into(tmp_path, "slurm", tmp_path / "sacct.txt", "--width", "gpus")
    assert [job["width"] for job in log.jobs.values()] == [3]
    assert "AllocTRES is " in refusal(older(tmp_path, (9, "AllocTRES", "cpu=2,gres/gpu:a=x")), "--width", "gpus")


def test_a_partition_that_is_not_there_is_refused_with_those_that_are() -> None:
    message = refusal(ALL, "--partition", "mian")
    assert "24 of another partition than the one that is imported" in message
    assert "; the partitions are debug, main, wide" in message


def test_limits_are_minutes_and_missing_ones_are_the_longest_of_the_partition(whole: Result, tmp_path: Path) -> None:
    assert [whole.jobs[job]["estimate"] for job in (2, 18, 19, 20)] == [600, 300, 1800, 180]
    assert [whole.jobs[job]["estimate"] for job in (17, 23)] == [1200, 1200]  # 525600 and UNLIMITED
    assert whole.counts["no limit"] == ("assumed", 2)
    others = import_into(tmp_path, "slurm", RECORDED / "slurm-older.txt")
    assert column(others, "estimate") == {1: 3600, 2: 3600, 3: 3600, 4: 3600, 5: 1800, 9: 100}
    reasons = [count.reason for count in others.names.dropped if count.reason.startswith("no limit")]
    assert reasons == [
        "no limit: the longest one in its partition taken for it",
        "no limit, nor has any job of its partition: the run time taken for it",
    ]


def test_what_ran_counts_whatever_its_state(whole: Result, tmp_path: Path) -> None:
    states = {1: "TIMEOUT", 4: "FAILED", 6: "CANCELLED by 0", 24: "NODE_FAIL", 2: "COMPLETED"}
    text = ALL.read_text()
    assert all(f"|{state}|" in text for state in states.values())
    assert [whole.jobs[job]["status"] for job in states] == [0, 0, 5, 0, 1]
    assert column(import_into(tmp_path, "slurm", RECORDED / "slurm-older.txt"), "run") == dict.fromkeys(
        (1, 2, 3, 4, 5, 9), 100
    )


def test_states_that_are_less_usual(tmp_path: Path) -> None:
    """Each line of slurm-states.txt: whoever ran is a job, whatever the state says."""
    text = (RECORDED / "slurm-states.txt").read_text()
    states = [line.split("|")[FIELDS.index("State")] for line in text.splitlines()[1:]]
    assert sorted(states) == [
        "CANCELLED by 0", "COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL",
        "OUT_OF_MEMORY", "PENDING", "PREEMPTED", "SUSPENDED",
    ]  # fmt: skip
    log = import_into(tmp_path, "slurm", RECORDED / "slurm-states.txt")
    lines = {int(line.partition("|")[0]): line.split("|") for line in text.splitlines()[1:]}
    of = {job: lines[job][FIELDS.index("State")] for job in log.jobs}
    assert sorted(of.values()) == [
        "COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
    ]  # fmt: skip
    statuses = {of[job]: row["status"] for job, row in log.jobs.items()}
    assert statuses == {"COMPLETED": 1, "FAILED": 0, "NODE_FAIL": 0, "OUT_OF_MEMORY": 0, "PREEMPTED": 5}
    assert log.counts["never ran"] == ("dropped", 2)  # DEADLINE, and one that was cancelled while it waited
    assert log.counts["still waiting"] == ("dropped", 1)
    assert log.counts["still running, or suspended"] == ("dropped", 1)
    # the limits of partitions: its default, its largest, and for a job without one that never started Partition_Limit
    assert "|Partition_Limit|CANCELLED by 0|" in text
    assert sorted(job["estimate"] for job in log.jobs.values()) == [60, 420, 600, 600, 600, 600, 600, 3600]
    assert {*log.names.partitions.values()} == {"main", "limited", "first"}
    with_gpus = import_into(tmp_path, "slurm", RECORDED / "slurm-states.txt", "--width", "gpus")
    assert [job["width"] for job in with_gpus.jobs.values()] == [2]  # gres/gpu=2,gres/gpu:a100=2


def test_waits_count_from_the_submission_and_eligible_is_beside_the_log(whole: Result, tmp_path: Path) -> None:
    assert (whole.jobs[15]["submit"], whole.jobs[15]["wait"]) == (6, 8)
    late = dict(zip(*(part.tolist() for part in whole.names.eligible), strict=True))
    assert late == {7: 3, 15: 8, 21: 8, 26: 1}  # array limit, --begin, held, --begin
    others = import_into(tmp_path, "slurm", RECORDED / "slurm-older.txt")  # Unknown, None, and later than the start
    assert [part.tolist() for part in others.names.eligible] == [[4], [9]]
    assert others.counts["eligible after its start"] == ("changed", 2)
    assert others.counts["started before its submission"] == ("changed", 1)


def test_local_times_without_a_zone_are_refused_and_those_with_one_are_taken(whole: Result, tmp_path: Path) -> None:
    local = RECORDED / "slurm-local-times.txt"
    message = refusal(local)
    assert 'slurm-local-times.txt:2: Submit is "2026-11-22T12:45:53", a local time without its zone; ' in message
    assert "--zone Europe/Berlin" in message
    assert "SLURM_TIME_FORMAT=%s" in message
    offset = tmp_path / "offset.txt"
    offset.write_text(local.read_text().replace("T12:4", "T13:4").replace("|2026", "|@2026"))
    text = offset.read_text()
    for minute in range(45, 49):
        for second in range(60):
            stamp = f"@2026-11-22T13:{minute}:{second:02}"
            text = text.replace(stamp, f"{stamp[1:]}+0100")
    offset.write_text(text)
    assert import_into(tmp_path, "slurm", offset).jobs == whole.jobs


def test_a_job_in_two_windows_is_one_job(tmp_path: Path) -> None:
    once = import_into(tmp_path, "slurm", RECORDED / "slurm-requeued.txt")
    twice = import_into(tmp_path, "slurm", RECORDED / "slurm-two-windows.txt")  # with a second header line
    assert twice.jobs == once.jobs
    assert twice.counts["listed twice"] == ("dropped", 2)
    assert twice.counts["submitted before the first job ended"] == ("assumed", 5)


def test_the_jobs_of_one_user_and_a_short_window_are_remarked(whole: Result, tmp_path: Path) -> None:
    remarks = import_into(tmp_path, "slurm", RECORDED / "slurm-own-jobs.txt").remarks
    assert "all jobs are of one user" in remarks
    assert "all jobs are of one user" not in whole.remarks
    assert "sacct without -S lists the jobs of today only" in remarks


def test_jobs_that_have_not_ended_are_dropped_with_their_work(whole: Result, tmp_path: Path) -> None:
    assert whole.counts["still running, or suspended"] == ("dropped", 1)
    [count] = [count for count in whole.names.dropped if count.reason.startswith("still running")]
    assert (count.work, count.first) == (12, "line 26 (job 27)")
    assert 8 not in import_into(tmp_path, "slurm", RECORDED / "slurm-older.txt").jobs


def test_suspended_time_is_not_in_the_run_time(whole: Result) -> None:
    job = whole.jobs[22]
    assert (job["submit"], job["wait"], job["run"]) == (6, 1, 3)  # eight seconds from start to end
    assert whole.counts["was suspended for a time, which is not in its run time"] == ("changed", 1)


def test_with_and_without_header_and_with_a_last_bar(whole: Result, tmp_path: Path) -> None:
    bare = tmp_path / "bare.txt"
    bare.write_text(ALL.read_text().partition("\n")[2])
    assert import_into(tmp_path, "slurm", bare).jobs == whole.jobs
    bars = RECORDED / "slurm-parsable.txt"
    assert import_into(tmp_path, "slurm", bars).jobs == whole.jobs
    bare.write_text(bars.read_text().partition("\n")[2])
    assert import_into(tmp_path, "slurm", bare).jobs == whole.jobs


def test_columns_may_have_another_order_and_more_of_them(whole: Result, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    rows = [line.split("|") for line in ALL.read_text().splitlines()]
    other.write_text("".join("|".join([*reversed(row), "more"]) + "\n" for row in rows))
    assert import_into(tmp_path, "slurm", other).jobs == whole.jobs
    other.write_text("".join("|".join([*reversed(row), "more"]) + "\n" for row in rows[1:]))
    assert "must be the output of sacct" in refusal(other)  # no header
    places = [0, *range(20, 0, -1)]
    other.write_text("".join("|".join([*(row[p] for p in places), "more"]) + "\r\n" for row in rows))
    assert import_into(tmp_path, "slurm", other).jobs == whole.jobs


@pytest.mark.parametrize("first", [True, False])
def test_jobs_of_two_clusters_are_not_taken_for_lives_of_the_same_jobs(
    whole: Result, tmp_path: Path, first: bool
) -> None:
    header, *lines = ALL.read_text().splitlines()
    names = ["Cluster", *["west"] * len(lines)]

    def save() -> Path:
        pairs = zip([header, *lines], names, strict=True)
        rows = [f"{name}|{line}" if first else f"{line}|{name}" for line, name in pairs]
        (tmp_path / "two.txt").write_text("\n".join(rows) + "\n")
        return tmp_path / "two.txt"

    assert import_into(tmp_path, "slurm", save()).jobs == whole.jobs
    names[5] = "east"
    fact = 'two.txt:6: all jobs must be of one cluster, but are of "west" and "east"; run sacct once'
    assert fact in refusal(save())


def test_months_with_other_columns_and_marks_of_utf8_may_follow_each_other(whole: Result, tmp_path: Path) -> None:
    rows = [line.split("|") for line in ALL.read_text().splitlines()]
    months = [rows, [[row[0], *row[:0:-1], "more"] for row in rows], rows]
    text = "".join("\ufeff" + "".join("|".join(row) + "\r\n" for row in month) for month in months)
    (tmp_path / "year.txt").write_bytes(text.encode())
    year = import_into(tmp_path, "slurm", tmp_path / "year.txt")
    assert year.jobs == whole.jobs
    assert year.counts["listed twice"] == ("dropped", 48)
    (tmp_path / "year.txt").write_bytes(text.replace("more|Reason", "Reason").replace("Submit|", "Sub|", 1).encode())
    assert ":1: Submit is missing; did you mean Sub?: no column says when a job was" in refusal(tmp_path / "year.txt")
    last = 3 * len(rows)  # the last line of the third month
    (tmp_path / "year.txt").write_bytes(text.replace("|COMPLETED|", "|COMPLETED|x|").encode())
    message = refusal(tmp_path / "year.txt")
    assert "year.txt:3: a line must have 21 columns, but this one has 22" in message
    assert " such lines, more than can be read; " in message
    (tmp_path / "year.txt").write_bytes(text[: text.rindex("|PENDING|")].encode())  # it is still being written
    cut = import_into(tmp_path, "slurm", tmp_path / "year.txt")
    assert cut.jobs == whole.jobs
    [count] = [count for count in cut.names.dropped if count.reason.startswith("the last line has too few cells")]
    assert (count.jobs, count.work, count.first) == (1, None, f"line {last}")


def test_a_job_that_runs_over_the_end_of_a_month_is_one_job(tmp_path: Path) -> None:
    """The file of the first month, made at its end, lists it as running."""
    lines = ALL.read_text().splitlines()
    running = lines[2].replace("|1795351556|2|", "|Unknown|1|").replace("COMPLETED", "RUNNING")
    (tmp_path / "two.txt").write_text("\n".join([lines[0], running, *lines]) + "\n")
    log = import_into(tmp_path, "slurm", tmp_path / "two.txt")
    assert log.jobs[2]["run"] == 2
    assert log.counts["still running, or suspended"] == ("dropped", 1)  # another one
    assert "listed twice" not in log.counts


def test_a_job_that_two_months_list_as_open_is_one_job(tmp_path: Path) -> None:
    """So no share of the work is above all of it."""
    lines = ALL.read_text().splitlines()
    opened = [line for line in lines if "|RUNNING|" in line or "|PENDING|" in line]
    (tmp_path / "two.txt").write_text("\n".join([*lines, *opened, *opened]) + "\n")
    log = import_into(tmp_path, "slurm", tmp_path / "two.txt")
    assert (log.counts["still running, or suspended"], log.counts["still waiting"]) == (("dropped", 1), ("dropped", 2))


def test_a_state_that_nobody_knows_is_counted(tmp_path: Path) -> None:
    log = import_into(tmp_path, "slurm", older(tmp_path, (1, "State", "VANISHED on n1")))
    assert log.counts["a state that sacct(1) does not list"] == ("assumed", 1)
    assert log.jobs[1]["status"] == 0


def test_lines_that_are_no_utf8_are_read_as_latin1_and_counted(tmp_path: Path) -> None:
    path = older(tmp_path, (1, "User", "Jörg"), (2, "User", "Jürg"))
    expected = import_into(tmp_path, "slurm", path)
    assert {"Jörg", "Jürg"} <= {*expected.names.users.values()}
    path.write_bytes(path.read_text().encode("latin-1"))
    log = import_into(tmp_path, "slurm", path)
    assert (log.jobs, log.names.users) == (expected.jobs, expected.names.users)
    assert log.counts["a line that is no UTF-8"] == ("changed", 2)


def test_one_partition_and_other_groups(tmp_path: Path) -> None:
    result = import_into(tmp_path, "slurm", ALL, "--partition", "wide", "--groups", "qos", "--capacity", 8)
    assert [*result.jobs] == [19, 20]
    assert result.names.partitions == {1: "wide"}
    assert [result.names.groups[job["group"]] for job in result.jobs.values()] == ["normal", "urgent"]
    assert (result.names.grouped_by, result.names.source) == ("qos", "slurm")
    assert result.counts["of another partition than the one that is imported"] == ("dropped", 22)
    assert "; MaxProcs: 8" in result.header
    assert "partitions" not in result.remarks


def test_several_partitions_and_the_size_of_the_machine_are_remarked(whole: Result) -> None:
    assert "machine of 14 cpus: the largest use at one time" in whole.remarks
    assert "3 partitions, with these shares of the work: main 94.0 %, wide 4.8 %, debug 1.2 %; those" in whole.remarks
    assert 'share nodes (sinfo -o "%P %N" says which do), --machine imports together, with their' in whole.remarks


def test_the_command_has_what_the_parser_reads() -> None:
    line = sacct_command([("2026-10-01", "2026-11-01")])
    assert line.startswith("SLURM_TIME_FORMAT=%s TZ=UTC sacct -a -X -D -P --noconvert -S 2026-10-01 -E 2026-11-01 -o ")
    assert line.endswith(ALL.read_text().partition("\n")[0].replace("|", ","))


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ((1, "JobIDRaw", "x"), ':2: JobIDRaw is "x", but must be a whole number'),
        ((2, "ElapsedRaw", "00:01:40"), ':3: ElapsedRaw is "00:01:40", but must be a whole number'),
        ((3, "TimelimitRaw", "1-00:00:00"), ':4: TimelimitRaw is "1-00:00:00", but must be a whole number'),
        ((1, "AllocTRES", "cpu=many"), ':2: AllocTRES is "cpu=many", not a list of NAME=NUMBER'),
        ((1, "Submit", "tomorrow"), ':2: Submit is "tomorrow", but must be seconds since 1970; run sacct with'),
        ((1, "End", "9" * 15), ":2: End is "),
        ((4, "User", "an\x07na"), ":5: the name of a user, account, queue or partition must be a text of at most 200 "),
        ((1, "JobID", "a+1"), ':2: JobID is "a+1", not the number of a job'),
        ((0, "Submit", "Submited"), ":1: Submit is missing; did you mean Submited?: no column says when a job was"),
    ],
)  # fmt: skip
def test_what_is_not_that_output_is_refused_with_its_line(
    tmp_path: Path, change: tuple[int, str, str], fact: str
) -> None:
    assert fact in refusal(older(tmp_path, change))


def test_a_log_where_nothing_ran_is_refused_with_the_reasons(tmp_path: Path) -> None:
    changes = [(job, name, value) for job in range(1, 10) for name, value in (("ElapsedRaw", "0"), ("End", "5"))]
    message = refusal(older(tmp_path, *changes))
    assert "there is no job that can be simulated: 9 never ran" in message


@pytest.mark.slow
def test_a_real_slurm_is_imported_as_it_was_used(tmp_path: Path) -> None:
    """An array, a heterogeneous job, exclusive nodes, a requeue, a cancelled job and one that begins later."""
    with slurm_cluster(nodes=2, cpus=4, accounting=True) as cluster:
        for account, user in (("physics", "games"), ("chemistry", "news")):
            cluster.call("sacctmgr", "-i", "add", "account", account, "cluster=loop")
            cluster.call("sacctmgr", "-i", "add", "user", user, f"account={account}", "cluster=loop")
        script = "#!/bin/sh\n#SBATCH -n1 -t5\n#SBATCH hetjob\n#SBATCH -n2 -t9\nexec sleep 2\n"
        words = ["sbatch", "--parsable", "--uid=games", "--output=/dev/null", "--chdir=/"]
        cluster.wait_until(lambda: "loop" in cluster.call("sacctmgr", "-nP", "list", "cluster", "format=cluster"))
        het = int(cluster.call(*words, stdin=script).partition(";")[0])
        array = cluster.submit("--array=0-1", run=1, user="games")
        whole = cluster.submit("--exclusive", run=1, user="news")
        later = cluster.submit("--begin=now+4", run=1, user="news")
        again = cluster.submit(run=30, user="news")
        gone = cluster.submit(run=9, width=8, user="games")
        # it must have run for a second at least
        cluster.wait_until(lambda: cluster.call("squeue", "-h", "-j", again, "-o", "%T %M").strip() >= "RUNNING 0:02")
        cluster.call("scontrol", "requeuehold", again)
        cluster.call("scancel", gone)
        # all others are done, and the books know it
        cluster.wait_until(lambda: cluster.call("squeue", "-h", "-o", "%A").split() == [str(again)], 150)
        line = sacct_command([("now-1hour", "now+1hour")]).partition("sacct ")[2]
        environment = ["env", "SLURM_TIME_FORMAT=%s", "TZ=UTC"]
        states = ["sacct", "-X", "-n", "-j", ",".join(map(str, (het, array, whole, later))), "-o", "State"]
        # two rows of the heterogeneous job, two of the array: one of them may come after the others
        cluster.wait_until(lambda: cluster.call(*states).split() == ["COMPLETED"] * 6, 150)
        (tmp_path / "sacct.txt").write_text(cluster.call(*environment, "sacct", *line.split()))
    log = import_into(tmp_path, "slurm", tmp_path / "sacct.txt")
    assert {het, array, whole, later, again} <= {*log.jobs}
    assert len(log.jobs) == 6
    assert (log.jobs[het]["width"], log.jobs[het]["estimate"], log.jobs[whole]["width"]) == (3, 540, 4)
    assert log.jobs[again]["status"] == 5
    assert gone not in log.jobs
    assert dict(zip(*(part.tolist() for part in log.names.eligible), strict=True))[later] >= 3
    assert {*log.names.users.values()} == {"games", "news"}
    assert {*log.names.groups.values()} == {"physics", "chemistry"}


def test_what_jobs_asked_for_is_in_the_log_and_beside_it(whole: Result, tmp_path: Path) -> None:
    memory = column(whole, "asked_memory")  # kilobytes a processor
    assert (memory[1], memory[2], memory[3]) == (1000 * 1024, 1000 * 1024 // 4, 1000 * 1024 // 2)
    rows = [line.split("|") for line in ALL.read_text().splitlines()[1:]]
    lives = Counter(row[0] for row in rows)
    asked = {int(row[0]): row[FIELDS.index("ReqTRES")] for row in rows if lives[row[0]] == 1 and "+" not in row[1]}
    for word, pattern, usual in (("gpus", r"gres/gpu=(\d+)", "0"), ("nodes", r"node=(\d+)", "1")):
        found = {job: re.findall(pattern, asked[job]) or [usual] for job in whole.jobs if job in asked}
        expected = {job: int(numbers[0]) for job, numbers in found.items() if numbers != [usual]}
        assert expected or word == "nodes"  # only heterogeneous jobs have several there
        of = whole.names.asked[word]
        known = dict(zip(of.job.tolist(), of.value.tolist(), strict=True))
        assert {job: number for job, number in known.items() if job in found} == expected
    assert "nice" not in whole.names.asked  # no field of sacct has it
    without = import_into(tmp_path, "slurm", older(tmp_path, (1, "ReqTRES", "")))
    assert -1 in column(without, "asked_memory").values()


@pytest.mark.parametrize("text", ["mem=much", "cpu=1,gres/gpu=x", "node=99999999999", "mem=999999999P"])
def test_what_was_asked_for_is_unknown_where_it_cannot_be_read(text: str, tmp_path: Path) -> None:
    log = import_into(tmp_path, "slurm", older(tmp_path, (1, "ReqTRES", text)))
    assert log.counts["ReqTRES cannot be read"] == ("assumed", 1)
    without = import_into(tmp_path, "slurm", older(tmp_path, (1, "ReqTRES", "")))
    assert log.jobs == without.jobs
    assert "ReqTRES cannot be read" not in without.counts


def test_what_can_be_read_beside_it_counts(tmp_path: Path) -> None:
    """With an empty memory a job keeps its nodes and GPUs; they were lost, and it ran on any node."""
    log = import_into(tmp_path, "slurm", older(tmp_path, (1, "ReqTRES", "cpu=1,mem=,node=1,gres/gpu=2")))
    assert log.counts["ReqTRES cannot be read"] == ("assumed", 1)
    assert 2 in log.names.asked["gpus"].value.tolist()


def test_more_names_than_any_machine_has_are_refused_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "MOST_NAMES", 1)
    path = RECORDED / "slurm-all.txt"
    assert f"{path}:{len(path.read_text().splitlines())}: there are more than 1 different users" in refusal(path)


def test_long_lists_of_resources_are_read_and_not_remembered(whole: Result, tmp_path: Path) -> None:
    whole_text = ALL.read_text()
    (tmp_path / "x").write_text(re.sub(r"(billing=\d+)", lambda found: f"{found[1]},a={'9' * 2000}", whole_text))
    assert (tmp_path / "x").stat().st_size > len(whole_text) + 20 * 2000
    reader = _Reader(Format("cpus", "account"), Numberings(), Tally())
    text = SacctText(None, reader.lacking, Tally())
    for lines in line_blocks(tmp_path / "x", lambda done, goal: None):
        assert all(reader.lives(table) for table in text.tables(lines))
    assert max(map(len, [*reader.width_of, *reader.requests_of])) <= LONGEST_TRES
