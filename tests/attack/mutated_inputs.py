"""Damaged files for every reader, and absurd values for every option: within processes that may crash or hang.

Attempt `number` of a seed is always the same. Each process has a folder of sound files of its own, which must stay as
it is, and an empty folder for what an attempt reads and writes.
"""

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest import mock

import paretosched as ps
from attack.mutated_logs import POLICIES, accounting, logs, packed_logs, tables, wide_logs
from attack.tally import ACCEPTED, MOST_MEMORY, MOST_SECONDS, REFUSED, Tally, Verdict, tally, verdict_on
from paretosched.app import page_file
from paretosched.app.actions import after
from paretosched.app.state import beginning
from paretosched.cli.command_line import all_commands
from paretosched.cli.options import Name
from paretosched.core.errors import InputError
from paretosched.deployment import guard_keeper
from paretosched.deployment.guard_books import read_books, write_books
from paretosched.deployment.guard_review import review_of
from paretosched.workload import log_cache
from support.commands import COMMANDS, command, files, succeed
from support.fuzzing import LONG, sound
from support.house import furnish
from support.mutations import (
    damaged_bytes,
    damaged_json,
    damaged_list,
)

Attack = Callable[[Random, Path, Path], Iterator[Verdict]]
ORDERS = (
    "order: (wait / estimate)^3 * width; backfill: easy:8 for 1,2; backfill-order: saf; slack: 15min",
    "order day: sjf\norder night: smallest log2(submit) * area\norder weekend: priority:1,2\nbackfill: conservative\n",
    "wfp3; backfill: easy; longest: 4h of 3,4 and 90s of 5 while 1,2",
    "order: if(group(1) and not width > 4, 2, 0.5) * wait - usage / share; usage: group; half-life: 1h; shares: 1 = 2",
)
PASS = '{"time":%d,"dry_run":false,"policy":"P","waiting":2,"ranked":2,"set":%s,"refused":{},"seconds":1}'
DAEMON_LOG = ('{"time":1799000000,"all":{"1":900,"2":0}}', PASS % (1799000000, '{"1":900}'), PASS % (1799000030, "{}"))
BOOKS = (
    '{"format":"paretosched books 1","begin":1799000000,"time":1799000900,"terms":"","policy":"","reviewed":1799000600,'
    '"since":1799000100,"sums":{"":[0.0,0.0,0.0,0.0],"1":[90.0,80.0,5.0,9.0]},"sums_of_all":[90.0,80.0,5.0,9.0],'
    '"classes":{"":2,"1":1}}',
    '{"time":1799000900,"new":[["","1",1799000050,60,2,1799000100,1799000200,1799000100],'
    '["7","1",1799000060,900,1,1799000200,-1,1799000100],["8_1","2",1799000300,600,4,-1,-1,-1]]}',
    '{"time":1799000930,"set":[["7",900,1,1799000200,1799000910]],"gone":["8_1"],'
    '"new":[["9","1",1799000910,600,2,-1,-1,-1]]}',
)
SITE = Path(__file__).parents[1] / "data/slurm"
SHARES = ("assoc.txt", "dump.cfg", "sacctmgr.script")
METHODS = ("fcfs", "random", "list", "lpt", "tga", "pgga")


# --- files ------------------------------------------------------------------------------------------------------------


