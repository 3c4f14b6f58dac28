"""Compiled simulators: flat arrays in, start times out; they check nothing and raise nothing.

`simulation` and `assignment` are their callers and make sure of what they rely on. Times are int64
seconds, widths int64 processors, jobs are named by their row in the workload. All events of one second are taken
together: completions first, then corrections of predictions, then arrivals in trace order, then one scheduling pass.

A public kernel allocates its work space and hands it to a loop that is compiled without reference counts
(`_nrt=False`: three to six times faster, because numba otherwise counts every array at every call). Such a
loop cannot allocate, and must not.
"""

from pathlib import Path


def drop_stale(folder: Path) -> None:
    """Throw compiled code away that is older than the newest source in a folder.

    numba notices when the file of a function has changed, but not when a function compiled into it from another
    file has; after an update of one kernel file, the others would go on running the old code.
    """
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in folder.glob("__pycache__/*.nbi"):
        try:
            if index.stat().st_mtime < newest:
                index.unlink()
        except FileNotFoundError:  # another process was faster
            pass


drop_stale(Path(__file__).parent)
