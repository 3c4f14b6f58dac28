"""Processors that are down, in the availability profile: taken there as by jobs that nobody can move."""

from ..core.arrays import Int
from .compiling import njit
from .inputs import Down
from .profile import LAST, add_at
from .running import Profile


@njit(cache=True, nogil=True, _nrt=False)
def put_down(profile: Profile, down: Down, since: Int) -> None:
    """Take the processors that are down out of a profile in which all processors are free.

    Parameters
    ----------
    profile
        One entry, at second `since`; modified in place. It has room for two more entries a down time.
    down
        `Down`.
    since
        s; what is before does not matter.
    """
    for i in range(down.begin.size):
        if down.end[i] > since:
            last = profile.span[LAST] - 1  # they ascend: each begins in the last segment, which has no end
            begin = max(down.begin[i], since)
            add_at(profile.when, profile.room, profile.span, last, begin, down.end[i], -down.width[i])
