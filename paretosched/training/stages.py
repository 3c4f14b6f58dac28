"""A training of two stages, each with a run of its own: their folder, and their progress as if they were one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.arguments import callback
from ..core.errors import InputError
from .training import Progress

SUMMED = ("evaluations", "total", "replayed", "seconds", "elapsed")  # fields of Progress that are added


@contextmanager
def run_folder(
    place: Path | None, names: Sequence[str], holds: str, keep: Callable[[Path], object] | None = None
) -> Iterator[None]:
    """Make a folder for the runs of one training, and remove it again if it stays empty.

    Parameters
    ----------
    place, names
        The folder; None for none. The names of the runs in it.
    holds
        What it holds, for messages.
    keep
        Called with the folder after Ctrl-C, if there is nothing else in it.

    Raises
    ------
    InputError
        The folder cannot be made, or holds something else.
    """
    if place is None:
        yield
        return
    fresh = False
    try:
        try:
            fresh = not place.exists()
            place.mkdir(exist_ok=True)
            foreign = _foreign(place, names)
        except OSError as error:
            raise InputError(f"{place}: cannot make a run directory here: {error.strerror}") from None
        if foreign:
            raise InputError(f"{place}: must hold {holds} or be empty, but holds {foreign[0]}")
        yield
    except BaseException as error:
        if keep and isinstance(error, KeyboardInterrupt) and place.is_dir() and not _foreign(place, names):
            keep(place)
        if fresh:
            with suppress(OSError):  # unless it holds files already
                place.rmdir()
        raise


def _foreign(place: Path, names: Sequence[str]) -> list[str]:
    """Return the names in a folder, sorted, that are not of the runs of a training."""
    return sorted(entry.name for entry in place.iterdir() if entry.name not in names)


class Stages:
    """Progress of two trainings, reported as if they were one: a first one, then one of `total` evaluations."""

    def __init__(self, progress: Callable[[Progress], object] | None, total: int) -> None:
        callback("progress", progress)
        self.progress = progress
        self.total = total
        self.before = Progress(0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def first(self, done: Progress) -> None:
        """Report on the first training."""
        self.before = done
        if self.progress is not None:
            self.progress(done._replace(total=done.total + self.total))

    def second(self, done: Progress) -> None:
        """Report on the second training."""
        if self.progress is not None:
            self.progress(done._replace(**{key: getattr(self.before, key) + getattr(done, key) for key in SUMMED}))
