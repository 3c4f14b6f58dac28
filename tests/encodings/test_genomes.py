"""Decoders of one run in several processes: what one has found of sequences need not be found by the others again."""

from typing import Any

import pytest

from paretosched.encodings import sequence as module
from paretosched.encodings.recipes import ancestry
from paretosched.encodings.sequence import MOVES, Derive, Sequences, deriving
from paretosched.policies.plain import Plain
from paretosched.policies.policy_json import to_json as policy_json
from support.recipes import family
from support.zoo import HOUR, random_jobs

# 60 jobs that queue, of 5 groups, some wide, some long
BUSY = random_jobs(8, 60, 64, gap=1, run=3, grain=HOUR // 2)
STARTS = ("submit", {"random": 1}, {"policy": policy_json(Plain("easy"))})


@pytest.mark.parametrize("moves", MOVES)
def test_what_another_one_has_found_need_not_be_found_again(moves: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recipes are shared out among three decoders; each takes over what the others found, and varies only its own."""
    varied: list[int] = []
    original = Derive._from_parents

    def note(self: Any, row: Any, parents: Any) -> Any:
        varied.append(int(row[0]))
        return original(self, row, parents)

    archive = family(7, 60, mates=0.5)
    encoding = Sequences("strict", STARTS, moves, recombination="pmx")
    known = [deriving(BUSY, encoding).order(row, archive).tolist() for row in archive]
    monkeypatch.setattr(Derive, "_from_parents", note)
    several = [deriving(BUSY, encoding) for _ in range(3)]
    changes: dict[int, bytes] = {}
    for number, row in enumerate(archive):
        derive = several[number % 3]
        ancestors = ancestry(archive, row[None])
        derive.take_over(ancestors, changes)
        varied.clear()
        assert derive.order(row, ancestors).tolist() == known[number]
        starts = {int(each[0]) for each in ancestors if each[1] < 0}
        assert {number} <= {*varied} <= {number, *starts}
        changes |= derive.changes(archive[[number]])
    assert changes.keys() == {int(row[0]) for row in archive if row[1] >= 0}  # start orders are simulated, not sent
    with monkeypatch.context() as fewer:
        fewer.setattr(module, "MOST_SENT", 0)
        assert several[0].changes(archive) == {}
