"""The reservations that `scontrol show reservation` prints, each on one line or on several."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...core.errors import InputError, first_few, in_quotes, number_of
from ..calendar import find_zone
from ..host_lists import host_list, node_names
from ..local_time import settle
from ..machine import ALL, MOST_LISTED, MOST_LISTS, Machine, Reservation
from ..slurm_conf import NOT_SET, PRINTED_PAIR
from .fields import times
from .lives import UNKNOWN
from .text_lines import Lines, Watch, line_blocks

RESERVATIONS = "SLURM_TIME_FORMAT=%s scontrol show res -o"
ADVICE = f"run {RESERVATIONS}, or, if these are times of the site's clock, name its zone, such as --zone Europe/Berlin"
HEAD = "ReservationName="
NONE_AT_ALL = "No reservations in the system"
SOME_CORES = "left out, of some cores of nodes only, which other jobs may take"
CPUS = re.compile(r"\bcpu=(\d+)")
DAY, HOUR = 86400, 3600
DAYS = {"DAILY": range(7), "WEEKDAY": range(5), "WEEKEND": range(5, 7), "WEEKLY": range(7)}  # of the week


class Planned(NamedTuple):
    """A reservation, and how it repeats: a word of DAYS, "HOURLY", or "" for once."""

    reservation: Reservation
    repeats: str


class _Record(NamedTuple):
    """What is printed of one reservation, by key, and the lines and the place of the first one."""

    values: Mapping[str, str]
    lines: Lines
    place: int


def read_reservations(
    path: str | None, machine: Machine, zone: str | None, watch: Watch
) -> tuple[tuple[Planned, ...], list[str]]:
    """Return the reservations of nodes in a file, and what of others was not taken, in words.

    Parameters
    ----------
    path
        What `scontrol show reservation` printed; None if there are none.
    machine
        The machine; nodes that it does not have are left out.
    zone
        Time zone of clocks; None to refuse them, so that all must be Unix times.
    watch
        Called with the bytes that were read, see `line_blocks`.

    Raises
    ------
    InputError
        The file cannot be read, or is no such output; the message has the line.
    """
    records = [] if path is None else [*_records(path, watch)]

    def fault(index: int, fact: str) -> InputError:
        return records[index].lines.fault(records[index].place, fact)

    columns = ([record.values.get(key, "") for record in records] for key in ("StartTime", "EndTime"))
    readings = [
        times(fault, cells, name, ADVICE, zone, zero=False)
        for cells, name in zip(columns, ("StartTime", "EndTime"), strict=True)
    ]
    begins, ends = (each.tolist() for each in settle(readings, np.full(len(records), UNKNOWN)).times)
    hosts = _Hosts(machine)
    planned: list[Planned] = []
    left_out: dict[str, list[str]] = {}
    for index, (record, begin, end) in enumerate(zip(records, begins, ends, strict=True)):
        values, name = record.values, record.values["ReservationName"]
        flags = _words(values.get("Flags", ""))
        if UNKNOWN in (begin, end) or end <= begin:
            raise fault(index, f"reservation {in_quotes(name)} must have an EndTime after its StartTime, but has none")
        places, missing = hosts.of(values.get("Nodes", ""), f"{record.lines.place}:{record.lines.first + record.place}")
        if missing:
            left_out.setdefault("without nodes that the machine does not have", []).append(name)
        if "TIME_FLOAT" in flags:
            left_out.setdefault("left out, always to begin later (TIME_FLOAT)", []).append(name)
        elif not places:
            left_out.setdefault("left out, without nodes", []).append(name)
        elif not missing and hosts.is_part(places, values):
            left_out.setdefault(SOME_CORES, []).append(name)
        else:
            users, accounts = (_words(values.get(key, "")) for key in ("Users", "Accounts"))
            repeats = next((word for word in (*DAYS, "HOURLY") if word in flags), "")
            try:
                planned.append(Planned(Reservation(name, places, begin, end, users, accounts, flags), repeats))
            except InputError as error:
                raise fault(index, str(error)) from None
    remarks = [
        f"{number_of(len(names), 'reservation')} {why}: {first_few(names, limit=3)}" for why, names in left_out.items()
    ]
    return tuple(planned), remarks


def _records(path: str, watch: Watch) -> Iterator[_Record]:
    """Yield what is printed of each reservation; of a key that comes twice the first value counts."""
    values: dict[str, str] = {}
    count = 0
    began: tuple[Lines, int] | None = None
    for lines in line_blocks(path, watch):
        for index, text in enumerate(lines.texts):
            is_new = text.startswith(HEAD)
            if not text.strip() or text.strip() == NONE_AT_ALL:
                continue
            if not is_new and (began is None or not text[0].isspace()):
                fact = f"must begin with {HEAD}, but is {in_quotes(text)}"
                raise lines.fault(index, f"a line of the output of {RESERVATIONS} {fact}")
            if is_new:
                if began is not None:
                    yield _Record(values, *began)
                count += 1
                if count > MOST_LISTS:
                    raise lines.fault(index, f"there must be at most {MOST_LISTS:,} reservations, but there are more")
                values, began = {}, (lines, index)
            for key, value in PRINTED_PAIR.findall(text):
                values.setdefault(key, value)
    if began is not None:
        yield _Record(values, *began)


class _Hosts:
    """Lists of nodes of a machine; equal lists are gone through once."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._known: dict[str, tuple[str, int]] = {}
        self._listed = 0

    def of(self, text: str, where: str) -> tuple[str, int]:
        """Return the list without nodes that the machine does not have, and how many these are."""
        if text.lower() in ("", *NOT_SET):
            return "", 0
        if text not in self._known:
            there: dict[str, None] = {}
            missing = 0
            for name in node_names(text, where):
                self._listed += 1
                if self._listed > MOST_LISTED:
                    raise InputError(f"{where}: reservations must list at most {MOST_LISTED:,} nodes, but list more")
                if name in self._machine.place_of:
                    there[name] = None
                else:
                    missing += 1
            is_all = len(there) == len(self._machine.names)
            self._known[text] = ALL if is_all else text if not missing else host_list([*there]), missing
        return self._known[text]

    def is_part(self, hosts: str, values: Mapping[str, str]) -> bool:
        """Return whether a reservation has fewer cores, or, where these are not printed, CPUs than its nodes."""
        machine, places = self._machine, self._machine.places(hosts)
        cores, cpus = values.get("CoreCnt", ""), CPUS.search(values.get("TRES", ""))
        number, each = (cores, machine.cores) if cores.isdecimal() else (cpus[1] if cpus else "0", machine.cpus)
        return 0 < int(number[:15]) < int(each[places].sum())


