"""Commands and readers in processes of their own, with their peak memory: forked from one that has the package."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

# For each line, the arguments of a command, or of a reader that no command has, is run in a process of its own. It
# prints its exit status and peak memory in KiB (ru_maxrss would be that of the process it was forked from).
FORKS = """
import json, os, signal, sys
import paretosched as ps
from paretosched.cli import main
from paretosched.search.runs import read_values
readers = {"load_segments": ps.load_segments, "read_values": read_values}
for line in sys.stdin:
    (word, *places), *files = json.loads(line)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("ended", flush=True)
        continue
    signal.alarm(60)
    for number, name in enumerate(files):
        os.dup2(os.open(name, os.O_RDWR if number else os.O_RDONLY), number)
    try:
        status = readers[word](*places) and 0 if word in readers else main([word, *places])
    except ps.InputError as error:
        print(error, file=sys.stderr)
        status = 2
    print(status, next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], flush=True)
    sys.stderr.flush()
    os._exit(0)
"""


class Refusal(NamedTuple):
    """What a command printed that refused its input, in one line, and its peak memory in bytes."""

    line: str
    memory: int


Refuse = Callable[..., Refusal]


@contextmanager
def forks(folder: Path) -> Iterator[Refuse]:
    """Yield a function that runs a command, which must refuse its input; `stdin` is the path of what it reads."""
    out, err = folder / "out", folder / "err"
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def refuse(*arguments: str, stdin: str = "/dev/null") -> Refusal:
            for file in (out, err):
                file.write_bytes(b"")
            print(json.dumps([arguments, stdin, str(out), str(err)]), file=process.stdin, flush=True)
            assert process.stdout.readline() == "ended\n"
            printed, lines = out.read_text().split(), err.read_text().splitlines()
            assert printed[:1] == ["2"], (printed, lines)
            assert len(lines) == 1, lines
            return Refusal(lines[0], int(printed[1]) * (1024 if sys.platform == "linux" else 1))

        yield refuse
        process.stdin.close()
