"""What changes while the page is open: the owner's state with undo, the known schedules, the trainings."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..comparison.comparison import BEST, IDEAL, OVERBOOKED, Comparison, compare
from ..comparison.questions import Question, questions
from ..comparison.views import other_groupings
from ..comparison.waits_table import Reasons, is_recorded, people
from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.files import replacing
from ..deployment.steps import GROUPS_FILE
from ..fronts.front import Front
from ..fronts.row_schedules import schedule
from ..policies.policy import Policy, PolicyLike
from ..report.svg import axes
from ..simulation.objective import Objective, improvement, objectives, with_group
from ..simulation.schedule import Schedule
from ..simulation.service import Waits, waits
from ..simulation.simulator import simulate
from ..wishes.best_possible import areas_of, best_possible, distance_text
from ..wishes.exchange_rates import exchange_rates, rate_sentences
from ..wishes.navigation import reachable, remaining
from ..wishes.relative_limits import known_part
from ..wishes.wish import TODAY, Wish, goal, spelled_out, violation
from ..workload.group_rules import comes_from_consumption
from ..workload.measures import as_measured, with_measures
from ..workload.workload import Workload
from . import page_file, page_folder
from .actions import MOST_NAME, MOST_NOTED, UnmeasuredError, after, text_in
from .answering import Answering, effort
from .charts import LETTERS, empty, part
from .csv_tables import group_rows, to_csv
from .further import Exploration, Further
from .measuring import (
    Columns,
    Measuring,
    load_columns,
    load_measured,
    measured_columns,
    names_to_measure,
    rows_of,
    save_columns,
    with_columns,
)
from .newer_front import digest_of
from .state import State, beginning, gone_words, lost_words, on_front, wish_words, with_measures_of
from .state_view import view_of
from .trainings import DONE, EFFORTS, RUNNING, Training, Trainings
from .undo import History

RECORDED = (("recorded",), (f"recorded{OVERBOOKED}",))
REPLACING = ("say", "classify", "near", "weigh", "undo", "redo", "back", "open")  # they replace a wish, or its goal
MOST_SCHEDULES = 4  # that are kept; one of a million jobs takes 8 MB
MOST_MEASURED = 200  # schedules whose waits are kept
MOST_WINDOWS = 1000  # whose last actions are remembered
KNOWN_POLICIES = ("fcfs", "conservative")  # simulated beside EASY and the recorded schedule
MOST_EFFORT = 400_000  # see `effort`; with more these two would take minutes, so they are not simulated


class Desk:
    """One owner's work on one front. All methods may be called from any thread.

    Parameters
    ----------
    front
        The schedules to choose from; at least one.
    folder
        Folder in which the work is kept.
    run
        The run directory or file that the front is from, to explore it further; None if the page cannot.
    """

    def __init__(self, front: Front, folder: Path, run: Path | None = None) -> None:
        self.front = front
        self.digest = digest_of(front)
        self.newer: tuple[str, Front] | None = None
        self.folder = folder
        self.lock = threading.RLock()
        self.revision = 0
        self.history = History.from_state(beginning(front))
        self.remark = ""
        self.comparison: Comparison | None = None
        self.waiting = False
        self.trouble = ""
        self.known_trainings: list[Training] = []
        self.exploration = Exploration()
        self.measuring: Measuring | None = None
        self.answers: dict[str, Answering] = {}  # by what was asked
        self.simulated: tuple[str, ...] = KNOWN_POLICIES  # or none, where they would take minutes
        self.known_today: dict[Any, Schedule] = {}  # of draws without any change, see `what_if`
        self._columns: dict[str, Columns] = {}  # what is measured on fronts, by their digests
        self.groupings: Sequence[str] = ()  # beside the groups of the front
        self._later: dict[str, Any] | None = None  # an action that needs the workload, which is not known yet
        self._workload: Workload | None = None
        self._references: tuple[tuple[str, tuple[float, ...]], ...] = ()
        self._trained_values: dict[int, Floats] = {}
        self._drawings: dict[Any, Any] = {}
        self._waits: dict[Any, tuple[Waits, Reasons | None]] = {}  # and for what, by front and row, or the rule
        self._schedules: dict[Any, Schedule] = {}  # by the owner's rule, or by front and row
        self._rules: list[PolicyLike] = []  # as `known`
        self._own: Sequence[Policy] = ()
        self._answered: dict[str, tuple[int, str]] = {}  # the last action of each window, and why it was refused
        self._wish_from = (0, "")  # the revision that changed the wish last, and the window that did
        try:
            self.trainings = Trainings(folder)
            self.further = None if run is None else Further(folder, run)
            content = page_folder.load(folder)
            if content is not None:
                self.history, losses = self._open_saved(content, str(folder / page_folder.PAGE_FILE))
                state = self.history.present
                self.remark = lost_words(losses) or gone_words(
                    state, bool(content.get("chosen")) and state.chosen is None
                )
        except InputError as error:
            raise InputError(f"{error}; move it away to begin again") from None

    @property
    def state(self) -> State:
        """What the owner wants, looks at and has on the shortlist."""
        return replace(self.history.present, references=self._references)

    def act(self, action: Any) -> None:
        """Carry out an action of the owner, as the page sent it, and save.

        Raises
        ------
        InputError
            The action is not possible, or its result cannot be saved; the state is as before.
        """
        with self.lock:
            name = action.get("do") if isinstance(action, dict) else None
            if name == "refresh":
                return
            if name == "show":
                self.show()
                return
            before, self.remark = self.history, ""
            if name == "undo":
                self.history = self.history.undo()
            elif name == "redo":
                self.history = self.history.redo()
            elif name == "back":
                self.history = self.history.back_to(action.get("number"))
            elif name == "why":
                self.history = self.history.with_why(action.get("number"), text_in(action, "text", MOST_NOTED))
            elif name in ("train", "cancel", "resume"):
                self._train(action)
            elif name in ("explore", "halt"):
                self._explore(action)
            elif name == "leave":
                if self.measuring is not None:
                    self.measuring.is_stopped = True
            else:
                try:
                    self._change(name, action)
                except UnmeasuredError as lacking:
                    self._measure(lacking.names, action)
            self.revision += 1
            try:
                self._save()
            except InputError:
                self.history = before
                raise

    def _change(self, name: Any, action: Any) -> None:
        """Change the state by an action of the owner, or by a file that is opened, with the steps that led to it."""
        if name == "open":
            opened, losses = page_file.read(action.get("text"), self.front, "the opened file")
            self.history = self.history.with_steps(opened.steps)
            self.remark = lost_words(losses) or gone_words(opened.present, False)
            return
        state = after(self.state, action, self.front)
        if name == "look":
            self.history = self.history.without_step(state)
        elif state != self.state:
            self.history = self.history.after(state, time.time(), text_in({"who": "", **action}, "who", MOST_NAME))

    def to_json(self) -> dict[str, Any]:
        """Return the state of the page and the steps that led to it as plain JSON values."""
        return page_file.history_to_json(self.history, self.front)

    def _save(self) -> None:
        """Keep the owner's work on disk."""
        page_folder.save(self.folder, self.to_json())

    def _open_saved(self, content: Any, where: str) -> tuple[History, int]:
        """Return what was saved; a wish about what is not measured on it waits until the jobs are known."""
        try:
            return page_file.history_from_json(content, self.front, where)
        except UnmeasuredError as lacking:
            kept = load_columns(self.folder, self.digest, len(self.front))
            if set(lacking.names) <= set(kept):
                self._columns[self.digest] = kept
                self.front = with_columns(self.front, kept, lacking.names)
                return self._open_saved(content, where)
            self._later = {"do": "say", "text": str(content.get("in_words", ""))}
            return page_file.history_from_json(content | {"wish": None}, self.front, where)

    # --- measures of all schedules ----------------------------------------------------------------------------------

    def _measure(self, names: Sequence[str], action: Mapping[str, Any]) -> None:
        """Measure something on all schedules in the background, and then carry out the action that needs it."""
        then = {key: value for key, value in action.items() if key not in ("turn", "seen", "front")}
        if self.measuring is not None and not self.measuring.is_stopped:
            self.measuring.then, self.measuring.is_ahead = then, False
            return
        if self._workload is None or self.comparison is None:
            raise InputError(
                "waits can be limited as soon as the jobs are known"
                + ("; they are being read, so try again in a moment" if self.waiting else ": start with --trace LOG")
            )
        front, digest, workload = self.front, self.digest, self._workload
        if then["do"] == "show" and self.newer is not None:
            digest, front = self.newer
        wanted = names_to_measure(names, workload)
        with_measures(workload, names)  # raises if that is not possible
        self.measuring = Measuring(digest, then, len(front))
        threading.Thread(
            target=self._measure_now, args=(self.measuring, front, workload, names, wanted), daemon=True
        ).start()

    def _measure_ahead(self) -> None:
        """Measure the waits of all schedules in the background, before somebody asks for them."""
        with self.lock:
            front, digest, workload = self.front, self.digest, self._workload
            if workload is None or self.comparison is None or self.measuring is not None:
                return
            kept = self._columns.setdefault(digest, load_columns(self.folder, digest, len(front)))
            wanted = names_to_measure((), workload)
            if set(wanted) <= set(kept):
                return
            self.measuring = Measuring(digest, {"do": "refresh"}, len(front), is_ahead=True)
        arguments = (self.measuring, front, workload, (), wanted)
        threading.Thread(target=self._measure_now, args=arguments, daemon=True).start()

    def _measure_now(
        self, job: Measuring, front: Front, workload: Workload, names: Sequence[str], wanted: Sequence[str]
    ) -> None:
        """Measure what is wanted, put `names` behind the front on the page, and carry out the owner's action."""
        trouble, comparison, wider, there = "", None, front, workload
        try:
            columns = self._columns.get(job.digest, {})
            if not names or not set(names) <= set(columns):
                known = load_measured(self.folder)
                job.known = sum(row in known[0] for row in rows_of(front)) if set(wanted) <= set(known[1]) else 0
                found = measured_columns(front, wanted, workload, job.progress, known)
                if found is None:
                    return
                columns = self._columns[job.digest] = {**columns, **found}
                save_columns(self.folder, job.digest, front, columns)
            if not names:
                return
            wider = with_columns(front, columns, names)
            there = as_measured(workload, wider.measured)
            comparison = self._compare_known(there, wider)
        except (InputError, OSError) as error:
            trouble = f"This could not be measured: {error}"
        finally:
            with self.lock:
                self.measuring = None if self.measuring is job else self.measuring
                if comparison is not None:
                    self._put(job, front, wider, there, comparison)
                if not job.is_ahead:
                    self.revision += 1
                    self.remark = trouble or self.remark
                    if comparison is None and not job.is_stopped and not trouble:  # asked for meanwhile
                        self._act_later(job.then)

    def _put(self, job: Measuring, before: Front, front: Front, workload: Workload, comparison: Comparison) -> None:
        """Show a front with more measures in the place of the one without, and carry out the action that needs it."""
        if job.then["do"] == "show":
            if self.newer is not None and self.newer[0] == job.digest:
                self.newer = job.digest, front
        elif job.digest == self.digest and before is self.front:
            self.front, self.comparison, self._workload = front, comparison, workload
            self.history = self.history.each(lambda state: with_measures_of(state, before, front))
            self._drawings, self._trained_values, self._schedules, self.known_today = {}, {}, {}, {}
            self._know(comparison)
        self._act_later(job.then)

    def _act_later(self, action: Mapping[str, Any]) -> None:
        """Carry out an action that had to wait, or say why that is not possible."""
        try:
            self._act_of(str(action.get("window", "")), action)
        except InputError as error:
            self.remark = str(error)
        self.look_after()

    def _act_of(self, window: str, action: Mapping[str, Any]) -> None:
        """Carry out an action of a window, and remember that it has changed the wish."""
        before = self.state.wish
        try:
            self.act(action)
        finally:
            if self.state.wish != before:
                self._wish_from = (self.revision, window)

    def act_once(self, action: Mapping[str, Any]) -> str:
        """Carry out an action of a window, unless it was done already, and return why it was refused; "" if it was not.

        A window that got no answer sends its action again. What would replace a wish that another window has changed
        since `seen`, the revision in view when the owner began, is refused once; the window then shows the other wish,
        and may send its own again.
        """
        window, turn = str(action.get("window", "")), int(action.get("turn", 0))
        if window and self._answered.get(window, (0, ""))[0] >= turn:
            return self._answered[window][1]
        wish, message = self.state.wish, ""
        changed_at, changed_by = self._wish_from
        try:
            if action["do"] in REPLACING and changed_by != window and changed_at > int(action.get("seen", 0)):
                raise InputError(
                    "not sent: meanwhile another window has changed the wish, to "
                    f"{'nothing' if wish is None else wish_words(wish, self.front)}; send yours again to replace it"
                )
            self._act_of(window, action)
        except InputError as error:
            message = str(error)
        if window:
            self._answered.pop(window, None)
            self._answered[window] = (turn, message)
            for old in list(self._answered)[:-MOST_WINDOWS]:
                del self._answered[old]
        return message

    # --- the front on disk ------------------------------------------------------------------------------------------

    def offer(self, front: Front) -> None:
        """Offer a front of the same workload that was read from disk; the page goes on with its own until `show`."""
        digest = digest_of(front)
        with self.lock:
            is_other = front.digest == self.front.digest and digest != self.digest and len(front) > 0
            self.newer = (digest, front) if is_other else None

    def show(self) -> None:
        """Go on with the front that was offered, if there is one; the shortlist stays, and so does undo."""
        with self.lock:
            if self.newer is None:
                return
            lacking = [name for name in self.front.measured.names if name not in self.newer[1].measured.names]
            if lacking:
                self._measure(lacking, {"do": "show"})
                self.revision += 1
                return
            before, chosen = self.front, self.state.chosen
            self.digest, self.front = self.newer
            self.newer = None
            self.history = self.history.each(lambda state: on_front(state, before, self.front))
            self.remark = gone_words(self.state, chosen is not None and self.state.chosen is None)
            self._drawings, self.known_today = {}, {}
            self.revision += 1
            self._save()
            self._measure_ahead()

    # --- known schedules and trainings ------------------------------------------------------------------------------

    def start_known(self, find: Callable[[], tuple[Workload, Sequence[str]]], policies: Sequence[Policy] = ()) -> None:
        """Find the workload and simulate the known policies in the background, because it takes seconds.

        Parameters
        ----------
        find
            Returns the workload, and the words with which `paretosched train` reads it.
        policies
            Policies to simulate beside the known ones.
        """
        self.waiting = True
        threading.Thread(target=self.simulate_known, args=(find, policies), daemon=True).start()

    def simulate_known(
        self, find: Callable[[], tuple[Workload, Sequence[str]]], policies: Sequence[Policy] = ()
    ) -> None:
        """Find the workload and simulate the known policies now, see `start_known`."""
        comparison: Comparison | None = None
        workload: Workload | None = None
        self._own = [_with_own_name(policy) for policy in policies]
        trouble = ""
        words: Sequence[str] = ()
        try:
            workload, words = find()
            workload = as_measured(workload, self.front.measured)
            comparison = self._compare_known(workload, self.front)
            self.groupings = other_groupings(workload)
            areas_of(workload).first_rows()  # seconds for a large log; later they are known
        except InputError as error:
            trouble = str(error)
        except Exception:
            trouble = "The workload could not be simulated; the terminal says why."
            raise
        finally:
            self._set_workload(workload, comparison, trouble, words)
        self.look_after()
        self._measure_ahead()

    def _compare_known(self, workload: Workload, front: Front) -> Comparison:
        """Return the known policies and the owner's own ones on a workload, beside a front."""
        self.simulated = KNOWN_POLICIES if effort(workload) <= MOST_EFFORT else ()
        try:
            return compare(workload, [*self.simulated, "recorded", *self._own], front)
        except InputError:  # a log that was generated or scaled has no recorded waits
            return compare(workload, [*self.simulated, *self._own], front)

    def _set_workload(
        self, workload: Workload | None, comparison: Comparison | None, trouble: str, words: Sequence[str]
    ) -> None:
        """Store the workload and the known schedules, or what prevented them."""
        with self.lock:
            self._workload, self.comparison, self.trouble, self.waiting = workload, comparison, trouble, False
            if comparison is not None:
                self.trainings.trace = words
                self.trainings.groups = self._fixed_groups(workload)
                if self.further is not None:
                    self.further.trace = words
                self._know(comparison)
                later, self._later = self._later, None
                if later is not None:
                    with suppress(InputError):
                        self.act(later)
            self.revision += 1

    def _fixed_groups(self, workload: Workload | None) -> Path | None:
        """Write who is in which group, if users are grouped by consumption; None if they are not, or cannot be."""
        if workload is None or not comes_from_consumption(workload):
            return None
        rows = group_rows(workload)
        if {row["group"] for row in rows} != set(workload.groups):  # a list cannot name a group without users
            return None
        path = self.folder / GROUPS_FILE
        try:
            with replacing(path) as temporary:
                temporary.write_text(to_csv(rows), encoding="utf-8")
                temporary.chmod(0o600)
        except (OSError, InputError) as error:  # the disk is full, for instance
            self.remark = f"{GROUPS_FILE} cannot be written, and trainings group users by consumption: {error}"
            return None
        return path

    def _know(self, comparison: Comparison) -> None:
        """Store what the policies reach that limits may be relative to; the first ones of a comparison, see above."""
        rules = ["easy", *self.simulated]
        if comparison.policies[len(rules) : len(rules) + 1] in RECORDED:
            rules.append("recorded")
        self._rules = [*rules, *self._own]
        rows = zip(rules, comparison.beside_front.tolist(), strict=False)
        self._references = tuple((rule, tuple(values)) for rule, values in rows)
        self._references += tuple((TODAY, values) for rule, values in self._references if rule == "recorded")
        try:
            view_of(self.state, self.front)
        except InputError as error:  # the limits of a file written by hand leave nothing
            self._references, self.remark = (), str(error)
        self.trainings.know(self.state.policy_values, self.front.measured.names)

    def look_after(self) -> None:
        """Read the progress of the trainings and of the run, measure new policies, and start the next training."""
        with self.lock:
            try:
                self._look()
            except OSError as error:  # the disk is away for a moment, for instance; the next look may succeed
                if self.remark != str(error):
                    self.remark = str(error)
                    self.revision += 1

    def _look(self) -> None:
        """Look after the trainings and the run, see `look_after`."""
        try:
            self.trainings.advance()
        except InputError as error:  # the disk is full, for instance
            self.remark = str(error)
        before = [(t.number, t.status, t.done) for t in self.known_trainings]
        self.known_trainings = self.trainings.read_all()
        for t in self.known_trainings:
            if t.status == DONE and self._workload is not None and t.number not in self._trained_values:
                self._trained_values[t.number] = self._policy_values(t, self._workload)
                before = []
        exploration = Exploration() if self.further is None else self.further.read()
        is_changed = _seen_of(exploration) != _seen_of(self.exploration)
        self.exploration = exploration
        job = self.measuring
        if job is not None and not job.is_ahead and job.told != job.done:
            is_changed, job.told = True, job.done
        if is_changed or before != [(t.number, t.status, t.done) for t in self.known_trainings]:
            self.revision += 1

    def _policy_values(self, training: Training, workload: Workload) -> Floats:
        """Return the objective values of a trained policy, (m,) natural units; NaN if it does not fit the workload."""
        assert training.policy is not None  # noqa: S101  # as it is done
        try:
            return objectives(simulate(workload, training.policy), util_from=self.front.util_from).array
        except InputError:  # a policy for other groups, put into the folder by hand
            return np.full(len(self.front.objectives), np.nan)

    def _train(self, action: Mapping[str, Any]) -> None:
        """Ask for a training, or cancel or resume one."""
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
            elif type(action.get("generations")) is not int or action["generations"] not in EFFORTS:
                raise InputError(f"generations must be one of {', '.join(map(str, EFFORTS))}")
            else:
                self.trainings.ask(self.state.wish, action["generations"], self.state.kind, self.state.test)
        self.look_after()

    def _explore(self, action: Mapping[str, Any]) -> None:
        """Explore the run further, or stop that."""
        if self.further is None:
            raise InputError("this page shows no run that it could explore further")
        if action["do"] == "halt":
            self.further.halt()
        else:
            self.further.ask(action.get("evaluations", 0))
        self.look_after()

    @property
    def workload(self) -> Workload | None:
        """The jobs of the front; None before they are known."""
        return self._workload

    @property
    def trained_values(self) -> dict[int, Floats]:
        """Objective values of the trained policies, (m,) natural units, by the number of the training."""
        return dict(self._trained_values)

    @property
    def known_names(self) -> tuple[str, ...]:
        """Names of the schedulers that an owner may have today; none before the workload has been simulated."""
        return () if self.comparison is None else self.comparison.policies

    @property
    def mine(self) -> int:
        """The place of the owner's scheduler among `known`: the one that was named, else the recorded one, or EASY."""
        return self._place_of(self.state.mine)

    def _place_of(self, name: str) -> int:
        recorded = next((k for k, known in enumerate(self.known_names) if is_recorded(known)), 0)
        return self.known_names.index(name) if name in self.known_names else recorded

    def reference_of(self, name: str) -> str:
        """Return to what limits are relative beside a scheduler of a name: to EASY if wishes cannot name it."""
        rule = self._rules[self._place_of(name)]
        return rule if isinstance(rule, str) and rule in self.state.policy_values else "easy"

    @property
    def rule(self) -> PolicyLike:
        """The owner's scheduler, as it is simulated."""
        return self._rules[self.mine]

    @property
    def today(self) -> tuple[str, Floats] | None:
        """The name and the objective values of the owner's scheduler; None before the workload has been simulated."""
        return (
            None if self.comparison is None else (self.known_names[self.mine], self.comparison.beside_front[self.mine])
        )

    def measure(self, row: int) -> Waits | None:
        """Return how long jobs wait in the schedule of a row, which is made again; None without the workload.

        It takes up to a second, so it is done without the lock, and its results are kept.

        Raises
        ------
        InputError
            There is no such row.
        """
        with self.lock:
            key, front, workload = (self.digest, row), self.front, self._workload
            if workload is None:
                return None
        return self.waits_of(key, lambda: schedule(front, row, workload))

    def waits_of(self, key: Any, make: Callable[[], Schedule] | None) -> Waits | None:
        """Return the waits of a schedule, see `schedule_of`, and keep them; without `make` those kept."""
        with self.lock:
            if key in self._waits or make is None:
                return self._waits[key][0] if key in self._waits else None
        made = self.schedule_of(key, make)
        measured = waits(made)
        with self.lock:
            self._waits[key] = measured, None if made.waiting is None else made.waiting.table()
            for old in list(self._waits)[:-MOST_MEASURED]:
                del self._waits[old]
        return measured

    def waiting_of(self, key: Any) -> Reasons | None:
        """Return for what jobs wait in a schedule whose waits are kept, as `WaitingReasons.table`; None if unknown."""
        return self._waits[key][1] if key in self._waits else None

    @property
    def people(self) -> list[str]:
        """Who is in each group, in words."""
        is_known = self._workload is not None and not comes_from_consumption(self._workload)
        return list(self.front.groups) if is_known else people(self.front.groups)

    def pair_over_time(self, row: int) -> tuple[Schedule, Schedule] | None:
        """Return the schedule of the owner's scheduler and that of a row, made again; None without the workload.

        The last few are kept. They take seconds for a large log, so they are made without the lock.
        """
        with self.lock:
            front, workload = self.front, self._workload
            if workload is None or self.comparison is None:
                return None
            rule, key = self._rules[self.mine], (self.digest, row)
        today = self.schedule_of(rule, lambda: simulate(workload, rule))
        return today, self.schedule_of(key, lambda: schedule(front, row, workload))

    def schedule_of(self, key: Any, make: Callable[[], Schedule]) -> Schedule:
        """Return the schedule of a rule, or of a front and row; the last few are kept."""
        with self.lock:
            kept = self._schedules.get(key)
        made = kept or make()
        with self.lock:
            self._schedules.pop(key, None)
            self._schedules[key] = made
            for old in list(self._schedules)[:-MOST_SCHEDULES]:
                del self._schedules[old]
        return made

    def questions(self) -> list[Question]:
        """Return what can be asked of the workload: what if there were more of something; none before it is known."""
        return [] if self._workload is None or self.comparison is None else questions(self._workload)

    def prices(self, row: int) -> list[str]:
        """Return in sentences what the next hour for each group costs near a schedule, and where the bounds lie."""
        with self.lock:
            front, bound = self.front, None if self.comparison is None else self.comparison.ideal
        rates = exchange_rates(front, row, np.ones(len(front), dtype=np.bool_))
        return rate_sentences(rates, front.objectives, front.values[row], bound)

    @property
    def marks(self) -> dict[str, Floats]:
        """Named schedules and the ideal point: name to objective values, (m,) natural units."""
        marks = {} if self.comparison is None else dict(self.comparison.marks)
        every = np.ones(len(self.front), dtype=np.bool_)
        ideal = {IDEAL: marks.pop(IDEAL)} if marks else {BEST: reachable(self.front, every)}
        values_by_name = {f"trained {n}": values for n, values in sorted(self._trained_values.items())}
        return {**marks, **values_by_name, **ideal}

    def distance(self, row: int) -> str:
        """Return in one sentence how far a schedule is from what none can beat in the wish; "" if that is not known."""
        wish = self.state.numbers
        return "" if wish is None else self._distance_of(wish, self.front.values[row])

    def trained_distance(self, training: Training) -> str:
        """Return as `distance` how far a trained policy is from what none can beat in the wish of its training."""
        wish, values = known_part(training.wish, self.state.policy_values), self._trained_values.get(training.number)
        if wish is None or values is None or np.isnan(values).any():
            return ""
        return self._distance_of(wish, values)

    def _distance_of(self, wish: Wish, values: Floats) -> str:
        if self._workload is None or self.comparison is None:
            return ""
        of_easy, reached = goal(wish, np.array([self.comparison.beside_front[0], values])).tolist()
        among = remaining(wish, self.front)
        values_known = np.vstack([self.front.values[among], self.comparison.beside_front[:1]])
        within = values_known[violation(wish, values_known) <= 0]
        known = float(goal(wish, within).min()) if len(within) else None
        best = best_possible(wish, self._workload, self.front.util_from)
        keeps_limits = bool(violation(wish, [values])[0] <= 0)
        return distance_text(best, wish, of_easy, reached if keeps_limits else None, known)

    def harms(self, wish: Wish | None, values: Floats) -> list[tuple[Objective, float]]:
        """Return the groups that a wish asks for and that have longer response times than with EASY, by per cent.

        Those with an upper limit in the wish are left out: the owner has said how much they may bear.
        """
        if wish is None or self.comparison is None:
            return []
        easy = self.comparison.beside_front[0]
        names = [o.name for o in self.front.defined_objectives]
        limited = {limit.objective for limit in spelled_out(wish, names).limits if np.isfinite(limit.high)}
        asked = set(wish.aims) - limited - {"UTIL", "AWRT"}
        sign = np.array([1.0 if o.maximise else -1.0 for o in self.front.objectives])
        losses = (sign * improvement(values, easy)).tolist()
        pairs = zip(self.front.objectives, losses, strict=True)
        return [(o, loss) for o, loss in pairs if o.name in asked and round(loss, 1) > 0]

    def harm_words(self, wish: Wish | None, values: Floats) -> str:
        """Return in a sentence which groups that a wish asks for are worse off than with EASY; "" if none is."""
        harmed = [f"{with_group(o)} by {loss:,.1f} %" for o, loss in self.harms(wish, values)]
        return f"Asked for by the wish, but worse than with EASY: {', '.join(harmed)}." if harmed else ""

    def plane(self, x: str, y: str, log: bool) -> dict[str, Any]:
        """Return the part of a projection of two objectives that no click changes, see `charts.empty`."""
        outer = None if self.comparison is None else self.comparison.outer
        figure: dict[str, Any] = self._drawing(
            (x, y, log), lambda front, marks: empty(front, x, y, marks, log=log, outer=outer)
        )
        return figure

    def axes(self) -> list[dict[str, Any]]:
        """Return the axes of the parallel coordinates, see `svg.axes`."""
        descriptions: list[dict[str, Any]] = self._drawing("axes", axes)
        return descriptions

    def _drawing(self, key: Any, draw: Callable[[Front, dict[str, Floats]], Any]) -> Any:
        """Return a drawing, drawn again only after a change: placing the names of the marks is the slowest step."""
        marks, wish = self.marks, self.state.numbers if self.state.fit else None
        if self._drawings.get("of") != (list(marks), wish):
            among = remaining(wish, self.front)
            front = part(self.front, among) if among.any() and not among.all() else self.front
            self._drawings = {"of": (list(marks), wish), "front": front}
        if key not in self._drawings:
            self._drawings[key] = draw(self._drawings["front"], marks)
        return self._drawings[key]

    @property
    def easy(self) -> Floats | None:
        """What EASY reaches on these jobs, (m,) natural units; None before the workload has been simulated."""
        return None if self.comparison is None else self.comparison.beside_front[0]

    @property
    def wish_by(self) -> str:
        """The window that has changed the wish last; "" for none."""
        return self._wish_from[1]

    @property
    def busy(self) -> bool:
        """Whether something may soon change without the owner: the workload is being read, or a process runs."""
        measures = self.measuring is not None and not self.measuring.is_ahead
        live = self.waiting or self.exploration.is_running or measures
        return live or any(t.status == RUNNING for t in self.known_trainings)

    def close(self) -> None:
        """Stop the trainings that run or wait, and the exploration; what they have simulated is kept."""
        with self.lock:
            if self.measuring is not None:
                self.measuring.is_stopped = True
            try:
                self.trainings.close()
            finally:
                if self.further is not None:
                    self.further.close()


def _with_own_name(policy: Policy) -> Policy:
    """Return a policy whose name is not that of a schedule on the page: a letter of the shortlist, or "trained 1"."""
    if policy.name not in set(LETTERS) and re.fullmatch(r"trained \d+", policy.name) is None:
        return policy
    changes: dict[str, Any] = {"name": f"policy {policy.name}"}
    return replace(policy, **changes)


def _seen_of(exploration: Exploration) -> tuple[object, ...]:
    """Return what an owner sees of an exploration and what must be shown again when it changes."""
    return exploration.done, exploration.wanted, exploration.is_running, exploration.message
