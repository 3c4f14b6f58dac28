"""The report of a comparison: a page that refers to nothing outside itself."""

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paretosched.comparison.comparison import BEST, NEAREST, OF_FRONT, compare
from paretosched.comparison.comparison_tables import OF_CLASSES, with_sign
from paretosched.comparison.consequences import duration, percent, two_times
from paretosched.comparison.intervals import intervals as bootstrapped
from paretosched.comparison.intervals import wait_sums, week_sums
from paretosched.core.errors import InputError
from paretosched.fronts.row_schedules import row_name, schedule
from paretosched.policies.plain import Plain
from paretosched.report.comparison_report import report, write_report
from paretosched.simulation.objective import FROM_SUBMISSION
from paretosched.simulation.service import waits
from paretosched.simulation.simulator import simulate
from paretosched.wishes.wish_files import as_wish
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.machine_description import describe_machine, machine_drawing
from paretosched.workload.time_split import WEEK
from paretosched.workload.user_groups import with_groups
from paretosched.workload.workload import Repair
from support.fronts import a_comparison, a_front, a_run, made_up
from support.machine_zoo import TWO_PARTITIONS
from support.placing import by_oracle
from support.report_page import HOSTILE, Page
from support.zoo import random_jobs


def test_the_page_refers_to_nothing_outside_itself_and_has_no_script(page):
    for tag, attributes in Page(page).elements:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "a", "img", "script"}
        assert not {"src", "href", "srcset", "action", "data", "poster"} & set(attributes), (tag, attributes)
    assert not re.search(r"https?:|//[a-z]|url\(|@import", page.replace("://", "//"))


@pytest.mark.slow
def test_a_report_of_twenty_thousand_schedules_is_small():
    front = a_front(20_000)
    text = report(front, a_comparison(front))
    assert len(text.encode()) < 150_000
    assert text.count("<svg") == 1


