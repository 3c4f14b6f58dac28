"""The books of a guarded order: against the simulator, second by second; and what they do with odd histories."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Guarded, InputError, Workload, simulate
from paretosched.deployment import guard_books
from paretosched.deployment.guard_books import (
    BOOKS,
    GuardBooks,
    Guesses,
    Manner,
    add_line,
    line_of,
    new_books,
    read_books,
    write_books,
)
from paretosched.deployment.guard_keeper import answer_of, request_of
from paretosched.deployment.guard_review import review_of
from paretosched.deployment.slurm_history import ENDED, RUNNING, WAITING, Life
from paretosched.deployment.slurm_queue import NO_LIMIT, WIDTHS, QueuedJob, seconds_of
from paretosched.workload.workload import WIDEST
from support import naive, naive_guarded
from support.guarded_site import again, start_times
from support.simulating import briefly, starts
from support.zoo import crowd, workloads

T0 = 1_700_000_000


def decide(w: Workload, policy: Guarded, folder: Path, kill_every: int = 0) -> tuple[list[int], set[tuple[Any, ...]]]:
    """Return the starts under the daemon's code, and all classes; at each review they must be those of the oracle."""
    all_classes = set()
    jobs = naive.jobs_of(w)

    def check(t: int, start: dict[int, int], classes: dict[str, int]) -> None:
        before = {row: second for row, second in start.items() if second < t}
        easy = naive_guarded.easy_on(w.capacity)
        expected = naive_guarded.classes_at(t, jobs, before, easy, naive_guarded.terms_of(w, policy))
        seen = {name for name in w.groups if name in classes}
        assert {name: classes[name] for name in seen} == {
            name: number for name, number in zip(w.groups, expected, strict=True) if name in seen
        }
        all_classes.add(tuple(expected))

    return start_times(w, policy, folder, check, kill_every), all_classes


