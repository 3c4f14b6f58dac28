"""What is explained is what the simulator does, to the second; and it is said so that it can be read."""

import html
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.core.situations import SITUATIONS
from paretosched.plots.policies import MOST_NUMBERED, WAITS, overtaking
from paretosched.policies.explanation import explain
from paretosched.policies.explanation_words import KINDS, LIFETIME, Kind, duration
from paretosched.policies.greedy_explanation import NEVER, Job, needed_wait
from paretosched.policies.greedy_order import CRITERIA, greedy
from paretosched.policies.plain import PLAIN_RULES, Plain
from paretosched.policies.policy import Policy, save_policy
from paretosched.policies.time_sharing import Optimisation, Shares, TimeSharing
from paretosched.report.figure_files import write_figure
from support.commands import command, succeed
from support.zoo import greedy_policies

PATIENT = settings(deadline=None, max_examples=60)

# Unix seconds at which it is Saturday noon, Wednesday noon and Wednesday 23:00, UTC.
NOON_OR_NIGHT = {"weekend": 947332800, "day": 947678400, "night": 947718000}
A_YEAR = 365 * 86400  # what is simulated at most
NAMES = ("1", "2", "3", "4", "5", "6")
needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "google-chrome", "chrome"))), reason="NO BROWSER: nothing was exported"
)


def goes_first(policy: Policy, situation: str, job: Job, other: Job, wait: int, other_wait: int) -> bool:
    """Let both jobs wait for a machine that becomes free, big enough for one of them, and see which starts."""
    end = max(wait, other_wait) + 1
    width = max(job.width, other.width)
    rows = [
        (0, end, width, policy.groups[0], "keeps the machine busy"),
        (end - wait, job.estimate, job.width, job.group, "job"),
        (end - other_wait, other.estimate, other.width, other.group, "other"),
    ]
    rows.sort(key=lambda row: row[0])  # stable: submitted in the same second, the job comes first
    submit, estimate, widths, group, which = (list(column) for column in zip(*rows, strict=True))
    workload = ps.Workload(
        submit=submit,
        run=estimate,
        estimate=estimate,
        width=widths,
        capacity=width,
        group=[policy.groups.index(name) for name in group],
        groups=policy.groups,
        epoch=NOON_OR_NIGHT[situation] - end,
        zone="UTC",
    )
    start = dict(zip(which, ps.simulate(workload, policy).start.tolist(), strict=True))
    assert start["keeps the machine busy"] == 0
    assert min(start["job"], start["other"]) == end < max(start["job"], start["other"])
    return start["job"] == end


widths = st.sampled_from([1, 2, 4, 64, 1024]) | st.integers(1, 5000)
estimates = st.sampled_from([1, 60, 1800, 43200]) | st.integers(1, 10**6)
waits = st.just(0) | st.sampled_from([1, 60, 3600, 86400]) | st.integers(0, 10**6)
jobs = st.builds(Job, st.sampled_from(NAMES), widths, estimates)


