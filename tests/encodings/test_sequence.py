"""The encoding by job sequence: what it may be; and that orders follow from their recipes and from nothing else.

Not from the cache, the threads or what came before.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numba
import numpy as np
import pytest

from paretosched import InputError, Workload, greedy
from paretosched.encodings import sequence as module
from paretosched.encodings.encoding import from_json, to_json
from paretosched.encodings.recipes import ancestry
from paretosched.encodings.sequence import (
    MOVES,
    RECOMBINATIONS,
    Derive,
    Sequences,
    check_sequences,
    deriving,
    movable_jobs,
)
from paretosched.policies.decoded_orders import DECODINGS, outcome_of_order
from paretosched.policies.plain import Plain
from paretosched.policies.policy_json import to_json as policy_json
from support.later import arrival_workload, by_rows, later
from support.recipes import family
from support.zoo import HOUR, ZOO, constant, jobs, random_jobs

# 60 jobs that queue, of 5 groups, some wide, some long
BUSY = random_jobs(8, 60, 64, gap=1, run=3, grain=HOUR // 2)
BETWEEN = ("fill", "both")  # moves that need a gap, which only strict decoding leaves
STARTS = ("submit", {"random": 1}, {"policy": policy_json(Plain("easy"))})
# two groups, widths 8 and 32, requests of 1 h and of a second more
FOUR = jobs(
    32, (0, 9, HOUR, 8, 0), (0, 9, HOUR + 1, 8, 1), (3, 9, HOUR, 32, 0), (5, 9, HOUR + 1, 32, 1), name="four jobs"
)
STRICT = Sequences("strict", moves="swap")


def test_the_encoding_survives_json() -> None:
    starts = ("submit", {"random": 2**53 - 1}, {"order": [1, 0]}, {"policy": policy_json(Plain("easy"))})
    spec = Sequences("earliest", starts, "group", "either", "cycle")
    assert from_json(json.loads(json.dumps(to_json(spec)))) == spec
    assert check_sequences(spec, FOUR) == spec


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], r"an encoding must be one of weighting, orders, sequence, priority, limits, but is \[\]"),
        ({"encoding": "sequence", "moves": "swap"}, "sequence must have decoding, .*, but has moves$"),
        (to_json(Sequences()) | {"more": 1}, "but has decoding, starts, .*, more$"),
        (to_json(Sequences()) | {"moves": "jump"}, 'moves must be one of .*, but is "jump"'),
    ],
)
def test_json_of_something_else_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_json(value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decoding": "latest"}, 'decoding must be one of strict, earliest, but is "latest"'),
        ({"moves": "jump"}, "moves must be one of adjacent, swap, later, group, pull, fill, both, but"),
        ({"moves": ["swap"]}, "moves must be one of"),
        ({"movable": "wide"}, "movable must be one of all, processors, hour, either, both, but"),
        ({"recombination": None}, "recombination must be one of none, ox, pmx, cycle, but is None"),
        ({"starts": ()}, "starts must have one start order or more"),
        ({"movable": "hour"}, 'movable "hour" is for the moves later and group, but the moves are "swap"'),
        ({"movable": "hour", "moves": "pull"}, 'but the moves are "pull"'),
        ({"moves": "fill", "decoding": "earliest"}, 'moves "fill" must be given with the decoding "strict": earliest'),
        ({"moves": "both", "decoding": "earliest"}, 'moves "both" must be given with the decoding "strict"'),
        ({"starts": ("submit", "random")}, 'a start must be "submit" or one of .* but is "random"'),
        ({"starts": (7,)}, 'a start must be .* but is "7"'),
        ({"starts": ({},)}, "a start must be"),
        ({"starts": ({"random": 1, "order": [0, 1]},)}, "a start must be"),
        ({"starts": ({"random": -1},)}, r'must be in 0\.\.2\^53 - 1, but is "-1"'),
        ({"starts": ({"random": 2**53},)}, r"must be in 0\.\.2\^53 - 1, but"),
        ({"starts": ({"random": 1.5},)}, r"must be in 0\.\.2\^53 - 1, but"),
        ({"starts": ({"random": True},)}, r"must be in 0\.\.2\^53 - 1, but"),
        ({"starts": ({"order": [0]},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"order": [0, 0.5]},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"order": "01"},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"order": 1},)}, "must be one whole number for each of 2 groups, but are"),
        ({"starts": ({"policy": "easy"},)}, "start: a policy file must be an object"),
        ({"starts": ({"policy": policy_json(Plain("easy")) | {"rule": "sjf"}},)}, "start: rule must be one of"),
        ({"starts": ({"policy": policy_json(Plain("recorded"))},)}, "no job has a recorded wait"),
        (
            {"starts": ({"policy": policy_json(greedy(["f1"] * 3, constant(1, 1, 1, 1, 1), groups=("x",)))},)},
            "is for the groups x, but four jobs has the groups 1, 2",
        ),
    ],
)
def test_what_cannot_be_an_encoding_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_sequences(STRICT._replace(**changes), FOUR)


def test_moves_that_could_move_nothing_are_refused() -> None:
    short = FOUR.with_(estimate=FOUR.run)
    with pytest.raises(InputError, match='moves "later" with movable "hour" need such jobs, but four jobs has none'):
        check_sequences(Sequences(moves="later", movable="hour"), short)
    one_group = FOUR.with_(group=[1, 1, 1, 1])
    with pytest.raises(InputError, match="need movable jobs beside those of a group, but four jobs has none"):
        check_sequences(Sequences(moves="group"), one_group)
    assert check_sequences(Sequences(moves="group", movable="both"), FOUR).movable == "both"


@pytest.mark.parametrize(
    ("movable", "rows"),
    [("all", [0, 1, 2, 3]), ("processors", [2, 3]), ("hour", [1, 3]), ("either", [1, 2, 3]), ("both", [3])],
)
def test_big_jobs_have_32_processors_and_more_or_ask_for_more_than_an_hour(movable: str, rows: list[int]) -> None:
    assert np.flatnonzero(movable_jobs(FOUR, movable)).tolist() == rows


def spec(moves: str, recombination: str = "ox", movable: str = "all") -> Sequences:
    return Sequences("strict", STARTS, moves, movable, recombination)


def all_orders(workload: Workload, encoding: Sequences, archive: Any) -> list[list[int]]:
    """Return the orders of all solutions, by number; the cache has room for all."""
    derive = deriving(workload, encoding)
    return [derive.order(row, archive[:i]).tolist() for i, row in enumerate(archive)]


@pytest.mark.slow
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("recombination", RECOMBINATIONS)
def test_orders_do_not_depend_on_the_cache_nor_on_what_came_before(moves: str, recombination: str) -> None:
    archive = family(3, 40, mates=0.4 if recombination != "none" else 0.0)
    encoding = spec(moves, recombination)
    expected = all_orders(BUSY, encoding, archive)
    assert len({tuple(order) for order in expected}) > 25  # without a gap to fill nothing changes
    assert all(sorted(order) == list(range(60)) for order in expected)
    turn = np.random.default_rng(1).permutation(len(archive)).tolist()
    for cache_bytes in (0, 1000, 10**6):
        derive = deriving(BUSY, encoding, cache_bytes)
        for i in turn:
            order = derive.order(archive[i], ancestry(archive, archive[[i]]))
            assert order.dtype == np.int32
            assert not order.flags.writeable
            assert order.tolist() == expected[i]


@pytest.mark.parametrize("moves", ["group", "pull", "both"])
def test_threads_share_a_cache_and_change_nothing(moves: str) -> None:
    archive = family(4, 120, mates=0.3, youth=30)
    expected = all_orders(BUSY, spec(moves), archive)
    for cache_bytes in (2000, 10**6):
        derive = deriving(BUSY, spec(moves), cache_bytes)
        with ThreadPoolExecutor(8) as pool:
            orders = list(pool.map(lambda row, derive=derive: derive.order(row, archive).tolist(), archive[::-1]))
        assert orders == expected[::-1]


def test_a_chain_of_700_ancestors_needs_no_deep_stack_and_little_memory() -> None:
    archive = family(5, 700, starts=1, mates=0.0, youth=1)
    expected = all_orders(BUSY, spec("later"), archive)
    derive = deriving(BUSY, spec("later"), 0)
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        order = derive.order(archive[-1], archive[:-1])
    finally:
        sys.setrecursionlimit(depth)
    assert order.tolist() == expected[-1]


def test_a_tree_in_which_every_solution_has_two_parents() -> None:
    archive = family(6, 150, mates=1.0, youth=12)
    for recombination in ("ox", "pmx", "cycle"):
        expected = all_orders(BUSY, spec("swap", recombination), archive)
        derive = deriving(BUSY, spec("swap", recombination), 1500)
        assert derive.order(archive[-1], ancestry(archive, archive[-1:])).tolist() == expected[-1]
    itself = np.array([[0, -1, -1, 1, 1, 1], [1, 0, 0, 5, 2.5, 2]])
    assert sorted(deriving(BUSY, spec("swap"), 0).order(itself[1], itself).tolist()) == list(range(60))


def test_the_key_and_the_parents_make_the_child() -> None:
    derive = deriving(BUSY, spec("swap"))
    rows = [
        [0, -1, -1, 0, 1, 1],
        [1, -1, -1, 1, 1, 1],
        *([number, 0, -1, key, 9, 9] for number, key in ((2, 7), (3, 8))),
    ]
    rows += [[4, 0, -1, 7, 9, 9], [5, 0, 1, 7, 9, 9], [6, 1, -1, 7, 9, 9]]
    archive = np.array(rows, dtype=np.float64)
    orders = [tuple(derive.order(row, archive).tolist()) for row in archive]
    assert orders[2] == orders[4]
    assert len(set(orders)) == 6


def child(workload: Workload, encoding: Sequences, frequency: float, jump: float, key: int) -> tuple[Any, Any]:
    archive = np.array([[0, -1, -1, 0, 1, 1], [1, 0, -1, key, frequency, jump]])
    derive = deriving(workload, encoding)
    return derive.order(archive[0], archive[:0]), derive.order(archive[1], archive[:1])


@pytest.mark.parametrize("moves", [moves for moves in MOVES if moves not in BETWEEN])
def test_a_child_makes_as_many_moves_as_its_frequency_says_on_the_average(moves: str) -> None:
    """With jumps of one place, every move of its own changes two places; some undo or extend each other."""
    derive = deriving(BUSY, spec(moves))
    for frequency, least, most in ((1.0, 2, 2), (1.5, 2, 4)):
        counts = []
        for key in range(200):
            archive = np.array([[0, -1, -1, 0, 1, 1], [1, 0, -1, key, frequency, 1]])
            parent, order = derive.order(archive[0], archive), derive.order(archive[1], archive)
            counts.append(np.count_nonzero(order != parent))
        changes = np.array(counts)
        if moves != "pull":  # a job that is at its limit stays there
            # two moves of neighbours may make three changes or none; the last job cannot move on
            assert np.mean(changes >= least) > 0.93
        assert changes.max() <= most
        assert abs((changes > 2).mean() - (frequency - 1)) < 0.15


def test_adjacent_moves_ignore_the_jump_and_distant_ones_do_not() -> None:
    for key in range(50):
        parent, order = child(BUSY, spec("adjacent"), 1, 30, key)
        places = np.flatnonzero(order != parent)
        assert np.diff(places).tolist() == [1]
    distances = [np.diff(np.flatnonzero(np.subtract(*child(BUSY, spec("swap"), 1, 6, key))))[0] for key in range(300)]
    assert 5 < np.mean(distances) < 7


@pytest.mark.parametrize("movable", ["all", "processors", "hour", "either", "both"])
def test_jobs_that_are_not_big_keep_their_order_and_are_overtaken_by_no_job(movable: str) -> None:
    big = movable_jobs(BUSY, movable)
    for key in range(20):
        parent, order = child(BUSY, spec("later", movable=movable), 20, 10, key)
        assert order.tolist() != parent.tolist()
        before, after = np.argsort(parent), np.argsort(order)
        for j in np.flatnonzero(~big):
            assert after[j] <= before[j]
            assert (after[before > before[j]] > after[j]).all()


def test_one_group_is_spared_by_a_group_move_and_each_in_its_turn() -> None:
    spared_groups = []
    for key in range(60):
        parent, order = child(BUSY, spec("group", movable="either"), 30, 10, key)
        before, after = np.argsort(parent), np.argsort(order)
        fell_back = {
            int(BUSY.group[j]) for j in range(60) if (after[before > before[j]] < after[j]).any()
        }  # a job that was behind it is before it now
        assert len(fell_back) == 4
        spared_groups.append(({0, 1, 2, 3, 4} - fell_back).pop())
    assert min(np.bincount(spared_groups, minlength=5)) >= 4


def test_pulling_moves_waiting_jobs_of_one_group_and_not_too_far() -> None:
    pulled_groups = set()
    for key in range(40):
        parent, order = child(BUSY, spec("pull"), 10, 10, key)
        start = outcome_of_order(BUSY, parent, "strict").start
        before, after = np.argsort(parent), np.argsort(order)
        jumpers = [j for j in range(60) if (after[before < before[j]] > after[j]).any()]
        assert len({int(BUSY.group[j]) for j in jumpers}) == 1
        pulled_groups.add(int(BUSY.group[jumpers[0]]))
        for j in jumpers:
            assert start[j] > BUSY.submit[j]
            overtaken_jobs = np.flatnonzero((before < before[j]) & (after > after[j]))
            assert start[overtaken_jobs].min() >= BUSY.submit[j]
    assert pulled_groups == {0, 1, 2, 3, 4}


def test_where_no_job_waits_no_job_is_pulled() -> None:
    w = jobs(8, *((10 * i, 5, 5, 1 + i % 8, i % 2) for i in range(12)))
    parent, order = child(w, STRICT._replace(moves="pull"), 5, 3, 1)
    assert order.tolist() == parent.tolist()


def test_filling_moves_jobs_to_where_processors_idle_and_delays_no_job() -> None:
    all_movers = []
    for key in range(60):
        parent, order = child(BUSY, spec("fill"), 1, 30, key)
        before, after = (outcome_of_order(BUSY, each, "strict").start for each in (parent, order))
        assert (after <= before).all()
        place, at = np.argsort(parent), np.argsort(order)
        movers = [j for j in range(60) if (at[place < place[j]] > at[j]).any()]
        assert len(movers) <= 1
        assert all(after[j] < before[j] for j in movers)
        all_movers += movers
    assert len(all_movers) > 20
    assert len(set(all_movers)) > 5


def test_where_no_job_waits_nothing_is_filled() -> None:
    w = jobs(8, *((10 * i, 5, 5, 1 + i % 8, i % 2) for i in range(12)))
    parent, order = child(w, STRICT._replace(moves="fill"), 5, 3, 1)
    assert order.tolist() == parent.tolist()


def test_both_pulls_or_fills() -> None:
    alike = {"pull": 0, "fill": 0}
    archive = np.array([[0, -1, -1, 0, 1, 1], *([1 + key, 0, -1, key, 9, 20] for key in range(40))])
    derive = deriving(BUSY, STRICT._replace(moves="both"))
    before = derive(archive[0], archive).start
    for row in archive[1:]:
        after = derive(row, archive).start
        if (after > before).any():
            alike["pull"] += 1  # a pull lets others wait
        elif (after < before).any():
            alike["fill"] += 1
    assert min(alike.values()) > 10


@pytest.mark.parametrize(
    ("moves", "decoding"), [pair for pair in product(MOVES, DECODINGS) if pair not in product(BETWEEN, ["earliest"])]
)
def test_start_times_are_those_of_the_decoded_order(moves: str, decoding: str) -> None:
    archive = family(9, 20, mates=0.5)
    for cache_bytes in (0, 10**6):
        derive = deriving(BUSY, spec(moves)._replace(decoding=decoding), cache_bytes)
        for row in archive:
            start = derive(row, archive).start
            assert start.dtype == np.int64
            assert start.tolist() == outcome_of_order(BUSY, derive.order(row, archive), decoding).start.tolist()
            assert derive(row, archive).start.tolist() == start.tolist()


def test_waits_of_a_century_are_kept_whole() -> None:
    w = jobs(1, (0, 2**33, 2**33, 1), (0, 5, 5, 1), (0, 5, 5, 1))
    derive = deriving(w, STRICT._replace(moves="pull"))
    archive = np.array([[0, -1, -1, 0, 1, 1.0]])
    for _ in range(2):
        assert derive(archive[0], archive).start.tolist() == [0, 2**33, 2**33 + 5]


@pytest.mark.parametrize("moves", ["adjacent", "swap", "later", "pull", "fill", "both"])
def test_a_single_job_is_an_order(moves: str) -> None:
    parent, order = child(ZOO["one job"], STRICT._replace(moves=moves), 1, 1, 5)
    assert parent.tolist() == order.tolist() == [0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([7, 5, -1, 1, 2, 2], "recipe 7: its parent 5 must be among its ancestors, but is not"),
        ([7, 1, 9, 1, 2, 2], "recipe 7: its parent 9 must be among its ancestors"),
        ([1, 1, -1, 1, 2, 2], "recipe 1: its parent 1 must be among its ancestors"),
        ([7, -1, -1, 3, 1, 1], "recipe 7: there are 3 starts, but it has 3"),
        ([7, -1, -1, -1, 1, 1], "recipe 7: there are 3 starts, but it has -1"),
        ([7, 0, -1, 2**53, 1, 1], r"recipe 7: the key must be in 0\.\.2\^53 - 1"),
        ([7, 0, -1, 1, 0.5, 1], r"frequency and jump must be in 1\.\.60, but are 0.5, 1.0"),
        ([7, 0, -1, 1, 1, 61], r"frequency and jump must be in 1\.\.60, but are 1.0, 61.0"),
        ([7, 0, -1, 1, np.nan, 1], "a recipe must be 6 numbers, the first 4 whole, but is"),
        ([7, 0, -1, 1.5, 1, 1], "a recipe must be 6 numbers, the first 4 whole, but is"),
        ([7, 0, -1, 1, 1], "a recipe must be 6 numbers"),
    ],
)
def test_a_recipe_that_breaks_a_rule_is_named(row: list[float], message: str) -> None:
    archive = family(1, 3)
    with pytest.raises(InputError, match=message):
        deriving(BUSY, spec("swap")).order(np.array(row, dtype=np.float64), archive)


def test_a_mate_without_recombination_is_refused() -> None:
    archive = family(1, 3)
    with pytest.raises(InputError, match='recipe 7: it has a mate, 1, but recombination is "none"'):
        deriving(BUSY, spec("swap", "none")).order(np.array([7, 0, 1, 1, 1, 1.0]), archive)


RECORDED = {
    ("adjacent", "ox"): "9247508631 1230456879 2975406381",
    ("swap", "ox"): "9247508631 1509426783 7215403689",
    ("later", "ox"): "9247508631 0134562798 2795408316",
    ("group", "ox"): "9247508631 0134562978 9275086314",
    ("pull", "ox"): "9247508631 0132945678 5927480631",
    ("fill", "ox"): "9247508631 0124356879 9528740631",
    ("both", "ox"): "9247508631 0136924578 9527408631",
    ("adjacent", "pmx"): "9247508631 1230456879 2957406381",
    ("adjacent", "cycle"): "9247508631 1230456879 1027546839",
}


def test_recipes_mean_the_same_orders_for_ever() -> None:
    """Runs on disk hold recipes: a change of what they mean makes those runs worthless."""
    w = jobs(32, *((i, 2 * HOUR, 2 * HOUR, 8 * (1 + i % 4), i % 3) for i in range(10)))
    archive = np.array([[0, -1, -1, 0, 1, 1], [1, -1, -1, 1, 1, 1], [2, 0, -1, 123, 3.5, 2.5], [3, 0, 1, 456, 3, 4.0]])
    for (moves, recombination), expected in RECORDED.items():
        starts = ("submit", {"random": 1})
        derive = deriving(w, Sequences("strict", starts, moves, recombination=recombination))
        texts = ["".join(str(job) for job in derive.order(row, archive).tolist()) for row in archive[1:]]
        assert " ".join(texts) == expected


MEMORY = """
import numpy as np
from paretosched import Workload
from paretosched.encodings.recipes import ancestry
from paretosched.encodings.sequence import Sequences, deriving

