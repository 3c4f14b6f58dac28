"""A large log that was read before is read from the cache, and is the same workload; a bad cache is not used."""

import stat
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload import log_cache, log_lines, swf


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an empty cache, in which every log is kept."""
    monkeypatch.delenv(log_cache.OFF_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(log_cache, "WORTH_KEEPING", 1)
    return tmp_path / "cache" / "paretosched" / "logs"


@pytest.fixture(params=["w.swf", "w.swf.gz"])
def log(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a log with comments in Latin-1, fields that are not whole, and faults that are repaired."""
    path = tmp_path / request.param
    ps.write_swf(ps.lublin(jobs=40, processors=32, seed=3), path)
    if path.suffix == ".swf":
        with path.open("ab") as file:
            file.write(b"; Caf\xe9\n;\n41 9e5 0 .5 2 -1 -1 2 20 -1 1 3 -1 -1 -1 -1 -1 -1\n")
            file.write(b"42 9e5 0 30 99 -1 -1 99 20 -1 1 3 -1 -1 -1 -1 -1 -1\n")
    return path


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of logs that are parsed from now on."""
    paths: list[str] = []

    def parse(path: str, blocks: object) -> object:
        paths.append(path)
        return log_lines.parse_log(path, blocks)  # type: ignore[arg-type]

    monkeypatch.setattr(swf, "parse_log", parse)
    return paths


def same(one: ps.Workload, other: ps.Workload) -> bool:
    return (
        one.digest == other.digest
        and (one.header, one.repairs, one.source, one.name) == (other.header, other.repairs, other.source, other.name)
        and np.array_equal(np.asarray(one.records), np.asarray(other.records))
        and one.records.columns[0].flags.writeable == other.records.columns[0].flags.writeable
    )


def test_the_second_time_a_log_is_not_parsed_and_is_the_same(
    log: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = reads(monkeypatch)
    first, second = ps.read_swf(log), ps.read_swf(log)
    assert paths == [str(log)]
    assert same(first, second)
    assert same(ps.read_swf(log, capacity=12), ps.read_swf(log, capacity=12))  # rules come after the cache
    monkeypatch.setenv(log_cache.OFF_VARIABLE, "1")
    assert same(ps.read_swf(log), first)
    assert paths == [str(log)] * 2


def test_another_content_or_limit_is_another_log(log: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = reads(monkeypatch)
    first = ps.read_swf(log)
    with ps.reading_limits(jobs=10), pytest.raises(ps.InputError, match="jobs"):
        ps.read_swf(log)
    ps.write_swf(ps.lublin(jobs=40, processors=32, seed=4), log)
    assert ps.read_swf(log).digest != first.digest
    assert len(paths) == 3


def test_files_of_the_cache_are_of_their_owner_alone(log: Path, cache: Path) -> None:
    ps.read_swf(log)
    (file,) = cache.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["bit", "version", "cut", "empty", "text", "moved", "foreign", "open folder"])
def test_a_bad_file_of_the_cache_is_not_used_and_made_again(
    damage: str, log: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ps.read_swf(log)
    (file,) = cache.iterdir()
    content = bytearray(file.read_bytes())
    if damage == "bit":
        place = content.index(b"NUMPY") + 130  # among the numbers of the first column
        content[place] ^= 1
    elif damage == "version":  # of zip, which is needed to unpack the first part
        content[content.index(b"PK\1\2") + 6] = 200
    elif damage == "moved":
        other = log.with_name("other.swf")
        ps.write_swf(ps.lublin(jobs=40, processors=32, seed=4), other)
        ps.read_swf(other)
        (other_file,) = set(cache.iterdir()) - {file}
        content = bytearray(other_file.read_bytes())
    elif damage in ("cut", "empty", "text"):
        content = {"cut": content[:-30], "empty": bytearray(), "text": bytearray(b"1 2 3\n")}[damage]
    file.write_bytes(content)
    if damage == "foreign":
        file.chmod(0o666)  # every account could have written it
    if damage == "open folder":
        cache.chmod(0o777)  # every account could have moved it here
    paths = reads(monkeypatch)
    assert same(ps.read_swf(log), first)
    assert len(paths) == 1
    assert same(ps.read_swf(log), first)
    assert len(paths) == 1


def test_a_cache_that_cannot_be_written_is_done_without(
    log: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no folder")
    paths = reads(monkeypatch)
    assert same(ps.read_swf(log), ps.read_swf(log))
    assert len(paths) == 2


def test_the_files_that_were_not_used_for_longest_go_first(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [tmp_path / f"{seed}.swf" for seed in range(3)]
    for seed, log in enumerate(logs):
        ps.write_swf(ps.lublin(jobs=30, processors=32, seed=seed), log)
    ps.read_swf(logs[0])
    (file,) = cache.iterdir()
    monkeypatch.setattr(log_cache, "MOST_KEPT", 2 * file.stat().st_size + 600)
    ps.read_swf(logs[1])
    ps.read_swf(logs[0])
    ps.read_swf(logs[2])
    paths = reads(monkeypatch)
    ps.read_swf(logs[0])
    ps.read_swf(logs[2])
    assert not paths
    ps.read_swf(logs[1])
    assert paths == [str(logs[1])]
