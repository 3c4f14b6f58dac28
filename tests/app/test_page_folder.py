"""The folder that keeps the owner's work."""

from __future__ import annotations

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
