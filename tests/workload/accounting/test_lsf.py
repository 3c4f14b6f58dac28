"""The file lsb.acct of LSF, versions 6 to 10; the records are made here, in the order of lsb.acct(5)."""

import time
from pathlib import Path

import pytest

from support.accounting import Result, column, import_into
from support.commands import command

SUBMIT = 1784711000
START = SUBMIT + 300
USED = "1.5 0.25 3748 0 -1 0 0 436 4 0 928 0 -1 0 0 0 19 2 -1"
V6 = '2048 4096 "" "" "" ""'  # up to sla
V7 = V6 + ' 0 "" {exit} "" -1 "/lab/anna" "" "app" "" -1 "/anna" "" 5136 "" 1784711300 "" "my job"'
FOURTH = '"" -1 "" -1 0 "" 0 0 "" 99 "/home/anna"'
FIFTH = '"" 0.000000 0.00 0.00 0.00 0.00'
V8 = V7 + f' 0 4194304 7200 0 "{{needs}}" {FOURTH}'
HOST = "n1 1306 0 1287 42"
V9 = V7 + f' 1 1032 "0" 2 {HOST} 0 {HOST} 0 7200 4194304 2048 "{{needs}}" {FOURTH} 1 "18446" 1 {FIFTH}'
V9_SHORT = V7 + f' 0 2 {HOST} {HOST} 7200 4194304 2048 "{{needs}}" {FOURTH}'
V10 = V7 + (
    f' 2 1110 "default" 1041 "jfin cache" 0 7200 4194304 2048 "{{needs}}" {FOURTH} 0 {FIFTH} {{slots}} '
    '{pending} 0 {requeued} 1 "n1" 1 "gpu0" "use" 0 1 "schedulingOverhead" "0.00"'
)  # fmt: skip


def record(
    job: int = 7,
    version: str = V10,
    *,
    hosts: str = '1 "n1"',
    slots: str = '1 "n1"',
    wish: str = "",
    needs: str = "select[type == any]",
    options: int = 0x2000002,
    status: int = 64,
    begin: int = 0,
    submit: int = SUBMIT,
    start: int = START,
    end: int = START + 100,
    idx: int = 0,
    command_: str = "solve a.dat",
    user: str = "anna",
    exit_: int = 0,
    pending: int = -1,
    requeued: int = 0,
) -> str:
    """Return a record JOB_FINISH."""
    tail = version.format(exit=exit_, needs=needs, slots=slots, pending=pending, requeued=requeued)
    return (
        f'"JOB_FINISH" "10.1" {end} {job} 501 {options} 1 {submit} {begin} 0 {start} "{user}" "long" "{wish}" "" "" '
        f'"login" "/home/anna" "" "out" "err" "1784711000.{job}" 1 "n9" {hosts} {status} 60.0 "a ""b"" c" "{command_}" '
        f'{USED} "" "physics" 0 1 "" "" {idx} {tail}\n'
    )


def import_text(tmp_path: Path, text: str, *options: object) -> Result:
    """Import a text."""
    (tmp_path / "lsb.acct").write_text(text)
    return import_into(tmp_path, "lsf", tmp_path / "lsb.acct", *options)


@pytest.mark.parametrize(
    ("version", "limit"),
    [
        *(("", 100), ("2048", 100), (V6, 100), (V7, 100), (f"{V7} 0", 100)),
        *((V8, 7200), (V9, 7200), (V9_SHORT, 7200), (V10, 7200)),
    ],
)  # fmt: skip
def test_each_version_adds_fields_behind_those_before(tmp_path: Path, version: str, limit: int) -> None:
    log = import_text(tmp_path, record(version=version, hosts='2 "64*n1" "32*n2"', slots='2 "64*n1" "32*n2"'))
    [job] = log.jobs.values()
    kept = ("job", "submit", "wait", "run", "width", "estimate", "status")
    assert [job[word] for word in kept] == [7, 0, 300, 100, 96, limit, 1]
    assert log.names.users == {1: "anna"}
    assert log.names.groups == {1: "physics"}
    assert log.names.queues == log.names.partitions == {1: "long"}
    assert log.names.asked["nodes"].value.tolist() == [2]
    assert "fields behind the description of the job are not those of LSF 8 to 10" not in log.counts


