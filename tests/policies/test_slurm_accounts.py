"""What sacctmgr prints becomes accounts, users and shares, or is refused in one line."""

import time
from pathlib import Path

import pytest

from paretosched import InputError
from paretosched.policies.fair_share import Association, FairShare
from paretosched.policies.slurm_accounts import QosWays, read_accounts
from paretosched.workload.limits import Limits

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
        (f"{HEAD}c|a|root|\n", "assoc.txt:2: a line must have 6 columns, but this one has 4"),
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
    assert time.monotonic() - began < 60  # of a list, 450 million names would be compared


TREE = """Account|User|RawShares|NormShares|FairShare|Cluster
root||1|1.0||lake
 fish||30|0.5|0.1|lake
  fish|ines|2|0.5|0.1|lake
  pike||7|0.5|0.1|lake
   pike|ines|parent|1.0|0.1|lake
 birds||parent|0.5|0.2|lake
Priority|Name|MaxJobsPU
3|normal|
8|rush|9
"""
LAKE = {
    Association("fish", shares=30),
    Association("birds", shares=None),
    Association("pike", within="fish", shares=7),
    Association("fish", "ines", shares=2),
    Association("pike", "ines", shares=None),
}


@pytest.mark.parametrize(
    ("text", "left_out", "limited", "others"),
    [
        ("dump.cfg", 1, 2, 0),
        ("sacctmgr.script", 1, 1, 1),
        (TREE, 0, 1, 0),
        (TREE.replace("RawShares", "Raw Shares"), 0, 1, 0),
    ],
    ids=["dump", "script", "sshare", "sshare of other versions"],
)
def test_one_site_in_other_words(text: str, left_out: int, limited: int, others: int, tmp_path: Path) -> None:
    path = SITE.parent / text
    if "|" in text:
        path = tmp_path / "shares"
        path.write_text(text, encoding="utf-8")
    result = read_accounts(path, "lake")
    assert {row for row in result.associations if row.user != "root"} == LAKE
    assert result.qos == {"normal": 3, "rush": 8}
    assert (result.left_out, len(result.limits), result.others, result.flat) == (left_out, limited, others, False)
    assert FairShare(associations=result.associations).names


def test_the_columns_of_the_command_are_known_without_their_names(tmp_path: Path) -> None:
    path = tmp_path / "shares"
    path.write_text("lake|root||||1\nlake|fish|root|||30\nlake|fish||ines||parent\n", encoding="utf-8")
    assert read_accounts(path, "lake").associations == (
        Association("fish", shares=30),
        Association("fish", "ines", shares=None),
    )


def test_a_table_without_parents_is_flat_and_one_of_qos_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "shares"
    path.write_text('"USER"|"Account"|"Share"|MaxJobs|\n|fish|30|5|\nines|fish|2||\n', encoding="utf-8")
    result = read_accounts(path, "lake")
    assert result.associations == (Association("fish", shares=30), Association("fish", "ines", shares=2))
    assert (result.flat, result.limits) == (True, (Limits("", "fish", "", "", {"MaxJobs": 5}),))
    path.write_text("Name|Priority|GraceTime|MaxWall\nnormal|3|00:00:00|1-00:00:00\n", encoding="utf-8")
    limits = (Limits("normal", "", "", "", {"MaxWall": 86_400}),)
    ways = {"normal": QosWays((), "", 0, None, 3)}
    assert read_accounts(path, "lake") == ((), {"normal": 3}, 0, limits, 0, False, 0, ways)


def test_how_jobs_of_a_qos_make_way_is_read_from_tables_and_commands(tmp_path: Path) -> None:
    """A grace of a number is seconds; PreemptMode=cluster is the usual one."""
    path = tmp_path / "qos"
    path.write_text(
        "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode\nLow|1|00:01:30|||requeue\n"
        "urgent|9|00:00:00|Low,normal|00:05:00|cluster\n",
        encoding="utf-8",
    )
    assert read_accounts(path, "").ways == {
        "low": QosWays((), "requeue", 90, None, 1), "urgent": QosWays(("low", "normal"), "", 0, 300, 9),
    }  # fmt: skip
    path.write_text(
        "sacctmgr add qos low Priority=1 GraceTime=60\nsacctmgr add qos urgent Priority=9 Preempt=low\n"
        "sacctmgr modify qos low set PreemptMode=cancel\n",
        encoding="utf-8",
    )
    assert read_accounts(path, "").ways == {
        "low": QosWays((), "cancel", 60, None, 1), "urgent": QosWays(("low",), "", 0, None, 9),
    }  # fmt: skip


@pytest.mark.parametrize("head", ["Account|User|MaxJobs|Par Name", "USER|MaxJobsPU|Account|ParentName|Partition"])
def test_a_table_of_limits_without_shares_gives_each_association_one(head: str, tmp_path: Path) -> None:
    path = tmp_path / "shares"
    names = [name.lower() for name in head.split("|")]
    lines = [
        "|".join({"account": "fish", "user": user, "maxjobs": most, "maxjobspu": most}.get(name, "") for name in names)
        for user, most in (("", "5"), ("ines", ""), ("jon", "2"))
    ]
    path.write_text("\n".join([head, *lines, "Name|MaxWall", "rush|60"]) + "\n", encoding="utf-8")
    result = read_accounts(path, "lake")
    assert result.associations == (Association("fish"), Association("fish", "ines"), Association("fish", "jon"))
    assert {row.shares for row in result.associations} == {1}
    assert (result.qos, result.without_shares) == (None, 3)
    most = "MaxJobsPU" if "PU" in head else "MaxJobs"
    assert result.limits == (
        Limits("", "fish", "", "", {most: 5}),
        Limits("", "fish", "jon", "", {most: 2}),
        Limits("rush", "", "", "", {"MaxWall": 3600}),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sacctmgr -i add user name=$U account=a\n", "shares:1: a command must have names, but "),
        ('add user "ines account=a\n', "shares:1: quotes must end, but those of "),
        ("add user ines account=a\n", 'shares:1: there is no line for account "a"; write all lines again'),
        ("add account a fairshare=many\n", 'shares:1: shares must be a number or "parent", but are "many"'),
        ("Parent - 'a'\nUser - 'ines'\n", 'shares:2: there is no line for account "a"'),
        ("# x\nhello\n", "shares:2: the first line must name the columns, but does not; write the file by: sacctmgr"),
        ("hello\none|two|3\n", "shares:1: the first line must name the columns"),
        ("exit\n", "there must be a line for each association, but there is none; write it by: sacctmgr -P"),
        ("one|two|3\n", "shares:1: the first line must name the columns"),
        ("JobID|User|Account|Priority\n7|ines|fish|4\n", "shares:1: the first line must name the columns"),
    ],
)
def test_what_cannot_be_understood_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "shares").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_accounts(tmp_path / "shares", "lake")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_message_has_a_few_of_many_clusters(tmp_path: Path) -> None:
    path = tmp_path / "assoc.txt"
    path.write_text(HEAD + "".join(f"c{number}|a|root|||1\n" for number in range(20_000)), encoding="utf-8")
    with pytest.raises(InputError, match=r"there are the clusters c0, c1, c2, c3, c4, c5, c6, c7, \.\.\., but"):
        read_accounts(path, "x")
