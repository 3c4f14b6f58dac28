"""A slurm.conf is read as slurm.conf(5) says, or refused in one line with the file and the line."""

import re
from pathlib import Path

import pytest

from paretosched import InputError, Priority
from paretosched.policies.policy import as_policy
from paretosched.policies.slurm_policy import read_slurm
from paretosched.policies.whole_nodes import WholeNodes
from paretosched.workload.slurm_conf import SlurmConf, read_slurm_conf

SITE = Path(__file__).parents[1] / "data/slurm/slurm.conf"


def read(folder: Path, text: str) -> SlurmConf:
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    return read_slurm_conf(folder / "slurm.conf")


def test_a_whole_file() -> None:
    conf = read_slurm_conf(SITE)
    assert (conf.text("ClusterName"), conf.text("slurmctldhost")) == ("loop", "head(127.0.0.1)")
    assert (conf.number("PriorityWeightAge"), conf.seconds("PriorityMaxAge", 0)) == (1000, 86400)
    assert conf.words("SchedulerParameters") == ("bf_job_part_count_reserve=8", "bf_window=2880", "bf_interval=60")
    rows = [{key: value.value for key, value in row.items()} for row in conf.partitions]
    assert rows == [
        {"partitionname": "batch", "nodes": "ALL", "maxtime": "2-0", "priorityjobfactor": "10", "default": "YES"},
        {"partitionname": "fast", "nodes": "n[1-2]", "maxtime": "60", "priorityjobfactor": "40"},
    ]
    assert [row["nodename"].value for row in conf.nodes] == ["n[1-3]", "n4"]
    assert conf.nodes[0]["corespersocket"].where.endswith("nodes.conf:1")


def test_comments_continuations_quotes_and_repetitions(tmp_path: Path) -> None:
    text = (
        'ClusterName=a # b=c\n#ClusterName=d\nPriorityType = \\\n  "priority/basic"\nSchedulerType=x\nschedulertype=y\n'
    )
    conf = read(tmp_path, text)
    assert {key: value.value for key, value in conf.settings.items()} == {
        "clustername": "a",
        "prioritytype": "priority/basic",
        "schedulertype": "y",
    }
    assert conf.settings["prioritytype"].where == f"{tmp_path}/slurm.conf:3"


