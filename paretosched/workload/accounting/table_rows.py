"""The rows of a table of any site, CSV or Parquet: the cells of some of its columns, as texts."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from ...core.errors import InputError, did_you_mean, in_quotes, number_of
from ...core.files import unreadable
from ...core.limits import check_limit
from ...core.parquet_files import CELL, check_ends, is_parquet, open_parquet
from ..log_names import LONGEST_NAME
from .text_lines import Watch, line_blocks

SEPARATORS = ",;\t|"
AT_ONCE = 1 << 14  # rows
LETTERS_AT_ONCE = 10_000_000
MOST_AT_ONCE = 400_000_000  # bytes of texts that may share their beginnings in the file
FEW = 1_000_000  # cells that a file of any size may have
LOCAL = "%Y-%m-%dT%H:%M:%S"
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Rows(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    place
        The file, for messages.
    lines
        (n,) the number of the line or row of each.
    cells
        By word of the column map: n texts.
    """

    place: str
    lines: Sequence[int]
    cells: Mapping[str, Sequence[str]]

    def fault(self, index: int, fact: str) -> InputError:
        """Return the error about a row."""
        return InputError(f"{self.place}:{self.lines[index]}: {fact}")


def rows_of(path: str, columns: Mapping[str, str], watch: Watch) -> Generator[Rows, None, None]:
    """Yield the rows of a table, CSV (plain, gzipped or "-") or Parquet, many at a time; fewer if their cells are long.

    Parameters
    ----------
    path
        The file.
    columns
        Which columns are read, by the words that stand for them.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, or has no column of such a name.
    """
    parts = _parquet_rows(path, columns) if is_parquet(path) else _csv_rows(path, columns, watch)
    for rows in parts:
        yield from _in_halves(rows)


def _in_halves(rows: Rows) -> Iterator[Rows]:
    """Yield rows whose cells together are not too long, unless it is one row."""
    n = len(rows.lines)
    letters = sum(sum(map(len, cells)) for cells in rows.cells.values())
    if letters <= LETTERS_AT_ONCE or n == 1:
        yield rows
        return
    for part in (slice(0, n // 2), slice(n // 2, n)):
        cells = {what: texts[part] for what, texts in rows.cells.items()}
        yield from _in_halves(Rows(rows.place, rows.lines[part], cells))


def _csv_rows(path: str, columns: Mapping[str, str], watch: Watch) -> Iterator[Rows]:
    """Yield the rows of a CSV file; its first line names the columns, and its separator is the one that fits them."""
    lines = (f"{text}\n" for block in line_blocks(path, watch) for text in block.texts)
    first = next(lines, "")
    if first.lstrip().startswith(("{", "[")):
        raise InputError(f"{path}: a table must be CSV or Parquet, but this seems to be JSON")
    heads = {separator: _heading(path, first, separator) for separator in SEPARATORS}
    fitting = [separator for separator, names in heads.items() if set(columns.values()) <= set(names)]
    separator = fitting[0] if fitting else max(heads, key=lambda each: len(heads[each]))
    places = _places(f"{path}:1", columns, heads[separator])
    numbers: list[int] = []
    some: list[Sequence[str]] = []
    letters = 0

    def rows() -> Rows:
        columns = [*zip(*some, strict=True)]
        return Rows(path, numbers, {what: [*map(str.strip, columns[place])] for what, place in places.items()})

    for number, cells in _csv_lines(path, lines, separator, len(heads[separator])):
        numbers.append(number)
        some.append(cells)
        letters += sum(map(len, cells))
        if len(some) == AT_ONCE or letters > LETTERS_AT_ONCE:
            yield rows()
            numbers, some, letters = [], [], 0
    if some:
        yield rows()


def _csv_lines(path: str, lines: Iterator[str], separator: str, width: int) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the cells of the lines after the first one, each with the number of its line."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in reader:
            if len(cells) == width:
                yield reader.line_num + 1, cells
            elif any(cells):
                fact = (
                    f"a line must have {number_of(width, 'column')} like the first one, but this one has {len(cells)}"
                )
                raise InputError(f"{path}:{reader.line_num + 1}: {fact}")
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num + 1}: not CSV: {error}") from None


def _heading(place: str, line: str, separator: str) -> list[str]:
    """Return the names in the first line of a CSV file."""
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:  # a name of more than 131,072 letters
        raise InputError(f"{place}:1: not CSV: {error}") from None
    return [name.strip() for name in names]


def _parquet_rows(path: str, columns: Mapping[str, str]) -> Iterator[Rows]:
    """Yield the rows of a Parquet file."""
    import pyarrow as pa

    wanted = [*dict.fromkeys(columns.values())]
    try:
        check_ends(Path(path))
        with open_parquet(Path(path), columns=wanted) as file:
            _places(path, columns, file.schema_arrow.names)
            texts = _columns_of_text(path, file.schema_arrow, wanted)
            shared = _bytes_of_shared_texts(file.metadata, texts)
            size = file.metadata.num_rows * len(wanted) * CELL
            if size > FEW * CELL:
                check_limit(path, "ratio", size / Path(path).stat().st_size)
        dictionaries = [name for name in texts if name not in shared]
        with open_parquet(Path(path), dictionaries, columns=wanted) as file:
            number = 1
            rows = max(1, min(AT_ONCE, MOST_AT_ONCE // max(shared.values(), default=1)))
            for batch in file.iter_batches(batch_size=rows, columns=wanted, use_threads=False):
                cells = {name: _texts(f"{path}: column {in_quotes(name)}", batch.column(name)) for name in wanted}
                lines = range(number, number + batch.num_rows)
                yield Rows(path, lines, {what: cells[name] for what, name in columns.items()})
                number += batch.num_rows
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
    """Return the values of a column of Parquet as text: times in ISO 8601, durations as hours, minutes and seconds."""
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type
    if pa.types.is_dictionary(kind):  # each of its texts once
        indices = column.indices.unique()
        texts = dict(zip(indices.to_pylist(), _texts(place, column.dictionary.take(indices)), strict=True))
        return [texts[index] for index in column.indices.to_pylist()]
    if pa.types.is_timestamp(kind):
        is_local = kind.tz is None
        whole = column.cast(pa.timestamp("s", tz=None if is_local else "UTC"), safe=False)
        exact = column.cast(pa.timestamp(kind.unit, tz=None if is_local else "UTC"))
        has_fractions = compute.any(compute.not_equal(whole.cast(exact.type), exact)).as_py()
        column = compute.strftime(exact if has_fractions else whole, format=LOCAL if is_local else f"{LOCAL}Z")
    elif pa.types.is_duration(kind):
        parts = PER_SECOND[kind.unit]
        lasting = column.cast(pa.int64()).to_pylist()
        return ["" if value is None else f"0:0:{Decimal(value) / parts:f}" for value in lasting]  # whatever --unit says
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


def _places(place: str, columns: Mapping[str, str], names: Sequence[str]) -> dict[str, int]:
    """Return where the columns of a map are, by their words."""
    for what, name in columns.items():
        if name not in names:
            have = ", ".join(names[:20])
            raise InputError(
                f"{place}: there is no column {in_quotes(name)} for {what}; the columns are {in_quotes(have, 200)}"
                f"{did_you_mean(name, names)}"
            )
        if names.count(name) > 1:
            raise InputError(f"{place}: the column {in_quotes(name)} is there twice")
    return {what: names.index(name) for what, name in columns.items()}
