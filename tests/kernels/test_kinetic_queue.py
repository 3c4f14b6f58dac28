"""The key of a job is that of the naive simulator; the queue of keys is tested with `greedy_queue`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.kernels.criteria import key_of
from paretosched.policies.greedy_explanation import key
from paretosched.policies.greedy_order import CRITERIA
from support import naive

PATIENT = settings(deadline=None, max_examples=60)


@PATIENT
@given(
    number=st.integers(0, 3),
    genes=st.tuples(*[st.floats(0, high) for high in (1, 5, 1, 1)]),
    wait=st.integers(0, 2**40),
    estimate=st.integers(1, 2**31),
    width=st.integers(1, 2**31),
)
def test_the_key_is_that_of_the_kernels_and_of_the_naive_simulator(
    number: int, genes: tuple[float, float, float, float], wait: int, estimate: int, width: int
) -> None:
    criterion = CRITERIA[number]
    ours = float(key(criterion, *genes, wait, estimate, width))
    sizes = float(wait), float(estimate), float(width), float(estimate * width)
    assert ours == key_of(number + 1, *genes, *sizes) == naive.key(criterion, *genes, wait, estimate, width)
