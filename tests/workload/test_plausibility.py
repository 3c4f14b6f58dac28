"""What the jobs of a log say against the size of its machine."""

from pathlib import Path

import pytest

from paretosched.core.errors import InputError
from paretosched.workload.plausibility import doubts
from paretosched.workload.swf import read_swf, write_swf
from paretosched.workload.workload import Workload

CLOCK = "; UnixStartTime: 0\n; TimeZoneString: UTC\n"


def job(number: int, submit: int, wait: int, run: int, width: int, limit: int = 9000, status: int = 1) -> str:
    return f"{number} {submit} {wait} {run} {width} -1 -1 {width} {limit} -1 {status} 3 1 -1 1 1 -1 -1\n"


def read(folder: Path, *lines: str, header: str = "", capacity: int | None = None) -> Workload:
    path = folder / "site.swf"
    path.write_text(header + CLOCK + "".join(lines))
    return read_swf(path, capacity=capacity, overrun="cut")


THREE = (job(1, 0, 0, 100, 4), job(2, 10, 5, 100, 6), job(3, 500, 0, 50, 5))  # 10 at one time


def test_a_machine_that_the_log_does_not_name_is_what_was_in_use_at_one_time(tmp_path: Path) -> None:
    w = read(tmp_path, *THREE)
    assert w.capacity == 10
    sentence = "10 processors taken, the largest recorded use at one time; --capacity N names another size"
    assert doubts(w) == (f"MACHINE NOT NAMED: {sentence}",)


def test_a_use_that_was_rare_is_said_to_be(tmp_path: Path) -> None:
    w = read(tmp_path, job(1, 0, 0, 8000, 4), job(2, 9, 1, 5, 6))
    assert w.capacity == 10
    assert "the largest recorded use at one time, and 99 % of the time at most 4; --capacity" in doubts(w)[0]


@pytest.mark.parametrize(
    ("lines", "capacity", "words"),
    [
        # waits of some jobs only: the others are not known to have run at any time, but are no wider than the machine
        ((job(1, 0, 0, 100, 4), job(2, 10, -1, 100, 9), job(3, 20, 0, 50, 3)), 9, "the width of the widest job"),
        ((job(1, 0, 0, 100, 4), job(2, 10, -1, 100, 6), job(3, 20, 0, 50, 3)), 7, "the largest recorded use"),
        # no waits at all
        ((job(1, 0, -1, 100, 4), job(2, 10, -1, 100, 6)), 6, "the width of the widest job"),
        # a job ran beyond its request: what was in use is what ran, not what is left after the cut
        ((job(1, 0, 0, 100, 4, limit=10), job(2, 50, 0, 10, 4)), 8, "the largest recorded use"),
        # a part of a job whose summary line is there uses nothing beside it
        ((job(1, 0, 0, 100, 4), job(1, 0, 0, 100, 4, status=3)), 4, "the largest recorded use"),
        # it makes room in the second in which it ends
        ((job(1, 0, 0, 100, 4), job(2, 0, 100, 10, 4)), 4, "the largest recorded use"),
    ],
)
def test_which_jobs_prove_the_size(tmp_path: Path, lines: tuple[str, ...], capacity: int, words: str) -> None:
    w = read(tmp_path, *lines)
    assert w.capacity == capacity
    assert doubts(w)[0].startswith(f"MACHINE NOT NAMED: {capacity} processors taken, {words}")
    assert not any("RECORDED USE" in sentence for sentence in doubts(w))


def test_a_machine_that_is_named_stays_and_is_doubted_where_more_was_in_use(tmp_path: Path) -> None:
    w = read(tmp_path, *THREE, header="; MaxProcs: 8\n")
    assert w.capacity == 8
    # 85 of 550 seconds: from 15, when the second starts, to 100, when the first ends
    used = "up to 10 of 8 processors, for 15.45 % of the time"
    assert doubts(w) == (f"RECORDED USE ABOVE THE MACHINE: {used}; --capacity N for another size",)
    nodes = read(tmp_path, *THREE, header="; MaxNodes: 8\n")
    assert (nodes.capacity, doubts(nodes)) == (8, doubts(w))
    assert doubts(read(tmp_path, *THREE, header="; MaxProcs: 10\n")) == ()


def test_waits_that_are_all_zero_may_not_be_recorded_ones(tmp_path: Path) -> None:
    lines = [job(i, i, 0, 100, 4) for i in range(3)]
    assert (
        "12 processors taken, the largest recorded use at one time, if waits that are all 0 were recorded;"
        in (doubts(read(tmp_path, *lines))[0])
    )
    sentence = doubts(read(tmp_path, *lines, header="; MaxProcs: 8\n"))[0]
    assert "up to 12 of 8 processors, for 96.08 % of the time, if waits that are all 0 were recorded;" in sentence


def test_jobs_wider_than_the_machine_are_a_doubt(tmp_path: Path) -> None:
    w = read(tmp_path, *THREE, header="; MaxProcs: 5\n")
    assert w.job.tolist() == [1, 3]
    assert doubts(w) == ("JOBS WIDER THAN THE MACHINE of 5 processors: 1 dropped; --capacity N if it has more",)


def test_a_load_that_no_machine_of_this_size_can_do_is_a_doubt(tmp_path: Path) -> None:
    lines = [job(i, 10 * i, -1, 100, 1) for i in range(101)]
    assert doubts(read(tmp_path, *lines, header="; MaxProcs: 9\n")) == ()  # 10,100 in 1,000 s: 1.122
    assert doubts(read(tmp_path, *lines, header="; MaxProcs: 5\n")) == (
        "OFFERED LOAD 2.02: 5 processors can do 50 % of the work until the last submission; "
        "--capacity N if there were more",
    )
    assert doubts(read(tmp_path, job(1, 0, -1, 100, 1), job(2, 0, -1, 100, 1), header="; MaxProcs: 1\n")) == ()


def test_what_is_written_again_names_its_machine(tmp_path: Path) -> None:
    write_swf(read(tmp_path, *THREE), tmp_path / "again.swf")
    assert doubts(read_swf(tmp_path / "again.swf")) == ()


def test_a_use_beyond_any_machine_is_refused(tmp_path: Path) -> None:
    lines = [job(i, 0, 0, 100, 2**30) for i in range(4)]
    with pytest.raises(InputError, match="the largest recorded use at one time, 4,294,967,296 processors, cannot be"):
        read(tmp_path, *lines)
