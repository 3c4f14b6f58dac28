"""`paretosched completion`: real shells complete commands, options, their words, and files."""

import os
import pty
import re
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.commands import COMMANDS, command, succeed

PLACES = ["my log.swf", "run", "w.swf"]  # a directory and two files
POLICIES = ["fcfs", "list", "easy", "conservative", "conservative-replan", "recorded", "scojo", "scojo-opt"]
POLICIES += ["sjf", "saf", "lxf", "wfp3", "unicef", "learned-f1", "learned-f2", "learned-f3", "learned-f4", "priority"]
ALGORITHMS = ["nsga2", "nsga", "unsga3", "agemoea2", "rvea", "archive", "random", "all"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shell")
    (place / "run").mkdir()
    for name in ("my log.swf", "w.swf"):
        (place / name).touch()
    return place


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scripts")
    for shell in ("bash", "zsh"):
        (place / f"_paretosched_{shell}").write_text(succeed("completion", shell).out)
    return place


@pytest.mark.skipif(shutil.which("bash") is None, reason="NO bash: its completion was not tried")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ex"], ["explore", "explain"]),
        ([""], list(COMMANDS)),
        (["explore", "--algo"], ["--algorithm"]),
        (["explore", "w.swf", "--algorithm", ""], ALGORITHMS),
        (["explore", "--algorithm", "nsg"], ["nsga2", "nsga"]),
        (["explore", ""], PLACES),
        (["explore", "w.swf", "-o", ""], ["run"]),
        (["explore", "w.swf", "-o", "run", "--evaluations", "9", "--pl"], ["--plan"]),
        (["info", "my"], ["my log.swf"]),
        (["train", "w.swf", "--json", "--rule-base", ""], ["iterative", "symbiotic"]),
        (["simulate", "w.swf", "--policy", ""], POLICIES + PLACES),
        (["compare", "w.swf", "--policy", "easy", "--policy", "sco"], ["scojo", "scojo-opt"]),
        (["info", "w.swf", "--groups", "q"], ["qos", "queue"]),
        (["fetch", "CTC"], ["CTC-SP2"]),
        (["generate", ""], ["lublin"]),
        (["completion", ""], ["bash", "zsh"]),
    ],
)
def test_bash_completes(folder: Path, scripts: Path, words: list[str], expected: list[str]) -> None:
    ask = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '"$(complete -p paretosched | sed "s/.*-F //; s/ .*//")"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    outcome = subprocess.run(
        ["bash", "--norc", "-c", ask, "bash", scripts / "_paretosched_bash", "paretosched", *words],
        cwd=folder, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert sorted(outcome.stdout.splitlines()) == sorted(expected)
    assert outcome.stderr == ""


@pytest.fixture(scope="module")
def zsh(folder: Path, scripts: Path) -> Iterator[Callable[[str], str]]:
    """A function that returns the line of an interactive zsh after the Tab key, in a pseudo-terminal."""
    if shutil.which("zsh") is None:
        pytest.skip("NO zsh: its completion was not tried")
    shutil.copy(scripts / "_paretosched_zsh", scripts / "_paretosched")
    (scripts / ".zshrc").write_text(
        'fpath=("$ZDOTDIR" $fpath); autoload -Uz compinit; compinit -u -D\n'
        "PS1=; setopt noautomenu nolistbeep\n"
        'say-line() { print -r -- "LINE<$BUFFER>"; BUFFER=; }\n'
        "zle -N say-line; bindkey '^X' say-line\n"
        "print READY\n"
    )
    near, far = pty.openpty()
    child = subprocess.Popen(
        ["zsh", "-d", "-i"], cwd=folder, env=os.environ | {"ZDOTDIR": str(scripts), "TERM": "dumb", "COLUMNS": "500"},
        stdin=far, stdout=far, stderr=far, start_new_session=True,
    )  # fmt: skip
    os.close(far)

    def until(pattern: bytes) -> re.Match[bytes]:
        text_so_far = b""
        while not (match := re.search(pattern, text_so_far)):
            assert select.select([near], [], [], 30)[0], text_so_far
            text_so_far += os.read(near, 1 << 16)
        return match

    def completions(line: str) -> str:
        os.write(near, line.encode() + b"\t\x18")
        return until(rb"LINE<([^>]*)>")[1].decode().rstrip()

    until(rb"READY")
    yield completions
    child.kill()
    child.wait()
    os.close(near)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ex", "expl"),
        ("expla", "explain"),
        ("explore --algo", "explore --algorithm"),
        ("explore w.swf --algorithm age", "explore w.swf --algorithm agemoea2"),
        ("explore --seed 3 w", "explore --seed 3 w.swf"),
        ("explore w.swf -o ", "explore w.swf -o run/"),
        ("simulate w.swf --policy li", "simulate w.swf --policy list"),
        ("simulate w.swf --policy my", "simulate w.swf --policy my\\ log.swf"),
        ("train w.swf --rule-base sy", "train w.swf --rule-base symbiotic"),
        ("train w.swf my", "train w.swf my\\ log.swf"),
        ("info w.swf --groups qu", "info w.swf --groups queue"),
        ("fetch CTC", "fetch CTC-SP2"),
        ("completion z", "completion zsh"),
    ],
)
def test_zsh_completes(zsh: Callable[[str], str], line: str, expected: str) -> None:
    assert zsh(f"paretosched {line}").removesuffix("/") == f"paretosched {expected}".removesuffix("/")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_help_says_how_to_install_it(shell: str) -> None:
    outcome = succeed("completion", "--help").out
    assert f"to have it in every {shell}:" in outcome
    assert re.search(rf"paretosched completion {shell} > ~/\S+paretosched\n", outcome)


def test_other_shells_are_refused() -> None:
    outcome = command("completion", "fish")
    assert (outcome.status, outcome.out) == (2, "")
