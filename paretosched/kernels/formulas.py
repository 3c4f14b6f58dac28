"""Keys of waiting jobs by a formula: byte code, which a small machine with a stack evaluates.

A formula is compiled once for a workload, see `paretosched.policies.formula`, so that kernels evaluate any formula
without being compiled again. Every operation is one float64 operation, or one function of the C library, in the order
in which the formula is written: the same formula in pure Python has the same bits.

All operations are total. 0 / 0 is 0, any other number divided by 0 is infinite with its own sign; the logarithm of 0
or less is -inf, the root of less than 0 is 0, and 0 to a negative power is inf. A key that is not a number is -inf.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit, power
from .inputs import Jobs

MOST_DEEP = 32  # values on the stack at the same time
BLOCK = 64  # jobs that `evaluate_block` takes at once; the stacks of so many jobs stay in the cache

# What byte code can do. The first ones push a value, the others take their one, two or three values off the stack and
# push their result. Comparisons and the words of logic have the result 1 or 0; a value is true if it is a number
# other than 0.
OPERATIONS = (
    "number",  # constants[argument]
    "column",  # columns[argument, j]
    "wait",
    "estimate",
    "width",
    "area",
    "submit",
    "usage",
    "share",
    "-x",
    "not",
    "abs",
    "floor",
    "sqrt",
    "log",
    "log2",
    "log10",
    "+",
    "-",
    "*",
    "/",
    "^",
    "min",
    "max",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    "!=",
    "and",
    "or",
    "if",
)
_CODE = {word: code for code, word in enumerate(OPERATIONS)}
_NUMBER = _CODE["number"]
_COLUMN = _CODE["column"]
_WAIT = _CODE["wait"]
_ESTIMATE = _CODE["estimate"]
_WIDTH = _CODE["width"]
_AREA = _CODE["area"]
_SUBMIT = _CODE["submit"]
_USAGE = _CODE["usage"]
_SHARE = _CODE["share"]
_NEGATE = _CODE["-x"]
_NOT = _CODE["not"]
_ABS = _CODE["abs"]
_FLOOR = _CODE["floor"]
_SQRT = _CODE["sqrt"]
_LOG = _CODE["log"]
_LOG2 = _CODE["log2"]
_LOG10 = _CODE["log10"]
_PLUS = _CODE["+"]
_MINUS = _CODE["-"]
_TIMES = _CODE["*"]
_OVER = _CODE["/"]
_POWER = _CODE["^"]
_MIN = _CODE["min"]
_MAX = _CODE["max"]
_LESS = _CODE["<"]
_AT_MOST = _CODE["<="]
_MORE = _CODE[">"]
_AT_LEAST = _CODE[">="]
_EQUAL = _CODE["="]
_UNEQUAL = _CODE["!="]
_AND = _CODE["and"]
_OR = _CODE["or"]


class Program(NamedTuple):
    """A formula for each situation, as byte code. All arrays are C-contiguous and writeable.

    Attributes
    ----------
    code
        (k, 2) int64: operations, numbered as in OPERATIONS, and their arguments.
    begin
        (4,) int64: the byte code of situation s is code[begin[s] : begin[s + 1]].
    constants
        (c,) float64, the numbers of the formula.
    columns
        (f, n) float64: numbers that are known of each job, such as 1 if it belongs to a group, else 0.
    stack
        (MOST_DEEP,) float64, work space: a program is for one thread.
    """

    code: Ints
    begin: Ints
    constants: Floats
    columns: Floats
    stack: Floats


def postfix(texts: Sequence[str], columns: Floats) -> Program:
    """Return the program of three formulas in postfix notation, for weekend, day and night.

    Parameters
    ----------
    texts
        Numbers, words of OPERATIONS, and #0, #1, ... for the rows of `columns`, with spaces between them.
    columns
        (f, n) float64, a number for each job, as in `Program`.

    Examples
    --------
    >>> postfix(["wait 2.5 *"] * 3, np.empty((0, 4))).begin.tolist()
    [0, 3, 6, 9]
    """
    code: list[tuple[int, int]] = []
    constants: dict[float, int] = {}
    begin = [0]
    for text in texts:
        for word in text.split():
            if word in _CODE:
                code.append((_CODE[word], 0))
            elif word.startswith("#"):
                code.append((_COLUMN, int(word[1:])))
            else:
                code.append((_NUMBER, constants.setdefault(float(word), len(constants))))
        begin.append(len(code))
    return Program(
        np.array(code, dtype=np.int64),
        np.array(begin, dtype=np.int64),
        np.array(list(constants), dtype=np.float64),
        columns,
        np.empty(MOST_DEEP),
    )


def first_alike(program: Program) -> list[int]:
    """Return for each situation the first one that has the same formula in a program."""
    codes = [program.code[program.begin[s] : program.begin[s + 1]].tobytes() for s in range(3)]
    return [codes.index(code) for code in codes]


@njit(cache=True, nogil=True, _nrt=False)
def evaluate(program: Program, situation: Int, jobs: Jobs, j: Int, t: Int, usage: float, share: float) -> float:
    """Return the key of job j in second t: the largest key comes first, equal keys in the order of rows.

    `program`, `situation`, `jobs`, j, t, `usage` and `share` are as for `value_of`; a value that is no number is -inf.
    """
    key = value_of(program, situation, jobs, j, t, usage, share)
    return key if key == key else -np.inf


@njit(cache=True, nogil=True, _nrt=False)
def value_of(program: Program, situation: Int, jobs: Jobs, j: Int, t: Int, usage: float, share: float) -> float:
    """Return the value of a formula for job j in second t, which may be no number.

    Parameters
    ----------
    program
        `Program`; its stack is modified in place.
    situation
        0..2.
    jobs
        `Jobs`.
    j, t
        Row and second.
    usage, share
        Decayed processor seconds of the job's account in second t, and its share; 0 if no formula uses them.
    """
    stack = program.stack
    top = -1  # the place of the value that was pushed last
    for i in range(program.begin[situation], program.begin[situation + 1]):
        operation = program.code[i, 0]
        if operation <= _SHARE:
            top += 1
            stack[top] = _operand(program, operation, program.code[i, 1], jobs, j, t, usage, share)
        elif operation <= _LOG10:
            stack[top] = _of_one(operation, stack[top])
        elif operation <= _OR:
            top -= 1
            stack[top] = _of_two(operation, stack[top], stack[top + 1])
        else:
            top -= 2
            stack[top] = stack[top + 1] if _is_true(stack[top]) else stack[top + 2]
    return float(stack[0])


@njit(cache=True, nogil=True, _nrt=False)
def evaluate_block(
    program: Program,
    situation: Int,
    jobs: Jobs,
    rows: Ints,
    t: Int,
    usages: Floats,
    shares: Floats,
    stacks: Floats,
    keys: Floats,
) -> None:
    """Fill `keys` with what `evaluate` returns for each of a few jobs, line by line of the byte code.

    Parameters
    ----------
    program, situation, jobs
        `Program`, 0..2, and `Jobs`.
    rows, t
        (k,) int64, the rows of 1 to BLOCK jobs, and the second.
    usages
        (k or more,) float64, the usage of each job's account in second t.
    shares
        (n,) float64, the share of each job's account.
    stacks
        (MOST_DEEP, BLOCK) float64, work space.
    keys
        (k,) float64, filled in place.
    """
    top = -1
    for i in range(program.begin[situation], program.begin[situation + 1]):
        operation = program.code[i, 0]
        if operation <= _SHARE:
            top += 1
            argument = program.code[i, 1]
            x = stacks[top]
            if operation == _NUMBER:  # the most frequent operations have loops without a choice
                for k in range(rows.size):
                    x[k] = program.constants[argument]
            elif operation == _WAIT:
                for k in range(rows.size):
                    x[k] = float(t - jobs.submit[rows[k]])
            elif operation == _COLUMN:
                for k in range(rows.size):
                    x[k] = program.columns[argument, rows[k]]
            else:
                for k in range(rows.size):
                    j = rows[k]
                    x[k] = _operand(program, operation, argument, jobs, j, t, usages[k], shares[j])
        elif operation <= _LOG10:
            for k in range(rows.size):
                stacks[top, k] = _of_one(operation, stacks[top, k])
        elif operation <= _OR:
            top -= 1
            x = stacks[top]
            y = stacks[top + 1]
            if operation == _PLUS:
                for k in range(rows.size):
                    x[k] = x[k] + y[k]
            elif operation == _TIMES:
                for k in range(rows.size):
                    x[k] = x[k] * y[k]
            elif operation == _OVER:
                for k in range(rows.size):
                    x[k] = _ratio(x[k], y[k])
            else:
                for k in range(rows.size):
                    x[k] = _of_two(operation, x[k], y[k])
        else:
            top -= 2
            for k in range(rows.size):
                stacks[top, k] = stacks[top + 1, k] if _is_true(stacks[top, k]) else stacks[top + 2, k]
    for k in range(rows.size):
        keys[k] = stacks[0, k] if stacks[0, k] == stacks[0, k] else -np.inf


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _operand(
    program: Program, operation: Int, argument: Int, jobs: Jobs, j: Int, t: Int, usage: float, share: float
) -> float:
    """Return the value of a number or a variable of a key, as a line of the byte code says.

    Parameters
    ----------
    program
        `Program`, only read.
    operation, argument
        The line of the byte code: an operation up to _SHARE, and the index of the number or column.
    jobs
        `Jobs`.
    j, t
        Row and second.
    usage, share
        Decayed processor seconds of the job's account in second t, and its share.
    """
    if operation == _NUMBER:
        return program.constants[argument]
    if operation == _COLUMN:
        return program.columns[argument, j]
    if operation == _WAIT:
        return float(t - jobs.submit[j])
    if operation == _ESTIMATE:
        return float(jobs.estimate[j])
    if operation == _WIDTH:
        return float(jobs.width[j])
    if operation == _AREA:
        return float(jobs.estimate[j] * jobs.width[j])
    if operation == _SUBMIT:
        return float(jobs.submit[j] - jobs.submit[0])
    if operation == _USAGE:
        return usage
    return share


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _is_true(x: float) -> bool:
    """Return whether a value x counts as true: a number other than 0."""
    return x < 0.0 or x > 0.0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _of_one(operation: Int, x: float) -> float:
    """Return the result of an `operation` with one value x."""
    if operation == _NEGATE:
        return -x
    if operation == _NOT:
        return 0.0 if _is_true(x) else 1.0
    if operation == _ABS:
        return abs(x)
    if operation == _FLOOR:
        return np.floor(x)
    if operation == _SQRT:
        return 0.0 if x < 0.0 else math.sqrt(x)
    if x <= 0.0:
        return -np.inf
    if operation == _LOG:
        return math.log(x)
    if operation == _LOG2:
        return math.log2(x)
    return math.log10(x)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _of_two(operation: Int, x: float, y: float) -> float:
    """Return the result of an `operation` with two values, x and y in their order in the formula."""
    if operation == _PLUS:
        return x + y
    if operation == _MINUS:
        return x - y
    if operation == _TIMES:
        return x * y
    if operation == _OVER:
        return _ratio(x, y)
    if operation == _POWER:
        return np.inf if x == 0.0 and y < 0.0 else power(x, y)
    if operation == _MIN:
        return y if y < x else x
    if operation == _MAX:
        return y if y > x else x
    return 1.0 if _holds(operation, x, y) else 0.0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _ratio(x: float, y: float) -> float:
    """Return x / y; 0 / 0 is 0, and x / 0 is infinite with the sign of x."""
    if y != 0.0:
        return x / y
    if x == 0.0:
        return 0.0
    return x * np.inf


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _holds(operation: Int, x: float, y: float) -> bool:
    """Return whether the comparison `operation` of x and y holds, or whether both or one of them are true."""
    if operation == _LESS:
        return x < y
    if operation == _AT_MOST:
        return x <= y
    if operation == _MORE:
        return x > y
    if operation == _AT_LEAST:
        return x >= y
    if operation == _EQUAL:
        return x == y
    if operation == _UNEQUAL:
        return x != y
    if operation == _AND:
        return _is_true(x) and _is_true(y)
    return _is_true(x) or _is_true(y)
