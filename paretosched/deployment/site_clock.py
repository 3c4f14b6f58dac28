"""The time zone of the machine: what its clock shows decides whether it is weekend, day or night."""

from __future__ import annotations

import os
from pathlib import Path

from ..core.errors import InputError
from ..workload.calendar import find_zone

LOCALTIME = Path("/etc/localtime")
FOLDER = "zoneinfo"


def site_zone() -> str:
    """Return the name of this machine's time zone in the standard zone database: that of TZ, or of the system.

    Raises
    ------
    InputError
        TZ names no zone of the database, or there is no telling which zone it is.
    """
    name = os.environ.get("TZ", "").lstrip(":")
    if not name:
        parts = LOCALTIME.resolve().parts if LOCALTIME.is_symlink() else ()
        if FOLDER not in parts:
            return "UTC" if not LOCALTIME.exists() else _named_elsewhere()
        name = "/".join(parts[len(parts) - parts[::-1].index(FOLDER) :]).removeprefix("posix/").removeprefix("right/")
    try:
        find_zone(name)
    except InputError as error:
        raise InputError(f"{error}; set TZ to the site's, such as TZ=Europe/Berlin") from None
    return name


def _named_elsewhere() -> str:
    """Return the zone that /etc/timezone names."""
    try:
        name = Path("/etc/timezone").read_text(encoding="utf-8").strip()
        find_zone(name)
    except (OSError, ValueError):  # an InputError is one, too
        raise InputError(
            "this machine does not name its time zone; set TZ to the site's, such as TZ=Europe/Berlin"
        ) from None
    return name
