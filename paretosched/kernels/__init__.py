"""Compiled simulators: flat arrays in, start times out; they check nothing and raise nothing.

Their callers, `simulation` and `assignment`, check all arguments. Times are int64 seconds, widths int64 processors,
jobs are numbered by their row in the workload. All events of one second are handled together: completions first, then
corrections of predictions, then arrivals in the order of the log, then one scheduling pass.

A public kernel is plain Python: it allocates its work space and passes it to a loop that is compiled without reference
counts (`_nrt=False`: three to six times faster, because numba otherwise counts every array at every call). Such a loop
must not allocate memory. If the public kernel were compiled, numba would compile the loop a second time, inside it.

`overload` is that of `compiling`, which is not inlined: behind an overload with inline="always", numba 0.68.1 drops
writes to arrays in functions with inline="always" that are called later. LLVM inlines what is small by itself.
"""

from pathlib import Path


def drop_stale(folder: Path) -> None:
    """Delete compiled code that is older than the newest source in a folder.

    numba compiles a function again if its own file has changed, but not if another file has changed whose functions
    it calls. After an update of one kernel file, the other kernels would run the old code.
    """
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in folder.glob("__pycache__/*.nbi"):
        try:
            if index.stat().st_mtime < newest:
                index.unlink()
        except FileNotFoundError:  # another process was faster
            pass


drop_stale(Path(__file__).parent)
