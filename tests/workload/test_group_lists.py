"""Lists of groups name users, accounts, queues or partitions; what is wrong in them is named with file and line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.workload.group_lists import GroupLine, first_lines, lines_without_jobs, listed_lines, text_lines
from paretosched.workload.user_groups import by_csv
from paretosched.workload.workload import Workload

HEADER = ("Queue: 1 night", "Queue: 2 Day", "Queue: 3 night", "Partition: 5 gpu")


def a_log(rows: list[tuple[int, int, int, int]]) -> Workload:
    """Return a workload with (user, account, queue, partition) of each job."""
    n = len(rows)
    records = np.full((n, 18), -1.0)
    user, *fields = np.array(rows).T
    for place, field in zip((12, 14, 15), fields, strict=True):
        records[:, place] = field
    return Workload([0] * n, [1] * n, [1] * n, [1] * n, 4, user=user, records=records, header=HEADER, name="log")


def groups_of(folder: Path, content: str, workload: Workload) -> list[str]:
    path = folder / "groups.csv"
    path.write_text(content)
    w = by_csv(workload, path)
    return [w.groups[g] for g in w.group]


LOG = a_log([(7, 1, 1, 5), (8, 1, 2, -1), (9, 2, 3, 5), (-1, -1, -1, -1)])


@pytest.mark.parametrize(
    ("content", "groups"),
    [
        ("account,group\n1,physics\n2,biology\n", ["physics", "physics", "biology", "other"]),
        ("Group , Account\nphysics,1\nrest,*\n", ["physics", "physics", "rest", "rest"]),
        ("queue,group\nnight,batch\nDAY,urgent\n*,rest\n", ["batch", "urgent", "batch", "rest"]),
        ("queue,group\n1,batch\n-1,none\n", ["batch", "other", "other", "none"]),
        ("partition,group\ngpu,gpu\n*,cpu\n", ["gpu", "cpu", "gpu", "cpu"]),
        (
            "user,queue,group\n7,*,vip\n*,night,batch\n8,day,vip\n*,*,rest\n",
            ["vip", "vip", "batch", "rest"],
        ),
        ("user,account,queue,partition,group\n*,1,night,gpu,a\n-1,*,*,*,b\n", ["a", "other", "other", "b"]),
        ("7,vip\n*,rest\n", ["vip", "rest", "rest", "rest"]),
    ],
)
def test_columns_name_what_the_groups_are_made_of(tmp_path: Path, content: str, groups: list[str]) -> None:
    assert groups_of(tmp_path, content, LOG) == groups


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "usr,group\n1,a\n",
            ':1: the columns must be group and one or more of user, .* but "usr" is none of them',
        ),
        ("user,user,group\n", ':1: the columns must be .*"user" comes twice'),
        (
            "group\nx\n",
            ":1: the columns must be group and one or more of user, account, queue, partition, but are",
        ),
        ("user,queue,group\n1,night\n", ":2: a line must be user,queue,group, but this one has 2 columns"),
        ("account,group\nphysics,a\n", ':2: account is "physics", not an account number of the log'),
        ("queue,group\n,a\n", ':2: queue is "", not the number or name of a queue of the log'),
        ("queue,group\nnigth,b\n", ':2: queue is "nigth", which the header of log does not have; .*night'),
        (
            "queue;group\nnight;a\n",
            ":1: a line must be user,group, but this one has 1 column; a comma must separate them",
        ),
        ("user,user,group\n1,2,a\n", ':1: the columns must be .*, but "user" comes twice$'),
        ("user,queue,group\n*,night,a\n7,night,b\n", ':3: user 7, queue night is in group "a" already'),
        ('user,group\n7,"a\nb"\n8,ab\n', ":2: a cell must be in one line, but this one goes on in the next"),
        ("user,group\n*,a\n7,b\n", ':3: user 7 is in group "a" already'),
        ("user,queue,group\n*,*,a\n*,*,b\n", ':3: every job is in group "a" already'),
        ("queue,group\n", ": a list of groups must have lines queue,group, but there is none"),
    ],
)
def test_a_bad_list_is_refused_with_file_and_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path / 'groups.csv'}{message}"):
        groups_of(tmp_path, content, LOG)


def test_a_list_outlives_the_jobs_of_some_of_its_lines(tmp_path: Path) -> None:
    """Queue "nigth" and user 99 have no job; the former is probably a mistake, the latter has left."""
    text = "user,queue,group\n*,night,batch\n*,nigth,b\n99,*,c\n*,*,rest\n"
    assert groups_of(tmp_path, text, LOG) == ["batch", "rest", "batch", "rest"]
    words = lines_without_jobs(listed_lines(text.splitlines(), "list")[1], LOG, "list")
    assert words == "list: 2 of 4 lines have no job of log: line 3 (queue nigth), line 4 (user 99); did you mean night?"
    assert lines_without_jobs(listed_lines(["*,rest"], "list")[1], LOG, "list") == ""


def test_only_logs_have_queues_and_only_some_have_names_for_them(tmp_path: Path) -> None:
    model = Workload([0], [1], [1], [1], 4, user=[7])
    with pytest.raises(
        InputError, match=r"the queue of jobs, field 15 of a log, is needed, but this workload does not come from a log"
    ):
        groups_of(tmp_path, "queue,group\n1,a\n", model)
    with pytest.raises(InputError, match=r':2: partition is "x", .*; its names are gpu'):
        groups_of(tmp_path, "partition,group\nx,a\n", LOG)
    with pytest.raises(InputError, match=r':2: queue is "x", .*; it has only numbers'):
        groups_of(tmp_path, "queue,group\nx,a\n", LOG.with_(header=()))


def test_jobs_that_no_line_fits_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("queue,group\nnight,batch\n")
    assert [(r.reason, r.jobs) for r in by_csv(LOG, path).repairs] == [
        ('job not in the list of groups: put into the group "other"', 2)
    ]


@pytest.mark.slow
@given(st.lists(st.text(alphabet="user,queue,group*17-\"' nightdayccount", max_size=20), max_size=4))
def test_any_text_is_a_list_or_an_input_error(lines: list[str]) -> None:
    try:
        content = listed_lines(lines, "list")[1]
    except InputError as error:
        message = str(error)
    else:
        message = "list:" if len(first_lines([line for _, line in content], LOG)) == len(LOG) else "some"
    assert message.startswith("list:")


CELLS = st.none() | st.integers(-1, 3)
LINES = st.lists(st.builds(GroupLine, st.sampled_from("abc"), CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=8)
JOBS = st.lists(st.tuples(*[st.integers(-1, 3)] * 4), min_size=1, max_size=12)


@pytest.mark.slow
@given(LINES, JOBS)
def test_the_first_line_that_fits_decides(lines: list[GroupLine], jobs: list[Any]) -> None:
    def fits(line: GroupLine, job: tuple[int, ...]) -> bool:
        return all(cell is None or cell == number for cell, number in zip(line[1:], job, strict=True))

    naive = [next((i for i, line in enumerate(lines) if fits(line, job)), len(lines)) for job in jobs]
    assert first_lines(lines, a_log(jobs)).tolist() == naive


@pytest.mark.slow
@given(LINES)
def test_lines_are_written_as_they_are_read(lines: list[GroupLine]) -> None:
    alone = list({line[1:]: line for line in lines}.values())
    alone.sort(key=lambda line: line[1:].count(None))  # the wider ones last, so that none is useless
    assert [line for _, line in listed_lines(text_lines(alone), "list")[1]] == [
        line for place, line in enumerate(alone) if not any(covers(other, line) for other in alone[:place])
    ]


def covers(other: GroupLine, line: GroupLine) -> bool:
    """Return whether a line fits all jobs that another one fits."""
    return all(mine in (None, cell) for mine, cell in zip(other[1:], line[1:], strict=True))
