"""What every policy file begins with."""

from typing import Annotated

from msgspec import Meta

FORMAT = "paretosched policy 1"
Format = Annotated[str, Meta(extra_json_schema={"const": FORMAT})]
