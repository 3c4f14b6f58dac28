"""The daemon: in every period it puts Slurm's waiting jobs in the policy's order, by site factors.

It only ever changes the site factors of jobs that wait and could run, in its partitions, without reservation. Whatever
fails, the factors stay as they are, so that ranked jobs keep their order and new ones come behind.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import InputError, first_few
from ..core.files import exists
from ..core.locks import take_lock
from ..policies.guarded import Guarded
from ..policies.policy import load_policy
from .ranking import Orderly, check_orderly, order_of
from .records import (
    State,
    UnwritableError,
    open_folder,
    read_state,
    remove_state,
    remove_unfinished,
    write_line,
    write_metrics,
    write_state,
)
from .site_factors import Scale, changed_factors
from .slurm_calls import MissingCommandError, SlurmError
from .slurm_groups import Grouping, grouping_of, no_job_fits
from .slurm_queue import is_ours, numbers_in_use, read_queue, read_site_factors, to_order
from .slurm_settings import RIGHTS, check_usage
from .slurm_updates import LATER, OVER, Later, note_refused, pause_after, write_factors
from .slurm_usage import of_usage, read_usage

if TYPE_CHECKING:
    from .guard_keeper import GuardKeeper

DENIED = ("Access/permission denied", "Invalid user id")  # words of scontrol about own and others' jobs
SOON = 30.0  # s, to wait for a number of a job
UNNUMBERED = (  # slurmctld stores, and so believes when it starts again, that a number is on its way
    "; say --off again when slurmdbd answers; a job whose number was on its way when slurmctld ended is refused until "
    "it starts or is cancelled"
)
ROOM_OF = ("cpus", "nodes")  # widths of which Slurm says how many the machine has
Tell = Callable[[str], None]


class Plan(NamedTuple):
    """What a daemon is to do.

    Attributes
    ----------
    policy
        Path of the policy file.
    folder
        Where it keeps what `records` lists.
    period
        Seconds from one pass to the next.
    groups
        See `grouping_of`; None for the policy's own rule.
    partitions
        Names; none for all.
    width
        What counts as the width of a job, one of WIDTHS.
    scale
        Which site factors jobs get.
    zone
        Name of the site's time zone.
    is_dry
        Whether it only writes down what it would do.
    """

    policy: Path
    folder: Path
    period: float
    groups: str | None
    partitions: tuple[str, ...]
    width: str
    scale: Scale
    zone: str
    is_dry: bool


class Reading(NamedTuple):
    """A policy as it was read.

    Attributes
    ----------
    policy, grouping
        The policy, and how the jobs get its groups.
    stamp
        Time of change, size and number of the file; a file with another stamp is read again.
    """

    policy: Orderly
    grouping: Grouping
    stamp: tuple[int, int, int]


class Pass(NamedTuple):
    """What a pass has done.

    Attributes
    ----------
    state
        The state after it.
    record
        Its line in the log.
    factors
        The site factors of the jobs in order.
    is_denied
        Whether Slurm does not allow any change.
    remark
        What an administrator should know; "" for nothing.
    """

    state: State
    record: dict[str, Any]
    factors: Mapping[int, int]
    is_denied: bool
    remark: str


class Counts:
    """What the metrics count: passes, failures, changes, refused changes, and changes by others."""

    def __init__(self) -> None:
        self.passes = 0
        self.failures = 0
        self.changes = 0
        self.refused = 0
        self.foreign = 0
        self.damaged = 0


def read_plan_policy(plan: Plan) -> Reading:
    """Return the policy of a plan.

    Raises
    ------
    InputError
        The file is no policy, or one that cannot be deployed, or its groups or usage are not those of Slurm.
    SlurmError
        Slurm does not answer; only a policy that depends on usage asks it.
    """
    stamp = _stamp(plan.policy)
    policy = check_orderly(load_policy(plan.policy))
    grouping = check_groups(policy, plan.groups, plan.width)
    fair = of_usage(policy)
    if fair is not None:
        check_usage(fair, grouping, plan.width)
    return Reading(policy, grouping, stamp)


def check_groups(policy: Orderly, groups: str | None, width: str) -> Grouping:
    """Return how the jobs of Slurm get the groups of a policy, without asking Slurm.

    Raises
    ------
    InputError
        They cannot get them, or a guarded order cannot count such a width.
    """
    if isinstance(policy, Guarded) and width not in ROOM_OF:
        words = " or ".join(ROOM_OF)
        raise InputError(
            f"policy {policy.name} simulates EASY on the whole machine, of which Slurm says how many {words} it has; "
            f"--width must be {words}, but is {width}"
        )
    return grouping_of(policy, groups)


def run_daemon(plan: Plan, tell: Tell, once: bool = False) -> None:
    """Keep the waiting jobs in order until SIGTERM or Ctrl-C; or once.

    Parameters
    ----------
    plan
        What to do.
    tell
        Function that is called with remarks, a line each.
    once
        Whether to end after one pass; then Slurm must answer.

    Raises
    ------
    InputError
        The policy cannot be deployed, another daemon has the folder, Slurm does not allow the changes, or its commands
        are missing; if they were there in an earlier pass, as before an upgrade, they are tried again later.
    SlurmError
        Slurm does not answer, if `once` is set.
    """
    reading = read_plan_policy(plan)
    with locked_folder(plan.folder), _ended_by_signals() as end, ExitStack() as ends:
        state, counts = read_state(plan.folder), Counts()
        keeper: GuardKeeper | None = None
        virtual: dict[int, int] = {}  # the factors that a dry run would have written
        put_off: dict[int, Later] = {}
        failures, said, is_mended = 0, "", ""
        while not end.is_set():
            begin = time.monotonic()
            reading = _reread(plan, reading, counts, tell)
            try:
                if keeper is None and isinstance(reading.policy, Guarded):
                    keeper = ends.enter_context(_guarding(plan, tell, once))
                result = one_pass(plan, reading, state, virtual, put_off, counts, keeper)
            except (SlurmError, MissingCommandError, UnwritableError) as error:
                if once or (isinstance(error, MissingCommandError) and not counts.passes):
                    raise
                failures += 1
                is_mended = (
                    f"{plan.folder} is written again" if isinstance(error, UnwritableError) else "Slurm answers again"
                )
                counts.failures += 1
                with suppress(InputError):  # what is there names the jobs that were changed before the failure, too
                    state = read_state(plan.folder)
                pause = pause_after(failures, plan.period)
                tell(f"{error}; all site factors stay as they are; next try in {pause:g} s")
                _write_metrics(plan, counts, None, tell, keeper)
                end.wait(pause)
                continue
            if failures:
                tell(is_mended)
            if result.remark and not said:  # once: the next queue may have others
                said = result.remark
                tell(said)
            failures, state = 0, result.state
            _note(plan, counts, result, tell, keeper)
            if result.is_denied:
                raise InputError(f"Slurm allows no change of a site factor ({DENIED[0]}); {RIGHTS}")
            if once:
                return
            end.wait(max(0.0, plan.period - (time.monotonic() - begin)))


def one_pass(
    plan: Plan,
    reading: Reading,
    state: State,
    virtual: dict[int, int],
    put_off: dict[int, Later],
    counts: Counts,
    keeper: GuardKeeper | None = None,
) -> Pass:
    """Put the waiting jobs in order once.

    Parameters
    ----------
    plan, reading
        What to do, and the policy.
    state
        The state before.
    virtual
        Modified in place: the factors that a dry run would have written.
    put_off
        Modified in place: jobs that Slurm could not change, see `note_refused`.
    counts
        Modified in place.
    keeper
        The books of a guarded order, modified in place; another policy needs none.

    Raises
    ------
    SlurmError
        Slurm does not answer.
    UnwritableError
        The state cannot be written.
    """
    begin = time.monotonic()
    now = int(time.time())
    of_guard: dict[str, Any] = {}
    if keeper is not None and isinstance(reading.policy, Guarded):
        of_guard = keeper.keep(reading.policy, reading.grouping, now)
    queue = read_queue()
    jobs = to_order(queue, now, plan.partitions)
    real = read_site_factors()
    factors = virtual if plan.is_dry else real
    since = min([job.submit for job in jobs] + ([] if state.since is None else [state.since]), default=None)
    used = [] if of_usage(reading.policy) is None else read_usage()
    order = order_of(
        reading.policy, jobs, reading.grouping, plan.width, now, now if since is None else since, plan.zone, used,
        of_guard.get("classes"),
    )  # fmt: skip
    changes = changed_factors(order.ids, factors, plan.scale)
    changes = {job: factor for job, factor in changes.items() if job not in put_off or put_off[job].until <= begin}
    if not plan.is_dry:
        counts.foreign += sum(1 for job in order.ids if job in state.factors and real.get(job) != state.factors[job])
    present = numbers_in_use(queue)
    before = {job: factor for job, factor in state.factors.items() if job in present}
    after = State(since, before if plan.is_dry else before | changes)
    if after != state:
        write_state(plan.folder, after)  # before the changes: --off must know of all jobs that may be touched
    refused: dict[int, str] = {}
    if plan.is_dry:
        for job in virtual.keys() - present:
            del virtual[job]
        virtual |= changes
    else:
        refused = write_factors(changes)
        note_refused(put_off, changes, refused, time.monotonic(), plan.period)
        for job in put_off.keys() - present:
            del put_off[job]
    counts.passes += 1
    refusals = [refused[job] for job in changes if job in refused]
    counts.changes += len(changes) - len(refusals)
    counts.refused += len(refusals)
    record = {
        "time": now,
        "dry_run": plan.is_dry,
        "policy": reading.policy.name,
        "situation": order.situation,
        "waiting": sum(job.pending for job in queue),
        "ranked": len(order.ids),
        "set": {str(job): factor for job, factor in changes.items()},
        "refused": {str(job): words for job, words in refused.items()},
        "seconds": round(time.monotonic() - begin, 3),
        **(of_guard if len(of_guard) > 1 else {}),  # the classes stay as they are until a review
    }
    if refused:  # these have the factors that they had
        after = State(since, before | {job: factor for job, factor in changes.items() if job not in refused})
        with suppress(UnwritableError):  # what is there names more jobs
            write_state(plan.folder, after)
    all_factors = {**factors, **changes}
    ranked = {job: all_factors.get(job, 0) for job in order.ids}
    is_denied = bool(refused) and all(words.startswith(DENIED) for words in refusals or refused.values())
    return Pass(after, record, ranked, is_denied, no_job_fits(reading.policy, plan.groups, jobs))


def undo(plan: Plan, tell: Tell) -> int:
    """Set the site factors of all jobs that a daemon may have changed to 0, remove its state, and return their number.

    These are the jobs of its state, and waiting jobs of its partitions that have a site factor.

    Raises
    ------
    InputError
        A daemon has the folder, or Slurm refuses the changes.
    SlurmError
        Slurm does not answer.
    """
    with locked_folder(plan.folder):
        state = read_state(plan.folder)
        queue = {job.id: job for job in read_queue()}
        factors = read_site_factors()
        touched = state.factors.keys() & numbers_in_use(queue.values())
        touched |= {
            job for job, factor in factors.items() if factor and job in queue and is_ours(queue[job], plan.partitions)
        }
        refused = _set_to_zero(sorted(touched))
        # Slurm refuses every change of a job that cannot run in its partition; one that has no factor needs none
        left = {
            job: words
            for job, words in refused.items()
            if "Invalid job id" not in words and OVER not in words and factors.get(job) != 0
        }
        if left:
            offenders = (f"job {job}: {words}" for job, words in left.items())
            said = f"Slurm refuses {len(left)} of {len(touched)} changes: {first_few(offenders, len(left))}"
            raise InputError(said + (UNNUMBERED if any(LATER in words for words in left.values()) else ""))
        remove_state(plan.folder)
    if exists(plan.folder / "deploy.jsonl"):
        tell(f"the log stays in {plan.folder}; nothing reads it but review")
    return len(touched)


def _set_to_zero(jobs: Sequence[int]) -> dict[int, str]:
    """Set the site factors of jobs to 0, and return what scontrol says of those that it refused.

    Slurm refuses a job for a moment while slurmdbd numbers it: such a job is tried again, for half a minute at most.
    """
    refused = write_factors(dict.fromkeys(jobs, 0))
    end = time.monotonic() + SOON
    while time.monotonic() < end:
        later = [job for job, words in refused.items() if LATER in words]
        if not later:
            break
        time.sleep(1.0)
        refused = {job: words for job, words in refused.items() if job not in later}
        refused |= write_factors(dict.fromkeys(later, 0))
    return refused


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a deployment's folder, which is made if it is not there.

    Raises
    ------
    InputError
        Another process holds it, or the folder is none.
    """
    open_folder(folder)
    try:
        handle = take_lock(folder)
    except OSError as error:  # `--off` has just removed it
        raise InputError(f"{folder}: cannot be locked: {error.strerror}") from None
    if handle is None:
        raise InputError(f"{folder}: another daemon uses this folder; end it first, or name another folder with -o")
    try:
        remove_unfinished(folder)
        yield
    finally:
        os.close(handle)


