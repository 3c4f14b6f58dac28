"""Questions are read as they are said, and refused in words."""

import pytest

import paretosched as ps
from paretosched.comparison.questions import (
    Question,
    group_question,
    groups_of_users,
    limit_question,
    more_load,
    nodes_question,
    prices_of,
)
from paretosched.core.errors import InputError
from support.machine_zoo import case

POOL = ps.Workload(
    submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4, user=[1, 2, 2],
    group=[0, 1, 0], groups=("a b", "c"),
)  # fmt: skip
MACHINE = ps.Machine(
    (
        ps.NodeKind("n[1-20]", 4, 8000),
        ps.NodeKind("b[1-2]", 8, 64000),
        ps.NodeKind("g[1-3]", 8, 16000, {"v": 2}),
        ps.NodeKind("p1", 8, 16000, {"p": 2}),
        ps.NodeKind("spare[1-30]", 4, 8000),
    ),
    (
        ps.Partition("main", "n[1-20],b[1-2]", default=True),
        ps.Partition("fat", "b[1-2],g1"),
        ps.Partition("acc", "g[1-3],p1"),
    ),
    down=(ps.Outage("n20"),),
)  # fmt: skip
NODES = case(MACHINE, "0 50 -n1")


@pytest.mark.parametrize(
    ("text", "node", "more"),
    [
        (
            "+20 cpu",
            "n19",
            20,
        ),  # the commonest in use without GPUs; n20 is down for good, the spare ones are in no list
        ("+4 gpu", "g3", 4),
        ("+1 p1", "p1", 1),
        (" + 2  fat ", "b2", 2),
        ("+3 main", "n19", 3),
        ("+1 acc", "g3", 1),
    ],
)
def test_the_word_of_more_nodes_is_a_node_a_partition_or_a_kind(text: str, node: str, more: int) -> None:
    question = nodes_question(NODES, text)
    assert (question.node, question.more, question.away) == (node, more, "")
    assert question.words.startswith(f"{more} more node")


@pytest.mark.parametrize(
    ("text", "away"),
    [("-2 gpu", "g[2-3]"), ("-1 g1", "g3"), ("-2 fat", "b[1-2]"), ("-1 cpu", "n19"), ("down n[1-3],b1", "n[1-3],b1")],
)
def test_fewer_nodes_are_the_last_ones_of_a_kind(text: str, away: str) -> None:
    question = nodes_question(NODES, text)
    assert (question.more, question.node, question.away) == (0, "", away)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("20", 'must be as in "\\+20 cpu"'),
        ("+0 cpu", 'must be as in "\\+20 cpu"'),
        ("+5 foo", 'must be the name of a node or of a partition \\(main, fat, acc\\), "cpu" or "gpu", but is "foo"'),
        ("-4 gpu", 'at most as many nodes as there are can go, but "gpu" means 3 nodes'),
        ("down n[1-99]", "all nodes must be of the machine, but not there is n21"),
        ("+999999999 cpu", "a machine has at most"),
        ("+2 gpus", "did you mean gpu"),
    ],
)
def test_what_is_no_question_of_nodes_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        nodes_question(NODES, text)


@pytest.mark.parametrize(
    ("text", "moved", "leaves", "joins"),
    [
        ("n[1-3] from main to acc", "n[1-3]", "main", "acc"),
        (" 2 cpu  also in  acc ", "n[18-19]", "", "acc"),
        ("1 p1 from acc to fat", "p1", "acc", "fat"),
        ("b[1-2],n4 also in acc", "b[1-2],n4", "", "acc"),
        ("b1 from main to fat", "b1", "main", "fat"),  # it is in both, and leaves one
    ],
)
def test_nodes_change_their_partitions(text: str, moved: str, leaves: str, joins: str) -> None:
    question = nodes_question(NODES, text)
    assert (question.moved, question.leaves, question.partition) == (moved, leaves, joins)
    assert (question.more, question.away, question.is_of_users) == (0, "", False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n[1-3] from acc to main", "all nodes must be in partition acc, but not there is n1, n2, n3"),
        ("n[1-3] from main to gpu", "the partition must be one of main, fat, acc, but is"),
        ("n[1-3] from mein to acc", "did you mean main"),
        ("b1 also in fat", "all of these nodes are in partition fat already"),
        ("b1 from main to main", "all of these nodes are in partition main already"),
        ("n99 also in fat", "all nodes must be of the machine"),
        ("9 gpu from acc to main", "at most as many nodes as there are can go"),
        (
            "n[1-20],b[1-2] from main to acc",
            'no node would be left in partition main; let one stay, or say "also in acc"',
        ),
        ("n[1-3] to acc", "must be as in"),
        ("-n[1-8]", 'must be as in .*"down n\\[1-8\\]"'),
    ],
)
def test_what_is_no_change_of_partitions_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        nodes_question(NODES, text)


