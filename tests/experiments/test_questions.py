"""The questions of administrators: the path can be walked, and answers say what their rows say."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import paretosched as ps
from paretosched.core.tables import load_rows
from support.experiments import modules, script


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from modules(monkeypatch, "questions", ("settings", "analysis"))


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    script("questions", "run.py", "--quick", "--results", tmp_path)
    before = (tmp_path / "gpu.csv").stat().st_mtime_ns
    script("questions", "run.py", "--quick", "--results", tmp_path)  # all have an answer: nothing is asked again
    assert (tmp_path / "gpu.csv").stat().st_mtime_ns == before
    script("questions", "analysis.py", "--results", tmp_path)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on small made-up logs" in summary
    assert summary.count("*What this does not tell.*") == 10
    for section in summary.split("\n## ")[2:]:
        text = [line for line in section.splitlines() if line.startswith(("**", "*What"))]
        assert len(text) == 2, section


def test_waits_in_a_table_are_those_of_the_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script("questions", "run.py", "--quick", "--part", "large", "--results", tmp_path)
    for made in modules(monkeypatch, "questions", ("settings", "made_up")):
        made["made_up"].write(tmp_path / "log.swf.gz")
    w = ps.read_swf(tmp_path / "log.swf.gz")
    rows = {(row["policy"], row["group"]): row for row in load_rows(tmp_path / "large.csv")}
    for policy, name in (("easy", "EASY"), ("recorded", "recorded")):
        wait = ps.simulate(w, policy).start - w.submit
        for group, jobs in (("large", w.width >= 50), ("small", w.width < 10)):
            row = rows[name, group]
            assert (int(row["jobs"]), float(row["worst_s"])) == (jobs.sum(), wait[jobs].max())
            assert float(row["mean_s"]) == pytest.approx(wait[jobs].mean())
    reacting = [ps.simulate(w, policy, users="react") for policy in ("easy", "order: width >= 50; backfill: easy")]
    easy, first = ((s.start - s.workload.submit).mean() for s in reacting)
    row = rows["Priority large with EASY", "all jobs"]
    assert float(row["react_wait_vs_easy"]) == pytest.approx(100 * (1 - first / easy))


def test_questions_that_are_not_asked_are_said(tmp_path: Path) -> None:
    script("questions", "run.py", "--quick", "--part", "limit", "--results", tmp_path)
    script("questions", "analysis.py", "--results", tmp_path)
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").count(": not run.*") == 9


def test_commands_are_shown_as_they_are_typed(questions: dict[str, ModuleType]) -> None:
    for asked in questions["settings"].QUESTIONS.values():
        assert any("paretosched compare" in line or "paretosched whatif" in line for line in asked.commands)
        for command in asked.commands:
            shown = "\n".join(questions["analysis"].shell_lines(command)).replace(" \\\n", " ")
            assert shlex.split(shown) == shlex.split(command)


@pytest.mark.parametrize(
    ("one", "cannot"),
    [("4000", True), ("100", False)],
)
def test_what_a_single_node_does_decides_whether_it_can_be_said(
    questions: dict[str, ModuleType], one: str, cannot: bool
) -> None:
    cells = {"policy": "EASY", "group": "all jobs", "jobs": "9", "wait_mean_s": "7200", "wait_p95_s": "9", "draws": "0"}
    cells |= {"wait_mean_s_low": "", "wait_mean_s_high": ""}
    changes = {"today": "", "+20 cpu": "-1800", "+4 gpu": "-1500", "+1 cpu": one, "+1 gpu": "-60"}
    rows = [{**cells, "scenario": name, "wait_mean_s_change": change} for name, change in changes.items()]
    answer, table = questions["analysis"].buy(rows)
    assert answer.startswith("Cannot be said on a week") == cannot
    assert "20 CPU nodes make the mean wait 30 minutes shorter" in answer
    assert len(table) == 2 + len(rows)


def test_a_weight_counts_if_it_does_more_than_chance(questions: dict[str, ModuleType]) -> None:
    mean = {"slurm.conf": 7200, "age.conf": 3600, "size.conf": 7000, "chance.conf": 7500}
    rows = [
        {"policy": f"Slurm x, {file}", "group": group, "mean_s": str(wait)}
        for file, wait in mean.items()
        for group in ("all jobs", "gpu")
    ]
    rows[-1]["mean_s"] = "36000"  # chance does more to jobs with GPUs than any weight
    answer, _ = questions["analysis"].weight(rows)
    assert "all jobs: PriorityWeightAge=0, 1 h shorter. Nothing does for gpu." in answer


def test_jobs_beyond_a_limit_are_counted_as_the_command_says(questions: dict[str, ModuleType]) -> None:
    said = (
        "5,373 of 17,898 jobs (job 1, ...): can never run: asks for a longer time than is allowed (75.59 % of the work)"
    )
    lost_of = questions["analysis"].lost_of
    assert lost_of({"left_out": said, "jobs": "9"}) == ("5,373", "17,898", 75.59)
    assert lost_of({"left_out": "", "jobs": "9"}) == ("0", "9", 0.0)


def test_a_table_of_resampled_logs_says_that_its_jobs_are_theirs(questions: dict[str, ModuleType]) -> None:
    of_draws = questions["analysis"].of_draws
    sentence = "Jobs and waits are means of 5 logs that were put together again from the users of this one."
    assert of_draws([{"draws": "5"}]) == ["", sentence]
    assert of_draws([{"draws": "0"}]) == of_draws([{"draws": ""}]) == []
