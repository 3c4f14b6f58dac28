"""The daemon: in every period it puts Slurm's waiting jobs in the policy's order, by site factors.

It only ever changes the site factors of jobs that wait and could run, in its partitions, without reservation. Whatever
fails, the factors stay as they are, so that ranked jobs keep their order and new ones come behind.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import InputError, first_few, number_of
from ..core.files import exists, unreadable
from ..core.trust import check_trusted, only_trusted
from ..policies.guarded import Guarded
from ..policies.policy import load_policy
from .lacking import MOST_SHOWN, Lack, lacks_text, read_lacks
from .numbers import Counts, write_numbers
from .ranking import Orderly, check_orderly, order_of
from .records import (
    LATEST,
    State,
    UnwritableError,
    check_handle,
    locked_folder,
    read_state,
    remove_state,
    write_line,
    write_state,
)
from .site_factors import Scale, changed_factors
from .slurm_answers import AGREEING, check_clock, read_waiting, said_of_lost, said_of_odd
from .slurm_calls import ClockError, MissingCommandError, SlurmError
from .slurm_groups import BY_FIELD, Grouping, grouping_of, no_job_fits
from .slurm_queue import (
    UNREADABLE,
    QueuedJob,
    SiteFactors,
    is_ours,
    numbers_in_use,
    read_queue,
    read_site_factors,
    to_order,
)
from .slurm_settings import RIGHTS, check_usage
from .slurm_updates import (
    LATER,
    NO_JOB,
    OVER,
    TWICE,
    Later,
    Sent,
    missing_factors,
    note_refused,
    pause_after,
    write_factors,
)
from .slurm_usage import of_usage, read_usage

if TYPE_CHECKING:
    from .guard_keeper import GuardKeeper

GONE = ("Invalid job id", OVER)  # words of scontrol about jobs that need no change any more
MOST_REMARKS = 100  # kinds of remarks, each of which is told once
DENIED = ("Access/permission denied", "Invalid user id")  # words of scontrol about own and others' jobs
AGAIN = 1.0  # s, until changes are written again that are not there
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
        What tells its files from their next versions; files with another stamp are read again.
    fault
        Why they could not be read again; "" if they could.
    """

    policy: Orderly
    grouping: Grouping
    stamp: tuple[int, ...]
    fault: str = ""


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
    lost
        Which changes have not come through twice in a row, in words; "" if none.
    remarks
        What an administrator should know, by kind.
    lacks
        Of a dry run what each waiting job lacks, in the order of the policy.
    """

    state: State
    record: dict[str, Any]
    factors: Mapping[int, int]
    is_denied: bool
    lost: str
    remarks: Mapping[str, str]
    lacks: Sequence[Lack] = ()


@dataclass
class Memory:
    """What a daemon remembers from pass to pass, beside its state.

    Attributes
    ----------
    tries
        How many times a pass writes changes that are not there then: a pass alone twice, since no other one will.
    virtual
        The factors that a dry run would have written.
    put_off
        Jobs that Slurm could not change, see `note_refused`.
    sent
        Changes that were not there when they had been written.
    empty
        How many answers of squeue in a row were empty.
    """

    tries: int = 1
    virtual: dict[int, int] = field(default_factory=dict)
    put_off: dict[int, Later] = field(default_factory=dict)
    sent: dict[int, Sent] = field(default_factory=dict)
    empty: int = 0


def read_plan_policy(plan: Plan) -> Reading:
    """Return the policy of a plan.

    Raises
    ------
    InputError
        The file is no policy, or one that cannot be deployed, its groups or usage are not those of Slurm, or others can
        change it or the list of groups.
    SlurmError
        Slurm does not answer; only a policy that depends on usage asks it.
    """
    stamp = _stamp(plan)
    with only_trusted():
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
    shown = plan.folder
    with locked_folder(shown) as held, _ended_by_signals() as end, ExitStack() as ends:

        def say(text: str) -> None:
            tell(text.replace(str(held), str(shown)))

        plan = plan._replace(folder=held)
        state, counts, memory = read_state(held), Counts(), Memory(tries=TWICE if once else 1)
        keeper: GuardKeeper | None = None
        failures, is_mended, was_lost = 0, "", False
        said: set[str] = set()
        while not end.is_set():
            begin = time.monotonic()
            reading = _reread(plan, reading, counts, say)
            try:
                check_handle(shown, held)
                if keeper is None and isinstance(reading.policy, Guarded):
                    keeper = ends.enter_context(_guarding(plan, say, once))
                result = one_pass(plan, reading, state, memory, counts, keeper)
            except (SlurmError, MissingCommandError, UnwritableError) as error:
                counts.failures += 1
                if once or (isinstance(error, MissingCommandError) and not counts.passes):
                    _write_metrics(plan, counts, None, say, keeper)
                    raise
                failures += 1
                is_mended = (
                    f"{held} is written again"
                    if isinstance(error, UnwritableError)
                    else getattr(error, "mended", SlurmError.mended)
                )
                if isinstance(error, SlurmError):
                    with suppress(InputError):  # what is there names the jobs that were changed before the failure, too
                        state = read_state(held)
                pause = pause_after(failures, plan.period)
                say(f"{error}; all site factors stay as they are; next try in {pause:g} s")
                _write_metrics(plan, counts, None, say, keeper)
                end.wait(pause)
                continue
            if failures:
                say(is_mended)
            for kind, words in result.remarks.items():
                if kind not in said and len(said) < MOST_REMARKS:  # once: the next queue may have others
                    said.add(kind)
                    say(words)
            if result.lacks and "lacks" not in said:
                said.add("lacks")
                say(lacks_text(result.lacks, None if once else MOST_SHOWN))
            failures, state = 0, result.state
            counts.failures += bool(result.lost)
            _note(plan, counts, result, say, keeper)
            if result.is_denied:
                raise InputError(f"Slurm allows no change of a site factor ({DENIED[0]}); {RIGHTS}")
            if once:
                if result.lost:
                    raise SlurmError(result.lost)
                return
            if bool(result.lost) != was_lost:
                was_lost = bool(result.lost)
                say(result.lost or "site factors are again as scontrol is told")
            end.wait(max(0.0, plan.period - (time.monotonic() - begin)))


def one_pass(
    plan: Plan, reading: Reading, state: State, memory: Memory, counts: Counts, keeper: GuardKeeper | None = None
) -> Pass:
    """Put the waiting jobs in order once.

    Parameters
    ----------
    plan, reading
        What to do, and the policy.
    state
        The state before.
    memory, counts
        Modified in place.
    keeper
        The books of a guarded order, modified in place; another policy needs none.

    Raises
    ------
    SlurmError
        Slurm does not answer, or contradicts itself, or the clock cannot be right.
    UnwritableError
        The state cannot be written.
    """
    begin = time.monotonic()
    now = int(time.time())
    if not 0 <= now < LATEST:
        raise ClockError(f"the clock of this machine is at Unix time {now}, which cannot be")
    queue, listed = read_waiting(state.factors, now)
    check_clock(now, queue)
    of_guard: dict[str, Any] = {}
    if keeper is not None and isinstance(reading.policy, Guarded):
        of_guard = keeper.keep(reading.policy, reading.grouping, now)
    jobs = [job for job in to_order(queue, now, plan.partitions) if job.id not in listed.odd]
    real = listed.known
    since = min([job.submit for job in jobs] + ([] if state.since is None else [state.since]), default=None)
    used = [] if of_usage(reading.policy) is None else read_usage()
    order = order_of(
        reading.policy, jobs, reading.grouping, plan.width, now, now if since is None else since, plan.zone, used,
        of_guard.get("classes"),
    )  # fmt: skip
    lacks, untold = _read_lacks(jobs, order.ids) if plan.is_dry else ([], "")
    factors = memory.virtual if plan.is_dry else real
    changes = changed_factors(order.ids, factors, plan.scale)
    put_off = memory.put_off
    changes = {job: factor for job, factor in changes.items() if job not in put_off or put_off[job].until <= begin}
    late: dict[int, int] = {}
    if not plan.is_dry:
        known = {job: factor for job, factor in state.factors.items() if factor is not None}
        counts.foreign += sum(1 for job in order.ids if job in real and real[job] != known.get(job, real[job]))
        late = {job: sent.factor for job, sent in memory.sent.items() if real.get(job) == sent.factor}
    gone = _ended_jobs(state, memory, queue, listed)
    before = {job: real.get(job) if x is None else x for job, x in state.factors.items() if job not in gone}
    after = State(since, before if plan.is_dry else before | dict.fromkeys(changes))
    if after != state:
        write_state(plan.folder, after)  # before the changes: --off must know of all jobs that may be touched
    for job in gone:
        memory.virtual.pop(job, None)
        put_off.pop(job, None)
    refused: dict[int, str] = {}
    missing: dict[int, int] = {}
    if plan.is_dry:
        memory.virtual |= changes
    else:
        missed = {job: memory.sent[job].missed if job in memory.sent else 0 for job in changes}
        memory.sent = {job: Sent(factor, missed[job]) for job, factor in changes.items()}
        refused, missing = _write(changes, memory.tries)
        note_refused(put_off, changes, refused, time.monotonic(), plan.period)
        memory.sent = {job: Sent(changes[job], missed[job] + memory.tries) for job in missing}
    arrived = {job: factor for job, factor in changes.items() if job not in refused and job not in missing}
    counts.passes += 1
    refusals = [refused[job] for job in changes if job in refused]
    counts.changes += len(arrived) + len(late)
    counts.refused += len(refusals)
    odd = {job.id: job.odd for job in queue if job.odd} | dict.fromkeys(listed.odd, "sprio has no number of it")
    counts.odd = len(odd)
    record = {
        "time": now,
        "dry_run": plan.is_dry,
        "policy": reading.policy.name,
        "situation": order.situation,
        "waiting": sum(job.pending for job in queue),
        "ranked": len(order.ids),
        "set": {str(job): factor for job, factor in (late | arrived).items()},
        "refused": {str(job): words for job, words in refused.items()},
        **({"missing": {str(job): factor for job, factor in missing.items()}} if missing else {}),
        **({"odd": len(odd)} if odd else {}),
        **({"lacks": {str(each.job.id): each.lacks for each in lacks[:MOST_SHOWN]}} if lacks else {}),
        "seconds": round(time.monotonic() - begin, 3),
        **(of_guard if len(of_guard) > 1 else {}),  # the classes stay as they are until a review
    }
    if changes and not plan.is_dry:  # those that were refused have the factors that they had
        after = State(since, before | arrived | missing)
        with suppress(UnwritableError):  # what is there names more jobs
            write_state(plan.folder, after)
    all_factors = {**factors, **arrived}
    ranked = {job: all_factors.get(job, 0) for job in order.ids}
    is_denied = bool(refused) and all(words.startswith(DENIED) for words in refusals or refused.values())
    lost = {job: sent.factor for job, sent in memory.sent.items() if sent.missed >= TWICE}
    remarks = {
        "groups": no_job_fits(reading.policy, plan.groups, jobs),
        "odd": said_of_odd(odd),
        f"scontrol {refused.get(NO_JOB)}": f"scontrol said: {refused[NO_JOB]}" if NO_JOB in refused else "",
    }
    remarks["lacks untold"] = untold
    told = {kind: words for kind, words in remarks.items() if words}
    return Pass(after, record, ranked, is_denied, said_of_lost(lost, missing), told, lacks)


def _read_lacks(jobs: Sequence[QueuedJob], order: Sequence[int]) -> tuple[list[Lack], str]:
    """Return what jobs lack, in order, and in words why that is not known; "" if it is."""
    by_number = {job.id: job for job in jobs}
    try:
        return read_lacks([by_number[number] for number in order]), ""
    except SlurmError as error:  # it is told beside the order, which does not need it
        return [], f"{error}; what each waiting job lacks is not told"


def _write(changes: Mapping[int, int], tries: int) -> tuple[dict[int, str], dict[int, int]]:
    """Write site factors, those that are not there then again.

    Returns
    -------
    dict, dict
        What scontrol says of the jobs whose change it refused; the factors of those that have another one at the end.
    """
    refused: dict[int, str] = {}
    missing: dict[int, int] = {}
    for number in range(tries):
        if number:
            time.sleep(AGAIN)
        left = {job: changes[job] for job in missing} if number else changes
        refused |= write_factors(left)
        missing = missing_factors({job: factor for job, factor in left.items() if job not in refused})
        if not missing:
            break
    return refused, missing


def _ended_jobs(state: State, memory: Memory, queue: Sequence[QueuedJob], listed: SiteFactors) -> set[int]:
    """Return the jobs that a daemon may forget: those that neither squeue nor sprio lists.

    An empty answer of squeue after a full one is a question, which the next passes ask again.
    """
    known = {*state.factors, *memory.virtual, *memory.put_off}
    memory.empty = 0 if queue or not known else memory.empty + 1
    is_believed = queue or memory.empty >= AGREEING
    if not is_believed or any(job.id == UNREADABLE for job in queue):
        return set()
    return known - numbers_in_use(queue) - listed.known.keys()


def undo(plan: Plan, tell: Tell) -> int:
    """Set the site factors of all jobs that a daemon may have changed to 0, remove its state, and return their number.

    These are the jobs of its state, whether squeue lists them or not, and waiting jobs of its partitions that have a
    site factor.

    Raises
    ------
    InputError
        A daemon has the folder, or Slurm refuses the changes.
    SlurmError
        Slurm does not answer, or the factors are not 0 then.
    """
    with locked_folder(plan.folder) as held:
        state = read_state(held)
        queue = {job.id: job for job in read_queue()}
        factors = read_site_factors().known
        touched = {*state.factors} | {
            job for job, factor in factors.items() if factor and job in queue and is_ours(queue[job], plan.partitions)
        }
        refused = _set_to_zero(sorted(touched))
        gone = {job for job, words in refused.items() if any(sign in words for sign in GONE)}
        # Slurm refuses every change of a job that cannot run in its partition; one that has no factor needs none
        left = {job: words for job, words in refused.items() if job not in gone and factors.get(job) != 0}
        if left:
            offenders = (f"job {job}: {words}" if job else words for job, words in left.items())
            said = (
                f"Slurm refuses {len(left)} of {number_of(len(touched), 'change')}: {first_few(offenders, len(left))}"
            )
            raise InputError(said + (UNNUMBERED if any(LATER in words for words in left.values()) else ""))
        again = "say --off again"
        missing = missing_factors({job: 0 for job in touched if job not in refused})
        if missing and not _set_to_zero([*missing]):
            missing = missing_factors(dict.fromkeys(missing, 0))
        if missing:
            names = (f"job {job} has {factor}" for job, factor in missing.items())
            raise SlurmError(
                f"scontrol was told 0, but {len(missing)} site factors are not: {first_few(names)}; {again}"
            )
        unknown = [job for job, factor in factors.items() if factor and not queue and job not in touched]
        if unknown:
            raise SlurmError(f"squeue lists no job, but sprio lists {first_few(unknown)} with site factors; {again}")
        remove_state(held)
    if exists(plan.folder / "deploy.jsonl"):
        tell(f"the log stays in {plan.folder}; nothing reads it but review")
    return len(touched - gone)


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


def _files(plan: Plan) -> list[Path]:
    """Return the files that a daemon follows."""
    return [plan.policy] + ([] if plan.groups is None or plan.groups in BY_FIELD else [Path(plan.groups)])


def _stamp(plan: Plan) -> tuple[int, ...]:
    """Return what tells the files of a plan from their next versions; zeros for one that cannot be looked at."""
    stamp: list[int] = []
    for path in _files(plan):
        try:
            about = path.stat()
        except OSError:
            stamp += [0, 0, 0, 0]
        else:
            stamp += [about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino]
    return tuple(stamp)


def _reread(plan: Plan, reading: Reading, counts: Counts, tell: Tell) -> Reading:
    """Return the policy, read again if a file has changed; the old one if that is damaged, or others can change it."""
    try:
        for path in _files(plan):
            try:
                check_trusted(path)
            except OSError as error:
                raise unreadable(path, error) from None
        if _stamp(plan) == reading.stamp:
            return reading._replace(fault="")
        new = read_plan_policy(plan)
    except InputError as error:
        if str(error) != reading.fault:
            counts.damaged += 1
            tell(f"{error}; the policy {reading.policy.name} stays in force")
        return reading._replace(fault=str(error))
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
    _write_metrics(plan, counts, result, tell, keeper)


def _write_metrics(plan: Plan, counts: Counts, result: Pass | None, tell: Tell, keeper: GuardKeeper | None) -> None:
    """Write the metrics; a pass that failed has no result."""
    is_up = result is not None and not result.lost and not result.is_denied
    more = {} if keeper is None else keeper.numbers()
    try:
        write_numbers(plan.folder, plan.is_dry, counts, is_up, result.record if result else None, more)
    except InputError as error:
        tell(str(error))
