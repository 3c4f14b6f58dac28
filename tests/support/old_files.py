"""What version 0.1 wrote, but for the log, which is made again: the model still gives the same jobs."""

import shutil
from pathlib import Path

import paretosched as ps

OLD = Path(__file__).parents[1] / "data" / "version-0.1"
LOG = "lublin.swf.gz"


def write_old_log(folder: Path) -> Path:
    """Return the log of the runs of version 0.1, which is written into a folder."""
    ps.write_swf(ps.lublin(60, processors=32, seed=3), folder / LOG)
    return folder / LOG


def copy_old_files(place: Path) -> Path:
    """Return a new folder with a copy of all that version 0.1 wrote, since opening a run writes."""
    shutil.copytree(OLD, place)
    write_old_log(place)
    return place
