"""Columns 19 to 21 of a log: what is understood of them is kept with the jobs, the rest is counted."""

import random
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.core.files import sha256_of
from paretosched.workload import log_cache, log_lines
from paretosched.workload.log_names import ALL_BESIDE, Names, names_path, write_names
from paretosched.workload.more_columns import request_of
from paretosched.workload.requests import requests_of
from paretosched.workload.workload import Workload

HEAD = "; MaxProcs: 64\n; UnixStartTime: 0\n; TimeZoneString: UTC\n"


def line(number: int, more: str, width: int = 4, memory: int = -1, queue: int = -1) -> str:
    fields = f"{number} {60 * number} 5 600 {width} -1 -1 {width} 900 {memory} 1 1 1 -1 {queue} -1 -1 -1"
    return f"{fields} {more}".strip() + "\n"


def read(folder: Path, *lines: str, header: str = HEAD) -> Workload:
    path = folder / "w.swf"
    path.write_text(header + "".join(lines))
    return ps.read_swf(path)


def what_is_in(w: Workload) -> dict[str, list[int]]:
    """What jobs ask for, without what is usual for all of them."""
    values = {word: requests_of(w, word).tolist() for word in ALL_BESIDE}
    return {word: each for word, each in values.items() if set(each) != {ALL_BESIDE[word]}}


def remarks(w: Workload) -> dict[str, int]:
    return {repair.reason: repair.jobs for repair in w.repairs}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3:ppn=4", (3, 12, 0, 4, 0, "")),
        ("1:ppn=16:x86_64:cl_oak#excl", (1, 16, 0, 16, 1, "x86_64:cl_oak")),
        ("1:PPN=16:cl_oak:cl_oak#EXCL", (1, 16, 0, 16, 1, "cl_oak")),
        ("2:^cl_oak:ppn=3", (2, 6, 0, 3, 0, "^cl_oak")),
        ("5", (5, 5, 0, 1, 0, "")),
        ("1:ppn=2.5:brook", (1, 2, 0, 2, 0, "brook")),
        ("1:ppn=4+2:ppn=8:fast", (3, 20, 0, 0, 0, "+fast")),
        ("1:ppn=4:fast+2:ppn=4:fast", (3, 12, 0, 4, 0, "fast")),
        ("oak7.example.org:ppn=8", (1, 8, 0, 8, 0, "oak7.example.org")),
        ("select=2:ncpus=8:mem=32gb:ngpus=3", (2, 16, 6, 8, 0, "")),
        ("2:ppn=4:gpus=1#shared", (2, 8, 2, 4, 0, "")),
        ("all:2x4", (2, 8, 0, 4, 0, "")),
        ("fast:excl:128X112", (128, 14336, 0, 112, 1, "fast")),
        ("fast", None),
        ("", None),
        ("0:ppn=4", None),
        ("1:ppn=0", None),
        ("9999999999:ppn=9", None),
        ("1:ppn=4+fast", None),
    ],
)
def test_requests_are_read(text: str, expected: tuple[object, ...] | None) -> None:
    assert request_of(text) == expected


def test_hosts_queue_and_request_of_pbs(tmp_path: Path) -> None:
    w = read(
        tmp_path,
        line(0, "{7,7,7,7} q_day 1:ppn=4:x86_64:cl_oak#excl", memory=2**33),
        line(1, "{7,8,9,9} q_week 2:ppn=2", memory=2**32),
        line(2, "{8,8,8,8} q_day 1:ppn=3:fast", memory=-1),  # for another number of processors
    )
    assert what_is_in(w) == {"nodes": [1, 2, 1], "per_node": [4, 2, 0], "exclusive": [1, 0, 0], "constraint": [2, 0, 1]}
    assert requests_of(w, "memory").tolist() == [8192, 8192, 0]  # bytes a node: 8 GiB, and twice 4
    assert w.names is not None
    assert w.names.constraints == {1: "fast", 2: "x86_64:cl_oak"}
    assert ps.by_queue(w).groups == ("q_day", "q_week")
    assert remarks(w) == {
        "columns 19 to 21: requests (21) and queues (20) taken, hosts (19) not used": 3,
        "requested memory is that of a node in such logs: divided among its processors": 2,
        "request of nodes not understood, or not for as many processors: its nodes not used": 1,
    }
    assert w.repairs[-1].first == "line 6 (job 2)"


def test_gpus_expected_run_time_and_nodes(tmp_path: Path) -> None:
    lines = [line(j, f"{j % 2} 600 {'all:1x4' if j else 'fast:excl:2x2'}", memory=1 << 20) for j in range(4)]
    w = read(tmp_path, *lines)
    assert what_is_in(w) == {
        "nodes": [2, 1, 1, 1],
        "gpus": [0, 1, 0, 1],
        "per_node": [2, 4, 4, 4],
        "exclusive": [1, 0, 0, 0],
        "constraint": [1, 0, 0, 0],
    }
    assert requests_of(w, "memory").tolist() == [2048, 1024, 1024, 1024]  # kilobytes a node
    assert "columns 19 to 21: requests (21) and GPUs (19) taken, expected run times (20) not used" in remarks(w)


