"""Text for OpenPBS: its formulas have the values of the policy's own keys."""

import ast
import math
import re
import subprocess
import tracemalloc

import numpy as np
import pytest

import paretosched as ps
from paretosched.deployment.pbs import pbs_text
from paretosched.kernels.formulas import evaluate
from paretosched.policies.outcome import jobs_of
from paretosched.policies.policy import as_policy

GROUPS = ("physics", "chem")
FUNCTIONS = {name: getattr(math, name) for name in ("log", "sqrt", "fabs", "floor")} | {"min": min, "max": max}
JOBS = ps.Workload(
    submit=[0, 10, 500, 900],
    run=[60, 7200, 30, 600],
    estimate=[60, 7200, 30, 600],
    width=[1, 16, 3, 64],
    capacity=64,
    group=[0, 1, 1, 0],
    groups=GROUPS,
)


def formulas_in(text: str) -> list[str]:
    return re.findall(r'job_sort_formula = "([^"]*)"', text)


def weights_in(text: str) -> dict[str, dict[str, float]]:
    table = re.search(r"WEIGHTS = (\{\n.*?\n\})", text, re.DOTALL)
    return {} if table is None else ast.literal_eval(table[1])


def values(text: str, formula: str, t: int) -> list[float]:
    weights = weights_in(text)
    rows = zip(JOBS.submit.tolist(), JOBS.estimate.tolist(), JOBS.width.tolist(), JOBS.group.tolist(), strict=True)
    return [
        float(
            eval(
                formula,
                {"__builtins__": {}}
                | FUNCTIONS
                | {"eligible_time": t - submit, "walltime": estimate, "ncpus": width}
                | weights.get(GROUPS[group], weights.get("", {})),
            )
        )
        for submit, estimate, width, group in rows
    ]


@pytest.mark.parametrize("criterion", ["f1", "f2", "f3", "f4"])
def test_formulas_and_weights_of_greedy_have_the_values_of_its_keys(criterion: str) -> None:
    genes = np.random.default_rng(3).uniform(0, 1, (3, 6))
    policy = ps.greedy([criterion] * 3, genes, groups=GROUPS, backfill="easy")
    text = pbs_text(policy, "account")
    weekend, day, night, *_ = formulas_in(text)
    program = policy.queue(JOBS).order
    for s, formula in enumerate((weekend, day, night)):
        keys = [evaluate(program, s, jobs_of(JOBS), j, 1000, 0.0, 0.0) for j in range(4)]
        assert values(text, formula, 1000) == pytest.approx(keys, rel=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        "(wait / estimate)^3 * width",
        "smallest estimate * width",
        "if(wait > 4h or group(physics), 2, log10(width)) + sqrt(area) - max(wait, 5, width)",
        "not (width > 8) + abs(estimate - wait) / (wait - 1000)",
        "wfp3; backfill: easy",
        "priority:chem,physics; backfill: conservative",
    ],
)
def test_formulas_of_priority_have_the_values_of_its_keys(words: str) -> None:
    policy = as_policy(words if ";" in words else f"order: {words}")
    text = pbs_text(policy, "account")
    (formula,) = formulas_in(text)
    program = policy.queue(JOBS).order  # type: ignore[union-attr]
    keys = [evaluate(program, 0, jobs_of(JOBS), j, 1000, 0.0, 0.0) for j in range(4)]
    shown = values(text, formula, 1000)
    assert np.argsort(-np.array(shown), kind="stable").tolist() == np.argsort(-np.array(keys), kind="stable").tolist()


