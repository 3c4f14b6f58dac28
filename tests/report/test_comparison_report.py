"""The report of a comparison: a page that refers to nothing outside itself."""

from __future__ import annotations

import html
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paretosched.comparison.comparison import BEST, OF_FRONT, compare
from paretosched.comparison.comparison_tables import OF_CLASSES
from paretosched.core.errors import InputError
from paretosched.policies.plain import Plain
from paretosched.report.comparison_report import report, write_report
from paretosched.simulation.objective import FROM_SUBMISSION
from paretosched.wishes.wish_files import as_wish
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.machine_description import describe_machine, machine_drawing
from paretosched.workload.workload import Repair
from support.fronts import a_comparison, a_front, a_run, made_up
from support.machine_zoo import TWO_PARTITIONS
from support.placing import by_oracle
from support.report_page import CHROMIUM, HOSTILE, Page, needs_browser
from support.zoo import random_jobs


@pytest.mark.slow
def test_the_page_refers_to_nothing_outside_itself(page):
    document = Page(page)
    for tag, attributes in document.elements:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "a", "img"}
        assert not {"src", "href", "srcset", "action", "data", "poster"} & set(attributes), (tag, attributes)
    longest = max(document.scripts, key=len)
    own = page.replace(longest, "")
    assert len(own) < 200_000
    assert not re.search(r"https?:|//[a-z]|url\(|@import", own.replace("://", "//"))