n, size = 136_000, 120
w = Workload(submit=np.arange(n), run=np.ones(n, int), estimate=np.ones(n, int), width=np.ones(n, int), capacity=1)
rng = np.random.default_rng(1)
derive = deriving(w, Sequences(starts=("submit", {"random": 1}), moves="later", recombination="ox"))
archive = np.array([[i, -1, -1, i % 2, 5000, 1500] for i in range(size)], dtype=float)
population, seen = archive, set()
for generation in range(5):
    known = ancestry(archive, population)
    seen.update(hash(derive.order(row, known).tobytes()) for row in population)
    parents = population[rng.integers(0, size, size)]
    numbers = len(archive) + np.arange(size)
    mates = np.where(rng.random(size) < 0.3, rng.permutation(population[:, 0]), -1)
    keys = rng.integers(0, 2**53, size)
    population = np.column_stack([numbers, parents[:, 0], mates, keys, parents[:, 4:]])
    archive = np.concatenate([archive, population])
# ru_maxrss would be that of the process that started this one, if it was larger
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
print(len(seen), int(peak) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes hours in plain Python")
def test_a_population_of_120_orders_of_136000_jobs_needs_less_than_1_gib() -> None:
    process = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    orders, mebibytes = map(int, process.stdout.split())
    assert orders == 2 + 4 * 120
    assert mebibytes < 1024


def test_the_cache_holds_what_fits_and_forgets_what_was_used_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    original = Derive._from_parents

    def note(self: Any, row: Any, parents: Any) -> Any:
        rows.append(int(row[0]))
        return original(self, row, parents)

    def unpack(parent: Any, change: Any) -> Any:
        rows.append(-1)
        return with_change(parent, change)

    monkeypatch.setattr(Derive, "_from_parents", note)
    with_change = module._with_change
    monkeypatch.setattr(module, "_with_change", unpack)
    archive = family(1, 6, starts=1, mates=0.0, youth=1)
    derive = deriving(BUSY, STRICT, cache_bytes=3 * 60 * 4)
    derive._changes = module._Recent(10**6)
    for row, expected in ((2, [0, 1, 2]), (2, []), (3, [3]), (1, []), (4, [4]), (3, []), (2, [2])):
        rows.clear()
        derive.order(archive[row], archive)
        assert rows == expected
    for row, expected in ((0, [-1]), (5, [3, 4, 5])):  # what a start order changes is kept
        rows.clear()
        derive.order(archive[row], archive)
        assert rows == expected
    derive._changes = module._Recent(0)
    for row, expected in ((0, [0]), (2, [1, 2])):
        rows.clear()
        derive.order(archive[row], archive)
        assert rows == expected


@pytest.mark.parametrize("n", [1, 2, 60])
def test_a_change_of_any_order_is_exact(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        parent, unrelated = (rng.permutation(n).astype(np.int32) for _ in range(2))
        for order in (unrelated, parent, parent[::-1], np.roll(parent, 1)):
            again = module._with_change(parent, module._change(parent, order, module.space(n)))
            assert (again.dtype, again.tolist()) == (parent.dtype, order.tolist())


@pytest.mark.parametrize("moves", MOVES)
def test_a_recipe_is_varied_once_even_if_its_order_is_forgotten(moves: str, monkeypatch: pytest.MonkeyPatch) -> None:
    varied: list[bytes] = []
    original = Derive._from_parents

    def note(self: Any, row: Any, parents: Any) -> Any:
        varied.append(row.tobytes())
        return original(self, row, parents)

    archive = family(7, 40, mates=0.5)
    encoding = spec(moves, "pmx")
    known = [deriving(BUSY, encoding).order(row, archive).tolist() for row in archive]
    monkeypatch.setattr(Derive, "_from_parents", note)
    derive = deriving(BUSY, encoding, cache_bytes=2 * 60 * 4)
    derive._changes = module._Recent(10**6)
    for row in [*range(40), *np.random.default_rng(3).permutation(40)]:
        assert derive.order(archive[row], archive).tolist() == known[row]
    assert len(varied) == len({*varied}) == 40


@pytest.mark.parametrize("moves", MOVES)
def test_what_is_changed_is_kept_where_it_is_dear_to_change_it_again(moves: str) -> None:
    archive = family(7, 20, mates=0.0)
    derive = deriving(BUSY, spec(moves, "none"))
    for row in archive:
        derive.order(row, archive)
    dear = {int(row[0]) for row in archive if row[1] >= 0 and moves in module.LOOKING}
    assert derive.changes(archive).keys() == dear


@pytest.mark.parametrize(("moves", "decoding"), [(moves, "strict") for moves in MOVES] + [("pull", "earliest")])
def test_jobs_that_are_eligible_later_stand_where_they_arrive(moves: str, decoding: str) -> None:
    """Orders are those of the workload that is submitted when its jobs are eligible, in the rows of this one."""
    w = later(BUSY, 2)
    same, rows = arrival_workload(w)
    archive = family(9, 20, mates=0.5)
    encoding = spec(moves)._replace(decoding=decoding)
    derive, derive_same = deriving(w, encoding), deriving(same, encoding)
    for row in archive:
        order = derive.order(row, archive)
        assert order.dtype == np.int32
        assert not order.flags.writeable
        assert order.tolist() == rows[derive_same.order(row, archive)].tolist()
        start = derive(row, archive).start
        assert start.tolist() == by_rows(derive_same(row, archive).start, rows)
        assert start.tolist() == outcome_of_order(w, order, decoding).start.tolist()