def test_fields_that_no_version_has_are_counted(tmp_path: Path) -> None:
    log = import_text(tmp_path, record(version=f'{V7} 0 "who knows" 7 7 7'))
    assert column(log, "run") == {7: 100}
    assert log.counts["fields behind the description of the job are not those of LSF 8 to 10"] == ("assumed", 1)


def test_slots_are_those_that_were_allocated_and_hosts_may_be_listed_each_time(tmp_path: Path) -> None:
    text = record(1, V7, hosts='4 "n1" "n1" "n2" "n1"') + record(2, hosts='1 "n1"', slots='2 "8*n1" "8*n2"')
    log = import_text(tmp_path, text)
    assert column(log, "width") == {1: 4, 2: 16}
    assert column(import_text(tmp_path, text, "--width", "nodes"), "width") == {1: 2, 2: 2}


def test_texts_have_blanks_quotes_line_ends_and_what_looks_like_a_record(tmp_path: Path) -> None:
    evil = '#!/bin/sh;\n""JOB_FINISH"" ""10.1"" 1 2 3\n\n# ""quoted""\n "" 64 ""'
    log = import_text(tmp_path, record(1, command_=evil) + "\n# a comment\n" + record(2).replace(" ", " \t ", 3))
    assert column(log, "run") == {1: 100, 2: 100}


def test_what_else_is_recorded(tmp_path: Path) -> None:
    """Other records are left out; a change of size is counted, since only the last one is in JOB_FINISH."""
    more = (
        f'"EVENT_ADRSV_FINISH" "10.1" {START} {SUBMIT} 0 0 501 "anna" "a#0" "anna" "" 1 "n1" 4\n'
        f'"JOB_RESIZE" "10.1" {START} 7 0 {START} 501 "anna" 1 4 "n1" 0 0\n'
    )
    log = import_text(tmp_path, more + record())
    assert [*log.jobs] == [7]
    assert log.counts["its slots changed while it ran"] == ("assumed", 1)


def test_states_arrays_copies_and_jobs_that_never_started(tmp_path: Path) -> None:
    array = [record(5, idx=1), record(5, idx=2), record(5, idx=2)]
    states = [
        record(6, status=32),
        record(7, status=32, exit_=14),
        record(8, status=192),
        record(9, status=32, start=0),
    ]
    log = import_text(tmp_path, "".join([*array, *states]))
    assert column(log, "status") == {5: 1, 6: 0, 7: 5, 8: 1, 9: 1}
    assert log.counts["recorded twice, letter for letter"] == ("dropped", 1)
    assert log.counts["never ran"] == ("dropped", 1)


def test_jobs_that_could_not_run_yet_or_ran_before(tmp_path: Path) -> None:
    text = record(1, begin=SUBMIT + 60) + record(2, pending=90) + record(3, requeued=SUBMIT + 200) + record(4, begin=9)
    log = import_text(tmp_path, text)
    assert [part.tolist() for part in log.names.eligible] == [[1, 2], [60, 90]]
    assert column(log, "submit") == {1: 0, 2: 0, 3: 200, 4: 0}
    assert log.counts["requeued, and there is no record of the life before"] == ("assumed", 1)


