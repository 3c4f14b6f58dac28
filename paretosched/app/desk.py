"""What changes while the page is open: the owner's state with undo, the known schedules, the trainings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..comparison.comparison import IDEAL, Comparison, compare
from ..core.arrays import Floats
from ..core.errors import InputError
from ..fronts.front import Front
from ..policies.policy import Policy
from ..simulation.objective import objectives
from ..simulation.simulator import simulate
from ..wishes.navigation import reachable, remaining
from ..workload.workload import Workload
from . import page_file, page_folder
from .actions import after
from .charts import BEST_OF_EACH, axes, empty, part
from .state import State, beginning
from .trainings import DONE, EFFORTS, RUNNING, Training, Trainings
from .undo import History

KNOWN = ("fcfs", "conservative")  # and EASY, and what the log says happened


class Desk:
    """One owner's work on one front. All methods may be called from any thread.

    Parameters
    ----------
    front
        What there is to choose from; at least one schedule.
    folder
        Where the work is kept.
    """

    def __init__(self, front: Front, folder: Path) -> None:
        self.front = front
        self.folder = folder
        self.lock = threading.RLock()
        self.revision = 0
        self.history = History(beginning(front))
        self.remark = ""
        self.comparison: Comparison | None = None
        self.waiting = False
        self.trouble = ""
        self.trainings = Trainings(folder)
        self.listed: list[Training] = []
        self._workload: Workload | None = None
        self._reached: dict[int, Floats] = {}
        self._planes: dict[Any, Any] = {}
        self._ends = reachable(front, np.ones(len(front), dtype=np.bool_))
        try:
            saved = page_folder.load(folder)
            if saved is not None:
                state, lost = page_file.from_json(saved, front, str(folder / page_folder.PAGE_FILE))
                self.history = History(state)
                self.remark = f"no longer on the front: {lost} of the shortlist" if lost else ""
        except InputError as error:
            raise InputError(f"{error}; move it away to begin anew") from None

    @property
    def state(self) -> State:
        """What the owner wants, looks at and has put aside."""
        return self.history.present

    def act(self, action: Any) -> None:
        """Do what the page says the owner did, and save.

        Raises
        ------
        InputError
            It cannot be done; nothing has changed.
        """
        with self.lock:
            what = action.get("do") if isinstance(action, dict) else None
            if what == "refresh":
                return
            self.remark = ""
            if what == "undo":
                self.history = self.history.undo()
            elif what == "redo":
                self.history = self.history.redo()
            elif what in ("train", "cancel", "resume"):
                self._train(action)
            elif what == "open":
                state, lost = page_file.read(action.get("text"), self.front, "the opened file")
                self.history = self.history.after(state)
                self.remark = f"not on this front: {lost} of the shortlist of the file" if lost else ""
            else:
                state = after(self.state, action, self.front)
                if what == "look":
                    self.history = self.history.without_step(state)
                elif state != self.state:
                    self.history = self.history.after(state)
            self.revision += 1
            page_folder.save(self.folder, page_file.to_json(self.state, self.front))

    # --- known schedules and trainings ------------------------------------------------------------------------------

    def know(self, find: Callable[[], tuple[Workload, Sequence[str]]], policies: Sequence[Policy] = ()) -> None:
        """Find the workload and simulate the known schedules, which takes seconds: in the background.

        Parameters
        ----------
        find
            Returns the workload, and what `paretosched train` is given to read it.
        policies
            Others that shall be known.
        """
        self.waiting = True
        threading.Thread(target=self._know, args=(find, policies), daemon=True).start()

    def _know(self, find: Callable[[], tuple[Workload, Sequence[str]]], policies: Sequence[Policy] = ()) -> None:
        comparison: Comparison | None = None
        workload: Workload | None = None
        trouble = ""
        given: Sequence[str] = ()
        try:
            workload, given = find()
            try:
                comparison = compare(workload, [*KNOWN, "recorded", *policies], self.front)
            except InputError:  # a log that was generated or scaled has no recorded waits
                comparison = compare(workload, [*KNOWN, *policies], self.front)
        except InputError as error:
            trouble = str(error)
        except Exception:
            trouble = "The workload could not be simulated; the terminal says why."
            raise
        finally:
            self._known(workload, comparison, trouble, given)
        self.look_after()

    def _known(
        self, workload: Workload | None, comparison: Comparison | None, trouble: str, given: Sequence[str]
    ) -> None:
        with self.lock:
            self._workload, self.comparison, self.trouble, self.waiting = workload, comparison, trouble, False
            if comparison is not None:
                self.trainings.trace = given
            self.revision += 1

    def look_after(self) -> None:
        """See how the trainings are doing; start the next one."""
        with self.lock:
            self.trainings.advance()
            before = [(t.number, t.status, t.done) for t in self.listed]
            self.listed = self.trainings.listed()
            for training in self.listed:
                if training.status == DONE and self._workload is not None and training.number not in self._reached:
                    self._reached[training.number] = self._measured(training, self._workload)
                    before = []
            if before != [(t.number, t.status, t.done) for t in self.listed]:
                self.revision += 1

    def _measured(self, training: Training, workload: Workload) -> Floats:
        assert training.policy is not None  # noqa: S101  # as it is done
        try:
            return objectives(simulate(workload, training.policy))
        except InputError:  # of other groups: put there by hand
            return np.full(len(self.front.objectives), np.nan)

    def _train(self, action: Mapping[str, Any]) -> None:
        number = action.get("number")
        if action["do"] == "cancel" and type(number) is int:
            self.trainings.cancel(number)
        else:
            if self.comparison is None:
                raise InputError("training needs the workload; start the page with --trace TRACE")
            if action["do"] == "resume" and type(number) is int:
                self.trainings.resume(number)
            elif self.state.wish is None:
                raise InputError("say what you want first: training needs a wish")
            elif action.get("generations") not in EFFORTS:
                raise InputError(f"generations must be one of {', '.join(map(str, EFFORTS))}")
            else:
                self.trainings.ask(self.state.wish, action["generations"])
        self.look_after()

    @property
    def reached(self) -> dict[int, Floats]:
        """What the trained policies reach, (m,) natural units, by the number of the training."""
        return dict(self._reached)

    @property
    def marks(self) -> dict[str, Floats]:
        """Schedules with a name, and the ideal point: name to objective values."""
        known = {} if self.comparison is None else dict(self.comparison.marks)
        ideal = {IDEAL: known.pop(IDEAL)} if known else {BEST_OF_EACH: self._ends}
        trained = {f"trained {n}": values for n, values in sorted(self._reached.items())}
        return {**known, **trained, **ideal}

    def plane(self, x: str, y: str, log: bool) -> dict[str, Any]:
        """Return the projection of two objectives without what changes with a click, see `charts.empty`."""
        drawn: dict[str, Any] = self._drawn((x, y, log), lambda front, marks: empty(front, x, y, marks, log=log))
        return drawn

    def axes(self) -> list[dict[str, Any]]:
        """Return the axes of the parallel coordinates, see `charts.axes`."""
        drawn: list[dict[str, Any]] = self._drawn("axes", axes)
        return drawn

    def _drawn(self, key: Any, draw: Callable[[Front, dict[str, Floats]], Any]) -> Any:
        """Draw anew only what has changed: to place the names of the marks takes longer than all else."""
        marks, wish = self.marks, self.state.wish if self.state.fit else None
        if self._planes.get("of") != (list(marks), wish):
            among = remaining(wish, self.front)
            front = part(self.front, among) if among.any() and not among.all() else self.front
            self._planes = {"of": (list(marks), wish), "front": front}
        if key not in self._planes:
            self._planes[key] = draw(self._planes["front"], marks)
        return self._planes[key]

    @property
    def busy(self) -> bool:
        """Whether something may change by itself soon."""
        return self.waiting or any(t.status == RUNNING for t in self.listed)

    def close(self) -> None:
        """Stop the training that runs; what it has found is kept."""
        with self.lock:
            self.trainings.close()
