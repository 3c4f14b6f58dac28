"""A made-up site with three partitions, whose jobs wait for GPUs: nothing is promised for the pool that is simulated.

Of 1,200 processors a quarter is in use. Jobs of four GPUs each wait for the 32 GPUs; all others start at once, but a
few that a person held.
"""

import random
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.app.contents import contents
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.locate_workload import finder
from support.commands import columns, succeed

HEAD = (
    "JobID|JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes|NCPUS|ReqTRES|"
    "AllocTRES|TimelimitRaw"
)
BEGIN = 1_735_689_600  # a midnight
HOURS = 96
SENTENCE = (
    "SIMULATED: ONE POOL OF 1,200 EQUAL PROCESSORS. The machine of this log has 3 partitions, and 99.9 % of the "
    "waiting passed while jobs would have fit on free processors (0.1 % while their GPUs were free, too): expect none "
    "of the gains below on it."
)


def site_text() -> str:
    """Return what sacct says of this site."""
    rng = random.Random(5)
    lines: list[tuple[int, str]] = []

    def add(job: str, submit: int, wait: int, run: int, cpus: int, gpus: int = 0) -> None:
        tres = f"cpu={cpus}" + (f",gres/gpu={gpus}" if gpus else "")
        start = submit + wait
        times = f"{submit}|{submit}|{start}|{start + run}|{run}"
        lines.append((submit, f"{job}|{times}|COMPLETED|1|{cpus}|{tres}|{tres}|600"))

    free_from = [0] * 8  # of the eight places for jobs of four GPUs
    for k in range(HOURS * 3):
        submit = BEGIN + k * 1200 + rng.randrange(600)
        place = min(range(8), key=free_from.__getitem__)
        wait, run = max(0, free_from[place] - submit), rng.choice([5400, 10_800, 12_600])
        free_from[place] = submit + wait + run
        add(f"gina{k % 6}|ml|gpu|normal", submit, wait, run, 8, 4)
    for k in range(HOURS * 2):
        run, cpus = rng.choice([3600, 7200, 20_000]), rng.choice([16, 32, 64])
        add(f"carl{k % 9}|chem|cpu|normal", BEGIN + k * 1800 + rng.randrange(900), 0, run, cpus)
    for k in range(HOURS // 6):
        add("bea|bio|bigmem|long", BEGIN + k * 21_600, 600 * (k % 5 == 0), 9000, 48)
    last_end = max(int(line.split("|")[7]) for _, line in lines)
    add("wim|bio|bigmem|long", last_end - 3000, 3000, 9000, 1200)  # of the whole machine: it waits for processors
    lines.sort()
    return "\n".join([HEAD, *(f"{i}|{i}|{line}" for i, (_, line) in enumerate(lines, 1))]) + "\n"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of the site, and a run on it."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "sacct.txt").write_text(site_text(), encoding="utf-8")
    succeed("import", "slurm", folder / "sacct.txt", "--capacity", 1200, "-o", folder / "site.swf.gz")
    words = ("--groups", "swf", "-o", folder / "run", "--evaluations", 60, "--population", 20)
    outcome = succeed("explore", folder / "site.swf.gz", *words)
    assert outcome.out.splitlines()[0] == SENTENCE
    return folder


def test_info_shows_who_waited_and_that_the_machine_was_not_full(house: Path) -> None:
    out = succeed("info", house / "site.swf.gz", "--groups", "swf").out
    rows = {(row[0], row[1]): row for row in columns(out, "waits")}
    assert rows["all", "all jobs"][-2:] == ["99.9", "0.1"]
    assert rows["partition", "gpu"][-3:] == ["99.7", "100.0", "0.0"]
    assert rows["partition", "cpu"][-3:] == ["0.0", "-", "-"]
    assert {kind for kind, _ in rows} == {"all", "partition", "QOS"}  # accounts are the same jobs as partitions
    assert "99.9 % of the waiting passed while the job would have fit on free processors: a machine that is 2" in out
    about = succeed("info", house / "site.swf.gz", "--json").json["waiting"]
    assert about["rows"][0]["fit_percent"] == pytest.approx(99.9, abs=0.1)
    assert 20 < about["full_percent"] < 30


def test_every_command_that_speaks_of_gains_begins_with_the_sentence(house: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    site = (house / "site.swf.gz", "--groups", "swf")
    training = ("train", *site, "--objective", "AWRT", "--criterion", "f2", "--generations", 1, "--accept-worse")
    for words in (
        ("compare", *site, "--front", house / "run", "-o", report),
        ("front", house / "run"),
        (*training, "-o", tmp_path / "policy.json"),
    ):
        assert succeed(*words).out.splitlines()[0] == SENTENCE
    as_json = succeed("compare", *site, "--json")
    assert as_json.err.splitlines()[0] == f"paretosched: {SENTENCE}"
    assert as_json.json[0]["policy"] == "EASY"
    both = succeed("compare", house / "site.swf.gz", house / "site.swf.gz").out
    assert both.splitlines()[0] == f"site: {SENTENCE}"
    assert both.count("SIMULATED") == 2
    head, box, rest = report.read_text(encoding="utf-8").partition("<strong>SIMULATED: ONE POOL OF 1,200 EQUAL")
    assert box
    assert "AWRT" not in head.partition("<main>")[2]
    assert "expect none of the gains below on it.</p>" in rest


def test_the_page_says_it_above_all_else(house: Path, tmp_path: Path) -> None:
    front = ps.load_front(house / "run")
    desk = Desk(front, tmp_path)
    assert contents(desk).pieces["other-machine"] == []  # the jobs are not known yet
    assert "SIMULATED" not in decision(desk)
    desk.simulate_known(finder(house / "run", front, ps.by_swf_group(ps.read_swf(house / "site.swf.gz"))))
    head, rest = contents(desk).pieces["other-machine"]
    assert head.children == "SIMULATED: ONE POOL OF 1,200 EQUAL PROCESSORS. "
    assert rest.replace("\u00a0", " ") == SENTENCE.partition("PROCESSORS. ")[2]
    text = decision(desk)
    assert text.index("SIMULATED") < text.index("The question")


def test_the_partition_alone_is_a_machine_of_gpus(house: Path) -> None:
    words = ("--partition", "gpu", "--width", "gpus", "--capacity", 32)
    succeed("import", "slurm", house / "sacct.txt", *words, "-o", house / "gpu.swf.gz")
    for more in ((), ("--capacity", 40)):  # what if there were eight more?
        out = succeed("compare", house / "gpu.swf.gz", *more).out
        assert "SIMULATED" not in out
        assert out.startswith("policy ")
    waiting = succeed("info", house / "gpu.swf.gz", "--capacity", 40, "--json").json["waiting"]
    assert waiting["rows"][0]["fit_percent"] < 1