def test_the_order_of_columns_their_case_and_blanks_do_not_matter(tmp_path: Path) -> None:
    pbs = [("{1,1,1,1}", "night", "1:ppn=4:cl_oak#excl"), ("{2}", "day", "2:ppn=2")]
    grid = [("0", "600", "all:1x4"), ("8", "500", "fast:excl:2x2")]
    for texts in (pbs, grid):
        outcomes = []
        for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)):
            words = [[row[place] for place in order] for row in texts]
            for blank, change in ((" ", str), ("\t", str.upper), ("   ", str)):
                w = read(tmp_path, *(line(j, blank.join(map(change, row))) for j, row in enumerate(words)))
                assert w.names is not None
                outcomes.append((what_is_in(w), [c.lower() for c in w.names.constraints.values()]))
        assert all(outcome == outcomes[0] for outcome in outcomes)
        assert outcomes[0][0]["nodes"] == [1, 2]


@pytest.mark.parametrize(
    ("more", "header", "words", "gpus"),
    [
        ("1", "", "column 19: not used", None),
        ("1", "; 18: used_GPUs (of all nodes)\n", "column 19: GPUs (19) taken", [1, 1]),
        ("1", "; 19: used_GPUs (of all nodes)\n", "column 19: GPUs (19) taken", [1, 1]),
        ("1.5", "; 18: used_GPUs\n", "column 19: not used", None),
        ("DAG-1 7", "", "columns 19 to 20: 19 and 20 not used", None),
        ("fast 3", "; queue name\n", "columns 19 to 20: 19 and 20 not used", None),
        ("-1 -1 -1", "", "columns 19 to 21: 19 and 20 and 21 not used", None),
    ],
)
def test_columns_are_known_by_their_description_too(
    tmp_path: Path, more: str, header: str, words: str, gpus: list[int] | None
) -> None:
    first = 1 if header.startswith("; 19") else 0
    fields = "".join(f"; {place}: field_{place}\n" for place in range(first, 18 + first)) if ": used" in header else ""
    w = read(tmp_path, line(1, more), line(2, more), header=HEAD + fields + header)
    assert remarks(w) == {words: 2}
    assert what_is_in(w) == ({} if gpus is None else {"gpus": gpus})


@pytest.mark.parametrize(
    ("more", "header", "words", "gpus"),
    [
        ("1 7", "; 19: GPUs\n; 20: soft walltime\n", "GPUs (19) taken, expected run times (20) not used", 1),
        ("7 1", "; 18 - soft walltime\n; 19 - Requested Number of GPUs (all)\n", "GPUs (20) taken", 1),
        ("7 1", "; Field 20: number of GPUs\n", "GPUs (20) taken, 19 not used", 1),
        ("1 7", "; 19: GPUs\n", "19 and 20 not used", None),  # counted from 0 or from 1: the first or the second
        ("1 7", "; 18: GPUs\n; 20: soft walltime\n", "19 and 20 not used", None),
        ("2 64", "; 19: GPUs per node\n; 20: memory of the GPUs\n", "19 and 20 not used", None),
        ("2 64", "; 19: request number\n; 20: gpu_hours\n", "19 and 20 not used", None),
    ],
)
def test_the_description_may_be_of_these_columns_alone(
    tmp_path: Path, more: str, header: str, words: str, gpus: int | None
) -> None:
    w = read(tmp_path, line(1, more, memory=4096), line(2, more, memory=4096), header=HEAD + header)
    said = [reason for reason in remarks(w) if reason.startswith("columns 19 to 20: ")]
    assert len(said) == len(remarks(w)) == 1
    assert words in said[0]
    assert what_is_in(w) == ({} if gpus is None else {"gpus": [gpus, gpus]})


def test_a_line_with_the_names_of_all_columns_describes_them(tmp_path: Path) -> None:
    names = "id submit wait run cpus cpu mem reqcpus limit reqmem status user group app queue part prec think "
    w = read(tmp_path, line(1, "night 2"), line(2, "day 0"), header=HEAD + f"; {names} queue_name gpus\n")
    assert what_is_in(w) == {"gpus": [2, 0]}
    assert ps.by_queue(w).groups == ("day", "night")


def test_a_queue_of_the_format_that_differs_stays(tmp_path: Path) -> None:
    w = read(tmp_path, line(1, "{1} night 1:ppn=4", queue=3), line(2, "{1} day 1:ppn=4", queue=5))
    assert ps.by_queue(w).groups == ("3", "5")
    assert "columns 19 to 21: requests (21) taken, hosts (19) and queues (20) not used" in remarks(w)