def test_on_equal_processors_a_number_is_enough() -> None:
    for text in ("+2", "+2 cpu", "+ 2 processors"):
        assert nodes_question(POOL, text)[2:] == Question("", more=2, word="cpu")[2:]
        assert nodes_question(POOL, text).words == "2 more processors: 6 in place of 4"
    assert nodes_question(POOL, "-1").more == -1
    for text, words in (
        ("-4", "there are 4 processors, 0 then"),
        ("+1 g1", "needs nodes"),
        ("down n1", "needs nodes"),
        ("n[1-2] from a to b", "needs nodes, but the log is of equal processors; import it with --machine"),
    ):
        with pytest.raises(InputError, match=words):
            nodes_question(POOL, text)


def test_loads_groups_and_limits_are_read() -> None:
    assert more_load(1.2) == Question("20 % more load", 1.2)
    for load in (1.0, 0.05, 11.0, float("nan")):
        with pytest.raises(InputError, match="times today's, and not today's"):
            more_load(load)
    assert groups_of_users(POOL) == {"a b": pytest.approx(30 / 53), "c": pytest.approx(23 / 53)}
    for text, times in (("a b x2", 2), (" a b  x 1.25", 1.25), ("a b x0", 0), ("a b x10.0", 10)):
        assert group_question(POOL, text)[1:3] == (times, "a b")
    form = "how many times its work, 0 to 10 and not 1"
    refused = (("a b", form), ("c x10.1", form), ("c x1.0", form), ("c x-1", form), ("c x1e1", form), ("x2", form))
    for text, words in (*refused, ("d x2", "must be one of a b, c")):
        with pytest.raises(InputError, match=words):
            group_question(POOL, text)
    with pytest.raises(InputError, match="no user has most work in group c, so that nobody can come or go"):
        group_question(POOL.with_(user=[1, 1, 1]), "c x2")
    with pytest.raises(InputError, match="only group a b has users of its own"):
        group_question(POOL.with_(user=[1, 1, 1]), "a b x0")
    assert limit_question(POOL, "90min").longest == limit_question(POOL, " 1.5 h").longest == 5400
    assert limit_question(NODES, "acc 2d")[-4:-2] == ("acc", 172800)
    for jobs, text, words in (
        (POOL, "24", "a longest time"), (POOL, "0h", "a longest time"), (POOL, "acc 2d", "needs partitions"),
        (NODES, "gpu 2d", "the partition must be one of main, fat, acc"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            limit_question(jobs, text)


def test_prices_are_of_all_that_is_bought_or_of_nothing() -> None:
    asked = [("+20 cpu", nodes_question(NODES, "+20 cpu")), ("-1 gpu", nodes_question(NODES, "-1 gpu"))]
    assert prices_of(["cpu = 8000.5"], asked) == {"cpu": 8000.5}
    assert prices_of([], asked) == {}
    two = [*asked, ("+1 g1", nodes_question(NODES, "+1 g1"))]
    for texts, of, words in (
        (["cpu"], asked, "must be the price of one node"), (["cpu=0"], asked, "must be the price of one node"),
        (["gpu=5"], asked, "gpu must be a word of --nodes with a plus \\(here cpu\\)"),
        (["cpu=1", "cpu=2"], asked, "must have one price"), (["cpu=1"], two, "\\+1 g1 has none"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            prices_of(texts, of)
