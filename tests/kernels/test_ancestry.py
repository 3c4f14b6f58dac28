"""Which recipes others descend from."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.encodings.recipes import ancestry
from support.recipes import family


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.0, 0.3, 1.0]), st.data())
def test_the_ancestry_is_the_closure_of_parents(seed: int, count: int, mates: float, data: Any) -> None:
    archive = family(seed, count, starts=min(3, count), mates=mates)
    children = data.draw(st.lists(st.integers(0, count - 1), max_size=5))
    length = data.draw(st.integers(max(children, default=0), count))  # those chosen need not be in the archive yet
    expected: set[int] = set()
    ahead = [int(p) for i in children for p in archive[i, 1:3] if p >= 0]
    while ahead:
        number = ahead.pop()
        expected.add(number)
        ahead += [int(p) for p in archive[number, 1:3] if p >= 0]
    ancestors = ancestry(archive[:length], archive[children])
    assert ancestors.tolist() == archive[sorted(expected)].tolist()
