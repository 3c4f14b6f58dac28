"""The pages of the API: one for each public name, in the order and the sections of `paretosched.__all__`."""

from __future__ import annotations

import inspect
import re
import shutil
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, NamedTuple

import paretosched

MODULES = ("assignment", "report")  # public names of their own
SECTION = re.compile(r"^    # (?P<title>.*)$|^    \"(?P<name>\w+)\",$", re.MULTILINE)


class Entry(NamedTuple):
    """A public name: where it stands, and what it is."""

    home: str
    name: str
    value: Any

    @property
    def page(self) -> str:
        """Return the name of its page."""
        return f"{self.home.replace('.', '-')}-{self.name}"


def write_pages(docs: Path) -> None:
    """Write the index and the page of every public name."""
    place = docs / "reference" / "api"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    parts = [*sections(), *((title_of(module), list(entries_of(module))) for module in MODULES)]
    lines = [
        "# Python",
        "",
        "What `import paretosched as ps` offers, in the order of the flow; then the two modules with public names of "
        "their own. Everything else may change without notice.",
        "",
    ]
    for title, entries in parts:
        lines += [f"## {title[0].upper()}{title[1:]}", "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| [`{entry.name}`]({entry.page}.md) | {cell(summary(entry))} |" for entry in entries]
        lines += ["", "```{toctree}", ":hidden:", "", *(entry.page for entry in entries), "```", ""]
        for entry in entries:
            (place / f"{entry.page}.md").write_text(page_of(entry), encoding="utf-8")
    (place / "index.md").write_text("\n".join(lines), encoding="utf-8")


def sections() -> Iterator[tuple[str, list[Entry]]]:
    """Yield the sections of `paretosched.__all__`, which its comments name, with their names."""
    source = Path(paretosched.__file__).read_text(encoding="utf-8")
    listing = source.partition("__all__ = [")[2].partition("]")[0]
    title, entries = "", []
    for match in SECTION.finditer(listing):
        if match["title"]:
            if entries:
                yield title, entries
            title, entries = match["title"], []
        elif match["name"] not in MODULES:
            entries.append(Entry("paretosched", match["name"], getattr(paretosched, match["name"])))
    if entries:
        yield title, entries


def title_of(module: str) -> str:
    """Return the title of a module's section."""
    return f"`paretosched.{module}`"


def entries_of(name: str) -> Iterator[Entry]:
    """Yield the public names of a module."""
    module: ModuleType = getattr(paretosched, name)
    for public in module.__all__:
        yield Entry(f"paretosched.{name}", public, getattr(module, public))


def summary(entry: Entry) -> str:
    """Return the first sentence about a name."""
    if isinstance(entry.value, UnionType):
        return "what may be given: " + ", ".join(f"`{short(part)}`" for part in typing.get_args(entry.value))
    if isinstance(entry.value, (str, tuple, dict)):
        return f"a {type(entry.value).__name__}"
    return " ".join((inspect.getdoc(entry.value) or "").partition("\n\n")[0].split())


def page_of(entry: Entry) -> str:
    """Return the page of a name."""
    full = f"{entry.home}.{entry.name}"
    lines = [f"# {entry.name}", ""]
    if isinstance(entry.value, UnionType):
        parts = "\n".join(f"- `{full_name(part)}`" for part in typing.get_args(entry.value))
        lines += [f"`{full}` is a type for annotations. A value is one of", "", parts]
    elif isinstance(entry.value, (str, tuple, dict)):
        listing = "\n".join(map(repr, entry.value)) if not isinstance(entry.value, str) else repr(entry.value)
        lines += [f"`{full}` is a {type(entry.value).__name__}:", "", "```python", listing, "```"]
    elif inspect.isclass(entry.value):
        members = ", ".join(methods(entry.value))
        lines += ["```{eval-rst}", f".. autoclass:: {full}", *([f"   :members: {members}"] if members else []), "```"]
    else:
        lines += ["```{eval-rst}", f".. autofunction:: {full}", "```"]
    return "\n".join([*lines, ""])


def methods(cls: type) -> list[str]:
    """Return the methods and properties of a class that its own code describes; fields stand in its docstring."""
    kinds = (property, classmethod, staticmethod)
    return [
        name
        for name, value in vars(cls).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, kinds))
        and inspect.getdoc(value)
        and getattr(value, "__module__", cls.__module__) == cls.__module__
    ]


def short(part: Any) -> str:
    """Return the name of a type, without its module."""
    return re.sub(r"\b[\w.]+\.", "", full_name(part))


def full_name(part: Any) -> str:
    """Return the name of a type."""
    return part.__module__ + "." + part.__name__ if isinstance(part, type) else str(part)


def cell(text: str) -> str:
    """Return a text as a cell of a table."""
    return text.replace("|", "\\|")
