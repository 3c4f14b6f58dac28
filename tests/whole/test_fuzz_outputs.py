"""Fuzz tests of outputs: what cannot be written is refused in one line, and nothing is left."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import paretosched as ps
from support.commands import command, stored_rows, succeed
from support.disks import small_disk
from support.fuzzing import LONG, refusal, sound

# --- outputs ------------------------------------------------------------------------------------------------------

OUTPUTS = [
    ("generate", "-o"),
    ("scale", "-o"),
    ("resample", "-o"),
    ("simulate", "-o"),
    ("simulate", "--save-policy"),
    ("explore", "-o"),
    ("train", "-o"),
    ("rules", "-o"),
    ("explain", "-o"),
    ("explain rules", "-o"),
    ("front", "-o"),
    ("compare", "-o"),
    ("compare", "--figures"),
    ("whatif", "-o"),
    ("assign", "-o"),
]


def with_output(name: str, option: str, house: Path, folder: Path, output: object) -> list[object]:
    """A command that would succeed if it could write there."""
    begin = sound(name, house, folder)
    place = begin.index("-o")
    return [*begin[:place], *begin[place + 2 :], option, output]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), OUTPUTS)
def test_outputs_that_cannot_be_written_are_refused(house: Path, tmp_path: Path, name: str, option: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    os.mkfifo(tmp_path / "pipe")
    places = [tmp_path / "none" / "x", tmp_path / "file" / "x", tmp_path / LONG, tmp_path / "pipe", Path("/proc/x")]
    places += [Path("/dev/full"), Path("/dev/null/x")]
    whole = name != "explore" and option != "--figures"
    places += [tmp_path / "folder", Path("/")] if whole else [tmp_path / "file"]
    for place in places:
        refusal(*with_output(name, option, house, tmp_path, place), names=place, below=tmp_path)
    for text in ("", "a\0b"):
        refusal(*with_output(name, option, house, tmp_path, text), names=option, below=tmp_path)


def outputs_of_segments(house: Path, output: object) -> list[object]:
    return ["simulate", house / "w.swf.gz", "--policy", "scojo", "--segments", output]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_segments_that_cannot_be_written_are_refused(house: Path, tmp_path: Path, ending: str) -> None:
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "none" / f"x{ending}", tmp_path / "folder", Path("/proc/x"), Path("/dev/full")):
        refusal(*outputs_of_segments(house, place), names=place, below=tmp_path)
    with full_disk(20):
        refusal(*outputs_of_segments(house, tmp_path / f"x{ending}"), names=tmp_path / f"x{ending}", below=tmp_path)
    refusal(*outputs_of_segments(house, house / "w.swf.gz"), names="--segments would overwrite the workload log")
    easy = ("simulate", house / "w.swf.gz", "--policy", "easy", "-o", tmp_path / "out.csv")
    refusal(*easy, "--segments", tmp_path / "x", names="EASY preempts no jobs", below=tmp_path)


@pytest.mark.parametrize(("name", "option"), OUTPUTS)
def test_outputs_in_a_folder_of_another_user_are_refused(house: Path, tmp_path: Path, name: str, option: str) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("RUN BY ROOT, who may write everywhere: read-only folders were not tried")
    refusal(*with_output(name, option, house, tmp_path, folder / "x"), names=folder / "x", below=tmp_path)


def test_trainings_are_not_kept_where_nothing_can_be_written(house: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for place in (tmp_path / "none" / "x", tmp_path / "file", Path("/proc/x"), tmp_path / LONG, house, house / "run"):
        for name in ("train", "rules"):
            refusal(*sound(name, house, tmp_path), "--run", place, names=place, below=tmp_path)


def test_logs_are_not_downloaded_to_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for place in (tmp_path / "none", tmp_path / "file", Path("/proc"), tmp_path / LONG):
        refusal("fetch", "CTC-SP2", "-o", place, names=place, below=tmp_path)


@contextmanager
def full_disk(bytes_: int) -> Iterator[None]:
    """No file can grow beyond some bytes; what a full disk does, but for the words."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), [o for o in OUTPUTS if o[1] != "--figures"])
def test_a_full_disk_is_one_line_and_leaves_nothing(house: Path, tmp_path: Path, name: str, option: str) -> None:
    output = tmp_path / ("out.html" if name.startswith("explain") else "out")
    arguments = with_output(name, option, house, tmp_path, output)
    for bytes_ in (0, 20):
        with full_disk(bytes_):  # a training without --run is kept in the system's folder for such files
            message = refusal(*arguments, names="" if name in ("train", "rules") else output, below=tmp_path)
        assert "cannot" in message
    output.unlink(missing_ok=True)
    succeed(*arguments)  # it was the disk


