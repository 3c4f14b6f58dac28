"""Which files are trusted: those that nobody but root and the own account can change."""

import os
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.core.files import read_lines, read_text
from paretosched.core.trust import check_trusted, only_trusted, open_trusted

STRANGER = 4_321  # an account that need not be there
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="NOT ROOT: only root can give files away")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("above", "above/inner", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o755)
    file = tmp_path / "above" / "inner" / "file"
    file.write_text("text", encoding="utf-8")
    file.chmod(0o644)
    return file


def refusal(path: Path) -> str:
    with pytest.raises(ps.InputError) as refused:
        check_trusted(path)
    return str(refused.value)


@pytest.mark.parametrize("mode", [0o666, 0o646, 0o777, 0o602])
def test_a_file_that_others_can_write_is_refused(place: Path, mode: int) -> None:
    check_trusted(place)
    place.chmod(mode)
    assert refusal(place) == f"{place}: others can write this file; chmod go-w {place}"


@pytest.mark.parametrize("steps", [1, 2])
def test_a_folder_above_that_others_can_write_is_refused_unless_it_is_sticky(place: Path, steps: int) -> None:
    folder = place.parents[steps - 1]
    folder.chmod(0o777)
    assert refusal(place) == f"{place}: others can write in {folder}, above it; chmod go-w {folder}"
    folder.chmod(0o1777)
    check_trusted(place)


def test_a_folder_itself_must_not_be_open_though_it_is_sticky(place: Path) -> None:
    place.parent.chmod(0o1777)
    with pytest.raises(ps.InputError, match="others can write in this folder; chmod go-w"):
        open_trusted(place.parent, os.O_RDONLY)


def test_links_are_followed_and_each_folder_on_the_way_counts(place: Path, tmp_path: Path) -> None:
    for name, target in {"near": "above/inner/file", "far": str(place), "up": "above/inner/../inner/file"}.items():
        (tmp_path / name).symlink_to(target)
        check_trusted(tmp_path / name)
    (tmp_path / "elsewhere" / "hop").symlink_to("../above")
    through = tmp_path / "elsewhere" / "hop" / "inner" / "file"
    check_trusted(through)
    (tmp_path / "elsewhere").chmod(0o777)
    assert f"others can write in {tmp_path}/elsewhere, above it" in refusal(through)
    (tmp_path / "elsewhere").chmod(0o755)
    place.parent.chmod(0o777)
    for path in (through, tmp_path / "near", tmp_path / "far", tmp_path / "up"):
        assert f"others can write in {place.parent}, above it" in refusal(path)


def test_a_relative_path_and_its_folder_count(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.parent)
    check_trusted(Path("file"))
    check_trusted(Path("../inner/file"))
    place.parent.chmod(0o777)
    assert refusal(Path("file")).startswith(f"file: others can write in {place.parent}, above it")


@as_root
def test_what_another_account_owns_is_refused(place: Path, tmp_path: Path) -> None:
    os.chown(place, STRANGER, 0)
    assert refusal(place).startswith(f"{place}: account {STRANGER} can write this file; run this as that account")
    os.chown(place, 0, 0)
    os.chown(place.parent, STRANGER, 0)
    place.parent.chmod(0o1755)  # the owner can do as he likes
    assert f"account {STRANGER} can write in {place.parent}, above it" in refusal(place)
    os.chown(place.parent, 0, 0)
    (tmp_path / "link").symlink_to(place)
    os.lchown(tmp_path / "link", STRANGER, 0)
    assert "is a link of account" in refusal(tmp_path / "link")


@as_root
def test_a_group_that_can_write_is_refused(place: Path) -> None:
    os.chown(place, 0, STRANGER)
    place.chmod(0o664)
    assert "others can write this file" in refusal(place)


def test_what_is_not_there_is_said_by_the_system(place: Path) -> None:
    with pytest.raises(FileNotFoundError):
        check_trusted(place.with_name("none"))
    place.with_name("loop").symlink_to("loop")
    with pytest.raises(OSError, match="Too many levels"):
        check_trusted(place.with_name("loop"))


def test_all_readers_refuse_within_the_block_and_only_there(place: Path) -> None:
    place.chmod(0o666)
    assert read_text(place) == "text"
    with only_trusted():
        with pytest.raises(ps.InputError, match="others can write this file"):
            read_text(place)
        with pytest.raises(ps.InputError, match="others can write this file"):
            list(read_lines(place, "a list"))
    assert list(read_lines(place, "a list")) == ["text"]


def test_a_file_that_is_swapped_while_it_is_opened_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def swapping(path: object, flags: int, *more: object, **names: object) -> int:
        if path == "file" and not flags & os.O_PATH:
            place.unlink()
            place.write_text("another", encoding="utf-8")
        return real(path, flags, *more, **names)  # type: ignore[arg-type]

    place.with_name("other").touch()  # so that the new file has another number
    monkeypatch.setattr(os, "open", swapping)
    with pytest.raises(ps.InputError, match="replaced while it was opened"):
        check_trusted(place)


def test_no_handle_is_left(place: Path) -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    check_trusted(place)
    place.chmod(0o666)
    refusal(place)
    assert len([*Path("/proc/self/fd").iterdir()]) == before
