"""From the words of an owner to what determines a run; every encoding and algorithm is continued and distributed."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from paretosched.core.errors import InputError
from paretosched.encodings.encoding import from_json, to_json
from paretosched.encodings.orders import Orders
from paretosched.encodings.sequence import Sequences
from paretosched.encodings.trained_order import TrainedOrders
from paretosched.encodings.weighting import Weighting, decode, genome_of
from paretosched.fronts.front_files import load_front, save_front
from paretosched.fronts.merging import merge
from paretosched.fronts.row_schedules import row_policy, schedule
from paretosched.policies.greedy_order import greedy
from paretosched.policies.policy import as_policy, save_policy
from paretosched.search.exploration import Progress, explore
from paretosched.search.runs import read_about, read_values
from paretosched.search.settings import settle, start_names
from paretosched.search.starts import start_orders
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from support.exploring import interrupt_if, random_workload, two_workers
from support.runs import equal_runs
from support.trainings import archive

W = random_workload()
LARGE = random_workload(jobs=6000)
SIZE: dict[str, Any] = {"population": 10, "seed": 4}

STRICT: dict[str, Any] = {"encoding": "sequence", "algorithm": "nsga2", "decoding": "strict", "moves": "swap"}
RUNS: dict[str, dict[str, Any]] = {
    "orders": {"encoding": "orders", "evaluations": 26},
    "orders of the queue": {"encoding": "orders", "start": ["queue"], "backfill": "easy", "evaluations": 13},
    "nsga weighting": {"algorithm": "nsga", "evaluations": 45},
    "offline weighting": {"algorithm": "nsga2", "decoding": "earliest", "evaluations": 45},
    "agemoea2": {"algorithm": "agemoea2", "evaluations": 45},
    "archive": {"algorithm": "archive", "evaluations": 135},
    "archive offline": {"decoding": "earliest", "evaluations": 135},
    "archive without backfilling": {"backfill": "none", "evaluations": 135},
    "wish": {
        "algorithm": "archive", "wish": "10*AWRT1 + AWRT2, others <= EASY, AWRT <= 1.1*EASY, UTIL >= 10",
        "box": 1.2, "start": ["easy"], "evaluations": 135,
    },
    "surrogate": {"surrogate": True, "evaluations": 175},
    "surrogate for a wish": {
        "surrogate": True, "wish": "10*AWRT1 + AWRT2, others <= 1.1*EASY, UTIL >= 10", "lag": 30, "evaluations": 175,
    },
    "surrogate for a region": {"surrogate": True, "wish": "AWRT1 <= 0.8*EASY", "backfill": "none", "evaluations": 135},
    "priority": {"encoding": "priority", "evaluations": 135},
    "surrogate for formulas": {"encoding": "priority", "surrogate": True, "evaluations": 135},
    "priority by chance": {"encoding": "priority", "algorithm": "random", "evaluations": 25},
    "drawn well": {"algorithm": "nsga2", "draw": "tied", "evaluations": 45},
    "random, drawn well": {"algorithm": "random", "draw": "tied", "start": ["easy"], "evaluations": 25},
    "unsga3": {"algorithm": "unsga3", "evaluations": 45},
    "rvea": {"algorithm": "rvea", "evaluations": 45},
    "nsga swaps": {
        **STRICT, "algorithm": "nsga", "moves": "adjacent", "recombination": "ox", "evaluations": 45,
        "start": ["permutations"],
    },
    "copies": {**STRICT, "copies": True, "forget": True, "start": ["submit", "easy"], "evaluations": 45},
    "nsga2 swaps": {**STRICT, "recombination": "cycle", "start": ["permutations"], "evaluations": 45},
    "later": {**STRICT, "moves": "later", "movable": "either", "evaluations": 45},
    "group": {**STRICT, "moves": "group", "movable": "hour", "recombination": "pmx", "evaluations": 45},
    "pull": {
        "encoding": "sequence", "algorithm": "nsga2", "start": ["easy", "conservative", "random"], "evaluations": 45,
    },
    "fill": {**STRICT, "moves": "fill", "recombination": "ox", "start": ["permutations"], "evaluations": 45},
    "both": {**STRICT, "algorithm": "archive", "moves": "both", "start": ["easy", "random"], "evaluations": 45},
    "sequences": {"encoding": "sequence", "evaluations": 45},
    "sequences by archive, with mates": {"encoding": "sequence", "recombination": "ox", "lag": 7, "evaluations": 45},
    "sequences by agemoea2": {"encoding": "sequence", "algorithm": "agemoea2", "evaluations": 45},
    "sequences by unsga3": {"encoding": "sequence", "algorithm": "unsga3", "evaluations": 45},
    "sequences by rvea": {"encoding": "sequence", "algorithm": "rvea", "evaluations": 45},
    "sequences by chance": {"encoding": "sequence", "algorithm": "random", "evaluations": 45},
    "starts alone": {"encoding": "sequence", "algorithm": "all", "start": ["weak", "submit"], "evaluations": 14},
}  # fmt: skip


Runs = Callable[[str], Path]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The place of a run of every kind, undisturbed, and made when it is first asked for."""
    directory = tmp_path_factory.mktemp("runs")

    def run_of(name: str) -> Path:
        if not (directory / name).exists():
            explore(W, directory / name, **SIZE, **RUNS[name])
        return directory / name

    return run_of


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_is_continued_equals_one_that_went_through(runs: Runs, tmp_path: Path, name: str) -> None:
    words = dict(RUNS[name])
    total = words.pop("evaluations")
    for moment in (1, 3):  # generations
        stop = interrupt_if(lambda progress, moment=moment: progress.generation == moment)
        with suppress(KeyboardInterrupt):  # some have fewer generations
            explore(W, tmp_path / "run", **SIZE, **words, evaluations=total, progress=stop)
    if words.get("algorithm") != "rvea":  # its horizon is part of the run
        explore(W, tmp_path / "run", **SIZE, **words, evaluations=total - 1)
    explore(W, tmp_path / "run", **SIZE, **words, evaluations=total)
    equal_runs(runs(name), tmp_path / "run")


