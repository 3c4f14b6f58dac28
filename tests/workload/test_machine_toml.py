"""machine.toml is written and read without a loss, and read as an owner writes it."""

from pathlib import Path

import pytest

from paretosched import InputError, Machine, NodeKind, Outage, Partition, read_machine, save_machine
from paretosched.workload.limits import Limits
from paretosched.workload.machine import Reservation
from paretosched.workload.machine_toml import machine_of_text, machine_text

FULL = Machine(
    (
        NodeKind("n[1-3]", 4, 8000, {"gpu": 2, "a b".replace(" ", "."): 1}, 100, ("ib", "neu-ä"), 7, 2),
        NodeKind("b01", 64, 2**20),
    ),
    (
        Partition(
            "long", "n[1-2],b01", 3, 90061, 59, 2, 3, 100, None, 200, None, True, True, False, True,
            ("a1", "a2"), (), ("q",), (), "own",
        ),
        Partition("short", not_accounts=("x",), not_qos=("y",), memory_per_node=5, most_memory_per_node=9),
    ),
    {"matlab": 3, "ansys@site": 1},
    (Outage("n1", 0, 1_700_000_000, 'a "reason"'), Outage("b01", 5)),
    "linear",
    "node",
    False,
    "my machine\\",
    ("guessed with a \x1f\" sign".replace("\x1f", ""), "two"),
    {"s1": "n[1-2]", "s.2": "b01"},
    (
        Limits("a \"q\"", "", "", "", {"MaxJobsPU": 0, "MaxTRESPU": {"mem": 5, "gres/gpu:a": 4}}, ("OverPartQOS",)),
        Limits("", "bio", "ines", "gpu", {"MaxWall": 90_061, "GrpTRES": {"mem": 3 * 2**20, "node": 2, "bb/x": 7}}),
        Limits("b", "", "", "", {"GrpWall": 59, "GrpTRESRunMins": {"cpu": 1}}, ("DenyOnLimit", "NoReserve")),
    ),
    {"sea": "bio", "bio": "root"},
    (
        Reservation("week 1".replace(" ", ""), "n1", 1_700_000_000, 1_700_003_600, ("ines",), ("-bio",), ("MAINT",)),
        Reservation("ever", "ALL", 0, 2**53),
    ),
)  # fmt: skip


def test_a_full_machine_comes_back_exactly(tmp_path: Path) -> None:
    assert machine_of_text(machine_text(FULL), "m.toml") == FULL
    save_machine(FULL, tmp_path / "m.toml")
    assert read_machine(tmp_path / "m.toml") == FULL


def test_what_is_as_usual_is_not_written() -> None:
    text = machine_text(Machine((NodeKind("n[1-2]", 4, 8000),)))
    assert 'hosts = "n[1-2]"\ncores = 4\nmemory = 8000\n' in text
    assert "weight" not in text.partition("[[nodes]]")[2]
    assert "[[nodes]]  # 2 with 4 CPUs each" in text


def test_an_owner_may_write_sizes_and_times_in_words() -> None:
    text = """
    [[nodes]]
    hosts = "n[1-4]"
    cores = 32
    memory = "187G"
    [[partitions]]
    name = "a"
    longest = "3-00:00:00"
    usual = 3600
    [[down]]
    hosts = "n1"
    begin = 2024-03-01T00:00:00Z
    end = 2024-03-01T02:00:00+01:00
    """
    machine = machine_of_text(text, "m.toml")
    assert machine.kinds[0].memory == 187 * 1024
    assert (machine.partitions[0].longest, machine.partitions[0].usual) == (259200, 3600)
    assert machine.down[0].end - machine.down[0].begin == 3600


def test_limits_are_written_as_sacctmgr_names_them() -> None:
    text = """
    [[nodes]]
    hosts = "n[1-4]"
    cores = 32
    memory = "187G"
    [[limits]]
    qos = "normal"
    flags = ["DenyOnLimit"]
    MaxJobsPU = 8
    MaxTRESPU = { cpu = 64, "gres/gpu" = 4, mem = "64G" }
    MaxWall = "2-00:00:00"
    [[limits]]
    account = "bio"
    GrpTRES = "cpu=9,mem=100"
    MaxWall = 60
    [accounts]
    bio = "root"
    [[reservations]]
    name = "course"
    hosts = "n1"
    begin = 2024-03-01T00:00:00Z
    end = 2024-03-01T02:00:00+01:00
    users = ["ines"]
    """
    machine = machine_of_text(text, "m.toml")
    of_qos = {"MaxJobsPU": 8, "MaxTRESPU": {"cpu": 64, "gres/gpu": 4, "mem": 64 * 2**20}, "MaxWall": 172_800}
    of_account = {"GrpTRES": {"cpu": 9, "mem": 102_400}, "MaxWall": 3600}  # minutes, as sacctmgr takes a number alone
    assert machine.limits == (
        Limits("", "bio", "", "", of_account),
        Limits("normal", "", "", "", of_qos, ("DenyOnLimit",)),
    )
    assert machine.accounts == (("bio", "root"),)
    (course,) = machine.reservations
    assert (course.end - course.begin, course.users) == (3600, ("ines",))
    assert 'MaxTRESPU = { cpu = 64, "gres/gpu" = 4, mem = "64G" }' in machine_text(machine)
    assert 'MaxWall = "2-00:00:00"' in machine_text(machine)


