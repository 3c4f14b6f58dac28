import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.workload.description import describe
from paretosched.workload.log_names import PerJob
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.requests import requests_of, with_requests
from paretosched.workload.scaling import scale
from paretosched.workload.swf import read_swf, write_swf
from paretosched.workload.user_groups import by_consumption, with_groups
from paretosched.workload.workload import Workload

HEADER = "; Version: 2.2\n; MaxProcs: 16\n; UnixStartTime: 835823160\n; TimeZoneString: US/Eastern\n"
PLACE = {"job": 0, "submit": 1, "wait": 2, "run": 3, "allocated": 4, "width": 7, "estimate": 8, "status": 10}
PLACE |= {"user": 11, "group": 12, "queue": 14}


def line(**values: Any) -> str:
    words = {"job": 1, "submit": 0, "run": 10, "allocated": 2, "width": 2, "estimate": 20, "status": 1, "user": 3}
    fields = ["-1"] * 18
    for key, value in (words | values).items():
        fields[PLACE[key]] = str(value)
    return " ".join(fields) + "\n"


def log(folder: Path, *lines: str, header: str = HEADER) -> Path:
    path = folder / "trace.swf"
    path.write_text(header + "".join(lines))
    return path


def refusal(path: Path) -> str | None:
    try:
        read_swf(path)
    except InputError as error:
        return str(error)
    return None


def actions(workload: Workload) -> list[tuple[str, int, str]]:
    return [(r.action, r.jobs, r.first) for r in workload.repairs]


def test_a_clean_log_is_read_as_it_stands(tmp_path: Path) -> None:
    path = log(tmp_path, line(job=7, submit=5, wait=3, width=4, user=9), line(job=9, submit=5, wait=-1, user=8))
    w = read_swf(path)
    assert (w.name, w.capacity, w.epoch, w.zone) == ("trace", 16, 835823160, "US/Eastern")
    assert w.job.tolist() == [7, 9]
    assert w.submit.tolist() == [5, 5]
    assert w.run.tolist() == [10, 10]
    assert w.estimate.tolist() == [20, 20]
    assert w.width.tolist() == [4, 2]
    assert w.user.tolist() == [9, 8]
    assert w.wait.tolist() == [3, -1]
    assert w.groups == tuple("12345")
    assert w.group.tolist() == [0, 0]
    assert w.records is not None
    assert w.records[1, 0] == 9
    assert w.header == ("Version: 2.2", "MaxProcs: 16", "UnixStartTime: 835823160", "TimeZoneString: US/Eastern")
    assert w.repairs == ()


def test_each_cleaning_rule_is_counted_with_its_first_offenders(tmp_path: Path) -> None:
    path = log(
        tmp_path,
        line(job=4, status=2),
        line(job=5, status=4, width=99),
        line(job=3, width=-1, allocated=0),
        line(job=4, width=17),
        line(job=5, run=0),
        line(job=6, run=-1, status=5),
        line(job=7, submit=9, width=-1, allocated=3),
        line(job=8, submit=8.75, run=9.25, estimate=19.5),
        line(job=9, submit=8, estimate=-1),
        line(job=10, submit=11, run=30),
    )
    w = read_swf(path)
    assert w.job.tolist() == [8, 9, 7, 10]
    assert w.submit.tolist() == [8, 8, 9, 11]
    assert w.run.tolist() == [10, 10, 10, 20]
    assert w.estimate.tolist() == [20, 10, 20, 20]
    assert w.width.tolist() == [2, 2, 3, 2]
    assert actions(w) == [
        ("dropped", 1, "line 5 (job 4)"),
        ("dropped", 1, "line 7 (job 3)"),
        ("dropped", 2, "line 6 (job 5), line 8 (job 4)"),
        ("dropped", 2, "line 9 (job 5), line 10 (job 6)"),
        ("assumed", 1, "line 11 (job 7)"),
        ("changed", 1, "line 12 (job 8)"),
        ("assumed", 1, "line 13 (job 9)"),
        ("changed", 1, "line 14 (job 10)"),
        ("changed", 1, "line 12 (job 8)"),
    ]