def test_the_archive_search_draws_tied_weightings_whether_said_or_not(runs: Runs, tmp_path: Path) -> None:
    explore(W, tmp_path / "run", **SIZE, draw="tied", evaluations=135)
    equal_runs(runs("archive"), tmp_path / "run")
    assert "draw" not in read_about(tmp_path / "run")["parameters"]


def test_the_surrogate_is_a_parameter_of_the_run(runs: Runs, tmp_path: Path) -> None:
    assert read_about(runs("surrogate"))["parameters"]["surrogate"] is True
    assert "surrogate" not in read_about(runs("archive"))["parameters"]
    assert dict(load_front(runs("surrogate")).origins[0].begun)["surrogate"] == "True"
    shutil.copytree(runs("surrogate"), tmp_path / "run")
    reports: list[Progress] = []
    explore(W, tmp_path / "run", evaluations=175, progress=reports.append)
    assert [p.replayed for p in reports] == [175]
    with pytest.raises(InputError, match="a run is continued with its own parameters, but its surrogate is True"):
        explore(W, tmp_path / "run", evaluations=200, surrogate=False)
    explore(W, tmp_path / "off", **SIZE, evaluations=135, surrogate=False)
    equal_runs(runs("archive"), tmp_path / "off")
    with_it, without = archive(runs("surrogate")), archive(runs("archive"))
    assert with_it[:60] == without[:60]
    assert with_it[60:135] != without[60:]


def test_the_horizon_of_rvea_is_part_of_the_run(runs: Runs) -> None:
    with pytest.raises(InputError, match="the evaluations of rvea are part of the run, which has 45, so it cannot"):
        explore(W, runs("rvea"), **SIZE, algorithm="rvea", evaluations=90)


def test_a_search_that_has_no_more_to_ask_says_how_many_there_were(tmp_path: Path) -> None:
    reports: list[Progress] = []
    for _ in range(2):
        front = explore(W, tmp_path / "run", encoding="orders", evaluations=5000, progress=reports.append)
        assert front.evaluations == 26
        assert (reports[-1].evaluations, reports[-1].total) == (26, 26)


@pytest.mark.parametrize("name", RUNS)
def test_every_row_of_a_front_becomes_its_schedule_again(runs: Runs, name: str) -> None:
    front = load_front(runs(name))
    for row in range(len(front)):
        again = schedule(front, row, W)
        again.check()
        assert objectives(again, util_from=front.util_from).tobytes() == front.values[row].tobytes()
        if row_policy(front, row) is not None:
            assert again.start.tolist() == simulate(W, row_policy(front, row)).start.tolist()  # type: ignore[arg-type]


