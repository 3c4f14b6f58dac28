"""The ancestors of evaluations of a run."""

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .running import pop, push

FULL, FAULT = -1, -2


@njit(cache=True, nogil=True, _nrt=False)
def find_ancestors(recipes: Floats, rows: Floats, ahead: Ints, places: Ints) -> Int:
    """Find all recipes that some rows descend from; what they do not descend from is not looked at.

    Parameters
    ----------
    recipes
        (n, 3 or more) float64, sorted by the first column: the number of each recipe, and those of its parent and its
        mate; less than 0 for none.
    rows
        (r, 3 or more) float64, likewise, in any order.
    ahead
        (room,) int64, scratch.
    places
        (room,) int64, overwritten: the places of the ancestors among the recipes, the last one first.

    Returns
    -------
    count
        How many ancestors there are; `FULL` if there is no room for them; or `FAULT` - i if a parent of recipe i is
        missing or no earlier one, or numbers do not ascend there. Row i is recipe n + i.
    """
    n = len(recipes)
    size: Int = 0
    for i in range(len(rows)):
        size = _with_parents(recipes, rows, i, ahead, size)
        if size < 0:
            return FULL if size == FULL else FAULT - n - i
    count = 0
    while size > 0:
        i = -ahead[0]
        pop(ahead, size)
        size -= 1
        if count > 0 and places[count - 1] == i:
            continue
        if count > 0 and recipes[places[count - 1], 0] <= recipes[i, 0]:
            return FAULT - i
        if count == len(places):
            return FULL
        places[count] = i
        count += 1
        size = _with_parents(recipes, recipes, i, ahead, size)
        if size < 0:
            return FULL if size == FULL else FAULT - i
    return count


@njit(cache=True, nogil=True, _nrt=False)
def _with_parents(recipes: Floats, rows: Floats, i: Int, ahead: Ints, size: Int) -> Int:
    """Put the places of the parents of a row into a heap; return its new size, `FULL` or `FAULT`.

    Parameters
    ----------
    recipes, rows
        (n, 3 or more) and (r, 3 or more) float64, see `find_ancestors`.
    i
        The row.
    ahead
        (room,) int64, the heap, modified in place: places below 0, so that the last one is the smallest key.
    size
        Of the heap.
    """
    for j in range(1, 3):
        if rows[i, j] >= 0:
            place = _place_of(recipes, rows[i, j])
            if place < 0 or rows[i, j] >= rows[i, 0]:
                return FAULT
            if size == len(ahead):
                return FULL
            push(ahead, size, -place)
            size += 1
    return size


@njit(cache=True, nogil=True, _nrt=False)
def _place_of(recipes: Floats, number: float) -> Int:
    """Return the place of a recipe by its number; -1 if it is missing, or not between a smaller and a larger one.

    Parameters
    ----------
    recipes
        (n, 1 or more) float64, sorted by the first column, their numbers.
    number
        The number that is wanted, at least 0.
    """
    n = len(recipes)
    low, high = 0, n
    if number < n and recipes[int(number), 0] == number:  # in a whole run
        low = high = int(number)
    while low < high:
        middle = (low + high) >> 1
        if recipes[middle, 0] < number:
            low = middle + 1
        else:
            high = middle
    is_there = low < n and recipes[low, 0] == number
    is_alone = (low == 0 or recipes[low - 1, 0] < number) and (low + 1 >= n or recipes[low + 1, 0] > number)
    return low if is_there and is_alone else -1
