"""No output destroys an input, a file of a run or page, or a file of another kind: for every command and option."""

import argparse
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from paretosched.cli import outputs
from paretosched.cli.command_line import all_commands
from paretosched.cli.file_kinds import Kind, kind_of
from paretosched.cli.options import Name
from paretosched.cli.outputs import DIRECTORIES, check_outputs
from paretosched.core.errors import InputError
from paretosched.fronts.front_files import load_front
from support.commands import COMMANDS, RECORD, command, files, succeed

PARSER = all_commands()
OLD = Path(__file__).parents[1] / "data" / "version-0.1"
WORDS = {
    ("explore", "objectives"),
    ("explore", "only"),
    ("explore", "scheduler"),
    ("train", "scheduler"),
    ("app", "host"),
    ("app", "tls_proxy"),
    ("resample", "double"),
    ("deploy", "partition"),
    ("review", "since"),
    *(("whatif", option) for option in ("nodes", "group", "limit", "sacctmgr", "price")),
    *(("import", option) for option in ("partition", "groups", "zone", "columns", "unit", "reading")),
    *((command, order) for command in ("simulate", "compare", "whatif") for order in ("backfill", "backfill_order")),
}  # never files
INPUTS = {
    "the workload log": "w.swf",
    "the front": "front.parquet",
    "the policy": "greedy.json",
    "the Greedy policy": "greedy.json",
    "the wish": "sum.wish.json",
    "the list of groups": "groups.csv",
    "the list of jobs": "jobs.csv",
    "the list of nodes": "nodes.csv",
    "the past runs": "past.csv",
    "what the search begins with": "run",
}  # what options read, and a file of it in `place`; for all else "other"
NEEDED = {
    "generate": ["lublin"],
    "fetch": ["CTC-SP2"],
    "import": ["slurm"],
    "deploy": ["--to", "pbs"],
    "review": ["--since", "2000-01-01"],
}  # words of a command line that are no files


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with an input of every kind, and a run."""
    folder = tmp_path / "place"
    folder.mkdir()
    for name in ("front.parquet", "greedy.json", "sum.wish.json"):
        shutil.copy(OLD / name, folder)
    shutil.copytree(OLD / "run-groups", folder / "run")
    (folder / "w.swf").write_text(RECORD)
    for name, text in (
        ("groups.csv", "user,group\n5,staff\n"),
        ("jobs.csv", "job,workload\na,5\n"),
        ("nodes.csv", "node,speed\nn,2\n"),
        ("past.csv", "job,size,workload\na,1,3\n"),
        ("other", "-----BEGIN CERTIFICATE-----\n"),
    ):
        (folder / name).write_text(text)
    return folder


def arguments(name: str) -> Iterator[tuple[argparse.Action, Name]]:
    """Yield the arguments of a command that are files or directories."""
    for action in PARSER.commands[name]._actions:
        if isinstance(action.type, Name) and action.type.place:
            yield action, action.type


ATTACKS = [
    (name, output.dest, read.dest)
    for name in COMMANDS
    for output, writes in arguments(name)
    for read, reads in arguments(name)
    if writes.writes and reads.reads
]
WRITING = [(name, action.dest) for name in COMMANDS for action, of in arguments(name) if of.writes]
TO_FILES = [
    (name, action.dest)
    for name in COMMANDS
    for action, of in arguments(name)
    if of.writes and of.writes not in DIRECTORIES
]


def words(name: str, place: Path, **values: object) -> list[str]:
    """Return a command line with everything that the command needs, and these values of arguments by `dest`."""
    line = [name, *NEEDED.get(name, [])]
    for action, of in arguments(name):
        is_needed = action.required and action.nargs != "*"
        value = values.get(
            action.dest, place / (INPUTS.get(of.reads, "other") if of.reads else "new") if is_needed else None
        )
        if value is not None:
            line += [*action.option_strings[-1:], str(value)]
    return line


def check(line: list[str]) -> None:
    """Check the outputs of a command line without running the command."""
    check_outputs(PARSER.commands[line[0]], PARSER.parse_args(line))


def check_refusal(line: list[object] | list[str], folder: Path, *says: str) -> None:
    """Check that a command is refused with one line, and that nothing in a folder changes."""
    before = files(folder)
    outcome = command(*line)
    assert (outcome.status, outcome.out) == (2, ""), (line, outcome)
    assert re.fullmatch(rf"paretosched {line[0]}: [^\n]+\n", outcome.err), outcome
    for part in says:
        assert part in outcome.err, outcome
    assert files(folder) == before, line


# --- every argument declares what it is -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_every_file_is_declared_as_read_or_written(name: str) -> None:
    for action in PARSER.commands[name]._actions:
        is_text = action.type in (None, str) and action.choices is None and action.nargs != 0
        assert not is_text or (name, action.dest) in WORDS, action
        if isinstance(action.type, Name):
            declarations = [bool(action.type.reads), action.type.writes is not None]
            assert sum(declarations) == bool(action.type.place), action
            is_output = action.dest in ("output", "figures", "segments", "save_policy", "run_directory")
            assert is_output == bool(action.type.writes), action


# --- inputs -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("name", "output", "read"), ATTACKS)
def test_no_output_is_an_input(place: Path, name: str, output: str, read: str) -> None:
    file = place / INPUTS.get(next(of.reads for action, of in arguments(name) if action.dest == read), "other")
    (place / "symbolic").symlink_to(file)
    ways = [file, place / "symbolic", place / "." / file.name, place / ".." / place.name / file.name]
    if file.is_file():
        os.link(file, place / "hard")
        ways.append(place / "hard")
    option = next(action.option_strings[-1] for action, _ in arguments(name) if action.dest == output)
    for way in ways:
        check_refusal(
            words(name, place, **{output: way, read: file}),
            place,
            str(way),
            *(["would overwrite"] if file.is_file() else []),
        )
        check_refusal(words(name, place, **{output: file, read: way}), place, str(file))
    if file.is_file():
        with pytest.raises(InputError, match=f"{option} would overwrite"):
            check(words(name, place, **{output: place / "hard", read: file}))


def test_the_message_says_what_would_be_overwritten(place: Path) -> None:
    line = ["simulate", place / "w.swf", "--groups", place / "groups.csv", "-o", place / "groups.csv"]
    outcome = command(*line)
    assert outcome.err == (
        f"paretosched simulate: {place / 'groups.csv'}: --output would overwrite the list of groups; "
        "give it another name\n"
    )


def test_an_open_file_is_an_input_too(place: Path) -> None:
    with (place / "w.swf").open() as file:
        trace = f"/dev/fd/{file.fileno()}"
        check_refusal(["simulate", trace, "-o", place / "w.swf"], place, "would overwrite the workload log")
        check_refusal(["simulate", place / "w.swf", "-o", trace], place)


def test_the_log_of_a_run_is_an_input(house: Path, tmp_path: Path) -> None:
    for name in ("run", "w.swf.gz"):
        (shutil.copytree if (house / name).is_dir() else shutil.copy)(house / name, tmp_path / name)
    about = tmp_path / "run" / "run.json"
    about.write_text(about.read_text().replace(str(house), str(tmp_path)))
    log, run, front = tmp_path / "w.swf.gz", tmp_path / "run", tmp_path / "run" / "front.parquet"
    for line in (
        ["scale", run, "-o", log],
        ["simulate", run, "-o", log],
        ["front", run, "-o", log],
        ["front", front, "-o", log],
        ["compare", "--front", run, "-o", log],
        ["compare", "--front", front, "-o", log],
        ["train", run, "--objective", "AWRT", "-o", log],
    ):
        check_refusal(line, tmp_path, f"{log}: --output would overwrite the log that ")


def test_a_run_that_is_read_is_not_written(place: Path) -> None:
    os.link(place / "run" / "run.sqlite", place / "hard")
    check_refusal(["front", place / "run", "-o", place / "hard"], place, "would overwrite a file of the run")
    check_refusal(["train", place / "run", "--objective", "AWRT", "--run", place / "run", "-o", place / "p"], place)


def test_a_run_that_is_damaged_has_no_recorded_log(place: Path) -> None:
    for text in ("", "[]", '{"sources": 3}', '{"sessions": 3, "workload": 5}', '{"workload": {"source": 7}}'):
        (place / "run" / "run.json").write_text(text)
        check(["front", str(place / "run"), "-o", str(place / "new")])


# --- two outputs ------------------------------------------------------------------------------------------------------


def test_outputs_do_not_overwrite_each_other(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulate = ["simulate", str(place / "w.swf"), "-o", str(place / "x"), "--save-policy"]
    (place / "link").symlink_to(place / "x")
    for other in (place / "x", place / "." / "x", place / "link"):
        check_refusal([*simulate, other], place, "would overwrite what --output writes")
    train = ["train", place / "w.swf", "--objective", "AWRT", "--run", place / "new", "-o", place / "new"]
    check_refusal(train, place, "would overwrite what --output writes")
    compare = ["compare", place / "w.swf", "-o", place / "a.png", "--figures", place]
    check_refusal(compare, place, "could overwrite what --output writes")
    check([*simulate, str(place / "X")])
    monkeypatch.setattr(outputs, "_folds_case", lambda folder: folder == str(place))
    check_refusal([*simulate, place / "X"], place, "would overwrite what --output writes")


def test_a_folder_is_asked_whether_capitals_make_a_difference(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert outputs._folds_case(str(tmp_path)) == (tmp_path / "A").exists()
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


# --- runs and pages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "output"), WRITING)
def test_no_output_is_a_file_of_any_run(place: Path, name: str, output: str) -> None:
    (place / "link").symlink_to(place / "run")
    for file in ("run.json", "run.sqlite", "front.parquet"):
        check_refusal(words(name, place, **{output: place / "run" / file}), place)
    line = words(name, place, **{output: place / "run" / "new"})
    for file in ("run.json", "run.sqlite", "RUN.JSON", "run.sqlite-wal", "run.sqlite-shm", "run.sqlite-journal"):
        for folder in ("run", "link"):
            line[line.index(str(place / "run" / "new"))] = str(place / folder / file)
            if name != "fetch" and output != "figures":  # they do not replace a file
                with pytest.raises(InputError):
                    check(line)
            line[line.index(str(place / folder / file))] = str(place / "run" / "new")


def test_a_run_without_its_description_is_a_run(place: Path) -> None:
    (place / "run" / "run.json").unlink()
    for name in ("run.json", "front.parquet"):
        line = ["front", place / "front.parquet", "-o", place / "run" / name]
        check_refusal(line, place, "--output would overwrite a file of the run")
    check(["explore", str(place / "w.swf"), "-o", str(place / "run")])


def test_other_names_in_a_run_directory_are_free(place: Path) -> None:
    check(["front", str(place / "front.parquet"), "-o", str(place / "run" / "merged.parquet")])
    check(["front", str(place / "run"), "-o", str(place / "front.parquet")])  # beside a run, as in the README


def test_the_front_of_a_plan_stays_whole(place: Path) -> None:
    plan = place / "plan"
    plan.mkdir()
    front = load_front(place / "front.parquet")
    for origin in front.origins:
        shutil.copytree(OLD / "run-groups", plan / origin.name)
    shutil.copy(place / "front.parquet", plan)
    (place / "link").symlink_to(plan / "front.parquet")
    runs = [plan / origin.name for origin in front.origins]
    for inputs in ([place / "run"], runs[1:] or [place / "run"]):
        for output in (plan / "front.parquet", place / "link"):
            check_refusal(["front", *inputs, "-o", output], place, "--output would overwrite the front of all runs in")
    check(["front", *map(str, runs), "-o", str(plan / "front.parquet")])  # brings it up to date
    check(["front", str(place / "run"), "-o", str(plan / "other.parquet")])
    shutil.rmtree(runs[0])  # now it is a front of something else, too
    (plan / "more").mkdir()
    (plan / "more" / "run.json").write_text("{}")
    check(["front", str(place / "run"), "-o", str(plan / "front.parquet")])


def test_a_new_run_has_its_names_at_once(place: Path) -> None:
    (place / "new").mkdir()
    train = ["train", place / "w.swf", "--objective", "AWRT", "--run", place / "new", "-o"]
    check_refusal([*train, place / "new" / "run.json"], place, "--output would overwrite a file of the run")
    check([*map(str, train), str(place / "new" / "policy.json")])


def test_only_the_training_of_a_page_writes_into_its_folder(place: Path) -> None:
    page = place / "run.app"
    page.mkdir()
    (page / "page.json").write_text('{"format": "paretosched page 1"}')
    train = ["train", str(place / "run"), "--objective", str(page / "training-1.wish.json"), "--run"]
    check([*train, str(page / "training-1"), "-o", str(page / "training-1.policy.json")])
    check_refusal([*train, page / "training-1", "-o", page / "training-2.policy.json"], place, "folder of the page")
    for name in ("page.json", "training-1.json", "other"):
        check_refusal(["simulate", place / "w.swf", "--save-policy", page / name], place, "folder of the page")
    check_refusal(["compare", place / "w.swf", "--figures", page], place, "directory of a run or page")


# --- directories ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", [[], ["--plan", "moves"]])
def test_a_run_directory_is_new_or_empty_or_a_run(place: Path, plan: list[str]) -> None:
    explore = ["explore", str(place / "w.swf"), *plan, "-o"]
    (place / "full").mkdir()
    (place / "full" / "letter").write_text("mine")
    full = "must be a run directory or empty, but has no run.json and holds letter"
    check_refusal([*explore, place / "full"], place, full)
    check_refusal([*explore, place], place, "is a directory that contains the workload log")
    (place / "empty" / "row").mkdir(parents=True)
    (place / "empty" / ".run.json.0a1b2c.part").touch()  # as a kill at the first moment leaves it
    for name in ("new", "empty"):
        check([*explore, str(place / name)])
    if not plan:
        check([*explore, str(place / "run")])


def test_figures_do_not_replace_anything_but_figures(place: Path) -> None:
    compare = ["compare", str(place / "w.swf"), "--figures"]
    check_refusal([*compare, place / "run"], place, "is a directory of a run or page; give --figures another name")
    check([*compare, str(place)])
    (place / "old.svg").write_text("<svg>mine</svg>")
    check_refusal([*compare, place], place, "old.svg: is not a figure that paretosched wrote")
    (place / "old.svg").unlink()
    os.link(place / "w.swf", place / "waits.png")
    check_refusal([*compare, place], place, "could overwrite the workload log")
    (place / "waits.png").unlink()
    (place / "w.swf").rename(place / "w.png")
    check_refusal(["compare", place / "w.png", "--figures", place], place, "could overwrite the workload log")


# --- other kinds ------------------------------------------------------------------------------------------------------


def of_every_kind(folder: Path) -> dict[Kind, Path]:
    """Write a file of every kind, and return them."""
    texts = {
        Kind.LOG: RECORD,
        Kind.SCHEDULE: "job,submit,start,finish,processors,user,group\n",
        Kind.SEGMENTS: "job,from,to,nodes\n",
        Kind.ASSIGNMENT: "job,workload,node,start,finish\n",
        Kind.REVIEW: "from,until,jobs,system,group\n",
        Kind.WHAT_IF: "scenario,policy,group,jobs\n",
        Kind.NAMES: '{"format": "paretosched names 1"}',
        Kind.PAGE: '{"format": "paretosched page 1"}',
        Kind.REPORT: '<!DOCTYPE html>\n<p class="eyebrow">paretosched report</p>',
        Kind.FIGURE: '<!DOCTYPE html>\n<p class="eyebrow">paretosched figures</p>',
        Kind.MACHINE: 'format = "paretosched machine 1"\n',
        Kind.EMPTY: "",
        Kind.UNKNOWN: "a letter\n",
    }
    copies = {
        Kind.FRONT: "front.parquet",
        Kind.RUN: "run-groups/run.json",
        Kind.EVALUATIONS: "run-groups/run.sqlite",
        Kind.POLICY: "easy.json",
        Kind.WISH: "near.wish.json",
    }
    folder.mkdir()
    for kind, text in texts.items():
        (folder / kind.name).write_text(text)
    for kind, name in copies.items():
        shutil.copy(OLD / name, folder / kind.name)
    return {kind: folder / kind.name for kind in (*texts, *copies)}


def test_there_is_a_file_of_every_kind(tmp_path: Path) -> None:
    kinds = of_every_kind(tmp_path / "kinds")
    assert {*kinds} == {*Kind} - {*DIRECTORIES}
    assert {kind: kind_of(path) for kind, path in kinds.items()} == {kind: kind for kind in kinds}


@pytest.mark.parametrize(("name", "output"), TO_FILES)
def test_no_output_replaces_a_file_of_another_kind(place: Path, name: str, output: str) -> None:
    own = next(of.writes for action, of in arguments(name) if action.dest == output)
    for kind, path in of_every_kind(place / "kinds").items():
        line = words(name, place, **{output: path})
        if kind in (own, Kind.EMPTY):
            check(line)
        else:
            says = "that paretosched wrote" if kind == Kind.UNKNOWN else f"would write {own} over {kind}"
            check_refusal(line, place, says, "give ", "delete the file first")


def test_an_output_of_the_same_kind_is_replaced_through_a_link_too(place: Path) -> None:
    target, link = place / "s.csv", place / "link"
    target.write_text("")
    link.symlink_to(target)
    for policy in ("fcfs", "easy"):
        succeed("simulate", place / "w.swf", "--policy", policy, "-o", link)
    assert kind_of(link) == Kind.SCHEDULE
    assert target.read_text() == ""  # a link is replaced, not followed


def test_nothing_is_written_where_the_names_of_a_log_would_be_read(place: Path) -> None:
    """Also where the log has none: every command would then refuse the log."""
    log, names = place / "w.swf", place / "w.swf.names.json"
    names.unlink(missing_ok=True)
    refusal = command("simulate", log, "-o", names)
    assert (refusal.status, names.exists()) == (2, False)
    assert refusal.err.endswith(f"--output would overwrite the names of {log}; give it another name\n")