@pytest.mark.slow
def test_worker_processes_make_the_same_archives(runs: Runs, tmp_path: Path) -> None:
    with two_workers() as scheduler:
        for name in (
            "offline weighting",
            "wish",
            "surrogate for a wish",
            "surrogate for formulas",
            "nsga2 swaps",
            "orders",
        ):
            explore(W, tmp_path / name, scheduler=scheduler, **SIZE, **RUNS[name])
            equal_runs(runs(name), tmp_path / name)


def test_fronts_of_all_encodings_merge_in_any_order_and_come_back_from_files(runs: Runs, tmp_path: Path) -> None:
    fronts = [load_front(runs(name)) for name in RUNS]
    whole = merge(fronts)
    assert {type(whole.origins[i].encoding) for i in whole.origin} >= {Weighting, Sequences}
    pairs = merge([merge(fronts[3:]), whole, merge(fronts[:7])])
    save_front(whole, tmp_path / "whole.parquet")
    save_front(pairs, tmp_path / "pairs.parquet")
    assert (tmp_path / "whole.parquet").read_bytes() == (tmp_path / "pairs.parquet").read_bytes()
    copy = load_front(tmp_path / "whole.parquet")
    assert copy.genomes.tobytes() == whole.genomes.tobytes()
    for row in range(len(copy)):
        again = schedule(copy, row, W)
        assert objectives(again, util_from=copy.util_from).tobytes() == copy.values[row].tobytes()


def test_utilisation_counts_from_the_first_submission_so_that_idling_first_gains_nothing(tmp_path: Path) -> None:
    words: dict[str, Any] = {
        "encoding": "sequence",
        "decoding": "strict",
        "algorithm": "all",
        "start": ["submit", "random"],
        "seed": 4,
    }
    fronts = {
        kind: explore(W, tmp_path / kind, util_from=kind, population=40, **words) for kind in ("start", "submission")
    }
    papers, front = fronts["start"], fronts["submission"]
    idle = [row for row in range(len(papers)) if schedule(papers, row, W).start.min() > W.submit.min()]
    gone = set(papers.evaluation[idle].tolist()) - set(front.evaluation.tolist())
    assert gone  # they idle first, and are on the front by the UTIL of the papers alone
    archives = {kind: read_values(tmp_path / kind)[0] for kind in fronts}
    assert (archives["start"][:, 1:] == archives["submission"][:, 1:]).all()
    assert (archives["submission"][:, 0] <= archives["start"][:, 0]).all()
    for row in range(len(front)):
        again = schedule(front, row, W)
        finish = max(start + run for start, run in zip(again.start.tolist(), W.run.tolist(), strict=True))
        work = sum(run * width for run, width in zip(W.run.tolist(), W.width.tolist(), strict=True))
        assert front.values[row, 0] == 100 * work / (W.capacity * (finish - min(W.submit.tolist())))
    assert front.objectives[0].label == "utilisation, from the first submission"
    assert papers.objectives == objective_table(W.groups)
    assert (load_front(tmp_path / "start").util_from, load_front(tmp_path / "submission").util_from) == tuple(fronts)
    assert "util_from" not in read_about(tmp_path / "start")["parameters"]


def test_a_run_says_that_no_job_can_run_with_the_first_submission(tmp_path: Path) -> None:
    """There the two measures differ for online schedules too, so that their fronts do not merge."""
    late = W.with_(eligible=W.eligible + 50)
    fronts = [
        explore(late, tmp_path / kind, util_from=kind, **SIZE, evaluations=20) for kind in ("submission", "start")
    ]
    assert fronts[0].values[:, 0].max() < fronts[1].values[:, 0].max()
    assert read_about(tmp_path / "submission")["parameters"]["online_late"] is True
    with pytest.raises(InputError, match="UTIL must count from the same time"):
        merge(fronts)
    early = [
        explore(W, tmp_path / f"now {kind}", util_from=kind, **SIZE, evaluations=20) for kind in ("submission", "start")
    ]
    assert early[0].values.tobytes() == early[1].values.tobytes() == merge(early).values.tobytes()


