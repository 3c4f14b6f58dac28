"""Orders of waiting jobs that have a name, each with its source; t is the wait, p the request, m the processors.

============  =============================================  =========================================================
fcfs          first come first served                        folklore
sjf           smallest p, also called SPT                    folklore
saf           smallest p m                                   Carastan-Santos, de Camargo, Trystram, Zrigui, IPDPS 2019
lxf           largest (t + p) / p                            Chiang and Vernon 2001
wfp3          largest (t / p)^3 m                            Tang, Lan, Desai, Buettner, Cluster 2009
unicef        largest t / (log2(m) p)                        the same
learned-f1    smallest log10(p) m + 870 log10(s)             Carastan-Santos and de Camargo, SC 2017
learned-f2    smallest sqrt(p) m + 25,600 log10(s)           the same
learned-f3    smallest p m + 6,860,000 log10(s)              the same
learned-f4    smallest p sqrt(m) + 530,000 log10(s)          the same
priority      the groups in their order                      common practice
============  =============================================  =========================================================

Equal jobs come in the order in which they could run: that of submission, unless a log says that jobs were eligible
later. In F1 to F4, s is when a job could run, in seconds since the first submission of the workload, but at least 1,
because the constants belong to logs that begin at 0. UNICEF divides by 0 for a serial job: its key is 0 while it has
not waited, and then infinite, so that serial jobs come first once they wait, as they do in public code. "priority:3,1"
orders the jobs of group 3, then those of group 1, then all others by submission;
"priority" alone takes all groups of the workload in their order.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import in_quotes, nearest_word
from ..core.token_reader import Token
from .formula import DIRECTIONS, RESERVED, Formula, Term, parse_formula, read_formula, written_formula
from .greedy_order import BACKFILLS
from .policy_tokens import PolicyReader, written_name

PRIORITY = "priority"  # the order that may be followed by a list of groups


class Published(NamedTuple):
    """An order with a name.

    Attributes
    ----------
    title
        What it is called in tables and figures.
    formula
        What it orders by.
    source
        Who published it.
    """

    title: str
    formula: Formula
    source: str


class JobOrder(NamedTuple):
    """What orders the waiting jobs in one situation.

    Attributes
    ----------
    formula
        What it orders by.
    name
        The name of a published order, with its groups if it has any; "" for a formula.
    title
        What it is called in tables and figures.
    """

    formula: Formula
    name: str
    title: str

    def words(self, direction: str) -> str:
        """Return the order in words, which say what comes first where it is not what `direction` says."""
        return self.name or written_formula(self.formula, direction)


def job_order(text: str, direction: str, part: str) -> JobOrder:
    """Return the order that words stand for: the name of a published order, or a formula.

    Parameters
    ----------
    text
        The words.
    direction
        "largest" or "smallest": what a formula puts first if it does not say so itself.
    part
        What the order is for; it begins the message of an error.

    Raises
    ------
    InputError
        There is no such order, or the formula breaks a rule.

    Examples
    --------
    >>> job_order("saf", "largest", "order").title, job_order("wait", "largest", "order").title
    ('SAF', 'wait')
    """
    reader = PolicyReader(text, part)
    result = read_order(reader, direction)
    if reader.now.kind != "end":
        reader.refuse("there must be an operator or the end")
    return result


def read_order(reader: PolicyReader, direction: str) -> JobOrder:
    """Return the order that comes now; the tokens behind it are left."""
    begin = reader.place
    if reader.now.kind == "word":
        token = reader.long_name()
        if token.text.lower() == PRIORITY:
            return _by_groups(reader)
        if _ends(reader):
            word = token.text.lower()
            if word in PUBLISHED:
                return JobOrder(PUBLISHED[word].formula, word, PUBLISHED[word].title)
            _refuse_misspelt(reader, token)
    reader.place = begin
    has_direction = reader.comes(*DIRECTIONS)
    formula = read_formula(reader, direction)
    if has_direction and formula.term.bare and formula.term.labels[0].lower() in PUBLISHED:
        name = formula.term.labels[0]
        reader.refuse_token(
            reader.ahead(-1),
            f"{name} is an order, which says itself which job comes first; write it alone "
            f"(a group of this name is group({name}))",
        )
    return JobOrder(formula, "", written_formula(formula, direction))


def _ends(reader: PolicyReader) -> bool:
    """Return whether the words for an order end here."""
    return reader.now.kind == "end" or reader.comes(";")


def _by_groups(reader: PolicyReader) -> JobOrder:
    """Return the order of groups; the word "priority" has been read, the list may come now."""
    groups = reader.names() if reader.take(":") else ()
    name = PRIORITY + (":" if groups else "") + ",".join(map(written_name, groups))
    title = PUBLISHED[PRIORITY].title + (" " if groups else "") + ", ".join(groups)
    return JobOrder(Formula(Term(PRIORITY, labels=groups), largest=True), name, title)


def _refuse_misspelt(reader: PolicyReader, token: Token) -> None:
    """Refuse a word that stands alone and is a backfilling or probably a misspelt name of an order, and not a group."""
    if token.text.lower() in BACKFILLS:
        reader.refuse_token(
            token, f'is a backfilling and no order; write an order and "backfill: {token.text.lower()}"'
        )
    near = nearest_word(token.text, [*PUBLISHED, *RESERVED])
    if token.text.lower() not in RESERVED and near in PUBLISHED:
        reader.refuse_token(
            token,
            f"there must be a formula or one of {', '.join(PUBLISHED)}; did you mean {near}? "
            f"(for a group of this name write group({in_quotes(token.text)}))",
        )


def _published_order(title: str, text: str, source: str) -> Published:
    """Return an order with a name; its formula in words."""
    return Published(title, parse_formula(text, "largest"), source)


_CLUSTER_2009 = "Tang, Lan, Desai, Buettner, Cluster 2009"
_SC_2017 = "Carastan-Santos and de Camargo, SC 2017"
_SINCE = "log10(max(1, eligible))"
PUBLISHED = {
    "fcfs": _published_order("FCFS", "smallest eligible", "folklore"),
    "sjf": _published_order("SJF", "smallest estimate", "folklore"),
    "saf": _published_order("SAF", "smallest area", "Carastan-Santos, de Camargo, Trystram, Zrigui, IPDPS 2019"),
    "lxf": _published_order("LXF", "(wait + estimate) / estimate", "Chiang and Vernon 2001"),
    "wfp3": _published_order("WFP3", "(wait / estimate)^3 * width", _CLUSTER_2009),
    "unicef": _published_order("UNICEF", "wait / (log2(width) * estimate)", _CLUSTER_2009),
    "learned-f1": _published_order("F1", f"smallest log10(estimate) * width + 870 * {_SINCE}", _SC_2017),
    "learned-f2": _published_order("F2", f"smallest sqrt(estimate) * width + 25600 * {_SINCE}", _SC_2017),
    "learned-f3": _published_order("F3", f"smallest estimate * width + 6860000 * {_SINCE}", _SC_2017),
    "learned-f4": _published_order("F4", f"smallest estimate * sqrt(width) + 530000 * {_SINCE}", _SC_2017),
    PRIORITY: Published("Priority", Formula(Term(PRIORITY), largest=True), "common practice"),
}
ORDER_NAMES = tuple(PUBLISHED)