def test_a_part_is_dropped_only_where_the_line_of_its_whole_job_is(tmp_path: Path) -> None:
    # Job 1 has a summary and two parts. Job 2 has two parts and no summary, jobs 3 and -1 an exit code as their status.
    lines = [line(job=1, run=30, estimate=40), line(job=1, status=2), line(job=1, status=3, run=20)]
    alone = [line(job=2, status=2, run=11), line(job=2, status=4, run=12), line(job=3, status=3, run=13)]
    unknown = [line(job=-1, status=1, run=14), line(job=-1, status=2, run=15)]
    w = read_swf(log(tmp_path, *lines, *alone, *unknown))
    assert w.run.tolist() == [30, 11, 12, 13, 14, 15]
    assert actions(w) == [
        ("dropped", 2, "line 6 (job 1), line 7 (job 1)"),
        ("assumed", 4, "line 8 (job 2), line 9 (job 2), line 10 (job 3), ..."),
    ]
    header = "; Version: 2.2\n; UnixStartTime: 835823160\n; TimeZoneString: US/Eastern\n"
    assert read_swf(log(tmp_path, line(job=1), line(job=2, status=3, width=7), header=header)).capacity == 7


def test_a_summary_line_that_is_dropped_does_not_take_its_parts_with_it(tmp_path: Path) -> None:
    of_one = [line(job=1, run=-1), line(job=1, status=2, run=11), line(job=1, status=3, run=12)]
    of_two = [line(job=2, width=-1, allocated=-1), line(job=2, status=4, run=13)]
    too_wide = [line(job=3, width=99), line(job=3, status=3, run=14)]
    w = read_swf(log(tmp_path, *of_one, *of_two, *too_wide))
    assert w.run.tolist() == [11, 12, 13]
    assert actions(w) == [
        ("dropped", 1, "line 11 (job 3)"),
        ("dropped", 1, "line 8 (job 2)"),
        ("dropped", 1, "line 10 (job 3)"),
        ("dropped", 1, "line 5 (job 1)"),
        ("assumed", 3, "line 6 (job 1), line 7 (job 1), line 9 (job 2)"),
    ]


def test_the_requested_width_comes_before_the_allocated_one(tmp_path: Path) -> None:
    assert read_swf(log(tmp_path, line(width=3, allocated=8))).width.tolist() == [3]


def test_the_paragons_queue_names_tell_the_request(tmp_path: Path) -> None:
    names = {0: "interactive", 1: "q4t", 2: "q4s", 11: "qf32m", 30: "q1ll", 20: "q32l", 28: "standby", 33: "fstandby"}
    header = "; Computer: Intel Paragon\n" + HEADER + "".join(f"; Queue: {k:2} {v}   \n" for k, v in names.items())
    lines = [line(job=k, queue=k, estimate=-1, run=4000) for k in names]
    w = read_swf(log(tmp_path, *lines, line(job=99, queue=-1, estimate=-1, run=4000), header=header))
    by_job = dict(zip(w.job.tolist(), zip(w.run.tolist(), w.estimate.tolist(), strict=True), strict=True))
    assert by_job[2] == (3600, 3600)
    assert by_job[11] == (4000, 14400)
    assert by_job[20] == by_job[30] == (4000, 43200)
    assert all(by_job[k] == (4000, 4000) for k in (0, 1, 28, 33, 99))
    assert [a[:2] for a in actions(w)] == [("assumed", 4), ("assumed", 5), ("changed", 1)]
    elsewhere = read_swf(log(tmp_path, *lines, header=header.replace("Paragon", "Pentium")))
    assert elsewhere.estimate.tolist() == [4000] * len(names)


def test_sorting_keeps_the_order_of_the_log_among_equals(tmp_path: Path) -> None:
    submits = [i * 7919 % 5 for i in range(1000)]
    w = read_swf(log(tmp_path, *(line(job=i, submit=s) for i, s in enumerate(submits))))
    assert w.job.tolist() == sorted(range(1000), key=lambda i: submits[i])


def test_job_numbers_that_occur_twice_stay(tmp_path: Path) -> None:
    w = read_swf(log(tmp_path, line(job=5), line(job=5)))
    assert w.job.tolist() == [5, 5]
    assert w.repairs == ()