def test_limits_that_are_the_same_for_several_are_one_table() -> None:
    kept = tuple(Limits("", "bio", user, "", {"MaxJobs": 3}) for user in ("ann", "bob"))
    kept += (Limits("", "sea", "", "", {"MaxJobs": 3}), Limits("q", "", "", "", {"MaxJobsPU": 3}))
    machine = Machine((NodeKind("n1", 4, 8000),), limits=kept[::-1])
    text = machine_text(machine)
    assert '[[limits]]\naccount = ["bio", "bio", "sea"]\nuser = ["ann", "bob", ""]\nMaxJobs = 3\n' in text
    assert machine_of_text(text, "m.toml") == machine
    one = text.replace('["bio", "bio", "sea"]', '"bio"').replace(', ""]', "]")
    assert machine_of_text(one, "m.toml").limits == (kept[0], kept[1], kept[3])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[nodes]\n", "m.toml: a machine must be TOML, but is not: "),
        ("[[nodes]]\nhosts = 'n1'\n", "m.toml: nodes 1: cores is missing"),
        ("[[nodes]]\nhosts = 'n1'\ncores = 1\nmemory = 1\nmemmory = 1\n", "also memmory; did you mean memory?"),
        ("[[nodes]]\nhosts = 'n1'\ncores = 'x'\nmemory = 1\n", "cores must be a whole number"),
        ("[[nodes]]\nhosts = 5\ncores = 1\nmemory = 1\n", "hosts must be a list such as n[1-64] as a text"),
        ("[[nodes]]\nhosts = 'n1'\ncores = 1\nmemory = 'big'\n", 'memory must be MiB, or a size such as "187G"'),
        ("[[nodes]]\nhosts = 'n1'\ncores = 1\nmemory = 1\ngpus = 2\n", "gpus must be TYPE = NUMBER in braces"),
        ("[[nodes]]\nhosts = 'n1'\ncores = 1\nmemory = 1\nfeatures = 'a'\n", "features must be a list of words"),
        ("nodes = 5\n", "nodes must be tables, [[nodes]], but are not"),
        ("format = 'paretosched machine 9'\n", "format must be"),
        ("node = 1\n", "did you mean nodes?"),
        ("licences = 1\n", "licences must be a table"),
        ("limits = 1\n", "limits must be tables [[limits]]"),
        ("limits = [1]\n", "limits 1 must be a table [[limits]], but is 1"),
        ("[[limits]]\nqos = 'a'\nMaxJobPU = 1\n", "did you mean MaxJobsPU?"),
        ("[[limits]]\nqos = 'a'\nMaxJobsPU = 1.5\n", 'limits 1: MaxJobsPU must be a whole number, but is "1.5"'),
        ("[[limits]]\nqos = 'a'\nMaxTRES = { cpu = 'x' }\n", "limits 1: MaxTRES must be NAME=NUMBER"),
        ("[[limits]]\naccount = ['a', 'b']\nuser = ['a']\n", "limits 1: lists of account and user must be as long as"),
        ("[[limits]]\nqos = ['a', 5]\n", "limits 1: qos must be a text on one line"),
        ("[[limits]]\nMaxJobs = 1\n", "limits 1: limits must be of a QOS, or of an account"),
        ("[[limits]]\nqos = 'a'\nflags = 'x'\n", "limits 1: flags must be a list of words"),
        ("accounts = ['a']\n", "accounts a table [accounts]"),
        ("[[reservations]]\nname = 'a'\nhosts = 'n1'\nbegin = 1\n", "reservations 1: end is missing"),
        ("[switches]\ns1 = 4\n", 'switches must be a table [switches] of NAME = "HOSTS"'),
        ("", "a machine must have one kind of nodes or more"),
        (
            "[[nodes]]\nhosts='n1'\ncores=1\nmemory=1\n[[partitions]]\nname='a'\nlongest='3 days'\n",
            "[days-]hours:minutes",
        ),
        ("[[nodes]]\nhosts='n1'\ncores=1\nmemory=1\n[[partitions]]\nname='a'\nexclusive='yes'\n", "type bool"),
        ("a = " + "[" * 5000 + "]" * 5000, "m.toml: a machine must be TOML"),
    ],
)
def test_what_is_no_machine_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        machine_of_text(text, "m.toml")
    assert words in str(error.value)
    assert str(error.value).startswith("m.toml: ")


def test_the_name_of_the_file_must_end_in_toml(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.toml"):
        save_machine(FULL, tmp_path / "m.json")
