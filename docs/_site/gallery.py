"""Draw the pictures of docs/gallery, small, from the built-in model and `results/`: `python docs/_site/gallery.py`.

It takes a minute and needs Chromium. The lines of the page make the same pictures, larger; no build of the site
needs it.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import kaleido

import paretosched as ps
from paretosched.plots.comparisons import all_figures
from paretosched.plots.policies import overtaking
from paretosched.plots.rule_bases import decisions

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "docs" / "gallery"
RULES = ROOT / "results" / "gfs" / "policies" / "iterative-KTH-0.json"
WISH = "10*AWRT1 + 4*AWRT2"
WIDE = ("decisions", "overtaking", "pairs", "parallel", "utilisation")
PIXELS = ("pairs", "parallel")  # so many signs that they are smaller as pixels


def main() -> None:
    """Write all pictures."""
    w = ps.lublin(jobs=2000, processors=128, seed=71)
    with TemporaryDirectory() as folder:
        front = ps.explore(w, Path(folder) / "run", evaluations=300, population=50)
    policy = ps.train(w, WISH, generations=5).policy
    drawn = all_figures([ps.compare(w, ["fcfs", "sjf", policy], front, WISH)], [front])
    drawn |= {"overtaking": overtaking(ps.explain(policy)), "decisions": decisions(ps.explain(RULES))}
    names = ["awrt1-awrt2", "util-awrt", "positions", "improvements", "objective", *WIDE]
    kaleido.write_fig_from_object_sync(
        [
            {
                "fig": drawn[name],
                "path": PLACE / f"{name}.{'webp' if name in PIXELS else 'svg'}",
                "opts": {
                    "format": "webp" if name in PIXELS else "svg",
                    "width": 1180 if name in WIDE else 620,
                    "height": drawn[name].layout.height or 480,
                },
            }
            for name in names
        ],
        kopts={"mathjax": False, "proxy_server": "127.0.0.1:9"},  # it reaches no network
        cancel_on_error=True,
    )


if __name__ == "__main__":
    main()