@pytest.mark.parametrize(
    ("header", "capacity", "remarks"),
    [
        ("; MaxProcs: 338 (batch partition; 512 total)\n; MaxNodes: 7\n", 338, 0),
        (";MaxProcs:64\n", 64, 0),
        ("; MaxProcs: -1\n; MaxNodes: 100\n", 100, 1),
        ("", 12, 1),
    ],
)
def test_the_machine_comes_from_the_header_or_the_widest_job(
    tmp_path: Path, header: str, capacity: int, remarks: int
) -> None:
    clock = "; UnixStartTime: 0\n; TimeZoneString: UTC\n"
    w = read_swf(log(tmp_path, line(width=12), line(width=13, run=0), header=header + clock))
    assert w.capacity == capacity
    assert sum(r.action == "assumed" for r in w.repairs) == remarks
    assert read_swf(tmp_path / "trace.swf", capacity=500).capacity == 500


@pytest.mark.parametrize(
    ("header", "zone", "remarks"),
    [
        ("; TimeZoneString: Europe/Stockholm\n; TimeZone: -18000\n", "Europe/Stockholm", 0),
        ("; TimeZone: -18000\n", "Etc/GMT+5", 1),
        ("; TimeZone: 3600\n", "Etc/GMT-1", 1),
        ("; TimeZone: 0\n", "UTC", 1),
        ("; TimeZoneString:\n", "UTC", 1),
    ],
)
def test_the_zone_comes_from_the_header(tmp_path: Path, header: str, zone: str, remarks: int) -> None:
    w = read_swf(log(tmp_path, line(), header="; MaxProcs: 4\n; UnixStartTime: 86400\n" + header))
    assert (w.epoch, w.zone, len(w.repairs)) == (86400, zone, remarks)
    assert w.calendar.begin.size > 0


def test_a_log_without_a_clock_begins_on_a_monday_and_says_so(tmp_path: Path) -> None:
    w = read_swf(log(tmp_path, line(), header="; MaxProcs: 4\n"))
    assert describe(w)["first_submit"] == "2000-01-03 00:00:00+00:00"
    assert [r.action for r in w.repairs] == ["assumed", "assumed"]


@pytest.mark.parametrize(
    ("start", "first", "epoch", "assumed"),
    [
        ("", 1_600_000_000, 1_600_000_000, "header has no UnixStartTime: submissions taken for Unix times"),
        ("; UnixStartTime: -1\n", 631_152_000, 631_152_000, "header has no UnixStartTime: submissions taken"),
        ("; UnixStartTime: 1600000000\n", 1_600_000_007, 1_600_000_007, "UnixStartTime 1600000000 is not second 0"),
        ("; UnixStartTime: 0\n", 1_600_000_000, 1_600_000_000, "UnixStartTime 0 is not second 0"),
        ("", 631_151_999, 946_857_600, "header has no UnixStartTime: second 0 taken for Monday 2000-01-03"),
        ("", 4_102_444_000, 946_857_600, "header has no UnixStartTime: second 0 taken for Monday 2000-01-03"),
        ("; UnixStartTime: 0\n", 0, 0, None),
        ("; UnixStartTime: 1600000000\n", 631_151_999, 1_600_000_000, None),
    ],
)
def test_submissions_in_unix_seconds_are_dated_rightly(
    tmp_path: Path, start: str, first: int, epoch: int, assumed: str | None
) -> None:
    header = f"; MaxProcs: 4\n; TimeZoneString: UTC\n{start}"
    lines = [line(job=0, submit=first + 900), line(job=1, submit=first, run=-1), line(job=2, submit=first)]
    w = read_swf(log(tmp_path, *lines, header=header))
    zero = first if epoch == first else 0
    assert (w.epoch, w.submit.tolist()) == (epoch, [first - zero, first + 900 - zero])
    assert [r.reason.startswith(assumed or "?") for r in w.repairs if r.action == "assumed"] == [True] * (
        assumed is not None
    )
    write_swf(w, tmp_path / "again.swf")
    again = read_swf(tmp_path / "again.swf")
    assert (again.epoch, again.digest) == (epoch, w.digest)