def test_what_jobs_ask_for_is_kept(tmp_path: Path) -> None:
    """Memory and GPUs are those of a host, unless the request says otherwise."""
    two = {"hosts": '2 "4*n1" "4*n2"', "slots": '2 "4*n1" "4*n2"'}
    needs = (
        "select[type == any] rusage[mem=4000:ngpus_physical=2.00] span[ptile=4]",
        "rusage[ngpus_physical=1.00/task,mem=2GB/task]",
        "rusage[mem=512KB/job] rusage[ngpus_excl_p=1/job]",
        "2*{rusage[mem=1]} + 1*{rusage[mem=2]}",
        "rusage[mem=100||ngpus=7]",
    )
    wishes = ("select[model==fast && !old] rusage[mem=1]", "select[x" + "x" * 300 + "]", "", "", "")
    text = [record(1 + k, needs=needs[k], wish=wishes[k], options=0x2000042, **two) for k in range(5)]  # type: ignore[arg-type]
    log = import_text(tmp_path, "".join([*text, record(6, V7, wish="rusage[mem=1G]")]))
    kept = {word: dict(zip(*(part.tolist() for part in each), strict=True)) for word, each in log.names.asked.items()}
    assert column(log, "asked_memory") == {1: 1024000, 2: 2 * 1024**2, 3: 64, 4: -1, 5: -1, 6: 1024**2}
    assert kept == {
        "nodes": dict.fromkeys(range(1, 6), 2),
        "gpus": {1: 4, 2: 8, 3: 1},
        "per_node": {1: 4},
        "exclusive": dict.fromkeys(range(1, 6), 1),
        "constraint": {1: 1},
    }
    assert log.names.constraints == {1: "model==fast && !old"}
    assert log.counts["memory asked for on several slots"] == ("assumed", 1)
    assert column(import_text(tmp_path, "".join(text), "--width", "gpus"), "width") == {1: 4, 2: 8, 3: 1}


@pytest.mark.parametrize(
    ("groups", "name"), [("account", "physics"), ("project", "physics"), ("user", "anna"), ("queue", "long")]
)
def test_groups(tmp_path: Path, groups: str, name: str) -> None:
    assert import_text(tmp_path, record(), "--groups", groups).names.groups == {1: name}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("JobID|User\n", ':1: a record must begin as "JOB_FINISH" "10.1" 1784711721, but this one begins "JobID|User"'),
        (record().replace(" ", ","), ':1: a record must begin as "JOB_FINISH" "10.1" 1784711721'),
        ("\n" + record().replace('"long"', "long"), ":2: queue must be a text in quotes, but is"),
        (record(hosts='3 "n1" "n2"'), ":1: hostFactor must be a number, but is"),
        (record(hosts='9999 "n1"'), ":1: numExHosts is 9999, but"),
        (record(hosts='"n1"'), ":1: numExHosts must be a count"),
        (record(job=10**16), ":1: jobId must be a whole number"),
        (record(end=10**13), ":1: a time is 10000000000000, but must be before the year 9000"),
        (record(command_='a"b'), ":1: fields must stand between blanks, texts in quotes"),
        (record(1) + record(2, command_='"') + record(3), ":2: fields must stand between blanks, texts in quotes"),
        (record().partition(USED)[0], ":1: a record must have all fields up to idx, but this one ends before"),
        (f'"JOB_NEW" "10.1" {SUBMIT} 7 501\n', ":1: JOB_NEW is a record of lsb.events; what is read is lsb.acct"),
        (f'"EVENT_ADRSV_FINISH" "10.1" {SUBMIT} 7 501\n', ": there is no job that can be simulated"),
    ],
)  # fmt: skip
def test_what_is_not_lsb_acct_is_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "x").write_text(text)
    outcome = command("import", "lsf", tmp_path / "x")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err


@pytest.mark.parametrize(
    "text",
    [
        record().rstrip("\n") + ' ""' * 30_000,
        record().rstrip("\n") + " " + '"' * 99_001,
        record().rstrip("\n") + ' " ""' * 19_000,
        record(command_="\n" * 400_000),
        record(command_='""\n' * 300_000),
        f'"JOB_FINISH" "1" 1 {"9 " * 49_000}',
    ],
)
def test_hostile_records_take_no_time(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    began = time.monotonic()
    assert command("import", "lsf", tmp_path / "x").status in (0, 2)
    assert time.monotonic() - began < 30
