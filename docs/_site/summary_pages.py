"""A page for each summary of `results/`, as `analysis.py` writes it, with its pictures; and the changelog."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ORDER = (
    "ci190_05",
    "ctc1024",
    "greedy",
    "gfs",
    "pgga",
    "groupopt",
    "bounds",
    "search",
    "online",
    "orders",
    "slurm",
    "reliability",
)


def write_pages(docs: Path) -> None:
    """Write the pages and their index."""
    place, results = docs / "results", docs.parent / "results"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    found = [path.parent.name for path in sorted(results.glob("*/summary.md"))]
    names = [*(name for name in ORDER if name in found), *(name for name in found if name not in ORDER)]
    for name in names:
        text = (results / name / "summary.md").read_text(encoding="utf-8")
        text = re.sub(r"!\[([^\]]*)\]\((figures/[^)]*)\)", rf"![\1](../../results/{name}/\2)", text)
        text = re.sub(r"(?<!!)\[([^\]]*)\]\(\.\./(\w+)/summary\.md\)", r"[\1](\2.md)", text)
        text = re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:|\w+\.md)[^)]*\)", r"\1", text)  # files that are not on the site
        (place / f"{name}.md").write_text(text, encoding="utf-8")
    changes = (docs.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    (place / "changes.md").write_text(on_the_site(changes).replace("](docs/", "](/"), encoding="utf-8")
    lines = [
        "# All summaries",
        "",
        "Each is written by its `analysis.py` from the tables beside it in `results/`, or stays as it is; a test "
        "holds words and tables together.",
    ]
    lines += ["", "```{toctree}", ":maxdepth: 1", "", *names, "```", ""]
    (place / "index.md").write_text("\n".join(lines), encoding="utf-8")


def on_the_site(text: str) -> str:
    """Return a document with its links to summaries as links of the site, and those to other files as plain words."""
    text = re.sub(r"\]\((?:\.\./)*results/(\w+)/summary\.md\)", r"](/results/\1.md)", text)
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?:\.\./)+experiments/[^)]*\)", r"\1", text)
