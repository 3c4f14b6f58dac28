"""The rows of a text of sacct: with a header or without, whatever stands between its cells.

A separator or a line end in a free text, such as the name of a job, breaks its line. Such lines are put together again
where their times, numbers and states fit in one way only; others are dropped and counted, never the whole file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...core.errors import InputError, in_quotes, number_of
from ...core.limits import limits_in_force
from .sacct_columns import (
    ANYTHING,
    DURATION,
    FIELDS,
    FREE,
    ID,
    LISTS,
    MOST_EXTRA,
    NAME,
    OF_LOWER,
    ON_NODES,
    READ,
    RESOURCE_LISTS,
    SEPARATORS,
    SHAPES,
    TIME,
    XDMOD,
    Group,
    Layout,
    cells_of,
    columns_named,
    groups_of,
)
from .tally import Tally
from .text_lines import Lines

DASHES = re.compile(r"\s*-+(?: +-+)+\s*")
JSON_OR_YAML = re.compile(r"\s*[{\[].*|---\s*|%YAML.*")
CUT_TIME = re.compile(r"(?::\d?)?\+$")  # what ends a duration that was cut: its seconds are lost
CAN_BE_CUT = {*RESOURCE_LISTS, "AllocGRES", "ReqMem", "Reason", "Flags"} | {
    name for name, shape in SHAPES.items() if shape in (NAME, DURATION)
}  # without which a job is still a job
SPLIT = (*READ, *ON_NODES)  # columns that are read between separators
SAMPLE = 100  # lines by which the order of columns is known
MOST_BEFORE = 20  # lines before the names of the columns
STEPS, STEPS_A_LINE = 2_000_000, 60  # of putting lines together: some seconds, and enough for each line
MOST_LOST = 10_000  # lines more than rows, until a text is refused
MOST_JOINED = 1_000  # lines of one row
COLUMN_ADVICE = "paretosched import slurm --command prints the sacct command whose output is read here at its best"
MENDED = "a separator or a line end in a free text, such as JobName or SubmitLine: the line put together again"
TAIL = "a line end in the text of the last column: what followed it is left out"
DAMAGED = "a line with too few or too many cells, which can be put together in no way or in several"
CUT = "the last line has too few cells: was the file cut short, or is it still being written?"
CUT_OFF = (
    "a cell that sacct cut off, marked with +: names may have become one, seconds of times are lost; "
    "sacct -P prints whole cells"
)
CUT_OFF_KEY = "a job number, time or count that sacct cut off; sacct -P prints whole cells"
BEFORE = "a line before the one that names the columns"


class Table(NamedTuple):
    """Rows of a text.

    Attributes
    ----------
    place
        The file, for messages.
    numbers
        (n,) the numbers of their lines.
    columns
        The cells of each column that is read, by sacct's name for it.
    """

    place: str
    numbers: list[int]
    columns: Mapping[str, Sequence[str]]

    def fault(self, index: int, fact: str) -> InputError:
        """Return the error about a row."""
        return InputError(f"{self.place}:{self.numbers[index]}: {fact}")

    def rows(self, kept: Sequence[int]) -> Table:
        """Return some of the rows."""
        columns = {name: [cells[index] for index in kept] for name, cells in self.columns.items()}
        return Table(self.place, [self.numbers[index] for index in kept], columns)


class SacctText:
    """Knows the columns of a text, and the lines that are not complete yet.

    Parameters
    ----------
    columns
        The names of columns, in order, of a text without header; None if it has one, or if their order is known.
    check
        Function that gets the columns of a table, and returns why they do not suffice, "" if they do.
    tally
        Counts lines that are put together again, or dropped.
    """

    def __init__(self, columns: Sequence[str] | None, check: Callable[[Sequence[str]], str], tally: Tally) -> None:
        self.names = columns
        self.check = check
        self.tally = tally
        self.layout = Layout((), "")
        self.groups: tuple[Group, ...] = ()
        self.needs_dashes = False  # of a table between blanks, whose columns are named already
        self.pending: list[tuple[int, str]] = []  # lines that are no rows by themselves
        self.notes: dict[tuple[str, str], list[int]] = {}  # the lines to which something was done
        self.place, self.first_lost = "", ""
        self.lines, self.rows, self.lost, self.lost_lines, self.steps = 0, 0, 0, 0, 0

    def tables(self, lines: Lines) -> Iterator[Table]:
        """Yield the rows in some lines, those before and after a line that names columns apart."""
        self.place = lines.place
        self.lines += len(lines.texts)
        begin = 0 if self.layout.names else self._begin(lines)
        headers = self._headers(lines.texts, begin)
        for first, end in pairwise([begin, *headers, len(lines.texts)]):
            is_header = first in headers
            if is_header:
                self._flush()
                self._learn(lines, first)
            rows = lines._replace(first=lines.first + first + is_header, texts=lines.texts[first + is_header : end])
            table = self._split_rows(rows) if self.layout.separator else self._cut_rows(rows)
            self._note()
            if table is not None:
                yield table

    def finish(self) -> None:
        """Count the last line if it is not complete.

        Raises
        ------
        InputError
            More lines were dropped than were read.
        """
        self._flush(CUT)
        self._note()
        if self.lost > self.rows:
            raise InputError(
                f"{self.first_lost}; {number_of(self.lost, 'such line')}, more than can be read; {COLUMN_ADVICE}"
            )

    # --- columns ------------------------------------------------------------------------------------------------------

    def _begin(self, lines: Lines) -> int:
        """Learn the columns from the first line, and return its index."""
        texts = lines.texts
        begin = next((i for i, text in enumerate(texts) if text.strip() and not text.startswith("#")), len(texts))
        if begin == len(texts):
            return begin
        first = self._first_header(texts, begin)
        for index in range(begin, first):
            if texts[index].strip():
                self._count("dropped", BEFORE, lines.first + index)
        if columns_named(texts[first]) is None:
            sample = [text for text in texts[first : first + SAMPLE] if text.strip()]
            self._set(lines, first, self._known_layout(lines, first, sample))
        elif self.names is not None:
            raise lines.fault(first, "the file names its columns itself; leave --columns out")
        else:
            self._learn(lines, first)
        return first

    def _first_header(self, texts: Sequence[str], begin: int) -> int:
        """Return the index of the line that names the columns, also below a command or a warning; else the first."""
        found = []
        for index in range(begin, min(begin + MOST_BEFORE, len(texts))):
            separator, names = columns_named(texts[index]) or ("", ())
            if separator:
                is_header = all(text.count(separator) != len(names) - 1 for text in texts[begin:index])  # else a row
            else:
                is_header = bool(names) and DASHES.fullmatch("".join(texts[index + 1 : index + 2])) is not None
            if is_header and not self.check(names):
                return index
            found += [index] if is_header else []
        return found[0] if found else begin

    def _known_layout(self, lines: Lines, index: int, sample: Sequence[str]) -> Layout:
        """Return the layout of a text without header."""
        orders = (FIELDS, *XDMOD) if self.names is None else (tuple(self.names),)
        best, found = (0, 0), Layout((), "")
        for separator in SEPARATORS:
            for names in orders:
                ends = all(text.endswith(separator) for text in sample) and names[-1] != ""
                layout = Layout((*names, "") if ends else names, separator)
                groups = groups_of(layout)
                rows = [
                    row for row in (cells_of(_pieces(text, layout), groups, separator)[0] for text in sample) if row
                ]
                told = sum(any(row[layout.places[name]] for row in rows) for name in RESOURCE_LISTS if name in names)
                if (len(rows), told) > best:
                    best, found = (len(rows), told), layout
        if not found.names:
            if JSON_OR_YAML.fullmatch(sample[0]):
                fact = "must be a table of sacct, not the output of sacct --json or --yaml"
                raise lines.fault(index, f"{fact}; {COLUMN_ADVICE}")
            few = [OF_LOWER.get(cell.strip(' "').lower(), "") for cell in re.split(r"[|,;\t]", sample[0])]
            if all(few):
                raise lines.fault(
                    index, f"must name when jobs came and ran, but names {', '.join(few)}; {COLUMN_ADVICE}"
                )
            fact = f"must be the output of sacct, but begins {in_quotes(sample[0])}: no line names its columns, and "
            how = "--columns JobIDRaw,Submit,... names them in order"
            if self.names is None:
                raise lines.fault(index, f"{fact}their order is not known; {how}; {COLUMN_ADVICE}")
            raise lines.fault(
                index,
                f"{fact}its cells are not those of the {len(self.names)} in --columns; sacct -P writes | between cells",
            )
        return found

    def _headers(self, texts: Sequence[str], begin: int) -> list[int]:
        """Return the indices of lines that name columns, from one on."""
        if "submit" not in "\n".join(texts).lower():  # without this column none can be read
            return []
        separator = self.layout.separator or None
        headers = []
        for index in range(begin, len(texts)):
            first = texts[index].split(separator, 1)[:1]
            is_like = texts[index] == self.layout.header or first[0].strip(' "').lower() in OF_LOWER if first else False
            if is_like and columns_named(texts[index]) is not None:
                headers.append(index)
        return headers

    def _learn(self, lines: Lines, index: int) -> None:
        """Learn the columns from the line that names them."""
        named = columns_named(lines.texts[index])
        assert named is not None  # noqa: S101  # `_is_header` said so
        if not named[0] and not DASHES.fullmatch("".join(lines.texts[index + 1 : index + 2])):
            named = _between_single_blanks(lines.texts[index], named)
        if lines.texts[index] != self.layout.header:
            names = _as_rows_have(named[1], named[0], lines.texts[index + 1 : index + 1 + SAMPLE])
            self._set(lines, index, Layout(names, named[0], header=lines.texts[index]))
        self.needs_dashes = not named[0]

    def _set(self, lines: Lines, index: int, layout: Layout) -> None:
        """Take a layout, whose columns must suffice."""
        message = self.check(layout.names)
        if message:
            raise lines.fault(index, message)
        self.layout, self.groups = layout, groups_of(layout)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _split_rows(self, lines: Lines) -> Table | None:
        """Return the rows in some lines without a header; None if there are none."""
        if not lines.texts:
            return None
        width = len(self.layout.names)
        numbers = [*range(lines.first, lines.first + len(lines.texts))]
        cells = None if self.pending else self._plain_cells(lines.texts)
        if cells is None:
            numbers, cells = self._put_together(numbers, lines.texts)
            if not numbers:
                return None
        else:
            self.rows += len(numbers)
        columns = {name: cells[place::width] for name, place in self.layout.places.items() if name in SPLIT}
        return Table(lines.place, numbers, columns)

    def _plain_cells(self, texts: Sequence[str]) -> list[str] | None:
        """Return the cells of lines, each a row as it is, far quicker than one by one; None if one is none."""
        separator, width = self.layout.separator, len(self.layout.names)
        cells = f"{separator}\n{separator}".join(texts).split(separator)  # a line end behind the cells of each
        if len(cells) != (width + 1) * len(texts) - 1 or {*cells[width :: width + 1]} - {"\n"}:
            return None
        del cells[width :: width + 1]
        if separator != "|" and any('"' in text for text in texts):
            return None
        return cells if self._keys_fit(cells) else None

    def _keys_fit(self, cells: Sequence[str]) -> bool:
        """Return whether the rows of a table with free text have job numbers and submissions where they must be."""
        if not self.layout.has_free:
            return True  # whatever is wrong there is said with its line
        places, width = self.layout.places, len(self.layout.names)
        number, submit = (places.get("JobIDRaw", places.get("JobID")), places["Submit"])
        numbers, times = cells[number::width], cells[submit::width]
        has_numbers = "".join(numbers).isdecimal() or all(map(ID.fullmatch, numbers))
        return has_numbers and (_are_clocks(times) or all(map(TIME.fullmatch, times)))

    def _put_together(self, numbers: Sequence[int], texts: Sequence[str]) -> tuple[list[int], list[str]]:
        """Return the line numbers and all cells of rows, some of them put together from several lines."""
        kept: list[int] = []
        cells: list[str] = []
        bars = len(self.layout.names) - 1
        for number, text in zip(numbers, texts, strict=True):
            if not text or text.isspace():
                continue
            begin, row = number, self._row(text)
            if row is not None:
                self._flush()
                is_mended = text.count(self.layout.separator) != bars and self.layout.separator not in LISTS
            else:
                self.pending.append((number, text))
                is_beyond = self._is_beyond()
                if not is_beyond and self.layout.separator in text and len(self.pending) > 1 and self._bars() >= bars:
                    begin, row = self.pending[0][0], self._row(" ".join(each for _, each in self.pending))
                if row is None and len(self.pending) > 1 and (is_beyond or self._begins_row(text)):
                    self.pending.pop()
                    self._flush()
                    self.pending = [(number, text)]
                is_mended = True
            if row is not None:
                if is_mended:
                    self._count("changed", MENDED, begin)
                self.pending = []
                self.rows += 1
                kept.append(begin)
                cells += row
        return kept, cells

    def _is_beyond(self) -> bool:
        """Return whether the lines that are not complete have more than one row can have."""
        last, most = self.pending[-1][1].count(self.layout.separator), len(self.layout.names) - 1
        if len(self.pending) < 2 or not (last or len(self.pending) > MOST_JOINED):
            return False
        letters = sum(len(text) for _, text in self.pending)
        is_long = len(self.pending) > MOST_JOINED or letters > limits_in_force().line
        return is_long or last >= most or self._bars() > most + MOST_EXTRA  # the last line is a row of its own, damaged

    def _bars(self) -> int:
        """Return how many separators the lines have that are not complete."""
        return sum(text.count(self.layout.separator) for _, text in self.pending)

    def _row(self, text: str) -> list[str] | None:
        """Return the cells of a line, put together if there are too many; None if that is not certain.

        Raises
        ------
        InputError
            So much had to be put together that the rest would take minutes.
        """
        pieces = _pieces(text, self.layout)
        if len(pieces) == len(self.layout.names) and self._keys_fit(pieces):
            return pieces
        cells, steps = cells_of(pieces, self.groups, self.layout.separator)
        self.steps += steps
        if self.steps > STEPS + STEPS_A_LINE * self.lines:
            fact = "too many lines have separators in their texts to put them together"
            raise InputError(f"{self.place}: {fact}; {COLUMN_ADVICE}")
        return cells

    def _flush(self, reason: str = DAMAGED) -> None:
        """Count the lines that belong to no row, if there are any."""
        if not self.pending:
            return
        number, text = self.pending[0]
        count = 1 + sum(len(_pieces(each, self.layout)) - 1 for _, each in self.pending)
        width, many = len(self.layout.names), len(self.pending)
        self.pending = []
        is_tail = self.groups[-1].shape is None and self.rows and count < width and many < MOST_JOINED
        if is_tail and not self._begins_row(text):
            self._count("changed", TAIL, number)
            return
        self.lost_lines += many
        self._lose(
            number,
            reason,
            f"a line must have {number_of(width, 'column')}, but this one has {count}: {in_quotes(text)}",
        )

    def _begins_row(self, text: str) -> bool:
        """Return whether a line could be the begin of a row."""
        is_sure = False
        for piece, group in zip(_pieces(text, self.layout), self.groups, strict=False):
            if group.shape is None:
                break
            if group.shape.fullmatch(piece) is None:
                return False
            is_sure = is_sure or (piece != "" and group.shape not in (NAME, ANYTHING))
        return is_sure

    def _lose(self, number: int, reason: str, fact: str) -> None:
        """Count a line that is dropped."""
        self._count("dropped", reason, number)
        self.first_lost = self.first_lost or f"{self.place}:{number}: {fact}"
        self.lost += 1
        if self.lost > self.rows + MOST_LOST or self.lost_lines > MOST_JOINED * (self.rows + SAMPLE):
            self.finish()

    # --- a table between blanks ---------------------------------------------------------------------------------------

    def _cut_rows(self, lines: Lines) -> Table | None:
        """Return the rows of a table whose cells are at fixed places, below a line of dashes."""
        texts = [(lines.first + index, text) for index, text in enumerate(lines.texts) if text.strip()]
        if self.needs_dashes and texts:
            self._learn_cuts(lines, *texts.pop(0))
        names, cuts = self.layout.names, self.layout.cuts
        numbers: list[int] = []
        rows: list[list[str]] = []
        for number, text in texts:
            if any(text[end : end + 1].strip() for _, end in cuts):
                fact = "cells must be below the dashes of their columns, but are not"
                self._lose(number, DAMAGED, f"{fact}: {in_quotes(text)}")
                continue
            row = [text[begin:end].strip() for begin, end in cuts]
            cut = {
                name for name, cell in zip(names, row, strict=True) if cell.endswith("+") and not _is_whole(name, cell)
            }
            if cut - CAN_BE_CUT:
                self._lose(number, CUT_OFF_KEY, f"a job number, time or count is cut off: {in_quotes(text)}")
                continue
            if cut:
                self._count("assumed", CUT_OFF, number)
            numbers.append(number)
            rows.append([_what_is_left(name, cell) for name, cell in zip(names, row, strict=True)] if cut else row)
        self.rows += len(numbers)
        if not rows:
            return None
        columns = {name: [row[place] for row in rows] for name, place in self.layout.places.items() if name in READ}
        return Table(lines.place, numbers, columns)

    def _learn_cuts(self, lines: Lines, number: int, text: str) -> None:
        """Learn the places of cells from a line of dashes."""
        cuts = tuple(match.span() for match in re.finditer("-+", text))
        if DASHES.fullmatch(text) is None or len(cuts) != len(self.layout.names):
            fact = "columns between blanks must have sacct's line of dashes below their names, but have not"
            raise lines.fault(number - lines.first, f"{fact}: {in_quotes(text)}; sacct -P writes | between cells")
        self.layout, self.needs_dashes = self.layout._replace(cuts=cuts), False

    # --- counts -------------------------------------------------------------------------------------------------------

    def _count(self, action: str, reason: str, number: int) -> None:
        """Remember that something was done to a line."""
        self.notes.setdefault((action, reason), []).append(number)

    def _note(self) -> None:
        """Count what was done to lines."""
        for (action, reason), numbers in self.notes.items():
            self.tally.note_lines(action, reason, numbers)
        self.notes = {}


def _pieces(text: str, layout: Layout) -> list[str]:
    """Return what is between the separators of a line; a cell in quotes, as of a CSV file, is one piece."""
    if layout.separator in SEPARATORS[1:] and '"' in text:
        try:
            return next(csv.reader([text], delimiter=layout.separator, strict=True))
        except csv.Error:
            pass  # quotes of a text of sacct mean nothing
    return text.split(layout.separator)


def _between_single_blanks(text: str, named: tuple[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    """Return the separator and the columns of a header between blanks: one blank each, as of sacct --delimiter=" "."""
    return (" ", (*named[1], "") if text.endswith(" ") else named[1]) if text.count(" ") <= len(named[1]) else named


def _as_rows_have(names: tuple[str, ...], separator: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a header, one more or less at its end if it has a separator there and its rows have not."""
    other = (*names, "") if names[-1] else names[:-1]
    if not separator or (names[-1] and any(name in FREE for name in names)):
        return names
    widths = [text.count(separator) + 1 for text in texts if other[-1] or text.endswith(separator)]
    return other if len(other) in widths and len(names) not in widths else names


def _is_whole(name: str, cell: str) -> bool:
    """Return whether a cell that ends with + says all that is read: a state, a step's number, what nobody reads."""
    return name not in READ or name == "State" or (name in ("JobID", "JobIDRaw") and "." in cell)


def _what_is_left(name: str, cell: str) -> str:
    """Return a cell of a table, and of one that was cut off what can be used."""
    if not cell.endswith("+") or _is_whole(name, cell) or SHAPES.get(name) is NAME:
        return cell
    is_time = SHAPES.get(name) is DURATION and cell[0].isdecimal()  # a word, such as Partition+, is no limit
    return CUT_TIME.sub("", cell) if is_time else ""


def _are_clocks(times: Sequence[str]) -> bool:
    """Return whether all times are such as 2024-03-04T08:00:00, far quicker than one by one."""
    text, length = "".join(times), len("0000-00-00T00:00:00")
    signs = "".join(text[place::length] for place in (4, 7, 10, 13, 16))
    return signs == "".join(sign * len(times) for sign in "--T::") and (
        text.replace("-", "").replace("T", "").replace(":", "").isdecimal() and len(text) == length * len(times)
    )
