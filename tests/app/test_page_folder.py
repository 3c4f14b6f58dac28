"""The folder that keeps the owner's work."""

import os
from pathlib import Path

import pytest

from paretosched.app import page_folder
from paretosched.core.errors import InputError


def test_one_page_at_a_time_and_where_it_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "f.parquet").touch()
    with page_folder.open_folder(tmp_path / "f.parquet") as folder:
        assert folder == tmp_path / "f.parquet.app"
        with pytest.raises(InputError, match="open already"), page_folder.open_folder(tmp_path / "f.parquet"):
            pass
    (tmp_path / "h.app").mkdir(mode=0o755)  # of an earlier version
    with page_folder.open_folder(tmp_path / "h") as folder:
        page_folder.save(folder, {})
        assert [path.stat().st_mode & 0o777 for path in (folder, folder / "page.json")] == [0o700, 0o600]
    (tmp_path / "g.app").write_text("another file")
    with pytest.raises(InputError, match="copy the run or front"), page_folder.open_folder(tmp_path / "g"):
        pass


def test_a_link_to_another_folder_is_refused_and_the_folder_stays(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    (tmp_path / "f.app").symlink_to(other)
    with pytest.raises(InputError, match=r"f\.app: .* it is a link; copy"), page_folder.open_folder(tmp_path / "f"):
        pass
    assert (other.stat().st_mode & 0o777, list(other.iterdir())) == (0o755, [])
    (tmp_path / "f.app").unlink()
    with page_folder.open_folder(tmp_path / "f") as folder:
        assert not folder.is_symlink()


def test_a_folder_of_another_account_is_refused_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "f.app"
    folder.mkdir(mode=0o755)
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    owner = folder.stat().st_uid
    rule = rf"f\.app: .* of another account, with the number {owner}; copy"
    with pytest.raises(InputError, match=rule), page_folder.open_folder(tmp_path / "f"):
        pass
    assert (folder.stat().st_mode & 0o777, folder.stat().st_uid) == (0o755, owner)
