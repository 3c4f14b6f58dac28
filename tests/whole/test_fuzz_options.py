"""Fuzz tests of options: absurd values and wrong usage are refused in one line that names the option."""

import re
from pathlib import Path

import pytest

import paretosched as ps
from support.commands import COMMANDS, command, files, process, succeed
from support.fuzzing import LONG, refusal, sound

LIMIT = str(10**30)


# --- options ------------------------------------------------------------------------------------------------------

WORDS = ("", "abc", "1.5.2", "--", "9" * 5000)
ABSURD: dict[str, dict[str, tuple[str, ...]]] = {
    "info": {
        "--capacity": ("0", "-1", "1.5", "nan", "1e400", LIMIT),
        "--groups": ("2,8", "0", "100", "nan", "8,-1", ""),
    },
    "deploy": {
        "--to": ("lsf", ""),
        "--period": ("nan", "1e400", "-1"),
        "--share": ("nan", "0", "100"),
        "--width": ("cores",),
    },
    "generate": {
        "--jobs": ("0", "-1", "1e4", "nan", str(10**12), LIMIT),
        "--processors": ("0", "-1", "31", "nan", str(2**31), LIMIT),
        "--seed": ("-1", "nan", "1e400"),
        "--variant": ("both",),
        "--estimates": ("none",),
    },
    "scale": {
        "--processors": ("0", "-1", "nan", str(2**31), LIMIT),
        "--factor": ("0", "-1", "0.5", "nan", "inf", "-inf", "1e400", LIMIT),
        "--jobs": ("0", "-1", "59", "nan", str(10**12), LIMIT),
        "--seed": ("-1", "nan"),
        "--capacity": ("0", LIMIT),
    },
    "resample": {
        "--load": ("0", "-1", "11", "nan", "inf", "-inf", "1e400", LIMIT),
        "--double": ("", "6", "all"),
        "--seed": ("-1", "nan"),
        "--capacity": ("0", LIMIT),
    },
    "simulate": {
        "--capacity": ("0", "-1", LIMIT),
        "--policy": ("greedy", "EASY", "none.json", ""),
        "--row": ("-1", "1000000", LIMIT, "nan"),
        "--estimates": ("guessed", "EXACT", ""),
        "--users": ("often", "REACT", ""),
        "--backfill": ("some", "easy:0", "easy for", ""),
        "--backfill-order": ("easy", "wiat", ""),
    },
    "explore": {
        "--evaluations": ("0", "-1", "3", "nan", str(10**12), LIMIT),
        "--population": ("0", "-1", "3", "nan", str(10**12), LIMIT),
        "--seed": ("-1", "nan"),
        "--workers": ("-1", "10000", "nan", LIMIT),
        "--backfill": ("some",),
        "--algorithm": ("nsga9",),
        "--scheduler": ("", "abc", "http://127.0.0.1:1", "tcp://127.0.0.1", "tls://127.0.0.1:1"),
        "--capacity": ("0", LIMIT),
    },
    "train": {
        "--objective": ("", "AWRT9", "10*", "none.json", "a\0.json", LONG + ".json", LIMIT),
        "--generations": ("0", "-1", "nan", str(10**12), LIMIT),
        "--train-until": ("0", "1", "-1", "70", "nan", "inf", LIMIT),
        "--seed": ("-1", "nan"),
        "--workers": ("-1", "10000", "nan", LIMIT),
        "--criterion": ("f5", ""),
        "--backfill": ("some",),
        "--over": ("mean",),
        "--resample": ("-1", "1", "1001", "nan", LIMIT),
        "--margin": ("-1", "1", "51", "nan", "much", "", "auto", LIMIT),
        "--strategy": ("sa",),
        "--scale": ("ln",),
        "--scheduler": ("", "abc"),
        "--capacity": ("0", LIMIT),
    },
    "rules": {
        "--objective": ("", "AWRT9", "10*", "none.json", LIMIT),
        "--rule-base": ("fuzzy", "", "Iterative"),
        "--evaluations": ("0", "-1", "nan", "1.5", str(10**12), LIMIT),
        "--greedy": ("greedy", "easy", "none.json", ""),
        "--train-until": ("0", "1", "-1", "70", "nan", "inf", LIMIT),
        "--over": ("mean",),
        "--seed": ("-1", "nan"),
        "--workers": ("-1", "10000", "nan", LIMIT),
        "--capacity": ("0", LIMIT),
    },
    "compare": {
        "--rolling": ("0", "1", "-1", "401", "nan", "1.5", LIMIT),
        "--policy": ("greedy", "none.json", ""),
        "--backfill": ("some", "easy:0", ""),
        "--backfill-order": ("easy", "wiat", ""),
        "--capacity": ("-1", LIMIT),
        "--objective": ("", "AWRT9", "10*", "none.json", "a\0.json", LONG + ".json", LIMIT),
    },
    "whatif": {
        "--nodes": ("+0", "-64", "+2 gpu", "down n1", "", LIMIT),
        "--load": ("0", "-1", "1", "11", "nan", "inf", "1e400", LIMIT),
        "--group": ("", "1", "1 x30", "nobody x2"),
        "--limit": ("", "24", "0h", "gpu 24h", "nothing=3"),
        "--price": ("", "cpu", "cpu=0", "gpu=3", "cpu=nan", "cpu=-1"),
        "--policy": ("greedy", "none.json", ""),
        "--draws": ("0", "-1", "1001", "nan", LIMIT),
        "--seed": ("-1", "nan"),
        "--capacity": ("0", LIMIT),
    },
    "app": {
        "--port": ("-1", "65536", "nan", LIMIT),
        "--host": ("999.1.1.1", "not a host", LONG, ""),
        "--tls-proxy": ("", "a", "http://a", "https://", "https://a/b", "https://a:65536", "https://a b", LONG),
        "--capacity": ("0", "5", LIMIT),
        "--groups": ("2,8", "swf", "nan"),
    },
    "assign": {
        "--method": ("ga", "LPT", ""),
        "--iterations": ("-1", "nan", "1.5", LIMIT),
        "--seed": ("-1", "nan", "1e400"),
        "--line": ("straight", ""),
        "--population": ("0", "1", "-1", "nan", str(10**12), LIMIT),
        "--tournament": ("0", "-1", "51", "nan", LIMIT),
        "--crossover": ("-0.1", "1.1", "nan", "inf"),
        "--mutation": ("-0.1", "1.1", "nan", "inf"),
        "--elite": ("-1", "50", "nan", LIMIT),
        "--keep": ("-0.1", "1.1", "nan"),
        "--tolerance": ("-0.1", "nan", "inf"),
        "--start": ("tga", "", "LPT"),
    },
}  # fmt: skip
TEXTS = ("--groups", "--method", "--line", "--start", "--variant", "--estimates", "--policy", "--backfill",
         "--algorithm", "--scheduler", "--objective", "--criterion", "--over", "--strategy", "--scale",
         "--host", "--tls-proxy", "--rule-base", "--greedy", "--backfill-order")  # fmt: skip


