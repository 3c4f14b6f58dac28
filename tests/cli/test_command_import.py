"""`paretosched import`: options that do not belong together, the count table, and the commands for sacct."""

import datetime as dt
from itertools import pairwise
from pathlib import Path

import pytest

from paretosched.workload.log_names import names_path
from support.accounting import RECORDED
from support.commands import command, files, succeed

ALL = RECORDED / "slurm-all.txt"


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["slurm"], "FILE is missing: the accounting file, or - for the standard input"),
        (["slurm", ALL, "--groups", "project"], "--groups must be one of account, user, qos, partition, but is"),
        (["sge", ALL, "--width", "nodes"], "--width must be cpus or gpus for sge, but is nodes"),
        (["pbs", ALL, "--width", "billing"], "--width must be cpus or nodes or gpus for pbs, but is billing"),
        (["csv", ALL], "--columns is needed for csv, such as --columns submit=created,"),
        (["slurm", ALL, "--columns", "submit=a"], "for slurm, --columns must be sacct's names of the columns in order"),
        (["sge", ALL, "--columns", "submit=a"], "--columns is only for csv and slurm"),
        (["slurm", ALL, "--unit", "ms"], "--unit and --as are only for csv"),
        (["pbs", ALL, "--as", "theta"], "--unit and --as are only for csv"),
        (["slurm", ALL, "--capacity", "0"], "--capacity must be in 1..2147483647, but is 0"),
        (["slurm", ALL, "--anonymise", "key"], "--anonymise is for a log that is written: -o FILE is missing"),
        (["slurm", ALL, "--anonymise", "key", "-o", "./key"], "--output would overwrite the key"),
        (["slurm", ALL, "--anonymise", "./a.swf.names.json", "-o", "a.swf"], "--output would overwrite the key"),
        (["sge", "--command"], "--command is for slurm; the accounting of PBS, Grid Engine and LSF is in files"),
        (["slurm", ALL, "--zone", "Mars"], 'time zone "Mars" is not in the standard zone database'),
    ],
)  # fmt: skip
def test_options_that_do_not_belong_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[object], fact: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = command("import", *words)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err
    assert [*tmp_path.iterdir()] == []


def test_without_an_output_the_counts_are_shown_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = succeed("import", "slurm", ALL).out.splitlines()
    assert lines[0].split() == ["action", "jobs", "work", "%", "reason", "first"]
    assert lines[2].split()[:3] == ["dropped", "1", "6.67"]
    assert lines[-1].startswith("23 jobs of 2 users on 14 cpus, offered load ")
    assert lines[-1].endswith("; nothing was written (-o FILE writes the log)")
    assert [*tmp_path.iterdir()] == []


def test_the_counts_are_json_too() -> None:
    about = succeed("import", "slurm", ALL, "--json").json
    assert (about["jobs"], about["users"], about["capacity"], about["file"]) == (23, 2, 14, None)
    assert about["counts"][0] == {
        "action": "dropped",
        "reason": "still running, or suspended: its run time is not known yet",
        "jobs": 1,
        "work": 12,
        "first": "line 26 (job 27)",
    }


def test_the_log_is_read_by_the_commands_that_follow(tmp_path: Path) -> None:
    log = tmp_path / "log.swf.gz"
    assert succeed("import", "slurm", ALL, "-o", log).out.endswith(f"next: paretosched info {log} --groups swf\n")
    about = succeed("info", log, "--groups", "swf", "--json").json
    assert [group["group"] for group in about["groups"]] == ["chemistry", "physics"]
    assert about["repairs"][0]["reason"].endswith("its run time is not known yet (7.64 % of the work)")
    (tmp_path / "g.csv").write_text("user,group\nanna,vip\n")
    groups = succeed("info", log, "--groups", tmp_path / "g.csv", "--json").json["groups"]
    assert [group["group"] for group in groups] == ["vip", "other"]
    (tmp_path / "g.csv").write_text("user,group\nann,vip\n")
    message = command("info", log, "--groups", tmp_path / "g.csv").err
    assert 'g.csv:2: user is "ann", which log with its names does not have; its names are bert, anna' in message