@contextmanager
def _guarding(plan: Plan, tell: Tell, once: bool) -> Iterator[GuardKeeper]:
    """Yield the keeper of the books of a guarded order; a pass alone waits for a review."""
    from .guard_keeper import AT_ONCE, PATIENCE, Site, open_keeper  # other policies do without

    site = Site(plan.folder, plan.partitions, plan.width, plan.is_dry, PATIENCE if once else AT_ONCE)
    keeper = open_keeper(site, tell)
    try:
        yield keeper
    finally:
        keeper.close()


@contextmanager
def _ended_by_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM and Ctrl-C set, so that a pass ends in order."""
    end = threading.Event()
    before = {number: signal.signal(number, lambda *_: end.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield end
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return what tells a file from its next version; zeros if it cannot be looked at."""
    try:
        about = path.stat()
    except OSError:
        return 0, 0, 0
    return about.st_mtime_ns, about.st_size, about.st_ino


def _reread(plan: Plan, reading: Reading, counts: Counts, tell: Tell) -> Reading:
    """Return the policy, read again if its file has changed; the old one if the new one is damaged."""
    stamp = _stamp(plan.policy)
    if stamp == reading.stamp:
        return reading
    try:
        new = read_plan_policy(plan)
    except InputError as error:
        counts.damaged += 1
        tell(f"{error}; the policy {reading.policy.name} stays in force")
        return reading._replace(stamp=stamp)
    except SlurmError as error:  # it is read again in the next pass
        tell(f"{error}; the policy {reading.policy.name} stays in force")
        return reading
    tell(f"the policy is now {new.policy.name}")
    return new


