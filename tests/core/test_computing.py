"""What only computes is abandoned on Ctrl-C, and waited for when the program ends."""

from contextvars import ContextVar
from threading import Event, Thread, current_thread, get_ident
from time import sleep
from weakref import ref

import pytest

from paretosched.core.computing import at_once, compute, is_computing
from paretosched.core.errors import InputError

WORD: ContextVar[str] = ContextVar("WORD", default="")


def test_the_result_and_the_error_are_those_of_the_function_in_the_context_of_the_caller() -> None:
    token = WORD.set("a word")
    assert compute(lambda: (WORD.get(), current_thread().name)) == ("a word", "computation")
    WORD.reset(token)

    def refuse() -> None:
        raise InputError("no such thing")

    with pytest.raises(InputError, match="no such thing"):
        compute(refuse)


def test_only_the_main_thread_needs_another_one() -> None:
    names: list[str] = []
    thread = Thread(target=lambda: names.append(compute(lambda: current_thread().name)), name="mine")
    thread.start()
    thread.join()
    assert names == ["mine"]


def test_the_thread_is_kept_and_forgets_what_it_computed() -> None:
    numbers = {compute(get_ident) for _ in range(3)}
    assert len(numbers) == 1
    assert numbers != {get_ident()}
    result = compute(Event)
    gone = ref(result)
    del result
    assert gone() is None


def test_after_ctrl_c_the_function_goes_on_alone() -> None:
    begun, may_end, ended = Event(), Event(), Event()

    def work() -> None:
        begun.set()
        may_end.wait(60)
        ended.set()

    def interrupt(_end: Event) -> None:
        assert begun.wait(60)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(work, interrupt)
    assert is_computing()
    assert compute(lambda: 7) == 7  # in another thread
    may_end.set()
    assert ended.wait(60)
    while is_computing():  # the thread that was abandoned ends, too
        sleep(0.001)


def test_several_are_computed_at_once_in_order_and_the_first_error_ends_it() -> None:
    done: list[int] = []

    def work(number: int) -> int:
        done.append(number)
        if number == 1:
            raise ValueError("one")
        return 2 * number

    assert at_once(work, [5, 4, 3]) == [10, 8, 6]
    assert at_once(work, []) == []
    done.clear()
    with pytest.raises(ValueError, match="one"):
        at_once(work, [1, *range(100, 1100)])
    assert len(done) < 1000