def test_what_is_understood_survives_writing_and_reading(tmp_path: Path) -> None:
    w = read(tmp_path, line(0, "{1} night 1:ppn=4:fast", memory=4096), line(1, "{1} day 2:ppn=2:gpus=1#excl"))
    ps.write_swf(w, tmp_path / "again.swf.gz")
    again = ps.read_swf(tmp_path / "again.swf.gz")
    assert again.digest == w.digest
    assert what_is_in(again) == what_is_in(w) != {}
    assert requests_of(again, "memory").tolist() == requests_of(w, "memory").tolist() == [4, 0]
    assert again.names is not None
    assert w.names is not None
    assert (again.names.constraints, again.names.queues) == (w.names.constraints, w.names.queues)


def test_a_file_with_names_goes_before_columns_of_the_log(tmp_path: Path) -> None:
    w = read(tmp_path, line(1, "{1} night 1:ppn=4:fast"))
    write_names(names_path(tmp_path / "w.swf"), Names(queues={1: "late"}), "w.swf", sha256_of(tmp_path / "w.swf"))
    beside = ps.read_swf(tmp_path / "w.swf")
    assert (what_is_in(w), what_is_in(beside)) == ({"per_node": [4], "constraint": [1]}, {})
    assert beside.names is not None
    assert (beside.names.queues, beside.names.constraints) == ({1: "late"}, {})
    assert remarks(beside) == {"columns behind the 18th: not used, because a file with names is beside the log": 1}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line(1, "a b c d")], ":4: a job line must have 18 columns, but this one has 22"),
        ([line(1, ""), line(2, "7")], ":5: a job line must have 18 columns, but this one has 19"),
        ([line(1, "1 2 3"), line(2, "1 2")], ":5: a job line must have 21 columns, but this one has 20"),
        ([line(1, "1 2 3"), line(2, "")], ":5: a job line must have 21 columns, but this one has 18"),
        ([line(1, "1"), "id submit wait\n"], ":5: a job line must have 19 columns, but this one has 3"),
        (
            [line(1, "1 2 3"), line(2, "1 2 3").replace("900", "4&5&6")],
            ':5: requested time is "4&5&6", not a number of',
        ),
        ([line(1, "").replace("-1\n", "4&5&6\n")], ':4: think time is "4&5&6", not a number of seconds'),
        (["id " * 21 + "\n", line(1, "1 2 3")], ':4: job number is "id", not a number'),
    ],
)
@pytest.mark.parametrize("worth_compiled", [0, 1 << 60])
def test_other_columns_get_the_message_that_names_them(lines: list[str], message: str, worth_compiled: int) -> None:
    with pytest.raises(InputError) as error:
        log_lines.parse_log("w.swf", [(HEAD + "".join(lines)).encode()], worth_compiled)
    assert str(error.value).startswith(f"w.swf{message}")


def test_both_readers_and_the_cache_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    words = ["{1,2,3}", "Škoda", "q_1", "2:ppn=2", "all:4x1", "-1", "3.25", "é#ü", "{", "7"]
    for count in (1, 2, 3):
        rows = [line(j, rng.choice([" ", "\t "]).join(rng.choice(words) for _ in range(count))) for j in range(40)]
        text = (HEAD + "; \u00e4\n".join(rows)).encode()
        cut = text.index(b"\n9 ") + 1
        several = ([text], [text[:cut], text[cut:]])
        logs = [log_lines.parse_log("w.swf", blocks, worth) for worth in (0, 1 << 60) for blocks in several]
        texts = [[[column.texts[code] for code in column.codes] for column in log.more] for log in logs]
        assert all(other == texts[0] for other in texts)
        assert len(texts[0]) == count
        assert "{1,2,3}" not in {word for column in texts[0] for word in column}  # lists of hosts are not kept
        monkeypatch.delenv(log_cache.OFF_VARIABLE, raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setattr(log_cache, "WORTH_KEEPING", 1)
        path = tmp_path / f"{count}.swf"
        path.write_bytes(text)
        first, second = ps.read_swf(path), ps.read_swf(path)
        assert len(list((tmp_path / "cache" / "paretosched" / "logs").iterdir())) == count
        assert (first.repairs, what_is_in(first)) == (second.repairs, what_is_in(second))
        np.testing.assert_array_equal(np.asarray(first.records), np.asarray(second.records))


def test_a_column_of_too_many_texts_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_lines, "MOST_TEXT", 2000)
    w = read(tmp_path, *(line(j, f"{{1}} queue{j} 1:ppn=4") for j in range(40)))
    assert what_is_in(w) == {"per_node": [4] * 40}
    assert "columns 19 to 21: requests (21) taken, hosts (19) and 20 not used" in remarks(w)