def _note(plan: Plan, counts: Counts, result: Pass, tell: Tell, keeper: GuardKeeper | None) -> None:
    """Write the log and the metrics; that they cannot be written is no reason to stop."""
    try:
        write_line(plan.folder, result.record, result.factors)
    except OSError as error:
        tell(f"{plan.folder}: the log cannot be written: {error.strerror or error}")
    except InputError as error:
        tell(f"the log cannot be written: {error}")
    _write_metrics(plan, counts, result.record, tell, keeper)


def _write_metrics(
    plan: Plan, counts: Counts, record: Mapping[str, Any] | None, tell: Tell, keeper: GuardKeeper | None
) -> None:
    """Write the metrics; a pass that failed has no record."""
    numbers: dict[str, tuple[str, float, str]] = {
        "up": ("gauge", float(record is not None), "1 if the last pass was complete"),
        "dry_run": ("gauge", float(plan.is_dry), "1 if nothing is changed"),
        "passes_total": ("counter", counts.passes, "complete passes"),
        "failures_total": ("counter", counts.failures, "passes in which Slurm did not answer"),
        "changes_total": ("counter", counts.changes, "site factors that were changed"),
        "refused_total": ("counter", counts.refused, "changes that Slurm refused"),
        "foreign_total": ("counter", counts.foreign, "site factors that somebody else has changed"),
        "damaged_policies_total": ("counter", counts.damaged, "policy files that could not be read again"),
    }
    if keeper is not None:
        numbers |= keeper.numbers()
    if record is not None:
        numbers |= {
            "last_pass_timestamp_seconds": ("gauge", record["time"], "Unix time of the last complete pass"),
            "last_pass_seconds": ("gauge", record["seconds"], "how long it took"),
            "waiting_jobs": ("gauge", record["waiting"], "jobs that wait"),
            "ranked_jobs": ("gauge", record["ranked"], "jobs that were put in order"),
        }
    try:
        write_metrics(plan.folder, numbers)
    except InputError as error:
        tell(str(error))
