"""Fair share: the oracle against factors worked out by hand and Slurm's own, and the kernel against the oracle."""

import functools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.fair_share import factor_at, note_in_tree
from support.naive_fair_share import Factors, SharesOf, classic, fair_tree
from support.naive_priority import Backfill, start_times
from support.prioritising import Rank, in_parts, starts, tree
from support.simulating import DEEP, briefly, deep, thoroughly
from support.zoo import jobs, workloads

# The root has accounts 1 (30 shares) and 2 (20 shares); users 3 (5) and 4 (10) are in account 1; user 5 (2), user 6 (1)
# and user 7, who has the shares of the account, in account 2.
TWO = SharesOf((-1, 0, 0, 1, 1, 2, 2, 2), (0, 30, 20, 5, 10, 2, 1, None), (*[False] * 3, *[True] * 5))
ORDERS = ("fair share", "fair share and age")


def check(w: Workload, rank: Rank) -> None:
    """Compare the kernel with the oracle, with parts and without."""
    expected = start_times(w, rank.rule())
    assert starts(w, rank) == expected
    assert starts(w, rank, functools.partial(in_parts, parts=rank.parts(w))) == expected


@st.composite
def shares_of(draw: st.DrawFn) -> SharesOf:
    """Return a random tree with at least one user."""
    above, shares, users = [-1], [0], [False]
    for _ in range(draw(st.integers(0, 9))):
        above.append(draw(st.sampled_from([node for node, is_user in enumerate(users) if not is_user])))
        users.append(draw(st.booleans()))
        shares.append(draw(st.sampled_from([0, 1, 1, 2, 5])))
        if users[-1] and draw(st.integers(0, 5)) == 0:
            shares[-1] = None  # type: ignore[call-overload]
    above.append(draw(st.sampled_from([node for node, is_user in enumerate(users) if not is_user])))
    algorithm = draw(st.sampled_from(["tree", "classic"]))
    damping = draw(st.sampled_from([1.0, 3.0]))
    period = draw(st.sampled_from([1, 1, 4, 300]))
    return SharesOf(tuple(above), (*shares, 1), (*users, True), algorithm, period, 0, damping)


# ---- the oracle


def test_without_usage_all_users_are_first() -> None:
    assert set(fair_tree(TWO, [0.0] * 8).values()) == {1.0}


def test_users_are_ranked_account_by_account() -> None:
    usage = [100.0, 70.0, 30.0, 40.0, 30.0, 10.0, 20.0, 0.0]
    # 30/50 / 0.7 = .857 < 20/50 / 0.3 = 1.33: account 2 comes first; in it 7 inherits, then 2/3 / (1/3) > 1/3 / (2/3)
    assert fair_tree(TWO, usage) == {7: 1.0, 5: 0.8, 6: 0.6, 4: 0.4, 3: 0.2}


def test_accounts_of_the_same_ratio_are_one_account() -> None:
    usage = [100.0, 60.0, 40.0, 0.0, 60.0, 40.0, 0.0, 0.0]  # 3 and 6 are unused, 7 inherits; 4 has 2/3, 5 has 2/3
    assert fair_tree(TWO, usage) == {3: 1.0, 6: 1.0, 7: 1.0, 4: 0.4, 5: 0.4}


def test_a_user_with_the_ratio_of_an_account_has_the_rank_of_its_first_user() -> None:
    of = SharesOf((-1, 0, 0, 1, 1), (0, 1, 1, 1, 1), (False, False, True, True, True))
    assert fair_tree(of, [2.0, 1.0, 1.0, 0.75, 0.25]) == {2: 1.0, 4: 1.0, 3: 1 / 3}


def test_the_classic_factor_halves_when_usage_equals_shares() -> None:
    of = SharesOf((-1, 0, 0), (0, 1, 1), (False, True, True), "classic")
    assert classic(of, [8.0, 4.0, 4.0], 1) == 0.5
    assert classic(of, [8.0, 0.0, 8.0], 1) == 1.0
    assert classic(of._replace(damping=2.0), [8.0, 0.0, 8.0], 2) == 0.5


