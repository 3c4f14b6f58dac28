"""Tables of any site, CSV or Parquet, whose columns the user names."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...core.errors import InputError, did_you_mean, in_quotes, one_of
from ...core.files import is_file, unreadable
from ...core.limits import check_limit
from ...core.parquet_files import MARK, check_ends, open_parquet
from ..log_names import MOST_ASKED
from ..requests import KIB
from .fields import numbers, seconds, times
from .lives import ASKED, LONGEST_NAME, UNKNOWN, Block, Life, Numberings, block_of
from .text_lines import Watch, line_blocks

COLUMNS = (
    "submit", "eligible", "start", "end", "run", "width", "limit", "user", "account", "queue", "partition", "job",
    "memory", "nodes", "gpus", "nice",
)  # fmt: skip
NEEDED = ("submit", "width")
TIMES = ("submit", "eligible", "start", "end")
DURATIONS = ("run", "limit")
SEPARATORS = ",;\t|"
AT_ONCE = 1 << 14  # rows
LETTERS_AT_ONCE = 10_000_000
MOST_AT_ONCE = 400_000_000  # bytes of texts that may share their beginnings in the file
WHOLE = re.compile(r"(-?\d+)\.0+", re.ASCII)  # as pandas writes a column with gaps
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
ADVICE = "write seconds since 1970, or ISO 8601 with the zone, such as 2026-11-22T12:00:00+01:00"


def column_map(text: str) -> dict[str, str]:
    """Return which column of a table is what, from "submit=created,width=cores".

    Raises
    ------
    InputError
        A part is not of this form, or what is needed is missing.

    Examples
    --------
    >>> column_map("submit=created,width=cores,run=elapsed")
    {'submit': 'created', 'width': 'cores', 'run': 'elapsed'}
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        what, equals, name = part.partition("=")
        if not equals or not name:
            raise InputError(f"--columns must be WHAT=NAME,WHAT=NAME,..., but has {in_quotes(part)}")
        one_of("--columns", what, COLUMNS)
        if what in columns:
            raise InputError(f"--columns names {what} twice")
        columns[what] = name
    missing = [what for what in NEEDED if what not in columns]
    if "run" not in columns:
        missing += [what for what in ("start", "end") if what not in columns]
    if missing:
        rule = "--columns must name submit, width, and run or both start and end"
        raise InputError(f"{rule}, but {missing[0]} is missing")
    return columns


def read_table(
    path: str, columns: Mapping[str, str], groups: str, numberings: Numberings, watch: Watch
) -> Generator[Block, None, None]:
    """Yield the jobs in a table, CSV (plain, gzipped or "-") or Parquet.

    Parameters
    ----------
    path
        The file.
    columns
        Which column is what, see `column_map`.
    groups
        The groups: "account", "user", "queue" or "partition".
    numberings
        Get the accounts, also if they are no groups: none may stay in a log without names.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, has no column of such a name, or a cell is not what it must be; the message names the
        line.
    """
    rows = _parquet_rows(path, columns) if _is_parquet(path) else _csv_rows(path, columns, watch)
    account = list(columns).index("account") if "account" in columns else None
    for some in _some_at_once(rows):
        if account is not None:
            numberings.group.meet((cells[account] for _, cells in some), f"{path}:{some[-1][0]}")
        yield _block(path, some, columns, groups)


Row = tuple[int, Sequence[str]]  # the number of its line or row, and its cells in the order of the column map