@briefly
@given(data=st.data(), w=workloads(12))
def test_the_daemon_decides_as_the_simulator_does(
    data: st.DataObject, w: Workload, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Second by second, with the same classes at each review; and it is killed after each third pass."""
    first = data.draw(st.lists(st.sampled_from(w.groups), min_size=1, max_size=2, unique=True))
    policy = Guarded(tuple(first), data.draw(st.sampled_from([0.9, 1.0, 1.1])), 1.1, 60, 600)
    decided_starts, _ = decide(w, policy, tmp_path_factory.mktemp("kept"), 3)
    assert decided_starts == starts(w, policy)


@pytest.mark.slow
def test_the_daemon_decides_as_the_simulator_does_over_many_reviews_that_change_classes(tmp_path: Path) -> None:
    w = crowd(80, seed=2)
    policy = Guarded(("1", "2"), review=1800)
    decided_starts, classes = decide(w, policy, tmp_path, 7)
    assert decided_starts == simulate(w, policy).start.tolist()
    assert len(classes) > 2


# --- odd histories ----------------------------------------------------------------------------------------------------

OURS = Manner(lambda job: not job.reservation and job.partitions == ("main",), lambda job: job.account, "cpus")


def job(number: int = 1, **changes: Any) -> QueuedJob:
    widths = dict.fromkeys(WIDTHS, changes.pop("width", 1))
    plain = QueuedJob(number, True, "ann", "physics", "normal", ("main",), widths, 600, T0, T0, False, "")
    return plain._replace(**changes)


def waits(key: str = "1", is_free: bool = True, **changes: Any) -> Life:
    return Life(key, job(int(key.partition("_")[0]), **changes), WAITING, is_free, None, None)


def runs(start: int, key: str = "1", **changes: Any) -> Life:
    return waits(key, **changes)._replace(phase=RUNNING, is_free=False, start=start)


def ends(start: int, end: int, key: str = "1", **changes: Any) -> Life:
    return runs(start, key, **changes)._replace(phase=ENDED, end=end)


def after(*passes: tuple[int, list[Life]], begin: int = T0) -> GuardBooks:
    """Return the books after passes at times since T0, which are written and read again in between."""
    books = new_books(begin, "")
    for second, lives in passes:
        line, _ = line_of(books, T0 + second, lives, OURS)
        books.apply(line)
    return books


def rows(books: GuardBooks) -> list[tuple[int, ...]]:
    """Return submission, request, start and end of the jobs that are not gone, since T0; -1 is none."""
    columns = (books.submit, books.request, books.start, books.end)
    return [
        tuple(column[row] - (T0 if column is not books.request and column[row] >= 0 else 0) for column in columns)
        for row in range(len(books.submit))
        if books.width[row]
    ]


def test_a_job_waits_from_when_it_could_run_until_it_starts_and_ends() -> None:
    books = after(
        (10, [waits(eligible=T0 + 7)]), (20, [runs(T0 + 15, eligible=T0 + 7)]), (30, [ends(T0 + 15, T0 + 29)])
    )
    assert rows(books) == [(7, 600, 15, 29)]
    assert books.live == {}


def test_what_waits_and_runs_at_the_begin_comes_in_its_first_second() -> None:
    books = after((0, [waits("1", eligible=T0 - 999), runs(T0 - 100, "2"), ends(T0 - 50, T0 - 9, "3")]))
    assert rows(books) == [(0, 600, -1, -1), (0, 500, 0, -1)]
    line, _ = line_of(books, T0 + 30, [waits("1", eligible=T0 - 999), runs(T0 - 100, "2")], OURS)
    assert (line.set, line.gone, line.new) == ([], [], [])


def test_a_job_that_came_and_went_between_two_passes_is_known() -> None:
    assert rows(after((0, []), (60, [ends(T0 + 20, T0 + 40, eligible=T0 + 10)]))) == [(10, 600, 20, 40)]


def test_what_happens_after_the_second_of_a_pass_is_for_the_next_one_and_comes_once() -> None:
    late = ends(T0 + 25, T0 + 33, eligible=T0 + 25)
    first, second = (20, [late]), (30, [late])
    assert rows(after(first)) == []
    assert rows(after(first, second)) == [(25, 600, 25, -1)]
    assert rows(after(first, second, (40, [late]), (50, [late]))) == [(25, 600, 25, 33)]


@pytest.mark.parametrize(
    "life",
    [
        waits(is_free=False),
        waits(eligible=None),
        waits(eligible=T0 + 999),
        waits(reservation="r"),
        waits(partitions=("main", "other")),
        ends(T0 + 5, T0 + 5),
    ],
)
def test_jobs_that_others_do_not_keep_waiting_are_not_in_the_books(life: Life) -> None:
    assert rows(after((10, [life]))) == []
    assert rows(after((0, []), (10, [waits()]), (20, [life]))) == []


def test_a_job_that_is_held_for_a_while_waits_from_its_release_on() -> None:
    held = waits(is_free=False)
    assert rows(after((0, []), (10, [waits()]), (20, [held]), (30, [held]), (40, [waits()]))) == [(30, 600, -1, -1)]


def test_a_job_that_is_cancelled_while_it_waits_leaves_the_books() -> None:
    books = after((10, [waits()]), (20, [ends(T0 + 15, T0 + 15)]))
    assert (rows(books), books.live) == ([], {})


def test_a_job_that_is_put_back_into_the_queue_has_two_lives() -> None:
    again_ = waits(submit=T0 + 50, eligible=T0 + 60)
    books = after(
        (0, []), (10, [runs(T0 + 5)]), (70, [again_]), (90, [runs(T0 + 80, submit=T0 + 50, eligible=T0 + 60)])
    )
    assert rows(books) == [(0, 600, 5, 50), (60, 600, 80, -1)]
    unseen = after((0, []), (10, [runs(T0 + 5)]), (90, [runs(T0 + 80, submit=T0 + 50, eligible=T0 + 60)]))
    assert rows(unseen) == rows(books)


def test_tasks_of_an_array_are_jobs() -> None:
    books = after((0, []), (10, [runs(T0 + 5, "7_1"), waits("7_2"), waits("7_0")]))
    assert rows(books) == [(0, 600, -1, -1), (0, 600, 5, -1), (0, 600, -1, -1)]
    assert list(books.live) == ["7_0", "7_1", "7_2"]


def test_limits_and_widths_that_change_are_taken() -> None:
    books = after((0, []), (10, [waits()]), (20, [waits(limit=900, width=4)]))
    assert (rows(books), books.width[0]) == ([(0, 900, -1, -1)], 4)


def test_a_request_beyond_any_machine_is_cut(tmp_path: Path) -> None:
    """Its user must not be able to stop the daemon."""
    life = runs(T0 + 5, eligible=T0)
    job = life.job._replace(widths=dict.fromkeys(life.job.widths, 10**10), limit=seconds_of("999999-00:00:00"))
    books = after((10, [life._replace(job=job)]))
    assert (list(books.width), list(books.request)) == ([WIDEST], [NO_LIMIT])
    write_books(tmp_path, books)
    again(tmp_path, books)


def test_what_slurm_has_forgotten_is_guessed_and_counted() -> None:
    books = after((0, []), (10, [runs(T0 + 5, "1"), waits("2"), runs(T0 + 8, "3", limit=20)]))
    line, guesses = line_of(books, T0 + 110, [], OURS)
    books.apply(line)
    assert guesses == Guesses(2, 1)
    assert rows(books) == [(0, 600, 5, 60), (0, 20, 8, 28)]


def test_settled_jobs_leave_the_file(tmp_path: Path) -> None:
    """A thousand jobs one after the other: the file has the sums, and only what is open."""
    policy, books, most = Guarded(("physics",), review=3600), new_books(T0, ""), 0
    for number in range(1, 1001):
        begin = T0 + 100 * number
        lives = [ends(begin, begin + 90, str(number), eligible=begin)]
        line, _ = line_of(books, begin + 100, lives, OURS)
        books.apply(line)
        if number % 36 == 0:
            about, request = request_of(books, policy, begin + 100, 4)
            response = review_of(request)
            books = books.after(answer_of(about, response))
            most = max(most, len(books.submit))
    assert most <= 3
    write_books(tmp_path, books)
    again(tmp_path, books)
    assert books.head.sums_of_all[0] == books.head.sums["physics"][0] > 0
    assert response.now[0] == response.now[1]  # nobody waited longer than under EASY


# --- the file ---------------------------------------------------------------------------------------------------------


def write_two_lines(folder: Path) -> None:
    """Write books of a job that is submitted, and starts."""
    books = new_books(T0, "")
    write_books(folder, books)
    for second, lives in ((10, [waits()]), (20, [runs(T0 + 15)])):
        line, _ = line_of(books, T0 + second, lives, OURS)
        books.apply(line)
        add_line(folder, line)


@pytest.mark.parametrize("cut", [1, 9, 30])
def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path, cut: int) -> None:
    write_two_lines(tmp_path)
    data = (tmp_path / BOOKS).read_bytes()
    (tmp_path / BOOKS).write_bytes(data[:-cut])
    read = read_books(tmp_path)
    assert read is not None
    assert rows(read) == [(0, 600, -1, -1)]
    line, _ = line_of(read, T0 + 30, [runs(T0 + 15)], OURS)
    add_line(tmp_path, line)
    read.apply(line)
    again(tmp_path, read)
    assert rows(read) == [(0, 600, 15, -1)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("books 1", "books 9", r"deploy\.books:1: \"format\" must be"),
        ('"classes"', '"klasses"', r"deploy\.books:1: .*klasses"),
        (f'"begin":{T0}', f'"begin":{T0 + 5}', r"deploy\.books:1: the times must be Unix times"),
        ('"sums_of_all":[0.0', '"sums_of_all":[-1.0', r"deploy\.books:1: sums must be numbers from 0 on"),
        ('"sums_of_all":[0.0', '"sums_of_all":[1e999', r"deploy\.books:1: sums must be numbers from 0 on"),
        ("physics", "\\ud800", None),
        (",600,", ",0,", r"deploy\.books:2: a job cannot have request 0"),
        (f'[["1","physics",{T0}', f'[["1","physics",{T0 + 99}', r"deploy\.books:2: \"new\" must have new jobs"),
        ('"set":[["1"', '"set":[["2"', r"deploy\.books:3: job '2' is not in the books; move it away to begin again"),
        ('"time":1700000020', '"time":1600000000', r"deploy\.books:3: \"time\" must not be before"),
    ],
)
def test_damaged_books_are_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    write_two_lines(tmp_path)
    text = (tmp_path / BOOKS).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / BOOKS).write_text(text.replace(old, new, 1), encoding="utf-8")
    if message is None:
        assert read_books(tmp_path) is not None
        return
    with pytest.raises(InputError, match=message) as error:
        read_books(tmp_path)
    assert "\n" not in str(error.value)


def test_books_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_books, "MOST_BYTES", 300)
    write_books(tmp_path, after((10, [runs(T0 + 5, str(number), eligible=T0) for number in range(20)])))
    with pytest.raises(InputError, match="must have at most 300 bytes, but has more; move it away to begin again"):
        read_books(tmp_path)


def test_there_are_no_books_at_first(tmp_path: Path) -> None:
    assert read_books(tmp_path) is None