def test_the_limits_that_a_large_log_needs_are_in_the_next_command(tmp_path: Path) -> None:
    log = tmp_path / "w.swf"
    out = succeed("import", "slurm", ALL, "-o", log, "--limit", "jobs=30", "--limit", "json=100").out
    size = names_path(log).stat().st_size
    assert out.endswith(f"next: paretosched info {log} --groups swf --limit jobs=30 --limit json={size}\n")
    out = succeed("import", "slurm", ALL, "-o", log, "--limit", "jobs=3", "--limit", "lives=99").out
    jobs = sum(not line.startswith(";") for line in log.read_text().splitlines())
    assert out.endswith(f"next: paretosched info {log} --groups swf --limit jobs={jobs}\n")


def test_accounts_that_are_too_many_for_groups_are_not_in_the_next_command(tmp_path: Path) -> None:
    rows = "".join(f"{1_795_345_200 + i},60,1,lab{i}\n" for i in range(65))
    for count, words in ((64, " --groups swf"), (65, "")):
        lines = rows.splitlines(keepends=True)[:count]
        (tmp_path / "x.csv").write_text("s,r,w,a\n" + "".join(lines))
        columns = ("--columns", "submit=s,run=r,width=w,account=a", "--capacity", 8)
        out = succeed("import", "csv", tmp_path / "x.csv", "-o", tmp_path / "w.swf", *columns).out
        assert out.endswith(f"next: paretosched info {tmp_path / 'w.swf'}{words}\n")
        succeed("info", tmp_path / "w.swf", *words.split())


def test_neither_the_log_nor_its_names_replace_another_file(tmp_path: Path) -> None:
    source = tmp_path / "log.swf.names.json"
    source.write_bytes(ALL.read_bytes())
    before = files(tmp_path)
    for output in (source, tmp_path / "log.swf"):  # the names of the second one would be the first one
        outcome = command("import", "slurm", source, "-o", output)
        assert outcome.status == 2
        assert "--output would overwrite the accounting file; give it another name" in outcome.err
        assert files(tmp_path) == before
    other = tmp_path / "x.swf"
    names_path(other).write_text("a letter\n")
    message = command("import", "slurm", ALL, "-o", other).err
    assert "is not the names of a workload log that paretosched wrote" in message
    succeed("import", "slurm", ALL, "-o", tmp_path / "y.swf")
    message = command("scale", tmp_path / "y.swf", "-o", names_path(tmp_path / "y.swf")).err
    assert "--output would overwrite the names of" in message


def test_the_commands_of_twelve_months_are_printed_with_who_must_run_them() -> None:
    lines = succeed("import", "slurm", "--command").out.splitlines()
    remarks, commands = [line for line in lines if line[0] == "#"], [line for line in lines if line[0] != "#"]
    assert "AdminLevel=Operator" in remarks[0]
    assert "# They end today: print them again for jobs that come later." in remarks
    for text in ("sacctmgr -P show qos > qos.txt", "sacctmgr -P show assoc tree > assoc.txt",
                 "SLURM_TIME_FORMAT=%s scontrol show res -o > res.txt"):  # fmt: skip
        assert f"#   {text}" in remarks
    windows = [(line.split(" -S ")[1].split()[0], line.split(" -E ")[1].split()[0]) for line in commands]
    assert len(windows) == 12
    assert all(last == first for (_, last), (first, _) in pairwise(windows))
    tomorrow = dt.datetime.now(tz=dt.UTC).date() + dt.timedelta(days=1)
    assert windows[-1][1] == tomorrow.isoformat()


def test_down_times_reach_every_command(tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    machine = ("--nodes", RECORDED / "slurm-down-nodes.txt", "--events", RECORDED / "slurm-down-events.txt")
    outcome = succeed("import", "slurm", RECORDED / "slurm-down-jobs.txt", *machine, "-o", log)
    assert outcome.out.splitlines()[-2].endswith(
        "jobs of 1 user on 16 cpus, offered load 0.237; 0.0 cpu hours were down"
    )
    assert "processor hours" in succeed("info", log).out
    remark = "no scheduler uses them, all know them beforehand, and UTIL is that of the whole machine"
    for words in (
        ("simulate", log, "--policy", "easy"),
        ("simulate", log, "--policy", "guarded: 1"),
        ("compare", log, "--policy", "fcfs", "-o", tmp_path / "report.html"),
        ("explore", log, "-o", tmp_path / "run", "--evaluations", 8, "--population", 4),
    ):
        assert remark in succeed(*words).err, words
    assert "of which up to 8 are down at times" in (tmp_path / "report.html").read_text()
    outcome = command("simulate", log, "--policy", "scojo")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "which time sharing cannot respect" in outcome.err
