"""Training of the class of policies that does best on jobs it has not learnt from: Greedy, priority or guarded.

Which class suits a log and a wish shows only on other jobs than those learnt from, and these must not be the ones that
the result is tested on. So the choice is by rolling validation inside the training part: every class learns from the
first four, five, six and seven tenths of its time, with a small effort, and is tried on all that follows there. What
follows is as long as what the policy is for; single tenths of a log differ too much to say anything.

Limits come first: of the classes that gain, the one is chosen that keeps the limits on most of these rests, and of
those that keep them equally often the one with the largest median gain; the median, because one rest of long queues
would decide a mean. EASY wins ties: a class must gain one per cent or more in the median, and keep what EASY keeps on
half of the rests or more; not on all, since what breaks a limit of a small group on one is often in the others, too. If
no class does, the result is EASY.

The class that is chosen then learns from the whole training part with the same effort: what is deployed is what was
validated, and more effort may follow more of what only these jobs have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from statistics import median
from typing import Any, NamedTuple

from ..core.arguments import as_path
from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.tables import Column, table
from ..policies.outcome import Outcome
from ..policies.plain import Plain
from ..policies.policy import Policy
from ..policies.priority import checked_group_names
from ..search.evaluation import Compute, TlsFiles, versions
from ..search.resuming import Effort
from ..simulation.objective import objectives_of
from ..wishes.wish import is_defined
from ..wishes.wish_files import WishLike
from ..workload.reopening import WorkloadLike
from ..workload.resampling import why_not_resampled
from ..workload.time_split import split
from ..workload.user_groups import by_earlier_consumption
from ..workload.workload import Workload
from .greedy_training import train
from .guarded_reference import guarded_of
from .guarded_training import train_guarded
from .priority_training import train_priority
from .stages import run_folder
from .task import Data, Task, data_of, has_goal, tasks
from .training import Progress, Training, training_of

EASY = "easy"
GUARDED, PRIORITY, GREEDY = CLASSES = ("guarded", "priority", "greedy")  # on a tie the first one
FOLDS = (0.4, 0.5, 0.6, 0.7)  # shares of the time of the training part that are learnt from; the rest is tried
TRAININGS: Mapping[str, Callable[..., Training]] = {
    GUARDED: train_guarded,
    PRIORITY: train_priority,
    GREEDY: train,
}
# Of every training.
EFFORTS: Mapping[str, Mapping[str, Any]] = {
    GUARDED: {"evaluations": 50},
    PRIORITY: {"evaluations": 600},
    GREEDY: {"generations": 3, "strategy": "cma", "scale": "log"},
}
LEAST_GAIN = 1.0  # per cent, in the median of the folds; less may be luck
CHOSEN_RUN = "training"
NO_FOLDS = "the jobs to learn from cannot be cut into some to learn from and some to try it on"


class Fold(NamedTuple):
    """How one class did on jobs that it had not learnt from.

    Attributes
    ----------
    share
        Share of the time of the training part that it learnt from.
    gain
        By how much it is better than EASY on what follows, see `gain_of`.
    exceeded, easy_exceeded
        The violation of the limits there, of its policy and of EASY.
    """

    share: float
    gain: float
    exceeded: float
    easy_exceeded: float

    @property
    def is_kept(self) -> bool:
        """Whether the limits are kept as well as by EASY."""
        return self.exceeded <= self.easy_exceeded


def train_best(
    workloads: WorkloadLike | Sequence[WorkloadLike],
    wish: WishLike,
    *,
    until: float | None = None,
    over: str | None = None,
    resample: int = 0,
    margin: float | str = 0,
    seed: int = 0,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    run_directory: str | PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Training:
    """Train the class of policies for a wish that does best on jobs it has not learnt from: Greedy, priority, guarded.

    The choice is made inside the training part, see `class_choice`; with `until` nothing of what is tested on counts.
    Each class is trained four times, and the chosen one once more, all with the efforts of `EFFORTS`, which are smaller
    than those of `train`, `train_priority` and `train_guarded`. If no class is clearly better than EASY, the result is
    EASY.

    The same arguments return the same policy, for any number of workers. If the run directory holds the same training,
    it is continued, with the same result as if it had never stopped.

    Parameters
    ----------
    workloads, wish, until, over, resample, margin, seed, workers, scheduler, tls, run_directory, progress
        As for `train`. The run directory holds one run for each class and fold, and that of the chosen class.

    Returns
    -------
    Training
        That of the chosen class; its `classes` say how each class did, and its evaluations and seconds are those of
        all trainings.

    Raises
    ------
    InputError
        A parameter breaks its rule, the groups differ, the wish uses an undefined objective, or the directory holds
        something else.
    """
    compute = Compute(workers, scheduler, tls, progress)
    data = data_of(workloads, wish, over, until, resample, margin, seed)
    task, test = tasks(data)  # what does not fit is refused before anything is trained
    words: dict[str, Any] = {"wish": data.wish, "over": over, "resample": data.resample, "margin": data.margin}
    place = None if run_directory is None else as_path(run_directory)
    parts = [w if data.until is None else split(w, data.until)[0] for w in data.whole]
    tests = {share: found for share in FOLDS if (found := fold_test(data, parts, share))}
    unfit = {kind: unfit_words(kind, task) for kind in CLASSES}
    steps = {f"{kind}-{share}": (kind, share) for kind in CLASSES if not unfit[kind] for share in tests}
    folds: dict[str, list[Fold]] = {kind: [] for kind in CLASSES}
    trainings: list[Training] = []

    def learn(kind: str, name: str, stage: str, **settings: Any) -> Policy:
        def report(done: Progress) -> None:
            if progress is not None:
                progress(done._replace(stage=stage))

        run = None if place is None else place / name
        where = compute._replace(progress=report)._asdict()
        trainings.append(TRAININGS[kind](**settings, **words, seed=seed, run_directory=run, **where))
        return trainings[-1].policy

    with run_folder(place, (*steps, CHOSEN_RUN), "a training that chooses among the classes of policies"):
        for number, (name, (kind, share)) in enumerate(steps.items(), 1):
            stage = f"choosing a class, {number} of {len(steps)}: {kind}"
            policy = learn(kind, name, stage, workloads=parts, until=share, **EFFORTS[kind])
            folds[kind].append(fold_of(share, tests[share], tests[share].values_of(policy)))
        chosen = choose(folds)
        if chosen != EASY:
            learn(chosen, CHOSEN_RUN, chosen, workloads=data.whole, until=data.until, **EFFORTS[chosen])
    result = _of_easy(data, task, test) if chosen == EASY else trainings[-1]
    names = ("evaluations", "seconds", "elapsed")
    spent = {name: sum(getattr(one, name) for one in trainings) for name in names} if trainings else {}
    return replace(_with_classes(result, rows_of(folds, unfit, chosen)), **spent)


def unfit_words(kind: str, task: Task) -> str:
    """Return why a class is not for the wish and the groups of a task; "" if it is."""
    if kind != GREEDY:
        try:
            checked_group_names("groups", task.workloads[0].groups)
        except InputError as error:
            return str(error)
    if kind == GUARDED and guarded_of(task) is None:
        return "only for wishes with a group in the sum and a limit on AWRT or on a group"
    return ""


def fold_test(data: Data, parts: Sequence[Workload], share: float) -> Task | None:
    """Return what a fold is tried on; None if the wish cannot be learnt or tried there, since groups lack jobs."""
    if any(part.submit[0] == part.submit[-1] for part in parts):
        return None
    halves = [by_earlier_consumption(*split(part, share)) for part in parts]
    for learnt, rest in halves:
        defined = is_defined(data.wish, objectives_of(learnt, Outcome(learnt.submit))) and has_goal(data.wish, rest)
        if not defined or learnt.submit[0] == learnt.submit[-1] or (data.resample and why_not_resampled(learnt)):
            return None
    return Task(data.wish, data.over, [rest for _, rest in halves], parts, is_test=True)


def fold_of(share: float, test: Task, reached: Floats) -> Fold:
    """Return how a policy that learnt from a share of the time did on a test, where it reached values, (W m,).

    The gain is in per cent of EASY's objective; where EASY exceeds the limits, or the wish has nothing else, of what it
    exceeds them by.
    """
    (goal,), (exceeded,) = test.measure(reached[None])
    (easy,), (easy_exceeded,) = test.easy
    if easy_exceeded > 0 or not test.wish.aims:  # limits come first
        goal, easy = exceeded, easy_exceeded
    gain = 100 * (easy - goal) / abs(easy) if easy else 0.0
    return Fold(share, float(gain), float(exceeded), float(easy_exceeded))


def choose(folds: Mapping[str, Sequence[Fold]]) -> str:
    """Return the class that is chosen by its folds, or EASY, see the module.

    Examples
    --------
    >>> kept, broken = ([Fold(0.5, gain, exceeded, 0.0)] * 4 for gain, exceeded in ((8.0, 0.0), (20.0, 0.1)))
    >>> choose({"greedy": broken, "guarded": kept}), choose({"greedy": broken}), choose({})
    ('guarded', 'easy', 'easy')
    """
    tried = {kind: of_kind for kind, of_kind in folds.items() if of_kind}
    ranks = {kind: (sum(fold.is_kept for fold in of_kind), median_gain(of_kind)) for kind, of_kind in tried.items()}
    able = [kind for kind, (kept, gain) in ranks.items() if 2 * kept >= len(tried[kind]) and gain >= LEAST_GAIN]
    return max(able, key=lambda kind: ranks[kind], default=EASY)


def median_gain(folds: Sequence[Fold]) -> float:
    """Return the median gain of folds."""
    return median(fold.gain for fold in folds)


def rows_of(folds: Mapping[str, Sequence[Fold]], unfit: Mapping[str, str], chosen: str) -> tuple[dict[str, Any], ...]:
    """Return what was tried of each class, as plain values.

    The keys are "class"; "chosen"; "gain", the median of its folds in per cent, None without any; "kept", on how many
    of them the limits are kept as well as by EASY; "folds", each with the attributes of `Fold`; and "left_out", why
    the class was not tried, or "".
    """
    rows: list[dict[str, Any]] = []
    for kind, of_kind in folds.items():
        row = {"class": kind, "chosen": kind == chosen, "gain": median_gain(of_kind) if of_kind else None}
        row |= {"kept": sum(fold.is_kept for fold in of_kind), "folds": [fold._asdict() for fold in of_kind]}
        rows.append(row | {"left_out": unfit[kind] or ("" if of_kind else NO_FOLDS)})
    return tuple(rows)


def chosen_class(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the class that was chosen, or EASY, from the rows of `Training.classes`."""
    return next((row["class"] for row in rows if row["chosen"]), EASY)


