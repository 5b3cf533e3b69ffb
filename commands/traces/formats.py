"""The formats of the JSON that commands read, each with its schema."""

from __future__ import annotations

from importlib.resources import files

from podproof.checker.reading import Format
from podproof.reports.render.json import schema_text

TRACE = Format(
    lambda: files("podproof.kubelet").joinpath("trace.schema.json").read_text(encoding="utf-8"),
    "give a .jsonl file; docs/traces.md has the format",
    1 << 22,
)
TRACE_OF_1_20 = Format(
    lambda: files("podproof.kubelet").joinpath("trace-v1.20.schema.json").read_text(encoding="utf-8"),
    "give a .jsonl file; docs/traces-v1.20.md has the format",
    1 << 22,
)
RESULT = Format(
    schema_text, "give a file that `podproof check -o json` wrote, or that `podproof explore` saved", 1 << 24
)
PUBLISHED = {"podproof/1": RESULT, "trace": TRACE, "trace-v1.20": TRACE_OF_1_20}
"""What `podproof schema` prints."""


def trace_format(release: type) -> Format:
    """The format of the traces that are recorded of a release."""
    from podproof.kubelet.forms import form_of  # Only a replay needs it.

    return PUBLISHED[form_of(release).schema]
