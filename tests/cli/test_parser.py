"""An error in a command line is one line, with the nearest right word and the help of that command."""

import re
from pathlib import Path

import pytest

from paretosched.cli import command_line
from paretosched.cli.command_line import COMMANDS, all_commands
from support.commands import command, process, succeed


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["explore", "--evaluation", "3"], 'explore: unknown option "--evaluation"; did you mean --evaluations?'),
        (["explore", "w", "-o", "r", "--qqqqqqqq=3"], 'explore: unknown option "--qqqqqqqq"'),
        (["train", "--gen=3"], 'train: unknown option "--gen"; did you mean --generations?'),
        (["train", "w", "--objectiv=10*AWRT1 + UTIL"], 'train: unknown option "--objectiv"; did you mean --objective?'),
        (["simulate", "w", "-policy", "easy"], 'simulate: unknown option "-policy"; did you mean --policy?'),
        (["simulate", "w", "--Policy", "easy"], 'simulate: unknown option "--Policy"; did you mean --policy?'),
        (["simulate", "w", "--save_poli"], 'simulate: unknown option "--save_poli"; did you mean --save-policy?'),
        (["info", "w", "--qqq", "--jsn"], 'info: unknown option "--qqq"'),
        (["info", "w", "-x"], 'info: unknown option "-x"'),
        (["info", "w", "second"], 'info: unexpected argument "second"'),
        (["generate", "lublin", "nasa", "-o", "x"], 'generate: unexpected argument "nasa"'),
        (
            ["explore", "w", "-o", "r", "--algorithm", "nsag2"],
            "explore: argument --algorithm: must be one of nsga2, nsga, unsga3, agemoea2, rvea, archive, random, all, "
            'but is "nsag2"; did you mean nsga2?',
        ),
        (
            ["train", "w", "--backfill", "x"],
            'train: argument --backfill: must be one of none, easy, conservative, but is "x"',
        ),
        (["app", "run", "--port=--"], 'app: argument --port: must have a value, but has "--"'),
        (["front", "run", "-o--"], 'front: argument -o: must have a value, but has "--"'),
        (["completion", "fish"], 'completion: argument SHELL: must be one of bash, zsh, but is "fish"'),
    ],
)  # fmt: skip
def test_what_a_command_does_not_know_is_refused_with_its_own_help(words: list[str], error: str) -> None:
    outcome = command(*words)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"paretosched {error} (see paretosched {words[0]} --help)\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["explor", "w"], 'unknown command "explor"; did you mean explore? (see paretosched explore --help)'),
        (["EXPLAIN"], 'unknown command "EXPLAIN"; did you mean explain? (see paretosched explain --help)'),
        (["--verson"], 'unknown option "--verson"; did you mean --version? (see paretosched --help)'),
        (["--evaluations", "3", "explore"], 'unknown option "--evaluations" (see paretosched --help)'),
        (
            ["fly"],
            'unknown command "fly"; the commands are info, import, machine, generate, scale, resample, fetch, '
            "simulate, explore, train, explain, front, compare, whatif, deploy, review, app, assign, completion "
            "(see paretosched --help)",
        ),
    ],
)
def test_unknown_commands_are_refused_with_the_nearest_one(words: list[str], error: str) -> None:
    outcome = command(*words)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"paretosched: {error}\n")


def test_no_command_at_all_is_told_which_there_are() -> None:
    outcome = command()
    assert outcome.status == 2
    assert outcome.err.startswith("paretosched: a command must come first: info, import, machine, generate, ")


def test_what_looks_like_an_option_may_still_be_a_value_or_a_file() -> None:
    parse = all_commands().parse_args
    assert parse(["info", "--", "--log.swf"]).trace == "--log.swf"
    assert parse(["explore", "w", "-orun", "--jump=-3", "--frequency", "-2"]).jump == -3
    assert parse(["train", "w", "-o", "p", "--objective=-UTIL"]).objective == "-UTIL"
    assert succeed("explore", "--help", "--nonsense").out == succeed("explore", "--help").out