@pytest.mark.parametrize(("name", "option"), [(name, option) for name, options in ABSURD.items() for option in options])
def test_absurd_values_are_refused_under_the_name_of_their_option(
    house: Path, tmp_path: Path, name: str, option: str
) -> None:
    front = ["--front", house / "run"] if option == "--row" else []
    for value in (*ABSURD[name][option], *(WORDS if option not in TEXTS else ())):
        begin = sound(name, house, tmp_path)
        names = (
            value if value.endswith(".json") and "\0" not in value else option.removeprefix("--").removeprefix("train-")
        )
        refusal(*begin, *front, option, value, names=names, below=tmp_path)
    assert files(tmp_path) == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_usage_is_refused(house: Path, tmp_path: Path, name: str) -> None:
    begin = sound(name, house, tmp_path)
    for wrong in (["--nonsense"], ["--jsonx"], ["--js"], ["-x"], ["--nonsense=3"], ["--json=3"]):
        refusal(*begin, *wrong, names=wrong[0].split("=")[0], below=tmp_path)
    if name != "front":
        refusal(*begin, "one too many", names="one too many", below=tmp_path)
    if name != "fetch":  # which shows what there is
        refusal(name, names="required", below=tmp_path)
    for place, option in enumerate(begin):
        if isinstance(option, str) and option.startswith("-") and option != "--accept-worse":  # which has no value
            refusal(*begin[: place + 1], names=option, below=tmp_path)  # its value is missing
    assert files(tmp_path) == {}


def test_wrong_commands_are_refused() -> None:
    for arguments in ((), ("nonsense",), ("",), ("--nonsense",), ("--nonsense", "info"), ("INFO",), ("inf", "w.swf")):
        outcome = command(*arguments)
        assert (outcome.status, outcome.out) == (2, "")
        assert re.fullmatch(r"paretosched( info)?: [^\n]+ \(see paretosched( info)? --help\)\n", outcome.err), outcome
    refusal("generate", "feitelson", "-o", "x", names="MODEL")
    assert "did you mean CTC-SP2" in refusal("fetch", "CTC", names="CTC")
    refusal("fetch", LONG, names=LONG)


def test_names_that_are_too_long_are_refused(house: Path, tmp_path: Path) -> None:
    """The system refuses names of more than 255 letters where files are looked for, too."""
    review = ("review", house / "imported.swf", "--policy", "easy", "--objective", "AWRT", "--since", "1990-01-01")
    refusal(*review, "--log", tmp_path / LONG, names=LONG)
    policy = house / "g.json"
    refusal(
        "deploy", policy, "--to", "slurm", "--unit", "--groups", tmp_path / LONG, names="--groups: must be a file here"
    )
    (tmp_path / "slurm.conf").write_text(f"PriorityType=priority/multifactor\nInclude {LONG}\n")
    refusal("simulate", house / "w.swf.gz", "--policy", tmp_path / "slurm.conf", names="slurm.conf:2: ")


