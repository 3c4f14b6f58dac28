"""SCOJO-PECT in policy files."""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, astuple

from ..core.errors import InputError
from ..core.files import json_text
from ..core.tables import plain
from .policy_format import Format
from .time_sharing import CLASSES, METHODS, RUN_TIMES, SEARCHES, Grouping, Optimisation, Shares, TimeSharing


def _file_of(name: str, default: Any, **other_types: Any) -> Any:
    """Return the type of an object in a file whose keys, types and default values are those of a tuple.

    Parameters
    ----------
    name
        Name of the type.
    default
        A NamedTuple: the values of keys that are left out.
    other_types
        By key: a pair of a type and a default value, where these are not the tuple's.
    """
    hints = get_type_hints(type(default))
    parts = {key: (hints[key], getattr(default, key)) for key in default._fields} | other_types
    return msgspec.defstruct(
        name,
        [(key, kind, value) for key, (kind, value) in parts.items()],
        forbid_unknown_fields=True,
        namespace={"__doc__": (type(default).__doc__ or "").split("\n")[0]},
        module=__name__,
    )


def _words(*words: str) -> Any:
    """Return the type of a text that is one of some words."""
    return Annotated[str, Meta(extra_json_schema={"enum": list(words)})]


_OPTIMISATION = Optimisation()
SharesFile = _file_of("SharesFile", Shares())
MediumFile = _file_of("MediumFile", _OPTIMISATION.medium)
LongFile = _file_of("LongFile", _OPTIMISATION.long)
OptimisationFile = _file_of(
    "OptimisationFile",
    _OPTIMISATION,
    method=(_words(*METHODS), _OPTIMISATION.method),
    search=(_words(*SEARCHES), _OPTIMISATION.search),
    medium=(MediumFile, msgspec.field(default_factory=MediumFile)),
    long=(LongFile, msgspec.field(default_factory=LongFile)),
)


class TimeSharingFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """SCOJO-PECT: the machine belongs to short, medium and long jobs in turn."""

    format: Format
    rule: Annotated[str, Meta(extra_json_schema={"const": TimeSharing.rule})]
    name: str = ""
    interval: int = TimeSharing.interval
    overhead: int = TimeSharing.overhead
    medium_from: int = TimeSharing.medium_from
    long_from: int = TimeSharing.long_from
    short_slice: int = TimeSharing.short_slice
    shares: list[SharesFile] = msgspec.field(default_factory=lambda: [SharesFile()])  # type: ignore[valid-type]
    run_times: Annotated[str, Meta(extra_json_schema={"enum": [*RUN_TIMES]})] = TimeSharing.run_times
    backfill: bool = TimeSharing.backfill
    optimisation: Annotated[str, Meta(extra_json_schema={"const": "none"})] | OptimisationFile = "none"  # type: ignore[valid-type]
    provenance: dict[str, Any] = {}

    def policy(self) -> TimeSharing:
        """Return the policy."""
        optimisation = None
        if isinstance(self.optimisation, Struct):
            settings: Any = asdict(self.optimisation)
            groups = {name: Grouping(*astuple(settings[name])) for name in CLASSES[1:]}
            optimisation = Optimisation(**(settings | groups))
        elif self.optimisation != "none":
            raise InputError(f'optimisation must be "none" or an object, but is {json_text(self.optimisation)}')
        return TimeSharing(
            self.interval,
            self.overhead,
            self.medium_from,
            self.long_from,
            self.short_slice,
            tuple(Shares(*astuple(row)) for row in self.shares),
            self.run_times,
            self.backfill,
            optimisation,
            self.name,
            self.provenance,
        )


def time_sharing_json(policy: TimeSharing) -> dict[str, Any]:
    """Return the keys and values that only files of SCOJO-PECT have."""
    settings: Any = "none"
    if (optimisation := policy.optimisation) is not None:
        groups = {"medium": optimisation.medium._asdict(), "long": optimisation.long._asdict()}
        settings = plain(optimisation._asdict() | groups)
    return {
        "interval": policy.interval,
        "overhead": policy.overhead,
        "medium_from": policy.medium_from,
        "long_from": policy.long_from,
        "short_slice": policy.short_slice,
        "shares": [plain(row._asdict()) for row in policy.shares],
        "run_times": policy.run_times,
        "backfill": policy.backfill,
        "optimisation": settings,
    }
