"""What a policy does, in words and numbers; each kind of policy has its own explanation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.errors import InputError
from ..core.notebook import fields_html, fields_repr
from ..core.tables import indented_lines
from .explanation_words import RULES, example_jobs, guarded_words, origin_of, paragraphs, time_sharing_words
from .greedy_explanation import GreedyExplanation, explain_greedy
from .greedy_order import Greedy
from .guarded import Guarded
from .own import Called, Given
from .plain import Plain
from .policy import PolicyLike, as_policy
from .policy_json import to_json
from .priority import Priority
from .priority_waits import PriorityExplanation, explain_priority
from .rule_base import RuleBase
from .rule_base_explanation import RulesExplanation, explain_rules
from .time_sharing import TimeSharing


@dataclass(frozen=True, eq=False)
class PlainExplanation:
    """What a policy without keys and strategies does: sentences only.

    Parameters
    ----------
    policy
        The policy.
    sentences
        How it chooses the jobs that start.
    """

    policy: Plain | TimeSharing | Guarded
    sentences: tuple[str, ...]

    __repr__ = fields_repr
    _repr_html_ = fields_html
    prose = paragraphs

    def rows(self) -> list[dict[str, Any]]:
        """Return no rows: the policy has no keys by which two jobs could be compared."""
        return []

    def about(self) -> dict[str, Any]:
        """Return everything as plain values, with the keys of `GreedyExplanation.about`."""
        words = {"policy": to_json(self.policy), "words": self.words(), "situations": {}}
        return words | {"jobs": example_jobs(), "rows": self.rows()}

    def words(self) -> list[str]:
        """Return sentences: where the policy comes from, and how it chooses the jobs that start."""
        origin = origin_of(self.policy.provenance)
        return [*([origin] if origin else []), *self.sentences]

    def text(self) -> str:
        """Return everything as text for a terminal."""
        return "\n".join([self.policy.name, *(line for sentence in self.words() for line in indented_lines(sentence))])


Explanation = PlainExplanation | GreedyExplanation | PriorityExplanation | RulesExplanation

_EXPLAIN: dict[type, Callable[[Any], Explanation]] = {
    Plain: lambda policy: PlainExplanation(policy, (RULES[policy.rule],)),
    Greedy: explain_greedy,
    RuleBase: explain_rules,
    Priority: explain_priority,
    Guarded: lambda policy: PlainExplanation(policy, tuple(guarded_words(policy))),
    TimeSharing: lambda policy: PlainExplanation(policy, (RULES[policy.rule], *time_sharing_words(policy))),
}


def explain(policy: PolicyLike) -> Explanation:
    """Return what a policy does: which jobs overtake which others and when, or which strategy a rule base chooses.

    Parameters
    ----------
    policy
        What `simulate` accepts: a `Policy`, the name of a rule, an order in words, or the path of a policy file.

    Raises
    ------
    InputError
        There is no such policy, its file breaks a rule, or it is a Python function or a schedule.

    Examples
    --------
    >>> explain("recorded").words()
    ['Jobs start when the log says that they did: a record, and no rule.']
    """
    policy = as_policy(policy)
    if isinstance(policy, Called | Given):
        raise InputError(f"{policy.name} cannot be explained, because only its author knows what it does")
    return _EXPLAIN[type(policy)](policy)
