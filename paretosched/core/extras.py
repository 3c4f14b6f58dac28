"""Say how to install what a part of this package needs beyond its core, which simulates, compares, imports, deploys."""

from __future__ import annotations

from .errors import InputError

EXTRAS = {
    "parquet": ("pyarrow",),
    "explore": (
        "cma",
        "cryptography",
        "dask",
        "distributed",
        "moocore",
        "pandas",
        "pymoo",
        "scipy",
    ),
    "app": ("choreographer", "dash", "flask", "kaleido", "plotly", "waitress"),
}  # the extra, and the modules that come with it and not with the core; `explore` has those of `parquet`, too


def missing_extra(error: ImportError) -> InputError:
    """Return the error that says which extra installs the module that is missing; raise `error` if none does.

    Examples
    --------
    >>> str(missing_extra(ModuleNotFoundError(name="pyarrow.parquet")))
    "this needs pyarrow, which is not installed; it comes with: pip install 'paretosched[parquet]'"
    """
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            return InputError(
                f"this needs {module}, which is not installed; it comes with: pip install 'paretosched[{extra}]'"
            )
    raise error
