"""What a published JSON Schema accepts."""

from typing import Any


def checker(schema: dict[str, Any]) -> Any:
    """Return a Draft202012Validator, which checks values by a schema that is one itself."""
    from jsonschema import Draft202012Validator  # takes two seconds, so only the tests that use it load it

    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
