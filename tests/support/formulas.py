"""What formulas must have as values, in pure Python, and random formulas."""

import math
from collections.abc import Callable

from hypothesis import strategies as st

from paretosched import Workload
from paretosched.policies.formula import Term

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
LOGARITHMS = {"log": math.log, "log2": math.log2, "log10": math.log10}


def naive_key(key: Term, workload: Workload, j: int, t: int, usage: float = 0.0, share: float = 0.0) -> float:
    """Return the key of job j in second t; the job with the largest one comes first."""
    value = naive_value(key, workload, j, t, usage, share)
    return -math.inf if math.isnan(value) else value


def naive_value(term: Term, w: Workload, j: int, t: int, usage: float, share: float) -> float:
    """Return the value of a term for job j in second t."""
    values = [naive_value(part, w, j, t, usage, share) for part in term.parts]
    word = term.word
    if not values:
        return _variable(term, w, j, t, usage, share)
    if word in LOGARITHMS:
        return LOGARITHMS[word](values[0]) if values[0] > 0 else math.nan if math.isnan(values[0]) else -math.inf
    if word in COMPARE:
        return float(COMPARE[word](*values))
    return _OPERATIONS[word](*values)


def _variable(term: Term, w: Workload, j: int, t: int, usage: float, share: float) -> float:
    """Return the value of a number or a variable."""
    estimate, width = int(w.estimate[j]), int(w.width[j])
    if term.word == "number":
        return term.value
    if term.word == "user":
        return float(str(w.user[j]) == term.labels[0])
    if term.word == "partition":
        assert w.records is not None
        here = str(int(w.records.column(15)[j]))
        return dict(zip(term.labels, term.values or (1.0,), strict=True)).get(here, 0.0)
    if term.word in ("group", "priority"):
        names = term.labels or w.groups
        name = w.groups[w.group[j]]
        return float(len(names) - names.index(name)) if name in names else 0.0
    numbers = {"wait": t - int(w.eligible[j]), "estimate": estimate, "width": width, "area": estimate * width}
    numbers |= {key: int(getattr(w, key)[j]) - int(w.submit[0]) for key in ("submit", "eligible")}
    standing = {"usage": usage, "share": share, "fairshare": usage}
    return float(numbers[term.word]) if term.word in numbers else standing[term.word]


def _true(x: float) -> bool:
    return not math.isnan(x) and x != 0


def _over(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return 0.0 if a == 0 else math.copysign(math.inf, a) if not math.isnan(a) else math.nan


def _power(a: float, b: float) -> float:
    if a == 0 and b < 0:
        return math.inf
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        return math.nan


_OPERATIONS: dict[str, Callable[..., float]] = {
    "-x": lambda a: -a,
    "not": lambda a: float(not _true(a)),
    "abs": abs,
    "floor": lambda a: float(math.floor(a)) if math.isfinite(a) else a,
    "sqrt": lambda a: math.nan if math.isnan(a) else math.sqrt(max(a, 0.0)),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _over,
    "^": _power,
    "min": min,
    "max": max,
    "and": lambda a, b: float(_true(a) and _true(b)),
    "or": lambda a, b: float(_true(a) or _true(b)),
    "if": lambda c, a, b: a if _true(c) else b,
}

NUMBERS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 1 / 3, 870.0, 3600.0, 1e200, 1e-200, 530000.0])
LEAVES = st.one_of(
    NUMBERS.map(lambda value: Term("number", value=value)),
    st.sampled_from(["wait", "estimate", "width", "area", "submit", "eligible", "usage", "share"]).map(Term),
    st.sampled_from(["1", "2", "vip", "two words"]).map(lambda name: Term("group", labels=(name,))),
    st.sampled_from(["3", "8"]).map(lambda number: Term("user", labels=(number,))),
)
ONE = ("-x", "not", "abs", "floor", "sqrt", *LOGARITHMS)
TWO = ("+", "-", "*", "/", "^", "min", "max", *COMPARE, "and", "or")


def _larger(parts: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    """Return terms whose parts are of a strategy."""
    return st.one_of(
        st.builds(lambda word, a: Term(word, (a,)), st.sampled_from(ONE), parts),
        st.builds(lambda word, a, b: Term(word, (a, b)), st.sampled_from(TWO), parts, parts),
        st.builds(lambda a, b, c: Term("if", (a, b, c)), parts, parts, parts),
    )


TERMS = st.recursive(LEAVES, _larger, max_leaves=12)
BARE = st.sampled_from(["vip", "physics"]).map(lambda name: Term("group", labels=(name,), bare=True))
TERMS_AS_WRITTEN = st.recursive(LEAVES | BARE, _larger, max_leaves=12)  # also with names that are words alone
