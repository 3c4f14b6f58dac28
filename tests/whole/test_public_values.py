"""Every public value has a short line, a table in a notebook, and a frame where there are rows."""

import inspect
import pickle
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched import assignment
from paretosched.fronts.quality_indicators import box_of, course
from paretosched.policies.priority import Longest
from paretosched.wishes.nearness import fitness
from paretosched.workload.group_lists import GroupLine
from paretosched.workload.node_requests import Texts
from support.zoo import a_greedy, jobs, random_rules

W = ps.lublin(jobs=60, processors=32, seed=3)
GREEDY = a_greedy(tuple("12345"))
RULES = random_rules(tuple("12345"), 1, "symbiotic")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One value of every public class, by its name."""
    easy = ps.simulate(W, "easy")
    front = ps.explore(W, tmp_path_factory.mktemp("values") / "run", evaluations=40, population=20, seed=1)
    bag, nodes = assignment.Bag(["a<b>", "c"], [3.0, 1.0]), assignment.Nodes(["n1", "n2"], [2.0, 1.0])
    time_sharing = ps.TimeSharing(optimisation=ps.Optimisation())
    rules = getattr(RULES, "rules", RULES)
    line = GroupLine("vip", user=7)
    answer = ps.answer("10*AWRT1, others <= 1.5*EASY", front, W)
    values = [
        *(line, ps.ListedGroups(("vip", "other"), (line,), "other"), ps.ConsumptionGroups(("1", "2"), (0.1,), 90, "2")),
        *(ps.Priority("wfp3"), ps.Backfill(8, ("1",)), Longest(3600, ("2",)), answer, answer.slacks[0]),
        *(
            W,
            ps.DownTimes([5], [9], [2]),
            ps.Machine((ps.NodeKind("n[1-2]", 4, 8000),)),
            *(ps.NodeKind("n1", 1, 1), ps.Partition("a<b>"), ps.Outage("n1", reason="a<b>")),
            *(ps.Requests(tasks=[1, 2], partition=["a<b>", ""]), Texts.of(["a<b>", ""])),
            easy,
            front,
            GREEDY,
            rules,
            ps.explain(GREEDY),
            ps.explain(RULES),
            ps.explain("easy"),
            ps.explain(ps.Priority("wait + 3600 * vip")),
            ps.as_policy("easy"),
        ),
        *(ps.Shares(), ps.Grouping(), ps.Optimisation(), time_sharing, ps.bounds(W), ps.waits(easy)),
        *(ps.objectives(easy), ps.objective_table(W.groups)[0], ps.Limit("AWRT1", high=3600.0)),
        *(ps.Wish(weights=[("AWRT1", 10)]), ps.Symbiosis(), ps.compare(W, "fcfs", front, "AWRT1")),
        ps.Guarded(("1",)),
        *(ps.Weighting(), ps.Orders(), ps.Sequences(), ps.predictions(W, "easy"), ps.problem(W)),
        ps.train(W, "AWRT1", criterion="f2", generations=1),
        *(box_of(front), course(front.values, front.objectives, [1, len(front)], box_of(front), front)),
        ps.import_log("slurm", Path(__file__).parents[1] / "data" / "accounting" / "slurm-all.txt"),
        *(bag, nodes, assignment.assign(bag, nodes, "lpt"), assignment.Genetic(), assignment.History()),
    ]
    return {type(value).__name__: value for value in values}


def classes() -> list[str]:
    return [
        name
        for module in (ps, assignment)
        for name in module.__all__
        if inspect.isclass(kind := getattr(module, name)) and not issubclass(kind, Exception)
    ]


class _Tables(HTMLParser):
    """Counts rows, and refuses tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
def test_every_public_value_has_a_short_line_and_a_table(examples: dict[str, Any]) -> None:
    kinds = {kind.__name__ for value in examples.values() for kind in type(value).__mro__}
    missing = [name for name in classes() if name not in kinds and name != "Policy"]
    assert missing == []
    for name, value in examples.items():
        line = repr(value)
        assert len(line) <= 260, name
        assert "\n" not in line, name
        page = value._repr_html_()
        tables = _Tables()
        tables.feed(page)
        assert tables.open == [], name
        assert tables.rows > 1, name
        assert "a<b>" not in page, name


def test_a_name_that_is_elsewhere_now_says_where() -> None:
    assert len(ps.__all__) <= 95
    with pytest.warns(
        DeprecationWarning, match=r"^paretosched\.fitness is now paretosched\.wishes\.nearness\.fitness$"
    ):
        assert ps.fitness is fitness
    assert "fitness" not in dir(ps)


def test_lines_of_values() -> None:
    assert repr(ps.as_wish("10*AWRT1", W.groups)) == "Wish(weights=(('AWRT1', 10.0),))"
    assert (
        repr(ps.simulate(jobs(4, (0, 10, 10, 4), (0, 5, 5, 2)), "fcfs"))
        == "<Schedule FCFS of workload: 2 jobs, 0..15 s>"
    )
    assert repr(ps.Symbiosis()) == "Symbiosis()"
    assert "array of shape (3, 12)" in repr(GREEDY)


