"""Job lives become a log: in order, numbered, with the size of the machine, whole or not at all."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.workload.accounting import importing
from paretosched.workload.accounting.importing import ImportSettings, ImportSummary, import_lives
from paretosched.workload.accounting.lives import Life, Numberings, block_of
from paretosched.workload.accounting.tally import Tally
from paretosched.workload.log_names import names_path, read_names
from paretosched.workload.user_groups import rule_of
from support.accounting import RECORDED, import_into
from support.commands import command, environment, files

SETTINGS = ImportSettings("csv", "account")


def made_of(
    lives: list[Life], path: Path | None = None, settings: ImportSettings = SETTINGS, size: int = 7
) -> ImportSummary:
    """Import lives in blocks of a size."""
    blocks = (block_of(lives[first : first + size]) for first in range(0, len(lives), size))
    return import_lives(blocks, Numberings(), Tally(), settings, "here", path, lambda done, goal: None)


def random_lives(seed: int, count: int) -> list[Life]:
    """Return lives of some users on some partitions, in a random order of submissions."""
    r = random.Random(seed)
    lives = []
    for line in range(1, count + 1):
        submit = 10**9 + r.randrange(500)
        start = submit + r.randrange(100)
        lives.append(
            Life(line, r.randrange(1, count), submit, start, r.randrange(60), r.randrange(5), submit + r.randrange(50),
                 limit=r.choice([0, 0, 30, 90]), user=r.choice("abc"), group=r.choice("xy"), queue="q",
                 partition=r.choice(["p", "q", ""]))
        )  # fmt: skip
    return lives


@pytest.mark.parametrize("seed", range(5))
def test_the_log_has_every_life_that_ran_and_its_facts_agree_with_a_simple_count(tmp_path: Path, seed: int) -> None:
    lives = random_lives(seed, 60)
    about = made_of(lives, tmp_path / "w.swf")
    ran = sorted((life for life in lives if life.run and life.width), key=lambda life: (life.submit, life.line))
    first = ran[0].submit
    w = ps.read_swf(tmp_path / "w.swf")
    assert w.epoch == first
    assert (w.submit + first).tolist() == [life.submit for life in ran]
    assert w.width.tolist() == [life.width for life in ran]
    assert (w.eligible + first).tolist() == [max(life.submit, min(life.eligible, life.start)) for life in ran]
    assert (w.eligible + w.wait + first).tolist() == [life.start for life in ran]
    longest = {name: max((life.limit for life in ran if life.partition == name), default=0) for name in ("p", "q", "")}
    estimates = [life.limit or max(longest[life.partition], life.run) for life in ran]
    assert w.estimate.tolist() == [max(estimate, 1) for estimate in estimates]
    assert w.run.tolist() == [min(life.run, estimate) for life, estimate in zip(ran, estimates, strict=True)]
    use = max(sum(b.width for b in ran if b.start <= a.start < b.start + b.run) for a in ran)
    assert about.capacity == w.capacity == use
    assert about.work == sum(life.run * life.width for life in ran)
    assert about.jobs == len(ran) == len(set(w.job.tolist()))
    names = read_names(tmp_path / "w.swf")
    assert names is not None
    assert [names.users[n] for n in w.user.tolist()] == [life.user for life in ran]
    after = {n: min(life.eligible, life.start) - life.submit for n, life in zip(w.job.tolist(), ran, strict=True)}
    late = dict(zip(*(part.tolist() for part in names.eligible), strict=True))
    assert late == {number: seconds for number, seconds in after.items() if seconds > 0}


def test_blocks_of_any_size_give_the_same_log(tmp_path: Path) -> None:
    lives = random_lives(7, 100)
    for size in (1, 3, 100):
        made_of(lives, tmp_path / f"{size}.swf", size=size)
    one, *others = ((tmp_path / f"{size}.swf").read_bytes() for size in (1, 3, 100))
    assert others == [one, one]


def test_a_number_that_comes_again_is_replaced_by_a_larger_one(tmp_path: Path) -> None:
    lives = [Life(line, job, 10**9 + line, 10**9 + line, 5, 1) for line, job in enumerate([5, 5, -1, 9, 5, 0], 1)]
    made_of(lives, tmp_path / "w.swf")
    assert ps.read_swf(tmp_path / "w.swf").job.tolist() == [5, 10, 11, 9, 12, 0]


def test_wider_jobs_than_the_machine_are_dropped(tmp_path: Path) -> None:
    lives = [Life(n, n, 10**9, 10**9, 5, n) for n in range(1, 6)]
    about = made_of(lives, tmp_path / "w.swf", SETTINGS._replace(capacity=3))
    assert [(count.jobs, count.reason) for count in about.counts if count.action == "dropped"] == [
        (2, "wider than the machine of 3 cpus")
    ]
    with pytest.raises(ps.InputError, match="here: all jobs are wider than the machine of 1 cpu"):
        made_of(lives[1:], None, SETTINGS._replace(capacity=1))


def test_nothing_is_written_without_a_path(tmp_path: Path) -> None:
    assert made_of(random_lives(1, 20)).jobs > 0
    assert [*tmp_path.iterdir()] == []


def test_the_site_clock_is_kept(tmp_path: Path) -> None:
    about = made_of(random_lives(1, 20), tmp_path / "w.swf", SETTINGS._replace(zone="Europe/Berlin"))
    assert ps.read_swf(tmp_path / "w.swf").zone == "Europe/Berlin"
    assert not any("--zone" in count.reason for count in about.counts)
    with pytest.raises(ps.InputError, match="Berlinn"):  # before the file is looked for
        ps.import_log("slurm", tmp_path / "sacct.txt", zone="Europe/Berlinn")


def test_a_limit_of_jobs_stops_the_import(tmp_path: Path) -> None:
    with ps.reading_limits(jobs=10), pytest.raises(ps.InputError, match="here: the number of jobs in a log must be at"):
        made_of(random_lives(1, 60), tmp_path / "w.swf")
    assert [*tmp_path.iterdir()] == []


def test_groups_of_an_imported_log_are_known_by_name_to_a_policy(tmp_path: Path) -> None:
    """Two imports number users and accounts in another way; a rule of groups must not mix them up."""
    lives = random_lives(3, 60)
    made_of(lives, tmp_path / "a.swf")
    made_of([*reversed(lives)], tmp_path / "b.swf")
    a, b = (ps.as_workload(tmp_path / name, groups="swf") for name in ("a.swf", "b.swf"))
    assert a.names is not None
    assert b.names is not None
    assert {*a.names.groups.values()} == {*b.names.groups.values()} == {"x", "y"}
    rules = [rule_of(w) for w in (a, b)]
    for rule in rules:
        assert isinstance(rule, ps.ListedGroups)
        for w in (a, b):
            assert rule.applies(w)
            assert [rule.groups[g] for g in rule.group_indices(w)] == [w.groups[g] for g in w.group]
    (tmp_path / "g.csv").write_text("user,account,group\na,*,first\n*,y,second\n")
    for w in (a, b):
        grouped = ps.by_csv(w, tmp_path / "g.csv")
        assert grouped.names is not None
        for j in range(len(grouped)):
            user, group = grouped.names.users[int(grouped.user[j])], w.groups[int(w.group[j])]
            expected = "first" if user == "a" else "second" if group == "y" else "other"
            assert grouped.groups[int(grouped.group[j])] == expected


@pytest.mark.slow
def test_a_pipe_is_read_as_a_file(tmp_path: Path) -> None:
    text = (RECORDED / "slurm-all.txt").read_bytes()
    words = [sys.executable, "-m", "paretosched.cli", "import", "slurm", "-", "-o", str(tmp_path / "w.swf")]
    done = subprocess.run(words, input=text, capture_output=True, env=environment(), check=False)
    assert done.returncode == 0, done
    whole = (tmp_path / "w.swf").read_bytes()
    import_into(tmp_path, "slurm", RECORDED / "slurm-all.txt")
    assert (tmp_path / "log.swf").read_bytes() == whole
    words += ["--limit", "wait=1"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as silent:
        assert silent.stderr is not None
        assert b"nothing was sent for 1 s; --limit wait=N waits longer" in silent.stderr.read()
        assert silent.wait(10) == 2


def test_a_disk_without_the_log_keeps_what_was_there(tmp_path: Path) -> None:
    import_into(tmp_path, "slurm", RECORDED / "slurm-all.txt")
    before = files(tmp_path)
    outcome = command("import", "slurm", RECORDED / "slurm-local-times.txt", "-o", tmp_path / "log.swf")
    assert outcome.status == 2
    assert files(tmp_path) == before
    assert names_path(tmp_path / "log.swf").exists()


def test_lives_of_which_hardly_one_is_new_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "FIRST_LOOK", 50)
    slurm = SETTINGS._replace(source="slurm")
    few = [Life(line, line % 4 + 1, 10, 20, 5, 2) for line in range(1, 60)]
    words = "here: at least 10% of the jobs must be listed for the first time, but 52 of the first 56 are listed before"
    with pytest.raises(ps.InputError, match=f"{words}; sort -u here leaves out equal lines"):
        made_of(few, settings=slurm)
    assert made_of([Life(line, line % 7 + 1, 10, 20, 5, 2) for line in range(1, 60)], settings=slurm).jobs == 7
    later = [*(Life(line, line, 10, 20, 5, 2) for line in range(1, 56)), *few * 30]
    with pytest.raises(
        ps.InputError, match="of the first 896 are"
    ):  # it is looked again, each time after twice as many
        made_of(later, settings=slurm)


def test_too_many_components_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_COMPONENTS", 1)
    outcome = command("import", "slurm", RECORDED / "slurm-all.txt")
    assert "there are more than 1 components of heterogeneous jobs; import fewer months at a time" in outcome.err


def test_a_machine_that_no_simulation_can_have_is_refused() -> None:
    with pytest.raises(ps.InputError, match="the machine would have 4,000,000,000 cpus, but 2,147,483,647"):
        made_of([Life(1, 1, 10, 10, 5, 4 * 10**9)])
    about = made_of([Life(n, n, 10, 10, 10**14, 10**5) for n in range(1, 9)])
    assert "which no simulation can read at once; import fewer months or one partition" in about.remarks[1]


@pytest.mark.parametrize(("key", "value"), [("width", 2**62), ("memory", 2**62), ("nodes", 2**30), ("gpus", 2**30)])
def test_components_whose_sum_no_machine_has_are_refused(key: str, value: int) -> None:
    """Four times 2^62 are 0 in 64 bits, and four times 2^30 in 32."""
    lives = [Life(n, n, 10, 10, 5, **({"width": 1} | {key: value})) for n in range(1, 5)]
    block = block_of([*lives, Life(9, 9, 10, 10, 5, 1)])
    block.part_of[:4] = 1
    with pytest.raises(
        ps.InputError, match=f"x:1: a job must have a {key} of at most [0-9,]*, but its components have "
    ):
        import_lives(
            [block],
            Numberings(),
            Tally(),
            ImportSettings("slurm", "account"),
            "x",
            None,
            lambda done, goal: None,
        )
