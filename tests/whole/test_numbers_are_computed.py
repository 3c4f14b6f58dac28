"""Every number in a sentence of a report or of the page is computed: with other data it is another one."""

from __future__ import annotations

import html
import json
import re
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.app.cards import reply
from paretosched.app.contents import contents
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.report.comparison_report import report
from paretosched.wishes.answers import answer

NUMBER = re.compile(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")  # none in a name, such as AWRT1
BLOCKS = re.compile(r"<(p|li|h\d|summary|figcaption)\b[^>]*>(.*?)</\1>", re.DOTALL)
# Numbers that are the same in every report, with what stands around them.
CONSTANTS = (
    "by more than [2] %.",  # waits_table.NOTABLE
    "nobody worse than [5] %",  # waits_view.BEARABLE
    "weeks, less than [2], and users move",  # resampling.LEAST_WEEKS
    " of [95] of 100",  # the name of a measure
    " of [95] of ",
    " of [100] grows",
    " of [100] from ",
    "(paper [000])",  # the name of a paper
    "from EASY ([0] %) to",  # what a share of the way means
    "to the objective ([100] %)",
    "limits can beat ([100] %)",
    "“[3] · Scheduler”",  # the name of a view of the page
    "site factors are [0] again",  # what undoing sets
    "simulated in [1] run ",  # one is always one where the word is singular
    "[1] other group ",
)
DATES = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2} \d\d:\d\d")
CASES = (
    (7, 140, 32, 1.2, "physics"), (8, 230, 96, 1.35, "biology"), (11, 390, 256, 1.57, "law"),
    (13, 310, 160, 1.41, "arts"), (17, 170, 48, 1.63, "music"),
)  # fmt: skip


def sentences(text: str) -> list[str]:
    """Return what a report says, a piece for each paragraph, item, cell and line."""
    body = re.sub(r"<(style|script|svg|code|pre)\b.*?</\1>", "", text, flags=re.DOTALL)  # commands are no sentences
    pieces = [re.sub(r"<[^>]+>", " ", found[2]) for found in BLOCKS.finditer(body)]
    return [" ".join(html.unescape(line).split()) for piece in pieces for line in piece.splitlines() if line.strip()]


def page_text(part: Any) -> str:
    """Return parts of the page as HTML without attributes."""
    if isinstance(part, list | tuple):
        return "".join(map(page_text, part))
    if part is None or isinstance(part, str | int | float):
        return html.escape(str(part or ""))
    known = part.to_plotly_json()["props"].get("data-html")
    tag = type(part).__name__.lower()
    return f"<{tag}>{page_text(getattr(part, 'children', None)) if known is None else known}</{tag}>"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What the reports of several logs say: of a comparison, of a decision, and of a wish; and the page."""
    said = []
    for seed, jobs, processors, factor, name in CASES:
        folder = tmp_path_factory.mktemp(name)
        w = ps.lublin(jobs=jobs, processors=processors, seed=seed)
        rng = np.random.default_rng(seed)
        count = 2 + seed % 3
        group = rng.integers(0, count, len(w))
        w = w.with_(
            user=rng.integers(1, 9 + seed, len(w)), group=group, groups=tuple(f"{name}{k}" for k in range(count)),
        )  # fmt: skip
        w = w.with_(wait=ps.simulate(w, "conservative").wait + 10 * seed)
        front = ps.explore(w, evaluations=60 + seed, population=16 + 2 * seed, seed=seed)
        wish = f"{seed}*AWRT1 + AWRT2, all <= {factor:g}*EASY"
        compared = ps.compare(w, ["fcfs"], front, wish, today="recorded", rolling=4)
        desk = Desk(front, folder)
        desk.simulate_known(lambda w=w: (w, ["log"]))
        desk.act({"do": "say", "text": wish})
        desk.act({"do": "pick", "row": len(front) - 1})
        told = [*sentences(report(front, compared)), *sentences(decision(desk))]
        asked = contents(desk).scene["questions"]
        told += sentences(page_text([reply(desk, json.loads(asked[kind])) for kind in ("card", "answer", "table")]))
        told += sentences(page_text(list(contents(desk).pieces.values())))
        told += [line for line in answer(wish, front, w).text().splitlines() if "  " not in line.strip()]
        desk.close()
        said.append(told)
    return said


def by_form(said: list[str]) -> dict[str, list[list[str]]]:
    """Return the numbers of sentences, by the sentence without them and without names."""
    found: dict[str, list[list[str]]] = defaultdict(list)
    for sentence in said:
        words = re.sub(r"\b(physics|biology|law|arts|music)\d?\b|\blublin\S*", "NAME", DATES.sub("DATE", sentence))
        found[NUMBER.sub("№", words)].append(NUMBER.findall(words))
    return found


def test_no_number_in_a_sentence_is_a_literal(reports: list[list[str]]) -> None:
    forms = [by_form(said) for said in reports]
    seen = Counter(form for each in forms for form in each if "№" in form)
    compared = [form for form, count in seen.items() if count > 2]
    assert len(compared) > 30
    same = []
    for form in compared:
        parts = form.split("№")
        for place in range(form.count("№")):
            values = [{numbers[place] for numbers in each[form]} for each in forms if form in each]
            for value in set.intersection(*values):
                around = f"{parts[place][-30:]}[{value}]{parts[place + 1][:30]}"
                if not any(known in around for known in CONSTANTS):
                    same.append(around)
    assert not same, "\n".join(same)