def test_a_run_goes_on_with_its_utilisation_and_takes_no_other(tmp_path: Path) -> None:
    words: dict[str, Any] = {"encoding": "sequence", "population": 10, "seed": 4}
    explore(W, tmp_path / "run", evaluations=20, util_from="start", **words)
    assert load_front(tmp_path / "run" / "weightings").util_from == "start"  # what it begins with is measured alike
    again = explore(W, tmp_path / "run", evaluations=30)
    whole = explore(W, tmp_path / "whole", evaluations=30, util_from="start", **words)
    assert again.values.tobytes() == whole.values.tobytes()
    assert again.util_from == "start"
    with pytest.raises(InputError, match="its util_from is start, not submission"):
        explore(W, tmp_path / "run", evaluations=40, util_from="submission")
    early = explore(W, tmp_path / "early", evaluations=20, start=[str(tmp_path / "run" / "weightings")], **words)
    assert early.util_from == "submission"  # orders are taken over, not values
    for row in range(len(early)):
        assert objectives(schedule(early, row, W), util_from="submission").tobytes() == early.values[row].tobytes()
    with pytest.raises(InputError, match="its util_from is submission, not start"):
        explore(W, tmp_path / "early", evaluations=40, util_from="start")
    with pytest.raises(InputError, match='util_from must be one of submission, start, but is "first"'):
        explore(W, tmp_path / "none", util_from="first")


def test_a_run_begins_with_the_members_of_another(runs: Runs, tmp_path: Path) -> None:
    front = load_front(runs("nsga weighting"))
    online = explore(W, tmp_path / "again", **SIZE, algorithm="all", start=[str(runs("nsga weighting"))])
    assert online.values.tobytes() == front.values.tobytes()
    offline = explore(
        W, tmp_path / "offline", **SIZE, algorithm="all", start=[str(runs("nsga weighting"))], decoding="earliest"
    )
    assert offline.evaluations == len(front)
    both = merge([front, offline])
    assert len(both) == len(offline)  # a schedule decoded as early as possible is nowhere worse
    short_run = explore(W, tmp_path / "begun", **SIZE, evaluations=20, start=[str(runs("nsga weighting"))])
    assert {tuple(row) for row in short_run.values.tolist()} & {tuple(row) for row in front.values.tolist()}
    words: dict[str, Any] = {"encoding": "sequence", "start": [str(runs("nsga weighting"))], "algorithm": "all"}
    orders = explore(W, tmp_path / "orders", population=len(front), **words)
    assert orders.evaluations == len(front)
    assert (orders.values.min(axis=0)[1:] <= front.values.min(axis=0)[1:]).all()  # of a start order, likewise


@pytest.mark.parametrize(
    ("policy", "backfill"),
    [
        ("fcfs", "none"), ("easy", "easy"), ("conservative-replan", "conservative"), ("lxf", "easy"),
        ("lxf; backfill: easy", "easy"), ("lxf; backfill: conservative", "conservative"), ("priority", "easy"),
        ("lxf; backfill: none", "none"),
        ("priority: 3,1; backfill: easy", "easy"), ("order: priority:2; backfill: conservative", "conservative"),
    ],
)  # fmt: skip
def test_a_policy_that_a_weighting_can_be_makes_the_same_schedule(policy: str, backfill: str) -> None:
    for seed in range(5):
        w = random_workload(jobs=300, seed=seed)
        one = simulate(w, decode(genome_of(as_policy(policy), w.groups, backfill), w.groups, backfill))
        assert one.start.tolist() == simulate(w, policy).start.tolist()


@pytest.mark.parametrize("algorithm", ["archive", "nsga2", "random"])
def test_a_weighting_begins_with_orders_trained_policies_and_names(runs: Runs, tmp_path: Path, algorithm: str) -> None:
    """All orders of the queue are asked for in the first generation, and reach what they reached."""
    trained = greedy(["f1", "f3", "f4"], [[0.3, 0.1, 1, 2, 0, 1, 0.4, 0.2]] * 3, groups=W.groups, backfill="easy")
    save_policy(trained, tmp_path / "policy.json")
    starts = [str(runs("orders of the queue")), str(tmp_path / "policy.json"), "easy"]
    explore(W, tmp_path / "run", population=100, seed=4, algorithm=algorithm, start=starts, evaluations=100)
    values = {tuple(row) for row in read_values(tmp_path / "run")[0].tolist()}
    assert {tuple(row) for row in load_front(runs("orders of the queue")).values.tolist()} <= values
    assert tuple(objectives(simulate(W, trained)).tolist()) in values
    assert tuple(objectives(simulate(W, "easy")).tolist()) in values
    (tmp_path / "policy.json").unlink()  # what the run began with is in it
    explore(W, tmp_path / "run", population=100, seed=4, algorithm=algorithm, start=starts, evaluations=110)
    explore(W, tmp_path / "once", population=100, seed=4, algorithm=algorithm, start=starts[:1], evaluations=100)
    static = explore(W, tmp_path / "static", encoding="orders", start=["workload"], evaluations=12)
    assert len(static)
    with pytest.raises(
        InputError, match="explored by weighting or orders of the waiting queue to begin with, but has n"
    ):
        explore(W, tmp_path / "none", population=100, start=[str(tmp_path / "static")])