@pytest.mark.slow
def test_a_disk_that_fills_up_during_a_run_leaves_a_run_that_can_be_continued(house: Path, tmp_path: Path) -> None:
    explore = ("explore", house / "w.swf.gz", "-o", tmp_path / "run", "--population", 4)
    succeed(*explore, "--evaluations", 8)
    with full_disk(60_000):
        outcome = command(*explore, "--evaluations", 400)
    assert outcome.status == 2
    assert outcome.err.splitlines()[-1].startswith(f"paretosched explore: {tmp_path / 'run'}")
    assert "Traceback" not in outcome.err
    assert not list((tmp_path / "run").glob("*.part")) + list((tmp_path / "run").glob(".*"))
    again = succeed(*explore, "--evaluations", 400, "--json").json
    assert 8 <= again["replayed"] < 400
    (tmp_path / "whole").mkdir()
    succeed(*explore[:2], "-o", tmp_path / "whole" / "run", "--population", 4, "--evaluations", 400)
    fronts = [folder / "run" / "front.parquet" for folder in (tmp_path, tmp_path / "whole")]
    assert fronts[0].read_bytes() == fronts[1].read_bytes()


def runs_on(disk: Path, house: Path) -> dict[str, list[object]]:
    """Return a long command of every kind that writes to a disk."""
    log, wish = house / "w.swf.gz", ["--objective", "AWRT1"]
    return {
        "explore": ["explore", log, "-o", disk / "run", "--population", 4, "--evaluations", 400],
        "train": [
            "train",
            log,
            *wish,
            "--generations",
            2,
            "--accept-worse",
            "--run",
            disk / "run",
            "-o",
            disk / "p.json",
        ],
        "simulate": ["simulate", log, "-o", disk / "s.csv"],
        "compare": ["compare", log, "--front", house / "run", "--policy", "easy", "-o", disk / "c.html"],
    }


def result_of(disk: Path) -> dict[str, object]:
    """Return what a command left on a disk, without times: evaluations of a run, else the bytes of files."""
    result_files = {path.name: path.read_bytes() for path in disk.glob("*.[jc]*")} | {"run": None}
    return result_files | ({"run": stored_rows(disk / "run")} if (disk / "run").exists() else {})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["explore", "train", "simulate", "compare"])
def test_a_disk_that_is_full_or_read_only_is_one_line_and_the_command_goes_on_later(
    house: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "large").mkdir()
    succeed(*runs_on(tmp_path / "large", house)[name])
    with small_disk(tmp_path / "disk", "8m") as writable:
        disk = tmp_path / "disk"
        arguments = runs_on(disk, house)[name]
        for free in (0, 8_000, 60_000):
            (disk / "ballast").unlink(missing_ok=True)
            with suppress(OSError), (disk / "ballast").open("wb", buffering=0) as file:
                while file.write(b"x" * 65536):
                    pass
            os.truncate(disk / "ballast", max((disk / "ballast").stat().st_size // 4096 * 4096 - free, 0))
            outcome = command(*arguments)
            if outcome.status != 0:  # 60 kB are enough for some
                assert (outcome.status, outcome.out) == (2, ""), outcome
                assert "Traceback" not in outcome.err
                assert outcome.err.splitlines()[-1].startswith(f"paretosched {name}: {disk}"), outcome
                assert all(line.startswith("paretosched: ") for line in outcome.err.splitlines()[:-1]), outcome
        (disk / "ballast").unlink()
        writable(False)
        refusal(*arguments, names=disk, below=disk)
        writable(True)
        succeed(*arguments)
        assert {key: value for key, value in result_of(disk).items() if key != "c.html"} == {
            key: value for key, value in result_of(tmp_path / "large").items() if key != "c.html"
        }


@pytest.mark.parametrize(
    ("name", "ending"), [("simulate", "csv"), ("explain", "html"), ("front", "parquet"), ("assign", "csv")]
)
def test_names_of_files_need_not_be_text(house: Path, tmp_path: Path, name: str, ending: str) -> None:
    output = tmp_path / os.fsdecode(b"\xff." + ending.encode())
    succeed(*with_output(name, "-o", house, tmp_path, output))
    assert output.exists()
    if name == "front":
        succeed("simulate", house / "w.swf.gz", "--front", output)
        succeed(*with_output(name, "-o", house, tmp_path, output))  # a front over a front


def test_segments_in_a_file_whose_name_is_no_text_come_back(house: Path, tmp_path: Path) -> None:
    output = tmp_path / os.fsdecode(b"\xff.parquet")
    succeed(*outputs_of_segments(house, output))
    succeed(*outputs_of_segments(house, output))
    workload = ps.read_swf(house / "w.swf.gz")
    assert ps.load_segments(workload, output).start.tobytes() == ps.simulate(workload, "scojo").start.tobytes()
