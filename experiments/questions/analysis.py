"""Write the answers to the questions from the tables of the command line: results/questions/summary.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

from paretosched.comparison.consequences import duration
from paretosched.core.tables import markdown

Row = Mapping[str, str]
Rows = Sequence[Row]
HOUR = 3600
ALL = "all jobs"
WIDE = 100  # characters of a line of a command that is shown
TIMES_CHANCE = 2  # so many times what a change of no importance does is told as a change
SAME = 60  # s of a mean wait that are told as no change


def main() -> None:
    """Write the summary."""
    options, provenance, tables = common.read_results("questions", __doc__, settings.QUESTIONS)
    remark = common.quick_remark(provenance, "on small made-up logs")
    lines = ["# Ten questions of administrators", "", *opening(tables)]
    lines += [f"{remark}{common.versions_text(provenance)}.", "", *of_logs()]
    for number, (name, asked) in enumerate(settings.QUESTIONS.items(), 1):
        lines += of_question(number, name, asked, tables[name])
    common.save_summary(options.results, lines)


def opening(tables: Mapping[str, Rows]) -> list[str]:
    """Return the five sentences of the summary."""
    answered = [name for name, rows in tables.items() if rows]
    sure = [name for name in answered if any(row.get("draws", "0") not in ("", "0") for row in tables[name])]
    short = "; ".join(in_short(tables[name]) for name, in_short in IN_SHORT.items() if tables[name])
    unsaid = [name for name in answered if ANSWERS[name](tables[name])[0].startswith("Cannot be said")]
    without = " What to buy cannot be said on a log of a week." if "buy" in unsaid else ""
    told = f": {short}" if short else ""
    return common.opening(
        "Can what owners of machines ask be answered on real logs, by the commands that they would type?",
        f"Of {len(answered)} questions {len(answered) - len(unsaid)} could be answered{told}.{without}",
        f"Only {len(sure)} have 95 % intervals, over logs that were put together again from their users; the others "
        "stand for one log.",
        "No limit of a user, no operator, no failure that nobody expected, and no log of a machine as it is today.",
        "Type the same commands with your log and your slurm.conf; believe what is larger than its interval.",
    )


def of_logs() -> list[str]:
    """Return the section on the logs."""
    lines = [f"- {log.about}." for log in settings.LOGS.values()]
    return [
        "## The logs",
        "",
        "Tables come with `--json` or, for `whatif`, with `-o`. Your own log comes from `paretosched import slurm`; "
        "these come from the Parallel Workloads Archive, or so:",
        "",
        *lines,
        "",
        "```text",
        *(f"{line}" for log in settings.LOGS.values() for command in log.imports for line in shell_lines(command)),
        "```",
        "",
    ]


def of_question(number: int, name: str, asked: settings.Asked, rows: Rows) -> list[str]:
    """Return the section of a question: what it says, the commands, a table, and what it does not tell."""
    head = [f"## {number}. {asked.words}", ""]
    if not rows:
        return head + common.not_run(name)
    answer, table = ANSWERS[name](rows)
    shown = asked.commands[: len(asked.commands) - asked.left_out]
    commands = [line for command in shown for line in shell_lines(command)]
    more = ["(and so for the other days)"] if asked.left_out else []
    return [
        *head,
        f"**{answer}**",
        "",
        f"{settings.LOGS[asked.log].about}.",
        "",
        "```text",
        *commands,
        *more,
        "```",
        "",
        *table,
        "",
        f"*What this does not tell.* {' '.join(asked.limits)}",
        "",
    ]


def shell_lines(command: str) -> list[str]:
    """Return a command as lines that a shell takes together; a long one is broken before an option."""
    lines = [""]
    for part in command.split(" --"):
        words = part if lines == [""] else f" --{part}"
        if len(lines[-1]) + len(words) > WIDE and lines[-1]:
            lines[-1] += " \\"
            lines.append(f"   {words}")
        else:
            lines[-1] += words
    return lines


# --- cells ------------------------------------------------------------------------------------------------------------


def pick(rows: Iterable[Row], **where: str) -> Row:
    """Return the first row with these cells; a group of `whatif` may be named without the word.

    Raises
    ------
    LookupError
        There is none.
    """
    for row in rows:
        if all(row[key].removeprefix("group ") == value for key, value in where.items()):
            return row
    raise LookupError(f"no row with {where}")


def hours(row: Row, key: str, digits: int = 1) -> str:
    """Return a time in hours."""
    return f"{float(row[key]) / HOUR:,.{digits}f}" if row.get(key) else "-"


def longer(seconds: float, is_sure: bool = True) -> str:
    """Return a change of a wait in words.

    >>> longer(-7200), longer(600, False), longer(3)
    ('2 h shorter', '10 minutes longer (not sure)', 'as long')
    """
    if abs(seconds) < SAME:
        return "as long"
    return f"{duration(abs(seconds))} {'longer' if seconds > 0 else 'shorter'}{'' if is_sure else ' (not sure)'}"


def change_of(row: Row) -> str:
    """Return the change of the mean wait of a row of `whatif` in words."""
    low, high = row["wait_mean_s_low"], row["wait_mean_s_high"]
    return longer(float(row["wait_mean_s_change"]), not low or not float(low) <= 0 <= float(high))


def change_cell(row: Row) -> str:
    """Return the change of the mean wait of a row of `whatif` in hours, with its interval."""
    if not row["wait_mean_s_change"]:
        return ""
    ends = [float(row[f"wait_mean_s_{key}"]) / HOUR for key in ("change", "low", "high") if row[f"wait_mean_s_{key}"]]
    return f"{ends[0]:+,.2f}" + (f" ({ends[1]:+,.2f} to {ends[2]:+,.2f})" if len(ends) > 1 else "")


def table_of_compare(rows: Rows, first: str = "policy") -> list[str]:
    """Return a table of waits of policies, or of logs."""
    lines = [
        [
            row[first],
            row["group"],
            f"{int(row['jobs']):,}",
            *(hours(row, key) for key in ("mean_s", "p95_s", "worst_s")),
        ]
        for row in rows
    ]
    heads = [first, "who", "jobs", "mean wait, h", "95 of 100 within, h", "longest, h"]
    return markdown(heads, lines, left=2)


def table_of_whatif(rows: Rows, by_policy: bool = False) -> list[str]:
    """Return a table of waits and changes of questions."""
    lines = [
        [
            row["policy"] if by_policy else row["scenario"],
            row["group"],
            f"{int(row['jobs']):,}",
            *(hours(row, key, 2) for key in ("wait_mean_s", "wait_p95_s")),
            change_cell(row),
        ]
        for row in rows
    ]
    change = "change of the mean" + (", 95 %" if rows[0]["draws"] not in ("", "0") else "")
    heads = ["policy" if by_policy else "what if", "who", "jobs", "mean wait, h", "95 of 100 within, h", change]
    return [*markdown(heads, lines, left=2), *of_draws(rows)]


def of_draws(rows: Rows) -> list[str]:
    """Return what the jobs of a table of questions are, where they are not those of the log itself."""
    draws = rows[0]["draws"]
    if draws in ("", "0", "1"):
        return []
    return ["", f"Jobs and waits are means of {draws} logs that were put together again from the users of this one."]


# --- answers ----------------------------------------------------------------------------------------------------------


Answer = tuple[str, list[str]]


def large(rows: Rows) -> Answer:
    """Return whether large jobs starve."""
    easy, first = "EASY", "Priority large with EASY"
    record = next(row["policy"] for row in rows if row["policy"].startswith("recorded"))
    waits = {(row["policy"], row["group"]): float(row["mean_s"]) for row in rows}
    reacting = pick(rows, policy=first, group=ALL)
    return (
        f"They waited {times_longer(rows):.0f} times as long as small ones, {hours_of(waits[record, 'large'])} h "
        f"in the mean, and with EASY it would have been {hours_of(waits[easy, 'large'])} h. If they go first it is "
        f"{hours_of(waits[first, 'large'])} h; middle jobs then wait "
        f"{longer(waits[first, 'middle'] - waits[easy, 'middle'])}, small ones "
        f"{longer(waits[first, 'small'] - waits[easy, 'small'])}. For all jobs the gain in the mean wait over EASY is "
        f"{float(reacting['react_wait_vs_easy_recorded']):+.1f} %, and {float(reacting['react_wait_vs_easy']):+.1f} % "
        "if users react.",
        table_of_compare([row for row in rows if row["group"] != ALL]),
    )


def hours_of(seconds: float) -> str:
    """Return a time in hours."""
    return f"{seconds / HOUR:,.1f}"


def large_in_short(rows: Rows) -> str:
    """Return in a sentence how large jobs fare."""
    return f"large jobs waited {times_longer(rows):.0f} times as long as small ones on KTH"


def times_longer(rows: Rows) -> float:
    """Return how many times as long as small jobs large ones have waited, as recorded."""
    wait = {row["group"]: float(row["mean_s"]) for row in rows if row["policy"].startswith("recorded")}
    return wait["large"] / wait["small"]


def gpu(rows: Rows) -> Answer:
    """Return how users of GPUs fare, and what priority can do."""
    today = next(row["policy"] for row in rows if row["policy"].startswith("Slurm"))
    first = next(row["policy"] for row in rows if row["policy"].startswith("Priority"))
    of_gpu = {row["policy"]: row for row in rows if row["group"] == "gpu"}
    others, in_use = pick(rows, policy=today, group="rest"), float(pick(rows, policy=today, group=ALL)["gpus_in_use"])
    badly = float(of_gpu[first]["mean_s"]) < float(of_gpu[today]["mean_s"]) - HOUR
    return (
        f"{'It could treat them better' if badly else 'No'}: their {int(of_gpu[today]['jobs'])} jobs wait "
        f"{hours(of_gpu[today], 'mean_s')} h in the mean, all others {hours(others, 'mean_s')} h. With EASY GPU jobs "
        f"would wait {hours(of_gpu['EASY'], 'mean_s')} h, and if they always went first "
        f"{hours(of_gpu[first], 'mean_s')} h. "
        f"{in_use:.1f} % of the GPUs of the busiest partition were in use in these days: "
        f"{'an order helps' if badly else 'no order helps where there are too few of them'}.",
        table_of_compare(rows),
    )


def weight(rows: Rows) -> Answer:
    """Return which weight matters, beside what a change of no importance does."""
    mean = {(file_of(row), row["group"]): float(row["mean_s"]) for row in rows}
    groups = [*dict.fromkeys(row["group"] for row in rows)]
    files = [file for file in settings.WEIGHTS if (file, ALL) in mean]
    change = {(f, g): mean[f, g] - mean["slurm.conf", g] for f in files for g in groups}
    chance = {group: max(TIMES_CHANCE * abs(change["chance.conf", group]), SAME) for group in groups}
    parts, none = [], []
    for group in groups:
        best = min((file for file in files if file != "chance.conf"), key=lambda file: change[file, group])
        if change[best, group] < -chance[group]:
            parts.append(f"{group}: {settings.WEIGHTS[best]}, {longer(change[best, group])}")
        else:
            none.append(group)
    more = f"by more than {TIMES_CHANCE} times what chance does"
    said = (
        f"What shortens the mean wait most, and {more}: {'; '.join(parts)}" if parts else f"None: nothing helps {more}"
    )
    nothing = f". Nothing does for {', '.join(none)}" if none and parts else ""
    worst = max(((f, g) for f in files for g in groups if f != "chance.conf"), key=lambda each: change[each])
    if change[worst] > chance[worst[1]]:
        nothing += f". Worst is {settings.WEIGHTS[worst[0]]}: {worst[1]}, {longer(change[worst])}"
    lines = [
        [words_of(file), *(f"{(change[file, g] if file in files else mean[file, g]) / HOUR:{spec}}" for g in groups)]
        for file, spec in (("slurm.conf", ",.2f"), *((file, "+,.2f") for file in files))
    ]
    return (
        f"{said}{nothing}.",
        markdown(["mean wait, h, then changes", *groups], lines, left=1),
    )


def file_of(row: Row) -> str:
    """Return which configuration of Slurm a policy is."""
    return row["policy"].rpartition(", ")[2]


def words_of(file: str) -> str:
    """Return what is different in a configuration of Slurm."""
    return settings.WEIGHTS.get(file, "today")


def whole_in_short(rows: Rows) -> str:
    """Return in a sentence what whole nodes cost."""
    shared, alone = (float(pick(rows, log=log, group=ALL)["mean_s"]) for log in ("days", "whole"))
    return f"whole nodes for all jobs make the mean wait {alone / shared:.1f} times as long on UB CCR's cluster"


def whole(rows: Rows) -> Answer:
    """Return what whole nodes cost."""
    shared, alone = ({row["group"]: row for row in rows if row["log"] == log} for log in ("days", "whole"))
    small = [hours(each["small"], "mean_s") for each in (shared, alone)]
    every = [float(each[ALL]["mean_s"]) for each in (shared, alone)]
    return (
        f"Share: with whole nodes for every job the mean wait is {every[1] / every[0]:.1f} times as long, "
        f"{hours_of(every[1])} h in place of {hours_of(every[0])} h; {small[1]} h in place of {small[0]} h for jobs of "
        "less than 32 cores."
        if every[1] > every[0]
        else "Whole nodes cost nothing here: the mean wait is "
        f"{hours_of(every[1])} h in place of {hours_of(every[0])} h.",
        table_of_compare(
            [{**row, "nodes": "whole" if row["log"] == "whole" else "shared"} for row in rows], first="nodes"
        ),
    )


def limit(rows: Rows) -> Answer:
    """Return what a limit does to those within and beyond it."""
    then, week = (pick(rows, scenario=f"limit {longest}", group=ALL) for longest in ("64h", "7d"))
    gone, total, work = lost_of(then)
    _, _, of_week = lost_of(week)
    return (
        f"It would turn away {gone} of the log's {total} jobs, with {work:.0f} % of all work; the mean wait of the "
        f"others would be {change_of(then)}. A limit of a week turns away {of_week:.0f} % of the work, and the "
        f"others' wait is {change_of(week)}.",
        table_of_whatif(rows),
    )


def lost_of(row: Row) -> tuple[str, str, float]:
    """Return how many jobs a question leaves out, of how many, and the share of all work that they have, %."""
    match = re.match(r"([\d,]+) of ([\d,]+) jobs? .*\(([\d.]+) % of the work\)", row["left_out"])
    return ("0", row["jobs"], 0.0) if match is None else (match[1], match[2], float(match[3]))


def buy(rows: Rows) -> Answer:
    """Return what is worth most, or why that cannot be said."""
    wait = {row["scenario"]: row for row in rows if row["group"] == ALL}
    changes = {name: float(row["wait_mean_s_change"]) for name, row in wait.items() if row["wait_mean_s_change"]}
    many, one = (
        max(abs(changes[name]) for name in ("+20 cpu", "+4 gpu")),
        max(changes["+1 cpu"], changes["+1 gpu"], key=abs),
    )
    which = "+1 cpu" if changes["+1 cpu"] == one else "+1 gpu"
    said = f"20 CPU nodes make the mean wait {longer(changes['+20 cpu'])}, 4 GPU nodes {longer(changes['+4 gpu'])}"
    is_chance = not wait["+20 cpu"]["wait_mean_s_low"] and abs(one) > many
    return (
        f"Cannot be said on a week: {said}, but one more {which[3:].upper()} node makes it {longer(one)}, more than "
        "either. What a single node does by chance is larger than what is to be measured."
        if is_chance
        else f"{said}; see what is saved for the price.",
        table_of_whatif(rows),
    )


def fair_in_short(rows: Rows) -> str:
    """Return in a sentence what fair share does."""
    off = pick(rows, policy="Slurm site, off.conf", group=ALL)
    return f"without fair share the mean wait on KTH is {change_of(off)}"


def fair(rows: Rows) -> Answer:
    """Return whether fair share is too strong."""
    cells = {(row["policy"].rpartition(", ")[2], row["group"].removeprefix("group ")): row for row in rows}
    half, double, off = (cells[f"{name}.conf", ALL] for name in ("half", "double", "off"))
    verdict = "Perhaps" if change_of(half).endswith("shorter") else "Nothing says so"
    heavy, light = cells["off.conf", "1"], cells["off.conf", "5"]
    return (
        f"{verdict}: at half the weight the mean wait of all jobs is {change_of(half)}, at twice {change_of(double)}. "
        f"Without fair share it is {change_of(off)}: for the heaviest user (group 1) {change_of(heavy)}, for the many "
        f"who use little (group 5) {change_of(light)}.",
        table_of_whatif(
            [row for row in rows if row["group"] in (ALL, "group 1", "group 2", "group 5")], by_policy=True
        ),
    )


def maintenance(rows: Rows) -> Answer:
    """Return what a day costs in waiting."""
    of_all = [row for row in rows if (row["policy"], row["group"]) == ("EASY", ALL)]
    usual, *every = of_all
    cost = [(float(row["mean_s"]) - float(usual["mean_s"])) * int(row["jobs"]) / HOUR for row in every]
    lines = [
        [row["log"], hours(row, "mean_s", 2), f"{extra:+,.0f}", hours(row, "p95_s"), hours(row, "AWRT_s")]
        for row, extra in zip([usual, *every], [0.0, *cost], strict=True)
    ]
    lines[0][0], lines[0][2] = "none", ""
    least, most = (cost.index(each) for each in (min(cost), max(cost)))
    return (
        f"{cost[least]:,.0f} to {cost[most]:,.0f} hours of waiting of all jobs together, beside the lost day itself. "
        f"Which day it is matters most: {every[most]['log']} was the dearest of {len(every)}, {every[least]['log']} "
        "the cheapest.",
        markdown(
            ["closed from 8 h for a day", "mean wait, h", "more waiting, h", "95 of 100 within, h", "AWRT, h"],
            lines,
            left=1,
        ),
    )


def change(rows: Rows) -> Answer:
    """Return who gains and who pays if short requests go first."""
    easy, sjf = ({row["group"]: row for row in rows if row["policy"] == name} for name in ("EASY", "SJF with EASY"))
    gain = {group: [float(sjf[group][f"AWRT_vs_easy_{half}"]) for half in (1, 2)] for group in sjf if group != ALL}
    paid = [f"{group} ({one:+.0f} and {two:+.0f} %)" for group, (one, two) in gain.items() if max(one, two) < 0]
    short = longer(float(sjf["short"]["mean_s"]) - float(easy["short"]["mean_s"]))
    every = sjf[ALL]
    return (
        f"Short requests wait {short} in the mean. By response times weighted by work, in both halves of the log, "
        f"these groups have paid: {', '.join(paid) or 'none'}; and the unlucky: the longest wait of all was "
        f"{hours(easy[ALL], 'worst_s')} h, now {hours(every, 'worst_s')} h. The gain in the mean wait of all jobs is "
        f"{float(every['react_wait_vs_easy_recorded']):+.0f} %, and {float(every['react_wait_vs_easy']):+.0f} % if "
        "users react.",
        table_of_compare(rows),
    )


def students(rows: Rows) -> Answer:
    """Return what more users do under today's order and another one."""
    asked = settings.STUDENTS
    easy = {row["scenario"]: row for row in rows if row["group"] == ALL and row["policy"] == "EASY"}
    other = next(row for row in rows if (row["group"], row["scenario"]) == (ALL, asked) and row["policy"] != "EASY")
    own = pick(rows, scenario=asked, policy="EASY", group="5")
    return (
        f"With {easy[asked]['words']}, the mean wait of all jobs is {change_of(easy[asked])}, their own "
        f"{change_of(own)}; with {other['policy']} that of all is {change_of(other)} than with EASY today. With "
        f"{easy['load 1.2']['words']} from all groups alike it is {change_of(easy['load 1.2'])}.",
        table_of_whatif(
            [
                {**row, "scenario": f"{row['scenario']}, {row['policy']}"}
                for row in rows
                if row["group"] in (ALL, "group 5")
            ]
        ),
    )


ANSWERS: Mapping[str, Callable[[Rows], Answer]] = {
    "large": large,
    "gpu": gpu,
    "weight": weight,
    "whole": whole,
    "limit": limit,
    "buy": buy,
    "fair": fair,
    "maintenance": maintenance,
    "change": change,
    "students": students,
}
IN_SHORT = {"large": large_in_short, "whole": whole_in_short, "fair": fair_in_short}  # for the opening


if __name__ == "__main__":
    main()
