"""What scontrol prints of reservations is read, and repeated over the time of a log."""

import datetime as dt
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from paretosched import InputError, Machine, NodeKind
from paretosched.workload.accounting.slurm_reservations import Planned, read_reservations, repetitions
from paretosched.workload.machine import Reservation

PRINTED = Path(__file__).parents[2] / "data/slurm_limits"
MACHINE = Machine((NodeKind("n[1-3]", 4, 8000),))
HEAD = "ReservationName=r StartTime=1000 EndTime=2000 Duration=00:16:40"


def read(path: Path, zone: str | None = "UTC") -> tuple[tuple[Planned, ...], list[str]]:
    return read_reservations(str(path), MACHINE, zone, lambda *_: None)


def unix(text: str, zone: str = "UTC") -> int:
    return int(dt.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


@pytest.mark.parametrize("name", ["reservations.txt", "reservations_lines.txt"])
def test_what_a_real_scontrol_printed(name: str) -> None:
    planned, remarks = read(PRINTED / name)
    maint, course, notbio = planned
    begin = unix("2027-01-04T08:00")
    flags = ("MAINT", "IGNORE_JOBS", "WEEKLY", "SPEC_NODES", "ALL_NODES")
    assert maint == Planned(Reservation("maint", "ALL", begin, begin + 36000, ("root",), (), flags), "WEEKLY")
    begin = unix("2026-11-29T22:39:40")
    assert course == Planned(Reservation("course", "n1", begin, begin + 1800, ("games", "lp")), "")
    begin = unix("2027-01-06T08:00")
    where = Reservation("notbio", "n3", begin, begin + 5400, (), ("-bio",), ("DAILY", "SPEC_NODES"))
    assert notbio == Planned(where, "DAILY")
    assert remarks == [
        "1 reservation left out, of some cores of nodes only, which other jobs may take: part",
        "1 reservation left out, always to begin later (TIME_FLOAT): float",
        "1 reservation left out, without nodes: lic",
    ]


def test_clocks_need_their_zone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"reservations.txt:1: StartTime .*--zone Europe/Berlin"):
        read(PRINTED / "reservations.txt", None)
    assert read(PRINTED / "reservations.txt", "Europe/Berlin")[0][0].reservation.begin == unix(
        "2027-01-04T08:00", "Europe/Berlin"
    )
    (tmp_path / "r").write_text(f"{HEAD} Nodes=n1\n")
    assert read(tmp_path / "r", None)[0][0].reservation.begin == 1000


def test_nodes_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "r").write_text(f"{HEAD} Nodes=n[2-9] CoreCnt=4\n{HEAD.replace('=r', '=s')} Nodes=x1\n")
    planned, remarks = read(tmp_path / "r")
    assert [each.reservation.hosts for each in planned] == ["n[2-3]"]
    assert remarks == [
        "2 reservations without nodes that the machine does not have: r, s",
        "1 reservation left out, without nodes: s",
    ]


@pytest.mark.parametrize(
    ("words", "is_taken"),
    [
        ("CoreCnt=8 TRES=cpu=1", True), ("CoreCnt=7 TRES=cpu=8", False), ("TRES=cpu=8", True), ("TRES=cpu=7", False),
        ("TRES=mem=100,cpu=7", False), ("CoreCnt=(null) TRES=node=2,cpu=8", True), ("CoreCnt=0 TRES=(null)", True),
        ("TRES=(null)", True), ("", True),
    ],
)  # fmt: skip
def test_some_cores_of_nodes_are_never_closed(words: str, is_taken: bool, tmp_path: Path) -> None:
    (tmp_path / "r").write_text(f"{HEAD} Nodes=n[1-2] NodeCnt=2 {words}\n")
    planned, remarks = read(tmp_path / "r")
    assert (len(planned), len(remarks)) == ((1, 0) if is_taken else (0, 1))
    assert is_taken or "which other jobs may take: r" in remarks[0]