# --- objective values -----------------------------------------------------------------------------------------------


def test_objective_values_are_a_mapping_and_calculated_with_as_an_array(examples: dict[str, Any]) -> None:
    values = examples["ObjectiveValues"]
    plain = np.array(values)
    assert values.shape == (7,)
    assert values.dtype == np.float64
    assert values.tolist() == plain.tolist() == list(values.values()) == [float(values[i]) for i in range(7)]
    assert list(values) == [o.name for o in values.objectives]
    assert values["UTIL"] == values[0]
    assert values["AWRT5"] == values[-1]
    assert values.tobytes() == plain.tobytes()
    for result in (values[2:], values * 2, -values, values == plain, np.round(values), values[[0, 1]], np.abs(values)):
        assert type(result) is np.ndarray
    assert isinstance(values.sum(), float)
    assert isinstance(values @ np.ones(7), float)
    np.testing.assert_array_equal(np.vstack([values, values]), np.vstack([plain, plain]))
    assert [o.name for o in values.objectives] == ["UTIL", "AWRT", *(f"AWRT{i}" for i in range(1, 6))]
    with pytest.raises(ps.InputError, match=r'objective must be one of UTIL, AWRT, .* but is "AWRT6"'):
        values["AWRT6"]
    again = pickle.loads(pickle.dumps(values))
    assert (again["AWRT"], repr(again)) == (values["AWRT"], repr(values))
    assert repr(values.reshape(1, 7)) == repr(plain.reshape(1, 7))
    frame = values.frame()
    assert frame.loc["AWRT1", "value"] == values["AWRT1"]
    assert frame["unit"].tolist() == ["%"] + ["s"] * 6


# --- frames ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", [W, jobs(4, (0, 3, 5, 2, 2), (1, 4, 4, 1, 0), epoch=7, zone="Asia/Tokyo")])
def test_a_workload_survives_its_frame(workload: ps.Workload) -> None:
    again = ps.Workload.from_frame(workload.frame())
    assert again.digest == workload.digest
    for key in ("job", "user", "wait"):
        np.testing.assert_array_equal(getattr(again, key), getattr(workload, key))
    assert (again.groups, again.name, again.zone) == (workload.groups, workload.name, workload.zone)


def test_a_plain_frame_becomes_a_workload() -> None:
    import pandas as pd

    frame = pd.DataFrame({"submit": [0.0, 5.0], "run": [3, 4], "width": [1, 2]})
    workload = ps.Workload.from_frame(frame, 4, name="mine")
    assert (workload.capacity, workload.name, workload.estimate.tolist(), workload.groups) == (
        4,
        "mine",
        [3, 4],
        ("1",),
    )
    workload = ps.Workload.from_frame(
        frame.assign(group=["staff", "guests"], user=[7, np.nan], wait=pd.array([None, 3], dtype="Int64")), 4
    )
    assert (workload.groups, workload.group.tolist(), workload.user.tolist()) == (("guests", "staff"), [1, 0], [7, -1])
    assert workload.wait.tolist() == [-1, 3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"run": [3.5, 4]}, "run must be whole numbers, but is not: row 0 has 3.5"),
        ({"run": ["x", "y"]}, "run must be whole numbers, but its type is"),
        ({"run": [np.nan, 4]}, "row 0 has nan"),
        ({"runs": [3, 4]}, "there is also runs"),
        ({"group": ["a", None]}, "group must be known of every job, but is not in row 1"),
        ({"submit": [5, 0]}, "submit must be sorted"),
        ({"width": [9, 1]}, r"width must be in 1\.\.4"),
    ],
)
def test_a_frame_that_is_no_workload_is_refused(changes: dict[str, Any], message: str) -> None:
    import pandas as pd

    frame = pd.DataFrame({"submit": [0, 5], "run": [3, 4], "width": [1, 2]})
    with pytest.raises(ps.InputError, match=message):
        ps.Workload.from_frame(frame.assign(**changes), 4)
    with pytest.raises(ps.InputError, match="capacity must be given"):
        ps.Workload.from_frame(frame)
    with pytest.raises(ps.InputError, match="run is missing"):
        ps.Workload.from_frame(frame[["submit", "width"]], 4)


def test_frames_of_schedule_front_and_comparison(examples: dict[str, Any], tmp_path: Path) -> None:
    schedule, front, comparison = (examples[name] for name in ("Schedule", "Front", "Comparison"))
    ps.save_schedule(schedule, tmp_path / "s.csv")
    heading, first = (tmp_path / "s.csv").read_text().splitlines()[:2]
    frame = schedule.frame()
    assert list(frame.columns) == heading.split(",")
    assert [str(x) for x in frame.iloc[0]] == first.split(",")
    np.testing.assert_array_equal(front.frame()["AWRT1"], front.values[:, 2])
    assert len(front.frame()) == len(front)
    frame = comparison.frame()
    assert frame.loc["FCFS", "AWRT"] == comparison.values[1, 1]
    assert list(frame.index[:2]) == ["EASY", "FCFS"]
