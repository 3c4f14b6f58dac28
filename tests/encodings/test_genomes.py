"""Decoders of one run in several processes: what one has found of sequences need not be found by the others again."""

from __future__ import annotations

from typing import Any

import pytest

from paretosched.core.shared_arrays import LABEL
from paretosched.encodings import sequence as module
from paretosched.encodings.recipes import ancestry
from paretosched.encodings.sequence import LOOKING, MOVES, Derive, Sequences, deriving
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


@pytest.mark.parametrize("moves", LOOKING)
@pytest.mark.parametrize("places", [3, 60])
def test_decoders_that_share_memory_find_the_waits_of_each_other(
    moves: str, places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recipes are shared out among three decoders; a schedule is decoded once if there is room for all."""
    decoded = 0
    original = Derive._decode

    def count(self: Any, order: Any) -> Any:
        nonlocal decoded
        decoded += 1
        return original(self, order)

    archive = family(7, 60, mates=0.0)
    encoding = Sequences("strict", STARTS, moves)
    alone = deriving(BUSY, encoding)
    expected = [alone(row, archive).tolist() for row in archive]
    monkeypatch.setattr(Derive, "_decode", count)
    monkeypatch.setattr(module, "CACHE_BYTES", places * (LABEL + 4 * len(BUSY)) // 3)
    several = [deriving(BUSY, encoding, cache_bytes=10**6) for _ in range(3)]
    memory = several[0].shareable(3)
    assert memory.places == places
    for derive in several:
        derive.share(memory)
    changes: dict[int, bytes] = {}
    for number, row in enumerate(archive):
        derive = several[number % 3]
        derive.take_over(archive[:number], changes)
        assert derive(row, archive[:number]).tolist() == expected[number]
        changes |= derive.changes(row[None])
    assert decoded == 60 if places == 60 else 60 < decoded < 120
    memory.close()


def test_only_moves_that_look_at_schedules_share_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert deriving(BUSY, Sequences("strict", STARTS, "swap")).shareable(2).places == 0
    looking, other = (deriving(BUSY, Sequences("strict", STARTS, "pull")) for _ in range(2))
    assert looking.shareable(2).places == 2**29 // (LABEL + 4 * 60)
    assert looking.shareable(64).places == 2**30 // (LABEL + 4 * 60)
    monkeypatch.setattr("sys.platform", "darwin")  # which has no such memory
    archive = family(7, 30, mates=0.0)
    expected = [looking(row, archive).tolist() for row in archive]
    other.share(other.shareable(2))
    assert [other(row, archive).tolist() for row in archive] == expected
    monkeypatch.delattr(Derive, "_decode")  # nothing is decoded again: it keeps waits of its own
    assert [other(row, archive).tolist() for row in archive] == expected