def _words(text: str) -> tuple[str, ...]:
    """Return the words between commas; none if it says that there are none."""
    return () if text.lower() in NOT_SET else tuple(dict.fromkeys(filter(None, text.split(","))))


def repetitions(
    planned: Sequence[Planned], zone: str, since: int, until: int
) -> tuple[tuple[Reservation, ...], list[str]]:
    """Return the reservations between two Unix times, those that repeat as often as they do, and remarks.

    What is printed of one that repeats is the next time of it; it has been there before, at the same local time.

    Examples
    --------
    >>> weekly = Planned(Reservation("m", "n1", 1_700_000_000, 1_700_003_600), "WEEKLY")
    >>> found = repetitions([weekly], "UTC", 1_698_000_000, 1_700_000_001)[0]
    >>> [(each.begin - 1_700_000_000) / 86400 for each in found]
    [-21.0, -14.0, -7.0, 0.0]
    """
    found: list[Reservation] = []
    outside = []
    for each in planned:
        one, before = each.reservation, len(found)
        for begin in _begins(each, zone, since, until):
            end = begin + one.end - one.begin
            if since < end and begin < until:
                found.append(replace(one, begin=begin, end=end))
            if len(found) > MOST_LISTS:
                raise InputError(
                    f"reservations must come at most {MOST_LISTS:,} times in the log, but do more often; take "
                    f"{one.name} out of the file"
                )
        outside += [one.name] * (len(found) == before)
    remarks = []
    if outside:
        names = first_few(outside, limit=3)
        remarks.append(f"{number_of(len(outside), 'reservation')} outside of the time of the log, left out: {names}")
    return tuple(sorted(found, key=lambda one: (one.begin, one.name))), remarks


def _begins(planned: Planned, zone: str, since: int, until: int) -> Iterator[int]:
    """Yield when a reservation begins between two Unix times, or a little before or after them."""
    one, repeats = planned
    if not repeats:
        yield one.begin
        return
    if repeats == "HOURLY":
        first = (since - one.end) // HOUR
        yield from range(one.begin + first * HOUR, until, HOUR)
        return
    first_day = dt.datetime.fromtimestamp(one.begin, find_zone(zone))
    step = 7 if repeats == "WEEKLY" else 1
    lowest = (since - one.end) // (step * DAY) - 1
    for number in range(lowest, (until - one.begin) // (step * DAY) + 2):
        local = first_day + dt.timedelta(days=step * number)  # the same time of the local clock
        if local.weekday() in DAYS[repeats]:
            yield int(local.timestamp())