def classes_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows of `Training.classes` for a terminal: a table, and the reason for the choice."""
    lines, shares = [], {f"{fold['share']:.0%}": None for row in rows for fold in row["folds"]}
    for row in rows:
        cells = {f"{fold['share']:.0%}": cell_of(fold) for fold in row["folds"]}
        name = ("> " if row["chosen"] else "  ") + row["class"]
        kept = f"{row['kept']} of {len(row['folds'])}" if row["folds"] else None
        lines.append({"class": name, "gain": row["gain"], "kept": kept} | cells)
    columns = [Column("class", "class"), *(Column(share, f"after {share}", " ") for share in shares)]
    columns += [Column("gain", "median", "+.1f"), Column("kept", "limits kept")]
    chosen = chosen_class(rows)
    if chosen == EASY:
        reason = (
            f"EASY stays: no class gains {LEAST_GAIN:g} % or more in the median and keeps the limits on half of "
            "these parts; --class trains one all the same"
        )
    else:
        reason = (
            f"{chosen} is trained: of the classes that gain, it keeps the limits most often, and of equals gains most"
        )
    tried = "gain over EASY in % on the jobs after so much of the time, all before learnt from; in brackets: limits "
    return "\n".join(
        [
            *([table(lines, columns), f"{tried}exceeded by %"] if shares else []),
            reason,
            *(f"{row['class']} was not tried: {row['left_out']}" for row in rows if row["left_out"]),
        ]
    )


def cell_of(fold: Mapping[str, float]) -> str:
    """Return a fold in a cell of the table.

    Examples
    --------
    >>> cell_of({"gain": 8.04, "exceeded": 0.0}), cell_of({"gain": -1, "exceeded": 0.027})
    ('+8.0', '-1.0 (2.7)')
    """
    exceeded = f" ({100 * fold['exceeded']:.1f})" if fold["exceeded"] else ""
    return f"{fold['gain']:+.1f}{exceeded}"


def _of_easy(data: Data, task: Task, test: Task | None) -> Training:
    """Return the training whose result is EASY, of which nothing had to be learnt."""
    effort = Effort(1, 0.0, 0.0, {"versions": versions()})
    policies = [(Plain(EASY), task.easy_values)]
    return training_of(task, test, effort, policies, {"class": EASY} | data.settings())


def _with_classes(training: Training, rows: tuple[dict[str, Any], ...]) -> Training:
    """Return a training that knows what its class was chosen of, and whose policy says so, too."""
    systems = list(training.systems)
    best = systems[training.best]
    of_choice = {"chosen": chosen_class(rows), "classes": list(rows)}
    policy = replace(best.policy, provenance={**best.policy.provenance, **of_choice})
    systems[training.best] = best._replace(policy=policy)
    return replace(training, systems=tuple(systems), classes=rows)