def test_the_page_forbids_every_connection(page):
    policy = next(a["content"] for t, a in Page(page).elements if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == rules["form-action"] == "'none'"
    assert "http" not in policy
    assert "*" not in policy
    assert page.index("Content-Security-Policy") < page.index("<script")


def test_plotly_is_there_once_and_cannot_share(page):
    assert page.count("plotly.js v") == 1
    assert "cloud.plotly.com" not in page
    assert "cdn.plot.ly" not in page
    config = json.loads(re.search(r'id="config">(.*?)</script>', page).group(1))
    assert config == {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["sendChartToCloud", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
        "plotlyServerURL": "",
        "responsive": True,
    }


def test_the_tables_say_what_the_comparison_says(page):
    front = a_front(60)
    comparison = a_comparison(front)
    words = " ".join(Page(page).words)
    for row in comparison.rows():
        assert row["policy"] in words
        assert f"{row['UTIL']:,.2f}" in words
        assert f"{row['AWRT5'] / 3600:,.2f}" in words
    assert "60 of 25,000 evaluated schedules are on the front" in words
    assert "Compared with the schedules of the front, " in words
    assert "FCFS is dominated by 50 and dominates none" in words
    assert "133,024 jobs on 1,024 processors" in words
    assert front.digest in words
    for column in (0, 1, 6):
        values = front.values[:, column]
        best = values.argmax() if column == 0 else values.argmin()
        assert f">{best * 3:,}<" in page  # its evaluation


@pytest.mark.slow
def test_a_schedule_that_may_not_be_compared_is_said_to_have_no_place():
    front = a_front(60)
    comparison = a_comparison(front)
    assert comparison.dominated_by is not None
    assert comparison.dominates is not None
    above, below = comparison.dominated_by.copy(), comparison.dominates.copy()
    above[-1] = below[-1] = -1  # as for a recorded schedule that overbooks the machine
    words = " ".join(Page(report(front, replace(comparison, dominated_by=above, dominates=below))).words)
    assert f"{comparison.policies[-1]} has no place, because it uses more processors than the machine has" in words
    assert "by -1" not in words
    assert "dominates -1" not in words


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
    assert f"<title>Schedules of {html.escape(HOSTILE)}</title>" in hostile


def test_an_undefined_group_is_a_dash():
    front = a_front(30, empty=2)
    words = Page(report(front, a_comparison(front))).words
    assert "–" in words
    assert not any("nan" in word.lower() for word in words)


@pytest.mark.slow
def test_twenty_thousand_points_fit_in_ten_megabytes():
    front = a_front(20_000)
    most = [("AWRT1", "AWRT2"), ("AWRT1", "AWRT5"), ("AWRT4", "AWRT5")]
    assert len(report(front, a_comparison(front), most).encode()) < 10_000_000


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


def in_browser(path: Path, tmp_path: Path) -> tuple[str, str]:
    """The document after its scripts have run, and what the browser had to say."""
    process = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--enable-logging=stderr", "--proxy-server=127.0.0.1:9", f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1280,800",
            f"--log-net-log={tmp_path / 'net.json'}", "--virtual-time-budget=20000", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    console = [line for line in process.stderr.splitlines() if "CONSOLE" in line and "GPU stall" not in line]
    return process.stdout, "\n".join(console)


@pytest.mark.slow
@needs_browser
def test_every_figure_is_drawn_under_the_policy_without_a_word_or_a_request(tmp_path):
    front = a_front(1_500, name=HOSTILE)
    path = tmp_path / "report.html"
    write_report(path, front, a_comparison(front))
    page, console = in_browser(path, tmp_path)
    assert console == ""
    assert 'data-drawn="7"' in page
    assert "<title>Schedules of &lt;/script&gt;" in page
    visible = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert visible.count("<figure") == 7
    assert "could not draw" not in visible
    assert "Download plot" in visible
    assert "Share" not in visible
    net = (tmp_path / "net.json").read_text(encoding="utf-8")
    assert '"events"' in net
    requests = re.findall(r'"url":\s*"((?:https?|wss?):[^"]*)"', net)
    # Chromium itself calls its maker, whatever page it shows (and gets no answer: the proxy above does not exist)
    assert [url for url in requests if not re.match(r"https?://[a-z0-9.-]+\.google(apis)?\.com/", url)] == []


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


def test_the_objective_is_beside_its_figure_and_says_what_the_comparison_says():
    front, comparison = front_and_comparison()
    page = report(front, comparison)
    rows = [row for row in comparison.rows() if row["policy"] != BEST]
    assert 'What the owner wants: <span class="wish">10*AWRT1 + 4*AWRT2</span>' in page
    assert comparison.distance.endswith(" %")
    assert f"<p>{html.escape(comparison.distance)}</p>" in page
    table = cells(page, "What the owner wants")
    assert [row[0] for row in table] == [row["policy"] for row in rows]
    for line, row in zip(table, rows, strict=True):
        assert line[1] == f"{row['objective_vs_easy']:+,.1f} %"  # a sum of seconds says nothing to an owner
        assert line[2] == f"{row['share_of_way']:,.1f} %"
    assert '<figure id="objective">' in page


def test_the_waits_are_those_of_the_comparison():
    front, comparison = front_and_comparison()
    table = cells(report(front, comparison), "How long jobs wait")
    assert len(table) == 6 * 2
    assert table[0][0].split() == ["all", "jobs", "60"]
    fcfs = comparison.rows()[1]["waits"]
    for place in range(6):
        line = table[2 * place + 1]
        keys = ("wait_mean_s", "wait_median_s", "wait_p95_s", "wait_worst_s")
        assert line[1:5] == [f"{fcfs[place][key] / 3600:,.2f}" for key in keys]
        assert line[5:] == [f"{fcfs[place][f'bounded_slowdown_10s_{key}']:,.2f}" for key in ("mean", "median")]


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
    alone = without_front(comparison)
    page = Page(report(None, alone))
    words = " ".join(page.words)
    assert "Policies against EASY" in words
    assert "How long jobs wait" in words
    assert "front" not in words
    assert "wants" not in words
    assert [a["id"] for tag, a in page.elements if tag == "figure"] == ["improvements", "utilisation"]
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


def test_several_workloads_are_one_page_with_the_objective_of_all_of_them():
    front, comparison = front_and_comparison()
    other = replace(front_and_comparison(workload="b")[1], best=None, nearest=None, dominated_by=None, dominates=None)
    page = Page(report([front, None], [comparison, other]))
    identifiers = [a["id"] for tag, a in page.elements if tag == "figure"]
    assert identifiers[0] == "objective"
    assert [name.rpartition("-")[2] for name in identifiers[1:4]] == ["improvements", "positions", "utilisation"]
    assert all(re.fullmatch("1-script-[a-z-]*", name) for name in identifiers[1:4])
    assert identifiers[4:] == ["2-b-improvements", "2-b-utilisation"]
    words = " ".join(page.words)
    assert "2 workloads" in words
    assert HOSTILE in words
    assert comparison.workload_digest in words
    assert all("onerror" not in attributes for _, attributes in page.elements)


def test_fronts_must_be_one_for_each_comparison():
    front, comparison = front_and_comparison()
    for fronts, comparisons in (([front], [comparison] * 2), ([], [])):
        with pytest.raises(InputError, match="fronts must be one for each comparison, or None, but are"):
            report(fronts, comparisons)


@pytest.mark.slow
@needs_browser
def test_everything_that_is_compared_is_drawn_under_the_policy(tmp_path):
    front, comparison = front_and_comparison(points=1_500)
    path = tmp_path / "report.html"
    write_report(path, [front, None], [comparison, front_and_comparison(workload="b")[1]])
    page, console = in_browser(path, tmp_path)
    assert console == ""
    assert 'data-drawn="6"' in page
    assert "could not draw" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


@pytest.mark.slow
@needs_browser
def test_the_policy_would_stop_a_page_that_asks(tmp_path, page):
    """The test above can fail: the same page with one request in it is told about."""
    path = tmp_path / "report.html"
    path.write_text(page.replace("</body>", '<script>fetch("https://example.org/")</script></body>'), encoding="utf-8")
    assert "Content Security Policy" in in_browser(path, tmp_path)[1]


def test_of_a_machine_of_nodes_the_report_has_its_drawing_and_the_use_of_partitions_once(monkeypatch):
    by_oracle(monkeypatch)
    w = TWO_PARTITIONS
    front = replace(a_front(9, groups=w.groups), workload=w.name, digest=w.digest)
    comparison = compare(w, ["fcfs"], front)
    page = report(front, comparison)
    assert "on 4 nodes of 2 kinds, 16 CPUs, 31.2 GiB, 2 v</p>" in page
    assert html.escape(machine_drawing(describe_machine(w.machine))) in page
    for name in ("utilisation", "memory-utilisation", "gpus-utilisation", "partition-utilisation"):
        assert page.count(f'<figure id="{name}">') == 1, name
    after = page.partition("How long jobs wait, and how busy the machine is")[2]
    assert [row[-1] for row in cells(after, "Partition")][-2:] == [
        f"{comparison.partition_means['gpu']['GPUs'][q, 0]:.1f}" for q in (0, 1)
    ]
    assert "CPUs in use of all" in page
    assert "processors in use of all" not in page


def test_users_who_react_have_a_table() -> None:
    w = lublin(300, 32, seed=5).with_(wait=np.zeros(300, dtype=np.int64), user=np.arange(300) % 7)
    comparison = compare(w, ["sjf"], users="react")
    table = cells(report(None, comparison), "If users react")
    assert [row[0] for row in table] == list(comparison.policies)
    gains = comparison.reactions[1]
    assert table[1][5:7] == [f"{gains.wait_vs_easy_recorded:+.1f} %", f"{gains.wait_vs_easy:+.1f} %"]
    assert table[0][5:7] == ["–", "–"]
    assert "If users react" not in report(None, compare(w, ["sjf"]))
