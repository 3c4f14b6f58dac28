"""Which association a job has, and which shares: listed ones, new ones, and those in accounts without shares."""

import numpy as np
import pytest

from paretosched import InputError, Workload
from paretosched.policies.fair_share import Association, FairShare, shareholders
from paretosched.workload.log_names import Names

SITE = FairShare(
    associations=(
        Association("bio", shares=20),
        Association("shared", within="bio", shares=None),
        Association("bio", "anna", shares=3),
        Association("shared", "dora"),
        Association("physics", shares=30),
        Association("physics", "anna"),
        Association("physics", "bert", shares=None),
    )
)


def log(users: list[int], accounts: list[int], names: Names | None = None) -> Workload:
    n = len(users)
    records = np.full((n, 18), -1.0)
    records[:, 11], records[:, 12] = users, accounts
    return Workload([0] * n, [1] * n, [1] * n, [1] * n, 4, user=users, records=records, names=names)  # type: ignore[arg-type]


def names_of(fair_share: FairShare, w: Workload) -> list[str]:
    """Return the names of the associations of jobs, of new ones their places from the end of the list."""
    who = shareholders(fair_share, w)
    listed = ("root", *fair_share.names)
    return [listed[node] if node < len(listed) else f"new {node - len(listed)}" for node in who.node.tolist()]


def test_shares_count_among_the_children_of_an_account() -> None:
    tree = shareholders(SITE, log([1], [1])).tree
    assert SITE.names == ("bio", "shared", "physics", "bio/anna", "shared/dora", "physics/anna", "physics/bert")
    assert tree.parent.tolist() == [-1, 0, 1, 0, 1, 1, 3, 3, 0]  # dora of shared is in bio, the last one is new
    expected = [0, 20 / 51, 0, 30 / 51, 3 / 4, 1 / 4, 1, 0, 1 / 51]
    assert np.allclose(tree.share, expected)
    assert tree.inherits.tolist() == [False] * 7 + [True, False]
    assert tree.users == 5


def test_names_beside_the_log_find_the_associations() -> None:
    names = Names({1: "anna", 2: "dora", 3: "otto"}, {1: "bio", 2: "physics", 3: "arts"}, {}, {}, "slurm", "account")
    w = log([1, 1, 3, 3, 2], [1, 2, 2, 3, 3], names)
    assert names_of(SITE, w) == ["bio/anna", "physics/anna", "new 0", "new 3", "new 2"]
    who = shareholders(SITE, w)
    assert who.unlisted == 3
    assert who.tree.parent.tolist()[-4:] == [3, 0, 9, 9]  # otto in physics; arts; otto and dora in it


def test_without_known_accounts_users_have_their_first_association() -> None:
    names = Names({1: "anna", 2: "otto"}, {1: "night"}, {}, {}, "slurm", "qos")
    assert names_of(SITE, log([1, 2, 2], [1, 1, 7], names)) == ["bio/anna", "new 0", "new 0"]


def test_without_a_list_all_users_are_equal() -> None:
    who = shareholders(FairShare(), log([7, 8, 7, -1], [1, 1, 2, 2]))
    assert who.unlisted == 0
    assert who.tree.parent.tolist() == [-1, 0, 0, 0]
    assert who.node.tolist() == [1, 2, 1, 3]
    assert np.allclose(who.tree.share[1:], 1 / 3)


def test_without_a_list_known_accounts_are_equal_and_have_their_users() -> None:
    names = Names({}, {1: "bio", 2: "physics"}, {}, {}, "slurm", "account")
    tree = shareholders(FairShare(), log([7, 8, 7], [1, 1, 2], names)).tree
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4]
    assert tree.share.tolist() == [0.0, 0.5, 0.5, 0.5, 0.5, 1.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FairShare("equal"), "fair-share algorithm must be one of tree, classic"),
        (lambda: FairShare(period=0), "period must be in 1..10000000 s, but is 0"),
        (lambda: FairShare(damping=0), "damping must be in 1..2147483647, but is 0"),
        (lambda: FairShare(associations=(Association("a", "b"),)), 'account "a" must come before "a/b", but does not'),
        (lambda: FairShare(associations=(Association("a", within="a"),)), 'account "a" must be in another account'),
        (lambda: FairShare(associations=(Association("a", within="b"),)), 'account "b" must come before "a"'),
        (lambda: FairShare(associations=(Association("a"),) * 2), 'association must come once, but "a" comes again'),
        (
            lambda: FairShare(associations=(Association("a", shares=-1),)),
            "shares must be in 0..2147483647, but those of a",
        ),
        (
            lambda: FairShare(associations=(Association("a", shares=1.5),)),
            "shares of a must be a whole number, but is 1.5",
        ),  # type: ignore[arg-type]
        (lambda: FairShare(associations=(Association(7),)), "name must be a value of the type str, but is 7"),  # type: ignore[arg-type]
        (lambda: FairShare(associations=7), "associations must be a list, but is 7"),  # type: ignore[arg-type]
        (
            lambda: FairShare(associations=(Association('a"'),)),
            "a name must be one that can be printed, without quotes",
        ),
        (
            lambda: FairShare(
                associations=tuple(Association(f"a{i}", within=f"a{i - 1}" if i else "root") for i in range(70))
            ),
            "there must be at most 64 accounts within accounts",
        ),
    ],
)
def test_what_is_no_fair_share_is_refused(make: object, message: str) -> None:
    with pytest.raises(InputError) as error:
        make()  # type: ignore[operator]
    assert message in str(error.value)