def test_the_text_is_a_shell_script_with_a_hook_in_python_and_says_how_to_undo_it() -> None:
    policy = ps.greedy(["f1", "f2", "f3"], [[1, 0, 1, 0, 1, 0]] * 3, groups=GROUPS, backfill="conservative")
    text = pbs_text(policy, "user")
    assert subprocess.run(["sh", "-n"], input=text, text=True, check=False, timeout=10).returncode == 0
    hook = text.partition("<<'END'\n")[2].partition("END\n")[0]
    ast.parse(hook)
    assert "event.requestor" in hook
    resources = set(re.findall(r"create resource (\w+)", text))
    assert len(resources) == 6
    assert set(re.findall(r"delete resource (\w+)", text)) == resources
    assert text.count("# ") > 10
    crontab = [line for line in text.splitlines() if re.match(r"#   \d", line)]
    assert [line.split()[1:6] for line in crontab] == [
        ["0", "0", "*", "*", "6"],
        ["0", "8", "*", "*", "1-5"],
        ["0", "18", "*", "*", "1-5"],
        ["0", "0", "*", "*", "1"],
    ]


def test_orders_of_submission_need_no_resources_and_backfill_as_they_say() -> None:
    for word, depth, backfill in (("fcfs", 1, "false"), ("easy", 1, "true"), ("conservative", 10_000, "true")):
        text = pbs_text(as_policy(word), "account")
        assert formulas_in(text) == ["eligible_time"]
        assert f"backfill_depth = {depth}" in text
        assert f"backfill: {backfill} ALL" in text
        assert "create" not in text


def test_the_order_of_arrival_by_its_published_name_is_that_of_the_waits() -> None:
    text = pbs_text(ps.as_policy("fcfs; backfill: easy:4"), None)
    assert 'set server job_sort_formula = "eligible_time"\'' in text
    assert "backfill_depth = 4" in text


@pytest.mark.parametrize("words", ["order: submit + width", "order: log2(usage)", "order: queue(3) + wait"])
def test_what_openpbs_does_not_know_is_refused(words: str) -> None:
    with pytest.raises(ps.InputError, match="uses"):
        pbs_text(as_policy(words), "account")


def test_a_guarded_order_is_refused_with_what_to_do_instead() -> None:
    with pytest.raises(
        ps.InputError, match=r"no formula of OpenPBS can; .* deploy an order such as priority:vip,chem$"
    ):
        pbs_text(as_policy("guarded: vip, chem"), "account")


def test_what_is_left_out_of_the_backfilling_stands_in_the_text() -> None:
    words = "backfill: easy:3 for physics; backfill-order: estimate; longest: 4h of bio while physics; slack: 1h"
    text = pbs_text(as_policy(f"sjf; {words}"), None)
    assert "backfill_depth = 3" in text
    assert re.findall("# Left out of the policy: (.*)", text) == [
        "reservations for the groups physics only",
        "another order of backfilling",
        "a longest request for backfilling",
        "slack of reservations",
    ]
    assert "Left out" not in pbs_text(as_policy("sjf; backfill: easy:3"), None)
    on_nodes = pbs_text(as_policy("sjf; backfill: easy:3; nodes: 4 of 8"), None)
    assert "# Left out of the policy: nodes, and how often and how far passes look\n" in on_nodes


@pytest.mark.parametrize("words", ["easy", "priority:chem,physics", "wfp3; backfill: easy"])
def test_steps_are_numbered_from_1_on_without_gaps(words: str) -> None:
    steps = [int(number) for number in re.findall(r"^# (\d)\. ", pbs_text(as_policy(words), "account"), re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) >= 2


@pytest.mark.parametrize("words", ["wait / ({})", "log({})"])
def test_a_formula_whose_text_doubles_at_every_level_is_refused(words: str) -> None:
    formulas = ["width"]
    for _ in range(24):
        formulas.append(words.format(formulas[-1]))
    assert len(formulas_in(pbs_text(as_policy(f"order: {formulas[5]}\nbackfill: easy\n"), None))[0]) < 5_000
    tracemalloc.start()
    with pytest.raises(ps.InputError, match="the formula must have at most 20,000 letters for OpenPBS, but has more"):
        pbs_text(as_policy(f"order: {formulas[24]}\nbackfill: easy\n"), None)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
