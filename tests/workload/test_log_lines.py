"""Compiled code reads job lines as numpy does, which reads them as it read whole logs before."""

import random
from itertools import pairwise

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.core.limits import reading_limits
from paretosched.workload import log_lines
from paretosched.workload.log_lines import Log, parse_log

COMPILED, EXACT = 0, 1 << 60
ODD = ["1e3", "-0", "+5", "0.1", "7.", ".5", "1_0", "nan", "inf", "0x10", "--3", "1.5.2", "9007199254740993", "1e400"]
ODD += ["123456789012345", "1234567890123456", "0.000000000000001", "3.14159265358979", "2.0", "-12.75", "00012", "x"]
BLANKS = [" ", "  ", "\t", " \t ", "\x0b", "\x1c", "\x85", "\xa0"]
ENDS = ["\n", "\r\n", "\r", "\n\n", " \n", "\t\r\n", "\n; remark\n", "\n;\r", "\n  ; \u00e4\n", "\n\x0b\n"]


def outcome(text: bytes, worth_compiled: int, cuts: list[int]) -> tuple[object, ...]:
    """What comes out of the text in pieces: the numbers of each field, line numbers and comments; or the message."""
    lines = text.splitlines(keepends=True)
    bounds = [0, *cuts, len(lines)]
    blocks = [b"".join(lines[first:last]) for first, last in pairwise(bounds)]
    try:
        log = parse_log("w.swf", blocks, worth_compiled)
    except InputError as error:
        return (str(error),)
    return numbers(log)


def numbers(log: Log) -> tuple[object, ...]:
    n = len(log.fields)
    kinds = [column.dtype for column in log.fields.columns]
    return np.asarray(log.fields).tobytes(), kinds, [log.where(j) for j in range(n)], log.header, log.header_line


def mutate(seed: int) -> bytes:
    """A log with whole numbers and fractions, and sometimes with odd words, blanks and ends of lines."""
    rng = random.Random(seed)
    rows = [[str(rng.randrange(-1, 10 ** rng.randrange(1, 9))) for _ in range(18)] for _ in range(rng.randrange(1, 12))]
    for _ in range(rng.choice([0, 0, 1, 3])):
        rng.choice(rows)[rng.randrange(18)] = rng.choice(ODD)
    for _ in range(rng.choice([0, 1, 5])):
        rng.choice(rows)[rng.choice([1, 3, 8])] = f"{rng.uniform(-9, 1e6):.{rng.randrange(1, 9)}f}"
    if rng.random() < 0.1:
        rng.choice(rows).append("1") if rng.random() < 0.5 else rng.choice(rows).pop()
    few = rng.random() < 0.5
    blank = lambda: " " if few or rng.random() < 0.9 else rng.choice(BLANKS)  # noqa: E731
    end = lambda: "\n" if few or rng.random() < 0.6 else rng.choice(ENDS)  # noqa: E731
    text = "; MaxProcs: 8\n" + "".join("".join(word + blank() for word in row) + end() for row in rows)
    return text.encode("latin-1" if rng.random() < 0.9 else "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 3000, 500))
def test_mutated_logs_are_read_alike_in_blocks_and_at_once(first: int) -> None:
    refusals = 0
    for seed in range(first, first + 500):
        text = mutate(seed)
        rng = random.Random(-seed)
        cuts = sorted(rng.sample(range(len(text.splitlines()) + 1), rng.choice([0, 1, 2])))
        expected = outcome(text, EXACT, [])
        refusals += len(expected) == 1
        assert outcome(text, COMPILED, cuts) == expected, seed
        assert outcome(text, EXACT, cuts)[0] == expected[0], seed
    assert 50 < refusals < 450


def test_plain_numbers_are_bit_for_bit_those_of_python() -> None:
    rng = random.Random(1)
    words = [f"{rng.choice(['', '-'])}{rng.randrange(10 ** rng.randrange(1, 16))}" for _ in range(900)]
    words += [
        f"{rng.randrange(10**d)}.{rng.randrange(10 ** (15 - d)):0{15 - d}d}" for d in range(1, 13) for _ in range(75)
    ]
    rng.shuffle(words)
    rows = [["1"] + words[place : place + 1] + ["1"] * 16 for place in range(len(words))]
    log = parse_log("w.swf", ["".join(" ".join(row) + "\n" for row in rows).encode()], COMPILED)
    assert log.fields.column(1).tolist() == [float(word) for word in words]


def test_arrays_of_compiled_code_may_be_filled_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_lines, "ROWS", 7)
    monkeypatch.setattr(log_lines, "REMARKS", 2)
    text = "".join(f"; {j}\n" * (j % 5) + f"{j} {j / 4} " + "1 " * 16 + "\n" for j in range(100)).encode()
    assert outcome(text, COMPILED, [])[0] == outcome(text, EXACT, [])[0]
    assert outcome(text, COMPILED, [33])[2:] == outcome(text, EXACT, [])[2:]


@pytest.mark.parametrize("worth_compiled", [COMPILED, EXACT])
@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"jobs": 2}, "w.swf: the number of jobs in a log must be at most 2 jobs"),
        ({"line": 37}, "w.swf:4: the length of a line must be at most 37 bytes"),
        ({"header": 10}, "w.swf:2: the comment lines of a log together must be at most 10 bytes"),
    ],
)
def test_a_log_beyond_a_limit_is_refused(worth_compiled: int, limit: dict[str, int], message: str) -> None:
    line = b"1 " * 18 + b"\n"
    text = b"; five\n; six .\n" + line + b"11" + line + line
    parse_log("w.swf", [text], worth_compiled)
    with reading_limits(**limit), pytest.raises(InputError) as error:
        parse_log("w.swf", [text], worth_compiled)
    assert str(error.value).startswith(message)
    with reading_limits(**{name: value + 100 for name, value in limit.items()}):
        parse_log("w.swf", [text], worth_compiled)