def _some_at_once(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows, many at a time; fewer if their cells are long."""
    some: list[Row] = []
    letters = 0
    for row in rows:
        some.append(row)
        letters += sum(map(len, row[1]))
        if len(some) == AT_ONCE or letters > LETTERS_AT_ONCE:
            yield some
            some, letters = [], 0
    if some:
        yield some


def _is_parquet(path: str) -> bool:
    """Return whether a file begins like a Parquet file."""
    try:
        if not is_file(path):
            return False
        with Path(path).open("rb") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, ValueError):
        return False  # the other reader says why


def _csv_rows(path: str, columns: Mapping[str, str], watch: Watch) -> Iterator[Row]:
    """Yield the rows of a CSV file; its first line names the columns, and its separator is the one that fits them."""
    place = path
    lines = (f"{text}\n" for block in line_blocks(path, watch) for text in block.texts)
    first = next(lines, "")
    heads = {separator: _heading(place, first, separator) for separator in SEPARATORS}
    fitting = [separator for separator, names in heads.items() if set(columns.values()) <= set(names)]
    separator = fitting[0] if fitting else max(heads, key=lambda each: len(heads[each]))
    places = _places(f"{place}:1", columns, [name.removeprefix("\ufeff").strip() for name in heads[separator]])
    reader = csv.reader(lines, delimiter=separator, strict=True)
    width = len(heads[separator])
    try:
        for cells in reader:
            if any(cells):
                if len(cells) != width:
                    fact = f"a line must have {width} columns like the first one, but this one has {len(cells)}"
                    raise InputError(f"{place}:{reader.line_num + 1}: {fact}")
                yield reader.line_num + 1, [cells[each].strip() for each in places]
    except csv.Error as error:
        raise InputError(f"{place}:{reader.line_num + 1}: not CSV: {error}") from None


def _heading(place: str, line: str, separator: str) -> list[str]:
    """Return the names in the first line of a CSV file."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:  # a name of more than 131,072 letters
        raise InputError(f"{place}:1: not CSV: {error}") from None


def _parquet_rows(path: str, columns: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows of a Parquet file."""
    import pyarrow as pa

    wanted = [*dict.fromkeys(columns.values())]
    try:
        check_ends(Path(path))
        with open_parquet(Path(path)) as file:
            _places(path, columns, file.schema_arrow.names)
            texts = _columns_of_text(path, file.schema_arrow, wanted)
            shared = _bytes_of_shared_texts(file.metadata, texts)
        with open_parquet(Path(path), [name for name in texts if name not in shared]) as file:
            number = 0
            rows = max(1, min(AT_ONCE, MOST_AT_ONCE // max(shared.values(), default=1)))
            for batch in file.iter_batches(batch_size=rows, columns=wanted):
                cells_of = {name: _texts(f"{path}: column {in_quotes(name)}", batch.column(name)) for name in wanted}
                for cells in zip(*(cells_of[name] for name in columns.values()), strict=True):
                    number += 1
                    yield number, cells
    except InputError as error:
        raise error if str(error).startswith(path) else InputError(f"{path}: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, pa.ArrowException) as error:
        raise InputError(f"{path}: the Parquet file is damaged: {in_quotes(str(error), 100)}") from None


def _columns_of_text(path: str, schema: Any, wanted: Sequence[str]) -> list[str]:
    """Return the columns of text among those that are read; refuse lists and the like, of which a cell may be huge."""
    import pyarrow as pa

    texts = []
    for field in schema:
        if field.name in wanted or field.name.startswith(tuple(f"{name}." for name in wanted)):  # both are read
            kind = getattr(field.type, "storage_type", field.type)
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            is_text = any(kind == text for text in _kinds_of_text())
            if not (is_text or pa.types.is_primitive(kind) or pa.types.is_null(kind) or _is_short(kind)):
                raise InputError(
                    f"{path}: a column must have a number, a time or a text in each cell, but "
                    f"{in_quotes(field.name)} is of the type {in_quotes(str(field.type))}"
                )
            texts += [field.name] if is_text else []
    return texts


def _kinds_of_text() -> tuple[Any, ...]:
    """Return the types of Arrow whose values have any length."""
    import pyarrow as pa

    return pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()


def _is_short(kind: Any) -> bool:
    """Return whether all values of a type of Arrow have one length, and this could be a name's."""
    import pyarrow as pa

    return bool(pa.types.is_decimal(kind) or (pa.types.is_fixed_size_binary(kind) and kind.byte_width <= LONGEST_NAME))


def _bytes_of_shared_texts(about: Any, texts: Sequence[str]) -> dict[str, int]:
    """Return the columns that Arrow cannot read as a list of different texts, with the bytes that a text may have.

    These are 1 where no text can be longer than its own bytes in the file.
    """
    sizes: dict[str, int] = {}
    for group in range(about.num_row_groups):
        for place in range(about.num_columns):
            chunk = about.row_group(group).column(place)
            name, encodings = chunk.path_in_schema, {*chunk.encodings}
            if name in texts and encodings & {"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"}:
                is_shared = encodings & {"DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "PLAIN_DICTIONARY"}
                sizes[name] = max(sizes.get(name, 1), chunk.total_uncompressed_size if is_shared else 1)
    return sizes


def _texts(place: str, column: Any) -> list[str]:
    """Return the values of a column of Parquet as text, in seconds where they are times or durations."""
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type
    if pa.types.is_dictionary(kind):  # each of its texts once
        indices = column.indices.unique()
        texts = dict(zip(indices.to_pylist(), _texts(place, column.dictionary.take(indices)), strict=True))
        return [texts[index] for index in column.indices.to_pylist()]
    if pa.types.is_timestamp(kind):
        if kind.tz is None:
            raise InputError(f"{place} has local times without their zone; {ADVICE}")
        column = column.cast(pa.timestamp("s", tz="UTC"), safe=False).cast(pa.int64())
    elif pa.types.is_duration(kind):
        parts = PER_SECOND[kind.unit]
        return ["" if value is None else str(-(-value // parts)) for value in column.cast(pa.int64()).to_pylist()]
    elif kind in _kinds_of_text():
        check_limit(place, "line", compute.max(compute.binary_length(column)).as_py() or 0)
    try:
        return [_text(value) for value in column.to_pylist()]
    except OverflowError:
        raise InputError(f"{place} has a {kind} that is in no calendar") from None


def _text(value: Any) -> str:
    """Return a value as text; a number without fraction is a whole one."""
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, Decimal):
        return f"{value:f}" if value != value.to_integral_value() else str(int(value))
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _places(place: str, columns: Mapping[str, str], names: Sequence[str]) -> list[int]:
    """Return where the columns of a map are."""
    for what, name in columns.items():
        if name not in names:
            have = ", ".join(names[:20])
            raise InputError(
                f"{place}: there is no column {in_quotes(name)} for {what}; the columns are {in_quotes(have, 200)}"
                f"{did_you_mean(name, names)}"
            )
        if names.count(name) > 1:
            raise InputError(f"{place}: the column {in_quotes(name)} is there twice")
    return [names.index(name) for name in columns.values()]


def _block(path: str, rows: Sequence[Row], columns: Mapping[str, str], groups: str) -> Block:
    """Return rows as job lives."""
    table = dict(zip(columns, zip(*(cells for _, cells in rows), strict=True), strict=True))
    lines = [number for number, _ in rows]

    def fault(index: int, fact: str) -> InputError:
        return InputError(f"{path}:{lines[index]}: {fact}")

    empty = [""] * len(rows)
    at = {what: times(fault, table.get(what, empty), columns.get(what, what), ADVICE).first.tolist() for what in TIMES}
    lasting = {what: [*_durations(table.get(what, empty), columns.get(what, what), fault)] for what in DURATIONS}
    width = numbers(fault, _whole(table["width"]), columns["width"], {"": 0})
    asked = {
        what: _numbers_asked(fault, _whole(table.get(what, empty)), what, columns.get(what, what)) for what in ASKED
    }
    job = _whole(table.get("job", empty))
    names = {what: table.get(what, empty) for what in ("user", "account", "queue", "partition")}
    partition = names["partition"] if "partition" in columns else names["queue"]
    return block_of(
        [
            Life(
                line=lines[i],
                job=_job(job[i]),
                submit=at["submit"][i],
                eligible=at["eligible"][i],
                start=at["start"][i],
                run=lasting["run"][i] if "run" in columns else _between(at["start"][i], at["end"][i]),
                width=width[i],
                limit=lasting["limit"][i],
                memory=asked["memory"][i] * (KIB if asked["memory"][i] > 0 else 1),
                nodes=asked["nodes"][i],
                gpus=asked["gpus"][i],
                nice=asked["nice"][i],
                user=names["user"][i],
                group=names[groups][i],
                queue=names["queue"][i],
                partition=partition[i],
            )
            for i in range(len(rows))
        ]
    )


def _whole(cells: Sequence[str]) -> Sequence[str]:
    """Return cells, those with a whole number such as 2.0 without their point."""
    matches = [WHOLE.fullmatch(cell) for cell in cells]
    return [cell if match is None else match[1] for cell, match in zip(cells, matches, strict=True)]


def _numbers_asked(fault: Any, cells: Sequence[str], what: str, column: str) -> list[int]:
    """Return what jobs ask for; -1 where that is not known, of nice values 0."""
    signs = [-1 if what == "nice" and cell.startswith("-") else 1 for cell in cells]
    digits = [cell.removeprefix("-") if what == "nice" else cell for cell in cells]
    values = numbers(fault, digits, column, {"": 0 if what == "nice" else UNKNOWN})
    for index, value in enumerate(values):
        if value > MOST_ASKED:
            raise fault(index, f"{column} is {in_quotes(cells[index])}, but must be at most {MOST_ASKED:,}")
    return [sign * value for sign, value in zip(signs, values, strict=True)]


def _durations(cells: Iterable[str], what: str, fault: Any) -> Iterator[int]:
    """Yield durations in seconds; an empty one is 0."""
    for index, cell in enumerate(cells):
        value = seconds(cell) if cell else 0
        if value is None:
            raise fault(index, f"{what} is {in_quotes(cell)}, but must be seconds or [D-]HH:MM:SS")
        yield value


def _between(start: int, end: int) -> int:
    """Return the seconds from a start to an end, 0 if one is unknown."""
    return max(end - start, 0) if UNKNOWN not in (start, end) else 0


def _job(text: str) -> int:
    """Return the number of a job, -1 if it has another name."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 15 else UNKNOWN