def test_none_are_none(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("No reservations in the system\n")
    assert read(tmp_path / "r") == ((), [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("JobId=7\n", 'r:1: a line of the output of SLURM_TIME_FORMAT=%s scontrol show res -o must begin with Reserv'),
        (f"{HEAD}\nNodes=n1\n", "r:2: a line of the output of"),
        ("ReservationName=r StartTime=2000 EndTime=1000 Nodes=n1\n", 'r:1: reservation "r" must have an EndTime after'),
        ("ReservationName=r EndTime=1000 Nodes=n1\n", 'r:1: reservation "r" must have an EndTime after'),
        ("ReservationName=a,b StartTime=1 EndTime=1000 Nodes=n1\n", "r:1: the name of a reservation must be a word"),
        (f"{HEAD} Nodes=n[1-\n", "r:1: "),
        (f"{HEAD} Nodes=n[1-99999999]\n", "r:1: "),
        (f"{HEAD} Nodes=n1 {'x' * 100_001}\n", "r:1: the length of a line must be at most"),
        ("".join(f"ReservationName=r{k} StartTime=1 EndTime=9\n" for k in range(10_001)), "r:10001: there must be at"),
        ("".join(f"{HEAD} Nodes=n[1-90000],m{k}\n" for k in range(40)), "reservations must list at most 2,000,000"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_reservations_is_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "r").write_text(text)
    with pytest.raises(InputError) as error:
        read(tmp_path / "r")
    assert words in str(error.value)


def times(repeats: str, begin: str, since: str, until: str, zone: str, hours: float = 2) -> list[str]:
    """Return when a reservation that repeats begins, as local clocks."""
    first = unix(begin, zone)
    planned = Planned(Reservation("r", "n1", first, first + int(3600 * hours)), repeats)
    found, _ = repetitions([planned], zone, unix(since, zone), unix(until, zone))
    assert all(each.end - each.begin == int(3600 * hours) for each in found)
    return [f"{dt.datetime.fromtimestamp(each.begin, ZoneInfo(zone)):%m-%d %H:%M}" for each in found]


def test_they_repeat_at_the_same_time_of_the_clock() -> None:
    berlin = "Europe/Berlin"  # its summer time begins on 31 March 2024
    days = [f"03-{day} 08:00" for day in range(29, 32)] + ["04-01 08:00"]
    assert times("DAILY", "2024-04-20T08:00", "2024-03-29T00:00", "2024-04-02T00:00", berlin) == days
    assert times("WEEKDAY", "2024-04-22T08:00", "2024-03-29T00:00", "2024-04-02T00:00", berlin) == [days[0], days[3]]
    assert times("WEEKEND", "2024-04-20T08:00", "2024-03-29T00:00", "2024-04-02T00:00", berlin) == days[1:3]
    assert times("WEEKLY", "2024-04-21T08:00", "2024-03-29T00:00", "2024-04-08T00:00", berlin) == [
        "03-31 08:00", "04-07 08:00",
    ]  # fmt: skip
    assert times("HOURLY", "2024-04-20T08:10", "2024-03-01T00:00", "2024-03-01T02:30", "UTC", 0.5) == [
        "03-01 00:10", "03-01 01:10", "03-01 02:10",
    ]  # fmt: skip
    assert times("", "2024-04-20T08:00", "2024-04-20T09:59", "2024-04-21T00:00", "UTC") == ["04-20 08:00"]


def test_what_is_outside_of_the_log_is_left_out_and_what_comes_too_often_is_refused() -> None:
    once = Planned(Reservation("once", "n1", 5000, 6000), "")
    assert repetitions([once], "UTC", 6000, 9000) == (
        (),
        ["1 reservation outside of the time of the log, left out: once"],
    )
    hourly = Planned(Reservation("h", "n1", 5000, 6000), "HOURLY")
    with pytest.raises(InputError, match=r"must come at most 10,000 times in the log, but do more often; take h out"):
        repetitions([hourly], "UTC", 0, 10**8)