def test_a_share_of_what_others_in_the_account_used_counts() -> None:
    # account 1 has all usage; user 4 has none, but 2/3 of the shares: effective usage 2/3, shares 3/5 x 2/3
    of = TWO._replace(algorithm="classic")
    assert math.isclose(classic(of, [6.0, 6.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0], 4), 2 ** -((2 / 3) / (0.6 * 2 / 3)))
    assert classic(of, [6.0, 0.0, 6.0, 0.0, 0.0, 6.0, 0.0, 0.0], 7) == 2 ** -(1 / 0.4)  # as the account itself


def test_usage_counts_up_to_the_last_period_and_decays() -> None:
    factors = Factors(TWO._replace(period=10), 5.0)
    factors.change(3, 2, 4)
    assert factors.at(3, 9) == factors.at(4, 9) == 1.0
    assert factors.at(3, 10) < factors.at(4, 10)
    assert math.isclose(factors.usages(15)[1], 4 * (2**3 - 2**0.4))


def test_slurms_own_factors() -> None:
    """Slurm 22.05 had these after one job of user sa in account bio; sc, sd, sb and sa of theory had not run."""
    above = (-1, 0, 0, 1, 1, 1, 0, 6, 6, 8)  # root/root, bio/sa, bio/sc, bio/sd; physics/sb, theory/sa
    users = (False, True, False, True, True, True, False, True, False, True)
    of = SharesOf((-1, 0, 0, 2, 2, 2, 0, 6, 6, 8), (0, 1, 20, 2, 1, None, 30, 5, 10, 3), users)
    assert len(above) == len(of.above)
    usage = [383.0, 0.0, 383.0, 383.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert fair_tree(of, usage) == {1: 1.0, 7: 1.0, 9: 1.0, 4: 0.5, 5: 0.5, 3: 1 / 6}


# ---- the kernel


def test_a_case_by_hand() -> None:
    w = jobs(2, (0, 10, 10, 2), (1, 30, 30, 2), (2, 5, 5, 2), (3, 5, 5, 2))
    of = SharesOf((-1, 0, 0), (0, 1, 1), (False, True, True))
    for algorithm in ("tree", "classic"):
        rank = Rank("fair share", accounts=(1, 2, 1, 2), shares_of=of._replace(algorithm=algorithm))
        assert starts(w, rank) == [0, 10, 40, 45]
        late = Rank("fair share", accounts=(1, 2, 1, 2), shares_of=of._replace(algorithm=algorithm, period=41))
        assert starts(w, late) == [0, 10, 40, 45]
        check(w, rank)
        check(w, late)


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=14), of=shares_of())
def test_equals_the_oracle_on_any_workload(data: st.DataObject, w: Workload, of: SharesOf) -> None:
    users = [node for node, is_user in enumerate(of.users) if is_user]
    accounts = data.draw(st.lists(st.sampled_from(users), min_size=len(w), max_size=len(w)))
    backfill = Backfill(data.draw(st.sampled_from((0, 1, 3, None))))
    longest = int(w.submit[-1] - w.submit[0] + w.run.sum())
    half_life = longest / data.draw(st.sampled_from((1.0, 500.0)))  # of the oracle, units grow without end
    first = int(w.submit[0])
    order = data.draw(st.sampled_from(ORDERS))
    check(w, Rank(order, None, backfill, accounts, (), half_life, of._replace(first=first)))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["tree", "classic"])
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str, algorithm: str) -> None:
    w = deep(kind, 1)
    period = int(np.median(w.run)) or 1
    accounts = np.random.default_rng(3).integers(3, 8, len(w)).tolist()
    of = TWO._replace(algorithm=algorithm, period=period, first=int(w.submit[0]))
    check(w, Rank("fair share", None, Backfill(1), accounts, (), 20.0 * period, of))


@briefly
@given(
    of=shares_of(), changes=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 9), st.integers(1, 4)), max_size=9)
)
def test_units_become_smaller_without_a_change_of_the_factors(
    of: SharesOf, changes: list[tuple[int, int, int]]
) -> None:
    """After 512 half-lives units are made smaller; Python's numbers are still large enough for 900."""
    naive, own = Factors(of, 3.5), tree(of)
    users = [node for node, is_user in enumerate(of.users) if is_user]
    for t, place, width in sorted(changes):
        node = users[place % len(users)]
        if t < 3100:
            naive.change(node, t, width)
            note_in_tree(own, 3.5, node, t, width)
    for t in (3000, 3100):
        assert [factor_at(own, 3.5, node, t) for node in users] == [naive.at(node, t) for node in users]