def test_included_files_may_have_the_name_of_the_cluster(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("PriorityMaxAge=1:30\n", encoding="utf-8")
    assert read(tmp_path, "ClusterName=a\ninclude %c.conf\n").seconds("PriorityMaxAge", 0) == 90


def test_included_files_of_another_folder_may_be_copied_beside_the_first_one(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "nodes.conf").write_text("PriorityMaxAge=1:30\n", encoding="utf-8")
    for name in ("/etc/of/another/machine/nodes.conf", "parts/nodes.conf"):
        assert read(tmp_path, f"ClusterName=a\nInclude {name}\n").seconds("PriorityMaxAge", 0) == 90
    (tmp_path / "parts/nodes.conf").write_text("PriorityMaxAge=2:00\n", encoding="utf-8")
    assert read(tmp_path, "ClusterName=a\nInclude parts/nodes.conf\n").seconds("PriorityMaxAge", 0) == 120


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no slurm.conf: there is no ClusterName, SlurmctldHost, PartitionName,"),
        ("Font=large\n", "this is no slurm.conf"),
        (
            "; Version: 2.2\n1 2 3\n",
            'slurm.conf:1: a line of slurm.conf must be Key=Value or "Include FILE", but there is',
        ),
        (
            "ClusterName=a\n{}\n",
            'slurm.conf:2: a line of slurm.conf must be Key=Value or "Include FILE", but there is "{}"',
        ),
        (
            "ClusterName=a\nSchedulerParameters=bf_interval=30, bf_max_job_test=500,bf_resolution=300\n",
            "slurm.conf:2: a line of slurm.conf must have one setting, without blanks in its value, but behind "
            '"SchedulerParameters=bf_interval=30," comes "bf_max_job_test"',
        ),
        ("ClusterName=a\nPartitonName=p Nodes=ALL\n", 'comes "Nodes"; did you mean PartitionName?'),
        ("ClusterName=a\nInclude b.conf\n", "b.conf is to be included, but there is no such file; copy it, too"),
        ("Include %c.conf\n", "slurm.conf:1: %c needs a line ClusterName=... before it, but there is none"),
        (
            "ClusterName={{ name }}\n",
            "slurm.conf:1: this is a template and no slurm.conf: a program puts values in the",
        ),
        ("ClusterName=a\n{% for n in nodes %}\n", "slurm.conf:2: this is a template and no slurm.conf: a program puts"),
        ("{# ours #}\nClusterName=a\n", "slurm.conf:1: this is a template"),
        ("ClusterName=a\n<% @nodes.each do |n| %>\n", "slurm.conf:2: this is a template"),
        ("ClusterName=a\nNodeName=n1 CPUs=<%= @cpus %>\n", "slurm.conf:2: this is a template"),
        ("ClusterName=@NAME@\n", 'in the place of "@NAME@"; give the file that it writes'),
        ("ClusterName=${NAME}\n", 'in the place of "${NAME}"'),
        ("ClusterName={name}\n", 'in the place of "{name}"'),
        ("SlurmctldHost=<your host>\n", 'in the place of "<your host>"'),
        ("ClusterName=a\nInclude slurm.conf\n", "at most 64 files may be included, but there are more"),
    ],
)
def test_what_is_no_slurm_conf_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("begin", "line", "times", "message"),
    [
        (
            "PartitionName=DEFAULT A=1 B=2 C=3",
            "PartitionName=p",
            80_000,
            "must have at most 150,000 values, but has more",
        ),
        ("", "#", 2_500_000, "must be a text of at most 5,000,000 bytes, but is longer; --limit conf=N"),
        (
            "Include slurm.conf",
            "#",
            90_000,
            "slurm.conf with all that it includes must be at most 5,000,000 bytes, but",
        ),
    ],
    ids=["values", "bytes", "includes"],
)
def test_files_without_end_are_refused(begin: str, line: str, times: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, "\n".join(["ClusterName=a", begin, *[line] * times]))
    assert message in str(error.value)