def test_zero_is_a_value(tmp_path: Path) -> None:
    zeros = {"job": 0, "submit": 0, "wait": 0, "user": 0, "group": 0, "queue": 0}
    header = "; MaxProcs: 4\n; UnixStartTime: 0\n; TimeZone: 0\n; Queue: 0 short\n"
    w = read_swf(log(tmp_path, line(**zeros), line(job=1, user=5, group=1, queue=1, submit=7), header=header))
    assert (w.job[0], w.submit[0], w.wait.tolist(), w.user[0], w.epoch, w.zone) == (0, 0, [0, -1], 0, 0, "UTC")
    about = describe(w)
    assert (about["users"], about["recorded_waits_percent"]) == (2, 50)
    assert about["first_submit"] == "1970-01-01 00:00:00+00:00"
    assert with_groups(w, "queue").groups == ("short", "1")
    assert with_groups(w, "swf").groups == ("0", "1")
    (tmp_path / "groups.csv").write_text("user,account,queue,group\n0,0,short,first\n*,*,*,rest\n")
    assert with_groups(w, tmp_path / "groups.csv").group.tolist() == [0, 1]
    assert records_of_zero(w, tmp_path) == [0, 0, 0, 10, 2, -1, -1, 2, 20, -1, 1, 0, 0, -1, 0, -1, -1, -1]