def groups_lists(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged list of users and their groups."""
    text = damaged_list("1,staff\n2,guests\n3,staff\n", r).encode()
    (folder / "groups.csv").write_bytes(damaged_bytes(text, r))
    yield verdict_on(r.choice(["info", "simulate"]), house / "w.swf.gz", "--groups", folder / "groups.csv")


def caches(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """The damaged cache of a log: the log is read again, with the same result."""
    words = ("simulate", house / "w.swf.gz", "--policy", "easy", "--json")
    with (
        mock.patch.object(log_cache, "WORTH_KEEPING", 0),
        mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(folder), log_cache.OFF_VARIABLE: ""}),
    ):
        whole = command(*words).out
        [cache] = folder.rglob("*.npz")
        data = cache.read_bytes()
        data = data[: r.randrange(len(data))] if r.randrange(4) == 0 else damaged_bytes(data, r)
        cache.write_bytes(data)
        verdict = verdict_on(*words)
        same = command(*words).out == whole
    yield verdict if same else verdict._replace(end=f"another result than without a cache: {data[:99]!r}")


def assigned_lists(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """Damaged lists of jobs, nodes and finished jobs."""
    for name in ("jobs", "nodes", "past"):
        shutil.copy(house / f"{name}.csv", folder)
    target = folder / f"{r.choice(['jobs', 'nodes', 'past'])}.csv"
    target.write_bytes(damaged_bytes(damaged_list(target.read_text(), r).encode(), r, at_most=1))
    yield verdict_on(
        "assign", folder / "jobs.csv", folder / "nodes.csv", "--history", folder / "past.csv",
        "--method", r.choice(METHODS), "--iterations", 2, "-o", folder / "out.csv", names=folder,
    )  # fmt: skip


def policies(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged policy of any kind."""
    sound_file = house / r.choice(["p.json", "g.json", "iterative.json", "symbiotic.json"])
    (folder / "policy.json").write_bytes(damaged_json(sound_file.read_text(), r))
    if r.randrange(4):
        yield verdict_on("simulate", house / "w.swf.gz", "--policy", folder / "policy.json", "-o", folder / "out.csv")
    else:
        yield verdict_on("explain", folder / "policy.json", "-o", folder / "out.html")


def orders(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged order in words, in a file or as an option."""
    text = damaged_bytes(r.choice(ORDERS).encode(), r)
    (folder / "order.txt").write_bytes(text)
    words = text.decode("latin-1").replace("\0", "") if r.randrange(2) else folder / "order.txt"
    if r.randrange(4):
        yield verdict_on("simulate", house / "w.swf.gz", "--policy", words, "-o", folder / "out.csv")
    else:
        yield verdict_on("explain", words)


def sites(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged slurm.conf, text of scontrol, or list of shares."""
    for name in ("slurm.conf", "nodes.conf", "scontrol.txt", *SHARES):
        data = (SITE / name).read_bytes()
        (folder / name).write_bytes(damaged_bytes(data, r) if r.randrange(2) else data)
    conf = folder / r.choice(["slurm.conf", "slurm.conf", "scontrol.txt"])
    shares = ("--shares", folder / r.choice(SHARES)) if r.randrange(3) else ()
    yield verdict_on("simulate", house / "w.swf.gz", "--policy", conf, *shares)


def machines(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged machine.toml or slurm.conf, a damaged log with nodes, or a damaged table of what jobs ask for."""
    for name in ("machine.toml", "site.conf", "nodes.parquet", "asked.csv"):
        shutil.copy(house / name, folder)
    name = r.choice(["machine.toml", "site.conf", "nodes.parquet", "asked.csv"])
    (folder / name).write_bytes(damaged_bytes((folder / name).read_bytes(), r))
    if name == "nodes.parquet" and r.randrange(2):
        yield verdict_on("resample", folder / name, "-o", folder / "out.parquet")
    elif name == "asked.csv":
        words = ("--columns", "job=job,submit=submit,run=run,options=options", "--machine", folder / "machine.toml")
        yield verdict_on("import", "csv", folder / name, *words, "-o", folder / "out.parquet")
    else:
        yield verdict_on("machine", folder / name, "-o", folder / "out.toml")


def daemon_logs(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged log of a daemon, or its books of a guarded order: bytes, or the values in a line."""
    if r.randrange(3) == 0:
        yield from daemon_books(r, folder)
        return
    lines = [line.encode() for line in DAEMON_LOG]
    place = r.randrange(len(lines))
    lines[place] = damaged_bytes(lines[place], r) if r.randrange(2) else damaged_json(DAEMON_LOG[place], r)
    (folder / "deploy.jsonl").write_bytes(b"\n".join(lines))
    what = ("--policy", "fcfs", "--since", "1990-01-01", "--objective", "AWRT")
    yield verdict_on("review", house / "imported.swf", *what, "--log", folder / "deploy.jsonl")


def daemon_books(r: Random, folder: Path) -> Iterator[Verdict]:
    """Damaged books; those that are read must be fit for a pass and a review."""
    lines = [line.encode() for line in BOOKS]
    place = r.randrange(len(lines))
    lines[place] = damaged_bytes(lines[place], r) if r.randrange(2) else damaged_json(BOOKS[place], r)
    (folder / "deploy.books").write_bytes(b"\n".join(lines) + b"\n")
    attempt = f"books of {b' '.join(lines)[:900]!r}"
    try:
        books = read_books(folder)
    except InputError as error:
        yield Verdict("more than one line" if "\n" in str(error) else REFUSED, attempt)
        return
    assert books is not None
    about, request = guard_keeper.request_of(books, ps.Guarded(("1",)), books.time + 60, 8)
    books = books.after(guard_keeper.answer_of(about, review_of(request)))
    write_books(folder, books)
    same = read_books(folder)
    fits = same is not None and [*same.lines()] == [*books.lines()]
    yield Verdict(ACCEPTED if fits else "other books than were written", attempt)


def wishes(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged wish."""
    (folder / "wish.json").write_bytes(damaged_json((house / "wish.json").read_text(), r))
    wish = ("--objective", folder / "wish.json")
    if r.randrange(10):
        yield verdict_on("compare", house / "w.swf.gz", "--policy", "easy", *wish)
    else:
        yield verdict_on(
            "train", house / "w.swf.gz", *wish, "--generations", 1, "--accept-worse", "-o", folder / "out.json"
        )


def fronts(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged front: if it is read, then with the values of the sound one."""
    (folder / "front.parquet").write_bytes(damaged_bytes((house / "front.parquet").read_bytes(), r))
    verdict = verdict_on("simulate", house / "w.swf.gz", "--front", folder / "front.parquet", names=folder)
    yield check_values(verdict, house / "front.parquet", folder / "front.parquet")


def runs(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A damaged run: if it is continued or read, then with the values of the sound one."""
    run = Path(shutil.copytree(house / "run", folder / "run"))
    target = run / r.choice(["run.json", "run.sqlite", "run.sqlite", "front.parquet"])
    match r.randrange(4), target.suffix:
        case 0, ".json":
            target.write_bytes(damaged_json(target.read_text(), r))
        case 0, ".sqlite":
            damage_rows(target, r)
        case 1, _:
            target.write_bytes(target.read_bytes()[: r.randrange(1 + target.stat().st_size)])
        case _:
            target.write_bytes(damaged_bytes(target.read_bytes(), r))
    before = contents(run)
    if r.randrange(4):
        verdict = verdict_on("explore", house / "w.swf.gz", "-o", run, "--evaluations", 12, "--population", 4)
        changes = contents(run) != before if verdict.end == REFUSED else False
    else:
        verdict = verdict_on("info", run)
        changes = contents(run) != before
    yield verdict._replace(end="the run was changed") if changes and not verdict.broken else verdict
    if verdict.end == ACCEPTED and (run / "front.parquet").exists():
        yield check_values(verdict_on("simulate", house / "w.swf.gz", "--front", run), house / "run", run)


def damage_rows(store: Path, r: Random) -> None:
    """Change a value in the database of a run."""
    connection = sqlite3.connect(store)
    column = r.choice(["number", "generation", "genome", "objectives", "seconds"])
    value = r.choice(["null", "-1", "3", "1e300", "'text'", "x'00'", "zeroblob(312)", "x'000000000000f07f'"])
    try:
        connection.execute(f"update evaluation set {column} = {value} where number = {r.randrange(14)}")
        connection.commit()
    except sqlite3.Error:  # the database itself refuses it
        connection.rollback()
    finally:
        connection.close()


def check_values(verdict: Verdict, front: Path, mutant: Path) -> Verdict:
    """Return the verdict; broken if a damaged front was accepted with other values or genomes."""
    if verdict.end == ACCEPTED:
        values, others = ps.load_front(front), ps.load_front(mutant)
        if (values.values.tobytes(), values.genomes.tobytes()) != (others.values.tobytes(), others.genomes.tobytes()):
            return verdict._replace(end="accepted with other values than were written")
    return verdict


def pages(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """The damaged state of a page."""
    front = ps.load_front(house / "front.parquet")
    state = beginning(front)
    for action in (
        {"do": "say", "text": "10*AWRT2, AWRT1 <= 99h"},
        {"do": "pick", "row": 0},
        {"do": "note", "row": 0, "text": "why"},
        {"do": "look", "across": "UTIL", "up": "AWRT", "log": False, "fit": True},
    ):
        state = after(state, action, front)
    text = damaged_json(json.dumps(page_file.to_json(state, front)), r)
    attempt = f"a page of {text[:300]!r}"
    try:
        page_file.read(text, front, "page.json")
    except InputError as error:
        yield Verdict("more than one line" if "\n" in str(error) else REFUSED, attempt)
    else:
        yield Verdict(ACCEPTED, attempt)


# --- options ----------------------------------------------------------------------------------------------------------

VALUES = (
    "", "abc", "nan", "inf", "-inf", "1e400", "-1", "0", "1", "2", "3", "-0", "1.5", "0.5", "1e-300", "0x10", "1_0",
    "\u0663", "9" * 5000, str(10**30), str(2**63), str(2**64), "-" + "9" * 40, "\x1b[2J", "a\0b", "--", "-", "\u00e9",
    "\udcff", LONG, ".", "..", "~", "*", "%s", "{}", "$(id)", "a=b", "jobs=3", "jobs=-1", "1,2,3", "8,2", ",,,", "a,b",
    "AWRT1", "AWRT1 <= 5h", "UTIL >= 99999", "AWRT1 <= -1", "10*AWRT9", "near", "easy", "greedy", "fcfs", "swf",
    "queue", "all", "none", "auto", "f1", "tcp://", "tls://", "http://127.0.0.1:1", "[::1]", "999.1.1.1", "a b\nc",
)  # fmt: skip
SPECIAL = (
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "folder",
    "loop",
    "pipe",
    "dangling",
    "missing/x",
    "empty",
    "w.swf.gz/x",
)
SLOW = {"--workers": ("2", "3")}  # they start processes; attacked elsewhere


def options(r: Random, house: Path, folder: Path) -> Iterator[Verdict]:
    """A command line that would succeed, with absurd values of one or two options, or other files than it expects."""
    name = r.choice([name for name in (*COMMANDS, "rules", "explain rules") if name != "fetch"])  # no network here
    words = [*map(str, sound(name, house, folder))]
    parser = all_commands().commands[words[0]]
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "empty").touch()
    os.mkfifo(folder / "pipe")
    inputs = [str(path) for path in house.iterdir()]
    for _ in range(r.randint(1, 2)):
        option = r.choice([action for action in parser._actions if action.dest != "help"])
        words = with_value(words, option, r, inputs)
    if words[0] == "app":
        words += ["--host", "999.1.1.1"]  # so that no page is opened if all else is right
    yield verdict_on(*words)


def with_value(words: list[str], option: argparse.Action, r: Random, inputs: list[str]) -> list[str]:
    """Return a command line with an odd value for one of its arguments."""
    is_file, output = isinstance(option.type, Name), isinstance(option.type, Name) and option.type.writes is not None
    pool = [*VALUES, *inputs] if is_file and not output else [*VALUES]
    if is_file:
        pool += [word for word in SPECIAL if not (output and word.startswith("/"))]
    if output:
        pool = [*pool, *(word for word in words if word in inputs)]  # its own inputs, which it must not destroy
    if not option.option_strings:
        places = [k for k, word in enumerate(words) if k and word in inputs] or [len(words) - 1]
        return [r.choice(pool) if k == places[0] else word for k, word in enumerate(words)]
    flag = option.option_strings[-1]
    if option.nargs == 0:
        return [*words, flag] if r.randrange(4) else [*words, f"{flag}={r.choice(VALUES)}"]
    choices = [*(option.choices or ()), *pool]
    value = r.choice([str(word) for word in choices if word not in SLOW.get(flag, ())])
    return [*words, f"{flag}={value}"] if r.randrange(2) else [*words, flag, value]


ATTACKS: Mapping[str, tuple[int, Attack]] = {  # with their shares of all attempts
    "damaged logs": (30, logs),
    "damaged logs of more columns": (12, wide_logs),
    "damaged gzip files": (6, packed_logs),
    "damaged caches of logs": (6, caches),
    "damaged accounting and names": (10, accounting),
    "damaged tables": (8, tables),
    "damaged lists of groups": (6, groups_lists),
    "damaged lists of jobs and nodes": (8, assigned_lists),
    "damaged policies": (10, policies),
    "damaged orders in words": (6, orders),
    "damaged files of Slurm sites": (10, sites),
    "damaged machines and logs with nodes": (10, machines),
    "damaged logs of the daemon": (4, daemon_logs),
    "damaged wishes": (6, wishes),
    "damaged pages": (4, pages),
    "damaged fronts": (10, fronts),
    "damaged runs": (8, runs),
    "absurd options and special files": (32, options),
}


# --- attempts ---------------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return the files of a folder but for those that a database needs while it is open, and the folder of a page."""
    return {name: data for name, data in files(folder).items() if not name.endswith(("-wal", "-shm", ".app"))}


def attack_of(seed: int, number: int) -> tuple[str, Random]:
    """Return which attack an attempt is, and what decides the rest of it."""
    r = Random(f"{seed}/{number}")
    return r.choices([*ATTACKS], [share for share, _ in ATTACKS.values()])[0], r


def attempt(seed: int, number: int, house: Path, folder: Path) -> tuple[str, list[Verdict]]:
    """Make an attempt in an empty folder, and return which attack it was and its verdicts."""
    name, r = attack_of(seed, number)
    before = contents(house)
    folder.mkdir()
    with chdir(folder):  # relative names lie there
        verdicts = list(ATTACKS[name][1](r, house, folder))
    if contents(house) != before:
        changes = [key for key, data in before.items() if contents(house).get(key) != data]
        verdicts.append(Verdict(f"inputs were changed: {changes}", verdicts[-1].attempt))
    if peak_memory() > MOST_MEMORY:
        verdicts.append(Verdict("more than 1 GiB of memory", verdicts[-1].attempt))
    return name, [v._replace(attempt=f"seed {seed}, attempt {number}: {v.attempt}") for v in verdicts]


def peak_memory() -> int:
    """Return the most memory that this process has taken, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def serve(connection: Connection, seed: int, house: Path, folder: Path) -> None:
    """Make the attempts whose numbers arrive, in a process of its own."""
    own = Path(shutil.copytree(house, folder / "house"))
    place = folder / "here"
    while (number := connection.recv()) is not None:
        answer = attempt(seed, number, own, place)
        shutil.rmtree(place)
        connection.send(answer)


def _serve(numbers: Iterator[int], seed: int, house: Path, folder: Path, answers: list[tuple[str, Verdict]]) -> None:
    """Let processes make attempts, one process after the other: each until something is broken."""
    context = multiprocessing.get_context("spawn")
    for number in numbers:
        here, there = context.Pipe()
        place = folder.with_name(f"{folder.name}-from-{number}")  # one that failed leaves its files
        place.mkdir()
        process = context.Process(target=serve, args=(there, seed, house, place), daemon=True)
        process.start()
        there.close()
        current: int | None = number
        while current is not None:
            here.send(current)
            verdicts = answer_of(here, process, seed, current)
            answers += verdicts
            current = None if any(verdict.broken for _, verdict in verdicts) else next(numbers, None)
        try:
            here.send(None)
        except BrokenPipeError:  # it crashed
            process.kill()
        process.join(MOST_SECONDS)


def answer_of(
    here: Connection, process: multiprocessing.process.BaseProcess, seed: int, number: int
) -> list[tuple[str, Verdict]]:
    """Return what a process answers, or how it failed."""
    try:
        if here.poll(MOST_SECONDS):
            name, verdicts = here.recv()
            return [(name, verdict) for verdict in verdicts]
        process.kill()
        end = f"no end within {MOST_SECONDS:.0f} s"
    except EOFError:
        process.join()
        end = f"the process ended with {process.exitcode}"
    return [(attack_of(seed, number)[0], Verdict(end, f"seed {seed}, attempt {number}"))]


def compile_all(house: Path, folder: Path) -> None:
    """Run each command, policy and method once, so that no attempt waits for the compiler."""
    folder.mkdir()
    for name in (*COMMANDS, "rules", "explain rules"):
        if name not in ("app", "fetch"):
            succeed(*sound(name, house, folder))
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    for policy in (*POLICIES, house / "iterative.json", house / "symbiotic.json", *ORDERS):
        command("simulate", house / "w.swf.gz", "--policy", policy)  # the log has no waits, so "recorded" is refused
    for policy in POLICIES:  # the engine is compiled again for machines with down times
        command("simulate", house / "down.swf", "--policy", policy)
    command("simulate", house / "w.swf.gz", "--policy", SITE / "slurm.conf", "--shares", SITE / SHARES[0])
    for method in METHODS:
        succeed("assign", house / "jobs.csv", house / "nodes.csv", "--method", method)


def mutated_inputs(seed: int, count: int, work: Path, processes: int, tell: Callable[[str], None]) -> list[Tally]:
    """Make many attempts, and return a row for each attack."""
    work.mkdir()
    (work / "house").mkdir()
    house = furnish(work / "house")
    compile_all(house, work / "compiled")
    answers: list[tuple[str, Verdict]] = []
    numbers = _Shared(count, tell, answers)
    threads = [
        threading.Thread(target=_serve, args=(numbers, seed, house, work / f"process-{k}", answers))
        for k in range(processes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [tally(name, (verdict for of, verdict in answers if of == name)) for name in ATTACKS]


class _Shared:
    """Numbers from 0 that several threads take, with a line of progress at every tenth."""

    def __init__(self, count: int, tell: Callable[[str], None], answers: list[tuple[str, Verdict]]) -> None:
        self._numbers = iter(range(count))
        self._lock = threading.Lock()
        self._reported = 0
        self._count, self._tell, self._answers = count, tell, answers

    def __iter__(self) -> "_Shared":
        return self

    def __next__(self) -> int:
        with self._lock:
            for name, verdict in self._answers[self._reported :]:
                self._reported += 1
                if verdict.broken:
                    self._tell(f"BROKEN {name}: {verdict.attempt}: {verdict.end}")
            number = next(self._numbers)
            if number and number % max(1, self._count // 10) == 0:
                self._tell(f"{number:,} of {self._count:,} damaged inputs tried")
            return number


if __name__ == "__main__":  # python -m attack.mutated_inputs SEED NUMBER: one attempt again
    with TemporaryDirectory() as temporary:
        again = Path(temporary)
        (again / "house").mkdir()
        print(*attempt(int(sys.argv[1]), int(sys.argv[2]), furnish(again / "house"), again / "here")[1], sep="\n")