def test_the_page_forbids_every_connection(page):
    policy = next(a["content"] for t, a in Page(page).elements if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == rules["form-action"] == "'none'"
    assert "http" not in policy
    assert "*" not in policy
    assert page.index("Content-Security-Policy") < page.index("<style")


def test_the_tables_say_what_the_comparison_says(page):
    front = a_front(60)
    comparison = a_comparison(front)
    words = " ".join(Page(page).words)
    for row in comparison.rows():
        assert row["policy"] in words
        assert f"{row['UTIL']:,.2f}" in words
        assert f"{row['AWRT5'] / 3600:,.2f}" in words
    assert "60 schedules remain of 25,000 simulated in 1 run (seed 71)" in words
    assert "133,024 jobs on 1,024 processors" in words
    assert front.digest in words


def test_better_and_worse_do_not_rely_on_colour_or_sign(page):
    row = re.search(r"<tr><th scope=\"row\">FCFS</th>(.*?)</tr>", page).group(1)
    util, awrt = row.split("</td>")[:2]
    assert "▲ -500.0 %" in util  # more utilisation: negative in the papers' convention, and better
    assert "▼ -500.0 %" in awrt


@pytest.mark.slow
def test_names_from_logs_and_users_are_text_everywhere():
    groups = (HOSTILE, "b", "c")
    front = a_front(30, name=HOSTILE, groups=groups)
    front = replace(front, origins=(a_run(HOSTILE),))
    hostile = report(front, a_comparison(front, names=("EASY", HOSTILE, "recorded")))
    document, plain = (
        Page(hostile),
        Page(report(a_front(30, groups=tuple("abc")), a_comparison(a_front(30, groups=tuple("abc"))))),
    )
    assert [tag for tag, _ in document.elements] == [tag for tag, _ in plain.elements]
    assert all(key != "onerror" for _, attributes in document.elements for key in attributes)
    assert f"<title>Schedulers compared on the jobs of {html.escape(HOSTILE)}</title>" in hostile


def test_an_undefined_group_is_a_dash():
    front = a_front(30, empty=2)
    words = Page(report(front, a_comparison(front))).words
    assert "–" in words
    assert not any("nan" in word.lower() for word in words)


@pytest.mark.slow
def test_the_same_front_makes_the_same_page(page):
    front = a_front(60)
    assert report(front, a_comparison(front)) == page


def test_an_empty_front_and_a_foreign_comparison_are_refused(tmp_path):
    front = a_front(30)
    empty = made_up(np.zeros((0, 7)), front.groups, front.workload, front.digest)
    other = replace(a_front(30, name="other"), digest="0" * 64)
    comparison = a_comparison(front)
    target = tmp_path / "report.html"
    with pytest.raises(InputError, match="must have at least one schedule"):
        write_report(target, empty, comparison)
    with pytest.raises(InputError, match="must be of the compared workload made up, but it is of other"):
        write_report(target, other, comparison)
    assert list(tmp_path.iterdir()) == []


def front_and_comparison(names=("EASY", "FCFS"), wish="10*AWRT1 + 4*AWRT2", workload=HOSTILE, points=30):
    """A comparison of simulated schedules, and a front that fits it but for its made-up values."""
    w = random_jobs(3, 60, 16, gap=40, run=90).with_(name=workload)
    own = made_up(a_front(points).values / 300, w.groups, w.name, w.digest)
    policies = [Plain(name.lower(), name=name) for name in names]
    return own, compare(w, policies, own, as_wish(wish, w.groups) if wish else None)


def without_front(comparison):
    """The same comparison as without a front."""
    return replace(comparison, dominated_by=None, dominates=None, best=None, best_online=None)


def cells(page: str, heading: str) -> list[list[str]]:
    """The table below a heading, without what is in its cells but text."""
    table = page.partition(heading)[2].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table)
    return [[re.sub("<[^>]*>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_the_report_says_what_work_was_cut_off_and_what_cutting_would_have_taken():
    _, comparison = front_and_comparison(wish=None)
    cut = replace(comparison, repairs=(Repair("changed", "cut there", 7, "", 24.7),))
    raised = replace(comparison, repairs=(Repair("changed", "raised", 7, "", None, 24.7),))
    several = replace(cut, workload_name="b")
    words = "24.7 % of all work is cut off, because 7 jobs ran longer than they had requested."
    assert words in " ".join(Page(report(None, without_front(cut))).words)
    assert "raised; to cut them would take 24.7 % of all work." in " ".join(
        Page(report(None, without_front(raised))).words
    )
    both = report([None, None], [without_front(comparison), without_front(several)])
    assert " ".join(Page(both).words).count(words) == 1


def test_a_report_of_easy_alone_asks_how_jobs_wait_under_it():
    w = random_jobs(1, 30, 16, gap=9, run=40)
    words = " ".join(Page(report(None, compare(w, "easy"))).words)
    assert "How do jobs wait under EASY?" in words
    two = " ".join(Page(report(None, compare(w, [Plain("fcfs"), Plain("list")]))).words)
    assert "How do jobs wait under FCFS and List, beside EASY?" in two


def test_the_report_says_from_when_on_utilisation_counts():
    front, comparison = front_and_comparison()
    words = " ".join(Page(report(front, replace(comparison, util_from=FROM_SUBMISSION))).words)
    assert OF_FRONT in words
    assert OF_FRONT not in " ".join(Page(report(front, comparison)).words)
    late = replace(comparison, from_submission=tuple(0.5 * comparison.values[:, 0]))
    words = " ".join(Page(report(front, late)).words)
    assert f"from the first submission: EASY {0.5 * comparison.values[0, 0]:.2f} %" in words


def test_time_sharing_has_the_wait_in_all_and_its_footnote():
    w = random_jobs(3, 60, 16, gap=40, run=9000)
    comparison = compare(w, ["scojo", "fcfs"])
    page = report(None, comparison)
    table = cells(page, "Short, medium and long jobs")
    by_policy = dict(zip(comparison.policies, comparison.classes, strict=True))
    for line, (policy, rows) in zip(table[:3], by_policy.items(), strict=True):
        of_all = rows[0]
        hours = [f"{x / 3600:,.2f}" for x in (of_all.response_s, of_all.wait_s, of_all.wait_in_all_s)]
        assert line[-7:] == [
            policy, f"{of_all.slowdown:,.2f}", f"{of_all.slowdown_rounded_up:,.2f}", *hours,
            f"{of_all.utilisation_percent:,.2f}",
        ]  # fmt: skip
    preempted = comparison.classes[1][0]
    assert preempted.wait_in_all_s > preempted.wait_s
    assert OF_CLASSES.partition(": ")[2] in " ".join(Page(page).words)
    assert "Wait in all" not in report(None, compare(w, ["fcfs"]))


def test_a_report_needs_neither_a_front_nor_a_wish():
    _, comparison = front_and_comparison(wish=None)
    alone = replace(without_front(comparison), span=60 * 86400)
    page = Page(report(None, alone))
    words = " ".join(page.words)
    assert "policies beside EASY" in words
    assert "Who waits how long" in words
    assert "--intervals says" in words
    assert "open whether anything is better than that;" in words
    few = " ".join(Page(report(None, replace(alone, span=3 * 86400, doubts=("OFFERED LOAD 2.68",)))).words)
    assert "3 days of jobs are too few to say how sure it is: four weeks are needed." in few
    assert "OFFERED LOAD 2.68" in few
    assert (
        "Not on this report alone: the log is short and the log and the machine do not fit, see the first lines." in few
    )
    assert "--intervals says" not in few
    assert "wants" not in words
    assert not any(tag == "figure" for tag, _ in page.elements)
    assert alone.workload_digest in words


@pytest.mark.slow
def test_limits_and_points_are_shown_and_what_is_undefined_is_a_dash():
    front, comparison = front_and_comparison(wish="near AWRT1 = 1h, AWRT2 in 1s..2s")
    page = report(front, comparison)
    assert "near AWRT1 = 1h, AWRT2 in 1s..2s" in page  # with units, not "3600"
    table = cells(page, "What the owner wants")
    row = comparison.rows()[0]
    assert table[0] == ["EASY", f"{100 * row['objective']:,.1f} %", "–", f"{100 * row['exceeded']:,.2f} %"]
    table = cells(report(*front_and_comparison(wish="AWRT2 <= 1s")), "What the owner wants")
    assert len(table[0]) == 2


def test_the_question_and_the_waits_of_every_schedule_come_first_and_then_objectives():
    front, comparison = front_and_comparison()
    page = report(front, comparison)
    titles = re.findall("<h2>(.*?)</h2>", page)
    first = ["The question", "Who waits how long", "What it costs whom", "How sure is it?", "How to run it"]
    assert titles[:5] == first
    assert 'The wish: <span class="wish">10*AWRT1 + 4*AWRT2</span>' in page
    rows = [row for row in comparison.rows() if row["policy"] != BEST]
    table = cells(page, "What the owner wants")
    assert [row[0] for row in table] == [row["policy"] for row in rows]
    for line, row in zip(table, rows, strict=True):
        assert line[1] == f"{row['objective_vs_easy']:+,.1f} %"  # a sum of seconds says nothing to an owner
        assert line[2] == f"{row['share_of_way']:,.1f} %"


def test_the_schedule_nearest_to_the_objective_has_waits_sentences_and_intervals():
    w = lublin(600, 32, seed=5)
    w = w.with_(submit=w.submit * max(1, 5 * WEEK // int(w.submit[-1]) + 1), wait=np.zeros(600, dtype=np.int64))
    own = made_up(a_front(5).values / 300, w.groups, w.name, w.digest)
    wish = as_wish("AWRT1 + AWRT2", w.groups)
    comparison = compare(w, ["fcfs"], own, wish, intervals=True, views=["large: width >= 8; rest"])
    there = schedule(own, int(np.argmin(own.values[:, 2] + own.values[:, 3])), w)
    row = next(row for row in comparison.rows() if row["policy"] == NEAREST)
    assert [cells["wait_mean_s"] for cells in row["waits"][:6]] == pytest.approx(waits(there).mean.tolist())
    both = [simulate(w, "easy"), there]
    assert row["intervals"] == bootstrapped(list(map(week_sums, both)), wish, list(map(wait_sums, both))).cells(
        comparison.objectives, 1
    )
    page = report(own, comparison)
    both_groupings = page.partition("Who waits how long")[2].partition("</section>")[0]
    assert both_groupings.count(f'<th scope="col">{NEAREST}</th>') == 2
    costs = page.partition("What it costs whom")[2].partition("</section>")[0]
    assert re.findall("<h3>(.*?)</h3>", costs) == ["FCFS", NEAREST]
    assert duration(float(waits(there).mean[0])) in costs.partition(NEAREST)[2]
    sure = cells(page, "How sure is it?")
    assert [line[0] for line in sure[:3]] == ["the goal of the wish", "mean wait", "mean wait of group 1"]
    assert sure[7][0] == "AWRT"
    assert sure[8][0] == "AWRT of group 1"
    low, high = row["intervals"]["mean wait"]
    assert sure[1][-1].startswith(two_times(duration(low), "to", duration(high)))
    low, high = row["intervals"]["mean wait_vs_easy"]
    assert sure[1][-1].endswith(f" {with_sign(low)[:-2]} to {with_sign(high)}")
    assert "%" not in sure[1][1]  # of EASY itself
    assert f"is the schedule {row_name(own, comparison.nearest_row)}; it has a policy" in page
    assert "--intervals says" not in page
    assert comparison.text().count(NEAREST) >= 3


def test_several_workloads_are_one_page_with_the_gains_of_all_of_them():
    front, comparison = front_and_comparison()
    other = replace(front_and_comparison(workload="b")[1], best=None, nearest=None, dominated_by=None, dominates=None)
    other = replace(other, waits=other.waits[:2])
    text = report([front, None], [comparison, other])
    page = Page(text)
    words = " ".join(page.words)
    assert "Policies on 2 workloads" in words
    assert HOSTILE in words
    assert comparison.workload_digest in words
    assert text.count("<svg") == 1
    gain = comparison.rows()[1]["objective_vs_easy"]
    assert cells(text, "The goal against EASY")[0][:2] == ["FCFS", f"{gain:+,.1f} %"]
    assert all("onerror" not in attributes for _, attributes in page.elements)


def test_fronts_must_be_one_for_each_comparison():
    front, comparison = front_and_comparison()
    for fronts, comparisons in (([front], [comparison] * 2), ([], [])):
        with pytest.raises(InputError, match="fronts must be one for each comparison, or None, but are"):
            report(fronts, comparisons)


def test_of_a_machine_of_nodes_the_report_has_its_drawing_and_the_use_of_partitions_once(monkeypatch):
    by_oracle(monkeypatch)
    w = TWO_PARTITIONS
    front = replace(a_front(9, groups=w.groups), workload=w.name, digest=w.digest)
    comparison = compare(w, ["fcfs"], front)
    page = report(front, comparison)
    assert "on 4 nodes of 2 kinds, 16 CPUs, 31.2 GiB, 2 v, submitted in" in page
    assert html.escape(machine_drawing(describe_machine(w.machine))) in page
    assert [row[-1] for row in cells(page, '<th scope="col">Partition')][-2:] == [
        f"{comparison.partition_means['gpu']['GPUs'][q, 0]:.1f}" for q in (0, 1)
    ]


def test_users_who_react_have_a_table() -> None:
    w = lublin(300, 32, seed=5).with_(wait=np.zeros(300, dtype=np.int64), user=np.arange(300) % 7)
    comparison = compare(w, ["sjf"], users="react")
    table = cells(report(None, comparison), "If users react")
    assert [row[0] for row in table] == list(comparison.policies)
    gains = comparison.reactions[1]
    assert table[1][5:7] == [f"{gains.wait_vs_easy_recorded:+.1f} %", f"{gains.wait_vs_easy:+.1f} %"]
    assert table[0][5:7] == ["–", "–"]
    assert "If users react" not in report(None, compare(w, ["sjf"]))


def test_the_question_says_of_each_policy_whose_limits_it_breaks_and_the_costs_who_pays() -> None:
    w = lublin(400, 32, seed=5).with_(wait=np.zeros(400, dtype=np.int64))
    comparison = compare(w, ["fcfs"], wish="AWRT1, others <= 1.05*EASY")
    page = html.unescape(report(None, comparison))
    question = page.partition("The question")[2].partition("</section>")[0]
    easy, fcfs = re.findall("<li>(.*?)</li>", question)
    assert easy == "EASY: limits kept."
    rows = comparison.rows()
    over = {k: rows[1][f"AWRT{k}"] / rows[0][f"AWRT{k}"] / 1.05 - 1 for k in range(2, 6)}
    worst = max(over, key=over.__getitem__)
    assert over[worst] > 0
    assert fcfs.startswith(f"FCFS: limits broken for group {worst} ({percent(1 + over[worst])} times what it may be), ")
    assert fcfs.count("(by ") == sum(0 < share <= 3 for share in over.values()) > 0
    costs = page.partition("What it costs whom")[2].partition("</section>")[0]
    assert "Beside EASY:" in costs
    first = costs.partition("<li>")[2].partition("</li>")[0]
    assert first.startswith("Who pays: the heaviest users (group 1), for whom the wish asks, whose ")
    assert costs.count("; by size, ") == 1
    assert "limits" not in report(None, compare(w, ["fcfs"], wish="AWRT1")).partition("<h2>Who")[0]


def test_the_lines_that_run_it_name_the_list_of_groups(tmp_path: Path) -> None:
    w = lublin(60, 32, seed=5)
    (tmp_path / "my groups.csv").write_text("user,group\n1,vip\n*,rest\n", encoding="utf-8")
    listed = html.unescape(report(None, compare(with_groups(w, tmp_path / "my groups.csv"), ["fcfs"])))
    steps = listed.partition("How to run it")[2].partition("</section>")[0]
    assert steps.count("--groups 'my groups.csv'") == 3
    assert "go into a file" in steps  # words have none
    assert "--groups" not in report(None, compare(w, ["fcfs"]))
    assert f"<h1>Schedulers compared on the jobs of {w.name}</h1>" in listed


def test_periods_and_what_has_no_interval_stand_in_names_of_groups() -> None:
    w = lublin(400, 32, seed=5)
    w = w.with_(submit=w.submit * max(1, 5 * WEEK // int(w.submit[-1]) + 1))
    grouped = with_groups(w, "wide: width >= 8; rest")
    wish = "mean wait of wide, p95 wait of rest <= 1.1*EASY"
    comparison = compare(grouped, ["fcfs"], wish=wish, intervals=True, rolling=2)
    page = report(None, comparison)
    sure = html.unescape(page.partition("How sure is it?")[2].partition("</section>")[0])
    assert "No interval of p95 wait of rest, nor of a goal with it: only means of jobs have one." in sure
    assert "<pre>" not in sure
    assert "mean wait of wide, p95 wait of rest &lt;= 1.1*EASY</span>" in page
    named = report(None, compare(grouped, ["fcfs"], wish="mean wait of wide, others <= 1.1*EASY"))
    assert "mean wait of wide, rest &lt;= 1.1*EASY</span>" in named  # not AWRT2
    for words in ("The goal<small>vs EASY", "AWRT of wide<small>vs EASY", "Limits<small>broken by"):
        assert sure.count(f'<th scope="col">{words}') == 1
    rows = cells(page, "broken by, in sum</small></th>")
    first, second = comparison.rows()[1]["periods"]
    assert [row[:2] for row in rows] == [[f"{part['from']} {part['jobs']:,}", "FCFS"] for part in (first, second)]
    assert rows[1][2] == f"{second['objective_vs_easy']:+,.1f} %"
    assert rows[1][4] == f"{second['AWRT1_vs_easy']:+,.1f} %"
    assert rows[1][-1] == f"{100 * second['exceeded']:,.0f} %"