def records_of_zero(w: Workload, folder: Path) -> list[float]:
    """Write and read a workload whose first job has number 0 and asks for GPUs; return the fields of that job."""
    asked = with_requests(w, {"gpus": PerJob(np.array([0]), np.array([3]))})
    write_swf(asked.with_(eligible=asked.submit + np.array([4, 0]), wait=asked.wait), folder / "zero.swf")
    again = read_swf(folder / "zero.swf")
    assert requests_of(again, "gpus").tolist() == [3, 0]
    assert (again.eligible - again.submit).tolist() == [4, 0]
    assert again.records is not None
    return [*again.records[0, :2].tolist(), 0, *again.records[0, 3:18].tolist()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": the file is empty"),
        ("\n \n", ": the file is empty"),
        (HEADER, ": a log needs at least one job line"),
        (HEADER + line(run="abc"), ':5: run time is "abc", not a number of seconds'),
        (HEADER + line() + "\n" + line(submit="nan"), ':7: submit time is "nan", not a number of seconds'),
        (HEADER + line(estimate="inf"), ':5: requested time is "inf", not a number of seconds'),
        (HEADER + line(run="1_0"), ':5: run time is "1_0", not a number of seconds'),
        (HEADER + line(run="1e400"), ':5: run time is "1e400", not a number of seconds'),
        (HEADER + line(submit="1e17"), ':5: submit time is "1e17", but must be below 2^53'),
        (HEADER + line(submit="1" * 99), f':5: submit time is "{"1" * 40}...", but must be below 2^53'),
        (HEADER + line(width=2.5), ":5: number of requested processors is 2.5, but must be a whole number"),
        (HEADER + line(user=2.5), ":5: user is 2.5, but must be a whole number"),
        (HEADER + line(submit=-5), ":5: submit time is -5, but must be at least 0 s"),
        (HEADER + line() + line()[:20], ":6: a job line must have 18 columns, but this one has 8"),
        (HEADER + line() + line().strip() + " 7\n", ":6: a job line must have 18 columns, but this one has 19"),
        (HEADER + "1 2 3\n1 2 3\n", ":5: a job line must have 18 columns, but this one has 3"),
        (
            HEADER + line(run=0) + line(width=99),
            ": none of 2 jobs can be simulated: 1 wider than the machine of 16",
        ),
        (
            "; MaxProcs: 2000\n" + line(submit=2**52, run=2**52, estimate=2**52),
            ": trace: latest possible end times machine",
        ),
        ("; MaxProcs: many\n" + line(), ':1: MaxProcs is "many", but must be 1..2147483647 processors'),
        ("; MaxProcs: 0\n" + line(), ':1: MaxProcs is "0", but must be'),
        ("; MaxProcs: 99999999999\n" + line(), ':1: MaxProcs is "99999999999", but must be'),
        ("; MaxProcs: 4.5\n" + line(), ':1: MaxProcs is "4.5", but must be'),
        (";\n; UnixStartTime: soon\n; MaxProcs: 4\n" + line(), ':2: UnixStartTime is "soon", not seconds'),
        ("; MaxProcs: 4\n; UnixStartTime: 9999999999999\n" + line(), ":2: UnixStartTime is"),
        ("; MaxProcs: 4\n; TimeZoneString: Mars/X\n" + line(), ':2: time zone "Mars/X" is not in the standard'),
        ("; MaxProcs: 4\n; TimeZone: 19800\n" + line(), ':2: TimeZone is "19800", not whole hours'),
        ("; MaxProcs: 4\n; TimeZone: x\n" + line(), ':2: TimeZone is "x", not whole hours'),
        (line(width=-1, allocated=-1), ": the header has no MaxProcs, and the widest job, 0 processors"),
        ("; MaxProcs: 4\nPK\0\0" + line(), ": a log must be text, but this file is binary"),
    ],
)
def test_a_bad_log_is_refused_in_one_line_that_names_file_line_and_rule(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "trace.swf"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_swf(path)
    assert str(error.value).startswith(f"{path}{message}")
    assert str(error.value).isprintable()


def test_damaged_gzip_files_are_refused(tmp_path: Path) -> None:
    whole = gzip.compress((HEADER + "".join(line(job=i, submit=i * 7919 % 1013) for i in range(500))).encode())
    path = tmp_path / "trace.swf.gz"
    for damage, message in [
        (whole[: len(whole) // 2], "the gzip file is cut short"),
        (whole[:-4], "the gzip file is cut short"),
        (whole[:40] + bytes(64) + whole[104:], "the gzip file is damaged"),
        (whole[:-6] + b"\1\2\3\4\5\6", "the gzip file is damaged"),
        (whole + b"more", "the gzip file is damaged"),
        (b"\x1f\x8b", "the gzip file is cut short"),
        (gzip.compress(b""), "the file is empty"),
        (gzip.compress(bytes(1 << 20)), "binary"),
    ]:
        path.write_bytes(damage)
        with pytest.raises(InputError, match=re.escape(f"{path}: ") + ".*" + message) as error:
            read_swf(path)
        assert str(error.value).isprintable()


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.swf: no such file$"):
        read_swf(tmp_path / "nowhere.swf")
    with pytest.raises(InputError, match="cannot read: Is a directory"):
        read_swf(tmp_path)
    with pytest.raises(InputError, match="binary"):
        read_swf("/dev/zero")


@pytest.mark.parametrize("capacity", [0, -1, 2**31, 10**30])
def test_absurd_capacities_are_refused(tmp_path: Path, capacity: int) -> None:
    path = log(tmp_path, line())
    with pytest.raises(InputError, match="capacity must be in"):
        read_swf(path, capacity=capacity)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.integers(0, 400), st.booleans())
def test_noise_in_a_log_gives_a_workload_or_one_line(tmp_path: Path, noise: bytes, place: int, in_gzip: bool) -> None:
    good = (HEADER + line() + line(job=2, submit=3)).encode()
    data = good[:place] + noise + good[place:]
    path = tmp_path / "noise.swf"
    path.write_bytes(gzip.compress(data) if in_gzip else data)
    complaint = refusal(path)
    assert complaint is None or complaint.startswith(f"{path}")
    assert complaint is None or len(complaint.splitlines()) == 1


def test_gzip_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    (tmp_path / "packed.swf").write_bytes(gzip.compress((HEADER + line()).encode()))
    (tmp_path / "plain.swf.gz").write_text(HEADER + line())
    assert read_swf(tmp_path / "packed.swf").digest == read_swf(tmp_path / "plain.swf.gz").digest


def test_names_that_are_not_utf8_do_not_matter_and_line_ends_may_be_dos(tmp_path: Path) -> None:
    path = tmp_path / "site.swf"
    path.write_bytes(
        "; Installation: Universität\r\n".encode("latin-1") + (HEADER + line()).replace("\n", "\r\n").encode()
    )
    w = read_swf(path)
    assert w.header[0] == "Installation: Universität"
    write_swf(w, tmp_path / "again.swf")
    assert read_swf(tmp_path / "again.swf").header[0] == "Installation: Universität"


def test_what_is_written_has_a_corrected_header_and_the_other_fields(tmp_path: Path) -> None:
    header = "; MaxJobs: 9\n; MaxProcs: 16 (in all)\n; MaxNodes: 4 fat\n;\n;   more\n" + HEADER
    w = read_swf(log(tmp_path, line(job=4, run=0), line(job=5, run=99, group=6, submit=2.5), header=header))
    out = tmp_path / "out.swf"
    write_swf(w, out)
    text = out.read_text().splitlines()
    assert text[0] == "; MaxJobs: 1"
    assert text[1:5] == ["; MaxProcs: 16 (in all)", "; MaxNodes: 4 fat", ";", ";   more"]
    assert text[-2] == "; MaxRecords: 1"
    assert text[-1] == "5 2 -1 20 2 -1 -1 2 20 -1 1 3 6 -1 -1 -1 -1 -1"
    write_swf(w.with_(capacity=32, epoch=5, zone="UTC"), out)
    text = out.read_text().splitlines()
    assert text[1:3] == ["; MaxProcs: 32", "; MaxNodes: 32"]
    assert "; UnixStartTime: 5" in text
    assert "; TimeZoneString: UTC" in text
    assert "; TimeZoneString: US/Eastern" not in text


def test_equal_workloads_make_equal_gzip_files(tmp_path: Path) -> None:
    w = read_swf(log(tmp_path, line(), line(job=2, submit=4)))
    write_swf(w, tmp_path / "a.swf.gz")
    write_swf(w, tmp_path / "b.swf.gz")
    assert (tmp_path / "a.swf.gz").read_bytes() == (tmp_path / "b.swf.gz").read_bytes()
    assert (tmp_path / "a.swf.gz").read_bytes()[4:8] == bytes(4)  # no time of writing
    assert gzip.decompress((tmp_path / "a.swf.gz").read_bytes()).decode().endswith("\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.swf.gz", "b.swf.gz", "trace.swf"]


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    n = draw(st.integers(1, 12))

    def numbers(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    run = np.array(numbers(1, 10**6))
    records = draw(
        st.none()
        | st.lists(st.lists(st.sampled_from([-1, 0, 1, 7.25, 1e15]), min_size=18, max_size=18), min_size=n, max_size=n)
    )
    if records is not None:
        records = np.array(records)
        records[:, [0, 4, 7, 10, 11, 12, 14]] = 1
    return by_consumption(
        Workload(
            submit=np.sort(numbers(0, 10**8)),
            run=run,
            estimate=run + np.array(numbers(0, 10**6)),
            width=np.array(numbers(1, 64)),
            capacity=draw(st.integers(64, 10**6)),
            user=np.array(numbers(-1, 4)),
            job=np.array(numbers(-5, 10**9)),
            wait=np.array(numbers(-1, 10**6)),
            epoch=draw(st.integers(0, 2**32)),
            zone=draw(st.sampled_from(["UTC", "US/Eastern", "Etc/GMT+5"])),
            records=records,
            header=tuple(
                draw(st.lists(st.sampled_from(["MaxProcs: 3", "MaxNodes: 3", "", "  Note: x", "a: b", "é €"])))
            ),
        )
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(workloads(), st.sampled_from(["w.swf", "w.swf.gz"]))
def test_reading_what_was_written_gives_the_same_workload(tmp_path: Path, w: Workload, name: str) -> None:
    write_swf(w, tmp_path / name)
    again = read_swf(tmp_path / name)
    assert again.digest == w.digest
    for key in ("submit", "run", "estimate", "width", "user", "group", "job", "wait"):
        assert np.array_equal(getattr(again, key), getattr(w, key)), key
    assert (again.capacity, again.epoch, again.zone, again.groups) == (w.capacity, w.epoch, w.zone, w.groups)
    if w.records is not None:
        others = [5, 6, 9, 10, 12, 13, 14, 15, 16, 17]
        assert again.records is not None
        assert np.array_equal(again.records[:, others], w.records[:, others])
    first = (tmp_path / name).read_bytes()
    write_swf(again, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


def test_an_output_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    w = read_swf(log(tmp_path, line()))
    with pytest.raises(InputError, match="cannot write here"):
        write_swf(w, tmp_path / "no" / "such.swf")


JOBS = {
    "CTC-SP2-1996-3.1-cln": (77205, 338, [("dropped", 17), ("assumed", 77205), ("assumed", 6), ("changed", 7174)]),
    "KTH-SP2-1996-2.1-cln": (28467, 100, [("dropped", 1), ("dropped", 8), ("changed", 475)]),
    "LANL-CM5-1994-4.1-cln": (
        *(122055, 1024),
        [("dropped", 3), ("dropped", 2), ("assumed", 11325), ("assumed", 11286), ("changed", 40180)],
    ),
    "NASA-iPSC-1993-3.1-cln": (18066, 128, [("dropped", 173), ("assumed", 18066), ("assumed", 18066)]),
    "SDSC-Par-1996-3.1-cln": (
        *(32128, 400),
        [("dropped", 7), ("assumed", 32128), ("assumed", 9108), ("assumed", 23020), ("changed", 782)],
    ),
    "SDSC-SP2-1998-4.2-cln": (54034, 128, [("dropped", 5681), ("assumed", 35), ("changed", 4134)]),
}


@pytest.mark.traces
@pytest.mark.parametrize("name", JOBS)
def test_real_logs_are_cleaned_as_counted_and_survive_a_round_trip(traces: Path, tmp_path: Path, name: str) -> None:
    w = read_swf(traces / f"{name}.swf.gz")
    jobs, capacity, repairs = JOBS[name]
    assert (len(w), w.capacity, w.name) == (jobs, capacity, name)
    assert [(r.action, r.jobs) for r in w.repairs] == repairs
    write_swf(w, tmp_path / "again.swf.gz")
    again = read_swf(tmp_path / "again.swf.gz")
    assert again.digest == w.digest
    assert np.array_equal(again.job, w.job)
    assert np.array_equal(again.user, w.user)


@pytest.mark.traces
def test_the_first_second_of_real_logs_is_the_one_their_headers_say(traces: Path) -> None:
    # StartTime: Tue Oct 04 07:01:12 MDT 1994, the submission of the first job
    info = describe(read_swf(traces / "LANL-CM5-1994-4.1-cln.swf.gz"))
    assert info["first_submit"] == "1994-10-04 07:01:12-06:00"


def test_lines_that_only_look_empty_are_empty(tmp_path: Path) -> None:
    line = b"1 0 0 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 -1 -1\n"
    path = tmp_path / "a.swf"
    path.write_bytes(b"\x1f\n" + line + b"\xa0 \x85\n" + line + b"1 2\n")
    with pytest.raises(InputError, match=r"a\.swf:5: a job line must have 18 columns"):
        read_swf(path)
    path.write_bytes(b"\x1f\n")
    with pytest.raises(InputError, match="at least one job line"):
        read_swf(path)


def test_a_name_that_is_no_text_is_replaced_and_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a\udcff.swf"
    path.write_bytes(b"1 0 0 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 -1 -1\n")
    workload = read_swf(path)
    assert workload.name == "a\N{REPLACEMENT CHARACTER}"
    write_swf(scale(workload, 2, 2.0), tmp_path / "b.swf")
    assert "(a\N{REPLACEMENT CHARACTER})" in (tmp_path / "b.swf").read_text(encoding="utf-8")


def test_logs_are_written_in_pieces_that_fit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = lublin(jobs=50, processors=64, seed=1)
    write_swf(workload, tmp_path / "whole.swf")
    bare = workload.with_(records=None)
    write_swf(bare, tmp_path / "bare.swf")
    monkeypatch.setattr("paretosched.workload.swf.CHUNK", 7)
    write_swf(workload, tmp_path / "pieces.swf")
    write_swf(bare, tmp_path / "bare pieces.swf")
    assert (tmp_path / "whole.swf").read_bytes() == (tmp_path / "pieces.swf").read_bytes()
    assert (tmp_path / "bare.swf").read_bytes() == (tmp_path / "bare pieces.swf").read_bytes()
    assert read_swf(tmp_path / "bare pieces.swf").digest == workload.digest
