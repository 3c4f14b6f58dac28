"""The area of a queue that pieces of work flow into, and all processors flow out of."""

import numpy as np

from ..core.arrays import Int, Ints, Mask
from .compiling import njit

HALF = 31  # bits of a digit; a product of two times or areas below 2^62 has four digits
DIGIT = (1 << HALF) - 1


@njit(cache=True, nogil=True)
def squashed_queue(when: Ints, change: Ints, group: Ints, chosen: Mask, later: Ints, more: Ints, capacity: Int) -> Ints:
    """Return twice the integral of a queue, as the digits of one number.

    The last second of a queue, in which it becomes empty, is left out if it is not a whole one.

    Parameters
    ----------
    when
        (k,) int64, s, ascending: when the rate changes that flows in.
    change, group
        (k,) int64, by how much it changes, and for which group.
    chosen
        (G,) bool, the groups that count.
    later, more
        (l,) int64, as `when` and `change`, for changes that always count. All changes that count sum up to 0.
    capacity
        What flows out in a second, if the queue has as much.

    Returns
    -------
    (3,) int64
        The digits; the number is digits[0] + digits[1] 2^31 + digits[2] 2^62.
    """
    digits = np.zeros(3, np.int64)
    i = np.int64(0)
    k = np.int64(0)
    rate = np.int64(0)
    level = np.int64(0)
    now = np.int64(0)
    while True:
        while i < when.size and not chosen[group[i]]:
            i += 1
        if i < when.size and (k == later.size or when[i] <= later[k]):
            t = when[i]
            step = change[i]
            i += 1
        elif k < later.size:
            t = later[k]
            step = more[k]
            k += 1
        else:
            break
        if t > now:  # nothing is in the queue before the first change
            seconds = t - now
            after = level + (rate - capacity) * seconds
            if after > 0:
                add_product(digits, level, seconds)
                add_product(digits, after, seconds)
                level = after
            elif level > 0:
                drain(digits, level, capacity - rate)
                level = np.int64(0)
            now = t
        rate += step
    if level > 0:
        drain(digits, level, np.int64(capacity))
    return digits


@njit(cache=True, nogil=True, _nrt=False)
def drain(digits: Ints, level: Int, rate: Int) -> None:
    """Add twice the area of a queue that becomes empty, without its last second if that is not a whole one.

    Parameters
    ----------
    digits
        (3,) int64, modified in place.
    level
        What is in the queue.
    rate
        By how much that falls in a second.
    """
    whole = level // rate
    add_product(digits, level, whole)
    add_product(digits, level % rate, whole)


@njit(cache=True, nogil=True, _nrt=False)
def add_product(digits: Ints, a: Int, b: Int) -> None:
    """Add the product of two numbers from 0 to 2^62 - 1 to a number.

    Parameters
    ----------
    digits
        (3,) int64, modified in place; below 2^124 afterwards.
    a, b
        The numbers.
    """
    low = digits[0] + (a & DIGIT) * (b & DIGIT)
    middle = digits[1] + (a >> HALF) * (b & DIGIT) + (low >> HALF)
    digits[0] = low & DIGIT
    digits[2] += (a >> HALF) * (b >> HALF) + (middle >> HALF)
    middle = (middle & DIGIT) + (a & DIGIT) * (b >> HALF)
    digits[1] = middle & DIGIT
    digits[2] += middle >> HALF


def number_of(digits: Ints) -> int:
    """Return the number that digits stand for.

    Examples
    --------
    >>> number_of(np.array([5, 1, 0]))
    2147483653
    """
    low, middle, high = digits.tolist()
    return int(low + (middle << HALF) + (high << 2 * HALF))