def test_letters_and_ends_of_lines_of_other_systems_are_read(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_bytes(b"\xef\xbb\xbfCLUSTERNAME\t=\ta # f\xfcr uns\r\npriorityTYPE = \\\r\n\t'x'\r\nINCLUDE\tmore\r\n")
    (tmp_path / "more").write_bytes(b"# \xe9\n\tnodename=n1\tcpus=4\n")
    conf = read_slurm_conf(path)
    assert (conf.text("ClusterName"), conf.text("PriorityType")) == ("a", "'x'")
    assert [row["nodename"].value for row in conf.nodes] == ["n1"]


def test_what_looks_like_a_template_may_stand_in_a_comment(tmp_path: Path) -> None:
    assert read(tmp_path, "ClusterName=a  # {{ name }}, ${NAME}\n#<% x %>\n").text("ClusterName") == "a"


@pytest.mark.parametrize("text", ["1e3", "08", "-1", "5.", "0xg", "1m", "", "99999999999"])
def test_a_whole_number_must_be_one_as_slurm_reads_it(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"slurm\.conf:2: X must be a whole number up to 4294967295, but is"):
        read(tmp_path, f"ClusterName=a\nX={text}\n").number("X")


def test_lines_of_other_kinds_may_have_several_settings(tmp_path: Path) -> None:
    conf = read(tmp_path, "ClusterName=a\nFrontEndName=f Port=7\nPowerAction=p Program=/opt/p\n")
    assert set(conf.settings) == {"clustername"}


def test_yes_or_no_must_be_one(tmp_path: Path) -> None:
    assert [read(tmp_path, f"ClusterName=a\nX={text}\n").flag("X") for text in ("YES", "up", "0", "no")] == [
        True,
        True,
        False,
        False,
    ]
    assert not read(tmp_path, "ClusterName=a\n").flag("X")
    with pytest.raises(InputError, match=r'slurm\.conf:2: X must be yes or no, but is "maybe"'):
        read(tmp_path, "ClusterName=a\nX=maybe\n").flag("X")


@pytest.mark.parametrize("text", ["soon", "1-", "1:2:3:4", "-5", ""])
def test_a_time_must_be_one(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"slurm\.conf:2: PriorityMaxAge must be minutes, hours:minutes"):
        read(tmp_path, f"ClusterName=a\nPriorityMaxAge={text}\n").seconds("PriorityMaxAge", 5)


def test_odd_blanks_are_read_in_linear_time_and_odd_newlines_stay_in_their_comment(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text("ClusterName=c # \u2028NodeName=z CPUs=99\x85NodeName=y\r\nNodeName=n1\rNodeName=n2\n", "utf-8")
    assert [row["nodename"].value for row in read_slurm_conf(path).nodes] == ["n1", "n2"]
    path.write_text(f"include x{' ' * 200_000}y\n", "utf-8")  # took minutes
    with pytest.raises(InputError, match="there is no such file"):
        read_slurm_conf(path)


# ---- what scontrol prints

SHOWN = (SITE.parent / "scontrol.txt").read_text(encoding="utf-8")
CONFIG = SHOWN[: SHOWN.index("PartitionName=")]  # what "scontrol show config" prints alone


def test_what_scontrol_shows_is_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "shown.txt"
    path.write_text(CONFIG, encoding="utf-8")
    policy = as_policy(path)
    assert isinstance(policy, Priority)
    assert (policy.name, policy.order) == ("Slurm lake", ("floor(max(1, 70 * min(wait / 172800, 1) - nice))",))
    said = policy.provenance["slurm"]["remarks"]
    for part in (
        "PriorityWeightJobSize=9: without nodes it counts nothing",
        "PriorityWeightPartition=8: without partitions it counts nothing",
        "PriorityWeightTRES: without partitions and nodes CPUs count nothing",
        'scontrol show config has no partitions and nodes; append what "scontrol show partition" and "scontrol show',
    ):
        assert sum(line.startswith(part) for line in said) == 1, part
    assert not any("SuspendProgram" in line or "OverTimeLimit" in line for line in said)


@pytest.mark.parametrize(("shown", "said"), [("0 min", None), ("30 min", "30"), ("UNLIMITED", "UNLIMITED")])
def test_the_time_beyond_limits_that_scontrol_shows_is_remarked(tmp_path: Path, shown: str, said: str | None) -> None:
    path = tmp_path / "shown.txt"
    text, count = re.subn(r"(?m)^(OverTimeLimit +)= .*$", rf"\1= {shown}", CONFIG)
    assert count == 1
    path.write_text(text, encoding="utf-8")
    policy = as_policy(path)
    assert isinstance(policy, Priority)
    remarks = [line for line in policy.provenance["slurm"]["remarks"] if line.startswith("OverTimeLimit")]
    assert [line.partition(":")[0] for line in remarks] == ([] if said is None else [f"OverTimeLimit={said}"])


def test_partitions_and_nodes_may_stand_behind_it() -> None:
    policy = as_policy(SITE.parent / "scontrol.txt")  # the last node is on one line, as -o prints it
    assert isinstance(policy, Priority)
    assert policy.nodes == WholeNodes(((3, 8),), 45)
    assert policy.order == (
        "floor(max(1, 70 * min(wait / 172800, 1) + 9 * max(0, min(1, 0.16666666666666666 * nodes + width / 48)) + 2 + "
        "6 * partition(night) + width * (0.16666666666666666 + 0.33333333333333337 * partition(night)) - nice))",
    )
    assert not any("State" in line or "OVERTIME" in line for line in policy.provenance["slurm"]["remarks"])


@pytest.mark.parametrize("text", ["n1 n2\n" * 60, ".B scontrol\n" * 60])
def test_a_text_about_scontrol_is_none_of_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(f"{CONFIG}{text}", encoding="utf-8")
    with pytest.raises(InputError, match=r"slurm\.conf: this is not only what scontrol prints: line \d+ is"):
        read_slurm(path)