@pytest.mark.slow
def test_every_way_to_start_is_called_the_same() -> None:
    for words in (["info", "--help"], ["--help"], ["inf"]):
        ways = [process(*words), process(*words, module="paretosched")]
        assert ways[0].stdout == ways[1].stdout
        assert ways[0].stderr == ways[1].stderr
        assert (ways[0].stdout + ways[0].stderr).startswith(("usage: paretosched", "paretosched: unknown command"))


MOST = 15  # options of --help


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_what_most_need_and_help_all_the_rest(name: str) -> None:
    few, whole = succeed(name, "--help").out, succeed(name, "--help-all").out
    options, all_options = options_shown(few), options_shown(whole)
    assert options[0] == "-h"
    assert len(options) <= MOST
    assert set(options) < set(all_options)
    parser = all_commands(name).commands[name]
    assert len(all_options) == sum(bool(action.option_strings) for action in parser._actions)
    count = len(all_options) - len(options)
    assert few.splitlines()[-1] == f"paretosched {name} --help-all shows {count} more options"
    assert "--help-all shows" not in whole
    assert set(re.findall(r"--[a-z-]+", few.partition("\n\n")[0])) <= set(
        re.findall(r"--[a-z-]+", few[few.index("\n\n") :])
    )


def options_shown(text: str) -> list[str]:
    """Return the first name of each option that a help shows, in its order."""
    return [line.split()[0].rstrip(",") for line in text.splitlines() if re.match("  -", line)]


def test_options_of_long_commands_are_in_groups_that_teach() -> None:
    for name, groups, words in (
        ("explore", ["how the log is read", "the search", "sequences", "plans", "workers"], "--help-all"),
        ("explore", ["how the log is read", "the search", "where to look", "workers"], "--help"),
        (
            "train",
            ["what is wanted", "the data", "Greedy (paper 000)", "rule bases (paper 001)", "the run", "workers"],
            "--help-all",
        ),
    ):
        outcome = succeed(name, words).out
        places = [outcome.index(f"\n{group}:\n  ") for group in groups]
        assert places == sorted(places)
        first = outcome[outcome.index("\noptions:\n") :].partition("\n\n")[0]
        few = ["-h", "--json", "-o"]
        assert options_shown(first) == (few if words == "--help" else [*few[:2], "--remarks", "--help-all", "-o"])
    assert "\nsequences:\n" not in succeed("explore", "--help").out  # a heading without options is not shown


def test_what_only_help_all_shows_is_understood_like_any_option() -> None:
    options = all_commands("explore").parse_args(["explore", "w", "-o", "r", "--moves", "pull", "--lag=7"])
    assert (options.moves, options.lag, options.remarks) == ("pull", 7, False)
    assert command("explore", "--help-al").err.startswith(
        'paretosched explore: unknown option "--help-al"; did you mean '
    )


def test_every_command_has_a_file_of_its_name() -> None:
    files = Path(command_line.__file__).parent.glob("command_*.py")
    assert {path.stem.removeprefix("command_") for path in files} - {"line"} == {*COMMANDS}
    assert list(all_commands().commands) == [*COMMANDS]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_alone_reads_its_words_as_among_all_commands(name: str) -> None:
    """Only the modules of one command are imported for it; `completion` writes a script for all."""
    alone, among = all_commands(name), all_commands()
    assert alone.commands[name].format_help() == among.commands[name].format_help()
    assert list(alone.commands) == ([name] if name != "completion" else [*COMMANDS])


@pytest.mark.parametrize(("command_name", "option"), [("front", "--wish"), ("train", "--objective")])
def test_a_wish_that_begins_with_a_minus_is_told_how_to_be_written(command_name: str, option: str) -> None:
    refusal = command(command_name, "w.swf", option, "-AWRT1")
    assert refusal.status == 2
    assert (
        f'argument {option}: expected one argument; one that begins with a minus needs an "=" before it' in refusal.err
    )
    assert f"as in {option}=-UTIL" in refusal.err
