"""What sacctmgr prints becomes accounts, users and shares, or is refused in one line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.policies.fair_share import Association, FairShare
from paretosched.policies.slurm_accounts import read_accounts

SITE = Path(__file__).parents[1] / "data/slurm/assoc.txt"
HEAD = "Cluster|Account|ParentName|User|Partition|Share\n"


def test_what_slurm_printed() -> None:
    result = read_accounts(SITE, "loop")
    rows = result.associations
    assert rows[:4] == (
        Association("bio", shares=20),
        Association("shared", within="bio", shares=None),
        Association("physics", shares=30),
        Association("theory", within="physics", shares=10),
    )
    assert Association("root", "root") in rows
    assert Association("shared", "dora", shares=None) in rows
    assert Association("ta", "bert", shares=0) in rows
    assert (result.qos, result.left_out) == ({"normal": 2, "high": 10}, 0)
    assert FairShare(associations=rows).associations == rows


def test_accounts_come_before_those_in_them_and_other_clusters_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "assoc.txt"
    path.write_text(
        "User|Account|Par Name|Fairshare|Partition|Cluster\n"
        "|inner|outer|3||a\n"
        "anna|inner||2||a\n"
        "anna|inner||5|gpu|a\n"
        "|outer|root|4||a\n"
        "|outer|root|9||b\n",
        encoding="utf-8",
    )
    result = read_accounts(path, "A")
    assert result.associations == (
        Association("outer", shares=4),
        Association("inner", within="outer", shares=3),
        Association("inner", "anna", shares=2),
    )
    assert (result.qos, result.left_out) == (None, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there must be a line for each association, but there is none; write it by: sacctmgr -P show assoc"),
        (HEAD, "there must be a line for each association"),
        ("a|b\n", "assoc.txt:1: the first line must name the columns, but does not; write the file by: sacctmgr"),
        (f"{HEAD}c|a|root|\n", "assoc.txt:2: there must be 6 columns, but there are 4"),
        (f"{HEAD}c|a|root|||many\n", 'assoc.txt:2: shares must be a number or "parent", but are "many"'),
        (f"{HEAD}c|a|b|||1\n", 'assoc.txt:2: there is no line for account "b"; write all lines again'),
        (f"{HEAD}c|a|b|||1\nc|b|a|||1\n", 'account "a" is in itself'),
        (f"{HEAD}c|a|root|||1\nd|a|root|||1\n", 'there are the clusters c, d, but ClusterName of slurm.conf is "x"'),
        (
            f"{HEAD}c|a|root|||1\nName|Priority\nhigh|x\n",
            'assoc.txt:4: the priority of a QOS must be a number, but is "x"',
        ),
    ],
)
def test_what_is_no_list_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "assoc.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_accounts(tmp_path / "assoc.txt", "x")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_accounts_may_be_deep_in_each_other(tmp_path: Path) -> None:
    path = tmp_path / "assoc.txt"
    deep = [f"c|a{number}|a{number + 1}|||1\n" for number in range(30_000)]
    path.write_text(f"{HEAD}{''.join(deep)}c|a30000|root|||1\n", encoding="utf-8")
    began = time.monotonic()
    assert [row.account for row in read_accounts(path, "c").associations] == [f"a{k}" for k in range(30_000, -1, -1)]
    assert time.monotonic() - began < 4  # of a list, 450 million names would be compared


def test_a_message_has_a_few_of_many_clusters(tmp_path: Path) -> None:
    path = tmp_path / "assoc.txt"
    path.write_text(HEAD + "".join(f"c{number}|a|root|||1\n" for number in range(20_000)), encoding="utf-8")
    with pytest.raises(InputError, match=r"there are the clusters c0, c1, c2, c3, c4, c5, c6, c7, \.\.\., but"):
        read_accounts(path, "x")
