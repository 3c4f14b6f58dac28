"""The time zone of the machine."""

from pathlib import Path

import pytest

import paretosched as ps
from paretosched.deployment import site_clock
from paretosched.deployment.site_clock import site_zone


@pytest.mark.parametrize(
    ("variable", "zone"), [("Europe/Berlin", "Europe/Berlin"), (":America/New_York", "America/New_York")]
)
def test_tz_names_the_zone(monkeypatch: pytest.MonkeyPatch, variable: str, zone: str) -> None:
    monkeypatch.setenv("TZ", variable)
    assert site_zone() == zone


def test_otherwise_it_is_that_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TZ", raising=False)
    place = tmp_path / "usr/share/zoneinfo/Europe/Paris"
    place.parent.mkdir(parents=True)
    place.touch()
    link = tmp_path / "localtime"
    link.symlink_to(place)
    monkeypatch.setattr(site_clock, "LOCALTIME", link)
    assert site_zone() == "Europe/Paris"
    monkeypatch.setattr(site_clock, "LOCALTIME", tmp_path / "nothing")
    assert site_zone() == "UTC"


def test_an_unknown_zone_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Mars/Olympus")
    with pytest.raises(ps.InputError, match="set TZ to the site's, such as TZ=Europe/Berlin"):
        site_zone()