@pytest.mark.slow
@PATIENT
@given(
    policy=greedy_policies(NAMES),
    situation=st.sampled_from(SITUATIONS),
    job=jobs,
    other=jobs,
    other_wait=waits,
    more=waits,
)
def test_the_job_that_the_wait_says_starts_first(
    policy: Policy, situation: str, job: Job, other: Job, other_wait: int, more: int
) -> None:
    least_wait = needed_wait(policy, situation, job, other, other_wait)
    late = A_YEAR if least_wait is None else least_wait - 1
    for wait in {late, min(late, A_YEAR), late // 2, 0}:
        if 0 <= wait <= min(late, A_YEAR):
            assert not goes_first(policy, situation, job, other, wait, other_wait)
    if least_wait is not None and least_wait <= A_YEAR:
        for wait in {least_wait, least_wait + 1, least_wait + more}:
            assert goes_first(policy, situation, job, other, wait, other_wait)


def test_that_test_does_not_only_see_always_and_never() -> None:
    rng = np.random.default_rng(0)
    count = 0
    for _ in range(60):
        genes = rng.random((3, 14)) * ([1.0] * 6 + [5.0] * 6 + [1.0, 1e-3])
        policy = greedy(rng.choice(CRITERIA, 3).tolist(), genes, groups=NAMES)
        job, other = (Job(str(rng.choice(NAMES)), int(rng.integers(1, 9)), int(rng.integers(60, 9999))) for _ in "ab")
        least_wait = needed_wait(policy, "day", job, other, 100)
        if least_wait is not None and 0 < least_wait < A_YEAR:
            count += 1
            assert goes_first(policy, "day", job, other, least_wait, 100)
            assert not goes_first(policy, "day", job, other, least_wait - 1, 100)
    assert count > 30


@pytest.mark.slow
@PATIENT
@given(policy=st.sampled_from([NAMES, ("staff", "guests"), ("all",)]).flatmap(greedy_policies), data=st.data())
def test_the_explanation_has_the_wait_of_every_two_examples(policy: Policy, data: st.DataObject) -> None:
    explanation = explain(policy)
    count = len(policy.groups)
    assert explanation.waits.shape == (3, len(KINDS), count, len(KINDS), count)
    rows = explanation.rows()
    assert len(rows) == 3 * len(KINDS) * count * (len(KINDS) * count - 1)
    row = data.draw(st.sampled_from(rows))
    of = {kind.name: kind for kind in KINDS}

    def job(kind: Kind, group: str) -> Job:
        return Job(group, kind.width, kind.estimate)

    two = job(of[row["job"]], row["group"]), job(of[row["new_job"]], row["new_group"])
    assert row["wait"] == needed_wait(policy, row["situation"], *two)
    assert row["criterion"] == policy.criteria[SITUATIONS.index(row["situation"])]
    for s in range(3):
        for k, kind in enumerate(KINDS):
            shortest_waits = explanation.among_groups(s, k)
            i, j = (data.draw(st.integers(0, count - 1)) for _ in "ij")
            wait = needed_wait(policy, SITUATIONS[s], job(kind, policy.groups[j]), job(kind, policy.groups[i]))
            assert shortest_waits[i, j] == (NEVER if wait is None else wait)
            assert shortest_waits[i, i] == 0


@pytest.mark.slow
@PATIENT
@given(
    criteria=st.lists(st.sampled_from(CRITERIA), min_size=3, max_size=3),
    genes=st.lists(st.floats(0.01, 1), min_size=18, max_size=18),
    other_wait=st.integers(1, 10**5),
    number=st.integers(0, 10**6),
)
def test_a_job_that_has_waited_is_passed_as_much_later_as_is_said(
    criteria: list[str], genes: list[float], other_wait: int, number: int
) -> None:
    policy = greedy(criteria, genes, groups=("a", "b"))
    rows = [row for row in explain(policy).rows() if row["wait"]]  # neither at once nor never
    assume(rows)
    row = rows[number % len(rows)]
    of = {kind.name: kind for kind in KINDS}
    job, other = (
        Job(row[group], of[row[kind]].width, of[row[kind]].estimate)
        for group, kind in (("group", "job"), ("new_group", "new_job"))
    )
    least_wait = needed_wait(policy, row["situation"], job, other, other_wait)
    stated_wait = row["wait"] + row["more"] * other_wait
    assume(stated_wait < LIFETIME - 2)
    assert least_wait is not None
    assert abs(least_wait - stated_wait) <= 1 + 1e-6 * stated_wait


def test_what_is_asked_must_make_sense() -> None:
    policy, job = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",)), Job("all", 1, 1)
    for message, arguments in {
        'policy must be Greedy, whose queue is ordered by keys, but is "easy"': (Plain("easy"), "day", job, job),
        'situation must be one of weekend, day, night, but is "noon"': (policy, "noon", job, job),
        'group must be one of all, but is "1"': (policy, "day", job, Job("1", 1, 1)),
        "jobs must request at least 1 processor for 1 s": (policy, "day", Job("all", 0, 1), job),
        "waited must be in 0..3153600000 s, but is -1": (policy, "day", job, job, -1),
    }.items():
        with pytest.raises(InputError, match=message.replace("(", r"\(")):
            needed_wait(*arguments)  # type: ignore[arg-type]


# --- words --------------------------------------------------------------------------------------------------------

BY_HAND = greedy(
    ["f2", "f1", "f3"],
    [[1, 0.5, 5, 5, 0.5, 0], [1, 0.5, 2, 2, 1, 0], [0.5, 0.5, 1, 2, 1, 1]],
    groups=("staff", "guests"),
    backfill="easy",
)


def test_it_says_what_can_be_reckoned_by_hand() -> None:
    weekend, day, night = (explain(BY_HAND).situation(s) for s in range(3))
    assert weekend == [
        "Groups: eligible together, jobs of one size stand in this order: staff, guests.",
        "Waiting: an hour of a job in group staff counts as much as 2 h in guests.",
        "Size: no head start; new jobs of a group stand in the order in which they became eligible.",
        "Head starts, in waiting: K 10 s.",
    ]
    # a wait of one request is worth 1, and K 2: two requests of 30 min and of 12 h
    assert day == [
        weekend[0],
        "Waiting: an hour of a job in group staff counts as much as 2 h in guests, of one size.",
        "Waiting counts relative to size: a job of half the request ages twice as fast.",
        weekend[2],
        "Head starts, in waiting: K 1 h for a small job, 24 h for a large one.",
    ]
    # 4 x 1800 s and 64 x 43200 s, once and twice
    assert night == [
        "Groups: eligible together, jobs of one size stand in this order: guests, staff.",
        "Waiting: an hour of a job in group staff counts as much as 1 h in guests, of one size.",
        "Waiting counts relative to size: a job of half the request times the processors ages twice as fast.",
        weekend[2],
        "Head starts, in waiting: K 2 h to 4 h for a small job, 32 d to 64 d for a large one.",
    ]
    # 0.5 (5 + t / 2) >= 5 after 10 s, 0.5 (2 + t / p) >= 2 after 2 p, 0.5 (1 + t / (p m)) >= 0.5 x 2 after p m
    waits = explain(BY_HAND).waits
    assert waits[0, :, 0, :, 1].tolist() == [[10] * 4] * 4
    assert waits[1, 0, 0, :, 1].tolist() == [2 * kind.estimate for kind in KINDS]
    assert waits[2, 0, 1, :, 0].tolist() == [kind.estimate * kind.width for kind in KINDS]
    text = explain(BY_HAND).text()
    assert "weekend (Saturday and Sunday): f2, key = w (K + a wait + b request x processors)" in text
    assert "    new small job  by staff  by guests    new large job  by staff  by guests\n" in text
    assert "    staff                 =       10 s    staff                 =       10 s\n" in text
    assert "    guests                0          =    guests                0          =\n" in text


def test_size_is_told_by_the_first_and_the_last_of_new_jobs() -> None:
    # f4: 1800 / 4, 43200 / 4, 1800 / 64, 43200 / 64
    policy = greedy(["f4", "f2", "f1"], [[1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1e-3, 1]], groups=("all",))
    explanation = explain(policy)
    assert explanation.situation(0)[0] == (
        "Size: eligible together, jobs of one group stand in this order: narrow long, large, small, wide short; "
        "a new narrow long job passes a wide short one until that has waited 3 h."
    )
    assert explanation.among_kinds(0)[1].tolist() == [10350, 0, 10772, 10125]
    assert explanation.situation(1) == [
        "Waiting: it does not count (a is 0); a job that stands behind another one stays there.",
        "Size: eligible together, jobs of one group stand in this order: large, narrow long, wide short, small; "
        "a new large job passes a small one however long that has waited.",
    ]
    assert explanation.among_kinds(1).tolist() == [[0, 0, 0, 0], [-1, 0, -1, 0], [-1, 0, 0, 0], [-1, -1, -1, 0]]
    assert "Groups:" not in explanation.text()  # there is one
    assert "group by group" not in explanation.text()


def test_weights_of_zero_are_named() -> None:
    genes = [[0, 0.5, 0, 0, 0, 0, 1, 0], [0] * 8, [1, 1, 1, 1, 1, 1, 1e-12, 1e-12]]
    explanation = explain(greedy(["f2"] * 3, genes, groups=("a", "b", "c")))
    one, none, equal = (explanation.situation(s) for s in range(3))
    # new keys are all 0, but only those of b grow
    assert one[:2] == [
        "Groups: eligible together, jobs of one size stand in this order: a = b = c.",
        "Weight 0 (a and c): such keys stay 0, however long a job waits.",
    ]
    assert not any(sentence.startswith("Waiting: an hour") for sentence in one)
    assert none == ["All weights are 0, and so are all keys: jobs stand in the order in which they became eligible."]
    assert not explanation.waits[1].any()
    assert "a = b = c" in equal[0]
    assert "over 100 y" not in equal[1]
    assert "K 31,700 y" not in equal[-1]
    assert "K over 100 y" in equal[-1]


def test_time_sharing_is_said_with_its_own_numbers() -> None:
    shares = (Shares(8, 0.1, 0.5, 0.4), Shares(20, 0.0, 0.125, 0.875))
    bottom_line = Optimisation(method="bottom-line")
    own = TimeSharing(1800, 30, 300, 7200, 240, shares, "estimates", False, bottom_line)
    prose = explain(own).prose()
    for words in (
        "medium from 300 s on and long from 7,200 s on, by the run times that are requested",
        "An interval lasts 1,800 s, a switch between classes 30 s of it",
        "are from 8:00 on 10 %, 50 % and 40 %; from 20:00 on 0 %, 12.5 % and 87.5 %; a class",
        "up to 240 s if",
        "stay so: jobs run in the slices of their own class only",
        "planned again at every event",
    ):
        assert words in prose
    plain, groups = (explain(rule).prose() for rule in ("scojo", "scojo-opt"))
    assert "are 0.5 %, 26.5 % and 73 %; a class" in plain
    assert "true run times" in plain
    assert "Jobs of other classes use" in plain
    assert "planned" not in plain
    assert groups.startswith(plain)
    assert "kept until the group has finished" in groups


@pytest.mark.parametrize("rule", PLAIN_RULES)
def test_rules_without_parameters_have_few_words(rule: str) -> None:
    explanation = explain(rule)
    assert explanation.rows() == []
    name, *words = explanation.text().splitlines()
    assert name == Plain(rule).name
    assert " ".join(words) == explanation.words()[0] == explanation.prose()
    assert explanation.about()["situations"] == {}
    with pytest.raises(InputError, match="cannot be drawn, because it has no weights"):
        overtaking(explanation)


@pytest.mark.parametrize(
    ("backfill", "words"),
    [("none", "no job starts before it"), ("easy", "EASY backfilling"), ("conservative", "conservative backfilling")],
)
def test_backfilling_is_told(backfill: str, words: str) -> None:
    policy = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",), backfill=backfill)
    assert words in " ".join(explain(policy).words())


def origin(provenance: object) -> str:
    policy = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",), provenance=provenance)  # type: ignore[arg-type]
    first = explain(policy).words()[0]
    return "" if first.startswith("At every submission") else first


def test_it_says_what_a_policy_was_trained_for_and_what_it_reached(tmp_path: Path) -> None:
    workload = ps.lublin(60, 32, 3)
    wish = ps.as_wish("10*AWRT1 + 4*AWRT2, AWRT5 <= 1s", workload.groups)
    for until in (None, 0.7):
        training = ps.train(workload, wish, criterion="f2", generations=1, until=until)
        save_policy(training.policy, tmp_path / "p.json")
        sentence = explain(tmp_path / "p.json").words()[0]
        part = "" if until is None else " to 70 % of the time"
        assert sentence.startswith(f"Trained for 10*AWRT1 + 4*AWRT2, AWRT5 <= 1s on {workload.name}{part}: there")
        system, easy = training.systems[training.best], training.easy.objective
        change = 100 * (easy - system.objective) / easy
        assert f"reached {system.objective:,.6g}, and EASY {easy:,.6g} ({abs(change):.1f} %" in sentence
        assert f"{'less' if change > 0 else 'more'})" in sentence
        assert sentence.endswith(f"; it exceeds its limits by {100 * system.exceeded:,.2f} %.")


def test_it_says_which_evaluation_of_which_run_a_policy_is(tmp_path: Path) -> None:
    succeed("generate", "lublin", "--jobs", 60, "--processors", 32, "-o", tmp_path / "w.swf")
    succeed("explore", tmp_path / "w.swf", "-o", tmp_path / "run", "--evaluations", 8, "--population", 4)
    succeed("simulate", tmp_path / "w.swf", "--front", tmp_path / "run", "--save-policy", tmp_path / "p.json")
    number = json.loads((tmp_path / "p.json").read_text())["provenance"]["evaluation"]
    assert (
        f"Found by exploration: evaluation {number} of the run run on w." in succeed("explain", tmp_path / "p.json").out
    )


@pytest.mark.slow
@PATIENT
@given(
    st.dictionaries(
        st.sampled_from(
            ["words", "workloads", "workload", "wish", "run", "evaluation", "until", "objective", "easy", "exceeded"]
        ),
        st.none()
        | st.booleans()
        | st.sampled_from([-1, 0, 10**400, "x", "", [], [{}], [{"name": 3}], {}, ["x"], {"sum": 1}])
        | st.floats()
        | st.text(max_size=3),
    )
)
def test_a_provenance_may_say_anything(provenance: dict[str, object]) -> None:
    assert isinstance(origin(provenance), str)


def test_durations_are_monotone_and_short() -> None:
    seconds = np.unique(np.geomspace(0.1, 2 * LIFETIME, 20_000))
    units = {"s": 1, "min": 60, "h": 3600, "d": 86400, "y": 365 * 86400}
    for second in seconds:
        words = duration(float(second))
        if words not in ("under 1 s", "over 100 y"):
            value, unit = words.split()
            assert len(value) <= 3
            assert float(value) * units[unit] == pytest.approx(second, rel=0.06)


# --- figure -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(policy=st.sampled_from([NAMES, ("staff", "guests"), ("all",)]).flatmap(greedy_policies))
def test_the_figure_shows_the_waits(policy: Policy) -> None:
    explanation = explain(policy)
    panels = overtaking(explanation).data
    count = len(policy.groups)
    assert len(panels) == (9 if count > 1 else 3)
    for number, panel in enumerate(panels):
        row, s = divmod(number, 3)
        sizes = row == len(panels) // 3 - 1
        waits = explanation.among_kinds(s) if sizes else explanation.among_groups(s, (0, 3)[row])
        assert np.array_equal(panel.z == 0, waits == 0)
        assert ((panel.z >= 0) & (panel.z < len(WAITS))).all()
        # a longer wait is never lighter, and never is darkest
        order = np.argsort(np.where(waits < 0, LIFETIME + 1, waits), axis=None)
        assert (np.diff(panel.z.ravel()[order]) >= 0).all()
        assert (panel.z[waits < 0] == len(WAITS) - 1).all()
        for (i, j), words in np.ndenumerate(np.array(panel.text)):
            assert (words == "never") == (waits[i, j] < 0)
            assert (words == "=") == (waits[i, j] == waits[j, i] == 0)
            if waits[i, j] > 0:
                assert words == duration(int(waits[i, j]))
                assert f"({waits[i, j]:,d} s)" in panel.customdata[i][j]


def test_the_figure_escapes_and_cuts_what_users_named() -> None:
    groups = ("<b>%{x}</b>", "g" * 50, "g" * 49)
    policy = greedy(["f1"] * 3, [[0.1, 0.2, 0.3, 1, 2, 3, 1, 1]] * 3, groups=groups, name="<i>mine</i>")
    figure = overtaking(explain(policy))
    words = json.loads(figure.to_json())
    assert words["layout"]["title"]["text"].startswith("&lt;i&gt;mine&lt;/i&gt;: who")
    lines = words["layout"]["title"]["subtitle"]["text"].split("<br>")
    assert [len(html.unescape(line)) < 100 for line in lines] == [True, True]  # a longer line is cut off
    ticks = words["layout"]["xaxis"]["ticktext"]
    assert ticks == ["&lt;b&gt;% {x}&lt;/b&gt;", "g" * 13 + "…", "g" * 13 + "…"]
    assert not any("%{x}" in line for note in words["layout"]["annotations"] for line in [note["text"]])


@pytest.mark.slow
def test_many_groups_are_colours_without_numbers() -> None:
    for count in (MOST_NUMBERED, MOST_NUMBERED + 1, 64):
        names = tuple(f"g{i}" for i in range(count))
        policy = greedy(["f2"] * 3, np.random.default_rng(1).random((3, 2 * count + 2)), groups=names)
        figure = overtaking(explain(policy))
        assert (figure.data[0].texttemplate is None) == (count > MOST_NUMBERED)
        assert len(figure.layout.xaxis.tickvals) <= 16
        assert figure.data[-1].texttemplate == "%{text}"  # sizes are four
        assert len(explain(policy).text().splitlines()) > count


# --- command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    save_policy(BY_HAND, tmp_path / "p.json")
    return tmp_path / "p.json"


def test_the_command_says_what_the_library_says(file: Path) -> None:
    outcome = succeed("explain", file)
    assert outcome.out.partition("\n\nIn slurm.conf")[0] == explain(BY_HAND).text()
    assert outcome.err == ""
    value = succeed("explain", file, "--json").json
    assert value["rows"] == explain(BY_HAND).rows()
    assert value["situations"]["weekend"] == explain(BY_HAND).situation(0)
    assert value["policy"]["situations"]["day"]["criterion"] == "f1"
    assert value["jobs"][0] == {"job": "small", "processors": 4, "requested": 1800}
    assert succeed("explain", "fcfs").out.startswith("FCFS\nJobs start in the order in which they became eligible:")


@pytest.mark.slow
def test_a_page_has_the_figure_and_the_words(file: Path, tmp_path: Path) -> None:
    outcome = succeed("explain", file, "-o", tmp_path / "p.HTML")
    assert outcome.out.partition("\n\nIn slurm.conf")[0] == explain(BY_HAND).text()
    page = html.unescape((tmp_path / "p.HTML").read_text(encoding="utf-8"))
    for sentence in (*explain(BY_HAND).words(), *explain(BY_HAND).situation(1)):
        assert sentence in page


@pytest.mark.slow
@needs_browser
def test_a_figure_is_written_as_its_name_says(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("kaleido", reason="NO KALEIDO: figures were not exported")
    for name, start in {"a.png": b"\x89PNG\r\n\x1a\n", "a.SVG": b"<svg"}.items():
        succeed("explain", file, "-o", tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.SVG", "a.png", "p.json"]


@pytest.mark.slow
def test_figures_that_cannot_be_are_refused_and_nothing_is_left(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for output in ("x", "x.eps", "png", ".html.gz"):
        outcome = command("explain", file, "-o", tmp_path / output)
        assert (outcome.status, outcome.out) == (2, "")
        assert (
            outcome.err
            == f"paretosched explain: {tmp_path / output}: the name of a figure must end in .html, .png, .svg or .pdf\n"
        )
    outcome = command("explain", "easy", "-o", tmp_path / "x.html")
    assert outcome.err == (
        "paretosched explain: policy EASY cannot be drawn, because it has no weights and no rules; "
        "only Greedy and rule bases have\n"
    )
    assert "would overwrite the policy" in command("explain", file, "-o", file).err
    pytest.importorskip("kaleido", reason="NO KALEIDO: figures were not exported")
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "no browser"))
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(InputError, match="PNG, SVG and PDF need Chrome or Chromium"):
        write_figure(tmp_path / "x.png", "x", overtaking(explain(BY_HAND)))
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]