def test_options_that_exclude_each_other_are_named(house: Path, tmp_path: Path) -> None:
    simulate = ("simulate", house / "w.swf.gz")
    refusal(*simulate, "--row", 0, names="--row")
    refusal(*simulate, "--front", house / "run", "--policy", "easy", names="--policy")
    explore = sound("explore", house, tmp_path)
    refusal(*explore, "--workers", 1, "--scheduler", "tcp://127.0.0.1:1", names="workers and scheduler", below=tmp_path)


def test_options_of_greedy_and_of_rule_bases_are_not_mixed(house: Path, tmp_path: Path) -> None:
    train, rules = (sound(name, house, tmp_path) for name in ("train", "rules"))
    for option in (("--evaluations", 8), ("--greedy", house / "g.json"), ("--plus",), ("--defaults",)):
        refusal(*train, *option, names=f"{option[0]}: needs --rule-base", below=tmp_path)
    for option in (("--criterion", "f2"), ("--backfill", "easy"), ("--strategy", "es"), ("--scale", "linear")):
        refusal(*rules, *option, names=f"{option[0]}: is for Greedy", below=tmp_path)
    refusal(*rules, "--generations", 2, names="--generations: is for training", below=tmp_path)
    for option in ("--plus", "--defaults"):
        refusal(*rules, "--rule-base", "iterative", option, names=f"{option}: belongs to", below=tmp_path)
    refusal(*rules, "--greedy", house / "p.json", names="greedy must be", below=tmp_path)
    refusal(*rules, "--greedy", house / "iterative.json", names="greedy must be", below=tmp_path)
    refusal(*rules, "-o", house / "g.json", names="--output would overwrite the Greedy policy", below=tmp_path)


@pytest.mark.parametrize("name", ["explore", "train"])
def test_certificates_belong_together_and_to_a_scheduler(house: Path, tmp_path: Path, name: str) -> None:
    begin, log = sound(name, house, tmp_path), house / "w.swf.gz"
    there, files = ("--scheduler", "tls://127.0.0.1:1"), ("--tls-ca", log, "--tls-cert", log, "--tls-key", log)
    refusal(*begin, *there, *files[:4], names="--tls-key: --tls-ca, --tls-cert and --tls-key belong", below=tmp_path)
    refusal(*begin, *there, *files, names=f"{log}: must hold the certificate", below=tmp_path)
    refusal(*begin, *files, names="tls needs a scheduler at tls://", below=tmp_path)
    refusal(*begin, *there, names="needs certificates: --tls-ca, --tls-cert", below=tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("drops_connections")
def test_a_scheduler_that_does_not_answer_is_given_up(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    monkeypatch.setattr("paretosched.search.cluster.PATIENCE", 0.2)
    explore = sound("explore", house, tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts and says nothing
        addresses = [f"tcp://127.0.0.1:{silent.getsockname()[1]}", "tcp://127.0.0.1:1"]
        for address in addresses:
            refusal(*explore, "--scheduler", address, names=f'scheduler "{address}"', below=tmp_path)


def test_large_numbers_that_make_sense_are_taken(house: Path, tmp_path: Path) -> None:
    succeed("generate", "lublin", "--jobs", 5, "--seed", LIMIT, "--processors", 2**31 - 1, "-o", tmp_path / "w.swf")
    succeed("simulate", tmp_path / "w.swf", "--capacity", 2**31 - 1, "--policy", "conservative")
    words = ("simulate", tmp_path / "w.swf", "--policy", "scojo")
    assert "at most 16777216 processors, but has 2147483647" in refusal(*words, "--capacity", 2**31 - 1)
    succeed(
        "explore", tmp_path / "w.swf", "-o", tmp_path / "run", "--seed", LIMIT, "--evaluations", 8, "--population", 4
    )
    assert ps.load_front(tmp_path / "run").origins[0].seed == 10**30


@pytest.mark.slow
def test_a_few_as_processes(house: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.swf").write_text("1 2 3\n")
    for arguments, line in {
        ("info", tmp_path / "bad.swf"): f"info: {tmp_path / 'bad.swf'}:1: a job line must have 18 columns, "
        "but this one has 3",
        ("explore", house / "w.swf.gz", "-o", "/proc/run"): "explore: /proc/run: cannot make a run directory here: "
        "No such file or directory",
        ("generate", "lublin", "--jobs", 10**12, "-o", tmp_path / "x"): "generate: jobs must be in 1..20000000, "
        "but is 1000000000000",
    }.items():  # fmt: skip
        result = process(*arguments)
        assert (result.returncode, result.stdout, result.stderr) == (2, "", f"paretosched {line}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.swf"]