@pytest.mark.parametrize("algorithm", ["archive", "nsga2", "random"])
def test_every_thing_to_begin_with_has_a_place_however_small_the_population(
    runs: Runs, tmp_path: Path, algorithm: str
) -> None:
    orders = str(runs("orders of the queue"))
    assert len(load_front(orders)) > 5
    explore(W, tmp_path / "other", population=40, seed=9, evaluations=80)
    starts = [orders, str(tmp_path / "other"), "easy"]
    explore(W, tmp_path / "run", population=5, seed=4, algorithm=algorithm, start=starts, evaluations=20)
    first = {tuple(row) for row in read_values(tmp_path / "run")[0][:6].tolist()}  # the archive has FCFS before them
    assert tuple(objectives(simulate(W, "easy")).tolist()) in first
    for place in starts[:2]:
        assert first & {tuple(row) for row in load_front(place).values.tolist()}
    if algorithm != "archive":
        with pytest.raises(InputError, match=r"population must be at least 3, one for each .* but is 2"):
            explore(W, tmp_path / "none", population=2, algorithm=algorithm, start=starts)


def test_random_weightings_can_be_drawn_alike_in_all_situations(tmp_path: Path) -> None:
    for algorithm in ("random", "nsga2"):
        explore(W, tmp_path / algorithm, population=20, algorithm=algorithm, draw="tied", evaluations=20)
        front = load_front(tmp_path / algorithm)
        genes = front.genomes[:, :-3].reshape(len(front), 3, -1)
        assert (genes == genes[:, :1]).all()
        assert dict(front.origins[0].begun)["draw"] == "tied"
    with pytest.raises(InputError, match="its draw is tied, not given"):
        explore(W, tmp_path / "random", population=20, algorithm="random", draw="uniform", evaluations=40)


def test_what_a_run_began_with_stays_when_its_source_changes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    explore(W, source, **SIZE, evaluations=20)
    words: dict[str, Any] = {"encoding": "sequence", "start": [str(source)], **SIZE}
    explore(W, tmp_path / "whole", evaluations=30, **words)
    explore(W, tmp_path / "run", evaluations=20, **words)
    explore(W, source, **SIZE, evaluations=60)
    explore(W, tmp_path / "run", evaluations=30, **words)
    equal_runs(tmp_path / "whole", tmp_path / "run")


def test_members_a_run_began_with_stay_when_their_source_is_gone(tmp_path: Path) -> None:
    source = tmp_path / "source"
    explore(W, source, **SIZE, evaluations=20)
    for name, words in {"weighting": {}, "sequence": {"encoding": "sequence"}}.items():
        options: dict[str, Any] = {"start": [str(source)], **SIZE, **words}
        explore(W, tmp_path / f"{name} whole", evaluations=30, **options)
        explore(W, tmp_path / name, evaluations=20, **options)
    shutil.rmtree(source)
    for name, words in {"weighting": {}, "sequence": {"encoding": "sequence"}}.items():
        explore(W, tmp_path / name, evaluations=30, start=[str(source)], **SIZE, **words)
        equal_runs(tmp_path / f"{name} whole", tmp_path / name)


@pytest.mark.slow
def test_all_means_all_members(runs: Runs, tmp_path: Path) -> None:
    front = load_front(runs("nsga weighting"))
    assert len(front) > 10
    words: dict[str, Any] = {"encoding": "sequence", "start": [str(runs("nsga weighting"))], "algorithm": "all"}
    assert explore(W, tmp_path / "all", **SIZE, **words).evaluations == len(front)


