"""`paretosched info` shows what `describe` finds, for the groups and the machine of its options."""

from pathlib import Path

import pytest

import paretosched as ps
from support.commands import (
    columns,
    succeed,
)


def test_info_says_what_describe_says(house: Path) -> None:
    about = ps.describe(ps.read_swf(house / "record.swf"))
    assert succeed("info", house / "record.swf", "--json").json == about
    outcome = succeed("info", house / "record.swf")
    assert outcome.err == ""
    load = "OFFERED LOAD 2.58: 8 processors can do 39 % of the work until the last submission"
    assert about["doubts"] == [f"{load}; --capacity N if there were more"]
    assert outcome.out.splitlines()[:5] == [
        f"{house / 'record.swf'}: {about['doubts'][0]}",
        "record",
        "  4 jobs of 3 users on 8 processors",
        "  submitted 1970-01-01 00:01:40+00:00 to 1970-01-01 00:02:10+00:00, UTC: 0.0 days",
        "  offered load 2.583; serial jobs 0.0 %; recorded waits for 100.0 %",
    ]
    assert columns(outcome.out, "quantiles")[0] == ["run time s", "10", "10", "20", "30", "50", "50"]
    assert columns(outcome.out, "quantiles")[3] == ["next job after s", "10", "10", "10", "10", "10", "10"]
    assert [row[0] for row in columns(outcome.out, "situation")] == ["weekend", "day", "night"]
    assert columns(outcome.out, "action") == [
        ["dropped", "1", "run time unknown or 0: never ran", "-", "line 10 (job 13)"]
    ]
    groups = columns(outcome.out, "group")
    assert [row[:3] for row in groups] == [[g["group"], str(g["users"]), str(g["jobs"])] for g in about["groups"]]


def test_info_says_when_nothing_was_repaired(house: Path) -> None:
    assert succeed("info", house / "w.swf.gz").out.endswith("\nnothing was dropped or repaired\n")


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ("consumption", ["1", "2", "3", "4", "5"]),
        ("swf", ["1", "2", "3"]),
        ("queue", ["short", "long"]),
        ("50,10", ["1", "2", "3"]),
        ("12.5", ["1", "2"]),
    ],
)
def test_groups_are_those_asked_for(house: Path, how: str, names: list[str]) -> None:
    about = succeed("info", house / "record.swf", "--groups", how, "--json").json
    assert [group["group"] for group in about["groups"]] == names
    assert sum(group["jobs"] for group in about["groups"]) == 4
    values = succeed("simulate", house / "record.swf", "--groups", how, "--json").json
    assert [key for key in values if key.startswith("AWRT")] == ["AWRT", *(f"AWRT{i + 1}" for i in range(len(names)))]


def test_groups_of_an_owner_come_from_a_csv_file(house: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.csv"
    groups.write_text("user,group\n5,staff\n6,guests\n")
    about = succeed("info", house / "record.swf", "--groups", groups, "--json").json
    assert {group["group"]: group["jobs"] for group in about["groups"]} == {"staff": 2, "guests": 1, "other": 1}
    outcome = succeed("simulate", house / "record.swf", "--groups", groups)
    assert [row[-1] for row in columns(outcome.out, "objective")][2:] == [
        f"AWRT of group {g}" for g in about_names(about)
    ]


def about_names(about: dict[str, list[dict[str, str]]]) -> list[str]:
    return [group["group"] for group in about["groups"]]


def test_capacity_replaces_that_of_the_log(house: Path) -> None:
    assert succeed("info", house / "record.swf", "--capacity", 16, "--json").json["capacity"] == 16
    about = succeed("info", house / "record.swf", "--capacity", 4, "--json").json
    assert about["jobs"] == 2
    reasons = [repair["reason"] for repair in about["repairs"] if repair["action"] == "dropped"]
    assert "wider than the machine of 4 processors" in reasons
    narrow = succeed("simulate", house / "record.swf", "--capacity", 4)
    trace = house / "record.swf"
    assert narrow.out.splitlines()[:4] == [
        f"{trace}: RECORDED USE ABOVE THE MACHINE: up to 6 of 4 processors, for 20.00 % of the time, if waits that are "
        "all 0 were recorded; --capacity N for another size",
        f"{trace}: JOBS WIDER THAN THE MACHINE of 4 processors: 2 dropped; --capacity N if it has more",
        f"{trace}: OFFERED LOAD 1.83: 4 processors can do 55 % of the work until the last submission; --capacity N if "
        "there were more",
        "EASY on record: 2 jobs, 4 processors",
    ]
    assert narrow.err == f"paretosched: {trace}: 2 jobs; 3 dropped (paretosched info says which and why)\n"
