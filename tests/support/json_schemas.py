"""What a published JSON Schema accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


def checker(schema: dict[str, Any]) -> Draft202012Validator:
    """Return what checks values by a schema, which is one itself."""
    from jsonschema import Draft202012Validator  # takes two seconds, so only the tests that use it load it

    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