def test_known_schedules_are_changed_a_little() -> None:
    strategies = {
        word: settle(LARGE, {}, seed=0, population=10, encoding="sequence", start=[word]).parameters["frequency"]
        for word in ("submit", "permutations", "easy")
    }
    assert strategies == {"submit": 5000.0, "permutations": 5000.0, "easy": 500.0}
    swaps = settle(LARGE, {}, seed=0, population=10, encoding="sequence", moves="swap", start=["easy"])
    assert swaps.parameters["frequency"] == 50.0


def test_start_orders() -> None:
    assert start_orders(W, ["submit"], 5, 0) == ("submit",)
    assert len(start_orders(W, ["permutations"], 5, 0)) == 7
    assert len(start_orders(W, ["weak"], 5, 0)) == 13
    assert len(start_orders(W, ["random"], 5, 0)) == 5
    assert start_orders(W, ["random"], 5, 0) != start_orders(W, ["random"], 5, 1)
    assert start_orders(W, ["easy"], 5, 0)[0]["policy"]["rule"] == "easy"


@pytest.mark.parametrize(
    "encoding",
    [
        Weighting("none", "earliest"),
        Orders("easy"),
        Sequences(starts=("submit", {"order": [0, 1, 1]})),
        TrainedOrders(("2", "1"), ("sjf",)),
    ],
)
def test_an_encoding_comes_back_from_json(encoding: Any) -> None:
    assert from_json(to_json(encoding)) == encoding


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"encoding": "strings"}, 'encoding must be one of weighting, orders, sequence, priority, limits, but is'),
        ({"algorithm": "spea"}, 'algorithm must be one of .*, but is "spea"'),
        ({"moves": "swap"}, 'moves must not be given with the encoding "weighting"'),
        ({"frequency": 5}, 'frequency must not be given with the encoding "weighting"'),
        ({"encoding": "sequence", "backfill": "easy"}, 'backfill must not be given with the encoding "sequence"'),
        ({"encoding": "sequence", "moves": "jump"}, 'moves must be one of .*, but is "jump"'),
        ({"encoding": "sequence", "frequency": 0}, "frequency must be at least 1, but is 0"),
        ({"encoding": "sequence", "start": ["nobody"]}, 'one of submit, permutations, .* front, but is "nobody"'),
        ({"copies": True}, 'copies must not be given with the encoding "weighting"; start orders are of sequences'),
        (
            {"encoding": "sequence", "forget": True, "algorithm": "agemoea2"},
            'forget must not be given with the algorithm "agemoea2", which is not of paper 002',
        ),
        ({"encoding": "sequence", "forget": 1}, "forget must be"),
        ({"encoding": "orders", "algorithm": "nsga2"}, "orders are few and enumerated"),
        ({"encoding": "orders", "start": ["x"]}, 'start of orders must be one of workload, queue, but is "x"'),
        ({"algorithm": "all"}, 'algorithm "all" must have a run, front or policy to begin with'),
        ({"start": ["easi"]}, 'start of a weighting must be a run, a front or a policy: policy "easi" is not known'),
        ({"start": ["fcfs"]}, "policy: FCFS must have the backfilling of the weighting, easy, but has none"),
        ({"start": ["conservative"]}, "policy: CONS is no weighting; Greedy policies are, fcfs, easy, conserv"),
        ({"start": ["sjf"]}, "policy: SJF with EASY is no weighting; Greedy policies are, fcfs, easy"),
        (
            {"start": ["fcfs; backfill: easy; nodes: 8 of 16"], "backfill": "easy"},
            "policy: FCFS with EASY on nodes is no weighting",
        ),
        ({"start": ["lxf; backfill: easy; slack: 2h"]}, "must have the backfilling of the weighting, easy, but has"),
        ({"draw": "well", "algorithm": "nsga2"}, 'draw must be one of uniform, tied, but is "well"'),
        ({"draw": "uniform"}, 'draw must not be given with the algorithm "archive" as "uniform": it always draws tied'),
        ({"draw": "tied", "algorithm": "all"}, 'draw must not be given with the algorithm "all", which draws nothing'),
        ({"draw": "tied", "encoding": "sequence"}, 'draw must not be given with the encoding "sequence"; weightings'),
        ({"encoding": "priority", "algorithm": "nsga2"}, 'algorithm of the encoding "priority" must be one of archive'),
        ({"encoding": "priority", "start": ["easy"]}, 'start of a priority must be a run directory or a front file'),
        ({"encoding": "priority", "backfill": "easy"}, 'backfill must not be given with the encoding "priority"'),
        ({"encoding": "limits"}, "random: limits must be of a machine of nodes, but of this one only the processors"),
        ({"encoding": "limits", "algorithm": "all"}, 'encoding limits must not be given with the algorithm "all"'),
        ({"encoding": TrainedOrders(("1", "2"))}, "favoured groups must be those of random, 1, 2, 3, but are 1, 2"),
        (
            {"surrogate": True, "algorithm": "nsga2"},
            'surrogate must not be given with the algorithm "nsga2"; it chooses children of "archive"',
        ),
        *(
            (
                {"surrogate": True, "encoding": encoding},
                f'surrogate must not be given with the encoding "{encoding}"; it is for weighting and priority',
            )
            for encoding in ("sequence", "orders")
        ),
        ({"surrogate": 1}, "surrogate must be a value of the type bool, but is 1"),
        ({"wish": "AWRT1", "algorithm": "nsga2"}, 'wish must not be given with the algorithm "nsga2", which looks ev'),
        ({"box": 2, "algorithm": "random"}, 'box must not be given with the algorithm "random", which looks everywh'),
        ({"box": 1, "algorithm": "archive"}, "box must be above 1 times EASY, but is 1"),
        ({"box": 1e308, "algorithm": "archive"}, "box must be at most 1,000,000 times EASY, but is 1e\\+308"),
        ({"box": "wide", "algorithm": "archive"}, "box must be a number, but is"),
        ({"wish": "AWRT9", "algorithm": "archive"}, "there must be one of UTIL, AWRT, AWRT1, AWRT2, AWRT3"),
        ({"wish": 7, "algorithm": "archive"}, "a wish must be a wish, its words or the path of a file, but is 7"),
        ({"decoding": "strict"}, 'decoding of a weighting must be one of online, earliest, but is "strict"'),
    ],
)  # fmt: skip
def test_words_that_mean_nothing_are_named_and_nothing_is_written(
    tmp_path: Path, words: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        explore(W, tmp_path / "run", **SIZE, evaluations=20, **words)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_source_must_fit(runs: Runs, tmp_path: Path) -> None:
    other = random_workload(seed=9)
    with pytest.raises(InputError, match="must begin with one of the same workload"):
        explore(other, tmp_path / "run", **SIZE, start=[str(runs("rvea"))], evaluations=20)
    with pytest.raises(
        InputError,
        match="must have schedules explored by weighting or orders of the waiting queue to begin with, but has none",
    ):
        explore(W, tmp_path / "run", **SIZE, start=[str(runs("pull"))], evaluations=20)
    with pytest.raises(InputError, match="must have schedules explored by weighting or in the queue to begin with"):
        explore(W, tmp_path / "run", **SIZE, encoding="sequence", start=[str(runs("pull"))], evaluations=20)


def test_a_schedule_that_knows_the_future_fits_no_other_workload(runs: Runs) -> None:
    front = load_front(runs("pull"))
    assert row_policy(front, 0) is None
    with pytest.raises(InputError, match="knows the future of random, so it fits no other workload"):
        schedule(front, 0, random_workload(seed=9))


def test_the_strategy_never_exceeds_the_workload() -> None:
    search_settings = settle(W, {}, seed=0, population=10, encoding="sequence")
    assert (search_settings.parameters["frequency"], search_settings.parameters["jump"]) == (60.0, 60.0)
    assert (next(search_settings.start_search(None))[:, -2:] == 60.0).all()


@pytest.mark.parametrize("starts", [[[1, 2], [3]], ["a", "b"], [[0.5, 0.5]], [[float("nan")] * 27], [], [{"a": 1}]])
def test_a_damaged_start_in_the_description_of_a_run_is_said(runs: Runs, starts: Any) -> None:
    start = [str(runs("archive"))]
    with pytest.raises(InputError, match=r'"starts" in the run\'s run\.json must be lists of [0-9]+ genes within'):
        settle(W, {"start": start_names(start), "starts": starts}, population=10, seed=4, start=start)


@pytest.mark.slow
def test_a_run_need_not_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = explore(W, tmp_path / "run", evaluations=40, population=20, seed=4)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    front = explore(W, evaluations=40, population=20, seed=4)
    assert (front.values.tobytes(), front.origins) == (kept.values.tobytes(), kept.origins)
    assert list((tmp_path / "elsewhere").iterdir()) == []
