"""Genomes of trained orders: what they stand for, and how they race on a part of the jobs."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Machine, NodeKind, Requests
from paretosched.encodings.trained_order import (
    BY_SITUATION,
    ENTITLED,
    HEAD,
    LONGEST,
    OWN_BACKFILLING,
    POLICY,
    RESERVATIONS,
    WINDOW,
    WINDOWS,
    TrainedOrders,
    formula,
    genes_of,
    keys_of,
)
from paretosched.policies.formula_analysis import shape_of
from paretosched.policies.outcome import finish_times
from paretosched.policies.plain import Plain
from paretosched.policies.policy import as_policy
from paretosched.policies.policy_json import from_json, to_json
from paretosched.policies.priority import Priority
from paretosched.simulation.simulator import simulate
from paretosched.workload.machine import Reservation
from paretosched.workload.workload import Workload
from support.exploring import random_workload
from support.later import later
from support.simulating import briefly

GROUPS = ("a b", "2", "vip")
ENCODING = TrainedOrders(("vip", "2", "a b"), ("sjf; backfill: easy",))
LENGTH = len(ENCODING.gene_labels(3))


def genome(**genes: float) -> np.ndarray:
    """Return a genome of waits alone, with some genes of its head."""
    waits = genes_of(3, weights=[1.0] * 3, constants=[0.0] * 3, of_wait=(0.8, 0.0, 0.0, 0.0))
    row = np.concatenate([np.zeros(len(HEAD)), *[waits] * 4])
    places = {"policy": POLICY, "reservations": RESERVATIONS, "entitled": ENTITLED, "longest": LONGEST}
    places |= {"by_situation": BY_SITUATION, "own_backfilling": OWN_BACKFILLING, "window": WINDOW}
    for name, value in genes.items():
        row[places[name]] = value
    return row


def policy_of(row: np.ndarray) -> Priority:
    policy = ENCODING.policy_of(row, GROUPS)
    assert isinstance(policy, Priority)
    return policy


def test_keys_are_those_of_the_formula_in_words() -> None:
    """The words have numbers of four digits; what that changes is less than 0.001 of the terms without their signs."""
    rng = np.random.default_rng(1)
    names = ("a", "b", "c")
    blocks = rng.choice([0.0, 0.04, 0.5, 1.0], size=(80, 15)) * rng.integers(2, size=(80, 15))
    blocks += rng.random((80, 15)) * (blocks == 0) * rng.integers(2, size=(80, 15))
    blocks[:, :3] = rng.random((80, 3))
    group, wait = rng.integers(3, size=20), rng.uniform(0, 9e5, 20)
    estimate, width = rng.integers(1, 200_000, 20).astype(float), rng.integers(1, 500, 20).astype(float)
    keys = keys_of(blocks, group, wait, estimate, width)
    assert keys.shape == (80, 20)
    for block, row in zip(blocks, keys, strict=True):
        words = formula(block, names)
        assert set(re.findall("[a-z]+", words)) <= {*names, "group", "wait", "estimate", "width", "area", "log", "e"}
        for j in range(20):
            at = {"wait": wait[j], "estimate": estimate[j], "width": width[j], "area": estimate[j] * width[j]}
            at |= {name: name for name in names} | {"log": math.log, "group": lambda name, j=j: name == names[group[j]]}
            value, size = (eval(text, {}, at) for text in (words, words.replace(" - ", " + ")))
            assert row[j] == pytest.approx(value, abs=1e-3 * size, rel=0)


def test_waits_alone_are_first_come_first_served_with_easy() -> None:
    w = random_workload()
    row = genome(entitled=1.0, longest=1.0)
    assert policy_of(row).order == ("wait",)
    assert policy_of(row).outcome(w).start.tolist() == Plain("easy").outcome(w).start.tolist()


def test_terms_have_their_signs_and_four_digits() -> None:
    block = genes_of(
        3,
        weights=[1.0, 0.5, 1.0],
        constants=[0.0, 1.0, 0.02],
        of_wait=(1.0, 0, 0, 0.9),
        static=(0.0, 0.5, 1.0, 0.52, 0.25),
    )
    assert formula(block, GROUPS) == (
        '(group("a b") + 0.1 * group(2) + group(vip)) * (1000000 * group(2) + wait * (10 + 316200 / area) + area '
        "- 10 * estimate - 94.87 * log(width))"
    )


@pytest.mark.parametrize(
    ("genes", "words"),
    [
        ({"reservations": 0.6, "entitled": 1.0, "longest": 1.0}, (8, (), (), ())),
        ({"reservations": 0.0, "entitled": 0.0, "longest": 1.0}, (1, ("vip",), (), ())),
        ({"reservations": 1.0, "entitled": 0.5, "longest": 0.0}, (32, ("vip", "2"), ((300, ("a b",)),), ("vip", "2"))),
    ],
)
def test_the_head_says_who_gets_reservations(genes: dict[str, float], words: tuple[object, ...]) -> None:
    backfill = policy_of(genome(**genes)).backfill
    assert (backfill.reservations, backfill.entitled, backfill.longest, backfill.named) == words


def test_a_known_policy_can_be_chosen() -> None:
    assert ENCODING.policy_of(genome(policy=1), GROUPS).name == as_policy("sjf; backfill: easy").name


@briefly
@given(seed=st.integers(0, 10**6))
def test_every_genome_is_a_line_that_a_file_keeps(seed: int) -> None:
    row = np.random.default_rng(seed).random(LENGTH)
    row[[WINDOW, POLICY]] = 0.0
    policy = policy_of(row)
    assert to_json(from_json(to_json(policy))) == to_json(policy)
    kinds = {shape_of(order.formula.key).kind for order in (*policy.orders, *policy.candidate_orders)}
    assert kinds <= {"line", "static"}


@pytest.mark.parametrize("w", [random_workload(), later(random_workload(), 4)], ids=["at once", "later"])
def test_a_window_changes_the_start_times_of_its_jobs_only(w: Workload) -> None:
    encoding = TrainedOrders(w.groups, ("sjf",))
    decode = encoding.decoder(w)
    length = len(encoding.gene_labels(len(w.groups)))
    row = np.zeros(length)
    row[POLICY] = 1
    easy = Plain("easy").outcome(w).start
    bounds = np.linspace(0, len(w), WINDOWS + 1).astype(int)
    changes = 0
    for window in range(1, WINDOWS + 1):
        row[WINDOW] = window
        start = decode(row, row).start
        inside = np.zeros(len(w), dtype=bool)
        inside[bounds[window - 1] : bounds[window]] = True
        assert (start[~inside] == easy[~inside]).all()
        assert (start >= w.eligible).all()
        changes += int((start != easy).sum())
    assert changes > 0
    assert not encoding.online(row[None]).any()
    row[WINDOW] = 0
    assert decode(row, row).start.tolist() == as_policy("sjf").outcome(w).start.tolist()
    assert encoding.online(row[None]).all()


def test_in_a_window_jobs_are_cancelled_as_in_it_alone(tmp_path: Path) -> None:
    """Two jobs of a reservation run on beyond its end under EASY, and are ended by Slurm, in different windows."""
    kept = Reservation("course", "n1", 100, 200)
    n = WINDOWS
    asks = Requests(tasks=[4] * n, memory_per_node=[1] * n, reservation=["course", *[""] * (n - 2), "course"])
    machine = Machine((NodeKind("n[1-2]", 4, 8000),), reservations=(kept,))
    submit = [90, *[91] * (n - 2), 150]
    w = Workload(submit, [150] * n, [150] * n, [4] * n, capacity=8, machine=machine, requests=asks, epoch=0)
    conf = tmp_path / "slurm.conf"
    conf.write_text("ClusterName=c\nSchedulerType=sched/backfill\nPriorityType=priority/basic\n")
    encoding = TrainedOrders(w.groups, (str(conf),))
    genome = np.zeros(len(encoding.gene_labels(1)))
    genome[[WINDOW, POLICY]] = 1
    made = encoding.decoder(w)(genome, genome)
    finish = finish_times(w.run, made.start, None, made.lives)
    alone = simulate(w.take([0]), as_policy(str(conf)))
    assert finish[0] - made.start[0] == alone.finish[0] - alone.start[0] < w.run[0]
    assert (finish[1:] == made.start[1:] + w.run[1:]).all()
